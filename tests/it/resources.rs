//! What clients read, hear of and are taught besides calling tools, in both eras of the protocol.
mod news;
mod teach;

use ayeaye_agent::journal::{
    ActionRecord, AgentState, AgentType, DeviceRecord, Fact, PhaseTimes, RecordEntry,
    ResponseRecord, RunRecord, SessionEnd, SessionStart, StepEnd, StepStart, TokenRecord,
};
use ayeaye_agent::{DeviceId, Principal, ReplyMode, SessionId, StartTask, StopReason};
use rmcp::ClientHandler;
use rmcp::model::{
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ResourceContents,
    ResourceUpdatedNotificationParam,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, Peer, RoleClient,
    RunningService, ServiceError,
};
use rmcp::{ErrorData, ServiceExt as _};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::support::{Answer, FakeVlm, Rig, RigOptions, click, complete, within};

/// What a client hears without having asked for it just now.
#[derive(Debug, Clone, PartialEq)]
enum Heard {
    Updated(String),
    List,
    Log(Value),
}

/// A client that writes down what it hears.
#[derive(Debug, Clone)]
struct Ear(mpsc::Sender<Heard>);

impl ClientHandler for Ear {
    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.send(Heard::Updated(params.uri)).await.unwrap();
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.send(Heard::List).await.unwrap();
    }

    #[expect(deprecated, reason = "older clients may still ask for it")]
    async fn on_logging_message(
        &self,
        params: rmcp::model::LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let told = serde_json::to_value(params).unwrap();
        self.0.send(Heard::Log(told)).await.unwrap();
    }
}

type Client = RunningService<RoleClient, Ear>;

/// Another client of the rig's server, of 2026-07-28 or older.
async fn client(rig: &Rig, modern: bool) -> (Client, mpsc::Receiver<Heard>) {
    let (told, heard) = mpsc::channel(256);
    let (near, far) = tokio::io::duplex(1 << 20);
    let server = rig.server.clone();
    tokio::spawn(async move { server.serve(far).await.unwrap().waiting().await });
    let lifecycle = if modern {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        ClientLifecycleMode::Discover { preferred_versions }
    } else {
        ClientLifecycleMode::Initialize
    };
    let client = Ear(told).serve_with_lifecycle(near, lifecycle).await.unwrap();
    (client, heard)
}

async fn rig() -> Rig {
    Rig::with(FakeVlm::start(|_| Answer::Silence).await, RigOptions::quick()).await
}

async fn try_read(peer: &Peer<RoleClient>, uri: &str) -> Result<ResourceContents, ErrorData> {
    match peer.read_resource(ReadResourceRequestParams::new(uri)).await {
        Ok(result) => {
            let [contents] = <[_; 1]>::try_from(result.contents).unwrap();
            Ok(contents)
        }
        Err(ServiceError::McpError(err)) => Err(err),
        Err(other) => panic!("{uri}: {other}"),
    }
}

async fn text(peer: &Peer<RoleClient>, uri: &str) -> String {
    match try_read(peer, uri).await.unwrap() {
        ResourceContents::TextResourceContents { text, uri: named, .. } => {
            assert_eq!(named, uri);
            text
        }
        other => panic!("{other:?}"),
    }
}

async fn json_of(peer: &Peer<RoleClient>, uri: &str) -> Value {
    serde_json::from_str(&text(peer, uri).await).unwrap()
}

/// A session that is on disk and has ended.
async fn kept(rig: &Rig, owner: Option<&str>) -> SessionId {
    kept_with(rig, owner, 0).await
}

/// The same with so many steps.
async fn kept_with(rig: &Rig, owner: Option<&str>, steps: u32) -> SessionId {
    let id = SessionId::new();
    let mut record = rig.agent.journal().create(&id).await.unwrap();
    let start = Fact::SessionStart(SessionStart {
        task_name: id.to_string(),
        request: "look around".to_owned(),
        device: DeviceRecord {
            device_id: rig.serial.clone(),
            model: "Pixel".to_owned(),
            android_version: "14".to_owned(),
            wm_size: [540, 1200],
            serial_digest: None,
        },
        config: Map::new(),
        run: RunRecord {
            max_steps: 20,
            reply_mode: ReplyMode::PassToClient.into(),
            planner: false,
            policy: None,
            device_server: None,
        },
        owner: owner.map(str::to_owned),
    });
    let end = Fact::SessionEnd(SessionEnd {
        stop_reason: StopReason::TaskCompletedSuccessfully.into(),
        message: "Done.".to_owned(),
        steps,
        local_steps: steps,
        cost_usd: 0.0,
        cost_known: true,
    });
    let outside = |fact| RecordEntry { round: None, step: None, agent: None, fact };
    record.append(outside(start)).await.unwrap();
    for step in 0..steps {
        for fact in structured_result(step) {
            let agent = Some("AppAgent".to_owned());
            let entry = RecordEntry { round: Some(0), step: Some(step), agent, fact };
            record.append(entry).await.unwrap();
        }
    }
    record.append(outside(end)).await.unwrap();
    record.close().await;
    id
}

fn structured_result(step: u32) -> [Fact; 2] {
    let start = StepStart {
        agent_type: AgentType::AppAgent.into(),
        round_step: step,
        agent_step: step,
        subtask: "look around".to_owned(),
        subtask_index: 0,
        request_number: step + 1,
    };
    let end = StepEnd {
        status: AgentState::Continue.into(),
        response: ResponseRecord { thought: "so ".repeat(500), ..ResponseRecord::default() },
        action: Some(ActionRecord {
            function: "CLICK".to_owned(),
            arguments: [("point".to_owned(), json!([step % 1000, 400]))].into_iter().collect(),
        }),
        result: String::new(),
        error: None,
        uncertain: None,
        tokens: TokenRecord::default(),
        cost_usd: 0.0,
        cost_known: true,
        time_ms: PhaseTimes::default(),
        caption: None,
    };
    [Fact::StepStart(start), Fact::StepEnd(end)]
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_listed_can_be_read_in_both_eras() {
    let rig = rig().await;
    rig.vlm.then(vec![Answer::Says(click(300, 400)), Answer::Says(complete("Done."))]);
    let done = rig.start("tap <b>here</b>").await;
    let id = done["session_id"].as_str().unwrap();
    let session = format!("ayeaye://sessions/{id}");
    for modern in [false, true] {
        let (client, _heard) = client(&rig, modern).await;
        let list = client.list_all_resources().await.unwrap();
        let names: Vec<&str> = list.iter().map(|it| it.uri.as_str()).collect();
        let fixed = ["ayeaye://sessions", "ayeaye://devices", "skill://phone-agent/SKILL.md"];
        assert_eq!(names, [&fixed[..], &[&session]].concat());
        for resource in &list {
            let read = try_read(&client, &resource.uri).await.unwrap();
            let ResourceContents::TextResourceContents { mime_type, text, .. } = read else {
                panic!("{resource:?}")
            };
            assert_eq!(mime_type, resource.mime_type);
            assert!(resource.title.is_some() && resource.annotations.is_some(), "{resource:?}");
            if let Some(size) = resource.size {
                assert_eq!(size, text.len() as u64);
            }
        }
        assert_eq!(list[3].title.as_deref(), Some("tap <b>here</b>"));

        assert_eq!(json_of(&client, &session).await, done);
        let sessions = json_of(&client, "ayeaye://sessions").await;
        assert_eq!(sessions, rig.call("list_sessions", json!({})).await);
        let devices = json_of(&client, "ayeaye://devices").await;
        assert_eq!(devices, rig.call("list_connected_devices", json!({})).await);

        let steps = json_of(&client, &format!("{session}/steps")).await;
        assert_eq!(steps["steps"].as_array().unwrap().len(), 2, "{steps}");
        assert_eq!(steps["steps"][0]["action"]["point"], json!([300, 400]));
        let first = steps["steps"][0]["uri"].as_str().unwrap();
        let step = json_of(&client, first).await;
        assert_eq!(step["action"], steps["steps"][0]["action"], "{step}");
        assert_eq!(step["calls"][0]["completion_tokens"], 60, "{step}");
        let picture = step["screen"]["screenshot_uri"].as_str().unwrap();
        assert_eq!(steps["steps"][0]["screenshot_uri"], picture);
        let picture = try_read(&client, picture).await.unwrap();
        let ResourceContents::BlobResourceContents { mime_type, .. } = picture else {
            panic!("a picture")
        };
        assert_eq!(mime_type.as_deref(), Some("image/jpeg"));

        let page = text(&client, &format!("{session}/report/pictures")).await;
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("data:image/webp;base64,"));
        assert!(page.contains("tap &lt;b&gt;here") && !page.contains("<b>here"), "escaped");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_said_so_in_the_words_of_each_era() {
    let rig = rig().await;
    let id = kept(&rig, None).await;
    let session = format!("ayeaye://sessions/{id}");
    for (modern, code) in [(false, -32002), (true, -32602)] {
        let (client, _heard) = client(&rig, modern).await;
        for uri in [
            "ayeaye://sessions/",
            "ayeaye://elsewhere",
            "file:///etc/passwd",
            "skill://phone-agent/OTHER.md",
            &format!("ayeaye://sessions/{}", SessionId::new()),
            &format!("{session}/steps/0"),
            &format!("{session}/steps/0/screenshot"),
            &format!("{session}/steps/-1"),
            &format!("{session}/../../secrets"),
        ] {
            let err = try_read(&client, uri).await.unwrap_err();
            assert_eq!(err.code.0, code, "{uri}: {err:?}");
            assert!(err.message.starts_with("there is no resource "), "{err:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_anothers_is_answered_like_what_is_not_there() {
    let rig = rig().await;
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
    // One under way, one that has ended.
    let running = rig.agent.start(start).await.unwrap().report().session_id;
    let ended = kept(&rig, Some("bob")).await;
    let mine = kept(&rig, None).await;
    let (client, _heard) = client(&rig, false).await;
    for id in [running, ended] {
        let missing = SessionId::new();
        for rest in ["", "/steps", "/steps/0", "/steps/0/screenshot", "/report", "/report/pictures"]
        {
            let theirs = format!("ayeaye://sessions/{id}{rest}");
            let nobodys = format!("ayeaye://sessions/{missing}{rest}");
            let error = |err: ErrorData| serde_json::to_string(&err).unwrap();
            assert_eq!(
                error(try_read(&client, &theirs).await.unwrap_err()),
                error(try_read(&client, &nobodys).await.unwrap_err())
                    .replace(&missing.to_string(), &id.to_string()),
            );
        }
    }
    let list = client.list_all_resources().await.unwrap();
    let sessions = list.iter().filter(|it| it.uri.starts_with("ayeaye://sessions/")).count();
    assert_eq!(sessions, 1, "mine: {list:?}");
    assert!(list.iter().any(|it| it.uri.ends_with(&mine.to_string())));
    let sessions = json_of(&client, "ayeaye://sessions").await;
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1, "{sessions}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_has_pictures_only_where_they_are_asked_for() {
    let rig = rig().await;
    rig.vlm.then(vec![Answer::Says(click(300, 400)), Answer::Says(complete("Done."))]);
    let done = rig.start("tap").await;
    let session = format!("ayeaye://sessions/{}", done["session_id"].as_str().unwrap());
    let (client, _heard) = client(&rig, false).await;
    let plain = text(&client, &format!("{session}/report")).await;
    assert!(!plain.contains("data:image/") && plain.contains("Done."), "{}", plain.len());
    assert!(plain.len() < 100_000, "a model may read it: {}", plain.len());
    let pictured = text(&client, &format!("{session}/report/pictures")).await;
    assert!(pictured.contains("data:image/webp"), "{}", pictured.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_comes_in_pages() {
    let rig = rig().await;
    let mut mine = Vec::new();
    for number in 0..60 {
        let owner = (number % 3 == 2).then_some("bob");
        let id = kept(&rig, owner).await;
        if owner.is_none() {
            mine.push(format!("ayeaye://sessions/{id}"));
        }
    }
    mine.reverse();
    let (client, _heard) = client(&rig, true).await;
    let mut found = Vec::new();
    let mut pages = 0;
    let mut cursor = None;
    loop {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let page = client.list_resources(Some(params)).await.unwrap();
        pages += 1;
        // Some clients make a tool of each.
        assert!(page.resources.len() <= 13, "{}", page.resources.len());
        let uris = page.resources.into_iter().map(|it| it.uri);
        found.extend(uris.filter(|it| it.starts_with("ayeaye://sessions/")));
        let Some(next) = page.next_cursor else { break };
        assert!(
            mine.iter().any(|uri| uri.ends_with(&next)),
            "a cursor names no session of another"
        );
        cursor = Some(next);
    }
    assert_eq!(pages, 4);
    assert_eq!(found, mine);
    // The tool says that there are more, and how to see them.
    let (mut listed, mut arguments) = (Vec::new(), json!({ "limit": 15 }));
    loop {
        let list = rig.call("list_sessions", arguments.clone()).await;
        let ids = list["sessions"].as_array().unwrap().iter().map(|it| it["session_id"].clone());
        listed.extend(ids);
        if list.get("more").is_none() {
            assert!(list.get("next").is_none(), "{list}");
            break;
        }
        assert_eq!((&list["more"], listed.len() % 15), (&json!(true), 0), "{list}");
        assert!(list["next"].as_str().unwrap().contains("`before`"), "{list}");
        arguments["before"] = listed.last().unwrap().clone();
    }
    let uri = |id: &Value| format!("ayeaye://sessions/{}", id.as_str().unwrap());
    assert_eq!(listed.iter().map(uri).collect::<Vec<_>>(), mine);
    for wrong in ["", "x", "../../1", &"9".repeat(5000)] {
        let params = PaginatedRequestParams::default().with_cursor(Some(wrong.to_owned()));
        let err = client.list_resources(Some(params)).await.unwrap_err();
        let ServiceError::McpError(err) = err else { panic!("{err}") };
        assert_eq!(err.code.0, -32602);
        assert!(err.message.len() < 200, "{}", err.message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_ten_thousand_steps_can_be_read() {
    let rig = rig().await;
    let id = kept_with(&rig, None, 10_000).await;
    let session = format!("ayeaye://sessions/{id}");
    let (client, _heard) = client(&rig, true).await;
    let facts = json_of(&client, &session).await;
    assert_eq!(facts["global_step_idx"], 10_000);
    let steps = text(&client, &format!("{session}/steps")).await;
    assert!(steps.len() < 512 << 10, "{}", steps.len());
    let steps: Value = serde_json::from_str(&steps).unwrap();
    assert_eq!(steps["omitted_steps"], 9_500);
    assert_eq!(steps["steps"][499]["uri"], format!("{session}/steps/9999"));
    // One that the list leaves out is there all the same.
    let early = json_of(&client, &format!("{session}/steps/77")).await;
    assert_eq!(early["action"]["point"], json!([77, 400]));
    for report in ["report", "report/pictures"] {
        let page = text(&client, &format!("{session}/{report}")).await;
        assert!(page.len() < 12 << 20, "{}", page.len());
        assert!(page.trim_end().ends_with("</html>"), "a whole page");
    }
}
