//! Errors as a client's model reads them: what failed, why, and what to do.
mod arguments;

use std::borrow::Cow;
use std::fmt;

use ayeaye_agent::gate::Rule;
use ayeaye_agent::{AgentError, DeviceError, DeviceId, SessionId, error_chain};
use rmcp::ErrorData;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};

pub(super) use self::arguments::without_value;
use super::call_number;
use crate::hint::{self, Reader};
use crate::model_presence::ModelState;
use crate::text::excerpt;

/// What is said of a lock screen that no act takes away.
const FOR_A_PERSON: &str = "a person has to unlock it";

/// A tool call that failed. Always answered as a tool result with `isError`, which the client's model
/// reads; it would never see a protocol error.
#[derive(Debug)]
pub struct ToolError {
    text: String,
    hint: Cow<'static, str>,
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "\nhint: {}", self.hint) }
    }
}

impl IntoCallToolResult for ToolError {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::error(vec![ContentBlock::text(self.to_string())]).into())
    }
}

impl ToolError {
    /// The problem, without the hint what to do about it.
    pub(crate) fn what(&self) -> &str {
        &self.text
    }

    /// An answer to a question that is not open now: it would be dropped, although its sender was told that it was sent.
    pub(crate) fn not_open() -> Self {
        let text = "this question is not open any more: it was answered or given up in the meantime, or another one \
                    has replaced it";
        let hint = "a model leaves question_step out; a person reads the question that is open now";
        Self { text: text.to_owned(), hint: Cow::Borrowed(hint) }
    }

    /// A look at a private app.
    pub(crate) fn private_app(app: &str) -> Self {
        let app = if app.is_empty() { "an app that the phone does not name" } else { app };
        Self {
            text: format!(
                "{app} is in front, and the settings make it private (policy.private-apps): nothing on its screen \
                 leaves the server's machine"
            ),
            hint: Cow::Borrowed(
                "ask your user to go on by hand; press_key HOME or BACK leaves the app",
            ),
        }
    }

    /// The log of a private app.
    pub(super) fn private_app_log(app: &str) -> Self {
        Self {
            text: format!(
                "the settings make {app} private (policy.private-apps): nothing of it is shown, not even its log"
            ),
            hint: Cow::Borrowed("ask your user to read it by hand, with adb logcat"),
        }
    }

    /// A reference to an element that is not there, or not as it was.
    pub(super) fn stale_reference(given: &str) -> Self {
        let shown = excerpt(given, 20);
        Self {
            text: format!(
                "nothing was done: `{shown}` is not an element from your last looks at this phone that is \
                 still there and unchanged"
            ),
            hint: Cow::Borrowed("call get_ui_tree again and take `ref` from what it says now"),
        }
    }

    /// A reference that cannot be checked.
    pub(super) fn no_elements() -> Self {
        Self {
            text: "nothing was done: the phone does not list its elements now, so it is not certain what \
                   the reference would hit"
                .to_owned(),
            hint: Cow::Borrowed("look at get_screenshot and give x and y"),
        }
    }

    /// An act that a person has to agree to first.
    pub(super) fn needs_approval(question: &str, code: &str) -> Self {
        Self {
            text: format!(
                "nothing was done yet: your user has to agree first. Ask them: {question} If they say yes, \
                 make the same call with \"approval\": \"{code}\""
            ),
            hint: Cow::Borrowed("do not answer for your user; the code is valid for 15 minutes"),
        }
    }

    /// An approval code that is not valid for this act.
    pub(super) fn not_approved(given: &str) -> Self {
        Self {
            text: format!(
                "nothing was done: `{given}` is not an approval for this call, or has expired"
            ),
            hint: Cow::Borrowed("make the call without `approval`, and ask your user again"),
        }
    }

    /// An approval code whose act was already carried out or begun; names its step and session, if known.
    pub(super) fn used_approval(given: &str, came_of_it: Option<(u32, SessionId)>) -> Self {
        let at = came_of_it
            .map(|(step, session)| format!(", at step {step} of session {session}"))
            .unwrap_or_default();
        Self {
            text: format!(
                "nothing was done now: the approval `{given}` was used already{at}, and is good once. The answer to that \
                 call may have been lost"
            ),
            hint: Cow::Borrowed(
                "look at get_screenshot first, for what came of it; only if it was not done, make the call without \
                   `approval`, and ask your user again",
            ),
        }
    }

    /// A task whose phone is slow, or busy with an act outside of any session.
    pub(super) fn not_begun(device: &DeviceId) -> Self {
        Self {
            text: format!(
                "the task has not begun yet: {device} is still busy with an act of direct control or with the end of \
                 another task, or it answers slowly. It begins as soon as the phone is free, unless another task has it then"
            ),
            hint: Cow::Borrowed(
                "make the same call again to follow it: it does not start a second one; list_sessions shows it once it \
                   has begun, and stop_task stops it then. Where it cannot begin after all, that call begins it anew or says \
                   what is in its way",
            ),
        }
    }

    pub(super) fn not_gone_on(session: SessionId, call_number: Option<i64>) -> Self {
        Self {
            text: format!(
                "session {session} has not gone on yet: its phone is still busy with an act of direct control or with the \
                 end of another task, or it answers slowly. It goes on as soon as the phone is free, with what you said"
            ),
            hint: Cow::Owned(format!(
                "call ask_agent_continue with only this session_id and call_number {} to follow it: what you said need not \
                   be said again, and a task would be a second one; stop_task keeps it from going on. Where get_session says \
                   STILL_RUNNING no more and nothing was done, the phone could not be reached",
                call_number::after(call_number)
            )),
        }
    }

    /// A person said yes, but the phone's id now belongs to another phone.
    pub(super) fn other_phone(device: &DeviceId) -> Self {
        Self {
            text: format!(
                "nothing was done: {device} is another phone now than when your user was asked, or was started anew"
            ),
            hint: Cow::Borrowed(
                "look which phone it is (list_connected_devices), then make the call and ask your user again",
            ),
        }
    }

    /// A person said no.
    pub(super) fn declined() -> Self {
        Self {
            text: "nothing was done: your user did not agree".to_owned(),
            hint: Cow::Borrowed("ask them what they want instead"),
        }
    }

    /// An action that was not carried out, or may not have been. `on_screen`: the screen could show what
    /// came of it, so the hint may advise a look.
    pub(super) fn action_failed(text: String, doubtful: bool, on_screen: bool) -> Self {
        let hint = if doubtful && !on_screen {
            "find out what came of it before you repeat it"
        } else if doubtful {
            "look at get_screenshot before you repeat it"
        } else if text.contains(FOR_A_PERSON) {
            "ask your user to unlock the phone by hand and to tell you when it is done; the session is kept"
        } else if let Some(hint) = hint::for_missing_app(&text) {
            hint
        } else if ayeaye_adb::is_mended_on_phone(&text) {
            "only your user can do that, on the phone; the session is kept"
        } else if !on_screen {
            "fix what the message names and try again, or do something else; the session is kept"
        } else {
            "look at get_screenshot, then do something else or try again; the session is kept"
        };
        Self { text, hint: Cow::Borrowed(hint) }
    }

    /// An action that was not carried out, because of the phone or the way to it.
    pub(super) fn phone_failed(text: String, err: &DeviceError) -> Self {
        let hint = hint::for_device_error(err, Reader::Client);
        Self { text, hint: Cow::Owned(format!("{hint}; the session is kept")) }
    }

    /// An action that the gate refuses.
    pub(super) fn action_refused(text: String, rule: Rule, on_screen: bool) -> Self {
        let hint = match rule {
            // The user's own no is no matter of settings.
            Rule::Refused => return Self::action_failed(text, false, on_screen),
            Rule::PrivateApp => "only your user acts in this app; press_key HOME or BACK leaves it",
            Rule::SecretElsewhere => {
                "this secret is kept for another app or page: open that one, or have your user keep it for this one with \
                 `ayeaye secret set NAME --app PACKAGE`"
            }
            _ => {
                "your user's settings (policy.*) decide that: `ayeaye policy explain SESSION` says which rule; leave \
                 this screen, or have your user do it by hand"
            }
        };
        Self { text, hint: Cow::Borrowed(hint) }
    }

    /// A task, but no model to give it to. `device`: the client can act on the phone itself.
    pub(crate) fn no_model(state: ModelState, endpoint: &str, device: bool) -> Self {
        let (text, hint) = match (state, device) {
            (ModelState::Refused, true) => (
                format!("nothing was started: the model's endpoint {endpoint} cannot be reached"),
                "drive the phone yourself: get_ui_tree or get_screenshot, then tap, type_text and the like; \
                 or have your user start the model (`ayeaye doctor` checks it) and call this again",
            ),
            (ModelState::Refused, false) => (
                format!("nothing was started: the model's endpoint {endpoint} cannot be reached"),
                "have your user start the model, or correct model.base-url (`ayeaye doctor` checks it), and \
                 call this again; with mcp.tools = \"auto\" or \"all\" you could drive the phone yourself",
            ),
            (_, true) => (
                format!(
                    "nothing was started: no model is configured, and none answers at {endpoint}"
                ),
                "drive the phone yourself: get_ui_tree or get_screenshot, then tap, type_text and the like; \
                 or have your user configure a model: model.base-url and model.name in ayeaye.toml, or \
                 AYEAYE_MODEL_BASE_URL and AYEAYE_MODEL_NAME; `ayeaye doctor` checks it",
            ),
            (_, false) => (
                format!(
                    "nothing was started: no model is configured, and none answers at {endpoint}"
                ),
                "have your user configure a model (model.base-url and model.name in ayeaye.toml, or \
                 AYEAYE_MODEL_BASE_URL and AYEAYE_MODEL_NAME; `ayeaye doctor` checks it), or start the server \
                 without --tools, and you can drive the phone yourself",
            ),
        };
        Self { text, hint: Cow::Borrowed(hint) }
    }

    /// A call that was cancelled before it had done anything.
    pub(super) fn call_cancelled() -> Self {
        Self {
            text: "nothing was done: the call was cancelled".to_owned(),
            hint: Cow::Borrowed(""),
        }
    }

    pub(super) fn state_expired() -> Self {
        Self {
            text: "the answer came too late for this form (15 minutes) and was not used".to_owned(),
            hint: Cow::Borrowed(
                "the session is still waiting: list_sessions shows it, and ask_agent_continue with its \
                   session_id asks again or takes the answer as reply_from_client",
            ),
        }
    }

    pub(super) fn state_foreign() -> Self {
        Self {
            text: "this server did not give this `requestState` to this client for this call; \
                   nothing was started"
                .to_owned(),
            hint: Cow::Borrowed(
                "send back what the server sent, with the same tool and arguments; list_sessions \
                   shows the sessions that are waiting, and ask_agent_continue continues one",
            ),
        }
    }

    pub(super) fn state_missing() -> Self {
        Self {
            text: "`inputResponses` came without the `requestState` they belong to; nothing was \
                   started"
                .to_owned(),
            hint: Cow::Borrowed(
                "send back the requestState unchanged; or answer with ask_agent_continue, the \
                   session_id and reply_from_client",
            ),
        }
    }

    /// A person's answer that did not reach its session.
    pub(super) fn undelivered(session: SessionId, err: &AgentError) -> Self {
        Self {
            text: format!(
                "the answer was not delivered to session {session}, whose question stays open: {}\n{}",
                error_chain(err),
                hint::for_agent_error(err, Reader::Client)
            ),
            hint: Cow::Borrowed(
                "do not ask your user again: when the cause is fixed, call ask_agent_continue \
                   with this session_id and the same answer as reply_from_client",
            ),
        }
    }
}

impl From<AgentError> for ToolError {
    fn from(err: AgentError) -> Self {
        Self { text: error_chain(&err), hint: hint::for_agent_error(&err, Reader::Client) }
    }
}

impl From<DeviceError> for ToolError {
    fn from(err: DeviceError) -> Self {
        Self { text: error_chain(&err), hint: hint::for_device_error(&err, Reader::Client) }
    }
}

/// An error of the agent as text with its hint, for places that are no result of a tool.
pub(super) fn explain_agent_error(err: &AgentError) -> String {
    let hint = hint::for_agent_error(err, Reader::Client);
    ToolError { text: error_chain(err), hint }.to_string()
}
