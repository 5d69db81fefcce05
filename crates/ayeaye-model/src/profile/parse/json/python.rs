//! Objects that a model writes as Python prints them: `{'action': 'click', 'clear': True}`. Within one in JSON, too.

/// The dictionary at the start of a text as JSON, and its length in bytes; `None` where it is none. Whether all of it
/// is in order, the reader of the JSON finds.
pub(super) fn as_json(text: &str) -> Option<(String, usize)> {
    let inside = text.strip_prefix('{')?.trim_start();
    if !inside.starts_with(['\'', '"']) {
        return None;
    }
    let mut json = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        at += match c {
            '\'' | '"' => string(rest, c, &mut json)?,
            c if c.is_ascii_alphabetic() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
                json.push_str(match &rest[..end] {
                    "True" => "true",
                    "False" => "false",
                    "None" => "null",
                    word => word,
                });
                end
            }
            c => {
                match c {
                    '{' | '[' => depth += 1,
                    '}' | ']' => {
                        depth = depth.checked_sub(1)?;
                        // Behind the last of them Python has a comma, too.
                        let last = json.trim_end();
                        json.truncate(last.strip_suffix(',').unwrap_or(last).len());
                    }
                    _ => {}
                }
                json.push(c);
                c.len_utf8()
            }
        };
        if depth == 0 {
            return Some((json, at));
        }
    }
    None
}

/// Appends the text in quotes at the start of this one, and returns its length with its quotes.
fn string(text: &str, quote: char, json: &mut String) -> Option<usize> {
    json.push('"');
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => {
                escaped = false;
                // Of the escapes that JSON does not have, this one is common.
                json.push_str(if c == '\'' { "'" } else { "\\" });
                if c != '\'' {
                    json.push(c);
                }
            }
            '\\' => escaped = true,
            c if c == quote => {
                json.push('"');
                return Some(at + 1);
            }
            '"' => json.push_str("\\\""),
            c => json.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_dictionary_is_told_from_what_is_none() {
        let text = r#"{'action': "it's", 'of': [[1, 2]], 'on': True, 'no': None, 'say': 'a "b" \'c\' \n'} rest"#;
        let (json, length) = as_json(text).unwrap();
        assert_eq!(
            json,
            r#"{"action": "it's", "of": [[1, 2]], "on": true, "no": null, "say": "a \"b\" 'c' \n"}"#
        );
        assert_eq!(&text[length..], " rest");
        let within = as_json(r#"{"name": "it's", "of": {'on': True}}"#);
        assert_eq!(within.unwrap().0, r#"{"name": "it's", "of": {"on": true}}"#);
        assert_eq!(as_json(r#"{"a": [1, 2, ], }"#).unwrap().0, r#"{"a": [1, 2]}"#);
        for other in ["", "{", "{1: 2}", "{'a': 1", "{'a", "{'a': ']'"] {
            assert_eq!(as_json(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in r#"\{'[ -~\n你"'\\]{0,40}"#) {
            as_json(&text);
        }
    }
}
