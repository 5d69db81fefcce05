//! What an error quotes of the request that it refuses: words that say nothing about why.
use std::borrow::Cow;

/// How servers in Python mark what they quote, by the form of the error: as JSON, as a list in Python, and as text.
const MARKS: [&str; 4] = ["\"input\":", "'input':", "input_value=", "input="];

/// The words of an error without what they quote of the request, as far as that is marked.
pub(super) fn without_inputs(reason: &str) -> Cow<'_, str> {
    let next = |text: &str| {
        let found = MARKS.iter().filter_map(|mark| Some((text.find(mark)?, *mark)));
        found.min_by_key(|(at, _)| *at)
    };
    let mut rest = reason;
    let mut kept = String::new();
    while let Some((at, mark)) = next(rest) {
        let value = &rest[at + mark.len()..];
        kept.push_str(&rest[..at + mark.len()]);
        rest = &value[value_length(value, mark)..];
    }
    if kept.is_empty() { Cow::Borrowed(reason) } else { Cow::Owned(kept + rest) }
}

/// How long a value is. One whose end is not found goes on to the end of the text.
fn value_length(text: &str, mark: &str) -> usize {
    // What pydantic shortens in its middle has no brackets in pairs; what it tells behind it is known.
    if mark == "input_value="
        && let Some(end) = text.find(", input_type=")
    {
        return end;
    }
    let (mut open, mut quote, mut is_escaped, mut has_begun) = (0_u32, None, false, false);
    for (at, char) in text.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if char == '\\' => is_escaped = true,
            Some(mark) if char == mark => quote = None,
            Some(_) => {}
            None => match char {
                '"' | '\'' => quote = Some(char),
                '{' | '[' | '(' => open += 1,
                '}' | ']' | ')' | ',' | '\n' if open == 0 => return at,
                '}' | ']' | ')' => open -= 1,
                _ => {}
            },
        }
        has_begun |= !char.is_whitespace();
        if has_begun && open == 0 && quote.is_none() && matches!(char, '"' | '\'' | '}' | ']' | ')')
        {
            return at + char.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_of_a_request_is_left_out() {
        for (reason, left) in [
            ("no input token is left", "no input token is left"),
            ("input_len=9000, value=6145", "input_len=9000, value=6145"),
            (
                r#"{"msg":"field required","input":{"tools":[{"a":"}\""}]},"url":"x"}"#,
                r#"{"msg":"field required","input":,"url":"x"}"#,
            ),
            (
                "'msg': 'field required', 'input': {'messages': [\"it's\"]}}]",
                "'msg': 'field required', 'input':}]",
            ),
            ("'input': '<dict of 2 items>', 'x': 1", "'input':, 'x': 1"),
            ("'input': 0.5}, 'temperature'", "'input':}, 'temperature'"),
            (
                "messages.0 field required [type=missing, input_value={'a': ['b'...image_url'}, input_type=dict]",
                "messages.0 field required [type=missing, input_value=, input_type=dict]",
            ),
            ("bad (input={'tools': 1}) and (input=[2]) too", "bad (input=) and (input=) too"),
            ("cut off: 'input': {'image_url': 'data", "cut off: 'input':"),
            ("\"input\":", "\"input\":"),
        ] {
            assert_eq!(without_inputs(reason), left, "{reason}");
        }
    }
}
