//! The run of one direct action: a step that the client decided instead of a model.
//!
//! An open round and an open question of the agent stay open, so that it can resume where it stopped.
mod acted_by;
mod gated;
mod result;

use std::sync::{Arc, OnceLock};

use serde_json::Map;
use tokio::time::Instant;

pub use self::acted_by::ActedBy;
use self::acted_by::LEFT_BY_PERSON;
pub(crate) use self::acted_by::LEFT_TO_CLIENT;
use self::gated::Gated;
pub use self::result::{DirectOutcome, DirectResult, ScreenAfter};
use super::act::SECRET_FORGOTTEN;
use super::named_app::named_by_package;
use super::observer::{Observation, WAS_OFF_AFTERWARDS};
use super::outcome::{RunEnd, RunError, StepOutcome};
use super::same_screen::needs_light;
use super::step::StepBuilder;
use super::{ResumeKind, Run, millis};
use crate::event::GateRecord;
use crate::gate::{Rule, needs_elements};
use crate::journal::{AgentType, Fact, NoteKind, ResumeReason, StepStart};
use crate::report::DIRECT_REQUEST;
use crate::secret_text::{SecretKind, find_secrets};
use crate::session::CLIENT;
use crate::{
    Action, Agreed, ApprovalRequest, Decision, DeviceError, Gesture, Key, StopReason, error_chain,
    settle,
};

const DIRECT_ROUND: &str = "In this round the client acts on the phone itself.";
const WAS_DARK: &str = "the screen was off, so nobody can have seen what this was aimed at; it has \
    been switched on and nothing else was done";
const NO_FIELD: &str =
    "nothing was typed: no text field is in focus. Give x and y of the field, or tap it first";
const NOT_APPROVED: &str = "a person has to agree to it first";
const STAYS_DARK: &str = "the screen is off and could not be made ready";

/// A direct action, and where its result is sent.
#[derive(Debug)]
pub(crate) struct DirectRequest {
    pub(crate) gesture: Gesture,
    /// Why, in the client's words; may be empty.
    pub(crate) reason: String,
    /// The typed text is secret: it is recorded nowhere.
    pub(crate) secret: bool,
    /// A person does it on the page, not a client's model.
    pub(crate) by_hand: bool,
    /// The act that a person has agreed to, if any.
    pub(crate) agreed: Agreed,
    pub(crate) result: Arc<OnceLock<DirectResult>>,
}

/// What came of a direct action.
enum Acted {
    /// The phone was told: what its screen shows afterwards, unless that failed.
    Performed(Option<ScreenAfter>),
    /// The phone was not told, and why.
    NotDone(String),
    /// The gate refuses it by this rule, and why.
    Refused(Rule, String),
    NeedsApproval(Box<ApprovalRequest>),
}

/// A direct action that is over.
struct DirectAct {
    acted: Result<Acted, RunError>,
    /// Whether it is what a person has agreed to.
    was_agreed: bool,
}

/// A direct action that the gate lets pass.
struct PassedAct {
    /// The action, by the package of the app that it names.
    named: Gesture,
    observation: Observation,
    gate: GateRecord,
    was_agreed: bool,
}

impl Run {
    /// Carries out the action. The session can be resumed afterwards.
    pub(crate) async fn act(mut self, request: DirectRequest, lease: impl Send) {
        self.is_direct = true;
        let end = match self.run_direct(&request).await {
            Err(err) if self.ends_more_than_the_act(err.reason()) => err.into(),
            Ok(()) | Err(_) => self.left_to_client(request.by_hand),
        };
        self.finish(end, lease).await;
    }

    async fn run_direct(&mut self, request: &DirectRequest) -> Result<(), RunError> {
        self.learn_secrets(request);
        self.recover().await?;
        self.begin_direct().await?;
        // Words are left for the agent; by a policy that was left the session is narrowed for the client too.
        self.replies().await?;
        self.put_back_settings().await?;
        let decision = Decision {
            action: Action::Gesture(request.gesture.clone()),
            thought: String::new(),
            explain: request.reason.clone(),
            summary: String::new(),
            observation: String::new(),
        };
        let mut step = StepBuilder { decision: Some(decision), ..StepBuilder::default() };
        let number = self.begin_client_step().await?;
        let DirectAct { acted, was_agreed } = Box::pin(self.act_once(request, &mut step)).await;
        match &acted {
            Ok(Acted::NotDone(why) | Acted::Refused(_, why)) => step.error = Some(why.clone()),
            Ok(Acted::NeedsApproval(_)) => step.error = Some(NOT_APPROVED.to_owned()),
            Ok(Acted::Performed(_)) | Err(_) => {}
        }
        // The end of the step clears it.
        let open = &self.session().in_progress;
        let doubt = open.decision.is_some() && open.outcome.as_ref().is_some_and(|it| it.unknown);
        let end = acted.as_ref().err().map(|err| RunEnd::new(err.reason(), error_chain(err)));
        let (failed, note) = (step.error.clone(), step.note.take());
        let device_error = match &acted {
            Err(RunError::DeviceLost(err)) => Some(err.clone()),
            _ => step.device_error.take(),
        };
        self.end_step(step, end.as_ref()).await?;
        let (acted, ended) = match acted {
            Ok(acted) => (acted, Ok(())),
            Err(err) => (Acted::NotDone(error_chain(&err)), Err(err)),
        };
        let session = self.session();
        let Some(line) = session.last_step().cloned() else { return ended };
        let (outcome, shown) = self.outcome_of(acted, failed, doubt);
        let result = DirectResult {
            session_id: session.id,
            step: number,
            line,
            outcome,
            device_error,
            was_agreed,
            note: note.map(|note| self.recorder.redact(&note).into_owned()),
            shown,
            pictured: session.report(true).screenshot_step == Some(number),
        };
        request.result.get_or_init(|| result);
        ended
    }

    /// Learns what is secret in the action, so that it is recorded nowhere.
    fn learn_secrets(&mut self, request: &DirectRequest) {
        if let Gesture::Type { text, .. } = &request.gesture {
            // For this act alone: the next run of the session opens its record anew, and goes by the user's words.
            self.recorder.learn_named_in_typed(text);
        }
        if request.secret
            && let Gesture::Type { text, .. } = &request.gesture
        {
            self.recorder.secrets().add_answer(SecretKind::Marked, text);
        }
        self.recorder.secrets().add_of_model(&find_secrets(&request.reason));
    }

    /// What the client is told that came of it, and what the screen shows. `failed` says why the phone has failed to do
    /// what it was told; where there is `doubt`, it may have been done.
    fn outcome_of(
        &self,
        acted: Acted,
        failed: Option<String>,
        doubt: bool,
    ) -> (DirectOutcome, Option<ScreenAfter>) {
        let redacted = |why: String| self.recorder.redact(&why).into_owned();
        let not_done = |why| {
            let why = redacted(why);
            if doubt { DirectOutcome::Doubtful(why) } else { DirectOutcome::NotDone(why) }
        };
        match acted {
            Acted::Performed(shown) => (failed.map_or(DirectOutcome::Done, not_done), shown),
            Acted::NotDone(why) => (not_done(why), None),
            Acted::Refused(rule, why) => (DirectOutcome::Refused(rule, redacted(why)), None),
            Acted::NeedsApproval(asked) => (DirectOutcome::NeedsApproval(asked), None),
        }
    }

    /// Begins the run, and a round of direct control unless a round is open.
    async fn begin_direct(&mut self) -> Result<(), RunError> {
        let kind = std::mem::replace(&mut self.resume_kind, ResumeKind::Continue);
        if !matches!(kind, ResumeKind::First) {
            let asked = self.session().question.is_some();
            self.resume(if asked { ResumeReason::DirectAsked } else { ResumeReason::Direct })
                .await?;
        }
        let session = self.session();
        if session.history.is_empty() {
            self.begin_round(0, session.request.clone()).await?;
        } else if !session.round_open {
            self.begin_round(session.round + 1, DIRECT_REQUEST.to_owned()).await?;
        }
        // The process may have died between the two.
        let session = self.session();
        if session.client_round || session.request != DIRECT_REQUEST {
            return Ok(());
        }
        let text = DIRECT_ROUND.to_owned();
        let note = Fact::Note { kind: NoteKind::DirectControl.into(), text, figures: Map::new() };
        self.recorder.append(note).await?;
        Ok(())
    }

    async fn begin_client_step(&mut self) -> Result<u32, RunError> {
        self.recorder.secrets().refresh();
        let session = self.session();
        let (counts, own) = (session.counts, session.agents.get(CLIENT));
        let start = StepStart {
            agent_type: AgentType::Client.into(),
            round_step: counts.round_steps,
            agent_step: own.steps,
            subtask: session.request.clone(),
            subtask_index: 0,
            request_number: own.requests + 1,
        };
        self.recorder.append_as(CLIENT, Some(counts.steps), Fact::StepStart(start)).await?;
        Ok(counts.steps)
    }

    /// Looks, acts, and looks again. An action that fails on the phone sets the error of the step.
    async fn act_once(&mut self, request: &DirectRequest, step: &mut StepBuilder) -> DirectAct {
        match self.pass_gate(request, step).await {
            Ok(Ok(passed)) => {
                let was_agreed = passed.was_agreed;
                let acted = Box::pin(self.perform_passed(request, passed, step)).await;
                DirectAct { acted, was_agreed }
            }
            Ok(Err(stopped)) => DirectAct { acted: Ok(stopped), was_agreed: false },
            Err(err) => DirectAct { acted: Err(err), was_agreed: false },
        }
    }

    /// Looks, and asks the gate. The inner error is what becomes of an action that is not carried out.
    async fn pass_gate(
        &mut self,
        request: &DirectRequest,
        step: &mut StepBuilder,
    ) -> Result<Result<PassedAct, Acted>, RunError> {
        let mut observation = match self.observe_directly(&request.gesture, step).await? {
            Ok(observation) => observation,
            Err(why) => return Ok(Err(Acted::NotDone(why))),
        };
        // The client can send a forgotten secret again: no question is needed.
        if self.restore_gesture(&request.gesture).is_none() {
            return Ok(Err(Acted::NotDone(SECRET_FORGOTTEN.to_owned())));
        }
        // What the gate waits for may take seconds, in which the screen can become another one.
        self.observer.watch(&mut observation);
        if let Some(decision) = &step.decision {
            self.notice_secret(decision, &mut observation).await?;
        }
        // The gate reads what a touch is aimed at, and what enter does.
        let patience = if needs_elements(&request.gesture) {
            self.observer.patience_of_direct_act(&self.recorder)
        } else {
            self.observer.patience(&self.recorder, false)
        };
        let reading = self.observer.read_elements(&mut self.recorder, &mut observation, patience);
        step.looking(reading).await?;
        if let Some(err) = observation.elements.unreachable() {
            return Err(RunError::DeviceLost(err.clone()));
        }
        let named = match named_by_package(&*self.device, &self.policy(), &request.gesture).await {
            Ok(named) => named,
            Err(err) => {
                let why = format!("not carried out: {}", error_chain(&err));
                return Ok(Err(Acted::NotDone(why)));
            }
        };
        Ok(match self.ask_gate(request, &named, &observation).await? {
            Gated::Passes { record: gate, was_agreed } => {
                Ok(PassedAct { named, observation, gate, was_agreed })
            }
            Gated::InVain => Err(Acted::NotDone(NO_FIELD.to_owned())),
            Gated::InTheDark => {
                let woken = self.wake_before_act().await?;
                Err(Acted::NotDone(woken.err().unwrap_or_else(|| WAS_DARK.to_owned())))
            }
            Gated::Refused(rule, why) => Err(Acted::Refused(rule, why)),
            Gated::Asks(asked) => Err(Acted::NeedsApproval(Box::new(asked))),
        })
    }

    async fn perform_passed(
        &mut self,
        request: &DirectRequest,
        act: PassedAct,
        step: &mut StepBuilder,
    ) -> Result<Acted, RunError> {
        let PassedAct { named, observation, gate, .. } = act;
        let was_locked = observation.state.locked;
        // Of an app with several icons the name tells which is meant.
        let opens = matches!(named, Gesture::Awake { .. });
        let gesture = if opens { &request.gesture } else { &named };
        let StepOutcome::Continue = self.perform(gesture, None, gate, observation, step).await?
        else {
            return Ok(Acted::Performed(None));
        };
        let outcome = self.session().in_progress.outcome.as_ref();
        let has_failed = outcome.is_some_and(|it| !it.success && !it.unknown);
        let after = if has_failed { None } else { step.looking(self.screen_after()).await };
        if was_locked && after.as_ref().is_some_and(|it| it.awake && !it.locked) {
            // Whatever was not certain: it was right.
            step.uncertain = None;
            step.note = Some("the phone is unlocked now".to_owned());
        }
        if needs_light(gesture) && after.as_ref().is_some_and(|it| !it.awake) {
            step.uncertain.get_or_insert_with(|| WAS_OFF_AFTERWARDS.to_owned());
        }
        Ok(Acted::Performed(after))
    }

    /// Observes the screen, even if black. A gesture aimed at a dark screen is not carried out once it is
    /// lit: it was not decided on what the screen shows then. The inner error says why not.
    async fn observe_directly(
        &mut self,
        gesture: &Gesture,
        step: &mut StepBuilder,
    ) -> Result<Result<Observation, String>, RunError> {
        let begun = Instant::now();
        // No waiting for a phone that has gone away: the client can try again itself.
        let lost = |err: DeviceError| RunError::DeviceLost(err);
        let (mut capture, mut state) =
            self.observer.capture(&mut self.recorder).await?.map_err(lost)?;
        let in_the_dark = match gesture {
            Gesture::HotKey { key: Key::Power } => true,
            Gesture::Command(command) => command.needs_no_screen(),
            _ => false,
        };
        if !state.awake && !in_the_dark {
            let woken = self.wake_before_act().await?;
            let is_aimed = !matches!(
                gesture,
                Gesture::HotKey { .. } | Gesture::Awake { .. } | Gesture::Command(_)
            );
            match woken {
                Err(why) => return Ok(Err(why)),
                Ok(()) if is_aimed => return Ok(Err(WAS_DARK.to_owned())),
                Ok(()) => {}
            }
            self.observer.may_have_changed();
            (capture, state) = self.observer.capture(&mut self.recorder).await?.map_err(lost)?;
        }
        let model = self.acting_model();
        let observation = self.observer.record(&mut self.recorder, &model, capture, &state).await?;
        step.times.data_collection += millis(begun.elapsed());
        Ok(Ok(observation))
    }

    /// Switches a dark screen on. The inner error says why an action is not carried out where that fails.
    async fn wake_before_act(&mut self) -> Result<Result<(), String>, RunError> {
        let woken = self.actor.wake(&mut self.recorder).await?.result;
        Ok(woken.map(drop).map_err(|why| format!("{STAYS_DARK}: {}", error_chain(&why))))
    }

    /// The settled screen after the action.
    async fn screen_after(&mut self) -> Option<ScreenAfter> {
        let (before, capture, state) = self.observer.after_gesture().await?;
        Some(ScreenAfter {
            changed: !settle::is_unchanged(&before, &capture.frame),
            settled: capture.settled,
            awake: state.awake,
            locked: state.locked,
            app: state.foreground,
            keyboard_shown: state.keyboard_shown,
            secret_field: state.secret_field,
            protected: state.protected,
            size: capture.frame.size(),
        })
    }

    /// The end of the run; an open question stays open.
    fn left_to_client(&self, by_hand: bool) -> RunEnd {
        if let Some(question) = &self.session().question {
            return RunEnd::new(StopReason::InfoActionNeedsReply, question.text.clone());
        }
        let by_whom = if by_hand { LEFT_BY_PERSON } else { LEFT_TO_CLIENT };
        RunEnd::new(StopReason::UserPaused, by_whom)
    }

    /// Whether an error affects more than the action. Cancelling an action does not close an open
    /// question.
    fn ends_more_than_the_act(&self, reason: StopReason) -> bool {
        match reason {
            StopReason::StorageFailed => true,
            StopReason::Cancelled | StopReason::ServerRestarted => {
                self.session().question.is_none()
            }
            _ => false,
        }
    }
}
