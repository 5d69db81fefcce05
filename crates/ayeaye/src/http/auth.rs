//! The checks before a request reaches MCP: host, origin, token, size.
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::header::{HeaderMap, HeaderName, HeaderValue};
use axum::http::header::{WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS};
use axum::http::{Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use ayeaye_agent::Principal;

use super::SESSION_ID;
use super::accept;
use super::connections::{Conn, Peer};
use super::cors;
use super::hosts::Hosts;
use super::issuer::{Denied, Issuer, NO_JWT};
use super::logins::Logins;
use super::malformed;
use super::own_page;
use super::rate_limit::{RateLimiter, network};
use super::refusal::{later, no_session, nothing_left, refuse};
use super::replay::Spent;
use super::request_body;
use super::resource::Resource;
use super::sessions::{Sessions, on_behalf_of};
use super::slow_answer;
use super::token_store::TokenStore;
use crate::config::{HostName, WebOrigin};
use crate::page::Refusal;
use crate::principal;

/// The checks of requests, and their settings.
pub(super) struct AuthMiddleware {
    pub(super) hosts: Hosts,
    pub(super) origins: Vec<WebOrigin>,
    pub(super) token_store: TokenStore,
    pub(super) issuer: Option<Issuer>,
    pub(super) resource: Resource,
    pub(super) sessions: Arc<Sessions>,
    /// Who is signed in to the page.
    pub(super) logins: Logins,
    /// Limits the requests of each principal.
    pub(super) requests: RateLimiter<Principal>,
    /// Limits wrong tokens from each address; from all processes at a Unix socket together.
    pub(super) wrong: RateLimiter<Option<IpAddr>>,
    pub(super) body_limit: usize,
    /// How long an answer without a session may take before its stream begins without it.
    pub(super) silence: Duration,
}

/// Accepts requests that name one of our hosts and no foreign origin. Our own, on loopback, gains a page nothing: it is
/// another one for each port, a name that was pointed here is none of our hosts, and MCP wants the token. Pages that
/// load something without CORS (an image, a script, a form) send no origin; a header tells their browser to hide the
/// response.
pub(super) async fn check_names(
    State(auth): State<Arc<AuthMiddleware>>,
    request: Request,
    next: Next,
) -> Response {
    // A client that sends hundreds of requests at once must not starve the others.
    tokio::task::yield_now().await;
    let of_page = own_page::is_page(request.uri().path());
    let mut response = answer_to_names(&auth, request, next).await;
    let headers = response.headers_mut();
    if of_page {
        own_page::protect(headers);
    }
    headers.insert(KEEP_FROM_PAGES, HeaderValue::from_static("same-origin"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// The paths of load balancers and the like.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

const KEEP_FROM_PAGES: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

async fn answer_to_names(auth: &AuthMiddleware, mut request: Request, next: Next) -> Response {
    let is_probe = PROBES.contains(&request.uri().path());
    let host = match only(request.headers(), &HOST) {
        Ok(Some(text)) => text.parse::<HostName>().ok(),
        // HTTP/1.0 has no such header, and load balancers such as HAProxy ask by it. No browser does, so no page
        // gets an answer by it.
        Ok(None)
            if is_probe
                && request.version() == Version::HTTP_10
                && request.uri().authority().is_none() =>
        {
            return next.run(request).await;
        }
        Ok(None) | Err(Ambiguous) => None,
    };
    let Some(host) = host else {
        return refuse(StatusCode::BAD_REQUEST, "the request must name one host");
    };
    // `GET http://evil.example/ HTTP/1.1` overrides the header: RFC 9112, 3.2.2.
    let in_target = request.uri().authority().map(|text| text.as_str().parse::<HostName>());
    let agreed = in_target.is_none_or(|target| target.is_ok_and(|target| target == host));
    // Probes come by the address of a container or a machine, which no setting can know beforehand. Nobody can
    // point an address elsewhere, as one can a name.
    if !agreed || !(is_probe && host.is_address() || auth.hosts.allow(&host)) {
        tracing::debug!(%host, "a request for a host that is none of ours was refused");
        return refuse(StatusCode::FORBIDDEN, &auth.hosts.refusal(&host));
    }
    // What follows knows by which of our names it was reached.
    request.extensions_mut().insert(host.clone());
    if own_page::is_page(request.uri().path()) {
        return answer_to_own_page(auth, host, request, next).await;
    }
    let allowed = match only(request.headers(), &ORIGIN) {
        // Not a page, or a kind of request that cannot be MCP.
        Ok(None) => return next.run(request).await,
        Ok(Some(text)) => {
            auth.hosts.is_own_origin(&host, text)
                || text.parse::<WebOrigin>().is_ok_and(|origin| auth.origins.contains(&origin))
        }
        Err(Ambiguous) => false,
    };
    let origin = request.headers().get(ORIGIN).cloned();
    let Some(origin) = origin.filter(|_| allowed) else {
        let text = "web pages of this origin may not call; http.allowed-origins can add it";
        tracing::debug!(%host, "a request of a web page of another origin was refused");
        return refuse(StatusCode::FORBIDDEN, text);
    };
    let mut response = if cors::is_preflight(request.method(), request.headers()) {
        cors::preflight(request.headers())
    } else {
        next.run(request).await
    };
    cors::expose(&mut response, origin);
    response
}

/// What belongs to the page is for the page alone, whatever other origins may call MCP.
async fn answer_to_own_page(
    auth: &AuthMiddleware,
    host: HostName,
    request: Request,
    next: Next,
) -> Response {
    let own = match only(request.headers(), &ORIGIN) {
        Ok(None) => true,
        Ok(Some(origin)) => own_page::is_own_origin(&auth.resource, &host, origin),
        Err(Ambiguous) => false,
    };
    if !own {
        let text = "only the page of this server may ask for this; behind a proxy, set http.public-url, or let it \
                    pass on the Host of the browser";
        return Refusal::new(StatusCode::FORBIDDEN, text).into_response();
    }
    next.run(request).await
}

/// Headers that proxies add.
const FORWARDED: [&str; 11] = [
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-envoy-external-address",
    "true-client-ip",
    "fastly-client-ip",
    "client-ip",
    "x-proxyuser-ip",
    "x-amzn-trace-id",
];
/// The beginnings of others.
const FORWARDED_FAMILIES: [&str; 5] =
    ["x-forwarded-", "x-original-", "cf-", "x-envoy-", "x-appengine-"];

/// Accepts requests with a valid token and a body within the limit, attaches the principal and removes
/// the token.
pub(super) async fn check_token(
    State(auth): State<Arc<AuthMiddleware>>,
    mut request: Request,
    next: Next,
) -> Response {
    let conn = request.extensions().get::<Conn>().cloned();
    let principal = match auth.principal_of(request.headers(), conn.as_ref()).await {
        Ok(principal) => principal,
        Err(stopped) => {
            let resource = request.extensions().get().map(|host| auth.resource.at(host));
            let resource = resource.as_ref().unwrap_or(&auth.resource);
            return auth.stop(stopped, resource, conn.as_ref());
        }
    };
    if conn.is_some_and(|conn| !conn.authenticate(&principal)) {
        let text = "too many connections with this token; end some, or use them again";
        return later(StatusCode::TOO_MANY_REQUESTS, Duration::ZERO, text);
    }
    if let Err(wait) = auth.requests.take(&principal) {
        return later(StatusCode::TOO_MANY_REQUESTS, wait, "too many requests (http.rate-limit)");
    }
    request.headers_mut().remove(AUTHORIZATION);
    principal::attach(&mut request, principal.clone());
    if *request.method() == Method::GET
        && let Some(spent) = auth.spent(&principal, request.headers())
    {
        return nothing_left(spent);
    }
    accept::name_ranges(request.headers_mut());
    let names_session = request.headers().contains_key(SESSION_ID);
    let response = match *request.method() {
        // rmcp would end anybody's session, and answer 202 when there is none.
        Method::DELETE if auth.names_no_session_of(&principal, request.headers()) => no_session(),
        Method::DELETE => ended(on_behalf_of(principal, next.run(request)).await),
        Method::POST => {
            let (parts, body) = request.into_parts();
            match request_body::read(&parts.headers, body, auth.body_limit).await {
                Ok(bytes) => {
                    let early = slow_answer::may_begin_early(&parts.headers);
                    let is_json = malformed::is_json(&parts.headers);
                    let request = Request::from_parts(parts, Body::from(bytes.clone()));
                    let sent = bytes.clone();
                    let answering = Box::pin(async move {
                        let response = on_behalf_of(principal, next.run(request)).await;
                        if is_json { malformed::explained(response, &sent) } else { response }
                    });
                    if early {
                        slow_answer::within(auth.silence, answering, bytes).await
                    } else {
                        answering.await
                    }
                }
                Err(refusal) => refusal,
            }
        }
        _ => on_behalf_of(principal, next.run(request)).await,
    };
    if names_session && response.status() == StatusCode::NOT_FOUND {
        no_session()
    } else {
        response
    }
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy)]
enum Stopped {
    NoToken,
    /// And what is wrong with the token.
    Wrong(&'static str),
    NoScope,
    /// The token cannot be checked for this long.
    Unknown(Duration),
    /// Its key is not among those that were fetched; they may be fetched again after this long.
    UnknownKey(Duration),
}

const TWO_OR_NO_BEARER: &str = "the request has another Authorization than one bearer token";
const NOT_OURS: &str = "the token is none of this server's own";

impl AuthMiddleware {
    /// The principal of a request.
    async fn principal_of(
        &self,
        headers: &HeaderMap,
        conn: Option<&Conn>,
    ) -> Result<Principal, Stopped> {
        let token = match only(headers, &AUTHORIZATION) {
            Ok(Some(text)) => bearer(text).ok_or(Stopped::Wrong(TWO_OR_NO_BEARER))?,
            Ok(None) => {
                // At a Unix socket the system tells the user, who could read the token anyway.
                let vouched = conn.is_some_and(|it| it.peer == Peer::Local { same_user: true })
                    && !self.is_forwarded(headers);
                return if vouched { Ok(Principal::local()) } else { Err(Stopped::NoToken) };
            }
            Err(Ambiguous) => return Err(Stopped::Wrong(TWO_OR_NO_BEARER)),
        };
        if let Some(principal) = self.token_store.principal_of(token.as_bytes()) {
            return Ok(principal.clone());
        }
        let Some(issuer) = &self.issuer else { return Err(Stopped::Wrong(NOT_OURS)) };
        if !Issuer::is_like_its(token) {
            return Err(Stopped::Wrong(NO_JWT));
        }
        issuer.principal_of(token).await.map_err(|denied| match denied {
            Denied::Wrong(why) => Stopped::Wrong(why),
            Denied::Scope => Stopped::NoScope,
            Denied::Unavailable(wait) => Stopped::Unknown(wait),
            Denied::UnknownKey(wait) => Stopped::UnknownKey(wait),
        })
    }

    /// Whether the process at the socket may act for somebody else: its headers say so, a proxy is
    /// configured, or the request names a host that only a proxy has.
    fn is_forwarded(&self, headers: &HeaderMap) -> bool {
        let host = only(headers, &HOST).ok().flatten().and_then(|text| text.parse().ok());
        let told = headers.keys().map(HeaderName::as_str);
        self.resource.is_public()
            || !host.is_some_and(|host: HostName| host.is_localhost())
            || told.into_iter().any(|it| {
                FORWARDED.contains(&it)
                    || FORWARDED_FAMILIES.iter().any(|begin| it.starts_with(begin))
            })
    }

    /// The answer to a request that gets no further; `resource` is this server by the name that it was asked by.
    fn stop(&self, stopped: Stopped, resource: &Resource, conn: Option<&Conn>) -> Response {
        let has_issuer = self.issuer.is_some();
        let (status, error, text) = match stopped {
            Stopped::NoToken if has_issuer => (
                StatusCode::UNAUTHORIZED,
                None,
                "a bearer token is needed: one of the issuer that WWW-Authenticate leads to, or one \
                 of this server",
            ),
            Stopped::Wrong(why) if has_issuer => {
                (StatusCode::UNAUTHORIZED, Some(("invalid_token", Some(why))), why)
            }
            Stopped::Wrong(_) => (
                StatusCode::UNAUTHORIZED,
                Some(("invalid_token", None)),
                "this bearer token is not one of this server's: use AYEAYE_HTTP_TOKEN, the file http-token \
                 in its data folder, or a token from its owner that was added before it started",
            ),
            Stopped::NoToken => (
                StatusCode::UNAUTHORIZED,
                None,
                "a bearer token is needed: AYEAYE_HTTP_TOKEN, or the file http-token in the \
                 server's data folder",
            ),
            Stopped::NoScope => (
                StatusCode::FORBIDDEN,
                Some(("insufficient_scope", None)),
                "the token needs the scope phone:control",
            ),
            Stopped::Unknown(wait) => {
                let text = "the issuer's keys cannot be fetched now; the server's log says why";
                return later(StatusCode::SERVICE_UNAVAILABLE, wait, text);
            }
            Stopped::UnknownKey(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                None,
                "the key of this token is not among the issuer's, which were fetched a moment ago; they are \
                 fetched again soon",
            ),
        };
        // Anybody can make up the name of a key.
        let counts = error.is_some() || matches!(stopped, Stopped::UnknownKey(_));
        if counts && let Err(wait) = self.count_wrong(conn) {
            let text = "too many wrong tokens from this address (http.wrong-tokens)";
            return later(StatusCode::TOO_MANY_REQUESTS, wait, text);
        }
        if counts {
            // The limit above is on these lines of the log; it locks nobody out.
            let peer = conn.map(|conn| tracing::field::display(conn.peer));
            let why = if let Stopped::Wrong(why) = stopped { why } else { text };
            tracing::info!(
                peer,
                "a request with a bearer token that is not taken was refused: {why}"
            );
        }
        if let Stopped::UnknownKey(wait) = stopped {
            return later(status, wait, text);
        }
        let mut response = refuse(status, text);
        let challenge = resource.challenge(self.issuer.as_ref(), error);
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        response
    }

    /// Counts a wrong token or code of this peer. The error is how long it has to wait after too many.
    pub(super) fn count_wrong(&self, conn: Option<&Conn>) -> Result<(), Duration> {
        let peer = conn.and_then(|conn| match conn.peer {
            Peer::At(address) => Some(network(address)),
            Peer::Local { .. } => None,
        });
        self.wrong.take(&peer)
    }

    /// Why nothing will come from the stream that the request resumes in this principal's session.
    fn spent(&self, principal: &Principal, headers: &HeaderMap) -> Option<Spent> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let (session, event) = (text(SESSION_ID)?, text("last-event-id")?);
        self.sessions.is_of(session, principal).then(|| self.sessions.spent(event, principal))?
    }

    /// Whether the request names a session that is not this principal's.
    fn names_no_session_of(&self, principal: &Principal, headers: &HeaderMap) -> bool {
        let named = headers.get(SESSION_ID).and_then(|id| id.to_str().ok());
        named.is_some_and(|id| !self.sessions.is_of(id, principal))
    }
}

/// A session was ended. rmcp answers 202, which the Python SDK reports as a failure.
fn ended(mut response: Response) -> Response {
    if response.status() == StatusCode::ACCEPTED {
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    response
}

/// A header that was sent twice or is not text: readers could disagree about its value.
struct Ambiguous;

fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Ambiguous> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Ambiguous);
    }
    value.to_str().map(Some).map_err(|_| Ambiguous)
}

/// The token of `Authorization: Bearer …`; the scheme is case-insensitive (RFC 9110, 11.1).
fn bearer(text: &str) -> Option<&str> {
    let (scheme, token) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_matches(' '))
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
}
