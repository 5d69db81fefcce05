//! GELab-Zero's trace: one JSON line for the session, then one for each step.
//!
//! What GELab's programs read is in `message`, as `local_server.py` of GELab-Zero writes it: the
//! task and the model first; then for each step the picture and what the user had said
//! (`environment`), the action in GELab's names, the raw reply and the model's time in seconds. The
//! keys beside it are ours. They take every line behind the first for a step, so an answer stands in
//! the line of the step that follows it. The prompts (`asked_messages`) are not in it.
use ayeaye_agent::SessionId;
use ayeaye_agent::journal::{
    ActionRecord, AnswerSource, BlobRef, Event, Fact, RecordedWord, ResponseKind, SessionStart,
    StepEnd,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::step_view::{StepAssembler, StepView};
use crate::text::json_line;
use crate::{Blobs, Content, FileOp, Projection, draw};

/// The name of the reply's format by which GELab's server looks up its parser, by our profile.
const GELAB_TASK_TYPE: (&str, &str) = ("gelab", "parser_0922_summary");

/// Where GELab-Zero keeps its traces, seen from the folder that its programs are started in: they resolve
/// a picture's path from there, as they do the trace's own.
const GELAB_ROOT: &str = "running_log/server_log/os-copilot-local-eval-logs/traces";

/// GELab's trace of one session: `{session_id}.jsonl` and `images/`.
#[derive(Debug)]
pub struct Gelab {
    id: SessionId,
    model: String,
    steps: StepAssembler,
    /// The last picture there was.
    last_picture: String,
    /// What was said since the last step, and by whom.
    said: Vec<String>,
    source: Option<RecordedWord<AnswerSource>>,
}

impl Gelab {
    /// The files of a trace; `*` stands for the session's id, `#` for a number.
    pub(crate) const FILES: &[&str] =
        &["*.jsonl", "images/*_step_#.jpeg", "images/*_step_#.png", "images/*_step_#.webp"];

    /// A trace with nothing in it.
    pub fn new(id: SessionId) -> Self {
        Self {
            id,
            model: String::new(),
            steps: StepAssembler::default(),
            last_picture: String::new(),
            said: Vec::new(),
            source: None,
        }
    }

    fn line(&self, value: &Value) -> FileOp {
        let bytes = (json_line(value) + "\n").into_bytes();
        FileOp::Append { path: format!("{}.jsonl", self.id), bytes }
    }

    fn head(&mut self, now: Timestamp, start: &SessionStart) -> FileOp {
        let SessionStart { request, device, config, .. } = start;
        let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default();
        text("model").clone_into(&mut self.model);
        let (ours, theirs) = GELAB_TASK_TYPE;
        let task_type = if text("profile") == ours { theirs } else { text("profile") };
        self.line(&json!({
            "session_id": self.id.to_string(), "timestamp": stamp(now), "task": request,
            "device_id": device.device_id, "device_wm_size": device.wm_size, "config": config,
            "message": {
                "log_type": "session_start", "task": request, "task_type": task_type,
                "model_config": { "model_name": self.model },
                "extra_info": { "device_id": device.device_id, "device_wm_size": device.wm_size },
            },
        }))
    }

    fn picture_path(&self, step: u32, blob: &BlobRef) -> String {
        format!("images/{}_step_{}.{}", self.id, count(step), extension(&blob.media_type))
    }

    fn write_picture(&mut self, step: u32, blob: &BlobRef) -> FileOp {
        let path = self.picture_path(step, blob);
        self.last_picture.clone_from(&path);
        FileOp::Write { path, content: Content::Blob(blob.clone()) }
    }

    fn step(&mut self, now: Timestamp, view: StepView, end: &StepEnd) -> Vec<FileOp> {
        let step = view.number;
        let picture = view.screen.picture.as_ref().map(|blob| self.picture_path(step, blob));
        let told = end.action.as_ref().map(|decided| view.action_to_show(decided));
        let action = action(end, told.as_ref());
        let asked = view.asked().map(|it| it.questions.join("\n"));
        let reply = view.reply.as_ref();
        let took = reply.map_or(0.0, |reply| reply.latency_ms / 1e3);
        let heard = reply.map_or(now, |reply| reply.at).as_duration().as_secs_f64();
        let raw = view.reply.map(|reply| reply.text).unwrap_or_default();
        // Their viewer opens the picture of every step: where there was none, the one before.
        let shown = picture.as_deref().unwrap_or(&self.last_picture);
        let mut files = Vec::new();
        let shown = if shown.is_empty() {
            let path = format!("images/{}_step_0.png", self.id);
            files.push(FileOp::Write {
                path: path.clone(),
                content: Content::lazy(|_| draw::blank()),
            });
            path
        } else {
            shown.to_owned()
        };
        let said = std::mem::take(&mut self.said).join("\n");
        let mut line = json!({
            "session_id": self.id.to_string(), "timestamp": stamp(now), "step": count(step),
            "image": picture, "status": end.status, "error": end.error, "result": end.result,
            "uncertain": end.uncertain, "source": self.source.take(),
            "message": {
                "environment": {
                    "image": format!("{GELAB_ROOT}/{shown}"), "user_comment": said,
                },
                "action": action, "model_response": raw,
                "model_config": { "model_name": self.model },
                "llm_cost": {
                    "llm_time": took, "llm_start_time": heard - took, "llm_end_time": heard,
                },
            },
        });
        if let Some(asked) = asked {
            line["asked"] = json!(asked);
        }
        files.push(self.line(&line));
        files
    }
}

impl Projection for Gelab {
    fn fold(&mut self, event: &Event, _: &dyn Blobs) -> Vec<FileOp> {
        let (now, step) = (event.ts, event.entry.step);
        let ended = self.steps.apply(event);
        match &event.entry.fact {
            Fact::SessionStart(start) => vec![self.head(now, start)],
            Fact::Observe(observe) => match (&observe.screenshot, step) {
                (Some(blob), Some(step)) => vec![self.write_picture(step, blob)],
                _ => Vec::new(),
            },
            Fact::LlmResponse(response) => {
                let decided = response.kind == ResponseKind::Final && response.parsed.is_some();
                if decided && !response.model.is_empty() {
                    self.model.clone_from(&response.model);
                }
                Vec::new()
            }
            Fact::StepEnd(end) => match ended {
                Some(view) => self.step(now, view, end),
                None => Vec::new(),
            },
            Fact::Answer(answer) => {
                self.said.extend(answer.answers.iter().cloned());
                self.source = Some(answer.source.clone());
                Vec::new()
            }
            // The first request is the task of the trace.
            Fact::RoundStart { request } if event.entry.round.is_some_and(|round| 0 < round) => {
                self.said.push(request.clone());
                self.source = Some(AnswerSource::Client.into());
                Vec::new()
            }
            Fact::SessionResume(_)
            | Fact::SessionEnd(_)
            | Fact::RoundStart { .. }
            | Fact::RoundEnd(_)
            | Fact::StepStart(_)
            | Fact::LlmRequest(_)
            | Fact::ToolStart(_)
            | Fact::ToolEnd(_)
            | Fact::Question(_)
            | Fact::State { .. }
            | Fact::SubtaskEnd { .. }
            | Fact::Snapshot { .. }
            | Fact::BlackboardAdd { .. }
            | Fact::Evaluation(_)
            | Fact::Note { .. }
            | Fact::Unknown { .. } => Vec::new(),
        }
    }
}

/// What was decided, in GELab's names. Its server asks every line for `action` and its web page for
/// `action_type`, so both are there, empty where nothing was decided.
fn action(end: &StepEnd, told: Option<&ActionRecord>) -> Value {
    let mut facts = Map::new();
    let function = told.map_or("", |it| it.function.as_str());
    facts.insert("cot".to_owned(), json!(end.response.thought));
    facts.insert("explain".to_owned(), json!(end.response.comment));
    facts.insert("action".to_owned(), json!(function));
    facts.insert("action_type".to_owned(), json!(function));
    if let Some(ActionRecord { arguments, .. }) = told {
        for (name, value) in arguments {
            let (name, value) = argument(name, value);
            facts.insert(name, value);
        }
    }
    facts.insert("summary".to_owned(), json!(end.response.summary));
    Value::Object(facts)
}

/// GELab has one name, `value`, for what an action is given besides points.
fn argument(name: &str, value: &Value) -> (String, Value) {
    let name = match name {
        "app" | "key" | "reason" | "seconds" | "text" | "question" => "value",
        // Not to take the place of what is no argument.
        "cot" | "explain" | "action" | "action_type" | "summary" => {
            return (format!("{name}_"), value.clone());
        }
        _ => name,
    };
    let value = match value {
        Value::Object(question) => question.get("text").unwrap_or(value).clone(),
        _ => value.clone(),
    };
    (name.to_owned(), value)
}

fn stamp(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Steps are counted from 1.
fn count(step: u32) -> u64 {
    u64::from(step) + 1
}

fn extension(media_type: &str) -> &'static str {
    match media_type {
        "image/png" => "png",
        "image/webp" => "webp",
        _ => "jpeg",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{EventBuilder, MemoryFolder, click, object};

    fn lines(builder: &EventBuilder) -> (MemoryFolder, Vec<Value>) {
        let id: SessionId = "019b7d0a-6f40-7000-8000-0000000000a1".parse().unwrap();
        let folder = MemoryFolder::of(&mut Gelab::new(id), &builder.events);
        folder.check();
        let lines = folder.text(&format!("{id}.jsonl"));
        let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (folder, lines)
    }

    #[test]
    fn a_trace_with_an_answer_and_a_step_that_failed() {
        let mut builder = EventBuilder::new();
        let ask = ActionRecord {
            function: "INFO".to_owned(),
            arguments: object(json!({
                "question": { "kind": "info", "text": "哪个?", "options": ["a"] }
            })),
        };
        builder.begin_step(0, 1).ask(1, 1, "act").reply(1, 1, |_| {}).end_step(Some(ask), None);
        builder.push(Fact::Answer(ayeaye_agent::journal::Answer {
            message_id: None,
            answers: vec!["The first.".to_owned()],
            source: "client".into(),
        }));
        builder.begin_step(1, 2).ask(2, 1, "act").reply(2, 1, |_| {}).act();
        builder.end_step(Some(click()), None);
        // The phone is gone: nothing to see, nothing decided.
        builder.begin_step(2, 3);
        builder.events.pop();
        builder.end_step(None, Some("the phone is gone"));
        let (folder, lines) = lines(&builder);
        let steps = &lines[1..];
        assert_eq!(steps.len(), 3);
        assert_eq!(steps[0]["message"]["action"]["value"], "哪个?");
        assert_eq!(steps[1]["message"]["environment"]["user_comment"], "The first.");
        assert_eq!(steps[2]["image"], Value::Null);
        for step in steps {
            let image = step["message"]["environment"]["image"].as_str().unwrap();
            let image = image.strip_prefix(GELAB_ROOT).and_then(|it| it.strip_prefix('/'));
            assert!(folder.files.contains_key(image.unwrap()), "{image:?}");
        }
        let names = folder.names();
        let name = names.iter().find(|it| !it.contains('/')).unwrap();
        insta::assert_snapshot!(folder.text(name));
    }

    #[test]
    fn an_act_that_may_have_had_no_effect_says_so() {
        let mut builder = EventBuilder::new();
        builder.begin_step(0, 1).act().end_step(Some(click()), None);
        if let Fact::StepEnd(end) = &mut builder.events.last_mut().unwrap().entry.fact {
            end.uncertain = Some("the field still shows another text".to_owned());
        }
        builder.begin_step(1, 2).act().end_step(Some(click()), None);
        let (_, lines) = lines(&builder);
        assert_eq!(lines[1]["uncertain"], "the field still shows another text");
        assert_eq!(lines[2]["uncertain"], Value::Null);
    }

    #[test]
    fn the_request_of_a_later_round_is_what_the_user_says_next() {
        let mut builder = EventBuilder::new();
        builder.begin_step(0, 1).ask(1, 1, "act").reply(1, 1, |_| {}).act();
        builder.end_step(Some(click()), None);
        builder.push(Fact::RoundStart { request: "And now the dessert".to_owned() });
        builder.begin_step(1, 2).ask(2, 1, "act").reply(2, 1, |_| {}).act();
        builder.end_step(Some(click()), None);
        let second = builder
            .events
            .iter()
            .rposition(|event| matches!(event.entry.fact, Fact::RoundStart { .. }));
        builder.events[second.unwrap()..].iter_mut().for_each(|it| it.entry.round = Some(1));
        let (_, lines) = lines(&builder);
        let said: Vec<&Value> =
            lines[1..].iter().map(|it| &it["message"]["environment"]["user_comment"]).collect();
        assert_eq!(said, ["", "And now the dessert"]);
        assert_eq!((&lines[1]["source"], &lines[2]["source"]), (&Value::Null, &json!("client")));
    }

    #[test]
    fn a_reply_that_only_calls_a_tool_is_kept() {
        let mut builder = EventBuilder::new();
        builder.begin_step(0, 1).ask(1, 1, "act").reply(1, 1, |it| {
            it.raw_content = Some(String::new());
            it.tool_calls = vec![crate::testing::tool_call("a", "tap", json!({ "x": 5 }))];
        });
        builder.act().end_step(Some(click()), None);
        let (_, lines) = lines(&builder);
        let reply = lines[1]["message"]["model_response"].as_str().unwrap();
        assert_eq!(reply, r#"[{"id": "a", "name": "tap", "parameters": {"x": 5}}]"#);
    }

    #[test]
    fn an_act_that_leave_was_given_for_is_the_action() {
        let mut builder = EventBuilder::new();
        let ask = ActionRecord {
            function: "INFO".to_owned(),
            arguments: object(json!({
                "question": { "kind": "confirm", "text": "May I pay?", "options": [] },
                "act": { "function": "CLICK", "arguments": { "point": [512, 203] } },
            })),
        };
        // First it is asked, then it is done.
        builder.begin_step(0, 1).end_step(Some(ask.clone()), None);
        builder.begin_step(1, 2).act().end_step(Some(ask), None);
        let (_, lines) = lines(&builder);
        let action = |line: usize| &lines[line]["message"]["action"];
        assert_eq!(
            (&action(1)["action"], &action(1)["value"]),
            (&json!("INFO"), &json!("May I pay?"))
        );
        for name in ["action", "action_type"] {
            assert_eq!(action(2)[name], "CLICK");
        }
        assert_eq!(action(2)["point"], json!([512, 203]));
    }

    #[test]
    fn a_first_step_that_saw_nothing_has_a_picture_that_opens() {
        let mut builder = EventBuilder::new();
        builder.begin_step(0, 1);
        builder.events.pop();
        builder.end_step(None, Some("the phone is gone"));
        let (folder, lines) = lines(&builder);
        assert_eq!(lines[1]["image"], Value::Null);
        let image = lines[1]["message"]["environment"]["image"].as_str().unwrap();
        let image = image.strip_prefix(GELAB_ROOT).unwrap().strip_prefix('/').unwrap();
        assert!(folder.files[image].starts_with(b"\x89PNG"));
    }

    proptest::proptest! {
        #[test]
        fn any_part_of_a_record_makes_a_trace(
            picks in proptest::collection::vec(0..14_usize, 0..40)
        ) {
            let mut builder = EventBuilder::new();
            builder.begin_step(0, 1).ask(1, 1, "act").garbage(1, 1).ask(1, 2, "repair");
            builder.reply(1, 2, |_| {}).act().end_step(Some(click()), None);
            builder.begin_step(u32::MAX, 2).end_step(None, Some("\u{0}")).end("X");
            let all = std::mem::take(&mut builder.events);
            builder.events = picks.into_iter().filter_map(|it| all.get(it).cloned()).collect();
            MemoryFolder::of(&mut Gelab::new(SessionId::new()), &builder.events).check();
        }
    }
}
