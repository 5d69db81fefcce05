//! Errors as a client's model reads them: what failed, why, and what to do.
use std::borrow::Cow;
use std::fmt;

use ayeaye_agent::gate::Rule;
use ayeaye_agent::{AgentError, DeviceError, DeviceId, InvalidSessionId, SessionId, error_chain};
use rmcp::ErrorData;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};

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
    hint: &'static str,
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
    /// What is wrong, without what a client can do about it.
    pub(crate) fn what(&self) -> &str {
        &self.text
    }

    /// `reply`: what the reply is called where it comes from.
    pub(super) fn task_and_reply(reply: &str) -> Self {
        Self {
            text: format!("`task` and `{reply}` cannot be given together"),
            hint: "a reply answers the agent's question or advises it, a task is a new request in the same session; leave \
                   the other one out, or empty",
        }
    }

    /// An answer to a question that is not open now: it would be dropped, although its sender was told that it was sent.
    pub(crate) fn not_open() -> Self {
        let text = "this question is not open any more: it was answered or given up in the meantime, or another one \
                    has replaced it";
        let hint = "a model leaves question_step out; a person reads the question that is open now";
        Self { text: text.to_owned(), hint }
    }

    pub(crate) fn not_arguments(err: &serde_path_to_error::Error<serde_json::Error>) -> Self {
        let cause: String = without_value(&err.inner().to_string()).chars().take(200).collect();
        let text = match err.path().to_string().as_str() {
            "." => format!("the arguments do not fit: {cause}"),
            path => format!("`{path}` does not fit: {cause}"),
        };
        let hint = if cause.contains("`device_id`") {
            "list_connected_devices shows the phones and their device_id"
        } else {
            "tools/list says what each tool takes"
        };
        Self { text, hint }
    }

    /// A field that there is not, with the one that was most likely meant and all there are.
    pub(super) fn unknown_field(given: &str, meant: Option<&str>, names: &[&str]) -> Self {
        let shown = excerpt(given, 60);
        let meant = meant.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        let names = names.join("`, `");
        Self {
            text: format!(
                "the arguments do not fit: unknown field `{shown}`{meant} (this tool takes `{names}`)"
            ),
            hint: "tools/list says what each tool takes",
        }
    }

    /// The same with the limits of the number that was expected.
    #[must_use]
    pub(super) fn in_range(mut self, range: Option<(u64, u64)>) -> Self {
        if let Some((least, most)) = range {
            self.text = format!("{}, {least} to {most}", self.text);
        }
        self
    }

    /// A place that is given in parts of the screen.
    pub(super) fn fraction(name: &str, given: f64) -> Self {
        Self {
            text: format!(
                "`{name}` is {given}; coordinates are thousandths of the screen, 0 to 1000, not fractions of it"
            ),
            hint: "multiply them by 1000: the middle of the screen is 500, 500",
        }
    }

    pub(super) fn too_long(name: &str, length: usize, most: usize) -> Self {
        Self {
            text: format!("`{name}` has {length} bytes of UTF-8; at most {most} are allowed"),
            hint: "say it in a few sentences, and split a big plan into several tasks",
        }
    }

    pub(super) fn empty(name: &str) -> Self {
        let hint = match name {
            "device_id" => "take a device_id from list_connected_devices",
            "reply_from_client" => {
                "say what your user answered, or leave it out to follow the session or to see its question"
            }
            _ => "say in a sentence what to do",
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
        Self { text: err.to_string(), hint: "list_sessions shows all sessions" }
    }

    /// A coordinate off the screen.
    pub(super) fn outside_screen(name: &str, given: i64) -> Self {
        Self {
            text: format!("`{name}` is {given}; it can be 0 to 1000"),
            hint: "coordinates are thousandths of the screen's width and height, from the top left, not \
                   pixels: divide a pixel position by the picture's width or height and multiply by 1000",
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
            hint: "get_screenshot shows what is there",
        }
    }

    pub(super) fn nothing_to_type() -> Self {
        Self {
            text: "there is nothing to type: `text` is empty".to_owned(),
            hint: "to empty the field set `clear`; ENTER and other keys are pressed with press_key",
        }
    }

    /// A look at a private app.
    pub(crate) fn private_app(app: &str) -> Self {
        let app = if app.is_empty() { "an app that the phone does not name" } else { app };
        Self {
            text: format!(
                "{app} is in front, and the settings make it private (policy.private-apps): nothing on its screen \
                 leaves the server's machine"
            ),
            hint: "ask your user to go on by hand; press_key HOME or BACK leaves the app",
        }
    }

    /// The log of a private app.
    pub(super) fn private_app_log(app: &str) -> Self {
        Self {
            text: format!(
                "the settings make {app} private (policy.private-apps): nothing of it is shown, not even its log"
            ),
            hint: "ask your user to read it by hand, with adb logcat",
        }
    }

    pub(super) fn long_text(length: usize, most: usize) -> Self {
        Self {
            text: format!("`text` has {length} bytes of UTF-8; at most {most} are allowed"),
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

    /// A reference to an element that is not there, or not as it was.
    pub(super) fn stale_reference(given: &str) -> Self {
        let shown = excerpt(given, 20);
        Self {
            text: format!(
                "nothing was done: `{shown}` is not an element from your last looks at this phone that is \
                 still there and unchanged"
            ),
            hint: "call get_ui_tree again and take `ref` from what it says now",
        }
    }

    /// A reference that cannot be checked.
    pub(super) fn no_elements() -> Self {
        Self {
            text: "nothing was done: the phone does not list its elements now, so it is not certain what \
                   the reference would hit"
                .to_owned(),
            hint: "look at get_screenshot and give x and y",
        }
    }

    /// `what`, such as "a tap", without a place, or with two.
    pub(super) fn no_place(what: &str, missing: Option<&str>) -> Self {
        let missing = missing.map(|name| format!("missing field `{name}`: ")).unwrap_or_default();
        Self {
            text: format!("{missing}{what} needs either `ref`, or `x` and `y`"),
            hint: "get_ui_tree gives a `ref` for each element; get_screenshot shows places; leave the other out, or empty",
        }
    }

    /// An address that may not be opened.
    pub(super) fn not_an_url(given: &str, schemes: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` is not an address with one of these schemes: {schemes}"),
            hint: "give a whole address such as https://example.com/; mcp.url-schemes in ayeaye.toml says \
                   which schemes are allowed",
        }
    }

    /// An address that is too long.
    pub(super) fn too_long_url(given: &str, most: usize) -> Self {
        let (shown, length) = (excerpt(given, 60), given.len());
        Self {
            text: format!("`{shown}` has {length} bytes; at most {most} are allowed"),
            hint: "give a shorter address",
        }
    }

    /// An address with a space or the like.
    pub(super) fn odd_url(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!(
                "`{shown}` contains a space or a control character, which no address may"
            ),
            hint: "write a space as %20; use type_text to type into a page",
        }
    }

    /// An address of a page without a host.
    pub(super) fn url_without_host(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` has no host"),
            hint: "give a whole address such as https://example.com/",
        }
    }

    /// A name of a file, or a path.
    pub(super) fn not_a_file(name: &str, given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{name}` is `{shown}`, which is not the name of a file"),
            hint: "`file` is a name in this server's folder for files (adb.files); paths on the phone begin \
                   with /sdcard/",
        }
    }

    /// What a person has to agree to first.
    pub(super) fn needs_approval(question: &str, code: &str) -> Self {
        Self {
            text: format!(
                "nothing was done yet: your user has to agree first. Ask them: {question} If they say yes, \
                 make the same call with \"approval\": \"{code}\""
            ),
            hint: "do not answer for your user; the code is valid for 15 minutes",
        }
    }

    /// A code that is not good for this act.
    pub(super) fn not_approved(given: &str) -> Self {
        Self {
            text: format!(
                "nothing was done: `{given}` is not an approval for this call, or has expired"
            ),
            hint: "make the call without `approval`, and ask your user again",
        }
    }

    /// A code whose act was carried out, or was begun: by the step and the session it is, where that is known.
    pub(super) fn used_approval(given: &str, came_of_it: Option<(u32, SessionId)>) -> Self {
        let at = came_of_it
            .map(|(step, session)| format!(", at step {step} of session {session}"))
            .unwrap_or_default();
        Self {
            text: format!(
                "nothing was done now: the approval `{given}` was used already{at}, and is good once. The answer to that \
                 call may have been lost"
            ),
            hint: "look at get_screenshot first, for what came of it; only if it was not done, make the call without \
                   `approval`, and ask your user again",
        }
    }

    /// A task whose phone is taken by what has no session to name, or slow.
    pub(super) fn not_begun(device: &DeviceId) -> Self {
        Self {
            text: format!(
                "the task has not begun yet: {device} is still busy with an act of direct control or with the end of \
                 another task, or it answers slowly. It begins as soon as the phone is free, unless another task has it then"
            ),
            hint: "make the same call again to follow it: it does not start a second one; list_sessions shows it once it \
                   has begun, and stop_task stops it then. Where it cannot begin after all, that call begins it anew or says \
                   what is in its way",
        }
    }

    pub(super) fn not_gone_on(session: SessionId) -> Self {
        Self {
            text: format!(
                "session {session} has not gone on yet: its phone is still busy with an act of direct control or with the \
                 end of another task, or it answers slowly. It goes on as soon as the phone is free, with what you said"
            ),
            hint: "call ask_agent_continue with this session_id alone to follow it: what you said need not be said again, \
                   and a task would be a second one; stop_task keeps it from going on. Where get_session says \
                   STILL_RUNNING no more and nothing was done, the phone could not be reached",
        }
    }

    /// A person said yes while what a phone is called by became another one's.
    pub(super) fn other_phone(device: &DeviceId) -> Self {
        Self {
            text: format!(
                "nothing was done: {device} is another phone now than when your user was asked, or was started anew"
            ),
            hint: "look which phone it is (list_connected_devices), then make the call and ask your user again",
        }
    }

    /// A person said no.
    pub(super) fn declined() -> Self {
        Self {
            text: "nothing was done: your user did not agree".to_owned(),
            hint: "ask them what they want instead",
        }
    }

    pub(super) fn incomplete_point(missing: &str) -> Self {
        Self {
            text: format!("`{missing}` is missing: a field is given by `x` and `y` together"),
            hint: "leave both out to type into the focused field",
        }
    }

    pub(super) fn not_an_app(given: &str) -> Self {
        let shown = excerpt(given, 60);
        Self {
            text: format!("`{shown}` is not the name of an app"),
            hint: "give the name under its icon, or its package such as com.android.settings",
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
        } else if ayeaye_adb::names_the_mend(&text) {
            "only your user can do that, on the phone; the session is kept"
        } else if !on_screen {
            "fix what the message names and try again, or do something else; the session is kept"
        } else {
            "look at get_screenshot, then do something else or try again; the session is kept"
        };
        Self { text, hint }
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
        Self { text, hint }
    }

    /// A task, but no model to give it to. `device`: the client can act on the phone itself.
    pub(crate) fn no_model(state: ModelState, endpoint: &str, device: bool) -> Self {
        let (text, hint) = match (state, device) {
            (ModelState::Refused, true) => (
                format!("nothing was started: the model's endpoint {endpoint} refuses connections"),
                "drive the phone yourself: get_ui_tree or get_screenshot, then tap, type_text and the like; \
                 or have your user start the model (`ayeaye doctor` checks it) and call this again",
            ),
            (ModelState::Refused, false) => (
                format!("nothing was started: the model's endpoint {endpoint} refuses connections"),
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
        Self { text, hint }
    }

    /// A call that was cancelled before it had done anything.
    pub(super) fn call_cancelled() -> Self {
        Self { text: "nothing was done: the call was cancelled".to_owned(), hint: "" }
    }

    pub(super) fn state_expired() -> Self {
        Self {
            text: "the answer came too late for this form (15 minutes) and was not used".to_owned(),
            hint: "the session is still waiting: list_sessions shows it, and ask_agent_continue with its \
                   session_id asks again or takes the answer as reply_from_client",
        }
    }

    pub(super) fn state_foreign() -> Self {
        Self {
            text: "this server did not give this `requestState` to this client for this call; \
                   nothing was started"
                .to_owned(),
            hint: "send back what the server sent, with the same tool and arguments; list_sessions \
                   shows the sessions that are waiting, and ask_agent_continue continues one",
        }
    }

    pub(super) fn state_missing() -> Self {
        Self {
            text: "`inputResponses` came without the `requestState` they belong to; nothing was \
                   started"
                .to_owned(),
            hint: "send back the requestState unchanged; or answer with ask_agent_continue, the \
                   session_id and reply_from_client",
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

/// A message of serde's without the value it quotes: the value may be long, and a code sent as a number
/// is as secret as one sent as text.
pub(super) fn without_value(message: &str) -> Cow<'_, str> {
    let found = ["invalid type: ", "invalid value: "].iter().find_map(|what| {
        let (given, expected) = message.strip_prefix(what)?.rsplit_once(", expected ")?;
        let kind = given.split(['`', '"']).next()?.trim_end();
        Some(format!("{what}{kind}, expected {}", in_words(expected)))
    });
    found.map_or(Cow::Borrowed(message), Cow::Owned)
}

/// What serde expects, without Rust's names for it.
fn in_words(expected: &str) -> &str {
    match expected {
        "i64" | "u64" | "i32" | "u32" => "a whole number",
        "f64" => "a number",
        "a boolean" => "true or false",
        other => other,
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

/// The same text where it is not the result of a tool.
pub(super) fn explain_agent_error(err: &AgentError) -> String {
    let hint = hint::for_agent_error(err, Reader::Client);
    ToolError { text: error_chain(err), hint }.to_string()
}
