//! Models that were made for no phone, in the format of our own: one JSON object, as a call of the tool
//! `phone_action` or behind `Action:`, each in the numbers its maker taught it.
use serde_json::{Value, json};

use super::tars::conversation;
use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chat {
    /// With tools.
    Generic,
    GenericText,
    Gpt,
    Claude,
    Gemini,
    Kimi,
    Glm,
}

impl Chat {
    fn point(self, coords: &Coords, at: PixelPoint) -> Value {
        match self {
            Self::Gpt | Self::Claude => {
                let (x, y) = coords.sent_pixels(at);
                json!([x, y])
            }
            Self::Kimi => {
                let (x, y) = coords.fractions(at);
                json!([x, y])
            }
            Self::Gemini => {
                let (x, y) = coords.norm(at, 1000.0);
                json!({ "x": x, "y": y })
            }
            Self::Generic | Self::GenericText | Self::Glm => {
                let (x, y) = coords.norm(at, 1000.0);
                json!([x, y])
            }
        }
    }

    /// What the model's own endpoint would do to a picture: nothing, or points miss.
    fn is_left_alone(self, (width, height): (u32, u32)) -> bool {
        let (long, short) = (width.max(height), width.min(height));
        match self {
            // 1568 pixels a side, and as many squares of 28x28.
            Self::Claude => long <= 1568 && width.div_ceil(28) * height.div_ceil(28) <= 1568,
            // Into 2048x2048, then the shorter side to 768.
            Self::Gpt => long <= 2048 && short <= 768,
            _ => true,
        }
    }
}

impl FakeFamily for Chat {
    fn profile(&self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::GenericText => "generic-text",
            Self::Gpt => "gpt",
            Self::Claude => "claude-chat",
            Self::Gemini => "gemini-chat",
            Self::Kimi => "kimi",
            Self::Glm => "glm-v",
        }
    }

    fn model(&self) -> &'static str {
        match self {
            Self::Generic | Self::GenericText => "some-vision-model",
            Self::Gpt => "gpt-5.1",
            Self::Claude => "anthropic/claude-sonnet-4.5",
            Self::Gemini => "google/gemini-3-pro",
            Self::Kimi => "kimi-k2.5",
            Self::Glm => "glm-4.6v",
        }
    }

    fn is_chosen_by_name(&self) -> bool {
        *self != Self::GenericText
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: true, types_at_point: true, submit: Submit::WithText }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        if request.roles().first() != Some(&"system") {
            return Err("the rules are not the system's".to_owned());
        }
        match self {
            Self::Gpt | Self::Claude | Self::Gemini | Self::Kimi => {
                request.expect_param("temperature", None)?;
            }
            Self::Generic | Self::GenericText | Self::Glm => {
                request.expect_param("temperature", Some(0.0))?;
            }
        }
        let sent = request.picture().ok_or("no picture")?;
        if !self.is_left_alone(sent) {
            return Err(format!("{sent:?} is made smaller without a word"));
        }
        if matches!(self, Self::Gpt | Self::Claude) {
            request.expect_text(&format!("{} x {}", sent.0, sent.1))?;
        }
        if *self == Self::Generic {
            let tool = request.tool("phone_action")?;
            for name in ["action", "point", "start", "end", "text", "submit"] {
                if tool["properties"][name].is_null() {
                    return Err(format!("the tool has no {name}: {tool}"));
                }
            }
            return calls_are_answered(request, replies);
        }
        if !request.body["tools"].is_null() {
            return Err("tools for a model that is asked in text".to_owned());
        }
        request.expect_text("Action:")?;
        conversation(request, replies, if *self == Self::Glm { 1 } else { 3 })
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        _request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |at: &PixelPoint| self.point(coords, *at);
        let mut action = match next {
            OracleAction::Tap(at) => json!({ "action": "click", "point": point(at) }),
            OracleAction::Type { at, text, submit } => {
                let mut action = json!({ "action": "type", "text": text, "point": point(at) });
                if *submit {
                    action["submit"] = true.into();
                }
                action
            }
            OracleAction::Open(app) => json!({ "action": "open_app", "app": app }),
            OracleAction::Swipe { from, to } => {
                json!({ "action": "swipe", "start": point(from), "end": point(to) })
            }
            OracleAction::Back => json!({ "action": "press_key", "key": "back" }),
            OracleAction::Enter => json!({ "action": "press_key", "key": "enter" }),
            OracleAction::Wait => json!({ "action": "wait", "seconds": 1 }),
            OracleAction::Ask(question) => json!({ "action": "ask_user", "question": question }),
            OracleAction::Done(message) => json!({ "action": "complete", "message": message }),
        };
        let history_mark = format!("\"{}\"", action["action"].as_str().unwrap_or_default());
        if *self == Self::Generic {
            action["thought"] = "This is the next thing to do.".into();
            let calls = vec![("phone_action".to_owned(), action)];
            return FakeReply { calls, history_mark, ..FakeReply::default() };
        }
        let (open, close) = match self {
            Self::Glm => ("<|begin_of_box|>", "<|end_of_box|>"),
            _ => ("", ""),
        };
        let text = format!("Thought: This is the next thing to do.\nAction: {open}{action}{close}");
        FakeReply { text, history_mark, ..FakeReply::default() }
    }
}

/// Every call that is told is one that was made, and has its result behind it.
fn calls_are_answered(request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
    let made: Vec<_> = request.turns.iter().flat_map(|turn| &turn.calls).collect();
    let answered: Vec<_> = request.turns.iter().flat_map(|turn| &turn.results).collect();
    if made.iter().map(|(id, ..)| id).ne(answered.iter().copied()) {
        return Err(format!("calls {made:?} with results {answered:?}"));
    }
    if made.len() != replies.len() {
        return Err(format!("{} calls of mine in it, not {}", made.len(), replies.len()));
    }
    for ((_, name, arguments), reply) in made.iter().zip(replies) {
        let (said_name, said_arguments) = &reply.calls[0];
        if name != said_name || arguments["action"] != said_arguments["action"] {
            return Err(format!("I called {said_name}({said_arguments}), not {name}({arguments})"));
        }
    }
    request.expect_pictures(|count| (1..=3).contains(&count))
}
