//! `ayeaye model`: which families of models there are, and what this one's coordinates are.
use anyhow::Context as _;
use ayeaye_model::{Calibration, CalibrationPlan, CoordSystem, Profile, ProfileInfo, RemoteModel};
use serde_json::json;

use crate::atomic_file;
use crate::command::{Exit, model_try};
use crate::config::{Config, edited};
use crate::terminal::Terminal;
use crate::text::one_line;

/// Shows every profile.
pub fn list(config: &Config, model: &RemoteModel, as_json: bool, terminal: Terminal) -> Exit {
    let all: Vec<ProfileInfo> = Profile::ALL.iter().map(|profile| profile.listed()).collect();
    if as_json {
        let all: Vec<_> = all.iter().map(as_value).collect();
        terminal.json(&json!({ "profiles": all }));
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
        None if all.iter().any(is_default) => "because its name does not tell the family",
        None => "by its name",
    };
    terminal.line(&format!("{name} is treated as {}, {how}.", model.profile_name()));
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
        .map_err(|err| {
            let hint = model_try::hint(config.model_is_set());
            anyhow::anyhow!("{}\nhint: {hint}", err.message)
        })?;
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
        None => terminal.line("It cannot be told which coordinates they are."),
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
    let path = path.context("there is no place for a settings file; name one with --config")?;
    let before = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(err) => return Err(err).with_context(|| format!("reading {}", path.display())),
    };
    let wanted = wanted.map(|space| space.to_string().into());
    let after =
        edited(&before, "model.coordinates", wanted).with_context(|| path.display().to_string())?;
    atomic_file::replace(path, &after).with_context(|| format!("writing {}", path.display()))?;
    terminal.line(&format!("Written to {}: {change}", path.display()));
    if config.model_is_overridden() {
        terminal.line(&format!(
            "{} was named by a flag or the environment: what was written applies to whichever model \
             the settings name.",
            one_line(&config.model.name)
        ));
    }
    if config.coordinates_are_overridden() {
        terminal.line("A flag or the environment says something else, and takes precedence.");
    }
    Ok(Exit::Done)
}
