//! Calls in XML: `<function=NAME><parameter=NAME>...</parameter></function>`.
//!
//! Doubao-Seed writes these in `<tool_call>` or `<seed:tool_call>` tags, with or without a suffix to each
//! tag, sometimes with `name="..."` in place of the equals sign, and leaves out closing tags of
//! parameters. The closing tag of a function is required: without it the call may be incomplete.
use ayeaye_agent::ParseError;

use super::python::TextCall;
use super::{excerpt, reject};

/// The tags that begin a call.
const BEGINNINGS: [&str; 3] = ["<tool_call", "<seed:tool_call", "<function"];

/// Whether a text begins with a call.
pub(crate) fn begins(text: &str) -> bool {
    BEGINNINGS.iter().any(|tag| text.starts_with(tag))
}

/// The text before the first call, and all calls of a text; `None` if it has none.
pub(crate) fn calls(text: &str) -> Result<Option<(&str, Vec<TextCall>)>, ParseError> {
    if !text.contains("<function") {
        return Ok(None);
    }
    let places = BEGINNINGS.iter().filter_map(|tag| text.find(tag));
    let Some(start) = places.min() else { return Ok(None) };
    let mut calls = Vec::new();
    let mut rest = &text[start..];
    loop {
        rest = without_wrapping(rest);
        if rest.is_empty() {
            break;
        }
        if !rest.starts_with("<function") {
            return reject(format!("{} stands behind its action", excerpt(rest)));
        }
        let (call, behind) = function(rest)?;
        calls.push(call);
        rest = behind;
        if 64 < calls.len() {
            return reject("it holds more than one action; reply with the next one alone");
        }
    }
    Ok(Some((&text[..start], calls)))
}

/// A text without leading tags of tool calls.
fn without_wrapping(mut text: &str) -> &str {
    const TAGS: [&str; 4] = ["<tool_call", "</tool_call", "<seed:tool_call", "</seed:tool_call"];
    loop {
        text = text.trim_start();
        let Some(rest) = TAGS.iter().find_map(|tag| text.strip_prefix(tag)) else { return text };
        let Some(end) = rest.find('>').filter(|end| suffix(&rest[..*end])) else { return text };
        text = &rest[end + 1..];
    }
}

/// Whether this character may follow the name of a tag.
fn suffix(text: &str) -> bool {
    text.len() < 64 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// One function, and the rest of the text.
fn function(text: &str) -> Result<(TextCall, &str), ParseError> {
    let (name, mut rest) = opening(text, "<function")?;
    let mut call = TextCall { name, ..TextCall::default() };
    loop {
        rest = rest.trim_start();
        if rest.starts_with("<parameter") {
            let (name, inside) = opening(rest, "<parameter")?;
            let (value, behind) = value(inside)?;
            call.args.push((name, value.to_owned()));
            rest = behind;
        } else if let Some(behind) = closing(rest, "</function") {
            return Ok((call, behind));
        } else if without_wrapping(rest).len() < rest.len() {
            return Ok((call, rest));
        } else if rest.is_empty() {
            return reject("its action has no end (`</function>`)");
        } else {
            return reject(format!("{} stands between its parameters", excerpt(rest)));
        }
        if 16 < call.args.len() {
            return reject("its action has too many arguments");
        }
    }
}

/// The name in an opening tag, and the text after the tag.
fn opening<'a>(text: &'a str, tag: &str) -> Result<(String, &'a str), ParseError> {
    let odd = || ParseError::new(format!("{} is not a whole tag", excerpt(text)));
    let rest = text.strip_prefix(tag).ok_or_else(odd)?;
    let end = rest.find('>').ok_or_else(odd)?;
    let (inside, behind) = (&rest[..end], &rest[end + 1..]);
    let (before, name) = inside.split_once('=').ok_or_else(odd)?;
    if !suffix(before.strip_suffix("name").unwrap_or(before).trim()) {
        return Err(odd());
    }
    // Other attributes may follow a quoted name.
    let name = name.trim();
    let name = match name.strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next().unwrap_or_default(),
        None => name,
    };
    if name.is_empty() || !suffix(name) {
        return Err(odd());
    }
    Ok((name.to_owned(), behind))
}

/// The text after a closing tag.
fn closing<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(tag)?;
    let end = rest.find('>').filter(|end| suffix(&rest[..*end]))?;
    Some(&rest[end + 1..])
}

/// A value up to its closing tag, or to the next tag of the call if that is missing.
fn value(text: &str) -> Result<(&str, &str), ParseError> {
    const NEXT: [&str; 5] =
        ["</parameter", "<parameter", "</function", "</tool_call", "</seed:tool_call"];
    let next =
        text.match_indices('<').find(|(at, _)| NEXT.iter().any(|tag| text[*at..].starts_with(tag)));
    let Some((at, _)) = next else {
        return reject("its action has no end (`</parameter></function>`)");
    };
    let (value, rest) = text.split_at(at);
    let behind = match rest.strip_prefix("</parameter") {
        None => rest,
        Some(_) => closing(rest, "</parameter")
            .ok_or_else(|| ParseError::new(format!("{} is not a whole tag", excerpt(rest))))?,
    };
    // Newlines on both sides are layout.
    let bare = value.strip_prefix('\n').and_then(|value| value.strip_suffix('\n'));
    Ok((bare.unwrap_or(value), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match calls(text) {
            Ok(Some((head, calls))) => {
                let call = |call: &TextCall| {
                    let args = call.args.iter().map(|(name, value)| format!(" {name}={value}"));
                    format!("{}{}", call.name, args.collect::<String>())
                };
                let calls: Vec<_> = calls.iter().map(call).collect();
                format!("{}|{}", head.trim(), calls.join("|"))
            }
            Ok(None) => "none".to_owned(),
            Err(why) => format!("not: {why}"),
        }
    }

    #[test]
    fn every_spelling_of_a_call() {
        let click = "|click point=<point>5 6</point>";
        for text in [
            "<tool_call><function=click><parameter=point><point>5 6</point></parameter></function></tool_call>",
            "<seed:tool_call>\n<function=click>\n<parameter=point><point>5 6</point></parameter>\n</function>\n</seed:tool_call>",
            "<function=click><parameter=point><point>5 6</point></function>",
            "<tool_call><function name=\"click\"><parameter name=\"point\" string=\"true\"><point>5 6</point></parameter></function></tool_call>",
            "<seed:tool_call_never_used_51bc><function_never_used_51bc=click><parameter_never_used_51bc=point><point>5 6</point></parameter_never_used_51bc></function_never_used_51bc></seed:tool_call_never_used_51bc>",
            "<tool_call><function=click><parameter=point>\n<point>5 6</point>\n</parameter></tool_call>",
        ] {
            assert_eq!(shown(text), click, "{text}");
        }
        assert_eq!(shown("I see.\n<function=wait></function>"), "I see.|wait");
        assert_eq!(shown("click"), "none");
    }

    #[test]
    fn what_has_no_end_is_refused() {
        for (text, part) in [
            ("<function=click><parameter=point><point>5 6</point>", "no end"),
            ("<function=click><parameter=point>5 6</parameter>", "no end"),
            ("<function=finished>", "no end"),
            ("<function=finished></function> but", "behind"),
            ("<function=finished>ok</function>", "between"),
            ("<function>", "whole tag"),
            ("<function=", "whole tag"),
            ("<function=a b>x</function>", "whole tag"),
        ] {
            let shown = shown(text);
            assert!(shown.starts_with("not:") && shown.contains(part), "{text}: {shown}");
        }
    }
}
