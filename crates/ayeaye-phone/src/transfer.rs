//! Bytes on their way to the client, as fast as the link carries them. All streams of a phone share one link.
use std::{
    fmt, io,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::AsyncWrite,
    time::{Instant, Sleep, sleep_until},
};

use crate::{faults::Faults, profile::Timing};

/// Most bytes that go out between two waits, so that streams take turns.
const PORTION: usize = 128 << 10;
/// Slow links wait this often in a second.
const PORTIONS: u64 = 20;
/// A timer that fires so late is made up for: a link that is in use does not pause for it.
const LATE: Duration = Duration::from_millis(5);

/// The link of a phone.
#[derive(Debug)]
pub(crate) struct Link {
    faults: Faults,
    bandwidth: Option<u64>,
    /// When it has carried all that it was given.
    free: Mutex<Option<Instant>>,
    sent: AtomicU64,
}

impl Link {
    pub(crate) fn new(timing: &Timing, faults: Faults) -> Self {
        Self {
            faults,
            bandwidth: timing.bandwidth,
            free: Mutex::default(),
            sent: AtomicU64::new(0),
        }
    }

    /// Bytes so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    fn note(&self, bytes: usize) {
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Bytes a second; `None` where nothing limits them.
    fn bandwidth(&self) -> Option<u64> {
        [self.bandwidth, self.faults.bandwidth()].into_iter().flatten().min()
    }

    /// When so many bytes more have arrived.
    fn carry(&self, bytes: usize, bandwidth: u64) -> Instant {
        let now = Instant::now();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = free.filter(|free| now < *free + LATE).unwrap_or(now);
        let nanos = u128::try_from(bytes).unwrap_or(u128::MAX).saturating_mul(1_000_000_000)
            / u128::from(bandwidth.max(1));
        let end = begin + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
        *free = Some(end);
        end
    }
}

/// What a service writes to, at the speed of its phone's link.
pub(crate) struct Paced {
    to: Box<dyn AsyncWrite + Send + Unpin>,
    link: Arc<Link>,
    /// Until the link has carried what comes next.
    wait: Option<Pin<Box<Sleep>>>,
    /// Bytes that it has carried and that are still to be handed on.
    carried: usize,
}

impl fmt::Debug for Paced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paced").field("carried", &self.carried).finish_non_exhaustive()
    }
}

impl Paced {
    pub(crate) fn new(to: Box<dyn AsyncWrite + Send + Unpin>, link: Arc<Link>) -> Self {
        Self { to, link, wait: None, carried: 0 }
    }
}

impl AsyncWrite for Paced {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let Some(bandwidth) = this.link.bandwidth() else {
            let written = ready!(Pin::new(&mut this.to).poll_write(context, bytes));
            this.link.note(written.as_ref().copied().unwrap_or_default());
            return Poll::Ready(written);
        };
        if this.carried == 0 && !bytes.is_empty() {
            let most = usize::try_from(bandwidth / PORTIONS).unwrap_or(PORTION).clamp(1, PORTION);
            let portion = bytes.len().min(most);
            let link = &this.link;
            let wait = this
                .wait
                .get_or_insert_with(|| Box::pin(sleep_until(link.carry(portion, bandwidth))));
            ready!(wait.as_mut().poll(context));
            this.wait = None;
            this.carried = portion;
        }
        let now = &bytes[..bytes.len().min(this.carried)];
        let written = ready!(Pin::new(&mut this.to).poll_write(context, now));
        if let Ok(written) = written {
            this.carried -= written;
            this.link.note(written);
        }
        Poll::Ready(written)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().to).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().to).poll_shutdown(context)
    }
}
