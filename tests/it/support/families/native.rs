//! Claude and Gemini over their makers' own APIs, each with the tool for computers that it was taught.
use serde_json::{Value, json};

use super::{Asked, Caps, Intent, Place, Said, Sight, Submit, Tongue, Wire};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Native {
    /// `computer_20251124`.
    Claude,
    /// `computer_20250124`.
    OldClaude,
    Gemini,
}

impl Native {
    fn claude(intent: &Intent, sight: &Sight) -> (&'static str, Value) {
        let point = |at: &Place| {
            let (x, y) = sight.sent_pixels(*at);
            json!([x, y])
        };
        let computer = |input: Value| ("computer", input);
        match intent {
            Intent::Tap(at) => computer(json!({ "action": "left_click", "coordinate": point(at) })),
            Intent::Type { text, .. } => computer(json!({ "action": "type", "text": text })),
            Intent::Swipe { from, to } => computer(json!({
                "action": "left_click_drag", "start_coordinate": point(from), "coordinate": point(to),
            })),
            Intent::Enter => computer(json!({ "action": "key", "text": "Return" })),
            Intent::Wait => computer(json!({ "action": "wait", "duration": 1 })),
            Intent::Back => ("press_key", json!({ "key": "back" })),
            Intent::Open(app) => ("open_app", json!({ "app": app })),
            Intent::Ask(question) => ("ask_user", json!({ "question": question })),
            Intent::Done(message) => ("done", json!({ "message": message })),
        }
    }

    /// Its grid is of 1000, of which it names the lines up to 999; its makers' code divides by 1000.
    fn gemini(intent: &Intent, sight: &Sight) -> (&'static str, Value) {
        let point = |at: &Place| {
            let (width, height) = (f64::from(sight.screen.0), f64::from(sight.screen.1));
            sight.norm((at.0.min(width * 0.999), at.1.min(height * 0.999)), 1000.0)
        };
        match intent {
            Intent::Tap(at) => {
                let (x, y) = point(at);
                ("click", json!({ "x": x, "y": y, "intent": "Tap what comes next" }))
            }
            Intent::Type { text, submit, .. } => {
                ("type", json!({ "text": text, "press_enter": submit }))
            }
            Intent::Swipe { from, to } => {
                let ((x, y), (end_x, end_y)) = (point(from), point(to));
                let way = json!({ "start_x": x, "start_y": y, "end_x": end_x, "end_y": end_y });
                ("drag_and_drop", way)
            }
            Intent::Enter => ("press_key", json!({ "key": "enter" })),
            Intent::Wait => ("wait", json!({ "seconds": 1 })),
            Intent::Back => ("go_back", json!({})),
            Intent::Open(app) => ("open_app", json!({ "app_name": app })),
            Intent::Ask(question) => ("ask_user", json!({ "question": question })),
            Intent::Done(message) => ("done", json!({ "message": message })),
        }
    }

    /// What Anthropic's API takes: the tool, its size, its beta, and pictures that are left alone.
    fn check_claude(self, asked: &Asked) -> Result<(), String> {
        let (tool, beta, side, squares) = match self {
            Self::Claude => ("computer_20251124", "computer-use-2025-11-24", 2576, 4784),
            _ => ("computer_20250124", "computer-use-2025-01-24", 1568, 1568),
        };
        let betas = asked.headers.get("anthropic-beta").and_then(|value| value.to_str().ok());
        if !betas.unwrap_or_default().split(',').any(|it| it.trim() == beta) {
            return Err(format!("the betas are {betas:?}, not {beta}"));
        }
        let tools = asked.body["tools"].as_array().ok_or("no tools")?;
        let computer = tools.iter().find(|it| it["type"] == tool).ok_or("no tool for computers")?;
        let (width, height) = asked.picture().ok_or("no picture")?;
        if (computer["display_width_px"].as_u64(), computer["display_height_px"].as_u64())
            != (Some(width.into()), Some(height.into()))
        {
            return Err(format!("a picture of {width}x{height} for {computer}"));
        }
        for (width, height) in asked.pictures() {
            if side < width.max(height) || squares < width.div_ceil(28) * height.div_ceil(28) {
                return Err(format!("{width}x{height} is made smaller without a word"));
            }
        }
        asked.param("temperature", None)?;
        if asked.body["max_tokens"].as_u64().is_none() {
            return Err("max_tokens: Field required".to_owned());
        }
        let offered = |name: &str| tools.iter().any(|it| it["name"] == name);
        match ["open_app", "ask_user", "done", "press_key"].into_iter().find(|name| !offered(name))
        {
            Some(name) => Err(format!("no tool {name}")),
            None => Ok(()),
        }
    }

    fn check_gemini(asked: &Asked) -> Result<(), String> {
        let tools = asked.body["tools"].as_array().ok_or("no tools")?;
        let computer = tools.iter().find_map(|it| it.get("computerUse"));
        if computer.ok_or("no computerUse")?["environment"] != "ENVIRONMENT_MOBILE" {
            return Err(format!("an environment of {computer:?}"));
        }
        let own = tools.iter().find_map(|it| it["functionDeclarations"].as_array());
        let offered = |name: &str| own.is_some_and(|own| own.iter().any(|it| it["name"] == name));
        match ["ask_user", "done"].into_iter().find(|name| !offered(name)) {
            Some(name) => Err(format!("no function {name}")),
            None => Ok(()),
        }
    }
}

impl Tongue for Native {
    fn profile(&self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::OldClaude => "claude-20250124",
            Self::Gemini => "gemini",
        }
    }

    fn model(&self) -> &'static str {
        match self {
            Self::Claude => "claude-opus-4-7",
            Self::OldClaude => "claude-sonnet-4-5-20250929",
            Self::Gemini => "gemini-3-flash-preview",
        }
    }

    fn wire(&self) -> Wire {
        match self {
            Self::Claude | Self::OldClaude => Wire::Anthropic,
            Self::Gemini => Wire::Gemini,
        }
    }

    fn caps(&self) -> Caps {
        let submit = if *self == Self::Gemini { Submit::WithText } else { Submit::Key };
        Caps { opens: true, aims: false, submit }
    }

    fn check(&self, asked: &Asked, said: &[Said]) -> Result<(), String> {
        match self {
            Self::Claude | Self::OldClaude => self.check_claude(asked)?,
            Self::Gemini => Self::check_gemini(asked)?,
        }
        // Every call has its result in the very next turn, which is the user's.
        let roles = asked.roles();
        if roles.last() != Some(&"user") {
            return Err(format!("turns of {roles:?}"));
        }
        let mut told = Vec::new();
        for (turn, next) in asked.turns.iter().zip(asked.turns.iter().skip(1)) {
            let ids: Vec<_> = turn.calls.iter().map(|(id, ..)| id).collect();
            if ids.iter().any(|id| !next.results.contains(id)) || next.results.len() != ids.len() {
                return Err(format!("calls {ids:?} with results {:?}", next.results));
            }
            told.extend(turn.calls.iter().map(|(_, name, input)| (name, input)));
        }
        if told.len() != said.len() {
            return Err(format!("{} calls of mine in it, not {}", told.len(), said.len()));
        }
        for ((name, input), said) in told.into_iter().zip(said) {
            let (said_name, said_input) = &said.calls[0];
            // A key may be told as pressed with either tool.
            if said_input["action"] == "key" && name == "press_key" {
                continue;
            }
            if name != said_name || input["action"] != said_input["action"] {
                return Err(format!("I called {said_name}({said_input}), not {name}({input})"));
            }
        }
        asked.number_of_pictures(|count| (1..=3).contains(&count))
    }

    fn say(&self, intent: &Intent, _asked: &Asked, sight: &Sight) -> Said {
        let (name, input) = match self {
            Self::Claude | Self::OldClaude => Self::claude(intent, sight),
            Self::Gemini => Self::gemini(intent, sight),
        };
        let text = "This is the next thing to do.".to_owned();
        Said { text, calls: vec![(name.to_owned(), input)], ..Said::default() }
    }
}
