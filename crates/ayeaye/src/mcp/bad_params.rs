//! Params that do not fit their method. rmcp takes such a request for one of an unknown method.
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CancelTaskParams, ClientJsonRpcMessage, ClientRequest,
    CompleteRequestParams, ErrorCode, GetMeta as _, GetPromptRequestParams, GetSkillRequestParams,
    GetTaskParams, InitializeRequestParams, PaginatedRequestParams, ReadResourceRequestParams,
    RequestId, SubscribeRequestParams, UnsubscribeRequestParams, UpdateTaskParams,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::text::excerpt;

/// What 2026-07-28 has no more.
const REMOVED: [&str; 5] =
    ["initialize", "logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"];

/// The error for an `initialize` with invalid params, and its id. rmcp would take it for a request before the
/// handshake, and complain of that.
pub(crate) fn of_handshake(message: &ClientJsonRpcMessage) -> Option<(ErrorData, RequestId)> {
    let ClientJsonRpcMessage::Request(message) = message else { return None };
    let ClientRequest::CustomRequest(request) = &message.request else { return None };
    // One that names a protocol of its own has no handshake.
    let is_handshake =
        request.method == "initialize" && message.request.get_meta().protocol_version().is_none();
    let refused = || refusal(&request.method, request.params.clone(), false);
    is_handshake.then(|| (refused(), message.id.clone()))
}

/// The error for invalid params of a known method, or for an unknown method. `modern`: the client speaks 2026-07-28.
#[expect(deprecated, reason = "clients of the older protocols may still ask for log messages")]
pub(super) fn refusal(method: &str, params: Option<Value>, modern: bool) -> ErrorData {
    let problem = match method {
        removed if modern && REMOVED.contains(&removed) => return unknown_method(method),
        "initialize" => problem::<InitializeRequestParams>,
        "tools/call" => problem::<CallToolRequestParams>,
        "resources/read" => problem::<ReadResourceRequestParams>,
        "resources/subscribe" => problem::<SubscribeRequestParams>,
        "resources/unsubscribe" => problem::<UnsubscribeRequestParams>,
        "prompts/get" => problem::<GetPromptRequestParams>,
        "completion/complete" => problem::<CompleteRequestParams>,
        "logging/setLevel" => problem::<rmcp::model::SetLevelRequestParams>,
        "tasks/get" => problem::<GetTaskParams>,
        "tasks/update" => problem::<UpdateTaskParams>,
        "tasks/cancel" => problem::<CancelTaskParams>,
        "skills/get" => problem::<GetSkillRequestParams>,
        "tools/list"
        | "resources/list"
        | "resources/templates/list"
        | "prompts/list"
        | "skills/list" => problem::<PaginatedRequestParams>,
        "ping" | "server/discover" | "subscriptions/listen" => |_| None,
        _ => return unknown_method(method),
    };
    let problem = problem(params.unwrap_or_else(|| json!({})))
        .unwrap_or_else(|| "they are not as the protocol says".to_owned());
    ErrorData::invalid_params(format!("the params of {method} do not fit: {problem}"), None)
}

/// An error that rmcp may have made by itself, in the words of the others, and no longer than they are.
pub(crate) fn in_own_words(error: ErrorData) -> ErrorData {
    // The name of the method, and nothing else.
    if error.code == ErrorCode::METHOD_NOT_FOUND && !error.message.contains(' ') {
        return unknown_method(&error.message);
    }
    match error.message.strip_suffix(" is not the uri of a SKILL.md") {
        Some(uri) => {
            let shown = excerpt(uri, 200);
            let text = format!(
                "`{shown}` is not the uri of a SKILL.md; skills/list names those there are"
            );
            ErrorData { message: text.into(), ..error }
        }
        None => error,
    }
}

fn unknown_method(method: &str) -> ErrorData {
    let text = format!("unknown method `{}`", excerpt(method, 60));
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None)
}

fn problem<T: DeserializeOwned>(params: Value) -> Option<String> {
    serde_path_to_error::deserialize::<_, T>(params).err().map(|err| told(&err))
}

/// Apart from the types of parameters, so that it is compiled once.
fn told(err: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let why = excerpt(&crate::mcp::tool_error::without_value(&err.inner().to_string()), 300);
    match err.path().to_string().as_str() {
        "." => why,
        path => format!("`{}`: {why}", excerpt(path, 60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_method_is_not_unknown() {
        for (method, params, says) in [
            ("tools/call", None, "missing field `name`"),
            ("tools/call", Some(json!({ "name": 5 })), "`name`: invalid type"),
            ("resources/read", Some(json!({})), "missing field `uri`"),
            ("prompts/get", Some(json!([])), "do not fit"),
            ("logging/setLevel", Some(json!({ "level": "loud" })), "do not fit"),
            ("tools/list", Some(json!({ "cursor": 5 })), "do not fit"),
        ] {
            let error = refusal(method, params, false);
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{method}: {error:?}");
            assert!(error.message.contains(says), "{error:?}");
        }
        let unknown = refusal("tools/delete", None, false);
        assert_eq!(unknown.code, ErrorCode::METHOD_NOT_FOUND);
        assert_eq!(unknown.message, "unknown method `tools/delete`");
    }

    #[test]
    fn a_long_text_of_a_client_is_not_sent_back_whole() {
        let long = "x".repeat(100_000);
        for (method, params) in [
            ("logging/setLevel", json!({ "level": long })),
            (
                "completion/complete",
                json!({ "ref": { "type": long }, "argument": { "name": "a", "value": "" } }),
            ),
        ] {
            let message = refusal(method, Some(params), false).message;
            assert!(message.contains("xxx") && message.len() < 500, "{}", message.len());
        }
        let of_rmcp = format!("{long} is not the uri of a SKILL.md");
        let told = in_own_words(ErrorData::invalid_params(of_rmcp, None));
        assert_eq!(told.code, ErrorCode::INVALID_PARAMS);
        assert!(told.message.len() < 300 && told.message.contains("skills/list"), "{told:?}");
    }

    #[test]
    fn an_unknown_method_is_told_as_such_whoever_tells_it() {
        let bare = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "ping", None);
        assert_eq!(in_own_words(bare), refusal("ping", None, true));
        let other = ErrorData::invalid_params("ping", None);
        assert_eq!(in_own_words(other.clone()), other);
    }

    #[test]
    fn a_method_that_is_gone_is_unknown_to_clients_of_its_protocol() {
        for method in REMOVED {
            assert_eq!(refusal(method, None, true).code, ErrorCode::METHOD_NOT_FOUND, "{method}");
            assert_eq!(refusal(method, None, false).code, ErrorCode::INVALID_PARAMS, "{method}");
        }
        assert_eq!(refusal("tools/call", None, true).code, ErrorCode::INVALID_PARAMS);
    }
}
