//! A JSON file as its client writes it into a prompt: without blanks, its members in their order.
use super::ImportError;

/// The file without blanks between its values. The member that makes the thought required stands fourth, as
/// the client puts it there.
pub(super) fn compact_with_required(source: &str) -> Result<String, ImportError> {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(source)
        .map_err(|err| ImportError::new(format!("it is no JSON object: {err}")))?;
    let mut text = String::with_capacity(source.len());
    let (mut within, mut escaped) = (false, false);
    let (mut depth, mut members) = (0_usize, 0_usize);
    for c in source.chars() {
        if within {
            text.push(c);
            within = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '"' => within = true,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => {
                members += 1;
                if members == 3 {
                    text.push_str(",\"required\":[\"thought\"]");
                }
            }
            c if c.is_whitespace() => continue,
            _ => {}
        }
        text.push(c);
    }
    if members < 3 {
        return Err(ImportError::new("it has fewer members than is known"));
    }
    Ok(text)
}
