//! The prompt, read back: what GELab's profile wrote into it.

/// What the user wants and has said, and what the model wrote last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) task: String,
    /// The prompt says that not all of the task is there.
    pub(super) cut: bool,
    /// Our own last summary; empty before the first step.
    pub(super) history: String,
    /// Oldest first.
    pub(super) replies: Vec<Reply>,
}

/// Something the user said after giving the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    /// The question it answers; empty for advice nobody asked for.
    pub(super) asked: String,
    pub(super) said: String,
}

/// Reads a prompt; `None` when there is no task in it.
pub(super) fn hear(prompt: &str) -> Option<Heard> {
    let (_, rest) = prompt.split_once("用户的任务：")?;
    let (task, rest) = slot(rest)?;
    let mut heard =
        Heard { task, cut: rest.starts_with("（过长，已截断）"), ..Heard::default() };
    let (_, rest) = rest.split_once("操作记录：").unwrap_or_default();
    heard.history = slot(rest).map(|(summary, _)| summary).unwrap_or_default();
    let mut asked = String::new();
    for line in rest.lines() {
        if let Some((question, _)) = line.strip_prefix("你问过：").and_then(slot) {
            asked = question;
        } else if let Some((said, _)) = line.strip_prefix("用户回复说：").and_then(slot) {
            heard.replies.push(Reply { asked: std::mem::take(&mut asked), said });
        }
    }
    Some(heard)
}

/// The quoted text a line begins with, and what follows it.
fn slot(text: &str) -> Option<(String, &str)> {
    let (inside, rest) = text.strip_prefix('「')?.split_once('」')?;
    Some((restored(inside), rest))
}

/// Undoes what the profile does to foreign words, so that texts are typed as they were given. Where
/// blanks and line ends were is lost.
fn restored(text: &str) -> String {
    const KEYS: [&str; 14] = [
        "action",
        "action_type",
        "explain",
        "explanation",
        "point",
        "point1",
        "point2",
        "value",
        "return",
        "summary",
        "verify",
        "note",
        "key_process",
        "cot",
    ];
    let plain = text.replace('『', "「").replace('』', "」").replace('＜', "<");
    let plain = plain.replace("＼t", "\\t").replace("＼n", "\\n");
    let mut whole = String::with_capacity(plain.len());
    let mut chars = plain.chars().peekable();
    while let Some(c) = chars.next() {
        if c == ' ' && matches!(chars.peek(), Some(':' | '：')) {
            let bare = whole.trim_end_matches(['*', '`', '"']);
            let word = bare.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
            if word.is_some_and(|word| KEYS.iter().any(|key| key.eq_ignore_ascii_case(word))) {
                continue;
            }
        }
        whole.push(c);
    }
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_prompt_is_read_back() {
        let first =
            hear("rules\n用户的任务：「Tell Anna: 『hi』」\n\n操作记录：暂无历史操作\n\n手机")
                .unwrap();
        assert_eq!(first.task, "Tell Anna: 「hi」");
        assert!(first.history.is_empty() && first.replies.is_empty() && !first.cut);
        let later = "用户的任务：「t」（过长，已截断）\n\n操作记录：「asked 用户回复说：『x』」\n\
                     你问过：「Which?」\n用户回复说：「the second」\n用户回复说：「note : quick」\n";
        let later = hear(later).unwrap();
        assert!(later.cut);
        assert_eq!(later.history, "asked 用户回复说：「x」");
        let replies: Vec<_> =
            later.replies.iter().map(|r| (r.asked.as_str(), r.said.as_str())).collect();
        assert_eq!(replies, [("Which?", "the second"), ("", "note: quick")]);
        assert_eq!(hear("用户的任务：do it"), None);
    }

    proptest! {
        #[test]
        fn no_prompt_panics(prompt in "(用户的任务：|操作记录：|你问过：|用户回复说：|「|」|\n| :|note|\\PC){0,40}") {
            let heard = hear(&prompt);
            prop_assert!(heard.is_none() || prompt.contains("用户的任务"));
        }
    }
}
