//! Repairs of the JSON that small models write nearly right.
use ayeaye_agent::ParseError;
use serde_json::{Map, Value};

use super::super::json;
use super::tag;

/// The object at the start of a text, and its length in bytes. Only what has one meaning is repaired:
/// line ends and tabs inside strings, `\'`, a comma before a closing bracket, two numbers without brackets
/// where one value belongs, and missing closing braces where the closing tag of the call follows.
pub(super) fn leading(text: &str) -> Result<(Map<String, Value>, usize), ParseError> {
    let why = match json::leading(text) {
        Ok(read) => return Ok(read),
        Err(why) => why,
    };
    let Some((repaired, length)) = repaired(text) else { return Err(why) };
    match json::leading(&repaired) {
        Ok((map, end)) if repaired.len() == end => Ok((map, length)),
        // The error of the original text is the useful one.
        _ => Err(why),
    }
}

/// The repaired text, and how many bytes of the original it covers; `None` if the text breaks off.
fn repaired(text: &str) -> Option<(String, usize)> {
    let mut out = String::with_capacity(text.len().min(1 << 16));
    let mut open = Vec::new();
    let mut in_string = false;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if in_string => match c {
                '"' => {
                    in_string = false;
                    out.push(c);
                }
                '\\' => match chars.next()?.1 {
                    '\'' => out.push('\''),
                    '\n' => out.push_str("\\n"),
                    escaped => out.extend([c, escaped]),
                },
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                c => out.push(c),
            },
            '"' => {
                in_string = true;
                out.push(c);
            }
            '{' | '[' => {
                open.push(if c == '{' { '}' } else { ']' });
                out.push(c);
            }
            '}' | ']' => {
                if open.pop()? != c {
                    return None;
                }
                let kept = out.trim_end().trim_end_matches(',').len();
                out.truncate(kept);
                out.push(c);
                if open.is_empty() {
                    return Some((out, at + 1));
                }
            }
            '<' => {
                // The call ends here; its missing braces are added.
                let closed = tag::leading(&text[at..]).is_some_and(|tag| tag.closes);
                let braces = open.iter().all(|end| *end == '}') && open.len() <= 2;
                if !closed || !braces {
                    return None;
                }
                out.extend(open);
                return Some((out, at));
            }
            ',' if open.last() == Some(&'}') => match pair(&out, &text[at + 1..]) {
                Some((begin, length)) => {
                    out.insert(begin, '[');
                    out.extend([",", text[at + 1..at + 1 + length].trim(), "]"]);
                    // Only ASCII: a byte is a character.
                    _ = chars.by_ref().take(length).count();
                }
                None => out.push(c),
            },
            c => out.push(c),
        }
    }
    None
}

/// Where in an object the number begins that stands before a comma, and how long the one is that stands behind
/// it, where a key belongs.
fn pair(before: &str, behind: &str) -> Option<(usize, usize)> {
    let part_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let begin = before.trim_end_matches(part_of_number).len();
    let second = behind.trim_start_matches([' ', '\n']);
    let rest = second.trim_start_matches(part_of_number);
    let is_pair = begin < before.len()
        && before[..begin].trim_end().ends_with(':')
        && rest.len() < second.len()
        && rest.trim_start().starts_with([',', '}']);
    is_pair.then_some((begin, behind.len() - rest.len()))
}
