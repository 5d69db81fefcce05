//! AgentCPM-GUI: one compact JSON object, 0 to 1000, the longest side of the picture at most 1120.
use serde_json::{Value, json};

use super::{Asked, Caps, Intent, Place, Said, Sight, Submit, Tongue};

pub struct AgentCpm;

impl Tongue for AgentCpm {
    fn profile(&self) -> &'static str {
        "agentcpm-gui"
    }

    fn model(&self) -> &'static str {
        "openbmb/AgentCPM-GUI"
    }

    fn caps(&self) -> Caps {
        Caps { opens: false, aims: false, submit: Submit::Key }
    }

    fn check(&self, asked: &Asked, _said: &[Said]) -> Result<(), String> {
        asked.number_of_pictures(|count| count == 1)?;
        let (width, height) = asked.picture().ok_or("no picture")?;
        if 1120 < width.max(height) {
            return Err(format!("{width}x{height} is larger than it was taught with"));
        }
        let system = asked.of_role("system");
        if !system.iter().any(|turn| turn.text.contains("POINT")) {
            return Err("the system's words hold no schema".to_owned());
        }
        asked.says("<Question>")?;
        asked.says("</Question>")
    }

    fn say(&self, intent: &Intent, _asked: &Asked, sight: &Sight) -> Said {
        let point = |at: &Place| {
            let (x, y) = sight.norm(*at, 1000.0);
            json!([x, y])
        };
        let mut reply = json!({ "thought": "This is the next thing to do." });
        let fields: &[(&str, Value)] = match intent {
            Intent::Tap(at) => &[("POINT", point(at))],
            Intent::Type { text, .. } => &[("TYPE", json!(text))],
            Intent::Swipe { from, to } => &[("POINT", point(from)), ("to", point(to))],
            Intent::Enter => &[("PRESS", json!("ENTER"))],
            Intent::Back => &[("PRESS", json!("BACK"))],
            Intent::Wait => &[("duration", json!(1000))],
            Intent::Ask(question) => {
                &[("thought", json!(question)), ("STATUS", json!("need_feedback"))]
            }
            Intent::Done(message) => &[("thought", json!(message)), ("STATUS", json!("finish"))],
            Intent::Open(_) => unreachable!("it has no words for this"),
        };
        for (name, value) in fields {
            reply[*name] = value.clone();
        }
        Said::words(reply.to_string())
    }
}
