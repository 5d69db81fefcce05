//! Starts the server as a client would, and asks it for its tools.
use std::process::Stdio;
use std::time::{Duration, Instant};

use ayeaye_model::Secret;
use rmcp::ServiceExt as _;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::clients::entry::Command;
use crate::command::http_client::http_client;
use crate::config::Environment;
use crate::text::{one_line, truncate};

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
    let said = child.stderr.take().map(|stderr| {
        tokio::spawn(async move {
            let (mut lines, mut last) = (BufReader::new(stderr).lines(), String::new());
            while let Ok(Some(line)) = lines.next_line().await {
                if !line.trim().is_empty() {
                    last = line;
                }
            }
            last
        })
    });
    let patience = if command.slow_start { PATIENCE_TO_FETCH } else { PATIENCE };
    let asked = async {
        let client = ().serve((output, input)).await.map_err(|err| err.to_string())?;
        let tools = tools(&client).await?;
        let time = begun.elapsed();
        // The answer is there; how the end goes does not matter.
        drop(client.cancel().await);
        Ok(Answered { time, tools })
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
    let last = match said {
        Some(said) => said.await.unwrap_or_default(),
        None => String::new(),
    };
    answer.map_err(|err| match last.as_str() {
        "" => err,
        last => format!("{err}; its last words: {}", truncate(&one_line(last), 400)),
    })
}

/// Calls a server that runs already.
pub(super) async fn http(url: &str, token: Option<&Secret>) -> Result<Answered, String> {
    let begun = Instant::now();
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.to_owned());
    if let Some(token) = token {
        config = config.auth_header(token.expose());
    }
    let http = http_client(url, PATIENCE).map_err(|err| err.to_string())?;
    let transport = StreamableHttpClientTransport::with_client(http, config);
    let asked = async {
        let client = ().serve(transport).await.map_err(|err| err.to_string())?;
        let tools = tools(&client).await?;
        let time = begun.elapsed();
        drop(client.cancel().await);
        Ok(Answered { time, tools })
    };
    match tokio::time::timeout(PATIENCE, asked).await {
        Ok(answer) => answer,
        Err(_) => Err(format!("no answer within {} s", PATIENCE.as_secs())),
    }
}

async fn tools(client: &RunningService<RoleClient, ()>) -> Result<usize, String> {
    let tools = client.peer().list_all_tools().await.map_err(|err| err.to_string())?;
    Ok(tools.len())
}
