//! Starts the server as a client would, and asks it for its tools.
//!
//! The four messages of it are written out here: a whole client for each transport would be several hundred
//! kilobytes of the program.
use std::process::Stdio;
use std::time::{Duration, Instant};

use ayeaye_model::Secret;
use reqwest::{Client, StatusCode, header};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

use crate::clients::entry::Command;
use crate::command::http_client::http_client;
use crate::config::Environment;
use crate::text::{excerpt, one_line, truncate};

/// How a server answered.
#[derive(Debug, Clone)]
pub(super) struct Answered {
    /// From the start of the process to the list of tools.
    pub(super) time: Duration,
    /// How many tools it offers.
    pub(super) tools: usize,
}

/// A server on this machine answers in some 20 ms.
const PATIENCE: Duration = Duration::from_secs(20);
/// One that may have to be fetched first.
const PATIENCE_TO_FETCH: Duration = Duration::from_mins(3);
/// What it has said before it ended is in the pipe already.
const PATIENCE_FOR_LAST_WORDS: Duration = Duration::from_secs(1);

/// Starts the command with nothing in its environment but what a client with a window has, and what the
/// entry adds.
pub(super) async fn stdio(
    command: &Command,
    environment: &Environment,
) -> Result<Answered, String> {
    let begun = Instant::now();
    let mut child = tokio::process::Command::new(&command.program)
        .args(&command.args)
        .env_clear()
        .envs(environment.variables())
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .current_dir(environment.home().unwrap_or_else(std::env::temp_dir))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|err| format!("{} cannot be started: {err}", one_line(&command.program)))?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (Some(input), Some(output)) = (input, output) else {
        return Err("its input and output cannot be reached".to_owned());
    };
    let (last, last_words) = watch::channel(String::new());
    let saying = child.stderr.take().map(|stderr| {
        AbortOnDropHandle::new(tokio::spawn(async move {
            let mut lines = BufReader::new(stderr).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                if !line.trim().is_empty() {
                    last.send_replace(line);
                }
            }
        }))
    });
    let patience = if command.slow_start { PATIENCE_TO_FETCH } else { PATIENCE };
    let asked = async {
        let mut server = OverStdio { input, output: BufReader::new(output).lines() };
        server.ask(1, "initialize", &hello()).await?;
        server.send(&initialized()).await?;
        let tools = tools(&server.ask(2, "tools/list", &json!({})).await?)?;
        // With the end of its input the server ends.
        Ok(Answered { time: begun.elapsed(), tools })
    };
    let answer = match tokio::time::timeout(patience, asked).await {
        Ok(answer) => answer,
        Err(_) => Err(format!("no answer within {} s", patience.as_secs())),
    };
    if answer.is_ok() {
        // It ends by itself once its input is closed; what does not is killed by the drop.
        drop(tokio::time::timeout(Duration::from_secs(5), child.wait()).await);
        return answer;
    }
    drop(child.kill().await);
    if let Some(saying) = saying {
        // What it has started may go on, and hold the pipe open.
        drop(tokio::time::timeout(PATIENCE_FOR_LAST_WORDS, saying).await);
    }
    let last = last_words.borrow().clone();
    answer.map_err(|err| match last.as_str() {
        "" => err,
        last => format!("{err}; its last words: {}", truncate(&one_line(last), 400)),
    })
}

/// The revision of MCP that every client of ours speaks.
const VERSION: &str = "2025-06-18";

fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn hello() -> Value {
    let me = json!({ "name": "ayeaye install", "version": env!("CARGO_PKG_VERSION") });
    json!({ "protocolVersion": VERSION, "capabilities": {}, "clientInfo": me })
}

fn initialized() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
}

/// How many tools a list has.
fn tools(list: &Value) -> Result<usize, String> {
    list["tools"].as_array().map(Vec::len).ok_or_else(|| "it lists no tools".to_owned())
}

/// The result in a message, if it answers the request of this id.
fn result(message: &Value, id: u32) -> Option<Result<Value, String>> {
    (message["id"] == id && message["method"].is_null()).then(|| match &message["error"] {
        Value::Null => Ok(message["result"].clone()),
        error => Err(format!("it refuses: {}", error["message"].as_str().unwrap_or_default())),
    })
}

struct OverStdio {
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl OverStdio {
    async fn send(&mut self, message: &Value) -> Result<(), String> {
        let sent = self.input.write_all(format!("{message}\n").as_bytes()).await;
        let sent = match sent {
            Ok(()) => self.input.flush().await,
            failed => failed,
        };
        sent.map_err(|_| "it ended before it was asked".to_owned())
    }

    async fn ask(&mut self, id: u32, method: &str, params: &Value) -> Result<Value, String> {
        self.send(&request(id, method, params)).await?;
        while let Some(line) = self.output.next_line().await.map_err(|err| err.to_string())? {
            // What is no message, a launcher has said.
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            if let Some(result) = result(&message, id) {
                return result;
            }
        }
        Err("it ended without an answer".to_owned())
    }
}

/// Calls a server that runs already.
pub(super) async fn http(url: &str, token: Option<&Secret>) -> Result<Answered, String> {
    let begun = Instant::now();
    let client = http_client(url, PATIENCE).map_err(|err| err.to_string())?;
    let mut server = OverHttp { client, url, token, session: None };
    server.ask(1, "initialize", &hello()).await?;
    server.post(&initialized()).await?;
    let tools = tools(&server.ask(2, "tools/list", &json!({})).await?)?;
    let time = begun.elapsed();
    server.leave().await;
    Ok(Answered { time, tools })
}

struct OverHttp<'a> {
    client: Client,
    url: &'a str,
    token: Option<&'a Secret>,
    session: Option<header::HeaderValue>,
}

impl OverHttp<'_> {
    fn headed(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let mut request = request
            .header(header::ACCEPT, "application/json, text/event-stream")
            .header("MCP-Protocol-Version", VERSION);
        if let Some(session) = &self.session {
            request = request.header("Mcp-Session-Id", session);
        }
        match self.token {
            Some(token) => request.bearer_auth(token.expose()),
            None => request,
        }
    }

    /// Posts a message; what comes back, as text.
    async fn post(&mut self, message: &Value) -> Result<String, String> {
        let request = self.headed(self.client.post(self.url).json(message));
        let answer =
            request.send().await.map_err(|err| ayeaye_agent::error_chain(&err.without_url()))?;
        if let Some(session) = answer.headers().get("mcp-session-id") {
            self.session = Some(session.clone());
        }
        let status = answer.status();
        let text = answer.text().await.map_err(|err| err.without_url().to_string())?;
        match status {
            StatusCode::UNAUTHORIZED => Err("it does not accept the token".to_owned()),
            status if status.is_success() => Ok(text),
            status => Err(format!("{status}: {}", excerpt(&text, 200))),
        }
    }

    async fn ask(&mut self, id: u32, method: &str, params: &Value) -> Result<Value, String> {
        let text = self.post(&request(id, method, params)).await?;
        // One message, or a stream of events with one each.
        let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let messages = events.chain([text.as_str()]).filter_map(|it| serde_json::from_str(it).ok());
        let mut results = messages.filter_map(|message: Value| result(&message, id));
        results.next().unwrap_or_else(|| Err("it does not answer as an MCP server".to_owned()))
    }

    /// Ends the session. The answer is there: how this goes does not matter.
    async fn leave(&self) {
        drop(self.headed(self.client.delete(self.url)).send().await);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_server_has_started_and_left_running_keeps_nobody_waiting() {
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().join("pipe");
        // The reader of the pipe outlives the shell, with its stderr.
        let script = "mkfifo \"$0\" && { cat \"$0\" >/dev/null & } && echo 'no such phone' >&2";
        let args = ["-c", script, pipe.to_str().unwrap()].map(str::to_owned).to_vec();
        let command = Command { program: "/bin/sh".to_owned(), args, ..Command::default() };
        let environment = Environment::of([("PATH", "/usr/bin:/bin")]);
        let asked = tokio::time::timeout(PATIENCE, stdio(&command, &environment)).await;
        // Its reader ends.
        tokio::task::spawn_blocking(move || std::fs::write(pipe, "")).await.unwrap().unwrap();
        let told = asked.expect("it is not waited for").unwrap_err();
        assert!(told.ends_with("its last words: no such phone"), "{told}");
    }
}
