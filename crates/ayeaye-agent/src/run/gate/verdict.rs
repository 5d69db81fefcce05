//! What the gate says of an act in a session, with the user's yes and no taken into account.
use std::sync::{Arc, Mutex, PoisonError};

use crate::event::{ActIdentity, GateRecord};
use crate::gate::{
    ActClass, Ask, GateDecision, GateHistory, GateRequest, Policy, Rule, ScreenFacts, UserWords,
    Verdict, judge,
};
use crate::named_secret::{mention, mentioned, names_secret};
use crate::privacy::placeholders;
use crate::run::Run;
use crate::run::observer::Observation;
use crate::{Elements, Gesture, Question};

/// A cache: the user's words, and what the gate read from them. Many acts are judged by the same words.
#[derive(Debug, Default)]
pub(in crate::run) struct LastWords(Mutex<(Vec<String>, Arc<UserWords>)>);

impl LastWords {
    /// These texts as they are compared.
    fn of(&self, texts: &[String]) -> Arc<UserWords> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.0 != texts {
            let words = UserWords::new(texts.iter().map(String::as_str));
            *last = (texts.to_vec(), Arc::new(words));
        }
        last.1.clone()
    }
}

/// The gate's verdict on an act, ready for the record.
#[derive(Debug)]
pub(in crate::run) struct Judged {
    pub(in crate::run) verdict: Verdict,
    /// The verdict for the record; has the act's identity if somebody is, or was, asked about it.
    pub(in crate::run) record: GateRecord,
    /// The act's identity, whatever the verdict.
    pub(in crate::run) act: ActIdentity,
}

/// Who has decided on an act.
#[derive(Debug, Clone, Copy)]
pub(in crate::run) enum DecidedBy {
    Model,
    /// The client itself, which may have said that what it types is a secret; or a person, through it.
    Client {
        secret: bool,
        by_hand: bool,
    },
}

impl Run {
    /// Asks the gate for its verdict; it takes the user's earlier yes and no into account.
    pub(in crate::run) fn verdict_on(
        &self,
        gesture: &Gesture,
        marked: Option<&Question>,
        observation: &Observation,
        by: DecidedBy,
    ) -> Judged {
        let acts = &self.session().acts;
        let screen = screen_facts(gesture, observation);
        let history = self.gate_history(gesture, observation, by);
        let policy = self.policy();
        let judge_by = |words: &UserWords| {
            let request = GateRequest {
                words,
                gesture,
                package: observation.app.as_deref().unwrap_or_default(),
                activity: observation.activity(),
                label: observation.app_name.as_deref().unwrap_or_default(),
                screen: &screen,
                history: &history,
                marked: marked.is_some(),
            };
            judge(&policy, &request)
        };
        let mut verdict = judge_by(&self.state.words.of(&acts.words));
        let act = self.identity(gesture, observation, &screen, &verdict);
        if let GateDecision::Confirm(ask) = &verdict.decision {
            let record = gate_record(&verdict, &policy, Some(act.clone()));
            if self.is_approved(gesture, marked, ask, &record) {
                verdict.decision = GateDecision::Allow;
                verdict.rule = Rule::Approved;
            }
        }
        // A model that asks again may be answered otherwise; one that does not ask may not do it.
        if matches!(by, DecidedBy::Model)
            && marked.is_none()
            && let Some(said_since) = acts.refusal_of(&act)
        {
            verdict = after_refusal(verdict, said_since, judge_by(&UserWords::default()));
        }
        let is_allowed = verdict.decision == GateDecision::Allow;
        let record = gate_record(&verdict, &policy, (!is_allowed).then(|| act.clone()));
        Judged { verdict, record, act }
    }

    /// What the gate needs to know of the session, and of the secrets in a text that is to be typed.
    fn gate_history(
        &self,
        gesture: &Gesture,
        observation: &Observation,
        by: DecidedBy,
    ) -> GateHistory {
        let session = self.session();
        let acts = &session.acts;
        let package = observation.app.as_deref().unwrap_or_default();
        let elements = observation.elements.tree().map(|tree| &*tree.elements);
        let beside =
            self.words_beside_secrets(gesture, observation.app_name.as_deref(), package, elements);
        let taps_of_others = self.phone_taps.of_others(self.device.id(), session.id);
        GateHistory {
            approved_apps: acts.approved_apps.clone(),
            taps: acts.taps().saturating_add(taps_of_others),
            typed: acts.typed,
            touched: acts.touched.clone(),
            path: acts.path.clone(),
            secrets: self.homes_of_secrets(gesture, package, elements),
            secrets_of_others: beside.others,
            secret_sentences: beside.sentences,
            said_secrets: self.secrets_in_words(),
            unnamed_secrets: match by {
                DecidedBy::Client { by_hand: false, .. } => self.unnamed_secrets(gesture),
                DecidedBy::Client { by_hand: true, .. } | DecidedBy::Model => Vec::new(),
            },
            names_kept_secret: acts.given.iter().any(|it| names_secret(it)),
            by_client: matches!(by, DecidedBy::Client { .. }),
            // A client's model may call anything a secret; a person at the page knows what they type.
            own_secret: matches!(by, DecidedBy::Client { secret: true, by_hand: true }),
        }
    }

    /// Whether the user has said yes to this act: to the gate's question, or to the model's own where it has marked it.
    fn is_approved(
        &self,
        gesture: &Gesture,
        marked: Option<&Question>,
        ask: &Ask,
        record: &GateRecord,
    ) -> bool {
        let is_own = record.class.as_deref() == Some(ActClass::Marked.name());
        let own = marked.filter(|_| is_own).map(|it| self.as_question(it, ask));
        let approval = self.session().approval.as_ref();
        approval.is_some_and(|it| it.covers(gesture, record, own.as_ref()))
    }

    /// The kept secrets in a typed text that no words of the user name in this session.
    fn unnamed_secrets(&self, gesture: &Gesture) -> Vec<String> {
        let Gesture::Type { text, .. } = gesture else { return Vec::new() };
        let given = &self.session().acts.given;
        mentioned(text).map(mention).filter(|it| !given.contains(it)).collect()
    }

    /// What the user's words hold that the record hides.
    fn secrets_in_words(&self) -> Vec<String> {
        let secrets = self.recorder.secrets();
        let said = self.session().acts.words.iter().flat_map(|it| placeholders(it));
        said.map(|it| secrets.restore(&it).into_owned()).collect()
    }

    /// For which apps the secrets in a typed text were given. A secret of no known origin is none of the
    /// user's: a model may have made it up.
    fn homes_of_secrets(
        &self,
        gesture: &Gesture,
        package: &str,
        elements: Option<&Elements>,
    ) -> Vec<String> {
        let Gesture::Type { text, .. } = gesture else { return Vec::new() };
        let acts = &self.session().acts;
        let secrets = self.recorder.secrets();
        let host = elements.and_then(|it| it.page_host(package));
        let host = host.as_deref();
        let found = self.secrets_typed(text);
        let home = |found: &String| {
            if let Some(places) = secrets.places_of_named(found) {
                return Some(places.elsewhere(package, host).unwrap_or_default());
            }
            // A reply may be secret as a whole ("It is 482913."), and what is typed a part of it.
            let value = secrets.restore(found);
            let holds = |said: &str| {
                said.contains(found.as_str()) || contains_value(&secrets.restore(said), &value)
            };
            let given = acts.secrets.iter().rev().find(|(known, _)| holds(known));
            let said = || acts.words.iter().any(|it| holds(it));
            given.map(|(_, home)| home.clone()).or_else(|| said().then(String::new))
        };
        found.iter().filter_map(home).collect()
    }
}

/// What matters to the gate of the screen that was observed.
fn screen_facts(gesture: &Gesture, observation: &Observation) -> ScreenFacts {
    let elements = observation.elements.tree().map(|tree| &*tree.elements);
    let size = observation.frame.size();
    let mut screen = ScreenFacts::new(elements, gesture, size, observation.state.secret_field);
    screen.locked = observation.state.locked;
    screen.unusable_list |= observation.elements.is_unusable();
    match elements {
        Some(elements) if observation.state.keyboard_shown => {
            screen.above_keyboard(elements, gesture, size)
        }
        _ => screen,
    }
}

/// What becomes of an act that the user has said no to: it is refused. But they may have changed their mind: where what
/// they have `said_since` speaks of such an act, they are asked about it, whatever they had said before.
fn after_refusal(verdict: Verdict, said_since: &[String], unasked: Verdict) -> Verdict {
    let since = UserWords::new(said_since.iter().map(String::as_str));
    match &unasked.decision {
        GateDecision::Confirm(ask) if since.speak_of(ask.class) => unasked,
        _ => {
            let class = verdict.class().unwrap_or(ActClass::Marked);
            Verdict { decision: GateDecision::Deny(class), rule: Rule::Refused, ..verdict }
        }
    }
}

fn gate_record(verdict: &Verdict, policy: &Policy, act: Option<ActIdentity>) -> GateRecord {
    GateRecord {
        verdict: verdict.name().to_owned(),
        rule: verdict.rule.name().to_owned(),
        class: verdict.class().map(|it| it.name().to_owned()),
        evidence: verdict.evidence.clone(),
        policy: policy.name(),
        act,
    }
}

/// Whether a person's words contain a value, either as it is typed or as people write codes: "482-913", "482 913".
pub(in crate::run) fn contains_value(said: &str, value: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let code = plain(value);
    said.contains(value) || 4 <= code.chars().count() && plain(said).contains(&code)
}
