//! What stands between a browser and the page: own origin, sign-in, cookie.
//!
//! A browser sends cookies by itself, also for what other sites make it request. So the cookie is good below
//! `/page/api` alone and never for MCP; requests must come from this very origin, with its port, which
//! `SameSite` does not look at; and whatever changes something must be JSON, which no form can send.
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{
    COOKIE, HeaderMap, HeaderName, HeaderValue, LOCATION, ORIGIN, SET_COOKIE,
};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use ayeaye_agent::Principal;
use serde::Deserialize;
use serde_json::json;

use super::auth::{self, AuthMiddleware};
use super::connections::Conn;
use super::malformed;
use super::refusal;
use super::request_body;
use crate::config::HostName;
use crate::page::{LoginEnded, Page, Refusal};
use crate::principal;

/// Where a request comes from, as the browser itself says; pages cannot set it (Fetch Metadata).
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The longest query, in bytes.
const MAX_QUERY: usize = 2048;
/// The largest body, in bytes: the longest text of a task, escaped.
const MAX_BODY: usize = 128 << 10;
/// The largest body of a request that brings nothing but a token, in bytes.
const MAX_SIGN_IN: usize = 4 << 10;
/// How long a browser keeps the cookie; it is told again while the login is used.
const COOKIE_AGE: Duration = Duration::from_hours(7 * 24);

/// The routes of the page, with the checks in front of them.
pub(super) fn routes(auth: &Arc<AuthMiddleware>, page: &Page) -> Router {
    let signed_in = page.api().route_layer(from_fn_with_state(Arc::clone(auth), check_login));
    let codes = Router::new()
        .route("/page/api/codes", post(make_code))
        .route_layer(from_fn_with_state(Arc::clone(auth), auth::check_token));
    Router::new()
        .route("/sign-in", get(sign_in_by_code))
        .route("/page/api/sign-in", post(sign_in_by_token))
        .route("/page/api/sign-out", post(sign_out))
        .merge(codes)
        .with_state(Arc::clone(auth))
        .merge(signed_in)
        .merge(Page::public_routes())
}

/// Whether a browser says that the request was made by our own page, or, for what only reads, by nobody's.
fn is_from_here(request: &Request) -> bool {
    let reads = request.method() == Method::GET;
    match request.headers().get(FETCH_SITE).map(HeaderValue::as_bytes) {
        Some(b"same-origin") => true,
        Some(b"none") => reads,
        Some(_) => false,
        // An older browser. A foreign `Origin` was refused before.
        None => reads || request.headers().contains_key(ORIGIN),
    }
}

/// The checks that do not ask who it is.
fn check_form(request: &Request) -> Result<(), Refusal> {
    if request.uri().query().is_some_and(|query| MAX_QUERY < query.len()) {
        let text = format!("the query is longer than {MAX_QUERY} bytes");
        return Err(Refusal::new(StatusCode::URI_TOO_LONG, text));
    }
    if !is_from_here(request) {
        let text = "this request was not made by the page of this server: open the page itself";
        return Err(Refusal::new(StatusCode::FORBIDDEN, text));
    }
    if request.method() == Method::POST && !malformed::is_json(request.headers()) {
        let text = "the body must be JSON, with Content-Type: application/json";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, text));
    }
    Ok(())
}

/// Accepts requests of a browser that is signed in, attaches the principal and removes the cookie.
async fn check_login(
    State(auth): State<Arc<AuthMiddleware>>,
    request: Request,
    next: Next,
) -> Response {
    match admit(&auth, request).await {
        Ok((request, renewed)) => {
            let mut response = next.run(request).await;
            if let Some(cookie) = renewed {
                response.headers_mut().append(SET_COOKIE, cookie);
            }
            response
        }
        Err(refused) => refused,
    }
}

/// The request as it goes on, and the cookie if the browser is to be told again.
async fn admit(
    auth: &AuthMiddleware,
    mut request: Request,
) -> Result<(Request, Option<HeaderValue>), Response> {
    check_form(&request).map_err(Refusal::into_response)?;
    let place = CookiePlace::of(auth, &request);
    let cookie = place.find(request.headers());
    let login = match cookie {
        Some(cookie) => auth.logins.find(cookie),
        None => None,
    };
    let (Some(login), Some(cookie)) = (login, cookie) else {
        let text = "not signed in: `ayeaye ui` signs in, or a token of this server";
        return Err(Refusal::new(StatusCode::UNAUTHORIZED, text).into_response());
    };
    let renewed = login.renewed.then(|| place.set(cookie, COOKIE_AGE));
    let conn = request.extensions().get::<Conn>();
    if conn.is_some_and(|conn| !conn.authenticate(&login.principal)) {
        return Err(later(Duration::ZERO, "too many connections; close some tabs"));
    }
    if let Err(wait) = auth.requests.take(&login.principal) {
        return Err(later(wait, "too many requests (http.rate-limit)"));
    }
    request.headers_mut().remove(COOKIE);
    principal::attach(&mut request, login.principal);
    request.extensions_mut().insert(LoginEnded(login.ended));
    if request.method() == Method::POST {
        request = with_body(auth, request, MAX_BODY).await?;
    }
    Ok((request, renewed))
}

/// The request with its body read, within bounds of size and time.
async fn with_body(
    auth: &AuthMiddleware,
    request: Request,
    limit: usize,
) -> Result<Request, Response> {
    let (parts, body) = request.into_parts();
    let read = request_body::read(&parts.headers, body, limit.min(auth.body_limit)).await;
    let bytes = read.map_err(|refused| {
        let text = "the body is too large, too slow, or broke off";
        Refusal::new(refused.status(), text).into_response()
    })?;
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// `GET /sign-in?code=CODE`: signs in whoever opens the link of `ayeaye ui`.
async fn sign_in_by_code(State(auth): State<Arc<AuthMiddleware>>, request: Request) -> Response {
    // A link on somebody else's page would sign this browser in as somebody else.
    let foreign = request
        .headers()
        .get(FETCH_SITE)
        .is_some_and(|site| site == "cross-site" || site == "same-site");
    if request.method() != Method::GET || foreign {
        let text = "this link is to be opened by itself, not from another page: copy it into the address bar";
        return Refusal::new(StatusCode::FORBIDDEN, text).into_response();
    }
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = url::form_urlencoded::parse(query.get(..MAX_QUERY).unwrap_or(query).as_bytes());
    let code = pairs.find(|(name, _)| name == "code").map(|(_, code)| code).unwrap_or_default();
    let place = CookiePlace::of(&auth, &request);
    let cookie = match auth.logins.take_code(&code) {
        Some(principal) => auth.logins.sign_in(&principal, &auth.token_store).await,
        None => None,
    };
    let Some(cookie) = cookie else {
        return match auth.count_wrong(request.extensions().get::<Conn>()) {
            Ok(()) => see_other("/?sign-in=expired"),
            Err(wait) => later(wait, TOO_MANY_WRONG),
        };
    };
    let mut response = see_other("/");
    response.headers_mut().insert(SET_COOKIE, place.set(&cookie, COOKIE_AGE));
    response
}

const TOO_MANY_WRONG: &str = "too many wrong tokens from this address (http.wrong-tokens)";

#[derive(Deserialize)]
struct SignIn {
    token: String,
}

/// `POST /page/api/sign-in`: signs in whoever has a token of this server.
async fn sign_in_by_token(State(auth): State<Arc<AuthMiddleware>>, request: Request) -> Response {
    match try_token(&auth, request).await {
        Ok(response) | Err(response) => response,
    }
}

async fn try_token(auth: &AuthMiddleware, request: Request) -> Result<Response, Response> {
    check_form(&request).map_err(Refusal::into_response)?;
    let place = CookiePlace::of(auth, &request);
    let conn = request.extensions().get::<Conn>().cloned();
    let body = with_body(auth, request, MAX_SIGN_IN).await?.into_body();
    let bytes = axum::body::to_bytes(body, MAX_SIGN_IN).await;
    let given = bytes.ok().and_then(|bytes| serde_json::from_slice::<SignIn>(&bytes).ok());
    let Some(SignIn { token }) = given else {
        let text = "the body must be {\"token\": \"…\"}";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, text).into_response());
    };
    let cookie = match auth.token_store.principal_of(token.trim().as_bytes()) {
        Some(principal) => auth.logins.sign_in(principal, &auth.token_store).await,
        None => None,
    };
    let Some(cookie) = cookie else {
        auth.count_wrong(conn.as_ref()).map_err(|wait| later(wait, TOO_MANY_WRONG))?;
        let text = "this is no token of this server: take the one in the file http-token in its data folder, \
                    AYEAYE_HTTP_TOKEN, or one that its owner gave you";
        return Err(Refusal::new(StatusCode::UNAUTHORIZED, text).into_response());
    };
    Ok(([(SET_COOKIE, place.set(&cookie, COOKIE_AGE))], Json(json!({}))).into_response())
}

/// `POST /page/api/sign-out`: ends this browser's login.
async fn sign_out(State(auth): State<Arc<AuthMiddleware>>, request: Request) -> Response {
    if let Err(refused) = check_form(&request) {
        return refused.into_response();
    }
    let place = CookiePlace::of(&auth, &request);
    let written = match place.find(request.headers()) {
        Some(cookie) => auth.logins.sign_out(cookie).await,
        None => Ok(()),
    };
    let mut response = Json(json!({})).into_response();
    if written.is_err() {
        let text = "signed out, but the server could not write that down: started again, it would take a copy of \
                    the cookie until somebody signs in or out; its log says what is wrong with the data folder";
        response = Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, text).into_response();
    }
    response.headers_mut().insert(SET_COOKIE, place.set("", Duration::ZERO));
    response
}

/// `POST /page/api/codes`, with a bearer token: a code for [`sign_in_by_code`].
async fn make_code(
    State(auth): State<Arc<AuthMiddleware>>,
    Extension(principal): Extension<Principal>,
) -> Response {
    if auth.token_store.mark_of(&principal).is_none() {
        let text = "the page is for tokens of this server; those of an issuer are for MCP";
        return Refusal::new(StatusCode::FORBIDDEN, text).into_response();
    }
    Json(json!({ "code": auth.logins.make_code(&principal) })).into_response()
}

fn see_other(to: &'static str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, to)]).into_response()
}

/// 429 with `Retry-After`.
fn later(wait: Duration, text: &str) -> Response {
    refusal::after(wait, Refusal::new(StatusCode::TOO_MANY_REQUESTS, text).into_response())
}

/// The cookie of a server at one host.
///
/// A browser sends a cookie to every port of its host, so the port is in its name: otherwise two servers on
/// one machine would sign each other out. With TLS the prefix makes the browser refuse it from anywhere else.
struct CookiePlace {
    name: String,
    encrypted: bool,
}

impl CookiePlace {
    fn of(auth: &AuthMiddleware, request: &Request) -> Self {
        let host = request.extensions().get::<HostName>();
        let encrypted = host.is_some_and(|host| auth.resource.is_encrypted_at(host));
        let name = if encrypted {
            "__Host-ayeaye_session".to_owned()
        } else {
            format!("ayeaye_session_{}", host.and_then(|host| host.port).unwrap_or(80))
        };
        Self { name, encrypted }
    }

    /// What the request's cookie holds; nothing where there are two, of which one is not ours.
    fn find<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut found = lines
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.name);
        let (_, value) = found.next()?;
        found.next().is_none().then_some(value)
    }

    fn set(&self, value: &str, age: Duration) -> HeaderValue {
        let (name, age) = (&self.name, age.as_secs());
        let secure = if self.encrypted { "; Secure" } else { "" };
        let text =
            format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={age}{secure}");
        HeaderValue::try_from(text).expect("names and hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<String> {
        let place = CookiePlace { name: "ayeaye_session_8631".to_owned(), encrypted: false };
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_str(line).ok()?);
        place.find(&headers).map(str::to_owned)
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name_and_only_alone() {
        assert_eq!(found("a=b; ayeaye_session_8631=x").as_deref(), Some("x"));
        for odd in [
            "ayeaye_session_863=x",
            "ayeaye_session_86311=x",
            "AYEAYE_SESSION_8631=x",
            "ayeaye_session_8631",
            "ayeaye_session_8631=x; ayeaye_session_8631=x",
        ] {
            assert_eq!(found(odd), None, "{odd}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_cookie_makes_it_panic(line in "[ -~]{0,80}") {
            drop(found(&line));
        }
    }
}
