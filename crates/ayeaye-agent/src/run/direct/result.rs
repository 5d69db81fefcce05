//! What has come of a direct action.
use crate::gate::Rule;
use crate::report::StepSummary;
use crate::{ApprovalRequest, Component, DeviceError, ScreenSize, SessionId};

/// The result of a direct action.
#[derive(Debug, Clone)]
pub struct DirectResult {
    /// The session that the action belongs to.
    pub session_id: SessionId,
    /// The number of its step, from 0.
    pub step: u32,
    /// The action as recorded, without secrets.
    pub line: StepSummary,
    /// Whether it was carried out.
    pub outcome: DirectOutcome,
    /// Why it was not carried out, where that is because of the phone or the way to it.
    pub device_error: Option<DeviceError>,
    /// Whether it is the act that a person had agreed to, and the gate allowed it.
    pub was_agreed: bool,
    /// A remark for the client, such as a doubt whether the action worked.
    pub note: Option<String>,
    /// The screen afterwards, if it could be seen.
    pub shown: Option<ScreenAfter>,
    /// Whether the screen before the action is stored.
    pub pictured: bool,
}

/// Whether an action was carried out.
#[derive(Debug, Clone, PartialEq)]
pub enum DirectOutcome {
    /// Carried out.
    Done,
    /// Not carried out, for this reason.
    NotDone(String),
    /// Not carried out: this rule of the gate refuses it. The reason in words.
    Refused(Rule, String),
    /// Not carried out: a person has to agree first.
    NeedsApproval(Box<ApprovalRequest>),
    /// Perhaps carried out; what went wrong.
    Doubtful(String),
}

/// The screen after a direct action.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenAfter {
    /// It looks different from before.
    pub changed: bool,
    /// It came to rest within the time limit.
    pub settled: bool,
    /// The display is on.
    pub awake: bool,
    /// A lock screen is in front.
    pub locked: bool,
    /// The app in front, if the phone says which.
    pub app: Option<Component>,
    /// The soft keyboard is shown.
    pub keyboard_shown: bool,
    /// The field in focus hides what is typed into it.
    pub secret_field: bool,
    /// The app in front hides its contents from captures.
    pub protected: bool,
    /// In pixels, in the phone's present orientation.
    pub size: ScreenSize,
}
