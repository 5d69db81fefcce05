//! Records made up for tests, in the journal's own JSON.
use std::io::Write as _;
use std::path::Path;

use ayeaye_agent::journal::{BlobRef, Event};
use ayeaye_agent::{JournalError, SessionId};
use bytes::Bytes;
use serde_json::{Value, json};

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
        ops.extend(report.fold(event, &NamedBlobs).iter().map(|op| op.path().to_owned()));
    }
    let FileOp::Replace { content: Content::Lazy { make, .. }, .. } = report.finish() else {
        panic!()
    };
    (String::from_utf8(make(&NamedBlobs).unwrap()).unwrap(), ops)
}

/// Every blob is there but those whose name begins with "missing".
#[derive(Debug)]
pub(super) struct NamedBlobs;

impl Blobs for NamedBlobs {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        if blob.sha256.starts_with("missing") {
            return Err(JournalError::Blob(blob.sha256.clone()));
        }
        Ok(Bytes::from(format!("<{}>", blob.sha256)))
    }
}

/// Pictures of a folder, for pages to look at.
#[derive(Debug)]
pub(super) struct FolderBlobs(Vec<Vec<u8>>);

impl FolderBlobs {
    pub(super) fn read(folder: &Path) -> Self {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().map(|it| it.unwrap().path()).collect();
        paths.sort();
        Self(paths.iter().map(|path| std::fs::read(path).unwrap()).collect())
    }

    pub(super) fn bytes(&self, name: &str) -> usize {
        name.parse::<usize>()
            .ok()
            .filter(|_| !self.0.is_empty())
            .map_or(0, |at| self.0[at % self.0.len()].len())
    }
}

impl Blobs for FolderBlobs {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        let lost = || JournalError::Blob(blob.sha256.clone());
        let at: usize = blob.sha256.parse().map_err(|_| lost())?;
        if self.0.is_empty() { Err(lost()) } else { Ok(self.0[at % self.0.len()].clone().into()) }
    }
}

pub(super) struct EventBuilder {
    pub(super) events: Vec<Event>,
    pub(super) round: u32,
    pub(super) picture: &'static str,
    pub(super) size: usize,
    seq: u64,
    pub(super) ms: u64,
}

impl EventBuilder {
    pub(super) fn begin(request: &str) -> Self {
        let mut builder =
            Self { events: Vec::new(), round: 0, picture: "a", size: 3, seq: 0, ms: 0 };
        builder.fact(None, "session.start", &json!({
            "task_name": "t", "request": request, "config": { "model": "gelab-zero-4b", "version": "0.1.0" },
            "device": { "device_id": "emulator-5554", "model": "Pixel 7", "android_version": "14", "wm_size": [1080, 2400] },
            "run": run(),
        }));
        builder.fact(None, "round.start", &json!({ "request": request }));
        builder
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

    pub(super) fn end_round(&mut self, status: &str) -> &mut Self {
        self.fact(
            None,
            "round.end",
            &json!({
                "status": status, "result": "", "stop_reason": "TASK_COMPLETED_SUCCESSFULLY",
            "steps": 1, "subtask_amount": 1, "cost_usd": 0.0,
            }),
        )
    }

    pub(super) fn resume(&mut self, why: &str) -> &mut Self {
        self.fact(None, "session.resume", &json!({ "why": why, "run": run() }))
    }

    pub(super) fn question(&mut self, labels: &[&str], options: &[&str]) -> &mut Self {
        self.fact(None, "question", &json!({
            "kind": "info", "questions": labels, "options": options, "app": "com.example.messages",
            "reply_mode": "pass_to_client",
        }))
    }

    pub(super) fn answer(&mut self, labels: &str, source: &str) -> &mut Self {
        self.fact(None, "answer", &json!({ "answers": [labels], "source": source }))
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
                Some((end.stop_reason.as_deref()?.to_owned(), end.result.clone()))
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

pub(super) fn tokens() -> Value {
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

pub(super) fn judgement(complete: &str, labels: &str) -> Value {
    json!({
        "level": "session", "complete": complete, "reason": labels, "request": labels, "tokens": tokens(),
        "sub_scores": [{ "name": labels, "evaluation": complete }], "cost_usd": 0.001, "cost_known": true,
    })
}

pub(super) fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").unwrap();
}
