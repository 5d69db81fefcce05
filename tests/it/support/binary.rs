//! The real program, in a process of its own that sees nothing of this machine.
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::{FakeVlm, KEY};

/// Waits for something that must come to an end.
pub async fn within<T>(seconds: u64, what: &str, work: impl Future<Output = T>) -> T {
    let limit = Duration::from_secs(seconds);
    let Ok(done) = tokio::time::timeout(limit, work).await else {
        panic!("{what}: not within {seconds} s")
    };
    done
}

/// How often something is looked at that nothing tells of.
pub const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Waits for something that nothing tells of, looked at often, but not so often that what is waited for has no processor
/// left.
pub async fn until(what: &str, holds: impl Fn() -> bool) {
    within(20, what, async {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        while !holds() {
            tick.tick().await;
        }
    })
    .await;
}

/// An HTTP client that goes nowhere but where it is sent.
pub fn http() -> reqwest::Client {
    // reqwest is built without a TLS provider of its own; a second one is refused, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// How to start the program; it lives in a data folder of its own.
pub struct Binary {
    pub data: Arc<TempDir>,
    environment: Vec<(&'static str, String)>,
}

/// What became of a command.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Binary {
    /// With no adb, no phone and no model: nothing listens at port 1.
    pub fn alone() -> Self {
        Self::at("tcp:127.0.0.1:1".to_owned(), "http://127.0.0.1:1/v1".to_owned())
    }

    /// With no settings at all.
    pub fn bare() -> Self {
        Self { data: Arc::new(TempDir::new().unwrap()), environment: Vec::new() }
    }

    /// With this phone and this model.
    pub fn with(adb: SocketAddr, vlm: &FakeVlm) -> Self {
        Self::at(format!("tcp:{adb}"), vlm.url())
    }

    /// With this phone, and nobody has configured a model.
    pub fn unconfigured(adb: SocketAddr) -> Self {
        let environment = vec![("ADB_SERVER_SOCKET", format!("tcp:{adb}"))];
        Self { data: Arc::new(TempDir::new().unwrap()), environment }
    }

    fn at(adb: String, model: String) -> Self {
        let environment = vec![
            ("ADB_SERVER_SOCKET", adb),
            ("AYEAYE_MODEL_BASE_URL", model),
            ("AYEAYE_MODEL_API_KEY", KEY.to_owned()),
            ("AYEAYE_MODEL_RETRIES", "0".to_owned()),
        ];
        Self { data: Arc::new(TempDir::new().unwrap()), environment }
    }

    /// Without this variable.
    pub fn unset(mut self, name: &str) -> Self {
        self.environment.retain(|(other, _)| *other != name);
        self
    }

    /// As it is on a machine where nothing was configured: a stand-in decides on the virtual phone.
    pub fn without_model(self) -> Self {
        self.unset("AYEAYE_MODEL_BASE_URL")
    }

    /// Adds a variable.
    pub fn set(mut self, name: &'static str, value: &str) -> Self {
        self.environment.push((name, value.to_owned()));
        self
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ayeaye"));
        command
            .args(arguments)
            .env_clear()
            .env("AYEAYE_DATA_DIR", self.data.path())
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .kill_on_drop(true);
        command
    }

    /// Runs a command to its end, with nobody at its stdin.
    pub async fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.run_with_input(arguments, "").await
    }

    /// The same with this piped into it.
    pub async fn run_with_input(&self, arguments: &[&str], input: &str) -> CommandOutput {
        let mut command = self.command(arguments);
        command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes()).await.unwrap();
        }
        let output = child.wait_with_output();
        let output = within(120, &arguments.join(" "), output).await.unwrap();
        CommandOutput {
            code: output.status.code().expect("it ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// A server on stdio, spoken to in lines.
    pub async fn raw(&self) -> Raw {
        self.raw_logging(Stdio::null()).await
    }

    /// A server on stdio that nobody has spoken to, as a client of 2026-07-28 finds it.
    pub fn modern(&self) -> Raw {
        self.silent(Stdio::null())
    }

    fn silent(&self, log: impl Into<Stdio>) -> Raw {
        self.silent_with(&[], log)
    }

    /// The same with more arguments.
    pub fn modern_with(&self, arguments: &[&str]) -> Raw {
        self.silent_with(arguments, Stdio::null())
    }

    fn silent_with(&self, arguments: &[&str], log: impl Into<Stdio>) -> Raw {
        let mut command = self.command(&[&["serve"], arguments].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Raw { child, input, output, asked: 0, _data: self.data.clone() }
    }

    /// The same with its log.
    pub async fn raw_logging(&self, log: impl Into<Stdio>) -> Raw {
        self.raw_with(log, json!({})).await
    }

    /// The same for a client with these capabilities.
    pub async fn raw_with_capabilities(&self, capabilities: Value) -> Raw {
        self.raw_with(Stdio::null(), capabilities).await
    }

    async fn raw_with(&self, log: impl Into<Stdio>, capabilities: Value) -> Raw {
        let mut raw = self.silent(log);
        raw.initialize(capabilities).await;
        raw
    }
}

/// See [`Binary::raw`].
pub struct Raw {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    asked: u32,
    /// Its data folder stays for as long as it runs.
    _data: Arc<TempDir>,
}

impl Raw {
    pub async fn line(&mut self, line: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("stdin is open");
        input.write_all(line.as_ref()).await.unwrap();
        input.write_all(b"\n").await.unwrap();
        input.flush().await.unwrap();
    }

    /// Introduces a client with these capabilities, and returns what the server says of itself.
    pub async fn initialize(&mut self, capabilities: Value) -> Value {
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities,
            "clientInfo": { "name": "raw", "version": "0" } });
        let answer = self.ask("initialize", hello).await;
        self.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer["result"].clone()
    }

    /// Sends a request and does not wait; returns its id.
    pub async fn send(&mut self, method: &str, params: Value) -> u32 {
        self.asked += 1;
        let (id, version) = (self.asked, "2.0");
        let request = json!({ "jsonrpc": version, "id": id, "method": method, "params": params });
        self.line(request.to_string()).await;
        id
    }

    /// The answer with this id. Whatever else stands on stdout must be JSON-RPC too.
    pub async fn answer(&mut self, id: u32) -> Value {
        let answer = async {
            loop {
                let line = self.output.next_line().await.unwrap().expect("the server goes on");
                let message: Value = serde_json::from_str(&line).expect("only JSON on stdout");
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
                if message["id"] == id && message["method"].is_null() {
                    return message;
                }
            }
        };
        within(90, "an answer", answer).await
    }

    /// Reads until a line has this text.
    pub async fn wait_for_output(&mut self, text: &str) {
        let heard = async {
            while !self.output.next_line().await.unwrap().expect("it goes on").contains(text) {}
        };
        within(30, text, heard).await;
    }

    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Calls a tool that must not fail, and returns its facts.
    pub async fn facts(&mut self, name: &str, arguments: Value) -> Value {
        let (failed, text) = self.tool(name, arguments).await;
        assert!(!failed, "{name}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Calls a tool; whether it failed, and its text.
    pub async fn tool(&mut self, name: &str, arguments: Value) -> (bool, String) {
        let answer = self.ask("tools/call", json!({ "name": name, "arguments": arguments })).await;
        if let Some(error) = answer["error"]["message"].as_str() {
            return (true, error.to_owned());
        }
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        (result["isError"] == true, text.to_owned())
    }

    /// Closes stdin, as a client does that goes away.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    pub fn pid(&self) -> String {
        self.child.id().unwrap().to_string()
    }

    /// Asks it to end, as a supervisor does.
    pub async fn terminate(&self) {
        let pid = self.pid();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().await.unwrap();
        assert!(sent.success());
    }

    /// As `kill -9` does, and waits until it is gone.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Waits for its end; the exit code, and what stood on stdout until then.
    pub async fn end(mut self) -> (Option<i32>, Vec<String>) {
        let end = async {
            let mut rest = Vec::new();
            while let Some(line) = self.output.next_line().await.unwrap() {
                rest.push(line);
            }
            (self.child.wait().await.unwrap().code(), rest)
        };
        within(20, "the end of the server", end).await
    }
}
