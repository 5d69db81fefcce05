//! How this program is called again over the same sessions: what the command line named is named again in the
//! commands that are printed.
use std::sync::OnceLock;

use super::Start;

static CALL: OnceLock<String> = OnceLock::new();

/// Remembers how the program was started.
pub(super) fn remember(start: &Start) {
    CALL.get_or_init(|| call(start));
}

/// `ayeaye`, with the flags that say where sessions and settings are.
pub(super) fn ayeaye() -> &'static str {
    CALL.get().map_or("ayeaye", String::as_str)
}

fn call(start: &Start) -> String {
    let file = start.file.as_ref().map(|file| ("--config", file.display().to_string()));
    // What to log is for once; flags of a command are not for another one.
    let again = ["data-dir", "model.base-url", "model.name", "model.profile"];
    let flags = start.flags.iter().filter(|flag| again.contains(&flag.key));
    let flags = flags.map(|flag| (flag.name, flag.value.clone()));
    let words =
        file.into_iter().chain(flags).map(|(name, value)| format!(" {name} {}", quoted(&value)));
    format!("ayeaye{}", words.collect::<String>())
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=+@,%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, Flag};

    #[test]
    fn what_was_named_is_named_again_as_a_shell_takes_it() {
        let flag = |key, name, value: &str| Flag { key, name, value: value.to_owned() };
        let start = Start {
            environment: Environment::default(),
            flags: vec![
                flag("data-dir", "--data-dir", "/tmp/my data"),
                flag("log", "--log", "debug"),
                flag("run.max-steps", "--max-steps", "3"),
            ],
            file: Some("/tmp/a.toml".into()),
        };
        let told = call(&start);
        assert!(told.starts_with("ayeaye --config /tmp/a.toml --data-dir "), "{told}");
        assert!(told.ends_with(&quoted("/tmp/my data")) && !told.contains("debug"), "{told}");
        let bare = Start { flags: Vec::new(), file: None, ..start };
        assert_eq!(call(&bare), "ayeaye");
    }

    #[cfg(unix)]
    #[test]
    fn quotes_are_quoted() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!((quoted("").as_str(), quoted("a/b.c").as_str()), ("''", "a/b.c"));
    }
}
