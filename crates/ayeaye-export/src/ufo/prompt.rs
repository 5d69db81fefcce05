//! A line of `request.log`: what a model was sent, by UFO's names. One for each call of a step, so a
//! reply that was asked for again has two. Pictures are named, not embedded.
//!
//! The elements of the screen may come after the request, and only at the end is it known which picture is the
//! step's: [`complete`] adds both when the step is over.
use ayeaye_agent::journal::{AgentType, BlobRef, LlmRequest, PartRecord};
use serde_json::{Value, json};

use super::pictures::clean_name;
use super::state::{LogState, Step};
use crate::Blobs;
use crate::text::limited;

/// A text that is longer is named, not copied.
const LONGEST_TEXT: u64 = 1 << 20;
/// Elements that are listed.
const MOST_ELEMENTS: usize = 500;
/// Before the name that something has in the record.
const IN_RECORD: &str = "sha256:";
/// Characters of an element's name or class.
const LONGEST_NAME: usize = 200;

/// The line of a call.
pub(super) fn line(state: &LogState, step: u32, call: &LlmRequest, blobs: &dyn Blobs) -> Value {
    let mut pictures = Vec::new();
    let mut messages = Vec::with_capacity(call.messages.len());
    for message in &call.messages {
        let mut content = Vec::with_capacity(message.parts.len());
        for part in &message.parts {
            content.push(match part {
                PartRecord::Text(text) => json!({ "type": "text", "text": text }),
                PartRecord::TextBlob(blob) => {
                    json!({ "type": "text", "text": text_of(blob, blobs) })
                }
                PartRecord::Picture(blob) => {
                    let name = in_record(blob);
                    pictures.push(name.clone());
                    json!({ "type": "image_url", "image_url": { "url": name } })
                }
            });
        }
        messages.push(json!({ "role": message.role, "content": content }));
    }
    let open = state.steps.step(Some(step));
    if open.is_some_and(|open| open.start.agent_type == AgentType::HostAgent) {
        return json!({
            "step": step, "image_list": pictures, "os_info": os_info(state), "plan": state.plan,
            "prev_subtask": state.subtasks, "request": state.request,
            "blackboard_prompt": state.blackboard, "prompt": messages,
        });
    }
    let last: Vec<Value> =
        state.last_success.iter().map(|(action, _)| json!({ "action_string": action })).collect();
    json!({
        "step": step,
        "dynamic_examples": [], "experience_examples": [], "demonstration_examples": [],
        "offline_docs": "", "online_docs": "", "dynamic_knowledge": "",
        "image_list": pictures,
        "prev_subtask": state.subtasks,
        "plan": state.plan,
        "request": state.request,
        "control_info": [],
        "subtask": open.map_or("", |open| open.start.subtask.as_str()),
        "current_application": "",
        "host_message": state.host_message,
        "blackboard_prompt": state.blackboard,
        "last_success_actions": last,
        "include_last_screenshot": 1 < pictures.len(),
        "prompt": messages,
        "control_info_recording": {},
    })
}

/// Adds to a line what was seen in its step, if that is over. A host agent's has no place for the elements.
pub(super) fn complete(mut line: Value, step: Option<&Step>, state: &LogState) -> Value {
    if let Some(pictures) = line["image_list"].as_array_mut() {
        for name in pictures {
            show_in_folder(name, state);
        }
    }
    let messages = line["prompt"].as_array_mut().into_iter().flatten();
    let parts = messages.filter_map(|message| message["content"].as_array_mut()).flatten();
    for part in parts {
        if let Some(name) = part.pointer_mut("/image_url/url") {
            show_in_folder(name, state);
        }
    }
    let Some(step) = step else { return line };
    if line.get("control_info").is_some() {
        line["control_info"] = json!(control_info(step));
        line["current_application"] = json!(step.view.screen.package);
    }
    line
}

fn text_of(blob: &BlobRef, blobs: &dyn Blobs) -> String {
    let text = (blob.bytes <= LONGEST_TEXT).then(|| blobs.blob(blob).ok()).flatten();
    let text = text.filter(|bytes| bytes.len() as u64 <= LONGEST_TEXT);
    text.map_or_else(|| in_record(blob), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Instead of a picture's name in the record, the file of this folder that shows the same, if there is one.
fn show_in_folder(name: &mut Value, state: &LogState) {
    let sha256 = name.as_str().and_then(|name| name.strip_prefix(IN_RECORD));
    if let Some(step) = sha256.and_then(|sha256| state.step_of(sha256)) {
        *name = json!(clean_name(step));
    }
}

fn in_record(blob: &BlobRef) -> String {
    format!("{IN_RECORD}{}", blob.sha256)
}

fn os_info(state: &LogState) -> Value {
    state.device.as_ref().map_or_else(
        || json!({}),
        |device| {
            let [width, height] = device.wm_size;
            json!({
                "os": "Android", "version": device.android_version, "model": device.model,
                "device_id": device.device_id, "screen": format!("{width}x{height}"),
            })
        },
    )
}

fn control_info(step: &Step) -> Vec<Value> {
    let elements = step.elements.iter().filter(|it| it.clickable || !it.name().is_empty());
    elements
        .take(MOST_ELEMENTS)
        .map(|it| {
            json!({
                "label": it.index.to_string(), "control_text": limited(it.name(), LONGEST_NAME),
                "control_type": limited(&it.class, LONGEST_NAME),
                "control_rect": it.bounds,
            })
        })
        .collect()
}
