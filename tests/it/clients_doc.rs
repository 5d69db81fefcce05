//! What the documents tell people to paste into their clients: it parses, and our program takes it.
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ayeaye::cli::Cli;
use clap::Parser as _;
use serde_json::Value;

/// A fenced block of a document: its language, its text, and where it begins.
struct Block {
    language: String,
    text: String,
    place: String,
}

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    fs::read_to_string(&path).unwrap_or_else(|err| panic!("{}: {err}", path.display()))
}

fn blocks(name: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (at, line) in document(name).lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => found.push(block),
            (Some(language), None) => {
                let place = format!("{name}:{}", at + 1);
                open = Some(Block { language: language.trim().into(), text: String::new(), place });
            }
            (None, Some(mut block)) => {
                block.text.push_str(line);
                block.text.push('\n');
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{name}: a block that is not closed");
    found
}

/// Splits as a shell would, as far as the documents need it: quotes, and comments.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, Some(end)) if c == end => quote = None,
            ('#', None) if word.is_none() => break,
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The part of a command line that our program would be given, if there is one.
fn ours(line: &str) -> Option<Vec<String>> {
    let words = words(line.trim().trim_end_matches('\\'));
    let cargo = words.starts_with(&["cargo".into(), "run".into()]);
    let at = if cargo {
        words.iter().position(|word| word == "--")
    } else {
        // At the start, from npx, or behind `--` of another program; a server's name comes elsewhere.
        let npx = words.starts_with(&["npx".into(), "-y".into()]).then_some(2);
        let after = |at: usize| {
            at == 0 || npx == Some(at) || words.get(at - 1).is_some_and(|word| word == "--")
        };
        (0..words.len()).find(|&at| words[at] == "ayeaye" && after(at))
    }?;
    Some(words[at..].to_vec())
}

/// Every command line of ours in a client's settings, whichever way the client writes it.
fn configured(settings: &Value, into: &mut Vec<Vec<String>>) {
    match settings {
        Value::Object(object) => {
            let strings = |value: &Value| -> Vec<String> {
                value
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(Into::into)
                    .collect()
            };
            let mut line = match object.get("command") {
                Some(Value::String(command)) => vec![command.clone()],
                Some(list @ Value::Array(_)) => strings(list),
                _ => Vec::new(),
            };
            if line.first().is_some_and(|program| program == "ayeaye") {
                line.extend(object.get("args").map(strings).unwrap_or_default());
                into.push(line);
            }
            object.values().for_each(|value| configured(value, into));
        }
        Value::Array(items) => items.iter().for_each(|item| configured(item, into)),
        _ => {}
    }
}

/// The program takes a command line. What a reader puts in place of a word in capitals is a session or a
/// client here.
fn takes(line: &[String], place: &str) {
    let filled = line.iter().map(|word| match word.as_str() {
        "ID" => "last",
        "CLIENT" => "cursor",
        word => word,
    });
    if let Err(err) = Cli::try_parse_from(filled)
        && err.kind() != clap::error::ErrorKind::DisplayHelp
    {
        panic!("{place}: `{}`: {err}", line.join(" "));
    }
}

/// Checks a document; returns how many settings and command lines it has.
fn check(name: &str) -> (usize, usize) {
    let (mut settings, mut lines) = (0, 0);
    for Block { language, text, place } in blocks(name) {
        let parsed: Option<Value> = match language.as_str() {
            "json" => {
                Some(serde_json::from_str(&text).unwrap_or_else(|err| panic!("{place}: {err}")))
            }
            "toml" => Some(toml::from_str(&text).unwrap_or_else(|err| panic!("{place}: {err}"))),
            "sh" => {
                for line in text.lines().filter_map(ours) {
                    takes(&line, &place);
                    lines += 1;
                }
                None
            }
            _ => None,
        };
        let mut found = Vec::new();
        if let Some(parsed) = parsed {
            settings += 1;
            configured(&parsed, &mut found);
        }
        for line in found {
            takes(&line, &place);
            lines += 1;
        }
    }
    // In running text: `ayeaye serve --http 127.0.0.1:8642`.
    for code in document(name).split('`').skip(1).step_by(2).filter(|code| !code.contains('\n')) {
        if code.starts_with("ayeaye ") {
            takes(&words(code), name);
            lines += 1;
        }
    }
    (settings, lines)
}

#[test]
fn what_the_documents_have_people_paste_is_taken() {
    let (settings, lines) = check("docs/clients.md");
    assert!(18 <= settings, "docs/clients.md has settings for {settings} clients");
    assert!(16 <= lines, "docs/clients.md has {lines} command lines");
    let (_, lines) = check("README.md");
    assert!(8 <= lines, "README.md has {lines} command lines");
    for page in ["tour", "installing", "phones", "tasks", "troubleshooting", "privacy"] {
        let (_, lines) = check(&format!("docs/{page}.md"));
        assert!(1 <= lines, "docs/{page}.md has no command line");
    }
}

/// The table and the parts below it name the same clients.
#[test]
fn every_client_of_the_table_has_its_part() {
    let text = document("docs/clients.md");
    let parts: BTreeSet<_> = text.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let mut rows = BTreeSet::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("| [")) {
        rows.insert(line.split(']').next().expect("split gives at least one"));
    }
    assert!(15 <= rows.len(), "{rows:?}");
    assert_eq!(rows, parts);
}

#[test]
fn a_wrong_command_line_is_seen() {
    let bad = |line: &str| Cli::try_parse_from(ours(line).expect("it is ours")).is_err();
    assert!(bad("claude mcp add ayeaye -- ayeaye sreve"));
    assert!(bad("ayeaye serve --htpp 127.0.0.1:1"));
    assert!(!bad("claude mcp add ayeaye -- ayeaye serve --virtual   # a comment"));
    assert!(ours("claude mcp add --transport http ayeaye http://127.0.0.1:8642/mcp").is_none());
    assert_eq!(words("a 'b c' \"\" d#e # f"), ["a", "b c", "", "d#e"]);
}
