//! What the words of errors say: each host has its own, and there is hardly anything else to tell by.
use std::str::FromStr;

use super::super::features::OptionalFeature;

/// What a prompt leaves of the context.
pub(super) enum ContextRoom {
    Tokens(u32),
    /// Less than was asked for: of the prompt's length the error knows only a bound.
    Less,
}

/// What a prompt leaves of the context, where an error says how long both are. Servers have words of their
/// own for it.
pub(super) fn room_for_reply(reason: &str) -> Option<ContextRoom> {
    let number_behind =
        |leads: &[&str]| leads.iter().find_map(|lead| number_at(reason.split_once(lead)?.1));
    // Of the prompt it says nothing. Half of the context is more than any reply has to be.
    if let Some(context) = number_behind(&["max_total_tokens="]) {
        return Some(ContextRoom::Tokens(context / 2));
    }
    let context: u32 = number_behind(&[
        "maximum context length is ",
        "maximum context length of ",
        "context length is only ",
        "must be <= ",
    ])?;
    // A router counts what is read and the tools apart.
    let parts = [" of text input", " of image input", " of tool input"];
    let parts = parts.iter().filter_map(|behind| number_before(reason, behind));
    if let Some(input) = parts.map(|(number, _)| number).reduce(u32::saturating_add) {
        return context.checked_sub(input).map(ContextRoom::Tokens);
    }
    let input = [" input tokens", " in the messages", " tokens from the input", " `inputs` tokens"];
    let (input, lead) = input.iter().find_map(|behind| number_before(reason, behind))?;
    // Servers that count no further than to the limit.
    if lead.ends_with("at least ") || lead.ends_with("upper bound for ") {
        return Some(ContextRoom::Less);
    }
    context.checked_sub(input).map(ContextRoom::Tokens)
}

/// The number in front of some words, and the text in front of it. A message may name a thing before it says
/// how much it is.
fn number_before<'a>(reason: &'a str, behind: &str) -> Option<(u32, &'a str)> {
    reason.match_indices(behind).find_map(|(at, _)| {
        let lead = reason[..at].trim_end_matches(|c: char| c.is_ascii_digit());
        Some((number_at(&reason[lead.len()..at])?, lead))
    })
}

/// The most tokens that an endpoint lets a reply have, where it says so.
pub(super) fn most_tokens(reason: &str) -> Option<u32> {
    let behind = |lead: &str| reason.split_once(lead).map(|(_, rest)| rest);
    // Of DeepSeek and DashScope: `range of max_tokens is [1, 8192]`.
    if let Some(range) = behind("range of max_tokens ") {
        let (range, _) = range.split_once('[')?.1.split_once(']')?;
        return range.split_once(',')?.1.trim().parse().ok();
    }
    // Of Vertex, whose end is none of them: `maxoutputtokens value of 9000 but the supported range is from 1
    // (inclusive) to 8193 (exclusive)`.
    if let Some(range) = behind("maxoutputtokens value of ") {
        let end = number_at::<u32>(range.split_once("(inclusive) to ")?.1)?;
        return Some(if range.contains("(exclusive)") { end.saturating_sub(1) } else { end });
    }
    // Of Anthropic: `max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for claude-…`.
    if let Some((asked, _)) =
        reason.split_once(", which is the maximum allowed number of output tokens")
    {
        return asked.rsplit_once("> ")?.1.parse().ok();
    }
    // Of vLLM, for replies as long as the whole context. Half of that is more than any reply has to be.
    if let Some(context) = behind("cannot be greater than max_model_len=") {
        return Some(number_at::<u32>(context)? / 2);
    }
    // Of OpenAI, Bedrock and Groq.
    [
        ("this model supports at most ", " completion tokens"),
        ("exceeds the model limit of ", "."),
        ("`max_tokens` must be less than or equal to `", "`"),
    ]
    .iter()
    .find_map(|(lead, end)| behind(lead)?.split_once(end)?.0.parse().ok())
}

/// How many pictures an endpoint takes in one request, where it says so.
pub(super) fn most_pictures(reason: &str) -> Option<usize> {
    // Of vLLM, as `At most 1 image(s)`, and of Groq.
    let mut counts = ["at most ", "supports up to "].into_iter().flat_map(numbers_behind(reason));
    if let Some((most, _)) = counts.find(|(_, unit)| unit.starts_with(" image")) {
        return Some(most);
    }
    // Of Ollama.
    if reason.contains("only supports one image") {
        return Some(1);
    }
    let (_, rest) = reason.split_once("too many images")?;
    // The last is that of `54 > 30`.
    let leads = ["maximum is ", "maximum allowed: ", "max is ", "limit is ", "up to ", " > "];
    leads.into_iter().flat_map(numbers_behind(rest)).next().map(|(most, _)| most)
}

/// The numbers behind some words, each with what follows it.
fn numbers_behind<'a>(text: &'a str) -> impl Fn(&'static str) -> Vec<(usize, &'a str)> {
    move |lead| {
        let found = text.match_indices(lead).filter_map(|(at, _)| {
            let rest = &text[at + lead.len()..];
            let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            Some((number_at(rest)?, unit))
        });
        found.collect()
    }
}

/// The number that a text begins with.
fn number_at<N: FromStr>(text: &str) -> Option<N> {
    text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())].parse().ok()
}

/// The feature that an endpoint refuses, by the words it uses.
pub(super) fn unsupported_feature(reason: &str) -> Option<OptionalFeature> {
    let mentions = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    Some(match reason {
        _ if mentions(&["stream_options", "include_usage"]) => OptionalFeature::StreamUsage,
        // The message names both the parameter that is refused and the one that is wanted.
        _ if mentions(&["max_completion_tokens"]) => OptionalFeature::MaxTokens,
        _ if mentions(&["response_format", "json_schema", "responsejsonschema"]) => {
            OptionalFeature::ResponseSchema
        }
        _ if mentions(&["output_config", "output_format", "structured output"]) => {
            OptionalFeature::ResponseSchema
        }
        _ if mentions(&["temperature", "top_p", "top_k", "_penalty", "`seed`"]) => {
            OptionalFeature::Sampling
        }
        _ if mentions(&["expected `thinking`", "must start with a thinking block"]) => {
            OptionalFeature::PastCalls
        }
        _ if mentions(&["tool choice", "tool_choice", "support tools", "tool use", "--jinja"]) => {
            OptionalFeature::Tools
        }
        // Models of Mistral are particular about how calls and their results are told.
        _ if mentions(&["tool call id was", "after role 'tool'"]) => OptionalFeature::Tools,
        _ if mentions(&["'tools'", "`tools`", "`tools.", "\"tools\""]) => OptionalFeature::Tools,
        // Of chat templates. One that has a place for the rules says so, and means what comes behind them.
        _ if mentions(&["incompatible with system messages", "system role not supported"])
            || reason.contains("conversation roles must alternate")
                && !reason.contains("optional system message") =>
        {
            OptionalFeature::SystemMessage
        }
        _ => return None,
    })
}

/// The status of an error that says by nothing but its words what it is.
pub(super) fn status_of(reason: &str) -> Option<u16> {
    let mentions = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    Some(match reason {
        // LM Studio's and Zhipu's answers where there is nothing at the path.
        _ if mentions(&["unexpected endpoint", "404 not_found"]) => 404,
        _ if mentions(&INVALID_KEY) => 401,
        _ if mentions(&QUOTA_EXCEEDED) => 429,
        _ if mentions(&MODERATED) => 400,
        _ => return None,
    })
}

/// The last is `LiteLLM`'s for any key but its own, where it has no database of others.
pub(super) const INVALID_KEY: [&str; 6] = [
    "api key not valid",
    "api key expired",
    "api_key_invalid",
    "invalid api key",
    "invalid_api_key",
    "no connected db.",
];

/// `1113` is Zhipu's for an account without money, `Arrearage` that of `DashScope`; budgets are `LiteLLM`'s.
pub(super) const QUOTA_EXCEEDED: [&str; 14] = [
    "insufficient_quota",
    "credits are depleted",
    "monthly spending cap",
    "specified api usage limits",
    "credit balance",
    "insufficient balance",
    "exceeded_current_quota",
    "[1113]",
    "[arrearage]",
    "[budget_exceeded]",
    "budget has been exceeded",
    "exceededbudget: ",
    "crossed budget",
    "exceeded budget for ",
];

/// Of 429 alone: other errors may quote the task.
pub(super) const DAILY_LIMIT: [&str; 8] = [
    "perday",
    "per-day",
    "per_day",
    "daily limit",
    "daily quota",
    "daily call",
    "daily request",
    "daily free allocation",
];

/// Of 429 that does not say when there is more.
pub(super) const QUOTA_IF_NO_WAIT: [&str; 2] = ["exceeded your current quota", "requests per day"];

/// Whether a refusal with 403, which has other reasons than the key, is one for want of money or of what is free.
pub(super) fn is_used_up(reason: &str) -> bool {
    // Google's word for who is billed, which a request may lack.
    let reason = reason.replace("quota project", "");
    let mentions = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    mentions(&["quota", "account balance", "insufficient balance", "余额", "overdue"])
        || reason.contains("free tier") && mentions(&["exhausted", "exceeded"])
}

/// What moderation says with 400, which has other reasons: of `DashScope`, Azure and Zhipu, of routers before them, and
/// at the end of Ark, Kimi, `DeepSeek`, `StepFun` and `MiniMax`.
pub(super) const MODERATED: [&str; 18] = [
    "[invalid_prompt]",
    "[bio_policy]",
    "misalignment_policy_violation",
    "data_inspection_failed",
    "datainspectionfailed",
    "inappropriate content",
    "content management policy",
    "responsibleaipolicyviolation",
    "content_policy_violation",
    "sensitive_words_detected",
    "敏感内容",
    "[1301]",
    "sensitivecontentdetected",
    "[content_filter]",
    "considered high risk",
    "content exists risk",
    "censorship_blocked",
    "new_sensitive",
];

/// Of Hugging Face, whose providers are chosen in the account.
pub(super) const NO_PROVIDER: [&str; 2] =
    ["model_not_supported", "by any provider you have enabled"];

/// Of Ark, where each model is opened in the account.
pub(super) const NOT_OPENED: [&str; 2] = ["[modelnotopen]", "has not activated the model"];

/// Of `OpenRouter`, for providers that do with prompts what the account rules out.
pub(super) const DATA_POLICY: [&str; 2] =
    ["matching your data policy", "guardrail restrictions and data policy"];

/// Of `DashScope`, for the sides of a picture.
pub(super) const PICTURE_SIZE: [&str; 1] = ["length and width do not meet"];

/// What is said of models that are no good with the tool for computers, by Google and OpenAI.
pub(super) const NO_COMPUTER_TOOL: [&str; 4] = [
    "computer use is not enabled",
    "computer use is not supported",
    "tool 'computer' is not supported",
    "tool 'computer_use_preview' is not supported",
];

/// Of OpenAI, for some models and for their streams.
pub(super) const NOT_VERIFIED: [&str; 2] = ["organization must be verified", "must be verified to"];

pub(super) const WRONG_PLACE: [&str; 3] = [
    "user location is not supported",
    "unsupported_country_region_territory",
    "country, region, or territory not supported",
];

/// With 400, which is otherwise for parameters. The last is of `transformers serve`.
const UNKNOWN_MODEL: [&str; 5] = [
    "model_not_found",
    "not a valid model id",
    "model does not exist",
    "invalid model name passed in",
    "server is pinned to '",
];

/// Of `LiteLLM`, of a model that it does not have itself, in the words that it has for what providers refuse.
pub(super) const NOT_OF_GATEWAY: [&str; 1] = ["you passed in model="];

/// Whether it is the model's name that an endpoint does not know.
pub(super) fn is_unknown_model(reason: &str) -> bool {
    let behind = |lead: &str| reason.split_once(lead).map(|(_, rest)| rest);
    // Of llama.cpp's router, and of vLLM and OpenAI.
    UNKNOWN_MODEL.iter().chain(&NOT_OF_GATEWAY).any(|word| reason.contains(word))
        || behind("model '").is_some_and(|rest| rest.contains("' not found"))
        || behind("the model `").is_some_and(|rest| rest.contains("` does not exist"))
}

/// Whether it is a gateway's provider that refuses: of `LiteLLM`, whose own refusals have no such name in front, and of
/// claude-code-router.
pub(super) fn is_of_provider(reason: &str) -> bool {
    let words = ["litellm.authenticationerror", "litellm.notfounderror", "litellm.badrequesterror"];
    words.iter().any(|word| reason.contains(word))
        // Its other errors name the provider, as in `APIError: OpenAIException - …`.
        || reason.contains("litellm.") && reason.contains("exception - ")
        || reason.contains("error from provider(")
}

/// Of a gateway that has given up waiting, with 408.
pub(super) const GATEWAY_TIMEOUT: [&str; 1] = ["litellm.timeout"];

/// Of llama.cpp's server, whose requests share the context: a prompt that is too long has other words, and 400.
pub(super) const SHARED_CONTEXT: [&str; 1] = ["context size has been exceeded"];

/// Of llama.cpp's server, which reads the calls of tools out of the model's words.
pub(super) const UNPARSED_REPLY: [&str; 1] =
    ["model produced output that does not match the expected"];

/// What servers say while the model is not in memory yet.
pub(super) const LOADING: [&str; 3] = ["loading model", "model is loading", "currently loading"];

/// Whether a gateway in front of the model refuses with 400 what the task or the screen says.
pub(super) fn is_guarded(reason: &str) -> bool {
    let mentions = |word| reason.contains(word);
    mentions("content blocked")
        || mentions("blocked by")
        || mentions("guardrail")
        || mentions("violated ") && mentions("policy")
}

/// Whether one is for what the task or the screen says. An account may be flagged too.
pub(super) fn is_moderated(reason: &str) -> bool {
    let mentions = |word| reason.contains(word);
    mentions("moderation") || mentions("guardrail") || mentions("flagged") && !mentions("account")
}

pub(super) const CONTEXT_EXCEEDED: [&str; 24] = [
    // Of SGLang, twice, and of TGI.
    "tokens) exceeds the maximum allowed length",
    "exceeds the kv memory budget",
    "`inputs` must have less than",
    "max_total_tokens=",
    "prompt exceeds max length",
    "range of input length",
    "exceeded model token limit",
    "maximum prompt length",
    "requested token count exceeds",
    "maximum model length",
    "`max_new_tokens` must be <=",
    "context length",
    "context_length",
    "context window",
    "context size",
    "context limit",
    "maximum context",
    "too many tokens",
    "exceed_context",
    "prompt is too long",
    "input is too long",
    "input token count",
    "request_too_large",
    "reduce the length",
];

pub(super) const NO_VISION: [&str; 4] =
    ["image input", "not a multimodal", "does not support image", "not support vision"];
