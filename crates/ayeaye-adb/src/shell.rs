//! The output of a command in the phone's shell, whole and with its exit code.
//!
//! Shell v2 sends packets: one byte that says what it is, four bytes of length (little endian), and
//! the data; the exit code is the last (AOSP, `shell_protocol.h`). Phones before Android 7 send
//! bare output; for those the exit code is written behind it, after a mark of our own.
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::BytesMut;

use crate::parse::clean;
use crate::wire::{Wire, WireError};

/// The most that a command may print. `dumpsys window` of a busy phone has a quarter of it.
pub(crate) const MOST_OUTPUT: usize = 1024 * 1024;

/// What a command printed and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) code: u8,
    pub(crate) out: String,
    /// Empty on phones that mix both into one.
    pub(crate) err: String,
}

impl Output {
    /// Everything it printed, for looking for complaints: which of the two a vendor's `input` or
    /// `am` prints them to is not to be relied on.
    pub(crate) fn all(&self) -> String {
        format!("{}\n{}", self.out, self.err)
    }

    /// The gist of it for an error message.
    pub(crate) fn gist(&self) -> String {
        let all = self.all();
        let told = all.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("no message");
        format!("exit code {}: {}", self.code, clean(told))
    }
}

/// Reads shell v2 packets up to and including the exit code.
pub(crate) async fn read_v2(wire: &mut Wire) -> Result<Output, WireError> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    loop {
        let mut head = [0; 5];
        wire.fill(&mut head).await?;
        let [kind, length @ ..] = head;
        let length = u32::from_le_bytes(length) as usize;
        if MOST_OUTPUT < out.len() + err.len() + length {
            return Err(WireError::Flood(MOST_OUTPUT));
        }
        match (kind, length) {
            (1, _) => take(wire, &mut out, length).await?,
            (2, _) => take(wire, &mut err, length).await?,
            (3, 1) => {
                let mut code = [0];
                wire.fill(&mut code).await?;
                return Ok(Output { code: code[0], out: text(&out), err: text(&err) });
            }
            _ => return Err(WireError::NotAdb),
        }
    }
}

async fn take(wire: &mut Wire, into: &mut Vec<u8>, length: usize) -> Result<(), WireError> {
    let start = into.len();
    into.resize(start + length, 0);
    wire.fill(&mut into[start..]).await
}

/// A word that is printed behind a command's output, with its exit code.
#[derive(Debug)]
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        Self(format!("ayeaye-end-{}:", COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// The command line with the mark behind it.
    pub(crate) fn after(&self, command: &str) -> String {
        format!("{command}; echo \"{}$?\"", self.0)
    }

    /// What stands before the mark, and the code behind it.
    fn split<'a>(&self, text: &'a str) -> Option<(&'a str, u8)> {
        let (out, rest) = text.rsplit_once(self.0.as_str())?;
        Some((out, rest.lines().next()?.trim().parse().ok()?))
    }
}

/// Reads bare output up to its end, which must have the mark.
pub(crate) async fn read_marked(wire: &mut Wire, mark: &Mark) -> Result<Output, WireError> {
    let mut bytes = BytesMut::new();
    while wire.more(&mut bytes).await? != 0 {
        if MOST_OUTPUT < bytes.len() {
            return Err(WireError::Flood(MOST_OUTPUT));
        }
    }
    // Old phones put a terminal in between, which ends lines with CR LF.
    let all = text(&bytes).replace('\r', "");
    let (out, code) = mark.split(&all).ok_or(WireError::Ended)?;
    Ok(Output { code, out: out.to_owned(), err: String::new() })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    fn packet(kind: u8, data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap();
        [&[kind], &length.to_le_bytes()[..], data].concat()
    }

    async fn wire_with(bytes: &[u8]) -> Wire {
        let (ours, mut theirs) = tokio::io::duplex(bytes.len() + 1);
        theirs.write_all(bytes).await.unwrap();
        theirs.shutdown().await.unwrap();
        Wire::new(ours)
    }

    #[tokio::test]
    async fn packets_are_sorted_and_the_code_is_kept() {
        let bytes =
            [packet(1, b"on"), packet(2, b"oops"), packet(1, b"e\n"), packet(3, &[7])].concat();
        let output = read_v2(&mut wire_with(&bytes).await).await.unwrap();
        assert_eq!(output, Output { code: 7, out: "one\n".to_owned(), err: "oops".to_owned() });
    }

    #[tokio::test]
    async fn no_exit_code_is_no_success() {
        for bytes in [packet(1, b"done"), packet(3, &[0])[..5].to_vec(), Vec::new()] {
            let read = read_v2(&mut wire_with(&bytes).await).await;
            assert!(matches!(read, Err(WireError::Ended)), "{bytes:?}");
        }
        assert!(matches!(
            read_marked(&mut wire_with(b"done\n").await, &Mark::new()).await,
            Err(WireError::Ended)
        ));
    }

    #[tokio::test]
    async fn a_lying_length_is_refused_before_it_is_believed() {
        let bytes = [&[1][..], &u32::MAX.to_le_bytes()].concat();
        let read = read_v2(&mut wire_with(&bytes).await).await;
        assert!(matches!(read, Err(WireError::Flood(_))));
        let read = read_v2(&mut wire_with(&packet(9, b"")).await).await;
        assert!(matches!(read, Err(WireError::NotAdb)));
    }

    #[tokio::test]
    async fn bare_output_carries_its_code_behind_a_mark() {
        let mark = Mark::new();
        assert!(mark.after("ls").starts_with("ls; echo "));
        let said = format!("a\r\nb\r\n{}12\r\n", mark.0);
        let output = read_marked(&mut wire_with(said.as_bytes()).await, &mark).await.unwrap();
        assert_eq!(output, Output { code: 12, out: "a\nb\n".to_owned(), err: String::new() });
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                // Whatever comes out, it comes to an end and without a panic.
                drop(read_v2(&mut wire_with(&bytes).await).await);
                drop(read_marked(&mut wire_with(&bytes).await, &Mark::new()).await);
            });
        }
    }
}
