//! Which texts of a screen tell a person what a control on it is about.
use super::control_facts::id_name;
use super::header::SYSTEM;
use super::payee::{identifies, is_label};
use super::text::cut;
use crate::elements::Elements;
use crate::{Element, ScreenSize};

/// Most texts of a question that are first on a screen, and most that are nearest to what is touched.
const FIRST: usize = 3;
const NEAREST: usize = 3;
/// Most texts of a question that is not about money.
const MOST: usize = 5;
/// Most letters of a text.
const LONGEST: usize = 300;
/// Most letters of a text in a question about money, and of all of them with what is between them.
const LONGEST_OF_MONEY: usize = 120;
pub(super) const MOST_LETTERS: usize = 400;
/// The separator between two texts.
pub(super) const BETWEEN: &str = " · ";

/// A text that may tell a person what an act is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TellingText {
    /// The text as it is on the screen.
    pub text: String,
    /// It is a dialog's message.
    pub is_message: bool,
    /// It advertises something.
    pub is_banner: bool,
    /// The number of texts that are nearer to the touched control.
    pub nearer: usize,
}

/// The texts that may tell a person what the touched control is about, from the top down: those of its row, or else of
/// the screen. The names of other buttons are left out.
pub(super) fn telling(
    elements: &Elements,
    touched: &Element,
    size: ScreenSize,
    hidden_input: bool,
) -> Vec<TellingText> {
    let own = elements.inside(touched);
    let row = elements.row_of(touched);
    let largest = elements.largest_control();
    let is_of_button =
        |it: &Element| elements.control_around(it, largest).is_some_and(Element::is_button);
    let counts = |it: &&Element| {
        let shown = !it.reacts() && !is_of_button(it)
            || it.is_field() && !(it.focused && hidden_input)
            || it.checked == Some(true);
        let said = !it.reacts() && is_message(it);
        shown
            && it.is_seen_on(size)
            && !it.name().is_empty()
            && it.package != SYSTEM
            && !own.contains(&it.index)
            && (said || row.as_ref().is_none_or(|row| row.contains(&it.index)))
    };
    let all: Vec<&Element> = elements.iter().filter(counts).collect();
    let gap = |from: i32, to: i32, other_from: i32, other_to: i32| {
        (i64::from(other_from) - i64::from(to)).max(i64::from(from) - i64::from(other_to)).max(0)
    };
    let distance = |it: &Element| {
        let ([left, top, right, bottom], [from, above, to, below]) = (touched.bounds, it.bounds);
        (gap(top, bottom, above, below), gap(left, right, from, to))
    };
    let mut nearest: Vec<usize> = (0..all.len()).collect();
    nearest.sort_by_key(|at| distance(all[*at]));
    let mut nearer = vec![0; all.len()];
    for (rank, at) in nearest.into_iter().enumerate() {
        nearer[at] = rank;
    }
    let told = all.iter().zip(nearer).map(|(it, nearer)| TellingText {
        text: cut(it.name(), LONGEST),
        is_message: !it.reacts() && is_message(it),
        is_banner: is_banner(it),
        nearer,
    });
    told.collect()
}

fn id_of(element: &Element) -> &str {
    id_name(&element.resource_id)
}

/// Whether this is what a dialog says, as dialogs of Android have it.
fn is_message(element: &Element) -> bool {
    let id = id_of(element);
    (id == "message" || id.ends_with("_message")) && !is_banner(element)
}

/// Whether an element is there to sell something, by its id.
fn is_banner(element: &Element) -> bool {
    const PARTS: [&str; 7] =
        ["promo", "banner", "advert", "teaser", "upsell", "offer", "recommend"];
    let id = id_of(element).to_ascii_lowercase();
    PARTS.iter().any(|it| id.contains(it))
}

/// Those texts that a question quotes, in the order of the screen: what a dialog says, or else the first ones, which
/// mostly name its thing, and the nearest. `tells` leaves out what the question says anyway.
pub(super) fn quoted(texts: &[TellingText], tells: impl Fn(&String) -> bool) -> Vec<&str> {
    let texts: Vec<&TellingText> = texts.iter().filter(|it| tells(&it.text)).collect();
    if let Some(message) = texts.iter().find(|it| it.is_message) {
        return vec![&message.text];
    }
    let mut nearest: Vec<usize> = texts.iter().map(|it| it.nearer).collect();
    nearest.sort_unstable();
    nearest.truncate(NEAREST);
    let chosen =
        texts.iter().enumerate().filter(|(at, it)| *at < FIRST || nearest.contains(&it.nearer));
    let mut chosen: Vec<&str> = chosen.map(|(_, it)| it.text.as_str()).collect();
    chosen.dedup();
    chosen.truncate(MOST);
    chosen
}

/// Those texts that a question about money quotes, in the order of the screen. What says who gets it, where it goes and
/// how often goes before all else, and what sells something comes last.
pub(super) fn quoted_of_money(
    texts: &[TellingText],
    tells: impl Fn(&String) -> bool,
) -> Vec<String> {
    /// So many texts behind a label for a payee are what it is the label of: a name, and an account or a street.
    const VALUES: usize = 2;
    let texts: Vec<&TellingText> = texts.iter().filter(|it| tells(&it.text)).collect();
    let labels: Vec<bool> = texts.iter().map(|it| !it.is_banner && is_label(&it.text)).collect();
    let weight = |at: usize, it: &TellingText| {
        let is_labelled = labels[at.saturating_sub(VALUES)..=at].contains(&true);
        if it.is_banner {
            3
        } else if is_labelled || identifies(&it.text) {
            0
        } else if it.is_message {
            1
        } else {
            2
        }
    };
    let mut order: Vec<(usize, usize)> =
        texts.iter().enumerate().map(|(at, it)| (weight(at, it), at)).collect();
    order.sort_by_key(|(weight, at)| {
        let is_first = *at < FIRST || texts[*at].nearer < NEAREST;
        (*weight, !is_first, texts[*at].nearer)
    });
    let cut = |text: &str| {
        let short: String = text.chars().take(LONGEST_OF_MONEY).collect();
        if short.len() < text.len() { short + "…" } else { short }
    };
    let mut left = MOST_LETTERS;
    let mut chosen = Vec::new();
    for (_, at) in order {
        let text = cut(&texts[at].text);
        let letters = text.chars().count() + BETWEEN.chars().count();
        if letters <= left {
            left -= letters;
            chosen.push((at, text));
        }
    }
    chosen.sort_by_key(|(at, _)| *at);
    let mut chosen: Vec<String> = chosen.into_iter().map(|(_, text)| text).collect();
    chosen.dedup();
    chosen
}
