//! Short names that have consequences in some places only.
use super::ids;
use crate::gate::apps::AppKind;
use crate::gate::class::ActClass;
use crate::gate::confusables::readings;
use crate::gate::findings::Findings;
use crate::gate::phrases::{self, Bare, When};
use crate::gate::price::{amount, without_amount};
use crate::gate::request::{ControlFacts, GateRequest};
use crate::gate::verdict::Rule;

/// Looks at a control whose name tells nothing by itself; whether it has consequences here.
pub(super) fn bare(
    findings: &mut Findings<'_>,
    control: &ControlFacts,
    kind: Option<AppKind>,
    rule: Rule,
) -> bool {
    if !control.reacts || control.is_field() {
        return false;
    }
    let request = findings.request;
    // The further texts of a card tell of what it leads to.
    let own = if control.kind.contains("Button") { 3 } else { 1 };
    let mut names: Vec<String> =
        control.names.iter().take(own).flat_map(|it| readings(it)).collect();
    // Some currencies are told from words by their capitals.
    let written = control.names.iter().take(own).chain(&names);
    let priced: Vec<String> = written.filter_map(|it| without_amount(it)).collect();
    names.extend(priced);
    let id = if control.names.is_empty() && control.hint.is_empty() {
        ids::plain_words(control)
    } else {
        String::new()
    };
    names.extend(id.split(' ').map(str::to_owned));
    names.extend((!id.is_empty()).then_some(id));
    let here = |it: &&Bare| holds(it.when, control, request, kind);
    let found =
        names.iter().find_map(|name| phrases::bare(name).iter().find(here).map(|it| (name, it)));
    let Some((name, bare)) = found else { return false };
    let evidence = format!("\"{name}\"");
    let asked = is_asked(request, control, bare);
    if asked && bare.class == ActClass::Order {
        // What leads to where an order is placed is no order yet.
        findings.pass(Rule::AskedFor, &evidence);
    } else {
        findings.class(bare.class, asked, rule, &evidence);
    }
    true
}

fn holds(
    when: When,
    control: &ControlFacts,
    request: &GateRequest<'_>,
    kind: Option<AppKind>,
) -> bool {
    let screen = request.screen;
    let money = matches!(kind, Some(AppKind::Wallet | AppKind::Banking));
    let priced = || screen.texts.iter().any(|it| amount(it).is_some());
    match when {
        When::Always => true,
        When::Written => screen.written,
        When::Social => matches!(kind, Some(AppKind::Social | AppKind::Messenger)),
        When::Store => kind == Some(AppKind::Store),
        When::Priced => money || kind == Some(AppKind::Store) || priced(),
        When::Money => money,
        When::Traded => {
            let place = matches!(kind, Some(AppKind::Shop | AppKind::Social | AppKind::Browser));
            money || !place && control.kind.ends_with("Button") && priced()
        }
        When::Chooser => {
            let activity = request.activity.to_ascii_lowercase();
            activity.contains("resolveractivity") || activity.contains("chooseractivity")
        }
        When::Calls => {
            // A call that comes in lies over other apps as a notification.
            const PARTS: [&str; 6] =
                ["dialer", "incallui", "telecom", "phone", "contacts", "systemui"];
            [request.package, &control.package].iter().any(|package| {
                package.to_ascii_lowercase().split('.').any(|it| PARTS.contains(&it))
            })
        }
    }
}

/// Whether the user asks for just this; where they name somebody or something, it has to be there.
fn is_asked(request: &GateRequest<'_>, control: &ControlFacts, bare: &Bare) -> bool {
    let words = request.words;
    if bare.class == ActClass::Send {
        return super::asked::is_asked(request, ActClass::Send, control);
    }
    let shown = request.screen.texts.iter().map(String::as_str);
    let is_there = || words.name_one_of(shown, [request.label, request.package]);
    words.ask_by(&bare.verbs) && (bare.when != When::Social || is_there())
}
