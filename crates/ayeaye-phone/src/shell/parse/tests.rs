use std::process::Stdio;

use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

use super::*;
use crate::shell::syntax::{Word, WordPart};

fn words(text: &str) -> Vec<Word> {
    let script = parse(text).unwrap();
    let CommandKind::Simple { words, .. } = script[0].items[0].pipeline.commands[0].kind.clone()
    else {
        panic!("not a simple command: {text}")
    };
    words
}

fn refusal(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn quotes_make_words() {
    let bare = |text: &str| WordPart::Bare(text.to_owned());
    let quoted = |text: &str| WordPart::Quoted(text.to_owned());
    assert_eq!(
        words(r#"a 'b c'"d\"e" f\ g "" #no"#),
        [
            vec![bare("a")],
            vec![quoted("b c"), quoted("d\"e")],
            vec![bare("f"), quoted(" "), bare("g")],
            vec![quoted("")],
        ]
    );
}

#[test]
fn refusals_read_as_those_of_mksh() {
    assert_eq!(refusal("a &; b"), "syntax error: unexpected ';'");
    assert_eq!(refusal("& a"), "syntax error: unexpected '&'");
    assert_eq!(refusal("a & & b"), "syntax error: unexpected '&'");
    assert_eq!(refusal("echo )"), "syntax error: unexpected ')'");
    assert_eq!(refusal("echo (a)"), "syntax error: unexpected 'a'");
    assert_eq!(refusal("echo 'abc"), "no closing quote");
    assert_eq!(refusal("{ a;"), "syntax error: unmatched '{'");
    assert_eq!(refusal("( a }"), "syntax error: unmatched '('");
    assert_eq!(refusal("{ a; )"), "syntax error: unexpected ')'");
    assert_eq!(refusal("a |"), "syntax error: unexpected EOF");
    assert_eq!(refusal("| a"), "syntax error: unexpected '|'");
    assert_eq!(refusal("a && "), "syntax error: unexpected EOF");
    assert_eq!(refusal(";"), "syntax error: unexpected ';'");
    assert_eq!(refusal("echo a;;"), "syntax error: unexpected ';;'");
    assert_eq!(refusal("echo >"), "syntax error: unexpected EOF");
    assert_eq!(refusal("echo $(foo"), "syntax error: unmatched '('");
    for bad in ["${a!b}", "${}", "${a b}", "${a@x}", "${2a}"] {
        assert_eq!(refusal(&format!("echo {bad}")), format!("{bad}: bad substitution"));
    }
    assert_eq!(refusal("}"), "syntax error: unexpected '}'");
}

#[test]
fn what_is_not_understood_is_refused() {
    for text in [
        "cat <<x",
        "cat <<< x",
        "f() { a; }",
        "case a in a) b;; esac",
        "if a; then b; fi",
        "while a; do b; done",
        "for x in 1 2; do b; done",
        "echo `a`",
        "[[ a ]]",
        "((1))",
        "echo $((1))",
        "echo $'a'",
        "echo {a,b}",
        "echo ${a:-b}",
        "echo a >&3",
        "a |& b",
        "a &> b",
        "a >| b",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

/// What a real shell takes is told apart from what it refuses, too.
#[test]
fn what_is_valid_in_mksh_is_told_as_not_supported() {
    for word in [
        "${A:-z}", "${B:=d}", "${A-z}", "${A+z}", "${A:?z}", "${y%f}", "${y%%f}", "${y#a}",
        "${y:1:2}", "${y/b/X}", "${#y}", "${!y}", "${y[0]}", "${y@Q}", "${1:-z}", "${@:1}",
    ] {
        let text = refusal(&format!("echo {word}"));
        assert!(
            text.contains(word) && text.ends_with(" (not supported by this virtual shell)"),
            "{text}"
        );
    }
}

#[test]
fn compound_commands_nest() {
    let script = parse("{ a; (b; c)\nd; } && (f) | { g; }").unwrap();
    let [list] = &script[..] else { panic!("{script:?}") };
    assert_eq!(list.items.len(), 2);
    assert_eq!(list.items[1].when, When::Succeeded);
    assert_eq!(list.items[1].pipeline.commands.len(), 2);
}

#[test]
fn deep_nesting_is_refused_and_not_a_crash() {
    assert_eq!(parse(&"(".repeat(10_000)).unwrap_err(), SyntaxError::Unsupported("((".into()));
    assert_eq!(parse(&"( ".repeat(10_000)).unwrap_err(), SyntaxError::TooDeep);
    assert_eq!(parse(&"echo $(".repeat(10_000)).unwrap_err(), SyntaxError::TooDeep);
}

proptest! {
    #[test]
    fn a_single_quoted_word_reads_back_as_itself(text in any::<String>()) {
        let line = format!("echo '{}'", text.replace('\'', r"'\''"));
        let mut read = String::new();
        for part in words(&line).remove(1) {
            match part {
                WordPart::Quoted(text) => read.push_str(&text),
                other => prop_assert!(false, "{other:?}"),
            }
        }
        prop_assert_eq!(read, text);
    }
}

/// No command line is accepted that `mksh` refuses.
#[cfg(unix)]
#[tokio::test]
async fn what_is_accepted_is_valid_in_mksh() {
    let Some(mksh) = crate::shell::tests::mksh() else { return };
    let mut runner = TestRunner::deterministic();
    let text = r#"[ \n;&|<>(){}$'"\\a-c0-2#=!?*\[\]-]{0,40}"#;
    let mut checked = 0;
    while checked < 200 {
        let line = Strategy::new_tree(&text, &mut runner).unwrap().current();
        // Blank lines and comments say nothing about the parser.
        if parse(&line).is_ok_and(|script| !script.is_empty()) {
            let mut command = tokio::process::Command::new(mksh);
            let command = command.args(["-n", "-c", "--", &line]).stdin(Stdio::null());
            let output = command.kill_on_drop(true).output().await.unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line:?}: {error}");
            checked += 1;
        }
    }
}
