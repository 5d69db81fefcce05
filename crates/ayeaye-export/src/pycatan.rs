//! `PyCatan`'s session folder: every prompt and every response, also those in between.
//!
//! The formats are those of `PyCatan`-AI's logger (its `LOGGING_INTERMEDIATE_RESPONSES.md` and the
//! files it writes); keys that it does not have stand behind its own. Three things differ on
//! purpose. Every request has a response file, also one that came to nothing. What a restart adds
//! goes on at the next number and overwrites nothing. Totals are written at the end of a run and
//! not into the head of the log, which only grows.
//!
//! All times are UTC, without saying so in each (the format has no place for a zone);
//! `session_metadata.json` says it. Tokens of thinking stand apart from those of the completion, as
//! `PyCatan` counts them: a total is the sum of what stands beside it.
mod activity;
mod exchange;
mod files;
mod log;
mod player;
mod player_page;
mod prompt;
mod response;
#[cfg(test)]
mod tests;
mod tools;

use std::collections::{BTreeMap, VecDeque};

use ayeaye_agent::journal::{AgentType, EvaluationRecord, Event, Fact, SessionEnd, SessionStart};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use self::files::Files;
use self::player::Player;
use self::prompt::TextCache;
use self::tools::Batch;
use crate::step_view::StepAssembler;
use crate::text::iso;
use crate::{Blobs, FileOp, Projection};

/// Version of the layout, as `PyCatan` numbers it.
const VERSION: &str = "2.0";
/// Messages of `chat_history.json`: it is written anew with each, so only the latest are in it.
const MAX_CHAT_MESSAGES: usize = 1000;
/// Characters of the sentence that says what happened.
const MAX_SENTENCE: usize = 300;
/// Calls of which an answer is awaited. A run has one at a time.
const MAX_CALLS: usize = 64;
const USER: &str = "User";
const HOST: &str = AgentType::HostAgent.name();

/// `PyCatan`'s folder of one session.
#[derive(Debug, Default)]
pub struct PyCatan {
    started: Option<Timestamp>,
    steps: StepAssembler,
    players: BTreeMap<String, Player>,
    /// Whose call it is and what it belongs to, by the call's number.
    calls: BTreeMap<u32, (String, u32, u32)>,
    batch: Option<Batch>,
    text_cache: TextCache,
    /// The latest messages, as they stand in the file.
    chat: VecDeque<String>,
    task: String,
    subtask: String,
    last_event: String,
    /// Whether rounds that begin now are planned.
    planner: bool,
    /// Whether this round is.
    planned: bool,
    /// Who asked last; an answer that comes later, from outside of any step, is for that agent.
    asking_player: Option<String>,
    /// The latest judgement of the session.
    evaluation: Option<Value>,
}

impl PyCatan {
    /// The files of a session folder; `*` stands for a player, `#` for a number.
    pub(crate) const FILES: &[&str] = &[
        files::LOG,
        tools::TOOLS,
        "agent_memories.json",
        "chat_history.json",
        "session_metadata.json",
        "session_summary.json",
        "*/*.md",
        "*/prompts/prompt_#.json",
        "*/prompts/prompt_#.txt",
        "*/prompts/iterations/prompt_#_iter#.json",
        "*/prompts/iterations/prompt_#_iter#.txt",
        "*/responses/response_#.json",
        "*/responses/intermediate/response_#_iter#.json",
    ];

    /// A folder into which nothing has been written.
    pub fn new() -> Self {
        Self::default()
    }

    /// The name of the folder of a session that began then. Where two began in the same second, the
    /// later one's writer has to add to it.
    pub fn folder(started: Timestamp) -> String {
        started.strftime("session_%Y%m%d_%H%M%S").to_string()
    }
}

impl Projection for PyCatan {
    fn fold(&mut self, event: &Event, blobs: &dyn Blobs) -> Vec<FileOp> {
        let mut files = Files::default();
        let ended = self.steps.apply(event);
        let now = event.ts;
        if self.started.is_none() {
            self.start(&mut files, now);
        }
        match &event.entry.fact {
            Fact::SessionStart(start) => self.on_session_start(&mut files, now, start),
            Fact::SessionResume(resume) => {
                self.planner = resume.run.planner;
                files.log_line(now, "INFO", &format!("Session resumed: {}", resume.why));
            }
            Fact::SessionEnd(end) => self.end_session(&mut files, now, end),
            Fact::RoundStart { request } => {
                self.task.clone_from(request);
                self.planned = self.planner;
                self.set_last_event(&format!("New request: {request}"));
                let to = self.default_player();
                self.chat(&mut files, now, USER, &to, request);
            }
            Fact::RoundEnd(end) => {
                self.close_batch(&mut files, now);
                files.log_line(now, "INFO", &format!("Round over: {} {}", end.status, end.result));
                let from = self.default_player();
                self.chat(&mut files, now, &from, USER, &end.result);
            }
            Fact::StepStart(start) => {
                self.planned |= start.agent_type == AgentType::HostAgent;
                self.subtask.clone_from(&start.subtask);
            }
            Fact::StepEnd(end) => self.end_step(&mut files, event, ended.as_ref(), end),
            Fact::LlmRequest(request) => self.on_request(&mut files, event, request, blobs),
            Fact::LlmResponse(response) => self.on_response(&mut files, event, response),
            Fact::ToolStart(start) => self.begin_tool(&mut files, event, start),
            Fact::ToolEnd(end) => self.end_tool(&mut files, event, end),
            Fact::Question(asked) => self.question(&mut files, event, asked),
            Fact::Answer(answer) => self.answer(&mut files, event, answer),
            Fact::Evaluation(fact) => self.on_evaluation(&mut files, now, fact),
            Fact::Note { kind, text, .. } => {
                files.log_line(now, "WARNING", &format!("{kind}: {text}"));
            }
            // Without a host agent there is one subtask, and the end of the round tells of it.
            Fact::SubtaskEnd { index, status, result } if self.planned => {
                files.log_line(now, "INFO", &format!("Subtask {index} over: {status} {result}"));
                self.set_last_event(&format!("Subtask {index} over: {status} {result}"));
            }
            Fact::Observe(_)
            | Fact::State { .. }
            | Fact::SubtaskEnd { .. }
            | Fact::Snapshot { .. }
            | Fact::BlackboardAdd { .. }
            | Fact::Unknown { .. } => {}
        }
        files.finish()
    }
}

/// The session as a whole.
impl PyCatan {
    fn start(&mut self, files: &mut Files, now: Timestamp) {
        self.started = Some(now);
        log::header(files, &Self::folder(now), now);
    }

    /// When the session began; the time of its first event.
    fn started(&self) -> Timestamp {
        self.started.unwrap_or_default()
    }

    fn on_session_start(&mut self, files: &mut Files, now: Timestamp, start: &SessionStart) {
        let SessionStart { task_name, request, device, config, run, owner: _ } = start;
        self.task.clone_from(request);
        self.planner = run.planner;
        files.json(
            "session_metadata.json".to_owned(),
            &json!({
                "session_id": Self::folder(self.started()), "start_time": iso(now),
                "version": VERSION, "timezone": "UTC", "task_name": task_name, "task": request,
                "device": device, "config": config, "run": run,
            }),
        );
        files.log_line(now, "INFO", &format!("Task: {request}"));
    }

    fn end_session(&mut self, files: &mut Files, now: Timestamp, end: &SessionEnd) {
        self.close_batch(files, now);
        let names: Vec<String> = self.players.keys().cloned().collect();
        for name in names {
            self.close_unanswered(files, now, &name, "the run ended before an answer came");
        }
        let started = self.started();
        // A clock may have been put back meanwhile.
        let lasted = now.duration_since(started).as_secs_f64().max(0.0);
        let agents: Map<String, Value> =
            self.players.iter().map(|(name, player)| (name.clone(), player.summary())).collect();
        let mut summary = json!({
            "session_id": Self::folder(started), "start_time": iso(started), "end_time": iso(now),
            "duration_seconds": lasted, "agents": agents, "timezone": "UTC",
            "stop_reason": end.stop_reason, "message": end.message, "steps": end.steps,
            "cost_usd": end.cost_usd, "cost_known": end.cost_known,
        });
        if let Some(evaluation) = &self.evaluation {
            summary["evaluation"] = evaluation.clone();
        }
        files.latest("session_summary.json", &summary);
        files.log_line(
            now,
            "INFO",
            &format!("Session stopped: {} {}", end.stop_reason, end.message),
        );
        log::cost(files, self.players.values());
    }

    fn on_evaluation(&mut self, files: &mut Files, now: Timestamp, fact: &Value) {
        match EvaluationRecord::of(fact) {
            Some(evaluation) => {
                let EvaluationRecord { level, complete, .. } = &evaluation;
                let why = evaluation.why();
                files.log_line(now, "INFO", &format!("Evaluation ({level}): {complete} - {why}"));
                self.evaluation = Some(json!(evaluation));
            }
            None => files.log_line(now, "INFO", &format!("Evaluation: {fact}")),
        }
    }
}
