//! How this program is called again over the same sessions: what the command line named is named again in the
//! commands that are printed.
use std::sync::OnceLock;

use super::Start;
use crate::text::shell_word;

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
    let words = file
        .into_iter()
        .chain(flags)
        .map(|(name, value)| format!(" {name} {}", shell_word(&value)));
    format!("ayeaye{}", words.collect::<String>())
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
        assert!(told.ends_with(&shell_word("/tmp/my data")) && !told.contains("debug"), "{told}");
        let bare = Start { flags: Vec::new(), file: None, ..start };
        assert_eq!(call(&bare), "ayeaye");
    }
}
