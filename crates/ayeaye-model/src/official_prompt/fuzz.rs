//! Fuzzing of what reads prompts out of files that others wrote.
use super::tests::{GELAB, gelab};
use super::{OfficialPrompt, javascript, json, literal, source};
use crate::fuzz::mutator::{LONG, Mutator, SHORT, fuzz};

const WORDS: &[&str] = &[
    "task_define_prompt = ",
    "def make_status_prompt(",
    "status_conversation",
    "f'''",
    "\"\"\"",
    "'",
    "\\",
    "\\u00e9",
    "{",
    "}",
    "{{",
    "}}",
    "{task}",
    "(",
    ")",
    "[",
    "]",
    "+",
    ".format(",
    ".replace(",
    ".strip()",
    "dedent(",
    "rb\"",
    "#",
    "\n",
    "    ",
    "`",
    "${",
    "{%",
    "%}",
    "{%- if x -%}",
    "{% endif %}",
    "\"cells\": [",
    "\"source\": ",
    "LONGPRESS",
    "\u{f0000}",
];

fn sources(executions: u64) {
    let notebook =
        serde_json::json!({ "cells": [{ "cell_type": "code", "source": [GELAB] }] }).to_string();
    let template =
        "const a = (x) => `${x === '}' ? `y` : 'z'} \\n`;\n{% if tools %}{{ tools }}{% endif %}";
    let seeds = [GELAB, notebook.as_str(), template, "{\"a\": 1, \"b\": [1, 2], \"c\": {}}"];
    let kept = gelab(GELAB).unwrap().to_file().into_bytes();
    let seeds = seeds.iter().map(|it| it.as_bytes().to_vec()).chain([kept]).collect();
    let mut mutator = Mutator::new(13, seeds, WORDS);
    fuzz("sources of prompts", executions, &mut mutator, |bytes, _| {
        // What is taken has every check behind it, and comes back from its file as it was.
        for prompt in [
            OfficialPrompt::parse(bytes).ok(),
            String::from_utf8(bytes.to_vec()).ok().and_then(|it| gelab(&it).ok()),
        ]
        .into_iter()
        .flatten()
        {
            if prompt.checks().iter().any(|check| !check.passed) {
                return Err("a prompt that fails a check was taken".to_owned());
            }
            if OfficialPrompt::parse(prompt.to_file().as_bytes()).as_ref() != Ok(&prompt) {
                return Err("a prompt is another one in its file".to_owned());
            }
        }
        let text = String::from_utf8_lossy(bytes);
        let mut holes = source::Holes::default();
        javascript::constant(&text, "a", &mut holes).ok();
        literal::jinja(&text, &mut holes).ok();
        json::compact_with_required(&text).ok();
        Ok(())
    });
}

#[test]
fn a_little_fuzz_does_no_harm() {
    sources(SHORT);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_sources() {
    sources(LONG);
}
