//! Which texts of a screen tell a person what a control on it is about.
use super::header::SYSTEM;
use crate::Element;
use crate::elements::Elements;

/// Most texts of a question that are first on a screen, and most that are nearest to what is touched.
const FIRST: usize = 3;
const NEAREST: usize = 3;
/// Most letters of each.
const LONGEST: usize = 300;

/// The texts that tell a person what is touched is about, from the top down: what a dialog says; those of its row; else
/// the first ones of the screen, which mostly name its thing, and the nearest. What other buttons are called is left out.
pub(super) fn telling(elements: &Elements, touched: &Element, hidden_input: bool) -> Vec<String> {
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
    let counts = |it: &&Element| {
        let shown = !it.reacts() && !is_of_button(it)
            || it.is_field() && !(it.focused && hidden_input)
            || it.checked == Some(true);
        shown
            && !it.name().is_empty()
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
    let chosen = all.iter().enumerate().filter(|(at, _)| *at < FIRST || nearest.contains(at));
    let mut texts: Vec<String> = chosen.map(|(_, it)| short(it.name())).collect();
    texts.dedup();
    texts
}
