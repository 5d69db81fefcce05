//! The grammars in which models reply: JSON objects, tool calls, calls as Python or XML writes them,
//! labelled lines.
//!
//! Tolerant of spelling and wrapping, never of meaning: what could be read in two ways is refused with
//! a sentence the model can act on, and the end of a task is taken only where nothing casts doubt on
//! it. Whatever the grammar, a reply becomes a [`ParsedReply`]: one [`ParsedCall`], and the words around it.
use ayeaye_agent::{Action, Decision, ParseError};
use serde_json::{Map, Value};

pub(crate) mod args;
pub(crate) mod earlier_act;
pub(crate) mod hermes;
pub(crate) mod json;
pub(crate) mod labelled;
pub(crate) mod point;
pub(crate) mod python;
pub(crate) mod reasoning;
pub(crate) mod values;
pub(crate) mod xml;

/// What is said of a call whose text may go on in what stands behind it.
pub(crate) const TWO_ENDS: &str = "its text could end in two places; put nothing behind it, and a backslash before each quote \
    inside it";

/// What is said of a call in Python's notation that may be half of one.
pub(crate) const CUT_CALL: &str = "its call may be cut off; close its brackets, and put a backslash before each quote inside a \
    text";

/// What a model calls for: a verb and its arguments.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ParsedCall {
    /// The verb, as it is written.
    pub name: String,
    /// Arguments by their names, in order.
    pub args: Map<String, Value>,
    /// Arguments without a name.
    pub positional: Vec<String>,
    /// Names of arguments that it had and that the family does not have, which are left out.
    pub left_out: Vec<String>,
}

/// A reply, parsed but not yet understood.
#[derive(Debug, Default)]
pub(crate) struct ParsedReply {
    pub call: ParsedCall,
    pub thought: String,
    pub explain: String,
    pub summary: String,
    pub observation: String,
    /// Why the end of the task must not be taken from it.
    pub doubt: Option<String>,
}

impl ParsedReply {
    /// Casts doubt on an end of the task, if there is a reason to.
    pub(crate) fn doubt_if(&mut self, doubtful: bool, why: &str) {
        if doubtful {
            self.doubt = Some(why.to_owned());
        }
    }

    /// Why the model does what it does; empty where it does not say.
    pub(crate) fn reason(&self) -> &str {
        let reasons = [&self.explain, &self.thought];
        reasons.into_iter().find(|text| !text.trim().is_empty()).map_or("", |reason| reason)
    }

    /// The decision for this action.
    pub(crate) fn decided(self, action: Action) -> Result<Decision, ParseError> {
        if let (Action::Complete { .. } | Action::Abort { .. }, Some(doubt)) =
            (&action, &self.doubt)
        {
            return reject(format!("{doubt}, so that the end of the task is in doubt"));
        }
        let Self { thought, explain, summary, observation, .. } = self;
        Ok(Decision { action, thought, explain, summary, observation })
    }
}

/// Refuses a reply.
pub(crate) fn reject<T>(why: impl Into<String>) -> Result<T, ParseError> {
    Err(ParseError::new(why))
}

/// Why a reply that can be read may be half of one.
pub(crate) fn may_be_half(why: &str) -> ParseError {
    ParseError::new(why)
        .with_way_out("look at the log of the server, or of the gateway in front of it")
}

/// A piece of a reply as it may stand in a message.
pub(crate) fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("“{short}”")
}

/// Whether a server's error page came instead of a reply.
pub(crate) fn is_web_page(text: &str) -> bool {
    let begins =
        |with: &str| text.get(..with.len()).is_some_and(|head| head.eq_ignore_ascii_case(with));
    begins("<!doctype") || begins("<html") || begins("<head") || begins("<?xml")
}

/// A reply without the tokens that servers leave around it, if there is anything in it.
pub(crate) fn content(text: &str) -> Result<&str, ParseError> {
    let text = without_tokens(text);
    if text.is_empty() {
        return reject("it is empty");
    }
    if is_web_page(text) {
        return reject("it is a web page and no reply of a model; check the endpoint's address");
    }
    Ok(text)
}

/// Whether what follows a text begins on a line of its own or behind a whole sentence. What stands in
/// the middle of one may be what it speaks of: `I cannot say <answer>finish()</answer> yet`.
pub(crate) fn begins_anew(before: &str) -> bool {
    const LABELS: [&str; 5] = ["action", "answer", "动作", "操作", "回答"];
    let before = before.trim_end_matches([' ', '\t', '`', '*']);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let line = line.trim_start_matches(['*', '#', ' ']).trim_end_matches([':', '：', '*', ' ']);
    LABELS.iter().any(|label| line.eq_ignore_ascii_case(label))
        || before.is_empty()
        || before.ends_with(|c: char| "\n\r.。!！?？…>)）]】\"”'’」』".contains(c))
}

/// A reply without the tokens and fences that servers leave around it.
pub(crate) fn without_tokens(text: &str) -> &str {
    const BEFORE: [&str; 3] = ["<|begin_of_box|>", "<|im_start|>assistant", "<|assistant|>"];
    const BEHIND: [&str; 6] =
        ["<|end_of_box|>", "<|im_end|>", "<|endoftext|>", "<|observation|>", "<|user|>", "</s>"];
    let mut text = text.trim_start_matches('\u{feff}').trim();
    for token in BEFORE {
        text = text.strip_prefix(token).unwrap_or(text).trim_start();
    }
    loop {
        let before = text.len();
        for token in BEHIND {
            text = text.strip_suffix(token).unwrap_or(text).trim_end();
        }
        if text.len() == before {
            return text;
        }
    }
}
