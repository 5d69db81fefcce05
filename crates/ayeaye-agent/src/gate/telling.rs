//! Which texts of a screen tell a person what a control on it is about.
use super::header::{self, SYSTEM};
use super::price::{is_price, is_total};
use crate::elements::Elements;
use crate::{Element, ScreenSize};

/// Most texts of a question that are first on a screen, and most that are nearest to what is touched.
const FIRST: usize = 3;
const NEAREST: usize = 3;
/// Most texts that stand beside an amount, and most of the first ones where there are such.
const BESIDE_AMOUNTS: usize = 3;
const FIRST_OF_ORDER: usize = 4;
/// Most letters of each.
const LONGEST: usize = 300;

/// The texts that tell a person what is touched is about: what a dialog says; those of its row; else what stands beside
/// an amount, which is ordered or paid, the first ones of the screen, which mostly name its thing, and the nearest. Its
/// title, what other buttons are called, and what only says that an amount is the total are left out.
pub(super) fn telling(
    elements: &Elements,
    touched: &Element,
    size: ScreenSize,
    hidden_input: bool,
) -> Vec<String> {
    let short = |text: &str| text.chars().take(LONGEST).collect::<String>();
    let is_message = |it: &&Element| {
        let id = it.resource_id.rsplit('/').next().unwrap_or_default();
        !it.name().is_empty() && !it.reacts() && (id == "message" || id.ends_with("_message"))
    };
    if let Some(message) = elements.iter().find(is_message) {
        return vec![short(message.name())];
    }
    let own = elements.inside(touched);
    let row = elements.row_of(touched);
    let largest = elements.largest_control();
    let is_of_button =
        |it: &Element| elements.control_around(it, largest).is_some_and(Element::is_button);
    let header = header::texts(elements, size);
    let title = header.iter().find(|it| 1 < it.text.chars().count()).map(|it| it.text.as_str());
    let says_nothing =
        |text: &str| title == Some(text) || is_total(text) && !text.contains(char::is_numeric);
    let counts = |it: &&Element| {
        let shown = !it.reacts() && !is_of_button(it)
            || it.is_field() && !(it.focused && hidden_input)
            || it.checked == Some(true);
        shown
            && !it.name().is_empty()
            && !says_nothing(it.name())
            && it.package != SYSTEM
            && !own.contains(&it.index)
            && row.as_ref().is_none_or(|row| row.contains(&it.index))
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
    nearest.truncate(NEAREST);
    let mut chosen: Vec<usize> =
        (0..all.len()).filter(|at| is_ordered(elements, all[*at])).collect();
    chosen.truncate(BESIDE_AMOUNTS);
    let places = 0..all.len();
    if chosen.is_empty() {
        chosen.extend(places.filter(|at| *at < FIRST || nearest.contains(at)));
    } else {
        let others = |at: &usize| !chosen.contains(at) && !is_price(all[*at].name());
        let others: Vec<usize> = places.filter(others).collect();
        chosen.extend(others.iter().take(FIRST_OF_ORDER));
        chosen.extend(others.iter().skip(FIRST_OF_ORDER).filter(|at| nearest.contains(at)));
    }
    let mut texts: Vec<String> = chosen.into_iter().map(|at| short(all[at].name())).collect();
    texts.dedup();
    texts
}

/// Whether a text stands before an amount on its line: what is ordered, with its price.
fn is_ordered(elements: &Elements, text: &Element) -> bool {
    let [_, _, right, _] = text.bounds;
    let is_behind = |it: &Element| {
        let [left, top, _, bottom] = it.bounds;
        right <= left && (top..bottom).contains(&text.middle()) && is_price(it.name())
    };
    !is_price(text.name()) && !text.reacts() && elements.iter().any(is_behind)
}
