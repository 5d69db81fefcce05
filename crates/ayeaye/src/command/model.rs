//! `ayeaye model`: which families of models there are, and what this one's coordinates are.
use std::path::Path;

use anyhow::Context as _;
use ayeaye_model::{Calibration, CalibrationPlan, CoordSystem, Profile, ProfileInfo, RemoteModel};
use serde_json::json;

use crate::command::Exit;
use crate::config::Config;
use crate::terminal::Terminal;
use crate::text::one_line;

/// Shows every profile.
pub fn list(config: &Config, model: &RemoteModel, as_json: bool, terminal: Terminal) -> Exit {
    let all: Vec<ProfileInfo> = Profile::ALL.iter().map(|profile| profile.listed()).collect();
    if as_json {
        let all: Vec<_> = all.iter().map(as_value).collect();
        let text = serde_json::to_string_pretty(&json!({ "profiles": all }));
        terminal.line(&text.expect("plain values"));
        return Exit::Done;
    }
    let mut rows = vec![["PROFILE", "COORDINATES", "SCREENS", "API", "MODELS"].map(str::to_owned)];
    for it in &all {
        rows.push([
            it.name.to_owned(),
            it.coordinates.clone(),
            it.pictures.to_string(),
            it.api.to_owned(),
            it.title.to_owned(),
        ]);
    }
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(width).collect();
    for (row, of) in rows.iter().zip(std::iter::once(None).chain(all.iter().map(Some))) {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}  "));
        terminal.line(&(cells.collect::<String>() + &row[4]));
        if let Some(it) = of {
            let names = match it.patterns {
                [] if it.is_default => "any other name".to_owned(),
                [] => format!("only with model.profile = \"{}\"", it.name),
                names => format!("names with {}{}", names.join(", "), it.host_note),
            };
            terminal.line(&format!("    {names}"));
            terminal.line(&format!("    pictures: {}; history: {}", it.picture, it.history));
            let params = it.sampling.iter().map(|(name, value)| format!("{name} {value}"));
            terminal.line(&format!("    {}", params.collect::<Vec<_>>().join(", ")));
        }
    }
    terminal.line("");
    let name = one_line(&model.config().name);
    let is_default = |it: &ProfileInfo| it.is_default && it.name == model.profile_name();
    let how = match config.model.profile {
        Some(_) => "as the settings say",
        None if all.iter().any(is_default) => "since its name tells no family",
        None => "by its name",
    };
    terminal.line(&format!("{name} is asked as {}, {how}.", model.profile_name()));
    Exit::Done
}

fn as_value(it: &ProfileInfo) -> serde_json::Value {
    json!({
        "name": it.name, "title": it.title, "patterns": it.patterns,
        "coordinates": it.coordinates, "picture": it.picture, "pictures": it.pictures,
        "history": it.history, "sampling": it.sampling, "api": it.api,
        "is_for_any": it.is_default,
    })
}

/// Finds out what the model's coordinates are, and with `write` puts that into the settings.
pub async fn calibrate(
    config: &Config,
    model: &RemoteModel,
    plan: CalibrationPlan,
    write: bool,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let name = one_line(&model.config().name);
    let endpoint = &model.config().endpoint;
    terminal.line(&format!("{name} at {endpoint}, asked as {}:", model.profile_name()));
    let found = model
        .calibrate(plan, |probe| {
            let (x, y) = probe.target;
            let at = |(x, y): (f64, f64)| format!("{:.0},{:.0}", x * 1e3, y * 1e3);
            let said = match &probe.tapped {
                Ok(place) => format!("tapped {}", at(*place)),
                Err(why) => one_line(why),
            };
            let line = format!(
                "{:>4}  {:<11} mark at {:<9} {said}",
                probe.number,
                probe.image_size.to_string(),
                at((x, y))
            );
            terminal.line(&line);
        })
        .await
        // Its message contains those of its causes.
        .map_err(|err| anyhow::Error::msg(err.message))?;
    terminal.line("");
    report(&found, terminal);
    let Some(space) = found.detected else { return Ok(Exit::Failed) };
    settle(config, &found, space, write, terminal)
}

fn report(found: &Calibration, terminal: Terminal) {
    terminal.line(&format!("{} of {} replies name a place.", found.readable, found.probes));
    for (space, median) in found.ranking.iter().filter(|it| it.1.is_finite()).take(4) {
        terminal.line(&format!("  {space:<28} off by {median:.1} thousandths"));
    }
    match found.detected {
        Some(space) => {
            let alike: Vec<String> =
                found.indistinguishable.iter().map(CoordSystem::to_string).collect();
            let alike = match &alike[..] {
                [] => String::new(),
                some => format!(" (the taps cannot tell it from {})", some.join(", ")),
            };
            terminal.line(&format!("The coordinates are {space}{alike}."));
            let (right, down) = found.bias;
            terminal.line(&format!(
                "Taps are scattered by {:.1} thousandths, shifted by {right:.1} right and {down:.1} \
                 down; {} missed.",
                found.spread, found.misses
            ));
        }
        None => terminal.line("What the coordinates are cannot be told."),
    }
    for notice in &found.warnings {
        terminal.line(&format!("  -> {}", one_line(notice)));
    }
}

/// Prints what to put into the settings, or puts it there.
fn settle(
    config: &Config,
    found: &Calibration,
    space: CoordSystem,
    write: bool,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let now = config.model.coordinates;
    let wanted = found.correction();
    if now.unwrap_or(found.declared) == space {
        terminal.line("The settings need no change.");
        return Ok(Exit::Done);
    }
    let path = config.file.as_deref().or(config.default_file.as_deref());
    let line = wanted.map(|space| format!("coordinates = \"{space}\""));
    let change = match &line {
        Some(line) => format!("[model] {line}"),
        None => "[model] without `coordinates`: the profile has them right".to_owned(),
    };
    if !write {
        let place = path.map_or_else(String::new, |path| format!(" in {}", path.display()));
        terminal.line(&format!("For the settings{place}: {change}"));
        terminal.line("--write puts it there.");
        return Ok(Exit::Done);
    }
    let path = path.context("there is no place for a settings file: name one with --config")?;
    let before = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(err) => return Err(err).with_context(|| format!("reading {}", path.display())),
    };
    let after = edited(&before, wanted).with_context(|| path.display().to_string())?;
    put(path, &after).with_context(|| format!("writing {}", path.display()))?;
    terminal.line(&format!("Written to {}: {change}", path.display()));
    if config.model_is_overridden() {
        terminal.line(&format!(
            "{} was named by a flag or the environment: what was written counts for whichever model \
             the settings name.",
            one_line(&config.model.name)
        ));
    }
    if config.coordinates_are_overridden() {
        terminal.line("A flag or the environment says something else, which is stronger.");
    }
    Ok(Exit::Done)
}

/// The settings file with these coordinates, or with none; everything else stays, comments too.
fn edited(text: &str, space: Option<CoordSystem>) -> anyhow::Result<String> {
    let mut file: toml_edit::DocumentMut = text.parse().context("not TOML")?;
    let section = file.entry("model").or_insert_with(|| {
        let mut table = toml_edit::Table::new();
        table.set_implicit(false);
        toml_edit::Item::Table(table)
    });
    let section = section.as_table_like_mut().context("`model` is not a section")?;
    match space {
        Some(space) => {
            let value = space.to_string();
            match section.get_mut("coordinates").and_then(toml_edit::Item::as_value_mut) {
                // Keep the comment beside it.
                Some(old) => {
                    let decor = old.decor().clone();
                    *old = value.into();
                    *old.decor_mut() = decor;
                }
                None => {
                    section.insert("coordinates", toml_edit::value(value));
                }
            }
        }
        None => {
            section.remove("coordinates");
        }
    }
    Ok(file.to_string())
}

/// Replaces a file atomically and keeps its permissions.
fn put(path: &Path, text: &str) -> std::io::Result<()> {
    // Follow a link: the file it points to is meant.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = folder.join(name);
    let rights = std::fs::metadata(&path).ok().map(|it| it.permissions());
    let written = private(&beside, text)
        .and_then(|()| rights.map_or(Ok(()), |rights| std::fs::set_permissions(&beside, rights)))
        .and_then(|()| std::fs::rename(&beside, &path));
    if written.is_err() {
        // The first error is what matters.
        drop(std::fs::remove_file(&beside));
    }
    written
}

/// Writes a file that only its owner can read: there may be a key in it.
fn private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_coordinates_change() {
        let before = "# mine\nlog = 'debug'\n\n[model] # here\nname = \"m\"   # the one\n\n[run]\nmax-steps = 3\n";
        let after = edited(before, Some(CoordSystem::UP_TO_999)).unwrap();
        assert_eq!(after, before.replace("the one\n", "the one\ncoordinates = \"0-999\"\n"));
        let again = edited(&after, Some(CoordSystem::PIXELS)).unwrap();
        assert_eq!(again, after.replace("0-999", "pixels"));
        assert_eq!(edited(&again, None).unwrap(), before);
        let noted = "[model]\ncoordinates = '0-1' # by hand\n";
        let noted = edited(noted, Some(CoordSystem::PIXELS)).unwrap();
        assert_eq!(noted, "[model]\ncoordinates = \"pixels\" # by hand\n");
        assert_eq!(
            edited("", Some(CoordSystem::PIXELS)).unwrap(),
            "[model]\ncoordinates = \"pixels\"\n"
        );
        assert_eq!(
            edited("model = { name = 'x' }\n", Some(CoordSystem::PIXELS)).unwrap(),
            "model = { name = 'x' , coordinates = \"pixels\" }\n"
        );
        assert!(edited("[model", Some(CoordSystem::PIXELS)).is_err());
        assert!(edited("model = 3", Some(CoordSystem::PIXELS)).is_err());
    }

    #[test]
    fn a_file_is_replaced_with_the_rights_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("ayeaye.toml");
        put(&path, "log = 'info'\n").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&path), 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
            put(&path, "log = 'warn'\n").unwrap();
            assert_eq!(mode(&path), 0o640);
        }
        let files = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(files, 1, "nothing is left beside it");
    }
}
