//! What is set of calls, as it reaches an endpoint and the record.
use super::*;

async fn sent(settings: &str, name: &str) -> (serde_json::Value, serde_json::Value) {
    let fake = Fake::start(vec![says(BACK)]).await;
    let calls = settings.parse().expect("it is a line of settings");
    let config = ModelConfig { name: name.to_owned(), calls, ..config(&fake) };
    let model = RemoteModel::new(config).expect("the settings are right");
    let params = serde_json::Value::Object(model.params());
    model.call(&prompt(), LIMIT).await.expect("it is answered");
    (fake.seen().remove(0).body, params)
}

#[tokio::test]
async fn what_is_set_is_sent_and_recorded_and_the_rest_is_the_profiles() {
    let line = r#"temperature=0.7 top-p=none top-k=20 repetition-penalty=1.05 max-tokens=99
        stop=["END"] reasoning-effort=low thinking=off
        extra-body={"chat_template_kwargs": {"more": 1}, "seed": 7}"#;
    let (body, params) = sent(line, "gelab-fake").await;
    for (name, value) in [
        ("temperature", json!(0.7)),
        ("top_k", json!(20)),
        ("repetition_penalty", json!(1.05)),
        ("max_tokens", json!(99)),
        ("stop", json!(["END"])),
        ("reasoning_effort", json!("low")),
        ("chat_template_kwargs", json!({"enable_thinking": false, "more": 1})),
        ("seed", json!(7)),
    ] {
        assert_eq!(body[name], value, "{name}");
    }
    assert!(body.get("top_p").is_none(), "none leaves it out: {body}");
    assert_eq!(body["model"], "gelab-fake");
    let expected = json!({"temperature": 0.7, "top_k": 20, "repetition_penalty": 1.05,
        "max_tokens": 99, "stop": ["END"], "reasoning_effort": "low", "thinking": false,
        "extra_body": ["chat_template_kwargs", "seed"]});
    assert_eq!(params, expected);

    let (body, _) = sent("", "gelab-fake").await;
    let named = |name: &str| body[name].clone();
    assert_eq!(
        (named("temperature"), named("top_p"), named("max_tokens")),
        (json!(0.1), json!(0.95), json!(4096))
    );
    assert!(["top_k", "stop", "chat_template_kwargs"].iter().all(|it| body.get(it).is_none()));
}

#[tokio::test]
async fn what_an_api_has_no_field_for_is_neither_recorded_nor_kept_from_its_owner() {
    let line =
        r#"temperature=0.7 repetition-penalty=1.05 stop=["END"] thinking=off reasoning-effort=low"#;
    for (profile, lacks) in [
        ("gpt-computer", &["repetition_penalty", "stop", "thinking"][..]),
        ("gemini", &["repetition_penalty"]),
        ("claude", &["repetition_penalty"]),
        ("gelab", &[]),
    ] {
        let fake = Fake::start(Vec::new()).await;
        let profile = Some(profile.parse().expect("there is such a profile"));
        let calls = line.parse().expect("it is a line of settings");
        let model = RemoteModel::new(ModelConfig { profile, calls, ..config(&fake) });
        let model = model.expect("the settings are right");
        let params = model.params();
        for name in ["temperature", "repetition_penalty", "stop", "thinking", "reasoning_effort"] {
            assert_eq!(params.contains_key(name), !lacks.contains(&name), "{name}: {params:?}");
        }
        assert_eq!(model.client().not_sent(model.sampling()), lacks);
    }
}

/// A server of one's own hands it to the chat template, whatever the model's maker calls it in a service; a router to
/// that service reads the maker's name.
#[tokio::test]
async fn thinking_is_switched_by_the_template_where_the_server_is_ones_own() {
    for (name, switch, has_name) in [
        ("glm-4.6v", "enable_thinking", true),
        ("XiaomiMiMo/MiMo-VL-7B-RL-2508", "enable_thinking", true),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "enable_thinking", false),
        ("moonshotai/Kimi-K2.6", "thinking", true),
    ] {
        let (body, _) = sent("thinking=off", name).await;
        assert_eq!(body["chat_template_kwargs"], json!({switch: false}), "{name}");
        let makers = has_name.then(|| json!({ "type": "disabled" }));
        assert_eq!(body.get("thinking"), makers.as_ref(), "{name}");
    }
}

#[tokio::test]
async fn an_effort_that_is_refused_is_not_left_out_without_a_word() {
    let said = json!({"error": {"message": "Unknown parameter: 'reasoning_effort'"}}).to_string();
    let fake = Fake::start(vec![http("400 Bad Request", JSON, said)]).await;
    let calls = "reasoning-effort=max".parse().expect("it is a line of settings");
    let model = RemoteModel::new(ModelConfig { calls, ..config(&fake) }).expect("it is right");
    let error = model.call(&prompt(), LIMIT).await.unwrap_err();
    assert!(error.message.contains("reasoning_effort"), "{}", error.message);
    assert_eq!(fake.seen().len(), 1);
}
