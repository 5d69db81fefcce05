//! Which part of a screen belongs to one control of several alike, and what stands in a list.
use std::ops::Range;

use super::{Element, Elements};

impl Elements {
    /// The elements (by index) of the part of the screen that is one control's own, where there are others of its kind:
    /// of the row of a list. It is the largest element around the control without another of the kind in it. `None` where
    /// it is the only one, or where nothing is around it that sets it apart.
    pub(crate) fn row_of(&self, control: &Element) -> Option<Range<usize>> {
        let is_alike = |it: &Element| {
            let what = |it: &Element| (it.class.clone(), it.resource_id.clone());
            it.index != control.index
                && it.reacts()
                && what(it) == what(control)
                && it.name() == control.name()
        };
        let alike: Vec<usize> =
            self.0.iter().filter(|it| is_alike(it)).map(|it| it.index).collect();
        if alike.is_empty() {
            return None;
        }
        let around = self.ancestors(control).skip(1).map(|it| self.inside(it));
        let own = around.take_while(|it| !alike.iter().any(|index| it.contains(index)));
        let own = own.last()?;
        let inside = self.inside(control);
        let tells = |it: &&Element| {
            own.contains(&it.index) && !inside.contains(&it.index) && !it.name().is_empty()
        };
        self.0.iter().any(|it| tells(&it)).then_some(own)
    }

    /// An element and all in it, by index.
    pub(crate) fn inside(&self, element: &Element) -> Range<usize> {
        let from = self.0.partition_point(|it| it.index <= element.index);
        let next = self.0[from..].iter().find(|it| it.depth <= element.depth);
        element.index..next.map_or(usize::MAX, |it| it.index)
    }

    /// The control that an element belongs to: the element itself, or the control around it that is no larger than
    /// [`largest_control`](Self::largest_control).
    pub(crate) fn control_around(&self, element: &Element, largest: i64) -> Option<&Element> {
        let index = self.0.partition_point(|it| it.index < element.index);
        let element = self.0.get(index)?;
        self.ancestors(element).find(|it| it.reacts() && it.area() <= largest)
    }

    /// Whether there is a key for each digit, as on pads for codes and numbers. Letters may stand beside a digit: "2 ABC".
    pub(crate) fn has_digit_pad(&self) -> bool {
        let mut found = [false; 10];
        for key in self.0.iter().filter(|it| it.reacts() && !it.is_field()) {
            let inside = self.names_inside(key);
            for name in [key.text.trim(), key.description.trim()].into_iter().chain(inside) {
                let first = name.split(|c: char| c.is_whitespace() || c == ',').next();
                let digit = first.filter(|it| it.chars().count() == 1 && name.chars().count() < 12);
                let digit = digit.and_then(|it| it.chars().next()?.to_digit(10));
                if let Some(found) = digit.and_then(|it| found.get_mut(it as usize)) {
                    *found = true;
                }
            }
        }
        found == [true; 10]
    }

    /// Whether a field has the focus, so that typed text goes into it.
    pub(crate) fn has_focused_field(&self) -> bool {
        self.0.iter().any(|it| it.focused && it.is_field())
    }

    /// The lists on the screen that are at least so high, as Android's own views are, each with all in it.
    pub(crate) fn lists(&self, least: i64) -> Vec<Range<usize>> {
        const LISTS: [&str; 3] = ["RecyclerView", "ListView", "GridView"];
        let is_list = |it: &&Element| {
            least <= it.height() && LISTS.iter().any(|class| it.class.ends_with(class))
        };
        self.0.iter().filter(is_list).map(|it| self.inside(it)).collect()
    }
}

impl Element {
    /// Whether its class says that it is there to be pressed.
    pub(crate) fn is_button(&self) -> bool {
        let class = self.class.rsplit('.').next().unwrap_or_default();
        class.contains("Button") || class.contains("Tab")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_what_is_around_one_button_of_several() {
        let row = |name: &str, top: i32| {
            let (bottom, from, to) = (top + 100, top + 10, top + 90);
            format!(
                r#"<node class="x.Row" bounds="[0,{top}][900,{bottom}]"><node text="{name}" class="x.TextView" bounds="[0,{from}][400,{to}]"/>
                <node content-desc="Delete" class="x.ImageButton" clickable="true" bounds="[500,{from}][600,{to}]"/></node>"#
            )
        };
        let screen = |rows: &str| {
            let xml = format!(
                r#"<hierarchy><node class="x.RecyclerView" bounds="[0,0][900,1600]">{rows}</node></hierarchy>"#
            );
            Elements::read(&xml).unwrap()
        };
        let two = screen(&format!("{}{}", row("Milk", 0), row("Eggs", 100)));
        let second = two.iter().filter(|it| it.name() == "Delete").nth(1).unwrap();
        let own = two.row_of(second).expect("there is another one");
        let names: Vec<&str> =
            two.iter().filter(|it| own.contains(&it.index)).map(Element::name).collect();
        assert_eq!(names, ["", "Eggs", "Delete"]);
        assert_eq!(two.lists(1600).len(), 1);
        assert!(two.lists(1601).is_empty());
        let one = screen(&row("Milk", 0));
        let only = one.iter().find(|it| it.name() == "Delete").unwrap();
        assert_eq!(one.row_of(only), None);
    }
}
