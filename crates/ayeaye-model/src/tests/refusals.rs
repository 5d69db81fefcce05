//! What endpoints refuse, and in whose words.
use super::server::RawEndpoint;
use super::*;

fn refuses(error: &serde_json::Value) -> Act {
    http("400 Bad Request", JSON, json!({ "error": error }).to_string())
}

#[tokio::test]
async fn calls_that_learn_of_a_refusal_at_the_same_time_are_all_asked_again() {
    for (field, said) in [
        ("temperature", "Unsupported value: 'temperature' does not support 0 with this model."),
        ("stream_options", "Unknown field stream_options"),
    ] {
        let endpoint = RawEndpoint::start(move |request| {
            let refused = !request.body[field].is_null();
            if refused { refuses(&json!({ "message": said })) } else { says(BACK) }
        })
        .await;
        let address = Endpoint::parse(&endpoint.url()).unwrap();
        let model = RemoteModel::new(ModelConfig::new(address, "gelab-fake")).unwrap();
        let prompt = prompt();
        // The bodies of all are made before the first is answered.
        let calls = (0..4).map(|_| model.call(&prompt, LIMIT));
        for reply in futures::future::join_all(calls).await {
            assert_eq!(reply.unwrap().text, BACK, "{field}");
        }
        assert_eq!(endpoint.seen().len(), 8, "{field}");
    }
}

/// A router's own words say only that its provider refused.
#[tokio::test]
async fn the_reason_of_the_provider_behind_a_router_is_told_and_acted_on() {
    let provider = |raw: serde_json::Value| {
        refuses(&json!({"message": "Provider returned error", "code": 400,
            "metadata": {"raw": raw, "provider_name": "Elsewhere"}}))
    };
    let said = |message: &str| json!({"error": {"message": message}});
    let (error, _) = failed(vec![provider(said("roles must alternate").to_string().into())]).await;
    assert!(
        error.message.contains("(“Provider returned error (Elsewhere): roles must alternate”)"),
        "{}",
        error.message
    );
    let temperature = said("Unsupported value: 'temperature' does not support 0.1");
    for raw in [temperature.to_string().into(), temperature, json!("temperature is refused")] {
        let fake = Fake::start(vec![provider(raw), says(BACK)]).await;
        assert_eq!(model(&fake).call(&prompt(), LIMIT).await.unwrap().text, BACK);
        let asked: Vec<bool> =
            fake.seen().iter().map(|it| it.body.get("temperature").is_some()).collect();
        assert_eq!(asked, [true, false]);
    }
    let context = said("This model's maximum context length is 8192 tokens.").to_string();
    let (error, _) = failed(vec![provider(context.into())]).await;
    assert_eq!(error.kind, ModelErrorKind::PromptTooLong);
    // Inside an answer, too.
    let inside = json!({"error": {"message": "Provider returned error", "code": 400,
        "metadata": {"raw": "m is not a multimodal model"}}});
    let (error, _) = failed(vec![http("200 OK", JSON, inside.to_string())]).await;
    assert_eq!(error.kind, ModelErrorKind::NoVision);
}

#[tokio::test]
async fn a_key_that_is_a_word_hides_nothing_of_an_error() {
    for key in ["x", "none", "t", "context"] {
        let said = "This model's maximum context length is 8192 tokens. However, you requested 9096 tokens \
                    (5000 in the messages, 4096 in the completion).";
        let fake = Fake::start(vec![refuses(&json!({ "message": said })), says(BACK)]).await;
        let keyed = ModelConfig { key: Secret::new(key), ..config(&fake) };
        let model = RemoteModel::new(keyed).unwrap();
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        assert!(reply.retries[0].error.contains("context length is 8192"), "{:?}", reply.retries);
        assert_eq!(fake.seen()[1].body["max_tokens"], 3192, "{key}");
    }
}

#[tokio::test]
async fn a_key_is_hidden_whatever_is_read_from_the_words_around_it() {
    // It looks like what is searched for, and stands where a message is cut.
    let key = "context length exceeded 0123456789";
    for padding in [0, 170, 185, 199] {
        let said = format!("{}{key}", "y".repeat(padding));
        let body = json!({"error": {"message": said, "code": 400}}).to_string();
        for status in ["400 Bad Request", "200 OK"] {
            let fake = Fake::start(vec![http(status, JSON, body.clone())]).await;
            let keyed = ModelConfig { key: Secret::new(key), ..config(&fake) };
            let error = RemoteModel::new(keyed).unwrap().call(&prompt(), LIMIT).await.unwrap_err();
            let shown = format!("{error:?}");
            assert!(!shown.contains("context length"), "{padding}: {shown}");
        }
    }
}

/// `FastAPI` quotes all of a request that lacks a field.
#[tokio::test]
async fn a_field_that_is_missing_is_not_taken_for_one_of_those_that_were_sent() {
    let endpoint = RawEndpoint::start(move |request| {
        if request.body["user"].is_null() {
            let missing = json!({"type": "missing", "loc": ["body", "user"], "msg": "Field required",
                "input": request.body});
            return http("422 Unprocessable Entity", JSON, json!({"detail": [missing]}).to_string());
        }
        says(BACK)
    })
    .await;
    let address = Endpoint::parse(&endpoint.url()).unwrap();
    let model = RemoteModel::new(ModelConfig::new(address, "gelab-fake")).unwrap();
    let error = model.call(&prompt(), LIMIT).await.unwrap_err();
    assert_eq!((error.kind, endpoint.seen().len()), (ModelErrorKind::Rejected, 1));
    assert!(error.message.contains("(“`user`: Field required”)"), "{}", error.message);
}

/// As templates of some models do where a picture follows.
#[tokio::test]
async fn rules_that_are_refused_beside_a_picture_stand_in_front_of_the_task_from_then_on() {
    let endpoint = RawEndpoint::start(move |request| {
        if request.body["messages"][0]["role"] == "system" {
            let why = "Prompting with images is incompatible with system messages.";
            return refuses(&json!({ "message": why }));
        }
        says(BACK)
    })
    .await;
    let address = Endpoint::parse(&endpoint.url()).unwrap();
    let model = RemoteModel::new(ModelConfig::new(address, "gelab-fake")).unwrap();
    let mut prompt = prompt();
    prompt.messages.insert(0, Message::text(Role::System, "the rules"));
    for _ in 0..2 {
        assert_eq!(model.call(&prompt, LIMIT).await.unwrap().text, BACK);
    }
    let bodies: Vec<_> = endpoint.seen().into_iter().map(|it| it.body).collect();
    assert_eq!(bodies.len(), 3);
    for body in &bodies[1..] {
        let first = &body["messages"][0];
        assert_eq!(
            (&first["role"], &first["content"][0]["text"]),
            (&json!("user"), &json!("the rules\n"))
        );
    }
}

#[tokio::test]
async fn an_error_can_be_told_without_the_endpoints_own_words() {
    let (error, _) =
        failed(vec![refuses(&json!({ "message": "invalid near: the code is 4711" }))]).await;
    assert!(error.message.contains("400 Bad Request (“invalid near: the code is 4711”): "));
    let unquoted = error.unquoted.unwrap();
    assert!(unquoted.contains("answered 400 Bad Request: it does not take such"), "{unquoted}");
    assert_eq!(error.retries[0].unquoted.as_ref(), Some(&unquoted));
    let (error, _) =
        failed(vec![http("200 OK", "content-type: text/plain\r\n", "code 4711")]).await;
    assert!(error.message.contains("code 4711"), "{}", error.message);
    assert!(!error.unquoted.unwrap().contains("4711"));
    // Where it says nothing there is nothing to leave out.
    let (error, _) = failed(vec![http("404 Not Found", "", "")]).await;
    assert_eq!(error.unquoted, None, "{}", error.message);
}
