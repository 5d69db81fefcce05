//! The dependencies of an agent.
use std::sync::Arc;

use crate::gate::Policy;
use crate::{
    Coordinator, DeviceId, DeviceSource, Journal, Limits, Model, NamedSecrets, PrivacySettings,
};

/// The dependencies of an agent.
#[derive(Debug)]
pub struct AgentDeps {
    /// Where phones are looked for, in this order.
    pub sources: Vec<Arc<dyn DeviceSource>>,
    /// Phones that no other process can reach, such as a virtual one in this process.
    pub in_process_devices: Vec<DeviceId>,
    /// The models by their roles.
    pub models: Models,
    /// The store of session records.
    pub journal: Arc<dyn Journal>,
    /// What the servers of that store know of each other.
    pub coordinator: Arc<dyn Coordinator>,
    /// The bounds of every run.
    pub limits: Limits,
    /// What may be done on phones.
    pub policy: Policy,
    /// Settings that are recorded with each session; never a key.
    pub config: serde_json::Map<String, serde_json::Value>,
    /// Where the user's named secrets are kept.
    pub secrets: Arc<dyn NamedSecrets>,
    /// What may be recorded.
    pub privacy: PrivacySettings,
    /// Evaluates whether requests were carried out, if configured.
    pub judge: Option<Judge>,
}

/// The models by their roles. One model may serve in several.
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
    /// Describes the last screen, if configured; its profile does not matter.
    pub caption: Option<Arc<dyn Model>>,
}

impl Models {
    /// One model in every mandatory role.
    pub fn one(model: Arc<dyn Model>) -> Self {
        Self {
            act: model.clone(),
            fallback: None,
            plan: model.clone(),
            reply: model,
            caption: None,
        }
    }

    /// Nothing of a run's pictures stays behind it.
    pub(crate) fn forget_pictures(&self) {
        self.all().for_each(|model| model.forget_pictures());
    }

    /// Each role's.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<dyn Model>> {
        let others = [&self.plan, &self.reply].into_iter();
        [&self.act].into_iter().chain(others).chain(&self.fallback).chain(&self.caption)
    }
}

/// The model that evaluates whether requests were carried out.
#[derive(Debug, Clone)]
pub struct Judge {
    /// The model; its profile does not matter.
    pub model: Arc<dyn Model>,
    /// After each round that has ended.
    pub rounds: bool,
    /// After each run that has ended a round, for the session so far.
    pub sessions: bool,
}
