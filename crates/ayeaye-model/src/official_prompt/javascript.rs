//! Template literals of JavaScript and TypeScript: a text between backticks, with `${expression}` in it.
use super::ImportError;
use super::source::{Holes, hole_end, joined};

/// The first template literal behind `const NAME =`, that of a function's result too.
pub(super) fn constant(
    source: &str,
    name: &str,
    holes: &mut Holes,
) -> Result<Option<String>, ImportError> {
    let declared = format!("const {name} ");
    let Some(at) = source.find(&declared) else { return Ok(None) };
    let rest = &source[at + declared.len()..];
    let Some(open) = rest.find('`') else { return Ok(None) };
    // The next declaration's literal is another one's.
    if rest[..open].contains("const ") || rest[..open].contains(';') {
        return Ok(None);
    }
    literal(&rest[open + 1..], holes).map(Some)
}

fn literal(body: &str, holes: &mut Holes) -> Result<String, ImportError> {
    let mut text = String::new();
    let mut rest = body;
    loop {
        let Some(at) = rest.find(['`', '\\', '$']) else {
            return Err(ImportError::new("a template in it has no end"));
        };
        text = joined(text, &rest[..at])?;
        rest = &rest[at..];
        if rest.starts_with('`') {
            return Ok(text);
        }
        if rest.starts_with("${") {
            let end = hole_end(rest).ok_or_else(|| ImportError::new("a `${` in it has no end"))?;
            text = joined(text, &holes.make(&rest[2..end])?)?;
            rest = &rest[end + 1..];
        } else if rest.starts_with('$') {
            text.push('$');
            rest = &rest[1..];
        } else {
            let c = rest[1..].chars().next().ok_or_else(|| ImportError::new("it breaks off"))?;
            match c {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                '\n' => {}
                c if c.is_ascii_alphanumeric() => {
                    return Err(ImportError::new(format!(
                        "it has the escape \\{c}, which no prompt needs"
                    )));
                }
                c => text.push(c),
            }
            rest = &rest[1 + c.len_utf8()..];
        }
    }
}
