//! The limits of runs and sessions.
use std::time::Duration;

use crate::SettleRule;

/// The limits of every run. A run that reaches one can be resumed.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Most steps of one session, over all its runs.
    pub session_steps: u32,
    /// Longest run.
    pub run_time: Duration,
    /// Most tokens of one session, sent and received; `None` for no bound.
    pub session_tokens: Option<u64>,
    /// Most US dollars of one session; `None` for no bound. Calls of unknown price count as free.
    pub session_cost_usd: Option<f64>,
    /// Most bytes of one session's record, pictures included; `None` for no bound.
    pub session_bytes: Option<u64>,
    /// Longest call to a model, its retries included.
    pub model_call: Duration,
    /// How often a reply that cannot be read is asked for again.
    pub repairs: u32,
    /// How long to wait for a phone that has gone away.
    pub device_wait: Duration,
    /// How long to wait for an operator's answer (`manual_reply`).
    pub operator_wait: Duration,
    /// Most questions in one run that a model answers for the user (`auto_reply`), or nobody does
    /// (`no_reply`): more would be a conversation with itself.
    pub answered_questions: u32,
    /// Repetitions of one action on one screen after which the model is warned; after twice as many the
    /// run stops. 0 counts as 1.
    pub repeats: u32,
    /// Most subtasks that a host agent gives out in one round.
    pub subtasks: u32,
    /// When a screen counts as settled.
    pub settle: SettleRule,
    /// Whether the phone is kept awake and lit while it is driven.
    pub keep_awake: bool,
    /// Whether the phone's animations are switched off while it is driven.
    pub stop_animations: bool,
    /// Whether a screen that its app protects is told to the model by its elements, instead of being
    /// handed to a person.
    pub read_protected: bool,
    /// When pictures are redacted before a model sees them.
    pub redact: RedactPictures,
    /// Whether a model is asked before the screen is known to have settled.
    pub speculate: Speculate,
}

/// Whether a model is asked about the first frame after an act, while it is still found out whether the screen
/// has settled. If it has not, the call is given up and the model is asked anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Speculate {
    /// Where a call that is given up costs nothing, the model takes its time, and enough such frames have stayed.
    #[default]
    Auto,
    /// Always.
    On,
    /// Never.
    Off,
}

impl Speculate {
    /// Every choice, by its word in settings.
    pub const ALL: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("on", Self::On), ("off", Self::Off)];
}

/// When hiding fields and secrets are blacked out on what models are sent. Where they are, the elements
/// tell: each step waits for them, and stops where the phone has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RedactPictures {
    /// Once a secret that the user keeps by a name was typed into a field that may show it.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl RedactPictures {
    /// Every choice, by its word in settings.
    pub const ALL: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("always", Self::Always), ("never", Self::Never)];
}

impl Limits {
    /// Generous limits for tests and tools; the server's come from its settings.
    pub const USUAL: Self = Self {
        session_steps: 500,
        run_time: Duration::from_hours(1),
        session_tokens: None,
        session_cost_usd: None,
        session_bytes: None,
        model_call: Duration::from_mins(3),
        repairs: 2,
        device_wait: Duration::from_mins(1),
        operator_wait: Duration::from_mins(15),
        answered_questions: 5,
        repeats: 4,
        subtasks: 20,
        settle: SettleRule::USUAL,
        keep_awake: true,
        stop_animations: false,
        read_protected: false,
        redact: RedactPictures::Auto,
        speculate: Speculate::Auto,
    };
}
