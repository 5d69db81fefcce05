//! Acting: recorded first, done at most once, never torn.
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};

use super::elements::target;
use super::look::{Seen, millis};
use super::{Draft, Run, RunEnd};
use crate::error_chain;
use crate::journal::{ActionRecord, Fact, TargetRecord, ToolEnd, ToolStart};
use crate::privacy::SecretStore;
use crate::{Action, DeviceError, Frame, Gesture, Question, StopReason, settle};

/// What the loop does to a phone by itself, as the record names it.
pub(super) const RESET: &str = "RESET";
pub(super) use crate::session::WAKE;

/// The longest WAIT, whatever the model says.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

pub(super) const FORGOTTEN: &str = "not carried out: it names a secret that is not known any more since the \
    server was restarted";
const SECRET_AGAIN: &str = "The secret that is to be typed here was kept nowhere, and the server \
    has been restarted since it was given. Please give it again.";

impl Run {
    /// Carries out a gesture. It is on disk before it goes to the phone; once begun it is not
    /// interrupted; and whatever comes of it, it is not repeated.
    pub(super) async fn perform(
        &mut self,
        gesture: &Gesture,
        seen: Seen,
        draft: &mut Draft,
    ) -> Result<(), RunEnd> {
        let Some(gesture) = self.unsealed(gesture) else {
            draft.error = Some(FORGOTTEN.to_owned());
            return Err(self.ask_for_secret(seen.app).await);
        };
        let gesture = &gesture;
        let target = target(gesture, &seen);
        // Whoever reads the screen's elements must be through before it changes.
        let Seen { frame, reading, .. } = seen;
        drop(reading);
        let size = frame.size();
        let device = self.device.clone();
        let recording = Instant::now();
        let facts = ActionRecord::from(&Action::Gesture(gesture.clone()));
        let id = self.announce_at(&facts.function, facts.arguments, target).await?;
        draft.times.memory_update += millis(recording.elapsed());
        if let Err(run_end) = self.cancel.check() {
            self.settle_account(id, Err("not sent: the run was stopped".to_owned()), false, 0.0)
                .await?;
            draft.error = Some("not sent: the run was stopped".to_owned());
            return Err(run_end);
        }
        self.memory.last_screen = None;
        let begun = Instant::now();
        let outcome = device.perform(gesture, size).await;
        let took = millis(begun.elapsed());
        draft.times.action_execution += took;
        self.memory.last_gesture = Some((frame, Instant::now()));
        self.conclude(id, gesture.name(), outcome, took, draft).await
    }

    /// The gesture with its secrets in clear, as the phone needs it; `None` when one of them is not
    /// known any more.
    pub(super) fn unsealed(&self, gesture: &Gesture) -> Option<Gesture> {
        let Gesture::Type { text, point, clear, submit } = gesture else {
            return Some(gesture.clone());
        };
        let text = self.secrets.restore(text).into_owned();
        let known = !SecretStore::has_unknown_placeholder(&text);
        known.then_some(Gesture::Type { text, point: *point, clear: *clear, submit: *submit })
    }

    /// Only the user can tell a secret again.
    async fn ask_for_secret(&mut self, app: Option<String>) -> RunEnd {
        let question = Question { app, ..Question::info(SECRET_AGAIN) };
        match self.put_question(&question).await {
            Ok(()) => RunEnd::new(StopReason::InfoActionNeedsReply, SECRET_AGAIN),
            Err(run_end) => run_end,
        }
    }

    /// Puts the phone into a known state before the first step of a session.
    pub(super) async fn reset(&mut self) -> Result<(), RunEnd> {
        self.cancel.check()?;
        let id = self.announce(RESET, Map::new()).await?;
        let begun = Instant::now();
        let outcome = self.device.reset().await;
        let took = millis(begun.elapsed());
        match outcome {
            Ok(()) => self.settle_account(id, Ok("home screen".to_owned()), false, took).await?,
            Err(err) => {
                let text = error_chain(&err);
                self.settle_account(id, Err(text.clone()), err.may_have_acted(), took).await?;
                return Err(match err {
                    DeviceError::Refused { .. } => self.take_over(&locked(&text), None).await,
                    _ => RunEnd::new(StopReason::NotStarted, text),
                });
            }
        }
        // The way home is an animation too; there is no frame to compare it with.
        let look = async {
            let since = Instant::now();
            sleep(self.deps.limits.settle.first_look).await;
            settle::settle(&*self.device, &self.deps.limits.settle, None, since).await
        };
        match self.cancel.race(look).await? {
            Ok(_) => Ok(()),
            // The first step looks again, and waits for a phone that has gone away.
            Err(err) => {
                tracing::warn!(device = %self.device.id(), "after the reset: {}", error_chain(&err));
                Ok(())
            }
        }
    }

    pub(super) async fn wait(&mut self, time: Duration, draft: &mut Draft) -> Result<(), RunEnd> {
        let time = time.min(LONGEST_WAIT);
        // The decision cost money, and no gesture follows that would put it on the disk.
        self.record.sync().await?;
        let begun = Instant::now();
        let waited = self.cancel.race(sleep(time)).await;
        draft.times.action_execution += millis(begun.elapsed());
        waited?;
        draft.result = format!("waited {} s", time.as_secs_f32());
        Ok(())
    }

    pub(super) async fn note(&mut self, text: String) -> Result<(), RunEnd> {
        let item = serde_json::Value::String(text);
        self.append(Fact::BlackboardAdd { section: "notes".to_owned(), item }).await?;
        self.record.sync().await?;
        Ok(())
    }

    /// Notices a model that does the same on the same screen again and again.
    pub(super) fn check_progress(&mut self, frame: &Frame, action: &Action) -> Result<(), RunEnd> {
        if !matches!(action, Action::Gesture(_) | Action::Confirm { .. }) {
            self.memory.last_try = None;
            return Ok(());
        }
        let repeated = match &self.memory.last_try {
            Some((before, same, times)) if same == action && settle::looks_same(before, frame) => {
                times + 1
            }
            _ => 1,
        };
        self.memory.last_try = Some((frame.clone(), action.clone(), repeated));
        let limit = self.deps.limits.repeats;
        if limit * 2 <= repeated {
            return Err(RunEnd::new(
                StopReason::NoProgress,
                format!(
                    "the same action {repeated} times on a screen that does not change: {}",
                    self.secrets.redact_action(ActionRecord::from(action)).describe()
                ),
            ));
        }
        if limit <= repeated {
            self.memory.system_notes.push(format!(
                "You have done the same action {repeated} times and the screen has not changed. \
                 It does not work: do something else, ask the user, or give up."
            ));
        }
        Ok(())
    }

    /// Writes down what is about to happen to the phone, and waits until the disk has it.
    pub(super) async fn announce(
        &mut self,
        name: &str,
        parameters: Map<String, Value>,
    ) -> Result<u32, RunEnd> {
        self.announce_at(name, parameters, None).await
    }

    async fn announce_at(
        &mut self,
        name: &str,
        parameters: Map<String, Value>,
        target: Option<TargetRecord>,
    ) -> Result<u32, RunEnd> {
        let id = self.session.counts.tools + 1;
        self.append(Fact::ToolStart(ToolStart {
            tool_call_id: id,
            name: name.to_owned(),
            parameters,
            device: true,
            target,
            batch: None,
        }))
        .await?;
        self.record.sync().await?;
        Ok(id)
    }

    async fn conclude(
        &mut self,
        id: u32,
        name: &str,
        outcome: Result<(), DeviceError>,
        took: f64,
        draft: &mut Draft,
    ) -> Result<(), RunEnd> {
        let err = match outcome {
            Ok(()) => {
                draft.result = "done".to_owned();
                return self.settle_account(id, Ok(draft.result.clone()), false, took).await;
            }
            Err(err) => err,
        };
        let text = error_chain(&err);
        let doubt = err.may_have_acted();
        tracing::warn!(session = %self.session.id, "{name}: {}", self.hide(&text));
        self.memory.system_notes.push(if doubt {
            format!("Your last action ({name}) may or may not have been carried out: {text}. Look before you repeat it.")
        } else {
            format!("Your last action ({name}) was not carried out: {text}.")
        });
        draft.error = Some(text.clone());
        self.settle_account(id, Err(text), doubt, took).await
    }

    /// Writes down what came of it.
    pub(super) async fn settle_account(
        &mut self,
        id: u32,
        outcome: Result<String, String>,
        unknown: bool,
        took: f64,
    ) -> Result<(), RunEnd> {
        let success = outcome.is_ok();
        let (result, error) = match outcome {
            Ok(result) => (result, None),
            Err(error) => (String::new(), Some(error)),
        };
        self.append(Fact::ToolEnd(ToolEnd {
            tool_call_id: id,
            success,
            unknown,
            result,
            error,
            duration_ms: took,
        }))
        .await
    }
}

fn locked(reason: &str) -> String {
    format!(
        "The phone could not be made ready: {reason}. Please do that by hand, then say that it is done."
    )
}
