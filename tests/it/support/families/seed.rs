//! Doubao-Seed 1.8 and 2.0: calls as XML in the text, 0 to 1000. It opens no apps by name.
use super::tars::conversation;
use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

pub struct Seed;

impl FakeFamily for Seed {
    fn profile(&self) -> &'static str {
        "seed"
    }

    fn model(&self) -> &'static str {
        "doubao-seed-1-8-251228"
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: false, types_at_point: false, submit: Submit::Never }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        conversation(request, replies, 5)?;
        request.expect_param("temperature", Some(0.7))?;
        request.expect_param("top_p", Some(0.9))?;
        request.expect_text("call_user")?;
        request.expect_text("start_point")
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |name: &str, at: &PixelPoint| {
            let (x, y) = coords.norm(*at, 1000.0);
            format!("<parameter={name}><point>{x} {y}</point></parameter>")
        };
        let content = |text: &str| format!("<parameter=content>{text}</parameter>");
        let (name, parameters) = match next {
            OracleAction::Tap(at) => ("click", point("point", at)),
            OracleAction::Type { text, .. } => ("type", content(text)),
            OracleAction::Swipe { from, to } => {
                ("drag", point("start_point", from) + &point("end_point", to))
            }
            OracleAction::Back => ("press_back", String::new()),
            OracleAction::Wait => ("wait", String::new()),
            OracleAction::Ask(question) => ("call_user", content(question)),
            OracleAction::Done(message) => ("finished", content(message)),
            OracleAction::Open(_) | OracleAction::Enter => unreachable!("it has no words for this"),
        };
        // Both tags are seen.
        let tag = if request.turns.len() % 4 == 1 { "seed:tool_call" } else { "tool_call" };
        let call = format!("<{tag}><function={name}>{parameters}</function></{tag}>");
        let reasoning = "This is the next thing to do.".to_owned();
        FakeReply { text: call, reasoning, history_mark: name.to_owned(), ..FakeReply::default() }
    }
}
