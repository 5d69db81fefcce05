//! The way out that an error of the command line names, where clap knows none.
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::text::{excerpt, shell_word};

/// Most characters of a value that an error quotes.
const MOST_QUOTED: usize = 100;

const NO_VIRTUAL: &str = "\
a virtual phone is in the command that drives it, and gone with it: `ayeaye run TASK --virtual`, `ayeaye demo`. One that \
is listed and checked as your own: `ayeaye phone` in another terminal, then `ayeaye connect 127.0.0.1:5555`";
const VERSION: &str = "`ayeaye --version` (-V) tells the version";

/// The error, with the way out if it is one that people run into.
pub(super) fn with_tip(mut err: clap::Error) -> clap::Error {
    if let Some(tip) = tip(&err) {
        err.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        // "A similar subcommand exists" is said beside it.
        err.remove(ContextKind::SuggestedSubcommand);
    }
    if let Some(ContextValue::String(given)) = err.get(ContextKind::InvalidValue)
        && MOST_QUOTED < given.chars().count()
    {
        let shown = excerpt(given, MOST_QUOTED) + "\u{2026}";
        err.insert(ContextKind::InvalidValue, ContextValue::String(shown));
    }
    err
}

fn tip(err: &clap::Error) -> Option<String> {
    let told = |kind| match err.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let usage = || err.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    match err.kind() {
        ErrorKind::UnknownArgument => match told(ContextKind::InvalidArg) {
            "--virtual" => Some(NO_VIRTUAL.to_owned()),
            "-v" => Some(VERSION.to_owned()),
            word if !word.starts_with('-') => of_many_words(&usage()),
            _ => None,
        },
        // Of the whole program, not of a command's own.
        ErrorKind::InvalidSubcommand if usage().contains("ayeaye [OPTIONS] <COMMAND>") => {
            match told(ContextKind::InvalidSubcommand) {
                "version" => Some(VERSION.to_owned()),
                text if text.contains(' ') => Some(behind_run(text)),
                _ if err.get(ContextKind::SuggestedSubcommand).is_none() => {
                    Some(behind_run("Switch Wi-Fi off"))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn behind_run(task: &str) -> String {
    format!("put a task in quotes after `run`: ayeaye run {}", shell_word(task))
}

/// Where a command takes one text, and there are more words.
fn of_many_words(usage: &str) -> Option<String> {
    ["<TASK>", "[TEXT]", "<TEXT>"].into_iter().find(|value| usage.contains(value)).map(|value| {
        let value = &value[1..value.len() - 1];
        format!(
            "{value} of several words stands in quotes, such as {}",
            shell_word("Switch Wi-Fi off")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_are_there_whatever_the_file_of_the_program_is_called() {
        for program in ["ayeaye", r"C:\Tools\ayeaye.exe", "ayeaye.exe", "/opt/aye-aye/bin/aye"] {
            let told = |word: &str| {
                let mut command = super::super::command_line(None);
                with_tip(command.try_get_matches_from_mut([program, word]).unwrap_err()).to_string()
            };
            for (word, tip) in [
                ("Switch Wi-Fi off", "tip: put a task in quotes after `run`"),
                ("frobnicate", "tip: put a task in quotes after `run`"),
                ("version", "tip: `ayeaye --version`"),
            ] {
                let told = told(word);
                assert!(told.contains(tip) && told.contains("Usage: ayeaye [OPTIONS]"), "{told}");
            }
        }
    }

    #[test]
    fn a_long_value_is_quoted_in_part() {
        let mut command = super::super::command_line(None);
        let given = ["ayeaye", "sessions", "show", &"x".repeat(100_000)];
        let told = with_tip(command.try_get_matches_from_mut(given).unwrap_err()).to_string();
        assert!(told.contains("xxx\u{2026}'") && told.len() < 1000, "{}", told.len());
        assert!(told.contains("a session is named by its id"), "{told}");
    }
}
