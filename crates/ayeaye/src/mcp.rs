//! The tools, as MCP clients see them.
//!
//! A tool call only follows a run: the run belongs to the agent and goes on without it. Words come
//! in through `args`, results go out through `results`, failures through `refusals`.
pub mod args;
pub mod follow;
pub mod guard;
pub mod refusals;
pub mod resources;
pub mod results;
pub mod schema;
pub mod texts;

use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Agent, Continue, ReplyMode, SessionId, StartTask, StopReason, Words};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourceTemplatesResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};

use args::{ContinueArgs, DeviceArgs, Given, ListSessionsArgs, SessionArgs, StartArgs};
use refusals::Refusal;
use schema::{input, output};

/// What the tools do when a call does not say.
#[derive(Debug, Clone, Copy)]
pub struct Defaults {
    /// Steps of a call.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: ReplyMode,
    /// How long a call waits for its run.
    pub wait: Duration,
    /// The same, for a client that shows progress.
    pub wait_with_progress: Duration,
}

/// The server behind every transport. Clones are the same server.
#[derive(Clone)]
pub struct Server {
    agent: Arc<Agent>,
    defaults: Defaults,
    router: ToolRouter<Self>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("agent", &self.agent).finish_non_exhaustive()
    }
}

#[tool_router]
impl Server {
    /// A server for this agent.
    pub fn new(agent: Arc<Agent>, defaults: Defaults) -> Self {
        Self { agent, defaults, router: Self::tool_router() }
    }

    #[tool(
        title = "List phones",
        description = texts::LIST_CONNECTED_DEVICES,
        input_schema = input::<args::NoArgs>(),
        output_schema = output::<results::DeviceList>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn list_connected_devices(&self) -> Result<CallToolResult, Refusal> {
        let devices = self.agent.devices().await?;
        Ok(results::structured(&results::DeviceList::from(devices)))
    }

    #[tool(
        title = "Start a task on a phone",
        description = texts::ASK_AGENT_START_NEW_TASK,
        input_schema = input::<StartArgs>(),
        output_schema = output::<results::RunResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn ask_agent_start_new_task(
        &self,
        Given(args): Given<StartArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Refusal> {
        let args = args?;
        let wait = self.wait(args.wait_seconds, &ctx)?;
        let start = StartTask {
            device_id: args::device_id(&args.device_id)?,
            task: args::words("task", &args.task)?,
            max_steps: args::max_steps(args.max_steps, self.defaults.max_steps)?,
            reply_mode: args::reply_mode(args.reply_mode.as_deref(), self.defaults.reply_mode)?,
            asker: args::asker(&ctx),
        };
        let follower = self.agent.start(start).await?;
        self.follow(follower, wait, &ctx).await
    }

    #[tool(
        title = "Continue a session on a phone",
        description = texts::ASK_AGENT_CONTINUE,
        input_schema = input::<ContinueArgs>(),
        output_schema = output::<results::RunResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn ask_agent_continue(
        &self,
        Given(args): Given<ContinueArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Refusal> {
        let args = args?;
        let wait = self.wait(args.wait_seconds, &ctx)?;
        let words = match (&args.task, &args.reply_from_client) {
            (Some(_), Some(_)) => return Err(Refusal::task_and_reply()),
            (Some(task), None) => Words::Task(args::words("task", task)?),
            (None, Some(reply)) => Words::Reply(args::words("reply_from_client", reply)?),
            (None, None) => Words::Nothing,
        };
        let next = Continue {
            session_id: args::session_id(&args.session_id)?,
            device_id: args.device_id.as_deref().map(args::device_id).transpose()?,
            words,
            reply_is_secret: args.reply_is_secret.unwrap_or_default(),
            max_steps: args::max_steps(args.max_steps, self.defaults.max_steps)?,
            reply_mode: args::reply_mode(args.reply_mode.as_deref(), self.defaults.reply_mode)?,
            asker: args::asker(&ctx),
        };
        let follower = self.agent.resume(next).await?;
        self.follow(follower, wait, &ctx).await
    }

    #[tool(
        title = "See a phone's screen",
        description = texts::GET_SCREENSHOT,
        input_schema = input::<DeviceArgs>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn get_screenshot(
        &self,
        Given(args): Given<DeviceArgs>,
    ) -> Result<CallToolResult, Refusal> {
        let args = args?;
        let device = self.agent.device(&args::device_id(&args.device_id)?).await?;
        let frame = device.capture().await?;
        // No structured content: hosts that read it drop the picture beside it.
        Ok(results::picture(frame).await)
    }

    #[tool(
        title = "Stop a session's run",
        description = texts::STOP_TASK,
        input_schema = input::<SessionArgs>(),
        output_schema = output::<results::RunResult>(),
        annotations(read_only_hint = false, destructive_hint = false, idempotent_hint = true, open_world_hint = false)
    )]
    async fn stop_task(&self, Given(args): Given<SessionArgs>) -> Result<CallToolResult, Refusal> {
        let args = args?;
        let id = args::session_id(&args.session_id)?;
        let report = self.agent.stop(id, StopReason::Cancelled).await?;
        Ok(results::structured(&results::RunResult::from(&report)))
    }

    #[tool(
        title = "List sessions",
        description = texts::LIST_SESSIONS,
        input_schema = input::<ListSessionsArgs>(),
        output_schema = output::<results::SessionList>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn list_sessions(
        &self,
        Given(args): Given<ListSessionsArgs>,
    ) -> Result<CallToolResult, Refusal> {
        let args = args?;
        let list = results::SessionList::read(&self.agent, args::limit(args.limit)?).await?;
        Ok(results::structured(&list))
    }

    #[tool(
        title = "Look a session up",
        description = texts::GET_SESSION,
        input_schema = input::<SessionArgs>(),
        output_schema = output::<results::RunResult>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn get_session(
        &self,
        Given(args): Given<SessionArgs>,
    ) -> Result<CallToolResult, Refusal> {
        let args = args?;
        let id: SessionId = args::session_id(&args.session_id)?;
        let report = self.agent.report(id).await?;
        Ok(results::structured(&results::RunResult::from(&report)))
    }
}

impl Server {
    fn wait(
        &self,
        seconds: Option<f64>,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<Duration, Refusal> {
        let usual = match ctx.meta.get_progress_token() {
            Some(_) => self.defaults.wait_with_progress,
            None => self.defaults.wait,
        };
        args::wait(seconds, usual)
    }

    async fn follow(
        &self,
        follower: ayeaye_agent::Follower,
        wait: Duration,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Refusal> {
        let report = follow::follow(&self.agent, follower, wait, ctx).await?;
        Ok(results::structured(&results::RunResult::from(&*report)))
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("ayeaye", env!("CARGO_PKG_VERSION")).with_title("Aye-aye"),
            )
            .with_instructions(texts::INSTRUCTIONS)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if !self.router.has_route(&name) {
            let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
            let text = format!("there is no tool `{shown}`; tools/list names those there are");
            return Err(ErrorData::invalid_params(text, None));
        }
        guard::guarded(&name, self.router.call(ToolCallContext::new(self, request, ctx))).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _ctx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _ctx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.agent, &request.uri).await.map(Into::into)
    }
}

impl rmcp::handler::server::tool::IntoCallToolResult for Refusal {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::error(vec![ContentBlock::text(self.to_string())]).into())
    }
}
