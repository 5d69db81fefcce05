//! The values of a call's arguments, by what they are to its verb.
use std::time::Duration;

use ayeaye_agent::{ParseError, Point};
use serde_json::Value;

use super::{Arg, MILLISECONDS, Meaning, OTHER_TIMES, Slot, Verb, VerbTable};
use crate::profile::CoordContext;
use crate::profile::parse::args::{Args, names_place};
use crate::profile::parse::values::fold_name;
use crate::profile::parse::{ParsedCall, excerpt, point, reject, values};

/// Texts that mean no more than yes where a text is expected.
pub(super) const YES: [&str; 6] = ["true", "yes", "important", "sensitive", "重要操作", "敏感操作"];

/// A call of a verb, with the values of its arguments by their slots.
pub(super) struct Reader<'a> {
    pub(super) table: &'a VerbTable,
    pub(super) verb: &'static Verb,
    pub(super) call: &'a ParsedCall,
    pub(super) args: &'a Args<'a>,
    pub(super) reason: &'a str,
    pub(super) coords: &'a CoordContext,
}

impl Reader<'_> {
    /// The verb as the model wrote it, for messages.
    pub(super) fn name(&self) -> String {
        excerpt(&self.call.name)
    }

    /// Rejects the call because its arguments with such slots are missing.
    pub(super) fn missing<T>(&self, slot: impl Fn(Slot) -> bool) -> Result<T, ParseError> {
        reject(format!("{} needs {}", self.name(), self.names_of(slot)))
    }

    /// What the verb's arguments with such slots are called.
    fn names_of(&self, slot: impl Fn(Slot) -> bool) -> String {
        // One way to say a place is enough.
        let has_whole = self.verb.arg(|slot| slot == Slot::At).is_some();
        let is_half = |slot| has_whole && matches!(slot, Slot::AtX | Slot::AtY);
        let args = self.verb.args.iter().filter(|arg| slot(arg.0) && !is_half(arg.0));
        args.map(|arg| format!("`{}`", arg.1[0])).collect::<Vec<_>>().join(" and ")
    }

    /// The place, if the call names one.
    pub(super) fn at(&self) -> Result<Option<Point>, ParseError> {
        let whole = |slot| matches!(slot, Slot::At | Slot::AtOrCenter);
        let at = self.point(whole, Slot::AtX, Slot::AtY)?;
        if at.is_none() {
            self.refuse_unread_place()?;
        }
        Ok(at)
    }

    /// Refuses a call whose place stands under a name that its verb does not have: without it, the action would go
    /// to wherever the phone happens to be.
    fn refuse_unread_place(&self) -> Result<(), ParseError> {
        let known = |name: &str| {
            let names = self.verb.args.iter().flat_map(|arg| arg.1);
            names.into_iter().any(|known| fold_name(known) == fold_name(name))
        };
        let named =
            self.call.args.iter().filter(|(_, value)| is_place(value)).map(|(name, _)| name);
        let unread = named.chain(&self.call.left_out);
        let Some(name) = unread.into_iter().find(|name| names_place(name) && !known(name)) else {
            return Ok(());
        };
        let unread = excerpt(name);
        if self.verb.arg(Slot::is_place).is_none() {
            return reject(format!(
                "{} has no place, and {unread} is one; click there first",
                self.name()
            ));
        }
        let needed = self.names_of(Slot::is_place);
        reject(format!("{} needs {needed} for its place; {unread} is not read", self.name()))
    }

    /// Where the finger goes down, if the call names that without saying where it is lifted.
    pub(super) fn start(&self) -> Result<Option<Point>, ParseError> {
        self.point(|slot| slot == Slot::From, Slot::FromX, Slot::FromY)
    }

    pub(super) fn needed_at(&self) -> Result<Point, ParseError> {
        match self.at()? {
            Some(point) => Ok(point),
            None => self.missing(Slot::is_place),
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

    /// Where the finger goes down and where it is lifted.
    pub(super) fn path(&self) -> Result<(Point, Point), ParseError> {
        if let (Some(from), Some(to)) =
            (self.start()?, self.point(|slot| slot == Slot::To, Slot::ToX, Slot::ToY)?)
        {
            return Ok((from, to));
        }
        if self.args.is_given(&["direction"]) && !self.verb.has(Slot::Direction) {
            let scrolls = self.table.all().any(|verb| matches!(verb.meaning, Meaning::Scroll));
            return reject(format!(
                "the direction of {} could be the finger's or the page's; say where the finger goes down \
                 and where it is lifted{}",
                self.name(),
                if scrolls { "; to show what lies in a direction, use scroll" } else { "" }
            ));
        }
        let name = |slot: fn(Slot) -> bool| self.verb.arg(slot).map_or("", |arg| arg.1[0]);
        reject(format!(
            "{} needs `{}` and `{}`",
            self.name(),
            name(Slot::is_from),
            name(Slot::is_to)
        ))
    }

    /// Whether an argument is the verb's first: the one that a value without a name is for.
    fn is_first(&self, arg: &Arg) -> bool {
        self.verb.args.first().is_some_and(|first| std::ptr::eq(first, arg))
    }

    /// The text as it is written.
    pub(super) fn raw_text(&self) -> Result<Option<String>, ParseError> {
        match self.verb.arg(Slot::is_text) {
            Some(arg) => self.args.text(arg.1, self.is_first(arg)),
            None => Ok(None),
        }
    }

    /// The text; where it is blank or missing, the model's reason if the slot allows that.
    pub(super) fn text(&self) -> Result<Option<String>, ParseError> {
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

    /// The text, which may not be blank.
    pub(super) fn needed_text(&self) -> Result<String, ParseError> {
        match self.text()?.filter(|text| !text.trim().is_empty()) {
            Some(text) => Ok(text),
            None => self.missing(Slot::is_text),
        }
    }

    /// The text of another slot, if it is not blank.
    pub(super) fn text_of(&self, slot: Slot) -> Result<Option<String>, ParseError> {
        match self.verb.arg(|it| it == slot) {
            Some(arg) => {
                let text = self.args.text(arg.1, self.is_first(arg))?;
                Ok(text.filter(|text| !text.trim().is_empty()))
            }
            None => Ok(None),
        }
    }

    /// A yes or no; no where the call does not say.
    pub(super) fn flag(&self, slot: Slot) -> Result<bool, ParseError> {
        match self.verb.arg(|it| it == slot) {
            Some(arg) => self.args.flag(arg.1),
            None => Ok(false),
        }
    }

    /// Whether the call says, or means without saying it, that the keyboard is up.
    pub(super) fn keyboard_is_up(&self) -> Result<bool, ParseError> {
        match self.verb.arg(|slot| matches!(slot, Slot::KeyboardUp(_))) {
            Some(Arg(Slot::KeyboardUp(unsaid), names)) if !self.args.is_given(names) => Ok(*unsaid),
            Some(arg) => self.args.flag(arg.1),
            None => Ok(false),
        }
    }

    /// The time as a text with its unit.
    fn time(&self) -> Result<Option<String>, ParseError> {
        let Some(arg) = self.verb.arg(Slot::is_time) else { return Ok(None) };
        let said = |text: &String| !text.trim().is_empty();
        let value = self.args.text(arg.1, self.is_first(arg))?.filter(said);
        if value.is_none() {
            if let Some(time) = self.args.text(MILLISECONDS, false)?.filter(said) {
                let is_bare = time.trim().parse::<f64>().is_ok();
                return Ok(Some(if is_bare { format!("{} ms", time.trim()) } else { time }));
            }
            if let Some(time) = self.args.text(OTHER_TIMES, false)?.filter(said) {
                let in_seconds = self.args.is_given(&OTHER_TIMES[..1])
                    && !matches!(self.verb.meaning, Meaning::LongPress);
                return Ok(Some(if in_seconds {
                    time
                } else {
                    values::seconds_or_milliseconds(time)
                }));
            }
        }
        Ok(match arg.0 {
            Slot::SecondsOr(usual) => Some(value.unwrap_or_else(|| usual.to_owned())),
            Slot::Milliseconds => match value {
                Some(value) if value.trim().bytes().all(|b| b.is_ascii_digit()) => {
                    Some(format!("{} ms", value.trim()))
                }
                Some(value) => {
                    return reject(format!("{} is no number of milliseconds", excerpt(&value)));
                }
                None => None,
            },
            // Under a name of another format, which may count in another unit. Nobody holds a finger down for minutes.
            _ if !self.args.is_given(&arg.1[..1])
                || matches!(self.verb.meaning, Meaning::LongPress) =>
            {
                value.map(values::seconds_or_milliseconds)
            }
            _ => value,
        })
    }

    pub(super) fn press(&self) -> Result<Duration, ParseError> {
        Ok(values::press(self.time()?.as_deref()))
    }

    pub(super) fn wait(&self) -> Result<Duration, ParseError> {
        values::wait(self.time()?.as_deref())
    }
}

/// Whether a value can be a place: by its numbers, or by the one of an element.
fn is_place(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::String(text) => point::numbers(text).is_ok_and(|numbers| !numbers.is_empty()),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::Null | Value::Bool(_) => false,
    }
}
