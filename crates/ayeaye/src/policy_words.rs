//! The policy of the settings, in words and for programs.
use ayeaye_agent::gate::{ActClass, Policy, Treatment};
use serde_json::{Value, json};

/// The policy in lines, each with a name in front.
pub(crate) fn lines(policy: &Policy) -> Vec<(String, String)> {
    let mut lines = vec![("policy".to_owned(), policy.name())];
    for treatment in [Treatment::Ask, Treatment::AskUnlessAsked, Treatment::Deny, Treatment::Allow]
    {
        let classes: Vec<_> = ActClass::ALL
            .into_iter()
            .filter(|class| policy.treatment(*class) == treatment)
            .map(ActClass::name)
            .collect();
        if !classes.is_empty() {
            let classes = classes.join(", ");
            // As the page's cards say it. Names have a narrow column.
            let (name, text) = match treatment {
                Treatment::AskUnlessAsked => {
                    ("asked about", format!("unless your words ask for it: {classes}"))
                }
                Treatment::Ask => ("asked about", classes),
                _ => (word(treatment), classes),
            };
            lines.push((name.to_owned(), text));
        }
    }
    let system = match policy.system_parts() {
        Treatment::Deny => {
            "power over the phone: refused, and asked where your words name the part".to_owned()
        }
        treatment => format!("power over the phone: {}", word(treatment)),
    };
    lines.push(("system".to_owned(), system));
    for (name, list) in lists(policy) {
        if !list.is_empty() {
            lines.push((name.to_owned(), list.join(", ")));
        }
    }
    for (name, profile) in &policy.principals {
        let text = format!("{} is narrowed to {profile}", name.trim_start_matches("token:"));
        lines.push(("token".to_owned(), text));
    }
    if let Some(taps) = policy.budgets.taps_per_minute {
        lines.push(("taps".to_owned(), format!("at most {taps} in a minute")));
    }
    if let Some(typed) = policy.budgets.typed_characters {
        lines.push(("typing".to_owned(), format!("at most {typed} characters in a session")));
    }
    lines
}

/// A treatment in words.
pub(crate) fn word(treatment: Treatment) -> &'static str {
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

/// The policy for programs.
pub(crate) fn as_value(policy: &Policy) -> Value {
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
