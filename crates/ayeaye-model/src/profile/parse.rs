//! How models write: what the replies of several families have in common.
//!
//! Tolerant of spelling and wrapping, never of meaning: what could be read in two ways is refused
//! with a sentence the model can act on.
use ayeaye_agent::ParseError;

pub(crate) mod args;
pub(crate) mod hermes;
pub(crate) mod json;
pub(crate) mod labelled;
pub(crate) mod point;
pub(crate) mod python;
pub(crate) mod reasoning;
pub(crate) mod values;
pub(crate) mod xml;

/// A refusal.
pub(crate) fn reject<T>(why: impl Into<String>) -> Result<T, ParseError> {
    Err(ParseError(why.into()))
}

/// A piece of a reply as it may stand in a message.
pub(crate) fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("“{short}”")
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
pub(crate) fn unwrapped(text: &str) -> &str {
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
