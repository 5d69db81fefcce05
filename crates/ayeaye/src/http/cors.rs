//! CORS (the Fetch standard), so that a browser lets pages of an allowed origin call this server. Never
//! `*` and never with cookies; a page needs the token like any other client.
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderName, HeaderValue, VARY,
};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};

/// The headers of MCP and of its transport that a page may send.
const SENT: [&str; 8] = [
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
];
/// The prefix of headers that carry a tool's arguments.
const ARGUMENT: &str = "mcp-param-";
/// The headers a page may read.
const READ: HeaderValue = HeaderValue::from_static("Mcp-Session-Id, WWW-Authenticate, Retry-After");

const ASKS_FOR_PRIVATE: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const ALLOWS_PRIVATE: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// Whether this is a preflight request.
pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight request from an allowed origin.
pub(super) fn preflight(headers: &HeaderMap) -> Response {
    let asked = headers.get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|it| it.to_str().ok());
    let arguments = asked
        .unwrap_or_default()
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| name.starts_with(ARGUMENT) && HeaderName::try_from(name).is_ok());
    let allowed: Vec<String> = SENT.iter().map(|&name| name.into()).chain(arguments).collect();
    let mut response = StatusCode::NO_CONTENT.into_response();
    let answer = response.headers_mut();
    let allowed = HeaderValue::try_from(allowed.join(", ")).expect("names of headers");
    answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    if headers.contains_key(ASKS_FOR_PRIVATE) {
        // Private network access: the operator has allowed this origin.
        answer.insert(ALLOWS_PRIVATE, HeaderValue::from_static("true"));
    }
    response
}

/// Lets pages of this allowed origin read the response.
pub(super) fn expose(response: &mut Response, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    headers.append(VARY, HeaderValue::from_static("Origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_may_send_what_mcp_needs_and_nothing_else() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCESS_CONTROL_REQUEST_METHOD, HeaderValue::from_static("POST"));
        assert!(is_preflight(&Method::OPTIONS, &headers));
        assert!(!is_preflight(&Method::POST, &headers));
        assert!(!is_preflight(&Method::OPTIONS, &HeaderMap::new()));
        let asked =
            HeaderValue::from_static("authorization, Mcp-Param-Region, x-evil, mcp-param-(");
        headers.insert(ACCESS_CONTROL_REQUEST_HEADERS, asked);
        let answer = preflight(&headers);
        let allowed = answer.headers()[ACCESS_CONTROL_ALLOW_HEADERS].to_str().unwrap();
        assert!(allowed.starts_with("accept, authorization, "), "{allowed}");
        assert!(allowed.ends_with(", mcp-param-region"), "{allowed}");
        assert!(!answer.headers().contains_key(ALLOWS_PRIVATE));
        assert!(!answer.headers().contains_key("access-control-allow-credentials"));
    }
}
