//! `ayeaye policy`: what the gate allows, and why it decided as it did.
use ayeaye_agent::gate::Rule;
use ayeaye_agent::journal::{Event, Fact, GateRecord, NoteKind};
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
    terminal.line("\nTo change it: policy.* in the settings file. `ayeaye policy explain` says what decided in a session.");
    Exit::Done
}

/// One verdict of a session.
struct Decided {
    step: u32,
    /// The act, as far as it is told.
    act: String,
    gate: GateRecord,
}

/// Which rule decided in a session, or in one of its steps.
pub(super) async fn explain(
    journal: &dyn Journal,
    id: SessionId,
    step: Option<u32>,
    (as_json, terminal): (bool, Terminal),
) -> anyhow::Result<Exit> {
    let (mut decided, mut steps) = (Vec::new(), 0);
    let mut take = |event: Event| {
        steps = steps.max(event.entry.step.map_or(0, |step| step + 1));
        decided.extend(read(&event));
    };
    journal.visit(&id, &mut take).await?;
    if let Some(step) = step {
        anyhow::ensure!(
            step < steps,
            "there is no step {step}: the session has {steps}, counted from 0\nhint: what `run` and `sessions \
             show` call step 1 is step 0 here and in the record"
        );
    }
    decided.retain(|it| step.is_none_or(|step| it.step == step));
    if as_json {
        let rows: Vec<Value> = decided
            .iter()
            .map(|it| json!({ "step": it.step, "act": it.act, "gate": it.gate }))
            .collect();
        terminal.json(&rows);
        return Ok(Exit::Done);
    }
    if decided.is_empty() {
        let where_ = step.map_or("this session".to_owned(), |step| format!("step {step}"));
        terminal.line(&format!("The gate had nothing to decide in {where_}."));
        return Ok(Exit::Done);
    }
    for Decided { step, act, gate } in decided {
        let mut line = format!("{}, rule {}", gate.verdict, gate.rule);
        // A record of a later version may have rules that this one does not know.
        if let Some(rule) = Rule::from_name(&gate.rule) {
            line.extend([" (", rule.meaning(), ")"]);
        }
        if let Some(class) = &gate.class {
            line.extend([", class ", class]);
        }
        if !gate.evidence.is_empty() {
            line.extend([": ", &one_line(&gate.evidence)]);
        }
        terminal.item(&format!("step {step}"), &one_line(&act));
        terminal.item("", &line);
    }
    Ok(Exit::Done)
}

fn read(event: &Event) -> Option<Decided> {
    let step = event.entry.step?;
    match &event.entry.fact {
        Fact::ToolStart(start) => {
            let act = ayeaye_agent::journal::ActionRecord {
                function: start.name.clone(),
                arguments: start.parameters.clone(),
            };
            Some(Decided { step, act: act.describe(), gate: start.gate.clone()? })
        }
        Fact::Note { kind, text, figures } if kind.known() == Some(NoteKind::Gate) => {
            let gate = serde_json::from_value(Value::Object(figures.clone())).ok()?;
            Some(Decided { step, act: text.clone(), gate })
        }
        _ => None,
    }
}
