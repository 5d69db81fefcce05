//! The verbs of a family: one table, by which its calls are parsed and earlier decisions are written.
//!
//! A row has the names of a verb, its meaning and its arguments, each with the names that models give it.
//! The first name is the one that is written. [`read`] and [`write`] are the same for every family.
use ayeaye_agent::Key;

use crate::profile::parse::values::fold_name;

mod failure;
mod read;
mod slots;
mod write;

/// The verbs of a family.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VerbTable {
    /// The rows. A call is read by the first row of its name; an action is written by the first row
    /// that can say all of it, else by the first that can say what it is.
    pub rows: &'static [&'static [Verb]],
    /// Whether points are written as objects of `x` and `y`, for models trained on another order of
    /// numbers in a list.
    pub named_points: bool,
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Verb {
    /// The names of the verb; case, blanks, dashes and underscores do not matter. The first is written.
    pub names: &'static [&'static str],
    /// What it means.
    pub meaning: Meaning,
    /// Its arguments, in the order they are written. One without a name is taken for the first.
    pub args: &'static [Arg],
}

/// An argument, and the names it may have. The first is written.
#[derive(Debug)]
pub(crate) struct Arg(pub Slot, pub &'static [&'static str]);

/// What a verb means.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning {
    Click,
    DoubleClick,
    LongPress,
    Type(Typing),
    Slide,
    Drag,
    /// A direction of the content to be seen, or a path of the finger.
    Scroll,
    /// A direction of the finger, or its path.
    Swipe,
    /// A direction as `execute_adb_action` of `AndroidWorld` (`android_world/env/actuation.py`) draws it: the finger's
    /// up and down, but to the left its finger goes from the left edge to the right one, which shows what lies left.
    BenchmarkSwipe,
    /// Where the finger goes down, and its direction from there.
    SwipeFrom,
    OpenApp,
    /// One of these keys, by the names the family has for them; any key by its usual name if the list
    /// is empty.
    PressKey(&'static [(Key, &'static str)]),
    /// This key.
    Press(Key),
    Wait,
    /// Look again at once.
    Look,
    Note,
    Ask,
    TakeOver,
    /// A question, or a request to take over.
    CallUser(CallUser),
    /// The task is done; a text is the report.
    Complete,
    /// The task is done, and the text that has to be there is the report.
    Answer,
    Abort,
    /// The end of the task; a status tells whether it succeeded.
    End {
        success: &'static [&'static str],
        failure: &'static [&'static str],
    },
    /// Impossible on a phone, and why.
    Unsupported(&'static str),
}

/// What typing does besides in a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typing {
    Plain,
    /// The field is emptied first, unless the call says not to.
    Clears,
    /// A line end behind the text presses enter.
    NewlineSubmits,
    /// So does one that is written as a backslash and an `n`.
    EscapedNewlineSubmits,
}

/// How to tell a question from a request to take over in a family that has one verb for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallUser {
    /// Without a text it is a request to take over.
    AsksByText,
    /// Without a question mark it is a request to take over.
    AsksByQuestionMark,
    /// It may also be the answer that the task asks for: a request to take over only where it asks for what
    /// a person does by hand.
    TellsToo,
    /// It is a question in any case; without a text, what to do next is asked.
    Asks,
}

/// What models call the fields in which an end says how it went, whether or not their format has them.
const STATUS: &[&str] = &["status"];
const SUCCESS: &[&str] = &["success"];

/// What models call a time that their own format has under another name: in milliseconds.
const MILLISECONDS: &[&str] = &["duration_ms", "ms", "milliseconds", "time_ms"];
/// What models call a time that is mostly in seconds.
const OTHER_TIMES: &[&str] = &["seconds", "duration", "time"];

/// What an argument is to its action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Slot {
    /// The place.
    At,
    /// The place; if the action has none, the center of the screen is written.
    AtOrCenter,
    AtX,
    AtY,
    From,
    FromX,
    FromY,
    To,
    ToX,
    ToY,
    /// The text, app, key, question, report or reason.
    Text,
    /// The text; without it, the model's reason is taken.
    TextOrReason,
    /// The text; it is required, though a report may be empty.
    RequiredText,
    /// The reason of a failure.
    Reason,
    Clear,
    Submit,
    /// Whether the keyboard is up, so that the field in focus is meant and the point is none; and whether
    /// it is where a call does not say.
    KeyboardUp(bool),
    Direction,
    /// Seconds.
    Seconds,
    /// Seconds, written only if they are not the default.
    UnusualSeconds,
    /// Seconds, and the default.
    SecondsOr(&'static str),
    Milliseconds,
    /// The options of a question.
    Options,
    /// Whether the task succeeded, as a word.
    Status,
    /// Whether the task succeeded, as true or false.
    Success,
    /// A question that has to be confirmed before the gesture is performed.
    Confirm,
    /// A key instead of a place.
    Key,
    /// Always written with this value, and ignored in replies.
    Fixed(&'static str),
    /// Rejected if given, and why.
    Refused(&'static str),
}

impl Slot {
    fn is_place(self) -> bool {
        matches!(self, Self::At | Self::AtOrCenter | Self::AtX | Self::AtY)
    }

    fn is_from(self) -> bool {
        matches!(self, Self::From | Self::FromX)
    }

    fn is_to(self) -> bool {
        matches!(self, Self::To | Self::ToX)
    }

    fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::TextOrReason | Self::RequiredText)
    }

    fn is_time(self) -> bool {
        matches!(
            self,
            Self::Seconds | Self::UnusualSeconds | Self::SecondsOr(_) | Self::Milliseconds
        )
    }
}

impl Verb {
    pub(crate) const fn new(
        names: &'static [&'static str],
        meaning: Meaning,
        args: &'static [Arg],
    ) -> Self {
        Self { names, meaning, args }
    }

    /// The names of the argument with this slot.
    fn arg(&self, slot: impl Fn(Slot) -> bool) -> Option<&'static Arg> {
        self.args.iter().find(|arg| slot(arg.0))
    }

    fn has(&self, slot: Slot) -> bool {
        self.args.iter().any(|arg| arg.0 == slot)
    }
}

impl VerbTable {
    pub(crate) const fn new(rows: &'static [&'static [Verb]]) -> Self {
        Self { rows, named_points: false }
    }

    fn all(&self) -> impl Iterator<Item = &'static Verb> {
        self.rows.iter().flat_map(|rows| rows.iter())
    }

    /// Whether there is a verb of this name.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.verb(name).is_some()
    }

    /// Whether the verb of this name can end a task as done.
    pub(crate) fn completes(&self, name: &str) -> bool {
        let ends = |verb: &Verb| {
            matches!(verb.meaning, Meaning::Complete | Meaning::Answer | Meaning::End { .. })
        };
        self.verb(name).is_some_and(ends)
    }

    /// Whether the verb of this name is done at one place.
    pub(crate) fn points(&self, name: &str) -> bool {
        let points = |verb: &Verb| {
            matches!(verb.meaning, Meaning::Click | Meaning::DoubleClick | Meaning::LongPress)
        };
        self.verb(name).is_some_and(points)
    }

    /// Whether the verb of this name does something on the screen, or waits for it: none that ends, asks or notes.
    pub(crate) fn is_gesture(&self, name: &str) -> bool {
        let acts = |verb: &Verb| {
            matches!(
                verb.meaning,
                Meaning::LongPress
                    | Meaning::Slide
                    | Meaning::Drag
                    | Meaning::OpenApp
                    | Meaning::Wait
            )
        };
        self.is_simple_gesture(name) || self.verb(name).is_some_and(acts)
    }

    /// Whether it taps, types, scrolls or presses a key.
    pub(crate) fn is_simple_gesture(&self, name: &str) -> bool {
        let is_simple = |verb: &Verb| {
            matches!(
                verb.meaning,
                Meaning::Click
                    | Meaning::DoubleClick
                    | Meaning::Type(_)
                    | Meaning::Scroll
                    | Meaning::PressKey(_)
                    | Meaning::Press(_)
            )
        };
        self.verb(name).is_some_and(is_simple)
    }

    /// The first verb of this name.
    fn verb(&self, name: &str) -> Option<&'static Verb> {
        let name = fold_name(name);
        self.all().find(|verb| verb.names.iter().any(|known| fold_name(known) == name))
    }

    /// The words that say that a task is done, as [`fold_name`] compares them.
    #[cfg(test)]
    pub(crate) fn completing_words(&self) -> Vec<String> {
        let words = self.all().flat_map(|verb| match verb.meaning {
            Meaning::Complete | Meaning::Answer => verb.names,
            Meaning::End { success, .. } => success,
            _ => &[],
        });
        // Of verbs that are parts of a tool, the tool is named apart.
        words.map(|word| fold_name(word.rsplit('.').next().unwrap_or(word))).collect()
    }

    /// Whether two names are those of one verb.
    pub(crate) fn same_verb(&self, one: &str, other: &str) -> bool {
        match (self.verb(one), self.verb(other)) {
            (Some(one), Some(other)) => std::ptr::eq(one, other),
            _ => false,
        }
    }

    /// The names of all arguments.
    pub(crate) fn arg_names(&self) -> Vec<&'static str> {
        let args = self.all().flat_map(|verb| verb.args);
        let named = args.flat_map(|arg| arg.1.iter().copied());
        let usual = [STATUS, SUCCESS, MILLISECONDS, OTHER_TIMES];
        named.chain(usual.into_iter().flatten().copied()).collect()
    }

    /// The names of the verbs that the family is offered, for refusals.
    fn offered(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for verb in self.all().filter(|verb| !matches!(verb.meaning, Meaning::Unsupported(_))) {
            if !names.contains(&verb.names[0]) {
                names.push(verb.names[0]);
            }
        }
        names.join(", ")
    }
}
