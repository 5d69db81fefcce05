//! Steps of an earlier run, done again: in front of the acting model, until the first that does not fit.
//!
//! Such a step has a call of its own in the record, of a model named `replay`, which costs nothing. What
//! follows from it is as after any other decision: the gate stands before the act, and the screen must not have
//! changed. Once a step does not fit the model goes on, and for good.
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Map, json};
use tokio::time::Instant;

use super::observer::Observation;
use super::outcome::RunError;
use super::step::StepBuilder;
use super::{Observer, Run, RunPhase, millis};
use crate::journal::{ActionRecord, CallPurpose, Fact, NoteKind, ParsedRecord, ResponseRecord};
use crate::replay::{Mismatch, Replay};
use crate::{
    Decision, Frame, HistoryItem, Message, Model, ModelError, ParseError, Picture, Prices, Prompt,
    Reply, Role, ScreenSize, StepInput,
};

/// The name and the profile of what decides such a step, in the record.
const REPLAY: &str = "replay";

/// The progress of a replay.
#[derive(Debug)]
pub(super) struct ReplayProgress {
    replay: Arc<Replay>,
    /// The next of its steps, from 0.
    next: usize,
    /// The step of this session that did the last of them.
    done_in: Option<u32>,
}

impl ReplayProgress {
    pub(super) fn new(replay: Arc<Replay>) -> Self {
        Self { replay, next: 0, done_in: None }
    }
}

impl Run {
    /// The recorded step's decision, if it fits the screen; `None` if a model has to decide.
    pub(super) async fn replay_next(
        &mut self,
        observation: &mut Observation,
        step: &mut StepBuilder,
    ) -> Result<Option<Decision>, RunError> {
        if self.state.replay.is_none() {
            return Ok(None);
        }
        self.confirm_settled(observation, step).await?;
        let patience = self.observer.patience(&self.recorder, false);
        let patience = Observer::patience_of_act(patience);
        let begun = Instant::now();
        let read = self.observer.read_elements(&mut self.recorder, observation, patience).await;
        step.times.data_collection += millis(begun.elapsed());
        read?;
        self.enter(RunPhase::Deciding);
        let Some(progress) = &self.state.replay else { return Ok(None) };
        match self.fits(progress, observation) {
            Ok(decision) => self.do_again(decision, observation, step).await.map(Some),
            Err(why) => {
                self.hand_over(&why).await?;
                Ok(None)
            }
        }
    }

    fn fits(
        &self,
        progress: &ReplayProgress,
        observation: &Observation,
    ) -> Result<Decision, Mismatch> {
        if let Some(done_in) = progress.done_in {
            let last = self.session().visible_history().last();
            let done = matches!(last, Some(HistoryItem::Step(it)) if it.step == done_in && it.error.is_none());
            if !done {
                return Err(Mismatch::new("the step before it did not go as recorded"));
            }
        }
        let tree = observation.elements.tree();
        let tree = tree
            .ok_or_else(|| Mismatch::new("the phone does not list the elements of its screen"))?;
        let size = observation.frame.size();
        progress.replay.decide(progress.next, observation.app.as_deref(), &tree.elements, size)
    }

    /// Records the decision as that of a model.
    async fn do_again(
        &mut self,
        decision: Decision,
        observation: &mut Observation,
        step: &mut StepBuilder,
    ) -> Result<Decision, RunError> {
        let Some(progress) = &mut self.state.replay else {
            unreachable!("asked only while there is a replay")
        };
        let text = format!(
            "Step {} of session {} is repeated: its app is in front, and its element is there.",
            progress.next + 1,
            progress.replay.session
        );
        progress.next += 1;
        progress.done_in = self.recorder.session().in_progress.step;
        let prompt = Prompt::of(vec![Message::text(Role::User, text)]);
        self.notice_secret(&decision, observation).await?;
        let inner = self.acting_model();
        let model = Arc::new(ReplayedStep { inner, decision: decision.clone() });
        let mut exchange = self.models.exchange(model, CallPurpose::Act, prompt, Vec::new());
        let (recorder, costs) = (&mut self.recorder, &mut step.costs);
        let reply = self.models.send(recorder, &mut exchange, costs).await?;
        let record = ParsedRecord {
            action: ActionRecord::from(&decision.action),
            response: ResponseRecord::from(&decision),
        };
        exchange.log_reply(&mut self.recorder, &reply, Ok(Some(record)), &mut step.costs).await?;
        step.decision = Some(decision.clone());
        Ok(decision)
    }

    /// Ends the replay, and says in the record and to the model how far it came.
    async fn hand_over(&mut self, why: &Mismatch) -> Result<(), RunError> {
        let Some(ReplayProgress { replay, next, .. }) = self.state.replay.take() else {
            return Ok(());
        };
        let (session, all) = (replay.session, replay.len());
        let text = format!("step {} of session {session} is not repeated: {why}", next + 1);
        tracing::info!(session = %self.session().id, "{}", self.recorder.redact(&text));
        self.recorder
            .append(Fact::Note {
                kind: NoteKind::ReplayEnded.into(),
                text: text.clone(),
                figures: Map::from_iter([
                    ("session".to_owned(), json!(session.to_string())),
                    ("done".to_owned(), json!(next)),
                    ("of".to_owned(), json!(all)),
                ]),
            })
            .await?;
        let text = self.recorder.redact(&text).into_owned();
        self.updates.send_if_modified(|update| {
            update.replay_ended = Some(text.as_str().into());
            false
        });
        self.publish(text);
        if 0 < next {
            self.state.system_notes.push(format!(
                "The first {} repeated from an earlier run of this task, checking only what each step \
                 was aimed at. From here on the recorded steps no longer fit: go on from this screen, and check \
                 that what was done so far is right.",
                if next == 1 { "step was".to_owned() } else { format!("{next} steps were") }
            ));
        }
        Ok(())
    }
}

/// A model that says what is recorded.
#[derive(Debug)]
struct ReplayedStep {
    /// The model that goes on, should this one not: pictures are made for it.
    inner: Arc<dyn Model>,
    decision: Decision,
}

#[async_trait]
impl Model for ReplayedStep {
    fn name(&self) -> &str {
        REPLAY
    }

    fn profile(&self) -> &str {
        REPLAY
    }

    fn prices(&self) -> Option<Prices> {
        Some(Prices { input: 0.0, output: 0.0, cached: None })
    }

    fn picture(&self, frame: &Frame) -> Picture {
        self.inner.picture(frame)
    }

    fn prompt(&self, view: &StepInput<'_>) -> Prompt {
        Prompt::of(vec![Message::text(Role::User, view.request)])
    }

    async fn call(&self, _: &Prompt, _: Duration) -> Result<Reply, ModelError> {
        let action = ActionRecord::from(&self.decision.action);
        let text =
            json!({ "function": action.function, "arguments": action.arguments }).to_string();
        Ok(Reply { text, model: REPLAY.to_owned(), ..Reply::default() })
    }

    fn read(&self, _: &Reply, _: ScreenSize) -> Result<Decision, ParseError> {
        Ok(self.decision.clone())
    }
}
