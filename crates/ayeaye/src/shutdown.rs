//! How the program is asked to end.
use std::future::Future;
use std::time::Duration;

use futures::FutureExt as _;
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
    /// SIGHUP; on Windows Ctrl-C, Ctrl-Break, a closed window, a user who logs off). The first asks, the second ends at once. From then on no signal ends the
    /// program by itself.
    pub fn on_signals() -> std::io::Result<Self> {
        let shutdown = Self::default();
        let mut signals = Signals::new()?;
        let tokens = shutdown.clone();
        tokio::spawn(
            async move {
                signals.next().await;
                tracing::info!("shutting down; a second signal stops at once");
                tokens.asked.cancel();
                signals.next().await;
                tokens.at_once.cancel();
            }
            .boxed(),
        );
        Ok(shutdown)
    }

    /// What this comes to, unless the program is asked to end before.
    pub(crate) async fn unless_asked<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.asked.cancelled() => None,
        }
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
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None` for a program that should outlive its terminal.
    hangup: Option<tokio::signal::unix::Signal>,
}

/// SIGXFSZ.
#[cfg(unix)]
const FILE_TOO_LARGE: i32 = 25;

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // A file beyond the system's limit (`ulimit -f`) fails to be written then, as on a full disk, and the run ends in
        // order. Unheard, it kills.
        drop(signal(SignalKind::from_raw(FILE_TOO_LARGE))?);
        let hangup = if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        })
    }

    async fn next(&mut self) {
        let Self { interrupt, terminate, hangup } = self;
        let hung_up = async {
            match hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hung_up => {}
        }
    }
}

/// Whether this program was started by `nohup`, whose promise to listen would break. Only Linux tells.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    ignores_hangup(&status)
}

/// Whether the first signal, SIGHUP, is in the mask of those that the process of this status ignores.
#[cfg(unix)]
fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(windows)]
struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    break_key: tokio::signal::windows::CtrlBreak,
    close: tokio::signal::windows::CtrlClose,
    log_off: tokio::signal::windows::CtrlLogoff,
    shutdown: tokio::signal::windows::CtrlShutdown,
}

#[cfg(windows)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::windows;
        Ok(Self {
            interrupt: windows::ctrl_c()?,
            break_key: windows::ctrl_break()?,
            close: windows::ctrl_close()?,
            log_off: windows::ctrl_logoff()?,
            shutdown: windows::ctrl_shutdown()?,
        })
    }

    /// After the last three Windows itself ends the program, some five seconds later.
    async fn next(&mut self) {
        let Self { interrupt, break_key, close, log_off, shutdown } = self;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = break_key.recv() => {}
            _ = close.recv() => {}
            _ = log_off.recv() => {}
            _ = shutdown.recv() => {}
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

    #[cfg(unix)]
    #[test]
    fn what_nohup_starts_outlives_its_terminal() {
        assert!(ignores_hangup("Name:\tx\nSigIgn:\t0000000000001001\nSigCgt:\t0\n"));
        assert!(!ignores_hangup("SigIgn:\t0000000000001000\nSigCgt:\t0000000000000001\n"));
        assert!(!ignores_hangup(""));
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
