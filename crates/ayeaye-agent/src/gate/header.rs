//! What stands at the top of a screen, where apps name the page, or who is written to.
use std::ops::Range;

use super::control_facts::LONGEST;
use super::phrases;
use super::text::{cut, normalized};
use crate::ScreenSize;
use crate::elements::Elements;

/// The bars of the system, with a clock.
pub(super) const SYSTEM: &str = "com.android.systemui";
/// How much of a screen's height the header is, from its highest text on.
const HEIGHT: f64 = 0.06;
/// Most texts of a header.
const MOST_TEXTS: usize = 100;

/// A text at the top of a screen.
#[derive(Debug, Clone)]
pub(crate) struct HeaderText {
    pub(crate) text: String,
    /// It is not written there: an icon is called so.
    pub(crate) is_icon: bool,
    /// From its top to its bottom, in pixels.
    pub(crate) rows: Range<i32>,
}

impl HeaderText {
    /// Whether one stands beside the other, and not above or below it.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        let middle = |it: &Self| it.rows.start.midpoint(it.rows.end);
        self.rows.contains(&middle(other)) || other.rows.contains(&middle(self))
    }
}

/// To which row the header reaches.
pub(super) fn bottom(elements: &Elements, size: ScreenSize) -> i32 {
    let named = elements.iter().filter(|it| !it.name().is_empty() && 0 <= it.bounds[1]);
    let highest = named.map(|it| it.bounds[1]).min().unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "a part of a screen's height")]
    let height = (f64::from(size.height) * HEIGHT) as i32;
    highest.saturating_add(height)
}

/// The texts of the header but for words such as "Back"; first those that are written there, which tell more of the
/// screen than what its icons are called.
pub(crate) fn texts(elements: &Elements, size: ScreenSize) -> Vec<HeaderText> {
    let bottom = bottom(elements, size);
    let mut texts = Vec::new();
    for element in elements.iter() {
        let [_, from, _, to] = element.bounds;
        if bottom < from.midpoint(to) || !element.is_seen_on(size) {
            continue;
        }
        let (name, description) = (element.name(), element.description.trim());
        for text in [name, description].into_iter().take(if name == description { 1 } else { 2 }) {
            let text = cut(text, LONGEST);
            if !text.is_empty()
                && texts.len() < MOST_TEXTS
                && !phrases::declines(&normalized(&text))
            {
                let is_icon = element.text.trim().is_empty();
                texts.push(HeaderText { text, is_icon, rows: from..to });
            }
        }
    }
    texts.sort_by_key(|it| it.is_icon);
    texts
}
