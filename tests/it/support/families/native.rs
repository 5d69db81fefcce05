//! Claude and Gemini over their makers' own APIs, each with the tool for computers that it was taught.
use serde_json::{Value, json};

use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit, Wire,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Native {
    /// `computer_20251124`.
    Claude,
    /// `computer_toolset_20260801` and nothing else.
    Toolset,
    /// The same, by a name that does not tell.
    Unheard,
    /// A newer model at a host that knows the older tool alone.
    OtherHost,
    /// `computer_20250124`.
    OldClaude,
    Gemini,
}

impl Native {
    /// The same as a call of the toolset, whose members have no `action`.
    fn member(next: &OracleAction, coords: &Coords) -> (String, Value) {
        let (name, mut input) = Self::claude(next, coords);
        match input.as_object_mut().and_then(|input| input.shift_remove("action")) {
            Some(action) if name == "computer" => {
                (format!("computer.{}", action.as_str().unwrap()), input)
            }
            _ => (name.to_owned(), input),
        }
    }

    fn takes_toolset(self) -> bool {
        matches!(self, Self::Toolset | Self::Unheard)
    }

    fn claude(next: &OracleAction, coords: &Coords) -> (&'static str, Value) {
        let point = |at: &PixelPoint| {
            let (x, y) = coords.sent_pixels(*at);
            json!([x, y])
        };
        let computer = |input: Value| ("computer", input);
        match next {
            OracleAction::Tap(at) => {
                computer(json!({ "action": "left_click", "coordinate": point(at) }))
            }
            OracleAction::Type { text, .. } => computer(json!({ "action": "type", "text": text })),
            OracleAction::Swipe { from, to } => computer(json!({
                "action": "left_click_drag", "start_coordinate": point(from), "coordinate": point(to),
            })),
            OracleAction::Enter => computer(json!({ "action": "key", "text": "Return" })),
            OracleAction::Wait => computer(json!({ "action": "wait", "duration": 1 })),
            OracleAction::Back => ("press_key", json!({ "key": "back" })),
            OracleAction::Open(app) => ("open_app", json!({ "app": app })),
            OracleAction::Ask(question) => ("ask_user", json!({ "question": question })),
            OracleAction::Done(message) => ("done", json!({ "message": message })),
        }
    }

    /// Its grid is of 1000, of which it names the lines up to 999; its makers' code divides by 1000.
    fn gemini(next: &OracleAction, coords: &Coords) -> (&'static str, Value) {
        let point = |at: &PixelPoint| {
            let (width, height) = (f64::from(coords.screen.0), f64::from(coords.screen.1));
            coords.norm((at.0.min(width * 0.999), at.1.min(height * 0.999)), 1000.0)
        };
        match next {
            OracleAction::Tap(at) => {
                let (x, y) = point(at);
                ("click", json!({ "x": x, "y": y, "intent": "Tap what comes next" }))
            }
            OracleAction::Type { text, submit, .. } => {
                ("type", json!({ "text": text, "press_enter": submit }))
            }
            OracleAction::Swipe { from, to } => {
                let ((x, y), (end_x, end_y)) = (point(from), point(to));
                let way = json!({ "start_x": x, "start_y": y, "end_x": end_x, "end_y": end_y });
                ("drag_and_drop", way)
            }
            OracleAction::Enter => ("press_key", json!({ "key": "enter" })),
            OracleAction::Wait => ("wait", json!({ "seconds": 1 })),
            OracleAction::Back => ("go_back", json!({})),
            OracleAction::Open(app) => ("open_app", json!({ "app_name": app })),
            OracleAction::Ask(question) => ("ask_user", json!({ "question": question })),
            OracleAction::Done(message) => ("done", json!({ "message": message })),
        }
    }

    /// What Anthropic's API takes: the tool, its size, its beta, and pictures that are left alone.
    fn check_claude(self, request: &FamilyRequest) -> Result<(), String> {
        if self.takes_toolset() {
            return Self::check_toolset(request);
        }
        let (tool, beta, side, squares) = match self {
            Self::Claude | Self::OtherHost => {
                ("computer_20251124", "computer-use-2025-11-24", 2576, 4784)
            }
            _ => ("computer_20250124", "computer-use-2025-01-24", 1568, 1568),
        };
        let betas = request.headers.get("anthropic-beta").and_then(|value| value.to_str().ok());
        if !betas.unwrap_or_default().split(',').any(|it| it.trim() == beta) {
            return Err(format!("the betas are {betas:?}, not {beta}"));
        }
        let tools = request.body["tools"].as_array().ok_or("no tools")?;
        let computer = tools.iter().find(|it| it["type"] == tool).ok_or("no tool for computers")?;
        let (width, height) = request.picture().ok_or("no picture")?;
        if (computer["display_width_px"].as_u64(), computer["display_height_px"].as_u64())
            != (Some(width.into()), Some(height.into()))
        {
            return Err(format!("a picture of {width}x{height} for {computer}"));
        }
        for (width, height) in request.pictures() {
            if side < width.max(height) || squares < width.div_ceil(28) * height.div_ceil(28) {
                return Err(format!("{width}x{height} is made smaller without a word"));
            }
        }
        request.expect_param("temperature", None)?;
        if request.body["max_tokens"].as_u64().is_none() {
            return Err("max_tokens: Field required".to_owned());
        }
        let offered = |name: &str| tools.iter().any(|it| it["name"] == name);
        match ["open_app", "ask_user", "done", "press_key"].into_iter().find(|name| !offered(name))
        {
            Some(name) => Err(format!("no tool {name}")),
            None => Ok(()),
        }
    }

    /// What the toolset takes: no beta, no size, no name, and its own name on each of its results.
    fn check_toolset(request: &FamilyRequest) -> Result<(), String> {
        if let Some(beta) = request.headers.get("anthropic-beta") {
            return Err(format!("the beta {beta:?} for a tool that needs none"));
        }
        let tools = request.body["tools"].as_array().ok_or("no tools")?;
        let of_type = |it: &&Value| it["type"] == "computer_toolset_20260801";
        let toolset = tools.iter().find(of_type).ok_or("no toolset")?;
        let allowed = ["type", "configs", "cache_control", "allowed_callers"];
        let fields = toolset.as_object().ok_or("a toolset that is none")?;
        if let Some(field) = fields.keys().find(|field| !allowed.contains(&field.as_str())) {
            return Err(format!("a toolset with {field}"));
        }
        if tools.iter().any(|it| it["name"] == "computer") {
            return Err("another tool named computer".to_owned());
        }
        if request.body["tool_choice"]["disable_parallel_tool_use"] != true {
            return Err("it may call several tools at once".to_owned());
        }
        for (width, height) in request.pictures() {
            if 2576 < width.max(height) || 4784 < width.div_ceil(28) * height.div_ceil(28) {
                return Err(format!("a picture of {width}x{height} is too large"));
            }
        }
        request.expect_param("temperature", None)?;
        // Thinking counts.
        if request.body["max_tokens"].as_u64().is_none_or(|most| most < 16_000) {
            return Err(format!("max_tokens {}", request.body["max_tokens"]));
        }
        let blocks = || {
            let messages = request.body["messages"].as_array().into_iter().flatten();
            messages.flat_map(|message| message["content"].as_array().into_iter().flatten())
        };
        for block in blocks().filter(|block| block["type"] == "tool_use") {
            let result = blocks().find(|it| it["tool_use_id"] == block["id"]);
            let named = result.map(|it| &it["toolset_name"]);
            if named != Some(&block["toolset_name"]) {
                return Err(format!("{block} with a result of the toolset {named:?}"));
            }
            if block["toolset_name"].is_string() && !block["input"]["action"].is_null() {
                return Err(format!("a member with an action: {block}"));
            }
        }
        Ok(())
    }

    fn check_gemini(request: &FamilyRequest) -> Result<(), String> {
        let tools = request.body["tools"].as_array().ok_or("no tools")?;
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

impl FakeFamily for Native {
    fn profile(&self) -> &'static str {
        match self {
            Self::Claude | Self::Toolset | Self::Unheard | Self::OtherHost => "claude",
            Self::OldClaude => "claude-20250124",
            Self::Gemini => "gemini",
        }
    }

    fn model(&self) -> &'static str {
        match self {
            Self::Claude => "claude-opus-4-7",
            Self::Toolset | Self::OtherHost => "claude-opus-5-5",
            Self::Unheard => "claude-next",
            Self::OldClaude => "claude-sonnet-4-5-20250929",
            Self::Gemini => "gemini-3-flash-preview",
        }
    }

    fn wire(&self) -> Wire {
        match self {
            Self::Gemini => Wire::Gemini,
            _ => Wire::Anthropic,
        }
    }

    fn refusal(&self, request: &FamilyRequest) -> Option<String> {
        if *self == Self::Gemini {
            return None;
        }
        let tools = request.body["tools"].as_array()?;
        let kinds = || tools.iter().filter_map(|tool| tool["type"].as_str());
        let kind = kinds().find(|kind| kind.starts_with("computer"))?;
        let taken = match self {
            Self::OldClaude => "computer_20250124",
            Self::Claude | Self::OtherHost => "computer_20251124",
            _ => "computer_toolset_20260801",
        };
        (kind != taken).then(|| format!("'{}' does not support tool types: {kind}.", self.model()))
    }

    fn abilities(&self) -> Abilities {
        let submit = if *self == Self::Gemini { Submit::WithText } else { Submit::Key };
        Abilities { opens_apps: true, types_at_point: false, submit }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        match self {
            Self::Gemini => Self::check_gemini(request)?,
            _ => self.check_claude(request)?,
        }
        // Every call has its result in the very next turn, which is the user's.
        let roles = request.roles();
        if roles.last() != Some(&"user") {
            return Err(format!("turns of {roles:?}"));
        }
        let mut retold = Vec::new();
        for (turn, next) in request.turns.iter().zip(request.turns.iter().skip(1)) {
            let ids: Vec<_> = turn.calls.iter().map(|(id, ..)| id).collect();
            if ids.iter().any(|id| !next.results.contains(id)) || next.results.len() != ids.len() {
                return Err(format!("calls {ids:?} with results {:?}", next.results));
            }
            retold.extend(turn.calls.iter().map(|(_, name, input)| (name, input)));
        }
        if retold.len() != replies.len() {
            return Err(format!("{} calls of mine in it, not {}", retold.len(), replies.len()));
        }
        for ((name, input), reply) in retold.into_iter().zip(replies) {
            let (said_name, said_input) = &reply.calls[0];
            // A key may be told as pressed with either tool.
            let is_key = said_input["action"] == "key" || said_name == "computer.key";
            if is_key && name == "press_key" {
                continue;
            }
            if name != said_name || input["action"] != said_input["action"] {
                return Err(format!("I called {said_name}({said_input}), not {name}({input})"));
            }
        }
        request.expect_pictures(|count| (1..=3).contains(&count))
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        _request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let named = |(name, input): (&str, Value)| (name.to_owned(), input);
        let call = match self {
            Self::Gemini => named(Self::gemini(next, coords)),
            _ if self.takes_toolset() => Self::member(next, coords),
            _ => named(Self::claude(next, coords)),
        };
        let text = "This is the next thing to do.".to_owned();
        FakeReply { text, calls: vec![call], ..FakeReply::default() }
    }
}
