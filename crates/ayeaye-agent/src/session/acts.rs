//! What the gate needs to know of a session: the user's own words, what was touched, and what they have
//! said yes and no to.
mod answers;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use crate::Question;
use crate::approval::{self, Approval};
use crate::elements::is_field_class;
use crate::event::{ActIdentity, Event, Fact, GateRecord, NoteKind, ToolStart};
use crate::gate::{self, ActClass, Rule};
use crate::named_secret::mention;
use crate::privacy::{length_told, placeholders};

/// Most names of what was touched that are remembered.
const TOUCHED: usize = 8;
/// Most placeholders that are remembered as given.
const GIVEN: usize = 256;
/// How long touches count.
const MINUTE: SignedDuration = SignedDuration::from_secs(60);

/// An act that the user has said no to.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// Which act it is.
    pub act: ActIdentity,
    /// Whether they have said no and nothing else.
    plainly: bool,
    /// What they were asked, in words.
    asked: String,
    /// How much the user had said in the round by then.
    said: usize,
}

/// The history of a session that the gate needs.
#[derive(Debug, Clone, Default)]
pub struct ActHistory {
    /// The user's words for this round: its request, and a person's answers.
    pub words: Vec<String>,
    /// Placeholders of secrets, with the app in which each was asked for.
    pub secrets: Vec<(String, String)>,
    /// Placeholders in a person's words in this session, the newest last. Any other may be made up by a model.
    pub given: Vec<String>,
    /// The names of the last touches.
    pub touched: Vec<String>,
    /// The names of the touches in the app in front since it was opened or somebody went back in it: they tell which
    /// thing is open, held or selected. An empty name for a control without one.
    pub path: Vec<String>,
    /// Characters typed.
    pub typed: u64,
    /// Apps that the user has said yes to as a whole.
    pub approved_apps: Vec<(ActClass, String)>,
    /// The acts that the user has said no to in this round, the newest last.
    pub refused: Vec<Refusal>,
    /// What they were asked about last in this round and have said neither yes nor no to, if that was the last word on
    /// it.
    undecided: Option<String>,
    /// The last act of this round that the policy has refused, by its name, and why; `None` once an act of this name
    /// was done.
    denied: Option<(String, String)>,
    /// The act that the gate is asking about.
    pub(super) proposed: Option<GateRecord>,
    /// Package of the app that was last seen in front.
    app: String,
    taps: Vec<Timestamp>,
    now: Option<Timestamp>,
}

/// Whether the act of this name counts as a touch, of which a policy may allow so many in a minute.
pub(crate) fn is_counted_touch(name: &str) -> bool {
    matches!(name, "CLICK" | "DOUBLE_CLICK" | "LONGPRESS" | "SLIDE" | "DRAG" | "TYPE")
}

impl ActHistory {
    /// Touches of the last 60 seconds before the newest event.
    pub fn taps(&self) -> u32 {
        let Some(now) = self.now else { return 0 };
        let recent = self.taps.iter().filter(|at| now.duration_since(**at) < MINUTE);
        u32::try_from(recent.count()).unwrap_or(u32::MAX)
    }

    /// Takes an event into account, before the rest of the session does.
    pub(super) fn apply(
        &mut self,
        event: &Event,
        question: Option<&Question>,
        pending: Option<&Approval>,
    ) {
        self.now = Some(event.ts);
        match &event.entry.fact {
            Fact::RoundStart { request } => self.begin_round(request),
            // What a step has asked about is asked in it or never.
            Fact::StepStart(_) => self.proposed = None,
            // The client acts itself: nobody has said anything.
            Fact::Note { kind, .. } if *kind == NoteKind::DirectControl => self.words.clear(),
            Fact::Observe(seen) => self.see_app(&seen.package),
            Fact::Answer(answer) => {
                self.take_answer(answer, question, pending.and_then(Approval::gate));
            }
            Fact::Note { kind, figures, text } if *kind == NoteKind::Gate => {
                self.note_verdict(figures, text);
            }
            Fact::ToolStart(start) if start.device => self.done(start, event.ts),
            _ => {}
        }
    }

    fn begin_round(&mut self, request: &str) {
        self.words.clear();
        self.refused.clear();
        self.undecided = None;
        self.denied = None;
        // Meanwhile a person may have done anything at the phone.
        self.path.clear();
        self.words.push(request.to_owned());
        self.remember_given(request);
    }

    /// Begins a new path where another app is in front. Not every phone names it.
    fn see_app(&mut self, package: &str) {
        if !package.is_empty() && package != self.app {
            package.clone_into(&mut self.app);
            self.path.clear();
        }
    }

    /// Remembers what the gate has refused or asks about.
    fn note_verdict(&mut self, figures: &Map<String, Value>, why: &str) {
        let record = Value::Object(figures.clone());
        let record: Option<GateRecord> = serde_json::from_value(record).ok();
        if let Some(name) = record.as_ref().and_then(denied_by_policy) {
            self.denied = Some((name.to_owned(), why.to_owned()));
        }
        self.proposed = record.filter(|it| it.verdict == "confirm");
    }

    /// Remembers the placeholders in what a person has said, without those of secrets that they have forbidden to type.
    fn remember_given(&mut self, said: &str) {
        let named = gate::named_secrets(said);
        for found in placeholders(said) {
            let is_forbidden =
                |(name, may_be_typed): &(&str, bool)| !may_be_typed && mention(name) == found;
            self.given.retain(|known| *known != found);
            if named.iter().any(is_forbidden) {
                continue;
            }
            if self.given.len() == GIVEN {
                self.given.remove(0);
            }
            self.given.push(found);
        }
    }

    /// A sentence about an act of this round that the user declined, or did not clearly allow.
    pub(super) fn declined(&self) -> Option<String> {
        let refused = self.refused.last().map(|it| (&it.asked, it.plainly));
        let (asked, no) = refused.or(self.undecided.as_ref().map(|it| (it, false)))?;
        let said = if no { "said no to" } else { "did not say yes to" };
        Some(format!("the user {said} an act of this task ({asked})"))
    }

    /// A sentence about an act that the policy refused in this round, if no act of the kind was done since.
    pub(super) fn denied(&self) -> Option<String> {
        let (name, why) = self.denied.as_ref()?;
        Some(format!(
            "an act of this task ({name}) was refused, and none of its kind was done since: {why}"
        ))
    }

    /// The user's no to this act, if there was one, with their words since.
    pub(crate) fn refusal_of(&self, act: &ActIdentity) -> Option<&[String]> {
        let refusal = self.refused.iter().find(|it| approval::is_same_act(&it.act, act))?;
        Some(self.words.get(refusal.said..).unwrap_or_default())
    }

    /// Whether the user has said no to this act and nothing else.
    pub(crate) fn said_no_to(&self, act: &ActIdentity) -> bool {
        self.refused.iter().any(|it| it.plainly && approval::is_same_act(&it.act, act))
    }

    fn done(&mut self, start: &ToolStart, at: Timestamp) {
        self.denied.take_if(|(name, _)| *name == start.name);
        if let Some(gate) = &start.gate
            && gate.rule == Rule::Approved.name()
            && gate.class.as_deref() == Some(ActClass::Unreadable.name())
        {
            // A client's user has agreed to acts in this app, whatever its screens tell.
            let app = gate.act.as_ref().map(|it| it.app.clone()).unwrap_or_default();
            self.approved_apps.retain(|it| *it != (ActClass::Unreadable, app.clone()));
            self.approved_apps.push((ActClass::Unreadable, app));
        }
        match start.name.as_str() {
            name if is_counted_touch(name) => {
                self.taps.retain(|tap| at.duration_since(*tap) < MINUTE);
                self.taps.push(at);
            }
            "AWAKE" | "RESET" => {
                self.touched.clear();
                self.path.clear();
            }
            "HOT_KEY" => {
                let key = start.parameters.get("key").and_then(Value::as_str);
                match key {
                    Some("HOME") => {
                        self.touched.clear();
                        self.path.clear();
                    }
                    Some("BACK") => {
                        self.touched.pop();
                        self.path.clear();
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        if let Some(text) = start.parameters.get("value").and_then(Value::as_str) {
            let letters = length_told(text)
                .unwrap_or_else(|| u64::try_from(text.chars().count()).unwrap_or(u64::MAX));
            self.typed = self.typed.saturating_add(letters);
        }
        self.lead_on(start);
        if let Some(target) = &start.target {
            // The arrow at the top does what the key does.
            if gate::is_back_arrow(&target.name, &target.kind) {
                self.touched.pop();
                self.path.clear();
                return;
            }
            if self.touched.len() == TOUCHED {
                self.touched.remove(0);
            }
            self.touched.push(target.name.clone());
        }
    }

    /// Remembers what a touch may have opened, held or selected.
    fn lead_on(&mut self, start: &ToolStart) {
        let touches = match start.name.as_str() {
            "CLICK" | "DOUBLE_CLICK" | "LONGPRESS" | "DRAG" => true,
            // What only scrolls leads nowhere.
            "SLIDE" => !scrolls(&start.parameters),
            "TYPE" => start.target.is_some(),
            _ => false,
        };
        let target = start.target.as_ref();
        // What is written in a thing is still that thing.
        if !touches || target.is_some_and(|it| is_field_class(&it.kind)) {
            return;
        }
        if self.path.len() == TOUCHED {
            self.path.remove(0);
        }
        self.path.push(target.map(|it| it.name.clone()).unwrap_or_default());
    }
}

/// The name of an act that the policy has refused, and not the user.
fn denied_by_policy(record: &GateRecord) -> Option<&str> {
    let is_denied = record.verdict == "deny" && record.rule != Rule::Refused.name();
    record.act.as_ref().filter(|_| is_denied)?.action.split(' ').next()
}

/// Whether a slide goes up or down, and so far that no control takes it for a touch.
fn scrolls(parameters: &Map<String, Value>) -> bool {
    /// In thousandths of the screen.
    const LEAST: f64 = 250.0;
    let at = |name: &str, axis: usize| parameters.get(name)?.get(axis)?.as_f64();
    let moved = |axis| Some((at("point1", axis)? - at("point2", axis)?).abs());
    moved(0).zip(moved(1)).is_some_and(|(across, along)| LEAST <= along && across * 2.0 < along)
}
