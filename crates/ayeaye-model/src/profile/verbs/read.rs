//! From a call to an action.
use std::time::Duration;

use ayeaye_agent::{
    Action, Decision, Direction, Gesture, Key, ParseError, Point, Question, with_line_feeds,
};

use super::slots::{Reader, YES};
use super::{CallUser, Meaning, STATUS, SUCCESS, Slot, Typing, VerbTable, failure};
use crate::profile::CoordContext;
use crate::profile::parse::args::Args;
use crate::profile::parse::values::{self, fold_name, unquoted};
use crate::profile::parse::{ParsedCall, ParsedReply, TWO_ENDS, excerpt, reject};

/// What the user is asked if a model requests a take-over without saying why.
const HELP: &str = "The agent needs your help on the phone and did not say with what. Look at the \
                    screen, do what has to be done there, and say when it is done.";

/// What the user is asked if a model asks without saying what.
const WHAT_NEXT: &str = "The agent asks you how to go on and did not say what it needs. Look at the screen \
                         and tell it what to do or to choose.";

/// Texts that mean no where a question for the user is expected.
const NO: [&str; 6] = ["", "false", "no", "none", "null", "0"];

impl VerbTable {
    /// The decision in a reply.
    pub(crate) fn decide(
        &self,
        parsed: ParsedReply,
        coords: &CoordContext,
    ) -> Result<Decision, ParseError> {
        let action = self.read(&parsed.call, parsed.reason(), coords)?;
        parsed.decided(action)
    }

    /// The action that a call means. `reason` is what the model gave as its reason.
    pub(crate) fn read(
        &self,
        call: &ParsedCall,
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
        let text_ends = matches!(
            verb.meaning,
            Meaning::Type(_) | Meaning::Complete | Meaning::Answer | Meaning::End { .. }
        );
        // It may be a piece of the text.
        if !call.left_out.is_empty() && text_ends {
            return reject(TWO_ENDS);
        }
        let args = Args::of(call)?;
        Reader { table: self, verb, call, args: &args, reason: reason.trim(), coords }.action()
    }
}

impl Reader<'_> {
    fn action(&self) -> Result<Action, ParseError> {
        for arg in self.verb.args {
            if let Slot::Refused(why) = arg.0
                && self.args.is_given(arg.1)
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
            Meaning::Scroll | Meaning::Swipe | Meaning::BenchmarkSwipe => self.scroll()?,
            Meaning::SwipeFrom => self.swipe_from()?,
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
            Meaning::Answer if self.failed()? => Action::Abort { reason: self.reason_to_fail()? },
            Meaning::Answer => done(self.needed_text()?),
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
                None => self.missing(Slot::is_place),
            },
        }
    }

    fn typed(&self, typing: Typing) -> Result<Action, ParseError> {
        let clear = match self.verb.arg(|slot| slot == Slot::Clear) {
            Some(arg) if typing != Typing::Clears || self.args.is_given(arg.1) => {
                self.args.flag(arg.1)?
            }
            _ => typing == Typing::Clears,
        };
        // Where typing clears, an empty text is valid.
        let has_text = |text: &String| typing == Typing::Clears && clear || !text.is_empty();
        let Some(text) = self.raw_text()?.filter(has_text) else {
            return self.missing(Slot::is_text);
        };
        let text = with_line_feeds(&text);
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
        let point = if self.keyboard_is_up()? { None } else { self.at()? };
        Ok(Gesture::Type { text: text.to_owned(), point, clear, submit }.into())
    }

    /// By the finger's path if the verb takes one and the call has it, else by a direction.
    fn scroll(&self) -> Result<Action, ParseError> {
        let by_path = self.verb.arg(Slot::is_to).is_some_and(|arg| self.args.is_given(arg.1));
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
            return match (self.verb.arg(Slot::is_from), self.verb.arg(Slot::is_to)) {
                (Some(from), Some(to)) => reject(format!(
                    "{} needs `direction`, or `{}` and `{}`",
                    self.name(),
                    from.1[0],
                    to.1[0]
                )),
                _ => self.missing(|slot| slot == Slot::Direction),
            };
        };
        let direction = shown(values::direction(&direction)?, self.verb.meaning);
        // A finger that goes down somewhere and moves in a direction scrolls what is there.
        let at = match (self.at()?, self.start()?) {
            (Some(at), Some(start)) if at != start => {
                return reject("it says two different places; name one");
            }
            (at, start) => at.or(start),
        };
        Ok(Gesture::Scroll { direction, at }.into())
    }

    /// A quarter of the screen long, or up to its edge.
    fn swipe_from(&self) -> Result<Action, ParseError> {
        const LENGTH: f64 = 0.25;
        // A finger that hardly moves taps.
        const SHORTEST: f64 = 0.05;
        let from = self.needed_at()?;
        let Some(direction) = self.text_of(Slot::Direction)? else {
            return self.missing(|slot| slot == Slot::Direction);
        };
        let direction = values::direction(&direction)?;
        let (x, y) = from.fractions();
        let (to_x, to_y) = match direction {
            Direction::Up => (x, y - LENGTH),
            Direction::Down => (x, y + LENGTH),
            Direction::Left => (x - LENGTH, y),
            Direction::Right => (x + LENGTH, y),
        };
        let (to_x, to_y) = (to_x.clamp(0.0, 1.0), to_y.clamp(0.0, 1.0));
        let moves = SHORTEST <= (to_x - x).abs() + (to_y - y).abs();
        let Some(to) = Point::from_fractions(to_x, to_y).ok().filter(|_| moves) else {
            return reject(format!(
                "a finger that goes down there cannot go {direction}: that is the edge of the screen"
            ));
        };
        Ok(Gesture::Slide { from, to, duration: values::SLIDE }.into())
    }

    fn call_user(&self, how: CallUser) -> Result<Action, ParseError> {
        let text = self.raw_text()?.filter(|text| !text.trim().is_empty());
        let or = |usual: &'static str| if self.reason.is_empty() { usual } else { self.reason };
        let question = match (text, how) {
            (Some(text), CallUser::TellsToo) if asks_for_hands(&text) => Question::takeover(text),
            (Some(text), CallUser::AsksByQuestionMark)
                if !text.trim_end().ends_with(['?', '？']) =>
            {
                Question::takeover(text)
            }
            (Some(text), _) => Question::info(text),
            (None, CallUser::AsksByText) => Question::takeover(or(HELP)),
            (None, CallUser::Asks) => Question::info(or(WHAT_NEXT)),
            (None, _) if self.verb.has(Slot::TextOrReason) && !self.reason.is_empty() => {
                Question::takeover(self.reason)
            }
            (None, _) => return self.missing(Slot::is_text),
        };
        Ok(Action::Info(question))
    }

    fn complete(&self) -> Result<Action, ParseError> {
        let unsuccessful = self.failed()?;
        let text = match self.raw_text()? {
            None if self.verb.has(Slot::RequiredText) => return self.missing(Slot::is_text),
            text => text.unwrap_or_default(),
        };
        if unsuccessful {
            return Ok(Action::Abort { reason: self.reason_to_fail()? });
        }
        Ok(match done(text) {
            // What it has to say of a failure may be said before.
            Action::Complete { message }
                if message.trim().is_empty() && failure::says_so(self.reason) =>
            {
                Action::Abort { reason: self.reason.to_owned() }
            }
            action => action,
        })
    }

    /// Whether an end says that the task failed: by its own field, or by the one that models add to formats
    /// without any. A status that is neither is no end.
    fn failed(&self) -> Result<bool, ParseError> {
        let names = |slot, usual| self.verb.arg(|it| it == slot).map_or(usual, |arg| arg.1);
        let (status, success) = (names(Slot::Status, STATUS), names(Slot::Success, SUCCESS));
        if self.args.is_given(success) && !self.args.flag(success)? {
            return Ok(true);
        }
        let Some(status) = self.args.text(status, false)?.filter(|it| !it.trim().is_empty()) else {
            return Ok(false);
        };
        match self.ended(&status, &SUCCEEDED, &FAILURE)? {
            Action::Abort { .. } => Ok(true),
            _ => Ok(false),
        }
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
            |names: &[&str]| names.iter().any(|name| fold_name(name) == fold_name(status));
        if is_one_of(success) {
            Ok(done(self.raw_text()?.unwrap_or_default()))
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

    /// Asks the user first if the call wants a gesture confirmed.
    fn with_confirmation(&self, action: Action) -> Result<Action, ParseError> {
        let (Some(arg), Action::Gesture(gesture)) =
            (self.verb.arg(|slot| slot == Slot::Confirm), &action)
        else {
            return Ok(action);
        };
        let Some(answer) = self.args.text_or_flag(arg.1)? else { return Ok(action) };
        let answer = answer.trim();
        let is_one_of = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(answer));
        let text = if is_one_of(&NO) {
            return Ok(action);
        } else if !is_one_of(&YES) {
            answer.to_owned()
        } else if self.reason.is_empty() {
            format!("May this be done? {}", gesture.name())
        } else {
            format!("May this be done? {}", self.reason)
        };
        Ok(Action::Confirm { gesture: gesture.clone(), question: Question::confirm(text) })
    }
}

/// The end that a report stands for, where nothing else says how the task went.
fn done(report: String) -> Action {
    if failure::says_so(&report) {
        return Action::Abort { reason: report };
    }
    // What stands for the report in the prompts of some makers.
    let is_placeholder = report.trim().eq_ignore_ascii_case("xxx");
    Action::Complete { message: if is_placeholder { String::new() } else { report } }
}

const SUCCEEDED: [&str; 11] = [
    "success",
    "complete",
    "completed",
    "succeeded",
    "successful",
    "done",
    "finish",
    "finished",
    "satisfied",
    "ok",
    "true",
];
const FAILURE: [&str; 9] = [
    "fail",
    "failed",
    "failure",
    "infeasible",
    "impossible",
    "unsuccessful",
    "error",
    "aborted",
    "false",
];

/// Whether a text asks for something that a person does by hand, rather than for words or for nothing.
pub(super) fn asks_for_hands(text: &str) -> bool {
    const BEGINS: [&str; 4] = ["please", "kindly", "请", "麻烦"];
    const NAMES: [&str; 17] = [
        "log in",
        "login",
        "sign in",
        "sign-in",
        "password",
        "captcha",
        "verify",
        "verification",
        "fingerprint",
        "manually",
        "登录",
        "登陆",
        "验证",
        "密码",
        "人脸",
        "滑块",
        "手动",
    ];
    let text = text.trim().to_lowercase();
    !text.ends_with(['?', '？'])
        && (BEGINS.iter().any(|word| text.starts_with(word))
            || NAMES.iter().any(|word| text.contains(word)))
}

/// The direction that is shown by the one that a verb has, and the other way round.
pub(super) fn shown(direction: Direction, meaning: Meaning) -> Direction {
    let across = matches!(direction, Direction::Left | Direction::Right);
    match meaning {
        // The finger moves against the direction it shows.
        Meaning::Swipe => values::opposite(direction),
        Meaning::BenchmarkSwipe if !across => values::opposite(direction),
        _ => direction,
    }
}

/// A key by the names of its family, or by its usual one.
fn key(name: &str, names: &[(Key, &str)]) -> Result<Key, ParseError> {
    let folded = fold_name(&unquoted(name));
    let known = names.iter().find(|(_, known)| fold_name(known) == folded);
    known.map_or_else(|| values::key(name), |(key, _)| Ok(*key))
}
