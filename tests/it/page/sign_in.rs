//! Signing in and out: by token, by a one-time link, over a restart.
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{ANNA, Browser, Served, client, cookie_of};
use crate::process::TOKEN;
use crate::support::{Answer, FakeVlm, Rig, RigOptions, http, until};

async fn rig() -> Rig {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    Rig::with(vlm, RigOptions::quick()).await
}

/// Every path of the API that reads.
const READS: [&str; 10] = [
    "/page/api/me",
    "/page/api/devices",
    "/page/api/devices/x/screen",
    "/page/api/sessions",
    "/page/api/sessions/x",
    "/page/api/sessions/x/steps?before=1",
    "/page/api/sessions/x/steps/0/picture",
    "/page/api/sessions/x/download/report",
    "/page/api/policy",
    "/page/api/events",
];

/// Every path of the API that does something.
const ACTS: [&str; 6] = [
    "/page/api/tasks",
    "/page/api/sessions/x/continue",
    "/page/api/sessions/x/stop",
    "/page/api/sessions/x/pause",
    "/page/api/sessions/x/act",
    "/page/api/devices/x/act",
];

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_not_signed_in_gets_the_page_and_nothing_else() {
    let rig = rig().await;
    let served = Served::new(&rig).await;
    let stranger = served.stranger();
    let page = stranger.send(Method::GET, "/", None).await;
    assert_eq!(page.status(), StatusCode::OK);
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    let tag = page.headers()["etag"].clone();
    let again = stranger.request(&Method::GET, "/page/index.html", None);
    let again = again.header("if-none-match", tag).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    let none = stranger.send(Method::GET, "/page/none.js", None).await;
    assert_eq!(none.status(), StatusCode::NOT_FOUND);
    for path in READS {
        refused(&stranger, Method::GET, path).await;
    }
    for path in ACTS {
        refused(&stranger, Method::POST, path).await;
    }
    // A bearer token is for MCP, and a cookie is for the page.
    let by_token = http().get(served.url("/page/api/me")).bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(by_token.status(), StatusCode::UNAUTHORIZED);
    let signed_in = served.browser(TOKEN).await;
    let mcp = http().post(served.url("/mcp")).header("cookie", &signed_in.cookie).body("{}");
    assert_eq!(mcp.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

async fn refused(stranger: &Browser<'_>, method: Method, path: &str) {
    let body = (method == Method::POST).then(|| json!({}));
    let answer = stranger.send(method, path, body).await;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{path}");
    let said: Value = answer.json().await.unwrap();
    assert!(said["error"].as_str().unwrap().contains("`ayeaye ui`"), "{path}: {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_signs_in_whom_it_was_given_and_signing_out_ends_it() {
    let rig = rig().await;
    let served = Served::new(&rig).await;
    for (token, name) in [(TOKEN, "this machine"), (ANNA, "anna")] {
        let body = json!({ "token": token });
        let answer = served.stranger().send(Method::POST, "/page/api/sign-in", Some(body)).await;
        let set = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
        let port = served.address.port();
        assert!(set.starts_with(&format!("ayeaye_session_{port}=")), "{set}");
        for attribute in ["Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=604800"] {
            assert!(set.split("; ").any(|it| it == attribute), "{attribute}: {set}");
        }
        assert!(!set.contains(token) && !set.contains("Domain"), "{set}");
        let browser = Browser { served: &served, cookie: cookie_of(&answer) };
        assert_eq!(browser.read("me").await["name"], name);
        let out = browser.send(Method::POST, "/page/api/sign-out", Some(json!({}))).await;
        assert!(out.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
        assert_eq!(browser.get("me").await.0, StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_out_that_cannot_be_written_ends_the_login_here_and_says_what_it_does_not() {
    let rig = rig().await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let (lock, logins) =
        ["page-logins.lock", "page-logins.json"].map(|name| rig.data.path().join(name)).into();
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    // Whoever presses twice is told the same.
    for _ in 0..2 {
        let told = browser.send(Method::POST, "/page/api/sign-out", Some(json!({}))).await;
        assert_eq!(told.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(told.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
        let said: Value = told.json().await.unwrap();
        assert!(said["error"].as_str().unwrap().contains("could not write"), "{said}");
    }
    assert_eq!(browser.get("me").await.0, StatusCode::UNAUTHORIZED);
    assert_ne!(std::fs::read_to_string(&logins).unwrap(), "[]");
    // The next time that the server writes, it is gone from the file too.
    std::fs::remove_dir(&lock).unwrap();
    let next = served.browser(TOKEN).await;
    assert_eq!(std::fs::read_to_string(&logins).unwrap().matches("\"hash\"").count(), 1);
    let out = next.send(Method::POST, "/page/api/sign-out", Some(json!({}))).await;
    assert_eq!(out.status(), StatusCode::OK);
    assert_eq!(std::fs::read_to_string(logins).unwrap(), "[]");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_signs_in_once() {
    let rig = rig().await;
    let served = Served::new(&rig).await;
    let code = |token: &'static str| {
        let request = http().post(served.url("/page/api/codes")).bearer_auth(token);
        async move { request.json(&json!({})).send().await.unwrap() }
    };
    assert_eq!(code("a-wrong-token-0123456789").await.status(), StatusCode::UNAUTHORIZED);
    let made: Value = code(ANNA).await.json().await.unwrap();
    let link = served.url(&format!("/sign-in?code={}", made["code"].as_str().unwrap()));
    // A chat that looks at links does not use it up.
    assert_eq!(client().head(&link).send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let opened = client().get(&link).header("sec-fetch-site", "none").send().await.unwrap();
    assert_eq!(opened.status(), StatusCode::SEE_OTHER);
    assert_eq!(opened.headers()["location"], "/");
    let browser = Browser { served: &served, cookie: cookie_of(&opened) };
    assert_eq!(browser.read("me").await["name"], "anna");
    for late in [link.as_str(), &served.url("/sign-in?code=x"), &served.url("/sign-in")] {
        let again = client().get(late).send().await.unwrap();
        assert_eq!(again.headers()["location"], "/?sign-in=expired", "{late}");
        assert!(!again.headers().contains_key("set-cookie"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_are_slowed_down() {
    let rig = rig().await;
    let served = Served::with(&rig, |http| http.wrong_tokens = 3, None).await;
    let stranger = served.stranger();
    let body = || Some(json!({ "token": "a-wrong-token-0123456789" }));
    let guess = || stranger.send(Method::POST, "/page/api/sign-in", body());
    let first = guess().await;
    assert_eq!(first.status(), StatusCode::UNAUTHORIZED);
    let said: Value = first.json().await.unwrap();
    assert!(!said.to_string().contains("a-wrong-token"), "{said}");
    let link = served.url("/sign-in?code=guess");
    assert_eq!(client().get(&link).send().await.unwrap().status(), StatusCode::SEE_OTHER);
    assert_eq!(guess().await.status(), StatusCode::UNAUTHORIZED);
    let slowed = guess().await;
    assert_eq!(slowed.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(slowed.headers().contains_key("retry-after"));
    let slowed = client().get(&link).send().await.unwrap();
    assert_eq!(slowed.status(), StatusCode::TOO_MANY_REQUESTS);
    // Who knows the token is let in all the same.
    served.browser(TOKEN).await.read("me").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_started_again_knows_its_browsers() {
    let rig = rig().await;
    let first = Served::new(&rig).await;
    let (address, cookie) = (first.address, first.browser(TOKEN).await.cookie);
    drop(first);
    until("the port is free again", || std::net::TcpListener::bind(address).is_ok()).await;
    let again =
        Served::with(&rig, |http| http.listen = address.to_string().parse().unwrap(), None).await;
    let browser = Browser { served: &again, cookie };
    assert_eq!(browser.read("me").await["name"], "this machine");
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_tls_the_cookie_is_for_tls_alone() {
    let rig = rig().await;
    let name = "phones.example.com";
    let served = Served::with(
        &rig,
        |http| http.public_url = Some(format!("https://{name}").parse().unwrap()),
        None,
    )
    .await;
    let sign_in = |origin: &'static str| {
        let request = client().post(served.url("/page/api/sign-in")).header("host", name);
        request.header("origin", origin).json(&json!({ "token": TOKEN }))
    };
    let answer = sign_in("https://phones.example.com").send().await.unwrap();
    let set = answer.headers()["set-cookie"].to_str().unwrap();
    assert!(set.starts_with("__Host-ayeaye_session=") && set.ends_with("; Secure"), "{set}");
    let plain = sign_in("http://phones.example.com").send().await.unwrap();
    assert_eq!(plain.status(), StatusCode::FORBIDDEN);
}

/// Many proxies are set up to pass on the name alone, or their own name for this server; the browser's origin is that of
/// the page all the same.
#[tokio::test(flavor = "multi_thread")]
async fn behind_a_proxy_the_page_is_its_own_with_whatever_host_that_passes_on() {
    let rig = rig().await;
    let served = Served::with(
        &rig,
        |http| {
            http.public_url = Some("https://phones.example.com:8443".parse().unwrap());
            let names = ["phones.example.com", "phones.example.com:8443", "other.example:8443"];
            http.allowed_hosts = names.map(|name| name.parse().unwrap()).into();
        },
        None,
    )
    .await;
    let here = served.url("").trim_start_matches("http://").to_owned();
    for (host, origin, status) in [
        (here.as_str(), "https://phones.example.com:8443", StatusCode::OK),
        (here.as_str(), "https://other.example:8443", StatusCode::FORBIDDEN),
        ("phones.example.com", "https://phones.example.com:8443", StatusCode::OK),
        ("phones.example.com:8443", "https://phones.example.com:8443", StatusCode::OK),
        ("phones.example.com", "http://phones.example.com:8443", StatusCode::FORBIDDEN),
        ("phones.example.com", "https://phones.example.com:9443", StatusCode::FORBIDDEN),
        ("other.example:8443", "https://phones.example.com:8443", StatusCode::OK),
        ("stranger.example", "https://phones.example.com:8443", StatusCode::FORBIDDEN),
    ] {
        let request = client().post(served.url("/page/api/sign-in")).header("host", host);
        let request = request.header("origin", origin).json(&json!({ "token": TOKEN }));
        assert_eq!(request.send().await.unwrap().status(), status, "{host} {origin}");
    }
}
