//! What an act is about, beyond the control that does it: whom money goes to, which app is installed, which note is
//! deleted. A user's yes is for that, so it is compared with what the screen says when the act is done.
use super::changing_text::{tells_presence, without_changing_text};
use super::class::ActClass;
use super::header::{self, SYSTEM};
use super::request::ScreenFacts;
use crate::elements::Elements;
use crate::{Element, Gesture, ScreenSize, is_unseen};

/// An act, and the screen on which it is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActOn<'a> {
    pub(crate) gesture: &'a Gesture,
    pub(crate) elements: &'a Elements,
    pub(crate) size: ScreenSize,
    pub(crate) facts: &'a ScreenFacts,
    /// Package of the app in front.
    pub(crate) app: &'a str,
}

impl ActOn<'_> {
    /// All texts about the subject of an act of this class, one a line: those of the window, or of the row whose button
    /// is touched. Text that changes by itself is left out, and countdowns go to `seconds`. Letters keep their case:
    /// some account numbers differ in case alone.
    pub(crate) fn about(&self, class: ActClass, seconds: &mut Vec<u32>) -> String {
        let Self { gesture, elements, size, facts, app } = *self;
        // A yes to these is for an app, or for what the act itself names.
        if matches!(class, ActClass::Open | ActClass::Unreadable)
            || matches!(gesture, Gesture::Awake { .. } | Gesture::Command(_))
        {
            return String::new();
        }
        let touched = gesture.points().first().and_then(|it| elements.at(it.to_pixel(size)));
        let is_of_row = matches!(class, ActClass::Delete | ActClass::Call);
        let row = touched.filter(|_| is_of_row).and_then(|it| elements.row_of(it));
        // Whoever agreed to a message agreed to its text and to whom it goes, and not to the ones before it.
        let writes = matches!(class, ActClass::Send | ActClass::Publish) && !facts.draft.is_empty();
        let around_draft = |it: &std::ops::Range<usize>| {
            let is_draft = |element: &Element| element.is_field() && element.text == facts.draft;
            let of_act = |element: &Element| {
                is_draft(element) || touched.is_some_and(|it| it.index == element.index)
            };
            elements.iter().any(|element| it.contains(&element.index) && of_act(element))
        };
        // A low one has those whom it is sent to.
        let least = i64::from(size.height) / 4;
        let mut others = if writes { elements.lists(least) } else { Vec::new() };
        others.retain(|it| !around_draft(it));
        let header_end = header::bottom(elements, size);
        let mut texts = String::new();
        // As they are read: who stands below "To" is whom it goes to, wherever that is in the tree.
        let mut read: Vec<&Element> = elements.iter().collect();
        read.sort_by_key(|it| (it.bounds[1], it.bounds[0]));
        for element in read {
            let at_top = element.middle() <= header_end;
            let index = &element.index;
            let is_elsewhere = !at_top && row.as_ref().is_some_and(|it| !it.contains(index));
            // Of those only what is ticked counts: somebody to whom it is sent too.
            let is_other = others.iter().any(|it| it.contains(index));
            // What is typed into a hiding field is nobody's to keep.
            let is_hidden = element.password || element.focused && facts.hidden_input;
            let is_of_system = element.package == SYSTEM && app != SYSTEM;
            if is_elsewhere || is_hidden || is_of_system {
                continue;
            }
            let (name, description) = (element.name(), element.description.trim());
            let second = if name == description { "" } else { description };
            for text in [name, second, element.hint.trim()] {
                if text.is_empty() || is_other || writes && at_top && tells_presence(text) {
                    continue;
                }
                let seen: String = text.chars().filter(|c| !is_unseen(*c)).collect();
                texts.push_str(&without_changing_text(&seen, seconds));
                texts.push('\n');
            }
            if element.checked == Some(true) || element.selected {
                texts.push_str("[x] ");
                texts.push_str(&elements.label(element));
                texts.push('\n');
            }
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;

    const SIZE: ScreenSize = ScreenSize { width: 1000, height: 1000 };

    /// What a tap on the button below these nodes is about.
    fn about(nodes: &[&str]) -> String {
        let nodes = nodes.concat();
        let elements = Elements::read(&format!(
            r#"<hierarchy>{nodes}<node text="Pay" clickable="true" class="android.widget.Button" bounds="[0,900][1000,1000]"/></hierarchy>"#
        ))
        .unwrap();
        let gesture = Gesture::Click { point: Point::new(500, 950).unwrap() };
        let facts = ScreenFacts::new(Some(&elements), &gesture, SIZE, false);
        let (elements, facts) = (&elements, &facts);
        let act = ActOn { gesture: &gesture, elements, size: SIZE, facts, app: "com.example" };
        act.about(ActClass::Pay, &mut Vec::new())
    }

    #[test]
    fn whom_money_goes_to_is_read_in_the_order_of_the_screen() {
        let text = |text: &str, y: i32| {
            format!(r#"<node text="{text}" bounds="[0,{y}][900,{}]"/>"#, y + 90)
        };
        let screen = |anna: i32, mallory: i32| {
            let texts =
                [text("From", 200), text("Anna", anna), text("To", 400), text("Mallory", mallory)];
            about(&texts.each_ref().map(String::as_str))
        };
        assert_ne!(screen(300, 500), screen(500, 300));
        assert_eq!(screen(300, 500), screen(310, 510));
    }

    #[test]
    fn what_is_selected_and_what_a_field_asks_for_is_told() {
        let rows = |anna: bool| {
            let row = |name: &str, selected: bool, y: i32| {
                format!(
                    r#"<node text="{name}" clickable="true" selected="{selected}" bounds="[0,{y}][900,{}]"/>"#,
                    y + 90
                )
            };
            about(&[&row("Anna", anna, 200), &row("Mallory", !anna, 300)])
        };
        assert_ne!(rows(true), rows(false));
        let field = |hint: &str| {
            about(&[&format!(
                r#"<node text="" hint="{hint}" class="android.widget.EditText" bounds="[0,200][900,290]"/>"#
            )])
        };
        assert_ne!(field("Anna"), field("Mallory"));
    }
}
