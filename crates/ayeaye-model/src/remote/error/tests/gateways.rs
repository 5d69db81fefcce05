//! What gateways in front of a model refuse, in their own words.
use super::*;

#[test]
fn a_guardrail_a_budget_and_the_gateways_own_key_are_told_apart_from_what_the_user_has_set() {
    use ModelErrorKind::{NotFound, QuotaExceeded, Rejected, Unauthorized};
    for (status, said, kind, part) in [
        (400, "Content blocked: keyword 'forbiddenword' detected", Rejected, "guardrail"),
        (400, "Violated guardrail policy [invalid_request_error]", Rejected, "guardrail"),
        (400, "Violated content safety policy", Rejected, "guardrail"),
        (
            429,
            "No deployments available - crossed budget: Exceeded budget for deployment model_name: m, \
             litellm_params.model: openai/up: 12.4 >= 1d",
            QuotaExceeded,
            "budget",
        ),
        (429, "Exceeded budget for provider openai: 1.2 >= 1.0", QuotaExceeded, "budget"),
        (
            401,
            "litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided: sk-***",
            Unauthorized,
            "the gateway's own key",
        ),
        (
            401,
            "Error from provider(up,model: 401): {\"error\":{\"message\":\"Incorrect API key\"}}",
            Unauthorized,
            "the gateway's own key",
        ),
        (
            400,
            "litellm.BadRequestError: VertexAIException - API key not valid.",
            Unauthorized,
            "the gateway's own key",
        ),
        (
            403,
            "litellm.APIError: APIError: OpenAIException - Project does not have access to the model.",
            Unauthorized,
            "the gateway's own key",
        ),
        (
            400,
            "litellm.BadRequestError: You passed in model=m-nosuch. There are no healthy deployments for this model",
            NotFound,
            "the endpoint lists its models",
        ),
        // A key of the gateway's is the user's.
        (
            401,
            "Authentication Error, Invalid proxy server token passed. See https://docs.litellm.ai/docs",
            Unauthorized,
            "AYEAYE_MODEL_API_KEY",
        ),
        (
            404,
            "litellm.NotFoundError: NotFoundError: OpenAIException - The model `up` does not exist or you do not have \
             access to it.",
            NotFound,
            "the gateway's settings",
        ),
        (
            404,
            "litellm.NotFoundError: OpenAIException - Not Found",
            NotFound,
            "the gateway's settings",
        ),
    ] {
        let error = AttemptError::from_status(status, said, None);
        let message = error.message(str::to_owned);
        assert_eq!((error.kind, error.recovery), (kind, Recovery::GiveUp), "{message}");
        let (_, hint) = message.rsplit_once("”)").unwrap();
        assert!(hint.contains(part), "{message}");
    }
}

#[test]
fn a_gateways_own_limit_on_time_is_too_slow_and_repeated_once() {
    let said = "litellm.Timeout: APITimeoutError - Request timed out. Error_str: Request timed out.\n\nDeployment \
                Info: request_timeout: None\ntimeout: 3.0";
    let error = AttemptError::from_status(408, said, None);
    let expected = (ModelErrorKind::TimedOut, Recovery::RetryOnce { after: None }, true);
    assert_eq!((error.kind, error.recovery, error.is_taken), expected);
    assert!(error.message(str::to_owned).contains("answers sooner"));
}

/// Also where the host's own rule gives its verdict.
#[test]
fn who_is_busy_behind_the_beginning_of_an_answer_is_asked_once_more_after_the_time_that_it_names() {
    let after = Some(Duration::from_secs(2));
    let busy = || AttemptError::from_status(429, "please try again in 2s", after).behind(true);
    assert_eq!(busy().recovery, Recovery::RetryOnce { after });
    let aliyun = Endpoint::parse("https://dashscope.aliyuncs.com/compatible-mode/v1").unwrap();
    assert_eq!(busy().at(&aliyun).recovery, Recovery::RetryOnce { after });
}
