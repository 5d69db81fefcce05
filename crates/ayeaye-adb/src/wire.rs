//! The adb server's protocol, one connection at a time.
//!
//! A request is four hexadecimal digits of length and the name of a service; the answer is `OKAY`
//! or `FAIL` and a text of the same form. Then the connection belongs to the service. Written down
//! in AOSP, `packages/modules/adb/OVERVIEW.TXT` and `SERVICES.TXT`.
use std::io;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader};

/// The longest name of a service that four hexadecimal digits can announce.
pub(crate) const LONGEST_SERVICE: usize = 0xffff;

/// Either kind of socket.
pub(crate) trait Pipe: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Pipe for T {}

/// One connection to the adb server.
pub(crate) struct Wire(BufReader<Box<dyn Pipe>>);

/// Why a request was not taken, or its answer not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// The server said no, in its own words.
    #[error("{0}")]
    Failed(String),
    /// It ended in the middle.
    #[error("the connection ended")]
    Ended,
    #[error("the connection broke: {0}")]
    Broken(#[from] io::Error),
    /// Whoever listens there is not an adb server.
    #[error("what answers there is not an adb server")]
    NotAdb,
    #[error("the request is too long")]
    TooLong,
    /// More than anybody can have to say.
    #[error("the answer has more than {0} bytes")]
    Flood(usize),
}

impl Wire {
    pub(crate) fn new(pipe: impl Pipe + 'static) -> Self {
        Self(BufReader::new(Box::new(pipe)))
    }

    /// Asks for a service and waits until it is granted.
    pub(crate) async fn request(&mut self, service: &str) -> Result<(), WireError> {
        self.ask(service).await?;
        self.granted().await
    }

    async fn ask(&mut self, service: &str) -> Result<(), WireError> {
        if LONGEST_SERVICE < service.len() {
            return Err(WireError::TooLong);
        }
        let request = format!("{:04x}{service}", service.len());
        self.0.write_all(request.as_bytes()).await?;
        self.0.flush().await?;
        Ok(())
    }

    async fn granted(&mut self) -> Result<(), WireError> {
        let mut status = [0; 4];
        self.fill(&mut status).await?;
        match &status {
            b"OKAY" => Ok(()),
            b"FAIL" => {
                let reason = self.body(LONGEST_SERVICE).await?;
                Err(WireError::Failed(String::from_utf8_lossy(&reason).into_owned()))
            }
            _ => Err(WireError::NotAdb),
        }
    }

    /// A text announced by four hexadecimal digits.
    pub(crate) async fn body(&mut self, most: usize) -> Result<Vec<u8>, WireError> {
        let mut digits = [0; 4];
        self.fill(&mut digits).await?;
        let length = std::str::from_utf8(&digits)
            .ok()
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|d| usize::from_str_radix(d, 16).ok())
            .ok_or(WireError::NotAdb)?;
        if most < length {
            return Err(WireError::Flood(most));
        }
        let mut body = vec![0; length];
        self.fill(&mut body).await?;
        Ok(body)
    }

    /// Exactly this many bytes.
    pub(crate) async fn fill(&mut self, buffer: &mut [u8]) -> Result<(), WireError> {
        match self.0.read_exact(buffer).await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(WireError::Ended),
            Err(error) => Err(error.into()),
        }
    }

    /// Some more bytes at the end of the buffer; 0 at the end of the stream.
    pub(crate) async fn more(&mut self, buffer: &mut BytesMut) -> Result<usize, WireError> {
        Ok(self.0.read_buf(buffer).await?)
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        self.0.write_all(bytes).await?;
        self.0.flush().await?;
        Ok(())
    }
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Wire")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answered(answer: &'static [u8]) -> Result<(), WireError> {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        theirs.write_all(answer).await.unwrap();
        theirs.shutdown().await.unwrap();
        Wire::new(ours).request("host:version").await
    }

    #[tokio::test]
    async fn answers_are_told_apart() {
        assert!(answered(b"OKAY").await.is_ok());
        assert!(
            matches!(answered(b"FAIL0004oops").await, Err(WireError::Failed(r)) if r == "oops")
        );
        assert!(matches!(answered(b"OK").await, Err(WireError::Ended)));
        assert!(matches!(answered(b"FAIL00ffoops").await, Err(WireError::Ended)));
        assert!(matches!(answered(b"FAIL+0ffoops").await, Err(WireError::NotAdb)));
        assert!(matches!(answered(b"HTTP/1.1 400").await, Err(WireError::NotAdb)));
    }

    #[tokio::test]
    async fn a_request_that_does_not_fit_is_not_sent() {
        let (ours, _theirs) = tokio::io::duplex(64);
        let long = "x".repeat(LONGEST_SERVICE + 1);
        assert!(matches!(Wire::new(ours).request(&long).await, Err(WireError::TooLong)));
    }
}
