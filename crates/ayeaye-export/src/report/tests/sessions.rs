//! Whole sessions for pages to look at, and events of any kind for properties.
use ayeaye_agent::journal::Event;
use serde_json::{Map, Value, json};

use super::builder::{
    EventBuilder, FolderBlobs, blob, judgement, request, run, step_end, step_start, tokens, unread,
};

/// An event of any kind.
pub(super) fn any(
    kind: usize,
    a: &str,
    b: &str,
    number: f64,
    whole: u32,
    place: i64,
) -> (&'static str, Value) {
    let arguments: Map<String, Value> = [
        ("point", json!([place, 500])),
        ("point1", json!([place, 1])),
        ("point2", json!([9, place])),
        ("value", json!(a)),
        ("app", json!(b)),
        ("direction", json!("up")),
        ("clear", json!(true)),
        ("submit", json!(false)),
        ("duration_ms", json!(whole)),
        (a, json!(b)),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect();
    let names =
        ["CLICK", "SLIDE", "SCROLL", "TYPE", "LONGPRESS", "DOUBLE_CLICK", "DRAG", "AWAKE", a];
    let action = json!({ "function": names[whole as usize % names.len()], "arguments": arguments });
    let clip_blob = whole % 5;
    match kind {
        0 => (
            "step.start",
            json!({
                "agent_type": a, "round_step": 0, "agent_step": 0, "subtask": b, "subtask_index": -1, "request_number": whole,
            }),
        ),
        1 | 2 => {
            let mut end = step_end(&action, a, (kind == 1).then_some(b), b);
            for phase in ["DATA_COLLECTION", "LLM_INTERACTION", "ACTION_EXECUTION", "MEMORY_UPDATE"]
            {
                end["time_ms"][phase] = json!(number);
            }
            ("step.end", end)
        }
        3 => (
            "observe",
            json!({
                "screenshot": { "sha256": a, "bytes": whole, "media_type": if clip_blob == 0 { b } else { "image/png" } },
                "screenshot_size": [clip_blob, whole], "screen_size": [whole, clip_blob], "package": a, "activity": b,
                "screen_on": false, "blackened": clip_blob, "captures": 1, "settled": false, "settle_ms": number, "encode_ms": number,
            }),
        ),
        4 => (
            "llm.request",
            json!({
                "call_id": clip_blob, "request_number": 1, "iteration": whole, "purpose": a, "model": b, "profile": a,
                "messages": [{ "role": a, "parts": [
                    { "text": b }, { "picture": blob(a) },
                    { "text_blob": { "sha256": b, "bytes": whole, "media_type": "text/plain" } },
                ] }],
            }),
        ),
        5 | 6 => (
            "llm.response",
            json!({
                "call_id": clip_blob, "request_number": 1, "iteration": 1, "kind": if kind == 5 { "final" } else { a },
                "success": kind == 5, "raw_content": a, "reasoning": b, "model": a, "tokens": tokens(), "latency_ms": number,
                "tool_calls": [{ "id": a, "name": b, "parameters": { a: b } }], "parsed": { "action": action, "plan": [a, b] },
                "cost_usd": number, "cost_known": true, "retries": [a], "error": b, "first_token_ms": number,
            }),
        ),
        7 => (
            "tool.start",
            json!({
                "tool_call_id": clip_blob, "name": names[whole as usize % names.len()], "parameters": { a: b }, "device": true,
                "target": { "id": a, "name": b, "kind": a, "rect": [place, 0, whole % 3000, 900] },
            }),
        ),
        8 => (
            "tool.end",
            json!({
                "tool_call_id": clip_blob, "success": false, "unknown": clip_blob == 1, "result": a, "error": b, "duration_ms": number,
            }),
        ),
        9 => (
            "question",
            json!({ "kind": a, "questions": [a, b], "options": [b], "app": a, "reply_mode": b }),
        ),
        10 => ("answer", json!({ "answers": [a, b], "source": b })),
        11 => ("snapshot", json!({ "scope": a, "screenshot": blob(b) })),
        12 => ("subtask.end", json!({ "index": whole, "status": a, "result": b })),
        13 => ("evaluation", judgement(a, b)),
        14 => ("note", json!({ "kind": a, "text": b, "figures": { a: b } })),
        15 => ("session.resume", json!({ "why": a, "run": run() })),
        16 => ("round.start", json!({ "request": a })),
        _ => (
            "round.end",
            json!({
                "status": a, "result": b, "stop_reason": a, "steps": whole, "subtask_amount": 0, "cost_usd": number,
            }),
        ),
    }
}

/// A session in which a great deal happens.
pub(super) fn rich(shelf: &FolderBlobs) -> Vec<Event> {
    let mut builder =
        EventBuilder::begin("打开设置，把屏幕亮度调到一半，然后告诉我现在的电量还剩多少");
    let pictured = |builder: &mut EventBuilder, name: &'static str| {
        builder.picture = name;
        builder.size = shelf.bytes(name);
    };
    pictured(&mut builder, "0");
    builder.fact(
        None,
        "tool.start",
        &json!({ "tool_call_id": 90, "name": "RESET", "parameters": {}, "device": true }),
    );
    builder.fact(None, "tool.end", &json!({ "tool_call_id": 90, "success": true, "result": "home screen", "duration_ms": 8.1 }));
    builder.step(
        0,
        &json!({ "function": "AWAKE", "arguments": { "app": "设置" } }),
        "打开“设置”应用",
        None,
    );
    pictured(&mut builder, "1");
    builder.step(1, &json!({ "function": "SLIDE", "arguments": { "point1": [480, 820], "point2": [520, 250], "duration_ms": 400 } }),
        "Scroll down to “Display”", None);
    builder.step(
        2,
        &json!({ "function": "SCROLL", "arguments": { "direction": "down" } }),
        "看看下面还有什么",
        None,
    );
    pictured(&mut builder, "2");
    builder.step(3, &json!({ "function": "LONGPRESS", "arguments": { "point": [778, 895], "duration_ms": 1000 } }),
        "Hold the slider", Some("device emulator-5554 refused the gesture: SecurityException: Injecting input events requires the caller to have the INJECT_EVENTS permission"));
    builder.fact(Some(4), "step.start", &step_start(4));
    pictured(&mut builder, "3");
    builder.look(4);
    builder.fact(Some(4), "llm.request", &request(1));
    builder.fact(
        Some(4),
        "llm.response",
        &unread(
            1,
            "<THINK>我应该点哪里呢</THINK>\naction:CLICK\tpoint:1200,3000",
            "point 1200,3000 is off the screen: both must be from 0 to 1000",
        ),
    );
    builder.fact(Some(4), "llm.request", &request(2));
    builder.fact(Some(4), "llm.response", &json!({
        "call_id": 2, "request_number": 1, "iteration": 2, "kind": "final", "success": true,
        "raw_content": "<THINK>亮度条在屏幕上方</THINK>\naction:CLICK\tpoint:500,279", "model": "gelab-zero-4b", "tokens": tokens(),
        "latency_ms": 912.5, "first_token_ms": 220.0, "cost_usd": 0.0012, "cost_known": true, "retries": ["429: slow down"],
        "parsed": { "action": { "function": "CLICK", "arguments": { "point": [500, 279] } } },
    }));
    builder.fact(Some(4), "tool.start", &json!({
        "tool_call_id": 5, "name": "CLICK", "parameters": { "point": [500, 279] }, "device": true,
        "target": { "id": "14", "name": "显示亮度", "kind": "android.widget.SeekBar", "rect": [60, 600, 1020, 740] },
    }));
    builder.fact(
        Some(4),
        "tool.end",
        &json!({ "tool_call_id": 5, "success": true, "result": "done", "duration_ms": 20.5 }),
    );
    let mut end = step_end(
        &json!({ "function": "CLICK", "arguments": { "point": [500, 279] } }),
        "点击亮度条的中间位置，把亮度调到一半",
        None,
        "CONTINUE",
    );
    end["response"]["thought"] = json!(
        "现在已经进入“显示”页面。亮度条横在屏幕上方，从左到右表示由暗到亮。用户要求把亮度调到一半，所以我点击亮度条的正中间，然后再检查数值是否接近 50%。"
    );
    end["response"]["observation"] = json!("“显示”设置页面，上方有亮度条。");
    end["response"]["summary"] = json!("已打开设置并进入显示页面，正在调整亮度。");
    end["response"]["plan"] = json!(["检查亮度数值", "返回设置首页", "查看电池电量"]);
    builder.fact(Some(4), "step.end", &end);
    builder
        .question(&["系统提示：关闭“自动亮度”之后才能固定亮度。要关闭吗？"], &["关闭", "保持打开"]);
    builder.stop("INFO_ACTION_NEEDS_REPLY", "要关闭吗？");
    builder.fact(None, "session.resume", &json!({ "why": "reply", "run": run() }));
    builder.answer("关闭", "client");
    builder.stop(
        "SERVER_RESTARTED",
        "this run has no recorded end: its server stopped, or the record could not be written (a full disk); \
         nothing that was recorded is lost",
    );
    builder.ms += 8 * 60_000;
    builder.fact(None, "note", &json!({ "kind": "recovered", "text": "A torn record was cut off.", "figures": { "dropped_bytes": 812 } }));
    builder.fact(None, "session.resume", &json!({ "why": "go_on", "run": run() }));
    pictured(&mut builder, "4");
    builder.step(5, &json!({ "function": "TYPE", "arguments": { "value": "电池", "point": [544, 149], "clear": true, "submit": true } }), "搜索“电池”", None);
    builder.picture = "missing";
    builder.complete(6, "亮度已调到 50%，电量还剩 87%。");
    builder.fact(None, "snapshot", &json!({ "scope": "round", "screenshot": { "sha256": "4", "bytes": shelf.bytes("4"), "media_type": "image/jpeg" } }));
    builder.fact(None, "evaluation", &judgement("yes", "The slider stands in the middle, and the answer names the battery level that the screen shows."));
    builder.end();
    builder.fact(None, "session.resume", &json!({ "why": "next_round", "run": run() }));
    builder.round = 1;
    builder.fact(
        None,
        "round.start",
        &json!({ "request": "Now put the brightness back to where it was" }),
    );
    pictured(&mut builder, "5");
    builder.step(
        7,
        &json!({ "function": "HOT_KEY", "arguments": { "key": "BACK" } }),
        "Go back",
        None,
    );
    builder.abort(8, "The level it had before is not known any more.");
    builder.end();
    builder.events
}

/// A session of many steps, each with its own picture.
pub(super) fn long(shelf: &FolderBlobs, steps: u32) -> Vec<Event> {
    let mut builder =
        EventBuilder::begin("Look through all conversations and count the unread ones");
    for number in 0..steps {
        builder.picture = Box::leak(number.to_string().into_boxed_str());
        builder.size = shelf.bytes(builder.picture);
        builder.click(
            number,
            i64::from(number * 37 % 1000),
            i64::from(number * 71 % 1000),
            "Open the next conversation",
        );
    }
    builder.complete(steps, "17 are unread.").end();
    builder.events
}
