//! A session that says everything there is to say, for tests and for the fixture.
use serde_json::{Map, Value, json};

use crate::journal::*;
use crate::{QuestionKind, ReplyMode, Role, StopReason};

/// About seventy entries: two rounds of four steps, with each fact at least once.
/// `picture`, `tree` and `system` are blobs that the session has kept.
pub(super) fn session(picture: &BlobRef, tree: &BlobRef, system: &BlobRef) -> Vec<RecordEntry> {
    let mut all = vec![at(None, None, session_start())];
    for round in 0..2 {
        let request =
            ["Text Anna that I am late.", "给安娜发消息 — and say “sorry” 🦉"][round as usize];
        all.push(at(Some(round), None, Fact::RoundStart { request: request.to_owned() }));
        for step in 0..4 {
            let number = round * 4 + step;
            let entry = |fact| at(Some(round), Some(number), fact);
            all.extend([
                entry(step_start(step)),
                entry(observe(picture, tree)),
                entry(llm_request(number, picture, system)),
                entry(llm_response(number)),
                entry(tool_start(number)),
                entry(tool_end(number)),
                entry(step_end(step)),
            ]);
        }
        all.extend([
            at(Some(round), None, state(AgentState::Continue, AgentState::Pending)),
            at(Some(round), None, question()),
            at(Some(round), None, answer()),
            at(Some(round), None, snapshot(picture, tree)),
            at(Some(round), None, subtask_end()),
            at(Some(round), None, round_end()),
        ]);
    }
    all.extend([
        at(None, None, session_resume()),
        at(None, None, blackboard()),
        at(
            None,
            None,
            Fact::Evaluation(json!({ "complete": "yes", "sub_scores": [null, 0.1, -1] })),
        ),
        at(None, None, note()),
        at(None, None, session_end()),
    ]);
    all
}

/// One step with the members that were added to format 1 since: on a folded phone, at a screen that its app
/// protects, over a slow link.
pub(super) fn later_members(picture: &BlobRef, tree: &BlobRef) -> Vec<RecordEntry> {
    let folded =
        DisplayRecord { id: 0, panel: "4630946481".to_owned(), posture: Some("CLOSED".to_owned()) };
    let Fact::Observe(look) = observe(picture, tree) else { unreachable!("it was made as one") };
    let look = Observe {
        display: Some(folded.clone()),
        capture: Some(CaptureRecord {
            way: "gzip".to_owned(),
            link: "192.168.1.20:5555".to_owned(),
            transport: "tcp".to_owned(),
        }),
        protected: true,
        blackened: 2,
        first_look_ms: Some(12.5),
        guesses: 2,
        guessed_right: true,
        ui_tree_known: true,
        ..look
    };
    let Fact::ToolStart(tap) = tool_start(0) else { unreachable!("it was made as one") };
    let tap = ToolStart { display: Some(folded), batch: Some(1), ..tap };
    let step = |fact| at(Some(0), Some(0), fact);
    vec![
        at(None, None, session_start()),
        at(Some(0), None, Fact::RoundStart { request: "Text Anna that I am late.".to_owned() }),
        step(step_start(0)),
        step(Fact::Observe(look)),
        step(Fact::ToolStart(tap)),
        step(tool_end(0)),
        step(step_end(0)),
        at(None, None, session_end()),
    ]
}

fn at(round: Option<u32>, step: Option<u32>, fact: Fact) -> RecordEntry {
    let agent = step.map(|_| "AppAgent".to_owned());
    RecordEntry { round, step, agent, fact }
}

fn map(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { unreachable!("an object was written here") };
    map
}

fn run() -> RunRecord {
    RunRecord {
        max_steps: 20,
        reply_mode: ReplyMode::PassToClient.into(),
        planner: false,
        policy: None,
        device_server: None,
    }
}

fn click() -> ActionRecord {
    ActionRecord { function: "CLICK".to_owned(), arguments: map(json!({ "point": [512, 203] })) }
}

fn response() -> ResponseRecord {
    ResponseRecord {
        observation: "A list of chats.".to_owned(),
        thought: "Anna is second.\n\tI tap \"Anna\" \\ \u{7f}\u{0}".to_owned(),
        comment: "Open Anna's chat".to_owned(),
        ..ResponseRecord::default()
    }
}

fn tokens() -> TokenRecord {
    TokenRecord { prompt: 1412, completion: 61, thinking: 20, cached: 1024, total: 1473 }
}

fn session_start() -> Fact {
    Fact::SessionStart(SessionStart {
        task_name: "text-anna".to_owned(),
        request: "Text Anna that I am late.".to_owned(),
        device: DeviceRecord {
            device_id: "emulator-5554".to_owned(),
            model: "Pixel 7".to_owned(),
            android_version: "14".to_owned(),
            wm_size: [1080, 2400],
            serial_digest: None,
        },
        config: map(json!({ "host_agent": false, "temperature": 0.1, "profile": "gelab" })),
        run: run(),
        owner: None,
    })
}

fn session_resume() -> Fact {
    Fact::SessionResume(SessionResume { why: ResumeReason::Reply.into(), run: run() })
}

fn session_end() -> Fact {
    Fact::SessionEnd(SessionEnd {
        stop_reason: StopReason::TaskCompletedSuccessfully.into(),
        message: "Sent.".to_owned(),
        steps: 8,
        local_steps: 4,
        // Not a price that a sloppy reader of numbers gets right.
        cost_usd: 0.1 + 0.2,
        cost_known: true,
    })
}

fn round_end() -> Fact {
    Fact::RoundEnd(RoundEnd {
        status: RoundStatus::Finish.into(),
        result: "Sent.".to_owned(),
        stop_reason: Some(StopReason::TaskCompletedSuccessfully.into()),
        steps: 4,
        subtask_amount: 1,
        cost_usd: 0.004_217,
    })
}

fn step_start(step: u32) -> Fact {
    Fact::StepStart(StepStart {
        agent_type: AgentType::AppAgent.into(),
        round_step: step,
        agent_step: step,
        subtask: "Text Anna".to_owned(),
        subtask_index: 0,
        request_number: step + 1,
    })
}

fn step_end(step: u32) -> Fact {
    let failed = step == 2;
    Fact::StepEnd(StepEnd {
        status: if failed { AgentState::Error } else { AgentState::Continue }.into(),
        response: response(),
        action: (!failed).then(click),
        result: "done".to_owned(),
        error: failed.then(|| "the reply could not be read".to_owned()),
        uncertain: None,
        tokens: tokens(),
        cost_usd: 0.001,
        cost_known: !failed,
        time_ms: PhaseTimes {
            data_collection: 182.25,
            llm_interaction: 1903.0,
            action_execution: 41.5,
            memory_update: 4.125,
        },
        caption: None,
    })
}

fn observe(picture: &BlobRef, tree: &BlobRef) -> Fact {
    Fact::Observe(Observe {
        screenshot: Some(picture.clone()),
        screenshot_size: Some([540, 1200]),
        screen_size: [1080, 2400],
        ui_tree: Some(tree.clone()),
        package: "com.example.chat".to_owned(),
        activity: ".Main".to_owned(),
        app_name: String::new(),
        screen_on: true,
        display: None,
        capture: None,
        protected: false,
        blackened: 0,
        captures: 3,
        settled: true,
        first_look_ms: None,
        settle_ms: 160.5,
        guesses: 0,
        guessed_right: false,
        ui_tree_known: false,
        encode_ms: 2.25,
    })
}

fn llm_request(number: u32, picture: &BlobRef, system: &BlobRef) -> Fact {
    let message = |role: Role, parts| MessageRecord { role: role.into(), parts };
    Fact::LlmRequest(LlmRequest {
        call_id: number + 1,
        request_number: number + 1,
        iteration: 1,
        purpose: CallPurpose::Act.into(),
        model: "gelab-zero-4b".to_owned(),
        profile: "gelab".to_owned(),
        messages: vec![
            message(Role::System, vec![PartRecord::TextBlob(system.clone())]),
            message(
                Role::User,
                vec![PartRecord::Text("Now?".to_owned()), PartRecord::Picture(picture.clone())],
            ),
        ],
        params: Map::new(),
        tools_schema: None,
        response_schema: None,
        tool_results: None,
    })
}

fn llm_response(number: u32) -> Fact {
    let good = number != 2;
    Fact::LlmResponse(LlmResponse {
        call_id: number + 1,
        request_number: number + 1,
        iteration: 1,
        kind: if good { ResponseKind::Final } else { ResponseKind::Intermediate }.into(),
        success: good,
        raw_content: Some("explain:Open Anna's chat\taction:CLICK\tpoint:512,203".to_owned()),
        reasoning: if good { String::new() } else { "…".to_owned() },
        tool_calls: Vec::new(),
        parsed: good.then(|| ParsedRecord { action: click(), response: response() }),
        finish_reason: Some("stop".to_owned()),
        model: "gelab-zero-4b".to_owned(),
        tokens: tokens(),
        tokens_estimated: false,
        latency_ms: 1903.0625,
        first_token_ms: good.then_some(211.0),
        cost_usd: 0.001,
        cost_known: good,
        retries: if good { vec![] } else { vec!["503: try later".to_owned()] },
        error: (!good).then(|| "no action in the reply".to_owned()),
        withdrawn: false,
    })
}

fn tool_start(number: u32) -> Fact {
    Fact::ToolStart(ToolStart {
        tool_call_id: number + 1,
        name: "CLICK".to_owned(),
        parameters: map(json!({ "point": [512, 203] })),
        device: true,
        target: None,
        display: None,
        batch: None,
        gate: None,
        mark: None,
    })
}

fn tool_end(number: u32) -> Fact {
    Fact::ToolEnd(ToolEnd {
        tool_call_id: number + 1,
        success: number != 3,
        unknown: number == 3,
        result: "done".to_owned(),
        error: (number == 3).then(|| "the link was lost".to_owned()),
        uncertain: None,
        app: None,
        duration_ms: 41.5,
    })
}

fn question() -> Fact {
    Fact::Question(QuestionAsked {
        kind: QuestionKind::Info.into(),
        questions: vec!["Which Anna?".to_owned()],
        options: vec!["Anna B.".to_owned(), "Anna K.".to_owned()],
        app: Some("com.example.chat".to_owned()),
        reply_mode: ReplyMode::PassToClient.into(),
    })
}

fn answer() -> Fact {
    Fact::Answer(Answer {
        message_id: None,
        answers: vec!["Anna B.".to_owned()],
        source: AnswerSource::Client.into(),
    })
}

fn state(from: AgentState, to: AgentState) -> Fact {
    Fact::State { from: from.into(), to: to.into() }
}

fn subtask_end() -> Fact {
    Fact::SubtaskEnd { index: 0, status: AgentState::Finish.into(), result: "Sent.".to_owned() }
}

fn snapshot(picture: &BlobRef, tree: &BlobRef) -> Fact {
    Fact::Snapshot {
        scope: SnapshotScope::SubRound.into(),
        sub_round: Some(0),
        screenshot: Some(picture.clone()),
        ui_tree: Some(tree.clone()),
    }
}

fn blackboard() -> Fact {
    let item = json!({ "request_0": "Text Anna that I am late." });
    Fact::BlackboardAdd { section: BlackboardSection::Requests.into(), item }
}

fn note() -> Fact {
    Fact::Note {
        // None of the list: it is passed on.
        kind: "warning".into(),
        text: "The keyboard covers the field.".to_owned(),
        figures: map(json!({ "covered_px": 812, "z": 1, "a": u64::MAX })),
    }
}
