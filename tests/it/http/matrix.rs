//! Host × Origin × method × content type × token: what is answered to each combination, byte for
//! byte over a real socket.
use std::fmt::Write as _;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{Served, give_tokens};
use crate::process::TOKEN;
use crate::support::{Answer, FakeVlm, Rig, RigOptions};

const LISTED: &str = "https://app.example.com";
const NAMED: &str = "annas-token-0123456789";
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#;

/// Header lines and the status with which they end the matter, if they do. `{port}` is the server's.
type Row = (&'static [&'static str], Option<u16>);

const HOSTS: [Row; 10] = [
    (&["127.0.0.1:{port}"], None),
    (&["LocalHost:{port}"], None),
    (&["[::1]:{port}"], None),
    // Allowed in the settings, behind a proxy at 443.
    (&["phones.example.com"], None),
    (&["phones.example.com:8443"], Some(403)),
    (&["evil.example:{port}"], Some(403)),
    (&["127.0.0.1.nip.io:{port}"], Some(403)),
    (&["localhost"], Some(403)),
    (&["localhost:{port}", "evil.example"], Some(400)),
    (&[], Some(400)),
];

const ORIGINS: [Row; 9] = [
    (&[], None),
    (&[LISTED], None),
    (&["http://evil.example"], Some(403)),
    (&["null"], Some(403)),
    (&[OWN[0]], Some(403)),
    (&[OWN[1]], Some(403)),
    (&["https://127.0.0.1:{port}"], Some(403)),
    (&[OWN[0], OWN[0]], Some(403)),
    (&[LISTED, "http://evil.example"], Some(403)),
];

/// The server's own origins, each refused but beside the `Host` with the same name.
const OWN: [&str; 2] = ["http://127.0.0.1:{port}", "http://localhost:{port}"];

const TOKENS: [Row; 6] = [
    (&["Bearer a-token-for-tests-0123456789abcdef"], None),
    (&["bearer annas-token-0123456789"], None),
    (&["Bearer a-token-for-tests-0123456789abcdee"], Some(401)),
    (&["Basic a-token-for-tests-0123456789abcdef"], Some(401)),
    (
        &["Bearer a-token-for-tests-0123456789abcdef", "Bearer a-token-for-tests-0123456789abcdef"],
        Some(401),
    ),
    (&[], Some(401)),
];

/// The method, whether it is a browser's question beforehand, and the status for each of `TYPES`.
const METHODS: [(&str, bool, [u16; 4]); 6] = [
    ("POST", false, [200, 415, 415, 415]),
    // No session is named.
    ("GET", false, [400; 4]),
    ("DELETE", false, [400; 4]),
    ("PUT", false, [405; 4]),
    ("OPTIONS", false, [405; 4]),
    ("OPTIONS", true, [405; 4]),
];

const TYPES: [&[&str]; 4] = [
    &["application/json"],
    &["text/plain;charset=UTF-8"],
    &["application/x-www-form-urlencoded"],
    &[],
];

/// The origin whose pages may call, if the request is from one. A request with two is from none.
fn caller(host: &Row, origin: &Row) -> Option<&'static str> {
    let ([host], [origin]) = (host.0, origin.0) else { return None };
    let own = OWN.contains(origin) && *origin == format!("http://{}", host.to_lowercase());
    (*origin == LISTED || own).then_some(*origin)
}

/// What the tables say: the first that ends the matter does. A page that is allowed hears the answer
/// to its question before it sends a token.
fn expected(host: &Row, origin: &Row, asks: bool, token: &Row, method: u16) -> u16 {
    let from_a_page = !origin.0.is_empty();
    let told = (asks && from_a_page).then_some(204);
    let refused = origin.1.filter(|_| caller(host, origin).is_none());
    host.1.or(refused).or(told).or(token.1).unwrap_or(method)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_combination_is_answered_as_the_tables_say() {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::with(vlm, RigOptions::quick()).await;
    give_tokens(rig.data.path(), &format!("anna {NAMED}\n"));
    let served = Served::new(rig.server.clone(), rig.data.path(), |settings| {
        settings.allowed_origins = vec![LISTED.parse().unwrap()];
        settings.allowed_hosts = vec!["phones.example.com".parse().unwrap()];
    })
    .await;
    let mut cells = 0;
    for host in &HOSTS {
        for origin in &ORIGINS {
            for token in &TOKENS {
                for (method, asks, by_type) in METHODS {
                    for (kind, of_method) in TYPES.iter().zip(by_type) {
                        let mut request = format!("{method} /mcp HTTP/1.1\r\n");
                        let lines = [
                            ("Host", host.0),
                            ("Origin", origin.0),
                            ("Authorization", token.0),
                            ("Content-Type", kind),
                        ];
                        for (name, values) in lines {
                            for value in values {
                                write!(request, "{name}: {value}\r\n").unwrap();
                            }
                        }
                        if asks {
                            request += "Access-Control-Request-Method: POST\r\n";
                        }
                        let length = if method == "POST" { INITIALIZE.len() } else { 0 };
                        write!(
                            request,
                            "Accept: application/json, text/event-stream\r\n\
                             Content-Length: {length}\r\nConnection: close\r\n\r\n{}",
                            &INITIALIZE[..length]
                        )
                        .unwrap();
                        let port = served.address.port().to_string();
                        let request = request.replace("{port}", &port);
                        let expected = expected(host, origin, asks, token, of_method);
                        let readable = caller(host, origin).filter(|_| host.1.is_none());
                        let readable = readable.map(|origin| origin.replace("{port}", &port));
                        let answer = ask(&served, &request).await;
                        check(&request, &answer, expected, readable.as_deref());
                        cells += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cells, 10 * 9 * 6 * 6 * 4);
}

fn check(request: &str, answer: &str, expected: u16, readable: Option<&str>) {
    let status = answer.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok());
    assert_eq!(status, Some(expected), "{request}\n{answer}");
    let lower = answer.to_lowercase();
    assert_eq!(expected == 401, lower.contains("www-authenticate: bearer"), "{request}\n{answer}");
    let told = |origin| lower.contains(&format!("access-control-allow-origin: {origin}\r\n"));
    assert!(readable.is_none_or(told), "{request}\n{answer}");
    assert_eq!(readable.is_some(), lower.contains("access-control-"), "{request}\n{answer}");
    assert!(!lower.contains("allow-credentials"), "{answer}");
    assert_eq!(expected == 200, lower.contains("mcp-session-id: "), "{answer}");
    assert!(!answer.contains(TOKEN) && !answer.contains(NAMED), "{answer}");
}

/// Sends a request as it is and returns the head and what came with it.
async fn ask(served: &Served, request: &str) -> String {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while !answer.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut buffer).await.unwrap();
        assert_ne!(read, 0, "no answer to {request}");
        answer.extend_from_slice(&buffer[..read]);
    }
    String::from_utf8_lossy(&answer).into_owned()
}
