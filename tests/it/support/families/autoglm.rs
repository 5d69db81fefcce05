//! AutoGLM-Phone: `do(...)` and `finish(...)` in an answer, all turns as text and only the newest
//! screen as a picture. Its prompt says 999 and its code divides by 1000.
use serde_json::Value;

use super::tars::{conversation, python};
use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

pub struct AutoGlm;

impl FakeFamily for AutoGlm {
    fn profile(&self) -> &'static str {
        "autoglm"
    }

    fn model(&self) -> &'static str {
        "autoglm-phone-9b-multilingual"
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: true, types_at_point: false, submit: Submit::Never }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        conversation(request, replies, 1)?;
        if request.roles().first() != Some(&"system") {
            return Err("the rules are not the system's".to_owned());
        }
        for (name, value) in [("temperature", 0.0), ("top_p", 0.85), ("frequency_penalty", 0.2)] {
            request.expect_param(name, Some(value))?;
        }
        request.expect_param("max_tokens", Some(3000.0))?;
        for (at, turn) in request.of_role("user").into_iter().enumerate() {
            // The first has the task in front of its facts, the others a head.
            let head = "** Screen Info **";
            let info = match turn.text.split_once(head) {
                Some((_, info)) if at != 0 => info,
                None if at == 0 => turn.text.as_str(),
                _ => return Err(format!("turn {at} has the head of another: {}", turn.text)),
            };
            let start = info.find('{').ok_or("Screen Info without an object")?;
            let mut objects = serde_json::Deserializer::from_str(&info[start..]).into_iter();
            let info: Value =
                objects.next().ok_or("no object")?.map_err(|err| format!("Screen Info: {err}"))?;
            let app = info["current_app"].as_str();
            if app.is_none_or(str::is_empty) {
                return Err(format!("Screen Info is {info}"));
            }
        }
        Ok(())
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        _request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |at: &PixelPoint| {
            let (x, y) = coords.norm(*at, 1000.0);
            format!("[{x},{y}]")
        };
        // As the prompt asks for: quotes and line ends are escaped, and so are backslashes then.
        let text_of = |text: &str| python(text).replace("\\'", "'");
        let action = match next {
            OracleAction::Tap(at) => format!("do(action=\"Tap\", element={})", point(at)),
            OracleAction::Type { text, .. } => {
                format!("do(action=\"Type\", text=\"{}\")", text_of(text))
            }
            OracleAction::Open(app) => format!("do(action=\"Launch\", app=\"{app}\")"),
            OracleAction::Swipe { from, to } => {
                format!("do(action=\"Swipe\", start={}, end={})", point(from), point(to))
            }
            OracleAction::Back => "do(action=\"Back\")".to_owned(),
            OracleAction::Wait => "do(action=\"Wait\", duration=\"1 seconds\")".to_owned(),
            OracleAction::Ask(question) if question.contains("code") => {
                format!("do(action=\"Take_over\", message=\"{question}\")")
            }
            OracleAction::Ask(_) => "do(action=\"Interact\")".to_owned(),
            OracleAction::Done(message) => format!("finish(message=\"{message}\")"),
            OracleAction::Enter => unreachable!("it has no words for this"),
        };
        let thought = match next {
            OracleAction::Ask(question) => question.as_str(),
            _ => "这是下一步。",
        };
        let history_mark = action.split([',', ')']).next().unwrap_or_default().to_owned();
        let history_mark = if history_mark.starts_with("finish") {
            "finish(message=".to_owned()
        } else {
            history_mark
        };
        FakeReply {
            text: format!("<think>{thought}</think><answer>{action}</answer>"),
            history_mark,
            ..FakeReply::default()
        }
    }
}
