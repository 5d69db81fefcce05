//! UI-Venus 1.5: reasoning, an action as a call, a conclusion; 0 to 1000.
use super::tars::python;
use super::{Asked, Caps, Intent, Place, Said, Sight, Submit, Tongue};

pub struct Venus;

impl Tongue for Venus {
    fn profile(&self) -> &'static str {
        "ui-venus"
    }

    fn model(&self) -> &'static str {
        "inclusionAI/UI-Venus-1.5-8B"
    }

    fn caps(&self) -> Caps {
        Caps { opens: true, aims: false, submit: Submit::Key }
    }

    fn check(&self, asked: &Asked, _said: &[Said]) -> Result<(), String> {
        asked.number_of_pictures(|count| count == 1)?;
        asked.param("temperature", Some(0.0))?;
        for word in ["Click(", "Drag(", "CallUser(", "Finished(", "Launch("] {
            asked.says(word)?;
        }
        Ok(())
    }

    fn say(&self, intent: &Intent, _asked: &Asked, sight: &Sight) -> Said {
        let point = |at: &Place| {
            let (x, y) = sight.norm(*at, 1000.0);
            format!("({x}, {y})")
        };
        let action = match intent {
            Intent::Tap(at) => format!("Click(box={})", point(at)),
            Intent::Type { text, .. } => format!("Type(content='{}')", python(text)),
            Intent::Open(app) => format!("Launch(app='{app}')"),
            Intent::Swipe { from, to } => format!("Drag(start={}, end={})", point(from), point(to)),
            Intent::Enter => "PressEnter()".to_owned(),
            Intent::Back => "PressBack()".to_owned(),
            Intent::Wait => "Wait()".to_owned(),
            Intent::Ask(question) => format!("CallUser(content='{question}')"),
            Intent::Done(message) => format!("Finished(content='{}')", python(message)),
        };
        Said::words(format!(
            "<think>This is the next thing to do.</think><action>{action}</action>\
             <conclusion>did the next thing</conclusion>"
        ))
    }
}
