//! What the gate needs to know of a session: the user's own words, what was touched, and what they have
//! said yes and no to.
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};

use crate::approval::{self, Approval};
use crate::elements::is_field_class;
use crate::event::{ActIdentity, AnswerSource, Event, Fact, GateRecord, NoteKind, ToolStart};
use crate::gate::{self, ActClass, Rule};
use crate::named_secret::mention;
use crate::privacy::{length_told, may_be_password, placeholders};
use crate::secret_text::{may_ask_for_secret, secret_asked_for};
use crate::{Question, QuestionKind};

/// Most names of what was touched that are remembered.
const TOUCHED: usize = 8;
/// Most refusals that are remembered.
const REFUSED: usize = 64;
/// Most placeholders that are remembered as given.
const GIVEN: usize = 256;
/// How long touches count.
const MINUTE: SignedDuration = SignedDuration::from_secs(60);

/// What the answers to a question say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Yes,
    No,
    Neither,
}

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

/// What a session holds for the gate.
#[derive(Debug, Clone, Default)]
pub struct ActHistory {
    /// What the user has said for the round: its request, and answers of a person.
    pub words: Vec<String>,
    /// Placeholders of secrets, with the app in which each was asked for.
    pub secrets: Vec<(String, String)>,
    /// Placeholders in what a person has said in the session, the newest last. Others may be made up.
    pub given: Vec<String>,
    /// What was touched last, by name.
    pub touched: Vec<String>,
    /// The same in the app in front, since it was opened or somebody went back in it: which thing is open, held or
    /// selected. Empty for what has no name.
    pub path: Vec<String>,
    /// Characters typed.
    pub typed: u64,
    /// Apps that the user has said yes to as a whole.
    pub approved_apps: Vec<(ActClass, String)>,
    /// What the user has said no to in this round, the newest last.
    pub refused: Vec<Refusal>,
    /// What they were asked about last in this round and have said neither yes nor no to, if that was the last word on it.
    undecided: Option<String>,
    /// The last act of this round that the policy has refused, by its name, and why; `None` once an act of this name
    /// was done.
    denied: Option<(String, String)>,
    /// What the gate asks about.
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
            Fact::RoundStart { request } => {
                self.words.clear();
                self.refused.clear();
                self.undecided = None;
                self.denied = None;
                // Meanwhile a person may have done anything at the phone.
                self.path.clear();
                self.words.push(request.clone());
                self.remember_given(request);
            }
            // What a step has asked about is asked in it or never.
            Fact::StepStart(_) => self.proposed = None,
            // The client acts itself: nobody has said anything.
            Fact::Note { kind, .. } if *kind == NoteKind::DirectControl => self.words.clear(),
            Fact::Observe(seen) if !seen.package.is_empty() && seen.package != self.app => {
                self.app.clone_from(&seen.package);
                self.path.clear();
            }
            Fact::Answer(answer) => {
                if question.is_some_and(|it| it.kind == QuestionKind::Takeover) {
                    self.path.clear();
                }
                let source = answer.source.known();
                let by_person = matches!(
                    source,
                    Some(AnswerSource::Client | AnswerSource::Manual | AnswerSource::Guidance)
                );
                let confirm = question.is_some_and(|it| it.kind == QuestionKind::Confirm);
                let asked = pending.and_then(Approval::gate);
                if confirm && source == Some(AnswerSource::Nobody) {
                    self.answered(asked, question, Said::Neither);
                }
                if !by_person {
                    return;
                }
                // What is chosen from a list is in the words of who made the list, and what follows a yes may
                // be in the words of the question.
                let options = question.map(|it| it.options.as_slice()).unwrap_or_default();
                let own = answer.answers.iter().filter(|it| !options.contains(it));
                for said in own {
                    if !confirm || source == Some(AnswerSource::Guidance) {
                        self.words.push(said.clone());
                    }
                    self.remember_given(said);
                }
                // Of people who share a name of theirs it tells which is meant, in whoever's words: it adds nobody.
                if let Some(asked) = question.filter(|it| it.kind == QuestionKind::Info) {
                    for it in &answer.answers {
                        let chosen = gate::chosen_person(&asked.text, &asked.options, it);
                        self.words.extend(chosen.filter(|name| self.share_a_name(name)));
                    }
                }
                for found in answer.answers.iter().flat_map(|it| placeholders(it)) {
                    let home = question.and_then(|it| home_of(&found, it)).unwrap_or_default();
                    self.secrets.retain(|(known, _)| *known != found);
                    self.secrets.push((found, home.to_owned()));
                }
                if source != Some(AnswerSource::Guidance) && confirm {
                    let all = |is: fn(&str) -> bool| {
                        !answer.answers.is_empty() && answer.answers.iter().all(|text| is(text))
                    };
                    let said = match (all(approval::is_yes), all(approval::is_no)) {
                        (true, _) => Said::Yes,
                        (_, true) => Said::No,
                        _ => Said::Neither,
                    };
                    let undecided = asked.filter(|it| it.act.is_some() && said == Said::Neither);
                    self.undecided = undecided.map(|it| in_words(it, question));
                    self.answered(asked, question, said);
                }
            }
            Fact::Note { kind, figures, text } if *kind == NoteKind::Gate => {
                let record = Value::Object(figures.clone());
                let record: Option<GateRecord> = serde_json::from_value(record).ok();
                if let Some(name) = record.as_ref().and_then(denied_by_policy) {
                    self.denied = Some((name.to_owned(), text.clone()));
                }
                self.proposed = record.filter(|it| it.verdict == "confirm");
            }
            Fact::ToolStart(start) if start.device => self.done(start, event.ts),
            _ => {}
        }
    }

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

    fn answered(&mut self, asked: Option<&GateRecord>, question: Option<&Question>, said: Said) {
        let Some(asked) = asked else { return };
        if said != Said::Yes {
            // What is neither is asked about again, where the gate has asked. Where the model has, nothing
            // else would hold it back.
            let marked = asked.class.as_deref() == Some(ActClass::Marked.name());
            self.forget_refusal(asked);
            if said == Said::No || marked {
                self.remember_refusal(asked, question, said);
            }
            return;
        }
        self.forget_refusal(asked);
        let app = match Rule::from_name(&asked.rule) {
            Some(Rule::UnnamedApp) => asked.evidence.clone(),
            Some(Rule::NoElements) => {
                asked.act.as_ref().map(|act| act.app.clone()).unwrap_or_default()
            }
            _ => return,
        };
        if let Some(class) = asked.class.as_deref().and_then(ActClass::from_name) {
            self.approved_apps.push((class, app));
        }
    }

    fn forget_refusal(&mut self, asked: &GateRecord) {
        let Some(act) = &asked.act else { return };
        self.refused.retain(|it| !approval::is_same_act(&it.act, act));
    }

    fn remember_refusal(&mut self, asked: &GateRecord, question: Option<&Question>, said: Said) {
        let Some(act) = asked.act.clone() else { return };
        if self.refused.len() == REFUSED {
            self.refused.remove(0);
        }
        self.refused.push(Refusal {
            act,
            plainly: said == Said::No,
            asked: in_words(asked, question),
            said: self.words.len(),
        });
    }

    /// What the user has said no to in this round, or nothing that is a yes, as a sentence.
    pub(super) fn declined(&self) -> Option<String> {
        let refused = self.refused.last().map(|it| (&it.asked, "said no to"));
        let undecided = self.undecided.as_ref().map(|it| (it, "did not say yes to"));
        let (asked, said) = refused.or(undecided)?;
        Some(format!("the user {said} an act of this task ({asked})"))
    }

    /// What the policy has refused in this round, and no act of the kind was done since, as a sentence.
    pub(super) fn denied(&self) -> Option<String> {
        let (name, why) = self.denied.as_ref()?;
        Some(format!(
            "an act of this task ({name}) was refused, and none of its kind was done since: {why}"
        ))
    }

    /// Whether the user's words have a part of this name.
    fn share_a_name(&self, name: &str) -> bool {
        let parts: Vec<&str> = name.split_whitespace().collect();
        let said = |word: &str| parts.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()));
        self.words.iter().any(|it| it.split_whitespace().any(said))
    }

    /// The user's no to this act, if there was one, with what they have said since.
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
            let app = gate.evidence.split(',').next().unwrap_or_default().to_owned();
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

/// What the user was asked about: the sort of act, and the question. What it is aimed at may not be what it does: a key
/// sends what stands in another place.
fn in_words(asked: &GateRecord, question: Option<&Question>) -> String {
    /// Characters of a question.
    const LONGEST: usize = 400;
    let class = asked.class.as_deref().unwrap_or("act");
    let text = question.map_or("", |it| &it.text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = text.chars().take(LONGEST).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    format!("{class}; the question was: {short}{cut}")
}

/// The name of an act that the policy has refused, and not the user.
fn denied_by_policy(record: &GateRecord) -> Option<&str> {
    let is_denied = record.verdict == "deny" && record.rule != Rule::Refused.name();
    record.act.as_ref().filter(|_| is_denied)?.action.split(' ').next()
}

/// The app that a secret in an answer is for: the one in front when it was asked for. What only looks like a code in an
/// answer to any other question may be for whatever the task is about, but in a bank or a wallet is its own: no list of
/// words knows every way to ask for one.
fn home_of<'a>(secret: &str, question: &'a Question) -> Option<&'a str> {
    let asks = secret_asked_for(&question.text).is_some() || may_ask_for_secret(&question.text);
    let app = question.app.as_deref().filter(|it| !gate::is_home(it));
    app.filter(|it| asks || may_be_password(secret) || gate::has_money(it))
}

/// Whether a slide goes up or down, and so far that no control takes it for a touch.
fn scrolls(parameters: &Map<String, Value>) -> bool {
    /// In thousandths of the screen.
    const LEAST: f64 = 250.0;
    let at = |name: &str, axis: usize| parameters.get(name)?.get(axis)?.as_f64();
    let moved = |axis| Some((at("point1", axis)? - at("point2", axis)?).abs());
    moved(0).zip(moved(1)).is_some_and(|(across, along)| LEAST <= along && across * 2.0 < along)
}
