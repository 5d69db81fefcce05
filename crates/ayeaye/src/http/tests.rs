//! The server over real sockets.
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use ayeaye_model::Secret;
use futures::StreamExt as _;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use std::net::SocketAddr;

use super::issuer::tests::{AUDIENCE, Idp, Pair};
use super::*;
use crate::config::{Config, IssuerSettings};
use crate::testing::Echo;

const TOKEN: &str = "a-token-for-tests-only";
const LISTED: &str = "https://app.example.com";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#;

struct Running {
    address: SocketAddr,
    echo: Echo,
    shutdown: Shutdown,
    served: JoinHandle<()>,
}

fn settings() -> HttpSettings {
    let mut settings = Config::isolated(Path::new("/nowhere")).http;
    settings.listen = "127.0.0.1:0".parse().expect("an address");
    settings.wrong_tokens = 0;
    settings.token = Secret::new(TOKEN);
    settings.allowed_origins = vec![LISTED.parse().expect("an origin")];
    settings
}

fn tcp(server: &HttpServer) -> SocketAddr {
    match server.address() {
        Listen::Tcp(address) => *address,
        Listen::Unix(path) => panic!("{}", path.display()),
    }
}

async fn start() -> Running {
    start_with(&settings(), Path::new("/nowhere")).await
}

async fn start_with(settings: &HttpSettings, data_dir: &Path) -> Running {
    let server = HttpServer::bind(settings, data_dir).await.expect("a free port");
    let (address, echo, shutdown) = (tcp(&server), Echo::default(), Shutdown::default());
    let served = tokio::spawn({
        let (echo, shutdown) = (echo.clone(), shutdown.clone());
        async move {
            let stop = echo.stop.clone();
            // Stands for runs that stop when they are told to.
            let stopped = async move { stop.cancel() };
            server.serve(move || echo.clone(), &shutdown, stopped).await;
        }
    });
    Running { address, echo, shutdown, served }
}

/// Sends a request as it is and returns the status, the headers and the beginning of the body.
async fn raw(address: SocketAddr, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while !answer.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut buffer).await.expect("it answers");
        if read == 0 {
            break;
        }
        answer.extend_from_slice(&buffer[..read]);
    }
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
    (status.unwrap_or_else(|| panic!("no answer to {request}: {text}")), text)
}

#[tokio::test]
async fn odd_requests_are_refused_and_health_needs_no_token() {
    let running = start().await;
    let host = format!("Host: {}\r\nConnection: close\r\n", running.address);
    let auth = format!("Authorization: Bearer {TOKEN}\r\n");
    for (request, expected) in [
        (format!("GET /healthz HTTP/1.1\r\n{host}\r\n"), 200),
        (
            "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n".to_owned(),
            403,
        ),
        ("GET /mcp HTTP/1.1\r\nHost: 10.1.2.3:8642\r\nConnection: close\r\n\r\n".to_owned(), 403),
        // Probes come by addresses that no setting names.
        (
            "GET /healthz HTTP/1.1\r\nHost: 10.1.2.3:8642\r\nConnection: close\r\n\r\n".to_owned(),
            200,
        ),
        (
            "GET /readyz HTTP/1.1\r\nHost: 10.1.2.3:8642\r\nConnection: close\r\n\r\n".to_owned(),
            503,
        ),
        ("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(), 400),
        ("GET /healthz HTTP/1.0\r\n\r\n".to_owned(), 400),
        (format!("GET http://evil.example/healthz HTTP/1.1\r\n{host}\r\n"), 403),
        (format!("GET http://{}/healthz HTTP/1.1\r\n{host}\r\n", running.address), 200),
        // Nothing is at /nowhere, least of all room.
        (format!("GET /readyz HTTP/1.1\r\n{host}\r\n"), 503),
        // Clients look for these after a 401; there is no OAuth here.
        (format!("GET /.well-known/oauth-protected-resource HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("POST /register HTTP/1.1\r\n{host}Content-Length: 0\r\n\r\n"), 404),
        (format!("GET /mcp HTTP/1.1\r\n{host}{auth}{auth}\r\n"), 401),
        (format!("GET /mcp HTTP/1.1\r\n{host}Authorization: Basic {TOKEN}\r\n\r\n"), 401),
        (format!("GET /mcp?token={TOKEN} HTTP/1.1\r\n{host}\r\n"), 401),
        ("nonsense\r\n\r\n".to_owned(), 400),
    ] {
        let (status, answer) = raw(running.address, &request).await;
        assert_eq!(status, expected, "{request}\n{answer}");
    }
}

fn http() -> reqwest::Client {
    // Whoever is first installs it; all of them install the same.
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::builder().no_proxy().build().expect("plain settings")
}

fn post(running: &Running, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
    http()
        .post(format!("http://{}/mcp", running.address))
        .bearer_auth(TOKEN)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(body)
}

#[tokio::test]
async fn a_task_of_ten_megabytes_gets_a_plain_answer() {
    let running = start().await;
    let answer = post(&running, vec![b' '; 10 << 20]).send().await.unwrap();
    assert_eq!(answer.status(), 413);
    let text = answer.text().await.unwrap();
    assert!(text.contains("larger than 1048576 bytes"), "{text}");
    // The same without saying so before.
    let chunk = vec![b' '; 1 << 20];
    let chunks = futures::stream::iter((0..10).map(move |_| Ok::<_, io::Error>(chunk.clone())));
    let answer = post(&running, reqwest::Body::wrap_stream(chunks)).send().await.unwrap();
    assert_eq!(answer.status(), 413);
    let good = post(&running, INITIALIZE).send().await.unwrap();
    assert_eq!(good.status(), 200);
}

fn client_transport(running: &Running) -> StreamableHttpClientTransport<reqwest::Client> {
    let config =
        StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", running.address))
            .auth_header(TOKEN);
    StreamableHttpClientTransport::with_client(http(), config)
}

#[tokio::test]
async fn clients_of_both_eras_are_served_and_named() {
    let running = start().await;
    let modern =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let mut names = Vec::new();
    for mode in [ClientLifecycleMode::Initialize, modern] {
        let client = ().serve_with_lifecycle(client_transport(&running), mode).await.unwrap();
        assert_eq!(client.list_all_tools().await.unwrap().len(), 4);
        let principal = client.call_tool(CallToolRequestParams::new("who")).await.unwrap();
        names.push(principal.content[0].as_text().unwrap().text.clone());
        client.cancel().await.unwrap();
    }
    assert_eq!(names, ["local", "local"]);
}

/// Opens a session and returns its headers.
async fn session(running: &Running) -> HeaderMap {
    let answer = post(running, INITIALIZE).send().await.unwrap();
    let id = answer.headers().get("mcp-session-id").expect("a session").clone();
    let headers = HeaderMap::from_iter([
        (HeaderName::from_static("mcp-session-id"), id),
        (HeaderName::from_static("mcp-protocol-version"), HeaderValue::from_static("2025-11-25")),
    ]);
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let accepted = post(running, ready).headers(headers.clone()).send().await.unwrap();
    assert_eq!(accepted.status(), 202);
    headers
}

const SLOW: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}"#;

#[tokio::test]
async fn an_answer_survives_the_connection_it_was_for() {
    let running = start().await;
    let headers = session(&running).await;
    let call = post(&running, SLOW).headers(headers.clone()).send().await.unwrap();
    running.echo.begun.notified().await;
    let mut stream = call.bytes_stream();
    let mut seen = String::new();
    while !seen.contains("id:") || !seen.ends_with("\n\n") {
        seen.push_str(std::str::from_utf8(&stream.next().await.unwrap().unwrap()).unwrap());
    }
    let last = seen.lines().find_map(|line| line.strip_prefix("id:")).unwrap().trim().to_owned();
    drop(stream);
    let resume = || {
        http()
            .get(format!("http://{}/mcp", running.address))
            .bearer_auth(TOKEN)
            .header("accept", "text/event-stream")
            .headers(headers.clone())
            .header("last-event-id", &last)
    };
    // Back before the answer: it comes on the new connection.
    let early = resume().send().await.unwrap();
    running.echo.go.notify_one();
    let text = early.text().await.unwrap();
    assert!(text.contains("went"), "{text}");
    // Back after the answer, and again: it is still there.
    for _ in 0..2 {
        let text = resume().send().await.unwrap().text().await.unwrap();
        assert!(text.contains("went"), "{text}");
    }
}

#[tokio::test]
async fn whoever_resumes_a_stream_that_is_over_is_told_that_there_is_none() {
    let running = start().await;
    for version in ["2025-06-18", "2025-11-25"] {
        let hello = INITIALIZE.replace("2025-11-25", version);
        let answer = post(&running, hello).send().await.unwrap();
        let id = answer.headers().get("mcp-session-id").expect("a session").clone();
        let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
        let answer = post(&running, ping).header("mcp-session-id", &id).send().await.unwrap();
        let text = answer.text().await.unwrap();
        let last = text.lines().filter_map(|line| line.strip_prefix("id:")).next_back();
        let resumed = http()
            .get(format!("http://{}/mcp", running.address))
            .bearer_auth(TOKEN)
            .header("accept", "text/event-stream")
            .header("mcp-session-id", &id)
            .header("last-event-id", last.expect("an event with an id").trim());
        // An empty stream would be resumed again, and again: TypeScript SDK 1.23 does.
        assert_eq!(resumed.send().await.unwrap().status(), 405, "{version}");
    }
}

#[tokio::test]
async fn the_same_id_twice_at_a_time_gets_two_answers() {
    let running = start().await;
    let headers = session(&running).await;
    let first = post(&running, SLOW).headers(headers.clone()).send().await.unwrap();
    running.echo.begun.notified().await;
    let text = |sent: reqwest::Response| async { sent.text().await.unwrap() };
    let second = post(&running, SLOW).headers(headers.clone()).send().await.unwrap();
    let refused = text(second).await;
    assert!(refused.contains("still open") && refused.contains(r#""id":2"#), "{refused}");
    running.echo.go.notify_one();
    assert!(text(first).await.contains("went"));
    running.echo.go.notify_one();
    let again = post(&running, SLOW).headers(headers).send().await.unwrap();
    assert!(text(again).await.contains("went"));
}

#[tokio::test]
async fn a_body_that_is_no_message_is_a_bad_request() {
    let running = start().await;
    let headers = session(&running).await;
    for (body, code, says) in [
        ("{", -32700, "not JSON"),
        (r#"[{"jsonrpc":"2.0","id":2,"method":"ping"}]"#, -32600, "batches are not taken"),
        (r#"{"id":2}"#, -32600, "no JSON-RPC"),
    ] {
        let answer = post(&running, body).headers(headers.clone()).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{body}");
        assert_eq!(answer.headers()["content-type"], "application/json");
        let error: serde_json::Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        assert_eq!(error["error"]["code"], code, "{error}");
        assert!(error["error"]["message"].as_str().unwrap().contains(says), "{error}");
    }
    // What is not even said to be JSON is another matter.
    let plain = http()
        .post(format!("http://{}/mcp", running.address))
        .bearer_auth(TOKEN)
        .headers(headers)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "text/plain");
    assert_eq!(plain.body("{}").send().await.unwrap().status(), 415);
}

#[tokio::test]
async fn an_old_client_gets_only_messages() {
    let running = start().await;
    for (version, most) in [("2025-06-18", 0), ("2025-11-25", 1)] {
        let hello = INITIALIZE.replace("2025-11-25", version);
        let answer = post(&running, hello).send().await.unwrap();
        let id = answer.headers().get("mcp-session-id").expect("a session").clone();
        let empty = |text: &str| text.lines().filter(|line| line.trim() == "data:").count();
        assert_eq!(empty(&answer.text().await.unwrap()), 0, "{version}");
        // Without the header that says the version: Gemini CLI sends none.
        let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
        let answer = post(&running, ping).header("mcp-session-id", id).send().await.unwrap();
        let text = answer.text().await.unwrap();
        assert_eq!(empty(&text), most, "{version}: {text}");
        assert!(text.contains(r#""id":2,"result""#), "{version}: {text}");
    }
}

#[tokio::test]
async fn a_modern_client_that_goes_away_cancels() {
    let running = start().await;
    let call = |token: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"slow","_meta":{{{token}"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        );
        post(&running, body)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "slow")
            .send()
    };
    // Before the first byte of the answer.
    let early = tokio::spawn(call(""));
    running.echo.begun.notified().await;
    early.abort();
    running.echo.cancelled.notified().await;
    // In the middle of its stream.
    let late = call(r#""progressToken":1,"#).await.unwrap();
    let mut stream = late.bytes_stream();
    let mut seen = String::new();
    while !seen.contains("notifications/progress") {
        seen.push_str(std::str::from_utf8(&stream.next().await.unwrap().unwrap()).unwrap());
    }
    drop(stream);
    running.echo.cancelled.notified().await;
}

#[tokio::test]
async fn at_the_end_calls_get_their_answers_and_streams_are_cut() {
    let running = start().await;
    let headers = session(&running).await;
    let standing = http()
        .get(format!("http://{}/mcp", running.address))
        .bearer_auth(TOKEN)
        .header("accept", "text/event-stream")
        .headers(headers.clone());
    let standing = standing.send().await.unwrap();
    let call = post(&running, SLOW).headers(headers).send().await.unwrap();
    running.echo.begun.notified().await;
    running.shutdown.asked.cancel();
    let text = call.text().await.unwrap();
    assert!(text.contains("stopped"), "{text}");
    running.served.await.unwrap();
    standing.text().await.unwrap();
    assert!(TcpStream::connect(running.address).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn silent_connections_take_nothing_from_others() {
    let running = start().await;
    let mut silent = Vec::new();
    for _ in 0..500 {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        stream.write_all(b"POST /mcp HTTP/1.1\r\n").await.unwrap();
        silent.push(stream);
    }
    let good = post(&running, INITIALIZE).send();
    let good = tokio::time::timeout(Duration::from_secs(5), good).await.unwrap().unwrap();
    assert_eq!(good.status(), 200);
}

#[tokio::test]
async fn other_machines_need_a_token_that_the_user_chose() {
    let home = tempfile::tempdir().unwrap();
    let mut settings = settings();
    settings.listen = "0.0.0.0:0".parse().unwrap();
    assert!(HttpServer::bind(&settings, home.path()).await.is_ok());
    settings.token = None;
    let refused = HttpServer::bind(&settings, home.path()).await;
    assert!(matches!(refused, Err(HttpError::Open { .. })));
    assert!(!home.path().join(TOKEN_FILE).exists());
    settings.listen = "127.0.0.1:0".parse().unwrap();
    let first = HttpServer::bind(&settings, home.path()).await.unwrap();
    assert_eq!(first.token_file.as_deref(), Some(home.path().join(TOKEN_FILE).as_path()));
    settings.listen = first.address().clone();
    let taken = HttpServer::bind(&settings, home.path()).await;
    assert!(matches!(taken, Err(HttpError::Listen { .. })));
    let told = taken.unwrap_err().to_string();
    assert!(told.contains("another program") && told.contains("--http PORT"), "{told}");
    #[cfg(unix)]
    {
        let _noted = running_server::RunningServer::note(home.path(), &first.page_url()).unwrap();
        let told = HttpServer::bind(&settings, home.path()).await.unwrap_err().to_string();
        assert!(told.contains("`ayeaye ui`") && told.contains(&first.page_url()), "{told}");
    }
}

#[tokio::test]
async fn what_listens_everywhere_names_an_address_that_it_answers_to() {
    for listen in ["0.0.0.0:0", "[::]:0"] {
        let mut settings = settings();
        settings.listen = listen.parse().unwrap();
        // Not every machine has IPv6.
        let Ok(server) = HttpServer::bind(&settings, Path::new("/nowhere")).await else { continue };
        let url: url::Url = server.url().parse().unwrap();
        let host = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
        assert!(server.auth.hosts.allow(&host.parse().unwrap()), "{url}");
        assert!(!server.has_names);
    }
}

#[test]
fn a_policy_for_a_token_that_is_not_there_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut policy = Policy::default();
    let settings = settings();
    let check = |policy: &Policy| check_narrowed(policy, &settings, home.path());
    assert!(check(&policy).is_ok());
    let narrow = ayeaye_agent::gate::PolicyProfile::ReadOnly;
    policy.principals = vec![("token:anna".to_owned(), narrow)];
    let told = check(&policy).unwrap_err().to_string();
    assert!(told.contains("narrows anna, but") && told.contains("http-tokens"), "{told}");
    let file = home.path().join(token_store::FILE);
    std::fs::write(&file, "anna a-token-of-another-one\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert!(check(&policy).is_ok());
    policy.principals.push(("token:ann".to_owned(), narrow));
    assert!(check(&policy).is_err());
}

#[tokio::test]
async fn an_allowed_page_may_read_and_no_other_is_told_anything() {
    let running = start().await;
    let host = format!("Host: {}\r\nConnection: close\r\n", running.address);
    let asks = "Access-Control-Request-Method: POST\r\n\
                Access-Control-Request-Headers: authorization,content-type\r\n\
                Access-Control-Request-Private-Network: true\r\n";
    let listed = format!("Origin: {LISTED}\r\n");
    let ask = |origin: &str| format!("OPTIONS /mcp HTTP/1.1\r\n{host}{origin}{asks}\r\n");
    let (status, answer) = raw(running.address, &ask(&listed)).await;
    assert_eq!(status, 204, "{answer}");
    for said in [
        &format!("access-control-allow-origin: {LISTED}\r\n"),
        "access-control-allow-methods: GET, POST, DELETE\r\n",
        "authorization, content-type",
        "access-control-allow-private-network: true\r\n",
        "vary: Origin\r\n",
    ] {
        assert!(answer.contains(said), "{said}: {answer}");
    }
    for stranger in ["Origin: https://evil.example\r\n", "Origin: null\r\n"] {
        let (status, answer) = raw(running.address, &ask(stranger)).await;
        assert_eq!(status, 403);
        assert!(!answer.contains("access-control"), "{answer}");
    }
    // A browser of no page asks nothing beforehand.
    let (status, _) = raw(running.address, &ask("")).await;
    assert_eq!(status, 401);
    // Refusals are for the page's eyes too, and so is the session.
    let (status, answer) =
        raw(running.address, &format!("GET /mcp HTTP/1.1\r\n{host}{listed}\r\n")).await;
    assert_eq!(status, 401);
    assert!(answer.contains("access-control-expose-headers: Mcp-Session-Id, WWW-Authenticate"));
    let opened = post(&running, INITIALIZE).header("origin", LISTED).send().await.unwrap();
    assert_eq!(opened.headers()["access-control-allow-origin"], LISTED);
    assert!(opened.headers().contains_key("mcp-session-id"));
    assert!(!opened.headers().contains_key("access-control-allow-credentials"));
}

#[tokio::test]
async fn wrong_tokens_become_too_many_and_the_right_one_is_still_let_in() {
    let mut settings = settings();
    settings.wrong_tokens = 3;
    settings.rate_limit = 5;
    let running = start_with(&settings, Path::new("/nowhere")).await;
    let url = format!("http://{}/mcp", running.address);
    let wrong = async |token: &str| http().post(&url).bearer_auth(token).send().await.unwrap();
    for _ in 0..3 {
        let answer = wrong("wrong").await;
        assert_eq!(answer.status(), 401);
        let text = answer.text().await.unwrap();
        assert!(text.contains("not one of this server's") && !text.contains("is needed"), "{text}");
    }
    let answer = wrong("wrong").await;
    assert_eq!(answer.status(), 429);
    let wait: u64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=21).contains(&wait), "{wait}");
    // No token at all is no guess: such a client must hear how to get one.
    assert_eq!(http().post(&url).send().await.unwrap().status(), 401);
    for _ in 0..5 {
        assert_eq!(post(&running, INITIALIZE).send().await.unwrap().status(), 200);
    }
    let answer = post(&running, INITIALIZE).send().await.unwrap();
    assert_eq!(answer.status(), 429);
    assert!(answer.headers().contains_key("retry-after"));
    assert!(answer.text().await.unwrap().contains("http.rate-limit"));
}

#[tokio::test]
async fn readiness_follows_the_disk_and_the_end() {
    let home = tempfile::tempdir().unwrap();
    let running = start_with(&settings(), home.path()).await;
    let url = format!("http://{}/readyz", running.address);
    let answer = http().get(&url).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    // A call that runs keeps the server for a moment; its connection is another one.
    let headers = session(&running).await;
    let call = post(&running, SLOW).headers(headers).send().await.unwrap();
    running.echo.begun.notified().await;
    running.shutdown.asked.cancel();
    assert!(call.text().await.unwrap().contains("stopped"));
    running.served.await.unwrap();
    assert!(http().get(&url).send().await.is_err());
}

fn issued_by(name: String) -> HttpSettings {
    let mut settings = settings();
    settings.public_url = Some("https://phones.example.com".parse().expect("a URL"));
    let audience = Some(AUDIENCE.to_owned());
    settings.issuer = Some(IssuerSettings { name, audience, keys: None });
    settings
}

#[tokio::test]
async fn an_issuer_is_told_of_and_its_tokens_are_taken() {
    let pair = Pair::ed();
    let idp = Idp::start(serde_json::json!([pair.jwk("a")])).await;
    let running = start_with(&issued_by(idp.name()), Path::new("/nowhere")).await;
    let at = |path: &str| format!("http://{}{path}", running.address);
    for path in
        ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"]
    {
        let answer = http().get(at(path)).send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "application/json");
        let told: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(told["resource"], "https://phones.example.com/mcp");
        assert_eq!(told["authorization_servers"], serde_json::json!([idp.name()]));
        assert_eq!(told["scopes_supported"], serde_json::json!(["phone:control"]));
        assert_eq!(told["bearer_methods_supported"], serde_json::json!(["header"]));
        let request = format!("GET {path} HTTP/1.1\r\nConnection: close\r\n");
        let evil = format!("{request}Host: evil.example\r\n\r\n");
        assert_eq!(raw(running.address, &evil).await.0, 403);
        let public = format!("{request}Host: phones.example.com\r\n\r\n");
        assert_eq!(raw(running.address, &public).await.0, 200);
    }
    let challenge = |answer: &reqwest::Response| {
        answer.headers()["www-authenticate"].to_str().unwrap().to_owned()
    };
    let place = "scope=\"phone:control\", resource_metadata=\"https://phones.example.com/\
                 .well-known/oauth-protected-resource/mcp\"";
    let answer = http().post(at("/mcp")).send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert_eq!(challenge(&answer), format!("Bearer realm=\"ayeaye\", {place}"));
    let mut claims = idp.claims();
    claims["exp"] = serde_json::json!(1);
    let answer =
        http().post(at("/mcp")).bearer_auth(pair.token("a", &claims)).send().await.unwrap();
    assert_eq!(answer.status(), 401);
    assert!(challenge(&answer).contains("error=\"invalid_token\", scope="));
    claims = idp.claims();
    claims["scope"] = serde_json::json!("openid");
    let answer =
        http().post(at("/mcp")).bearer_auth(pair.token("a", &claims)).send().await.unwrap();
    assert_eq!(answer.status(), 403);
    assert_eq!(
        challenge(&answer),
        format!("Bearer realm=\"ayeaye\", error=\"insufficient_scope\", {place}")
    );
    let config = StreamableHttpClientTransportConfig::with_uri(at("/mcp"))
        .auth_header(pair.token("a", &idp.claims()));
    let transport = StreamableHttpClientTransport::with_client(http(), config);
    let client = ().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await.unwrap();
    let principal = client.call_tool(CallToolRequestParams::new("who")).await.unwrap();
    let expected = format!("jwt:{}#anna", idp.name());
    assert_eq!(principal.content[0].as_text().unwrap().text, expected);
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn without_its_issuer_the_servers_own_token_still_works() {
    let running =
        start_with(&issued_by("http://127.0.0.1:1".to_owned()), Path::new("/nowhere")).await;
    let pair = Pair::ed();
    let claims = serde_json::json!({ "iss": "http://127.0.0.1:1" });
    let url = format!("http://{}/mcp", running.address);
    let answer = http().post(url).bearer_auth(pair.token("a", &claims)).send().await.unwrap();
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    assert_eq!(post(&running, INITIALIZE).send().await.unwrap().status(), 200);
}

#[cfg(unix)]
mod by_socket {
    use tokio::net::UnixStream;

    use super::*;

    #[tokio::test]
    async fn our_own_processes_need_no_token_and_a_wrong_one_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("a.sock");
        let mut settings = settings();
        settings.listen = Listen::Unix(path.clone());
        settings.allowed_hosts = vec!["phones.example.com".parse().unwrap()];
        let server = HttpServer::bind(&settings, home.path()).await.unwrap();
        assert_eq!(server.url(), "http://localhost/mcp");
        let (shutdown, echo) = (Shutdown::default(), Echo::default());
        let served = tokio::spawn({
            let shutdown = shutdown.clone();
            async move { server.serve(move || echo.clone(), &shutdown, async {}).await }
        });
        for (line, expected) in [
            ("Host: localhost", 200),
            ("Host: localhost\r\nAuthorization: Bearer a-token-for-tests-only", 200),
            ("Host: localhost\r\nAuthorization: Bearer wrong", 401),
            ("Host: localhost\r\nX-Forwarded-For: 203.0.113.9", 401),
            ("Host: localhost\r\nX-Forwarded-Proto: https", 401),
            ("Host: localhost\r\nX-Original-Forwarded-For: 203.0.113.9", 401),
            ("Host: localhost\r\nCF-Ray: 7d0b-FRA", 401),
            ("Host: localhost\r\nCF-Connecting-IP: 203.0.113.9", 401),
            ("Host: phones.example.com", 401),
            ("Host: phones.example.com\r\nAuthorization: Bearer a-token-for-tests-only", 200),
            ("Host: evil.example", 403),
            ("Host: localhost\r\nOrigin: http://evil.example", 403),
        ] {
            let mut stream = UnixStream::connect(&path).await.unwrap();
            let length = INITIALIZE.len();
            let request = format!(
                "POST /mcp HTTP/1.1\r\n{line}\r\nAccept: application/json, text/event-stream\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\n\
                 Connection: close\r\n\r\n{INITIALIZE}"
            );
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with(&format!("HTTP/1.1 {expected} ")), "{line}: {answer}");
        }
        shutdown.asked.cancel();
        served.await.unwrap();
        assert!(!path.exists());
    }
}
