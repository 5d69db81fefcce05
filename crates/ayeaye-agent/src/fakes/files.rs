//! What a folder holds, as whoever looks for a secret in it would search.
use std::fs;
use std::path::Path;

/// Digests and the ends of session names are at least this long.
const SHORTEST_DIGEST: usize = 12;

/// Every file below a folder that holds this text.
pub(crate) fn with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("it can be listed") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            found.extend(with(&path, text));
        } else if path.is_file() // and no socket
            && holds(&String::from_utf8_lossy(&fs::read(&path).expect("it can be read")), text)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Whether this text stands there otherwise than by chance: one code of six digits in some hundred runs is
/// also found within a digest.
fn holds(content: &str, text: &str) -> bool {
    content.match_indices(text).any(|(at, _)| !is_in_digest(content, at, text.len()))
}

fn is_in_digest(content: &str, at: usize, length: usize) -> bool {
    let hex = |it: char| matches!(it, '0'..='9' | 'a'..='f');
    let before = content[..at].rsplit(|it| !hex(it)).next().unwrap_or_default();
    let behind = content[at + length..].split(|it| !hex(it)).next().unwrap_or_default();
    let run = &content[at - before.len()..at + length + behind.len()];
    // A number of a card is as long, and has no letters.
    SHORTEST_DIGEST <= run.len()
        && run.chars().all(hex)
        && run.contains(|it| matches!(it, 'a'..='f'))
}

#[test]
fn a_text_is_found_but_within_a_digest() {
    let digest = "aff0482913ea6431";
    assert!(!holds(&format!("\"sum\":\"{digest}\""), "482913"));
    assert!(holds(&format!("{digest} and the code482913"), "482913"));
    assert!(holds("4111111111111111", "1111"));
    assert!(holds(&format!("typed {digest}"), "typed aff0"));
    assert!(holds("any", ""));
}
