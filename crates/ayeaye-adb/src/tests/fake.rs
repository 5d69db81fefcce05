//! A small adb server on a real socket that answers as it is told, rightly or wrongly.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::{AdbConfig, AdbDevice, AdbDevices, Limits, ServerAddress};

/// What the fake does with a request.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// `OKAY`, and the next request on the same connection.
    Okay,
    /// `OKAY` and a text with its length, as host services answer.
    Body(String),
    /// `FAIL` and why.
    Fail(&'static str),
    /// `OKAY`, these bytes, the end.
    Bytes(Vec<u8>),
    /// A command's output on both streams, and its exit code.
    Shell(String, String, u8),
    /// `OKAY`, and never anything more.
    Silence,
    /// Not even `OKAY`.
    Mute,
    /// The same, counted until the connection is closed.
    Counted(Arc<Held>),
    /// `OKAY`, and these bytes again and again.
    Endless(Vec<u8>),
    /// `OKAY` and these bytes, little by little: as many milliseconds between two parts of two hundred.
    Slowly(u64, Vec<u8>),
    /// The connection is closed instead of an answer.
    Cut,
    /// `OKAY`, and an answer to each request of the `sync:` service by its four letters. Where there is none, the link
    /// breaks, unless more of a file is to come.
    Sync(fn(&[u8]) -> Vec<u8>),
    /// `OKAY`, and a shell that answers each line with these bytes.
    Lines(Lines),
}

/// What a shell answers to a line, how long it takes between the halves of that, and whether it goes on afterwards.
#[derive(Clone)]
pub(super) struct Lines(pub(super) Arc<AnswerLine>);

type AnswerLine = dyn Fn(&str) -> Option<(Vec<u8>, Duration, bool)> + Send + Sync;

impl std::fmt::Debug for Lines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lines")
    }
}

impl Reply {
    /// A command that printed this and was content.
    pub(super) fn out(text: impl Into<String>) -> Self {
        Self::Shell(text.into(), String::new(), 0)
    }
}

/// Connections that wait for an answer, and the most that have waited at a time.
#[derive(Debug, Default)]
pub(super) struct Held {
    now: AtomicUsize,
    pub(super) most: AtomicUsize,
}

/// The fake, until it is dropped.
#[derive(Debug)]
pub(super) struct Fake {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Fake {
    /// Answers every request by the function.
    pub(super) async fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (answer, seen) = (Arc::new(answer), Arc::clone(&requests));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, seen) = (Arc::clone(&answer), Arc::clone(&seen));
                tokio::spawn(async move { serve(stream, &*answer, &seen).await });
            }
        });
        Self { port, requests, task }
    }

    /// A phone `X` that is ready and whose services answer by the function; what it does not know
    /// succeeds in silence.
    pub(super) async fn phone(
        answer: impl Fn(&str) -> Option<Reply> + Send + Sync + 'static,
    ) -> Self {
        Self::start(move |request| {
            if let Some(reply) = answer(request) {
                return reply;
            }
            match request {
                "host:devices-l" => Reply::Body("X device product:p model:m\n".to_owned()),
                "host-serial:X:features" => Reply::Body("cmd,shell_v2".to_owned()),
                _ if request.starts_with("host:transport:") => Reply::Okay,
                _ if request.starts_with("shell,v2,raw:") => Reply::out(""),
                _ => Reply::Fail("unknown host service"),
            }
        })
        .await
    }

    pub(super) fn config(&self) -> AdbConfig {
        let server = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: self.port };
        AdbConfig { limits: SHORT, ..AdbConfig::new(server, None) }
    }

    pub(super) fn devices(&self) -> AdbDevices {
        AdbDevices::new(self.config())
    }

    pub(super) async fn open(&self) -> Arc<AdbDevice> {
        self.devices().open_adb(&ayeaye_agent::DeviceId::new("X")).await.unwrap()
    }

    /// Every command line that was sent, in order, but the question for the phone's identity, which is asked
    /// once a connection.
    pub(super) fn commands(&self) -> Vec<String> {
        self.all_commands().into_iter().filter(|line| !line.contains("boot_id")).collect()
    }

    /// Every command line that was sent, in order.
    pub(super) fn all_commands(&self) -> Vec<String> {
        let sent = self.requests.lock().unwrap();
        let command = |r: &String| {
            let words = r.strip_prefix("shell,v2,raw:").or_else(|| r.strip_prefix("shell:"));
            words.or_else(|| r.strip_prefix("exec:")).map(ToOwned::to_owned)
        };
        sent.iter().filter_map(command).collect()
    }

    /// How often something was asked of the phone itself, on a connection of its own.
    pub(super) fn services(&self) -> usize {
        let asked = self.requests.lock().unwrap();
        asked.iter().filter(|it| !it.starts_with("host")).count()
    }

    /// Those that only change things.
    pub(super) fn acts(&self) -> Vec<String> {
        let act = |c: &String| {
            ["input ", "am ", "ime set", "ime enable", "ime disable", "wm "]
                .iter()
                .any(|word| c.starts_with(word))
        };
        self.commands().into_iter().filter(act).collect()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Long enough for a busy machine, short enough for a test.
pub(super) const SHORT: Limits = Limits {
    connect: Duration::from_secs(2),
    start: Duration::from_secs(5),
    list: Duration::from_millis(400),
    describe: Duration::from_millis(300),
    shell: Duration::from_millis(400),
    capture: Duration::from_millis(600),
    ui_tree: Duration::from_millis(300),
    keyboard: Duration::from_millis(200),
    wake: Duration::from_millis(300),
    attach: Duration::from_millis(300),
};

pub(super) fn packet(kind: u8, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap();
    [&[kind], &length.to_le_bytes()[..], data].concat()
}

async fn serve(
    mut stream: TcpStream,
    answer: &(dyn Fn(&str) -> Reply + Send + Sync),
    seen: &Mutex<Vec<String>>,
) {
    loop {
        let mut digits = [0; 4];
        if stream.read_exact(&mut digits).await.is_err() {
            return;
        }
        let length = usize::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap();
        let mut request = vec![0; length];
        if stream.read_exact(&mut request).await.is_err() {
            return;
        }
        let request = String::from_utf8(request).unwrap();
        let reply = answer(&request);
        seen.lock().unwrap().push(request);
        let bytes = match reply {
            Reply::Okay => {
                if stream.write_all(b"OKAY").await.is_err() {
                    return;
                }
                continue;
            }
            Reply::Body(text) => format!("OKAY{:04x}{text}", text.len()).into_bytes(),
            Reply::Fail(text) => format!("FAIL{:04x}{text}", text.len()).into_bytes(),
            Reply::Bytes(bytes) => [b"OKAY", bytes.as_slice()].concat(),
            Reply::Shell(out, err, code) => [
                b"OKAY".to_vec(),
                packet(1, out.as_bytes()),
                packet(2, err.as_bytes()),
                packet(3, &[code]),
            ]
            .concat(),
            Reply::Silence => {
                drop(stream.write_all(b"OKAY").await);
                std::future::pending().await
            }
            Reply::Mute => std::future::pending().await,
            Reply::Counted(held) => {
                let now = held.now.fetch_add(1, Ordering::SeqCst) + 1;
                held.most.fetch_max(now, Ordering::SeqCst);
                // Nothing more is sent before an answer, so this is the end.
                drop(stream.read_u8().await);
                held.now.fetch_sub(1, Ordering::SeqCst);
                return;
            }
            Reply::Endless(bytes) => {
                drop(stream.write_all(b"OKAY").await);
                while stream.write_all(&bytes).await.is_ok() {}
                return;
            }
            Reply::Slowly(pause, bytes) => {
                drop(stream.write_all(b"OKAY").await);
                for byte in bytes.chunks(bytes.len() / 200) {
                    if stream.write_all(byte).await.is_err() {
                        return;
                    }
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                }
                return;
            }
            Reply::Cut => return,
            Reply::Sync(answer) => return answer_sync(stream, answer).await,
            Reply::Lines(lines) => return answer_lines(stream, &lines).await,
        };
        // Whoever asked may have gone.
        drop(stream.write_all(&bytes).await);
        drop(stream.shutdown().await);
        return;
    }
}

async fn answer_sync(mut stream: TcpStream, answer: fn(&[u8]) -> Vec<u8>) {
    drop(stream.write_all(b"OKAY").await);
    let mut head = [0; 8];
    while stream.read_exact(&mut head).await.is_ok() {
        let (id, length) = head.split_at(4);
        let length = u32::from_le_bytes(length.try_into().unwrap());
        // That of the end is the time of the file.
        let length = if id == b"DONE" { 0 } else { length as usize };
        stream.read_exact(&mut vec![0; length]).await.unwrap();
        let answer = answer(id);
        if answer.is_empty() && id != b"SEND" && id != b"DATA" {
            return;
        }
        drop(stream.write_all(&answer).await);
    }
}

async fn answer_lines(mut stream: TcpStream, lines: &Lines) {
    drop(stream.write_all(b"OKAY").await);
    let mut head = [0; 5];
    while stream.read_exact(&mut head).await.is_ok() {
        let [0, length @ ..] = head else { panic!("no standard input: {head:?}") };
        let mut line = vec![0; u32::from_le_bytes(length) as usize];
        stream.read_exact(&mut line).await.unwrap();
        let line = String::from_utf8(line).unwrap();
        let (bytes, takes, goes_on) =
            (lines.0)(&line).unwrap_or_else(|| panic!("no markers in: {line}"));
        // Two writes, as adb's server passes on each packet of the phone by itself.
        let (half, rest) = bytes.split_at(bytes.len().div_ceil(2));
        drop(stream.write_all(half).await);
        if !takes.is_zero() {
            tokio::time::sleep(takes).await;
        }
        drop(stream.write_all(rest).await);
        if !goes_on {
            return;
        }
    }
}
