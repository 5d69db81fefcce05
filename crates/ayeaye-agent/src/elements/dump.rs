//! The one place where a dump of elements becomes a tree. A phone may send anything: the parser compares the
//! attributes of a tag with each other, copies namespaces down and joins texts, so that few bytes keep it busy
//! for minutes. What no phone writes is refused before it sees it.
use super::MOST;

/// Most attributes of one tag; `uiautomator` writes about twenty.
const MOST_ATTRIBUTES: usize = 64;
/// The longest dump, in bytes.
const LONGEST: usize = 8 << 20;

/// The tree of a dump, in a time that grows with its length; `None` when it is none.
pub(super) fn parse(xml: &str) -> Option<roxmltree::Document<'_>> {
    if !is_plain(xml) {
        return None;
    }
    let options =
        roxmltree::ParsingOptions { nodes_limit: MOST * 2, ..roxmltree::ParsingOptions::default() };
    roxmltree::Document::parse_with_options(xml, options).ok()
}

/// Whether a dump has nothing but a declaration, tags with a few attributes, and text.
fn is_plain(xml: &str) -> bool {
    if LONGEST < xml.len() {
        return false;
    }
    let xml = xml.trim_start_matches('\u{feff}').trim_start();
    let body = match xml.strip_prefix("<?xml") {
        Some(rest) => match rest.split_once("?>") {
            Some((_, body)) => body,
            None => return false,
        },
        None => xml,
    };
    let mut rest = body.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
        rest = &rest[at + 1..];
        // Comments, CDATA, declarations and instructions.
        if matches!(rest.first(), Some(b'!' | b'?')) {
            return false;
        }
        let Some(after) = after_tag(rest) else { return false };
        rest = after;
    }
    true
}

/// What follows a tag; `None` if it has too many attributes, has a namespace, or has no end.
fn after_tag(mut rest: &[u8]) -> Option<&[u8]> {
    for _ in 0..=MOST_ATTRIBUTES {
        let at = rest.iter().position(|byte| matches!(byte, b'>' | b'"' | b'\''))?;
        let (names, from) = rest.split_at(at);
        if names.windows(5).any(|word| word == b"xmlns") {
            return None;
        }
        let (mark, inside) = from.split_first()?;
        if *mark == b'>' {
            return Some(inside);
        }
        let end = inside.iter().position(|byte| byte == mark)?;
        rest = &inside[end + 1..];
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::super::{Elements, without_hidden};
    use super::*;

    /// As many bytes as a phone may send.
    const FULL: usize = 4 << 20;

    fn attributes(bytes: usize, name: &str) -> String {
        let mut xml = String::from("<hierarchy><node bounds=\"[0,0][9,9]\"");
        let mut number = 0;
        while xml.len() < bytes {
            xml.extend([" ", name, &number.to_string(), "=\"\""]);
            number += 1;
        }
        xml + "/></hierarchy>"
    }

    fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
        let filled = |word: &str| word.repeat(bytes / word.len());
        let depth = bytes / "<node></node>".len();
        vec![
            ("attributes", attributes(bytes, "a")),
            ("namespaces", attributes(bytes, "xmlns:n")),
            ("CDATA", format!("<hierarchy>{}</hierarchy>", filled("<![CDATA[x]]>"))),
            ("comments", format!("<hierarchy>{}</hierarchy>", filled("a<!-- -->"))),
            ("entities", format!("<hierarchy><node text=\"{}\"/></hierarchy>", filled("&amp;"))),
            ("depth", "<node>".repeat(depth) + &"</node>".repeat(depth)),
            ("lost depth", "<node>".repeat(15_000) + &"</node>".repeat(15_000)),
            ("open", filled("<node a=\"")),
            ("text", format!("<hierarchy>{}</hierarchy>", filled("&#65;"))),
            ("nodes", format!("<hierarchy>{}</hierarchy>", filled("<a b=\"\"/>"))),
        ]
    }

    #[test]
    fn the_worst_that_a_phone_can_send_is_soon_over() {
        for (what, xml) in hostile(FULL) {
            let begun = Instant::now();
            Elements::read(&xml);
            without_hidden(&xml, |_| Vec::new());
            let took = begun.elapsed();
            // What grows with the square takes minutes; a busy machine takes its share.
            assert!(took < Duration::from_secs(20), "{what}: {took:?}");
        }
    }

    #[test]
    fn as_many_attributes_as_a_phone_writes_are_read() {
        let tag = |count: usize| {
            let many = (0..count).fold(String::new(), |many, n| many + &format!(" a{n}='>'"));
            format!(
                "<?xml version='1.0' ?><hierarchy><node{many} bounds=\"[0,0][9,9]\"/></hierarchy>"
            )
        };
        assert!(Elements::read(&tag(MOST_ATTRIBUTES - 1)).is_some());
        assert!(Elements::read(&tag(MOST_ATTRIBUTES)).is_none());
        assert!(Elements::read(&tag(2).replace("a1", "xmlns:b")).is_none());
        assert!(Elements::read(&tag(2).replace("'>'", "'xmlns'")).is_some(), "as a value");
    }
}
