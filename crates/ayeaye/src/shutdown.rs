//! How the program is asked to end.
use std::future::Future;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How long a transport waits for runs to stop and answers to be sent before it ends without them.
/// Less than the time after which common supervisors kill (systemd and Docker: 10 s at least).
pub const PATIENCE: Duration = Duration::from_secs(8);

/// A request to shut down, gracefully or at once.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Runs stop at the next safe point, answers are still sent, then everything ends.
    pub asked: CancellationToken,
    /// Everything ends at once.
    pub at_once: CancellationToken,
}

impl Shutdown {
    /// Listens for the signals that people and supervisors send to end a program (SIGINT, SIGTERM,
    /// SIGHUP; Ctrl-C on Windows). The first asks, the second ends at once.
    pub fn on_signals() -> std::io::Result<Self> {
        let shutdown = Self::default();
        let mut signals = Signals::new()?;
        let tokens = shutdown.clone();
        tokio::spawn(async move {
            signals.next().await;
            tracing::info!("shutting down; a second signal stops at once");
            tokens.asked.cancel();
            signals.next().await;
            tokens.at_once.cancel();
        });
        Ok(shutdown)
    }

    /// Waits for `work`, but not longer than [`PATIENCE`] and not after the second signal.
    pub(crate) async fn wait_for(&self, what: &str, work: impl Future<Output = ()>) {
        tokio::select! {
            () = work => {}
            () = self.at_once.cancelled() => {}
            () = tokio::time::sleep(PATIENCE) => {
                tracing::warn!("ending without {what}: not done after {PATIENCE:?}");
            }
        }
    }
}

#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "the same shape as on Unix")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if let Err(err) = tokio::signal::ctrl_c().await {
            tracing::warn!("cannot listen for Ctrl-C: {err}");
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn patience_ends() {
        let before = tokio::time::Instant::now();
        Shutdown::default().wait_for("the test", std::future::pending()).await;
        assert_eq!(before.elapsed(), PATIENCE);
    }

    #[tokio::test(start_paused = true)]
    async fn the_second_signal_ends_the_waiting() {
        let before = tokio::time::Instant::now();
        let shutdown = Shutdown::default();
        shutdown.at_once.cancel();
        shutdown.wait_for("the test", std::future::pending()).await;
        assert_eq!(before.elapsed(), Duration::ZERO);
    }
}
