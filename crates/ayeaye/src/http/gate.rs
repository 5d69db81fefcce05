//! What a request must pass before it reaches MCP: host, origin, token, and its size.
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, ORIGIN};
use axum::http::header::{HeaderMap, HeaderName, WWW_AUTHENTICATE};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use ayeaye_agent::Principal;
use futures::StreamExt as _;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use super::names::{HostName, Hosts, WebOrigin};
use super::token::Lock;

/// Who made this call: over HTTP whoever the gate took it from, and over stdio the person who started
/// us.
pub fn principal(context: &RequestContext<RoleServer>) -> Principal {
    context
        .extensions
        .get::<axum::http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<Principal>())
        .cloned()
        .unwrap_or_else(Principal::local)
}

/// What is checked.
#[derive(Clone)]
pub(super) struct Gate {
    pub(super) hosts: Hosts,
    pub(super) origins: Vec<WebOrigin>,
    pub(super) lock: Lock,
    pub(super) body_limit: usize,
}

/// How long a request's body may take.
const BODY_TIME: Duration = Duration::from_secs(30);

/// How much of a body that is too large is still read, so that a client which writes all of it
/// before it reads sees the answer and not a broken connection.
const DRAINED: usize = 32 << 20;

/// Lets through what says a host of ours, once, and no origin of a stranger.
pub(super) async fn check_names(
    State(gate): State<Arc<Gate>>,
    request: Request,
    next: Next,
) -> Response {
    let host = match only(request.headers(), &HOST) {
        Ok(Some(text)) => text.parse::<HostName>().ok(),
        Ok(None) | Err(Twice) => None,
    };
    let Some(host) = host else {
        return refuse(StatusCode::BAD_REQUEST, "the request must name one host");
    };
    // `GET http://evil.example/ HTTP/1.1` overrules the header: RFC 9112, 3.2.2.
    let in_target = request.uri().authority().map(|text| text.as_str().parse::<HostName>());
    let agreed = in_target.is_none_or(|target| target.as_ref() == Ok(&host));
    if !agreed || !gate.hosts.allow(&host) {
        let text = format!("this server does not answer to {host}; http.allowed-hosts can add it");
        return refuse(StatusCode::FORBIDDEN, &text);
    }
    let stranger = match only(request.headers(), &ORIGIN) {
        Ok(None) => false,
        Ok(Some(text)) => {
            text.parse::<WebOrigin>().map_or(true, |origin| !gate.origins.contains(&origin))
        }
        Err(Twice) => true,
    };
    if stranger {
        let text = "web pages of this origin may not call; http.allowed-origins can add it";
        return refuse(StatusCode::FORBIDDEN, text);
    }
    next.run(request).await
}

/// Lets through what carries the token and is of bearable size. The token goes no further.
pub(super) async fn check_token(
    State(gate): State<Arc<Gate>>,
    mut request: Request,
    next: Next,
) -> Response {
    let given = only(request.headers(), &AUTHORIZATION);
    let opened = match &given {
        Ok(Some(text)) => bearer(text).is_some_and(|token| gate.lock.opens(token.as_bytes())),
        Ok(None) | Err(Twice) => false,
    };
    if !opened {
        let challenge = match given {
            Ok(None) => "Bearer realm=\"ayeaye\"",
            Ok(Some(_)) | Err(Twice) => "Bearer realm=\"ayeaye\", error=\"invalid_token\"",
        };
        let text = "a bearer token is needed: AYEAYE_HTTP_TOKEN, or the file http-token in the \
                    server's data folder";
        let mut response = refuse(StatusCode::UNAUTHORIZED, text);
        let challenge = axum::http::HeaderValue::from_static(challenge);
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        return response;
    }
    request.headers_mut().remove(AUTHORIZATION);
    request.extensions_mut().insert(Principal::local());
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    match read(&parts.headers, body, gate.body_limit).await {
        Ok(bytes) => next.run(Request::from_parts(parts, Body::from(bytes))).await,
        Err(refusal) => refusal,
    }
}

/// Reads a body of at most `limit` bytes.
async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Response> {
    let too_large = || {
        let text = format!("the request is larger than {limit} bytes (http.body-limit)");
        refuse(StatusCode::PAYLOAD_TOO_LARGE, &text)
    };
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok())
        .unwrap_or(0);
    // Who asks first, or announces more than would be drained, gets the answer at once.
    if limit < announced && (headers.contains_key(EXPECT) || DRAINED < announced) {
        return Err(too_large());
    }
    let whole = async {
        let mut chunks = body.into_data_stream();
        let mut bytes = Vec::with_capacity(announced.min(limit));
        let mut seen = 0_usize;
        while let Some(chunk) = chunks.next().await {
            let broken = |err| {
                tracing::debug!("a request's body broke off: {err}");
                refuse(StatusCode::BAD_REQUEST, "the request's body broke off")
            };
            let chunk = chunk.map_err(broken)?;
            seen = seen.saturating_add(chunk.len());
            if seen <= limit {
                bytes.extend_from_slice(&chunk);
            } else if DRAINED < seen {
                break;
            }
        }
        if limit < seen { Err(too_large()) } else { Ok(Bytes::from(bytes)) }
    };
    match tokio::time::timeout(BODY_TIME, whole).await {
        Ok(read) => read,
        Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "the request's body took too long")),
    }
}

/// A header that came more than once, or not as text: whoever reads the other one is fooled.
struct Twice;

fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Twice> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Twice);
    }
    value.to_str().map(Some).map_err(|_| Twice)
}

/// The token of `Authorization: Bearer …`; the scheme in any case, as RFC 9110, 11.1 wants it.
fn bearer(text: &str) -> Option<&str> {
    let (scheme, token) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_matches(' '))
}

/// A refusal in the form of a JSON-RPC error, which clients show, with the status that tells why.
fn refuse(status: StatusCode, text: &str) -> Response {
    let body = serde_json::json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": { "code": -32600, "message": text },
    });
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bearer_tokens_are_read_as_the_rfc_says() {
        assert_eq!(bearer("Bearer abc"), Some("abc"));
        assert_eq!(bearer("bearer  abc "), Some("abc"));
        for wrong in ["abc", "Basic abc", "Bearerabc", ""] {
            assert_eq!(bearer(wrong), None, "{wrong}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_given_up() {
        let body = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
        let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[tokio::test]
    async fn an_endless_body_is_read_no_further_than_it_helps() {
        let chunk = Bytes::from(vec![b' '; 1 << 20]);
        let body = Body::from_stream(futures::stream::repeat_with(move || {
            Ok::<_, std::io::Error>(chunk.clone())
        }));
        let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_passes() {
        let body = Body::from(vec![b'x'; 1024]);
        assert_eq!(read(&HeaderMap::new(), body, 1024).await.unwrap().len(), 1024);
        let body = Body::from(vec![b'x'; 1025]);
        let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
