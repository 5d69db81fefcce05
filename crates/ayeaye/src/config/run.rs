//! `[run]`: the limits of runs, and how tool calls wait for them.
use std::time::Duration;

use ayeaye_agent::{RedactPictures, ReplyMode, Speculate};

use super::reader::Reader;
use super::{ConfigError, ValueError, value};

/// The most steps that one call may ask for.
pub const MAX_STEPS: u32 = 500;

/// The limits of runs, and how tool calls wait for them.
#[expect(clippy::struct_excessive_bools, reason = "independent switches")]
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// Steps of a call that does not say.
    pub max_steps: u32,
    /// Steps of one session.
    pub session_max_steps: u32,
    /// Of one run.
    pub time_limit: Duration,
    /// Prompt and completion tokens of one session together.
    pub token_budget: Option<u64>,
    /// US dollars of one session; calls of unknown price count as free.
    pub cost_budget: Option<f64>,
    pub reply_mode: ReplyMode,
    /// How long a tool call waits for its run.
    pub wait: Duration,
    /// How long a tool call of a client that shows progress waits.
    pub wait_with_progress: Duration,
    /// After a gesture, until the first look at the screen.
    pub first_look: Duration,
    /// After a gesture, until the screen counts as settled whatever it shows.
    pub settle_limit: Duration,
    /// How long a run waits for a phone that went away.
    pub device_wait: Duration,
    pub evaluate: Evaluate,
    /// Whether the screen that ends a run is put into words.
    pub caption: bool,
    /// Whether a host agent splits requests up over apps.
    pub planner: bool,
    /// Whether the phone is kept awake and lit while it is driven.
    pub keep_awake: bool,
    /// Whether the phone's animations are switched off while it is driven.
    pub stop_animations: bool,
    /// Whether protected screens are told to the model by their elements.
    pub read_protected: bool,
    /// When pictures are redacted before a model sees them.
    pub redact: RedactPictures,
    /// Whether a model is asked before the screen is known to have settled.
    pub speculate: Speculate,
}

/// When a model judges whether a request was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluate {
    Off,
    /// After each round.
    Round,
    /// After each run that has ended a round, for the session so far.
    Session,
    Both,
}

impl Evaluate {
    const WORDS: [(&'static str, Self); 4] = [
        ("off", Self::Off),
        ("round", Self::Round),
        ("session", Self::Session),
        ("both", Self::Both),
    ];

    /// Whether rounds are judged.
    pub fn rounds(self) -> bool {
        matches!(self, Self::Round | Self::Both)
    }

    /// Whether sessions are judged.
    pub fn sessions(self) -> bool {
        matches!(self, Self::Session | Self::Both)
    }
}

impl RunSettings {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        let reply_modes = ReplyMode::ALL.map(|mode| (mode.name(), mode));
        let on_off = [("off", false), ("on", true)];
        Ok(Self {
            max_steps: reader.required("run.max-steps", value::number(1..=u64::from(MAX_STEPS)))?,
            session_max_steps: reader
                .required("run.session-max-steps", value::number(1..=10_000))?,
            time_limit: reader.required("run.time-limit", value::timeout)?,
            token_budget: reader.bound("run.token-budget", value::number(1..=u64::MAX))?,
            cost_budget: reader.bound("run.cost-budget", |text| {
                // Nothing to spend would end every run before its first step.
                let dollars = value::price(text)?;
                if dollars > 0.0 { Ok(dollars) } else { Err(ValueError::Zero) }
            })?,
            reply_mode: reader.choice("run.reply-mode", &reply_modes)?,
            wait: reader.required("run.wait", value::duration)?,
            wait_with_progress: reader.required("run.wait-with-progress", value::duration)?,
            first_look: reader.required("run.first-look", value::duration)?,
            settle_limit: reader.required("run.settle-limit", value::timeout)?,
            device_wait: reader.required("run.device-wait", value::duration)?,
            evaluate: reader.choice("run.evaluate", &Evaluate::WORDS)?,
            caption: reader.choice("run.caption", &on_off)?,
            planner: reader.choice("run.planner", &on_off)?,
            keep_awake: reader.choice("run.keep-awake", &on_off)?,
            stop_animations: reader.choice("run.animations", &[("keep", false), ("off", true)])?,
            read_protected: reader
                .choice("run.protected-screens", &[("ask", false), ("elements", true)])?,
            redact: reader.choice("run.redact-pictures", &RedactPictures::ALL)?,
            speculate: reader.choice("run.speculate", &Speculate::ALL)?,
        })
    }
}
