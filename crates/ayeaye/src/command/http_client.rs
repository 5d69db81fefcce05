//! HTTP to servers on this machine, or wherever a person says.
use std::time::Duration;

use crate::config::is_loopback;

/// A client for this address. It follows no redirects, gives up on whoever does not answer, and calls this
/// machine itself and not by a proxy.
pub(super) fn http_client(address: &str, timeout: Duration) -> reqwest::Result<reqwest::Client> {
    let provider = rustls::crypto::ring::default_provider();
    if provider.install_default().is_err() {
        tracing::trace!("TLS was set up before");
    }
    let mut builder = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(2))
        .timeout(timeout)
        .redirect(reqwest::redirect::Policy::none());
    if address.parse().is_ok_and(|url| is_loopback(&url)) {
        builder = builder.no_proxy();
    }
    builder.build()
}
