//! Answers as streams: resumed, shared, cut.
use futures::StreamExt as _;

use super::*;

/// Begins a slow call and returns it with the id of its stream's first event.
async fn begun(running: &Running, headers: &HeaderMap) -> (impl Sized + use<>, String) {
    let call = post(running, SLOW).headers(headers.clone()).send().await.unwrap();
    assert_eq!(call.headers()["x-accel-buffering"], "no");
    running.echo.begun.notified().await;
    let mut stream = call.bytes_stream();
    let mut seen = String::new();
    while !seen.contains("id:") || !seen.ends_with("\n\n") {
        seen.push_str(std::str::from_utf8(&stream.next().await.unwrap().unwrap()).unwrap());
    }
    let last = seen.lines().find_map(|line| line.strip_prefix("id:")).unwrap().trim().to_owned();
    (stream, last)
}

async fn resume(running: &Running, headers: &HeaderMap, last: &str) -> reqwest::Response {
    let resumed = http()
        .get(format!("http://{}/mcp", running.address))
        .bearer_auth(TOKEN)
        .header("accept", "text/event-stream")
        .headers(headers.clone())
        .header("last-event-id", last);
    resumed.send().await.unwrap()
}

#[tokio::test]
async fn an_answer_survives_the_connection_it_was_for() {
    let running = start().await;
    let headers = session(&running).await;
    let (call, last) = begun(&running, &headers).await;
    drop(call);
    let resume = || resume(&running, &headers, &last);
    // Back before the answer: it comes on the new connection.
    let early = resume().await;
    running.echo.go.notify_one();
    let text = early.text().await.unwrap();
    assert!(text.contains("went"), "{text}");
    // Back after the answer, and again: it is still there.
    for _ in 0..2 {
        let text = resume().await.text().await.unwrap();
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
async fn an_id_stays_in_use_when_the_connection_of_its_call_breaks() {
    let running = start().await;
    let headers = session(&running).await;
    let again = async |body: &'static str| {
        let sent = post(&running, body).headers(headers.clone()).send().await.unwrap();
        sent.text().await.unwrap()
    };
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let (call, last) = begun(&running, &headers).await;
    drop(call);
    let refused = again(ping).await;
    assert!(refused.contains("still open"), "{refused}");
    // Over when its answer is there, read or not.
    running.echo.go.notify_one();
    let text = resume(&running, &headers, &last).await.text().await.unwrap();
    assert!(text.contains("went"), "{text}");
    assert!(again(ping).await.contains(r#""result""#));
    // And when it was cancelled and nobody works on it any more.
    let deaf = SLOW.replace("slow", "deaf");
    let call = post(&running, deaf).headers(headers.clone()).send().await.unwrap();
    running.echo.begun.notified().await;
    drop(call);
    again(CANCEL).await;
    let refused = again(ping).await;
    assert!(refused.contains("still ending"), "{refused}");
    running.echo.go.notify_one();
    let answered = async { while !again(ping).await.contains(r#""result""#) {} };
    tokio::time::timeout(SOON, answered).await.expect("its id is free again");
}

const CANCEL: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#;

/// Sends a request and closes the connection behind it, without reading.
async fn send_and_leave(running: &Running, headers: &HeaderMap, method: &str, body: &str) {
    let line = |(name, value): (&HeaderName, &HeaderValue)| {
        format!("{name}: {}\r\n", value.to_str().unwrap())
    };
    let lines: String = headers.iter().map(line).collect();
    let request = format!(
        "{method} /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n\
         Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n{lines}\r\n{body}",
        running.address,
        body.len()
    );
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn what_a_client_sends_last_takes_effect_although_it_waits_for_no_answer() {
    let running = start().await;
    for (method, body) in [("POST", CANCEL), ("DELETE", "")] {
        let headers = session(&running).await;
        let (call, _) = begun(&running, &headers).await;
        send_and_leave(&running, &headers, method, body).await;
        let cancelled = tokio::time::timeout(SOON, running.echo.cancelled.notified()).await;
        cancelled.unwrap_or_else(|_| panic!("{method} is lost"));
        drop(call);
    }
    // Calls, too: those of these protocols outlive their connections.
    let headers = session(&running).await;
    send_and_leave(&running, &headers, "POST", SLOW).await;
    tokio::time::timeout(SOON, running.echo.begun.notified()).await.expect("it begins");
}

/// `DELETE`: the client ends its session.
async fn end(running: &Running, headers: &HeaderMap) {
    let ended = http()
        .delete(format!("http://{}/mcp", running.address))
        .bearer_auth(TOKEN)
        .headers(headers.clone());
    assert_eq!(ended.send().await.unwrap().status(), 204);
}

/// Less than rmcp goes on with the calls of a session that has ended.
const SOON: Duration = Duration::from_secs(3);

#[tokio::test]
async fn the_end_of_a_session_cancels_its_calls_and_ends_its_streams() {
    let running = start().await;
    let headers = session(&running).await;
    let (read, _) = begun(&running, &headers).await;
    end(&running, &headers).await;
    tokio::time::timeout(SOON, running.echo.cancelled.notified()).await.expect("it is cancelled");
    drop(read);
    // A call whose connection broke, too, and the stream on which it was resumed.
    let headers = session(&running).await;
    let (call, last) = begun(&running, &headers).await;
    drop(call);
    let resumed = resume(&running, &headers, &last).await;
    end(&running, &headers).await;
    tokio::time::timeout(SOON, running.echo.cancelled.notified()).await.expect("it is cancelled");
    let rest = tokio::time::timeout(SOON, resumed.text()).await.expect("it ends").unwrap();
    assert!(!rest.contains("result"), "{rest}");
    assert_eq!(resume(&running, &headers, &last).await.status(), 404);
}

#[tokio::test]
async fn the_stream_of_a_cancelled_call_ends_and_is_not_resumed() {
    let running = start().await;
    let headers = session(&running).await;
    let (call, last) = begun(&running, &headers).await;
    let resumed = resume(&running, &headers, &last).await;
    let sent = post(&running, CANCEL).headers(headers.clone()).send().await.unwrap();
    assert_eq!(sent.status(), 202);
    tokio::time::timeout(SOON, resumed.text()).await.expect("it ends").unwrap();
    drop(call);
    // TypeScript's SDK resumes each stream that ends without an answer; this would stay open for ever.
    let again = resume(&running, &headers, &last).await;
    assert_eq!(again.status(), 405);
    let text = again.text().await.unwrap();
    assert!(text.contains("its call was cancelled"), "{text}");
}

#[tokio::test]
async fn a_request_id_sent_twice_at_a_time_gets_two_answers() {
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
async fn a_handshake_that_does_not_fit_is_told_what_is_wrong() {
    let running = start().await;
    for (params, says) in [
        ("", "missing field `protocolVersion`"),
        (r#","params":{"protocolVersion":5}"#, "`protocolVersion`"),
        (
            r#","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x"}}"#,
            "`clientInfo`",
        ),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"initialize"{params}}}"#);
        let answer = post(&running, body).send().await.unwrap();
        assert_eq!(answer.status(), 400, "{params}");
        let text = answer.text().await.unwrap();
        let error: serde_json::Value = serde_json::from_str(&text).expect("JSON-RPC");
        assert_eq!((&error["id"], &error["error"]["code"]), (&7.into(), &(-32602).into()));
        assert!(error["error"]["message"].as_str().unwrap().contains(says), "{error}");
    }
    // What is no handshake is told that it needs one.
    let answer =
        post(&running, r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#).send().await.unwrap();
    assert!(answer.text().await.unwrap().contains("Session ID is required"));
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

/// A slow call of 2026-07-28, with more in its `_meta`.
fn call_without_session(running: &Running, more: &str) -> reqwest::RequestBuilder {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"slow","_meta":{{{more}"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    post(running, body)
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "slow")
}

#[tokio::test]
async fn a_slow_answer_without_a_session_begins_before_it_is_there() {
    let mut server = HttpServer::bind(&settings(), Path::new("/nowhere")).await.unwrap();
    Arc::get_mut(&mut server.auth).unwrap().silence = Duration::ZERO;
    let running = run(server);
    let begun = async || {
        let answer = call_without_session(&running, "").send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["x-accel-buffering"], "no");
        let mut stream = answer.bytes_stream();
        assert_eq!(stream.next().await.unwrap().unwrap(), ":\n\n");
        running.echo.begun.notified().await;
        stream
    };
    let stream = begun().await;
    running.echo.go.notify_one();
    let rest: Vec<_> = stream.map(|chunk| chunk.unwrap()).collect().await;
    let text = String::from_utf8(rest.concat()).unwrap();
    assert!(text.contains("went") && text.contains(r#""id":2"#), "{text}");
    // Whoever leaves it has cancelled, as before the first byte.
    drop(begun().await);
    tokio::time::timeout(SOON, running.echo.cancelled.notified()).await.expect("it is cancelled");
}

#[tokio::test]
async fn a_modern_client_that_goes_away_cancels() {
    let running = start().await;
    let call = |more: &str| call_without_session(&running, more).send();
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
async fn a_session_of_before_a_restart_is_told_to_connect_again() {
    let running = start().await;
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let called = post(&running, ping).header("mcp-session-id", "of-before");
    let listened = http()
        .get(format!("http://{}/mcp", running.address))
        .bearer_auth(TOKEN)
        .header("accept", "text/event-stream")
        .header("mcp-session-id", "of-before");
    let ended = http()
        .delete(format!("http://{}/mcp", running.address))
        .bearer_auth(TOKEN)
        .header("mcp-session-id", "of-before");
    for request in [called, listened, ended] {
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 404);
        let text = answer.text().await.unwrap();
        // The code of the SDK's own servers, by which clients tell it from a wrong address.
        assert!(text.contains(r#""code":-32001"#), "{text}");
        assert!(text.contains("the server was restarted") && text.contains("initialize"), "{text}");
    }
}

#[tokio::test]
async fn whoever_accepts_everything_is_answered() {
    let running = start().await;
    let greet = |accept: &'static str| {
        let request = http().post(format!("http://{}/mcp", running.address)).bearer_auth(TOKEN);
        let request = request.header("content-type", "application/json").body(INITIALIZE);
        let request = request.header("accept", accept);
        async move { request.send().await.unwrap().status() }
    };
    for accept in ["*/*", "application/*, text/*", "text/event-stream, application/json"] {
        assert_eq!(greet(accept).await, 200, "{accept}");
    }
    for accept in ["application/json", "text/html"] {
        assert_eq!(greet(accept).await, 406, "{accept}");
    }
}
