//! What tests of projections need: a record to tell, and a folder that takes operations.
use std::collections::BTreeMap;

use ayeaye_agent::JournalError;
use ayeaye_agent::journal::{
    ActionRecord, Answer, BlobRef, DeviceRecord, Event, FORMAT, Fact, LlmRequest, LlmResponse,
    MessageRecord, Observe, ParsedRecord, PartRecord, PhaseTimes, QuestionAsked, RecordEntry,
    ResponseRecord, RunRecord, SessionEnd, SessionStart, StepEnd, StepStart, TokenRecord,
    ToolCallRecord, ToolEnd, ToolStart,
};
use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use crate::text::put;
use crate::{Blobs, Content, FileOp, Projection};

pub(crate) const RULES: &str = "You drive a phone.\n你驱动一部手机。";

/// A record under construction: one event every quarter of a second.
#[derive(Debug, Default)]
pub(crate) struct EventBuilder {
    pub(crate) events: Vec<Event>,
    step: Option<u32>,
    agent: Option<String>,
    calls: u32,
    tools: u32,
}

impl EventBuilder {
    /// A session that has begun its first round.
    pub(crate) fn new() -> Self {
        let mut builder = Self::default();
        builder.push(Fact::SessionStart(SessionStart {
            task_name: "lunch".to_owned(),
            request: "Order lunch 午饭".to_owned(),
            device: device(),
            config: object(json!({ "model": "gelab-zero-4b", "profile": "gelab" })),
            run: run(),
            owner: None,
        }));
        builder.push(Fact::RoundStart { request: "Order lunch 午饭".to_owned() });
        builder
    }

    pub(crate) fn push(&mut self, fact: Fact) -> &mut Self {
        let seq = self.events.len() as u64 + 1;
        let start: Timestamp = "2026-01-09T16:07:32.123456Z".parse().unwrap();
        let ts = start + SignedDuration::from_millis(250) * i32::try_from(seq).unwrap();
        let (step, agent) = (self.step, self.agent.clone());
        let entry = RecordEntry { round: Some(0), step, agent, fact };
        self.events.push(Event { v: FORMAT, seq, ts, entry });
        self
    }

    pub(crate) fn begin_step(&mut self, step: u32, request: u32) -> &mut Self {
        self.step = Some(step);
        self.agent = Some("AppAgent".to_owned());
        self.push(Fact::StepStart(StepStart {
            agent_type: "AppAgent".into(),
            round_step: step,
            agent_step: step,
            subtask: "Order lunch".to_owned(),
            subtask_index: 0,
            request_number: request,
        }));
        self.push(Fact::Observe(Observe {
            screenshot: Some(blob("picture", "image/jpeg")),
            screenshot_size: Some([540, 1200]),
            screen_size: [1080, 2400],
            ui_tree: None,
            package: "com.example.food".to_owned(),
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
        }))
    }

    pub(crate) fn end_step(
        &mut self,
        action: Option<ActionRecord>,
        error: Option<&str>,
    ) -> &mut Self {
        self.push(Fact::StepEnd(StepEnd {
            status: if error.is_some() { "ERROR" } else { "CONTINUE" }.into(),
            response: if action.is_some() { response() } else { ResponseRecord::default() },
            action,
            result: if error.is_some() { "" } else { "done" }.to_owned(),
            error: error.map(str::to_owned),
            uncertain: None,
            tokens: TokenRecord::default(),
            cost_usd: 0.0,
            cost_known: false,
            time_ms: PhaseTimes::default(),
            caption: None,
        }));
        self.step = None;
        self.agent = None;
        self
    }

    pub(crate) fn ask(&mut self, request: u32, iteration: u32, purpose: &str) -> &mut Self {
        self.ask_with(request, iteration, purpose, |_| {})
    }

    pub(crate) fn ask_with(
        &mut self,
        request_number: u32,
        iteration: u32,
        purpose: &str,
        change: impl FnOnce(&mut LlmRequest),
    ) -> &mut Self {
        self.calls += 1;
        let message = |role: &str, parts| MessageRecord { role: role.into(), parts };
        let mut request = LlmRequest {
            call_id: self.calls,
            request_number,
            iteration,
            purpose: purpose.into(),
            model: "gelab-zero-4b".to_owned(),
            profile: "gelab".to_owned(),
            messages: vec![
                message("system", vec![PartRecord::TextBlob(blob("rules", "text/plain"))]),
                message(
                    "user",
                    vec![
                        PartRecord::Text("The task: order lunch. Now?".to_owned()),
                        PartRecord::Picture(blob("picture", "image/jpeg")),
                    ],
                ),
            ],
            params: Map::new(),
            tools_schema: None,
            response_schema: None,
            tool_results: None,
        };
        change(&mut request);
        self.push(Fact::LlmRequest(request))
    }

    /// An answer to the last call.
    pub(crate) fn reply(
        &mut self,
        request_number: u32,
        iteration: u32,
        change: impl FnOnce(&mut LlmResponse),
    ) -> &mut Self {
        let mut response = LlmResponse {
            call_id: self.calls,
            request_number,
            iteration,
            kind: "final".into(),
            success: true,
            raw_content: Some("explain:Tap it\taction:CLICK\tpoint:512,203".to_owned()),
            reasoning: String::new(),
            tool_calls: Vec::new(),
            parsed: Some(ParsedRecord { action: click(), response: response() }),
            finish_reason: Some("stop".to_owned()),
            model: "gelab-zero-4b".to_owned(),
            tokens: TokenRecord {
                prompt: 1000,
                completion: 60,
                thinking: 20,
                cached: 0,
                total: 1060,
            },
            tokens_estimated: false,
            latency_ms: 1900.5,
            first_token_ms: None,
            cost_usd: 0.001,
            cost_known: true,
            retries: Vec::new(),
            error: None,
            withdrawn: false,
        };
        change(&mut response);
        self.push(Fact::LlmResponse(response))
    }

    /// A reply that nobody could read.
    pub(crate) fn garbage(&mut self, request: u32, iteration: u32) -> &mut Self {
        self.reply(request, iteration, |it| {
            it.kind = "intermediate".into();
            it.success = false;
            it.raw_content = Some("Well ```` let me see".to_owned());
            it.parsed = None;
            it.error = Some("there is no action in it".to_owned());
        })
    }

    /// A call that came to nothing.
    pub(crate) fn failed(&mut self, request: u32, iteration: u32, error: &str) -> &mut Self {
        self.reply(request, iteration, |it| {
            it.kind = "intermediate".into();
            it.success = false;
            it.raw_content = None;
            it.parsed = None;
            it.finish_reason = None;
            it.tokens = TokenRecord::default();
            (it.cost_usd, it.cost_known) = (0.0, false);
            it.error = Some(error.to_owned());
        })
    }

    /// A call that was taken back.
    pub(crate) fn withdrawn(&mut self, request: u32, iteration: u32, error: &str) -> &mut Self {
        self.failed(request, iteration, error);
        if let Some(Fact::LlmResponse(it)) = self.events.last_mut().map(|it| &mut it.entry.fact) {
            it.withdrawn = true;
        }
        self
    }

    /// A gesture and how it went.
    pub(crate) fn act(&mut self) -> &mut Self {
        let id = self.begin_tool("CLICK", json!({ "point": [512, 203] }), None);
        self.end_tool(id, Ok("done"))
    }

    pub(crate) fn begin_tool(&mut self, name: &str, parameters: Value, batch: Option<u32>) -> u32 {
        self.tools += 1;
        let tool_call_id = self.tools;
        self.push(Fact::ToolStart(ToolStart {
            tool_call_id,
            name: name.to_owned(),
            parameters: object(parameters),
            device: batch.is_none(),
            display: None,
            gate: None,
            mark: None,
            target: None,
            batch,
        }));
        tool_call_id
    }

    pub(crate) fn end_tool(&mut self, tool_call_id: u32, outcome: Result<&str, &str>) -> &mut Self {
        self.push(Fact::ToolEnd(ToolEnd {
            tool_call_id,
            success: outcome.is_ok(),
            unknown: false,
            result: outcome.unwrap_or_default().to_owned(),
            error: outcome.err().map(str::to_owned),
            uncertain: None,
            app: None,
            duration_ms: 41.505,
        }))
    }

    pub(crate) fn end(&mut self, reason: &str) -> &mut Self {
        self.push(Fact::SessionEnd(SessionEnd {
            stop_reason: reason.into(),
            message: "Lunch is ordered.".to_owned(),
            steps: 1,
            local_steps: 1,
            cost_usd: 0.001,
            cost_known: true,
        }))
    }
}

/// A question, without options.
pub(crate) fn question(kind: &str, text: &str, reply_mode: &str) -> Fact {
    Fact::Question(QuestionAsked {
        kind: kind.into(),
        questions: vec![text.to_owned()],
        options: Vec::new(),
        app: None,
        reply_mode: reply_mode.into(),
    })
}

pub(crate) fn answer(source: &str, text: &str) -> Fact {
    let answers = vec![text.to_owned()];
    Fact::Answer(Answer { answers, source: source.into(), message_id: None })
}

pub(crate) fn device() -> DeviceRecord {
    DeviceRecord {
        device_id: "emulator-5554".to_owned(),
        model: "Pixel 7".to_owned(),
        android_version: "14".to_owned(),
        wm_size: [1080, 2400],
        serial_digest: None,
    }
}

pub(crate) fn run() -> RunRecord {
    RunRecord {
        max_steps: 20,
        reply_mode: "pass_to_client".into(),
        planner: false,
        policy: None,
        device_server: None,
    }
}

pub(crate) fn click() -> ActionRecord {
    ActionRecord { function: "CLICK".to_owned(), arguments: object(json!({ "point": [512, 203] })) }
}

pub(crate) fn response() -> ResponseRecord {
    ResponseRecord {
        observation: "A menu.".to_owned(),
        thought: "面 is the first.\nI tap it.".to_owned(),
        comment: "Tap it".to_owned(),
        summary: "The menu is open.".to_owned(),
        ..ResponseRecord::default()
    }
}

pub(crate) fn tool_call(id: &str, name: &str, parameters: Value) -> ToolCallRecord {
    ToolCallRecord { id: id.to_owned(), name: name.to_owned(), parameters: object(parameters) }
}

pub(crate) fn blob(name: &str, media_type: &str) -> BlobRef {
    BlobRef { sha256: name.to_owned(), bytes: 3, media_type: media_type.to_owned() }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Blobs by the name of their hash; `lost` is one that cannot be read.
#[derive(Debug)]
pub(crate) struct BlobFixture;

impl Blobs for BlobFixture {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        match blob.sha256.as_str() {
            "rules" => Ok(Bytes::from_static(RULES.as_bytes())),
            "lost" => Err(JournalError::Blob(blob.sha256.clone())),
            name => Ok(Bytes::copy_from_slice(name.as_bytes())),
        }
    }
}

/// A folder in memory, with the promises of the one on disk.
#[derive(Debug, Default)]
pub(crate) struct MemoryFolder {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    arrays: BTreeMap<String, Vec<String>>,
}

impl MemoryFolder {
    /// What a projection makes of a story.
    pub(crate) fn of(projection: &mut dyn Projection, events: &[Event]) -> Self {
        let mut folder = Self::default();
        for event in events {
            for operation in projection.fold(event, &BlobFixture) {
                folder.apply(operation);
            }
        }
        folder
    }

    pub(crate) fn apply(&mut self, operation: FileOp) {
        assert_safe(operation.path());
        match operation {
            FileOp::Append { path, bytes } => self.files.entry(path).or_default().extend(bytes),
            FileOp::Element { path, json } => {
                let elements = self.arrays.entry(path.clone()).or_default();
                elements.push(String::from_utf8(json).unwrap());
                let array = format!("[\n{}\n]\n", elements.join(",\n"));
                self.files.insert(path, array.into_bytes());
            }
            FileOp::Write { path, content } => {
                let bytes = read(content);
                self.files.entry(path).or_insert(bytes);
            }
            FileOp::Replace { path, content } => {
                self.files.insert(path, read(content));
            }
        }
    }

    pub(crate) fn text(&self, path: &str) -> &str {
        let bytes = self.files.get(path).unwrap_or_else(|| panic!("there is no {path}"));
        std::str::from_utf8(bytes).unwrap()
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_str(self.text(path)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.files.keys().map(String::as_str).collect()
    }

    /// Every file behind its name.
    pub(crate) fn dump(&self) -> String {
        let mut out = String::new();
        for (name, bytes) in &self.files {
            let text = String::from_utf8_lossy(bytes);
            put(&mut out, format_args!("----- {name}\n{}\n", text.trim_end()));
        }
        out
    }

    /// JSON is JSON, in ASCII, and so is every line of a file of lines.
    pub(crate) fn check(&self) {
        for (name, bytes) in &self.files {
            if bytes.starts_with(b"\x89PNG") {
                continue;
            }
            let text = std::str::from_utf8(bytes).unwrap_or_else(|err| panic!("{name}: {err}"));
            let parse = |text: &str| {
                assert!(text.is_ascii(), "{name}: {text}");
                serde_json::from_str::<Value>(text).unwrap_or_else(|err| panic!("{name}: {err}"));
            };
            match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
                "json" => parse(text),
                "jsonl" => text.lines().for_each(parse),
                _ => {}
            }
        }
    }
}

pub(crate) fn read(content: Content) -> Vec<u8> {
    match content {
        Content::Bytes(bytes) => bytes,
        Content::Blob(blob) => BlobFixture.blob(&blob).map(|it| it.to_vec()).unwrap_or_default(),
        Content::Lazy { make, .. } => make(&BlobFixture).unwrap_or_default(),
    }
}

fn assert_safe(path: &str) {
    for part in path.split('/') {
        let plain = |it: char| it.is_ascii_alphanumeric() || "._-".contains(it);
        assert!(!part.is_empty() && !part.starts_with('.') && part.chars().all(plain), "{path}");
    }
}
