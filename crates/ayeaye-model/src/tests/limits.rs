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
    for said in
        ["At most 2 image(s) may be provided in one prompt.", "Too many images in request: 4 > 2"]
    {
        let fake = Fake::start(vec![refuses(said), says(BACK), says(BACK)]).await;
        let model = model(&fake);
        for _ in 0..2 {
            assert_eq!(model.call(&with_pictures(4), LIMIT).await.unwrap().text, BACK);
        }
        let sent: Vec<usize> = fake.seen().iter().map(|request| pictures(&request.body)).collect();
        assert_eq!(sent, [4, 2, 2], "{said}");
    }
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

/// What each request asked for at most.
fn most_tokens(fake: &Fake) -> Vec<u64> {
    let asked = |request: &server::Request| request.body["max_tokens"].as_u64().unwrap();
    fake.seen().iter().map(asked).collect()
}

#[tokio::test]
async fn where_the_prompts_length_is_only_a_bound_the_reply_is_halved_until_it_fits() {
    let refusal = |most: u32| {
        refuses(&format!(
            "This model's maximum context length is 8192 tokens. However, you requested {most} output tokens and \
             your prompt contains at least {} input tokens, for a total of at least 8193 tokens.",
            8193 - most
        ))
    };
    // The same, where nothing says that the count is a bound.
    let plain = |most: u32| {
        refuses(&format!(
            "You passed {} input tokens and requested {most} output tokens. However, the model's context length \
             is only 8192 tokens, resulting in a maximum input length of {} tokens.",
            8193 - most,
            8192 - most
        ))
    };
    for answers in [vec![refusal(4096), refusal(2048)], vec![plain(4096), plain(2048)]] {
        let fake = Fake::start([answers, vec![says(BACK)]].concat()).await;
        let reply = model(&fake).call(&prompt(), LIMIT).await.unwrap();
        assert_eq!((most_tokens(&fake), reply.text.as_str()), (vec![4096, 2048, 1024], BACK));
    }
    // It ends, however often it is refused: first the reply gets shorter, then the prompt.
    let fake = Fake::start(vec![refusal(4096)]).await;
    let error = model(&fake).call(&with_pictures(2), LIMIT).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::PromptTooLong);
    assert_eq!(most_tokens(&fake), [4096, 2048, 1024, 512, 4096, 2048, 1024, 512]);
    let pictures: Vec<usize> = fake.seen().iter().map(|it| pictures(&it.body)).collect();
    assert_eq!(pictures, [2, 2, 2, 2, 1, 1, 1, 1]);
}

#[tokio::test]
async fn a_reply_as_long_as_the_whole_context_is_not_asked_for() {
    let refusal = refuses(
        "max_tokens=4096 cannot be greater than max_model_len=max_total_tokens=2048. Please request fewer output \
         tokens. (parameter=max_tokens, value=4096)",
    );
    let fake = Fake::start(vec![refusal, says(BACK)]).await;
    assert_eq!(model(&fake).call(&prompt(), LIMIT).await.unwrap().text, BACK);
    assert_eq!(most_tokens(&fake), [4096, 1024]);
}

#[tokio::test]
async fn the_longest_reply_that_an_endpoint_allows_is_kept_to_from_then_on() {
    for said in [
        "Range of max_tokens should be [1, 2048]",
        "Invalid max_tokens value, the valid range of max_tokens is [1, 2048]",
        "max_tokens: 4096 > 2048, which is the maximum allowed number of output tokens for claude-x",
        "max_tokens is too large: 4096. This model supports at most 2048 completion tokens, whereas you provided 4096.",
        "The maximum tokens you requested exceeds the model limit of 2048. Try again with a maximum tokens value that \
         is lower than 2048.",
        "`max_tokens` must be less than or equal to `2048`, the maximum value for `max_tokens` is less than the \
         `context_window` for this model",
        "Unable to submit request because it has a maxOutputTokens value of 4096 but the supported range is from 1 \
         (inclusive) to 2049 (exclusive). Update the value and try again.",
    ] {
        let fake = Fake::start(vec![refuses(said), says(BACK), says(BACK)]).await;
        let model = model(&fake);
        for _ in 0..2 {
            assert_eq!(model.call(&prompt(), LIMIT).await.unwrap().text, BACK);
        }
        assert_eq!(most_tokens(&fake), [4096, 2048, 2048], "{said}");
        assert_eq!(model.params()["max_tokens"], 2048);
    }
    // One that is refused all the same.
    let (error, seen) = failed(vec![refuses("Range of max_tokens should be [1, 2048]")]).await;
    assert_eq!((seen, error.kind), (2, ModelErrorKind::Rejected));
}

#[tokio::test]
async fn the_time_that_a_busy_endpoint_states_in_words_is_waited_for() {
    let busy = json!({"error": {"message": "You exceeded your current quota. Please retry in 20ms.", "code": 429}});
    let busy = http("429 Too Many Requests", JSON, busy.to_string());
    let reply = replied(vec![busy, says(BACK)]).await;
    assert_eq!(reply.retries[0].waited, Duration::from_millis(20));
}

#[tokio::test]
async fn a_wait_that_is_too_long_ends_the_call_and_is_told() {
    for (wait, told) in [
        ("61", "61 seconds"),
        ("300", "5 minutes"),
        ("7201", "3 hours"),
        ("999999999999999", "more than a year"),
    ] {
        let headers = format!("retry-after: {wait}\r\n");
        let (error, seen) = failed(vec![http("429 Too Many Requests", &headers, "{}")]).await;
        assert_eq!((seen, error.kind), (1, ModelErrorKind::Overloaded), "{}", error.message);
        let end = format!("try later; it asks not to be asked again for {told}");
        assert!(error.message.ends_with(&end), "{}", error.message);
    }
}

#[tokio::test]
async fn an_endpoint_that_asks_for_no_wait_is_given_one() {
    let fake = Fake::start(vec![http("429 Too Many Requests", "retry-after: 0\r\n", "{}")]).await;
    let error = model(&fake).call(&prompt(), LIMIT).await.unwrap_err();
    let (_, before_the_last) = error.retries.split_last().unwrap();
    assert_eq!(before_the_last.len(), 4);
    for retry in before_the_last {
        assert!(Duration::from_millis(1) <= retry.waited, "{:?}", error.retries);
    }
}

#[tokio::test]
async fn an_error_line_in_a_stream_is_the_error() {
    let said = "error: {\"code\":400,\"message\":\"the request exceeds the available context size\",\
                \"type\":\"invalid_request_error\"}\n\ndata: [DONE]\n\n";
    let (error, _) = failed(vec![http("200 OK", EVENTS, said)]).await;
    assert_eq!(error.kind, ModelErrorKind::PromptTooLong);
}
