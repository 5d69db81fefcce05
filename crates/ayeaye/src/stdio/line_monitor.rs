//! A reader that passes every byte on and reports lines that are too long, and the end of the input.
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::model::RequestId;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::request_id::RequestIdScanner;

/// A line that was longer than allowed, which the reader behind this one drops.
#[derive(Debug, PartialEq)]
pub(super) struct OversizedLine {
    /// The id of the request it was, when it had one.
    pub(super) id: Option<RequestId>,
}

pub(super) struct LineMonitor<R> {
    inner: R,
    longest: usize,
    /// Bytes of the line so far.
    length: usize,
    scanner: RequestIdScanner,
    report: mpsc::Sender<OversizedLine>,
    /// Cancelled at the end of the input.
    ended: CancellationToken,
}

impl<R> LineMonitor<R> {
    /// `longest` counts the line's end, as rmcp's own limit does.
    pub(super) fn new(
        inner: R,
        longest: usize,
        report: mpsc::Sender<OversizedLine>,
        ended: CancellationToken,
    ) -> Self {
        Self { inner, longest, length: 0, scanner: RequestIdScanner::default(), report, ended }
    }

    fn scan(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.length = self.length.saturating_add(1);
            if *byte != b'\n' {
                self.scanner.scan(*byte);
                continue;
            }
            let scanner = std::mem::take(&mut self.scanner);
            if self.longest < std::mem::take(&mut self.length) {
                let oversized = OversizedLine { id: scanner.id() };
                if let Err(err) = self.report.try_send(oversized) {
                    tracing::warn!("a line that was too long gets no answer: {err}");
                }
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineMonitor<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = ready!(Pin::new(&mut self.inner).poll_read(cx, buf));
        let new = buf.filled().get(before..).unwrap_or_default();
        if (new.is_empty() && 0 < buf.remaining()) || read.is_err() {
            self.ended.cancel();
        }
        self.scan(new);
        Poll::Ready(read)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn watch(text: &str, longest: usize) -> (String, Vec<OversizedLine>, bool) {
        let (report, mut reported) = mpsc::channel(16);
        let ended = CancellationToken::new();
        let mut watch = LineMonitor::new(text.as_bytes(), longest, report, ended.clone());
        let mut passed = String::new();
        watch.read_to_string(&mut passed).await.unwrap();
        drop(watch);
        let mut found = Vec::new();
        while let Some(line) = reported.recv().await {
            found.push(line);
        }
        (passed, found, ended.is_cancelled())
    }

    #[tokio::test]
    async fn everything_passes_and_long_lines_are_reported_with_their_id() {
        let text = "{\"id\":1}\n{\"id\":\"two\",\"x\":[\"long enough\"]}\n{}\nno end: {\"id\":3 }";
        let (passed, found, ended) = watch(text, 12).await;
        assert_eq!(passed, text);
        assert_eq!(found, [OversizedLine { id: Some(RequestId::String("two".into())) }]);
        assert!(ended);
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_not_too_long() {
        assert_eq!(watch("{\"id\":1}\n", 9).await.1, []);
        let id = Some(RequestId::Number(1));
        assert_eq!(watch("{\"id\":1}\n", 8).await.1, [OversizedLine { id }]);
    }
}
