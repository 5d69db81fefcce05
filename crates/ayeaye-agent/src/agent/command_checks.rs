//! What is looked at before a person is asked about a command: nobody is asked about what is refused whatever they say.
use super::{Agent, AgentError};
use crate::DirectAction;
use crate::gate::{GateDecision, GateHistory, GateRequest, ScreenFacts, UserWords, judge};

impl Agent {
    /// Whether the policy refuses a command in its session. Nothing is done or recorded: who carries it out all the same
    /// is told why.
    ///
    /// # Errors
    ///
    /// If the session cannot take it: it is unknown, another phone's, or at work.
    pub async fn would_refuse(&self, act: &DirectAction) -> Result<bool, AgentError> {
        let mut profiles = Vec::new();
        let mut owner = act.principal.clone();
        if let Some(id) = act.session_id {
            self.ensure_visible(id, &act.principal).await?;
            self.ensure_can_act(id, &self.device_names(&act.device_id).await).await?;
            let session = self.read_session(id).await?;
            (profiles, owner) = (session.policy.clone(), session.owner.clone());
        }
        let policy = self.deps.policy.of_session(owner.name(), &profiles);
        // A command is judged by itself: what is on the screen does not matter.
        let verdict = judge(
            &policy,
            &GateRequest {
                words: &UserWords::default(),
                gesture: &act.gesture,
                package: "",
                activity: "",
                label: "",
                screen: &ScreenFacts::default(),
                history: &GateHistory { by_client: true, ..GateHistory::default() },
                marked: false,
            },
        );
        Ok(matches!(verdict.decision, GateDecision::Deny(_)))
    }
}
