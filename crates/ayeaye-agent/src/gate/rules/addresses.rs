//! Addresses that are opened or typed.
use crate::gate::apps::{self, AppKind};
use crate::gate::class::ActClass;
use crate::gate::findings::Findings;
use crate::gate::request::{ControlFacts, GateRequest};
use crate::gate::text::normalized;
use crate::gate::verdict::Rule;
use crate::host::{host_of, lists_host};
use crate::{DeviceCommand, Gesture, Key};

/// Parts of the resource ids of address bars.
const BARS: [&str; 6] =
    ["url_bar", "location_bar", "url_field", "omnibox", "address_bar", "mozac_browser_toolbar"];

/// Schemes that run something, or reach into the phone.
const ODD: &[&str] = &[
    "javascript",
    "intent",
    "android-app",
    "data",
    "file",
    "content",
    "about",
    "chrome",
    "blob",
    "view-source",
];

/// Schemes that are more than pages, and what they do.
#[rustfmt::skip]
const SCHEMES: &[(&str, ActClass)] = &[
    ("tel", ActClass::Call), ("callto", ActClass::Call), ("sip", ActClass::Call), ("facetime", ActClass::Call),
    ("sms", ActClass::Send), ("smsto", ActClass::Send), ("mms", ActClass::Send), ("mmsto", ActClass::Send), ("mailto", ActClass::Send), ("whatsapp", ActClass::Send), ("tg", ActClass::Send), ("xmpp", ActClass::Send),
    ("upi", ActClass::Pay), ("paypal", ActClass::Pay), ("bitcoin", ActClass::Pay), ("ethereum", ActClass::Pay), ("litecoin", ActClass::Pay), ("lightning", ActClass::Pay), ("alipays", ActClass::Pay), ("alipay", ActClass::Pay), ("weixin", ActClass::Pay), ("venmo", ActClass::Pay), ("pix", ActClass::Pay),
    ("market", ActClass::Open), ("samsungapps", ActClass::Open), ("appmarket", ActClass::Open), ("package", ActClass::Delete), ("ftp", ActClass::Open), ("smb", ActClass::Open),
];

/// Addresses that are opened or typed.
pub(in crate::gate) fn addresses(findings: &mut Findings<'_>) {
    let request = findings.request;
    if let Gesture::Command(DeviceCommand::OpenUrl { url }) = request.gesture {
        address(findings, url, false);
        return;
    }
    let browser = || apps::kind_of(request.package) == Some(AppKind::Browser);
    match request.gesture {
        Gesture::Type { text, .. } if is_in_address_bar(request) || browser() => {
            let before = address_field(request).map_or("", |it| it.content.as_str());
            // In pieces: what stood there was no address yet. What was one is replaced.
            let whole = Address::read(before, true).is_none().then(|| format!("{before}{text}"));
            // Each line that ends is opened.
            for line in text.lines() {
                address(findings, line, true);
            }
            if let Some(whole) = whole.filter(|_| !before.is_empty()) {
                address(findings, &whole, true);
            }
        }
        Gesture::HotKey { key: Key::Enter } if is_in_address_bar(request) => {
            if let Some(field) = address_field(request) {
                address(findings, &field.content, true);
            }
        }
        _ => {}
    }
}

/// An address, typed or opened.
fn address(findings: &mut Findings<'_>, text: &str, typed: bool) {
    let request = findings.request;
    let policy = findings.policy;
    let host = match Address::read(text, typed) {
        None => return,
        Some(Address::Odd(scheme)) => {
            findings.deny(ActClass::Open, Rule::DeniedHost, &scheme);
            return;
        }
        Some(Address::Acts(class, scheme)) => {
            let rest = text.split_once(':').map_or("", |(_, rest)| rest.trim_start_matches('/'));
            let asked = request.words.asks_for(class) && request.words.hold_text(rest);
            findings.class(class, asked, Rule::UnnamedAddress, &scheme);
            return;
        }
        Some(Address::Page(host)) => host,
    };
    if lists_host(&policy.deny_hosts, &host) {
        findings.deny(ActClass::Open, Rule::DeniedHost, &host);
    }
    if policy.allow_hosts.iter().any(|list| !lists_host(list, &host)) {
        findings.deny(ActClass::Open, Rule::HostNotListed, &host);
    }
    let named = request.history.by_client && !typed || request.words.name_host(&host);
    findings.class(ActClass::Open, named, Rule::UnnamedAddress, &host);
}

/// Whether something is typed into the address bar of a browser.
pub(super) fn is_in_address_bar(request: &GateRequest<'_>) -> bool {
    address_field(request).is_some_and(|it| {
        let id = it.resource_id.to_ascii_lowercase();
        BARS.iter().any(|name| id.contains(name))
    })
}

/// The field into which something is typed, or that has the focus.
fn address_field<'a>(request: &GateRequest<'a>) -> Option<&'a ControlFacts> {
    match request.gesture {
        Gesture::Type { point: Some(_), .. } => {
            request.screen.aimed.iter().find(|it| it.is_field())
        }
        Gesture::Type { point: None, .. } | Gesture::HotKey { .. } => {
            request.screen.focused.as_ref()
        }
        _ => None,
    }
}

/// An address in a text.
enum Address {
    /// The host of a page.
    Page(String),
    /// A scheme that does more than open a page, and what it does.
    Acts(ActClass, String),
    /// A scheme that nobody needs.
    Odd(String),
}

impl Address {
    /// A typed text is an address if it has a scheme, or looks like the name of a host.
    fn read(text: &str, typed: bool) -> Option<Self> {
        let plain = normalized(text);
        if let Some((scheme, _)) = plain.trim().split_once(':') {
            if ODD.contains(&scheme) {
                return Some(Self::Odd(scheme.to_owned()));
            }
            if let Some((_, class)) = SCHEMES.iter().find(|(it, _)| *it == scheme) {
                return Some(Self::Acts(*class, scheme.to_owned()));
            }
        }
        let text = text.trim();
        let scheme = plain.split_once(':').map(|(scheme, _)| scheme);
        let with_scheme = plain.contains("://") || matches!(scheme, Some("http" | "https"));
        if typed && text.contains(char::is_whitespace) && !with_scheme {
            return None;
        }
        let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
        let written = rest.split(['/', '?', '#', '\\', ':']).next().unwrap_or_default();
        let Some(host) = host_of(text) else {
            // What no browser should open, but has the form of an address.
            return with_scheme.then(|| Self::Page(normalized(written)));
        };
        let last = host.rsplit('.').next().unwrap_or_default();
        let numbers =
            host.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '[' | ']' | ':'));
        let named = host.contains('.')
            && (2 <= last.chars().count() && last.chars().all(char::is_alphabetic)
                || last.starts_with("xn--")
                || numbers && (text.contains('/') || written.matches('.').count() == 3));
        (named || with_scheme || host.starts_with('[')).then_some(Self::Page(host))
    }
}
