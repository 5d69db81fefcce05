//! What a screen says of the thing that a control on it is for: in the window that the control is in, and by what is
//! selected. That something stands on the same screen tells nothing.
use super::text::cut;
use crate::elements::Elements;
use crate::{Element, ScreenSize};

/// Most texts of a window or a row, most rows, and most letters of a text.
const MOST_TEXTS: usize = 8;
const MOST_ROWS: usize = 100;
const LONGEST: usize = 300;
/// The largest part of a screen that a dialog, a bar or a sheet takes, and a row that is selected.
const LARGEST_WINDOW: f64 = 0.6;
const LARGEST_ROW: f64 = 0.25;

/// The thing that a control outside any row is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubjectFacts {
    /// The texts of the dialog, bar or sheet that contains the control, except those on other controls or behind it.
    pub window: Vec<String>,
    /// The rows that are selected, each with its texts.
    pub selected: Vec<Vec<String>>,
}

impl SubjectFacts {
    /// For the touched control.
    pub(super) fn new(elements: &Elements, touched: &Element, size: ScreenSize) -> Self {
        let part = |of: f64| {
            #[expect(clippy::cast_possible_truncation, reason = "a part of a screen's area")]
            let area = (f64::from(size.width) * f64::from(size.height) * of) as i64;
            area
        };
        let lists = elements.lists(0);
        let in_list = |it: &Element| lists.iter().any(|list| list.contains(&it.index));
        let (largest, own) = (elements.largest_control(), elements.inside(touched));
        let is_free = |it: &Element| {
            !own.contains(&it.index) && !in_list(it) && !elements.is_in_control(it, largest)
        };
        // What has more texts is no dialog but a page, whose rows need not be controls.
        let around = elements.ancestors(touched).skip(1);
        let windows = around
            .take_while(|it| it.area() <= part(LARGEST_WINDOW))
            .map(|it| texts_in(elements, it, is_free))
            .take_while(|it| it.len() <= MOST_TEXTS);
        Self {
            window: windows.last().unwrap_or_default(),
            selected: selected(elements, part(LARGEST_ROW), in_list),
        }
    }

    /// Whether the window contains a text, or has no texts at all.
    pub(super) fn may_say(&self, text: &str) -> bool {
        self.window.is_empty() || self.window.iter().any(|it| it == text)
    }
}

/// The rows that are selected, or ticked. Tabs and pages of an app are selected too: where there is a list, only what is
/// in it counts.
fn selected(
    elements: &Elements,
    largest: i64,
    in_list: impl Fn(&Element) -> bool,
) -> Vec<Vec<String>> {
    let is_chosen = |it: &&Element| {
        let class = it.class.rsplit('.').next().unwrap_or_default();
        let is_choice = ["Switch", "Chip", "Spinner"].iter().any(|part| class.contains(part));
        (it.selected || it.checked == Some(true)) && !is_choice && !it.is_button()
    };
    let mut chosen: Vec<&Element> = elements.iter().filter(is_chosen).collect();
    if chosen.iter().any(|it| in_list(it)) {
        chosen.retain(|it| in_list(it));
    }
    let mut rows = Vec::new();
    let mut end = 0;
    for it in chosen {
        // A row and the box in it are one.
        if it.index < end || MOST_ROWS <= rows.len() {
            continue;
        }
        let around = elements.ancestors(it).take_while(|it| it.area() <= largest);
        let row = around.map(|it| (it, texts_in(elements, it, |_| true)));
        if let Some((row, texts)) = row.into_iter().find(|(_, texts)| !texts.is_empty()) {
            end = elements.inside(row).end;
            rows.push(texts);
        }
    }
    rows
}

/// Texts in an element that count; one more than the most where there are more.
fn texts_in(
    elements: &Elements,
    around: &Element,
    counts: impl Fn(&Element) -> bool,
) -> Vec<String> {
    let inside = elements.inside(around);
    let texts = elements.iter().filter(|it| inside.contains(&it.index) && !it.name().is_empty());
    let texts = texts.filter(|it| counts(it)).take(MOST_TEXTS + 1);
    texts.map(|it| cut(it.name(), LONGEST)).collect()
}
