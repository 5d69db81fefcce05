//! Carrying out decisions.
mod ready;
mod secret;

use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use self::ready::Readiness;
pub(super) use self::secret::SECRET_FORGOTTEN;
use self::secret::names_secret_of_user;
use super::actor::{STOPPED_BEFORE_SENDING, Sent};
use super::decided_act::DecidedAct;
use super::observer::Observation;
use super::outcome::{RunError, StepOutcome};
use super::same_screen::needs_light;
use super::step::StepBuilder;
use super::{Run, millis};
use crate::journal::{AgentState, BlackboardSection, Fact, GateRecord, TargetRecord};
use crate::session::HOST_AGENT;
use crate::{DeviceError, Gesture, Performed, Question, error_chain};

/// The longest WAIT, whatever the model says.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Added to the error of a gesture that may have reached the phone.
const MAY_HAVE_ACTED: &str =
    "Your last action may have been carried out all the same. Look before you repeat it.";
/// Note for the model about a text typed at the lock screen or on a PIN pad.
const TYPED_ON_PAD: &str = "it was typed where there is no text field but a pad; only the screen shows whether it was taken";
/// The error of a text for which the phone has no keyboard, in front of the question that was asked.
const NOT_TYPED: &str = "not carried out: the text was not typed; the user was asked first";

impl Run {
    /// Carries out a gesture, at most once. If `target` is `None`, the target is the element under the gesture's point.
    pub(super) async fn perform(
        &mut self,
        decided: &Gesture,
        target: Option<TargetRecord>,
        gate: GateRecord,
        mut observation: Observation,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        let Some(gesture) = self.restore_gesture(decided) else {
            return self.stop_for_unknown_secret(decided, observation.app, step).await;
        };
        let names_secret = names_secret_of_user(decided);
        let holds_secret = names_secret || gesture != *decided;
        let target = target.or_else(|| observation.target(&gesture));
        let act = DecidedAct { gesture: &gesture, gate: &gate, holds_secret };
        if let Readiness::NotSent(outcome) =
            self.make_ready(&act, decided, &observation, step).await?
        {
            return Ok(outcome);
        }
        if let Some(target) = &target {
            self.state.progress.touched(decided, &target.name);
        }
        let types = matches!(&gesture, Gesture::Type { point: None, .. });
        let to_pad = types && observation.takes_secret_without_field();
        let result = self.send(&gesture, target, gate, &mut observation, step).await?;
        let app = observation.app;
        let secret_field = result.as_ref().ok().and_then(|performed| performed.secret_field);
        if let Gesture::Type { text, .. } = &gesture {
            self.learn_typed(text, app.as_deref(), names_secret, secret_field);
        }
        match result {
            Ok(mut performed) => {
                // That there is no field is nothing to wonder about there.
                if to_pad && performed.uncertain.is_some() {
                    performed.uncertain = Some(TYPED_ON_PAD.to_owned());
                }
                if holds_secret || secret_field == Some(true) {
                    self.note_field(secret_field);
                }
                self.note_performed(gesture.name(), performed, step);
                Ok(StepOutcome::Continue)
            }
            Err(err) => self.go_on_after(err, gesture.name(), app, step).await,
        }
    }

    /// Sends a gesture and has it recorded, before and after. Whatever watches the screen stops first.
    async fn send(
        &mut self,
        gesture: &Gesture,
        target: Option<TargetRecord>,
        gate: GateRecord,
        observation: &mut Observation,
        step: &mut StepBuilder,
    ) -> Result<Result<Performed, DeviceError>, RunError> {
        observation.stop_reading_elements();
        // While it acts, nobody looks at the phone: a look would take its link.
        observation.watch = None;
        self.phone_taps.note(self.device.id(), self.session().id, gesture.name());
        let (frame, app) = (observation.frame.clone(), observation.app.clone());
        let sent =
            self.actor.perform(&mut self.recorder, gesture, target, Some(gate), frame.size());
        let Sent { result, ended, recording_ms, took_ms } = sent.await.inspect_err(|err| {
            if matches!(err, RunError::Cancelled(_)) {
                step.error = Some(STOPPED_BEFORE_SENDING.to_owned());
            }
        })?;
        self.observer.gesture_ended(gesture, frame, app, ended);
        match &result {
            Ok(_) if needs_light(gesture) => {
                self.observer.needed_light(self.session().in_progress.step);
            }
            Err(err) if !err.may_have_acted() => self.observer.power_was_not_pressed(),
            Ok(_) | Err(_) => {}
        }
        step.times.memory_update += recording_ms;
        step.times.action_execution += took_ms;
        Ok(result)
    }

    /// The outcome of a step whose gesture failed on the phone.
    async fn go_on_after(
        &mut self,
        err: DeviceError,
        name: &str,
        app: Option<String>,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        match err {
            DeviceError::NoKeyboard { why, .. } if self.may_ask_for_keyboard() => {
                step.status = Some(AgentState::Pending);
                let question = Question { app, ..Question::needs_keyboard(&why) };
                step.error = Some(format!("{NOT_TYPED}: {}", question.text));
                self.stop_for_question(&question).await
            }
            err if err.ends_driving() => {
                step.error = Some(error_chain(&err));
                Err(RunError::DeviceLost(err))
            }
            err => {
                self.note_failed_gesture(name, &err, step);
                Ok(StepOutcome::Continue)
            }
        }
    }

    /// Whether to ask a person for a keyboard: once in a session, and only if somebody can install one. Otherwise the
    /// model is told, and looks for another way.
    fn may_ask_for_keyboard(&self) -> bool {
        // A client that acts itself is told by the act's own error.
        !self.is_direct
            && self.reply_mode.has_person()
            && self.session().counts.keyboard_questions == 0
    }

    /// Notes for the model how a gesture went: a doubt whether it worked stays with the step, a remark of the phone is
    /// shown once, at the next step.
    fn note_performed(&mut self, name: &str, performed: Performed, step: &mut StepBuilder) {
        let Performed { uncertain, note, .. } = performed;
        if let Some(why) = &uncertain {
            tracing::info!(session = %self.session().id, "{name}: not certain: {}", self.recorder.redact_for_log(why));
            if self.session().in_progress.agent == HOST_AGENT {
                self.state.system_notes.push(format!(
                    "Your last action ({name}) was sent, but it is not certain that it worked: {why}."
                ));
            }
        }
        if let Some(note) = &note {
            self.state.system_notes.push(format!("About your last action: {note}."));
        }
        step.uncertain = uncertain;
        step.result = note.clone().unwrap_or_else(|| "done".to_owned());
        step.note = note;
    }

    /// Notes for the model why a gesture failed. If the gesture may have been done all the same, the model is told so
    /// once, at the next step.
    pub(super) fn note_failed_gesture(
        &mut self,
        name: &str,
        err: &DeviceError,
        step: &mut StepBuilder,
    ) {
        let text = error_chain(err);
        tracing::warn!(session = %self.session().id, "{name}: {}", self.recorder.redact_for_log(&text));
        if self.session().in_progress.agent == HOST_AGENT {
            // It is told of no steps.
            self.state.system_notes.push(if err.may_have_acted() {
                format!("Your last action ({name}) may or may not have been carried out: {text}. Look before you repeat it.")
            } else {
                format!("Your last action ({name}) was not carried out: {text}.")
            });
        } else if err.may_have_acted() {
            self.state.system_notes.push(MAY_HAVE_ACTED.to_owned());
        }
        step.error = Some(text);
        step.device_error = Some(err.clone());
    }

    pub(super) async fn wait(
        &mut self,
        time: Duration,
        step: &mut StepBuilder,
    ) -> Result<StepOutcome, RunError> {
        let time = time.min(LONGEST_WAIT);
        // No gesture follows that would sync the decision, which cost money.
        self.recorder.sync().await?;
        let begun = Instant::now();
        let waited = self.cancel.race(sleep(time)).await;
        step.times.action_execution += millis(begun.elapsed());
        waited?;
        self.observer.has_been_left_since(begun);
        step.result = format!("waited {} s", time.as_secs_f32());
        Ok(StepOutcome::Continue)
    }

    pub(super) async fn note(&mut self, text: String) -> Result<StepOutcome, RunError> {
        let item = Value::String(text);
        let fact = Fact::BlackboardAdd { section: BlackboardSection::Notes.into(), item };
        self.recorder.append(fact).await?;
        self.recorder.sync().await?;
        Ok(StepOutcome::Continue)
    }
}
