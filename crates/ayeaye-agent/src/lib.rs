//! The agent: one loop that looks at a phone, asks a model, and acts.
//!
//! Read in this order: the words ([`Action`], [`Frame`], [`SessionId`]), the seams to phones, models
//! and what is kept ([`Device`], [`Model`], [`Journal`]), then the loop.
#![warn(missing_docs)]

mod action;
mod device;
pub mod journal;
mod model;
mod screen;
mod session;

pub use action::{Action, Direction, Gesture, Key, OffScreen, Point, Question, QuestionKind};
pub use device::{
    App, Component, Device, DeviceEntry, DeviceError, DeviceId, DeviceInfo, DeviceSource,
    ScreenState, Transport,
};
pub use journal::{Journal, JournalError, Record};
pub use model::{
    Decision, Message, Model, ModelError, Part, Past, PastStep, Prompt, Reply, Retry, Role, Tokens,
    Unreadable, View,
};
pub use screen::{BadFrame, Frame, MAX_PIXELS, MAX_SIDE, Picture, Pixel, ScreenSize};
pub use session::{NotASessionId, SessionId, StopReason};
