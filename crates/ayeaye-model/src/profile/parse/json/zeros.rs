//! Objects in whose lists numbers have zeros in front, `[[038, 115, 961, 140]]`, which JSON forbids.

/// The object at the start of a text without such zeros, and its length in bytes as it came; `None` where it has none.
/// Whether all of it is in order, the reader of the JSON finds.
pub(super) fn without(text: &str) -> Option<(String, usize)> {
    let mut json = String::with_capacity(text.len());
    let (mut braces, mut lists) = (0_usize, 0_usize);
    let (mut in_text, mut escaped, mut found) = (false, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => in_text = !in_text,
            _ if in_text => {}
            '{' => braces += 1,
            '}' => braces = braces.checked_sub(1)?,
            '[' => lists += 1,
            ']' => lists = lists.checked_sub(1)?,
            '0' if 0 < lists
                && json.ends_with(['[', ',', ' ', '-', '\n', '\t'])
                && text[at + 1..].starts_with(|c: char| c.is_ascii_digit()) =>
            {
                found = true;
                continue;
            }
            _ => {}
        }
        json.push(c);
        if braces == 0 {
            let whole = found && c == '}';
            return whole.then_some((json, at + c.len_utf8()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn zeros_go_from_numbers_in_lists_alone() {
        let text = r#"{"a": "[01, \"02]", "b": [[038,0115, -07, 00, 0, 0.5, 100, 1e05]]} rest"#;
        let (json, length) = without(text).unwrap();
        assert_eq!(json, r#"{"a": "[01, \"02]", "b": [[38,115, -7, 0, 0, 0.5, 100, 1e05]]}"#);
        assert_eq!(&text[length..], " rest");
        for other in
            ["", "{", "01", "{\"a\": [1]}", "{\"a\": 01}", "{\"a\": [01}", "{\"a\": [01]", "]"]
        {
            assert_eq!(without(other).filter(|(json, _)| json.contains(']')), None, "{other}");
        }
    }
}
