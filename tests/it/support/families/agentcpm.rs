//! AgentCPM-GUI: one compact JSON object, 0 to 1000, the longest side of the picture at most 1120.
use serde_json::{Value, json};

use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

pub struct AgentCpm;

impl FakeFamily for AgentCpm {
    fn profile(&self) -> &'static str {
        "agentcpm-gui"
    }

    fn model(&self) -> &'static str {
        "openbmb/AgentCPM-GUI"
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: false, types_at_point: false, submit: Submit::Key }
    }

    fn check(&self, request: &FamilyRequest, _replies: &[FakeReply]) -> Result<(), String> {
        request.expect_pictures(|count| count == 1)?;
        let (width, height) = request.picture().ok_or("no picture")?;
        if 1120 < width.max(height) {
            return Err(format!("{width}x{height} is larger than it was taught with"));
        }
        let system = request.of_role("system");
        if !system.iter().any(|turn| turn.text.contains("POINT")) {
            return Err("the system's words hold no schema".to_owned());
        }
        request.expect_text("<Question>")?;
        request.expect_text("</Question>")
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        _request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |at: &PixelPoint| {
            let (x, y) = coords.norm(*at, 1000.0);
            json!([x, y])
        };
        let mut reply = json!({ "thought": "This is the next thing to do." });
        let fields: &[(&str, Value)] = match next {
            OracleAction::Tap(at) => &[("POINT", point(at))],
            OracleAction::Type { text, .. } => &[("TYPE", json!(text))],
            OracleAction::Swipe { from, to } => &[("POINT", point(from)), ("to", point(to))],
            OracleAction::Enter => &[("PRESS", json!("ENTER"))],
            OracleAction::Back => &[("PRESS", json!("BACK"))],
            OracleAction::Wait => &[("duration", json!(1000))],
            OracleAction::Ask(question) => {
                &[("thought", json!(question)), ("STATUS", json!("need_feedback"))]
            }
            OracleAction::Done(message) => {
                &[("thought", json!(message)), ("STATUS", json!("finish"))]
            }
            OracleAction::Open(_) => unreachable!("it has no words for this"),
        };
        for (name, value) in fields {
            reply[*name] = value.clone();
        }
        FakeReply::words(reply.to_string())
    }
}
