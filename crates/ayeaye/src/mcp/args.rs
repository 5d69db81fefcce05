//! The arguments of tools: their types, their defaults, and the checks that a schema cannot express.
mod coerce;
pub mod command;
pub mod device;
pub mod watch;

use std::time::Duration;

use ayeaye_agent::gate::PolicyProfile;
use ayeaye_agent::{DeviceId, ReplyMode, SessionId, is_unseen, with_line_feeds};
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::app::OWN_ARGUMENT;
use super::call_number;
use super::schema;
use super::tool_error::ToolError;
use crate::config::{Config, MAX_STEPS, ToolChoice};
use crate::text::excerpt;

/// The longest task or reply, in bytes of UTF-8.
pub const MAX_TEXT: usize = 16 * 1024;
/// The longest side of a screenshot, in pixels; hosts refuse or scale down larger ones.
pub const MAX_SIDE: u32 = 1280;
/// The longest wait of a call, in seconds.
pub const MAX_WAIT: f64 = 3600.0;

/// The defaults of optional arguments.
#[derive(Debug, Clone, Copy)]
pub struct Defaults {
    /// Steps of a call.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: ReplyMode,
    /// Whether a host agent splits requests up over apps.
    pub planner: bool,
    /// How long a call waits for its run.
    pub wait: Duration,
    /// How long a call of a client that shows progress waits.
    pub wait_with_progress: Duration,
    /// Which tools the settings want to be offered.
    pub tools: ToolChoice,
}

impl From<&Config> for Defaults {
    fn from(config: &Config) -> Self {
        let run = &config.run;
        Self {
            max_steps: run.max_steps,
            reply_mode: run.reply_mode,
            planner: run.planner,
            wait: run.wait,
            wait_with_progress: run.wait_with_progress,
            tools: config.tools,
        }
    }
}

/// The arguments of a call, or an error that names the invalid one. rmcp's own extractor answers with a protocol error,
/// which the client's model never sees.
#[derive(Debug)]
pub struct ValidatedArgs<T>(pub Result<T, ToolError>);

impl<S, T: DeserializeOwned + JsonSchema> FromContextPart<ToolCallContext<'_, S>>
    for ValidatedArgs<T>
{
    fn from_context_part(call: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        Ok(Self(read(call.arguments.take().unwrap_or_default())))
    }
}

/// Reads arguments as clients send them.
fn read<T: DeserializeOwned + JsonSchema>(arguments: JsonObject) -> Result<T, ToolError> {
    let schema = schema::input::<T>();
    if let Some((name, given)) = coerce::fraction(&arguments, &schema) {
        return Err(ToolError::fraction(&name, given));
    }
    let arguments = Value::Object(coerce::coerce(arguments, &schema));
    serde_path_to_error::deserialize(arguments).map_err(|err| {
        if let Some(unknown) = unknown_field(&err) {
            let meant = coerce::meant(&unknown, &schema);
            return ToolError::unknown_field(&unknown, meant, &names(&schema));
        }
        let range = coerce::range(&err.path().to_string(), &schema);
        ToolError::not_arguments(&err).in_range(range)
    })
}

/// The names of the fields, without the one that models are not shown.
fn names(schema: &JsonObject) -> Vec<&str> {
    let fields = schema.get("properties").and_then(Value::as_object);
    let names = fields.into_iter().flat_map(JsonObject::keys).map(String::as_str);
    names.filter(|name| *name != OWN_ARGUMENT).collect()
}

/// The name that no field has, if that is what is wrong.
fn unknown_field(err: &serde_path_to_error::Error<serde_json::Error>) -> Option<String> {
    let message = err.inner().to_string();
    let name = message.strip_prefix("unknown field `")?.split_once('`')?.0;
    Some(name.to_owned())
}

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoArgs {}

/// Arguments of `ask_agent_start_new_task`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StartArgs {
    /// The phone to use: a `device_id` from `list_connected_devices`.
    pub device_id: String,
    /// What to do, in one or two plain sentences: one thing in one app that is installed on the phone,
    /// with every detail the agent needs (names, texts, limits, where to stop). At most 16 KiB, in UTF-8.
    #[schemars(length(min = 1, max = 16384))]
    pub task: String,
    /// The most steps (look, decide, act) for this call. Usually 20 if left out.
    #[schemars(range(min = 1, max = 500))]
    pub max_steps: Option<i64>,
    /// Who answers the agent's questions: `pass_to_client` (you, after asking your user; usually the
    /// default), `auto_reply` (a model answers as the user would), `no_reply` (the agent is told to do without
    /// an answer), `manual_reply` (an operator at the server).
    #[schemars(extend("enum" = ["pass_to_client", "auto_reply", "no_reply", "manual_reply"]))]
    pub reply_mode: Option<String>,
    /// Whether a planner splits up a task over several apps; the server's setting if left out.
    pub planner: Option<bool>,
    /// Restricts the session until it ends: `careful` asks your user before anything that has consequences,
    /// `no-commerce` also refuses anything to do with money, `read-only` also refuses texts, switches and
    /// controls that say they change something.
    #[schemars(extend("enum" = ["careful", "no-commerce", "read-only"]))]
    pub policy: Option<String>,
    /// Whether to wait in line if the phone is busy: the task starts by itself when its turn comes, and
    /// `stop_task` ends the wait.
    pub queue: Option<bool>,
    /// How long to wait for the task to end, in seconds. After that the answer is `STILL_RUNNING` and the task
    /// continues; follow it with `ask_agent_continue`. 0 returns at once. Usually 45 if left out, 240
    /// if you show progress.
    #[schemars(range(min = 0, max = 3600))]
    pub wait_seconds: Option<f64>,
    /// Pictures in the result: `end` adds the screen as it is then, `each` also puts those of the last steps
    /// before it. None if left out.
    #[schemars(extend("enum" = ["none", "end", "each"]))]
    pub screenshot: Option<String>,
}

/// Arguments of `ask_agent_continue`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContinueArgs {
    /// The session: the `session_id` that an earlier call returned.
    pub session_id: String,
    /// The session's own phone; may be left out.
    pub device_id: Option<String>,
    /// A new request for the same session, without a reset. Leave it out, or empty, if you give
    /// `reply_from_client`.
    #[schemars(length(max = 16384))]
    pub task: Option<String>,
    /// The answer to the agent's question, in your user's words; or advice for a task that continues.
    /// Leave it out, or empty, if you give `task`.
    #[schemars(length(max = 16384))]
    pub reply_from_client: Option<String>,
    /// The number that `next` gives for this call. It changes nothing; it is for hosts that end a turn when one
    /// call is made again and again.
    #[serde(default, deserialize_with = "call_number::read")]
    pub call_number: Option<i64>,
    /// Only for the app: leave it out.
    // Which question its user has read, counted from 1: 0 is what a model gives that cannot leave it out. In the schema
    // where the app is shown: hosts check what it asks for against that.
    #[schemars(range(min = 1))]
    pub question_step: Option<u32>,
    /// Whether `reply_from_client` is a secret, such as a password: then it is kept out of all logs. Answers
    /// to questions for passwords and codes always are.
    pub reply_is_secret: Option<bool>,
    /// The most further steps for this call, as with `ask_agent_start_new_task`.
    #[schemars(range(min = 1, max = 500))]
    pub max_steps: Option<i64>,
    /// Who answers the agent's questions, as with `ask_agent_start_new_task`.
    #[schemars(extend("enum" = ["pass_to_client", "auto_reply", "no_reply", "manual_reply"]))]
    pub reply_mode: Option<String>,
    /// Whether a planner splits up the new `task` over several apps. A task that continues stays as it was
    /// started.
    pub planner: Option<bool>,
    /// Restricts the session until it ends, as with `ask_agent_start_new_task`.
    #[schemars(extend("enum" = ["careful", "no-commerce", "read-only"]))]
    pub policy: Option<String>,
    /// How long to wait for the task to end, in seconds, as with `ask_agent_start_new_task`.
    #[schemars(range(min = 0, max = 3600))]
    pub wait_seconds: Option<f64>,
    /// Pictures in the result, as with `ask_agent_start_new_task`.
    #[schemars(extend("enum" = ["none", "end", "each"]))]
    pub screenshot: Option<String>,
}

/// A phone.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceArgs {
    /// A `device_id` from `list_connected_devices`.
    pub device_id: String,
}

/// Arguments of `get_screenshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScreenshotArgs {
    /// A `device_id` from `list_connected_devices`.
    pub device_id: String,
    /// The longest side of the picture, in pixels. 1280 if left out; 640 takes less than half the bytes.
    #[schemars(range(min = 200, max = 1280))]
    pub max_size: Option<i64>,
}

/// A session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionArgs {
    /// The session: the `session_id` that an earlier call returned.
    pub session_id: String,
}

/// Arguments of `list_sessions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSessionsArgs {
    /// The most sessions to list, newest first. 20 if left out.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// A `session_id`: lists older ones than that.
    pub before: Option<String>,
}

/// The pictures that a client wants in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WantedPictures {
    /// None.
    None,
    /// The screen at the end of the call.
    End,
    /// Those of the call's last steps, then the screen at the end.
    Each,
}

/// Checks a task or a reply: not empty, not too long, without control characters.
pub fn text(name: &'static str, text: &str) -> Result<String, ToolError> {
    if MAX_TEXT < text.len() {
        return Err(ToolError::too_long(name, text.len(), MAX_TEXT));
    }
    let clean = with_line_feeds(text);
    let clean: String =
        clean.chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect();
    // What nobody sees is no task either.
    let shows = |c: char| {
        !(c.is_whitespace() || is_unseen(c) || matches!(c, '\u{200c}' | '\u{200d}' | '\u{ad}'))
    };
    if clean.contains(shows) { Ok(clean.trim().to_owned()) } else { Err(ToolError::empty(name)) }
}

/// A device id.
pub fn device_id(text: &str) -> Result<DeviceId, ToolError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ToolError::empty("device_id"));
    }
    if 256 < text.len() || text.contains(char::is_control) {
        return Err(ToolError::not_a_device(text));
    }
    Ok(DeviceId::new(text))
}

/// A session id.
pub fn session_id(text: &str) -> Result<SessionId, ToolError> {
    text.trim().parse().map_err(ToolError::not_a_session)
}

/// Steps of a call, 1 to [`MAX_STEPS`].
pub fn max_steps(given: Option<i64>, default: u32) -> Result<u32, ToolError> {
    let Some(given) = given else { return Ok(default) };
    u32::try_from(given)
        .ok()
        .filter(|steps| (1..=MAX_STEPS).contains(steps))
        .ok_or_else(|| ToolError::out_of_range("max_steps", &given, &format!("1 to {MAX_STEPS}")))
}

/// Longest side of a picture in pixels, 200 to `MAX_SIDE`.
pub fn max_size(name: &str, given: Option<i64>) -> Result<u32, ToolError> {
    let Some(given) = given else { return Ok(MAX_SIDE) };
    u32::try_from(given)
        .ok()
        .filter(|side| (200..=MAX_SIDE).contains(side))
        .ok_or_else(|| ToolError::out_of_range(name, &given, "200 to 1280"))
}

/// Sessions of a list, 1 to 100.
pub fn limit(given: Option<i64>) -> Result<u8, ToolError> {
    let given = given.unwrap_or(20);
    u8::try_from(given)
        .ok()
        .filter(|limit| (1..=100).contains(limit))
        .ok_or_else(|| ToolError::out_of_range("limit", &given, "1 to 100"))
}

/// Who answers questions.
pub fn reply_mode(given: Option<&str>, default: ReplyMode) -> Result<ReplyMode, ToolError> {
    let Some(given) = given else { return Ok(default) };
    ReplyMode::from_name(given).ok_or_else(|| {
        let names = ReplyMode::ALL.map(ReplyMode::name).join(", ");
        ToolError::out_of_range("reply_mode", &excerpt(given, 40), &names)
    })
}

/// Which pictures a result has.
pub fn pictures(given: Option<&str>) -> Result<WantedPictures, ToolError> {
    match given {
        None | Some("none") => Ok(WantedPictures::None),
        Some("end") => Ok(WantedPictures::End),
        Some("each") => Ok(WantedPictures::Each),
        Some(other) => {
            let shown = excerpt(other, 40);
            Err(ToolError::out_of_range("screenshot", &shown, "none, end or each"))
        }
    }
}

/// The profile that a session's policy is narrowed to. `trusted` narrows nothing, so it is not a choice.
pub fn policy(given: Option<&str>) -> Result<Option<PolicyProfile>, ToolError> {
    let Some(given) = given else { return Ok(None) };
    let narrows = |profile: &PolicyProfile| *profile != PolicyProfile::Trusted;
    PolicyProfile::from_name(given).filter(narrows).map(Some).ok_or_else(|| {
        let names: Vec<_> =
            PolicyProfile::ALL.into_iter().filter(narrows).map(PolicyProfile::name).collect();
        ToolError::out_of_range("policy", &excerpt(given, 40), &names.join(", "))
    })
}

/// How long a call waits, 0 to [`MAX_WAIT`] seconds; by default longer for a client that shows progress.
pub fn wait(
    given: Option<f64>,
    defaults: &Defaults,
    ctx: &RequestContext<RoleServer>,
) -> Result<Duration, ToolError> {
    match given {
        None if ctx.meta.get_progress_token().is_some() => Ok(defaults.wait_with_progress),
        None => Ok(defaults.wait),
        Some(seconds) if (0.0..=MAX_WAIT).contains(&seconds) => {
            Ok(Duration::from_secs_f64(seconds))
        }
        Some(seconds) => Err(ToolError::out_of_range("wait_seconds", &seconds, "0 to 3600")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong<T: DeserializeOwned + JsonSchema>(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        read::<T>(arguments).err().expect("it is refused").to_string()
    }

    #[test]
    fn a_typing_error_is_answered_with_the_name_that_was_meant() {
        let text = wrong::<ContinueArgs>(json!({ "session_id": "a", "max_step": 5 }));
        assert!(text.contains("unknown field `max_step`"), "{text}");
        assert!(text.contains("; did you mean `max_steps`?"), "{text}");
        let text = wrong::<ContinueArgs>(json!({ "session_id": "a", "speed": 5 }));
        assert!(text.contains("unknown field `speed`") && !text.contains("did you mean"), "{text}");
        // All that there are, whole, and none that models are not shown.
        assert!(text.contains("`wait_seconds`") && text.contains("`screenshot`"), "{text}");
        assert!(!text.contains("question_step"), "{text}");
    }

    #[test]
    fn a_text_that_shows_nothing_is_empty() {
        for nothing in ["", " \n", "\u{200b}", " \u{feff}\u{2060} \u{200d}\u{7}", "\u{ad}\u{3000}"]
        {
            let told = text("task", nothing).unwrap_err().to_string();
            assert!(told.contains("`task`") && told.contains("empty"), "{told}");
        }
        assert_eq!(text("task", " o\u{200d}k\u{7} ").unwrap(), "o\u{200d}k");
        assert_eq!(text("task", "one\r\ntwo\rthree").unwrap(), "one\ntwo\nthree");
    }

    #[test]
    fn what_a_field_wants_is_said_in_words() {
        for (given, says) in [
            (
                json!({ "max_steps": "many" }),
                "`max_steps` does not fit: invalid type: string, expected a whole number",
            ),
            (
                json!({ "max_steps": 1.5 }),
                "`max_steps` does not fit: invalid type: floating point, expected a whole number",
            ),
            (
                json!({ "wait_seconds": "long" }),
                "`wait_seconds` does not fit: invalid type: string, expected a number",
            ),
            (
                json!({ "queue": "perhaps" }),
                "`queue` does not fit: invalid type: string, expected true or false",
            ),
        ] {
            let text = wrong::<StartArgs>(given);
            assert!(text.starts_with(says), "{text}");
        }
        let text = wrong::<device::KeyArgs>(
            json!({ "device_id": "a", "key": "BACK", "screenshot": true }),
        );
        assert!(text.contains("expected a whole number, 200 to 1280"), "{text}");
    }

    #[test]
    fn what_the_schemas_of_tasks_allow_is_what_is_read() {
        let modes: Vec<&str> = ReplyMode::ALL.iter().map(|mode| mode.name()).collect();
        let policies: Vec<&str> = PolicyProfile::ALL
            .iter()
            .map(|profile| profile.name())
            .filter(|name| policy(Some(name)).is_ok())
            .collect();
        assert_eq!(policies.len(), PolicyProfile::ALL.len() - 1, "`trusted` narrows nothing");
        let of_start = crate::mcp::schema::input::<StartArgs>();
        let of_continue = crate::mcp::schema::input::<ContinueArgs>();
        for schema in [&of_start, &of_continue] {
            let fields = &schema["properties"];
            let words = |name: &str| -> Vec<&str> {
                let all = fields[name]["enum"].as_array().expect("a list of words");
                all.iter().filter_map(Value::as_str).collect()
            };
            assert_eq!(words("reply_mode"), modes);
            let mut offered = words("policy");
            offered.sort_unstable_by_key(|word| policies.iter().position(|it| it == word));
            assert_eq!(offered, policies);
            let pictures = words("screenshot");
            assert!(
                pictures.iter().all(|word| super::pictures(Some(word)).is_ok()),
                "{pictures:?}"
            );
            assert_eq!(fields["task"]["maxLength"], MAX_TEXT);
        }
        assert_eq!(of_continue["properties"]["reply_from_client"]["maxLength"], MAX_TEXT);
    }
}
