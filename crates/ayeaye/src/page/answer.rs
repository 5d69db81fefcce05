//! What the page is answered: JSON, and errors that say what is wrong and what to do.
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use ayeaye_agent::coordinator::CoordinatorError;
use ayeaye_agent::{AgentError, DeviceError, JournalError, SessionId, error_chain};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::hint::{self, Reader};
use crate::mcp::tool_error::ToolError;

/// A request that is not carried out: `{"error": "what, why and what to do"}`.
#[derive(Debug, Clone, Serialize)]
pub struct Refusal {
    #[serde(skip)]
    status: StatusCode,
    error: String,
    /// The session that is in the way, where it is the caller's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
}

impl Refusal {
    /// A refusal with this text.
    pub fn new(status: StatusCode, error: impl Into<String>) -> Self {
        Self { status, error: error.into(), session_id: None }
    }

    pub(super) fn bad_request(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error)
    }

    /// Something that is not there, or somebody else's: the same answer.
    pub(super) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("{what}: it is not there, or not yours"))
    }

    pub(super) fn read_only() -> Self {
        Self::new(
            StatusCode::FORBIDDEN,
            "this server only shows (mcp.tools = \"read-only\"): start it with other --tools to act",
        )
    }

    /// Work of this process that failed in a way that nobody can help.
    pub(super) fn internal(what: &str, err: &dyn std::fmt::Display) -> Self {
        tracing::warn!("{what}: {err}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("{what}: the server's log says why"))
    }

    /// What is said.
    pub(super) fn text(&self) -> &str {
        &self.error
    }

    /// What is wrong, and what to do about it on a line of its own.
    fn with_hint(status: StatusCode, what: &str, hint: &str) -> Self {
        Self::new(status, if hint.is_empty() { what.to_owned() } else { format!("{what}\n{hint}") })
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, axum::Json(self)).into_response()
    }
}

impl From<AgentError> for Refusal {
    fn from(err: AgentError) -> Self {
        let status = match &err {
            AgentError::DeviceBusy { .. }
            | AgentError::DeviceInHand { .. }
            | AgentError::NotInHand { .. }
            | AgentError::ScreenWithheld { .. }
            | AgentError::OtherPhoneThanSeen { .. }
            | AgentError::SessionBusy(_)
            | AgentError::SessionEnding(_)
            | AgentError::StoppedBefore(_)
            | AgentError::SessionFull(_)
            | AgentError::NoTask(_)
            | AgentError::GivenUp(_) => StatusCode::CONFLICT,
            AgentError::UnknownSession(_) => StatusCode::NOT_FOUND,
            AgentError::WrongDevice { .. }
            | AgentError::OtherPhone { .. }
            | AgentError::Secret(_)
            | AgentError::NoSuchOption(_) => StatusCode::BAD_REQUEST,
            AgentError::Device(err) => of_device(err),
            AgentError::ShuttingDown => StatusCode::SERVICE_UNAVAILABLE,
            AgentError::Journal(err) => of_journal(err),
            AgentError::Coordinator(err) => of_coordinator(err),
            AgentError::NotARecord(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let session_id = match &err {
            AgentError::DeviceBusy { session, .. } => session.map(|id| id.to_string()),
            _ => None,
        };
        let hint = hint::for_agent_error(&err, Reader::Page);
        Self { session_id, ..Self::with_hint(status, &in_words(&err), &hint) }
    }
}

/// The error in words for people, to whom session ids mean nothing.
fn in_words(err: &AgentError) -> String {
    match err {
        AgentError::DeviceBusy { device, session: Some(_) } => {
            format!("{device} is busy: another run is driving it")
        }
        AgentError::DeviceBusy { device, session: None } => {
            format!("{device} is busy: somebody else is driving it")
        }
        AgentError::SessionEnding(_) => {
            "this run is just ending and takes no more words: nothing was passed on".to_owned()
        }
        AgentError::StoppedBefore(_) => {
            "this run was stopped before it went on: nothing was done, and nothing was passed on"
                .to_owned()
        }
        AgentError::SessionBusy(_) => "this run has not finished yet".to_owned(),
        AgentError::UnknownSession(_)
        | AgentError::Coordinator(CoordinatorError::UnknownSession(_)) => {
            "this run does not exist, or is not yours".to_owned()
        }
        AgentError::NoTask(_) => {
            "this run has no task yet: the phone was only driven by hand".to_owned()
        }
        AgentError::SessionFull(_) => {
            "this run is full: its steps, or its room on the disk, are used up".to_owned()
        }
        AgentError::WrongDevice { its, given, .. } => {
            format!("this run belongs to {its}, not to {given}")
        }
        AgentError::OtherPhone { device, before, now, .. } => {
            format!(
                "this run began on another phone: {device} was the model {before}, and is {now} now"
            )
        }
        AgentError::Coordinator(CoordinatorError::InboxFull(_)) => {
            "this run has not read its earlier messages: resume it first".to_owned()
        }
        AgentError::Journal(JournalError::Busy(_)) => {
            "this run is running on another server".to_owned()
        }
        err => error_chain(err),
    }
}

impl From<DeviceError> for Refusal {
    fn from(err: DeviceError) -> Self {
        AgentError::from(err).into()
    }
}

impl From<JournalError> for Refusal {
    fn from(err: JournalError) -> Self {
        AgentError::from(err).into()
    }
}

/// Of arguments that do not fit.
impl From<ToolError> for Refusal {
    fn from(err: ToolError) -> Self {
        Self::bad_request(err.to_string())
    }
}

fn of_device(err: &DeviceError) -> StatusCode {
    match err {
        DeviceError::NotFound(_) => StatusCode::NOT_FOUND,
        DeviceError::ClaimedElsewhere { .. } | DeviceError::OtherPhone { .. } => {
            StatusCode::CONFLICT
        }
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}

fn of_coordinator(err: &CoordinatorError) -> StatusCode {
    match err {
        CoordinatorError::RunEnded
        | CoordinatorError::UnknownSession(_)
        | CoordinatorError::InboxFull(_)
        | CoordinatorError::TooManyRuns
        | CoordinatorError::TooManyWaiting => StatusCode::CONFLICT,
        CoordinatorError::TooLong => StatusCode::BAD_REQUEST,
        CoordinatorError::Storage { .. } => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn of_journal(err: &JournalError) -> StatusCode {
    match err {
        JournalError::Busy(_) => StatusCode::CONFLICT,
        JournalError::NoRoom { .. } => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The body of a request, as JSON that fits. Its length was bounded before.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|_| Refusal::bad_request("the body broke off: send it again"))?;
        let mut from = serde_json::Deserializer::from_slice(&bytes);
        let read = serde_path_to_error::deserialize(&mut from);
        Ok(Self(read.map_err(|err| ToolError::not_arguments(&err))?))
    }
}

/// The query of a request. Its length was bounded before.
pub(super) struct Query<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let read = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        let read =
            read.map_err(|err| Refusal::bad_request(format!("the query does not fit: {err}")));
        read.map(|axum::extract::Query(query)| Self(query))
    }
}

/// What a path names.
pub(super) struct Named<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Named<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        let read = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        let read = read.map_err(|_| Refusal::not_found("this address"));
        read.map(|axum::extract::Path(named)| Self(named))
    }
}

/// A session's name out of a path. One that can be none names no session.
pub(super) fn session_id(text: &str) -> Result<SessionId, Refusal> {
    text.parse().map_err(|_| Refusal::not_found("this session"))
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::DeviceId;

    use super::*;

    #[test]
    fn people_are_told_of_no_ids_and_the_advice_has_a_line_of_its_own() {
        let (id, device) = (SessionId::new(), DeviceId::new("emulator-5554"));
        let busy = AgentError::DeviceBusy { device: device.clone(), session: Some(id) };
        let wrong = AgentError::WrongDevice { session: id, its: "a".to_owned(), given: device };
        for err in [
            busy,
            wrong,
            AgentError::SessionBusy(id),
            AgentError::SessionEnding(id),
            AgentError::StoppedBefore(id),
            AgentError::UnknownSession(id),
            AgentError::NoTask(id),
            AgentError::SessionFull(id),
            CoordinatorError::UnknownSession(id).into(),
            CoordinatorError::InboxFull(id).into(),
            JournalError::Busy(id).into(),
        ] {
            let refusal = Refusal::from(err);
            let text = refusal.text();
            assert!(!text.contains(&id.to_string()) && !text.contains("hint:"), "{text}");
            assert_eq!(text.lines().count(), 2, "{text}");
        }
    }
}
