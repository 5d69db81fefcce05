//! Which files of a log its writer has made, by their names: only those are taken away where the log is made anew.
//! People keep notes beside them, and programs that read a log put there what they have made of it.
use std::fs;
use std::io;
use std::path::Path;

use crate::folder::{FolderError, io_error, remove_if_exists};

/// No log has folders in folders in folders in folders.
const MAX_DEPTH: usize = 4;

/// Whoever acts in a session: the names of PyCatan's folders, behind which an app can stand.
const PLAYERS: [&str; 4] = ["AppAgent", "HostAgent", "EvaluationAgent", "Client"];

/// Removes the files below `root` whose paths are as one of `templates` says. `name`, the session's where all have one
/// folder, stands for `*`. Without one the first part of the path does, if that is a player's name, and the folders that
/// are empty then go as well: `root` is this log's alone.
pub(super) fn remove_own(
    root: &Path,
    templates: &[&str],
    name: Option<&str>,
) -> Result<(), FolderError> {
    let alone = name.is_none();
    let is_own = |path: &str| {
        let name = name.unwrap_or_else(|| player_of(path));
        templates.iter().any(|template| is_like(path, template, name))
    };
    remove_below(root, "", 1, alone, &is_own).map(drop)
}

/// The player in whose folder a file is; nothing for one that is in no such folder.
fn player_of(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or_default();
    let who = first.split('_').next().unwrap_or_default();
    if PLAYERS.contains(&who) { first } else { "" }
}

/// Links are removed where they have a file's name, and never followed. Returns whether anything was removed.
fn remove_below(
    folder: &Path,
    above: &str,
    depth: usize,
    alone: bool,
    is_own: &dyn Fn(&str) -> bool,
) -> Result<bool, FolderError> {
    let mut has_removed = false;
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(err) => return Err(io_error("list", folder)(err)),
    };
    for entry in entries {
        let entry = entry.map_err(io_error("list", folder))?;
        let place = entry.path();
        let is_folder = entry.file_type().map_err(io_error("look at", &place))?.is_dir();
        // What is not UTF-8 is no name of ours.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{above}{name}");
        if !is_folder {
            if is_own(&path) {
                remove_if_exists(&place)?;
                has_removed = true;
            }
        } else if depth < MAX_DEPTH
            && remove_below(&place, &format!("{path}/"), depth + 1, alone, is_own)?
        {
            has_removed = true;
            // One that still holds something stays; and so does an empty one that cannot be removed.
            if alone {
                fs::remove_dir(&place).ok();
            }
        }
    }
    Ok(has_removed)
}

/// Whether a path is what a template says: `#` stands for a number, `*` for a name.
fn is_like(path: &str, template: &str, name: &str) -> bool {
    let Some(at) = template.find(['#', '*']) else { return path == template };
    let Some(rest) = path.strip_prefix(&template[..at]) else { return false };
    let rest = match &template[at..=at] {
        "#" => {
            let digits = rest.trim_start_matches(|char: char| char.is_ascii_digit());
            (digits.len() < rest.len()).then_some(digits)
        }
        _ => rest.strip_prefix(name).filter(|_| !name.is_empty()),
    };
    rest.is_some_and(|rest| is_like(rest, &template[at + 1..], name))
}

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn a_name_is_like_its_template_and_no_other() {
        for (path, template, like) in [
            ("response.log", "response.log", true),
            ("response.log.bak", "response.log", false),
            ("action_step12.png", "action_step#.png", true),
            ("action_step.png", "action_step#.png", false),
            ("action_step1_mine.png", "action_step#.png", false),
            ("action_round_0_sub_round_3_final.png", "action_round_#_sub_round_#_final.png", true),
            ("App/App.md", "*/*.md", true),
            ("App/notes.md", "*/*.md", false),
            ("App/prompts/prompt_7.json", "*/prompts/prompt_#.json", true),
        ] {
            let name = path.split('/').next().unwrap();
            assert_eq!(is_like(path, template, name), like, "{path} {template}");
        }
        assert!(!is_like(".md", "*.md", ""));
    }
}
