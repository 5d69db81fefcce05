//! What other sites make a signed-in browser do, and what others try by hand.
use ayeaye::config::Config;
use ayeaye::model_presence::ModelState;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{ANNA, Browser, Served, client};
use crate::process::TOKEN;
use crate::support::{Answer, FakeVlm, Rig, RigOptions, complete};

async fn rig() -> Rig {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    Rig::with(vlm, RigOptions::quick()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_keeps_frames_scripts_and_other_sites_away() {
    let rig = rig().await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    for path in
        ["/", "/page/index.html", "/page/none", "/sign-in", "/page/api/me", "/page/api/none"]
    {
        let answer = browser.send(Method::GET, path, None).await;
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        for part in
            ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]
        {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
        assert_eq!(header("x-frame-options"), "DENY", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin", "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert!(!answer.headers().contains_key("access-control-allow-origin"), "{path}");
    }
    let told = browser.send(Method::GET, "/page/api/me", None).await;
    assert_eq!(told.headers()["cache-control"], "no-store");
}

/// A request with the cookie, which a browser sends by itself, and with what gives its maker away.
async fn forged(
    browser: &Browser<'_>,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
) -> StatusCode {
    let mut request = client().request(method.clone(), browser.served.url(path));
    request = request.header("cookie", &browser.cookie);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if method == Method::POST {
        request = request.body(r#"{"device_id":"x","task":"Pay"}"#);
    }
    request.send().await.unwrap().status()
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_another_site_sends_is_taken_for_the_page() {
    let rig = rig().await;
    // That an origin may call MCP does not let it in here.
    let listed = "https://app.example.com";
    let served =
        Served::with(&rig, |http| http.allowed_origins = vec![listed.parse().unwrap()], None).await;
    let browser = served.browser(TOKEN).await;
    let own = format!("http://{}", served.address);
    let other_port = format!("http://127.0.0.1:{}", served.address.port() ^ 1);
    let json_body = ("content-type", "application/json");
    for origin in ["https://evil.example", "null", listed, other_port.as_str(), "http://localhost"]
    {
        for (method, path) in [(Method::POST, "/page/api/tasks"), (Method::GET, "/page/api/me")] {
            let headers = [("origin", origin), json_body];
            assert_eq!(
                forged(&browser, method, path, &headers).await,
                StatusCode::FORBIDDEN,
                "{origin}"
            );
        }
    }
    // Forms and images send no JSON and, in older browsers, nothing that says where they come from.
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
    {
        let headers = [("origin", own.as_str()), ("content-type", kind)];
        let status = forged(&browser, Method::POST, "/page/api/tasks", &headers).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    let status = forged(&browser, Method::POST, "/page/api/tasks", &[json_body]).await;
    assert_eq!(status, StatusCode::FORBIDDEN, "nothing says that it is the page");
    for site in ["cross-site", "same-site"] {
        for path in
            ["/page/api/me", "/page/api/devices/x/screen", "/page/api/events", "/sign-in?code=x"]
        {
            let status = forged(&browser, Method::GET, path, &[("sec-fetch-site", site)]).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{site} {path}");
        }
        for path in ["/page/api/tasks", "/page/api/sign-in", "/page/api/sign-out"] {
            let headers = [("sec-fetch-site", site), ("origin", own.as_str()), json_body];
            assert_eq!(forged(&browser, Method::POST, path, &headers).await, StatusCode::FORBIDDEN);
        }
    }
    // What browsers ask beforehand is not granted.
    let asked = client()
        .request(Method::OPTIONS, served.url("/page/api/tasks"))
        .header("origin", listed)
        .header("access-control-request-method", "POST");
    let told = asked.send().await.unwrap();
    assert_eq!(told.status(), StatusCode::FORBIDDEN);
    assert!(!told.headers().contains_key("access-control-allow-methods"));
    // The page itself, in a browser of today and in one that has not learnt to say so.
    let headers = [("origin", own.as_str()), json_body];
    let status = forged(&browser, Method::POST, "/page/api/sessions/x/stop", &headers).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "its body fits nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_somebody_pointed_here_gets_nothing() {
    let rig = rig().await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let port = served.address.port();
    for host in
        [format!("evil.example:{port}"), "localhost".to_owned(), format!("127.0.0.1.nip.io:{port}")]
    {
        for path in ["/", "/page/api/me", "/sign-in?code=x"] {
            let request = client().get(served.url(path)).header("host", &host);
            let answer = request.header("cookie", &browser.cookie).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{host} {path}");
        }
        let origin = format!("http://{host}");
        let request = client().post(served.url("/page/api/sign-in")).header("host", &host);
        let answer = request.header("origin", origin).json(&json!({ "token": TOKEN }));
        assert_eq!(answer.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{host}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cookies_that_are_none_let_nobody_in() {
    let rig = rig().await;
    let served = Served::new(&rig).await;
    let good = served.browser(TOKEN).await.cookie;
    let (name, value) = good.split_once('=').unwrap();
    for cookie in [
        format!("{name}="),
        format!("{name}={}", value.replace(|c: char| c.is_ascii_digit(), "f")),
        format!("{name}x={value}"),
        // Another port of this host has set a second one.
        format!("{name}=planted; {good}"),
        format!("{good}; {good}"),
        value.to_owned(),
        ";;;=".to_owned(),
    ] {
        let browser = Browser { served: &served, cookie: cookie.clone() };
        assert_eq!(browser.get("me").await.0, StatusCode::UNAUTHORIZED, "{cookie}");
    }
    let browser = Browser { served: &served, cookie: format!("theme=dark; {good}; x=y") };
    browser.read("me").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_refused() {
    let rig = rig().await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let long = format!("sessions?q={}", "x".repeat(3000));
    assert_eq!(browser.get(&long).await.0, StatusCode::URI_TOO_LONG);
    let body = |length: usize| json!({ "device_id": rig.serial, "task": "x".repeat(length) });
    assert_eq!(browser.post("tasks", body(200_000)).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    let (status, said) = browser.post("tasks", body(20_000)).await;
    assert_eq!(
        (status, &said["error"].as_str().unwrap()[..6]),
        (StatusCode::BAD_REQUEST, "`task`")
    );
    let ids = vec![ayeaye_agent::SessionId::new().to_string(); 9].join(",");
    assert_eq!(browser.get(&format!("events?sessions={ids}")).await.0, StatusCode::BAD_REQUEST);
    for (path, body) in [
        ("tasks", json!({ "task": "x" })),
        ("tasks", json!([])),
        ("tasks", json!({ "device_id": 5, "task": "x" })),
        ("devices/x/act", json!({ "action": "shell", "text": "reboot" })),
    ] {
        let (status, said) = browser.post(path, body).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{said}");
        assert!(said["error"].is_string());
    }
}

/// Whoever runs the server sees all of their own phone. A token that they gave to somebody is shown no app that they have
/// made private since.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_made_private_is_shown_to_no_named_token() {
    let rig = rig().await;
    rig.vlm.always(&complete("Done."));
    let open = Served::new(&rig).await;
    let hers = open.browser(ANNA).await.start(&rig.serial, "Tell Carla about the party").await;
    open.browser(ANNA).await.stopped(&hers).await;
    let mine = open.browser(TOKEN).await.start(&rig.serial, "Open the settings").await;
    open.browser(TOKEN).await.stopped(&mine).await;
    let private = |config: &mut Config| config.policy.private_apps = vec!["com.*".to_owned()];
    let served = Served::with_config(&rig, private, None, ModelState::Ready).await;
    let (me, anna) = (served.browser(TOKEN).await, served.browser(ANNA).await);
    let of = |id: &str, rest: &str| format!("/page/api/sessions/{id}/{rest}");
    for (rest, for_anna) in [
        ("steps/0/picture", StatusCode::NOT_FOUND),
        ("download/journal", StatusCode::FORBIDDEN),
        ("download/ufo", StatusCode::FORBIDDEN),
        ("download/report", StatusCode::OK),
    ] {
        assert_eq!(
            anna.send(Method::GET, &of(&hers, rest), None).await.status(),
            for_anna,
            "{rest}"
        );
        let own = me.send(Method::GET, &of(&mine, rest), None).await.status();
        assert_eq!(own, StatusCode::OK, "{rest}");
    }
    // What she looks at says itself that there is no picture, and that one download is hers.
    let shown = anna.read(&format!("sessions/{hers}")).await;
    assert_eq!(shown["steps"][0]["picture"], false, "{shown}");
    assert!(shown["steps"][0].get("picture_url").is_none(), "{shown}");
    assert_eq!(me.read(&format!("sessions/{mine}")).await["steps"][0]["picture"], true);
    assert_eq!(anna.read("me").await["report_only"], true);
    assert_eq!(me.read("me").await["report_only"], false);
    let report = anna.send(Method::GET, &of(&hers, "download/report"), None).await;
    assert!(!report.text().await.unwrap().contains("data:image/jpeg"), "no picture is in it");
    let told = anna.get(&format!("sessions/{hers}/download/ufo")).await.1.to_string();
    assert!(told.contains("policy.private-apps") && told.contains("take the report"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_sees_what_is_theirs_and_nothing_else() {
    let rig = rig().await;
    rig.vlm.always(&complete("Done."));
    let served = Served::new(&rig).await;
    let (me, anna) = (served.browser(TOKEN).await, served.browser(ANNA).await);
    let id = anna.start(&rig.serial, "Tell Carla about the party").await;
    let hers = anna.stopped(&id).await;
    assert_eq!(hers["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    assert_eq!(anna.read("sessions").await["sessions"][0]["session_id"], json!(id));
    assert_eq!(me.read("sessions").await["sessions"], json!([]));
    let never = ayeaye_agent::SessionId::new().to_string();
    let same = |(status, said): (StatusCode, Value), id: &str| {
        (status, said.to_string().replace(id, "ID"))
    };
    for rest in ["", "/steps?before=9", "/steps/0/picture", "/download/report", "/download/journal"]
    {
        let theirs = same(me.get(&format!("sessions/{id}{rest}")).await, &id);
        assert_eq!(theirs.0, StatusCode::NOT_FOUND, "{rest}: {}", theirs.1);
        assert_eq!(
            theirs,
            same(me.get(&format!("sessions/{never}{rest}")).await, &never),
            "{rest}"
        );
    }
    for (rest, body) in [
        ("/continue", json!({ "task": "Tell me all" })),
        ("/stop", json!({})),
        ("/pause", json!({})),
        ("/act", json!({ "action": "key", "key": "HOME" })),
    ] {
        let theirs = same(me.post(&format!("sessions/{id}{rest}"), body.clone()).await, &id);
        assert_eq!(theirs.0, StatusCode::NOT_FOUND, "{rest}: {}", theirs.1);
        let none = same(me.post(&format!("sessions/{never}{rest}"), body).await, &never);
        assert_eq!(theirs, none, "{rest}");
    }
    // A list that is full does not tell that others have more.
    let mine = me.start(&rig.serial, "Open the settings").await;
    me.stopped(&mine).await;
    let list = me.read("sessions?limit=1").await;
    assert_eq!(list["sessions"][0]["session_id"], json!(mine));
    assert_eq!((&list["more"], &list["next"]), (&json!(false), &Value::Null), "{list}");
    let older = me.read(&format!("sessions?limit=1&before={mine}")).await;
    assert_eq!(older, json!({ "sessions": [], "more": false, "next": null }));
    assert_eq!(anna.get("settings").await.0, StatusCode::FORBIDDEN);
    let settings = me.read("settings").await.to_string();
    assert!(settings.contains("http.token") && !settings.contains(TOKEN));
}
