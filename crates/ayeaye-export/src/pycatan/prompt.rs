//! What was sent: `prompts/prompt_N.json` and, for further calls of the same request,
//! `prompts/iterations/prompt_N_iterK.json`; each with a text twin, which people read in terminals.
use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use ayeaye_agent::Role;
use ayeaye_agent::journal::{BlobRef, LlmRequest, PartRecord};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::files::Files;
use crate::Blobs;
use crate::text::{harmless_lines, iso, json_pretty, limited, put};

/// Texts that are kept to be used again. The rules are sent with every step.
const CACHED_TEXTS: usize = 8;
/// Bytes of a text that is kept.
const MAX_CACHED_BYTES: usize = 256 * 1024;
/// Characters of a part of a prompt.
const MAX_TEXT: usize = 1024 * 1024;
/// Characters of the context in a text twin; it is whole in the JSON file.
const MAX_CONTEXT: usize = 5000;

/// Where a prompt belongs.
#[derive(Debug)]
pub(super) struct PromptContext<'a> {
    pub(super) player: &'a str,
    pub(super) at: Timestamp,
    /// The user's request.
    pub(super) task: &'a str,
    /// What this agent is to do.
    pub(super) subtask: &'a str,
    /// The last thing that happened, in a sentence.
    pub(super) last_event: &'a str,
    /// What this agent noted last.
    pub(super) note: Option<&'a str>,
    /// What the tools returned that were asked for before.
    pub(super) results: Option<&'a str>,
    pub(super) round: Option<u32>,
    pub(super) step: Option<u32>,
}

/// The files of a prompt.
pub(super) fn write(
    files: &mut Files,
    request: &LlmRequest,
    context: &PromptContext<'_>,
    messages: &Messages,
) {
    if request.iteration <= 1 {
        initial(files, request, context, messages);
    } else {
        follow_up(files, request, context, messages);
    }
}

fn initial(
    files: &mut Files,
    request: &LlmRequest,
    context: &PromptContext<'_>,
    messages: &Messages,
) {
    let PromptContext { player, at, last_event, .. } = *context;
    let number = request.request_number;
    let active = is_active(&request.purpose);
    let mut prompt = json!({
        "task_context": {
            "what_just_happened": last_event, "task": context.task, "subtask": context.subtask,
            "purpose": request.purpose, "round": context.round, "step": context.step,
        },
    });
    if let Some(note) = context.note {
        prompt["memory"] = json!({ "note_from_last_turn": note });
    }
    prompt["messages"] = messages.json.clone();
    prompt["model"] = json!(request.model);
    prompt["profile"] = json!(request.profile);
    if !request.params.is_empty() {
        prompt["params"] = json!(request.params);
    }
    let mut object = json!({
        "request_number": number, "timestamp": iso(at), "player_name": player,
        "is_active_turn": active, "prompt": prompt,
    });
    let schema = non_empty(request.response_schema.as_ref());
    let tools = non_empty(request.tools_schema.as_ref());
    add(&mut object, "response_schema", schema);
    if !last_event.is_empty() {
        object["what_happened"] = json!(last_event);
    }
    add(&mut object, "tools_schema", tools);
    object["call_id"] = json!(request.call_id);
    let path = format!("{player}/prompts/prompt_{number}");
    files.json(format!("{path}.json"), &object);
    let mut text = format!(
        "=== Prompt #{number} for {player} ===\nTimestamp: {}\nActive Turn: {}\nPurpose: {}\n\
         Model: {}\n\n--- What Happened ---\n{last_event}\n\n--- Tools Available ---\n",
        iso(at),
        if active { "True" } else { "False" },
        request.purpose,
        request.model,
    );
    match tool_names(request).as_slice() {
        [] => text.push_str("N/A\n"),
        names => names.iter().for_each(|name| {
            text.push_str("  - ");
            text.push_str(name);
            text.push('\n');
        }),
    }
    let schema = schema.map_or_else(|| "N/A".to_owned(), json_pretty);
    put(&mut text, format_args!("\n--- Response Schema ---\n{schema}\n"));
    put(&mut text, format_args!("\n--- Prompt Content ---\n{}", messages.text));
    files.text(format!("{path}.txt"), harmless_lines(&text));
}

fn follow_up(
    files: &mut Files,
    request: &LlmRequest,
    context: &PromptContext<'_>,
    messages: &Messages,
) {
    let PromptContext { player, at, .. } = *context;
    let LlmRequest { request_number: number, iteration, .. } = *request;
    let kind = if request.tool_results.is_some() { "tool_followup" } else { &*request.purpose };
    let results = results(request, context);
    let tools = non_empty(request.tools_schema.as_ref());
    let mut object = json!({
        "original_request_number": number, "iteration": iteration, "timestamp": iso(at),
        "player_name": player, "type": kind, "tool_results": results,
        "full_context_sent": messages.text,
    });
    add(&mut object, "tools_schema", tools);
    object["tools_enabled"] = json!(tools.is_some());
    add(&mut object, "response_schema", non_empty(request.response_schema.as_ref()));
    object["messages"] = messages.json.clone();
    object["model"] = json!(request.model);
    object["call_id"] = json!(request.call_id);
    let path = format!("{player}/prompts/iterations/prompt_{number}_iter{iteration}");
    files.json(format!("{path}.json"), &object);
    let title = if kind == "tool_followup" { "Tool Follow-up" } else { "Follow-up" };
    let mut text = format!(
        "=== {title} #{iteration} for Prompt #{number} ===\nPlayer: {player}\nTimestamp: {}\n\
         Type: {kind}\nTools Enabled: {}\n\n--- Tool Results ---\n{results}\n\n\
         --- Full Context Sent ---\n",
        iso(at),
        if tools.is_some() { "Yes" } else { "No" },
    );
    let context = limited(&messages.text, MAX_CONTEXT);
    text.push_str(context);
    if context.len() < messages.text.len() {
        let all = messages.text.chars().count();
        put(&mut text, format_args!("\n... (cut; {all} characters in the JSON file)\n"));
    }
    files.text(format!("{path}.txt"), harmless_lines(&text));
}

/// What the tools returned, in the words that the model was told, or in the usual ones.
fn results(request: &LlmRequest, context: &PromptContext<'_>) -> String {
    match &request.tool_results {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(object) => context.results.map_or_else(|| json_pretty(object), str::to_owned),
    }
}

/// Whether an answer leads to something being done.
fn is_active(purpose: &str) -> bool {
    matches!(purpose, "plan" | "act" | "repair")
}

/// The tools a prompt offers, by name, as Gemini and `OpenAI` describe them.
pub(super) fn tool_names(request: &LlmRequest) -> Vec<String> {
    let Some(Value::Array(tools)) = non_empty(request.tools_schema.as_ref()) else {
        return Vec::new();
    };
    let name = |tool: &Value| {
        let name = tool.get("name").or_else(|| tool.pointer("/function/name"));
        name.and_then(Value::as_str).unwrap_or("unknown").to_owned()
    };
    tools.iter().map(name).collect()
}

/// What says something: readers take an empty schema for one.
fn non_empty(value: Option<&Value>) -> Option<&Value> {
    value.filter(|it| match it {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    })
}

fn add(object: &mut Value, name: &str, value: Option<&Value>) {
    if let Some(value) = value {
        object[name] = value.clone();
    }
}

/// The messages of a prompt, as JSON and as text; pictures by reference.
#[derive(Debug)]
pub(super) struct Messages {
    json: Value,
    text: String,
    /// Words of the user's last message that this agent was not sent before.
    pub(super) user_text: String,
    pub(super) count: usize,
    pub(super) pictures: usize,
}

impl Messages {
    pub(super) fn read(
        request: &LlmRequest,
        text_cache: &mut TextCache,
        sent: &mut HashSet<u64>,
        blobs: &dyn Blobs,
    ) -> Self {
        let mut now_sent = HashSet::new();
        let mut all = Self {
            json: Value::Null,
            text: String::new(),
            user_text: String::new(),
            count: request.messages.len(),
            pictures: 0,
        };
        let mut messages = Vec::with_capacity(request.messages.len());
        for message in &request.messages {
            put(&mut all.text, format_args!("[{}]\n", message.role));
            let mut user_text = UserText::default();
            let mut parts = Vec::with_capacity(message.parts.len());
            for part in &message.parts {
                // The first prompt of all has nothing before it; its rules are long.
                let is_long = matches!(part, PartRecord::TextBlob(_));
                let mut words = |text: &str| {
                    all.text.push_str(text);
                    let hash = hash(text);
                    now_sent.insert(hash);
                    let is_new = if sent.is_empty() { !is_long } else { !sent.contains(&hash) };
                    user_text.add(text, is_new);
                    json!({ "type": "text", "text": text })
                };
                let part = match part {
                    PartRecord::Text(text) => words(limited(text, MAX_TEXT)),
                    PartRecord::TextBlob(blob) => {
                        if let Some(text) = text_cache.read(blob, blobs) {
                            words(&text)
                        } else {
                            put(&mut all.text, format_args!("[lost text {}]", blob.sha256));
                            lost(blob)
                        }
                    }
                    PartRecord::Picture(blob) => {
                        all.pictures += 1;
                        put(
                            &mut all.text,
                            format_args!("[image {} {}]", blob.media_type, blob.sha256),
                        );
                        reference("image", blob)
                    }
                };
                all.text.push('\n');
                parts.push(part);
            }
            all.text.push('\n');
            if message.role == Role::User {
                all.user_text = user_text.finish();
            }
            messages.push(json!({ "role": message.role, "content": parts }));
        }
        all.json = Value::Array(messages);
        if is_active(&request.purpose) {
            *sent = now_sent;
        }
        all
    }
}

/// The texts of a message: all, and those that the prompt before had not.
#[derive(Debug, Default)]
struct UserText {
    all: String,
    new: String,
}

impl UserText {
    fn add(&mut self, text: &str, is_new: bool) {
        let new = is_new.then_some(&mut self.new);
        for words in std::iter::once(&mut self.all).chain(new) {
            words.push_str(text);
            words.push(' ');
        }
    }

    /// What is new; where nothing is, all.
    fn finish(self) -> String {
        if self.new.trim().is_empty() { self.all } else { self.new }
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn reference(kind: &str, blob: &BlobRef) -> Value {
    json!({ "type": kind, "sha256": blob.sha256, "media_type": blob.media_type })
}

fn lost(blob: &BlobRef) -> Value {
    let mut object = reference("text", blob);
    object["error"] = json!("the record has lost this text");
    object
}

/// Long texts, the last few of them kept: the same rules are sent with every step.
#[derive(Debug, Default)]
pub(super) struct TextCache(VecDeque<(String, Arc<str>)>);

impl TextCache {
    fn read(&mut self, blob: &BlobRef, blobs: &dyn Blobs) -> Option<Arc<str>> {
        if let Some(at) = self.0.iter().position(|(sha256, _)| *sha256 == blob.sha256) {
            let found = self.0.remove(at)?;
            let text = found.1.clone();
            self.0.push_back(found);
            return Some(text);
        }
        let bytes = blobs.blob(blob).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let text: Arc<str> = limited(&text, MAX_TEXT).into();
        if text.len() <= MAX_CACHED_BYTES {
            if self.0.len() == CACHED_TEXTS {
                self.0.pop_front();
            }
            self.0.push_back((blob.sha256.clone(), text.clone()));
        }
        Some(text)
    }
}
