//! The gate's place in a run: between what was decided and the phone.
mod identity;
mod verdict;

use std::time::Duration;

use serde_json::Value;

pub(super) use self::identity::is_agreed_act;
pub(super) use self::verdict::{DecidedBy, Judged, LastWords, contains_value};
use super::Run;
use super::decided_act::DecidedAct;
use super::named_app::named_by_package;
use super::observer::{Observation, Observer};
use super::outcome::{RunError, StepOutcome};
use super::put_off::{PutOffs, WENT_DARK, never_rests};
use super::same_screen::{ScreenNow, depends_on_screen};
use super::step::StepBuilder;
use crate::event::ASKED_FIRST;
use crate::gate::{ActClass, Ask, GateDecision, Policy, Rule, Verdict};
use crate::journal::{Fact, NoteKind, TargetRecord};
use crate::privacy::refusal_text;
use crate::{DeviceError, Gesture, Question, error_chain};

/// The error of an act that was asked about, and that nobody allowed.
const NOT_ALLOWED: &str = "not carried out: it needs the user's yes, and there was none";

/// Why an act is refused that they have said no to.
const SAID_NO: &str = "the user has said no to it";

/// What a model is told of a secret that the gate does not let it type where it is.
const TAP_FIELD_FIRST: &str =
    "Tap the field, and once it is focused type the secret without giving a position.";
/// What a model is told of any other act that the gate has refused.
const NO_OTHER_WAY: &str = "Your last action was refused. Do not try it another way: leave this screen, or ask the user with a question.";

impl Run {
    /// Carries out a gesture, asks the user about it, or refuses it, as the gate decides. If the model marked the act
    /// as sensitive, its own question is asked.
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
        let judging = self.verdict_by_fresh_elements(gesture, marked.as_ref(), &mut observation);
        let mut judged = step.looking(judging).await?;
        match step.looking(self.refused_by_package(gesture, &observation)).await {
            Ok(Some(refused)) => judged = refused,
            Ok(None) => {}
            Err(err) => {
                self.note_failed_gesture(gesture.name(), &err, step);
                return Ok(StepOutcome::Continue);
            }
        }
        if step.looking(self.is_silent_in_the_dark(&judged)).await?
            && self.may_put_off_again(gesture)
        {
            self.put_off(gesture, WENT_DARK.to_owned(), step);
            return Ok(StepOutcome::Continue);
        }
        match &judged.verdict.decision {
            GateDecision::Allow => {
                self.perform(gesture, target, judged.record, observation, step).await
            }
            GateDecision::Confirm(ask) => {
                if self.puts_off_question(gesture, &judged, &observation, step).await? {
                    return Ok(StepOutcome::Continue);
                }
                self.state.put_off_strictly = PutOffs::default();
                let question = match marked {
                    Some(question) if ask.class == ActClass::Marked => {
                        self.as_question(&question, ask)
                    }
                    _ => Question::confirm(self.question_text_of(ask)),
                };
                self.note_verdict(&judged, &question.text).await?;
                self.ask_before_act(question, observation, step).await
            }
            GateDecision::Deny(_) => self.refuse(gesture, &judged, step).await,
        }
    }

    /// What the gate says of a model's act. Elements of an earlier step are good enough for what nothing speaks against;
    /// for anything else the phone is asked for those of this step.
    async fn verdict_by_fresh_elements(
        &mut self,
        gesture: &Gesture,
        marked: Option<&Question>,
        observation: &mut Observation,
    ) -> Result<Judged, RunError> {
        let judged = self.verdict_on(gesture, marked, observation, DecidedBy::Model);
        let matters = !matches!(judged.verdict.rule, Rule::Harmless | Rule::Declines);
        if !matters || !observation.ask_again_for_elements() {
            return Ok(judged);
        }
        let patience = Observer::patience_of_act(Duration::ZERO);
        self.observer.read_elements(&mut self.recorder, observation, patience).await?;
        Ok(self.verdict_on(gesture, marked, observation, DecidedBy::Model))
    }

    /// Whether the gate goes by a screen that says nothing of itself because it has gone off: nobody is asked about that,
    /// and nothing refused for it.
    pub(super) async fn is_silent_in_the_dark(
        &mut self,
        judged: &Judged,
    ) -> Result<bool, RunError> {
        if judged.verdict.class() != Some(ActClass::Unreadable) {
            return Ok(false);
        }
        Ok(!self.cancel.race(self.device.is_awake()).await?.unwrap_or(true))
    }

    /// The refusal of an act that opens an app by its label, where the policy refuses it by the app's package.
    async fn refused_by_package(
        &mut self,
        gesture: &Gesture,
        observation: &Observation,
    ) -> Result<Option<Judged>, DeviceError> {
        let named = named_by_package(&*self.device, &self.policy(), gesture).await?;
        if named == *gesture {
            return Ok(None);
        }
        let judged = self.verdict_on(&named, None, observation, DecidedBy::Model);
        Ok(matches!(judged.verdict.decision, GateDecision::Deny(_)).then_some(judged))
    }

    /// Whether a question about an act is not asked now, because the phone has gone away or its screen has changed since
    /// the act was decided on. What came up meanwhile is nothing that the model has asked for. But some screens change at
    /// each look (a button that counts down, a picture that moves), or go off while a slow model thinks: a question touches
    /// nothing, so it is not put off for ever.
    async fn puts_off_question(
        &mut self,
        gesture: &Gesture,
        judged: &Judged,
        observation: &Observation,
        step: &mut StepBuilder,
    ) -> Result<bool, RunError> {
        if let Some(err) = observation.elements.unreachable() {
            // Nobody is asked about what a phone shows that has gone away. The next look waits for it, or says so.
            let why = format!("the phone could not be reached: {}", error_chain(err));
            self.put_off(gesture, why, step);
            return Ok(true);
        }
        let act = DecidedAct { gesture, gate: &judged.record, holds_secret: false };
        let now = step.looking(self.screen_now(&act, observation)).await?;
        let (why, is_lit) = match now {
            ScreenNow::Changed(why) => (why, true),
            ScreenNow::Dark => (WENT_DARK.to_owned(), false),
            ScreenNow::Same | ScreenNow::Ticks(_) => return Ok(false),
        };
        if self.may_put_off_again(gesture) {
            self.put_off(gesture, why, step);
            return Ok(true);
        }
        // Its name changes each time, so that another yes would be for nothing too.
        let approval = self.session().approval.as_ref().filter(|_| is_lit);
        if approval.is_some_and(|it| it.is_for_same_place(&judged.record)) {
            let for_user = never_rests(&why, observation.app.clone());
            step.error = Some(why);
            return Err(for_user);
        }
        Ok(false)
    }

    /// Asks the user whether an act may be done. After their yes it is decided on anew.
    async fn ask_before_act(
        &mut self,
        question: Question,
        mut observation: Observation,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        // The answer may take long: until then nobody looks at the phone.
        observation.watch = None;
        let outcome = self.ask(question, &observation, step).await?;
        let goes_on = matches!(outcome, StepOutcome::Continue);
        let is_refused = goes_on && self.session().approval.is_none();
        let error = if is_refused { NOT_ALLOWED } else { ASKED_FIRST };
        step.error = Some(error.to_owned());
        Ok(outcome)
    }

    /// Refuses an act, and tells the model why and what to do instead.
    async fn refuse(
        &mut self,
        gesture: &Gesture,
        judged: &Judged,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        let Verdict { rule, evidence, .. } = &judged.verdict;
        let said_no = judged
            .record
            .act
            .as_ref()
            .is_some_and(|it| *rule == Rule::Refused && self.session().acts.said_no_to(it));
        let why = |evidence| {
            if said_no { SAID_NO.to_owned() } else { refusal_by(*rule, evidence) }
        };
        self.state.progress.refused(gesture, why(""));
        let why = why(evidence);
        self.note_verdict(judged, &why).await?;
        let way_out = if *rule == Rule::SecretOffField { TAP_FIELD_FIRST } else { NO_OTHER_WAY };
        self.state.system_notes.push(way_out.to_owned());
        step.error = Some(why);
        Ok(StepOutcome::Continue)
    }

    /// The policy of the settings, narrowed by the session's own.
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

    /// Records a verdict other than a plain yes, before it has any effect.
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
