//! From a call to an action.
use std::time::Duration;

use ayeaye_agent::{Action, Gesture, Key, ParseError, Point, Question};

use super::{Arg, CallUser, Meaning, Slot, Typing, Verb, VerbTable};
use crate::profile::CoordContext;
use crate::profile::parse::args::Args;
use crate::profile::parse::values::{self, fold_name, unquoted};
use crate::profile::parse::{Call, excerpt, reject};

/// Asked of the user where a model that wants a hand does not say with what.
const HELP: &str = "The agent needs your help on the phone and did not say with what. Look at the \
                    screen, do what has to be done there, and say when it is done.";

/// Texts that say no where a question to the user may stand.
const NO: [&str; 6] = ["", "false", "no", "none", "null", "0"];
/// Texts that say yes there, and no more.
const YES: [&str; 6] = ["true", "yes", "important", "sensitive", "重要操作", "敏感操作"];

impl VerbTable {
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

    /// What a call says to do. `reason` is what the model gave as its reason.
    pub(crate) fn read(
        &self,
        call: &Call,
        reason: &str,
        coords: &CoordContext,
    ) -> Result<Action, ParseError> {
        let Some(verb) = self.verb(&call.name) else {
            return reject(format!(
                "{} is not an action; use one of {}",
                excerpt(&call.name),
                self.offered()
            ));
        };
        let args = Args::of(call)?;
        Reader { table: self, verb, call, args: &args, reason: reason.trim(), coords }.action()
    }
}

struct Reader<'a> {
    table: &'a VerbTable,
    verb: &'static Verb,
    call: &'a Call,
    args: &'a Args<'a>,
    reason: &'a str,
    coords: &'a CoordContext,
}

impl Reader<'_> {
    fn action(&self) -> Result<Action, ParseError> {
        for arg in self.verb.args {
            if let Slot::Refused(why) = arg.0
                && self.args.says(arg.1)
            {
                return reject(why);
            }
        }
        let action = match self.verb.meaning {
            Meaning::Unsupported(why) => return reject(why),
            Meaning::Click => self.click()?,
            Meaning::DoubleClick => Gesture::DoubleClick { point: self.needed_at()? }.into(),
            Meaning::LongPress => {
                let point = self.needed_at()?;
                Gesture::LongPress { point, duration: self.press()? }.into()
            }
            Meaning::Type(typing) => self.typed(typing)?,
            Meaning::Slide => {
                let (from, to) = self.path()?;
                Gesture::Slide { from, to, duration: values::SLIDE }.into()
            }
            Meaning::Drag => {
                let (from, to) = self.path()?;
                Gesture::Drag { from, to }.into()
            }
            Meaning::Scroll | Meaning::Swipe => self.scroll()?,
            Meaning::OpenApp => Gesture::Awake { app: unquoted(&self.needed_text()?) }.into(),
            Meaning::PressKey(names) => {
                Gesture::HotKey { key: key(&self.needed_text()?, names)? }.into()
            }
            Meaning::Press(key) => Gesture::HotKey { key }.into(),
            Meaning::Wait => Action::Wait(self.wait()?),
            Meaning::Look => Action::Wait(Duration::ZERO),
            Meaning::Note => Action::Note { text: self.needed_text()? },
            Meaning::Ask => {
                let options = match self.verb.arg(|slot| slot == Slot::Options) {
                    Some(arg) => self.args.texts(arg.1)?,
                    None => Vec::new(),
                };
                Action::Info(Question { options, ..Question::info(self.needed_text()?) })
            }
            Meaning::TakeOver => Action::Info(Question::takeover(self.needed_text()?)),
            Meaning::CallUser(how) => self.call_user(how)?,
            Meaning::Complete => self.complete()?,
            Meaning::Answer => Action::Complete { message: self.needed_text()? },
            Meaning::Abort if self.verb.has(Slot::RequiredText) => {
                Action::Abort { reason: self.needed_text()? }
            }
            Meaning::Abort => Action::Abort { reason: self.text()?.unwrap_or_default() },
            Meaning::End { success, failure } => self.end(success, failure)?,
        };
        self.with_confirmation(action)
    }

    fn click(&self) -> Result<Action, ParseError> {
        match self.at()? {
            Some(point) => Ok(Gesture::Click { point }.into()),
            None => match self.text_of(Slot::Key)? {
                Some(name) => Ok(Gesture::HotKey { key: values::key(&name)? }.into()),
                None => self.missing(is_place),
            },
        }
    }

    fn typed(&self, typing: Typing) -> Result<Action, ParseError> {
        // Where typing clears, no text is one as well.
        let says = |text: &String| typing == Typing::Clears || !text.is_empty();
        let Some(text) = self.raw_text()?.filter(says) else {
            return self.missing(is_text);
        };
        let mut submit = self.flag(Slot::Submit)?;
        let mut text = text.as_str();
        let newlines: &[&str] = match typing {
            Typing::Plain | Typing::Clears => &[],
            Typing::NewlineSubmits => &["\n"],
            Typing::EscapedNewlineSubmits => &["\\n", "\n"],
        };
        if let Some(rest) = newlines.iter().find_map(|newline| text.strip_suffix(newline)) {
            if rest.is_empty() {
                return Ok(Gesture::HotKey { key: Key::Enter }.into());
            }
            text = rest;
            submit = true;
        }
        let clear = typing == Typing::Clears || self.flag(Slot::Clear)?;
        let point = if self.flag(Slot::KeyboardUp)? { None } else { self.at()? };
        Ok(Gesture::Type { text: text.to_owned(), point, clear, submit }.into())
    }

    /// By the finger's path where the row has room for one and it is said, else by a direction.
    fn scroll(&self) -> Result<Action, ParseError> {
        let by_path = self.verb.arg(is_to).is_some_and(|arg| self.args.has(arg.1));
        let direction = self.text_of(Slot::Direction)?;
        let is_swipe = matches!(self.verb.meaning, Meaning::Swipe);
        if by_path && is_swipe && direction.is_some() {
            return reject(format!(
                "{} has a direction and an end; say only one of them",
                self.name()
            ));
        }
        if by_path {
            let (from, to) = self.path()?;
            return Ok(Gesture::Slide { from, to, duration: values::SLIDE }.into());
        }
        let Some(direction) = direction else {
            return match (self.verb.arg(is_from), self.verb.arg(is_to)) {
                (Some(from), Some(to)) => reject(format!(
                    "{} needs `direction`, or `{}` and `{}`",
                    self.name(),
                    from.1[0],
                    to.1[0]
                )),
                _ => self.missing(|slot| slot == Slot::Direction),
            };
        };
        let direction = values::direction(&direction)?;
        // The finger goes against what it shows.
        let direction = if is_swipe { values::opposite(direction) } else { direction };
        Ok(Gesture::Scroll { direction, at: self.at()? }.into())
    }

    fn path(&self) -> Result<(Point, Point), ParseError> {
        if let (Some(from), Some(to)) = (
            self.point(|slot| slot == Slot::From, Slot::FromX, Slot::FromY)?,
            self.point(|slot| slot == Slot::To, Slot::ToX, Slot::ToY)?,
        ) {
            return Ok((from, to));
        }
        if self.args.says(&["direction"]) && !self.verb.has(Slot::Direction) {
            let scrolls = self.table.all().any(|verb| matches!(verb.meaning, Meaning::Scroll));
            return reject(format!(
                "the direction of {} could be the finger's or the page's; say where the finger goes down \
                 and where it is lifted{}",
                self.name(),
                if scrolls { "; to show what lies in a direction, use scroll" } else { "" }
            ));
        }
        let name = |slot: fn(Slot) -> bool| self.verb.arg(slot).map_or("", |arg| arg.1[0]);
        reject(format!("{} needs `{}` and `{}`", self.name(), name(is_from), name(is_to)))
    }

    fn call_user(&self, how: CallUser) -> Result<Action, ParseError> {
        let text = self.raw_text()?.filter(|text| !text.trim().is_empty());
        let question = match (text, how) {
            (Some(text), CallUser::AsksByText) => Question::info(text),
            (Some(text), CallUser::AsksByQuestionMark)
                if text.trim_end().ends_with(['?', '？']) =>
            {
                Question::info(text)
            }
            (Some(text), CallUser::AsksByQuestionMark) => Question::takeover(text),
            (None, CallUser::AsksByText) if self.reason.is_empty() => Question::takeover(HELP),
            (None, CallUser::AsksByText) => Question::takeover(self.reason),
            (None, CallUser::AsksByQuestionMark) => return self.missing(is_text),
        };
        Ok(Action::Info(question))
    }

    fn complete(&self) -> Result<Action, ParseError> {
        if let Some(status) = self.text_of(Slot::Status)? {
            return self.ended(
                &status,
                &["success", "complete", "completed", "succeeded", "done"],
                &FAILURE,
            );
        }
        let unsuccessful = match self.verb.arg(|slot| slot == Slot::Success) {
            Some(arg) => self.args.says(arg.1) && !self.args.flag(arg.1)?,
            None => false,
        };
        let text = match self.raw_text()? {
            None if self.verb.has(Slot::RequiredText) => return self.missing(is_text),
            text => text.unwrap_or_default(),
        };
        Ok(if unsuccessful {
            Action::Abort { reason: self.reason_to_fail()? }
        } else {
            Action::Complete { message: text }
        })
    }

    fn end(&self, success: &[&str], failure: &[&str]) -> Result<Action, ParseError> {
        match self.text_of(Slot::Status)?.filter(|status| !status.trim().is_empty()) {
            Some(status) => self.ended(&status, success, failure),
            None => self.missing(|slot| slot == Slot::Status),
        }
    }

    fn ended(
        &self,
        status: &str,
        success: &[&str],
        failure: &[&str],
    ) -> Result<Action, ParseError> {
        let is_one_of =
            |words: &[&str]| words.iter().any(|word| fold_name(word) == fold_name(status));
        if is_one_of(success) {
            Ok(Action::Complete { message: self.raw_text()?.unwrap_or_default() })
        } else if is_one_of(failure) {
            Ok(Action::Abort { reason: self.reason_to_fail()? })
        } else {
            reject(format!(
                "{} is not a status; use {} or {}",
                excerpt(status),
                success[0],
                failure[0]
            ))
        }
    }

    fn reason_to_fail(&self) -> Result<String, ParseError> {
        let reason = match self.text_of(Slot::Reason)? {
            None => self.text()?,
            reason => reason,
        };
        Ok(reason.unwrap_or_default())
    }

    /// The same, if it is one for the phone and the user is to be asked first.
    fn with_confirmation(&self, action: Action) -> Result<Action, ParseError> {
        let (Some(arg), Action::Gesture(gesture)) =
            (self.verb.arg(|slot| slot == Slot::Confirm), &action)
        else {
            return Ok(action);
        };
        let Some(said) = self.args.text_or_flag(arg.1)? else { return Ok(action) };
        let said = said.trim();
        let is_one_of = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(said));
        let text = if is_one_of(&NO) {
            return Ok(action);
        } else if !is_one_of(&YES) {
            said.to_owned()
        } else if self.reason.is_empty() {
            format!("May this be done? {}", gesture.name())
        } else {
            format!("May this be done? {}", self.reason)
        };
        Ok(Action::Confirm { gesture: gesture.clone(), question: Question::confirm(text) })
    }

    fn name(&self) -> String {
        excerpt(&self.call.name)
    }

    /// Refuses for want of the first argument with such a slot.
    fn missing<T>(&self, slot: impl Fn(Slot) -> bool) -> Result<T, ParseError> {
        let needed: Vec<String> = self
            .verb
            .args
            .iter()
            .filter(|arg| slot(arg.0))
            .map(|arg| format!("`{}`", arg.1[0]))
            .collect();
        reject(format!("{} needs {}", self.name(), needed.join(" and ")))
    }

    fn at(&self) -> Result<Option<Point>, ParseError> {
        self.point(|slot| matches!(slot, Slot::At | Slot::AtOrCenter), Slot::AtX, Slot::AtY)
    }

    fn needed_at(&self) -> Result<Point, ParseError> {
        match self.at()? {
            Some(point) => Ok(point),
            None => self.missing(is_place),
        }
    }

    /// A point by one argument or by two.
    fn point(
        &self,
        whole: impl Fn(Slot) -> bool,
        x: Slot,
        y: Slot,
    ) -> Result<Option<Point>, ParseError> {
        let arg = |wanted: Slot| self.verb.arg(|slot| slot == wanted);
        let whole = match self.verb.arg(whole) {
            Some(arg) => self.args.point(arg.1, self.is_first(arg), self.coords)?,
            None => None,
        };
        let pair = match (arg(x), arg(y)) {
            (Some(x), Some(y)) => self.args.pair(x.1, y.1, self.coords)?,
            _ => None,
        };
        match (whole, pair) {
            (Some(one), Some(other)) if one != other => {
                reject("it says two different places; name one")
            }
            (whole, pair) => Ok(whole.or(pair)),
        }
    }

    fn is_first(&self, arg: &Arg) -> bool {
        self.verb.args.first().is_some_and(|first| std::ptr::eq(first, arg))
    }

    /// The text as it is written.
    fn raw_text(&self) -> Result<Option<String>, ParseError> {
        match self.verb.arg(is_text) {
            Some(arg) => self.args.text(arg.1, self.is_first(arg)),
            None => Ok(None),
        }
    }

    /// The text, if it says anything, or what may be taken in its place.
    fn text(&self) -> Result<Option<String>, ParseError> {
        let text = self.raw_text()?;
        let instead = || {
            let may = self.verb.has(Slot::TextOrReason) && !self.reason.is_empty();
            may.then(|| self.reason.to_owned())
        };
        let says_nothing = |text: &String| {
            let text = text.trim();
            text.is_empty()
                || self.verb.has(Slot::TextOrReason) && YES.contains(&text.to_lowercase().as_str())
        };
        Ok(match text {
            Some(text) if says_nothing(&text) => instead().or(Some(text)),
            None => instead(),
            text => text,
        })
    }

    fn needed_text(&self) -> Result<String, ParseError> {
        match self.text()?.filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(text),
            None => self.missing(is_text),
        }
    }

    fn text_of(&self, slot: Slot) -> Result<Option<String>, ParseError> {
        match self.verb.arg(|it| it == slot) {
            Some(arg) => {
                let text = self.args.text(arg.1, self.is_first(arg))?;
                Ok(text.filter(|text| !text.trim().is_empty()))
            }
            None => Ok(None),
        }
    }

    fn flag(&self, slot: Slot) -> Result<bool, ParseError> {
        match self.verb.arg(|it| it == slot) {
            Some(arg) => self.args.flag(arg.1),
            None => Ok(false),
        }
    }

    /// The time that is said, as a text with its unit.
    fn time(&self) -> Result<Option<String>, ParseError> {
        let Some(arg) = self.verb.arg(is_time) else { return Ok(None) };
        let said =
            self.args.text(arg.1, self.is_first(arg))?.filter(|text| !text.trim().is_empty());
        Ok(match arg.0 {
            Slot::SecondsOr(usual) => Some(said.unwrap_or_else(|| usual.to_owned())),
            Slot::Milliseconds => match said {
                Some(said) if said.trim().bytes().all(|b| b.is_ascii_digit()) => {
                    Some(format!("{} ms", said.trim()))
                }
                Some(said) => {
                    return reject(format!("{} is no number of milliseconds", excerpt(&said)));
                }
                None => None,
            },
            _ => said,
        })
    }

    fn press(&self) -> Result<Duration, ParseError> {
        Ok(values::press(self.time()?.as_deref()))
    }

    fn wait(&self) -> Result<Duration, ParseError> {
        values::wait(self.time()?.as_deref())
    }
}

const FAILURE: [&str; 5] = ["fail", "failed", "failure", "infeasible", "impossible"];

pub(super) fn is_place(slot: Slot) -> bool {
    matches!(slot, Slot::At | Slot::AtOrCenter | Slot::AtX | Slot::AtY)
}

fn is_from(slot: Slot) -> bool {
    matches!(slot, Slot::From | Slot::FromX)
}

fn is_to(slot: Slot) -> bool {
    matches!(slot, Slot::To | Slot::ToX)
}

pub(super) fn is_text(slot: Slot) -> bool {
    matches!(slot, Slot::Text | Slot::TextOrReason | Slot::RequiredText)
}

pub(super) fn is_time(slot: Slot) -> bool {
    matches!(slot, Slot::Seconds | Slot::UnusualSeconds | Slot::SecondsOr(_) | Slot::Milliseconds)
}

/// A key by the names of its family, or by its usual one.
fn key(name: &str, names: &[(Key, &str)]) -> Result<Key, ParseError> {
    let folded = fold_name(&unquoted(name));
    let known = names.iter().find(|(_, known)| fold_name(known) == folded);
    known.map_or_else(|| values::key(name), |(key, _)| Ok(*key))
}
