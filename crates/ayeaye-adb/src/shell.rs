//! The complete output of a command in the phone's shell, with its exit code.
//!
//! Shell v2 sends packets: one byte of type, four bytes of length (little endian), and the data; the
//! exit code comes last (AOSP, `shell_protocol.h`). Phones before Android 7 send plain output; there
//! the command line prints the exit code itself, after a marker of our own.
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::BytesMut;

use crate::parse::{SEPARATOR, sanitize};
use crate::protocol::{Connection, ProtocolError};

/// The most bytes that a command may print, four times `dumpsys window` of a busy phone.
pub(crate) const MAX_OUTPUT: usize = 1024 * 1024;

/// How Android's commands begin to tell of an exception; what it was stands in the next line (AOSP,
/// `ShellCommand.java`, and before Android 8 `SettingsCmd.java`).
const HEADERS: [&str; 2] = ["Exception occurred while ", "Error while accessing settings provider"];

/// What a command printed and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellOutput {
    pub(crate) exit_code: u8,
    pub(crate) stdout: String,
    /// Empty on phones that merge the two.
    pub(crate) stderr: String,
}

impl ShellOutput {
    /// Both, to look for errors in: vendors' `input` and `am` print them to either.
    pub(crate) fn combined(&self) -> String {
        format!("{}\n{}", self.stdout, self.stderr)
    }

    /// Exit code and the line that says most, for an error message.
    pub(crate) fn summary(&self) -> String {
        let told = self.first_message().unwrap_or_else(|| "no message".to_owned());
        format!("exit code {}: {told}", self.exit_code)
    }

    /// The first line that says something, on either stream.
    pub(crate) fn first_message(&self) -> Option<String> {
        let all = self.combined();
        let lines =
            || all.lines().map(str::trim).filter(|line| !line.is_empty() && *line != SEPARATOR);
        let is_header = |line: &&str| HEADERS.iter().any(|header| line.starts_with(header));
        lines().find(|line| !is_header(line)).or_else(|| lines().next()).map(sanitize)
    }

    /// The same command with only this of what it printed to its standard output, as of one command of several.
    pub(crate) fn with_stdout(&self, stdout: &str) -> Self {
        Self { exit_code: self.exit_code, stdout: stdout.to_owned(), stderr: self.stderr.clone() }
    }
}

/// Reads shell v2 packets up to and including the exit code.
pub(crate) async fn read_v2(connection: &mut Connection) -> Result<ShellOutput, ProtocolError> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    loop {
        let mut head = [0; 5];
        connection.read_exact(&mut head).await?;
        let [kind, length @ ..] = head;
        let length = u32::from_le_bytes(length) as usize;
        if MAX_OUTPUT < out.len() + err.len() + length {
            return Err(ProtocolError::ResponseTooLong(MAX_OUTPUT));
        }
        match (kind, length) {
            (1, _) => take(connection, &mut out, length).await?,
            (2, _) => take(connection, &mut err, length).await?,
            (3, 1) => {
                let mut code = [0];
                connection.read_exact(&mut code).await?;
                return Ok(ShellOutput {
                    exit_code: code[0],
                    stdout: text(&out),
                    stderr: text(&err),
                });
            }
            _ => return Err(ProtocolError::NotAdb),
        }
    }
}

async fn take(
    connection: &mut Connection,
    into: &mut Vec<u8>,
    length: usize,
) -> Result<(), ProtocolError> {
    let start = into.len();
    into.resize(start + length, 0);
    connection.read_exact(&mut into[start..]).await
}

/// A word that is printed after a command's output, followed by its exit code.
#[derive(Debug)]
pub(crate) struct ExitMarker(String);

impl ExitMarker {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(1);
        Self(format!("ayeaye-end-{}:", COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// The command line that also prints the marker.
    pub(crate) fn append_to(&self, command: &str) -> String {
        format!("{command}; echo \"{}$?\"", self.0)
    }

    /// The output before the marker, and the exit code after it.
    fn split<'a>(&self, text: &'a str) -> Option<(&'a str, u8)> {
        let (out, rest) = text.rsplit_once(self.0.as_str())?;
        Some((out, rest.lines().next()?.trim().parse().ok()?))
    }
}

/// Reads plain output up to its end, which must have the marker.
pub(crate) async fn read_with_marker(
    connection: &mut Connection,
    mark: &ExitMarker,
) -> Result<ShellOutput, ProtocolError> {
    let mut bytes = BytesMut::new();
    while connection.read_some(&mut bytes).await? != 0 {
        if MAX_OUTPUT < bytes.len() {
            return Err(ProtocolError::ResponseTooLong(MAX_OUTPUT));
        }
    }
    // Old phones run it in a terminal, which ends lines with CR LF.
    let all = text(&bytes).replace('\r', "");
    let missing = || ProtocolError::NoExitCode(sanitize(&all));
    let (out, exit_code) = mark.split(&all).ok_or_else(missing)?;
    Ok(ShellOutput { exit_code, stdout: out.to_owned(), stderr: String::new() })
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

    async fn connection_with(bytes: &[u8]) -> Connection {
        let (ours, mut theirs) = tokio::io::duplex(bytes.len() + 1);
        theirs.write_all(bytes).await.unwrap();
        theirs.shutdown().await.unwrap();
        Connection::new(ours)
    }

    #[tokio::test]
    async fn packets_are_sorted_and_the_code_is_kept() {
        let bytes =
            [packet(1, b"on"), packet(2, b"oops"), packet(1, b"e\n"), packet(3, &[7])].concat();
        let output = read_v2(&mut connection_with(&bytes).await).await.unwrap();
        assert_eq!(
            output,
            ShellOutput { exit_code: 7, stdout: "one\n".to_owned(), stderr: "oops".to_owned() }
        );
    }

    #[test]
    fn a_summary_has_the_line_that_says_why() {
        let refused = "\nException occurred while executing 'put':\njava.lang.SecurityException: no\n\tat a.B\n";
        for (stdout, stderr, expected) in [
            ("\n--ayeaye--\n", refused, "java.lang.SecurityException: no"),
            ("--ayeaye--\r\n", "Killed\n", "Killed"),
            (refused, "", "java.lang.SecurityException: no"),
            (
                "Error while accessing settings provider\njava.lang.SecurityException: old\n",
                "",
                "java.lang.SecurityException: old",
            ),
            ("Exception occurred while executing:\n", "", "Exception occurred while executing:"),
            ("Error: --ayeaye-- is no key\n", "", "Error: --ayeaye-- is no key"),
            ("--ayeaye--\n", "", "no message"),
        ] {
            let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
            let output = ShellOutput { exit_code: 0, stdout, stderr };
            assert_eq!(output.summary(), format!("exit code 0: {expected}"), "{output:?}");
        }
    }

    #[tokio::test]
    async fn no_exit_code_is_no_success() {
        for bytes in [packet(1, b"done"), packet(3, &[0])[..5].to_vec(), Vec::new()] {
            let read = read_v2(&mut connection_with(&bytes).await).await;
            assert!(matches!(read, Err(ProtocolError::Closed)), "{bytes:?}");
        }
        let read =
            read_with_marker(&mut connection_with(b"done\n").await, &ExitMarker::new()).await;
        assert!(matches!(read, Err(ProtocolError::NoExitCode(said)) if said == "done"));
    }

    #[tokio::test]
    async fn a_lying_length_is_refused_before_it_is_believed() {
        let bytes = [&[1][..], &u32::MAX.to_le_bytes()].concat();
        let read = read_v2(&mut connection_with(&bytes).await).await;
        assert!(matches!(read, Err(ProtocolError::ResponseTooLong(_))));
        let read = read_v2(&mut connection_with(&packet(9, b"")).await).await;
        assert!(matches!(read, Err(ProtocolError::NotAdb)));
    }

    #[tokio::test]
    async fn bare_output_carries_its_code_behind_a_mark() {
        let mark = ExitMarker::new();
        assert!(mark.append_to("ls").starts_with("ls; echo "));
        let said = format!("a\r\nb\r\n{}12\r\n", mark.0);
        let output =
            read_with_marker(&mut connection_with(said.as_bytes()).await, &mark).await.unwrap();
        assert_eq!(
            output,
            ShellOutput { exit_code: 12, stdout: "a\nb\n".to_owned(), stderr: String::new() }
        );
    }

    proptest! {
        #[test]
        fn output_is_whole_or_an_error(
            packets in proptest::collection::vec((1_u8..=2, "[a-z\n]{0,8}"), 0..6),
            exit_code: u8,
            cut: proptest::sample::Index,
        ) {
            let mut bytes: Vec<u8> =
                packets.iter().flat_map(|(kind, text)| packet(*kind, text.as_bytes())).collect();
            bytes.extend(packet(3, &[exit_code]));
            let of = |wanted| -> String {
                packets.iter().filter(|it| it.0 == wanted).map(|it| it.1.as_str()).collect()
            };
            let whole = ShellOutput { exit_code, stdout: of(1), stderr: of(2) };
            let cut = cut.index(bytes.len());
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let read = |bytes: &[u8]| {
                runtime.block_on(async { read_v2(&mut connection_with(bytes).await).await })
            };
            prop_assert_eq!(read(&bytes).unwrap(), whole);
            prop_assert!(matches!(read(&bytes[..cut]), Err(ProtocolError::Closed)));
        }
    }
}
