//! Mutations of what is read back: lines of a record, actions in it, the elements of a screen.
//!
//! `cargo nextest run --release -p ayeaye-agent --run-ignored only -E 'test(fuzz)' --no-capture`
use std::collections::HashSet;
use std::path::Path;

use self::mutator::{LONG, Mutator, SHORT, fuzz};
use super::*;
use crate::journal::ActionRecord;
use crate::journal::files::line::{Chain, Detail, checked_line, decode, encode, parse};
use crate::journal::files::scan::scan;
use crate::{Action, Elements, Pixel, Session};

#[path = "../../../../../../tests/fuzz/mutator.rs"]
mod mutator;

const WORDS: &[&str] = &[
    "\"type\":\"",
    "\"data\":{",
    "\"type\":\"session.start\"",
    "\"type\":\"step.end\"",
    "\"seq\":",
    "\"v\":1",
    "\"v\":2",
    "\"round\":0",
    "\"round\":4294967295",
    "\"step\":",
    "\"function\":\"COMPLETE\"",
    "\"arguments\":{}",
    "null",
    "true",
    "-1",
    "1e999",
    "\"point\":[512,203]",
    "\"point\":[1e3,-0]",
    "\\u0000",
    "\\ud83e",
    "{\"a\":",
    "[[[[",
    "\"options\":[",
    "\"act\":{",
    "\"seconds\":1e308",
    "\"kind\":\"confirm\"",
    "\"stop_reason\":\"TASK_COMPLETED_SUCCESSFULLY\"",
    "}}",
    "},",
];

/// The fixture of format 1, which holds every kind of fact.
fn record() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/format-1/sessions");
    let session = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let events = fs::read(session.join("events.jsonl")).unwrap();
    events
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

/// A line counts only as it was written; a line with the right sum may mean anything, and is then kept
/// as it was read.
fn lines(executions: u64) {
    let seeds = record();
    let bodies: Vec<Vec<u8>> = seeds
        .iter()
        .map(|line| {
            let text = std::str::from_utf8(line).unwrap();
            text.as_bytes()[..text.rfind(",\"prev\":\"").unwrap()].to_vec()
        })
        .collect();
    let written: HashSet<Vec<u8>> = seeds.iter().cloned().collect();
    let mut pool: Vec<Event> = Vec::new();
    let mut mutator = Mutator::new(1, bodies, WORDS);
    let id = SessionId::new();
    fuzz("lines of a record", executions, &mut mutator, |bytes, dice| {
        let chain = Chain::start();
        if decode(&chain, bytes).is_ok() {
            return Err("a line without a sum was taken".to_owned());
        }
        let Ok(body) = std::str::from_utf8(bytes) else { return Ok(()) };
        let line = checked_line(&chain, body);
        let outline = parse(1, &line, Detail::Compact);
        let Ok((event, _)) = decode(&chain, &line) else { return Ok(()) };
        if outline.is_err() {
            return Err(format!("read whole and not in outline: {outline:?}"));
        }
        let again = encode(&chain, event.ts, &event.entry).map_err(|err| err.to_string())?;
        if again.event.entry != event.entry {
            return Err(format!("written as {event:?}, read as {:?}", again.event));
        }
        // One bit of it changed, and it is not taken.
        let mut broken = line;
        let at = dice.below(broken.len());
        broken[at] ^= 1 << dice.below(7);
        if decode(&chain, &broken).is_ok() && !written.contains(&broken) {
            return Err(format!("taken with byte {at} changed"));
        }
        // Events in any order make a session or none, and never a panic.
        if pool.len() < 400 {
            pool.push(event);
        } else {
            let at = dice.below(pool.len());
            pool[at] = event;
        }
        if dice.below(8) == 0 {
            let events: Vec<Event> =
                (0..dice.below(30)).map(|_| dice.pick(&pool).clone()).collect();
            if let Ok(session) = Session::from_events(id, &events) {
                session.report(false);
                session.idle_report();
                session.phase();
            }
        }
        Ok(())
    });
}

/// Whole records, of which lines are dropped, changed and torn: what is read is a beginning of what
/// was written.
fn records(executions: u64) {
    let lines = record();
    let whole: Vec<u8> = lines[..12].join(&b'\n').into_iter().chain(*b"\n").collect();
    let mut events = Vec::new();
    scan(&whole[..], |event| events.push(event)).unwrap();
    assert_eq!(events.len(), 12, "the record is good");
    let mut mutator = Mutator::new(2, vec![whole], WORDS);
    fuzz("records", executions, &mut mutator, |bytes, _dice| {
        let mut read = Vec::new();
        scan(bytes, |event| read.push(event)).map_err(|err| err.to_string())?;
        if events.starts_with(&read) { Ok(()) } else { Err(format!("read {read:?}")) }
    });
}

/// An action that is read back is the one that was kept.
fn actions(executions: u64) {
    let seeds = [
        r#"{"function":"CLICK","arguments":{"point":[512,203.25]}}"#,
        r#"{"function":"TYPE","arguments":{"text":"a\n中","point":[1,2],"clear":true,"submit":false}}"#,
        r#"{"function":"SLIDE","arguments":{"point1":[1,2],"point2":[999,1000],"duration_ms":300}}"#,
        r#"{"function":"SCROLL","arguments":{"direction":"down","point":[500,500]}}"#,
        r#"{"function":"HOT_KEY","arguments":{"key":"BACK"}}"#,
        r#"{"function":"WAIT","arguments":{"seconds":1.5}}"#,
        r#"{"function":"INFO","arguments":{"question":{"kind":"confirm","text":"Pay?","options":["yes"],"app":"a.b"},"act":{"function":"CLICK","arguments":{"point":[1,2]}}}}"#,
        r#"{"function":"COMPLETE","arguments":{"return":"done"}}"#,
        r#"{"function":"ABORT","arguments":{"reason":"no"}}"#,
    ];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let mut mutator = Mutator::new(3, seeds, WORDS);
    fuzz("kept actions", executions, &mut mutator, |bytes, _dice| {
        let Ok(facts) = serde_json::from_slice::<ActionRecord>(bytes) else { return Ok(()) };
        let Ok(action) = Action::try_from(&facts) else { return Ok(()) };
        if matches!(action, Action::Complete { .. }) && facts.function != "COMPLETE" {
            return Err(format!("{facts:?} became {action:?}"));
        }
        let again = Action::try_from(&ActionRecord::from(&action));
        if again.as_ref() == Ok(&action) { Ok(()) } else { Err(format!("{action:?} {again:?}")) }
    });
}

/// Trees of elements, whatever they are.
fn trees(executions: u64) {
    let seeds = [
        r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0"><node index="0" text="" class="android.widget.FrameLayout" clickable="false" password="false" bounds="[0,0][1080,2400]"><node index="0" text="Name" class="android.widget.EditText" checkable="true" checked="false" bounds="[40,300][1040,440]" /><node text="a&#10;b &lt;c" content-desc="Password" password="true" bounds="[40,500][1040,640]" /></node></hierarchy>"#,
        r#"<hierarchy><node bounds="[-5,0][9,9]" password="true" text="hunter2"/></hierarchy>"#,
    ];
    let words = [
        "<node ",
        "/>",
        "</node>",
        "bounds=\"[0,0][9,9]\"",
        "bounds=\"[-2147483648,-2147483648][2147483647,2147483647]\"",
        "password=\"true\"",
        "text='hunter2'",
        "&#0;",
        "&amp;",
        "<!DOCTYPE a [<!ENTITY b \"b\">]>",
        "<![CDATA[",
        "]]>",
        "<!--",
        "xmlns:a=\"b\"",
        "a:text=\"c\"",
        "\u{feff}",
    ];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let mut mutator = Mutator::new(4, seeds, &words);
    fuzz("trees", executions, &mut mutator, |bytes, dice| {
        let text = String::from_utf8_lossy(bytes);
        let clean = crate::elements::without_hidden(&text, |_| Vec::new());
        let Some(elements) = Elements::read(&text) else {
            return if clean.is_empty() { Ok(()) } else { Err("cleaned, but no tree".to_owned()) };
        };
        let side = |roll: u64| u32::try_from(roll % 3000).unwrap();
        elements.at(Pixel { x: side(dice.roll()), y: side(dice.roll()) });
        let Some(again) = Elements::read(&clean) else {
            return Err(format!("what is left is no tree: {clean}"));
        };
        let shows = |element: &&crate::Element| element.password && !element.text.is_empty();
        match again.iter().find(shows) {
            Some(element) => Err(format!("{:?} is shown", element.text)),
            None if again.iter().count() != elements.iter().count() => Err("lost some".to_owned()),
            None => Ok(()),
        }
    });
}

#[test]
fn a_little_fuzz_does_no_harm() {
    lines(SHORT);
    records(SHORT / 4);
    actions(SHORT);
    trees(SHORT);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_lines() {
    lines(LONG);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_records() {
    records(LONG / 10);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_actions() {
    actions(LONG);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_trees() {
    trees(LONG);
}
