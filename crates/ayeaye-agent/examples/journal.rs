//! How the journal does at scale: a session of many steps through the real files.
//!
//! ```text
//! cargo run --release -p ayeaye-agent --example journal [STEPS [TIMES]]
//! ```
//!
//! 10000 steps are written, and read three times, unless said. Times are of this process alone; nothing is synced, so that the disk does not count.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement for people")]
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use ayeaye_agent::journal::{
    ActionRecord, AgentState, AgentType, BlobRef, CallPurpose, DeviceRecord, Fact, FileJournal,
    LlmRequest, LlmResponse, MessageRecord, Observe, ParsedRecord, PartRecord, PhaseTimes,
    RecordEntry, ResponseKind, ResponseRecord, RunRecord, SessionBuilder, SessionStart, StepEnd,
    StepStart, SyncPolicy, TargetRecord, TokenRecord, ToolEnd, ToolStart,
};
use ayeaye_agent::{Clock, Journal as _, JournalWriter, ReplyMode, Role, SessionId};
use bytes::Bytes;
use serde_json::{Map, Value, json};

#[tokio::main]
async fn main() {
    let steps: u32 = std::env::args().nth(1).map_or(10_000, |text| text.parse().unwrap());
    let data = tempfile::tempdir().unwrap();
    let journal = FileJournal::new(data.path(), ticking(), SyncPolicy::Never);
    let id = SessionId::new();

    let before = resident_kib();
    let mut record = journal.create(&id).await.unwrap();
    let mut writer = Writer { record: &mut *record, spent: Duration::ZERO, events: 0 };
    writer.say(None, start()).await;
    writer.say(None, Fact::RoundStart { request: TASK.to_owned() }).await;
    let window = (steps / 10).clamp(1, 100);
    for step in 0..steps {
        if step % window == 0 && [window, steps - window].contains(&step) {
            (writer.spent, writer.events) = (Duration::ZERO, 0);
        }
        writer.step(step).await;
        if [2 * window, steps].contains(&(step + 1)) {
            let each = writer.spent / writer.events;
            println!(
                "append at step {:>6}: {each:?} an event, {} KiB resident",
                step + 1,
                resident_kib()
            );
        }
    }
    println!("writing took {} KiB more than before", resident_kib().saturating_sub(before));
    drop(record);

    let folder = data.path().join("sessions").join(id.to_string());
    let bytes = std::fs::metadata(folder.join("events.jsonl")).unwrap().len();
    println!("events.jsonl: {bytes} bytes, {} a step", bytes / u64::from(steps));

    let rounds = std::env::args().nth(2).map_or(3, |text| text.parse().unwrap());
    for _ in 0..rounds {
        let before = resident_kib();
        let begun = Instant::now();
        let mut folding = SessionBuilder::new(id);
        let record = journal.open(&id, &mut |event| folding.apply(&event)).await.unwrap();
        let session = folding.finish().unwrap();
        let taken = begun.elapsed();
        println!("open and fold {taken:?}; {} KiB more", resident_kib().saturating_sub(before));
        assert_eq!(session.counts.steps, steps);
        drop((session, record));
        let begun = Instant::now();
        journal.visit(&id, &mut |_| {}).await.unwrap();
        println!("visit {:?}", begun.elapsed());
    }
}

const TASK: &str =
    "Open the shop, look for a red kettle below 40 euros, and put it into the basket.";
const THOUGHT: &str = "The list shows three kettles. The second one is red and costs 34.90, which is below \
    the limit. I open it to see whether it can be delivered, and then put it into the basket.";

struct Writer<'a> {
    record: &'a mut dyn JournalWriter,
    spent: Duration,
    events: u32,
}

impl Writer<'_> {
    async fn say(&mut self, step: Option<u32>, fact: Fact) {
        let agent = step.map(|_| "AppAgent".to_owned());
        let entry = RecordEntry { round: Some(0), step, agent, fact };
        let begun = Instant::now();
        self.record.append(entry).await.unwrap();
        self.spent += begun.elapsed();
        self.events += 1;
    }

    async fn store_blob(&mut self, bytes: Vec<u8>, media_type: &str) -> BlobRef {
        self.record.store_blob(Bytes::from(bytes), media_type).await.unwrap()
    }

    async fn step(&mut self, step: u32) {
        // Small pictures: their bytes are not what is measured.
        let picture = self.store_blob(format!("picture {step}").into_bytes(), "image/jpeg").await;
        let system = self.store_blob(vec![b'x'; 4000], "text/plain").await;
        let at = Some(step);
        self.say(at, step_start(step)).await;
        self.say(at, observe(&picture)).await;
        self.say(at, request(step, &picture, &system)).await;
        self.say(at, response(step)).await;
        self.say(at, tool_start(step)).await;
        self.say(at, tool_end(step)).await;
        self.say(at, step_end()).await;
        let state = AgentState::Continue;
        self.say(at, Fact::State { from: state.into(), to: state.into() }).await;
    }
}

fn map(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { unreachable!("an object was written here") };
    map
}

fn start() -> Fact {
    Fact::SessionStart(SessionStart {
        task_name: "kettle".to_owned(),
        request: TASK.to_owned(),
        device: DeviceRecord {
            device_id: "emulator-5554".to_owned(),
            model: "Pixel 7".to_owned(),
            android_version: "14".to_owned(),
            wm_size: [1080, 2400],
            serial_digest: None,
        },
        config: map(json!({ "profile": "gelab", "temperature": 0.1 })),
        run: RunRecord {
            max_steps: u32::MAX,
            reply_mode: ReplyMode::PassToClient.into(),
            planner: false,
            policy: None,
            device_server: None,
        },
        owner: None,
    })
}

fn step_start(step: u32) -> Fact {
    Fact::StepStart(StepStart {
        agent_type: AgentType::AppAgent.into(),
        round_step: step,
        agent_step: step,
        subtask: TASK.to_owned(),
        subtask_index: 0,
        request_number: step + 1,
    })
}

fn observe(picture: &BlobRef) -> Fact {
    Fact::Observe(Observe {
        screenshot: Some(picture.clone()),
        screenshot_size: Some([540, 1200]),
        screen_size: [1080, 2400],
        ui_tree: None,
        package: "com.example.shop".to_owned(),
        activity: ".ListActivity".to_owned(),
        app_name: String::new(),
        screen_on: true,
        display: None,
        capture: None,
        protected: false,
        blackened: 0,
        captures: 3,
        settled: true,
        first_look_ms: None,
        settle_ms: 160.537,
        guesses: 0,
        guessed_right: false,
        ui_tree_known: false,
        encode_ms: 2.251,
    })
}

fn request(step: u32, picture: &BlobRef, system: &BlobRef) -> Fact {
    let message = |role: Role, parts| MessageRecord { role: role.into(), parts };
    let so_far = format!("So far: {THOUGHT} (step {step})");
    Fact::LlmRequest(LlmRequest {
        call_id: step + 1,
        request_number: step + 1,
        iteration: 1,
        purpose: CallPurpose::Act.into(),
        model: "gelab-zero-4b-preview".to_owned(),
        profile: "gelab".to_owned(),
        messages: vec![
            message(Role::System, vec![PartRecord::TextBlob(system.clone())]),
            message(Role::User, vec![PartRecord::Text(TASK.to_owned()), PartRecord::Text(so_far)]),
            message(Role::User, vec![PartRecord::Picture(picture.clone())]),
        ],
        params: map(json!({ "temperature": 0.1, "top_p": 0.95, "max_tokens": 2048 })),
        tools_schema: None,
        response_schema: None,
        tool_results: None,
    })
}

fn click() -> ActionRecord {
    ActionRecord { function: "CLICK".to_owned(), arguments: map(json!({ "point": [512, 203] })) }
}

fn said() -> ResponseRecord {
    ResponseRecord {
        thought: THOUGHT.to_owned(),
        comment: "Open the red kettle".to_owned(),
        summary: "The shop is open and the list of kettles is shown.".to_owned(),
        ..ResponseRecord::default()
    }
}

fn tokens() -> TokenRecord {
    TokenRecord { prompt: 1412, completion: 161, thinking: 0, cached: 1024, total: 1573 }
}

fn response(step: u32) -> Fact {
    Fact::LlmResponse(LlmResponse {
        call_id: step + 1,
        request_number: step + 1,
        iteration: 1,
        kind: ResponseKind::Final.into(),
        success: true,
        raw_content: Some(format!(
            "<THINK>{THOUGHT}</THINK>\nexplain:Open the red kettle\taction:CLICK\tpoint:512,203\tsummary:The shop is open"
        )),
        reasoning: String::new(),
        tool_calls: Vec::new(),
        parsed: Some(ParsedRecord { action: click(), response: said() }),
        finish_reason: Some("stop".to_owned()),
        model: "gelab-zero-4b-preview".to_owned(),
        tokens: tokens(),
        tokens_estimated: false,
        latency_ms: 1_903.062_5,
        first_token_ms: Some(211.031),
        cost_usd: 0.001_573,
        cost_known: true,
        retries: Vec::new(),
        error: None,
        withdrawn: false,
    })
}

fn tool_start(step: u32) -> Fact {
    Fact::ToolStart(ToolStart {
        tool_call_id: step + 1,
        name: "CLICK".to_owned(),
        parameters: map(json!({ "point": [512, 203] })),
        device: true,
        target: Some(TargetRecord {
            id: "17".to_owned(),
            name: "Kettle, red, 1.7 l".to_owned(),
            kind: "android.widget.TextView".to_owned(),
            rect: [40, 420, 1040, 560],
        }),
        display: None,
        batch: None,
        gate: None,
        mark: None,
    })
}

fn tool_end(step: u32) -> Fact {
    Fact::ToolEnd(ToolEnd {
        tool_call_id: step + 1,
        success: true,
        unknown: false,
        result: "done".to_owned(),
        error: None,
        uncertain: None,
        app: None,
        duration_ms: 41.532,
    })
}

fn step_end() -> Fact {
    Fact::StepEnd(StepEnd {
        status: AgentState::Continue.into(),
        response: said(),
        action: Some(click()),
        result: "done".to_owned(),
        error: None,
        uncertain: None,
        tokens: tokens(),
        cost_usd: 0.001_573,
        cost_known: true,
        time_ms: PhaseTimes {
            data_collection: 182.253,
            llm_interaction: 1_903.062_5,
            action_execution: 41.532,
            memory_update: 4.125,
        },
        caption: None,
    })
}

fn ticking() -> Clock {
    let ticks = AtomicI64::new(1_767_323_045_000);
    Arc::new(move || {
        jiff::Timestamp::from_millisecond(ticks.fetch_add(1, Ordering::Relaxed)).unwrap()
    })
}

/// Memory of this process as Linux counts it; 0 elsewhere.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
