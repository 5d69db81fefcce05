//! What an agent is made of.
use std::sync::Arc;

use crate::{DeviceId, DeviceSource, Journal, Limits, Model, PrivacySettings};

/// What an agent is made of.
#[derive(Debug)]
pub struct AgentDeps {
    /// Where phones are found; asked in this order.
    pub sources: Vec<Arc<dyn DeviceSource>>,
    /// Phones that no other process can reach, such as a virtual one in this process.
    pub in_process_devices: Vec<DeviceId>,
    /// What decides, plans and tells.
    pub models: Models,
    /// What is kept.
    pub journal: Arc<dyn Journal>,
    /// The bounds of every run.
    pub limits: Limits,
    /// Settings worth keeping with a session, never a key.
    pub config: serde_json::Map<String, serde_json::Value>,
    /// How much of what happens is kept.
    pub privacy: PrivacySettings,
    /// What judges whether a request was carried out, and when.
    pub judge: Option<Judge>,
}

/// The models by what they do. One may do it all.
#[derive(Debug, Clone)]
pub struct Models {
    /// Decides on the next action.
    pub act: Arc<dyn Model>,
    /// Takes over for the rest of a run when that one fails.
    pub fallback: Option<Arc<dyn Model>>,
    /// Splits requests over apps, as the host agent; its profile does not matter.
    pub plan: Arc<dyn Model>,
    /// Answers as the user would (`auto_reply`); its profile does not matter.
    pub reply: Arc<dyn Model>,
    /// Puts the last screen into words, where that is wanted; its profile does not matter.
    pub caption: Option<Arc<dyn Model>>,
}

impl Models {
    /// One model for everything that cannot be left out.
    pub fn one(model: Arc<dyn Model>) -> Self {
        Self {
            act: model.clone(),
            fallback: None,
            plan: model.clone(),
            reply: model,
            caption: None,
        }
    }
}

/// What judges whether a request was carried out.
#[derive(Debug, Clone)]
pub struct Judge {
    /// Asked in words and pictures; its profile does not matter.
    pub model: Arc<dyn Model>,
    /// After each round that has ended.
    pub rounds: bool,
    /// After each run that has ended a round, for the session so far.
    pub sessions: bool,
}
