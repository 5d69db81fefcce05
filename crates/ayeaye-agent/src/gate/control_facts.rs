//! The facts about one control of a screen.
use super::phrases;
use super::text::{cut, normalized};
use crate::elements::is_field_class;
use crate::{Element, Elements};

/// Most letters of a text, of which the first 300 and the last 300 are kept, and most texts in a control.
pub(super) const LONGEST: usize = 605;
pub(super) const PIECES: usize = 40;
/// Most letters of a text that a control is called by, and of all of them before the others are no longer than
/// [`LONGEST`]: in the middle of a long one may stand what it does.
const LONGEST_NAME: usize = 4000;
const LONGEST_NAMES: usize = 8000;

/// One control.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ControlFacts {
    /// Its texts: its own, those of elements in it, and its description for screen readers.
    pub names: Vec<String>,
    /// Texts beside a control that has none of its own; for such a field, also those above it.
    pub beside: Vec<String>,
    /// The hint of an empty field.
    pub hint: String,
    /// Such as `com.example:id/send_button`.
    pub resource_id: String,
    /// Package of the app that shows it; empty when the phone does not say.
    pub package: String,
    /// Such as `android.widget.Button`.
    pub kind: String,
    /// The content of a field: the typed text, or on older phones the hint of an empty one. It is also the first of its
    /// names.
    pub content: String,
    /// It hides what is typed into it.
    pub password: bool,
    /// It reacts to a touch.
    pub reacts: bool,
    /// It can be switched.
    pub switch: bool,
}

/// The facts about an element, with the elements `inside` it or without.
pub(super) fn control(elements: &Elements, element: &Element, inside: bool) -> ControlFacts {
    let short = |text: &str| cut(text, LONGEST);
    let mut left = LONGEST_NAMES;
    let mut named = |text: &str| {
        let name = cut(text, left.clamp(LONGEST, LONGEST_NAME));
        left = left.saturating_sub(name.chars().count());
        name
    };
    let content = named(element.name());
    let mut names = vec![content.clone(), named(&element.description)];
    names.retain(|it| !it.is_empty());
    names.dedup();
    if inside {
        // A name in pieces may hold one twice.
        let inside = elements.names_inside(element).into_iter().map(&mut named).take(PIECES);
        names.extend(inside.filter(|it| !it.is_empty()));
    }
    if names.is_empty() && element.reacts() {
        names.extend(elements.names_over(element).into_iter().map(&mut named));
    }
    let nameless = element.reacts() && names.iter().all(|it| phrases::is_no_name(&normalized(it)));
    let mut facts = ControlFacts {
        names,
        beside: Vec::new(),
        hint: short(&element.hint),
        resource_id: short(&element.resource_id),
        package: short(&element.package),
        kind: short(&element.class),
        content,
        password: element.password,
        reacts: element.reacts(),
        switch: if inside { elements.has_switch(element) } else { element.checked.is_some() },
    };
    // Only where they are needed: what stands around a control may change while the control is the same.
    let beside = match facts.is_field() {
        true if facts.is_unlabelled() => labels(elements, element),
        false if nameless => elements.names_beside(element),
        _ => Vec::new(),
    };
    facts.beside = beside.into_iter().map(short).collect();
    facts
}

impl ControlFacts {
    /// Whether it has no label of its own. (The text typed into a field counts as one of its names.)
    pub(super) fn is_unlabelled(&self) -> bool {
        let is_own = |it: &String| *it != self.content || it.contains(char::is_alphabetic);
        self.hint.is_empty() && !self.names.iter().any(is_own)
    }

    /// Its resource id without the app's name: `send_button`.
    pub(super) fn id_name(&self) -> &str {
        id_name(&self.resource_id)
    }

    /// What a person would call it.
    pub fn name(&self) -> &str {
        let id = self.id_name();
        let names = self.names.iter().map(String::as_str).chain([self.hint.as_str(), id]);
        names.into_iter().find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// Whether text is typed into it.
    pub(super) fn is_field(&self) -> bool {
        self.password || is_field_class(&self.kind)
    }
}

/// A resource id without the app's name: `send_button` of `com.example:id/send_button`.
pub(super) fn id_name(resource_id: &str) -> &str {
    resource_id.rsplit('/').next().unwrap_or_default()
}

/// The texts beside and above a field, down from the field before it: what it asks for where it has no words of its
/// own.
fn labels<'a>(elements: &'a Elements, field: &Element) -> Vec<&'a str> {
    let [_, top, _, bottom] = field.bounds;
    let before = elements.iter().filter(|it| is_field_class(&it.class)).map(|it| it.bounds[3]);
    let from = before.filter(|it| *it <= top).max().unwrap_or(i32::MIN);
    let above = |it: &&Element| from <= it.bounds[1] && it.middle() < bottom;
    let texts = elements.iter().filter(|it| !it.name().is_empty() && !it.reacts());
    let mut texts: Vec<&Element> = texts.filter(above).collect();
    texts.sort_by_key(|it| std::cmp::Reverse(it.bounds[3]));
    texts.into_iter().map(Element::name).take(4).collect()
}

/// The controls that react to touches, and that a key may press. The rows of a list are content, which only tabs reach.
pub(super) fn reacting(elements: &Elements, tabs: bool) -> Vec<ControlFacts> {
    let mut lists = if tabs { Vec::new() } else { elements.lists(0) };
    // A form may be a list too.
    lists.retain(|list| !elements.iter().any(|it| it.is_field() && list.contains(&it.index)));
    let in_list = |it: &Element| lists.iter().any(|list| list.contains(&it.index));
    let reacting = elements.iter().filter(|it| it.reacts() && (it.is_button() || !in_list(it)));
    reacting.map(|it| control(elements, it, true)).take(200).collect()
}
