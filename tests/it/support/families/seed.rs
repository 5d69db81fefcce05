//! Doubao-Seed 1.8 and 2.0: calls as XML in the text, 0 to 1000. It opens no apps by name.
use super::tars::conversation;
use super::{Asked, Caps, Intent, Place, Said, Sight, Submit, Tongue};

pub struct Seed;

impl Tongue for Seed {
    fn profile(&self) -> &'static str {
        "seed"
    }

    fn model(&self) -> &'static str {
        "doubao-seed-1-8-251228"
    }

    fn caps(&self) -> Caps {
        Caps { opens: false, aims: false, submit: Submit::Never }
    }

    fn check(&self, asked: &Asked, said: &[Said]) -> Result<(), String> {
        conversation(asked, said, 5)?;
        asked.param("temperature", Some(0.7))?;
        asked.param("top_p", Some(0.9))?;
        asked.says("call_user")?;
        asked.says("start_point")
    }

    fn say(&self, intent: &Intent, asked: &Asked, sight: &Sight) -> Said {
        let point = |name: &str, at: &Place| {
            let (x, y) = sight.norm(*at, 1000.0);
            format!("<parameter={name}><point>{x} {y}</point></parameter>")
        };
        let content = |text: &str| format!("<parameter=content>{text}</parameter>");
        let (name, parameters) = match intent {
            Intent::Tap(at) => ("click", point("point", at)),
            Intent::Type { text, .. } => ("type", content(text)),
            Intent::Swipe { from, to } => {
                ("drag", point("start_point", from) + &point("end_point", to))
            }
            Intent::Back => ("press_back", String::new()),
            Intent::Wait => ("wait", String::new()),
            Intent::Ask(question) => ("call_user", content(question)),
            Intent::Done(message) => ("finished", content(message)),
            Intent::Open(_) | Intent::Enter => unreachable!("it has no words for this"),
        };
        // Both tags are seen.
        let tag = if asked.turns.len() % 4 == 1 { "seed:tool_call" } else { "tool_call" };
        let call = format!("<{tag}><function={name}>{parameters}</function></{tag}>");
        let reasoning = "This is the next thing to do.".to_owned();
        Said { text: call, reasoning, mark: name.to_owned(), ..Said::default() }
    }
}
