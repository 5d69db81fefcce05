//! `ayeaye demo`: the main job, on the virtual phone, with a stand-in for the model.
//!
//! Everything between them is the product: an MCP client calls the server as over stdio, the agent drives the phone
//! over the adb server's protocol on a socket and asks the model over HTTP.
mod client;

use std::io::IsTerminal as _;
use std::time::Duration;

use anyhow::bail;
use ayeaye_agent::journal::ActionRecord;
use ayeaye_agent::{DeviceHolder, Principal, SessionId, StepSummary, StopReason};
use futures::FutureExt as _;
use serde_json::{Value, json};

use self::client::Client;
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
    let mut client = connect(&app, config).await?;
    let device = first_phone(&mut client, terminal).await?;
    terminal.item("task", TASK);
    let start = json!({ "device_id": device, "task": TASK });
    let mut steps = StepPrinter { terminal, printed: 0 };
    let mut call =
        async |tool, arguments| stoppable(&app, &mut client, tool, arguments, &mut steps).await;
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
        print_way_on_from(session, reason, false, terminal);
    }
    if exit == Exit::Done {
        let ayeaye = ayeaye();
        terminal.item(
            "next",
            &format!("{ayeaye} install CLIENT adds it to your client; {ayeaye} setup does all"),
        );
    }
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

async fn first_phone(client: &mut Client, terminal: Terminal) -> anyhow::Result<String> {
    let list = client.call("list_connected_devices", json!({}), |_| ()).await?;
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

/// Prints each step of the session once.
#[derive(Debug)]
struct StepPrinter {
    terminal: Terminal,
    /// The last step that was printed, counted from 1.
    printed: u64,
}

impl StepPrinter {
    /// Prints a step, unless it was printed before.
    fn print_step(&mut self, number: u64, words: &str) {
        if self.printed < number {
            self.printed = number;
            self.terminal.numbered(number, words);
        }
    }

    /// Prints the steps that a message of progress tells.
    fn print_progress(&mut self, message: &str) {
        for step in message.split("step ").filter_map(|step| step.split_once(": ")) {
            if let Ok(number) = step.0.parse() {
                self.print_step(number, step.1.trim_end_matches("; "));
            }
        }
    }

    /// Prints the last steps of a run, which no progress told before its result.
    fn print_rest(&mut self, result: &Value) {
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
        asked: None,
        caption: None,
    };
    step.in_words()
}

async fn connect(app: &App, config: &Config) -> anyhow::Result<Client> {
    let server = Server::new(app.agent.clone(), Defaults::from(config))
        .with_url_schemes(config.url_schemes.iter().map(|scheme| scheme.0.clone()));
    let (near, far) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(far);
    tokio::spawn(
        async move {
            let (reader, writer) = (Box::new(reader), Box::new(writer));
            let shutdown = Shutdown::default();
            drop(crate::stdio::serve_on(reader, writer, server, &shutdown, async {}).await);
        }
        .boxed(),
    );
    Client::connect(near).await
}

/// Calls a tool. Ctrl-C pauses the run that it follows, so that it returns; a second one leaves at once.
async fn stoppable(
    app: &App,
    client: &mut Client,
    tool: &'static str,
    arguments: Value,
    steps: &mut StepPrinter,
) -> anyhow::Result<Value> {
    let terminal = steps.terminal;
    let calling = call(client, tool, arguments, steps);
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

/// Calls a tool and prints the steps of the run that it follows.
async fn call(
    client: &mut Client,
    tool: &'static str,
    arguments: Value,
    steps: &mut StepPrinter,
) -> anyhow::Result<Value> {
    let result = client.call(tool, arguments, |message| steps.print_progress(message)).await?;
    steps.print_rest(&result);
    Ok(result)
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
