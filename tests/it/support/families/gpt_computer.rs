//! GPT over OpenAI's Responses API, with its tool `computer`: what its published types take and give.
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::request::{Turn, data_url};
use super::server::events;
use super::{
    Abilities, Coords, FakeFamily, FakeReply, FamilyRequest, OracleAction, PixelPoint, Submit, Wire,
};

#[derive(Debug, Clone, Copy)]
pub struct GptComputer;

impl FakeFamily for GptComputer {
    fn profile(&self) -> &'static str {
        "gpt-computer"
    }

    fn model(&self) -> &'static str {
        "gpt-5.4"
    }

    fn wire(&self) -> Wire {
        Wire::Responses
    }

    fn abilities(&self) -> Abilities {
        Abilities { opens_apps: true, types_at_point: false, submit: Submit::Key }
    }

    fn check(&self, request: &FamilyRequest, replies: &[FakeReply]) -> Result<(), String> {
        let body = &request.body;
        if body["store"] != false {
            return Err("it would be kept".to_owned());
        }
        request.expect_param("temperature", None)?;
        if body["max_output_tokens"].as_u64().is_none() || !body["max_tokens"].is_null() {
            return Err("max_output_tokens is what it is called here".to_owned());
        }
        let tools = body["tools"].as_array().ok_or("no tools")?;
        if !tools.contains(&json!({ "type": "computer" })) {
            return Err(format!("no tool for computers in {tools:?}"));
        }
        for tool in tools.iter().filter(|tool| tool["type"] != "computer") {
            if tool["type"] != "function" || !tool["parameters"].is_object() {
                return Err(format!("a tool of no kind: {tool}"));
            }
        }
        let input = body["input"].as_array().ok_or("no input")?;
        let of_kind = |kind: &str| input.iter().filter(|it| it["type"] == kind).collect::<Vec<_>>();
        if !of_kind("computer_call").is_empty() {
            return Err("a computer_call without the reasoning before it".to_owned());
        }
        let results = of_kind("function_call_output");
        for call in of_kind("function_call") {
            let answered = |it: &&&Value| it["call_id"] == call["call_id"];
            if results.iter().filter(answered).count() != 1 {
                return Err(format!("{call} without its one result"));
            }
        }
        // What it did before is told to it, in whatever form.
        let told = request.text();
        let done = replies.iter().map(|it| &it.history_mark).find(|it| !told.contains(it.as_str()));
        if let Some(missing) = done {
            return Err(format!("nothing tells of {missing}"));
        }
        request.expect_pictures(|count| (1..=2).contains(&count))
    }

    fn format_reply(
        &self,
        next: &OracleAction,
        _request: &FamilyRequest,
        coords: &Coords,
    ) -> FakeReply {
        let point = |at: &PixelPoint| coords.sent_pixels(*at);
        let computer = |action: Value| ("computer".to_owned(), action);
        let function = |name: &str, input: Value| (name.to_owned(), input);
        let (call, mark) = match next {
            OracleAction::Tap(at) => {
                let (x, y) = point(at);
                (computer(json!({ "type": "click", "button": "left", "x": x, "y": y })), "click")
            }
            OracleAction::Type { text, .. } => {
                (computer(json!({ "type": "type", "text": text })), "type")
            }
            OracleAction::Swipe { from, to } => {
                let ((x, y), (to_x, to_y)) = (point(from), point(to));
                let path = json!([{ "x": x, "y": y }, { "x": to_x, "y": to_y }]);
                (computer(json!({ "type": "drag", "path": path })), "drag")
            }
            OracleAction::Enter => {
                (computer(json!({ "type": "keypress", "keys": ["ENTER"] })), "keypress")
            }
            OracleAction::Wait => (computer(json!({ "type": "wait" })), "wait"),
            OracleAction::Back => (function("press_key", json!({ "key": "BACK" })), ""),
            OracleAction::Open(app) => {
                (function("open_app", json!({ "app_name": app })), "open_app")
            }
            OracleAction::Ask(question) => {
                (function("ask_user", json!({ "question": question })), "ask_user")
            }
            OracleAction::Done(message) => (function("done", json!({ "message": message })), ""),
        };
        let text = "This is the next thing to do.".to_owned();
        FakeReply { text, calls: vec![call], history_mark: mark.to_owned(), ..FakeReply::default() }
    }
}

/// The turns of a request.
pub fn turns(body: &Value) -> Result<Vec<Turn>, String> {
    let rules = body["instructions"].as_str().ok_or("no instructions")?;
    let mut turns =
        vec![Turn { role: "system".to_owned(), text: rules.to_owned(), ..Turn::default() }];
    for item in body["input"].as_array().ok_or("no input")? {
        let mut turn = Turn::default();
        match item["type"].as_str() {
            None | Some("message") => {
                let role = item["role"].as_str().ok_or("a message without a role")?;
                if !["user", "assistant"].contains(&role) {
                    return Err(format!("a message of {role}"));
                }
                role.clone_into(&mut turn.role);
                if role == "assistant" {
                    // By the published types a list would need the id that the message came with.
                    let said = item["content"].as_str().ok_or("a reply that is no string")?;
                    turn.text = format!("{said}\n");
                }
                for part in item["content"].as_array().into_iter().flatten() {
                    if part["type"] == "input_text" {
                        turn.text.push_str(part["text"].as_str().ok_or("a text that is none")?);
                        turn.text.push('\n');
                    } else if part["type"] == "input_image" && part["detail"] == "original" {
                        turn.pictures.push(data_url(&part["image_url"])?);
                    } else {
                        return Err(format!("a part that is nothing: {part}"));
                    }
                }
            }
            Some("function_call") => {
                "assistant".clone_into(&mut turn.role);
                let arguments = item["arguments"].as_str().ok_or("no arguments")?;
                let input = serde_json::from_str(arguments).map_err(|err| err.to_string())?;
                let name = item["name"].as_str().ok_or("a call without a name")?.to_owned();
                let declared = body["tools"].as_array().into_iter().flatten();
                if !declared.into_iter().any(|tool| tool["name"] == *name) {
                    return Err(format!("a call of {name}, which is not declared"));
                }
                turn.text = format!("{name} {arguments}\n");
                turn.calls.push((item["call_id"].to_string(), name, input));
            }
            Some("function_call_output") => {
                "user".clone_into(&mut turn.role);
                turn.text.push_str(item["output"].as_str().ok_or("a result without output")?);
                turn.text.push('\n');
                turn.results.push(item["call_id"].to_string());
            }
            Some(other) => return Err(format!("an item of the kind {other}")),
        }
        turns.push(turn);
    }
    Ok(turns)
}

/// The reply as the API gives it.
pub fn answer(reply: &FakeReply, number: usize, streamed: bool) -> Response {
    let mut output = vec![
        json!({ "type": "reasoning", "id": format!("rs_{number}"), "summary": [] }),
        json!({
            "type": "message", "id": format!("msg_{number}"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": reply.text, "annotations": [] }],
        }),
    ];
    for (name, input) in &reply.calls {
        let (id, status) = (format!("call_{number}"), "completed");
        output.push(if name == "computer" {
            // The newer form holds several; here what follows is only a look.
            let actions = json!([input, { "type": "screenshot" }]);
            json!({ "type": "computer_call", "id": format!("cu_{number}"), "call_id": id, "status": status,
                    "actions": actions, "pending_safety_checks": [] })
        } else {
            json!({ "type": "function_call", "id": format!("fc_{number}"), "call_id": id, "status": status,
                    "name": name, "arguments": input.to_string() })
        });
    }
    let usage = json!({
        "input_tokens": 1200, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 60, "output_tokens_details": { "reasoning_tokens": 20 }, "total_tokens": 1260,
    });
    let response = json!({
        "id": "resp_1", "object": "response", "status": "completed", "error": null,
        "incomplete_details": null, "model": "gpt-5.4", "output": output, "usage": usage,
    });
    if !streamed {
        return axum::Json(response).into_response();
    }
    let event = |kind: &'static str, mut data: Value| {
        data["type"] = kind.into();
        (Some(kind), data.to_string())
    };
    let begun = json!({ "response": { "id": "resp_1", "status": "in_progress", "error": null, "output": [] } });
    let mut all =
        vec![event("response.created", begun.clone()), event("response.in_progress", begun)];
    for (index, item) in output.into_iter().enumerate() {
        all.push(event(
            "response.output_item.added",
            json!({ "output_index": index, "item": { "type": item["type"] } }),
        ));
        if item["type"] == "message" {
            let delta = json!({ "output_index": index, "delta": item["content"][0]["text"] });
            all.push(event("response.output_text.delta", delta));
            let whole = json!({ "output_index": index, "text": item["content"][0]["text"] });
            all.push(event("response.output_text.done", whole));
        }
        all.push(event(
            "response.output_item.done",
            json!({ "output_index": index, "item": item }),
        ));
    }
    all.push(event("response.completed", json!({ "response": response })));
    events(all)
}
