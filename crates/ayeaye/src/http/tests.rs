//! The server over real sockets.
use std::fmt::Write as _;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use futures::StreamExt as _;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::*;
use crate::config::{Config, Secret};
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
    settings.listen.set_port(0);
    settings.token = Some(Secret::new(TOKEN));
    settings.allowed_origins = vec![LISTED.parse().expect("an origin")];
    settings
}

async fn start() -> Running {
    let server = HttpServer::bind(&settings(), Path::new("/nowhere")).await.expect("a free port");
    let (address, echo, shutdown) = (server.address(), Echo::default(), Shutdown::default());
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
async fn every_door_but_one_is_shut() {
    let running = start().await;
    let port = running.address.port();
    let hosts = [
        (vec![format!("127.0.0.1:{port}")], true),
        (vec![format!("[::1]:{port}")], true),
        (vec![format!("evil.example:{port}")], false),
        (vec![format!("localhost.evil.example:{port}")], false),
        (vec![format!("127.0.0.1.nip.io:{port}")], false),
        (vec![format!("0.0.0.0:{port}")], false),
        (vec!["localhost".to_owned()], false),
        (vec![format!("localhost:{port}"), "evil.example".to_owned()], false),
    ];
    let origins = [
        (vec![], true),
        (vec![LISTED], true),
        (vec!["http://evil.example"], false),
        (vec!["null"], false),
        (vec![LISTED, "http://evil.example"], false),
    ];
    let tokens = [
        (Some(format!("Bearer {TOKEN}")), true),
        (Some("Bearer a-token-for-tests-onlz".to_owned()), false),
        (None, false),
    ];
    let types = ["application/json", "text/plain", "application/x-www-form-urlencoded"];
    let methods = ["POST", "GET", "DELETE", "OPTIONS"];
    let mut cells = 0;
    for (host_lines, host_good) in &hosts {
        for (origin_lines, origin_good) in &origins {
            for (token, token_good) in &tokens {
                for kind in types {
                    for method in methods {
                        let mut request = format!("{method} /mcp HTTP/1.1\r\n");
                        for host in host_lines {
                            write!(request, "Host: {host}\r\n").unwrap();
                        }
                        for origin in origin_lines {
                            write!(request, "Origin: {origin}\r\n").unwrap();
                        }
                        if let Some(token) = token {
                            write!(request, "Authorization: {token}\r\n").unwrap();
                        }
                        let length = if method == "POST" { INITIALIZE.len() } else { 0 };
                        write!(
                            request,
                            "Accept: application/json, text/event-stream\r\nContent-Type: {kind}\r\n\
                             Content-Length: {length}\r\nConnection: close\r\n\r\n{}",
                            &INITIALIZE[..length],
                        )
                        .unwrap();
                        let expected = match (host_good, origin_good, token_good, method) {
                            (false, ..) if host_lines.len() == 2 => 400,
                            (false, ..) | (_, false, ..) => 403,
                            (_, _, false, _) => 401,
                            (.., "POST") if kind == "application/json" => 200,
                            (.., "POST") => 415,
                            // No session is named.
                            (.., "GET" | "DELETE") => 400,
                            _ => 405,
                        };
                        let (status, answer) = raw(running.address, &request).await;
                        assert_eq!(status, expected, "{request}\n{answer}");
                        let lower = answer.to_lowercase();
                        assert_eq!(status == 401, lower.contains("www-authenticate: bearer"));
                        assert!(!lower.contains("access-control-"), "{answer}");
                        assert!(!answer.contains(TOKEN));
                        cells += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cells, 1440);
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
        ("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n".to_owned(), 400),
        ("GET /healthz HTTP/1.0\r\n\r\n".to_owned(), 400),
        (format!("GET http://evil.example/healthz HTTP/1.1\r\n{host}\r\n"), 403),
        (format!("GET http://{}/healthz HTTP/1.1\r\n{host}\r\n", running.address), 200),
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
        let who = client.call_tool(CallToolRequestParams::new("who")).await.unwrap();
        names.push(who.content[0].as_text().unwrap().text.clone());
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
    assert!(!home.path().join(token::FILE).exists());
    settings.listen = "127.0.0.1:0".parse().unwrap();
    let first = HttpServer::bind(&settings, home.path()).await.unwrap();
    assert_eq!(first.token_file.as_deref(), Some(home.path().join(token::FILE).as_path()));
    settings.listen = first.address();
    let taken = HttpServer::bind(&settings, home.path()).await;
    assert!(matches!(taken, Err(HttpError::Listen { .. })));
}
