//! Clients with a user in front of them, of both eras, on a pipe or over HTTP; and one that writes its
//! own lines, which can leave out what a library would put in.
use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use ayeaye::mcp::Server;
use ayeaye_agent::Principal;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, FormElicitationCapability,
    Implementation, ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _, ErrorData, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::io::{ReadHalf, WriteHalf};
use tokio_util::task::AbortOnDropHandle;

use super::http;

/// Which revisions a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, up to 2025-11-25.
    Old,
    /// 2026-07-28: every request stands alone.
    New,
}

/// What a user does with a form.
#[derive(Debug, Clone)]
pub enum UserAction {
    /// Fills it in.
    Says(&'static str),
    /// Sends this in the place of a form filled in.
    Sends(Value),
    Declines,
    Cancels,
    /// The client shows no form after all.
    Fails,
}

/// A client with a user in front of it.
#[derive(Debug, Clone)]
pub struct FakeUser {
    info: ClientConfig,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    does: Mutex<VecDeque<UserAction>>,
    forms: Mutex<Vec<Value>>,
    progress: Mutex<Vec<ProgressNotificationParam>>,
}

impl FakeUser {
    /// Does this with forms, one after the other, and declines when nothing is left to do.
    pub fn new(does: impl IntoIterator<Item = UserAction>) -> Self {
        let mut can = ClientCapabilities::default();
        let form = FormElicitationCapability::default();
        can.elicitation = Some(ElicitationCapability::default().with_form(form));
        let info = ClientConfig::new(can, Implementation::new("person", "0"));
        let shared = Shared { does: Mutex::new(does.into_iter().collect()), ..Shared::default() };
        Self { info, shared: Arc::new(shared) }
    }

    /// The same through a client that knows tasks.
    pub fn with_tasks(mut self) -> Self {
        let tasks = ClientCapabilities::builder().enable_tasks().build();
        self.info.capabilities.extensions = tasks.extensions;
        self
    }

    /// The same through a client that shows no forms.
    pub fn without_forms(mut self) -> Self {
        self.info.capabilities.elicitation = None;
        self
    }

    /// Every form so far, as it came.
    pub fn forms(&self) -> Vec<Value> {
        self.shared.forms.lock().unwrap().clone()
    }

    /// Every progress notification so far.
    pub fn progress(&self) -> Vec<ProgressNotificationParam> {
        self.shared.progress.lock().unwrap().clone()
    }
}

impl ClientHandler for FakeUser {
    fn get_info(&self) -> ClientConfig {
        self.info.clone()
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let form = serde_json::to_value(&request).unwrap();
        self.shared.forms.lock().unwrap().push(form);
        let does = self.shared.does.lock().unwrap().pop_front().unwrap_or(UserAction::Declines);
        let accept = ElicitResult::new(ElicitationAction::Accept);
        Ok(match does {
            UserAction::Says(text) => accept.with_content(json!({ "reply": text })),
            UserAction::Sends(content) => accept.with_content(content),
            UserAction::Declines => ElicitResult::new(ElicitationAction::Decline),
            UserAction::Cancels => ElicitResult::new(ElicitationAction::Cancel),
            UserAction::Fails => return Err(ErrorData::internal_error("no screen", None)),
        })
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.shared.progress.lock().unwrap().push(params);
    }
}

fn lifecycle(era: Era) -> ClientLifecycleMode {
    match era {
        Era::Old => ClientLifecycleMode::Initialize,
        Era::New => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
    }
}

/// This client on a pipe.
pub async fn on_pipe(
    server: &Server,
    user: &FakeUser,
    era: Era,
) -> RunningService<RoleClient, FakeUser> {
    let (near, far) = tokio::io::duplex(1 << 20);
    let server = server.clone();
    tokio::spawn(async move {
        let running = server.serve(far).await.expect("the server starts");
        running.waiting().await.expect("the server ends");
    });
    user.clone().serve_with_lifecycle(near, lifecycle(era)).await.expect("the client starts")
}

/// A server at an address of its own, for one principal, until it is dropped.
pub struct HttpServer {
    pub url: String,
    _server: AbortOnDropHandle<()>,
}

/// Serves over HTTP, every request as this principal's.
pub async fn serve_as(server: &Server, principal: Principal) -> HttpServer {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let server = server.clone();
    let config = StreamableHttpServerConfig::default();
    let sessions = Arc::new(LocalSessionManager::default());
    let mcp = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let router = axum::Router::new().route_service("/mcp", mcp).layer(axum::Extension(principal));
    let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    HttpServer { url, _server: AbortOnDropHandle::new(serving) }
}

/// This client over HTTP.
pub async fn over_http(
    url: &str,
    token: Option<&str>,
    user: &FakeUser,
    era: Era,
) -> RunningService<RoleClient, FakeUser> {
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    let transport = StreamableHttpClientTransport::with_client(http(), config);
    user.clone().serve_with_lifecycle(transport, lifecycle(era)).await.expect("it connects")
}

/// A call of a tool.
pub fn call_of(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

/// Calls a tool that must not fail, and returns its facts.
pub async fn facts(
    client: &RunningService<RoleClient, FakeUser>,
    tool: &'static str,
    arguments: Value,
) -> Value {
    structured_result(client.call_tool(call_of(tool, arguments)).await.expect("an answer"))
}

/// The facts of a result that is no failure.
pub fn structured_result(result: CallToolResult) -> Value {
    assert_ne!(result.is_error, Some(true), "{:?}", result.content);
    result.structured_content.expect("a structured result")
}

/// The text of a result that is a failure.
pub fn tool_error_text(result: &CallToolResult) -> String {
    assert_eq!(result.is_error, Some(true), "{:?}", result.content);
    result.content[0].as_text().expect("a text").text.clone()
}

/// A request of 2026-07-28, by a client that can do this.
pub fn modern(mut params: Value, capabilities: &Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "lines", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

/// A client that writes its own lines, on a pipe.
pub struct LineClient {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    asked: u64,
    /// Whatever else came, oldest first.
    pub others: Vec<Value>,
}

impl LineClient {
    /// Connects with these capabilities and `initialize`.
    pub async fn old(server: &Server, capabilities: Value) -> Self {
        let mut client = Self::begin(server);
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "lines", "version": "0" } });
        client.ask("initialize", hello).await;
        client.line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    /// The same for an older client, or one of 2026-07-28, which just begins.
    pub async fn of(server: &Server, era: &str, capabilities: Value) -> Self {
        if era == "old" { Self::old(server, capabilities).await } else { Self::begin(server) }
    }

    fn begin(server: &Server) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let server = server.clone();
        tokio::spawn(async move {
            let running = server.serve(far).await.expect("the server starts");
            running.waiting().await.expect("the server ends");
        });
        let (output, input) = tokio::io::split(near);
        let output = BufReader::new(output).lines();
        Self { input, output, asked: 0, others: Vec::new() }
    }

    pub async fn line(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Sends a request and does not wait.
    pub async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The next message, whatever it is.
    pub async fn next(&mut self) -> Value {
        let line = self.output.next_line().await.unwrap().expect("the server goes on");
        serde_json::from_str(&line).unwrap()
    }

    /// The answer with this id.
    pub async fn answer(&mut self, id: u64) -> Value {
        let is_it = |message: &Value| message["id"] == id && message["method"].is_null();
        if let Some(at) = self.others.iter().position(is_it) {
            return self.others.remove(at);
        }
        loop {
            let message = self.next().await;
            if is_it(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// Calls a tool and returns its facts.
    pub async fn tool(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        answer["result"]["structuredContent"].clone()
    }
}
