//! What was done, and what people said.
use ayeaye_agent::journal::{
    Answer, AnswerSource, Event, QuestionAsked, StepEnd, ToolEnd, ToolStart,
};
use jiff::Timestamp;
use serde_json::json;

use super::files::Files;
use super::player::player_of;
use super::tools::Batch;
use super::{HOST, MAX_CHAT_MESSAGES, MAX_SENTENCE, PyCatan, USER};
use crate::step_view::StepView;
use crate::text::{excerpt, iso, json_line};

impl PyCatan {
    pub(super) fn begin_tool(&mut self, files: &mut Files, event: &Event, start: &ToolStart) {
        if !self.batch.as_ref().is_some_and(|batch| batch.accepts(start)) {
            self.close_batch(files, event.ts);
        }
        let name = self.player(event);
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
    pub(super) fn close_calls(
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

    pub(super) fn end_tool(&mut self, files: &mut Files, event: &Event, end: &ToolEnd) {
        let Some(batch) = &mut self.batch else { return };
        let Some((name, device)) = batch.end(end) else { return };
        // What was not done to the phone is told in the results of the tools.
        if device {
            let outcome = match &end.error {
                Some(error) if !end.success => format!("{name} failed: {error}"),
                _ if end.success => match &end.uncertain {
                    Some(why) => format!("{name}: not certain: {why}"),
                    None => format!("{name}: {}", end.result),
                },
                _ => format!("{name} failed"),
            };
            self.set_last_event(&outcome);
        }
        if self.batch.as_ref().is_some_and(Batch::is_complete) {
            self.close_batch(files, event.ts);
        }
    }

    pub(super) fn close_batch(&mut self, files: &mut Files, now: Timestamp) {
        let Some(batch) = self.batch.take() else { return };
        batch.write(files, now);
        if let Some(player) = self.players.get_mut(&batch.player) {
            player.count_tools(batch.len(), batch.results());
        }
    }

    pub(super) fn question(&mut self, files: &mut Files, event: &Event, asked: &QuestionAsked) {
        let name = self.player(event);
        let text = asked.questions.join("\n");
        files.log_line(event.ts, "INFO", &format!("Question ({}) - {name}: {text}", asked.kind));
        self.chat(files, event.ts, &name, USER, &text);
        self.set_last_event(&format!("{name} asked: {text}"));
        self.asking_player = Some(name);
    }

    pub(super) fn answer(&mut self, files: &mut Files, event: &Event, answer: &Answer) {
        let text = answer.answers.join("\n");
        let from = match answer.source.known() {
            Some(AnswerSource::Auto) => "AutoReply",
            Some(AnswerSource::Nobody) => "Server",
            _ => USER,
        };
        files.log_line(event.ts, "INFO", &format!("Answer ({}) - {from}: {text}", answer.source));
        let asked = if event.entry.agent.is_none() { self.asking_player.take() } else { None };
        let to = asked.unwrap_or_else(|| self.player(event));
        self.chat(files, event.ts, from, &to, &text);
        self.set_last_event(&format!("{from} answered: {text}"));
    }

    pub(super) fn chat(
        &mut self,
        files: &mut Files,
        now: Timestamp,
        from: &str,
        to: &str,
        message: &str,
    ) {
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

    /// Whose an act or a question is: before the first step of a round, as at the phone's reset, that of the agent
    /// whose turn is next.
    fn player(&self, event: &Event) -> String {
        if event.entry.agent.is_some() { player_of(event) } else { self.default_player() }
    }

    /// Whom a user speaks to: the host agent where the round is planned.
    pub(super) fn default_player(&self) -> String {
        let agent = if self.planned { HOST } else { "AppAgent" };
        agent.to_owned()
    }

    pub(super) fn set_last_event(&mut self, what: &str) {
        self.last_event = excerpt(what, MAX_SENTENCE);
    }
}
