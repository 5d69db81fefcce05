//! Gemini's own API: `generateContent` and `streamGenerateContent`.
use ayeaye_agent::{Message, Part, Picture, Role, Tokens};
use reqwest::header::{HeaderMap, HeaderName};
use serde_json::{Value, json};
use url::Url;

use super::super::completion::Completion;
use super::super::computer_tool::ComputerTool;
use super::{
    Api, ModelRequest, OptionalFeature, arguments_object, base64_picture, extra, non_empty_text,
    token_count,
};
use crate::{Endpoint, Secret};

/// See the module.
#[derive(Debug)]
pub(super) struct Gemini;

/// By the names of the record, and of `generationConfig`.
const SAMPLING: [(&str, &str); 5] = [
    ("temperature", "temperature"),
    ("top_p", "topP"),
    ("top_k", "topK"),
    ("frequency_penalty", "frequencyPenalty"),
    ("seed", "seed"),
];

/// The thought signature of calls in a history that is not the model's own. Gemini 3 refuses a call
/// without one; this is the documented placeholder.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

impl Api for Gemini {
    fn completion_url(&self, endpoint: &Endpoint, model: &str, stream: bool) -> Url {
        let verb = if stream { "streamGenerateContent" } else { "generateContent" };
        let mut url = base(endpoint, "/models");
        if let Ok(mut path) = url.path_segments_mut() {
            // As one path segment, so that no name leads elsewhere.
            path.push(&format!("{}:{verb}", model.strip_prefix("models/").unwrap_or(model)));
        }
        if stream {
            url.query_pairs_mut().append_pair("alt", "sse");
        }
        url
    }

    fn models_url(&self, endpoint: &Endpoint) -> Url {
        let mut url = base(endpoint, "/models");
        // The most of a page. Without it, some fifty.
        url.query_pairs_mut().append_pair("pageSize", "1000");
        url
    }

    fn auth_headers(&self, key: &Secret, _endpoint: &Endpoint) -> Vec<(HeaderName, String)> {
        vec![(HeaderName::from_static("x-goog-api-key"), key.expose().to_owned())]
    }

    fn headers(&self, _computer: Option<ComputerTool>) -> HeaderMap {
        HeaderMap::new()
    }

    fn takes(&self, setting: &str) -> bool {
        let others = ["max_tokens", "reasoning_effort", "extra_body", "stop", "thinking"];
        SAMPLING.iter().any(|(name, _)| *name == setting) || others.contains(&setting)
    }

    fn body(&self, request: &ModelRequest<'_>) -> Value {
        let signed = !request.model.contains("gemini-2");
        let (rules, turns): (Vec<&Message>, Vec<&Message>) =
            request.prompt.messages.iter().partition(|message| message.role == Role::System);
        let turns: Vec<Value> =
            turns.into_iter().map(|turn| encode_message(turn, signed)).collect();
        let mut body = json!({ "contents": turns });
        let rules: Vec<Value> = rules
            .into_iter()
            .flat_map(|message| message.parts.iter().map(|it| encode_part(it, signed)))
            .collect();
        if !rules.is_empty() {
            body["systemInstruction"] = json!({ "parts": rules });
        }
        if !request.prompt.tools.is_empty() {
            body["tools"] = Value::from(request.prompt.tools.clone());
        }
        let mut config = json!({ "maxOutputTokens": request.sampling.max_tokens });
        let mut sampling = request.sampling();
        for (name, here) in SAMPLING {
            if let Some(value) = sampling.remove(name) {
                config[here] = value;
            }
        }
        for (name, value) in extra::gemini(request.calls) {
            config[name] = value;
        }
        if let Some(schema) = request
            .prompt
            .schema
            .as_ref()
            .filter(|_| request.includes(OptionalFeature::ResponseSchema))
        {
            config["responseMimeType"] = json!("application/json");
            config["responseJsonSchema"] = schema.clone();
        }
        body["generationConfig"] = config;
        body
    }

    fn merge(&self, completion: &mut Completion, json: &Value) -> bool {
        if let Some(name) = json["modelVersion"].as_str().filter(|name| !name.is_empty()) {
            completion.model = Some(name.to_owned());
        }
        if json["usageMetadata"].is_object() {
            completion.tokens = read_usage(&json["usageMetadata"]);
        }
        // The prompt was blocked.
        if let Some(why) = json["promptFeedback"]["blockReason"].as_str() {
            completion.finish_reason = Some(why.to_owned());
            return true;
        }
        let candidates = json["candidates"].as_array();
        let first = |it: &&Value| it["index"].as_u64().unwrap_or(0) == 0;
        let Some(candidate) = candidates.and_then(|all| all.iter().find(first)) else {
            return false;
        };
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            let text = part["text"].as_str().unwrap_or_default();
            if part["thought"] == true {
                completion.reasoning.push_str(text);
            } else {
                completion.text.push_str(text);
            }
            let call = &part["functionCall"];
            if call.is_object() {
                let id = call["id"].as_str().unwrap_or_default();
                let arguments = match &call["args"] {
                    Value::Null => "{}".to_owned(),
                    arguments => arguments.to_string(),
                };
                // A call comes in one piece, so each one is new.
                let name = call["name"].as_str().filter(|name| !name.is_empty());
                completion.push_tool_call(None, id, name.unwrap_or("?"), &arguments);
            }
        }
        if let Some(reason) = candidate["finishReason"].as_str() {
            completion.finish_reason = Some(reason.to_owned());
        }
        true
    }

    fn expected_content(&self) -> &'static str {
        "`candidates`"
    }

    fn is_optional(&self, feature: OptionalFeature) -> bool {
        match feature {
            OptionalFeature::ResponseSchema | OptionalFeature::Sampling => true,
            OptionalFeature::StreamUsage
            | OptionalFeature::MaxTokens
            | OptionalFeature::Tools
            | OptionalFeature::PastCalls
            | OptionalFeature::SystemMessage => false,
        }
    }

    fn always_gives_finish_reason(&self) -> bool {
        true
    }
}

/// The computer use tool needs `v1beta`, which is the default version. The address of the
/// OpenAI-compatible API is turned into that of the native one.
fn base(endpoint: &Endpoint, leaf: &str) -> Url {
    let mut url = endpoint.join("");
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix("/openai").unwrap_or(path);
    let path = if path == "/v1" { "/v1beta" } else { path };
    let whole = format!("{path}{leaf}");
    url.set_path(&whole);
    url
}

fn read_usage(usage: &Value) -> Tokens {
    let count = |name: &str| token_count(&usage[name]).unwrap_or(0);
    let thinking = count("thoughtsTokenCount");
    Tokens {
        prompt: count("promptTokenCount"),
        completion: count("candidatesTokenCount").saturating_add(thinking),
        thinking,
        cached: count("cachedContentTokenCount"),
    }
}

fn encode_message(message: &Message, signed: bool) -> Value {
    let role = match message.role {
        Role::Assistant => "model",
        Role::User | Role::System => "user",
    };
    let result = |part: &&Part| matches!(part, Part::Result { .. });
    let (results, rest): (Vec<&Part>, Vec<&Part>) = message.parts.iter().partition(result);
    let parts: Vec<Value> =
        results.into_iter().chain(rest).map(|it| encode_part(it, signed)).collect();
    json!({ "role": role, "parts": parts })
}

fn encode_part(part: &Part, signed: bool) -> Value {
    match part {
        Part::Text(text) => json!({ "text": non_empty_text(text) }),
        Part::Picture(picture) => encode_image(picture),
        Part::Call(call) => {
            let function = json!({ "name": call.name, "args": arguments_object(&call.arguments) });
            let mut part = json!({ "functionCall": function });
            if signed {
                part["thoughtSignature"] = json!(NO_SIGNATURE);
            }
            part
        }
        Part::Result { name, text, picture, .. } => {
            // An object as it is, text under a name.
            let response = match serde_json::from_str(text) {
                Ok(Value::Object(map)) => Value::Object(map),
                _ => json!({ "output": text }),
            };
            let mut function = json!({ "name": name, "response": response });
            if let Some(picture) = picture {
                function["parts"] = json!([encode_image(picture)]);
            }
            json!({ "functionResponse": function })
        }
    }
}

fn encode_image(picture: &Picture) -> Value {
    json!({ "inlineData": { "mimeType": picture.media_type, "data": base64_picture(picture) } })
}

#[cfg(test)]
mod tests {
    use super::super::super::completion::TRUNCATED;
    use super::super::super::decoder::decode_json;
    use super::super::tests::{prompt, request};
    use super::*;

    fn endpoint(text: &str) -> Endpoint {
        Endpoint::parse(text).unwrap()
    }

    #[test]
    fn the_address_holds_the_model() {
        let google = "https://generativelanguage.googleapis.com";
        for base in ["", "/v1beta", "/v1beta/openai"] {
            let at = endpoint(&format!("{google}{base}"));
            let url = Gemini.completion_url(&at, "models/gemini-3.5-flash", true).to_string();
            let expected =
                format!("{google}/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse");
            assert_eq!(url, expected);
            let list = format!("{google}/v1beta/models?pageSize=1000");
            assert_eq!(Gemini.models_url(&at).as_str(), list);
        }
        let odd =
            Gemini.completion_url(&endpoint("http://h/v1beta"), "../../x?y#z", false).to_string();
        assert_eq!(odd, "http://h/v1beta/models/..%2F..%2Fx%3Fy%23z:generateContent");
    }

    #[test]
    fn a_prompt_as_it_is_sent() {
        let prompt = prompt();
        let sent = Gemini.body(&ModelRequest { model: "gemini-3.5-flash", ..request(&prompt) });
        assert_eq!(sent["systemInstruction"]["parts"][0]["text"], "rules");
        let roles: Vec<_> =
            sent["contents"].as_array().unwrap().iter().map(|it| it["role"].clone()).collect();
        assert_eq!(roles, ["user", "model", "user"]);
        assert_eq!(sent["contents"][0]["parts"][1]["inlineData"]["data"], "/9j/");
        let call = &sent["contents"][1]["parts"][1];
        assert_eq!(call["functionCall"], json!({"name": "tap", "args": {"x": 1}}));
        assert_eq!(call["thoughtSignature"], NO_SIGNATURE);
        let result = &sent["contents"][2]["parts"][0]["functionResponse"];
        assert_eq!(
            (&result["name"], &result["response"]),
            (&json!("tap"), &json!({"output": "Done."}))
        );
        assert_eq!(result["parts"][0]["inlineData"]["mimeType"], "image/jpeg");
        assert_eq!(sent["generationConfig"]["maxOutputTokens"], 4096);
        assert_eq!(sent["generationConfig"]["temperature"], 0.1);
        let old =
            Gemini.body(&ModelRequest { model: "gemini-2.5-computer-use", ..request(&prompt) });
        assert!(old["contents"][1]["parts"][1].get("thoughtSignature").is_none());
    }

    fn read(json: &Value) -> Completion {
        decode_json(&Gemini, json.to_string().as_bytes(), 1000).unwrap()
    }

    #[test]
    fn an_answer_is_taken_in() {
        let parts = json!([
            {"text": "hm", "thought": true},
            {"text": "I tap."},
            {"functionCall": {"name": "click", "args": {"x": 1, "y": 2}}, "thoughtSignature": "s"},
            {"functionCall": {"name": "go_back"}},
        ]);
        let mut answer = read(&json!({
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
            "modelVersion": "gemini-3.5-flash",
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 2},
        }));
        assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("I tap.", "hm"));
        assert_eq!(answer.finish_reason.as_deref(), Some("STOP"));
        assert_eq!((answer.tokens.prompt, answer.tokens.completion), (9, 5));
        let told: Vec<_> = answer
            .take_tool_calls()
            .into_iter()
            .map(|call| format!("{}{}", call.name, call.arguments))
            .collect();
        assert_eq!(told, ["click{\"x\":1,\"y\":2}", "go_back{}"]);
    }

    #[test]
    fn what_is_withheld_is_said() {
        let blocked = read(&json!({"promptFeedback": {"blockReason": "SAFETY"}}));
        assert_eq!(blocked.finish_reason.as_deref(), Some("SAFETY"));
        let cut = read(&json!({"candidates": [{"content": {"parts": [{"text": "I"}]}}]}));
        assert_eq!(cut.finish_reason.as_deref(), Some(TRUNCATED));
    }
}
