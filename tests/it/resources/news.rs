//! Subscriptions and log messages.
use std::sync::Arc;
use std::time::Duration;

use futures::future::select_all;
use rmcp::model::{
    ClientRequest, RequestMetaObject, ServerNotification, SubscribeRequestParams,
    SubscriptionFilter, UnsubscribeRequestParams,
};
use tokio::sync::Notify;

use super::{
    Answer, Client, Heard, Principal, Rig, Value, click, client, complete, json, kept, rig, within,
};
use super::{DeviceId, ReplyMode, StartTask};
use crate::support::clients::LineClient;

/// A run whose model is held before each step, and before its end: one gate each.
fn gated(rig: &Rig, steps: u32) -> Vec<Arc<Notify>> {
    let gates: Vec<Arc<Notify>> = (0..=steps).map(|_| Arc::default()).collect();
    let held = |(step, gate): (u32, &Arc<Notify>)| {
        let says = if step < steps { click(300 + step, 400) } else { complete("Done.") };
        Answer::Held(gate.clone(), says)
    };
    rig.vlm.then((0..).zip(&gates).map(held).collect());
    gates
}

async fn begin(rig: &Rig) -> (Value, String) {
    let start = json!({ "device_id": rig.serial, "task": "tap", "wait_seconds": 0 });
    let begun = rig.call("ask_agent_start_new_task", start).await;
    let uri = format!("ayeaye://sessions/{}", begun["session_id"].as_str().unwrap());
    (begun, uri)
}

async fn subscribe(client: &Client, uri: &str) {
    #[expect(deprecated, reason = "the older protocols have nothing else")]
    client.subscribe(SubscribeRequestParams::new(uri)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_client_hears_of_a_run_until_it_unsubscribes() {
    let rig = rig().await;
    let gates = gated(&rig, 2);
    let (client, mut heard) = client(&rig, false).await;
    let (begun, session) = begin(&rig).await;
    let steps = format!("{session}/steps");
    subscribe(&client, &session).await;
    subscribe(&client, &steps).await;
    // The first step is let through, and both are told of it.
    gates[0].notify_one();
    let mut told = Vec::new();
    within(20, "news of both", async {
        while !(told.contains(&session) && told.contains(&steps)) {
            let Some(Heard::Updated(uri)) = heard.recv().await else { continue };
            told.push(uri);
        }
    })
    .await;
    #[expect(deprecated, reason = "the older protocols have nothing else")]
    client.unsubscribe(UnsubscribeRequestParams::new(steps.clone())).await.unwrap();
    // Most of what was on its way is here after a further answer.
    client.list_all_prompts().await.unwrap();
    while heard.try_recv().is_ok() {}
    gates[1].notify_one();
    gates[2].notify_one();
    let ended = rig.go_on(&begun, json!({})).await;
    assert_eq!(ended["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    // The session's end is told, and of its steps nothing more than what was on its way: each message is handled by
    // itself, and may be heard behind a later answer.
    let mut last = within(20, "the end", heard.recv()).await;
    if last == Some(Heard::Updated(steps.clone())) {
        last = within(20, "the end", heard.recv()).await;
    }
    assert_eq!(last, Some(Heard::Updated(session)));
    client.cancel().await.unwrap();
    while let Some(more) = heard.recv().await {
        assert_ne!(more, Heard::Updated(steps.clone()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_initializes_again_hears_of_everything_once() {
    let rig = rig().await;
    let mut client = LineClient::old(&rig.server, json!({})).await;
    client.ask("resources/list", json!({})).await;
    client.ask("resources/subscribe", json!({ "uri": "ayeaye://sessions" })).await;
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "again", "version": "0" } });
    client.ask("initialize", hello).await;
    client.ask("resources/list", json!({})).await;
    rig.vlm.always(&complete("Done."));
    rig.start("look").await;
    // Whatever was on its way is here after a further answer.
    client.ask("ping", json!({})).await;
    let told = |what| client.others.iter().filter(|it| it["method"] == what).count();
    assert_eq!(told("notifications/resources/list_changed"), 1, "{:?}", client.others);
    // On a bridge that may be another client's.
    assert!(0 < told("notifications/resources/updated"), "subscriptions stay: {:?}", client.others);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_request_hears_of_new_sessions_and_of_runs() {
    let rig = rig().await;
    let gates = gated(&rig, 1);
    let (client, _heard) = client(&rig, true).await;
    let filter = SubscriptionFilter::builder().resources_list_changed().build();
    let mut list = client.listen(filter).await.unwrap();
    let (begun, session) = begin(&rig).await;
    let news = within(20, "a new session", list.next()).await.unwrap();
    assert!(
        matches!(news, Some(ServerNotification::ResourceListChangedNotification(_))),
        "{news:?}"
    );

    let strange = ["file:///etc/passwd".to_owned(), "ayeaye://devices".to_owned()];
    let filter = SubscriptionFilter::builder()
        .resource_subscriptions(strange.iter().chain([&session]))
        .build();
    let mut run = client.listen(filter).await.unwrap();
    assert_eq!(run.acknowledged().resource_subscriptions.as_deref(), Some(&[session.clone()][..]));
    // It begins with one of what may have changed meanwhile.
    for gate in [None, Some(&gates[0])] {
        if let Some(gate) = gate {
            gate.notify_one();
        }
        let news = within(20, "news of the run", run.next()).await.unwrap();
        let Some(ServerNotification::ResourceUpdatedNotification(news)) = news else {
            panic!("{news:?}")
        };
        assert_eq!(news.params.uri, session);
    }
    gates[1].notify_one();
    let ended = rig.go_on(&begun, json!({})).await;
    assert_eq!(ended["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    run.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_request_hears_of_what_began_while_it_was_opened() {
    let rig = rig().await;
    let _gates = gated(&rig, 1);
    let (client, _heard) = client(&rig, true).await;
    let (_, session) = begin(&rig).await;
    let filter = SubscriptionFilter::builder()
        .resources_list_changed()
        .resource_subscriptions(["ayeaye://sessions".to_owned(), session.clone()])
        .build();
    let mut open = client.listen(filter).await.unwrap();
    let mut waits = vec![None, Some("ayeaye://sessions".to_owned()), Some(session)];
    while !waits.is_empty() {
        let told = match within(20, "news of all", open.next()).await.unwrap() {
            Some(ServerNotification::ResourceListChangedNotification(_)) => None,
            Some(ServerNotification::ResourceUpdatedNotification(it)) => Some(it.params.uri),
            other => panic!("{other:?}"),
        };
        waits.retain(|wait| *wait != told);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_hears_of_anothers_runs() {
    let rig = rig().await;
    let theirs = kept(&rig, Some("bob")).await;
    let (older, mut heard) = client(&rig, false).await;
    // From here on it would hear of new sessions.
    older.list_all_resources().await.unwrap();
    let uri = format!("ayeaye://sessions/{theirs}");
    #[expect(deprecated, reason = "the older protocols have nothing else")]
    let refused = older.subscribe(SubscribeRequestParams::new(uri.clone())).await.unwrap_err();
    assert!(refused.to_string().contains("there is no resource"), "{refused}");
    let nobodys = format!("ayeaye://sessions/{}", ayeaye_agent::SessionId::new());
    #[expect(deprecated, reason = "the older protocols have nothing else")]
    let missing = older.subscribe(SubscribeRequestParams::new(nobodys.clone())).await.unwrap_err();
    assert_eq!(refused.to_string().replace(&uri, &nobodys), missing.to_string());
    subscribe(&older, "ayeaye://sessions").await;

    let (newer, _) = client(&rig, true).await;
    let filter = SubscriptionFilter::builder()
        .resources_list_changed()
        .resource_subscriptions([uri.as_str(), "ayeaye://sessions"])
        .build();
    let mut open = newer.listen(filter).await.unwrap();
    // What may have changed while it was opened is told of first, and nothing of bob's is in it.
    let first = within(20, "the list", open.next()).await.unwrap().unwrap();
    let ServerNotification::ResourceUpdatedNotification(first) = first else { panic!("{first:?}") };
    assert_eq!(first.params.uri, "ayeaye://sessions");
    rig.vlm.always(&complete("Done."));
    let start = StartTask {
        policy: None,
        device_id: DeviceId::new(rig.serial.clone()),
        task: "bob's".to_owned(),
        max_steps: 5,
        reply_mode: ReplyMode::PassToClient,
        planner: false,
        queue: false,
        principal: Principal::new("bob"),
    };
    let me = Principal::local();
    let before = rig.agent.activity(&me);
    let mut changes = rig.agent.changes();
    rig.agent.start(start).await.unwrap().finished().await;
    changes.changed().await.unwrap();
    assert_eq!(rig.agent.activity(&me), before);
    older.list_all_prompts().await.unwrap();
    assert!(heard.try_recv().is_err(), "nothing of it was told");
    // Ours is the first that either hears of.
    let (_, _) = begin(&rig).await;
    let first = within(20, "the list", heard.recv()).await.unwrap();
    assert!(matches!(first, Heard::List | Heard::Updated(_)), "{first:?}");
    match within(20, "the list", open.next()).await.unwrap().unwrap() {
        ServerNotification::ResourceListChangedNotification(_) => {}
        ServerNotification::ResourceUpdatedNotification(it) => {
            assert_eq!(it.params.uri, "ayeaye://sessions");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_are_bounded() {
    let rig = rig().await;
    let (client, _heard) = client(&rig, false).await;
    let session = kept(&rig, None).await;
    for step in 0..64 {
        subscribe(&client, &format!("ayeaye://sessions/{session}/steps/{step}")).await;
    }
    #[expect(deprecated, reason = "the older protocols have nothing else")]
    let refused =
        client.subscribe(SubscribeRequestParams::new("ayeaye://sessions")).await.unwrap_err();
    assert!(refused.to_string().contains("the maximum"), "{refused}");
    // One that is there already is no further one.
    subscribe(&client, &format!("ayeaye://sessions/{session}/steps/0")).await;
    #[expect(deprecated, reason = "the older protocols have nothing else")]
    let devices =
        client.subscribe(SubscribeRequestParams::new("ayeaye://devices")).await.unwrap_err();
    assert!(devices.to_string().contains("read ayeaye://devices again"), "{devices}");
}

#[tokio::test(flavor = "multi_thread")]
async fn open_requests_are_bounded_and_given_back() {
    let rig = rig().await;
    let (client, _heard) = client(&rig, true).await;
    let filter = SubscriptionFilter::builder().resources_list_changed().build();
    let mut open = Vec::new();
    // One more than there is room for. Each is acknowledged before it is counted, so any of them may be refused.
    for _ in 0..=64 {
        open.push(client.listen(filter.clone()).await.unwrap());
    }
    let answers = select_all(open.iter_mut().map(|one| Box::pin(one.next())));
    let (refused, at, _) = within(60, "a refusal", answers).await;
    let refused = refused.unwrap_err();
    assert!(refused.to_string().contains("64 subscriptions are open"), "{refused}");
    drop(open.remove(at));
    within(60, "the end of one", open.pop().unwrap().cancel()).await.unwrap();
    // The place is free as soon as the server has heard of it.
    rig.vlm.always(&complete("Done."));
    within(60, "a free place", async {
        loop {
            let mut another = client.listen(filter.clone()).await.unwrap();
            // The answer is a refusal, or the news of one of these.
            let answer = loop {
                tokio::select! {
                    answer = another.next() => break answer,
                    _ = Box::pin(rig.start("look")) => {}
                }
            };
            match answer {
                Ok(news) => break assert!(news.is_some(), "a new session"),
                Err(refused) => assert!(refused.to_string().contains("are open"), "{refused}"),
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_request_does_not_hold_the_server_up() {
    let rig = rig().await;
    let (client, _heard) = client(&rig, true).await;
    let filter = SubscriptionFilter::builder().resources_list_changed().build();
    let mut open = client.listen(filter).await.unwrap();
    rig.agent.shut_down(Duration::from_secs(5)).await;
    let last = within(5, "the end of it", open.next()).await.unwrap();
    assert!(last.is_none(), "{last:?}");
}

/// Runs a task of two steps over this client, asking for log messages in its era's way.
async fn logged(rig: &Rig, modern: bool, level: Option<&str>) -> Vec<Value> {
    rig.vlm.then(vec![Answer::Says(click(300, 400)), Answer::Says(complete("Done."))]);
    let (client, mut heard) = client(rig, modern).await;
    let mut meta = RequestMetaObject::default();
    if let Some(level) = level {
        let level = serde_json::from_value(json!(level)).unwrap();
        #[expect(deprecated, reason = "the older protocols have nothing else")]
        if modern {
            meta.set_log_level(level);
        } else {
            client.set_level(rmcp::model::SetLevelRequestParams::new(level)).await.unwrap();
        }
    }
    let arguments = json!({ "device_id": rig.serial, "task": "tap" });
    let mut call = rmcp::model::CallToolRequestParams::new("ask_agent_start_new_task");
    call = call.with_arguments(arguments.as_object().cloned().unwrap());
    call.meta = Some(meta);
    let request = ClientRequest::CallToolRequest(rmcp::model::Request::new(call));
    within(30, "the task", client.send_request(request)).await.unwrap();
    // They come in front of the answer, but each is handled by itself.
    let expected = if level == Some("info") { 3 } else { 0 };
    let mut told = Vec::new();
    within(20, "the messages", async {
        while told.len() < expected {
            told.push(heard.recv().await.unwrap());
        }
    })
    .await;
    client.list_all_prompts().await.unwrap();
    while let Ok(more) = heard.try_recv() {
        told.push(more);
    }
    let mut told: Vec<Value> = told
        .into_iter()
        .map(|news| match news {
            Heard::Log(message) => message,
            other => panic!("{other:?}"),
        })
        .collect();
    told.sort_by_key(|message| message["data"]["step"].as_u64().unwrap_or(u64::MAX));
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn log_messages_come_only_when_they_were_asked_for() {
    let rig = rig().await;
    for modern in [false, true] {
        assert_eq!(logged(&rig, modern, None).await, Vec::<Value>::new());
        assert_eq!(logged(&rig, modern, Some("warning")).await, Vec::<Value>::new());
        let told = logged(&rig, modern, Some("info")).await;
        let texts: Vec<&str> = told.iter().map(|it| it["data"]["text"].as_str().unwrap()).collect();
        assert_eq!(told.len(), 3, "two steps and the end: {told:?}");
        assert!(texts[0].starts_with("CLICK 300,400"), "{texts:?}");
        assert!(texts[1].starts_with("COMPLETE"), "{texts:?}");
        assert_eq!(told[2]["data"]["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_initializes_again_goes_on_hearing_log_messages() {
    let rig = rig().await;
    let mut client = LineClient::old(&rig.server, json!({})).await;
    client.ask("logging/setLevel", json!({ "level": "info" })).await;
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": { "name": "again", "version": "0" } });
    client.ask("initialize", hello).await;
    rig.vlm.then(vec![Answer::Says(click(300, 400)), Answer::Says(complete("Done."))]);
    let start = json!({ "device_id": rig.serial, "task": "tap" });
    client.tool("ask_agent_start_new_task", start).await;
    // Whatever was on its way is here after a further answer.
    client.ask("ping", json!({})).await;
    let told = client.others.iter().filter(|it| it["method"] == "notifications/message").count();
    assert_eq!(told, 3, "two steps and the end: {:?}", client.others);
}
