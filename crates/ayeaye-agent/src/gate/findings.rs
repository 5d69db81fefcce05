//! What the rules find against an act, and the verdict that follows.
use super::amount;
use super::class::ActClass;
use super::path;
use super::policy::{Policy, Treatment};
use super::request::{GateRequest, ScreenFacts};
use super::verdict::{Ask, GateDecision, Rule, Verdict};
use crate::{Gesture, is_unseen};

/// What speaks about an act.
#[derive(Debug)]
struct GateFinding {
    severity: Severity,
    class: ActClass,
    rule: Rule,
    evidence: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    /// It may pass, and this says why.
    Pass,
    Ask,
    Refuse,
}

/// Collects what the rules find.
#[derive(Debug)]
pub(super) struct Findings<'a> {
    pub(super) policy: &'a Policy,
    pub(super) request: &'a GateRequest<'a>,
    found: Vec<GateFinding>,
}

/// Longest evidence, and longest name of a thing in a question, in characters.
const LONGEST: usize = 120;

/// What is asked about where a client types what the user keeps, in words.
const TYPE_SECRET: &str = "type a secret that you keep, and that your words do not name,";

impl<'a> Findings<'a> {
    pub(super) fn new(policy: &'a Policy, request: &'a GateRequest<'a>) -> Self {
        Self { policy, request, found: Vec::new() }
    }

    /// The act is of this class; the policy says what becomes of it.
    pub(super) fn class(&mut self, class: ActClass, asked: bool, rule: Rule, evidence: &str) {
        let (severity, rule) = match self.policy.treatment(class) {
            Treatment::Allow => (Severity::Pass, Rule::Permitted),
            Treatment::AskUnlessAsked if asked => (Severity::Pass, Rule::AskedFor),
            Treatment::AskUnlessAsked | Treatment::Ask => (Severity::Ask, rule),
            Treatment::Deny => (Severity::Refuse, rule),
        };
        self.add(severity, class, rule, evidence);
    }

    /// The act is to be asked about under every policy that does not refuse it.
    pub(super) fn ask(&mut self, class: ActClass, rule: Rule, evidence: &str) {
        let refused = self.policy.treatment(class) == Treatment::Deny;
        let severity = if refused { Severity::Refuse } else { Severity::Ask };
        self.add(severity, class, rule, evidence);
    }

    /// The act is refused.
    pub(super) fn deny(&mut self, class: ActClass, rule: Rule, evidence: &str) {
        self.add(Severity::Refuse, class, rule, evidence);
    }

    /// Why the act may pass.
    pub(super) fn pass(&mut self, rule: Rule, evidence: &str) {
        self.add(Severity::Pass, ActClass::Change, rule, evidence);
    }

    /// How much was found.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    fn add(&mut self, severity: Severity, class: ActClass, rule: Rule, evidence: &str) {
        let evidence = shown(evidence);
        self.found.push(GateFinding { severity, class, rule, evidence });
    }

    /// The strictest finding decides; of several alike the first, which is about the most.
    pub(super) fn verdict(self) -> Verdict {
        let Self { request, found, .. } = self;
        let Some(strictest) = found.iter().map(|it| it.severity).max() else {
            return Verdict {
                decision: GateDecision::Allow,
                rule: Rule::Harmless,
                evidence: String::new(),
            };
        };
        let mut found = found.into_iter().filter(|it| it.severity == strictest);
        let first = found.next();
        let Some(GateFinding { severity, class, rule, evidence }) = first else {
            unreachable!("the strictest of them is among them")
        };
        let decision = match severity {
            Severity::Pass => GateDecision::Allow,
            Severity::Ask => GateDecision::Confirm(ask(request, class, rule, &evidence)),
            Severity::Refuse => GateDecision::Deny(class),
        };
        Verdict { decision, rule, evidence }
    }
}

/// What the user is told: the app, the thing and the amount, all from the screen.
fn ask(request: &GateRequest<'_>, class: ActClass, rule: Rule, evidence: &str) -> Ask {
    let app = match (request.label, request.package) {
        ("", package) => package.to_owned(),
        (label, "") => label.to_owned(),
        (label, package) if label == package => package.to_owned(),
        (label, package) => format!("{label} ({package})"),
    };
    let screen = request.screen;
    let aimed = screen.aimed.iter().filter(|it| it.reacts).chain(&screen.aimed);
    let mut thing = match class {
        _ if rule == Rule::UnnamedSecret => evidence.to_owned(),
        // What is opened is named by the evidence, and what is marked by the model's own question.
        ActClass::Open | ActClass::Unreadable | ActClass::Install if screen.aimed.is_empty() => {
            evidence.to_owned()
        }
        _ => aimed
            .map(super::request::ControlFacts::name)
            .find(|it| !it.is_empty())
            .unwrap_or_else(|| without_ids(evidence))
            .to_owned(),
    };
    // The title of a screen or dialog says what its buttons are about.
    let title = screen.header.iter().chain(&screen.titles).chain(&screen.texts);
    let title = title.into_iter().find(|it| 2 < it.chars().count() && **it != thing);
    let title = title.filter(|_| rule != Rule::UnnamedSecret);
    if let Some(title) = title {
        // A title alone tells whom an enter sends something to.
        if !thing.is_empty() {
            thing = format!("{thing} – {title}");
        } else if !evidence.is_empty() {
            thing.clone_from(title);
        }
    }
    let about_money =
        matches!(class, ActClass::Pay | ActClass::Order | ActClass::Transfer | ActClass::Install);
    let amount = about_money.then(|| amount::on_screen(screen)).flatten();
    let of_row = matches!(class, ActClass::Delete | ActClass::Call) && !screen.line.is_empty();
    let content = match class {
        ActClass::Send | ActClass::Publish => content(request),
        ActClass::Delete if !of_row => {
            Some(screen.filled.clone()).filter(|it| !it.is_empty() && *it != thing)
        }
        _ => None,
    };
    let has_about = about_money
        || matches!(
            class,
            ActClass::Delete
                | ActClass::Grant
                | ActClass::Call
                | ActClass::Send
                | ActClass::Publish
        );
    let named = [title.map_or("", String::as_str), amount.as_deref().unwrap_or_default()];
    let about = (has_about && content.is_none())
        .then(|| about_what(screen, if of_row { &screen.line } else { &screen.telling }, &named))
        .flatten();
    // A dialog, or the bar of what is selected, often does not say what will be gone.
    let touched = (class == ActClass::Delete && !of_row)
        .then(|| path::things(&request.history.path).find(|it| !it.is_empty()))
        .flatten()
        .map(shown);
    Ask {
        class,
        verb: if rule == Rule::UnnamedSecret { TYPE_SECRET } else { class.verb() },
        app,
        thing: shown(&thing),
        amount,
        content,
        about,
        touched,
        by_client: request.history.by_client,
    }
}

/// What the screen says beside the control that it is about, but for what the question names anyway: the row of a
/// list, the message of a dialog, whom money goes to.
fn about_what(screen: &ScreenFacts, texts: &[String], named: &[&str]) -> Option<String> {
    const MOST: usize = 5;
    let own = screen.aimed.iter().filter(|it| it.reacts).flat_map(|it| &it.names);
    let own: Vec<&String> = own.collect();
    let tells = |it: &&String| {
        let says_more = it.chars().any(char::is_alphanumeric);
        // The amount is named, so that what stands beside it tells nothing.
        let is_label = amount::is_total(it) && !it.contains(char::is_numeric);
        says_more && !is_label && !named.contains(&it.as_str()) && !own.contains(it)
    };
    let texts: Vec<&str> = texts.iter().filter(tells).map(String::as_str).take(MOST).collect();
    (!texts.is_empty()).then(|| texts.join(" · "))
}

/// The beginning of a text of the screen, without what turns its direction or hides in it: in an error, a question or
/// a record the words around it would look otherwise than they are.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c)).take(LONGEST).collect()
}

/// What was found, for people: the name of a control in an app's code tells them nothing.
fn without_ids(evidence: &str) -> &str {
    if evidence.contains(":id/") { "" } else { evidence }
}

/// What would be sent: what is typed together with the enter that sends it, else what stands in a field. What is
/// typed into a hiding field is never told.
fn content(request: &GateRequest<'_>) -> Option<String> {
    let text = match request.gesture {
        Gesture::Type { .. } if request.screen.hidden_input => return None,
        // What stands before it may be the hint of an empty field: not every phone tells them apart.
        Gesture::Type { text, .. } => text.clone(),
        _ => request.screen.draft.clone(),
    };
    (!text.trim().is_empty()).then_some(text)
}
