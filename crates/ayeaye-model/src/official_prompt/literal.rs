//! What a string literal of Python stands for.
use super::ImportError;
use super::source::{Holes, hole_end, joined};

/// The text of a literal that stands so in the source; `None` for bytes.
pub(super) fn text(
    literal: &str,
    prefix: usize,
    quotes: usize,
    holes: &mut dyn FnMut(&str) -> Result<String, ImportError>,
) -> Result<Option<String>, ImportError> {
    let kind = literal[..prefix].to_ascii_lowercase();
    if kind.contains('b') {
        return Ok(None);
    }
    let body = &literal[prefix + quotes..literal.len() - quotes];
    let body = body.replace("\r\n", "\n");
    let (raw, formatted) = (kind.contains('r'), kind.contains('f'));
    let mut text = String::new();
    let mut rest = body.as_str();
    while let Some(c) = rest.chars().next() {
        if c == '\\' && !raw {
            let (stands_for, length) = escape(rest)?;
            text.push_str(&stands_for);
            rest = &rest[length..];
        } else if formatted && (rest.starts_with("{{") || rest.starts_with("}}")) {
            text.push(c);
            rest = &rest[2..];
        } else if formatted && c == '{' {
            let end = hole_end(rest).ok_or_else(|| ImportError::new("a `{` in it has no end"))?;
            text = joined(text, &holes(&rest[1..end])?)?;
            rest = &rest[end + 1..];
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    Ok(Some(joined(text, "")?))
}

/// What an escape at the front stands for, and its length. One that Python does not know stands for itself.
fn escape(rest: &str) -> Result<(String, usize), ImportError> {
    let Some(c) = rest[1..].chars().next() else { return Ok(("\\".to_owned(), 1)) };
    let digits = |count: usize| -> Result<(String, usize), ImportError> {
        let digits = rest.get(2..2 + count).filter(|it| it.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|it| u32::from_str_radix(it, 16).ok());
        let c = code.and_then(char::from_u32).filter(|c| (*c as u32) < 0xF_0000 && *c != '\0');
        c.map(|c| (c.to_string(), 2 + count))
            .ok_or_else(|| ImportError::new("an escape in it is broken"))
    };
    let plain = |c: char| Ok((c.to_string(), 2));
    match c {
        'n' => plain('\n'),
        't' => plain('\t'),
        'r' => plain('\r'),
        '\\' | '\'' | '"' => plain(c),
        '\n' => Ok((String::new(), 2)),
        'x' => digits(2),
        'u' => digits(4),
        'U' => digits(8),
        'a' | 'b' | 'f' | 'v' | 'N' | '0'..='7' => {
            Err(ImportError::new(format!("it has the escape \\{c}, which no prompt needs")))
        }
        _ => Ok((format!("\\{c}"), 1 + c.len_utf8())),
    }
}

/// The holes of a text for `str.format`: `{name}`, and doubled braces for braces.
pub(super) fn formatted(
    template: &str,
    fill: &mut dyn FnMut(&str) -> Result<String, ImportError>,
) -> Result<String, ImportError> {
    let mut text = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        text = joined(text, &rest[..at])?;
        rest = &rest[at..];
        if rest.starts_with("{{") || rest.starts_with("}}") {
            text.push_str(&rest[..1]);
            rest = &rest[2..];
        } else if let Some(end) = rest.find('}').filter(|end| *end > 0) {
            text = joined(text, &fill(&rest[1..end])?)?;
            rest = &rest[end + 1..];
        } else {
            return Err(ImportError::new("a brace in it stands alone"));
        }
    }
    joined(text, rest)
}

/// A text for Jinja, where everything that its conditions ask for is missing.
pub(super) fn jinja(template: &str, holes: &mut Holes) -> Result<String, ImportError> {
    let odd = || ImportError::new("it has a template that is not understood");
    let mut text = String::new();
    // Jinja takes away the one line end that a text ends with.
    let mut rest = template.strip_suffix('\n').unwrap_or(template);
    let mut skipping = 0_usize;
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        if skipping == 0 {
            text = joined(text, &rest[..at])?;
        }
        let is_value = rest[at..].starts_with("{{");
        let close = if is_value { "}}" } else { "%}" };
        let inside = &rest[at + 2..];
        let inside = &inside[..inside.find(close).ok_or_else(odd)?];
        let end = at + 2 + inside.len();
        let inside = inside.strip_prefix('-').map_or(inside, |inside| {
            text.truncate(text.trim_end().len());
            inside
        });
        rest = &rest[end + 2..];
        let inside = inside.strip_suffix('-').map_or(inside, |inside| {
            rest = rest.trim_start();
            inside
        });
        let words: Vec<&str> = inside.split_whitespace().collect();
        match words.as_slice() {
            [name] if is_value && skipping == 0 => text = joined(text, &holes.make(name)?)?,
            [_] if is_value => {}
            ["if", _] => skipping += 1,
            ["endif"] => skipping = skipping.checked_sub(1).ok_or_else(odd)?,
            _ => return Err(odd()),
        }
    }
    if skipping > 0 {
        return Err(odd());
    }
    joined(text, rest)
}
