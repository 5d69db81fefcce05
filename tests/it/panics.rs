//! Bugs of our own: a panic is an answer, never a client that waits for ever.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye::mcp::Server;
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::journal::{FileJournal, SyncPolicy};
use ayeaye_agent::{
    Action, Agent, AgentDeps, Decision, Device, DeviceEntry, DeviceError, DeviceId, DeviceSource,
    Frame, Limits, Model, ModelError, Models, ParseError, Picture, PrivacySettings, Prompt, Reply,
    ScreenSize, StepInput, Tokens,
};
use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorCode, ReadResourceRequestParams};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Map, Value, json};

use crate::support::{Quiet, connect, plugged_in, quick_phone, within};

/// Breaks whenever it is asked.
#[derive(Debug)]
struct Broken;

#[async_trait]
impl DeviceSource for Broken {
    async fn list(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        panic!("hush: this is for the log")
    }

    async fn open(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        Err(DeviceError::NotFound(id.clone()))
    }
}

/// Breaks in the middle of a run, until it is mended; then it says that all is done.
#[derive(Debug, Default)]
struct Fragile {
    mended: AtomicBool,
}

#[async_trait]
impl Model for Fragile {
    fn name(&self) -> &'static str {
        "fragile"
    }

    fn profile(&self) -> &'static str {
        "none"
    }

    fn picture(&self, frame: &Frame) -> Picture {
        ayeaye_model::encode_within(frame, 200, usize::MAX)
    }

    fn prompt(&self, _view: &StepInput<'_>) -> Prompt {
        assert!(self.mended.load(Ordering::SeqCst), "hush: this is for the log");
        Prompt::default()
    }

    async fn call(&self, _prompt: &Prompt, _limit: Duration) -> Result<Reply, ModelError> {
        Ok(Reply {
            text: String::new(),
            finish_reason: None,
            model: self.name().to_owned(),
            tokens: Tokens::default(),
            latency: Duration::ZERO,
            ..Reply::default()
        })
    }

    fn read(&self, _reply: &Reply, _sent: ScreenSize) -> Result<Decision, ParseError> {
        Ok(Decision {
            action: Action::Complete { message: "Done.".to_owned() },
            thought: String::new(),
            explain: String::new(),
            summary: String::new(),
            observation: String::new(),
        })
    }
}

async fn client(
    source: Arc<dyn DeviceSource>,
    model: Arc<Fragile>,
    data: &std::path::Path,
) -> RunningService<RoleClient, Quiet> {
    let agent = Agent::new(AgentDeps {
        secrets: Arc::new(ayeaye_agent::NoNamedSecrets),
        policy: ayeaye_agent::gate::Policy::default(),
        sources: vec![source],
        in_process_devices: Vec::new(),
        models: Models::one(model),
        journal: Arc::new(FileJournal::new(data, ayeaye::clock::system(), SyncPolicy::Step)),
        coordinator: Arc::new(FileCoordinator::new(data, "test", SyncPolicy::Never)),
        limits: Limits::USUAL,
        config: Map::new(),
        privacy: PrivacySettings::default(),
        judge: None,
    });
    connect(Server::new(Arc::new(agent), crate::support::DEFAULTS), Quiet).await
}

async fn call(
    client: &RunningService<RoleClient, Quiet>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    within(20, tool, client.peer().call_tool(params)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_panics_answers_and_the_server_goes_on() {
    let data = tempfile::TempDir::new().unwrap();
    let client = client(Arc::new(Broken), Arc::default(), data.path()).await;
    let broken = call(&client, "list_connected_devices", json!({})).await;
    assert_eq!(broken.is_error, Some(true));
    let text = &broken.content[0].as_text().unwrap().text;
    assert!(text.contains("this is a bug") && !text.contains("hush"), "{text}");
    assert!(!text.contains("ask_agent"), "not every client is offered tasks: {text}");
    let devices = ReadResourceRequestParams::new("ayeaye://devices");
    let read = within(20, "an error", client.peer().read_resource(devices)).await;
    let Err(ServiceError::McpError(error)) = read else { panic!("{read:?}") };
    assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
    assert!(error.message.contains("this is a bug") && !error.message.contains("hush"), "{error}");
    let fine = call(&client, "list_sessions", json!({})).await;
    assert_eq!(fine.structured_content, Some(json!({ "sessions": [] })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_panics_is_told_gives_its_phone_back_and_can_go_on() {
    let data = tempfile::TempDir::new().unwrap();
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let server = ayeaye_adb::ServerAddress::Tcp { host: adb.ip().to_string(), port: adb.port() };
    let devices = ayeaye_adb::AdbDevices::new(ayeaye_adb::AdbConfig::new(server, None));
    let model = Arc::new(Fragile::default());
    let client = client(Arc::new(devices), model.clone(), data.path()).await;
    let start = json!({ "device_id": virtual_phone.serial(), "task": "do it" });
    let broken = call(&client, "ask_agent_start_new_task", start).await;
    let facts = broken.structured_content.expect("facts");
    assert_eq!(facts["stop_reason"], "SERVER_RESTARTED", "{facts}");
    let message = facts["message"].as_str().unwrap();
    assert!(message.starts_with("the run failed inside the server"), "{facts}");
    assert!(!message.contains("hush"), "{facts}");
    let list = call(&client, "list_connected_devices", json!({})).await;
    assert_eq!(list.structured_content.unwrap()["devices"][0]["busy"], false);
    model.mended.store(true, Ordering::SeqCst);
    let next = json!({ "session_id": facts["session_id"] });
    let done = call(&client, "ask_agent_continue", next).await.structured_content.unwrap();
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
}
