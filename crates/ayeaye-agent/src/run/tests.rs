//! Each owner of a part of a step by itself.
mod actor;
mod early;
mod looks;
mod model_call;
mod observer;
mod recorder;
