//! The whole product in one process: virtual phone on a socket, fake model on a socket, record in a
//! folder, server and MCP client on a pipe.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use ayeaye::config::{ToolChoice, ToolSet};
use ayeaye::mcp::{Defaults, Server};
use ayeaye::scripted_model::{ScriptedClient, ScriptedModel};
use ayeaye_adb::{AdbConfig, AdbDevices, ExchangeFolder, ServerAddress};
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::gate::Policy;
use ayeaye_agent::journal::{FileJournal, SyncPolicy};
use ayeaye_agent::{Agent, AgentDeps, Judge, Limits, Model, Models, PrivacySettings, ReplyMode};
use ayeaye_export::{Images, LogSettings, LoggingJournal};
use ayeaye_model::{Endpoint, ModelConfig, RemoteModel, Secret};
use ayeaye_phone::{AdbServer, Phone, PhoneOptions, VirtualPhone};
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt as _};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::fake_vlm::KEY;
use super::{Answer, FakeVlm};

/// What can be different from the usual rig.
pub struct RigOptions {
    pub limits: Limits,
    /// The scripted model decides, which knows the virtual phone, and not the fake model.
    pub scripted: bool,
    /// How long the model may be silent.
    pub first_byte: Duration,
    /// Another model than the fake one; see [`quick_model`].
    pub model: Option<ModelConfig>,
    pub adb: ayeaye_adb::Limits,
    pub virtual_phone: VirtualPhone,
    /// What else is in the adb server's list.
    pub further: Vec<VirtualPhone>,
    pub data: TempDir,
    /// The logs beside the record; without UFO's pictures, unless a test is about them.
    pub logs: LogSettings,
    pub privacy: PrivacySettings,
    /// The model that decides also judges each round and session.
    pub judged: bool,
    /// What goes on when the model that decides does not.
    pub fallback: Option<Arc<dyn Model>>,
    /// What puts the last screen into words.
    pub caption: Option<Arc<dyn Model>>,
    /// What clients are offered.
    pub tools: ToolSet,
    /// What may be done without asking.
    pub policy: Policy,
}

impl Default for RigOptions {
    fn default() -> Self {
        Self {
            limits: Limits { device_wait: Duration::from_secs(5), ..Limits::USUAL },
            scripted: false,
            first_byte: Duration::from_secs(20),
            model: None,
            adb: ayeaye_adb::Limits::DEFAULT,
            virtual_phone: VirtualPhone::default(),
            further: Vec::new(),
            data: TempDir::new().unwrap(),
            logs: LogSettings { images: Images::None, ..LogSettings::default() },
            privacy: PrivacySettings::default(),
            judged: false,
            fallback: None,
            caption: None,
            tools: ToolSet::USUAL,
            policy: Policy::default(),
        }
    }
}

impl RigOptions {
    /// A small phone whose screens hardly move: for tests that are about something else.
    pub fn quick() -> Self {
        Self { virtual_phone: quick_phone(), ..Self::default() }
    }
}

/// See [`RigOptions::quick`].
pub fn quick_phone() -> VirtualPhone {
    VirtualPhone::new(Phone::new(PhoneOptions {
        width: 540,
        height: 1200,
        density: 210,
        transitions: (Duration::from_millis(5), Duration::from_millis(20)),
        ..PhoneOptions::default()
    }))
}

/// A phone behind an adb server of its own, until the guard is dropped.
pub async fn plugged_in(virtual_phone: &VirtualPhone) -> (SocketAddr, DropGuard) {
    all_plugged_in(vec![virtual_phone.clone()]).await
}

/// Several phones behind one adb server, until the guard is dropped.
pub async fn all_plugged_in(phones: Vec<VirtualPhone>) -> (SocketAddr, DropGuard) {
    let down = CancellationToken::new();
    let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = AdbServer::bind(anywhere, phones).await.unwrap();
    let address = server.local_addr().unwrap();
    tokio::spawn(server.serve(down.clone()));
    (address, down.drop_guard())
}

/// See the module.
pub struct Rig {
    pub virtual_phone: VirtualPhone,
    pub vlm: FakeVlm,
    pub agent: Arc<Agent>,
    pub server: Server,
    pub client: RunningService<RoleClient, Quiet>,
    pub serial: String,
    /// Records and logs.
    pub data: TempDir,
    /// The adb server and the scripted model go with the rig.
    _end: (DropGuard, DropGuard),
}

/// A client that only asks.
#[derive(Debug, Clone, Default)]
pub struct Quiet;

impl ClientHandler for Quiet {}

impl Rig {
    pub async fn new(vlm: FakeVlm) -> Self {
        Self::with(vlm, RigOptions::default()).await
    }

    pub async fn with(vlm: FakeVlm, options: RigOptions) -> Self {
        let RigOptions { limits, scripted, first_byte, model, adb, virtual_phone, data, .. } =
            options;
        let mut listed = vec![virtual_phone.clone()];
        listed.extend(options.further);
        let (adb_server, guard) = all_plugged_in(listed).await;
        let address = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: adb_server.port() };
        let devices = AdbDevices::new(AdbConfig { limits: adb, ..AdbConfig::new(address, None) })
            .with_files(ExchangeFolder::new(data.path().join("files")));
        let down = CancellationToken::new();
        let model: Arc<dyn Model> = if scripted {
            let phone = virtual_phone.phone().clone();
            let config =
                ScriptedModel::start_with_delay(phone, &down, Duration::ZERO).await.unwrap();
            Arc::new(ScriptedClient::new(Arc::new(RemoteModel::new(config).unwrap())))
        } else {
            let fake = || quick_model(&vlm.url(), "gelab-zero-4b-preview", first_byte);
            Arc::new(RemoteModel::new(model.unwrap_or_else(fake)).unwrap())
        };
        let files = FileJournal::new(data.path(), ayeaye::clock::system(), SyncPolicy::Step);
        let judge = Judge { model: model.clone(), rounds: true, sessions: true };
        let agent = Arc::new(Agent::new(AgentDeps {
            secrets: Arc::new(ayeaye_agent::NoNamedSecrets),
            policy: options.policy,
            sources: vec![Arc::new(devices)],
            in_process_devices: Vec::new(),
            models: Models {
                fallback: options.fallback,
                caption: options.caption,
                ..Models::one(model)
            },
            journal: Arc::new(LoggingJournal::new(Arc::new(files), data.path(), options.logs)),
            coordinator: Arc::new(FileCoordinator::new(data.path(), "test", SyncPolicy::Never)),
            limits,
            config: Map::new(),
            privacy: options.privacy,
            judge: options.judged.then_some(judge),
        }));
        // On a busy machine a task takes longer than a call usually waits.
        let tools = ToolChoice::Only(options.tools);
        let defaults = Defaults { tools, wait: Duration::from_mins(4), ..DEFAULTS };
        let server = Server::new(agent.clone(), defaults);
        let client = connect(server.clone(), Quiet).await;
        let serial = virtual_phone.serial().to_owned();
        let end = (guard, down.drop_guard());
        Self { virtual_phone, vlm, agent, server, client, serial, data, _end: end }
    }

    /// The usual rig with the scripted model deciding.
    pub async fn scripted() -> Self {
        let vlm = FakeVlm::start(|_| Answer::Silence).await;
        Self::with(vlm, RigOptions { scripted: true, ..RigOptions::default() }).await
    }

    /// Starts a task and returns its facts.
    pub async fn start(&self, task: &str) -> Value {
        let arguments = json!({ "device_id": self.serial, "task": task });
        self.call("ask_agent_start_new_task", arguments).await
    }

    /// Goes on with a session; `more` holds what is said besides its name.
    pub async fn go_on(&self, session: &Value, mut more: Value) -> Value {
        more["session_id"] = session["session_id"].clone();
        self.call("ask_agent_continue", more).await
    }

    /// The phone as it is, for `["wifi"]` and the like.
    pub fn phone(&self) -> Value {
        serde_json::to_value(self.virtual_phone.phone().state()).unwrap()
    }

    /// Calls a tool and returns its facts: those of the structure, which must be those of the text.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let result = self.raw_call(tool, arguments).await;
        assert_ne!(result.is_error, Some(true), "{tool}: {:?}", result.content);
        let structure = result.structured_content.expect("a structured result");
        let text = result.content[0].as_text().expect("the same as text");
        assert_eq!(serde_json::from_str::<Value>(&text.text).unwrap(), structure);
        structure
    }

    /// Calls a tool that must refuse, and returns what it says.
    pub async fn refused(&self, tool: &str, arguments: Value) -> String {
        let result = self.raw_call(tool, arguments).await;
        assert_eq!(result.is_error, Some(true), "{tool}: {:?}", result.content);
        result.content[0].as_text().expect("a text").text.clone()
    }

    pub async fn raw_call(&self, tool: &str, arguments: Value) -> rmcp::model::CallToolResult {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        self.client.peer().call_tool(params).await.expect("an answer")
    }
}

/// A model with the key of tests and little patience.
pub fn quick_model(url: &str, name: &str, first_byte: Duration) -> ModelConfig {
    let mut model = ModelConfig::new(Endpoint::parse(url).unwrap(), name);
    model.key = Secret::new(KEY);
    model.limits.first_byte = first_byte;
    model.limits.total = first_byte + Duration::from_secs(2);
    model.retries.attempts = 2;
    model.retries.initial_backoff = Duration::from_millis(20);
    model
}

/// What tools do in tests when a call does not say.
pub const DEFAULTS: Defaults = Defaults {
    max_steps: 20,
    reply_mode: ReplyMode::PassToClient,
    planner: false,
    wait: Duration::from_secs(45),
    wait_with_progress: Duration::from_secs(45),
    tools: ToolChoice::Auto,
};

/// A client of this server on a pipe.
pub async fn connect<H: ClientHandler>(
    server: Server,
    handler: H,
) -> RunningService<RoleClient, H> {
    let (near, far) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        let running = server.serve(far).await.expect("the server starts");
        running.waiting().await.expect("the server ends");
    });
    handler.serve(near).await.expect("the client starts")
}
