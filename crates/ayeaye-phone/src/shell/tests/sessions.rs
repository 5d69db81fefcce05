//! Whole sessions: what is typed at a terminal, and input that nobody reads.
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use super::device;
use crate::{
    device::VirtualPhone,
    shell::{Framing, Request, serve},
    stream::Stream,
};

struct Session {
    input: DuplexStream,
    output: DuplexStream,
    shown: String,
}

impl Session {
    fn new(device: &VirtualPhone, terminal: bool, framing: Framing, command: Option<&str>) -> Self {
        let (input, theirs) = tokio::io::duplex(1 << 10);
        let (their_output, output) = tokio::io::duplex(1 << 20);
        let stream = Stream { input: Box::new(theirs), output: Box::new(their_output) };
        let request = Request { framing, terminal, command: command.map(str::to_owned) };
        let device = device.clone();
        tokio::spawn(async move { serve(&device, request, stream).await });
        Self { input, output, shown: String::new() }
    }

    /// Types, and reads until this is shown; the end of the session is shown as `<end>`.
    async fn types(&mut self, keys: &str, shows: &str) {
        self.input.write_all(keys.as_bytes()).await.unwrap();
        self.shown.clear();
        let mut bytes = [0; 1024];
        while !self.shown.contains(shows) {
            assert!(!self.shown.ends_with("<end>"), "{keys:?}: {:?}", self.shown);
            match self.output.read(&mut bytes).await.unwrap() {
                0 => self.shown.push_str("<end>"),
                length => self.shown.push_str(&String::from_utf8_lossy(&bytes[..length])),
            }
        }
    }
}

#[tokio::test]
async fn ctrl_d_ends_what_reads_and_the_session_only_at_the_prompt() {
    let device = device();
    let mut session = Session::new(&device, true, Framing::Raw, None);
    session.types("", " $ ").await;
    session.types("cat > /sdcard/note\r", "note\r\n").await;
    session.types("hello\r", "hello\r\n").await;
    session.types("\x04", " $ ").await;
    session.types("cat /sdcard/note\r", "\nhello\r\n").await;
    session.types("wc -l\r", "-l\r\n").await;
    session.types("a\rb\r\x04", "2\r\n").await;
    session.types("\x04", "<end>").await;
}

#[tokio::test]
async fn ctrl_c_is_the_status_of_what_it_ended() {
    let device = device();
    let mut session = Session::new(&device, true, Framing::Raw, None);
    session.types("", " $ ").await;
    session.types("sleep 600\r", "600\r\n").await;
    session.types("\x03", " $ ").await;
    session.types("echo =$?=\r", "0=\r\n").await;
    assert!(session.shown.contains("\n=130=\r\n"), "{}", session.shown);
}

/// Chunks of any size, so that some small ones are taken before somebody reads, and large ones are not kept.
#[tokio::test(start_paused = true)]
async fn input_that_nobody_reads_is_not_held_without_bound() {
    let device = device();
    let mut session = Session::new(&device, false, Framing::V2, Some("sleep 60"));
    let mut packet = vec![0_u8; 5 + (1 << 20)];
    packet[..5].copy_from_slice(&[0, 0, 0, 0x10, 0]);
    let mut taken = 0;
    let minute = tokio::time::sleep(Duration::from_secs(30));
    tokio::pin!(minute);
    loop {
        tokio::select! {
            biased;
            sent = session.input.write_all(&packet) => sent.unwrap(),
            () = &mut minute => break,
        }
        taken += 1;
    }
    assert!((1..=3).contains(&taken), "{taken} MiB");
}
