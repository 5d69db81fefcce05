//! What the rules find against an act, and the verdict that follows.
use super::amount;
use super::apps::{self, AppKind};
use super::class::ActClass;
use super::path;
use super::phrases;
use super::policy::{Policy, Treatment};
use super::request::{GateRequest, ScreenFacts};
use super::telling::{BETWEEN, quoted, quoted_of_money};
use super::text::{List, holds, normalized};
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

/// What signs out, and deletes nothing that one could see.
#[rustfmt::skip]
static SIGNS_OUT: List = List::new("log out|logout|sign out|signout|abmelden|ausloggen|se déconnecter|déconnexion|cerrar sesión|sair da conta|terminar sessão|esci dall'account|disconnetti account|uitloggen|afmelden|wyloguj|wyloguj się|oturumu kapat|выйти из аккаунта|выйти из учётной записи|вийти з акаунта|退出登录|登出|ログアウト|サインアウト|로그아웃|تسجيل الخروج|साइन आउट करें|लॉग आउट करें|logout dari akun|đăng xuất|ออกจากระบบ|logga ut|log ud|logg ut|kirjaudu ulos|odhlásit se|odhlásiť sa|kijelentkezés|deconectare|αποσύνδεση");

/// What hands in whatever a form is for: only where it is a post or a review it is published.
#[rustfmt::skip]
static SUBMITS: List = List::new("submit|submit form|submit application|submit answers|submit request|सबमिट करें");

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

/// Longest name of an app, in characters: whoever makes an app names it.
const LONGEST_LABEL: usize = 60;

/// What the user is told: the app, the thing and the amount, all from the screen.
fn ask(request: &GateRequest<'_>, class: ActClass, rule: Rule, evidence: &str) -> Ask {
    let label: String = request.label.chars().take(LONGEST_LABEL).collect();
    let app = match (label.as_str(), request.package) {
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
        ActClass::Open | ActClass::Install if screen.aimed.is_empty() => evidence.to_owned(),
        // The app is named already.
        ActClass::Unreadable if screen.aimed.is_empty() => {
            let rest = evidence.strip_prefix(request.package);
            rest.and_then(|it| it.strip_prefix(", ")).unwrap_or(evidence).to_owned()
        }
        _ => aimed
            .map(super::request::ControlFacts::name)
            .find(|it| !it.is_empty())
            .unwrap_or_else(|| for_people(evidence))
            .to_owned(),
    };
    let named = normalized(&thing);
    let signs_out = class == ActClass::Delete && SIGNS_OUT.iter().any(|it| holds(&named, it));
    let publishes = |it: &String| phrases::tells_of_publishing(&normalized(it));
    let submits = class == ActClass::Publish
        && SUBMITS.contains(&named)
        && apps::kind_of(request.package) != Some(AppKind::Social)
        && !screen.header.iter().chain(&screen.titles).any(publishes);
    // The title of a screen or dialog says what its buttons are about. An app is opened from wherever one is.
    let opens = matches!(request.gesture, Gesture::Awake { .. } | Gesture::Command(_));
    let title = screen.header.iter().chain(&screen.titles).chain(&screen.texts);
    let title = title.into_iter().find(|it| 2 < it.chars().count() && **it != thing);
    let title = title.filter(|_| rule != Rule::UnnamedSecret && !opens);
    if let Some(title) = title {
        // A title alone tells whom an enter sends something to.
        if !thing.is_empty() {
            thing = format!("{thing} – {title}");
        } else if !evidence.is_empty() {
            thing.clone_from(title);
        }
    }
    let moves_money = matches!(class, ActClass::Pay | ActClass::Order | ActClass::Transfer);
    let about_money = moves_money || class == ActClass::Install;
    let amount = about_money.then(|| amount::on_screen(screen)).flatten();
    let of_row = matches!(class, ActClass::Delete | ActClass::Call) && !screen.line.is_empty();
    // Where people write to each other, what is sent is a text too, whatever it seems to do.
    let writes = matches!(
        apps::kind_of(request.package),
        Some(AppKind::Messenger | AppKind::Mail | AppKind::Social)
    );
    let content = match class {
        ActClass::Send | ActClass::Publish => content(request),
        _ if moves_money && writes => content(request),
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
    let about = (has_about && (content.is_none() || moves_money)).then(|| {
        let tells = tells_more(screen, &named);
        if of_row {
            screen.line.iter().filter(|it| tells(it)).take(MOST_OF_ROW).cloned().collect()
        } else if moves_money {
            quoted_of_money(&screen.telling, tells)
        } else {
            quoted(&screen.telling, tells).into_iter().map(str::to_owned).collect::<Vec<_>>()
        }
    });
    let about = about.filter(|it| !it.is_empty()).map(|it| it.join(BETWEEN));
    // A dialog, or the bar of what is selected, often does not say what will be gone.
    let touched = (class == ActClass::Delete && !of_row && !signs_out)
        .then(|| path::things(&request.history.path).find(|it| !it.is_empty()))
        .flatten()
        .map(shown);
    Ask {
        class,
        verb: match class {
            _ if rule == Rule::UnnamedSecret => TYPE_SECRET,
            _ if signs_out => "sign out",
            _ if submits => "submit a form",
            _ => class.verb(),
        },
        app,
        thing: shown(&thing),
        amount,
        content,
        about,
        touched,
        whole_app: class == ActClass::Unreadable && covers_app(request.package),
        by_client: request.history.by_client,
    }
}

/// Most texts of a row that are quoted.
const MOST_OF_ROW: usize = 5;

/// Whether a yes to a touch of what a screen does not tell is one for the app: not where there is money.
pub(super) fn covers_app(package: &str) -> bool {
    !matches!(apps::kind_of(package), Some(AppKind::Banking | AppKind::Wallet))
}

/// Whether a text says something that the question does not name anyway.
fn tells_more<'a>(screen: &'a ScreenFacts, named: &'a [&str]) -> impl Fn(&String) -> bool + 'a {
    let own = screen.aimed.iter().filter(|it| it.reacts).flat_map(|it| &it.names);
    let own: Vec<&String> = own.collect();
    move |it| {
        let says_more = it.chars().any(char::is_alphanumeric);
        // The amount is named, so that what stands beside it tells nothing.
        let is_label = amount::is_total(it) && !it.contains(char::is_numeric);
        says_more && !is_label && !named.contains(&it.as_str()) && !own.contains(&it)
    }
}

/// The beginning of a text of the screen, without what turns its direction or hides in it: in an error, a question or
/// a record the words around it would look otherwise than they are.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !is_unseen(*c)).take(LONGEST).collect()
}

/// What was found, for people: neither the name of a control in an app's code nor the phrase that was known in a name
/// tells them anything.
fn for_people(evidence: &str) -> &str {
    let Some(name) = evidence.strip_prefix('"') else {
        return if evidence.contains(":id/") { "" } else { evidence };
    };
    name.rfind('"').map_or(name, |end| &name[..end])
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
