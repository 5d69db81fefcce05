//! What belongs to the page of this server: its paths, its headers, its origin.
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
    X_FRAME_OPTIONS,
};

use super::resource::Resource;
use crate::config::{HostName, WebOrigin};

/// Nothing from elsewhere, nothing inline, no frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Whether this path belongs to the page.
pub(super) fn is_page(path: &str) -> bool {
    path == "/" || path == "/sign-in" || path.starts_with("/page/")
}

/// The headers of everything that belongs to the page.
pub(super) fn protect(headers: &mut HeaderMap) {
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (OPENER_POLICY, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// Whether an `Origin` is the one that this host's page has. The host was found to be one of ours.
pub(super) fn is_own_origin(resource: &Resource, host: &HostName, origin: &str) -> bool {
    let Ok(origin) = origin.parse::<WebOrigin>() else { return false };
    let of = |scheme: &str| format!("{scheme}://{host}").parse::<WebOrigin>().ok();
    // TLS ends at a proxy, so that a name in the settings may be either. One that is known to be
    // encrypted is not spoken to from a page that came unencrypted.
    // A proxy may pass on the name without the port that the browser's origin has, or put another of our names in its
    // place. The origin is what the browser says: no other site can have that of the settings.
    resource.is_page_at(&origin)
        || of("https").is_some_and(|own| own == origin)
        || (!resource.is_encrypted_at(host) && of("http").is_some_and(|own| own == origin))
}
