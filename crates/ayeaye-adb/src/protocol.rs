//! The adb server's protocol, one connection at a time.
//!
//! A request is four hexadecimal digits of length and the name of a service; the answer is `OKAY`
//! or `FAIL` and a text of the same form. Then the connection belongs to the service. See
//! AOSP, `packages/modules/adb/OVERVIEW.TXT` and `SERVICES.TXT`.
use std::io;

use bytes::BytesMut;
use futures::FutureExt as _;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::net::TcpStream;

/// The longest name of a service that four hexadecimal digits can announce.
pub(crate) const MAX_SERVICE: usize = 0xffff;

/// A TCP or Unix socket.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Send + Unpin {
    /// Has what has come acknowledged now, where the system can do that.
    fn acknowledge(&self) {}
}

impl Socket for TcpStream {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn acknowledge(&self) {
        if let Err(error) = self.set_quickack(true) {
            tracing::debug!(%error, "acknowledgements are delayed");
        }
    }
}

#[cfg(unix)]
impl Socket for tokio::net::UnixStream {}

#[cfg(test)]
impl Socket for tokio::io::DuplexStream {}

/// One connection to the adb server.
pub(crate) struct Connection(BufReader<Box<dyn Socket>>);

/// Why a request was refused, or its answer could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProtocolError {
    /// The server refuses, in its own words.
    #[error("{0}")]
    Failed(String),
    /// The connection ended in the middle.
    #[error("the connection ended")]
    Closed,
    /// The output of a command ended without its exit code: this came.
    #[error("the connection ended before the exit code")]
    NoExitCode(String),
    #[error("the connection broke: {0}")]
    Io(#[from] io::Error),
    /// The listener is not an adb server.
    #[error("what answers there is not an adb server")]
    NotAdb,
    /// What came is not the answer to what was asked.
    #[error("its shell answered something else than was asked")]
    OutOfTurn,
    #[error("the request is too long")]
    RequestTooLong,
    /// More than any answer needs.
    #[error("the answer has more than {0} bytes")]
    ResponseTooLong(usize),
}

impl Connection {
    pub(crate) fn new(pipe: impl Socket + 'static) -> Self {
        Self(BufReader::new(Box::new(pipe)))
    }

    /// Asks for a service and waits until it is granted.
    pub(crate) async fn request(&mut self, service: &str) -> Result<(), ProtocolError> {
        self.send_request(service).await?;
        self.read_status().await
    }

    async fn send_request(&mut self, service: &str) -> Result<(), ProtocolError> {
        if MAX_SERVICE < service.len() {
            return Err(ProtocolError::RequestTooLong);
        }
        let request = format!("{:04x}{service}", service.len());
        self.0.write_all(request.as_bytes()).await?;
        self.0.flush().await?;
        Ok(())
    }

    async fn read_status(&mut self) -> Result<(), ProtocolError> {
        let mut status = [0; 4];
        self.read_exact(&mut status).await?;
        match &status {
            b"OKAY" => Ok(()),
            b"FAIL" => {
                let reason = self.read_block(MAX_SERVICE).await?;
                Err(ProtocolError::Failed(String::from_utf8_lossy(&reason).into_owned()))
            }
            _ => Err(ProtocolError::NotAdb),
        }
    }

    /// A text after four hexadecimal digits of length.
    pub(crate) async fn read_block(&mut self, max: usize) -> Result<Vec<u8>, ProtocolError> {
        let mut digits = [0; 4];
        self.read_exact(&mut digits).await?;
        self.read_body(digits, max).await
    }

    /// A text whose length is known.
    async fn read_body(&mut self, digits: [u8; 4], max: usize) -> Result<Vec<u8>, ProtocolError> {
        let length = std::str::from_utf8(&digits)
            .ok()
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|d| usize::from_str_radix(d, 16).ok())
            .ok_or(ProtocolError::NotAdb)?;
        if max < length {
            return Err(ProtocolError::ResponseTooLong(max));
        }
        let mut body = vec![0; length];
        self.read_exact(&mut body).await?;
        Ok(body)
    }

    /// Like [`read_block`](Self::read_block), for services that the server grants before it knows whether
    /// they succeed: a `FAIL` with its reason may follow the `OKAY`.
    pub(crate) async fn read_late_answer(&mut self, max: usize) -> Result<Vec<u8>, ProtocolError> {
        let mut digits = [0; 4];
        self.read_exact(&mut digits).await?;
        if &digits == b"FAIL" {
            let reason = self.read_block(MAX_SERVICE).await?;
            return Err(ProtocolError::Failed(String::from_utf8_lossy(&reason).into_owned()));
        }
        self.read_body(digits, max).await
    }

    /// Exactly this many bytes.
    pub(crate) async fn read_exact(&mut self, buffer: &mut [u8]) -> Result<(), ProtocolError> {
        match self.0.read_exact(buffer).await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Err(ProtocolError::Closed)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Some more bytes at the end of the buffer; 0 at the end of the stream.
    pub(crate) async fn read_some(
        &mut self,
        buffer: &mut BytesMut,
    ) -> Result<usize, ProtocolError> {
        Ok(self.0.read_buf(buffer).await?)
    }

    /// Has what was read acknowledged now. adb's server holds back the second of two small answers until the first
    /// is acknowledged (Nagle's algorithm), which otherwise takes 40 ms on a connection that goes both ways.
    pub(crate) fn acknowledge(&self) {
        self.0.get_ref().acknowledge();
    }

    /// Whether nothing has come that was not read, nor its end.
    pub(crate) fn is_silent(&mut self) -> bool {
        self.0.fill_buf().now_or_never().is_none()
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), ProtocolError> {
        self.0.write_all(bytes).await?;
        self.0.flush().await?;
        Ok(())
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answered(answer: &'static [u8]) -> Result<(), ProtocolError> {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        theirs.write_all(answer).await.unwrap();
        theirs.shutdown().await.unwrap();
        Connection::new(ours).request("host:version").await
    }

    #[tokio::test]
    async fn answers_are_told_apart() {
        assert!(answered(b"OKAY").await.is_ok());
        assert!(
            matches!(answered(b"FAIL0004oops").await, Err(ProtocolError::Failed(r)) if r == "oops")
        );
        assert!(matches!(answered(b"OK").await, Err(ProtocolError::Closed)));
        assert!(matches!(answered(b"FAIL00ffoops").await, Err(ProtocolError::Closed)));
        assert!(matches!(answered(b"FAIL+0ffoops").await, Err(ProtocolError::NotAdb)));
        assert!(matches!(answered(b"HTTP/1.1 400").await, Err(ProtocolError::NotAdb)));
    }

    #[tokio::test]
    async fn a_request_that_does_not_fit_is_not_sent() {
        let (ours, _theirs) = tokio::io::duplex(64);
        let long = "x".repeat(MAX_SERVICE + 1);
        assert!(matches!(
            Connection::new(ours).request(&long).await,
            Err(ProtocolError::RequestTooLong)
        ));
    }
}
