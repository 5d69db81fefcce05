//! How the help looks: commands in groups, settings on the first page only, as wide as the terminal.
use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};

use super::Cli;

/// The commands by what they are for. One that is in no group is put at the end.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Try it", &["demo", "phone", "bench"]),
    ("For clients", &["setup", "install", "uninstall", "serve"]),
    ("Tasks from the terminal", &["ui", "run", "continue", "task", "sessions"]),
    (
        "Phones, models, settings",
        &[
            "doctor",
            "devices",
            "connect",
            "pair",
            "disconnect",
            "model",
            "policy",
            "secret",
            "config",
        ],
    ),
    ("For the shell", &["completions", "man", "help"]),
];

/// Longer lines are hard to read.
const MOST_COLUMNS: usize = 100;

/// The end of every other page.
const SETTINGS_NOTE: &str =
    "Settings such as --data-dir and --model-name work with every command: ayeaye --help";

/// The command line with its help, for a terminal of so many columns.
pub fn command_line(columns: Option<usize>) -> Command {
    let columns = columns.unwrap_or(MOST_COLUMNS).min(MOST_COLUMNS);
    let root = Cli::command().term_width(columns);
    let settings: Vec<Arg> = root
        .get_arguments()
        .filter(|arg| arg.is_global_set())
        .map(|arg| arg.clone().hide(true))
        .collect();
    let root = root.mut_subcommands(|command| without_settings(command, &settings));
    let groups = groups(&root, columns);
    root.before_help(groups).help_template(
        "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}",
    )
}

/// Settings work with each command, but are shown once.
fn without_settings(command: Command, settings: &[Arg]) -> Command {
    let command = command.args(settings);
    let note = match command.get_after_help() {
        Some(text) => format!("{text}\n\n{SETTINGS_NOTE}"),
        None => SETTINGS_NOTE.to_owned(),
    };
    command.after_help(note).mut_subcommands(|command| without_settings(command, settings))
}

fn groups(root: &Command, columns: usize) -> String {
    let grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let rest: Vec<&str> = root
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .map(Command::get_name)
        .filter(|name| !grouped(name))
        .collect();
    let widest = root.get_subcommands().map(|command| command.get_name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, names) in GROUPS.into_iter().chain([("More", rest.as_slice())]) {
        let known: Vec<(&str, String)> =
            names.iter().filter_map(|name| Some((*name, about(root, name)?))).collect();
        if known.is_empty() {
            continue;
        }
        _ = writeln!(text, "{title}:");
        for (name, about) in known {
            let room = columns.saturating_sub(widest + 4).max(20);
            for (at, line) in wrapped(&about, room).iter().enumerate() {
                let name = if at == 0 { name } else { "" };
                _ = writeln!(text, "  {name:<widest$}  {line}");
            }
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// What a command is for, in a line. clap adds `help` only when it parses.
fn about(root: &Command, name: &str) -> Option<String> {
    if name == "help" {
        return Some("Print this, or the help of a command".to_owned());
    }
    let command = root.find_subcommand(name)?;
    Some(command.get_about().map(ToString::to_string).unwrap_or_default())
}

/// The text in lines of at most so many characters; a longer word has a line of its own.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The help of a command and of all below it.
    fn pages(command: &mut Command, path: &str, into: &mut Vec<(String, String)>) {
        into.push((path.to_owned(), command.render_long_help().to_string()));
        let names: Vec<String> =
            command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
        for name in names {
            let sub = command.find_subcommand_mut(&name).expect("it has just been listed");
            pages(sub, &format!("{path} {name}"), into);
        }
    }

    fn all(columns: usize) -> Vec<(String, String)> {
        let mut command = command_line(Some(columns));
        command.build();
        let mut found = Vec::new();
        pages(&mut command, "ayeaye", &mut found);
        found
    }

    #[test]
    fn every_command_is_in_one_group() {
        let root = command_line(None);
        for command in root.get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = command.get_name();
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(groups, 1, "{name}: name it in GROUPS");
        }
        for name in GROUPS.iter().flat_map(|(_, names)| names.iter()) {
            assert!(about(&root, name).is_some(), "{name} is no command");
        }
    }

    #[test]
    fn on_a_narrow_terminal_no_word_is_broken() {
        let words = |page: &str| page.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for ((path, wide), (_, narrow)) in all(100).iter().zip(all(60)) {
            // Only lines that are typed as they are may be longer.
            let typed = |line: &str| line.trim_start().starts_with("ayeaye ");
            for line in narrow.lines().filter(|line| !typed(line)) {
                assert!(line.chars().count() <= 60, "{path}: {line}");
            }
            assert_eq!(words(wide), words(&narrow), "{path}");
        }
    }

    #[test]
    fn settings_are_on_the_first_page_and_every_other_names_it() {
        // clap writes the pages of its own `help`.
        for (path, page) in all(100).into_iter().filter(|(path, _)| !path.contains(" help")) {
            let first = path == "ayeaye";
            let settings = page.lines().filter(|line| line.trim_start().starts_with("--model-"));
            assert_eq!(settings.count(), if first { 3 } else { 0 }, "{path}:\n{page}");
            assert_eq!(
                page.contains(SETTINGS_NOTE.split(" go ").next().unwrap()),
                !first,
                "{path}"
            );
        }
    }

    #[test]
    fn the_help_names_every_exit_code() {
        let (_, page) = &all(100)[0];
        assert!(page.contains("0 done, 1 failed, 2 usage, 3"), "{page}");
    }
}
