//! The result of a direct action: a gesture that the client itself asked for.
use std::borrow::Cow;

use ayeaye_agent::{DeviceCommand, DirectOutcome, DirectResult, Report};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ActionItem, QuestionItem};
use crate::mcp::address::Address;
use crate::mcp::connection_tools::ConnectionTools;
use crate::mcp::tool_error::ToolError;

/// The outcome of an act. Fields whose names say it have no words: every chat pays for them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActResult {
    pub session_id: String,
    pub global_step_idx: u32,
    /// What was done; secrets are replaced.
    pub action: ActionItem,
    /// Why it may have had no effect although the phone accepted it: look before you go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Apart from the clock; absent if it could not be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_changed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_settled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// Package of the app in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyboard_shown: Option<bool>,
    /// Whether the field in focus is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_field: Option<bool>,
    /// Hidden from pictures; `get_ui_tree` may show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected: Option<bool>,
    /// It still waits for an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionItem>,
    /// The screen right before the act.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot_uri: Option<String>,
    pub next: &'static str,
}

impl ActResult {
    /// The result of an action that was carried out; an error if it was not, or may not have been.
    pub fn of(
        acted: Option<&DirectResult>,
        report: &Report,
        offer: ConnectionTools,
    ) -> Result<Self, ToolError> {
        let session = report.session_id;
        let Some(acted) = acted else {
            let text = format!(
                "the outcome could not be recorded in session {session}: {}",
                report.message
            );
            return Err(ToolError::action_failed(text, true, true));
        };
        let name = &acted.line.action.function;
        let on_screen = !DeviceCommand::is_off_screen(name);
        let tool = tool_of(name);
        match &acted.outcome {
            DirectOutcome::Done => {}
            DirectOutcome::NotDone(why) => {
                let text = format!("{tool} was not carried out: {why} (session {session})");
                return Err(match &acted.device_error {
                    Some(err) if err.is_unreachable() || err.ends_driving() => {
                        ToolError::phone_failed(text, err)
                    }
                    _ => ToolError::action_failed(text, false, on_screen),
                });
            }
            DirectOutcome::Refused(rule, why) => {
                let text = format!("{tool} was not carried out: {why} (session {session})");
                return Err(ToolError::action_refused(text, *rule, on_screen));
            }
            DirectOutcome::NeedsApproval(asked) => {
                let why = &asked.question;
                let text = format!("{tool} was not carried out: {why} (session {session})");
                return Err(ToolError::action_failed(text, false, on_screen));
            }
            DirectOutcome::Doubtful(why) => {
                let text = format!(
                    "{tool} may or may not have been carried out: {why} (session {session})"
                );
                return Err(ToolError::action_failed(text, true, on_screen));
            }
        }
        let shown = acted.shown.as_ref();
        let typed_nowhere =
            name == "TYPE" && shown.is_some_and(|it| !it.changed && !it.keyboard_shown);
        Ok(Self {
            session_id: session.to_string(),
            global_step_idx: acted.step + 1,
            action: ActionItem::new(&acted.line.action, &acted.line.explain),
            uncertain: acted.line.uncertain.clone(),
            note: acted.note.clone(),
            screen_changed: shown.map(|it| it.changed),
            screen_settled: shown.map(|it| it.settled),
            screen_on: shown.map(|it| it.awake),
            locked: shown.map(|it| it.locked),
            app: shown.and_then(|it| it.app.as_ref()).map(|app| app.package.clone()),
            keyboard_shown: shown.map(|it| it.keyboard_shown),
            password_field: shown.map(|it| it.secret_field),
            protected: shown.map(|it| it.protected),
            question: report.question.as_ref().map(QuestionItem::from),
            screenshot_uri: acted
                .pictured
                .then(|| Address::Screenshot(session, acted.step).to_string()),
            next: if shown.is_some_and(|it| !it.awake) {
                SCREEN_OFF
            } else if shown.is_some_and(|it| it.locked) {
                LOCKED
            } else if typed_nowhere {
                TYPED_NOWHERE
            } else if name == "TYPE" && acted.line.uncertain.is_some() {
                TYPED_OTHERWISE
            } else {
                next(report.question.is_some(), offer)
            },
        })
    }
}

const TYPED_NOWHERE: &str = "Nothing changed on the screen and no keyboard is shown: probably no field was focused. \
     Look at get_screenshot, then give x and y of the field.";

const TYPED_OTHERWISE: &str = "The field may not hold what you sent: see uncertain. Look at get_screenshot before you type \
     again; what is wrong in it can be replaced with `clear`. If it is the phone's keyboard that changes words, your user \
     can give the phone one that does not: `ayeaye setup SERIAL --keyboard fetch`.";

const SCREEN_OFF: &str =
    "The screen is off (`screen_on`), so nothing can be seen on it: press_key HOME switches it on.";

const LOCKED: &str = "The phone is locked (`locked`), or an app is shown over its lock screen. If you see the lock screen on \
     get_screenshot, swipe up on it once; if it wants a code, a pattern or a face, ask your user to unlock the phone by hand and \
     to tell you when it is done. Never guess a code.";

fn next(asked: bool, offer: ConnectionTools) -> &'static str {
    if offer.client_drives() {
        return "Look at get_ui_tree or get_screenshot, then act again; when it is done, check it on the \
                screen and tell your user.";
    }
    match (offer.tools.agent, asked) {
        (true, true) => {
            "Look at get_screenshot. The agent's question is still open: when what it asks for is done, \
             call ask_agent_continue with this session_id and reply_from_client."
        }
        (true, false) => {
            "Look at get_screenshot and act again, or hand the phone to the agent: ask_agent_continue \
             with this session_id, and a task if it had none."
        }
        (false, _) if offer.tools.device => {
            "Look at get_screenshot or get_ui_tree, then act again."
        }
        (false, _) => "Look at get_screenshot to see the outcome.",
    }
}

/// The tool that does what the record calls by this name: a client knows only tools.
fn tool_of(function: &str) -> Cow<'static, str> {
    Cow::Borrowed(match function {
        "CLICK" | "DOUBLE_CLICK" => "tap",
        "LONGPRESS" => "long_press",
        "SLIDE" => "swipe",
        "TYPE" => "type_text",
        "HOT_KEY" => "press_key",
        "AWAKE" => "launch_app",
        // Those that need no finger are called the same.
        command => return Cow::Owned(command.to_ascii_lowercase()),
    })
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::gate::Rule;
    use ayeaye_agent::journal::ActionRecord;
    use ayeaye_agent::{DeviceError, DeviceId, StepSummary, StopReason};

    use super::super::samples::report;
    use super::*;
    use crate::config::{ToolChoice, ToolSet};
    use crate::model_presence::ModelState;

    fn result_of(outcome: Option<DirectOutcome>) -> Result<ActResult, String> {
        result_after(outcome, None)
    }

    fn result_after(
        outcome: Option<DirectOutcome>,
        device_error: Option<DeviceError>,
    ) -> Result<ActResult, String> {
        let (function, arguments) = ("CLICK".to_owned(), serde_json::Map::new());
        let action = ActionRecord { function, arguments };
        let line = StepSummary {
            step: 4,
            action,
            explain: String::new(),
            thought: String::new(),
            error: None,
            uncertain: None,
            asked: None,
            caption: None,
        };
        let message = "no space left".to_owned();
        let report = Report { message, ..report(StopReason::UserPaused) };
        let (session_id, shown, pictured) = (report.session_id, None, false);
        let acted = outcome.map(|outcome| DirectResult {
            session_id,
            step: 4,
            line,
            outcome,
            device_error,
            was_agreed: false,
            note: None,
            shown,
            pictured,
        });
        let offer = ConnectionTools::new(ToolChoice::Only(ToolSet::ALL), ModelState::Ready);
        ActResult::of(acted.as_ref(), &report, offer).map_err(|it| it.to_string())
    }

    #[test]
    fn an_act_on_a_phone_that_is_away_is_told_how_the_phone_comes_back() {
        let lost = DeviceError::NotFound(DeviceId::new("10.0.0.9:5555"));
        let why = Some(DirectOutcome::NotDone(lost.to_string()));
        let told = result_after(why, Some(lost)).unwrap_err();
        assert!(told.contains("tap was not carried out: device 10.0.0.9:5555 is not connected"));
        assert!(told.contains("`ayeaye connect 10.0.0.9:5555`"), "{told}");
        assert!(
            told.ends_with("the session is kept") && !told.contains("get_screenshot"),
            "{told}"
        );
    }

    #[test]
    fn only_what_was_done_is_a_success() {
        let done = serde_json::to_value(result_of(Some(DirectOutcome::Done)).unwrap()).unwrap();
        assert_eq!(done["global_step_idx"], 5);
        assert!(done.get("screen_changed").is_none(), "it could not be seen: {done}");
        let why = || "the link was lost".to_owned();
        for (outcome, says, hint) in [
            (Some(DirectOutcome::NotDone(why())), "tap was not carried out: the link", "try again"),
            (
                Some(DirectOutcome::Refused(Rule::PrivateApp, why())),
                "not carried out",
                "HOME or BACK",
            ),
            (Some(DirectOutcome::Refused(Rule::ReadOnly, why())), "not carried out", "(policy.*)"),
            (Some(DirectOutcome::Refused(Rule::Refused, why())), "not carried out", "try again"),
            (
                Some(DirectOutcome::Doubtful(why())),
                "tap may or may not have been carried out: the link",
                "before you repeat it",
            ),
            (None, "could not be recorded", "before you repeat it"),
            (
                Some(DirectOutcome::NotDone(
                    "its lock screen wants a secret: a person has to unlock it".to_owned(),
                )),
                "lock screen",
                "ask your user to unlock the phone",
            ),
            (
                Some(DirectOutcome::NotDone(format!(
                    "{}; installed are A",
                    ayeaye_adb::NO_SUCH_APP
                ))),
                "installed are A",
                "take one of the names",
            ),
        ] {
            let text = result_of(outcome).unwrap_err();
            assert!(text.contains(says) && text.contains(hint), "{text}");
        }
    }
}
