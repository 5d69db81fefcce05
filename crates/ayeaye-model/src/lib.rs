//! Models behind an endpoint: OpenAI-compatible chat, OpenAI's Responses API, Anthropic's API or Gemini's.
//!
//! Start at [`RemoteModel`], a model behind an endpoint, and [`Profile`], which holds what is particular to a
//! family of models. Which module uses which: `.ci/layers` has their order.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod check;

mod calibrate;

mod remote;

mod config;

mod profile;

mod picture;

mod call_settings;
mod endpoint;
mod excerpt;
mod extra_headers;
mod official_prompt;
mod secret;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

pub use calibrate::{Calibration, CalibrationPlan, ProbeResult};
pub use call_settings::{CallSettings, Effort, InvalidCallSetting, RESERVED, Sent};
pub use check::{CheckFinding, CheckSubject, Severity};
pub use config::{Limits, ModelConfig, RetryPolicy};
pub use endpoint::{Endpoint, InvalidEndpoint};
pub use extra_headers::{ExtraHeaders, InvalidHeaders};
pub use official_prompt::{
    ImportError, LONGEST_PROMPT_FILE, OfficialPrompt, PromptCheck, PromptSource, Published, Slot,
    TextFound,
};
pub use picture::SmartResize;
pub use picture::encode_within;
pub use profile::coords::{CoordSystem, CoordUnit, UnknownCoordSystem};
pub use profile::{Profile, ProfileInfo, UnknownProfile};
pub use remote::{ConfigError, ModelList, Reach, RemoteModel, SYSTEM_STORE, without_halves};
pub use secret::Secret;
