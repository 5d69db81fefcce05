//! What is shown while it happens: events, screens, and what it costs whoever is looked at.
use std::sync::Arc;

use ayeaye_agent::SessionId;
use futures::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{ANNA, Browser, Served};
use crate::process::TOKEN;
use crate::support::{Answer, FakeVlm, Rig, RigOptions, click, complete, gelab, info, within};

async fn rig(script: impl FnMut(&Value) -> Answer + Send + 'static) -> Rig {
    Rig::with(FakeVlm::start(script).await, RigOptions::quick()).await
}

/// A stream of events that is read one by one.
struct Events {
    answer: reqwest::Response,
    unread: String,
}

impl Events {
    async fn open(browser: &Browser<'_>, sessions: &str) -> Self {
        let path = format!("/page/api/events?sessions={sessions}");
        let answer = browser.send(Method::GET, &path, None).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["x-accel-buffering"], "no");
        Self { answer, unread: String::new() }
    }

    /// The next event; `None` when the stream has ended.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.unread.split_once("\n\n") {
                let line = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let told = line("event: ")
                    .zip(line("data: "))
                    .map(|(name, data)| (name.to_owned(), serde_json::from_str(data).unwrap()));
                self.unread = rest.to_owned();
                if told.is_some() {
                    return told;
                }
                continue;
            }
            let chunk = within(60, "an event", self.answer.chunk()).await.ok()??;
            self.unread += std::str::from_utf8(&chunk).unwrap();
        }
    }

    /// The next event of this name that fits.
    async fn wait(&mut self, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
        within(60, name, async {
            loop {
                let (told, value) = self.next().await.expect("the stream goes on");
                if told == name && fits(&value) {
                    return value;
                }
            }
        })
        .await
    }
}

/// A session as a page puts it together from its events.
struct Watched {
    events: Events,
    steps: std::collections::BTreeMap<u64, Value>,
}

impl Watched {
    async fn open(browser: &Browser<'_>, id: &str) -> Self {
        let (events, steps) = (Events::open(browser, id).await, std::collections::BTreeMap::new());
        Self { events, steps }
    }

    /// The session, with all its steps, when it fits.
    async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut session = self.events.wait("session", |_| true).await;
            for step in session["steps"].as_array().unwrap() {
                self.steps.insert(step["index"].as_u64().unwrap(), step.clone());
            }
            session["steps"] = json!(self.steps.values().collect::<Vec<_>>());
            if fits(&session) {
                return session;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_told_from_its_beginning_to_its_end() {
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    let mut replies = vec![complete("Saved."), click(300, 400), click(500, 500)];
    let rig = rig(move |_| Answer::Held(held.clone(), replies.pop().unwrap())).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let mut phones = Events::open(&browser, "").await;
    let mut lists = Events::open(&browser, "").await;
    let (name, hello) = lists.next().await.unwrap();
    assert!(name == "hello" && hello["server"].is_string(), "{name} {hello}");
    assert_eq!(hello["heartbeat_ms"], 10_000);
    let listed = phones.wait("devices", |_| true).await;
    assert_eq!(listed["devices"][0]["device_id"], json!(rig.serial));
    assert_eq!(listed["devices"][0]["busy"], false);
    assert_eq!(lists.wait("sessions", |_| true).await["sessions"], json!([]));

    let id = browser.start(&rig.serial, "Save it").await;
    phones.wait("devices", |it| it["devices"][0]["session_id"] == json!(id)).await;
    let line = lists.wait("sessions", |it| it["sessions"][0]["running"] == true).await;
    assert_eq!(line["sessions"][0]["task"], "Save it");
    assert_eq!(line["sessions"][0]["queued"], false);

    let mut watched = Watched::open(&browser, &id).await;
    let looked = watched.until(|it| it["steps"][0]["picture"] == true).await;
    assert_eq!((&looked["steps_from"], &looked["first_step"]), (&json!(0), &json!(0)));
    assert_eq!((&looked["can"]["stop"], &looked["steps"][0]["label"]), (&json!(true), &json!("")));
    gate.notify_one();
    let first = watched.until(|it| it["steps"][1]["picture"] == true).await;
    assert_eq!(
        (&first["steps"][0]["action_type"], &first["steps"][0]["over"]),
        (&json!("CLICK"), &json!(true))
    );
    assert_eq!(first["steps"][0]["point"], json!([500.0, 500.0]));
    gate.notify_one();
    watched.until(|it| it["steps"][2]["picture"] == true).await;
    gate.notify_one();
    let end = watched.until(|it| it["running"] == false).await;
    assert!(2 <= end["steps_from"].as_u64().unwrap(), "what is over is not told again: {end}");
    assert_eq!(end["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    assert_eq!((&end["message"], &end["can"]["new_task"]), (&json!("Saved."), &json!(true)));
    phones.wait("devices", |it| it["devices"][0]["busy"] == false).await;

    let whole = browser.read(&format!("sessions/{id}")).await;
    assert_eq!(whole["steps"].as_array().unwrap().len(), 3);
    assert_eq!(whole["rounds"], json!([{ "number": 0, "request": "Save it" }]));
    let url = whole["steps"][0]["picture_url"].as_str().unwrap();
    let picture = browser.send(Method::GET, url, None).await;
    assert_eq!(picture.headers()["content-type"], "image/jpeg");
    assert!(picture.headers()["cache-control"].to_str().unwrap().contains("private"));
    let found = browser.read("sessions?q=SAVE").await;
    assert_eq!(found["sessions"][0]["session_id"], json!(id));
    assert_eq!(browser.read("sessions?q=elephant").await["sessions"], json!([]));
    let before = browser.read(&format!("sessions?before={id}")).await;
    assert_eq!((&before["sessions"], &before["more"]), (&json!([]), &json!(false)));
    let earlier = browser.read(&format!("sessions/{id}/steps?before=2")).await;
    assert_eq!(earlier["steps"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_who_look_cost_a_phone_what_one_does() {
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    let rig = rig(move |_| Answer::Held(held.clone(), complete("Done."))).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let captures = || rig.virtual_phone.adb_counts().captures;
    let path = format!("/page/api/devices/{}/screen", rig.serial);
    let look = || browser.send(Method::GET, &path, None);

    let (before, begun) = (captures(), std::time::Instant::now());
    let seen = join_all((0..20).map(|_| look())).await;
    let tags: Vec<_> = seen.iter().map(|answer| answer.headers()["etag"].clone()).collect();
    assert!(tags.iter().all(|tag| *tag == tags[0]));
    // One, and another for each half second that the requests took on a busy machine.
    let most = u64::try_from(begun.elapsed().as_millis() / 500 + 1).unwrap();
    assert!((1..=most).contains(&(captures() - before)), "{}", captures() - before);
    let tag = tags[0].to_str().unwrap().trim_matches('"');
    let again = browser.send(Method::GET, &format!("{path}?after={tag}"), None).await;
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    let picture = seen.into_iter().next().unwrap();
    assert_eq!(picture.headers()["content-type"], "image/jpeg");
    assert!(picture.bytes().await.unwrap().starts_with(&[0xff, 0xd8]));

    // While a run drives the phone, its own picture is shown and nothing is captured.
    let id = browser.start(&rig.serial, "Wait").await;
    let viewers = join_all((0..20).map(|_| Events::open(&browser, &id))).await;
    rig.vlm.is_asked(1).await;
    let (before, begun) = (captures(), std::time::Instant::now());
    let mut one = Watched::open(&browser, &id).await;
    let step = one.until(|it| it["steps"][0]["picture"] == true).await;
    for answer in join_all((0..20).map(|_| look())).await {
        assert_eq!(answer.status(), StatusCode::OK);
        let shown = answer.bytes().await.unwrap();
        let url = step["steps"][0]["picture_url"].as_str().unwrap();
        let kept = browser.send(Method::GET, url, None).await.bytes().await.unwrap();
        assert_eq!(shown, kept);
    }
    // The run itself watches the screen while the model thinks, once a second.
    let most = begun.elapsed().as_secs() + 3;
    assert!(captures() - before <= most, "{} of {most}", captures() - before);
    // Nobody else sees the phone meanwhile.
    let (status, said) = served.browser(ANNA).await.get(&path["/page/api/".len()..]).await;
    assert_eq!(status, StatusCode::CONFLICT, "{said}");
    assert!(!said.to_string().contains(&id), "{said}");
    gate.notify_one();
    drop(viewers);
    browser.stopped(&id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_viewer_that_sleeps_is_told_how_it_ended() {
    let mut replies = vec![complete("Done.")];
    replies.extend((0..12).map(|_| gelab("WAIT", "value:0.1", "waited")));
    let rig = rig(move |_| Answer::Says(replies.pop().unwrap())).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let id = browser.start(&rig.serial, "Wait a bit").await;
    let mut sleeper = Watched::open(&browser, &id).await;
    let end = browser.stopped(&id).await;
    assert_eq!(end["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    // Awake again: what it has, put together, is the session as it is.
    let seen = sleeper.until(|it| it["running"] == false).await;
    assert_eq!(seen["steps"], end["steps"]);
    assert_eq!(end["steps"].as_array().unwrap().len(), 13);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screen_whose_record_cannot_be_read_is_not_waited_for_without_end() {
    let rig = rig(|_| Answer::Silence).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let id = browser.start(&rig.serial, "Wait a bit").await;
    let screen = format!("devices/{}/screen", rig.serial);
    within(60, "a first picture", async {
        while browser.get(&screen).await.0 != StatusCode::OK {}
    })
    .await;
    let record = rig.data.path().join("sessions").join(&id).join("events.jsonl");
    let whole = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, whole.replacen("\"seq\":1", "\"seq\":7", 1)).unwrap();
    // Another server, whose page has not seen it yet.
    let other = Served::new(&rig).await;
    let (status, said) = other.browser(TOKEN).await.get(&screen).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{said}");
    assert!(said["error"].as_str().unwrap().contains("record"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_told_however_many_sessions_are_newer() {
    let rig = rig(|_| Answer::Says(info("Pay EUR \u{202e}.kcab 01\u{202c} to Anna?"))).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let long = "Ask. ".repeat(200);
    let id = browser.start(&rig.serial, &long).await;
    let asked = browser.stopped(&id).await;
    assert_eq!(
        asked["question"]["text"], "Pay EUR .kcab 01 to Anna?",
        "nothing turns its words round"
    );
    for _ in 0..51 {
        // Of which nothing can be read, which is quick to make; each has its line all the same.
        rig.agent.journal().create(&SessionId::new()).await.unwrap();
    }
    let told = Events::open(&browser, "").await.wait("sessions", |_| true).await;
    let lines = told["sessions"].as_array().unwrap();
    assert_eq!(lines.len(), 51, "the newest, and what waits");
    let oldest = lines.last().unwrap();
    assert_eq!((&oldest["session_id"], &oldest["waiting"]), (&json!(id), &json!(true)));
    assert_eq!(oldest["question"], asked["question"]["text"]);
    assert!(oldest["task"].as_str().unwrap().chars().count() <= 300, "each change sends all lines");
    let page = browser.read("sessions").await;
    assert_eq!((page["sessions"].as_array().unwrap().len(), &page["more"]), (50, &json!(true)));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_for_their_owners_bounded_and_end_with_the_server() {
    let rig = rig(|_| Answer::Says(info("Which?"))).await;
    let served = Served::new(&rig).await;
    let (me, anna) = (served.browser(TOKEN).await, served.browser(ANNA).await);
    let id = me.start(&rig.serial, "Ask").await;
    let mut hers = Events::open(&anna, &id).await;
    let gone = hers.wait("gone", |_| true).await;
    assert_eq!(gone, json!({ "session_id": id }));
    let mut mine = Events::open(&me, &id).await;
    let asked = mine.wait("session", |it| it["waiting"] == true).await;
    assert_eq!(asked["question"]["text"], "Which?");
    assert_eq!((&asked["can"]["answer"], &asked["can"]["resume"]), (&json!(true), &json!(false)));
    let more = join_all((0..63).map(|_| Events::open(&me, ""))).await;
    assert_eq!(me.get("events").await.0, StatusCode::TOO_MANY_REQUESTS);
    drop(more);
    rig.agent.shut_down(std::time::Duration::from_secs(5)).await;
    within(30, "the streams end", async {
        while mine.next().await.is_some() {}
        while hers.next().await.is_some() {}
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_login_and_no_other() {
    let rig = rig(|_| Answer::Silence).await;
    let served = Served::new(&rig).await;
    let (leaves, stays) = (served.browser(TOKEN).await, served.browser(TOKEN).await);
    let mut ending = Events::open(&leaves, "").await;
    let mut going_on = Events::open(&stays, "").await;
    for events in [&mut ending, &mut going_on] {
        events.wait("sessions", |_| true).await;
    }
    leaves.send(Method::POST, "/page/api/sign-out", Some(json!({}))).await;
    within(20, "the end", async { while ending.next().await.is_some() {} }).await;
    stays.start(&rig.serial, "Wait").await;
    going_on.wait("sessions", |_| true).await;
}
