//! A record in the making.
use std::collections::HashMap;

use ayeaye_agent::journal::*;
use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::testing;

const TREE: &str = "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" \
    bounds=\"[0,0][1080,2400]\"><node text=\"\" content-desc=\"Chats\" clickable=\"true\" \
    class=\"android.widget.LinearLayout\" bounds=\"[0,500][1080,700]\"><node text=\"Anna\" \
    class=\"android.widget.TextView\" bounds=\"[200,550][700,650]\"/></node></node></hierarchy>";

/// A record in the making.
#[derive(Debug, Clone)]
pub(super) struct EventBuilder {
    pub(super) events: Vec<Event>,
    pub(super) blobs: HashMap<String, Bytes>,
    round: u32,
    step: Option<u32>,
    steps: u32,
    round_steps: u32,
    calls: u32,
    tools: u32,
    pub(super) action: Option<ActionRecord>,
    agent: String,
}

impl EventBuilder {
    pub(super) fn begin(request: &str) -> Self {
        let mut builder = Self {
            events: Vec::new(),
            blobs: HashMap::new(),
            round: 0,
            step: None,
            steps: 0,
            round_steps: 0,
            calls: 0,
            tools: 0,
            action: None,
            agent: "AppAgent".to_owned(),
        };
        builder.add(Fact::SessionStart(SessionStart {
            task_name: "text-anna".to_owned(),
            request: request.to_owned(),
            device: testing::device(),
            config: Map::new(),
            run: testing::run(),
            owner: None,
        }));
        builder.add(Fact::RoundStart { request: request.to_owned() });
        builder
    }

    /// The same blobs with other events.
    pub(super) fn with(&self, events: Vec<Event>) -> Self {
        Self { events, ..self.clone() }
    }

    pub(super) fn add(&mut self, fact: Fact) {
        let seq = self.events.len() as u64 + 1;
        let second = i64::try_from(seq).unwrap();
        self.events.push(Event {
            v: FORMAT,
            seq,
            ts: Timestamp::from_second(1_767_323_045 + second).unwrap(),
            entry: RecordEntry {
                round: Some(self.round),
                step: self.step,
                agent: self.step.map(|_| self.agent.clone()),
                fact,
            },
        });
    }

    /// Keeps bytes under a name that is told from their content, as a hash would be.
    pub(super) fn keep(&mut self, bytes: Vec<u8>, media_type: &str) -> BlobRef {
        let sum: u64 = bytes.iter().fold(0, |sum: u64, byte| {
            sum.wrapping_mul(1_099_511_628_211).wrapping_add(u64::from(*byte) + 1)
        });
        let blob = BlobRef {
            sha256: format!("{sum:064x}"),
            bytes: bytes.len() as u64,
            media_type: media_type.to_owned(),
        };
        self.blobs.insert(blob.sha256.clone(), bytes.into());
        blob
    }

    /// A small screen of its own for each step.
    fn picture(&mut self) -> BlobRef {
        let shade = u8::try_from(self.steps % 200).unwrap();
        let mut bytes = Vec::new();
        jpeg_encoder::Encoder::new(&mut bytes, 80)
            .encode(&vec![shade + 40; 54 * 120 * 3], 54, 120, jpeg_encoder::ColorType::Rgb)
            .unwrap();
        self.keep(bytes, "image/jpeg")
    }

    pub(super) fn start_step(&mut self, agent_type: &str) {
        self.agent = agent_type.to_owned();
        self.step = Some(self.steps);
        self.action = None;
        let host = agent_type == "HostAgent";
        self.add(Fact::StepStart(StepStart {
            agent_type: agent_type.into(),
            round_step: self.round_steps,
            agent_step: self.steps,
            subtask: if host { String::new() } else { "Text Anna".to_owned() },
            subtask_index: if host { -1 } else { 0 },
            request_number: self.steps + 1,
        }));
    }

    pub(super) fn observe(&mut self, tree: bool) {
        let screenshot = Some(self.picture());
        let ui_tree = tree.then(|| self.keep(TREE.into(), "application/xml"));
        self.add(Fact::Observe(Observe {
            screenshot,
            screenshot_size: Some([54, 120]),
            screen_size: [1080, 2400],
            ui_tree,
            package: "com.example.chat".to_owned(),
            activity: ".Main".to_owned(),
            app_name: String::new(),
            screen_on: true,
            display: None,
            capture: None,
            protected: false,
            blackened: 0,
            captures: 2,
            settled: true,
            first_look_ms: None,
            settle_ms: 160.5,
            guesses: 0,
            guessed_right: false,
            ui_tree_known: false,
            encode_ms: 2.25,
        }));
    }

    pub(super) fn call(&mut self, purpose: &str, iteration: u32, error: Option<&str>) {
        self.calls += 1;
        let picture = self.picture();
        let rules = self.keep("You work a phone.".into(), "text/plain");
        let user = vec![PartRecord::Text("Now?".to_owned()), PartRecord::Picture(picture)];
        let message = |role: &str, parts| MessageRecord { role: role.into(), parts };
        self.add(Fact::LlmRequest(LlmRequest {
            call_id: self.calls,
            request_number: self.steps + 1,
            iteration,
            purpose: purpose.into(),
            model: "gelab-zero-4b".to_owned(),
            profile: "gelab".to_owned(),
            messages: vec![
                message("system", vec![PartRecord::TextBlob(rules)]),
                message("user", user),
            ],
            params: Map::new(),
            tools_schema: None,
            response_schema: None,
            tool_results: None,
        }));
        self.add(Fact::LlmResponse(LlmResponse {
            call_id: self.calls,
            request_number: self.steps + 1,
            iteration,
            kind: if error.is_none() { "final" } else { "intermediate" }.into(),
            success: error.is_none(),
            raw_content: Some("action:CLICK".to_owned()),
            reasoning: String::new(),
            tool_calls: Vec::new(),
            parsed: None,
            finish_reason: None,
            model: "gelab-zero-4b".to_owned(),
            tokens: TokenRecord::default(),
            tokens_estimated: false,
            latency_ms: 1903.0,
            first_token_ms: None,
            cost_usd: 0.001,
            cost_known: true,
            retries: Vec::new(),
            error: error.map(str::to_owned),
            withdrawn: false,
        }));
    }

    /// Decides, and begins to do it where a phone does.
    pub(super) fn act(&mut self, function: &str, arguments: Value, target: Option<TargetRecord>) {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.action =
            Some(ActionRecord { function: function.to_owned(), arguments: arguments.clone() });
        self.tools += 1;
        self.add(Fact::ToolStart(ToolStart {
            tool_call_id: self.tools,
            name: function.to_owned(),
            parameters: arguments,
            device: true,
            target,
            display: None,
            batch: None,
            gate: None,
            mark: None,
        }));
    }

    pub(super) fn tool_end(&mut self, outcome: Result<&str, &str>, unknown: bool) {
        self.add(Fact::ToolEnd(ToolEnd {
            tool_call_id: self.tools,
            success: outcome.is_ok(),
            unknown,
            result: outcome.unwrap_or_default().to_owned(),
            error: outcome.err().map(str::to_owned),
            uncertain: None,
            app: None,
            duration_ms: 41.5,
        }));
    }

    pub(super) fn end_step(&mut self, status: &str, result: &str, error: Option<&str>) {
        let decided = self.action.is_some();
        let text = |text: &str| if decided { text.to_owned() } else { String::new() };
        let response = ResponseRecord {
            thought: text("Anna steht an zweiter Stelle \u{2014} 安娜 \u{1F4F1}"),
            comment: text("Open Anna's chat"),
            summary: text("Opened the app"),
            ..ResponseRecord::default()
        };
        self.end_step_with(status, result, error, response);
    }

    pub(super) fn end_step_with(
        &mut self,
        status: &str,
        result: &str,
        error: Option<&str>,
        response: ResponseRecord,
    ) {
        let action = self.action.take();
        self.add(Fact::StepEnd(StepEnd {
            status: status.into(),
            response,
            action,
            result: result.to_owned(),
            error: error.map(str::to_owned),
            uncertain: None,
            tokens: TokenRecord::default(),
            cost_usd: 0.001,
            cost_known: true,
            time_ms: PhaseTimes {
                data_collection: 182.25,
                llm_interaction: 1903.0,
                action_execution: 41.5,
                memory_update: 4.125,
            },
            caption: None,
        }));
        self.step = None;
        self.steps += 1;
        self.round_steps += 1;
    }

    /// A step in which all went well.
    pub(super) fn step(&mut self, function: &str, arguments: Value) {
        self.start_step("AppAgent");
        self.observe(true);
        self.call("act", 1, None);
        self.act(function, arguments, None);
        self.tool_end(Ok("done"), false);
        self.end_step("CONTINUE", "done", None);
    }

    /// A step with an action that no phone carries out.
    pub(super) fn inner_step(
        &mut self,
        function: &str,
        arguments: Value,
        status: &str,
        result: &str,
    ) {
        self.start_step("AppAgent");
        self.observe(true);
        self.call("act", 1, None);
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.action = Some(ActionRecord { function: function.to_owned(), arguments });
        self.end_step(status, result, None);
    }

    /// A step of a model that asks permission for a tap, which it has been given: the phone carries it out.
    pub(super) fn allowed_step(&mut self, outcome: Result<&str, &str>) {
        self.start_step("AppAgent");
        self.observe(true);
        self.call("act", 1, None);
        let tap = json!({ "point": [400, 250] });
        self.act("CLICK", tap.clone(), None);
        let arguments = json!({
            "question": { "kind": "confirm", "text": "May I pay?", "options": [] },
            "act": { "function": "CLICK", "arguments": tap },
        });
        let Value::Object(arguments) = arguments else { unreachable!() };
        self.action = Some(ActionRecord { function: "INFO".to_owned(), arguments });
        self.tool_end(outcome, false);
        self.end_step("CONTINUE", outcome.unwrap_or_default(), outcome.err());
    }

    /// A step that asks; the answer, if any, comes before it is over.
    pub(super) fn ask_step(&mut self, kind: &str, text: &str, answer: Option<(&str, &str)>) {
        self.start_step("AppAgent");
        self.observe(true);
        self.call("act", 1, None);
        let question = json!({ "question": { "kind": kind, "text": text, "options": [] } });
        let Value::Object(arguments) = question else { unreachable!() };
        self.action = Some(ActionRecord { function: "INFO".to_owned(), arguments });
        self.add(testing::question(kind, text, "pass_to_client"));
        if let Some((source, text)) = answer {
            self.answer(source, text);
        }
        let response = ResponseRecord {
            thought: "There are two.".to_owned(),
            questions: vec![text.to_owned()],
            ..ResponseRecord::default()
        };
        let status = if kind == "confirm" { "CONFIRM" } else { "PENDING" };
        self.end_step_with(status, answer.map_or("", |(_, text)| text), None, response);
    }

    pub(super) fn answer(&mut self, source: &str, text: &str) {
        self.add(testing::answer(source, text));
    }

    pub(super) fn resume(&mut self, why: &str) {
        let (step, before) = (self.step.take(), self.step);
        self.add(Fact::SessionResume(SessionResume { why: why.into(), run: testing::run() }));
        self.step = step.or(before);
    }

    pub(super) fn snapshot(&mut self, scope: &str, sub_round: Option<u32>, tree: bool) {
        let screenshot = Some(self.picture());
        let ui_tree = tree.then(|| self.keep(TREE.into(), "application/xml"));
        self.add(Fact::Snapshot { scope: scope.into(), sub_round, screenshot, ui_tree });
    }

    pub(super) fn end_round(&mut self, status: &str, result: &str) {
        self.add(Fact::SubtaskEnd { index: 0, status: status.into(), result: result.to_owned() });
        self.snapshot("sub_round", Some(0), true);
        let item = json!({ format!("request_{}", self.round): "…" });
        self.add(Fact::BlackboardAdd { section: "requests".into(), item });
        self.snapshot("round", None, true);
        self.add(Fact::RoundEnd(RoundEnd {
            status: status.into(),
            result: result.to_owned(),
            stop_reason: Some("TASK_COMPLETED_SUCCESSFULLY".into()),
            steps: self.round_steps,
            subtask_amount: 1,
            cost_usd: 0.002,
        }));
    }

    pub(super) fn begin_round(&mut self, request: &str) {
        self.round += 1;
        self.round_steps = 0;
        self.add(Fact::RoundStart { request: request.to_owned() });
    }

    pub(super) fn end(&mut self, stop_reason: &str, message: &str) {
        self.add(Fact::SessionEnd(SessionEnd {
            stop_reason: stop_reason.into(),
            message: message.to_owned(),
            steps: self.steps,
            local_steps: self.steps,
            cost_usd: 0.002,
            cost_known: true,
        }));
    }

    pub(super) fn judge(&mut self, level: &str) {
        self.add(Fact::Evaluation(json!({
            "level": level, "complete": "yes",
            "sub_scores": [{ "name": "message sent", "evaluation": "yes" }],
            "reason": "Die Nachricht ist gesendet \u{2713}", "request": "Text Anna.",
            "tokens": { "prompt": 1, "completion": 1, "thinking": 0, "cached": 0, "total": 2 },
            "cost_usd": 0.0, "cost_known": false,
        })));
    }

    /// A judge has said nothing that is a judgement.
    pub(super) fn judge_in_vain(&mut self, error: &str) {
        self.add(Fact::Evaluation(json!({
            "level": "round", "complete": "unsure", "reason": "", "request": "Text Anna.",
            "tokens": { "prompt": 1, "completion": 1, "thinking": 0, "cached": 0, "total": 2 },
            "cost_usd": 0.0, "cost_known": false, "error": error,
        })));
    }
}
