//! `ayeaye run`: one task from the terminal.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{
    Agent, ContinueTask, DeviceEntry, DeviceId, Follower, Principal, Question, Replay, ReplyMode,
    Report, RunPhase, RunUpdate, SessionId, StartTask, StopReason, UserInput,
};
use jiff::Timestamp;

use crate::clock;
use crate::command::Exit;
use crate::command::called::ayeaye;
use crate::command::devices::described;
use crate::command::keyboard::offer_for_task;
use crate::command::repetitions::{RepetitionEnd, wait_until};
use crate::command::report::{RunJson, complete_logs, print_end, print_page, print_way_on};
use crate::command::wrong_usage;
use crate::config::Config;
use crate::hint::{Reader, below, for_device_error};
use crate::mcp::args;
use crate::mcp::results::waits;
use crate::shutdown::Shutdown;
use crate::terminal::{Answer, END_OF_INPUT, Terminal};
use crate::text::{lines, one_line};
use crate::wiring::App;

/// Between two looks at what a run is busy with.
const PHASE_POLL: Duration = Duration::from_millis(200);

/// How a task is run and shown.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// Most steps of each run.
    pub max_steps: u32,
    /// Who answers; `pass_to_client` and `manual_reply` both mean the person at this terminal.
    pub reply_mode: ReplyMode,
    /// Whether a host agent splits the task up over apps.
    pub planner: bool,
    /// Whether the task waits its turn where the phone is busy.
    pub queue: bool,
    /// Whether the result is printed as JSON.
    pub json: bool,
    /// When a question is given up; none if it waits for its answer.
    pub answer_by: Option<Timestamp>,
}

impl RunOptions {
    /// The settings, and whether to print JSON.
    pub fn new(config: &Config, json: bool) -> Self {
        // Here the operator is the client: questions come back and are asked below.
        let reply_mode = match config.run.reply_mode {
            ReplyMode::PassToClient | ReplyMode::ManualReply => ReplyMode::PassToClient,
            other @ (ReplyMode::AutoReply | ReplyMode::NoReply) => other,
        };
        Self {
            max_steps: config.run.max_steps,
            reply_mode,
            planner: config.run.planner,
            queue: false,
            json,
            answer_by: None,
        }
    }
}

/// What is to be run.
#[derive(Debug, Clone)]
pub(super) struct TaskToRun {
    /// Without one the phone is used that is connected, if it is the only one.
    pub(super) device: Option<DeviceId>,
    pub(super) text: String,
    /// Steps of an earlier run, to be done again first.
    pub(super) replay: Option<Replay>,
}

/// Runs a task, prints each step and asks questions here.
pub(super) async fn run(
    app: &App,
    config: &Config,
    task: TaskToRun,
    options: RunOptions,
    terminal: Terminal,
    signals: &Shutdown,
) -> anyhow::Result<RepetitionEnd> {
    let words = match args::text("TASK", &task.text) {
        Ok(words) => words,
        Err(error) => {
            return Ok(RepetitionEnd::before_it_began(wrong_usage(&error.to_string())));
        }
    };
    let device_id = match task.device {
        Some(device) => device,
        None => match only_phone(&app.agent, terminal).await {
            Ok(device) => device,
            Err(exit) => return Ok(RepetitionEnd::before_it_began(exit)),
        },
    };
    terminal.item("task", &lines(&words));
    let starting = terminal.waiting("Looking for the phone");
    let start = StartTask {
        policy: None,
        device_id,
        task: words,
        max_steps: options.max_steps,
        reply_mode: options.reply_mode,
        planner: options.planner,
        queue: options.queue,
        principal: Principal::local(),
    };
    let begun = async {
        match task.replay {
            Some(replay) => app.agent.start_replay(start, replay).await,
            None => app.agent.start(start).await,
        }
    };
    let begun = signals.unless_asked(begun).await;
    drop(starting);
    let Some(follower) = begun.transpose()? else {
        terminal.item("stopped", "before the task began");
        return Ok(RepetitionEnd::before_it_began(Exit::Failed));
    };
    terminal.item("session", &follower.report().session_id.to_string());
    to_the_end(app, config, follower, options, terminal, signals).await
}

/// The phone to use when none was named. Otherwise says what there is.
async fn only_phone(agent: &Agent, terminal: Terminal) -> Result<DeviceId, Exit> {
    let looking = terminal.waiting("Asking adb for phones");
    let listed = agent.devices(&Principal::operator()).await;
    drop(looking);
    let devices: Vec<DeviceEntry> = match listed {
        Ok(devices) => devices.into_iter().map(|(entry, _)| entry).collect(),
        Err(err) => {
            let hint = for_device_error(&err, Reader::Terminal);
            return Err(complain(&format!("{}{}", ayeaye_agent::error_chain(&err), below(&hint))));
        }
    };
    let ready: Vec<&DeviceEntry> = devices.iter().filter(|entry| entry.ready).collect();
    match (&ready[..], &devices[..]) {
        ([only], _) => {
            terminal.item("phone", described(only).trim_end());
            Ok(only.id.clone())
        }
        ([], []) => Err(complain(
            "no phone is connected\nhint: plug one in and enable USB debugging, or add --virtual to try \
             without one; `ayeaye doctor` checks everything",
        )),
        ([], all) => {
            let each = all.iter().map(|entry| {
                let hint = entry.hint.as_deref().map(one_line).unwrap_or_default();
                format!("\n  {}\n      {hint}", described(entry).trim_end())
            });
            Err(complain(&format!("no phone is ready:{}", each.collect::<String>())))
        }
        (several, _) => {
            let each = several.iter().map(|entry| format!("\n  {}", described(entry).trim_end()));
            Err(wrong_usage(&format!(
                "several phones are connected; name one with --device:{}",
                each.collect::<String>()
            )))
        }
    }
}

fn complain(text: &str) -> Exit {
    crate::command::print_error(&anyhow::Error::msg(text.to_owned()))
}

/// Follows a run and those after its questions, and prints how it ends.
pub(super) async fn to_the_end(
    app: &App,
    config: &Config,
    mut follower: Follower,
    options: RunOptions,
    terminal: Terminal,
    signals: &Shutdown,
) -> anyhow::Result<RepetitionEnd> {
    loop {
        let report = watch(&mut follower, terminal, signals).await;
        terminal.usage(&report);
        if report.stop_reason == StopReason::StillRunning && signals.at_once.is_cancelled() {
            leave(&report, config, options, terminal);
            return Ok(RepetitionEnd::of(&report));
        }
        let reply = match (report.stop_reason, &report.question) {
            (StopReason::InfoActionNeedsReply, Some(question)) => {
                let device = DeviceId::new(&report.device.device_id);
                let keyboard = offer_for_task(app, config, &device, question, terminal);
                match signals.unless_asked(keyboard).await.flatten() {
                    Some(ready) => Some(ready),
                    None => ask_in_time(question, options.answer_by, terminal, signals).await,
                }
            }
            _ => None,
        };
        let Some(reply) = reply else {
            complete_logs(&app.journal, report.session_id, terminal).await;
            finish(config, &report, options, terminal);
            return Ok(RepetitionEnd::of(&report));
        };
        follower = answer(&app.agent, &report, reply, options).await?;
        if follower.has_dropped_answer() {
            terminal
                .item("not sent", "the question has meanwhile been answered or given up elsewhere");
        }
    }
}

/// Goes on from a question: what is answered counts for it alone, whatever is asked by then.
pub(super) async fn answer(
    agent: &Agent,
    report: &Report,
    reply: String,
    options: RunOptions,
) -> anyhow::Result<Follower> {
    // The number of an option is no secret, whatever is asked.
    let is_secret = report.question.as_ref().is_some_and(|question| {
        question.asks_for_secret() && question.chosen(reply.clone()).is_ok_and(|it| it == reply)
    });
    let input = match &report.question {
        Some(_) => UserInput::Answer { question: report.asked_at_step, text: reply },
        None => UserInput::Reply(reply),
    };
    resume(agent, report.session_id, input, is_secret, options).await
}

/// Goes on with a session.
pub(super) async fn resume(
    agent: &Agent,
    session_id: SessionId,
    input: UserInput,
    reply_is_secret: bool,
    options: RunOptions,
) -> anyhow::Result<Follower> {
    let next = ContinueTask {
        policy: None,
        reply_is_secret,
        session_id,
        device_id: None,
        input,
        max_steps: options.max_steps,
        reply_mode: options.reply_mode,
        planner: options.planner,
        principal: Principal::operator(),
        connection: None,
    };
    Ok(agent.resume(next).await?)
}

/// Prints how a run ended, and what to do next.
fn finish(config: &Config, report: &Report, options: RunOptions, terminal: Terminal) {
    if report.stop_reason == StopReason::InfoActionNeedsReply {
        // The question itself has been printed.
        terminal.item("waiting", "nobody answered; the session is kept");
    } else {
        print_end(report, terminal);
    }
    print_way_on(report, terminal);
    print_page(config, report.session_id, terminal);
    if options.json {
        terminal.json(&RunJson::new(report, config));
    }
}

/// Says how a run is left that has not ended: its logs are completed by whoever goes on with it.
fn leave(report: &Report, config: &Config, options: RunOptions, terminal: Terminal) {
    terminal.item("left", "at once; the record does not have the end of what was under way");
    terminal.item("go on", &format!("{} continue {}", ayeaye(), report.session_id));
    if options.json {
        terminal.json(&RunJson::left(report, config));
    }
}

/// Shows each step as it happens. The first signal pauses the run after the action under way, so that what
/// was changed on the phone is put back; after the second nothing is waited for.
pub async fn watch(follower: &mut Follower, terminal: Terminal, signals: &Shutdown) -> Arc<Report> {
    let mut shown = PrintedSoFar::default();
    let waiting = terminal.waiting(busy_with(follower));
    let mut poll = tokio::time::interval(PHASE_POLL);
    if let Some(place) = waits(&follower.report()) {
        terminal.item("waiting", &lines(&place));
    }
    loop {
        shown.news(&follower.update(), terminal);
        tokio::select! {
            more = follower.changed() => if !more { break },
            _ = poll.tick() => waiting.now(busy_with(follower)),
            () = signals.asked.cancelled() => {
                terminal.item("pausing", "after the action under way; Ctrl-C again leaves at once");
                follower.stop(StopReason::UserPaused);
                // At the second signal the gesture under way completes on the phone.
                tokio::select! {
                    () = follower.finished() => {}
                    () = signals.at_once.cancelled() => {}
                }
                break;
            }
        }
    }
    drop(waiting);
    let update = follower.update();
    shown.news(&update, terminal);
    follower.report()
}

/// What has been printed.
#[derive(Debug, Default)]
struct PrintedSoFar {
    /// Number of the next step, from 0 through the session.
    next: u32,
    /// That kept steps fit no more.
    replay_ended: bool,
}

impl PrintedSoFar {
    /// Prints what is new.
    fn news(&mut self, update: &RunUpdate, terminal: Terminal) {
        // Steps that were done again come first.
        let why_ended = if self.replay_ended { None } else { update.replay_ended.as_deref() };
        self.steps(&update.report, terminal);
        if let Some(why) = why_ended {
            terminal.item("replay", &lines(why));
            self.replay_ended = true;
        }
    }

    /// A long report leaves out steps from its middle: only their numbers count.
    fn steps(&mut self, report: &Report, terminal: Terminal) {
        for line in report.steps.iter().filter(|line| self.next <= line.step) {
            terminal.step_in_words(line);
        }
        if let Some(last) = report.steps.last() {
            self.next = self.next.max(last.step + 1);
        }
    }
}

/// What a run is busy with, for a person.
fn busy_with(follower: &Follower) -> &'static str {
    match follower.phase() {
        RunPhase::Queued => "Waiting for its turn on the phone",
        RunPhase::Preparing => "Getting the phone ready",
        RunPhase::Looking => "Looking at the screen",
        RunPhase::Deciding => "Waiting for the model",
        RunPhase::Acting => "Acting on the phone",
        RunPhase::Asking => "Waiting for an answer: ayeaye sessions answer",
        RunPhase::Ending => "Completing the record",
    }
}

/// Asks the person at the terminal, up to this time.
async fn ask_in_time(
    question: &Question,
    answer_by: Option<Timestamp>,
    terminal: Terminal,
    signals: &Shutdown,
) -> Option<String> {
    let asking = async {
        let answer = signals.unless_asked(ask(question, terminal)).await;
        if answer.is_none() {
            // The line of the prompt is still open.
            terminal.line("");
        }
        answer.flatten()
    };
    let Some(answer_by) = answer_by else { return asking.await };
    let now = clock::system();
    tokio::select! {
        answer = asking => answer,
        () = wait_until(answer_by, &now) => {
            // The line of the prompt is still open.
            terminal.line("");
            None
        }
    }
}

/// How often it is asked again for want of an answer: a pipe may give empty lines for ever.
const MOST_TRIES: usize = 20;

/// Asks the person at the terminal; `None` if nobody answers.
pub(super) async fn ask(question: &Question, terminal: Terminal) -> Option<String> {
    terminal.item("question", &lines(&question.text));
    for (number, option) in question.options.iter().enumerate() {
        terminal.line(&format!("          {}. {}", number + 1, lines(option)));
    }
    let is_secret = question.asks_for_secret() && question.options.is_empty();
    let mut told_how_to_leave = false;
    for _ in 0..MOST_TRIES {
        let answer = if is_secret {
            terminal.ask_secret("answer   ").await
        } else {
            terminal.ask("answer   ").await
        };
        match answer {
            Answer::Ended => return None,
            // A key that slipped is no answer, and no wish to end.
            Answer::Empty if told_how_to_leave => {}
            Answer::Empty => {
                terminal
                    .line(&format!("          type an answer, or {END_OF_INPUT} to leave it open"));
                told_how_to_leave = true;
            }
            Answer::Text(text) => match question.chosen(text) {
                Ok(text) => return Some(text),
                Err(no) => {
                    let most = no.options.len();
                    let are =
                        if most == 1 { "is 1 option" } else { &format!("are {most} options") };
                    terminal
                        .line(&format!("          there {are}: type its number, or other words"));
                }
            },
        }
    }
    None
}
