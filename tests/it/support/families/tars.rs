//! UI-TARS: `Thought:` and `Action:` lines, calls as in Python. The open 1.5 names pixels of what its
//! server makes of the picture (factor 28), UI-TARS-1 and Doubao's hosted one 0 to 1000.
//!
//! One conversation: the instruction in the first user turn, then the model's replies and a user turn
//! with the screen after each; at most five pictures.
use super::{Asked, Caps, Intent, Place, Said, Sight, Submit, Tongue};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tars {
    /// 1.5-7B, made from Qwen2.5-VL.
    Open,
    /// UI-TARS-1 and Doubao-1.5-UI-TARS, with boxes.
    Thousandths,
}

const LEAST: u32 = 100 * 28 * 28;
const MOST: u32 = 16384 * 28 * 28;

impl Tars {
    fn point(self, sight: &Sight, at: Place) -> String {
        match self {
            Self::Open => {
                let (x, y) = sight.resized(at, 28, LEAST, MOST);
                format!("'<point>{x} {y}</point>'")
            }
            Self::Thousandths => {
                let (x, y) = sight.norm(at, 1000.0);
                format!("'<|box_start|>({x},{y})<|box_end|>'")
            }
        }
    }
}

impl Tongue for Tars {
    fn profile(&self) -> &'static str {
        match self {
            Self::Open => "ui-tars",
            Self::Thousandths => "ui-tars-1000",
        }
    }

    fn model(&self) -> &'static str {
        match self {
            Self::Open => "ByteDance-Seed/UI-TARS-1.5-7B",
            Self::Thousandths => "doubao-1-5-ui-tars-250428",
        }
    }

    fn caps(&self) -> Caps {
        Caps { opens: true, aims: false, submit: Submit::WithText }
    }

    fn check(&self, asked: &Asked, said: &[Said]) -> Result<(), String> {
        conversation(asked, said, 5)?;
        asked.param("temperature", Some(0.0))?;
        asked.says("call_user(")?;
        asked.says("open_app(app_name")
    }

    fn say(&self, intent: &Intent, asked: &Asked, sight: &Sight) -> Said {
        let point = |at: &Place| self.point(sight, *at);
        let (one, from, to) = match self {
            Self::Open => ("point", "start_point", "end_point"),
            Self::Thousandths => ("start_box", "start_box", "end_box"),
        };
        let action = match intent {
            Intent::Tap(at) => format!("click({one}={})", point(at)),
            Intent::Type { text, submit, .. } => {
                let end = if *submit { "\\n" } else { "" };
                format!("type(content='{}{end}')", python(text))
            }
            Intent::Open(app) => format!("open_app(app_name='{app}')"),
            Intent::Swipe { from: a, to: b } => {
                format!("drag({from}={}, {to}={})", point(a), point(b))
            }
            Intent::Back => "press_back()".to_owned(),
            Intent::Wait => "wait()".to_owned(),
            Intent::Ask(question) if asked.words().contains("call_user(content") => {
                format!("call_user(content='{question}')")
            }
            Intent::Ask(_) => "call_user()".to_owned(),
            Intent::Done(message) => format!("finished(content='{}')", python(message)),
            Intent::Enter => unreachable!("it is sent with the text"),
        };
        let thought = match intent {
            Intent::Ask(question) => question.as_str(),
            _ => "This is the next thing to do.",
        };
        let mark = action.split('(').next().unwrap_or_default().to_owned() + "(";
        Said { text: format!("Thought: {thought}\nAction: {action}"), mark, ..Said::default() }
    }
}

/// A text inside Python's single quotes, as the prompt of UI-TARS asks for.
pub fn python(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\'', "\\'").replace('"', "\\\"").replace('\n', "\\n")
}

/// One conversation with all that was said, and the newest screens.
pub fn conversation(asked: &Asked, said: &[Said], most: usize) -> Result<(), String> {
    let turns: Vec<_> = asked.turns.iter().filter(|turn| turn.role != "system").collect();
    let (Some(first), Some(last)) = (turns.first(), turns.last()) else {
        return Err("no turns".to_owned());
    };
    if first.role != "user" || last.role != "user" || last.pictures.len() != 1 {
        return Err(format!(
            "turns of {:?}, pictures at the end: {:?}",
            asked.roles(),
            last.pictures
        ));
    }
    let replies = asked.of_role("assistant");
    if replies.len() != said.len() {
        return Err(format!("{} replies of mine in it, not {}", replies.len(), said.len()));
    }
    for (turn, said) in replies.iter().zip(said) {
        let told = if said.mark.is_empty() { true } else { turn.text.contains(&said.mark) };
        if !told {
            return Err(format!("I said {:?}, not {:?}", said.text, turn.text));
        }
    }
    // Older ones may go several at a time, so that what is before them can be cached.
    let least = if said.len() == 1 { most.min(2) } else { 1 };
    asked.number_of_pictures(|count| (least..=most).contains(&count))
}
