//! `kill -9` of the real server at random points of a task.
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ayeaye_phone::{AdbServer, Handset};
use rand::Rng as _;
use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{Answer, FakeVlm, complete, gelab};

/// How often the server is killed.
const KILLS: u32 = 30;

/// A server in a process of its own, and a client on its stdio.
struct Served {
    client: RunningService<RoleClient, ()>,
    pid: u32,
}

impl Served {
    async fn start(data: &Path, adb: SocketAddr, vlm: &FakeVlm) -> Self {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_ayeaye"));
        command
            .arg("serve")
            .env_clear()
            .env("AYEAYE_DATA_DIR", data)
            .env("AYEAYE_MODEL_BASE_URL", vlm.url())
            .env("AYEAYE_MODEL_API_KEY", crate::support::KEY)
            .env("AYEAYE_LOG", "error")
            .env("ADB_SERVER_SOCKET", format!("tcp:{adb}"))
            .kill_on_drop(true);
        let transport = TokioChildProcess::new(command).unwrap();
        let pid = transport.id().unwrap();
        Self { client: ().serve(transport).await.unwrap(), pid }
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> Value {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = self.client.peer().call_tool(params).await.unwrap();
        assert_ne!(result.is_error, Some(true), "{tool}: {:?}", result.content);
        result.structured_content.unwrap()
    }

    /// As `kill -9` does, and waits until it is gone.
    async fn kill(self) {
        let mut kill = tokio::process::Command::new("kill");
        assert!(kill.args(["-9", &self.pid.to_string()]).status().await.unwrap().success());
        self.client.waiting().await.unwrap();
    }
}

fn lines(record: &Path) -> usize {
    std::fs::read_to_string(record).unwrap().matches('\n').count()
}

/// Waits until the record has so many lines, looking every millisecond.
async fn grown_to(record: &Path, target: usize) {
    let mut tick = tokio::time::interval(Duration::from_millis(1));
    while lines(record) < target {
        tick.tick().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_kills_lose_no_session_and_repeat_no_action() {
    let handset = Handset::usual();
    let down = CancellationToken::new();
    let _guard = down.clone().drop_guard();
    let server =
        AdbServer::bind((Ipv4Addr::LOCALHOST, 0).into(), vec![handset.clone()]).await.unwrap();
    let adb = server.local_addr().unwrap();
    tokio::spawn(server.serve(down));

    // Every decision is a tap that no other decision makes, so a tap seen twice was sent twice.
    let decided = Arc::new(AtomicU32::new(0));
    let enough = Arc::new(AtomicU32::new(0));
    let (counter, over) = (decided.clone(), enough.clone());
    let vlm = FakeVlm::start(move |_| {
        if over.load(Ordering::SeqCst) == 1 {
            return Answer::Says(complete("All done."));
        }
        let n = counter.fetch_add(1, Ordering::SeqCst);
        let (x, y) = (100 + n % 800, 300 + n / 800);
        Answer::Says(gelab("CLICK", &format!("point:{x},{y}"), &format!("tap {n}")))
    })
    .await;

    let data = tempfile::TempDir::new().unwrap();
    let mut served = Served::start(data.path(), adb, &vlm).await;
    let started = served
        .call(
            "ask_agent_start_new_task",
            json!({ "device_id": handset.serial(), "task": "Tap", "max_steps": 500, "wait_seconds": 0 }),
        )
        .await;
    let session = started["session_id"].as_str().unwrap().to_owned();
    let record: PathBuf = data.path().join("sessions").join(&session).join("events.jsonl");
    for _ in 0..KILLS {
        let target = lines(&record) + rand::rng().random_range(1..=14);
        grown_to(&record, target).await;
        served.kill().await;
        served = Served::start(data.path(), adb, &vlm).await;
        let known = served.call("get_session", json!({ "session_id": session })).await;
        assert_eq!(known["stop_reason"], "SERVER_RESTARTED", "{known}");
        let arguments = json!({ "session_id": session, "max_steps": 500, "wait_seconds": 0 });
        served.call("ask_agent_continue", arguments).await;
    }
    enough.store(1, Ordering::SeqCst);
    let ended = served.call("ask_agent_continue", json!({ "session_id": session })).await;
    assert_eq!(ended["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{ended}");
    assert_eq!(ended["session_id"], session);

    let mut seen: HashMap<String, u32> = HashMap::new();
    let state = serde_json::to_value(handset.phone().state()).unwrap();
    for action in state["actions"].as_array().unwrap() {
        let gesture = &action["gesture"];
        if gesture["kind"] == "tap" {
            *seen.entry(format!("{},{}", gesture["x"], gesture["y"])).or_default() += 1;
        }
    }
    let repeated: Vec<_> = seen.iter().filter(|(_, times)| 1 < **times).collect();
    assert_eq!(repeated, Vec::<(&String, &u32)>::new(), "taps that were sent twice");
    assert!(
        KILLS / 3 < u32::try_from(seen.len()).unwrap(),
        "the task went on between kills: {}",
        seen.len()
    );
}
