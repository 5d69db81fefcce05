//! Reads the lines of the input, each a message, and says when the input has ended.
use rmcp::model::RequestId;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio_util::sync::CancellationToken;

use super::request_id::RequestIdScanner;

/// One line.
#[derive(Debug, PartialEq)]
pub(super) enum InputLine {
    /// Its bytes, without its end.
    Whole(Vec<u8>),
    /// It is longer than allowed; the id of the request it was, if it was one.
    Oversized(Option<RequestId>),
}

pub(super) struct LineReader<R> {
    inner: BufReader<R>,
    longest: usize,
    /// The line so far; nothing any more once it is too long.
    line: Vec<u8>,
    /// Bytes of the line so far.
    length: usize,
    scanner: RequestIdScanner,
    /// Cancelled at the end of the input.
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// `longest` counts the line's end.
    pub(super) fn new(inner: R, longest: usize, ended: CancellationToken) -> Self {
        let (inner, line) = (BufReader::new(inner), Vec::new());
        Self { inner, longest, line, length: 0, scanner: RequestIdScanner::default(), ended }
    }

    /// The next line; `None` at the end of the input, also in the middle of a line. Dropping the future
    /// loses nothing: what was read of a line stays here.
    pub(super) async fn next(&mut self) -> Option<InputLine> {
        loop {
            let bytes = match self.inner.fill_buf().await {
                Ok([]) => break,
                Ok(bytes) => bytes,
                Err(err) => {
                    tracing::error!("stdin cannot be read: {err}");
                    break;
                }
            };
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            let text = &bytes[..end.unwrap_or(bytes.len())];
            self.length = self.length.saturating_add(taken);
            for byte in text {
                self.scanner.scan(*byte);
            }
            if self.length <= self.longest {
                self.line.extend_from_slice(text);
            } else {
                self.line = Vec::new();
            }
            self.inner.consume(taken);
            if end.is_some() {
                let scanner = std::mem::take(&mut self.scanner);
                let line = std::mem::take(&mut self.line);
                let is_whole = std::mem::take(&mut self.length) <= self.longest;
                return Some(if is_whole {
                    InputLine::Whole(line)
                } else {
                    InputLine::Oversized(scanner.id())
                });
            }
        }
        self.ended.cancel();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(text: &str, longest: usize) -> (Vec<InputLine>, bool) {
        let ended = CancellationToken::new();
        let mut reader = LineReader::new(text.as_bytes(), longest, ended.clone());
        let mut found = Vec::new();
        while let Some(line) = reader.next().await {
            found.push(line);
        }
        (found, ended.is_cancelled())
    }

    #[tokio::test]
    async fn lines_are_whole_and_long_ones_are_told_with_their_id() {
        let long = "{\"id\":\"two\",\"method\":\"x\",\"x\":[\"long enough\"]}";
        let response = "{\"id\":\"two\",\"result\":[\"long enough\"]}";
        let text = format!("{{\"id\":1}}\n{long}\n{response}\n{{}}\nno end: {{\"id\":3 }}");
        let (found, ended) = read(&text, 12).await;
        let two = Some(RequestId::String("two".into()));
        let whole = |text: &str| InputLine::Whole(text.into());
        let (request, response) = (InputLine::Oversized(two), InputLine::Oversized(None));
        assert_eq!(found, [whole("{\"id\":1}"), request, response, whole("{}")]);
        assert!(ended);
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_not_too_long() {
        assert_eq!(read("{\"id\":1}\n", 9).await.0, [InputLine::Whole(b"{\"id\":1}".into())]);
        assert_eq!(read("{\"id\":1}\n", 8).await.0, [InputLine::Oversized(None)]);
    }

    #[tokio::test]
    async fn a_line_that_comes_in_pieces_is_put_together() {
        use tokio::io::AsyncWriteExt as _;
        let (mut input, output) = tokio::io::duplex(64);
        let mut reader = LineReader::new(output, 100, CancellationToken::new());
        input.write_all(b"{\"id\"").await.unwrap();
        // The wait is given up and begun anew.
        let begun = tokio::time::timeout(std::time::Duration::from_millis(1), reader.next()).await;
        assert!(begun.is_err());
        input.write_all(b":1}\n").await.unwrap();
        assert_eq!(reader.next().await, Some(InputLine::Whole(b"{\"id\":1}".into())));
    }
}
