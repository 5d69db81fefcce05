//! Models behind an endpoint: OpenAI-compatible chat, Anthropic's API or Gemini's.
//!
//! Read in this order: what is settled ([`ModelConfig`], [`Endpoint`]), the model itself
//! ([`RemoteModel`]), what is particular to a family of models ([`Profile`]), and the questions
//! that tell whether an endpoint is any good ([`Finding`]).

mod calibrate;
mod check;
mod config;
mod endpoint;
mod excerpt;
#[cfg(test)]
mod fuzz;
mod picture;
mod profile;
mod remote;
mod secret;
#[cfg(test)]
mod tests;

pub use calibrate::{Calibration, CalibrationPlan, ProbeResult};
pub use check::{CheckSubject, Finding, Severity};
pub use config::{Limits, ModelConfig, RetryPolicy};
pub use endpoint::{Endpoint, InvalidEndpoint};
pub use picture::SmartResize;
pub use picture::encode_within;
pub use profile::coords::{CoordSystem, CoordUnit, UnknownCoordSystem};
pub use profile::{Profile, ProfileInfo, UnknownProfile};
pub use remote::{ConfigError, RemoteModel};
pub use secret::Secret;
