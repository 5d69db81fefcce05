//! GELab-Zero's trace: one JSON line for the session, then one for each step that was decided.
//!
//! The first line holds the configuration and the task, as GELab's `local_server.py` writes it; the
//! others the raw reply, the parsed action in its own names, the picture's file and the model's
//! time in seconds.
use ayeaye_agent::SessionId;
use ayeaye_agent::journal::{BlobRef, Event, Fact};
use serde_json::{Value, json};

/// A trace, and the pictures it names.
#[derive(Debug, Clone, PartialEq)]
pub struct GelabTrace {
    /// `traces/{session_id}.jsonl`
    pub lines: Vec<Value>,
    /// Pictures by the names the lines use.
    pub pictures: Vec<(String, BlobRef)>,
}

/// The trace of a session.
pub fn gelab(id: SessionId, events: &[Event]) -> GelabTrace {
    let mut trace = GelabTrace { lines: Vec::new(), pictures: Vec::new() };
    let (mut raw, mut seconds, mut picture) = (String::new(), 0.0, String::new());
    for event in events {
        let timestamp = event.ts.strftime("%Y-%m-%d %H:%M:%S").to_string();
        match &event.entry.fact {
            Fact::SessionStart(start) => trace.lines.push(json!({
                "session_id": id.to_string(), "timestamp": timestamp, "task": start.request,
                "device_id": start.device.device_id, "device_wm_size": start.device.wm_size,
                "config": start.config,
            })),
            Fact::Observe(observe) => {
                if let (Some(blob), Some(step)) = (&observe.screenshot, event.entry.step) {
                    picture = format!("images/{id}_step_{}.jpeg", step + 1);
                    trace.pictures.push((picture.clone(), blob.clone()));
                }
            }
            Fact::LlmResponse(response) if response.kind == "final" => {
                raw = response.raw_content.clone().unwrap_or_default();
                seconds = response.latency_ms / 1e3;
            }
            Fact::StepEnd(end) => {
                let step = event.entry.step.unwrap_or_default();
                let mut action = json!({ "cot": end.response.thought, "explain": end.response.comment,
                                         "summary": end.response.summary });
                if let Some(facts) = &end.action {
                    action["action"] = json!(facts.function);
                    for (name, value) in &facts.arguments {
                        action[name] = value.clone();
                    }
                }
                trace.lines.push(json!({
                    "session_id": id.to_string(), "timestamp": timestamp, "step": step + 1,
                    "image": std::mem::take(&mut picture), "model_response": std::mem::take(&mut raw),
                    "action": action, "model_time": seconds, "status": end.status,
                    "error": end.error,
                }));
                seconds = 0.0;
            }
            Fact::Answer(answer) => trace.lines.push(json!({
                "session_id": id.to_string(), "timestamp": timestamp,
                "query": answer.answers.join("\n"), "source": answer.source,
            })),
            Fact::SessionResume(_)
            | Fact::SessionEnd(_)
            | Fact::RoundStart { .. }
            | Fact::RoundEnd(_)
            | Fact::StepStart(_)
            | Fact::LlmRequest(_)
            | Fact::LlmResponse(_)
            | Fact::ToolStart(_)
            | Fact::ToolEnd(_)
            | Fact::Question(_)
            | Fact::State { .. }
            | Fact::SubtaskEnd { .. }
            | Fact::Snapshot { .. }
            | Fact::BlackboardAdd { .. }
            | Fact::Evaluation(_)
            | Fact::Note { .. } => {}
        }
    }
    trace
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fixture that holds every kind of event.
    fn events() -> (SessionId, Vec<Event>) {
        let text = include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../ayeaye-agent/fixtures/format-1/sessions/019b7d0a-6f40-7000-8000-0000000000a1/events.jsonl"
        ));
        let events = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (SessionId::new(), events)
    }

    #[test]
    fn every_step_has_its_line_and_every_picture_its_file() {
        let (id, events) = events();
        let trace = gelab(id, &events);
        let steps = events.iter().filter(|it| matches!(it.entry.fact, Fact::StepEnd(_))).count();
        let lines: Vec<_> = trace.lines.iter().filter(|line| line.get("step").is_some()).collect();
        assert_eq!(lines.len(), steps);
        assert_eq!(trace.lines[0]["session_id"], id.to_string());
        for line in &lines {
            let image = line["image"].as_str().unwrap();
            assert!(image.is_empty() || trace.pictures.iter().any(|(name, _)| name == image));
        }
        assert!(lines.iter().any(|line| line["action"]["action"] == "CLICK"));
    }
}
