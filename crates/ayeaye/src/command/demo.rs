//! `ayeaye demo`: the main job, on the virtual phone, with a stand-in for the model.
//!
//! Everything between them is the product: an MCP client calls the server as over stdio, the agent drives the phone
//! over the adb server's protocol on a socket and asks the model over HTTP.
use std::io::IsTerminal as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use ayeaye_agent::journal::ActionRecord;
use ayeaye_agent::{DeviceHolder, Principal, SessionId, StepSummary, StopReason};
use rmcp::model::{CallToolRequestParams, ProgressNotificationParam};
use rmcp::service::{NotificationContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt as _};
use serde_json::{Value, json};

use crate::command::Exit;
use crate::command::called::ayeaye;
use crate::command::report::{complete_logs, print_page, print_way_on_from, session_folder};
use crate::config::Config;
use crate::mcp::{Defaults, Server};
use crate::shutdown::Shutdown;
use crate::terminal::{Answer, Terminal};
use crate::text::{lines, one_line};
use crate::wiring::{App, ModelChoice};

const TASK: &str = "In Messages, tell Anna: I am ten minutes late";
/// What `--yes` answers to "which Anna?".
const ANSWER: &str = "Anna Berg";
const TEXT: &str = "I am ten minutes late";
/// Between two looks whether the run to be paused has begun.
const PAUSE_POLL: Duration = Duration::from_millis(50);

/// Runs the demo. With `yes` it answers the agent's question by itself.
pub async fn demo(config: &Config, yes: bool, terminal: Terminal) -> anyhow::Result<Exit> {
    terminal.paragraph(
        "The phone is virtual, and the model is a stand-in that reads the phone's own state. The rest is the real \
         thing: an MCP client, the server and its agent, adb's protocol on a socket to the phone, HTTP to the model.\n",
    );
    let app = App::with_virtual_phone(config, ModelChoice::Scripted).await?;
    let client = connect(&app, config, terminal).await?;
    let device = first_phone(&client, terminal).await?;
    terminal.item("task", TASK);
    let start = json!({ "device_id": device, "task": TASK });
    let call = async |tool, arguments| stoppable(&app, &client, (tool, arguments), terminal).await;
    let mut result = call("ask_agent_start_new_task", start).await?;
    let session: SessionId = text(&result, "session_id").parse()?;
    let mut spent = TimeSpent::default();
    let exit = loop {
        spent.add(&result);
        match result["stop_reason"].as_str() {
            Some("TASK_COMPLETED_SUCCESSFULLY") => {
                terminal.item("done", &lines(text(&result, "message")));
                break Exit::Done;
            }
            Some("INFO_ACTION_NEEDS_REPLY") => {
                terminal.item("question", &lines(text(&result["question"], "text")));
                let Some(reply) = answer(yes, terminal).await else {
                    terminal.item("waiting", "nobody answered (--yes would); the session is kept");
                    break Exit::NeedsAnswer;
                };
                let next = json!({ "session_id": session.to_string(), "reply_from_client": reply });
                result = call("ask_agent_continue", next).await?;
            }
            Some("STILL_RUNNING") => {
                let next = json!({ "session_id": session.to_string() });
                result = call("ask_agent_continue", next).await?;
            }
            _ => {
                terminal.item(
                    "stopped",
                    &format!(
                        "{}: {}",
                        text(&result, "stop_reason"),
                        lines(text(&result, "message"))
                    ),
                );
                break Exit::Failed;
            }
        }
    };
    let sent = print_sent_messages(&app, terminal);
    spent.print(terminal);
    terminal.item("session", &session_folder(config, session).display().to_string());
    complete_logs(&app.journal, session, terminal).await;
    print_page(config, session, terminal);
    if let Some(reason) = StopReason::from_name(text(&result, "stop_reason")) {
        print_way_on_from((session, reason), false, terminal);
    }
    if exit == Exit::Done {
        let ayeaye = ayeaye();
        terminal.item(
            "next",
            &format!("{ayeaye} install CLIENT adds it to your client; {ayeaye} setup does all"),
        );
    }
    client.cancel().await.context("the client")?;
    Ok(if exit == Exit::Done && !sent { Exit::Failed } else { exit })
}

/// Prints the messages that the phone has sent. Returns whether the task's text is among them.
fn print_sent_messages(app: &App, terminal: Terminal) -> bool {
    let Some(virtual_phone) = &app.virtual_phone else { return false };
    let sent: Vec<_> = virtual_phone.phone().state().sent;
    for message in &sent {
        terminal.item("phone", &format!("has sent to {}: {:?}", message.to, message.text));
    }
    if sent.is_empty() {
        terminal.item("phone", "has sent nothing");
    }
    sent.iter().any(|message| message.text == TEXT)
}

async fn answer(yes: bool, terminal: Terminal) -> Option<String> {
    if yes {
        terminal.item("answer", &format!("{ANSWER}  (by --yes)"));
        return Some(ANSWER.to_owned());
    }
    let asking = terminal.ask("answer    (Enter: Anna Berg)");
    let answer = tokio::select! {
        answer = asking => answer,
        _ = tokio::signal::ctrl_c() => {
            // The line of the prompt is still open.
            terminal.line("");
            Answer::Ended
        }
    };
    taken(answer, std::io::stdin().is_terminal())
}

/// What an answer means. Only a person who presses Enter accepts the proposal: the end of the input is no
/// consent.
fn taken(answer: Answer, from_person: bool) -> Option<String> {
    match answer {
        Answer::Text(text) => Some(text),
        Answer::Empty if from_person => Some(ANSWER.to_owned()),
        Answer::Empty | Answer::Ended => None,
    }
}

async fn first_phone(client: &Client, terminal: Terminal) -> anyhow::Result<String> {
    let list = call(client, "list_connected_devices", json!({})).await?;
    let devices = list["devices"].as_array().cloned().unwrap_or_default();
    for device in &devices {
        terminal.item(
            "phone",
            &format!(
                "{}  {}, Android {}, {}x{}",
                one_line(text(device, "device_id")),
                one_line(text(device, "model")),
                one_line(text(device, "android_version")),
                device["screen"]["width"],
                device["screen"]["height"]
            ),
        );
    }
    match devices.first() {
        Some(device) => Ok(text(device, "device_id").to_owned()),
        None => bail!("the virtual phone is not listed"),
    }
}

type Client = RunningService<RoleClient, ProgressPrinter>;

/// An MCP client that prints the progress it receives.
#[derive(Debug, Clone)]
struct ProgressPrinter {
    terminal: Terminal,
    /// The last step that was printed, counted from 1.
    printed: Arc<AtomicU64>,
}

impl ProgressPrinter {
    /// Prints a step, unless it was printed before.
    fn print_step(&self, number: u64, words: &str) {
        if self.printed.fetch_max(number, Ordering::Relaxed) < number {
            self.terminal.numbered(number, words);
        }
    }

    /// Prints the last steps of a run, whose progress notifications came after its result.
    fn print_rest(&self, result: &Value) {
        for log in result["intermediate_logs"].as_array().into_iter().flatten() {
            let number = log["global_step_idx"].as_u64().unwrap_or_default();
            self.print_step(number, &in_words(log));
        }
    }
}

/// A step of a result, as progress tells it.
fn in_words(log: &Value) -> String {
    let mut arguments = log["action"].as_object().cloned().unwrap_or_default();
    let mut take = |key: &str| match arguments.remove(key) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let (function, explain) = (take("action_type"), take("explain"));
    // Results have the text of a question as the value.
    if function == "INFO"
        && let Some(text) = arguments.remove("value")
    {
        arguments.insert("question".to_owned(), json!({ "text": text }));
    }
    let action = ActionRecord { function, arguments };
    let step = StepSummary {
        step: 0,
        action,
        explain,
        thought: String::new(),
        error: None,
        uncertain: None,
        caption: None,
    };
    step.in_words()
}

impl ClientHandler for ProgressPrinter {
    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let message = params.message.as_deref().unwrap_or_default();
        for step in message.split("step ").filter_map(|step| step.split_once(": ")) {
            if let Ok(number) = step.0.parse() {
                self.print_step(number, step.1.trim_end_matches("; "));
            }
        }
    }
}

async fn connect(app: &App, config: &Config, terminal: Terminal) -> anyhow::Result<Client> {
    let server = Server::new(app.agent.clone(), Defaults::from(config))
        .with_url_schemes(config.url_schemes.iter().map(|scheme| scheme.0.clone()));
    let (near, far) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(async move {
        let (reader, writer) = (Box::new(reader), Box::new(writer));
        crate::stdio::serve_on(reader, writer, server, &Shutdown::default(), async {}).await;
    });
    ProgressPrinter { terminal, printed: Arc::default() }
        .serve(near)
        .await
        .context("the demo's client")
}

/// Calls a tool. Ctrl-C pauses the run that it follows, so that it returns; a second one leaves at once.
async fn stoppable(
    app: &App,
    client: &Client,
    (tool, arguments): (&'static str, Value),
    terminal: Terminal,
) -> anyhow::Result<Value> {
    let calling = call(client, tool, arguments);
    tokio::pin!(calling);
    tokio::select! {
        result = &mut calling => return result,
        _ = tokio::signal::ctrl_c() => {}
    }
    terminal.item("pausing", "after the action under way; Ctrl-C again leaves at once");
    tokio::select! {
        result = &mut calling => result,
        () = pause(app) => calling.await,
        _ = tokio::signal::ctrl_c() => {
            bail!("left at once\nhint: `ayeaye sessions list` shows the session, `ayeaye continue` resumes it")
        }
    }
}

/// Pauses the run on the demo's phone, as soon as there is one.
async fn pause(app: &App) {
    let operator = Principal::operator();
    loop {
        for (_, holder) in app.agent.devices(&operator).await.unwrap_or_default() {
            let DeviceHolder::Session(id) = holder else { continue };
            match app.agent.stop(id, StopReason::UserPaused, &operator).await {
                Ok(_) => return,
                Err(err) => tracing::warn!("the run is not paused: {err}"),
            }
        }
        tokio::time::sleep(PAUSE_POLL).await;
    }
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> anyhow::Result<Value> {
    let Value::Object(arguments) = arguments else { bail!("arguments are an object") };
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    let result = client.peer().call_tool(params).await.with_context(|| tool.to_owned())?;
    match (result.is_error, result.structured_content) {
        (Some(true), _) | (_, None) => {
            let words: Vec<_> = result
                .content
                .iter()
                .filter_map(|it| it.as_text())
                .map(|it| it.text.clone())
                .collect();
            bail!("{tool}: {}", words.join("\n"))
        }
        (_, Some(result)) => {
            client.service().print_rest(&result);
            Ok(result)
        }
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Time and steps of all calls together.
#[derive(Debug, Default)]
struct TimeSpent {
    model_ms: u64,
    other_ms: u64,
    steps: u64,
}

impl TimeSpent {
    fn add(&mut self, result: &Value) {
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        // The result of a run that still goes on is reported again later, with these steps in it.
        if result["stop_reason"] != "STILL_RUNNING" {
            self.model_ms += number(&result["usage"]["model_ms"]);
            self.other_ms += number(&result["usage"]["other_ms"]);
            self.steps += number(&result["local_step_idx"]);
        }
    }

    fn print(&self, terminal: Terminal) {
        let seconds = |ms: u64| Duration::from_millis(ms).as_secs_f64();
        terminal.time(seconds(self.model_ms), seconds(self.other_ms), self.steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_in_a_result_is_told_with_its_text() {
        let log = json!({ "global_step_idx": 5,
            "action": { "action_type": "INFO", "explain": "Ask the user", "value": "Which Anna?" } });
        assert!(in_words(&log).starts_with("Ask: Which Anna?"), "{}", in_words(&log));
    }

    #[test]
    fn only_enter_accepts_the_proposal() {
        assert_eq!(taken(Answer::Text("Anna Chen".to_owned()), false).unwrap(), "Anna Chen");
        assert_eq!(taken(Answer::Empty, true).unwrap(), ANSWER);
        assert_eq!(taken(Answer::Empty, false), None);
        assert_eq!(taken(Answer::Ended, true), None, "Ctrl-D sends nothing");
    }
}
