//! MiMo-VL: thoughts and one JSON object, in pixels of what its server makes of the picture.
use serde_json::json;

use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

pub struct Mimo;

impl FakeFamily for Mimo {
    fn profile(&self) -> &'static str {
        "mimo-vl"
    }

    fn model(&self) -> &'static str {
        "XiaomiMiMo/MiMo-VL-7B-RL"
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: true, types_at_point: true, submit: Submit::Key }
    }

    fn check(&self, request: &FamilyRequest, _replies: &[FakeReply]) -> Result<(), String> {
        request.expect_pictures(|count| count == 1)?;
        request.expect_param("temperature", None)?;
        for word in ["\"start_point\"", "\"end_point\"", "\"finished\"", "\"input\""] {
            request.expect_text(word)?;
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
            let (x, y) = coords.resized(*at, 28, 56 * 56, 16384 * 28 * 28);
            json!([x, y])
        };
        let action = match next {
            OracleAction::Tap(at) => json!({ "action": "click", "start_point": point(at) }),
            OracleAction::Type { at, text, .. } => {
                json!({ "action": "input", "text": text, "start_point": point(at) })
            }
            OracleAction::Open(app) => json!({ "action": "open", "app": app }),
            OracleAction::Swipe { from, to } => {
                json!({ "action": "drag", "start_point": point(from), "end_point": point(to) })
            }
            OracleAction::Enter => json!({ "action": "press", "keys": ["enter"] }),
            OracleAction::Back => json!({ "action": "press", "keys": ["back"] }),
            OracleAction::Wait => json!({ "action": "wait" }),
            OracleAction::Ask(question) => json!({ "action": "ask", "text": question }),
            OracleAction::Done(message) => {
                json!({ "action": "finished", "status": "success", "text": message })
            }
        };
        FakeReply::words(format!("<think>This is the next thing to do.</think>\n{action}"))
    }
}
