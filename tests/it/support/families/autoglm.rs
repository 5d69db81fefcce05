//! AutoGLM-Phone: `do(...)` and `finish(...)` in an answer, all turns as text and only the newest
//! screen as a picture. Its prompt says 999 and its code divides by 1000.
use serde_json::Value;

use super::tars::{conversation, python};
use super::{Asked, Caps, Intent, Place, Said, Sight, Submit, Tongue};

pub struct AutoGlm;

impl Tongue for AutoGlm {
    fn profile(&self) -> &'static str {
        "autoglm"
    }

    fn model(&self) -> &'static str {
        "autoglm-phone-9b-multilingual"
    }

    fn caps(&self) -> Caps {
        Caps { opens: true, aims: false, submit: Submit::Never }
    }

    fn check(&self, asked: &Asked, said: &[Said]) -> Result<(), String> {
        conversation(asked, said, 1)?;
        if asked.roles().first() != Some(&"system") {
            return Err("the rules are not the system's".to_owned());
        }
        for (name, value) in [("temperature", 0.0), ("top_p", 0.85), ("frequency_penalty", 0.2)] {
            asked.param(name, Some(value))?;
        }
        asked.param("max_tokens", Some(3000.0))?;
        for turn in asked.of_role("user") {
            let (_, info) =
                turn.text.split_once("** Screen Info **").ok_or("a turn without Screen Info")?;
            let start = info.find('{').ok_or("Screen Info without an object")?;
            let mut objects = serde_json::Deserializer::from_str(&info[start..]).into_iter();
            let info: Value =
                objects.next().ok_or("no object")?.map_err(|err| format!("Screen Info: {err}"))?;
            let app = info["current_app"].as_str();
            // Which one was in front earlier nobody remembers.
            if turn.pictures.len() == 1 && app.is_none_or(str::is_empty) {
                return Err(format!("Screen Info is {info}"));
            }
        }
        Ok(())
    }

    fn say(&self, intent: &Intent, _asked: &Asked, sight: &Sight) -> Said {
        let point = |at: &Place| {
            let (x, y) = sight.norm(*at, 1000.0);
            format!("[{x},{y}]")
        };
        // As the prompt asks for: quotes and line ends are escaped, and so are backslashes then.
        let text_of = |text: &str| python(text).replace("\\'", "'");
        let action = match intent {
            Intent::Tap(at) => format!("do(action=\"Tap\", element={})", point(at)),
            Intent::Type { text, .. } => format!("do(action=\"Type\", text=\"{}\")", text_of(text)),
            Intent::Open(app) => format!("do(action=\"Launch\", app=\"{app}\")"),
            Intent::Swipe { from, to } => {
                format!("do(action=\"Swipe\", start={}, end={})", point(from), point(to))
            }
            Intent::Back => "do(action=\"Back\")".to_owned(),
            Intent::Wait => "do(action=\"Wait\", duration=\"1 seconds\")".to_owned(),
            Intent::Ask(question) if question.contains("code") => {
                format!("do(action=\"Take_over\", message=\"{question}\")")
            }
            Intent::Ask(_) => "do(action=\"Interact\")".to_owned(),
            Intent::Done(message) => format!("finish(message=\"{message}\")"),
            Intent::Enter => unreachable!("it has no words for this"),
        };
        let thought = match intent {
            Intent::Ask(question) => question.as_str(),
            _ => "这是下一步。",
        };
        let mark = action.split([',', ')']).next().unwrap_or_default().to_owned();
        let mark = if mark.starts_with("finish") { "finish(message=".to_owned() } else { mark };
        Said {
            text: format!("<think>{thought}</think><answer>{action}</answer>"),
            mark,
            ..Said::default()
        }
    }
}
