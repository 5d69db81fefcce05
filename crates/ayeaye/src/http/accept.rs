//! `Accept` by ranges: `*/*`, or no such header, takes every media type (RFC 9110, 12.5.1). rmcp looks for the names
//! themselves.
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

/// What MCP may answer with.
const ANSWERS: [&str; 2] = ["application/json", "text/event-stream"];

/// Names both media types in place of the ranges that take them. Where one is not taken, all stays as it was.
pub(super) fn name_ranges(headers: &mut HeaderMap) {
    let taken = {
        let lines = || headers.get_all(ACCEPT).iter();
        let ranges: Option<Vec<&str>> = lines().map(|line| line.to_str().ok()).collect();
        let Some(ranges) = ranges else { return };
        let ranges: Vec<&str> = ranges.iter().flat_map(|line| line.split(',')).collect();
        ANSWERS.iter().all(|kind| lines().next().is_none() || takes(&ranges, kind))
    };
    if taken {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    }
}

/// Whether one of the ranges takes this media type. The most exact range counts.
fn takes(ranges: &[&str], kind: &str) -> bool {
    let family = kind.split('/').next().unwrap_or_default();
    let quality = |wanted: &str| {
        ranges.iter().find_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let named = parts.next()?.eq_ignore_ascii_case(wanted);
            let zero = |part: &str| {
                let (name, value) = part.split_once('=').unwrap_or((part, ""));
                name.trim().eq_ignore_ascii_case("q") && value.trim().parse() == Ok(0.0_f32)
            };
            named.then(|| !parts.any(zero))
        })
    };
    let found = quality(kind).or_else(|| quality(&format!("{family}/*")));
    found.or_else(|| quality("*/*")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(lines: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(ACCEPT, HeaderValue::from_str(line).unwrap());
        }
        name_ranges(&mut headers);
        headers.get(ACCEPT).is_some_and(|it| it == "application/json, text/event-stream")
    }

    #[test]
    fn a_range_takes_what_is_in_it() {
        for takes in [
            &[][..],
            &["*/*"],
            &["text/html, */*;q=0.8"],
            &["application/*, text/*"],
            &["application/*", "TEXT/Event-Stream; q=0.5"],
            &["text/event-stream, application/json"],
        ] {
            assert!(named(takes), "{takes:?}");
        }
        for refuses in [
            &["application/json"][..],
            &["text/*"],
            &["image/*"],
            &[""],
            &["*/*;q=0"],
            &["*/*, text/event-stream;q=0.0"],
        ] {
            assert!(!named(refuses), "{refuses:?}");
        }
    }
}
