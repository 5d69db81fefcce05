//! What is reported of a session.
use super::state::{SessionPhase, SessionState};
use crate::StopReason;
use crate::privacy::holds_placeholder;
use crate::report::{Report, RunInfo, SECRETS_ARE_LOST, Usage, outcome_without_end};

impl SessionState {
    /// How a run ended whose end is not recorded: its process died, or nothing more could be recorded.
    pub(crate) fn crash_outcome(&self) -> (StopReason, String) {
        let asked = self.question.as_ref().map(|question| &*question.text);
        let (reason, mut message) = outcome_without_end(asked);
        if reason == StopReason::ServerRestarted && self.said_secrets() {
            message.push_str(SECRETS_ARE_LOST);
        }
        (reason, message)
    }

    /// Whether what the user has said for this request has secrets in it, which are not recorded.
    fn said_secrets(&self) -> bool {
        self.acts.words.iter().any(|it| holds_placeholder(it))
    }

    /// The report of a run that is about to begin, and has nothing of its own yet.
    pub fn initial_report(&self, run: RunInfo) -> Report {
        let mut report = self.report(true);
        report.run = run;
        report.local_steps = 0;
        report.steps.clear();
        report.usage = Usage { cost_known: report.usage.cost_known, ..Usage::default() };
        report.question = None;
        report
    }

    /// The report for continuing without an input: the open question again, however the run that asked it stopped.
    pub fn idle_report(&self) -> Report {
        let mut report = self.report(false);
        if let Some(question) = &self.question {
            report.stop_reason = StopReason::InfoActionNeedsReply;
            report.message = question.text.clone();
        }
        report
    }

    /// What speaks against a model's word that all is done: the last act of the round was refused, was only asked
    /// about, failed, or may have had no effect.
    /// Or the user has said no to an act of the round, which whatever was done since does not undo; or the policy has
    /// refused one, which only another of its kind may make up for.
    pub(crate) fn doubt_about_success(&self) -> Option<String> {
        let acts = &self.acts;
        let last = self.doubt.as_ref().map(|it| it.sentence.clone());
        last.or_else(|| acts.declined()).or_else(|| acts.denied())
    }

    /// The session's report. `running`: a run is under way in this process.
    pub fn report(&self, running: bool) -> Report {
        let (stop_reason, message) = match (&self.stopped, running) {
            (_, true) => {
                (StopReason::StillRunning, self.waits_for_device.clone().unwrap_or_default())
            }
            (Some((reason, message)), false) => (*reason, message.clone()),
            (None, false) => self.crash_outcome(),
        };
        Report {
            session_id: self.id,
            stop_reason,
            task: self.request.clone(),
            device: self.device.clone(),
            global_steps: self.counts.steps,
            local_steps: self.current_run.steps,
            final_action: self.current_run.final_action.clone(),
            message,
            question: self.question.clone(),
            answered: self.answered.clone(),
            steps: self.current_run.lines.clone(),
            usage: Usage { cost_known: self.counts.unpriced_calls == 0, ..self.current_run.usage },
            screenshot_step: self.current_run.screenshot_step,
            run: RunInfo {
                number: self.run_number,
                began: self.run_began,
                facts: self.run.clone(),
            },
            updated: self.updated,
            asked_at_step: self.asked_at_step,
            is_over: self.phase() == SessionPhase::Ended,
        }
    }
}
