//! Limits of an endpoint that are found out by running into them.
use super::*;

fn refuses(message: &str) -> Act {
    http("400 Bad Request", JSON, json!({"error": {"message": message}}).to_string())
}

/// A prompt with so many pictures.
fn with_pictures(count: usize) -> Prompt {
    let picture = prompt().messages.remove(0).parts.remove(1);
    Prompt::of(vec![Message { role: Role::User, parts: vec![picture; count] }])
}

fn pictures(body: &serde_json::Value) -> usize {
    body.to_string().matches("image_url\":{").count()
}

#[tokio::test]
async fn an_endpoint_that_takes_few_pictures_is_sent_no_more_from_then_on() {
    let refusal = refuses("At most 2 image(s) may be provided in one prompt.");
    let fake = Fake::start(vec![refusal, says(BACK), says(BACK)]).await;
    let model = model(&fake);
    for _ in 0..2 {
        assert_eq!(model.call(&with_pictures(4), LIMIT).await.unwrap().text, BACK);
    }
    let sent: Vec<usize> = fake.seen().iter().map(|request| pictures(&request.body)).collect();
    assert_eq!(sent, [4, 2, 2]);
}

#[tokio::test]
async fn a_limit_that_is_kept_is_no_way_out() {
    let (error, seen) =
        failed(vec![refuses("At most 1 image(s) may be provided in one prompt.")]).await;
    assert_eq!((seen, error.kind), (1, ModelErrorKind::Rejected));
    assert!(error.message.contains("--limit-mm-per-prompt"), "{}", error.message);
}

#[tokio::test]
async fn where_the_prompt_leaves_too_little_room_a_shorter_reply_is_asked_for() {
    let refusal = refuses(
        "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is \
         8192 tokens and your request has 5000 input tokens (4096 > 8192 - 5000).",
    );
    let fake = Fake::start(vec![refusal.clone(), says(BACK)]).await;
    assert_eq!(model(&fake).call(&prompt(), LIMIT).await.unwrap().text, BACK);
    let seen = fake.seen();
    let most: Vec<_> = seen.iter().map(|request| &request.body["max_tokens"]).collect();
    assert_eq!(most, [4096, 3192]);
    // Once, and there is nothing in this prompt that could be left out.
    let (error, seen) = failed(vec![refusal]).await;
    assert_eq!((seen, error.kind), (2, ModelErrorKind::PromptTooLong));
}

#[tokio::test]
async fn the_time_that_a_busy_endpoint_states_in_words_is_waited_for() {
    let busy = json!({"error": {"message": "You exceeded your current quota. Please retry in 20ms.", "code": 429}});
    let busy = http("429 Too Many Requests", JSON, busy.to_string());
    let reply = replied(vec![busy, says(BACK)]).await;
    assert_eq!(reply.retries[0].waited, Duration::from_millis(20));
}

#[tokio::test]
async fn an_error_line_in_a_stream_is_the_error() {
    let said = "error: {\"code\":400,\"message\":\"the request exceeds the available context size\",\
                \"type\":\"invalid_request_error\"}\n\ndata: [DONE]\n\n";
    let (error, _) = failed(vec![http("200 OK", EVENTS, said)]).await;
    assert_eq!(error.kind, ModelErrorKind::PromptTooLong);
}
