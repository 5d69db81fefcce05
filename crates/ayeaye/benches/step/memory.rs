//! What this process holds and has worked, where the system says it as Linux does.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

/// Between two looks.
const SAMPLING: Duration = Duration::from_millis(50);

/// Resident memory in MiB, to a hundredth.
pub(crate) fn resident_mib() -> Option<f64> {
    resident_kib().map(mib)
}

fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
fn mib(kib: u64) -> f64 {
    (kib as f64 / 10.24).round() / 100.0
}

/// Watches memory as long as it lives.
pub(crate) struct Peak {
    most: Arc<AtomicU64>,
    watching: JoinHandle<()>,
}

impl Peak {
    pub(crate) fn watch() -> Self {
        let most = Arc::new(AtomicU64::new(0));
        let seen = most.clone();
        let watching = tokio::spawn(async move {
            loop {
                seen.fetch_max(resident_kib().unwrap_or_default(), Ordering::Relaxed);
                sleep(SAMPLING).await;
            }
        });
        Self { most, watching }
    }

    /// The most since it began, in MiB.
    pub(crate) fn mib(&self) -> f64 {
        mib(self.most.load(Ordering::Relaxed))
    }
}

impl Drop for Peak {
    fn drop(&mut self) {
        self.watching.abort();
    }
}

/// Processor time of this process with all its threads, in milliseconds.
pub(crate) fn processor_ms() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks and parentheses; in hundredths of a second.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) * 10.0)
}
