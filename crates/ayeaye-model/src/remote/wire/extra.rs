//! What users set of calls beside the sampling: how the APIs have it.
use serde_json::{Map, Value, json};

use crate::{CallSettings, Effort, Endpoint};

/// Adds fields to a body. Objects are merged, anything else is replaced.
pub(in crate::remote) fn merge(body: &mut Value, extra: &Map<String, Value>) {
    for (name, value) in extra {
        match (&mut body[name.as_str()], value) {
            (here @ Value::Object(_), Value::Object(inner)) => merge(here, inner),
            (here, value) => *here = value.clone(),
        }
    }
}

/// What the record says of these settings. Of the extra body only the names: its values may be anybody's.
pub(in crate::remote) fn recorded(calls: &CallSettings) -> Map<String, Value> {
    let mut params = Map::new();
    if !calls.stop.is_empty() {
        params.insert("stop".to_owned(), json!(calls.stop));
    }
    if let Some(effort) = calls.effort {
        params.insert("reasoning_effort".to_owned(), json!(effort.name()));
    }
    if let Some(thinking) = calls.thinking {
        params.insert("thinking".to_owned(), json!(thinking));
    }
    if !calls.extra_body.is_empty() {
        let names: Vec<&String> = calls.extra_body.keys().collect();
        params.insert("extra_body".to_owned(), json!(names));
    }
    params
}

/// Fields of a chat. Whether a model is to think has a name of its own in almost every maker's service.
pub(super) fn chat(
    calls: &CallSettings,
    model: &str,
    endpoint: Option<&Endpoint>,
) -> Map<String, Value> {
    let mut fields = Map::new();
    if !calls.stop.is_empty() {
        fields.insert("stop".to_owned(), json!(calls.stop));
    }
    if let Some(effort) = calls.effort {
        fields.insert("reasoning_effort".to_owned(), json!(effort.name()));
    }
    let model = model.to_ascii_lowercase();
    if model.contains("gui-plus") {
        // Otherwise its host makes pictures smaller than the model was trained on.
        fields.insert("vl_high_resolution_images".to_owned(), json!(true));
    }
    if let Some(thinking) = calls.thinking {
        // Without the organization: ByteDance's is called Seed, whatever the model.
        let bare = model.rsplit('/').next().unwrap_or(&model);
        let is_of = |makers: &[&str]| makers.iter().any(|maker| bare.contains(maker));
        let is_own = endpoint.is_some_and(Endpoint::is_own);
        let is_aliyun = endpoint.is_some_and(Endpoint::is_aliyun);
        let has_name = !is_aliyun && is_of(&["seed", "doubao", "glm", "kimi", "mimo"]);
        if is_aliyun {
            fields.insert("enable_thinking".to_owned(), json!(thinking));
        }
        if has_name {
            let kind = if thinking { "enabled" } else { "disabled" };
            fields.insert("thinking".to_owned(), json!({ "type": kind }));
        }
        // Servers of open models hand it to the model's chat template. One's own may also be a router to the maker's
        // service; each passes over what is meant for the other.
        if is_own || !(is_aliyun || has_name) {
            let switch = if is_of(&["kimi"]) { "thinking" } else { "enable_thinking" };
            fields.insert("chat_template_kwargs".to_owned(), json!({ switch: thinking }));
        }
    }
    fields
}

/// Fields of a message to Anthropic's API.
pub(super) fn anthropic(calls: &CallSettings) -> Map<String, Value> {
    let mut fields = Map::new();
    if !calls.stop.is_empty() {
        fields.insert("stop_sequences".to_owned(), json!(calls.stop));
    }
    if let Some(effort) = calls.effort {
        fields.insert("output_config".to_owned(), json!({ "effort": effort.name() }));
    }
    if let Some(thinking) = calls.thinking {
        let kind = if thinking { "adaptive" } else { "disabled" };
        fields.insert("thinking".to_owned(), json!({ "type": kind }));
    }
    fields
}

/// Fields of OpenAI's Responses API.
pub(super) fn responses(calls: &CallSettings) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Some(effort) = calls.effort {
        fields.insert("reasoning".to_owned(), json!({ "effort": effort.name() }));
    }
    fields
}

/// Fields of Gemini's `generationConfig`.
pub(super) fn gemini(calls: &CallSettings) -> Map<String, Value> {
    let mut fields = Map::new();
    if !calls.stop.is_empty() {
        fields.insert("stopSequences".to_owned(), json!(calls.stop));
    }
    let mut thinking = Map::new();
    match calls.effort {
        Some(Effort::None) => drop(thinking.insert("thinkingBudget".to_owned(), json!(0))),
        Some(effort) => drop(thinking.insert("thinkingLevel".to_owned(), json!(effort.name()))),
        None => {}
    }
    // It takes one of the two. -1 lets the model choose.
    if let (Some(on), None) = (calls.thinking, calls.effort) {
        thinking.insert("thinkingBudget".to_owned(), json!(if on { -1 } else { 0 }));
    }
    if !thinking.is_empty() {
        fields.insert("thinkingConfig".to_owned(), Value::Object(thinking));
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(line: &str) -> CallSettings {
        line.parse().expect("it is a line of settings")
    }

    #[test]
    fn an_extra_body_is_merged_field_by_field() {
        let mut body = json!({"generationConfig": {"topP": 0.5, "topK": 1}, "a": 1});
        let extra = json!({"generationConfig": {"topK": 2, "seed": 3}, "a": [1], "b": {"c": null}});
        merge(&mut body, extra.as_object().unwrap());
        let expected = json!({"generationConfig": {"topP": 0.5, "topK": 2, "seed": 3}, "a": [1], "b": {"c": null}});
        assert_eq!(body, expected);
    }

    #[test]
    fn every_api_has_names_of_its_own() {
        let all = calls(r#"stop=["END"] reasoning-effort=low thinking=off"#);
        let at = |host: &str| Endpoint::parse(&format!("https://{host}/v1")).unwrap();
        let chat_of =
            |model, host: Option<&str>| Value::Object(chat(&all, model, host.map(at).as_ref()));
        let plain = json!({"stop": ["END"], "reasoning_effort": "low"});
        for (model, host, name, value) in [
            ("qwen3-vl-8b", None, "chat_template_kwargs", json!({"enable_thinking": false})),
            ("qwen3.7-plus", Some("dashscope.aliyuncs.com"), "enable_thinking", json!(false)),
            ("doubao-seed-1-8", None, "thinking", json!({"type": "disabled"})),
            ("GLM-4.6V", Some("api.z.ai"), "thinking", json!({"type": "disabled"})),
            ("kimi-k2.6", Some("api.moonshot.cn"), "thinking", json!({"type": "disabled"})),
            (
                "ByteDance-Seed/UI-TARS-1.5-7B",
                Some("router.example.com"),
                "chat_template_kwargs",
                json!({"enable_thinking": false}),
            ),
        ] {
            let mut expected = plain.clone();
            expected[name] = value;
            assert_eq!(chat_of(model, host), expected, "{model}");
        }
        // At home it may be the model itself or a router to its maker.
        for (model, host, switch) in [
            ("GLM-4.6V", "gpu.lan", "enable_thinking"),
            ("doubao-seed-1-8", "localhost", "enable_thinking"),
            ("Kimi-K2.6", "10.0.0.2", "thinking"),
        ] {
            let mut expected = plain.clone();
            expected["thinking"] = json!({"type": "disabled"});
            expected["chat_template_kwargs"] = json!({ switch: false });
            assert_eq!(chat_of(model, Some(host)), expected, "{model}");
        }
        let claude = json!({"stop_sequences": ["END"], "output_config": {"effort": "low"},
            "thinking": {"type": "disabled"}});
        assert_eq!(Value::Object(anthropic(&all)), claude);
        let gemini_fields =
            json!({"stopSequences": ["END"], "thinkingConfig": {"thinkingLevel": "low"}});
        assert_eq!(Value::Object(gemini(&all)), gemini_fields);
        let off = gemini(&calls("thinking=off"));
        assert_eq!(off["thinkingConfig"], json!({"thinkingBudget": 0}));
        let dashscope = at("dashscope.aliyuncs.com");
        let hosted = chat(&calls(""), "gui-plus-2026-02-26", Some(&dashscope));
        assert_eq!(Value::Object(hosted), json!({"vl_high_resolution_images": true}));
        assert!(chat(&calls(""), "m", None).is_empty());
        assert!(anthropic(&calls("")).is_empty() && gemini(&calls("")).is_empty());
    }

    #[test]
    fn the_record_has_no_values_of_the_extra_body() {
        let params = recorded(&calls(r#"thinking=on extra-body={"user": "somebody"}"#));
        assert_eq!(Value::Object(params), json!({"thinking": true, "extra_body": ["user"]}));
    }
}
