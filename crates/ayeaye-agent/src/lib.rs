//! The agent: one loop that looks at a phone, asks a model, and acts.
//!
//! Read in this order: the vocabulary ([`Action`], [`Frame`], [`SessionId`]), the interfaces to phones,
//! models and the record ([`Device`], [`Model`], [`Journal`]), then [`Agent`] and the runs it starts.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![warn(missing_docs)]

mod action;
pub mod bounded_file;
mod device_command;
mod elements;
mod error;
pub mod file_owner;
mod host;
mod named_secret;
mod principal;
pub mod private_files;
pub mod prompt_text;
mod question;
mod reply_mode;
mod screen;
mod secret_text;
mod session_id;
mod stop_reason;
mod unseen;
mod word_list;

mod device;
mod event;
pub mod journal;
mod model;

mod approval;
pub mod coordinator;
mod deps;
pub mod gate;
mod limits;
mod lookalike;
mod privacy;
mod replay;
mod requests;
mod settle;
mod thumbnail;

mod report;
mod session;

mod agent;
mod run;

#[cfg(test)]
mod fakes;

pub use action::{Action, Direction, Gesture, Key, OffScreen, Point, with_line_feeds};
pub use agent::{
    Agent, AgentError, DeviceHolder, DeviceQueue, DirectRun, Follower, HOLD_LASTS, HoldId,
    RunActivity, RunStatus, SessionInBrief, SessionList,
};
pub use approval::Approval;
pub use coordinator::Coordinator;
pub use deps::{AgentDeps, Judge, Models};
pub use device::{
    ActMark, App, CaptureRoute, ChangeLog, CommandPreview, Component, Device, DeviceEntry,
    DeviceError, DeviceId, DeviceInfo, DeviceNames, DeviceSource, NearbyPhone, NoElements,
    Performed, PhoneClock, PutBack, RefusedBy, ScreenState, SettingChange, ShownDisplay,
    Surroundings, TAKEN_OVER, Transport,
};
pub use device_command::{DeviceCommand, PackageFile};
pub use elements::{Element, Elements};
pub use error::error_chain;
pub use host::as_listed;
pub use journal::{Clock, Journal, JournalError, JournalWriter};
pub use limits::{Limits, RedactPictures, Speculate};
pub use model::{
    Decision, FailedAttempts, HistoryImage, HistoryItem, HistoryStep, Message, Model, ModelError,
    ModelErrorKind, ParseError, Part, Prices, Prompt, Reply, Retry, Role, StepInput, Tokens,
    ToolCall,
};
pub use named_secret::{
    NamedSecret, NamedSecretError, NamedSecrets, NoNamedSecrets, SecretPlaces, is_secret_name,
};
pub use principal::Principal;
pub use privacy::{
    KeepElements, KeepImages, KeepText, PrivacySettings, SHORTEST_KEY, holds_placeholder,
};
pub use question::{DONE_BY_HAND, KEYBOARD_READY, NoSuchOption, Question, QuestionKind};
pub use replay::{Replay, ReplayError};
pub use reply_mode::ReplyMode;
pub use report::{DIRECT_REQUEST, Report, RunInfo, StepSummary, Usage};
pub use requests::{Agreed, ApprovalRequest, ContinueTask, DirectAction, StartTask, UserInput};
pub use run::{
    ActedBy, CancelHandle, DirectOutcome, DirectResult, RunPhase, RunUpdate, SUCCESS_IN_DOUBT,
    ScreenAfter,
};
pub use screen::{
    CaptureDigest, Frame, InvalidFrame, MAX_PIXELS, MAX_SIDE, Picture, Pixel, ScreenSize,
};
pub use session::{
    ActHistory, Agents, ClientActivity, MissingSessionStart, Planning, Session, SessionPhase,
    SessionState,
};
pub use session_id::{InvalidSessionId, SessionId};
pub use settle::{ScreenCapture, SettleRule, capture_once, looks_same, settle};
pub use stop_reason::StopReason;
pub use unseen::is_unseen;
pub use word_list::{RecordedWord, WordList};
