//! Errors as a client's model reads them: what failed, why, and what to do.
use std::borrow::Cow;
use std::fmt;

use crate::text::excerpt;
use ayeaye_agent::{
    AgentError, DeviceError, InvalidSessionId, JournalError, SessionId, error_chain,
};

/// A tool call that failed. Always answered as a tool result with `isError`, which the client's model
/// reads; it would never see a protocol error.
#[derive(Debug)]
pub struct ToolError {
    text: String,
    hint: &'static str,
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "\nhint: {}", self.hint) }
    }
}

impl ToolError {
    pub(super) fn task_and_reply() -> Self {
        Self {
            text: "`task` and `reply_from_client` cannot be given together".to_owned(),
            hint: "send reply_from_client to answer the agent's question or to advise it, or task for \
                   a new request in the same session",
        }
    }

    pub(super) fn not_arguments(err: &serde_path_to_error::Error<serde_json::Error>) -> Self {
        let cause: String = without_value(&err.inner().to_string()).chars().take(200).collect();
        let text = match err.path().to_string().as_str() {
            "." => format!("the arguments do not fit: {cause}"),
            path => format!("`{path}` does not fit: {cause}"),
        };
        Self { text, hint: "tools/list says what each tool takes" }
    }

    pub(super) fn too_long(name: &str, length: usize, most: usize) -> Self {
        Self {
            text: format!("`{name}` has {length} bytes, the most is {most}"),
            hint: "say it in a few sentences, and split a big plan into several tasks",
        }
    }

    pub(super) fn empty(name: &str) -> Self {
        let hint = match name {
            "device_id" => "take a device_id from list_connected_devices",
            "reply_from_client" => {
                "say what your user answered, or leave it out to follow the session or to see its question"
            }
            _ => "say in a sentence what is to be done",
        };
        Self { text: format!("`{name}` is empty"), hint }
    }

    pub(super) fn not_a_device(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` is not a device_id"),
            hint: "take a device_id from list_connected_devices",
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "used as a function in map_err")]
    pub(super) fn not_a_session(err: InvalidSessionId) -> Self {
        Self { text: err.to_string(), hint: "list_sessions shows the sessions there are" }
    }

    /// A coordinate off the screen.
    pub(super) fn outside_screen(name: &str, given: i64) -> Self {
        Self {
            text: format!("`{name}` is {given}; it can be 0 to 1000"),
            hint: "coordinates are thousandths of the screen's width and height, from the top left, not \
                   pixels: divide a pixel of a picture by the picture's width or height and multiply by 1000",
        }
    }

    /// A key that phones do not have.
    pub(super) fn not_a_key(given: &str, keys: &str) -> Self {
        let shown = excerpt(given, 40);
        Self {
            text: format!("`key` is `{shown}`; it can be {keys}"),
            hint: "letters and digits are typed with type_text",
        }
    }

    pub(super) fn nothing_to(verb: &str, name: &str) -> Self {
        Self {
            text: format!("there is nothing to {verb}: `{name}` is empty"),
            hint: "look at get_screenshot for what is there",
        }
    }

    pub(super) fn long_text(length: usize, most: usize) -> Self {
        Self {
            text: format!("`text` has {length} bytes, the most is {most}"),
            hint: "type it in several parts",
        }
    }

    pub(super) fn not_typable(odd: char) -> Self {
        Self {
            text: format!(
                "`text` has a control character, U+{:04X}, which no phone can type",
                u32::from(odd)
            ),
            hint: "leave it out; enter, delete and others are pressed with press_key",
        }
    }

    pub(super) fn incomplete_point(missing: &str) -> Self {
        Self {
            text: format!("`{missing}` is missing: a field is named by `x` and `y` together"),
            hint: "leave both out to type into the field in focus",
        }
    }

    pub(super) fn not_an_app(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` is not the name of an app"),
            hint: "give the name under its icon, or its package such as com.android.settings",
        }
    }

    /// An action that was not carried out, or may not have been.
    pub(super) fn action_failed(text: String, doubtful: bool) -> Self {
        let hint = if doubtful {
            "look at get_screenshot before you repeat it"
        } else {
            "look at get_screenshot, then do something else or try again; the session is kept"
        };
        Self { text, hint }
    }

    /// A call that was cancelled before anything was begun.
    pub(super) fn call_cancelled() -> Self {
        Self { text: "nothing was done: the call was cancelled".to_owned(), hint: "" }
    }

    pub(super) fn state_expired() -> Self {
        Self {
            text:
                "the answer came too late for this form (15 minutes), and nothing was done with it"
                    .to_owned(),
            hint: "the session still waits: list_sessions shows it, and ask_agent_continue with its \
                   session_id asks again or takes the answer as reply_from_client",
        }
    }

    pub(super) fn state_foreign() -> Self {
        Self {
            text: "`requestState` is not one that this server gave to this client for this call; \
                   nothing was started"
                .to_owned(),
            hint: "send back what the server sent, with the same tool and arguments; list_sessions \
                   shows the sessions that wait, and ask_agent_continue goes on with one",
        }
    }

    pub(super) fn state_missing() -> Self {
        Self {
            text: "`inputResponses` came without the `requestState` they belong to; nothing was \
                   started"
                .to_owned(),
            hint: "send back the requestState as it was; or answer with ask_agent_continue, its \
                   session_id and reply_from_client",
        }
    }

    /// A person's answer that did not reach its session.
    pub(super) fn undelivered(session: SessionId, err: &AgentError) -> Self {
        Self {
            text: format!(
                "the answer was not delivered to session {session}, whose question stays open: {}\n{}",
                error_chain(err),
                agent_hint(err)
            ),
            hint: "do not ask your user again: when the cause is fixed, call ask_agent_continue \
                   with this session_id and the same answer as reply_from_client",
        }
    }

    pub(super) fn out_of_range(name: &str, given: &dyn fmt::Display, range: &str) -> Self {
        Self {
            text: format!("`{name}` is {given}; it can be {range}"),
            hint: "leave it out to use the default",
        }
    }
}

/// A message of serde without the value that it quotes: that may be long, and a code sent as a number
/// is as secret as one sent as text.
fn without_value(message: &str) -> Cow<'_, str> {
    let found = ["invalid type: ", "invalid value: "].iter().find_map(|what| {
        let (given, expected) = message.strip_prefix(what)?.rsplit_once(", expected ")?;
        let kind = given.split(['`', '"']).next()?.trim_end();
        Some(format!("{what}{kind}, expected {expected}"))
    });
    found.map_or(Cow::Borrowed(message), Cow::Owned)
}

impl From<AgentError> for ToolError {
    fn from(err: AgentError) -> Self {
        Self { text: error_chain(&err), hint: agent_hint(&err) }
    }
}

impl From<DeviceError> for ToolError {
    fn from(err: DeviceError) -> Self {
        Self { text: error_chain(&err), hint: device_hint(&err) }
    }
}

fn agent_hint(err: &AgentError) -> &'static str {
    match err {
        AgentError::DeviceBusy { session: None, .. } => {
            "wait until the phone is free, which list_connected_devices tells, or use another one; what \
             somebody else began cannot be followed or stopped from here"
        }
        AgentError::DeviceBusy { .. } => {
            "wait for that session, follow it with ask_agent_continue(session_id), or end it with stop_task"
        }
        AgentError::DrivenElsewhere(_) => {
            "use the client that started it, which can follow and stop it; get_session shows its state here, \
             and once it has stopped ask_agent_continue continues it here"
        }
        AgentError::DeviceTaken(_) => {
            "another client's server drives it: wait until it is done, or end it there"
        }
        AgentError::SessionBusy(_) => {
            "follow it with ask_agent_continue(session_id) and no task, advise it with \
             reply_from_client, or end it with stop_task before giving it another task"
        }
        AgentError::NoTask(_) => {
            "say what the agent is to do: ask_agent_continue with this session_id and a task"
        }
        AgentError::SessionFull(_) => {
            "leave session_id out, or start a new task; run.session-max-steps and \
             journal.max-session-size in ayeaye.toml say how much one takes"
        }
        AgentError::UnknownSession(_) => {
            "list_sessions shows the sessions there are; ask_agent_start_new_task begins another"
        }
        AgentError::WrongDevice { .. } => {
            "leave device_id out, or start a new task on the other device"
        }
        AgentError::Device(err) => device_hint(err),
        AgentError::Journal(err) => journal_hint(err),
        AgentError::NotARecord(_) => {
            "start a new task; the damaged record can be removed with `ayeaye sessions rm`"
        }
        AgentError::ShuttingDown => {
            "try again when the server has been started again; sessions are kept"
        }
    }
}

/// The same text for a terminal.
pub fn explain_agent_error(err: &AgentError) -> String {
    ToolError { text: error_chain(err), hint: agent_hint(err) }.to_string()
}

/// What to do about a phone.
pub fn device_hint(err: &DeviceError) -> &'static str {
    match err {
        DeviceError::NoServer { .. } => {
            "install adb (Android platform-tools), or run `ayeaye serve --virtual` to try without a \
             phone; `ayeaye doctor` checks everything at once"
        }
        DeviceError::NotFound(_) => {
            "list_connected_devices shows the phones there are; plug the phone in and enable USB debugging"
        }
        DeviceError::Unauthorized(_) => {
            "unlock the phone and accept the dialog \"Allow USB debugging?\"; unplug and plug in again if there is none"
        }
        DeviceError::NotReady(..) => {
            "unplug the phone and plug it in again; over Wi-Fi, `adb disconnect` and `adb connect` it again"
        }
        DeviceError::LinkLost(..) => {
            "check the cable or the Wi-Fi; the session, if one had begun, can be continued"
        }
        DeviceError::TimedOut { .. } => {
            "the phone or adb hangs: look at the phone, reconnect it, then try again"
        }
        DeviceError::Refused { .. } => {
            "look at the phone and do by hand what it refuses, then go on"
        }
        DeviceError::Garbled { .. } => {
            "try again; if it stays so, reconnect the phone and run `ayeaye doctor`"
        }
    }
}

fn journal_hint(err: &JournalError) -> &'static str {
    match err {
        JournalError::Unknown(_) => "list_sessions shows the sessions there are",
        JournalError::Busy(_) => {
            "another ayeaye process drives this session: use that one, or end it"
        }
        JournalError::Damaged { .. } => {
            "the record was changed by something else; start a new task, and keep the folder if you want to know why"
        }
        JournalError::TooNew { .. } => "use the version of ayeaye that wrote it, or a later one",
        JournalError::Storage { .. } => {
            "make room on the disk, check the permissions of the data folder, or name another with --data-dir or \
             AYEAYE_DATA_DIR"
        }
        JournalError::Blob(_) => "the file was removed by something else",
        JournalError::NoRoom { .. } => {
            "`ayeaye sessions list` and `rm` remove old sessions; journal.max-age, max-sessions and max-size do it by \
             themselves; journal.min-free says how much must be free"
        }
        JournalError::MissingSessionStart(_) => {
            "its process died before it had begun; `ayeaye sessions rm` removes it"
        }
    }
}
