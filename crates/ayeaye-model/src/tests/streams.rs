//! How streams end, other than in order.
use super::wires::{all, of, stream};
use super::*;

/// An answer in one chunk, behind which the connection ends without the last one.
fn torn(body: &str) -> Act {
    let chunk = format!("{:x}\r\n{body}\r\n", body.len());
    Act::Bytes(raw("200 OK", &format!("{EVENTS}transfer-encoding: chunked\r\n"), chunk))
}

#[tokio::test]
async fn a_whole_reply_is_taken_though_its_connection_breaks_behind_it() {
    for (profile, name) in all() {
        let whole = stream(profile, 0);
        let counts = "data: {\"choices\":[],\"usage\":{\"prompt_t";
        for body in [whole.clone(), whole.trim_end().to_owned(), format!("{whole}{counts}")] {
            let fake = Fake::start(vec![torn(&body)]).await;
            let model = of(&fake, profile, name);
            let reply = model.call(&prompt(), LIMIT).await.unwrap();
            let action = model.read(&reply, SENT).unwrap().action;
            assert_eq!(action, Action::Complete { message: "ok".to_owned() }, "{profile}");
            assert_eq!((fake.seen().len(), reply.tokens.completion), (1, 2), "{profile}: {body}");
        }
    }
    // In one piece, too.
    let whole = fake::completion(BACK, "stop").to_string();
    let reply = replied(vec![http("200 OK", "content-length: 5000\r\n", whole)]).await;
    assert!(reply.retries.is_empty(), "{:?}", reply.retries);
}

#[tokio::test]
async fn what_breaks_off_before_its_reason_is_no_whole_reply() {
    let piece = |rest: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"a\"}}{rest}}}]}}\n\n")
    };
    let ended = piece(",\"finish_reason\":\"stop\"");
    // The last gives a reason with every piece, which then tells no end.
    for body in [piece(""), piece(",\"finish_reason\":null"), format!("{ended}{ended}")] {
        let reply = replied(vec![torn(&body), says(BACK)]).await;
        assert_eq!((reply.text.as_str(), reply.retries.len()), (BACK, 1), "{body}");
    }
}

#[tokio::test]
async fn the_end_of_a_stream_is_not_waited_for_long_behind_a_whole_reply() {
    let body = events(&[BACK], Some("stop"));
    let reason_alone = body.split("data: {\"choices\":[],").next().unwrap();
    let without_done = body.strip_suffix("data: [DONE]\n\n").unwrap();
    for (silent, counted) in [
        (Act::Hang(raw("200 OK", EVENTS, without_done)), 2),
        (Act::Drip(raw("200 OK", EVENTS, reason_alone)), 0),
    ] {
        let fake = Fake::start(vec![silent]).await;
        let reply = model(&fake).call(&prompt(), LIMIT).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.tokens.completion), (BACK, counted));
        assert_eq!(fake.seen().len(), 1);
        // It may be silent for eight seconds before.
        assert!(reply.latency < Duration::from_secs(6), "{:?}", reply.latency);
    }
}
