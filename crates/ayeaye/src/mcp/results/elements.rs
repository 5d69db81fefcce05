//! The elements of a screen, short enough for a result.
use ayeaye_agent::{Element, Elements, NoElements, ScreenSize};
use schemars::JsonSchema;
use serde::Serialize;

use super::{MAX_RESULT, is_zero};
use crate::text::truncate;

/// Longest text of one element, in characters.
const MAX_TEXT: usize = 120;
/// Longest class or resource name, in characters.
const MAX_CLASS: usize = 60;
/// The length of the result without its elements.
const OVERHEAD: usize = 400;

/// The worth of what takes taps and has no name, and of a text that takes none.
const NAMELESS: u8 = 1;
const TEXT: u8 = 2;

/// There is nothing else to look at.
const PROTECTED_AND_SILENT: &str = "the app hides its screen from pictures, and its elements cannot be \
                                    read: leave this screen, or ask the user to go on by hand";

/// Why a screen has no elements to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unlisted {
    /// The phone lists none, for this reason.
    ByPhone(NoElements),
    /// What it said of them is not a tree of elements.
    Unreadable,
}

impl Unlisted {
    fn hint(&self, hide: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::ByPhone(NoElements::Restless) => {
                "the phone could not list its elements in time, perhaps because something on the screen keeps \
                 moving: use get_screenshot"
                    .to_owned()
            }
            Self::ByPhone(NoElements::Said(said)) if said.is_empty() => {
                "the phone said nothing when it was asked for its elements: use get_screenshot".to_owned()
            }
            Self::ByPhone(NoElements::Said(said)) => {
                let said = truncate(&hide(said), MAX_TEXT);
                format!("the phone listed no elements and said {said:?}: use get_screenshot")
            }
            Self::ByPhone(NoElements::Because(why) | NoElements::Unusable(why)) => {
                format!("{why}: use get_screenshot")
            }
            Self::Unreadable => {
                "the phone's list of elements cannot be read: use get_screenshot".to_owned()
            }
        }
    }
}

/// The elements of a screen.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UiTree {
    pub device_id: String,
    /// Those that show, name or do something, back to front.
    pub elements: Vec<ElementItem>,
    /// Hidden from pictures.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// One element.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ElementItem {
    /// For `tap`, as long as the element stays here unchanged.
    pub r#ref: String,
    /// Nothing for a field that hides what is typed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What an empty field asks for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// What a screen reader says for it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Such as `Button`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub class: String,
    /// Such as `new_note`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Left, top, right, bottom in thousandths of the screen; tap in the middle.
    pub bounds: [i64; 4],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub clickable: bool,
    /// Text that is typed goes into it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub focused: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub password: bool,
    /// Whether it is switched on, if it can be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
}

impl UiTree {
    /// The elements, or why there are none.
    ///
    /// `mark` is that of the look: the references of its elements begin with it. `hide` removes from a text what no
    /// model is told.
    pub fn new(
        device_id: String,
        elements: Result<&Elements, Unlisted>,
        protected: bool,
        size: ScreenSize,
        mark: &str,
        hide: &dyn Fn(&str) -> String,
    ) -> Self {
        let none = |hint: String| Self {
            device_id: device_id.clone(),
            elements: Vec::new(),
            protected,
            omitted: 0,
            hint: Some(if protected { PROTECTED_AND_SILENT.to_owned() } else { hint }),
        };
        let elements = match elements {
            Ok(elements) => elements,
            Err(why) => return none(why.hint(hide)),
        };
        let items: Vec<(u8, ElementItem)> =
            elements.iter().filter_map(|it| ElementItem::new(it, size, mark, hide)).collect();
        if items.is_empty() {
            return none(
                "this screen lists no elements, as is usual for games and videos: use get_screenshot"
                    .to_owned(),
            );
        }
        let all = items.len();
        let elements = short_enough(items);
        Self { device_id, protected, omitted: all - elements.len(), elements, hint: None }
    }
}

impl ElementItem {
    /// The element and its [worth](short_enough) (0 to 3); `None` for one that only contains others or is off the
    /// screen.
    fn new(
        element: &Element,
        size: ScreenSize,
        mark: &str,
        hide: &dyn Fn(&str) -> String,
    ) -> Option<(u8, Self)> {
        let text = if element.password { "" } else { element.text.trim() };
        // An empty field shows its hint, and names it as its text.
        let (hint, text) = match element.hint.trim() {
            hint if text.is_empty() || hint == text => (hint, ""),
            _ => ("", text),
        };
        let named = !text.is_empty() || !hint.is_empty() || !element.description.trim().is_empty();
        let acts =
            element.clickable || element.password || element.focused || element.checked.is_some();
        let id = element.resource_id.rsplit('/').next().unwrap_or_default();
        if !named && !acts && id.is_empty() {
            return None;
        }
        let (width, height) = (i64::from(size.width.max(1)), i64::from(size.height.max(1)));
        let [left, top, right, bottom] = element.bounds.map(i64::from);
        if right <= left
            || bottom <= top
            || right <= 0
            || bottom <= 0
            || width <= left
            || height <= top
        {
            return None;
        }
        let thousandths = |v: i64, length: i64| (v.clamp(0, length) * 1000 + length / 2) / length;
        // A text is what is read, and often names the box around it that takes the tap. Fields and switches are what
        // is acted on, named or not.
        let is_control = element.password || element.focused || element.checked.is_some();
        let worth = if acts { NAMELESS } else { 0 } + if named || is_control { TEXT } else { 0 };
        // Pages and apps name their parts as they like.
        let (id, class) = (hide(id), hide(element.class.rsplit('.').next().unwrap_or_default()));
        let item = Self {
            r#ref: format!("{mark}-{}", element.index),
            text: truncate(&hide(text), MAX_TEXT),
            hint: truncate(&hide(hint), MAX_TEXT),
            description: truncate(&hide(element.description.trim()), MAX_TEXT),
            class: truncate(&class, MAX_CLASS),
            id: truncate(&id, MAX_CLASS),
            bounds: [
                thousandths(left, width),
                thousandths(top, height),
                thousandths(right, width),
                thousandths(bottom, height),
            ],
            clickable: element.clickable,
            focused: element.focused,
            password: element.password,
            checked: element.checked,
        };
        Some((worth, item))
    }
}

/// Leaves out the elements of the lowest worth, from the middle: the first and last matter most. Boxes go first, then
/// what takes taps and has no name, then texts. A row that takes taps without a name is told by the texts in it; what
/// has none, but an id, as many buttons with an icon do, is worth as much as a text.
fn short_enough(mut items: Vec<(u8, ElementItem)>) -> Vec<ElementItem> {
    let length = |item: &ElementItem| serde_json::to_string(item).map_or(0, |text| text.len() + 1);
    let mut total: usize = items.iter().map(|(_, item)| length(item)).sum();
    if MAX_RESULT - OVERHEAD < total {
        for at in 0..items.len() {
            let (worth, item) = &items[at];
            let holds = |(worth, inner): &(u8, ElementItem)| {
                let is_inside = |(from, to): (usize, usize)| {
                    item.bounds[from] <= inner.bounds[from] && inner.bounds[to] <= item.bounds[to]
                };
                TEXT <= *worth && is_inside((0, 2)) && is_inside((1, 3))
            };
            if *worth == NAMELESS && !item.id.is_empty() && !items[at + 1..].iter().any(holds) {
                items[at].0 = TEXT;
            }
        }
    }
    for worth in 0..=3 {
        let cheap: Vec<usize> = (0..items.len()).filter(|at| items[*at].0 == worth).collect();
        let (mut first, mut end) = (cheap.len() / 2, cheap.len() / 2);
        while MAX_RESULT - OVERHEAD < total && end - first < cheap.len() {
            // To both sides alternately.
            let at = if end < cheap.len() && (first == 0 || (end - first).is_multiple_of(2)) {
                end += 1;
                cheap[end - 1]
            } else {
                first -= 1;
                cheap[first]
            };
            total -= length(&items[at].1);
        }
        let gone = &cheap[first..end];
        let mut at = 0;
        items.retain(|_| {
            at += 1;
            gone.binary_search(&(at - 1)).is_err()
        });
    }
    items.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: ScreenSize = ScreenSize { width: 1080, height: 2400 };

    fn node(text: &str, more: &str, bounds: [i32; 4]) -> String {
        let [left, top, right, bottom] = bounds;
        format!(
            r#"<node text="{text}" class="android.widget.TextView" {more} bounds="[{left},{top}][{right},{bottom}]"/>"#
        )
    }

    fn tree(nodes: &[String]) -> UiTree {
        let dump = format!("<hierarchy>{}</hierarchy>", nodes.concat());
        let elements = Elements::read(&dump).unwrap();
        UiTree::new("phone".to_owned(), Ok(&elements), false, SIZE, "m", &str::to_owned)
    }

    #[test]
    fn names_of_parts_hide_what_no_model_is_told() {
        let dump = r#"<hierarchy><node text="x" class="a.Mango" resource-id="com.evil:id/Mango" bounds="[0,0][9,9]"/></hierarchy>"#;
        let elements = Elements::read(dump).unwrap();
        let hide = |text: &str| text.replace("Mango", "{{secret:fruit}}");
        let tree = UiTree::new("phone".to_owned(), Ok(&elements), false, SIZE, "m", &hide);
        assert!(!serde_json::to_string(&tree).unwrap().contains("Mango"), "{tree:?}");
    }

    #[test]
    fn an_element_is_given_in_thousandths_and_without_its_secret() {
        let tree = tree(&[
            node("", r#"clickable="false""#, [0, 0, 1080, 2400]),
            node(
                "Send",
                r#"resource-id="com.example:id/send" clickable="true""#,
                [540, 1200, 1080, 2400],
            ),
            node("hunter2", r#"password="true" content-desc="Password""#, [0, 0, 108, 240]),
            node("Wi-Fi", r#"checkable="true" checked="true""#, [0, 0, 1080, 24]),
            node("far away", "", [2000, 0, 3000, 24]),
        ]);
        let json = serde_json::to_value(&tree).unwrap();
        assert_eq!(
            json,
            serde_json::json!({ "device_id": "phone", "elements": [
                { "ref": "m-1", "text": "Send", "class": "TextView", "id": "send", "bounds": [500, 500, 1000, 1000],
                  "clickable": true },
                { "ref": "m-2", "description": "Password", "class": "TextView", "bounds": [0, 0, 100, 100],
                  "password": true },
                { "ref": "m-3", "text": "Wi-Fi", "class": "TextView", "bounds": [0, 0, 1000, 10],
                  "checked": true },
            ] })
        );
    }

    #[test]
    fn the_field_in_focus_is_told_and_a_hint_is_no_text() {
        let field = |more: &str| node("Title", more, [0, 0, 108, 240]);
        let fields = tree(&[
            field(r#"hint="Title" focused="true" clickable="true""#),
            field(r#"hint="Title of the note""#),
            field(r#"password="true" hint="PIN""#),
        ]);
        let told = serde_json::to_value(&fields.elements).unwrap();
        assert_eq!((&told[0]["hint"], &told[0]["focused"]), (&"Title".into(), &true.into()));
        assert!(told[0].get("text").is_none(), "it is empty: {told}");
        assert_eq!(told[1]["text"], "Title");
        assert!(told[1].get("hint").is_none() && told[1].get("focused").is_none(), "{told}");
        assert_eq!(told[2]["hint"], "PIN");
    }

    #[test]
    fn what_is_left_out_of_a_long_list_is_worth_least_and_stands_in_the_middle() {
        let at = [0, 0, 10, 10];
        let mut nodes = Vec::new();
        for n in 0..200 {
            nodes.push(node(&format!("line {n}"), "", at));
            nodes.push(node("", &format!(r#"resource-id="a:id/box{n}""#), at));
        }
        nodes.push(node("OK", r#"clickable="true""#, at));
        let tree = tree(&nodes);
        let text = |it: &ElementItem| it.text.clone();
        assert!(serde_json::to_string(&tree).unwrap().len() <= MAX_RESULT);
        assert_eq!(tree.omitted + tree.elements.len(), 401);
        assert_eq!(text(&tree.elements[0]), "line 0");
        assert_eq!(tree.elements.last().map(text).as_deref(), Some("OK"));
        assert!(tree.elements.iter().any(|it| it.text == "line 199"));
        assert!(!tree.elements.iter().any(|it| it.text == "line 100"));
        assert!(tree.elements.iter().all(|it| it.id.is_empty()), "boxes go first");
        assert!(60 < tree.elements.len(), "no more goes than must: {}", tree.elements.len());
    }

    #[test]
    fn texts_are_told_before_the_rows_around_them() {
        let mut nodes = Vec::new();
        for n in 0..60 {
            let top = 36 * n;
            let row = [0, top, 1080, top + 36];
            let at = |left, right| [left, top + 2, right, top + 30];
            let id = |name: &str| format!(r#"resource-id="com.whatsapp:id/{name}""#);
            nodes.push(node(
                "",
                &format!(r#"{} clickable="true""#, id("contact_row_container")),
                row,
            ));
            nodes.push(node(&format!("Name {n}"), "", at(200, 600)));
            nodes.push(node(&format!("{n}:00"), "", at(800, 1000)));
        }
        nodes.push(node(
            "",
            r#"resource-id="com.whatsapp:id/fab" clickable="true""#,
            [900, 2300, 1080, 2400],
        ));
        let tree = tree(&nodes);
        let texts = tree.elements.iter().filter(|it| !it.text.is_empty()).count();
        let rows = tree.elements.iter().filter(|it| it.id == "contact_row_container").count();
        assert!(0 < tree.omitted && 60 < texts, "{} {texts}", tree.omitted);
        assert_eq!(rows, 0, "nothing but rows goes while there are any");
        assert!(tree.elements.iter().any(|it| it.id == "fab"), "nothing else tells what it is");
    }

    #[test]
    fn a_screen_without_elements_says_so() {
        let none = Elements::read("<hierarchy/>").unwrap();
        for (elements, says) in [
            (Err(Unlisted::ByPhone(NoElements::Restless)), "in time"),
            (Err(Unlisted::ByPhone(NoElements::Said("Killed".to_owned()))), "said \"Killed\""),
            (Err(Unlisted::ByPhone(NoElements::Said(String::new()))), "said nothing"),
            (
                Err(Unlisted::ByPhone(NoElements::Unusable("it broke off".to_owned()))),
                "it broke off: use",
            ),
            (Err(Unlisted::Unreadable), "cannot be read"),
            (Ok(&none), "no elements"),
        ] {
            let of = |protected| {
                let elements = elements.clone();
                UiTree::new("phone".to_owned(), elements, protected, SIZE, "m", &str::to_owned)
            };
            assert!(of(false).hint.unwrap().contains(says), "{:?}", of(false).hint);
            let hidden = of(true).hint.unwrap();
            assert!(hidden.contains("by hand") && !hidden.contains("get_screenshot"), "{hidden}");
        }
    }

    proptest! {
        #[test]
        fn any_list_is_short_enough(
            names in prop::collection::vec("\\PC{0,200}", 0..120), edge in any::<i32>()
        ) {
            let nodes: Vec<String> = names
                .iter()
                .map(|name| {
                    let name = name.replace(['<', '>', '&', '"'], "_");
                    node(&name, r#"clickable="true""#, [0, edge.min(2000), edge, 2400])
                })
                .collect();
            let text = serde_json::to_string(&tree(&nodes)).unwrap();
            prop_assert!(text.chars().count() <= MAX_RESULT, "{}", text.len());
        }
    }
}
