//! A run of one step that the client has decided: no model is asked, all else is as in any step.
//!
//! The agent's round stays open behind it and a question that waits goes on waiting, so that the
//! agent can take over again where it stopped.
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Map;
use tokio::time::{Instant, sleep_until, timeout};

use super::act::{FORGOTTEN, WAKE};
use super::look::{Seen, millis};
use super::{Draft, ResumeKind, Run, RunEnd};
use crate::error_chain;
use crate::journal::{Fact, SessionResume, StepStart};
use crate::privacy::{SecretKind, find_secrets};
use crate::report::StepSummary;
use crate::session::{CLIENT, DIRECT, DIRECT_ASKED};
use crate::{
    Action, Component, Decision, Gesture, Key, ScreenSize, ScreenState, SessionId, StopReason,
    settle,
};

/// The request of a round that is the client's own.
pub(crate) const DIRECT_REQUEST: &str = "Direct control by the client";

const DIRECT_ROUND: &str = "In this round the client acts on the phone itself.";
const GONE_ON: &str = "the client acts on the phone itself; the session can be handed to the agent";
const WAS_DARK: &str = "the screen was off, so nobody can have seen what this was aimed at; it has \
    been switched on and nothing else was done";
const STAYS_DARK: &str = "the screen is off and could not be made ready";

/// What is to be done, and where it is told what came of it.
#[derive(Debug)]
pub(crate) struct DirectRequest {
    pub(crate) gesture: Gesture,
    /// Why, in the client's words; may be empty.
    pub(crate) reason: String,
    /// What is typed is nobody else's business.
    pub(crate) secret: bool,
    pub(crate) acted: Arc<OnceLock<DirectResult>>,
}

/// What a client's act has come to.
#[derive(Debug, Clone)]
pub struct DirectResult {
    /// The session it stands in.
    pub session_id: SessionId,
    /// Its step, from 0.
    pub step: u32,
    /// The act as it is recorded: without secrets.
    pub line: StepSummary,
    /// Whether it was done.
    pub outcome: DirectOutcome,
    /// The screen afterwards, where it could be seen.
    pub shown: Option<ScreenAfter>,
    /// Whether a picture of the screen before it is kept.
    pub pictured: bool,
}

/// Whether something was done to a phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectOutcome {
    /// It was.
    Done,
    /// It was not, and why.
    NotDone(String),
    /// Nobody knows, and why.
    Doubtful(String),
}

/// A screen after an act.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenAfter {
    /// It does not look as before.
    pub changed: bool,
    /// It stood still before the limit.
    pub settled: bool,
    /// The display is on.
    pub awake: bool,
    /// A lock screen is in front.
    pub locked: bool,
    /// The app in front, when the phone says.
    pub app: Option<Component>,
    /// The soft keyboard is shown.
    pub keyboard_shown: bool,
    /// The field in focus hides what is typed into it.
    pub secret_field: bool,
    /// In pixels, as the phone is held.
    pub size: ScreenSize,
}

impl Run {
    /// Does it, and records that; the session is left as one that can be gone on with.
    pub(crate) async fn act(mut self, hand: DirectRequest, lease: impl Send) {
        let run_end = match self.run_direct(&hand).await {
            Err(run_end) if self.ends_more_than_the_act(run_end.reason) => run_end,
            Ok(()) | Err(_) => self.left_to_client(),
        };
        self.finish(run_end, lease).await;
    }

    async fn run_direct(&mut self, hand: &DirectRequest) -> Result<(), RunEnd> {
        if hand.secret
            && let Gesture::Type { text, .. } = &hand.gesture
        {
            self.secrets.add_answer(SecretKind::Marked, text);
        }
        for (kind, secret) in find_secrets(&hand.reason) {
            self.secrets.add(kind, secret);
        }
        self.mend().await?;
        self.begin_direct().await?;
        let decision = Decision {
            action: Action::Gesture(hand.gesture.clone()),
            thought: String::new(),
            explain: hand.reason.clone(),
            summary: String::new(),
            observation: String::new(),
        };
        let mut draft = Draft { decision: Some(decision), ..Draft::default() };
        let step = self.begin_client_step().await?;
        let outcome = self.act_once(hand, &mut draft).await;
        // Ending the step forgets it.
        let open = &self.session.in_progress;
        let doubt = open.decision.is_some() && open.outcome.as_ref().is_some_and(|it| it.unknown);
        let failed = match &outcome {
            Err(run_end) => Some(run_end.message.clone()),
            Ok(_) => draft.error.clone(),
        };
        self.end_step(draft, outcome.as_ref().err()).await?;
        let (shown, run_end) = match outcome {
            Ok(shown) => (shown, Ok(())),
            Err(run_end) => (None, Err(run_end)),
        };
        let Some(line) = self.session.last_step().cloned() else { return run_end };
        let acted = DirectResult {
            session_id: self.session.id,
            step,
            line,
            outcome: match failed {
                None => DirectOutcome::Done,
                Some(why) if doubt => DirectOutcome::Doubtful(self.hide(&why).into_owned()),
                Some(why) => DirectOutcome::NotDone(self.hide(&why).into_owned()),
            },
            shown,
            pictured: self.session.report(true).screenshot_step == Some(step),
        };
        hand.acted.get_or_init(|| acted);
        run_end
    }

    /// Opens the run, and a round of the client's own where none of the agent's is open.
    async fn begin_direct(&mut self) -> Result<(), RunEnd> {
        let first = matches!(self.resume_kind, ResumeKind::First);
        self.resume_kind = ResumeKind::Continue;
        if !first {
            if self.session.stopped.is_none() {
                self.record_crash().await?;
            }
            let run = self.facts.clone();
            let why = if self.session.question.is_some() { DIRECT_ASKED } else { "direct" };
            let why = why.to_owned();
            self.append(Fact::SessionResume(SessionResume { why, run })).await?;
        }
        if self.session.history.is_empty() {
            self.begin_round(0).await?;
        } else if !self.session.round_open {
            DIRECT_REQUEST.clone_into(&mut self.session.request);
            self.begin_round(self.session.round + 1).await?;
        } else {
            return Ok(());
        }
        if self.session.request != DIRECT_REQUEST {
            return Ok(());
        }
        self.append(Fact::Note {
            kind: DIRECT.to_owned(),
            text: DIRECT_ROUND.to_owned(),
            figures: Map::new(),
        })
        .await
    }

    async fn begin_client_step(&mut self) -> Result<u32, RunEnd> {
        let counts = self.session.counts;
        let own = self.session.agents.get(CLIENT);
        let fact = Fact::StepStart(StepStart {
            agent_type: CLIENT.to_owned(),
            round_step: counts.round_steps,
            agent_step: own.steps,
            subtask: self.session.request.clone(),
            subtask_index: 0,
            request_number: own.requests + 1,
        });
        self.write_of(Some(CLIENT), Some(counts.steps), fact).await?;
        Ok(counts.steps)
    }

    /// Looks, acts, and looks again. What went wrong with the act stands in the draft.
    async fn act_once(
        &mut self,
        hand: &DirectRequest,
        draft: &mut Draft,
    ) -> Result<Option<ScreenAfter>, RunEnd> {
        let Some(mut seen) = self.look_by_hand(&hand.gesture, draft).await? else {
            return Ok(None);
        };
        // Nobody is asked for a secret that was forgotten: the client can give it again.
        if self.unsealed(&hand.gesture).is_none() {
            draft.error = Some(FORGOTTEN.to_owned());
            return Ok(None);
        }
        if let Some(decision) = &draft.decision {
            self.notice_secret(decision, &mut seen).await?;
        }
        let patience = self.patience(&Action::Gesture(hand.gesture.clone()));
        self.know_elements(&mut seen, patience).await?;
        self.perform(&hand.gesture, seen, draft).await?;
        let not_done =
            self.session.in_progress.outcome.as_ref().is_some_and(|it| !it.success && !it.unknown);
        if not_done { Ok(None) } else { Ok(self.look_after().await) }
    }

    /// A look at the screen as it is, also at one that reads as black. What is aimed at something on
    /// a dark screen was not decided on what it shows when it is lit.
    async fn look_by_hand(
        &mut self,
        gesture: &Gesture,
        draft: &mut Draft,
    ) -> Result<Option<Seen>, RunEnd> {
        let begun = Instant::now();
        self.memory.last_screen = None;
        let (mut look, mut state) = self.screen_now().await?;
        if !state.awake && !matches!(gesture, Gesture::HotKey { key: Key::Power }) {
            if let Err(why) = self.light_up().await? {
                draft.error = Some(format!("{STAYS_DARK}: {why}"));
                return Ok(None);
            }
            if !matches!(gesture, Gesture::HotKey { .. } | Gesture::Awake { .. }) {
                draft.error = Some(WAS_DARK.to_owned());
                return Ok(None);
            }
            (look, state) = self.screen_now().await?;
        }
        let seen = self.take_in(look, &state).await?;
        self.append(Fact::Observe(seen.facts.clone())).await?;
        draft.times.data_collection += millis(begun.elapsed());
        Ok(Some(seen))
    }

    /// A client does not wait for a phone that has gone away: it can try again itself.
    async fn screen_now(&mut self) -> Result<(settle::ScreenCapture, ScreenState), RunEnd> {
        let seen = self.settled_screen().await?;
        seen.map_err(|err| RunEnd::new(StopReason::DeviceLost, error_chain(&err)))
    }

    /// Switches the display on; the inner error says why that was not enough.
    async fn light_up(&mut self) -> Result<Result<(), String>, RunEnd> {
        self.cancel.check()?;
        let id = self.announce(WAKE, Map::new()).await?;
        let begun = Instant::now();
        let outcome = self.device.wake().await;
        let took = millis(begun.elapsed());
        let (told, doubt) = match &outcome {
            Ok(()) => (Ok("awake".to_owned()), false),
            Err(err) => (Err(error_chain(err)), err.may_have_acted()),
        };
        self.settle_account(id, told, doubt, took).await?;
        Ok(outcome.map_err(|err| error_chain(&err)))
    }

    /// The screen once it has come to rest. The act is over: trouble with this is no trouble with it.
    async fn look_after(&mut self) -> Option<ScreenAfter> {
        let (before, over) = self.memory.last_gesture.take()?;
        let rule = self.deps.limits.settle;
        let device = self.device.clone();
        let looking = async {
            sleep_until(over + rule.first_look).await;
            let look = settle::settle(&*device, &rule, Some(&before), over).await?;
            Ok::<_, crate::DeviceError>((look, device.state().await?))
        };
        let limit = rule.cap + Duration::from_secs(5);
        let (look, state) = match self.cancel.race(timeout(limit, looking)).await {
            Ok(Ok(Ok(seen))) => seen,
            Ok(Ok(Err(err))) => {
                tracing::warn!(device = %self.device.id(), "after an act: {}", error_chain(&err));
                return None;
            }
            Ok(Err(_)) | Err(_) => return None,
        };
        Some(ScreenAfter {
            changed: !settle::looks_same(&before, &look.frame),
            settled: look.settled,
            awake: state.awake,
            locked: state.locked,
            app: state.foreground,
            keyboard_shown: state.keyboard_shown,
            secret_field: state.secret_field,
            size: look.frame.size(),
        })
    }

    /// A question that waits goes on waiting.
    fn left_to_client(&self) -> RunEnd {
        match &self.session.question {
            Some(question) => RunEnd::new(StopReason::InfoActionNeedsReply, question.text.clone()),
            None => RunEnd::new(StopReason::UserPaused, GONE_ON),
        }
    }

    /// Tells the model, once, what was done behind its back.
    pub(super) fn tell_of_client(&mut self) {
        let by_client = &self.session.client_activity;
        if by_client.steps == 0 {
            return;
        }
        let steps = by_client.steps;
        self.memory.system_notes.push(format!(
            "Since your last step the client has acted on the phone itself, not you ({steps} \
             {}): {}. The screen may not be as you left it: look anew and go on from what you see \
             now.",
            if steps == 1 { "step" } else { "steps, here the last of them" },
            by_client.lines.join("; ")
        ));
    }

    /// Whether more is wrong than that the act was not done. A question waits on, also when an act is
    /// taken back meanwhile.
    fn ends_more_than_the_act(&self, reason: StopReason) -> bool {
        match reason {
            StopReason::StorageFailed => true,
            StopReason::Cancelled | StopReason::ServerRestarted => self.session.question.is_none(),
            _ => false,
        }
    }
}
