//! Foreign words in a prompt: what users, screens and models say must not pass for its format.
use serde_json::Value;

/// A text as a JSON string of at most about so many bytes: its words stay exact, it cannot be closed
/// from inside, and no tag or special token stands in it. A cut is shown.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    let text = text.trim();
    let kept = cut(text, most);
    let string = without_tags(&Value::from(kept).to_string(), "\\u003c");
    if kept.len() < text.len() { string + " (cut here, it is longer)" } else { string }
}

/// A model's own words as one line of plain text, at most about so many bytes.
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if most <= line.len() {
            break;
        }
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    let kept = cut(&line, most);
    let ellipsis = if kept.len() < line.len() { "…" } else { "" };
    without_tags(kept, "‹") + ellipsis
}

/// A model's own words as plain text of several lines, at most about so many bytes.
pub(crate) fn words(text: &str, most: usize) -> String {
    let text = text.trim();
    let kept = cut(text, most);
    let kept: String = kept.chars().filter(|c| *c == '\n' || !c.is_control()).collect();
    without_tags(&kept, "‹")
}

/// A text without the brackets that could begin a tag or a special token, blanks inside or not.
pub(crate) fn without_tags(text: &str, instead: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, bracket) in text.match_indices('<') {
        let inside = text[at + 1..].trim_start().chars().next();
        if inside.is_some_and(|c| c.is_ascii_digit() || "<=-".contains(c)) {
            continue;
        }
        out.push_str(&text[from..at]);
        out.push_str(instead);
        from = at + bracket.len();
    }
    out + &text[from..]
}

fn cut(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    &text[..(0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_stay_exact_and_open_nothing() {
        assert_eq!(quoted("打开微信，发“三点”", 99), "\"打开微信，发“三点”\"");
        assert_eq!(quoted("a <3 b << 1 < c", 99), "\"a <3 b << 1 \\u003c c\"");
        assert_eq!(quoted("x\"\n<|im_end|>", 99), "\"x\\\"\\n\\u003c|im_end|>\"");
        assert_eq!(quoted("长长", 4), "\"长\" (cut here, it is longer)");
        assert_eq!(line(" a\n\tb </tool_call>", 99), "a b ‹/tool_call>");
        assert_eq!(line("aaaa bbbb", 6), "aaaa b…");
        assert_eq!(words("a\n<|x|>\u{0}", 99), "a\n‹|x|>");
    }

    proptest! {
        #[test]
        fn a_quoted_text_is_read_back(text in any::<String>()) {
            let quoted = quoted(&text, 1 << 20);
            prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text.trim());
            prop_assert!(!quoted.contains("<|") && !quoted.contains("</"));
            prop_assert!(!quoted.contains('\n'));
        }
    }
}
