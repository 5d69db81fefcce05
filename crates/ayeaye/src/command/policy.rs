//! `ayeaye policy`: what the gate allows, and why it decided as it did.
use ayeaye_agent::gate::{ActClass, Policy, Rule, Treatment};
use ayeaye_agent::journal::{Event, Fact, GateRecord, NoteKind};
use ayeaye_agent::{Journal, SessionId};
use serde_json::{Value, json};

use crate::command::Exit;
use crate::config::Config;
use crate::terminal::Terminal;
use crate::text::one_line;

/// Shows the policy of the settings.
pub(super) fn show(config: &Config, as_json: bool, terminal: Terminal) -> Exit {
    let policy = &config.policy;
    if as_json {
        terminal.json(&as_value(policy));
        return Exit::Done;
    }
    terminal.item("policy", &policy.name());
    for treatment in [Treatment::Ask, Treatment::AskUnlessAsked, Treatment::Deny, Treatment::Allow]
    {
        let classes: Vec<_> = ActClass::ALL
            .into_iter()
            .filter(|class| policy.treatment(*class) == treatment)
            .map(ActClass::name)
            .collect();
        if !classes.is_empty() {
            terminal.item(word(treatment), &classes.join(", "));
        }
    }
    let system = match policy.system_parts() {
        Treatment::Deny => {
            "power over the phone: refused, and asked where your words name the part"
        }
        treatment => &format!("power over the phone: {}", word(treatment)),
    };
    terminal.item("system", system);
    for (name, list) in lists(policy) {
        if !list.is_empty() {
            terminal.item(name, &list.join(", "));
        }
    }
    for (name, profile) in &policy.principals {
        terminal.item(
            "token",
            &format!("{} is narrowed to {profile}", name.trim_start_matches("token:")),
        );
    }
    if let Some(taps) = policy.budgets.taps_per_minute {
        terminal.item("taps", &format!("at most {taps} in a minute"));
    }
    if let Some(typed) = policy.budgets.typed_characters {
        terminal.item("typing", &format!("at most {typed} characters in a session"));
    }
    terminal.line("\nTo change it: policy.* in the settings file. `ayeaye policy explain` says what decided in a session.");
    Exit::Done
}

fn word(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Allow => "allowed",
        Treatment::AskUnlessAsked => "asked, unless your words ask for it",
        Treatment::Ask => "asked",
        Treatment::Deny => "refused",
    }
}

/// The word for it in JSON.
fn key(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Allow => "allow",
        Treatment::AskUnlessAsked => "ask-unless-asked-for",
        Treatment::Ask => "ask",
        Treatment::Deny => "deny",
    }
}

fn lists(policy: &Policy) -> [(&'static str, Vec<String>); 5] {
    [
        ("only apps", policy.allow_apps.concat()),
        ("never apps", policy.deny_apps.clone()),
        ("only hosts", policy.allow_hosts.concat()),
        ("never hosts", policy.deny_hosts.clone()),
        ("private apps", policy.private_apps.clone()),
    ]
}

fn as_value(policy: &Policy) -> Value {
    let classes: serde_json::Map<String, Value> = ActClass::ALL
        .into_iter()
        .map(|class| (class.name().to_owned(), key(policy.treatment(class)).into()))
        .collect();
    json!({
        "profile": policy.name(),
        "classes": classes,
        "system_parts": key(policy.system_parts()),
        "allow_apps": policy.allow_apps.concat(),
        "deny_apps": policy.deny_apps,
        "allow_hosts": policy.allow_hosts.concat(),
        "deny_hosts": policy.deny_hosts,
        "private_apps": policy.private_apps,
        "tokens": policy.principals.iter().map(|(name, profile)| json!({ "name": name.trim_start_matches("token:"), "profile": profile.name() })).collect::<Vec<_>>(),
        "taps_per_minute": policy.budgets.taps_per_minute,
        "typed_characters": policy.budgets.typed_characters,
    })
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
