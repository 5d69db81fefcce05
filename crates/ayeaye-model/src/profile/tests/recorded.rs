//! Replies that real models gave, and forms that their own parsers are tested with, where a checkout has them
//! beside it (`shared/model-replies`): read as one of the readings they allow, and hardly ever refused.
//!
//! They are not part of the project; what was once misread is in the corpus, too.
use std::path::{Path, PathBuf};

use ayeaye_agent::{Reply, ScreenSize};
use serde::{Deserialize, Deserializer};

use super::super::{CoordContext, Profile};
use super::corpus::action_line;

/// One reply. A point that is expected may be rounded, and a text that is not said may be any.
#[derive(Deserialize)]
struct RecordedWord {
    #[serde(deserialize_with = "profile")]
    family: Profile,
    source: String,
    raw: String,
    sent: Option<[u32; 2]>,
    expected: Vec<String>,
}

/// Of how many replies none may be refused that should be read.
const MOST_REFUSED: usize = 3;
/// Thousandths by which a rounded point may be off.
const ROUNDED: f64 = 1.0;

fn profile<'de, D: Deserializer<'de>>(name: D) -> Result<Profile, D::Error> {
    String::deserialize(name)?.parse().map_err(serde::de::Error::custom)
}

fn replies() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    here.map(|dir| dir.join("shared/model-replies/replies.jsonl")).find(|path| path.is_file())
}

/// What a reply is taken for, as the corpus writes it; `REFUSE` and why where it is none.
fn read(reply: &RecordedWord) -> String {
    let [width, height] = reply.sent.unwrap_or([1080, 2400]);
    let profile = reply.family;
    let image = ScreenSize { width, height };
    let coords = CoordContext { system: profile.spec().coords, image };
    let text = Reply { text: reply.raw.clone(), ..Reply::default() };
    match profile.family().read(&text, &coords) {
        Ok(decision) => action_line(&decision.action),
        Err(why) => format!("REFUSE {why}"),
    }
}

/// Whether two readings are the same, but for what the expected one leaves open.
fn fits(found: &str, expected: &str) -> bool {
    match expected {
        "ANY" => return true,
        "ANYOK" => return !found.starts_with("REFUSE"),
        "KEY APPSELECT" => return found == "KEY RECENTS",
        _ => {}
    }
    if let Some(behind) = found.strip_prefix(expected) {
        return behind.is_empty() || behind.starts_with(' ');
    }
    let (mut one, mut other) = (found.split([' ', ',']), expected.split([' ', ',']));
    let same = other.by_ref().all(|expected| {
        one.next().is_some_and(|found| match (found.parse::<f64>(), expected.parse::<f64>()) {
            (Ok(found), Ok(expected)) => (found - expected).abs() < ROUNDED,
            _ => found == expected,
        })
    });
    same && (expected.starts_with("LONGPRESS") || one.next().is_none())
}

#[test]
#[expect(clippy::print_stderr, reason = "that they are not there is to be seen")]
fn recorded_replies_are_read_as_they_were_meant() {
    let Some(path) = replies() else {
        eprintln!("there are no recorded replies beside this checkout (shared/model-replies)");
        return;
    };
    let (mut wrong, mut refused) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(&path).unwrap().lines() {
        let Ok(reply) = serde_json::from_str::<RecordedWord>(line) else {
            wrong.push(format!("no reply: {line}"));
            continue;
        };
        let found = read(&reply);
        if reply.expected.iter().any(|expected| fits(&found, expected)) {
            continue;
        }
        let RecordedWord { family, source, raw, expected, .. } = &reply;
        let line = format!("{family}, {source}: {found}, expected {expected:?}\n    {raw:?}");
        if found.starts_with("REFUSE") { refused.push(line) } else { wrong.push(line) }
    }
    assert!(
        wrong.is_empty() && refused.len() <= MOST_REFUSED,
        "read wrongly:\n{}\nrefused:\n{}",
        wrong.join("\n"),
        refused.join("\n"),
    );
}
