//! The agent: one loop that looks at a phone, asks a model, and acts.
//!
//! Read in this order: the words ([`Action`], [`Frame`], [`SessionId`]), the seams to phones, models
//! and what is kept ([`Device`], [`Model`], [`Journal`]), then the loop.
#![warn(missing_docs)]

mod action;
mod elements;
mod principal;
mod screen;
mod session;

mod device;
pub mod journal;
mod model;

mod leave;
mod limits;
mod privacy;
mod settle;

mod fold;
mod report;

mod agent;
mod run;

pub use action::{
    Action, DONE_BY_HAND, Direction, Gesture, Key, OffScreen, Point, Question, QuestionKind,
};
pub use agent::{
    Acting, Agent, AgentError, ClientAct, Continue, Driver, Follower, Judge, Models, Outcome,
    Parts, ReplyMode, StartTask, Turns, Words,
};
pub use device::{
    App, Component, Device, DeviceEntry, DeviceError, DeviceId, DeviceInfo, DeviceSource,
    ScreenState, Transport,
};
pub use elements::{Element, Elements};
pub use fold::{Agents, ByClient, NoBeginning, Planning, Session, Standing};
pub use journal::{Clock, Journal, JournalError, Record};
pub use leave::Leave;
pub use limits::Limits;
pub use model::{
    Decision, Message, Model, ModelError, Part, Past, PastStep, Prices, Prompt, Reply, Retry, Role,
    Shown, Tokens, ToolCall, Unreadable, View,
};
pub use principal::Principal;
pub use privacy::{KeepElements, KeepImages, KeepText, Keeping};
pub use report::{Report, RunPlace, StepLine, Usage};
pub use run::{ActOutcome, Acted, News, ScreenAfter, Stopper, chain};
pub use screen::{BadFrame, Frame, MAX_PIXELS, MAX_SIDE, Picture, Pixel, ScreenSize};
pub use session::{NotASessionId, SessionId, StopReason};
pub use settle::{Look, SettleRule, alike, glance, settle};
