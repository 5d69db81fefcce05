mod connections;
mod gateways;
mod servers;

use super::*;

#[test]
fn what_is_tried_again() {
    for status in [429, 500, 502, 503, 529] {
        let error = AttemptError::from_status(status, "busy", None);
        assert_eq!(
            error.recovery,
            Recovery::Retry { after: None },
            "{}",
            error.message(str::to_owned)
        );
    }
    for (status, said, part) in [
        (401, "", "AYEAYE_MODEL_API_KEY"),
        (403, "", "AYEAYE_MODEL_API_KEY"),
        (404, "model `x` not found", "name is wrong"),
        (400, "x is not a multimodal model", "takes no pictures"),
        (400, "messages: roles must alternate", "such a request"),
        (400, "API key not valid. Please pass a valid API key.", "AYEAYE_MODEL_API_KEY"),
        (400, "Your credit balance is too low", "quota"),
        (429, "insufficient_quota", "quota"),
        (418, "", "such a request"),
        (
            400,
            "Output data may contain inappropriate content. [data_inspection_failed]",
            "moderation",
        ),
        (
            400,
            "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. \
             [content_filter]",
            "moderation",
        ),
        (400, "Your request was flagged [invalid_prompt]", "moderation"),
        (400, "Computer Use is not enabled for models/gemini-3-pro-preview", "computer-use tool"),
        (400, "Tool 'computer' is not supported with gpt-x.", "computer-use tool"),
        (404, "Your organization must be verified to use the model `x`.", "verified"),
        (403, "Your organization must be verified to use the model `x`.", "verified"),
        (400, "User location is not supported for the API use.", "region"),
        (403, "Country, region, or territory not supported", "region"),
        (400, "x is not a valid model ID", "name is wrong"),
        (400, "API key expired. Please renew the API key.", "AYEAYE_MODEL_API_KEY"),
        (400, "You have reached your specified API usage limits.", "quota"),
        (
            400,
            "Budget has been exceeded! Current cost: 0.5, Max budget: 0.1 [budget_exceeded]",
            "quota",
        ),
        (422, "Budget has been exceeded! Current cost: 0.5, Max budget: 0.1", "quota"),
        (429, "ExceededBudget: User=x over budget. Spend=2, Budget=1", "quota"),
        (400, "No connected db. [no_db_connection]", "the key is wrong"),
        (
            400,
            "Invalid model name passed in model=nosuch. Call `/v1/models` to view available models for your key.",
            "name is wrong",
        ),
        (429, "Your prepayment credits are depleted.", "quota"),
        (400, "系统检测到输入或生成内容可能包含不安全或敏感内容 [1301]", "moderation"),
        (
            400,
            "The request failed because the input text may contain sensitive information. [InputTextSensitiveContentDetected]",
            "moderation",
        ),
        (400, "x [InputImageSensitiveContentDetected]", "moderation"),
        (400, "x [OutputTextSensitiveContentDetected.PolicyViolation]", "moderation"),
        (400, "x [SensitiveContentDetected]", "moderation"),
        (
            400,
            "The request was rejected because it was considered high risk [content_filter]",
            "moderation",
        ),
        (400, "Content Exists Risk [invalid_request_error]", "moderation"),
        (
            451,
            "The content you provided or machine outputted is blocked. [censorship_blocked]",
            "moderation",
        ),
        (
            400,
            "The requested model 'x' is not supported by any provider you have enabled. [model_not_supported]",
            "enable one",
        ),
        (404, "Your account 1 has not activated the model x. [ModelNotOpen]", "activated"),
        (
            404,
            "No endpoints found matching your data policy (Free model publication).",
            "privacy settings",
        ),
        (
            400,
            "The image length and width do not meet the model restrictions. [InvalidParameter]",
            "model.max-pixels",
        ),
        (400, "the stand-in for a model only decides on steps", "`ayeaye setup` configures one"),
        (402, "Payment required", "quota"),
        (429, "余额不足或无可用资源包,请充值。 [1113]", "quota"),
        (
            400,
            "Access denied, please make sure your account is in good standing. [Arrearage]",
            "quota",
        ),
        (
            429,
            "Your account is suspended, please check your plan and billing details \
             [exceeded_current_quota_error]",
            "quota",
        ),
        (
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            "quota",
        ),
        (429, "You exceeded your current quota [GenerateRequestsPerDayPerProject]", "quota"),
        (429, "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more", "quota"),
        (429, "requests_per_day limit reached", "quota"),
        (429, "Daily limit exceeded", "quota"),
        (400, "At most 0 image(s) may be provided in one prompt.", "takes no pictures"),
        (
            500,
            "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
            "takes no pictures",
        ),
    ] {
        let error = AttemptError::from_status(status, said, None);
        assert_eq!(error.recovery, Recovery::GiveUp, "{}", error.message(str::to_owned));
        assert!(error.message(str::to_owned).contains(part), "{}", error.message(str::to_owned));
        assert!(
            error.message(str::to_owned).contains(&status.to_string()),
            "{}",
            error.message(str::to_owned)
        );
    }
}

/// The model may have answered to nobody by then, and is paid for that.
#[test]
fn what_a_gateway_gave_up_is_repeated_once_and_may_be_paid_for() {
    for status in [504, 524] {
        for wait in [None, Some(Duration::from_secs(1))] {
            let error = AttemptError::from_status(status, "upstream request timeout", wait);
            let expected = (ModelErrorKind::TimedOut, Recovery::RetryOnce { after: None }, true);
            assert_eq!((error.kind, error.recovery, error.is_taken), expected, "{status}");
            let message = error.message(str::to_owned);
            assert!(message.contains("(“upstream request timeout”): it may be"), "{message}");
        }
    }
    // The request had not come by then, or there was no connection to what is behind the gateway.
    for (status, kind) in [
        (408, ModelErrorKind::Overloaded),
        (503, ModelErrorKind::ServerFault),
        (522, ModelErrorKind::ServerFault),
    ] {
        let error = AttemptError::from_status(status, "", None);
        let expected = (kind, Recovery::Retry { after: None }, false);
        assert_eq!((error.kind, error.recovery, error.is_taken), expected, "{status}");
    }
    // Some hosts say 408 of a model that took too long.
    let slow = || AttemptError::from_status(408, "Operation timed out", None);
    let in_answer = AttemptError { is_reported: true, ..slow() };
    for error in [slow().late(), in_answer.behind(true)] {
        assert_eq!((error.recovery, error.is_taken), (Recovery::RetryOnce { after: None }, true));
    }
}

#[test]
fn a_limit_of_a_minute_is_no_used_up_quota() {
    let wait = Some(Duration::from_secs_f64(47.4));
    for said in [
        "You exceeded your current quota, please check your plan and billing details. Please retry in 47.4s.",
        "Rate limit reached for x. Visit https://example.com/account/billing to add a payment method.",
    ] {
        let error = AttemptError::from_status(429, said, wait);
        assert_eq!(
            error.recovery,
            Recovery::Retry { after: wait },
            "{}",
            error.message(str::to_owned)
        );
        assert_eq!(error.kind, ModelErrorKind::Overloaded);
    }
    let said = "Quota exceeded [GenerateRequestsPerDayPerProjectPerModel-FreeTier]";
    assert_eq!(AttemptError::from_status(429, said, wait).recovery, Recovery::GiveUp);
}

#[test]
fn a_limit_of_a_day_is_read_of_429_only() {
    let retry = Recovery::Retry { after: None };
    // What is refused may quote the task.
    for said in ["Cannot parse “open the Daily Mail app”", "“what does it cost per-day?”"] {
        let error = AttemptError::from_status(400, said, None);
        assert_eq!(error.kind, ModelErrorKind::Rejected, "{said}");
    }
    for number in [None, Some(500), Some(503)] {
        let error = AttemptError::inside(number, "Daily maintenance, try later", None);
        assert_eq!((error.kind, error.recovery), (ModelErrorKind::ServerFault, retry));
    }
    let error = AttemptError::from_status(429, "Busy with daily maintenance", None);
    assert_eq!(error.recovery, retry);
    // In the last day: there is more of it every few seconds.
    let said = "Rate limit reached for x on requests per day (RPD): Limit 10000, Used 10000";
    let wait = Some(Duration::from_secs(9));
    let error = AttemptError::from_status(429, said, wait);
    assert_eq!(error.recovery, Recovery::Retry { after: wait });
    assert_eq!(AttemptError::from_status(429, said, None).kind, ModelErrorKind::QuotaExceeded);
}

#[test]
fn a_status_in_an_answer_outranks_its_words() {
    for (number, said, kind) in [
        (Some(503), "insufficient_quota", ModelErrorKind::ServerFault),
        (None, "insufficient_quota", ModelErrorKind::QuotaExceeded),
        (Some(500), "cannot check: invalid api key store", ModelErrorKind::ServerFault),
        (None, "invalid api key", ModelErrorKind::Unauthorized),
        // Zhipu's number for it is 500.
        (Some(500), "404 NOT_FOUND [500]", ModelErrorKind::NotFound),
    ] {
        assert_eq!(AttemptError::inside(number, said, None).kind, kind, "{said}");
    }
}

#[test]
fn a_quota_of_a_minute_at_dashscope_is_no_used_up_quota() {
    let at = |url: &str, error: AttemptError| error.at(&Endpoint::parse(url).unwrap());
    let dashscope = "https://dashscope.aliyuncs.com/compatible-mode/v1";
    let busy = (ModelErrorKind::Overloaded, Recovery::Retry { after: None });
    for said in [
        "You exceeded your current quota, please check your plan and billing details. [insufficient_quota]",
        "Allocated quota exceeded, please increase your quota limit. [insufficient_quota]",
    ] {
        let error = at(dashscope, AttemptError::from_status(429, said, None));
        assert_eq!((error.kind, error.recovery), busy, "{said}");
        let message = error.message(str::to_owned);
        assert!(message.ends_with("it is busy: try later"), "{message}");
        let elsewhere = at("https://api.example.com", AttemptError::from_status(429, said, None));
        assert_eq!(elsewhere.kind, ModelErrorKind::QuotaExceeded, "{said}");
    }
    // Told in an answer, without a number.
    let said = "Access denied, please make sure your account is in good standing. [Arrearage]";
    let error = at(dashscope, AttemptError::inside(None, said, None));
    assert_eq!(error.kind, ModelErrorKind::QuotaExceeded, "{}", error.message(str::to_owned));
    let error = at(dashscope, AttemptError::inside(Some(429), "[insufficient_quota]", None));
    assert_eq!((error.kind, error.recovery), busy);
    for status in [401, 402, 500] {
        let error = || AttemptError::from_status(status, "Access denied.", None);
        assert_eq!(at(dashscope, error()).kind, error().kind, "{status}");
    }
}

#[test]
fn what_403_refuses_is_told_by_its_words() {
    for (said, kind) in [
        (
            "The free tier of the model has been exhausted. [AllocationQuota.FreeTierOnly]",
            ModelErrorKind::QuotaExceeded,
        ),
        ("Sorry, your account balance is insufficient", ModelErrorKind::QuotaExceeded),
        ("Access denied: your account has an overdue bill", ModelErrorKind::QuotaExceeded),
        ("gpt requires moderation, and your input was flagged for “x”", ModelErrorKind::Rejected),
        ("Request blocked by a guardrail", ModelErrorKind::Rejected),
        ("Model access denied.", ModelErrorKind::Unauthorized),
        (
            "The generativelanguage API requires a quota project, which is not set by default",
            ModelErrorKind::Unauthorized,
        ),
        ("This model is not available on the free tier", ModelErrorKind::Unauthorized),
        ("Your account has been flagged", ModelErrorKind::Unauthorized),
        ("Refused by the load balancer", ModelErrorKind::Unauthorized),
        ("", ModelErrorKind::Unauthorized),
    ] {
        let error = AttemptError::from_status(403, said, None);
        assert_eq!((error.kind, error.recovery), (kind, Recovery::GiveUp), "{said}");
    }
}

#[test]
fn what_is_no_refusal_of_a_parameter() {
    for said in ["CUDA error in top_k_sampling (temperature)", "tool use failed"] {
        let error = AttemptError::from_status(500, said, None);
        assert_eq!(error.recovery, Recovery::Retry { after: None }, "{said}");
    }
    let said = "Error downloading the image_url";
    assert_eq!(
        AttemptError::from_status(500, said, None).recovery,
        Recovery::Retry { after: None }
    );
}

#[test]
fn what_is_tried_again_in_another_way() {
    for (status, said, next) in [
        (
            400,
            "Tool call id was call_0 but must be a-z, A-Z, 0-9, with a length of 9.",
            Recovery::WithoutFeature(OptionalFeature::Tools),
        ),
        (
            400,
            "Unexpected role 'user' after role 'tool'",
            Recovery::WithoutFeature(OptionalFeature::Tools),
        ),
        (
            500,
            "tools param requires --jinja flag",
            Recovery::WithoutFeature(OptionalFeature::Tools),
        ),
        (
            400,
            "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context \
             length is 8192 tokens and your request has 5000 input tokens (4096 > 8192 - 5000).",
            Recovery::ShorterReply { tokens: 3192 },
        ),
        (
            400,
            "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context \
             length is 8192 tokens and your request has 8100 input tokens (4096 > 8192 - 8100).",
            Recovery::ShorterPrompt,
        ),
        (
            400,
            "This model's maximum context length is 8192 tokens. However, you requested 9096 tokens \
             (5000 in the messages, 4096 in the completion).",
            Recovery::ShorterReply { tokens: 3192 },
        ),
        (
            400,
            "Requested token count exceeds the model's maximum context length of 8192 tokens. You \
             requested a total of 9096 tokens: 5000 tokens from the input messages and 4096 tokens for \
             the completion.",
            Recovery::ShorterReply { tokens: 3192 },
        ),
        (
            422,
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 5000 \
             `inputs` tokens and 4096 `max_new_tokens`",
            Recovery::ShorterReply { tokens: 3192 },
        ),
        (
            400,
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure \
             that `max_model_len` is no smaller than the number of text tokens plus multimodal tokens. \
             For image inputs, the number of image tokens depends on the number of images.",
            Recovery::ShorterPrompt,
        ),
        (
            500,
            "the request exceeds the available context size. try increasing the context size",
            Recovery::ShorterPrompt,
        ),
        (
            400,
            "At most 1 image(s) may be provided in one prompt.",
            Recovery::FewerPictures { most: 1 },
        ),
        (
            400,
            "At most 2 images may be provided in one request",
            Recovery::FewerPictures { most: 2 },
        ),
        (
            400,
            "Too many images provided. This model supports up to 1 images",
            Recovery::FewerPictures { most: 1 },
        ),
        (
            500,
            "this model only supports one image while more than one image requested",
            Recovery::FewerPictures { most: 1 },
        ),
        (
            400,
            "Too many images in request. Maximum is 8 images per request",
            Recovery::FewerPictures { most: 8 },
        ),
        (400, "Too many images in request: 54 > 30", Recovery::FewerPictures { most: 30 }),
        (
            400,
            "Each side has at most 9000 pixels, and a request at most 3 images",
            Recovery::FewerPictures { most: 3 },
        ),
        (400, "Too many images in request. Max is 50.", Recovery::FewerPictures { most: 50 }),
        (
            400,
            "Too many images in request: 51, maximum allowed: 50",
            Recovery::FewerPictures { most: 50 },
        ),
        (
            400,
            "Input length (9000 tokens) exceeds the maximum allowed length (8186 tokens). Use a shorter input or \
             enable --allow-auto-truncate.",
            Recovery::ShorterPrompt,
        ),
        (
            400,
            "Request prompt exceeds the KV memory budget: input_len=9000.",
            Recovery::ShorterPrompt,
        ),
        (
            422,
            "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000 [validation]",
            Recovery::ShorterPrompt,
        ),
        (
            400,
            "Prompting with images is incompatible with system messages.",
            Recovery::WithoutFeature(OptionalFeature::SystemMessage),
        ),
        (
            400,
            "System role not supported",
            Recovery::WithoutFeature(OptionalFeature::SystemMessage),
        ),
        (
            400,
            "Conversation roles must alternate user/assistant/user/assistant/...",
            Recovery::WithoutFeature(OptionalFeature::SystemMessage),
        ),
        (
            400,
            "unknown field stream_options",
            Recovery::WithoutFeature(OptionalFeature::StreamUsage),
        ),
        (
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
             'max_completion_tokens' instead.",
            Recovery::WithoutFeature(OptionalFeature::MaxTokens),
        ),
        (
            400,
            "Unsupported value: 'temperature' does not support 0.0 with this model.",
            Recovery::WithoutFeature(OptionalFeature::Sampling),
        ),
        (400, "invalid response_format", Recovery::WithoutFeature(OptionalFeature::ResponseSchema)),
        (
            400,
            "registry/model does not support tools",
            Recovery::WithoutFeature(OptionalFeature::Tools),
        ),
        (
            400,
            "\"auto\" tool choice requires --enable-auto-tool-choice",
            Recovery::WithoutFeature(OptionalFeature::Tools),
        ),
        (
            400,
            "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When \
             `thinking` is enabled, a final `assistant` message must start with a thinking block",
            Recovery::WithoutFeature(OptionalFeature::PastCalls),
        ),
        (400, "This model's maximum context length is 4096 tokens.", Recovery::ShorterPrompt),
        (400, "prompt is too long: 215000 tokens > 200000 maximum", Recovery::ShorterPrompt),
        (
            400,
            "The input token count (1100000) exceeds the maximum number of tokens",
            Recovery::ShorterPrompt,
        ),
        (400, "Prompt exceeds max length [1261]", Recovery::ShorterPrompt),
        (
            400,
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
            Recovery::ShorterPrompt,
        ),
        (
            400,
            "Invalid request: Your request exceeded model token limit: 8192",
            Recovery::ShorterPrompt,
        ),
        (
            400,
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            Recovery::ShorterPrompt,
        ),
        (
            400,
            "This endpoint's maximum context length is 8192 tokens. However, you requested about 9096 tokens \
             (4000 of text input, 1000 of tool input, 4096 in the output). Please reduce the length of either one.",
            Recovery::ShorterReply { tokens: 3192 },
        ),
        (
            400,
            "This endpoint's maximum context length is 128000 tokens. However, you requested about 139521 \
             tokens (138021 of text input, 1500 in the output).",
            Recovery::ShorterPrompt,
        ),
        (413, "", Recovery::ShorterPrompt),
        (413, "a web page", Recovery::ShorterPrompt),
        (
            503,
            "Loading model [unavailable_error]",
            Recovery::Retry { after: Some(Duration::from_secs(10)) },
        ),
        (503, "Service unavailable", Recovery::Retry { after: None }),
        (
            400,
            "'claude-opus-5-5' does not support tool types: computer_20251124.",
            Recovery::OtherComputerTool,
        ),
        (
            400,
            "tools.0: Input tag 'computer_toolset_20260801' found using 'type' does not match \
             any of the expected tags",
            Recovery::OtherComputerTool,
        ),
        (
            400,
            "Unexpected value(s) `computer-use-2025-11-24` for the `anthropic-beta` header.",
            Recovery::OtherComputerTool,
        ),
    ] {
        let error = AttemptError::from_status(status, said, None);
        assert_eq!(error.recovery, next, "{}", error.message(str::to_owned));
    }
}

#[test]
fn who_is_to_make_room_or_to_be_waited_for_is_told() {
    for (status, said, part) in [
        (413, "a web page", "a proxy in front of it"),
        (413, "", "client_max_body_size"),
        (413, "Payload Too Large [PayloadTooLargeError]", "client_max_body_size"),
        (413, "Failed to buffer the request body: length limit exceeded", "client_max_body_size"),
        (
            413,
            "Request too large for model `x` on tokens per minute",
            "longer than the model's context",
        ),
        (407, "a web page", "wants a user name and password"),
        (503, "Loading model", "it is loading the model"),
        (503, "no healthy upstream", "look at its log"),
        (503, "The model is overloaded. Please try again later.", "it is busy"),
        (529, "Overloaded", "it is busy"),
    ] {
        let message = AttemptError::from_status(status, said, None).message(str::to_owned);
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn what_is_quoted_of_the_request_decides_nothing() {
    let quoted =
        "{'stream_options': 1, 'temperature': 0, 'messages': [{'image_url': 'x'}], 'tools': []}";
    for said in [
        format!("[{{'loc': ('body', 'user'), 'msg': 'Field required', 'input': {quoted}}}]"),
        format!(
            "1 validation error for Chat\nuser\n  Field required [type=missing, input_value={quoted}, input_type=dict]"
        ),
    ] {
        let error = AttemptError::from_status(422, &said, None);
        assert_eq!((error.kind, error.recovery), (ModelErrorKind::Rejected, Recovery::GiveUp));
        assert!(error.message(str::to_owned).contains("Field required"));
        let inside = AttemptError::inside(Some(422), &said, None);
        assert_eq!((inside.kind, inside.recovery), (ModelErrorKind::Rejected, Recovery::GiveUp));
    }
}

#[test]
fn a_refusal_that_points_at_the_tools_is_one_of_the_tool_for_computers() {
    let sglang = "tools.0.computer.type: String should match pattern '^computer_\\d{8}$'";
    let vllm = "2 validation errors: [{'type': 'missing', 'loc': 'body.tools.0.name', 'msg': 'Field required', \
                'input': '<dict of 2 items>'}]";
    for said in [sglang, vllm, "`tools.0.name`: Field required", "('body', 'tools', 0, 'name')"] {
        let error = || AttemptError::from_status(400, said, None);
        let asked = error().of_computer_tool();
        assert_eq!(asked.recovery, Recovery::OtherComputerTool, "{said}");
        assert!(asked.message(str::to_owned).contains("claude-chat"), "{said}");
        assert_ne!(error().recovery, Recovery::OtherComputerTool, "{said}");
    }
    for (status, said) in [
        (400, "the maximum context length is 2048 tokens, with tools.0 and all"),
        (400, "'temperature' is refused"),
        (400, "tools.3.name: too long"),
        (500, "tools.0 failed"),
    ] {
        let error = AttemptError::from_status(status, said, None).of_computer_tool();
        assert_ne!(error.recovery, Recovery::OtherComputerTool, "{said}");
    }
}

#[test]
fn what_minimax_refuses_with_a_status_of_success_is_moderation() {
    for (code, said) in [(1026, "input new_sensitive"), (1027, "output new_sensitive")] {
        let json = serde_json::json!({ "base_resp": { "status_code": code, "status_msg": said } });
        let error = super::super::error_body::bare_error(&json).unwrap();
        assert_eq!((error.kind, error.recovery), (ModelErrorKind::Rejected, Recovery::GiveUp));
        assert!(error.message(str::to_owned).contains("moderation"), "{said}");
    }
}
