//! The facts about the places that a finger touches.
use super::control_facts::{ControlFacts, LONGEST, PIECES, control};
use super::header;
use super::subject::SubjectFacts;
use super::telling::{TellingText, telling};
use super::text::cut;
use super::touch_words::TouchWords;
use super::window::{TouchPlace, place_of};
use crate::elements::is_field_class;
use crate::{Element, Elements, Pixel, ScreenSize};

/// Beside a control, in parts of the width: a touch that hits nothing may be meant for it.
const BESIDE: i32 = 45;
/// Most controls over one place.
const MOST_AIMED: usize = 50;

/// The facts about the place that a finger touches.
#[derive(Debug)]
pub(super) struct Touched {
    pub(super) aimed: Vec<ControlFacts>,
    /// More controls are there than are looked at.
    pub(super) is_heap: bool,
    pub(super) line_field: Option<ControlFacts>,
    pub(super) on_field: bool,
    pub(super) place: TouchPlace,
    pub(super) line: Vec<String>,
    /// Of what is slid or dragged, of where that begins.
    pub(super) words_there: TouchWords,
    pub(super) telling: Vec<TellingText>,
    pub(super) subject: SubjectFacts,
}

impl Touched {
    /// For a touch at this place.
    pub(super) fn at(
        elements: &Elements,
        place: Pixel,
        size: ScreenSize,
        hidden_input: bool,
    ) -> Self {
        let on_line = |it: &&Element| {
            let [_, from, _, to] = it.bounds.map(i64::from);
            let is_line = to - from <= i64::from(size.height) / 8;
            is_line && is_field_class(&it.class) && (from..to).contains(&i64::from(place.y))
        };
        let distance = |it: &&Element| {
            let [left, _, right, _] = it.bounds.map(i64::from);
            let x = i64::from(place.x);
            (left - x).max(x - right).max(0)
        };
        let field = elements.iter().filter(on_line).min_by_key(distance);
        let innermost = elements.at(place);
        let header_end = header::bottom(elements, size);
        let of_row = innermost.filter(|it| it.reacts() && header_end < it.middle());
        let line = of_row.map(|it| elements.names_on_line(it)).unwrap_or_default();
        let beside = i32::try_from(size.width).unwrap_or(i32::MAX) / BESIDE;
        let mut touched = elements.touched(place, beside);
        let is_heap = MOST_AIMED < touched.len();
        touched.truncate(MOST_AIMED);
        let words_there = TouchWords::at(elements, place, &touched);
        let mut aimed = Vec::new();
        let largest = elements.largest_control();
        for (element, inside) in touched {
            // A page is not called as what stands on it: "Transfer sent" is no command where nothing is touched.
            let is_page = !element.reacts() && largest < element.area();
            let control = control(elements, element, inside && !is_page);
            if !aimed.contains(&control) {
                aimed.push(control);
            }
        }
        Self {
            aimed,
            is_heap,
            line_field: field.map(|it| control(elements, it, true)),
            on_field: elements.is_field_at(place),
            place: place_of(elements, place, size),
            words_there,
            line: line.into_iter().take(PIECES).map(|it| cut(it, LONGEST)).collect(),
            telling: innermost
                .map(|it| telling(elements, it, size, hidden_input))
                .unwrap_or_default(),
            subject: innermost.map(|it| SubjectFacts::new(elements, it, size)).unwrap_or_default(),
        }
    }

    /// What is touched where the finger goes on to another place: Android gives all of it to the window and the control
    /// on which it came down, but a control at its end may be where something is dropped.
    pub(super) fn and_then(mut self, end: Self) -> Self {
        let new = end.aimed.into_iter().filter(|it| !self.aimed.contains(it));
        let new: Vec<ControlFacts> = new.collect();
        self.aimed.extend(new);
        self.is_heap |= end.is_heap;
        self.place = self.place.max(end.place);
        self.line.extend(end.line);
        if self.telling.is_empty() {
            self.telling = end.telling;
        }
        self
    }
}
