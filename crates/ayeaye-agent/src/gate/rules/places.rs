//! Where an act is done: the app, the part of the system, the address; and how much was done before.
use super::controls::is_decline;
use super::{acts, is_key, only_moves, touches};
use crate::gate::apps::{self, AppKind};
use crate::gate::class::ActClass;
use crate::gate::components::{self, SystemPart};
use crate::gate::findings::Findings;
use crate::gate::phrases;
use crate::gate::policy::{Treatment, lists_app, lists_host};
use crate::gate::request::{ControlFacts, GateRequest};
use crate::gate::text::{holds, normalized};
use crate::gate::verdict::Rule;
use crate::{DeviceCommand, Gesture};

/// How much was done before.
pub(in crate::gate) fn budgets(findings: &mut Findings<'_>) {
    let (bounds, request) = (findings.policy.budgets, findings.request);
    if let Some(most) = bounds.taps_per_minute
        && touches(request.gesture)
        && most <= request.history.taps
    {
        findings.deny(ActClass::Change, Rule::TapBudget, &format!("{most} in a minute"));
    }
    if let (Some(most), Gesture::Type { text, .. }) = (bounds.typed_characters, request.gesture) {
        let letters = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
        if most < request.history.typed.saturating_add(letters) {
            findings.deny(ActClass::Change, Rule::TypingBudget, &format!("{most} characters"));
        }
    }
}

/// Apps of lists: the one in front, and the one that is opened.
pub(in crate::gate) fn lists(findings: &mut Findings<'_>) {
    let (policy, request) = (findings.policy, findings.request);
    let mut check = |package: &str, always: bool| {
        if lists_app(&policy.deny_apps, package) {
            findings.deny(ActClass::Open, Rule::DeniedApp, package);
        }
        if !always && policy.allow_apps.iter().any(|list| !lists_app(list, package)) {
            findings.deny(ActClass::Open, Rule::AppNotListed, package);
        }
    };
    match request.gesture {
        Gesture::Awake { app }
        | Gesture::Command(DeviceCommand::StopApp { app } | DeviceCommand::Uninstall { app }) => {
            // A label says nothing about a package: what is done in the app is judged there.
            check(app, !app.contains('.'));
        }
        Gesture::Command(_) => {}
        gesture if is_key(gesture) => {}
        _ => {
            let package = request.package;
            let home = apps::kind_of(package) == Some(AppKind::Launcher);
            let system = package == "com.android.systemui";
            check(package, home || system);
        }
    }
}

/// A secret goes where it was given for.
pub(in crate::gate) fn secrets(findings: &mut Findings<'_>) {
    let request = findings.request;
    if !matches!(request.gesture, Gesture::Type { .. }) {
        return;
    }
    let elsewhere = |home: &&String| !home.is_empty() && **home != request.package;
    if let Some(home) = request.history.secrets.iter().find(elsewhere) {
        let evidence = format!("given for {home}");
        findings.deny(ActClass::Password, Rule::SecretElsewhere, &evidence);
    }
}

/// Parts of the system that give power over the phone, or ask for money.
pub(in crate::gate) fn system_parts(findings: &mut Findings<'_>) {
    let request = findings.request;
    if !acts(request) {
        return;
    }
    let Some(part) = part_in_front(request) else { return };
    let aimed = &request.screen.aimed;
    if aimed.iter().any(|it| it.reacts && is_decline(it)) {
        return;
    }
    let words = request.words;
    let mut class = part.class();
    let named = match part {
        SystemPart::PackageInstaller => {
            if request.activity.to_ascii_lowercase().contains("uninstall") {
                class = ActClass::Delete;
            }
            words.asks_for(class)
        }
        SystemPart::PermissionDialog => {
            words.asks_for(ActClass::Grant) || words.need_permission(&request.screen.texts)
        }
        SystemPart::PurchaseSheet => {
            words.asks_for(ActClass::Order) || words.asks_for(ActClass::Pay)
        }
        SystemPart::UnknownSources => words.asks_for(ActClass::Install) || words.name_part(part),
        SystemPart::Accessibility
        | SystemPart::DeveloperOptions
        | SystemPart::DeviceAdmin
        | SystemPart::Vpn
        | SystemPart::FactoryReset
        | SystemPart::SpecialAccess => words.name_part(part),
    };
    if !named && findings.policy.system_parts == Treatment::Deny {
        findings.deny(class, Rule::SystemPart, part.words());
    } else if named && components::is_settings(request.package) && only_leads_on(aimed) {
        findings.pass(Rule::AskedFor, part.words());
    } else {
        findings.ask(class, Rule::SystemPart, part.words());
    }
}

/// Whether a touch only leads to another screen: a row without a switch.
fn only_leads_on(aimed: &[ControlFacts]) -> bool {
    !aimed.is_empty()
        && !aimed
            .iter()
            .any(|it| it.switch || it.is_field() || it.reacts && it.kind.contains("Button"))
}

/// What dialogs say before a service may read the screen and act.
#[rustfmt::skip]
const FULL_CONTROL: &[&str] = &[
    "full control of your device", "view and control screen", "view and perform actions", "control total", "contrôler intégralement", "contrôle total", "volle kontrolle", "uneingeschränkte kontrolle",
    "controle total", "pieno controllo", "controllo completo", "volledige controle", "pełną kontrolę", "tam denetim", "tam kontrol", "полный контроль", "повний контроль", "完全控制", "完全控制您的设备", "フル コントロール", "フルコントロール", "완전히 제어", "모든 권한",
    "التحكم الكامل", "पूरा कंट्रोल", "पूरी तरह कंट्रोल", "kontrol penuh", "toàn quyền kiểm soát", "ควบคุมอุปกรณ์โดยสมบูรณ์",
];

/// The part of the system in front: by its component; in the settings also by the title of the screen, by
/// what was touched on the way there, and by what its dialogs say.
fn part_in_front(request: &GateRequest<'_>) -> Option<SystemPart> {
    if let Some(part) = components::part_of(request.package, request.activity) {
        return Some(part);
    }
    if !components::is_settings(request.package) {
        return None;
    }
    let screen = request.screen;
    let titles = screen.titles.iter().chain(&screen.header);
    let titled = titles.into_iter().find_map(|it| phrases::area_titled(&normalized(it)));
    if let Some(phrase) = titled {
        return Some(phrase.of);
    }
    let says = |text: &String| {
        let text = normalized(text);
        FULL_CONTROL.iter().any(|it| holds(&text, &normalized(it)))
    };
    if screen.texts.iter().any(says) {
        return Some(SystemPart::Accessibility);
    }
    // A page behind the title of one: it is called as the app or service that it is about.
    let last = request.history.touched.iter().rev().take(3);
    last.into_iter().find_map(|it| phrases::area_titled(&normalized(it))).map(|it| it.of)
}

/// Addresses that are opened or typed.
pub(in crate::gate) fn addresses(findings: &mut Findings<'_>) {
    let request = findings.request;
    let (text, typed) = match request.gesture {
        Gesture::Command(DeviceCommand::OpenUrl { url }) => (url.as_str(), false),
        Gesture::Type { text, point, .. } => {
            let field = match point {
                Some(_) => request.screen.aimed.iter().find(|it| it.is_field()),
                None => request.screen.focused.as_ref(),
            };
            let bar = field.is_some_and(|it| {
                let id = it.resource_id.to_ascii_lowercase();
                [
                    "url_bar",
                    "location_bar",
                    "url_field",
                    "omnibox",
                    "address_bar",
                    "mozac_browser_toolbar",
                ]
                .iter()
                .any(|name| id.contains(name))
            });
            if !bar && apps::kind_of(request.package) != Some(AppKind::Browser) {
                return;
            }
            (text.as_str(), true)
        }
        _ => return,
    };
    let Some(address) = Address::read(text, typed) else { return };
    let policy = findings.policy;
    let Address { host, odd } = address;
    if odd {
        findings.deny(ActClass::Open, Rule::DeniedHost, &host);
        return;
    }
    if lists_host(&policy.deny_hosts, &host) {
        findings.deny(ActClass::Open, Rule::DeniedHost, &host);
    }
    if policy.allow_hosts.iter().any(|list| !lists_host(list, &host)) {
        findings.deny(ActClass::Open, Rule::HostNotListed, &host);
    }
    let named = request.history.by_client && !typed || request.words.name_host(&host);
    findings.class(ActClass::Open, named, Rule::UnnamedAddress, &host);
}

/// An address in a text.
struct Address {
    /// Its host, or its scheme where it is odd.
    host: String,
    /// Its scheme does more than open a page.
    odd: bool,
}

impl Address {
    /// A typed text is an address if it has a scheme, or looks like the name of a host.
    fn read(text: &str, typed: bool) -> Option<Self> {
        let text = normalized(text);
        let text = text.trim();
        if let Some((scheme, _)) = text.split_once(':') {
            let odd =
                ["javascript", "intent", "data", "file", "content", "about", "chrome", "blob"];
            if odd.contains(&scheme) && typed {
                return Some(Self { host: scheme.to_owned(), odd: true });
            }
        }
        let rest = match text.split_once("://") {
            Some((scheme, rest)) if !scheme.contains(' ') => rest,
            Some(_) | None if typed && text.contains(char::is_whitespace) => return None,
            Some((_, rest)) => rest,
            None => text,
        };
        let end = |c: char| matches!(c, '/' | '?' | '#' | '\\') || c.is_whitespace();
        let authority = rest.split(end).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        let host = host.split(':').next().unwrap_or_default().trim_end_matches('.');
        let last = host.rsplit('.').next().unwrap_or_default();
        let named = host.contains('.')
            && (2 <= last.chars().count() && last.chars().all(char::is_alphabetic)
                || host.chars().all(|c| c.is_ascii_digit() || c == '.') && text.contains('/'));
        let with_scheme = text.contains("://");
        (!host.is_empty() && (named || with_scheme))
            .then(|| Self { host: host.to_owned(), odd: false })
    }
}

/// An app for money or secrets that the user has not named.
pub(in crate::gate) fn unnamed_apps(findings: &mut Findings<'_>) {
    let request = findings.request;
    let (package, label) = match request.gesture {
        Gesture::Awake { app } if app.contains('.') => (app.as_str(), ""),
        Gesture::Awake { app } => ("", app.as_str()),
        _ if acts(request) => (request.package, request.label),
        _ => return,
    };
    let kind = apps::kind_of(package).or_else(|| {
        // A label has blanks where a package has dots.
        package.is_empty().then(|| apps::kind_of(&label.replace(' ', "."))).flatten()
    });
    let kind =
        kind.filter(|it| matches!(it, AppKind::Banking | AppKind::Wallet | AppKind::Secrets));
    let Some(kind) = kind else { return };
    let name = if package.is_empty() { label } else { package };
    if request
        .history
        .approved_apps
        .iter()
        .any(|(class, app)| *class == ActClass::Open && app == name)
    {
        return;
    }
    let named = request.history.by_client || request.words.name_app(package, label, Some(kind));
    if !named {
        findings.class(ActClass::Open, false, Rule::UnnamedApp, name);
    }
}

/// A touch in an app for money or mail whose screen does not say what is touched.
pub(in crate::gate) fn unreadable_screens(findings: &mut Findings<'_>) {
    let request = findings.request;
    if request.screen.readable || !acts(request) || only_moves(request.gesture) {
        return;
    }
    let package = request.package;
    let kind = apps::kind_of(package).filter(|it| {
        matches!(
            it,
            AppKind::Banking | AppKind::Wallet | AppKind::Secrets | AppKind::Shop | AppKind::Mail
        )
    });
    let Some(kind) = kind else { return };
    let approved = &request.history.approved_apps;
    if approved.iter().any(|(class, app)| *class == ActClass::Unreadable && app == package) {
        return;
    }
    findings.class(ActClass::Unreadable, false, Rule::NoElements, &format!("{package}, {kind:?}"));
}
