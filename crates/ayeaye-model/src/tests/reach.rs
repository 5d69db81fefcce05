//! Endpoints that are not there, and a quick look at those that are.
use ayeaye_agent::{Model as _, ModelErrorKind};

use super::fake::{Act, Fake, JSON, http, says};
use super::{BACK, LIMIT, config, model, prompt};
use crate::{Reach, RemoteModel};

fn models(names: &str) -> Act {
    http("200 OK", JSON, format!("{{\"data\":[{names}]}}"))
}

#[tokio::test]
async fn where_nothing_ever_ran_nothing_is_tried_again() {
    let fake = Fake::start(vec![says(BACK)]).await;
    let (never, once) = (model(&fake), model(&fake));
    once.call(&prompt(), LIMIT).await.unwrap();
    assert!(once.has_answered());
    drop(fake);
    tokio::task::yield_now().await;
    let error = never.call(&prompt(), LIMIT).await.unwrap_err();
    assert_eq!((error.kind, error.retries.len()), (ModelErrorKind::Unreachable, 1));
    assert!(error.message.contains("start it, or correct model.base-url"));
    // One that has answered may be starting again.
    let error = once.call(&prompt(), LIMIT).await.unwrap_err();
    assert_eq!((error.kind, error.retries.len()), (ModelErrorKind::Unreachable, 5));
    assert!(error.message.contains("its server has ended"), "{}", error.message);
}

#[tokio::test]
async fn a_quick_look_tells_what_runs_there() {
    for (answer, found) in [
        (models(r#"{"id":"other"},{"id":"gelab-fake:latest"}"#), Reach::Offered),
        (models(r#"{"id":"other"}"#), Reach::NotOffered),
        (http("404 Not Found", "", ""), Reach::Answers),
        (http("200 OK", "", "<html>"), Reach::Answers),
        (http("401 Unauthorized", "", ""), Reach::Answers),
    ] {
        let fake = Fake::start(vec![answer]).await;
        assert_eq!(model(&fake).reach(LIMIT).await, found);
    }
    let fake = Fake::start(vec![says(BACK)]).await;
    let gone = RemoteModel::new(config(&fake)).unwrap();
    drop(fake);
    tokio::task::yield_now().await;
    assert_eq!(gone.reach(LIMIT).await, Reach::Refused);
}

#[tokio::test]
async fn a_look_ends_in_time() {
    // It accepts the connection and says nothing.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let endpoint = crate::Endpoint::parse(&format!("http://{address}/v1")).unwrap();
    let model = RemoteModel::new(crate::ModelConfig::new(endpoint, "m")).unwrap();
    let begun = std::time::Instant::now();
    let found = model.reach(std::time::Duration::from_millis(50)).await;
    assert_eq!(found, Reach::Unknown);
    assert!(begun.elapsed() < LIMIT, "{:?}", begun.elapsed());
    drop(listener);
}
