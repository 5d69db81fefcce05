use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// How many texts go through a real shell.
const CASES: usize = 20_000;

#[test]
fn control_characters_are_refused_and_named() {
    assert_eq!(quote("a\0b"), Err(UnquotableText(0)));
    assert_eq!(quote("a\nb").unwrap_err().to_string(), "it contains the control character U+000A");
    assert!(quote("\x1b[2J").is_err());
    assert_eq!(quote("it's").unwrap().to_string(), r"'it'\''s'");
    assert_eq!(quote("").unwrap().to_string(), "''");
}

#[test]
fn packages_are_told_from_everything_else() {
    for good in ["com.android.settings", "a.b", "com.Slack", "org.x_1.y2"] {
        assert!(is_package(good), "{good}");
    }
    for bad in [
        "", "settings", "com..x", ".com.x", "com.x.", "1com.x", "com.x;id", "com.x y", "com.é.x",
        "com.$x", "com.x\n",
    ] {
        assert!(!is_package(bad), "{bad}");
    }
}

/// ASCII with everything a shell finds special, Chinese, emoji with joiners, right-to-left marks.
fn text(mut number: impl FnMut(usize) -> usize) -> String {
    let special: Vec<char> = "'\"\\$`!#&*()[]{}<>|;~?%=^ -@".chars().collect();
    let emoji = ['👩', '\u{200d}', '👧', '🏽', '\u{fe0f}', '🇨', '🇳'];
    let range = |from: u32, offset: usize| {
        u32::try_from(offset).ok().and_then(|o| char::from_u32(from + o)).unwrap_or(' ')
    };
    let length = number(40);
    let one = |_| match number(16) {
        0..6 => range(1, number(127)),
        6..12 => special[number(special.len())],
        12 | 13 => range(0x4e00, number(0x5200)),
        14 => emoji[number(emoji.len())],
        _ => range(0x202a, number(5)),
    };
    (0..length).map(one).collect()
}

/// What Android's shell makes of our words. Android's is mksh; where that is not installed any
/// other POSIX shell stands in for it, and the test says so.
#[cfg(unix)]
#[tokio::test]
async fn a_real_shell_reads_every_word_as_itself() {
    let mut runner = TestRunner::new(Config::default());
    let mut number = |below: usize| runner.rng().next_u32() as usize % below;
    let mut sent = Vec::with_capacity(CASES);
    while sent.len() < CASES {
        let text = text(&mut number);
        match quote(&text) {
            Ok(word) => sent.push((text, word)),
            Err(_) => assert!(text.chars().any(char::is_control)),
        }
    }
    let mut script = String::new();
    // `printf` is a program of its own for mksh: many words for each start of it.
    for some in sent.chunks(200) {
        script.push_str("printf '%s\\0'");
        for (_, word) in some {
            // Two words, so that one which swallows or splits is noticed.
            write!(script, " {word} end").unwrap();
        }
        script.push('\n');
    }
    let shell = if is_installed("mksh") { "mksh" } else { "sh" };
    // From a file: a shell reads standard input byte by byte.
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), script).unwrap();
    let output = tokio::process::Command::new(shell)
        .arg(file.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap_or_else(|error| panic!("neither mksh nor sh can be run: {error}"));
    let words: Vec<&[u8]> = output.stdout.split(|b| *b == 0).collect();
    let mismatches = sent
        .iter()
        .zip(words.chunks(2))
        .filter(|((text, _), got)| got != &[text.as_bytes(), b"end"])
        .count();
    assert_eq!((words.len(), mismatches), (2 * CASES + 1, 0), "read by {shell}");
}

fn is_installed(name: &str) -> bool {
    ["/bin", "/usr/bin", "/usr/local/bin"].iter().any(|dir| Path::new(dir).join(name).exists())
}
