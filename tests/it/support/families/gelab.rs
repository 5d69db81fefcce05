//! GELab-Zero (`parser_0920_summary`): one user message, one picture, the last summary; tab-separated
//! fields, 0 to 1000.
use super::{Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, Submit};

pub struct Gelab;

impl FakeFamily for Gelab {
    fn profile(&self) -> &'static str {
        "gelab"
    }

    fn model(&self) -> &'static str {
        "gelab-zero-4b-preview"
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: true, types_at_point: true, submit: Submit::Key }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        if request.roles() != ["user"] {
            return Err(format!("turns of {:?}", request.roles()));
        }
        request.expect_pictures(|count| count == 1)?;
        request.expect_param("temperature", Some(0.1))?;
        request.expect_param("top_p", Some(0.95))?;
        request.expect_param("max_tokens", Some(4096.0))?;
        match replies.last() {
            None => request.expect_text("暂无历史操作"),
            Some(last) => request.expect_text(&last.history_mark),
        }
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        _request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |at| {
            let (x, y) = coords.norm(at, 1000.0);
            format!("{x},{y}")
        };
        let (action, fields, summary) = match next {
            OracleAction::Tap(at) => ("CLICK", format!("point:{}", point(*at)), "tapped the thing"),
            OracleAction::Type { at, text, .. } => {
                ("TYPE", format!("value:{text}\tpoint:{}", point(*at)), "typed the text")
            }
            OracleAction::Open(app) => ("AWAKE", format!("value:{app}"), "opened the app"),
            OracleAction::Swipe { from, to } => {
                ("SLIDE", format!("point1:{}\tpoint2:{}", point(*from), point(*to)), "slid the row")
            }
            OracleAction::Enter => ("HOT_KEY", "value:ENTER".to_owned(), "pressed enter"),
            OracleAction::Back => ("HOT_KEY", "value:BACK".to_owned(), "went back"),
            OracleAction::Wait => ("WAIT", "value:1".to_owned(), "waited a moment"),
            OracleAction::Ask(question) => ("INFO", format!("value:{question}"), "asked the user"),
            OracleAction::Done(message) => ("COMPLETE", format!("return:{message}"), "finished"),
        };
        let text = format!(
            "<THINK> next comes this </THINK>\nexplain:next\taction:{action}\t{fields}\tsummary:{summary}"
        );
        FakeReply { text, history_mark: summary.to_owned(), ..FakeReply::default() }
    }
}
