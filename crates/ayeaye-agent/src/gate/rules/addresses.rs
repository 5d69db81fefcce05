//! Addresses that are opened or typed.
use crate::gate::apps::{self, AppKind};
use crate::gate::class::ActClass;
use crate::gate::findings::Findings;

use crate::gate::request::GateRequest;
use crate::gate::text::normalized;
use crate::gate::verdict::Rule;
use crate::host::lists_host;
use crate::{DeviceCommand, Gesture};

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
    let (text, typed) = match request.gesture {
        Gesture::Command(DeviceCommand::OpenUrl { url }) => (url.as_str(), false),
        Gesture::Type { text, .. } => {
            let browser = apps::kind_of(request.package) == Some(AppKind::Browser);
            if !is_in_address_bar(request) && !browser {
                return;
            }
            (text.as_str(), true)
        }
        _ => return,
    };
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
    let Gesture::Type { point, .. } = request.gesture else { return false };
    let field = match point {
        Some(_) => request.screen.aimed.iter().find(|it| it.is_field()),
        None => request.screen.focused.as_ref(),
    };
    field.is_some_and(|it| {
        let id = it.resource_id.to_ascii_lowercase();
        BARS.iter().any(|name| id.contains(name))
    })
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
        let text = normalized(text);
        let text = text.trim();
        if let Some((scheme, _)) = text.split_once(':') {
            if ODD.contains(&scheme) {
                return Some(Self::Odd(scheme.to_owned()));
            }
            if let Some((_, class)) = SCHEMES.iter().find(|(it, _)| *it == scheme) {
                return Some(Self::Acts(*class, scheme.to_owned()));
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
                || last.starts_with("xn--")
                || host.chars().all(|c| c.is_ascii_digit() || c == '.')
                    && (text.contains('/') || host.matches('.').count() == 3));
        let with_scheme = text.contains("://");
        (!host.is_empty() && (named || with_scheme)).then(|| Self::Page(host.to_owned()))
    }
}
