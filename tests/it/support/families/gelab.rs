//! GELab-Zero (`parser_0920_summary`): one user message, one picture, the last summary; tab-separated
//! fields, 0 to 1000.
use super::{Asked, Caps, Intent, Said, Sight, Submit, Tongue};

pub struct Gelab;

impl Tongue for Gelab {
    fn profile(&self) -> &'static str {
        "gelab"
    }

    fn model(&self) -> &'static str {
        "gelab-zero-4b-preview"
    }

    fn caps(&self) -> Caps {
        Caps { opens: true, aims: true, submit: Submit::Key }
    }

    fn check(&self, asked: &Asked, said: &[Said]) -> Result<(), String> {
        if asked.roles() != ["user"] {
            return Err(format!("turns of {:?}", asked.roles()));
        }
        asked.number_of_pictures(|count| count == 1)?;
        asked.param("temperature", Some(0.1))?;
        asked.param("top_p", Some(0.95))?;
        asked.param("max_tokens", Some(4096.0))?;
        match said.last() {
            None => asked.says("暂无历史操作"),
            Some(last) => asked.says(&last.mark),
        }
    }

    fn say(&self, intent: &Intent, _asked: &Asked, sight: &Sight) -> Said {
        let point = |at| {
            let (x, y) = sight.norm(at, 1000.0);
            format!("{x},{y}")
        };
        let (action, fields, summary) = match intent {
            Intent::Tap(at) => ("CLICK", format!("point:{}", point(*at)), "tapped the thing"),
            Intent::Type { at, text, .. } => {
                ("TYPE", format!("value:{text}\tpoint:{}", point(*at)), "typed the text")
            }
            Intent::Open(app) => ("AWAKE", format!("value:{app}"), "opened the app"),
            Intent::Swipe { from, to } => {
                ("SLIDE", format!("point1:{}\tpoint2:{}", point(*from), point(*to)), "slid the row")
            }
            Intent::Enter => ("HOT_KEY", "value:ENTER".to_owned(), "pressed enter"),
            Intent::Back => ("HOT_KEY", "value:BACK".to_owned(), "went back"),
            Intent::Wait => ("WAIT", "value:1".to_owned(), "waited a moment"),
            Intent::Ask(question) => ("INFO", format!("value:{question}"), "asked the user"),
            Intent::Done(message) => ("COMPLETE", format!("return:{message}"), "finished"),
        };
        let text = format!(
            "<THINK> next comes this </THINK>\nexplain:next\taction:{action}\t{fields}\tsummary:{summary}"
        );
        Said { text, mark: summary.to_owned(), ..Said::default() }
    }
}
