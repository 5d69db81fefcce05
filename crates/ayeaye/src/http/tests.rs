//! The server over real sockets.
mod access;
mod streams;

use std::net::SocketAddr;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use ayeaye_model::Secret;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientLifecycleMode, ClientServiceExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::*;
use crate::config::Config;
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
    run(HttpServer::bind(settings, data_dir).await.expect("a free port"))
}

fn run(server: HttpServer) -> Running {
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
        // HAProxy's check.
        ("GET /healthz HTTP/1.0\r\n\r\n".to_owned(), 200),
        ("GET /readyz HTTP/1.0\r\n\r\n".to_owned(), 503),
        ("GET /mcp HTTP/1.0\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/1.0\r\n\r\n".to_owned(), 400),
        ("GET /healthz HTTP/1.0\r\nHost: evil.example\r\n\r\n".to_owned(), 403),
        ("GET http://evil.example/healthz HTTP/1.0\r\n\r\n".to_owned(), 400),
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
    for (encoding, status) in [("gzip", 415), ("identity, br", 415), ("identity", 200)] {
        let coded = post(&running, INITIALIZE).header("content-encoding", encoding);
        assert_eq!(coded.send().await.unwrap().status(), status, "{encoding}");
    }
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
