//! The run of one direct action: a step that the client decided instead of a model.
//!
//! An open round and an open question of the agent stay open, so that it can resume where it stopped.
mod result;

use std::sync::{Arc, OnceLock};

use serde_json::Map;
use tokio::time::Instant;

pub use self::result::{DirectOutcome, DirectResult, ScreenAfter};
use super::act::SECRET_FORGOTTEN;
use super::gate::{DecidedBy, is_agreed_act, refusal};
use super::named_app::named_by_package;
use super::observer::Observation;
use super::outcome::{RunEnd, RunError, StepOutcome};
use super::step::StepBuilder;
use super::{ResumeKind, Run, millis};
use crate::approval::is_same_act_later;
use crate::event::GateRecord;
use crate::gate::{GateDecision, Rule, needs_elements};
use crate::journal::{AgentType, Fact, NoteKind, ResumeReason, StepStart};
use crate::report::DIRECT_REQUEST;
use crate::secret_text::{SecretKind, find_secrets};
use crate::session::CLIENT;
use crate::{
    Action, Agreed, ApprovalRequest, Decision, DeviceError, Gesture, Key, StopReason, error_chain,
    settle,
};

const DIRECT_ROUND: &str = "In this round the client acts on the phone itself.";
pub(crate) const LEFT_TO_CLIENT: &str =
    "the client acts on the phone itself; the session can be handed to the agent";
const LEFT_BY_PERSON: &str =
    "a person acts on the phone by hand; the session can be handed to the agent";
const WAS_DARK: &str = "the screen was off, so nobody can have seen what this was aimed at; it has \
    been switched on and nothing else was done";
const NO_FIELD: &str =
    "nothing was typed: no text field is in focus. Give x and y of the field, or tap it first";
const NOT_APPROVED: &str = "a person has to agree to it first";
const STAYS_DARK: &str = "the screen is off and could not be made ready";

/// A direct action, and the place for its result.
#[derive(Debug)]
pub(crate) struct DirectRequest {
    pub(crate) gesture: Gesture,
    /// Why, in the client's words; may be empty.
    pub(crate) reason: String,
    /// The typed text is secret: it is recorded nowhere.
    pub(crate) secret: bool,
    /// A person does it with their own hands.
    pub(crate) by_hand: bool,
    /// What a person has agreed to.
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

/// What the gate says of a direct action.
enum Gated {
    /// Whether it is what a person has agreed to, whatever the gate says of it now.
    Passes {
        record: GateRecord,
        was_agreed: bool,
    },
    Refused(Rule, String),
    /// Nobody need be asked: there is nothing that would take the text.
    InVain,
    Asks(ApprovalRequest),
}

/// Why the gate has stopped a direct action.
enum GateStop {
    Refused(Rule),
    NeedsApproval(Box<ApprovalRequest>),
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
        let mut was_agreed = false;
        let acted = Box::pin(self.act_once(request, &mut step, &mut was_agreed)).await;
        match &acted {
            Ok(Acted::NotDone(why) | Acted::Refused(_, why)) => step.error = Some(why.clone()),
            Ok(Acted::NeedsApproval(_)) => step.error = Some(NOT_APPROVED.to_owned()),
            Ok(Acted::Performed(_)) | Err(_) => {}
        }
        // The end of the step clears it.
        let open = &self.session().in_progress;
        let doubt = open.decision.is_some() && open.outcome.as_ref().is_some_and(|it| it.unknown);
        let failed = match &acted {
            Err(err) => Some(error_chain(err)),
            Ok(_) => step.error.clone(),
        };
        let end = acted.as_ref().err().map(|err| RunEnd::new(err.reason(), error_chain(err)));
        let note = step.note.take();
        self.end_step(step, end.as_ref()).await?;
        let (shown, stopped, ended) = match acted {
            Ok(Acted::Performed(shown)) => (shown, None, Ok(())),
            Ok(Acted::NotDone(_)) => (None, None, Ok(())),
            Ok(Acted::Refused(rule, _)) => (None, Some(GateStop::Refused(rule)), Ok(())),
            Ok(Acted::NeedsApproval(asked)) => (None, Some(GateStop::NeedsApproval(asked)), Ok(())),
            Err(err) => (None, None, Err(err)),
        };
        let session = self.session();
        let Some(line) = session.last_step().cloned() else { return ended };
        let result = DirectResult {
            session_id: session.id,
            step: number,
            line,
            outcome: match (stopped, failed) {
                (Some(GateStop::NeedsApproval(asked)), _) => DirectOutcome::NeedsApproval(asked),
                (Some(GateStop::Refused(rule)), Some(why)) => {
                    DirectOutcome::Refused(rule, self.recorder.redact(&why).into_owned())
                }
                (_, None) => DirectOutcome::Done,
                (_, Some(why)) if doubt => {
                    DirectOutcome::Doubtful(self.recorder.redact(&why).into_owned())
                }
                (_, Some(why)) => DirectOutcome::NotDone(self.recorder.redact(&why).into_owned()),
            },
            was_agreed,
            note: note.map(|note| self.recorder.redact(&note).into_owned()),
            shown,
            pictured: session.report(true).screenshot_step == Some(number),
        };
        request.result.get_or_init(|| result);
        ended
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
    async fn act_once(
        &mut self,
        request: &DirectRequest,
        step: &mut StepBuilder,
        was_agreed: &mut bool,
    ) -> Result<Acted, RunError> {
        let mut observation = match self.observe_directly(&request.gesture, step).await? {
            Ok(observation) => observation,
            Err(why) => return Ok(Acted::NotDone(why)),
        };
        // The client can send a forgotten secret again: no question is needed.
        if self.restore_gesture(&request.gesture).is_none() {
            return Ok(Acted::NotDone(SECRET_FORGOTTEN.to_owned()));
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
        self.observer.read_elements(&mut self.recorder, &mut observation, patience).await?;
        if let Some(err) = observation.elements.unreachable() {
            return Err(RunError::DeviceLost(err.clone()));
        }
        let named = match named_by_package(&*self.device, &self.policy(), &request.gesture).await {
            Ok(named) => named,
            Err(err) => {
                return Ok(Acted::NotDone(format!("not carried out: {}", error_chain(&err))));
            }
        };
        let was_locked = observation.state.locked;
        let gate = match self.ask_gate(request, &named, &observation).await? {
            Gated::Passes { record, was_agreed: it } => {
                *was_agreed = it;
                record
            }
            Gated::InVain => return Ok(Acted::NotDone(NO_FIELD.to_owned())),
            Gated::Refused(rule, why) => return Ok(Acted::Refused(rule, why)),
            Gated::Asks(asked) => return Ok(Acted::NeedsApproval(Box::new(asked))),
        };
        // Of an app with several icons the name tells which is meant.
        let opens = matches!(named, Gesture::Awake { .. });
        let gesture = if opens { &request.gesture } else { &named };
        let StepOutcome::Continue = self.perform(gesture, None, gate, observation, step).await?
        else {
            return Ok(Acted::Performed(None));
        };
        let outcome = self.session().in_progress.outcome.as_ref();
        let has_failed = outcome.is_some_and(|it| !it.success && !it.unknown);
        let after = if has_failed { None } else { self.screen_after().await };
        if was_locked && after.as_ref().is_some_and(|it| it.awake && !it.locked) {
            // Whatever was not certain: it was right.
            step.uncertain = None;
            step.note = Some("the phone is unlocked now".to_owned());
        }
        Ok(Acted::Performed(after))
    }

    /// What the gate says of an action that the client has decided on itself.
    async fn ask_gate(
        &mut self,
        request: &DirectRequest,
        gesture: &Gesture,
        observation: &Observation,
    ) -> Result<Gated, RunError> {
        let by = DecidedBy::Client { secret: request.secret, by_hand: request.by_hand };
        let mut judged = self.verdict_on(gesture, None, observation, by);
        let is_that_act = match &request.agreed {
            Agreed::Nothing => false,
            Agreed::Command => matches!(request.gesture, Gesture::Command(_)),
            Agreed::Act(asked) => {
                asked.act.as_ref().is_some_and(|asked| match &judged.record.act {
                    Some(act) => is_same_act_later(asked, act),
                    // Nobody need be asked about it by now.
                    None => is_agreed_act(asked, &judged.act, gesture),
                })
            }
        };
        let question = match &judged.verdict.decision {
            GateDecision::Allow => {
                return Ok(Gated::Passes { record: judged.record, was_agreed: is_that_act });
            }
            GateDecision::Deny(_) => {
                let why = refusal(&judged.verdict);
                self.note_verdict(&judged, &why).await?;
                return Ok(Gated::Refused(judged.verdict.rule, why));
            }
            // Nobody is asked about what would do nothing.
            GateDecision::Confirm(_)
                if matches!(gesture, Gesture::Type { point: None, .. })
                    && observation.has_no_field() =>
            {
                return Ok(Gated::InVain);
            }
            GateDecision::Confirm(ask) => self.question_text_of(ask),
        };
        let agreed = is_that_act
            && match &request.agreed {
                Agreed::Act(asked) => asked.class == judged.record.class,
                Agreed::Nothing | Agreed::Command => true,
            };
        if agreed {
            let mut record = judged.record;
            GateDecision::Allow.name().clone_into(&mut record.verdict);
            Rule::Approved.name().clone_into(&mut record.rule);
            record.act = None;
            return Ok(Gated::Passes { record, was_agreed: true });
        }
        self.note_verdict(&judged, &question).await?;
        judged.record.evidence = self.recorder.redact(&judged.record.evidence).into_owned();
        Ok(Gated::Asks(ApprovalRequest { question, act: judged.record }))
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
            if let Err(why) = self.actor.wake(&mut self.recorder).await?.result {
                return Ok(Err(format!("{STAYS_DARK}: {}", error_chain(&why))));
            }
            let is_aimed = !matches!(
                gesture,
                Gesture::HotKey { .. } | Gesture::Awake { .. } | Gesture::Command(_)
            );
            if is_aimed {
                return Ok(Err(WAS_DARK.to_owned()));
            }
            self.observer.may_have_changed();
            (capture, state) = self.observer.capture(&mut self.recorder).await?.map_err(lost)?;
        }
        let model = self.acting_model();
        let observation = self.observer.record(&mut self.recorder, &model, capture, &state).await?;
        step.times.data_collection += millis(begun.elapsed());
        Ok(Ok(observation))
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
