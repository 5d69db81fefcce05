//! `ayeaye policy`: what the gate allows, and why it decided as it did.
use ayeaye_agent::gate::Rule;
use ayeaye_agent::journal::{Event, Fact, GateRecord, NoteKind, Observe};
use ayeaye_agent::{Journal, SessionId};
use serde_json::{Value, json};

use crate::command::Exit;
use crate::config::Config;
use crate::policy_words;
use crate::terminal::Terminal;
use crate::text::one_line;

/// Shows the policy of the settings.
pub(super) fn show(config: &Config, as_json: bool, terminal: Terminal) -> Exit {
    let policy = &config.policy;
    if as_json {
        terminal.json(&policy_words::as_value(policy));
        return Exit::Done;
    }
    for (name, text) in policy_words::lines(policy) {
        // Some of these names are longer than others' labels.
        terminal.item(&format!("{name:<12}"), &text);
    }
    terminal.line("\nTo change it: policy.* in the settings file. `ayeaye policy explain` says which rule decided in a session.");
    Exit::Done
}

/// One verdict of a session.
struct Decided {
    /// From 0, as in the record.
    step: u32,
    /// The act as the record has it, as far as it is told.
    act: String,
    /// The act in words.
    words: String,
    /// Package of the app that was seen in front, where the phone said it.
    app: Option<String>,
    gate: GateRecord,
}

/// Which rule decided in a session, or in one of its steps, which a person counts from 1.
pub(super) async fn explain(
    journal: &dyn Journal,
    id: SessionId,
    step: Option<u32>,
    as_json: bool,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let (mut decided, mut steps, mut app) = (Vec::new(), 0, None);
    let mut take = |event: Event| {
        steps = steps.max(event.entry.step.map_or(0, |step| step + 1));
        match event.entry.fact {
            Fact::StepStart(_) => app = None,
            Fact::Observe(Observe { package, .. }) => {
                app = Some(package).filter(|it| !it.is_empty());
            }
            _ => decided.extend(read(&event, app.as_deref())),
        }
    };
    journal.visit(&id, &mut take).await?;
    if let Some(step) = step {
        anyhow::ensure!(
            (1..=steps).contains(&step),
            "there is no step {step}: the session has {steps}, counted from 1\nhint: `ayeaye sessions show {id}` \
             shows them with their numbers"
        );
    }
    decided.retain(|it| step.is_none_or(|step| it.step + 1 == step));
    if as_json {
        let row = |Decided { step, act, app, gate, .. }: &Decided| json!({ "step": step, "act": act, "app": app, "gate": gate });
        let rows: Vec<Value> = decided.iter().map(row).collect();
        terminal.json(&rows);
        return Ok(Exit::Done);
    }
    if decided.is_empty() {
        let where_ = step.map_or("this session".to_owned(), |step| format!("step {step}"));
        terminal.line(&format!("The gate had nothing to decide in {where_}."));
        return Ok(Exit::Done);
    }
    for Decided { step, words, app, gate, .. } in decided {
        let mut line = format!("{}, rule {}", gate.verdict, gate.rule);
        // A record of a later version may have rules that this one does not know.
        if let Some(rule) = Rule::from_name(&gate.rule) {
            line.extend([" (", rule.meaning(), ")"]);
        }
        if let Some(class) = &gate.class {
            line.extend([", class ", class]);
        }
        if !gate.evidence.is_empty() {
            line.extend([": ", &gate.evidence]);
        }
        let place = app.map(|app| format!("   (in {app})")).unwrap_or_default();
        terminal.item(&format!("step {}", step + 1), &one_line(&format!("{words}{place}")));
        terminal.item("", &one_line(&line));
    }
    Ok(Exit::Done)
}

/// The verdict that an event tells of, with the app that was seen in front before it.
fn read(event: &Event, app: Option<&str>) -> Option<Decided> {
    let step = event.entry.step?;
    let app = app.map(str::to_owned);
    match &event.entry.fact {
        Fact::ToolStart(start) => {
            let act = ayeaye_agent::journal::ActionRecord {
                function: start.name.clone(),
                arguments: start.parameters.clone(),
            };
            let target = start.target.as_ref().map(|it| it.name.trim());
            let words = act.in_words(target.filter(|name| !name.is_empty()));
            Some(Decided { step, act: act.describe(), words, app, gate: start.gate.clone()? })
        }
        Fact::Note { kind, text, figures } if kind.known() == Some(NoteKind::Gate) => {
            let gate = serde_json::from_value(Value::Object(figures.clone())).ok()?;
            Some(Decided { step, act: text.clone(), words: text.clone(), app, gate })
        }
        _ => None,
    }
}
