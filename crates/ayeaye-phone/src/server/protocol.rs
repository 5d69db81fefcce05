//! The smart-socket protocol of the adb server: four hexadecimal digits of length, then the text.
use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::services::MAX_NAME;

/// Why no request could be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    /// Between two requests this is the ordinary end.
    #[error("the client ended the connection")]
    ServiceEnd(#[from] io::Error),
    #[error("no request of adb starts with {0:02x?}")]
    NotAdb([u8; 4]),
    #[error("a request of {0} bytes")]
    TooLong(usize),
}

/// Reads one request.
pub(crate) async fn read_request(
    from: &mut (impl AsyncRead + Unpin),
) -> Result<Vec<u8>, RequestError> {
    let mut digits = [0; 4];
    from.read_exact(&mut digits).await?;
    let length = parse_length(digits).ok_or(RequestError::NotAdb(digits))?;
    if length > MAX_NAME {
        return Err(RequestError::TooLong(length));
    }
    let mut request = vec![0; length];
    from.read_exact(&mut request).await?;
    Ok(request)
}

/// Answers OKAY, without data.
pub(crate) async fn okay(to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    to.write_all(b"OKAY").await
}

/// Answers OKAY with a text.
pub(crate) async fn okay_with(to: &mut (impl AsyncWrite + Unpin), text: &str) -> io::Result<()> {
    to.write_all(format!("OKAY{}", length_prefixed(text)).as_bytes()).await
}

/// Answers FAIL with a reason.
pub(crate) async fn fail(to: &mut (impl AsyncWrite + Unpin), why: &str) -> io::Result<()> {
    to.write_all(format!("FAIL{}", length_prefixed(why)).as_bytes()).await
}

/// A text with its length in front, cut to what four digits can express.
pub(crate) fn length_prefixed(text: &str) -> String {
    let mut end = text.len().min(0xffff);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{end:04x}{}", &text[..end])
}

fn parse_length(digits: [u8; 4]) -> Option<usize> {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    usize::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_counted_text_reads_back(text in ".{0,200}") {
            let length_prefixed = length_prefixed(&text);
            let read = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap()
                .block_on(read_request(&mut length_prefixed.as_bytes()))
                .unwrap();
            prop_assert_eq!(read, text.into_bytes());
        }
    }

    #[test]
    fn only_four_hexadecimal_digits_are_a_length() {
        assert_eq!(parse_length(*b"00fF"), Some(255));
        assert_eq!(parse_length(*b"+0f1"), None);
        assert_eq!(parse_length(*b"GET "), None);
    }
}
