//! UI-TARS: `Thought:` and `Action:` lines, calls as in Python. The open 1.5 names pixels of what its
//! server makes of the picture (factor 28), UI-TARS-1 and Doubao's hosted one 0 to 1000.
//!
//! One conversation: the instruction in the first user turn, then the model's replies and a user turn
//! with the screen after each; at most five pictures.
use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tars {
    /// 1.5-7B, made from Qwen2.5-VL.
    Open,
    /// UI-TARS-1 and Doubao-1.5-UI-TARS, with boxes.
    Thousandths,
}

const LEAST: u32 = 100 * 28 * 28;
const MOST: u32 = 16384 * 28 * 28;

impl Tars {
    fn point(self, coords: &Coords, at: PixelPoint) -> String {
        match self {
            Self::Open => {
                let (x, y) = coords.resized(at, 28, LEAST, MOST);
                format!("'<point>{x} {y}</point>'")
            }
            Self::Thousandths => {
                let (x, y) = coords.norm(at, 1000.0);
                format!("'<|box_start|>({x},{y})<|box_end|>'")
            }
        }
    }
}

impl FakeFamily for Tars {
    fn profile(&self) -> &'static str {
        match self {
            Self::Open => "ui-tars",
            Self::Thousandths => "ui-tars-1000",
        }
    }

    fn model(&self) -> &'static str {
        match self {
            Self::Open => "ByteDance-Seed/UI-TARS-1.5-7B",
            Self::Thousandths => "doubao-1-5-ui-tars-250428",
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: true, types_at_point: false, submit: Submit::WithText }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        conversation(request, replies, 5)?;
        request.expect_param("temperature", Some(0.0))?;
        request.expect_text("call_user(")?;
        request.expect_text("open_app(app_name")
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |at: &PixelPoint| self.point(coords, *at);
        let (one, from, to) = match self {
            Self::Open => ("point", "start_point", "end_point"),
            Self::Thousandths => ("start_box", "start_box", "end_box"),
        };
        let action = match next {
            OracleAction::Tap(at) => format!("click({one}={})", point(at)),
            OracleAction::Type { text, submit, .. } => {
                let end = if *submit { "\\n" } else { "" };
                format!("type(content='{}{end}')", python(text))
            }
            OracleAction::Open(app) => format!("open_app(app_name='{app}')"),
            OracleAction::Swipe { from: a, to: b } => {
                format!("drag({from}={}, {to}={})", point(a), point(b))
            }
            OracleAction::Back => "press_back()".to_owned(),
            OracleAction::Wait => "wait()".to_owned(),
            OracleAction::Ask(question) if request.text().contains("call_user(content") => {
                format!("call_user(content='{question}')")
            }
            OracleAction::Ask(_) => "call_user()".to_owned(),
            OracleAction::Done(message) => format!("finished(content='{}')", python(message)),
            OracleAction::Enter => unreachable!("it is sent with the text"),
        };
        let thought = match next {
            OracleAction::Ask(question) => question.as_str(),
            _ => "This is the next thing to do.",
        };
        let history_mark = action.split('(').next().unwrap_or_default().to_owned() + "(";
        FakeReply {
            text: format!("Thought: {thought}\nAction: {action}"),
            history_mark,
            ..FakeReply::default()
        }
    }
}

/// A text inside Python's single quotes, as the prompt of UI-TARS asks for.
pub fn python(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'").replace('"', "\\\"").replace('\n', "\\n")
}

/// One conversation with all that was said, and the newest screens.
pub fn conversation(
    request: &FamilyRequest,
    replies: &[FakeReply],
    most: usize,
) -> Result<(), String> {
    let turns: Vec<_> = request.turns.iter().filter(|turn| turn.role != "system").collect();
    let (Some(first), Some(last)) = (turns.first(), turns.last()) else {
        return Err("no turns".to_owned());
    };
    if first.role != "user" || last.role != "user" || last.pictures.len() != 1 {
        return Err(format!(
            "turns of {:?}, pictures at the end: {:?}",
            request.roles(),
            last.pictures
        ));
    }
    let turns_of_mine = request.of_role("assistant");
    if turns_of_mine.len() != replies.len() {
        return Err(format!(
            "{} replies of mine in it, not {}",
            turns_of_mine.len(),
            replies.len()
        ));
    }
    for (turn, reply) in turns_of_mine.iter().zip(replies) {
        let retold = if reply.history_mark.is_empty() {
            true
        } else {
            turn.text.contains(&reply.history_mark)
        };
        if !retold {
            return Err(format!("I said {:?}, not {:?}", reply.text, turn.text));
        }
    }
    // Older ones may go several at a time, so that what is before them can be cached.
    let least = if replies.len() == 1 { most.min(2) } else { 1 };
    request.expect_pictures(|count| (least..=most).contains(&count))
}
