//! `ayeaye run`: one task from the terminal.
use std::sync::Arc;

use ayeaye_agent::{
    Agent, ContinueTask, DeviceId, Follower, Principal, Question, ReplyMode, Report, StartTask,
    StopReason, UserInput,
};

use crate::command::Exit;
use crate::command::report::{print_end, print_page};
use crate::config::Config;
use crate::mcp::args;
use crate::terminal::Terminal;
use crate::text::lines;

/// A task for [`run`].
#[derive(Debug)]
pub struct Task {
    /// The phone.
    pub device: DeviceId,
    /// What to do.
    pub words: String,
    /// Most steps of each run.
    pub max_steps: u32,
    /// Who answers; `pass_to_client` and `manual_reply` both mean the person at this terminal.
    pub reply_mode: ReplyMode,
    /// Whether a host agent splits the task up over apps.
    pub planner: bool,
}

/// Runs a task, prints each step and asks questions here.
pub async fn run(
    agent: &Agent,
    config: &Config,
    task: Task,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let words = match args::text("TASK", &task.words) {
        Ok(words) => words,
        Err(error) => {
            terminal.item("usage", &error.to_string());
            return Ok(Exit::Usage);
        }
    };
    // Here the operator is the client: questions come back and are asked below.
    let reply_mode = match task.reply_mode {
        ReplyMode::PassToClient | ReplyMode::ManualReply => ReplyMode::PassToClient,
        other => other,
    };
    terminal.item("task", &lines(&words));
    let mut follower = agent
        .start(StartTask {
            device_id: task.device.clone(),
            task: words,
            max_steps: task.max_steps,
            reply_mode,
            planner: task.planner,
            principal: Principal::local(),
        })
        .await?;
    terminal.item("session", &follower.report().session_id.to_string());
    loop {
        let report = watch(&mut follower, terminal).await;
        terminal.usage(&report);
        let (StopReason::InfoActionNeedsReply, Some(question)) =
            (report.stop_reason, &report.question)
        else {
            let exit = print_end(&report, terminal);
            print_page(config, report.session_id, terminal);
            return Ok(exit);
        };
        let Some(reply) = ask(question, terminal).await else {
            terminal.item(
                "waiting",
                &format!(
                    "nobody answered; session {} is kept, and an MCP client can go on with it by ask_agent_continue",
                    report.session_id
                ),
            );
            return Ok(Exit::NeedsAnswer);
        };
        follower = agent
            .resume(ContinueTask {
                reply_is_secret: question.asks_for_secret(),
                session_id: report.session_id,
                device_id: None,
                input: UserInput::Reply(reply),
                max_steps: task.max_steps,
                reply_mode,
                planner: task.planner,
                principal: Principal::local(),
            })
            .await?;
    }
}

/// Shows each step as it happens. Ctrl-C pauses the run after the action under way.
pub async fn watch(follower: &mut Follower, terminal: Terminal) -> Arc<Report> {
    let mut shown = 0;
    loop {
        let report = follower.report();
        for line in report.steps.iter().skip(shown) {
            terminal.step(line);
        }
        shown = shown.max(report.steps.len());
        tokio::select! {
            more = follower.changed() => if !more { break },
            interrupted = tokio::signal::ctrl_c() => {
                if interrupted.is_ok() {
                    terminal.item("pausing", "after the action under way");
                    follower.stop(StopReason::UserPaused);
                }
                // The second Ctrl-C exits now; the gesture under way completes on the phone.
                tokio::select! {
                    () = follower.finished() => {}
                    _ = tokio::signal::ctrl_c() => break,
                }
            }
        }
    }
    let report = follower.report();
    for line in report.steps.iter().skip(shown) {
        terminal.step(line);
    }
    report
}

/// Asks the person at the terminal.
pub async fn ask(question: &Question, terminal: Terminal) -> Option<String> {
    terminal.item("question", &lines(&question.text));
    for (number, option) in question.options.iter().enumerate() {
        terminal.line(&format!("          {}. {}", number + 1, lines(option)));
    }
    let answer = async {
        if question.asks_for_secret() && question.options.is_empty() {
            terminal.ask_secret("answer   ").await
        } else {
            terminal.ask("answer   ").await
        }
    };
    tokio::select! {
        answer = answer => answer,
        _ = tokio::signal::ctrl_c() => None,
    }
}
