//! `ayeaye task`: tasks that are kept under a name, and done again.
use std::collections::BTreeMap;

use anyhow::bail;
use ayeaye_agent::journal::Fact;
use ayeaye_agent::{AgentError, DeviceId, Journal, Replay, SessionId};
use ayeaye_phone::PhoneOptions;
use serde_json::json;

use crate::cli::{RunFlags, RunTask, SaveTask, TaskCommand};
use crate::command::called::ayeaye;
use crate::command::run::{RunOptions, TaskToRun};
use crate::command::sessions::find;
use crate::command::{Exit, app, ensure_model, run_rounds, wrong_usage};
use crate::config::{Config, MAX_STEPS};
use crate::mcp::args;
use crate::saved_tasks::{SavedTask, SavedTasks, braces_without_slot};
use crate::terminal::{Answer, Terminal};
use crate::text::{count, lines, one_line};
use crate::wiring::App;

/// Keeps, does, lists, shows and forgets tasks.
pub(super) async fn task(
    what: TaskCommand,
    config: &Config,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let tasks = SavedTasks::of(&config.data_dir);
    match what {
        TaskCommand::Save(args) => save(&tasks, args, config, terminal).await,
        TaskCommand::Run(args) => run(&tasks, args, config, terminal).await,
        TaskCommand::List { json } => list(&tasks, json, terminal),
        TaskCommand::Show { name, json } => show(&tasks, &name, json, terminal),
        TaskCommand::Rm { name } => {
            tasks.remove(&name)?;
            terminal.line(&format!("{name} is forgotten"));
            Ok(Exit::Done)
        }
    }
}

async fn save(
    tasks: &SavedTasks,
    args: SaveTask,
    config: &Config,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    // Before anything is read: a name that cannot be is no reason to look for a session.
    tasks.path(&args.name)?;
    let was_said = args.from.is_some();
    let (text, steps, on_virtual) = match (args.text, args.from) {
        (Some(text), _) => (text, None, false),
        (None, Some(session)) => {
            let journal = App::new(config).await?.journal;
            let id = find(&*journal, &session).await?;
            let steps = if args.steps { Some(Replay::read(&*journal, id).await?) } else { None };
            let (text, device) = request(&*journal, id).await?;
            (text, steps, device == PhoneOptions::default().serial)
        }
        (None, None) => bail!("there is nothing to save: give a task, or a session with --from"),
    };
    let text = match args::text("TEXT", &text) {
        Ok(text) => text,
        Err(error) => return Ok(wrong_usage(&error.to_string())),
    };
    let kept = steps.as_ref().map(Replay::len);
    let plain = SavedTask {
        text,
        without_slots: false,
        device: args.device,
        max_steps: args.max_steps,
        steps: None,
    };
    // Somebody has said these braces, and the session had them as they are.
    let words: Vec<String> =
        plain.slots().iter().filter(|_| was_said).map(|slot| format!("{{{slot}}}")).collect();
    let task = SavedTask { without_slots: !words.is_empty(), steps, ..plain };
    let how = if tasks.save(&args.name, &task)? { "replaced" } else { "kept" };
    let steps = kept
        .map_or(String::new(), |steps| format!(" with {}", count(steps as u64, "step", "steps")));
    terminal.line(&format!("{} is {how}{steps}: {}", args.name, lines(&task.text)));
    let mut run = vec![format!("{} task run {}", ayeaye(), args.name)];
    // The phone of such a session is gone, and another may be connected.
    run.extend((on_virtual && task.device.is_none()).then(|| "--virtual".to_owned()));
    run.extend(task.slots().iter().map(|slot| format!("--set {slot}=…")));
    for word in words {
        terminal.item(
            "no slot",
            &format!("{word} stays as it is: the task is saved as it was written"),
        );
    }
    for braces in braces_without_slot(&task.text) {
        terminal.item(
            "no slot",
            &format!(
                "{} stays as it is: a slot is a name such as {{person}}, a small letter, then small letters, digits, \
                 `-` and `_`",
                one_line(braces)
            ),
        );
    }
    terminal.item("run it", &run.join(" "));
    Ok(Exit::Done)
}

/// What a session was begun for, and on which phone. What is a secret in it is a placeholder, which says
/// nothing to another session; only named ones stay what they are.
async fn request(journal: &dyn Journal, id: SessionId) -> anyhow::Result<(String, String)> {
    let mut request = None;
    let mut each = |event: ayeaye_agent::journal::Event| {
        if let Fact::SessionStart(start) = event.entry.fact {
            request = Some((start.request, start.device.device_id));
        }
    };
    journal.visit_compact(&id, &mut each).await.map_err(AgentError::from)?;
    let Some((request, device)) = request else {
        bail!("session {id} does not say what its task was")
    };
    if ayeaye_agent::holds_placeholder(&request) {
        bail!(
            "the task of session {id} had a secret in it, which is not recorded\nhint: save it as text that \
             names one: `ayeaye secret set NAME --app PACKAGE`, and {{{{secret:NAME}}}} in the text"
        );
    }
    Ok((request, device))
}

async fn run(
    tasks: &SavedTasks,
    args: RunTask,
    config: &Config,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let RunFlags { virtual_phone, traits, queue, how, repeat } = args.flags;
    let terminal = if how.json { terminal.beside_json() } else { terminal };
    let task = tasks.read(&args.name)?;
    let text = match filled(&task, args.set, terminal).await {
        Ok(text) => text,
        Err(why) => return Ok(wrong_usage(&why)),
    };
    // What a task is for otherwise is not meant where a virtual phone is.
    let device = args.device.or(task.device.filter(|_| !virtual_phone)).map(DeviceId::new);
    let replay = task.steps.filter(|_| !args.without_steps);
    let mut options = RunOptions { queue, ..RunOptions::new(config, how.json) };
    if let Some(max_steps) = task.max_steps.filter(|_| !how.limits_steps()) {
        options.max_steps = max_steps.clamp(1, MAX_STEPS);
    }
    let app = app(config, virtual_phone, &traits).await?;
    let has_rounds = repeat.every.is_some();
    match (ensure_model(&app, "ayeaye task run", has_rounds).await, &replay) {
        (Err(_), Some(_)) => terminal.item(
            "model",
            "no model answers: the saved steps are done, and the task stops where they no longer fit",
        ),
        (found, _) => found?,
    }
    let task = TaskToRun { device, text, replay };
    run_rounds(&app, config, task, options, repeat, terminal).await
}

/// The task with its slots filled: as the command line says, else as the person at the terminal does. What is
/// missing or too much is the error.
async fn filled(
    task: &SavedTask,
    set: Vec<(String, String)>,
    terminal: Terminal,
) -> Result<String, String> {
    let slots = task.slots();
    let mut values = BTreeMap::new();
    for (slot, value) in set {
        if !slots.contains(&slot.as_str()) {
            let known = if slots.is_empty() { "none".to_owned() } else { slots.join(", ") };
            return Err(format!("the task has no slot {slot:?}; it has: {known}"));
        }
        if values.contains_key(&slot) {
            return Err(format!(
                "slot {slot:?} is set twice: it is unclear which of the two is meant"
            ));
        }
        // A variable of a script that is not set: a task with a hole in it would be another one.
        if !value.trim().is_empty() {
            values.insert(slot, value);
        }
    }
    for slot in &slots {
        if values.contains_key(*slot) || !terminal.is_interactive() {
            continue;
        }
        if let Answer::Text(value) = terminal.ask(&format!("{slot:<9}")).await {
            values.insert((*slot).to_owned(), value);
        }
    }
    let missing: Vec<String> = slots
        .iter()
        .filter(|slot| !values.contains_key(**slot))
        .map(|slot| format!("--set {slot}=…"))
        .collect();
    task.filled(&values).map_err(|_| format!("the task needs {}", missing.join(" ")))
}

fn list(tasks: &SavedTasks, json: bool, terminal: Terminal) -> anyhow::Result<Exit> {
    let mut rows = Vec::new();
    for name in tasks.names()? {
        // One that cannot be read must not hide the others.
        match tasks.read(&name) {
            Ok(task) if json => rows.push(row(&name, &task)),
            Ok(task) => {
                let steps = task.steps.as_ref().map_or(String::new(), |steps| {
                    format!("  ({})", count(steps.len() as u64, "step", "steps"))
                });
                terminal.item(&name, &format!("{}{steps}", lines(&task.text)));
            }
            Err(err) if json => rows.push(json!({ "name": name, "error": err.to_string() })),
            Err(err) => terminal.item(&name, &err.to_string()),
        }
    }
    if json {
        terminal.json(&json!({ "tasks": rows }));
    } else if tasks.names()?.is_empty() {
        terminal.line("no tasks are saved; `ayeaye task save NAME 'TEXT'` saves one");
    }
    Ok(Exit::Done)
}

fn show(tasks: &SavedTasks, name: &str, json: bool, terminal: Terminal) -> anyhow::Result<Exit> {
    let task = tasks.read(name)?;
    let path = tasks.path(name)?;
    if json {
        let mut row = row(name, &task);
        row["file"] = json!(path);
        terminal.json(&row);
        return Ok(Exit::Done);
    }
    terminal.item("task", &lines(&task.text));
    let slots = task.slots();
    if !slots.is_empty() {
        terminal.item("slots", &slots.join(", "));
    }
    if let Some(device) = &task.device {
        terminal.item("device", &lines(device));
    }
    if let Some(max_steps) = task.max_steps {
        terminal.item("max steps", &max_steps.to_string());
    }
    if let Some(steps) = &task.steps {
        let number = count(steps.len() as u64, "step", "steps");
        terminal.item("replays", &format!("{number} of session {}", steps.session));
    }
    terminal.item("file", &path.display().to_string());
    Ok(Exit::Done)
}

fn row(name: &str, task: &SavedTask) -> serde_json::Value {
    json!({
        "name": name, "text": task.text, "slots": task.slots(), "device": task.device,
        "max_steps": task.max_steps,
        "steps": task.steps.as_ref().map(|steps| json!({ "session": steps.session, "count": steps.len() })),
    })
}
