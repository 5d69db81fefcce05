//! The input of the gate: the act, who wants it, where, and what is on the screen.
use std::time::Duration;

use super::class::ActClass;
pub(super) use super::control_facts::ControlFacts;
use super::control_facts::{LONGEST, control, id_name, reacting};
use super::header;
use super::intent::UserWords;
use super::phrases;
use super::price::is_repeated;
use super::subject::SubjectFacts;
use super::telling::TellingText;
use super::text::{cut, normalized};
use super::touch_words::TouchWords;
use super::touched::Touched;
use super::window::TouchPlace;
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

/// A slide that is longer, in parts of the height, leaves every control that does anything, also on a screen that lies
/// on its side.
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

/// A proposed act, and the facts around it.
#[derive(Debug, Clone)]
pub struct GateRequest<'a> {
    /// The user's own words.
    pub words: &'a UserWords,
    /// The act.
    pub gesture: &'a Gesture,
    /// Package of the app in front; empty if the phone does not say which.
    pub package: &'a str,
    /// Its activity; empty if the phone does not say which.
    pub activity: &'a str,
    /// The app's label; may be empty.
    pub label: &'a str,
    /// The facts about the screen.
    pub screen: &'a ScreenFacts,
    /// What was done before, as far as it matters.
    pub history: &'a GateHistory,
    /// The model itself asks for approval.
    pub marked: bool,
}

/// What was done before in this session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GateHistory {
    /// Apps for which the user has said yes to a class of acts in the whole app.
    pub approved_apps: Vec<(ActClass, String)>,
    /// Touches of the last 60 seconds.
    pub taps: u32,
    /// Characters typed in this session.
    pub typed: u64,
    /// The names of the last touches.
    pub touched: Vec<String>,
    /// The names of the last touches in the app in front, since it was opened or somebody went back in it; an empty
    /// name for a control without one.
    pub path: Vec<String>,
    /// The app that each secret in the text to be typed was given for; empty for none in particular.
    pub secrets: Vec<String>,
    /// Apps that the user's words name beside a secret in that text, if none of them is the one in front.
    pub secrets_of_others: Vec<String>,
    /// The user's sentences that contain secrets in that text.
    pub secret_sentences: Vec<String>,
    /// Secrets that the user gave; the user's words have placeholders in their place.
    pub said_secrets: Vec<String>,
    /// Named secrets in that text, by their names, that only the client named and not the user.
    pub unnamed_secrets: Vec<String>,
    /// The client decided on this act itself: its naming an address or an app counts as the user's.
    pub by_client: bool,
    /// The user's words name a secret that they keep.
    pub names_kept_secret: bool,
    /// The text to be typed is a secret of the person who types it, as they say.
    pub own_secret: bool,
}

/// The facts about a screen that matter for one act.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenFacts {
    /// The elements are known.
    pub readable: bool,
    /// The phone reported elements, but not all can be used, for example because there are too many. An app can cause
    /// that on purpose.
    pub unusable_list: bool,
    /// The controls that the act is aimed at, the innermost first.
    pub aimed: Vec<ControlFacts>,
    /// The field on the line of the touched control.
    pub line_field: Option<ControlFacts>,
    /// The control that has the focus.
    pub focused: Option<ControlFacts>,
    /// The controls that react to touches; only for a key or an enter, which may press one of them, and if the screen
    /// offers a subscription.
    pub controls: Vec<ControlFacts>,
    /// Texts at the top that belong to no control: the title.
    pub titles: Vec<String>,
    /// The topmost texts, such as the name of the person that a chat is with.
    pub header: Vec<String>,
    /// All texts, without what is typed into hiding fields.
    pub texts: Vec<String>,
    /// Which of them nobody sees, as they have no size or lie outside the screen: they are evidence, and no question
    /// quotes them.
    pub unseen: Vec<usize>,
    /// The recipients: addresses and names in the fields for them.
    pub recipients: Vec<String>,
    /// Texts that are on no control, such as a dialog's message.
    pub said: Vec<String>,
    /// Something on the screen leaves, closes or declines.
    pub can_decline: bool,
    /// All else on the screen that reacts to touches declines, so that the touched control agrees, whatever it is called.
    pub is_only_choice: bool,
    /// The hints of fields.
    pub hints: Vec<String>,
    /// The field with the focus hides typed text.
    pub hidden_input: bool,
    /// The lock screen is in front.
    pub locked: bool,
    /// There is a key for each digit.
    pub digit_pad: bool,
    /// The touched control is a field.
    pub on_field: bool,
    /// Where the act lands, if it is a touch.
    pub place: TouchPlace,
    /// How much the elements tell of what the act is aimed at.
    pub words_there: TouchWords,
    /// The touch is on a key of the soft keyboard.
    pub on_keyboard: bool,
    /// The finger slides without leaving the control on which it began, so that the control takes it for a press; or
    /// may do so, as the elements are not known.
    pub is_pressed: bool,
    /// The content of the field for a number to dial.
    pub dialed: String,
    /// A field holds a text that may be sent.
    pub written: bool,
    /// That text; of several, the one in focus or else the nearest to the touch. Never a hidden one.
    pub draft: String,
    /// The first text in a field of the thing that is about to be deleted. Never a hidden one.
    pub filled: String,
    /// The texts on the line of the touched control, outside the header: those of the row whose button it is.
    pub line: Vec<String>,
    /// The texts that tell a person what the touched control is about.
    pub telling: Vec<TellingText>,
    /// The facts about the thing that a control outside any row is for.
    pub subject: SubjectFacts,
}

/// How much of the height the top of a screen is.
const TOP: f64 = 0.2;
/// Most texts of a screen that are looked at.
const MOST_TEXTS: usize = 600;
/// Most letters of a text that is to be sent.
const LONGEST_DRAFT: usize = 4000;
/// The longest name of what declines, in bytes.
const LONGEST_WORD: usize = 80;
/// Most texts of a dialog.
const MOST_SAID: usize = 60;

impl ScreenFacts {
    /// The facts about a screen that matter for an act. Without elements only `hidden_input` is known.
    pub fn new(
        elements: Option<&Elements>,
        gesture: &Gesture,
        size: ScreenSize,
        hidden_input: bool,
    ) -> Self {
        let Some(elements) = elements.filter(|it| it.iter().next().is_some()) else {
            return Self { hidden_input, is_pressed: may_press(gesture), ..Self::default() };
        };
        let mut facts = Self { hidden_input, ..Self::of_elements(elements, size) };
        facts.is_pressed =
            may_press(gesture) && (!facts.readable || stays_on_control(elements, gesture, size));
        facts.draft = draft(elements, gesture, size, hidden_input);
        let filled = filled(elements, hidden_input).next();
        facts.filled =
            filled.map(|it| it.text.chars().take(LONGEST_DRAFT).collect()).unwrap_or_default();
        let slide = as_slide(gesture);
        let places = slide.as_ref().unwrap_or(gesture).points();
        if places.is_empty() {
            facts.words_there = TouchWords::of_focus(elements);
        }
        let touched = places
            .into_iter()
            .map(|it| Touched::at(elements, it.to_pixel(size), size, hidden_input));
        if let Some(touched) = touched.reduce(Touched::and_then) {
            facts.add(touched);
        }
        facts.is_only_choice = facts.can_decline && is_only_choice(elements, gesture, size);
        // What is paid again and again may be another control's.
        if presses_enter(gesture) || facts.said.iter().any(|it| is_repeated(it)) {
            facts.controls = reacting(elements, tabs_on(gesture));
        }
        facts
    }

    /// Those texts that a person sees.
    pub(super) fn seen(&self) -> impl Iterator<Item = &String> {
        let texts = self.texts.iter().enumerate();
        texts.filter(|(at, _)| self.unseen.binary_search(at).is_err()).map(|(_, text)| text)
    }

    /// What the elements tell, whatever is done.
    fn of_elements(elements: &Elements, size: ScreenSize) -> Self {
        // Of a tree that is cut off the rest may be what is touched.
        let unusable_list = elements.is_cut_off();
        let mut facts = Self { readable: !unusable_list, unusable_list, ..Self::default() };
        #[expect(clippy::cast_possible_truncation, reason = "a part of a screen's height")]
        let top = (f64::from(size.height) * TOP) as i32;
        let largest = elements.largest_control();
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
                let hint = cut(&element.hint, LONGEST);
                facts.hints.extend(Some(hint).filter(|it| !it.is_empty()));
            }
            facts.written |= holds_text(element);
            let shown = [element.name(), element.description.trim()];
            for text in shown.into_iter().filter(|it| !it.is_empty()) {
                if MOST_TEXTS <= facts.texts.len() {
                    break;
                }
                let text = cut(text, LONGEST);
                let [_, from, _, to] = element.bounds;
                let is_seen = element.is_seen_on(size);
                if is_seen
                    && from < top
                    && to <= top * 2
                    && !elements.is_in_control(element, largest)
                {
                    facts.titles.push(text.clone());
                }
                let address = text.contains('@') && !text.contains(' ') && from < top * 2;
                if address || is_for_recipients(element) {
                    facts.recipients.push(text.clone());
                }
                if !element.reacts() && facts.said.len() < MOST_SAID {
                    facts.said.push(text.clone());
                }
                if !is_seen {
                    facts.unseen.push(facts.texts.len());
                }
                facts.texts.push(text);
            }
        }
        facts.focused = focused.map(|it| control(elements, it, true));
        facts.digit_pad = elements.has_digit_pad();
        // An arrow or a cross is on most pages; a word is in dialogs.
        facts.can_decline = elements.iter().any(|it| {
            let text = it.text.trim();
            !text.is_empty() && text.len() <= LONGEST_WORD && phrases::declines(&normalized(text))
        });
        facts
    }

    fn add(&mut self, touched: Touched) {
        // What else is under a heap of controls is not told apart from what is not known.
        self.readable &= !touched.is_heap;
        self.aimed = touched.aimed;
        self.line_field = touched.line_field;
        self.on_field = touched.on_field;
        self.place = touched.place;
        self.words_there = touched.words_there;
        self.line = touched.line;
        self.telling = touched.telling;
        self.subject = touched.subject;
    }

    /// The facts while the soft keyboard is shown, which no dump lists: a touch below all controls that react is on one
    /// of its keys, and any key may be the one that sends.
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

/// Whether nothing reacts to touches but what is touched and what declines.
fn is_only_choice(elements: &Elements, gesture: &Gesture, size: ScreenSize) -> bool {
    let point = gesture.points().first().map(|it| it.to_pixel(size));
    let Some(touched) = point.and_then(|it| elements.at(it)) else { return false };
    let own = elements.inside(touched);
    let around: Vec<usize> = elements.ancestors(touched).map(|it| it.index).collect();
    let declines = |it: &Element| {
        let name = elements.label(it);
        name.len() <= LONGEST_WORD && phrases::declines(&normalized(&name))
    };
    let others = elements
        .iter()
        .filter(|it| it.reacts() && !own.contains(&it.index) && !around.contains(&it.index));
    // A field is filled in: what is done with that is for the button to say.
    others.into_iter().all(|it| !it.is_field() && declines(it))
}

/// Whether a slide ends on the control on which it begins, or so little beside it that Android still counts it as
/// there.
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

/// Whether a gesture presses the enter key, or in another way activates whatever has the focus by then.
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

/// Whether the field with this id holds a number to dial.
pub(super) fn is_dialed(resource_id: &str) -> bool {
    let id = id_name(resource_id);
    matches!(
        id,
        "digits" | "digits_edit_text" | "dialpad_edit_text" | "dial_number" | "dialer_input"
    )
}

/// Whether what stands in the field with this id is an address or a search, which nothing sends.
fn is_for_finding(resource_id: &str) -> bool {
    let id = id_name(resource_id).to_ascii_lowercase();
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
        let text = normalized(&it.text);
        // Phones that tell no hints show them as the text of an empty field.
        let empty = text.is_empty()
            || text == normalized(&it.hint)
            || it.hint.is_empty() && phrases::is_of_empty_field(&text);
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
    let id = id_name(&element.resource_id).to_ascii_lowercase();
    let mut parts = id.split('_');
    parts.any(|part| matches!(part, "to" | "recipient" | "recipients" | "cc" | "bcc" | "peoplekit"))
}
