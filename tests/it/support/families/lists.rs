//! Families that are told their earlier actions as a list, in words: GUI-Owl's first version,
//! `AndroidWorld`'s actions, the hosted Step models.
use serde_json::{Value, json};

use super::{Asked, Caps, Intent, Place, Said, Sight, Submit, Tongue};

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
    fn point(self, sight: &Sight, at: Place) -> Value {
        match self {
            Self::OwlOne => {
                let (x, y) = sight.resized(at, 28, 56 * 56, 16384 * 28 * 28);
                json!([x, y])
            }
            Self::M3a => {
                let (x, y) = sight.sent_pixels(at);
                json!([x, y])
            }
            Self::Step => {
                let (x, y) = sight.fractions(at);
                json!([x, y])
            }
        }
    }

    fn owl(self, intent: &Intent, sight: &Sight) -> Value {
        let point = |at: &Place| self.point(sight, *at);
        match intent {
            Intent::Tap(at) => json!({ "action": "click", "coordinate": point(at) }),
            Intent::Type { text, .. } => json!({ "action": "type", "text": text }),
            Intent::Open(app) => json!({ "action": "open", "text": app }),
            Intent::Swipe { from, to } => {
                json!({ "action": "swipe", "coordinate": point(from), "coordinate2": point(to) })
            }
            Intent::Enter => json!({ "action": "system_button", "button": "Enter" }),
            Intent::Back => json!({ "action": "system_button", "button": "Back" }),
            Intent::Wait => json!({ "action": "wait", "time": 1 }),
            Intent::Ask(question) => json!({ "action": "interact", "text": question }),
            Intent::Done(_) => json!({ "action": "terminate", "status": "success" }),
        }
    }

    fn m3a(self, intent: &Intent, sight: &Sight) -> Value {
        let point = |at: &Place| self.point(sight, *at);
        match intent {
            Intent::Tap(at) => {
                let at = point(at);
                json!({ "action_type": "click", "x": at[0], "y": at[1] })
            }
            Intent::Type { at, text, .. } => {
                let at = point(at);
                json!({ "action_type": "input_text", "text": text, "x": at[0], "y": at[1] })
            }
            Intent::Open(app) => json!({ "action_type": "open_app", "app_name": app }),
            // What lies to the right is shown.
            Intent::Swipe { from, .. } => {
                let at = point(from);
                json!({ "action_type": "scroll", "direction": "right", "x": at[0], "y": at[1] })
            }
            Intent::Enter => json!({ "action_type": "keyboard_enter" }),
            Intent::Back => json!({ "action_type": "navigate_back" }),
            Intent::Wait => json!({ "action_type": "wait" }),
            Intent::Ask(question) => json!({ "action_type": "ask_user", "text": question }),
            Intent::Done(_) => json!({ "action_type": "status", "goal_status": "complete" }),
        }
    }

    fn step(self, intent: &Intent, sight: &Sight) -> Value {
        let point = |at: &Place| self.point(sight, *at);
        let (name, args) = match intent {
            Intent::Tap(at) => ("Click", json!({ "normalized_point": point(at) })),
            Intent::Type { at, text, .. } => (
                "Type",
                json!({ "text": text, "normalized_point": point(at), "keyboard_exists": false }),
            ),
            Intent::Open(app) => ("Awake", json!({ "text": app })),
            Intent::Swipe { from, to } => {
                ("Scroll", json!({ "normalized_path": [point(from), point(to)] }))
            }
            Intent::Back => ("Back", json!({})),
            Intent::Wait => ("Wait", json!({ "duration": 1 })),
            Intent::Ask(question) => ("Pop", json!({ "text": question })),
            Intent::Done(message) => ("Complete", json!({ "text": message })),
            Intent::Enter => unreachable!("it has no words for this"),
        };
        json!({ "action_type": name, "args": args })
    }
}

impl Tongue for Lists {
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

    fn caps(&self) -> Caps {
        match self {
            Self::OwlOne => Caps { opens: true, aims: false, submit: Submit::Key },
            Self::M3a => Caps { opens: true, aims: true, submit: Submit::Key },
            Self::Step => Caps { opens: true, aims: true, submit: Submit::Never },
        }
    }

    fn check(&self, asked: &Asked, said: &[Said]) -> Result<(), String> {
        asked.number_of_pictures(|count| count == 1)?;
        // Of the hosted Step models nobody says how they are asked; GELab's come from the same house.
        asked.param("temperature", Some(if *self == Self::Step { 0.1 } else { 0.0 }))?;
        let words = asked.words();
        let words_for = match self {
            Self::OwlOne => {
                ["### Thought ###", "### Action ###", "### Description ###", "coordinate2"]
            }
            Self::M3a => ["action_type", "goal_status", "ask_user", "open_app"],
            Self::Step => ["normalized_point", "normalized_path", "Pop", "Complete"],
        };
        for word in words_for {
            asked.says(word)?;
        }
        if *self == Self::M3a {
            let (width, height) = asked.picture().ok_or("no picture")?;
            asked.says(&format!("{width} x {height}"))?;
        }
        for said in said {
            if !words.contains(&said.mark) {
                return Err(format!("nothing tells of {:?}: {words}", said.mark));
            }
        }
        Ok(())
    }

    fn say(&self, intent: &Intent, _asked: &Asked, sight: &Sight) -> Said {
        let action = match self {
            Self::OwlOne => self.owl(intent, sight),
            Self::M3a => self.m3a(intent, sight),
            Self::Step => self.step(intent, sight),
        };
        let thought = match intent {
            Intent::Done(message) => message.as_str(),
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
        let mark = match self {
            Self::OwlOne => "Did what comes next.",
            _ => name.unwrap_or_default(),
        };
        Said { text, mark: mark.to_owned(), ..Said::default() }
    }
}
