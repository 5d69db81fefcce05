//! Families that are told their earlier actions as a list, in words: GUI-Owl's first version,
//! `AndroidWorld`'s actions, the hosted Step models.
use serde_json::{Value, json};

use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// `### Thought ###`, `### Action ###`, `### Description ###`; made from Qwen2.5-VL, and so in
    /// pixels of what its server makes of the picture.
    OwlOne,
    /// `Reason:` and `Action:`, pixels of the picture.
    M3a,
    /// One object, fractions.
    Step,
}

impl Lists {
    fn point(self, coords: &Coords, at: PixelPoint) -> Value {
        match self {
            Self::OwlOne => {
                let (x, y) = coords.resized(at, 28, 56 * 56, 16384 * 28 * 28);
                json!([x, y])
            }
            Self::M3a => {
                let (x, y) = coords.sent_pixels(at);
                json!([x, y])
            }
            Self::Step => {
                let (x, y) = coords.fractions(at);
                json!([x, y])
            }
        }
    }

    fn owl(self, next: &OracleAction, coords: &Coords) -> Value {
        let point = |at: &PixelPoint| self.point(coords, *at);
        match next {
            OracleAction::Tap(at) => json!({ "action": "click", "coordinate": point(at) }),
            OracleAction::Type { text, .. } => json!({ "action": "type", "text": text }),
            OracleAction::Open(app) => json!({ "action": "open", "text": app }),
            OracleAction::Swipe { from, to } => {
                json!({ "action": "swipe", "coordinate": point(from), "coordinate2": point(to) })
            }
            OracleAction::Enter => json!({ "action": "system_button", "button": "Enter" }),
            OracleAction::Back => json!({ "action": "system_button", "button": "Back" }),
            OracleAction::Wait => json!({ "action": "wait", "time": 1 }),
            OracleAction::Ask(question) => json!({ "action": "interact", "text": question }),
            OracleAction::Done(_) => json!({ "action": "terminate", "status": "success" }),
        }
    }

    fn m3a(self, next: &OracleAction, coords: &Coords) -> Value {
        let point = |at: &PixelPoint| self.point(coords, *at);
        match next {
            OracleAction::Tap(at) => {
                let at = point(at);
                json!({ "action_type": "click", "x": at[0], "y": at[1] })
            }
            OracleAction::Type { at, text, .. } => {
                let at = point(at);
                json!({ "action_type": "input_text", "text": text, "x": at[0], "y": at[1] })
            }
            OracleAction::Open(app) => json!({ "action_type": "open_app", "app_name": app }),
            // What lies to the right is shown.
            OracleAction::Swipe { from, .. } => {
                let at = point(from);
                json!({ "action_type": "scroll", "direction": "right", "x": at[0], "y": at[1] })
            }
            OracleAction::Enter => json!({ "action_type": "keyboard_enter" }),
            OracleAction::Back => json!({ "action_type": "navigate_back" }),
            OracleAction::Wait => json!({ "action_type": "wait" }),
            OracleAction::Ask(question) => json!({ "action_type": "ask_user", "text": question }),
            OracleAction::Done(_) => json!({ "action_type": "status", "goal_status": "complete" }),
        }
    }

    fn step(self, next: &OracleAction, coords: &Coords) -> Value {
        let point = |at: &PixelPoint| self.point(coords, *at);
        let (name, args) = match next {
            OracleAction::Tap(at) => ("Click", json!({ "normalized_point": point(at) })),
            OracleAction::Type { at, text, .. } => (
                "Type",
                json!({ "text": text, "normalized_point": point(at), "keyboard_exists": false }),
            ),
            OracleAction::Open(app) => ("Awake", json!({ "text": app })),
            OracleAction::Swipe { from, to } => {
                ("Scroll", json!({ "normalized_path": [point(from), point(to)] }))
            }
            OracleAction::Back => ("Back", json!({})),
            OracleAction::Wait => ("Wait", json!({ "duration": 1 })),
            OracleAction::Ask(question) => ("Pop", json!({ "text": question })),
            OracleAction::Done(message) => ("Complete", json!({ "text": message })),
            OracleAction::Enter => unreachable!("it has no words for this"),
        };
        json!({ "action_type": name, "args": args })
    }
}

impl FakeFamily for Lists {
    fn profile(&self) -> &'static str {
        match self {
            Self::OwlOne => "gui-owl-1",
            Self::M3a => "m3a",
            Self::Step => "step-api",
        }
    }

    fn model(&self) -> &'static str {
        match self {
            Self::OwlOne => "mPLUG/GUI-Owl-7B",
            Self::M3a => "qwen2-m3a-7b",
            Self::Step => "step-3",
        }
    }

    fn abilities(&self) -> Abilities {
        match self {
            Self::OwlOne => {
                Abilities { opens_apps: true, types_at_point: false, submit: Submit::Key }
            }
            Self::M3a => Abilities { opens_apps: true, types_at_point: true, submit: Submit::Key },
            Self::Step => {
                Abilities { opens_apps: true, types_at_point: true, submit: Submit::Never }
            }
        }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        request.expect_pictures(|count| count == 1)?;
        // Of the hosted Step models nobody says how they are asked; GELab's come from the same house.
        request.expect_param("temperature", Some(if *self == Self::Step { 0.1 } else { 0.0 }))?;
        let words = request.text();
        let words_for = match self {
            Self::OwlOne => {
                ["### Thought ###", "### Action ###", "### Description ###", "coordinate2"]
            }
            Self::M3a => ["action_type", "goal_status", "ask_user", "open_app"],
            Self::Step => ["normalized_point", "normalized_path", "Pop", "Complete"],
        };
        for word in words_for {
            request.expect_text(word)?;
        }
        if *self == Self::M3a {
            let (width, height) = request.picture().ok_or("no picture")?;
            request.expect_text(&format!("{width} x {height}"))?;
        }
        for reply in replies {
            if !words.contains(&reply.history_mark) {
                return Err(format!("nothing tells of {:?}: {words}", reply.history_mark));
            }
        }
        Ok(())
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        _request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let action = match self {
            Self::OwlOne => self.owl(next, coords),
            Self::M3a => self.m3a(next, coords),
            Self::Step => self.step(next, coords),
        };
        let thought = match next {
            OracleAction::Done(message) => message.as_str(),
            _ => "This is the next thing to do.",
        };
        let text = match self {
            Self::OwlOne => format!(
                "### Thought ###\n{thought}\n### Action ###\n{action}\n### Description ###\nDid what comes next."
            ),
            Self::M3a => format!("Reason: {thought}\nAction: {action}"),
            Self::Step => action.to_string(),
        };
        let name = [&action["action"], &action["action_type"]].into_iter().find_map(Value::as_str);
        // The list of the first Owl is of its descriptions.
        let history_mark = match self {
            Self::OwlOne => "Did what comes next.",
            _ => name.unwrap_or_default(),
        };
        FakeReply { text, history_mark: history_mark.to_owned(), ..FakeReply::default() }
    }
}
