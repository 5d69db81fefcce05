//! Looking at the phone and deciding on what is seen, which overlap: a model may be asked before the screen has
//! settled.
use super::observer::{Observation, Observer};
use super::outcome::RunError;
use super::step::StepBuilder;
use super::{Run, RunPhase};
use crate::gate::needs_elements;
use crate::{Action, ReplyMode, StopReason};

impl Run {
    /// Looks at the screen and has it decided on. If the screen was still moving when the model was shown it, looks
    /// again.
    pub(super) async fn look_and_decide(
        &mut self,
        step: &mut StepBuilder,
    ) -> Result<(Observation, Result<Action, RunError>), RunError> {
        let mut observation = self.observe_early(step).await?;
        loop {
            if !observation.is_early() {
                step.captioning = self.begin_caption(&observation);
            }
            self.observer.watch(&mut observation);
            match self.decide_with_progress(&mut observation, step).await {
                Err(err) if err.looks_again() => {
                    self.observer.goes_on_from(observation);
                    observation = self.observe_early(step).await?;
                }
                Err(err) if observation.is_early() => {
                    let (model, recorder) = (self.acting_model(), &mut self.recorder);
                    self.observer.record_as_seen(recorder, &model, &mut observation).await?;
                    return Ok((observation, Err(err)));
                }
                decided => return Ok((observation, decided)),
            }
        }
    }

    /// The next action. A model that repeats itself too often is replaced by the fallback model.
    async fn decide_with_progress(
        &mut self,
        observation: &mut Observation,
        step: &mut StepBuilder,
    ) -> Result<Action, RunError> {
        let mut notes = Vec::new();
        let decided = self.decide(&mut notes, observation, step).await;
        if decided.as_ref().is_err_and(RunError::looks_again) {
            // Nobody has acted on them.
            notes.append(&mut self.state.system_notes);
            self.state.system_notes = std::mem::take(&mut notes);
        }
        let mut decision = decided?;
        self.drop_caption_unless_last(&decision.action, step).await?;
        loop {
            let patience = self.observer.patience(&self.recorder, self.ends_run(&decision.action));
            let gesture = decision.action.gesture().filter(|it| needs_elements(it));
            if let Some(gesture) = gesture {
                observation.doubt_known_elements(gesture);
            }
            let acts = gesture.is_some();
            let patience = if acts { Observer::patience_of_act(patience) } else { patience };
            let reading = self.observer.read_elements(&mut self.recorder, observation, patience);
            step.looking(reading).await?;
            let Err(err) = self.check_progress(&observation.frame, &decision.action) else {
                return Ok(decision.action);
            };
            self.fall_back(err, observation).await?;
            step.decision = None;
            decision = self.decide(&mut notes, observation, step).await?;
        }
    }

    /// Looks at the phone for the acting model, which may be asked before the screen has settled.
    async fn observe_early(&mut self, step: &mut StepBuilder) -> Result<Observation, RunError> {
        self.enter(RunPhase::Looking);
        let model = self.acting_model();
        let looking = self.observer.observe_early(&mut self.recorder, &mut self.actor, &model);
        step.looking(looking).await
    }

    /// Looks at the phone for the acting model.
    pub(super) async fn observe(
        &mut self,
        step: &mut StepBuilder,
    ) -> Result<Observation, RunError> {
        self.enter(RunPhase::Looking);
        let model = self.acting_model();
        let looking = self.observer.observe(&mut self.recorder, &mut self.actor, &model);
        step.looking(looking).await
    }

    /// Records the elements of a step whose model failed, which ends the run.
    pub(super) async fn with_elements(
        &mut self,
        failure: RunError,
        observation: &mut Observation,
        step: &mut StepBuilder,
    ) -> RunError {
        if !matches!(failure.reason(), StopReason::ModelFailed | StopReason::NoProgress) {
            return failure;
        }
        let patience = self.observer.patience(&self.recorder, true);
        let reading = self.observer.read_elements(&mut self.recorder, observation, patience);
        match step.looking(reading).await {
            Ok(()) => failure,
            Err(err) => err,
        }
    }

    /// Whether this action ends the run.
    fn ends_run(&self, action: &Action) -> bool {
        match action {
            Action::Complete { .. } | Action::Abort { .. } => true,
            // An act that the user has approved is not the end; its elements are worth the wait.
            Action::Info(_) | Action::Confirm { .. } => self.reply_mode == ReplyMode::PassToClient,
            Action::Gesture(_) | Action::Wait(_) | Action::Note { .. } => false,
        }
    }
}
