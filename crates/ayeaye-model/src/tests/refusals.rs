//! What endpoints refuse, and in whose words.
use super::*;

fn refuses(error: &serde_json::Value) -> Act {
    http("400 Bad Request", JSON, json!({ "error": error }).to_string())
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
