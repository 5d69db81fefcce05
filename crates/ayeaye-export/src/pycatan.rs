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
mod files;
mod log;
mod player;
mod player_page;
mod prompt;
mod response;
#[cfg(test)]
mod tests;
mod tools;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

use ayeaye_agent::journal::{
    Answer, EvaluationRecord, Event, Fact, LlmRequest, LlmResponse, QuestionAsked, SessionEnd,
    SessionStart, StepEnd, ToolEnd, ToolStart,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use self::files::Files;
use self::player::{Player, Request, player_of};
use self::prompt::{Messages, PromptContext, TextCache};
use self::tools::Batch;
use crate::step_view::{StepAssembler, StepView};
use crate::text::{excerpt, iso, json_line, reply_text};
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
const HOST: &str = "HostAgent";

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
    /// Whether a host agent has had a step in this round.
    planned: bool,
    /// Who asked last; an answer that comes later, from outside of any step, is for that agent.
    asking_player: Option<String>,
    /// The latest judgement of the session.
    evaluation: Option<Value>,
}

impl PyCatan {
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
                files.log_line(now, "INFO", &format!("Session resumed: {}", resume.why));
            }
            Fact::SessionEnd(end) => self.end_session(&mut files, now, end),
            Fact::RoundStart { request } => {
                self.task.clone_from(request);
                self.planned = false;
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
                self.planned |= start.agent_type == HOST;
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
            | Fact::BlackboardAdd { .. } => {}
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
        let lasted = now.duration_since(started).as_secs_f64();
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
                let EvaluationRecord { level, complete, reason, .. } = &evaluation;
                files.log_line(
                    now,
                    "INFO",
                    &format!("Evaluation ({level}): {complete} - {reason}"),
                );
                self.evaluation = Some(json!(evaluation));
            }
            None => files.log_line(now, "INFO", &format!("Evaluation: {fact}")),
        }
    }
}

/// Requests and answers.
impl PyCatan {
    fn on_request(
        &mut self,
        files: &mut Files,
        event: &Event,
        request: &LlmRequest,
        blobs: &dyn Blobs,
    ) {
        let now = event.ts;
        self.close_batch(files, now);
        let name = player_of(event);
        let player = self.players.entry(name.clone()).or_default();
        if let Some(left) = player.on_request(request) {
            close_unanswered(
                files,
                now,
                &name,
                &left,
                "another request was made before an answer came",
            );
        }
        let player = self.players.entry(name.clone()).or_default();
        let results = player.request.as_ref().and_then(|it| it.results.clone());
        let messages = Messages::read(request, &mut self.text_cache, blobs);
        let context = PromptContext {
            player: &name,
            at: now,
            task: &self.task,
            subtask: &self.subtask,
            last_event: &self.last_event,
            note: player.note.as_ref().map(|(note, _)| note.as_str()),
            results: results.as_ref().map(|(words, _)| words.as_str()),
            round: event.entry.round,
            step: event.entry.step,
        };
        prompt::write(files, request, &context, &messages);
        let mut section = String::new();
        if !player.introduced {
            player.introduced = true;
            let started = self.started.unwrap_or_default();
            section = player_page::header(&name, &Self::folder(started), started, &request.model);
        }
        section += &player_page::prompt_section(request, &messages, now, &self.last_event);
        files.append(player_page::path(&name), section);
        log::sent(files, now, &name, request, &messages, results.map(|(_, tokens)| tokens));
        if self.calls.len() == MAX_CALLS {
            self.calls.pop_first();
        }
        self.calls.insert(request.call_id, (name, request.request_number, request.iteration));
    }

    fn on_response(&mut self, files: &mut Files, event: &Event, response: &LlmResponse) {
        let now = event.ts;
        self.close_batch(files, now);
        // A call and its answer belong together whatever else the answer says.
        let (name, number, iteration) = self
            .calls
            .remove(&response.call_id)
            .unwrap_or_else(|| (player_of(event), response.request_number, response.iteration));
        let response = numbered(response, number, iteration);
        let player = self.players.entry(name.clone()).or_default();
        let last = response.kind == "final";
        player.count_response(last, response.success);
        let (left, request) = player.on_response(&response);
        if let Some(left) = left {
            close_unanswered(
                files,
                now,
                &name,
                &left,
                "another request was made before an answer came",
            );
        }
        // A reply that called tools is told as PyCatan tells one, also where it was the last word.
        let called = !response.tool_calls.is_empty();
        if !last || called {
            response::intermediate(files, &name, now, &response);
        }
        if last {
            response::last(files, &name, now, request, &response);
            request.answered = true;
            files.append(
                player_page::path(&name),
                player_page::response_section(request, &response),
            );
        } else {
            request.asked = if response.success { response.tool_calls.clone() } else { Vec::new() };
            request.last = (reply_text(&response), response.error.clone());
            files.append(player_page::path(&name), player_page::intermediate_section(&response));
        }
        log::received(files, now, &response);
        if last && called {
            player.count_response(false, true);
        }
        let used = last || (response.success && called);
        if !used {
            Batch::rejected(name, &response, now).write(files, now);
        }
        if let Some(parsed) = response.parsed.as_ref().filter(|_| last)
            && player.set_note(&parsed.response.summary, now)
        {
            self.write_memories(files);
        }
    }

    /// `agent_memories.json` in one shape, live and at the end.
    fn write_memories(&self, files: &mut Files) {
        let memories: Map<String, Value> = self
            .players
            .iter()
            .filter_map(|(name, player)| Some((name.clone(), player.memory()?)))
            .collect();
        files.latest("agent_memories.json", &Value::Object(memories));
    }

    fn end_step(
        &mut self,
        files: &mut Files,
        event: &Event,
        step: Option<&StepView>,
        end: &StepEnd,
    ) {
        self.close_batch(files, event.ts);
        let name = player_of(event);
        let why = end.error.as_deref().unwrap_or("the step ended before an answer came");
        self.close_unanswered(files, event.ts, &name, why);
        if let Some(step) = step {
            self.close_calls(files, event.ts, &name, step, end);
        }
        if let Some(error) = &end.error {
            files.log_line(event.ts, "ERROR", &format!("{name}: {error}"));
            self.set_last_event(&format!("The step failed: {error}"));
        }
    }

    /// Writes the response of a request that has got none and will not get one.
    fn close_unanswered(&mut self, files: &mut Files, now: Timestamp, name: &str, why: &str) {
        let Some(player) = self.players.get_mut(name) else { return };
        let Some(request) = player.request.as_mut().filter(|it| !it.answered) else { return };
        request.answered = true;
        close_unanswered(files, now, name, request, why);
        player.count_response(true, false);
    }
}

/// Tools, and what people say.
impl PyCatan {
    fn begin_tool(&mut self, files: &mut Files, event: &Event, start: &ToolStart) {
        if !self.batch.as_ref().is_some_and(|batch| batch.accepts(start)) {
            self.close_batch(files, event.ts);
        }
        let name = player_of(event);
        let request = self.players.get(&name).and_then(|it| it.request.as_ref());
        let (number, asked) =
            request.map_or((None, &[][..]), |it| (Some(it.number), it.asked.as_slice()));
        let reply = self.steps.step(event.entry.step).and_then(|step| step.reply.as_ref());
        let decided = reply.filter(|it| it.tool_call_id == Some(start.tool_call_id));
        let batch =
            self.batch.get_or_insert_with(|| Batch::new(name, start.batch, number, event.ts));
        match decided {
            Some(reply) => batch.start_called(start, &reply.tool_calls),
            None => batch.start(start, asked),
        }
    }

    /// Writes down the calls of a reply that decided without the phone.
    fn close_calls(
        &mut self,
        files: &mut Files,
        now: Timestamp,
        name: &str,
        step: &StepView,
        end: &StepEnd,
    ) {
        let Some(player) = self.players.get_mut(name) else { return };
        let reply = step.reply.as_ref().filter(|reply| reply.tool_call_id.is_none());
        let calls = reply.map_or(&[][..], |reply| &reply.tool_calls);
        let Some(request) = player.request.as_ref().filter(|_| !calls.is_empty()) else { return };
        let outcome = end.error.clone().map_or_else(|| Ok(end.result.clone()), Err);
        let batch = Batch::of_calls(name.to_owned(), request.number, now, calls, outcome);
        batch.write(files, now);
        player.count_tools(batch.len(), None);
    }

    fn end_tool(&mut self, files: &mut Files, event: &Event, end: &ToolEnd) {
        let Some(batch) = &mut self.batch else { return };
        let Some((name, device)) = batch.end(end) else { return };
        // What was not done to the phone is told in the results of the tools.
        if device {
            let outcome = match &end.error {
                Some(error) if !end.success => format!("{name} failed: {error}"),
                _ if end.success => format!("{name}: {}", end.result),
                _ => format!("{name} failed"),
            };
            self.set_last_event(&outcome);
        }
        if self.batch.as_ref().is_some_and(Batch::is_complete) {
            self.close_batch(files, event.ts);
        }
    }

    fn close_batch(&mut self, files: &mut Files, now: Timestamp) {
        let Some(batch) = self.batch.take() else { return };
        batch.write(files, now);
        if let Some(player) = self.players.get_mut(&batch.player) {
            player.count_tools(batch.len(), batch.results());
        }
    }

    fn question(&mut self, files: &mut Files, event: &Event, asked: &QuestionAsked) {
        let name = player_of(event);
        let text = asked.questions.join("\n");
        files.log_line(event.ts, "INFO", &format!("Question ({}) - {name}: {text}", asked.kind));
        self.chat(files, event.ts, &name, USER, &text);
        self.set_last_event(&format!("{name} asked: {text}"));
        self.asking_player = Some(name);
    }

    fn answer(&mut self, files: &mut Files, event: &Event, answer: &Answer) {
        let text = answer.answers.join("\n");
        let from = match answer.source.as_str() {
            "auto" => "AutoReply",
            "none" => "Server",
            _ => USER,
        };
        files.log_line(event.ts, "INFO", &format!("Answer ({}) - {from}: {text}", answer.source));
        let to = match &event.entry.agent {
            Some(_) => player_of(event),
            None => self.asking_player.take().unwrap_or_else(|| self.default_player()),
        };
        self.chat(files, event.ts, from, &to, &text);
        self.set_last_event(&format!("{from} answered: {text}"));
    }

    fn chat(&mut self, files: &mut Files, now: Timestamp, from: &str, to: &str, message: &str) {
        if message.is_empty() {
            return;
        }
        if self.chat.len() == MAX_CHAT_MESSAGES {
            self.chat.pop_front();
        }
        let message = json!({ "timestamp": iso(now), "from": from, "to": to, "message": message });
        self.chat.push_back(format!("    {}", json_line(&message)));
        let messages = self.chat.make_contiguous().join(",\n");
        let text = format!("{{\n  \"messages\": [\n{messages}\n  ]\n}}\n");
        files.replace("chat_history.json", text);
    }

    /// Whom a user speaks to: the host agent where there is one.
    fn default_player(&self) -> String {
        let agent = if self.players.contains_key(HOST) { HOST } else { "AppAgent" };
        agent.to_owned()
    }

    fn set_last_event(&mut self, what: &str) {
        self.last_event = excerpt(what, MAX_SENTENCE);
    }
}

fn close_unanswered(files: &mut Files, now: Timestamp, name: &str, request: &Request, why: &str) {
    let why = request.last.1.as_deref().unwrap_or(why);
    response::unanswered(files, name, now, request, why);
    files.append(player_page::path(name), player_page::unanswered(request, why));
    let line = format!(
        "Request {} of {name} came to nothing (calls: {}): {why}",
        request.number, request.calls
    );
    files.log_line(now, "ERROR", &line);
}

/// An answer with the numbers of the call it answers.
fn numbered(response: &LlmResponse, number: u32, iteration: u32) -> Cow<'_, LlmResponse> {
    if response.request_number == number && response.iteration == iteration {
        return Cow::Borrowed(response);
    }
    Cow::Owned(LlmResponse { request_number: number, iteration, ..response.clone() })
}
