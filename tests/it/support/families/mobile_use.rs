//! The families whose one tool is `mobile_use`: Qwen2.5-VL, Qwen3-VL, MAI-UI and GUI-Owl 1.5. They are
//! told the tool in the prompt and call it between `<tool_call>` tags.
use serde_json::{Value, json};

use super::coords::smart_resize;
use super::tars::conversation;
use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MobileUse {
    Qwen25,
    Qwen3,
    Mai,
    Owl,
    /// GUI-Owl at its maker's own host.
    GuiPlus,
}

/// The tool, as the prompt describes it.
fn tool(request: &FamilyRequest) -> Result<Value, String> {
    let words = request.text();
    // Its usual words speak of <tools></tools> before they come.
    let (_, rest) = words.split_once("<tools>\n").ok_or("no <tools>")?;
    let (tools, _) = rest.split_once("</tools>").ok_or("no </tools>")?;
    for line in tools.trim().lines() {
        let tool: Value = serde_json::from_str(line).map_err(|err| format!("{err}: {line}"))?;
        if tool["function"]["name"] == "mobile_use" {
            return Ok(tool["function"].clone());
        }
    }
    Err(format!("no mobile_use among {tools}"))
}

/// The first of these actions that the prompt offers, among the tools or in words.
fn offered<'a>(request: &FamilyRequest, names: &[&'a str]) -> Option<&'a str> {
    let words = request.text();
    names.iter().find(|name| words.contains(&format!("\"{name}\""))).copied()
}

impl MobileUse {
    fn point(self, coords: &Coords, at: PixelPoint) -> Value {
        let (x, y) = match self {
            Self::Qwen25 => coords.resized(at, 28, 56 * 56, 16384 * 28 * 28),
            Self::Qwen3 | Self::Mai => coords.norm(at, 999.0),
            Self::Owl | Self::GuiPlus => coords.norm(at, 1000.0),
        };
        json!([x, y])
    }

    /// Qwen and Owl: one screen, and the steps so far as numbered words.
    fn one_screen(
        request: &FamilyRequest,
        replies: &[FakeReply],
        word: &str,
        most: usize,
    ) -> Result<(), String> {
        request.expect_pictures(|count| (1..=most).contains(&count))?;
        let words = request.text();
        for number in 1..=replies.len() {
            let spaced = format!("{word} {number}:");
            let tight = format!("{word}{number}:");
            if !words.contains(&spaced) && !words.contains(&tight) {
                return Err(format!("step {number} is not told: {words}"));
            }
        }
        Ok(())
    }
}

impl FakeFamily for MobileUse {
    fn profile(&self) -> &'static str {
        match self {
            Self::Qwen25 => "qwen2.5-vl",
            Self::Qwen3 => "qwen3-vl",
            Self::Mai => "mai-ui",
            Self::Owl | Self::GuiPlus => "gui-owl",
        }
    }

    fn model(&self) -> &'static str {
        match self {
            Self::Qwen25 => "Qwen/Qwen2.5-VL-7B-Instruct",
            Self::Qwen3 => "qwen3-vl-235b-a22b-instruct",
            Self::Mai => "Tongyi-MAI/MAI-UI-8B",
            Self::Owl => "mPLUG/GUI-Owl-1.5-8B-Instruct",
            Self::GuiPlus => "gui-plus-2026-02-26",
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: *self != Self::Qwen3, types_at_point: false, submit: Submit::Key }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        if request.roles().first() != Some(&"system") {
            return Err("the tools are not in the system's words".to_owned());
        }
        // Where their own clients leave it to the server, so has everybody.
        let greedy = matches!(self, Self::Qwen25 | Self::Mai);
        request.expect_param("temperature", greedy.then_some(0.0))?;
        let large = request.body["vl_high_resolution_images"] == true;
        if large != (*self == Self::GuiPlus) {
            return Err(format!("large pictures are asked for: {large}"));
        }
        // MAI-UI's prompt lists its actions in words.
        let tool = if *self == Self::Mai { Value::Null } else { tool(request)? };
        let description = tool["description"].as_str().unwrap_or_default();
        match self {
            Self::Qwen25 => {
                let sent = request.picture().ok_or("no picture")?;
                let (width, height) = smart_resize(sent, 28, 56 * 56, 16384 * 28 * 28);
                if !description.contains(&format!("{width}x{height}")) {
                    return Err(format!("it sees {width}x{height} and is told: {description}"));
                }
                Self::one_screen(request, replies, "Step", 1)
            }
            Self::Qwen3 => {
                if !description.contains("999x999") {
                    return Err(format!("its screen is 999x999; it is told: {description}"));
                }
                Self::one_screen(request, replies, "Step", 1)
            }
            Self::Mai => {
                for (name, value) in [
                    ("top_p", 1.0),
                    ("top_k", -1.0),
                    ("repetition_penalty", 1.0),
                    ("seed", 42.0),
                    ("max_tokens", 2048.0),
                ] {
                    request.expect_param(name, Some(value))?;
                }
                for action in ["click", "swipe", "terminate", "ask_user"] {
                    request.expect_text(&format!("\"{action}\""))?;
                }
                conversation(request, replies, 3)
            }
            Self::Owl | Self::GuiPlus => {
                if !description.contains("1000x1000") {
                    return Err(format!("its screen is 1000x1000; it is told: {description}"));
                }
                Self::one_screen(request, &[], "Step", 5)
            }
        }
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |at: &PixelPoint| self.point(coords, *at);
        let upper = *self != Self::Mai;
        let button = |name: &str| {
            let name = if upper { name.to_owned() } else { name.to_ascii_lowercase() };
            json!({ "action": "system_button", "button": name })
        };
        let asks = ["ask_user", "interact", "call_user", "ask"];
        let arguments = match next {
            OracleAction::Tap(at) => json!({ "action": "click", "coordinate": point(at) }),
            OracleAction::Type { text, .. } => json!({ "action": "type", "text": text }),
            OracleAction::Open(app) => json!({ "action": "open", "text": app }),
            // MAI-UI names where the finger goes; this row is pushed to the left.
            OracleAction::Swipe { from, .. } if *self == Self::Mai => {
                json!({ "action": "swipe", "direction": "left", "coordinate": point(from) })
            }
            OracleAction::Swipe { from, to } => {
                json!({ "action": "swipe", "coordinate": point(from), "coordinate2": point(to) })
            }
            OracleAction::Enter => button("Enter"),
            OracleAction::Back => button("Back"),
            OracleAction::Wait => json!({ "action": "wait", "time": 1 }),
            OracleAction::Ask(question) => {
                let name = offered(request, &asks).expect("a way to ask the user is offered");
                json!({ "action": name, "text": question })
            }
            OracleAction::Done(_) => json!({ "action": "terminate", "status": "success" }),
        };
        let thought = match next {
            OracleAction::Done(message) => message.as_str(),
            _ => "This is the next thing to do.",
        };
        let call = json!({ "name": "mobile_use", "arguments": arguments });
        let call = format!("<tool_call>\n{call}\n</tool_call>");
        let text = match self {
            Self::Qwen25 => call,
            Self::Qwen3 => format!("Thought: {thought}\nAction: \"{thought}\"\n{call}"),
            Self::Mai => format!("<thinking>\n{thought}\n</thinking>\n{call}"),
            Self::Owl | Self::GuiPlus => format!("Action: \"{thought}\"\n{call}"),
        };
        let history_mark = format!("\"{}\"", arguments["action"].as_str().unwrap_or_default());
        FakeReply { text, history_mark, ..FakeReply::default() }
    }
}
