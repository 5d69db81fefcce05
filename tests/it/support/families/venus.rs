//! UI-Venus 1.5: reasoning, an action as a call, a conclusion; 0 to 1000.
use super::tars::python;
use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

pub struct Venus;

impl FakeFamily for Venus {
    fn profile(&self) -> &'static str {
        "ui-venus"
    }

    fn model(&self) -> &'static str {
        "inclusionAI/UI-Venus-1.5-8B"
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: true, types_at_point: false, submit: Submit::Key }
    }

    fn check(&self, request: &FamilyRequest, _replies: &[FakeReply]) -> Result<(), String> {
        request.expect_pictures(|count| count == 1)?;
        request.expect_param("temperature", Some(0.0))?;
        for word in ["Click(", "Drag(", "CallUser(", "Finished(", "Launch("] {
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
            let (x, y) = coords.norm(*at, 1000.0);
            format!("({x}, {y})")
        };
        let action = match next {
            OracleAction::Tap(at) => format!("Click(box={})", point(at)),
            OracleAction::Type { text, .. } => format!("Type(content='{}')", python(text)),
            OracleAction::Open(app) => format!("Launch(app='{app}')"),
            OracleAction::Swipe { from, to } => {
                format!("Drag(start={}, end={})", point(from), point(to))
            }
            OracleAction::Enter => "PressEnter()".to_owned(),
            OracleAction::Back => "PressBack()".to_owned(),
            OracleAction::Wait => "Wait()".to_owned(),
            OracleAction::Ask(question) => format!("CallUser(content='{question}')"),
            OracleAction::Done(message) => format!("Finished(content='{}')", python(message)),
        };
        FakeReply::words(format!(
            "<think>This is the next thing to do.</think><action>{action}</action>\
             <conclusion>did the next thing</conclusion>"
        ))
    }
}
