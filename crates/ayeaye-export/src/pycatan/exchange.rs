//! Requests to models, and what came of them.
use std::borrow::Cow;

use ayeaye_agent::journal::{Event, LlmRequest, LlmResponse, ResponseKind, StepEnd};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::files::Files;
use super::player::{Request, player_of};
use super::prompt::{Messages, PromptContext};
use super::tools::Batch;
use super::{MAX_CALLS, PyCatan, log, player_page, prompt, response};
use crate::Blobs;
use crate::labels;
use crate::step_view::StepView;
use crate::text::reply_text;

impl PyCatan {
    pub(super) fn on_request(
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
        let messages = Messages::read(request, &mut self.text_cache, &mut player.sent, blobs);
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

    pub(super) fn on_response(&mut self, files: &mut Files, event: &Event, response: &LlmResponse) {
        let now = event.ts;
        self.close_batch(files, now);
        // A call and its answer belong together whatever else the answer says.
        let (name, number, iteration) = self
            .calls
            .remove(&response.call_id)
            .unwrap_or_else(|| (player_of(event), response.request_number, response.iteration));
        let response = numbered(response, number, iteration);
        let player = self.players.entry(name.clone()).or_default();
        let last = response.kind == ResponseKind::Final;
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
    pub(super) fn write_memories(&self, files: &mut Files) {
        let memories: Map<String, Value> = self
            .players
            .iter()
            .filter_map(|(name, player)| Some((name.clone(), player.memory()?)))
            .collect();
        files.latest("agent_memories.json", &Value::Object(memories));
    }

    pub(super) fn end_step(
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
        let Some(error) = &end.error else { return };
        let was_refused = step.is_some_and(|it| it.was_refused(end.action.as_ref()));
        if labels::asks(&end.status) && !was_refused {
            // It has asked first, which is what happened last, unless it was answered since.
            files.log_line(event.ts, "INFO", &format!("{name}: {error}"));
            return;
        }
        files.log_line(event.ts, "ERROR", &format!("{name}: {error}"));
        self.set_last_event(&format!("The step failed: {error}"));
    }

    /// Writes the response of a request that has got none and will not get one.
    pub(super) fn close_unanswered(
        &mut self,
        files: &mut Files,
        now: Timestamp,
        name: &str,
        why: &str,
    ) {
        let Some(player) = self.players.get_mut(name) else { return };
        let Some(request) = player.request.as_mut().filter(|it| !it.answered) else { return };
        request.answered = true;
        close_unanswered(files, now, name, request, why);
        player.count_unanswered();
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
    files.log_line(now, if request.withdrawn { "INFO" } else { "ERROR" }, &line);
}

/// An answer with the numbers of the call it answers.
fn numbered(response: &LlmResponse, number: u32, iteration: u32) -> Cow<'_, LlmResponse> {
    if response.request_number == number && response.iteration == iteration {
        return Cow::Borrowed(response);
    }
    Cow::Owned(LlmResponse { request_number: number, iteration, ..response.clone() })
}
