//! What the gate is told of an act: who wants it, where, and what is there.
use std::time::Duration;

use super::class::ActClass;
use super::header;
use super::intent::UserWords;
use super::phrases;
use super::price::is_repeated;
use super::subject::SubjectFacts;
use super::telling::{TellingText, telling};
use super::text::normalized;
use super::touch_words::TouchWords;
use super::window::{TouchPlace, place_of};
use crate::elements::is_field_class;
use crate::{Direction, Element, Elements, Gesture, Key, Point, ScreenSize};

/// Scrolling as what it is to the phone: a finger that slides across half the screen. What is slid aside or upwards may
/// send, pay or delete.
pub(crate) fn as_slide(gesture: &Gesture) -> Option<Gesture> {
    let Gesture::Scroll { direction, at } = gesture else { return None };
    let (x, y) = at.map_or((0.5, 0.5), Point::fractions);
    // An eighth is kept free at both ends, as where it is sent.
    let half = |around: f64| {
        let middle = around.clamp(0.375, 0.625);
        (middle - 0.25, middle + 0.25)
    };
    let ((left, right), (above, below)) = (half(x), half(y));
    // To show what is on the right, the finger goes left.
    let (from, to) = match direction {
        Direction::Right => ((right, y), (left, y)),
        Direction::Left => ((left, y), (right, y)),
        Direction::Down => ((x, below), (x, above)),
        Direction::Up => ((x, above), (x, below)),
    };
    Some(Gesture::Slide {
        from: Point::from_fractions(from.0, from.1).ok()?,
        to: Point::from_fractions(to.0, to.1).ok()?,
        duration: Duration::from_millis(500),
    })
}

/// A slide that is longer, in parts of the height, leaves every control that does anything, also on a screen that lies on
/// its side.
const LONGEST_PRESS: f64 = 0.25;

/// How far a slide goes up or down, in parts of the height; 0 for one to the side and for what is no slide.
pub(super) fn up_or_down(gesture: &Gesture) -> f64 {
    let Gesture::Slide { from, to, .. } = gesture else { return 0.0 };
    let ((x, y), (to_x, to_y)) = (from.fractions(), to.fractions());
    let (across, along) = ((x - to_x).abs(), (y - to_y).abs());
    if across * 2.0 < along { along } else { 0.0 }
}

/// Whether a slide is so short that a control may take it for a press, as Android's do while the finger stays on them.
pub(super) fn may_press(gesture: &Gesture) -> bool {
    matches!(gesture, Gesture::Slide { .. }) && up_or_down(gesture) < LONGEST_PRESS
}

/// An act that is proposed, and what is known around it.
#[derive(Debug, Clone)]
pub struct GateRequest<'a> {
    /// The user's own words.
    pub words: &'a UserWords,
    /// What is to be done.
    pub gesture: &'a Gesture,
    /// Package of the app in front; empty when the phone does not say.
    pub package: &'a str,
    /// Its activity; empty when the phone does not say.
    pub activity: &'a str,
    /// What people call the app; may be empty.
    pub label: &'a str,
    /// What the screen consists of.
    pub screen: &'a ScreenFacts,
    /// What was done before.
    pub history: &'a GateHistory,
    /// The model itself asks for approval.
    pub marked: bool,
}

/// What was done before in this session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateHistory {
    /// Apps about which the user has said yes, once for the whole app.
    pub approved_apps: Vec<(ActClass, String)>,
    /// Touches of the last 60 seconds.
    pub taps: u32,
    /// Characters typed in this session.
    pub typed: u64,
    /// What was touched last, by name.
    pub touched: Vec<String>,
    /// What was touched last in the app in front, since it was opened or somebody went back in it, by name; empty for
    /// what has none.
    pub path: Vec<String>,
    /// For which app each secret in the text that is to be typed was given; empty for none in particular.
    pub secrets: Vec<String>,
    /// Names of apps that the user's words name beside a secret in that text, where none of them is the one in front.
    pub secrets_of_others: Vec<String>,
    /// The sentences of the user's in which secrets in that text are.
    pub secret_sentences: Vec<String>,
    /// Secrets in that text that the user keeps by a name, each as it is named, and that only the client has named.
    pub unnamed_secrets: Vec<String>,
    /// The client has decided on this act itself: addresses and apps are named by it.
    pub by_client: bool,
    /// The text that is to be typed is a secret of the person's who types it, as they say.
    pub own_secret: bool,
}

/// What a screen consists of, as far as it matters for one act.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenFacts {
    /// The elements are known.
    pub readable: bool,
    /// What the act is aimed at, the innermost first.
    pub aimed: Vec<ControlFacts>,
    /// The field on the line of what is touched.
    pub line_field: Option<ControlFacts>,
    /// What has the focus.
    pub focused: Option<ControlFacts>,
    /// What reacts, where the act is a key or an enter that may do what one of them does, and where something is
    /// offered that is paid again and again.
    pub controls: Vec<ControlFacts>,
    /// Texts at the top that belong to no control: the title.
    pub titles: Vec<String>,
    /// The texts that stand highest, as the name of who is written to.
    pub header: Vec<String>,
    /// All texts, without what is typed into hiding fields.
    pub texts: Vec<String>,
    /// Where something is sent: addresses and names in fields for them.
    pub recipients: Vec<String>,
    /// Texts that stand on no control: what a dialog says.
    pub said: Vec<String>,
    /// Something on the screen leaves, closes or declines.
    pub can_decline: bool,
    /// What fields ask for.
    pub hints: Vec<String>,
    /// What is typed now is hidden.
    pub hidden_input: bool,
    /// The lock screen is in front.
    pub locked: bool,
    /// There is a key for each digit.
    pub digit_pad: bool,
    /// What is touched is a field.
    pub on_field: bool,
    /// Where the act lands, if it is a touch.
    pub place: TouchPlace,
    /// How much the elements tell of what the act is aimed at.
    pub words_there: TouchWords,
    /// The touch is for a key of the keyboard.
    pub on_keyboard: bool,
    /// The finger slides without leaving the control on which it began, which takes that for a press; or it may be so,
    /// since the elements are not known.
    pub is_pressed: bool,
    /// What stands in the field of a number that is dialed.
    pub dialed: String,
    /// A field holds a text that may be sent.
    pub written: bool,
    /// That text, of several the one in focus, or else the nearest to what is touched; never what is hidden.
    pub draft: String,
    /// The first text that stands in a field, of what a screen shows that is about to be deleted; never what is hidden.
    pub filled: String,
    /// The texts on the line of what is touched, where it is no part of the header: of a row whose button it is.
    pub line: Vec<String>,
    /// The texts that tell a person what is touched is about.
    pub telling: Vec<TellingText>,
    /// What is told of the thing that a control in no row of its own is for.
    pub subject: SubjectFacts,
}

/// One control.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ControlFacts {
    /// Its texts: its own, those in it, what is read out for it.
    pub names: Vec<String>,
    /// Texts beside a control that has none, or beside and above such a field.
    pub beside: Vec<String>,
    /// What an empty field asks for.
    pub hint: String,
    /// Such as `com.example:id/send_button`.
    pub resource_id: String,
    /// Package of the app that shows it; empty when the phone does not say.
    pub package: String,
    /// Such as `android.widget.Button`.
    pub kind: String,
    /// What stands in it, of a field: typed there, or what an empty one asks for on older phones. The first of
    /// its names too.
    pub content: String,
    /// It hides what is typed into it.
    pub password: bool,
    /// It reacts to a touch.
    pub reacts: bool,
    /// It can be switched.
    pub switch: bool,
}

/// How much of the height the top of a screen is.
const TOP: f64 = 0.2;
/// Beside a control, in parts of the width: a touch that hits nothing may be meant for it.
const BESIDE: i32 = 45;
/// Most texts of a screen that are looked at, and most letters of each.
const MOST_TEXTS: usize = 600;
const LONGEST: usize = 300;
/// Most letters of a text that is to be sent.
const LONGEST_DRAFT: usize = 4000;
/// The longest name of what declines, in bytes.
const LONGEST_WORD: usize = 80;
/// Most texts in a control.
const PIECES: usize = 40;
/// Most controls over one place.
const MOST_AIMED: usize = 50;
/// Most texts of a dialog.
const MOST_SAID: usize = 60;

impl ScreenFacts {
    /// What matters of a screen for an act. Without elements nothing is known but whether what is typed is
    /// hidden.
    pub fn new(
        elements: Option<&Elements>,
        gesture: &Gesture,
        size: ScreenSize,
        hidden_input: bool,
    ) -> Self {
        let Some(elements) = elements.filter(|it| it.iter().next().is_some()) else {
            return Self { hidden_input, is_pressed: may_press(gesture), ..Self::default() };
        };
        // Of a tree that is cut off the rest may be what is touched.
        let readable = !elements.is_cut_off();
        let is_pressed =
            may_press(gesture) && (!readable || stays_on_control(elements, gesture, size));
        let mut facts = Self { readable, hidden_input, is_pressed, ..Self::default() };
        #[expect(clippy::cast_possible_truncation, reason = "a part of a screen's height")]
        let top = (f64::from(size.height) * TOP) as i32;
        let largest = elements.largest_control();
        let header_end = header::bottom(elements, size);
        facts.header = header::texts(elements, size).into_iter().map(|it| it.text).collect();
        let mut focused = None;
        for element in elements.iter() {
            // Of what lies around it, phones may say the same; the innermost gets the keys.
            if element.focused {
                focused = Some(element);
            }
            if is_dialed(&element.resource_id) {
                facts.dialed = element.name().trim().chars().take(LONGEST).collect();
            }
            if is_field_class(&element.class) && facts.hints.len() < MOST_SAID {
                let hint = element.hint.trim().chars().take(LONGEST).collect::<String>();
                facts.hints.extend(Some(hint).filter(|it| !it.is_empty()));
            }
            facts.written |= holds_text(element);
            let shown = [element.name(), element.description.trim()];
            for text in shown.into_iter().filter(|it| !it.is_empty()) {
                if MOST_TEXTS <= facts.texts.len() {
                    break;
                }
                let text: String = text.chars().take(LONGEST).collect();
                let [_, from, _, to] = element.bounds;
                if from < top && to <= top * 2 && !elements.is_in_control(element, largest) {
                    facts.titles.push(text.clone());
                }
                let address = text.contains('@') && !text.contains(' ') && from < top * 2;
                if address || is_for_recipients(element) {
                    facts.recipients.push(text.clone());
                }
                if !element.reacts() && facts.said.len() < MOST_SAID {
                    facts.said.push(text.clone());
                }
                facts.texts.push(text);
            }
        }
        facts.focused = focused.map(|it| control(elements, it, true));
        facts.digit_pad = elements.has_digit_pad();
        facts.draft = draft(elements, gesture, size, hidden_input);
        let filled = filled(elements, hidden_input).next();
        facts.filled =
            filled.map(|it| it.text.chars().take(LONGEST_DRAFT).collect()).unwrap_or_default();
        if gesture.points().is_empty() {
            facts.words_there = TouchWords::of_focus(elements);
        }
        let slide = as_slide(gesture);
        for (at, point) in slide.as_ref().unwrap_or(gesture).points().into_iter().enumerate() {
            let place = point.to_pixel(size);
            let beside = i32::try_from(size.width).unwrap_or(i32::MAX) / BESIDE;
            let touched = elements.touched(place, beside);
            // What is slid or dragged is where that begins.
            if at == 0 {
                facts.words_there = TouchWords::at(elements, place, beside);
            }
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
            facts.line_field = field.map(|it| control(elements, it, true));
            if let Some(control) =
                elements.at(place).filter(|it| it.reacts() && header_end < it.middle())
            {
                let line = elements.names_on_line(control).into_iter().take(PIECES);
                facts.line.extend(line.map(|it| it.chars().take(LONGEST).collect::<String>()));
            }
            if let Some(touched) = elements.at(place) {
                facts.telling = telling(elements, touched, hidden_input);
                facts.subject = SubjectFacts::new(elements, touched, size);
            }
            facts.on_field = elements.is_field_at(place);
            facts.place = place_of(elements, place, size);
            // What else is under a heap of controls is not told apart from what is not known.
            facts.readable &= touched.len() <= MOST_AIMED;
            for (element, inside) in touched.into_iter().take(MOST_AIMED) {
                let control = control(elements, element, inside);
                if !facts.aimed.contains(&control) {
                    facts.aimed.push(control);
                }
            }
        }
        // An arrow or a cross is on most pages; a word is in dialogs.
        facts.can_decline = elements.iter().any(|it| {
            let text = it.text.trim();
            !text.is_empty() && text.len() <= LONGEST_WORD && phrases::declines(&normalized(text))
        });
        // What is paid again and again may be another control's.
        if presses_enter(gesture) || facts.said.iter().any(|it| is_repeated(it)) {
            facts.controls = reacting(elements, tabs_on(gesture));
        }
        facts
    }

    /// The same while the keyboard is shown, which no dump lists: what touches below all that reacts is for one of its
    /// keys, of which any may be the one that sends.
    pub(crate) fn above_keyboard(
        mut self,
        elements: &Elements,
        gesture: &Gesture,
        size: ScreenSize,
    ) -> Self {
        let presses = matches!(
            gesture,
            Gesture::Click { .. } | Gesture::DoubleClick { .. } | Gesture::LongPress { .. }
        );
        let points = gesture.points();
        let Some(point) = points.first().filter(|_| presses) else { return self };
        let (y, largest) = (i64::from(point.to_pixel(size).y), elements.largest_control());
        let lower =
            |it: &Element| it.reacts() && it.area() <= largest && y < i64::from(it.bounds[3]);
        if !elements.iter().any(lower) && !self.aimed.iter().any(ControlFacts::is_field) {
            self.on_keyboard = true;
            self.words_there = TouchWords::of_focus(elements);
            self.controls = reacting(elements, false);
        }
        self
    }
}

/// Whether a slide ends on the control on which it begins, or so little beside it that Android still counts it as there.
fn stays_on_control(elements: &Elements, gesture: &Gesture, size: ScreenSize) -> bool {
    let points = gesture.points();
    let (Some(from), Some(to)) = (points.first(), points.last()) else { return false };
    let (from, to) = (from.to_pixel(size), to.to_pixel(size));
    let Some(control) = elements.at(from).filter(|it| it.reacts()) else { return false };
    // `ViewConfiguration` allows 8 dp, of the 320 and more that a screen is wide.
    let beside = i64::from(size.width.min(size.height)) / 32;
    let [left, top, right, bottom] = control.bounds.map(i64::from);
    let (x, y) = (i64::from(to.x), i64::from(to.y));
    (left - beside..right + beside).contains(&x) && (top - beside..bottom + beside).contains(&y)
}

/// What reacts to touches, and may be pressed by a key: the rows of a list are content, to which only tabs lead.
fn reacting(elements: &Elements, tabs: bool) -> Vec<ControlFacts> {
    let mut lists = if tabs { Vec::new() } else { elements.lists(0) };
    // A form may be a list too.
    lists.retain(|list| !elements.iter().any(|it| it.is_field() && list.contains(&it.index)));
    let in_list = |it: &Element| lists.iter().any(|list| list.contains(&it.index));
    let reacting = elements.iter().filter(|it| it.reacts() && (it.is_button() || !in_list(it)));
    reacting.map(|it| control(elements, it, true)).take(200).collect()
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

/// Whether a gesture presses the enter key, or in another way whatever has the focus by then.
pub(crate) fn presses_enter(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::HotKey { key } => *key == Key::Enter,
        Gesture::Type { text, submit, .. } => *submit || text.contains('\n') || tabs_on(gesture),
        _ => false,
    }
}

/// Whether a text leads away from its field by a tab and then presses what has the focus, by a blank or an enter.
pub(super) fn tabs_on(gesture: &Gesture) -> bool {
    let Gesture::Type { text, submit, .. } = gesture else { return false };
    text.split_once('\t').is_some_and(|(_, after)| *submit || after.contains([' ', '\n']))
}

/// Whether what stands in the field with this id is dialed.
pub(super) fn is_dialed(resource_id: &str) -> bool {
    let id = resource_id.rsplit('/').next().unwrap_or_default();
    matches!(
        id,
        "digits" | "digits_edit_text" | "dialpad_edit_text" | "dial_number" | "dialer_input"
    )
}

/// Whether what stands in the field with this id is an address or a search, which nothing sends.
fn is_for_finding(resource_id: &str) -> bool {
    let id = resource_id.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    ["url", "search", "location_bar", "omnibox", "address_bar", "query"]
        .iter()
        .any(|it| id.contains(it))
}

/// Whether an element is a field with a text in it that may be sent.
fn holds_text(element: &Element) -> bool {
    is_field_class(&element.class)
        && !element.password
        && !element.text.is_empty()
        && !is_for_finding(&element.resource_id)
}

/// The fields in which a text stands that may be told.
fn filled(elements: &Elements, hidden_input: bool) -> impl Iterator<Item = &Element> {
    elements.iter().filter(move |it| {
        let empty = it.text.trim().is_empty() || it.text.trim() == it.hint.trim();
        // A field of an app's own may hide its text without saying so; the keyboard knows.
        let hidden = it.focused && hidden_input;
        holds_text(it) && !empty && !hidden
    })
}

/// The text that the screen is about to send, as far as it tells.
fn draft(elements: &Elements, gesture: &Gesture, size: ScreenSize, hidden_input: bool) -> String {
    let touched = gesture.points().first().map(|it| it.to_pixel(size).y);
    let middle = |it: &Element| i64::from(it.middle());
    let from_touch = |it: &Element| touched.map_or(0, |y| middle(it).abs_diff(i64::from(y)));
    let filled = filled(elements, hidden_input).filter(|it| !is_for_recipients(it));
    let nearest = filled.min_by_key(|it| (!it.focused, from_touch(it)));
    nearest.map_or_else(String::new, |it| it.text.chars().take(LONGEST_DRAFT).collect())
}

fn is_for_recipients(element: &Element) -> bool {
    let id = element.resource_id.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let mut parts = id.split('_');
    parts.any(|part| matches!(part, "to" | "recipient" | "recipients" | "cc" | "bcc" | "peoplekit"))
}

fn control(elements: &Elements, element: &Element, inside: bool) -> ControlFacts {
    let short = |text: &str| text.trim().chars().take(LONGEST).collect::<String>();
    let mut names = vec![short(element.name()), short(&element.description)];
    names.retain(|it| !it.is_empty());
    names.dedup();
    if inside {
        // A name in pieces may hold one twice.
        let inside = elements.names_inside(element).into_iter().map(short).take(PIECES);
        names.extend(inside.filter(|it| !it.is_empty()));
    }
    if names.is_empty() && element.reacts() {
        names.extend(elements.names_over(element).into_iter().map(short));
    }
    let nameless = element.reacts() && names.iter().all(|it| phrases::is_no_name(&normalized(it)));
    let mut facts = ControlFacts {
        names,
        beside: Vec::new(),
        hint: short(&element.hint),
        resource_id: short(&element.resource_id),
        package: short(&element.package),
        kind: short(&element.class),
        content: short(element.name()),
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
    /// Whether it has no words of its own: what is typed into a field is a name too.
    pub(super) fn is_unlabelled(&self) -> bool {
        let is_own = |it: &String| *it != self.content || it.contains(char::is_alphabetic);
        self.hint.is_empty() && !self.names.iter().any(is_own)
    }

    /// What a person would call it.
    pub fn name(&self) -> &str {
        let id = self.resource_id.rsplit('/').next().unwrap_or_default();
        let names = self.names.iter().map(String::as_str).chain([self.hint.as_str(), id]);
        names.into_iter().find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// Whether text is typed into it.
    pub(super) fn is_field(&self) -> bool {
        self.password || is_field_class(&self.kind)
    }
}
