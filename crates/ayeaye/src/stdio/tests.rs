//! The server over a pipe in memory, spoken to in raw lines.
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;

use super::*;
use crate::testing::Echo;

struct Client {
    input: DuplexStream,
    output: tokio::io::Lines<BufReader<DuplexStream>>,
    echo: Echo,
    shutdown: Shutdown,
    served: JoinHandle<io::Result<()>>,
}

fn start() -> Client {
    start_with(1 << 20)
}

/// With pipes that hold so many bytes.
fn start_with(capacity: usize) -> Client {
    let (input, reader) = tokio::io::duplex(capacity);
    let (writer, output) = tokio::io::duplex(capacity);
    let (echo, shutdown) = (Echo::default(), Shutdown::default());
    let served = tokio::spawn({
        let (echo, shutdown) = (echo.clone(), shutdown.clone());
        async move {
            let stop = echo.stop.clone();
            let stopped = async move { stop.cancel() };
            let (reader, writer) = (Box::new(reader), Box::new(writer));
            serve_on(reader, writer, echo, &shutdown, stopped).await
        }
    });
    Client { input, output: BufReader::new(output).lines(), echo, shutdown, served }
}

impl Client {
    async fn send(&mut self, line: impl AsRef<[u8]>) {
        self.input.write_all(line.as_ref()).await.expect("it reads");
        self.input.write_all(b"\n").await.expect("it reads");
    }

    async fn next(&mut self) -> Value {
        let line = self.output.next_line().await.expect("it writes UTF-8").expect("it goes on");
        serde_json::from_str(&line).expect("every line is a message")
    }

    async fn initialize(&mut self) {
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" } });
        self.send(request(1, "initialize", &params)).await;
        assert_eq!(self.next().await["id"], 1);
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }
}

fn request(id: u32, method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

fn echo(id: u32, text: &str) -> String {
    request(id, "tools/call", &json!({ "name": "echo", "arguments": { "text": text } }))
}

fn slow(id: u32) -> String {
    request(id, "tools/call", &json!({ "name": "slow" }))
}

fn cancel(id: u32) -> String {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
        .to_string()
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn broken_lines_are_survived() {
    let mut client = start();
    // Before anything else, too.
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#)
        .await;
    client.initialize().await;
    for quiet in ["", "\u{feff}"] {
        client.send(quiet).await;
    }
    client.send(echo(2, "still here")).await;
    let answer = client.next().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!(2), "still here"));
    for broken in [&b"not json"[..], b"{\"jsonrpc\":", b"null}", b"{{{{", &[0xff, 0xfe, 0x00]] {
        client.send(broken).await;
        let answer = client.next().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)));
    }
    for odd in ["[]", "7", "null", r#"{"id":1.5,"jsonrpc":"2.0","method":"x"}"#, "{}"] {
        client.send(odd).await;
        let answer = client.next().await;
        assert_eq!(answer["error"]["code"], -32600, "{odd}: {answer}");
    }
    // Whoever waits for an answer gets it.
    client
        .send(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"x":"\ud83d"}}"#)
        .await;
    let answer = client.next().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("a"), &json!(-32700)));
    client.send(echo(3, "and here")).await;
    assert_eq!(text(&client.next().await), "and here");
}

#[tokio::test]
async fn a_response_as_the_first_line_ends_nothing() {
    let mut client = start();
    client.send(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    client.send(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#).await;
    client.initialize().await;
    client.send(echo(2, "here")).await;
    assert_eq!(text(&client.next().await), "here");
}

#[tokio::test]
async fn a_handshake_that_does_not_fit_is_told_what_is_wrong() {
    let mut client = start();
    client.send(request(7, "initialize", &json!({ "protocolVersion": 5 }))).await;
    let answer = client.next().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32602)));
    let says = answer["error"]["message"].as_str().unwrap();
    assert!(says.contains("the params of initialize do not fit: `protocolVersion`"), "{says}");
    client.initialize().await;
    client.send(echo(2, "here")).await;
    assert_eq!(text(&client.next().await), "here");
}

#[tokio::test]
async fn a_request_id_sent_twice_gets_two_answers() {
    let mut client = start();
    client.initialize().await;
    client.send(slow(2)).await;
    client.echo.begun.notified().await;
    client.send(echo(2, "twice")).await;
    let refused = client.next().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(2), &json!(-32600)));
    client.echo.go.notify_one();
    let answer = client.next().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!(2), "went"));
    // Once it was answered, the id is free again, as some clients want it.
    client.send(echo(2, "again")).await;
    assert_eq!(text(&client.next().await), "again");
}

#[tokio::test]
async fn the_id_of_a_cancelled_request_is_taken_while_it_is_still_at_work() {
    let mut client = start();
    client.initialize().await;
    client.send(request(2, "tools/call", &json!({ "name": "deaf" }))).await;
    client.echo.begun.notified().await;
    client.send(cancel(2)).await;
    client.send(echo(2, "another")).await;
    // Not the late answer of the first, nor is the second cancelled for it.
    let refused = client.next().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(2), &json!(-32600)));
    client.echo.go.notify_one();
    let answer = loop {
        client.send(echo(2, "again")).await;
        let answer = client.next().await;
        if answer["error"].is_null() {
            break answer;
        }
    };
    assert_eq!(text(&answer), "again");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_writes_and_does_not_read_is_read_no_further() {
    const LINES: usize = 20_000;
    let mut client = start_with(1 << 10);
    client.initialize().await;
    let lines = "x\n".repeat(LINES);
    let writing = client.input.write_all(lines.as_bytes());
    tokio::pin!(writing);
    // The time goes on only when nobody does anything.
    let early = tokio::time::timeout(Duration::from_secs(1), writing.as_mut()).await;
    assert!(early.is_err(), "all was taken, and answers to all are kept");
    let reading = async {
        for _ in 0..LINES {
            client.output.next_line().await.unwrap().expect("each line has an answer");
        }
    };
    tokio::join!(reading, async { writing.await.unwrap() });
}

#[tokio::test]
async fn a_line_that_is_too_long_is_answered_by_its_id() {
    let mut client = start();
    client.initialize().await;
    client.send(echo(2, &"x".repeat(MAX_LINE))).await;
    let answer = client.next().await;
    assert_eq!(answer["id"], 2);
    assert!(answer["error"]["message"].as_str().unwrap().contains("longer than"), "{answer}");
    // What no id can be read from is answered without one.
    client.send("x".repeat(MAX_LINE + 1)).await;
    let answer = client.next().await;
    assert!(answer["id"].is_null() && answer["error"].is_object(), "{answer}");
    client.send(echo(3, "still here")).await;
    assert_eq!(text(&client.next().await), "still here");
}

#[tokio::test]
async fn a_line_below_the_limit_passes_whole() {
    let mut client = start();
    client.initialize().await;
    let long = "x".repeat(MAX_LINE - 200);
    client.send(echo(2, &long)).await;
    assert_eq!(text(&client.next().await).len(), long.len());
}

#[tokio::test]
async fn a_response_is_not_answered_by_its_id() {
    let mut client = start();
    client.initialize().await;
    let long = json!({ "jsonrpc": "2.0", "id": 2, "result": { "x": "x".repeat(MAX_LINE) } });
    for broken in [r#"{"jsonrpc":"2.0","id":2,"result":{"x":1e400}}"#, &long.to_string()] {
        client.send(broken).await;
        let answer = client.next().await;
        assert!(answer["id"].is_null() && answer["error"].is_object(), "{answer}");
    }
}

#[tokio::test]
async fn a_client_that_reads_no_more_has_left() {
    let mut client = start();
    client.initialize().await;
    client.send(slow(2)).await;
    client.echo.begun.notified().await;
    // Its input stays open.
    drop(client.output);
    client.input.write_all(format!("{}\n", echo(3, "x")).as_bytes()).await.unwrap();
    client.shutdown.asked.cancelled().await;
    client.served.await.unwrap().unwrap();
    assert!(client.echo.stop.is_cancelled(), "its runs were stopped");
}

/// A full disk.
struct Full;

impl AsyncWrite for Full {
    fn poll_write(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        _: &[u8],
    ) -> std::task::Poll<io::Result<usize>> {
        std::task::Poll::Ready(Err(io::ErrorKind::StorageFull.into()))
    }

    fn poll_flush(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::task::Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn that_nothing_can_be_written_is_an_error() {
    for line in ["not json", &request(1, "ping", &json!({}))] {
        let (mut input, reader) = tokio::io::duplex(1 << 10);
        input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
        let shutdown = Shutdown::default();
        let (reader, writer) = (Box::new(reader), Box::new(Full));
        let served = serve_on(reader, writer, Echo::default(), &shutdown, async {}).await;
        assert_eq!(served.unwrap_err().kind(), io::ErrorKind::StorageFull, "{line}");
        assert!(shutdown.asked.is_cancelled());
    }
}

#[tokio::test]
async fn at_the_end_of_input_runs_stop_and_the_last_answer_leaves() {
    let mut client = start();
    client.initialize().await;
    client.send(slow(2)).await;
    client.echo.begun.notified().await;
    let before = std::time::Instant::now();
    client.input.shutdown().await.unwrap();
    let answer = client.next().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!(2), "stopped"));
    client.served.await.unwrap().unwrap();
    assert!(client.shutdown.asked.is_cancelled());
    assert!(before.elapsed() < Duration::from_secs(4), "{:?}", before.elapsed());
}

#[tokio::test(start_paused = true)]
async fn no_answer_to_a_call_that_was_cancelled_is_waited_for() {
    let mut client = start();
    client.initialize().await;
    client.send(slow(2)).await;
    client.echo.begun.notified().await;
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": { "requestId": 2 } });
    client.send(cancelled.to_string()).await;
    // Once this is answered, that was read.
    client.send(echo(3, "x")).await;
    while client.next().await["id"] != 3 {}
    let before = tokio::time::Instant::now();
    client.shutdown.asked.cancel();
    client.served.await.unwrap().unwrap();
    assert!(before.elapsed() < DRAIN_LIMIT, "{:?}", before.elapsed());
}

#[tokio::test]
async fn a_signal_ends_it_with_the_input_still_open() {
    let mut client = start();
    client.initialize().await;
    client.send(slow(2)).await;
    client.echo.begun.notified().await;
    let before = std::time::Instant::now();
    client.shutdown.asked.cancel();
    assert_eq!(text(&client.next().await), "stopped");
    client.served.await.unwrap().unwrap();
    assert!(before.elapsed() < DRAIN_LIMIT, "{:?}", before.elapsed());
    assert_eq!(client.output.next_line().await.unwrap(), None);
}

#[tokio::test]
async fn it_ends_before_a_client_has_said_a_word() {
    let client = start();
    client.shutdown.asked.cancel();
    client.served.await.unwrap().unwrap();
    let mut client = start();
    client.input.shutdown().await.unwrap();
    client.served.await.unwrap().unwrap();
    assert!(client.shutdown.asked.is_cancelled());
}

#[tokio::test]
async fn modern_clients_need_no_handshake() {
    let mut client = start();
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {} });
    client.send(request(1, "server/discover", &json!({ "_meta": meta }))).await;
    assert!(client.next().await["result"]["supportedVersions"].is_array());
    let call = json!({ "name": "echo", "arguments": { "text": "hi" }, "_meta": meta });
    client.send(request(2, "tools/call", &call)).await;
    assert_eq!(text(&client.next().await), "hi");
}
