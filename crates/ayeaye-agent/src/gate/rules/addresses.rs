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
        gesture if presses_key(gesture, request) && is_in_address_bar(request) => {
            if let Some(field) = address_field(request) {
                address(findings, &field.content, true);
            }
        }
        _ => {}
    }
}

/// Whether what is typed may be sent off by a key.
fn presses_key(gesture: &Gesture, request: &GateRequest<'_>) -> bool {
    matches!(gesture, Gesture::HotKey { key: Key::Enter }) || request.screen.on_keyboard
}

/// An address, typed or opened.
fn address(findings: &mut Findings<'_>, text: &str, typed: bool) {
    let request = findings.request;
    let policy = findings.policy;
    // Browsers leave out tabs and line breaks.
    let text = &text.replace(['\t', '\r', '\n'], "");
    let host = match Address::read(text, typed) {
        None if typed || text.trim().is_empty() => return,
        // What is opened and cannot be read is no page.
        None => {
            findings.class(ActClass::Open, false, Rule::UnnamedAddress, text);
            return;
        }
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
    let by_client = request.history.by_client && !typed;
    let named = |host: &str| by_client || request.words.name_host(host);
    let plain = by_client || is_plain(text) || request.words.hold_text(text);
    findings.class(ActClass::Open, named(&host) && plain, Rule::UnnamedAddress, &host);
    // Where a page leads on to another.
    for inner in hosts_within(text).into_iter().filter(|it| *it != host) {
        if lists_host(&policy.deny_hosts, &inner) {
            findings.deny(ActClass::Open, Rule::DeniedHost, &inner);
        }
        if policy.allow_hosts.iter().any(|list| !lists_host(list, &inner)) {
            findings.deny(ActClass::Open, Rule::HostNotListed, &inner);
        }
        findings.class(ActClass::Open, named(&inner), Rule::UnnamedAddress, &inner);
    }
}

/// Whether an address holds neither a name for its host nor a port of its own, which lead elsewhere than they look.
fn is_plain(text: &str) -> bool {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    !authority.contains('@') && matches!(port, "" | "80" | "443")
}

/// The hosts to which an address leads on: those of addresses in its path and its parameters.
fn hosts_within(text: &str) -> Vec<String> {
    /// Parameters that hold an address, with or without a scheme.
    #[rustfmt::skip]
    const LEADS: [&str; 24] = [
        "u", "url", "uri", "to", "next", "continue", "redirect", "redirect_uri", "redirect_url", "return", "returnto", "return_to", "returnurl", "dest", "destination", "target", "link", "goto", "go", "href", "site", "page", "out", "forward",
    ];
    /// Addresses are written in addresses that are written in addresses.
    const DEEPEST: usize = 4;
    let mut found = Vec::new();
    let mut text = text.to_owned();
    for _ in 0..DEEPEST {
        let rest = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
        let inside = rest.find(['/', '?', '#']).map_or("", |at| &rest[at..]);
        for (at, mark) in inside.match_indices("//") {
            found.extend(host_of(&inside[at + mark.len()..]));
        }
        for scheme in ["http:", "https:"] {
            found.extend(inside.match_indices(scheme).filter_map(|(at, _)| host_of(&inside[at..])));
        }
        // "/amp/s/evil.example/": a page that shows another.
        for mark in ["/amp/s/", "/amp/", "/c/s/"] {
            let next = inside
                .find(mark)
                .map(|at| inside[at + mark.len()..].split('/').next().unwrap_or_default());
            found.extend(next.filter(|it| it.contains('.')).and_then(host_of));
        }
        let parameters = inside.split(['?', '&', '#', ';']).filter_map(|it| it.split_once('='));
        for (name, value) in parameters {
            let host = value.split(['/', '?']).next().unwrap_or_default();
            let last = host.rsplit('.').next().unwrap_or_default();
            let is_host =
                host.contains('.') && 2 <= last.len() && last.chars().all(char::is_alphabetic);
            if is_host && LEADS.contains(&name.to_ascii_lowercase().as_str()) {
                found.extend(host_of(value));
            }
        }
        let decoded = percent_decoded(&text);
        if decoded == text {
            break;
        }
        text = decoded;
    }
    found.retain(|it| it.contains('.'));
    found.sort_unstable();
    found.dedup();
    found
}

/// A text with what is written as `%2F` in its place.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let hex = more.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let byte = hex.and_then(|it| u8::from_str_radix(it, 16).ok());
        let encoded = byte.filter(|_| *first == b'%');
        bytes.push(encoded.unwrap_or(*first));
        rest = if encoded.is_some() { more.get(2..).unwrap_or_default() } else { more };
    }
    String::from_utf8_lossy(&bytes).into_owned()
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
        _ => request.screen.focused.as_ref().filter(|_| request.screen.on_keyboard),
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
