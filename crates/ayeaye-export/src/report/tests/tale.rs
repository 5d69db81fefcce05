//! Records made up for tests, in the journal's own JSON.
use std::io::Write as _;
use std::path::Path;

use ayeaye_agent::journal::{BlobRef, Event};
use ayeaye_agent::{JournalError, SessionId};
use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::report::Report;
use crate::{Blobs, Content, FileOp, Projection as _};

pub(super) fn id() -> SessionId {
    "019b7d0a-6f40-7000-8000-0000000000a1".parse().unwrap()
}

/// The page at the end, and the files that were written on the way.
pub(super) fn page_of(events: &[Event]) -> (String, Vec<String>) {
    let mut report = Report::new(id());
    let mut ops = Vec::new();
    for event in events {
        ops.extend(report.fold(event, &Album).iter().map(|op| op.path().to_owned()));
    }
    let FileOp::Replace { content: Content::Made(make), .. } = report.finish() else { panic!() };
    (String::from_utf8(make(&Album).unwrap()).unwrap(), ops)
}

/// Every blob is there but those whose name begins with "missing".
#[derive(Debug)]
pub(super) struct Album;

impl Blobs for Album {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        if blob.sha256.starts_with("missing") {
            return Err(JournalError::Blob(blob.sha256.clone()));
        }
        Ok(Bytes::from(format!("<{}>", blob.sha256)))
    }
}

/// Pictures of a folder, for pages to look at.
#[derive(Debug)]
pub(super) struct Shelf(Vec<Vec<u8>>);

impl Shelf {
    pub(super) fn read(folder: &Path) -> Self {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().map(|it| it.unwrap().path()).collect();
        paths.sort();
        Self(paths.iter().map(|path| std::fs::read(path).unwrap()).collect())
    }

    fn bytes(&self, name: &str) -> usize {
        name.parse::<usize>()
            .ok()
            .filter(|_| !self.0.is_empty())
            .map_or(0, |at| self.0[at % self.0.len()].len())
    }
}

impl Blobs for Shelf {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        let lost = || JournalError::Blob(blob.sha256.clone());
        let at: usize = blob.sha256.parse().map_err(|_| lost())?;
        if self.0.is_empty() { Err(lost()) } else { Ok(self.0[at % self.0.len()].clone().into()) }
    }
}

pub(super) struct Tale {
    pub(super) events: Vec<Event>,
    pub(super) round: u32,
    pub(super) picture: &'static str,
    pub(super) size: usize,
    seq: u64,
    ms: u64,
}

impl Tale {
    pub(super) fn begin(request: &str) -> Self {
        let mut tale = Self { events: Vec::new(), round: 0, picture: "a", size: 3, seq: 0, ms: 0 };
        tale.fact(None, "session.start", &json!({
            "task_name": "t", "request": request, "config": { "model": "gelab-zero-4b", "version": "0.1.0" },
            "device": { "device_id": "emulator-5554", "model": "Pixel 7", "android_version": "14", "wm_size": [1080, 2400] },
            "run": run(),
        }));
        tale.fact(None, "round.start", &json!({ "request": request }));
        tale
    }

    pub(super) fn fact(&mut self, step: Option<u32>, name: &str, data: &Value) -> &mut Self {
        self.seq += 1;
        self.ms += 137;
        let ts =
            jiff::Timestamp::from_millisecond(1_767_323_045_000 + i64::try_from(self.ms).unwrap())
                .unwrap();
        let mut event = json!({
            "v": 1, "seq": self.seq, "ts": ts, "round": self.round, "agent": "AppAgent", "type": name, "data": data,
        });
        if let Some(step) = step {
            event["step"] = json!(step);
        }
        self.events.push(serde_json::from_value(event).unwrap());
        self
    }

    pub(super) fn click(&mut self, number: u32, x: i64, y: i64, comment: &str) -> &mut Self {
        self.step(
            number,
            &json!({ "function": "CLICK", "arguments": { "point": [x, y] } }),
            comment,
            None,
        )
    }

    pub(super) fn step(
        &mut self,
        number: u32,
        action: &Value,
        comment: &str,
        error: Option<&str>,
    ) -> &mut Self {
        let call = number + 1;
        self.fact(Some(number), "step.start", &step_start(number));
        self.look(number);
        self.fact(Some(number), "llm.request", &request(call));
        self.fact(Some(number), "llm.response", &json!({
            "call_id": call, "request_number": call, "iteration": 1, "kind": "final", "success": true,
            "raw_content": format!("explain:{comment}"), "model": "gelab-zero-4b", "tokens": tokens(),
            "parsed": { "action": action, "comment": comment, "thought": "It is there." },
            "latency_ms": 812.5, "cost_usd": 0.0, "cost_known": false,
        }));
        self.fact(Some(number), "tool.start", &json!({
            "tool_call_id": call, "name": action["function"], "parameters": action["arguments"], "device": true,
        }));
        self.fact(Some(number), "tool.end", &json!({
            "tool_call_id": call, "success": error.is_none(), "result": "done", "error": error, "duration_ms": 20.5,
        }));
        let status = if error.is_some() { "ERROR" } else { "CONTINUE" };
        self.fact(Some(number), "step.end", &step_end(action, comment, error, status))
    }

    pub(super) fn look(&mut self, number: u32) -> &mut Self {
        let mut picture = blob(self.picture);
        picture["bytes"] = json!(self.size);
        self.fact(Some(number), "observe", &json!({
            "screenshot": picture, "screenshot_size": [720, 1600], "screen_size": [1080, 2400],
            "package": "com.example.messages", "activity": ".Main", "screen_on": true, "captures": 2,
            "settled": true, "settle_ms": 160.5, "encode_ms": 14.0,
        }))
    }

    pub(super) fn complete(&mut self, number: u32, message: &str) -> &mut Self {
        self.last(number, "COMPLETE", "return", message, "FINISH", "TASK_COMPLETED_SUCCESSFULLY")
    }

    pub(super) fn abort(&mut self, number: u32, reason: &str) -> &mut Self {
        self.last(number, "ABORT", "reason", reason, "FAIL", "TASK_ABORTED_BY_AGENT")
    }

    fn last(
        &mut self,
        number: u32,
        name: &str,
        key: &str,
        text: &str,
        status: &str,
        reason: &str,
    ) -> &mut Self {
        let action = json!({ "function": name, "arguments": { key: text } });
        self.fact(Some(number), "step.start", &step_start(number));
        self.look(number);
        let mut end = step_end(&action, "Report", None, status);
        end["result"] = json!(text);
        self.fact(Some(number), "step.end", &end);
        self.fact(
            None,
            "round.end",
            &json!({
                "status": status, "result": text, "stop_reason": reason, "steps": number + 1,
                "subtask_amount": 1, "cost_usd": 0.0,
            }),
        )
    }

    pub(super) fn question(&mut self, words: &[&str], options: &[&str]) -> &mut Self {
        self.fact(None, "question", &json!({
            "kind": "info", "questions": words, "options": options, "app": "com.example.messages",
            "reply_mode": "pass_to_client",
        }))
    }

    pub(super) fn answer(&mut self, words: &str, source: &str) -> &mut Self {
        self.fact(None, "answer", &json!({ "answers": [words], "source": source }))
    }

    pub(super) fn stop(&mut self, reason: &str, message: &str) -> &mut Self {
        self.fact(None, "session.end", &json!({
            "stop_reason": reason, "message": message, "steps": 1, "local_steps": 1, "cost_usd": 0.0, "cost_known": false,
        }))
    }

    /// A run ends as the round did before.
    pub(super) fn end(&mut self) -> &mut Self {
        let last = self.events.iter().rev().find_map(|event| match &event.entry.fact {
            ayeaye_agent::journal::Fact::RoundEnd(end) => {
                Some((end.stop_reason.clone(), end.result.clone()))
            }
            _ => None,
        });
        let (reason, message) =
            last.unwrap_or_else(|| ("MAX_STEPS_REACHED".to_owned(), "20 steps".to_owned()));
        self.stop(&reason, &message)
    }
}

pub(super) fn run() -> Value {
    json!({ "max_steps": 20, "reply_mode": "pass_to_client" })
}

pub(super) fn blob(name: &str) -> Value {
    json!({ "sha256": name, "bytes": 3, "media_type": "image/jpeg" })
}

fn tokens() -> Value {
    json!({ "prompt": 1412, "completion": 61, "thinking": 20, "cached": 1024, "total": 1473 })
}

pub(super) fn step_start(number: u32) -> Value {
    json!({
        "agent_type": "AppAgent", "round_step": number, "agent_step": number, "subtask": "Text Anna",
        "subtask_index": 0, "request_number": number + 1,
    })
}

pub(super) fn step_end(action: &Value, comment: &str, error: Option<&str>, status: &str) -> Value {
    let mut end = json!({
        "status": status, "response": { "comment": comment, "thought": "It is there.", "summary": "Began." },
        "result": if error.is_some() { "" } else { "done" }, "tokens": tokens(), "cost_usd": 0.0, "cost_known": false,
        "time_ms": { "DATA_COLLECTION": 182.25, "LLM_INTERACTION": 812.5, "ACTION_EXECUTION": 20.5, "MEMORY_UPDATE": 4.1 },
    });
    if !action.is_null() {
        end["action"] = action.clone();
    }
    if let Some(error) = error {
        end["error"] = json!(error);
    }
    end
}

pub(super) fn request(call: u32) -> Value {
    json!({
        "call_id": call, "request_number": 1, "iteration": call, "purpose": if call < 2 { "act" } else { "repair" },
        "model": "gelab-zero-4b", "profile": "gelab", "messages": [
            { "role": "system", "parts": [{ "text_blob": { "sha256": "rules", "bytes": 7, "media_type": "text/plain" } }] },
            { "role": "user", "parts": [{ "text": "What now?" }, { "picture": blob("a") }] },
        ],
    })
}

pub(super) fn unread(call: u32, raw: &str, error: &str) -> Value {
    json!({
        "call_id": call, "request_number": 1, "iteration": call, "kind": "intermediate", "success": false,
        "raw_content": raw, "model": "gelab-zero-4b", "tokens": tokens(), "latency_ms": 700.0,
        "cost_usd": 0.0, "cost_known": false, "error": error,
    })
}

pub(super) fn judgement(complete: &str, words: &str) -> Value {
    json!({
        "level": "session", "complete": complete, "reason": words, "request": words, "tokens": tokens(),
        "sub_scores": [{ "name": words, "evaluation": complete }], "cost_usd": 0.001, "cost_known": true,
    })
}

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
    let small = whole % 5;
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
                "screenshot": { "sha256": a, "bytes": whole, "media_type": if small == 0 { b } else { "image/png" } },
                "screenshot_size": [small, whole], "screen_size": [whole, small], "package": a, "activity": b,
                "screen_on": false, "blackened": small, "captures": 1, "settled": false, "settle_ms": number, "encode_ms": number,
            }),
        ),
        4 => (
            "llm.request",
            json!({
                "call_id": small, "request_number": 1, "iteration": whole, "purpose": a, "model": b, "profile": a,
                "messages": [{ "role": a, "parts": [
                    { "text": b }, { "picture": blob(a) },
                    { "text_blob": { "sha256": b, "bytes": whole, "media_type": "text/plain" } },
                ] }],
            }),
        ),
        5 | 6 => (
            "llm.response",
            json!({
                "call_id": small, "request_number": 1, "iteration": 1, "kind": if kind == 5 { "final" } else { a },
                "success": kind == 5, "raw_content": a, "reasoning": b, "model": a, "tokens": tokens(), "latency_ms": number,
                "tool_calls": [{ "id": a, "name": b, "parameters": { a: b } }], "parsed": { "action": action, "plan": [a, b] },
                "cost_usd": number, "cost_known": true, "retries": [a], "error": b, "first_token_ms": number,
            }),
        ),
        7 => (
            "tool.start",
            json!({
                "tool_call_id": small, "name": names[whole as usize % names.len()], "parameters": { a: b }, "device": true,
                "target": { "id": a, "name": b, "kind": a, "rect": [place, 0, whole % 3000, 900] },
            }),
        ),
        8 => (
            "tool.end",
            json!({
                "tool_call_id": small, "success": false, "unknown": small == 1, "result": a, "error": b, "duration_ms": number,
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
pub(super) fn rich(shelf: &Shelf) -> Vec<Event> {
    let mut tale = Tale::begin("打开设置，把屏幕亮度调到一半，然后告诉我现在的电量还剩多少");
    let pictured = |tale: &mut Tale, name: &'static str| {
        tale.picture = name;
        tale.size = shelf.bytes(name);
    };
    pictured(&mut tale, "0");
    tale.fact(
        None,
        "tool.start",
        &json!({ "tool_call_id": 90, "name": "RESET", "parameters": {}, "device": true }),
    );
    tale.fact(None, "tool.end", &json!({ "tool_call_id": 90, "success": true, "result": "home screen", "duration_ms": 8.1 }));
    tale.step(
        0,
        &json!({ "function": "AWAKE", "arguments": { "app": "设置" } }),
        "打开“设置”应用",
        None,
    );
    pictured(&mut tale, "1");
    tale.step(1, &json!({ "function": "SLIDE", "arguments": { "point1": [480, 820], "point2": [520, 250], "duration_ms": 400 } }),
        "Scroll down to “Display”", None);
    tale.step(
        2,
        &json!({ "function": "SCROLL", "arguments": { "direction": "down" } }),
        "看看下面还有什么",
        None,
    );
    pictured(&mut tale, "2");
    tale.step(3, &json!({ "function": "LONGPRESS", "arguments": { "point": [778, 895], "duration_ms": 1000 } }),
        "Hold the slider", Some("device emulator-5554 refused the gesture: SecurityException: Injecting input events requires the caller to have the INJECT_EVENTS permission"));
    tale.fact(Some(4), "step.start", &step_start(4));
    pictured(&mut tale, "3");
    tale.look(4);
    tale.fact(Some(4), "llm.request", &request(1));
    tale.fact(
        Some(4),
        "llm.response",
        &unread(
            1,
            "<THINK>我应该点哪里呢</THINK>\naction:CLICK\tpoint:1200,3000",
            "point 1200,3000 is off the screen: both must be from 0 to 1000",
        ),
    );
    tale.fact(Some(4), "llm.request", &request(2));
    tale.fact(Some(4), "llm.response", &json!({
        "call_id": 2, "request_number": 1, "iteration": 2, "kind": "final", "success": true,
        "raw_content": "<THINK>亮度条在屏幕上方</THINK>\naction:CLICK\tpoint:500,279", "model": "gelab-zero-4b", "tokens": tokens(),
        "latency_ms": 912.5, "first_token_ms": 220.0, "cost_usd": 0.0012, "cost_known": true, "retries": ["429: slow down"],
        "parsed": { "action": { "function": "CLICK", "arguments": { "point": [500, 279] } } },
    }));
    tale.fact(Some(4), "tool.start", &json!({
        "tool_call_id": 5, "name": "CLICK", "parameters": { "point": [500, 279] }, "device": true,
        "target": { "id": "14", "name": "显示亮度", "kind": "android.widget.SeekBar", "rect": [60, 600, 1020, 740] },
    }));
    tale.fact(
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
    tale.fact(Some(4), "step.end", &end);
    tale.question(&["系统提示：关闭“自动亮度”之后才能固定亮度。要关闭吗？"], &["关闭", "保持打开"]);
    tale.stop("INFO_ACTION_NEEDS_REPLY", "要关闭吗？");
    tale.fact(None, "session.resume", &json!({ "why": "reply", "run": run() }));
    tale.answer("关闭", "client");
    tale.stop(
        "SERVER_RESTARTED",
        "the server stopped in the middle of this run; nothing that was recorded is lost",
    );
    tale.ms += 8 * 60_000;
    tale.fact(None, "note", &json!({ "kind": "recovered", "text": "A torn record was cut off.", "figures": { "dropped_bytes": 812 } }));
    tale.fact(None, "session.resume", &json!({ "why": "go_on", "run": run() }));
    pictured(&mut tale, "4");
    tale.step(5, &json!({ "function": "TYPE", "arguments": { "value": "电池", "point": [544, 149], "clear": true, "submit": true } }), "搜索“电池”", None);
    tale.picture = "missing";
    tale.complete(6, "亮度已调到 50%，电量还剩 87%。");
    tale.fact(None, "snapshot", &json!({ "scope": "round", "screenshot": { "sha256": "4", "bytes": shelf.bytes("4"), "media_type": "image/jpeg" } }));
    tale.fact(None, "evaluation", &judgement("yes", "The slider stands in the middle, and the answer names the battery level that the screen shows."));
    tale.end();
    tale.fact(None, "session.resume", &json!({ "why": "next_round", "run": run() }));
    tale.round = 1;
    tale.fact(
        None,
        "round.start",
        &json!({ "request": "Now put the brightness back to where it was" }),
    );
    pictured(&mut tale, "5");
    tale.step(
        7,
        &json!({ "function": "HOT_KEY", "arguments": { "key": "BACK" } }),
        "Go back",
        None,
    );
    tale.abort(8, "The level it had before is not known any more.");
    tale.end();
    tale.events
}

/// A session of many steps, each with its own picture.
pub(super) fn long(shelf: &Shelf, steps: u32) -> Vec<Event> {
    let mut tale = Tale::begin("Look through all conversations and count the unread ones");
    for number in 0..steps {
        tale.picture = Box::leak(number.to_string().into_boxed_str());
        tale.size = shelf.bytes(tale.picture);
        tale.click(
            number,
            i64::from(number * 37 % 1000),
            i64::from(number * 71 % 1000),
            "Open the next conversation",
        );
    }
    tale.complete(steps, "17 are unread.").end();
    tale.events
}

pub(super) fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").unwrap();
}
