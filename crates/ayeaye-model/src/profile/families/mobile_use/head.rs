//! The lines before a call: `Thought: …` and `Action: …`.
use crate::profile::parse::values::unquoted;

/// The lines, by their labels.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    /// After `Thought:`, or without a label.
    pub thought: String,
    /// After `Action:`.
    pub action: String,
}

/// Parses the lines. A label holds until the next one.
pub(super) fn read(text: &str) -> Head {
    let mut head = Head::default();
    let mut into_action = false;
    for line in text.lines() {
        let rest = match label(line) {
            Some((is_action, rest)) => {
                into_action = is_action;
                rest
            }
            None => line,
        };
        let into = if into_action { &mut head.action } else { &mut head.thought };
        if !into.is_empty() {
            into.push('\n');
        }
        into.push_str(rest.trim());
    }
    Head { thought: head.thought.trim().to_owned(), action: unquoted(&head.action) }
}

/// The lines at the end of reasoning: a server that takes `<tool_call>` for its end leaves nothing before the call.
pub(super) fn of_reasoning(text: &str) -> Option<Head> {
    let text = text.trim();
    let (before, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let (is_action, action) = label(last)?;
    let Head { thought, action: earlier } = read(before);
    let thought = [thought, earlier].join("\n").trim().to_owned();
    is_action.then(|| Head { thought, action: unquoted(action) })
}

/// The label of a line: whether it is the action's, and the text after it.
fn label(line: &str) -> Option<(bool, &str)> {
    const LABELS: [(&str, bool); 6] = [
        ("thought", false),
        ("action", true),
        ("思考", false),
        ("操作", true),
        ("动作", true),
        ("reason", false),
    ];
    let decoration = |c: char| c.is_whitespace() || "*#`".contains(c);
    let line = line.trim_start_matches(decoration);
    LABELS.iter().find_map(|(name, is_action)| {
        let head = line.get(..name.len())?;
        let rest = line[name.len()..].trim_start_matches(decoration);
        let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：'))?;
        let rest = rest.trim_start_matches(decoration);
        head.eq_ignore_ascii_case(name).then_some((*is_action, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_in_their_spellings() {
        for text in [
            "Thought: a\nAction: \"b\"",
            "**Thought:** a\n**Action**： b",
            "思考：a\n操作：b",
            "a\n\nAction:\nb",
            "  thought : a\n action : b",
        ] {
            let expected = Head { thought: "a".to_owned(), action: "b".to_owned() };
            assert_eq!(read(text), expected, "{text:?}");
        }
        let thought = "Thought: a\nAction: \"b\"\n";
        let expected = Head { thought: "a".to_owned(), action: "b".to_owned() };
        assert_eq!(of_reasoning(thought), Some(expected));
        assert_eq!(of_reasoning("Action: a\nor not"), None);
        assert_eq!(read("no label").thought, "no label");
        assert_eq!(read(""), Head::default());
    }
}
