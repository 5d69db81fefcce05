//! HTTP to servers on this machine, or wherever a person says.
use std::time::Duration;

/// A client that follows no redirects and gives up on whoever does not answer.
pub(super) fn http_client(timeout: Duration) -> reqwest::Result<reqwest::Client> {
    let provider = rustls::crypto::ring::default_provider();
    if provider.install_default().is_err() {
        tracing::trace!("TLS was set up before");
    }
    reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(2))
        .timeout(timeout)
        .redirect(reqwest::redirect::Policy::none())
        .build()
}
