//! The agents of a session: each has its own numbers and its own state.
use std::collections::BTreeMap;

use crate::event::{AgentState, AgentType, RecordedWord};

/// The agent that carries out a whole request by itself, as the record names it.
pub(crate) const APP_AGENT: &str = AgentType::AppAgent.name();

/// The agent that splits a request over apps, as the record names it.
pub(crate) const HOST_AGENT: &str = AgentType::HostAgent.name();

/// The client that acts itself, as the record names it among the agents.
pub(crate) const CLIENT: &str = AgentType::Client.name();

/// The evaluating model, as the record names it among the agents.
pub(crate) const JUDGE: &str = "EvaluationAgent";

/// Longest name of an agent; it names a folder in some logs.
const MAX_NAME_CHARS: usize = 120;

/// The counters and the state of each agent of a session.
#[derive(Debug, Clone, Default)]
pub struct Agents {
    by_name: BTreeMap<String, AgentCounters>,
}

/// The numbers of one agent.
#[derive(Debug, Clone)]
pub(crate) struct AgentCounters {
    /// Steps begun.
    pub(crate) steps: u32,
    /// Requests to models; asking again is part of the request.
    pub(crate) requests: u32,
    pub(crate) state: RecordedWord<AgentState>,
}

impl Default for AgentCounters {
    fn default() -> Self {
        Self { steps: 0, requests: 0, state: AgentState::Continue.into() }
    }
}

impl Agents {
    /// One that has done nothing yet is at its beginning.
    pub(crate) fn get(&self, agent: &str) -> AgentCounters {
        self.by_name.get(agent).cloned().unwrap_or_default()
    }

    pub(super) fn begin_step(&mut self, agent: &str, number: u32) {
        let counted = self.get_mut(agent);
        counted.steps = counted.steps.max(number.saturating_add(1));
    }

    pub(super) fn count_request(&mut self, agent: &str, number: u32) {
        let counted = self.get_mut(agent);
        counted.requests = counted.requests.max(number);
    }

    pub(super) fn set_state(&mut self, agent: &str, state: &RecordedWord<AgentState>) {
        self.get_mut(agent).state = state.clone();
    }

    fn get_mut(&mut self, agent: &str) -> &mut AgentCounters {
        self.by_name.entry(agent.to_owned()).or_default()
    }
}

/// The agent that works in one app: a name that is also safe as that of a folder.
pub(super) fn agent_of_app(package: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = package.chars().map(safe).take(MAX_NAME_CHARS).collect();
    format!("{APP_AGENT}_{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_named_by_its_app_and_safely() {
        assert_eq!(agent_of_app("com.example.chat"), "AppAgent_com.example.chat");
        assert_eq!(agent_of_app("../a b/ö"), "AppAgent_.._a_b__");
        assert_eq!(agent_of_app(&"x".repeat(500)).len(), MAX_NAME_CHARS + "AppAgent_".len());
    }

    #[test]
    fn numbers_never_go_back() {
        let mut agents = Agents::default();
        agents.begin_step("HostAgent", 3);
        agents.begin_step("HostAgent", 1);
        agents.count_request("HostAgent", 2);
        agents.set_state("HostAgent", &AgentState::Assign.into());
        let host = agents.get("HostAgent");
        assert_eq!((host.steps, host.requests, host.state), (4, 2, AgentState::Assign.into()));
        let other = agents.get("AppAgent");
        assert_eq!((other.steps, other.requests, other.state), (0, 0, AgentState::Continue.into()));
    }
}
