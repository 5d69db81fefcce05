//! Models behind an OpenAI-compatible endpoint.
//!
//! Read in this order: what is settled ([`ModelConfig`], [`Endpoint`]), the model itself
//! ([`OpenAiModel`]), what is particular to a family of models ([`Profile`]), and the questions
//! that tell whether an endpoint is any good ([`Finding`]).

mod check;
mod config;
mod endpoint;
mod openai;
mod picture;
mod profile;
mod secret;

pub use check::{Finding, Subject, Verdict};
pub use config::{Limits, ModelConfig, Retries};
pub use endpoint::{BadEndpoint, Endpoint};
pub use openai::{ConfigError, OpenAiModel};
pub use picture::encode_within;
pub use profile::{Profile, UnknownProfile};
pub use secret::Secret;
