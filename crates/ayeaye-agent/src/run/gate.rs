//! The gate's place in a run: between what was decided and the phone.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::Run;
use super::decided_act::DecidedAct;
use super::named_app::named_by_package;
use super::observer::{Observation, Observer};
use super::outcome::{RunError, StepOutcome};
use super::put_off::{PutOffs, never_rests};
use super::same_screen::{ScreenNow, depends_on_screen};
use super::step::StepBuilder;
use crate::approval::is_same_act;
use crate::event::{ASKED_FIRST, ActIdentity, Countdown, GateRecord};
use crate::gate::{
    ActClass, ActOn, Ask, GateDecision, GateHistory, GateRequest, Policy, Rule, ScreenFacts,
    UserWords, Verdict, judge, take_countdowns,
};
use crate::journal::{Fact, NoteKind, TargetRecord};
use crate::named_secret::{mention, mentioned};
use crate::privacy::{placeholders, refusal_text};
use crate::{Elements, Gesture, Question, error_chain};

/// The error of an act that was asked about, and that nobody allowed.
const NOT_ALLOWED: &str = "not carried out: it needs the user's yes, and there was none";

/// Why an act is refused that they have said no to.
const SAID_NO: &str = "the user has said no to it";

/// What the user has said last, and what the gate makes of it: many acts are judged by the same words.
#[derive(Debug, Default)]
pub(super) struct LastWords(Mutex<(Vec<String>, Arc<UserWords>)>);

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

/// What the gate has said of an act, ready for the record.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    /// Says which act it is where somebody is, or was, to be asked about it.
    pub(super) record: GateRecord,
    /// Which act it is, whatever was said of it.
    pub(super) act: ActIdentity,
}

/// Who has decided on an act.
#[derive(Debug, Clone, Copy)]
pub(super) enum DecidedBy {
    Model,
    /// The client itself, which may have said that what it types is a secret; or a person, through it.
    Client {
        secret: bool,
        by_hand: bool,
    },
}

impl Run {
    /// Carries out a gesture if the gate lets it pass, asks the user about it, or refuses it. A question is
    /// the model's own, where it has marked the act.
    pub(super) async fn gate_act(
        &mut self,
        gesture: &Gesture,
        target: Option<TargetRecord>,
        marked: Option<Question>,
        mut observation: Observation,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        if observation.dark && depends_on_screen(gesture) {
            self.put_off_until_lit(gesture, step);
            return Ok(StepOutcome::Continue);
        }
        let mut judged = self.verdict_on(gesture, marked.as_ref(), &observation, DecidedBy::Model);
        // Elements of an earlier step are good enough for what nothing speaks against, and for nothing else.
        let matters = !matches!(judged.verdict.rule, Rule::Harmless | Rule::Declines);
        if matters && observation.ask_again_for_elements() {
            let patience = Observer::patience_of_act(Duration::ZERO);
            self.observer.read_elements(&mut self.recorder, &mut observation, patience).await?;
            judged = self.verdict_on(gesture, marked.as_ref(), &observation, DecidedBy::Model);
        }
        match named_by_package(&*self.device, &self.policy(), gesture).await {
            Ok(named) if named != *gesture => {
                let by_package = self.verdict_on(&named, None, &observation, DecidedBy::Model);
                if matches!(by_package.verdict.decision, GateDecision::Deny(_)) {
                    judged = by_package;
                }
            }
            Ok(_) => {}
            Err(err) => {
                self.note_failed_gesture(gesture.name(), &err, step);
                return Ok(StepOutcome::Continue);
            }
        }
        if matches!(judged.verdict.decision, GateDecision::Confirm(_))
            && let Some(err) = observation.elements.unreachable()
        {
            // Nobody is asked about what a phone shows that has gone away. The next look waits for it, or says so.
            let why = format!("the phone could not be reached: {}", error_chain(err));
            self.put_off(gesture, why, step);
            return Ok(StepOutcome::Continue);
        }
        match &judged.verdict.decision {
            GateDecision::Allow => {
                self.perform(gesture, target, Some(judged.record), observation, step).await
            }
            GateDecision::Confirm(ask) => {
                // What came up meanwhile is nothing that the model has asked for. But some screens change at each
                // look (a button that counts down, a picture that moves): a question touches nothing, so it is not
                // put off for ever.
                let gate = Some(&judged.record);
                let act = DecidedAct { gesture, gate, holds_secret: false };
                if let ScreenNow::Changed(why) = self.screen_now(&act, &observation).await? {
                    if self.may_put_off_again(gesture) {
                        self.put_off(gesture, why, step);
                        return Ok(StepOutcome::Continue);
                    }
                    // Its name changes each time, so that another yes would be for nothing too.
                    let approval = self.session().approval.as_ref();
                    if approval.is_some_and(|it| it.is_for_same_place(&judged.record)) {
                        let for_user = never_rests(&why, observation.app);
                        step.error = Some(why);
                        return Err(for_user);
                    }
                }
                self.state.put_off_strictly = PutOffs::default();
                let question = match marked {
                    Some(question) if ask.class == ActClass::Marked => {
                        self.as_question(&question, ask)
                    }
                    _ => Question::confirm(self.question_text_of(ask)),
                };
                self.note_verdict(&judged, &question.text).await?;
                // The answer may take long, and the act is decided on anew: until then nobody looks at the phone.
                observation.watch = None;
                let outcome = self.ask(question, &observation, step).await?;
                let goes_on = matches!(outcome, StepOutcome::Continue);
                let is_refused = goes_on && self.session().approval.is_none();
                let error = if is_refused { NOT_ALLOWED } else { ASKED_FIRST };
                step.error = Some(error.to_owned());
                Ok(outcome)
            }
            GateDecision::Deny(_) => {
                let said_no = judged.record.act.as_ref().is_some_and(|it| {
                    judged.verdict.rule == Rule::Refused && self.session().acts.said_no_to(it)
                });
                let by_rule = |evidence| refusal_by(judged.verdict.rule, evidence);
                let why = |evidence| {
                    if said_no { SAID_NO.to_owned() } else { by_rule(evidence) }
                };
                self.state.progress.refused(gesture, why(""));
                let why = why(&judged.verdict.evidence);
                self.note_verdict(&judged, &why).await?;
                let way_out = if judged.verdict.rule == Rule::SecretOffField {
                    "Tap the field, and once it is focused type the secret without giving a position."
                } else {
                    "Your last action was refused. Do not try it another way: leave this screen, or ask the user with a question."
                };
                self.state.system_notes.push(way_out.to_owned());
                step.error = Some(why);
                Ok(StepOutcome::Continue)
            }
        }
    }

    /// What the gate says, with the user's yes and no taken into account.
    pub(super) fn verdict_on(
        &self,
        gesture: &Gesture,
        marked: Option<&Question>,
        observation: &Observation,
        by: DecidedBy,
    ) -> Judged {
        let by_client = matches!(by, DecidedBy::Client { .. });
        let session = self.session();
        let acts = &session.acts;
        let package = observation.app.as_deref().unwrap_or_default();
        let elements = observation.elements.tree().map(|tree| &*tree.elements);
        let size = observation.frame.size();
        let mut screen = ScreenFacts::new(elements, gesture, size, observation.state.secret_field);
        screen.locked = observation.state.locked;
        screen.unusable_list |= observation.elements.is_unusable();
        if let Some(elements) = elements.filter(|_| observation.state.keyboard_shown) {
            screen = screen.above_keyboard(elements, gesture, size);
        }
        let words = self.state.words.of(&acts.words);
        let beside =
            self.words_beside_secrets(gesture, observation.app_name.as_deref(), package, elements);
        let history = GateHistory {
            approved_apps: acts.approved_apps.clone(),
            taps: acts
                .taps()
                .saturating_add(self.phone_taps.of_others(self.device.id(), session.id)),
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
            by_client,
            // A client's model may call anything a secret; a person at the page knows what they type.
            own_secret: matches!(by, DecidedBy::Client { secret: true, by_hand: true }),
        };
        let policy = self.policy();
        let judge_by = |words: &UserWords| {
            let request = GateRequest {
                words,
                gesture,
                package,
                activity: observation.activity(),
                label: observation.app_name.as_deref().unwrap_or_default(),
                screen: &screen,
                history: &history,
                marked: marked.is_some(),
            };
            judge(&policy, &request)
        };
        let mut verdict = judge_by(&words);
        let act = self.identity(gesture, observation, &screen, &verdict);
        let mut record = gate_record(&verdict, &policy, Some(act.clone()));
        if matches!(verdict.decision, GateDecision::Confirm(_)) {
            let own = record.class.as_deref() == Some(ActClass::Marked.name());
            let approval = session.approval.as_ref();
            let asked = match (&verdict.decision, marked.filter(|_| own)) {
                (GateDecision::Confirm(ask), Some(question)) => {
                    Some(self.as_question(question, ask))
                }
                _ => None,
            };
            if approval.is_some_and(|it| it.covers(gesture, &record, asked.as_ref())) {
                verdict.decision = GateDecision::Allow;
                verdict.rule = Rule::Approved;
            }
        }
        // A model that asks again may be answered otherwise; one that does not ask may not do it.
        if let Some(said_since) = record.act.as_ref().and_then(|it| acts.refusal_of(it))
            && marked.is_none()
            && !by_client
        {
            let class = verdict.class().unwrap_or(ActClass::Marked);
            let unasked = judge_by(&UserWords::default());
            let since = UserWords::new(said_since.iter().map(String::as_str));
            match &unasked.decision {
                // The user may have changed their mind: they are asked about it, whatever they have said.
                GateDecision::Confirm(ask) if since.speak_of(ask.class) => verdict = unasked,
                _ => {
                    verdict.decision = GateDecision::Deny(class);
                    verdict.rule = Rule::Refused;
                }
            }
        }
        record = gate_record(&verdict, &policy, record.act);
        if verdict.decision == GateDecision::Allow {
            record.act = None;
        }
        Judged { verdict, record, act }
    }

    /// The policy of the settings, narrowed by what the session was started with.
    pub(super) fn policy(&self) -> Policy {
        let session = self.session();
        self.deps.policy.of_session(session.owner.name(), &session.policy)
    }

    /// A model's own question, as the user is asked it. One that only says what is done ("Goes to the checkout") asks
    /// nothing, and neither names the app nor what is touched: these the gate's own question has around it.
    fn as_question(&self, question: &Question, ask: &Ask) -> Question {
        const MARKS: [char; 5] = ['?', '？', '؟', '՞', '\u{37e}'];
        if question.text.contains(MARKS) {
            return question.clone();
        }
        let ask = Ask { content: Some(question.text.clone()), ..ask.clone() };
        Question { text: self.question_text_of(&ask), ..question.clone() }
    }

    /// The gate's question, without secrets.
    pub(super) fn question_text_of(&self, ask: &Ask) -> String {
        ask.text(|text| self.recorder.redact(text).into_owned())
    }

    /// Records a verdict that is no plain yes, before anything follows from it.
    pub(super) async fn note_verdict(
        &mut self,
        judged: &Judged,
        text: &str,
    ) -> Result<(), RunError> {
        let figures = match serde_json::to_value(&judged.record) {
            Ok(Value::Object(figures)) => figures,
            _ => serde_json::Map::new(),
        };
        let kind = NoteKind::Gate.into();
        self.recorder.append(Fact::Note { kind, text: text.to_owned(), figures }).await?;
        Ok(())
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
        let found = placeholders(&self.recorder.redact(text));
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

    /// Which act this is, as it is recorded: without secrets.
    fn identity(
        &self,
        gesture: &Gesture,
        observation: &Observation,
        screen: &ScreenFacts,
        verdict: &Verdict,
    ) -> ActIdentity {
        let target = observation.target(gesture);
        let aimed = screen.aimed.iter().find(|it| it.reacts).or(screen.aimed.first());
        let size = observation.frame.size();
        let at = match (&target, gesture) {
            (Some(target), _) => {
                let [left, top, right, bottom] = target.rect.map(f64::from);
                let part = |from: f64, to: f64, of: u32| (from + to) * 500.0 / f64::from(of.max(1));
                Some([part(left, right, size.width), part(top, bottom, size.height)])
            }
            (None, gesture) => touched_place(gesture),
        };
        let amount = match &verdict.decision {
            GateDecision::Confirm(ask) => ask.amount.clone().unwrap_or_default(),
            _ => String::new(),
        };
        let mut seconds = Vec::new();
        let mut take = |text: &str| take_countdowns(text, &mut seconds);
        let title = screen.header.first().map(|it| take(it)).unwrap_or_default();
        let target = target.map(|target| {
            let id = aimed.map(|it| it.resource_id.clone()).unwrap_or_default();
            [id, take(&target.name), target.kind]
        });
        let mut about = Self::about(gesture, observation, screen, verdict, &mut seconds);
        // A yes to what one dialog deletes is none for another thing behind a dialog that says the same.
        if let GateDecision::Confirm(ask) = &verdict.decision
            && let Some(touched) = &ask.touched
        {
            about.extend(["touched before: ", touched, "\n"]);
        }
        let countdown = (!seconds.is_empty()).then(|| {
            let read = self.deps.journal.now().zip(observation.age_of_elements());
            let read_at = read.and_then(|(now, age)| now.checked_sub(age).ok());
            Countdown { seconds, read_at }
        });
        let act = ActIdentity {
            action: self.action_key(gesture),
            app: observation.app.clone().unwrap_or_default(),
            activity: observation.activity().to_owned(),
            screen: format!("{title} {amount}").trim().to_owned(),
            target,
            content: content_of(screen, verdict),
            about,
            at,
            countdown,
        };
        self.recorder.secrets().redact_act(act)
    }

    /// What the act is about, as the screen says; empty where nobody is asked.
    fn about(
        gesture: &Gesture,
        observation: &Observation,
        facts: &ScreenFacts,
        verdict: &Verdict,
        seconds: &mut Vec<u32>,
    ) -> String {
        let (Some(class), Some(tree)) = (verdict.class(), observation.elements.tree()) else {
            return String::new();
        };
        let app = observation.app.as_deref().unwrap_or_default();
        let (elements, size) = (&*tree.elements, observation.frame.size());
        ActOn { gesture, elements, size, facts, app }.about(class, seconds)
    }

    /// The action without what is typed, which may be secret: of that a digest, without secrets.
    fn action_key(&self, gesture: &Gesture) -> String {
        let name = gesture.name();
        match gesture {
            Gesture::Type { text, submit, .. } => {
                let digest = Sha256::digest(self.recorder.redact(text).as_bytes());
                let short =
                    digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
                format!("{name} {short:016x} {submit}")
            }
            Gesture::Awake { app } => format!("{name} {app}"),
            Gesture::HotKey { key } => format!("{name} {}", key.name()),
            Gesture::Command(command) => {
                let arguments: Vec<_> = command.arguments().into_iter().map(|(_, it)| it).collect();
                format!("{name} {}", arguments.join(" "))
            }
            _ => name.to_owned(),
        }
    }
}

/// Whether an act that nobody need be asked about is the one that a person has agreed to. What only a question goes into
/// (an amount, what goes to whom) is not known of it. Where one of the two was seen without elements, it is the same one
/// if it touches the same place of that app.
pub(super) fn is_agreed_act(asked: &ActIdentity, now: &ActIdentity, gesture: &Gesture) -> bool {
    let mut now =
        ActIdentity { screen: asked.screen.clone(), content: asked.content.clone(), ..now.clone() };
    if asked.target.is_none() || now.target.is_none() {
        now.target.clone_from(&asked.target);
        now.at = touched_place(gesture);
    }
    is_same_act(asked, &now)
}

/// Where a touch is, in thousandths of the screen.
fn touched_place(gesture: &Gesture) -> Option<[f64; 2]> {
    match gesture {
        Gesture::Click { point }
        | Gesture::DoubleClick { point }
        | Gesture::LongPress { point, .. } => {
            let (x, y) = point.fractions();
            Some([x * 1e3, y * 1e3])
        }
        _ => None,
    }
}

/// Why an act is refused, in words.
pub(super) fn refusal(verdict: &Verdict) -> String {
    refusal_by(verdict.rule, &verdict.evidence)
}

fn refusal_by(rule: Rule, evidence: &str) -> String {
    if rule == Rule::Refused {
        return "the user has not said yes to it".to_owned();
    }
    refusal_text(rule, evidence)
}

/// What goes to whom, where an act is about that: a yes to one text is none to another. Empty for other acts.
fn content_of(screen: &ScreenFacts, verdict: &Verdict) -> String {
    match verdict.class() {
        Some(ActClass::Send | ActClass::Publish | ActClass::Transfer) => {
            format!("{}\n{}", screen.recipients.join("\n"), screen.draft)
        }
        _ => String::new(),
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

/// Whether a person's words hold a value, as it is typed or as people write codes: "482-913", "482 913".
pub(super) fn contains_value(said: &str, value: &str) -> bool {
    let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let code = plain(value);
    said.contains(value) || 4 <= code.chars().count() && plain(said).contains(&code)
}
