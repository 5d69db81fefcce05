//! The MCP server: tools, resources, prompts, tasks and subscriptions.
//!
//! A tool call only follows a run: the run belongs to the agent and goes on without it. Arguments come
//! in through `args`, results go out through `results`, errors through `tool_error`.
pub mod address;
mod answer_shape;
pub mod app;
pub mod approval_form;
pub(crate) mod approvals;
pub mod args;
pub(crate) mod bad_params;
mod call_log;
mod call_number;
pub mod client_support;
pub mod completion;
pub mod connection_tools;
pub mod element_references;
mod elicitation;
pub mod icon;
pub mod logging;
pub mod panics;
mod pictures;
pub mod prompts;
pub mod questions;
mod read_receipts;
pub mod resources;
pub mod results;
pub mod run_wait;
pub mod schema;
pub mod skill;
pub mod subscriptions;
pub(crate) mod task_input;
pub mod tasks;
pub mod texts;
pub mod tool_error;
pub mod tools;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ayeaye_agent::{Agent, Principal};
use futures::FutureExt as _;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult,
    DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, GetTaskParams, GetTaskResult, Implementation, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};

pub use args::Defaults;

use crate::config::{ToolChoice, ToolSet};
use crate::handler_end::HandlerEnd;
use crate::model_presence::{ModelPresence, ModelState};
use crate::principal;
use crate::text::excerpt;
use approval_form::{ApprovalCall, ApprovalOfForm};
use approvals::Approvals;
use call_log::NotedCall;
use client_support::{ClientSupport, is_modern};
use connection_tools::ConnectionTools;
use element_references::ElementReferences;
use logging::Levels;
use panics::answered;
use questions::StateCodec;
use subscriptions::Subscriptions;
use tasks::Tasks;
use tools::Toolbox;

/// The MCP server behind every transport. Each connection has a clone of its own; clones share their state.
#[derive(Clone)]
pub struct Server {
    agent: Arc<Agent>,
    defaults: Defaults,
    toolbox: Arc<Toolbox>,
    model: Arc<ModelPresence>,
    /// What this connection is offered, once its client has asked.
    offer: OnceLock<ConnectionTools>,
    state_codec: StateCodec,
    tasks: Tasks,
    subscriptions: Subscriptions,
    levels: Levels,
    url_schemes: Arc<[String]>,
    element_references: Arc<ElementReferences>,
    approvals: Arc<Approvals>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("agent", &self.agent).finish_non_exhaustive()
    }
}

impl Server {
    /// A server for this agent.
    pub fn new(agent: Arc<Agent>, defaults: Defaults) -> Self {
        let toolbox = Arc::new(Toolbox::new());
        let model = Arc::new(ModelPresence::always(ModelState::Ready));
        let (state_codec, tasks) = (StateCodec::ephemeral(), Tasks::default());
        let (subscriptions, levels) = (Subscriptions::default(), Levels::default());
        let (element_references, approvals) = (Arc::default(), Arc::default());
        Self {
            agent,
            defaults,
            toolbox,
            model,
            offer: OnceLock::new(),
            state_codec,
            tasks,
            subscriptions,
            levels,
            url_schemes: Arc::new(["http".to_owned(), "https".to_owned()]),
            element_references,
            approvals,
        }
    }

    /// Sets the model's presence: whether there is a model to hand tasks to.
    #[must_use]
    pub fn with_model(self, model: Arc<ModelPresence>) -> Self {
        Self { model, ..self }
    }

    /// Sets the schemes of the addresses that may be opened, in lower case.
    #[must_use]
    pub fn with_url_schemes(self, schemes: impl IntoIterator<Item = String>) -> Self {
        Self { url_schemes: schemes.into_iter().collect(), ..self }
    }

    /// Sets a key for `requestState` that outlives this process, and how long sessions are kept.
    #[must_use]
    pub fn with_durable_state(self, state_codec: StateCodec, max_age: Option<Duration>) -> Self {
        Self { state_codec, tasks: Tasks::with_max_age(max_age), ..self }
    }

    /// What this connection is offered. The first call of a connection may take as long as a look at
    /// the model's endpoint.
    async fn offer(&self) -> ConnectionTools {
        if let Some(offer) = self.offer.get() {
            return *offer;
        }
        let found = ConnectionTools::new(self.defaults.tools, self.model.state().await);
        *self.offer.get_or_init(|| found)
    }

    /// Whether what hands out tasks, steers them and stops them is answered.
    async fn answers_tasks(&self) -> bool {
        // Not offered without a model; a client that calls it all the same is told why, unless one was
        // started meanwhile.
        self.defaults.tools == ToolChoice::Auto || self.offer().await.tools.agent
    }

    /// Fails where the settings keep tasks from clients: what they may not start they may not steer.
    async fn require_tasks(&self) -> Result<(), ErrorData> {
        if self.answers_tasks().await {
            return Ok(());
        }
        let text =
            "tasks are not answered or cancelled here: mcp.tools (--tools) offers clients none";
        Err(ErrorData::invalid_params(text, None))
    }

    /// What is offered, where nothing can be waited for: rmcp asks for capabilities in between.
    fn offer_now(&self) -> ConnectionTools {
        let assumed = || ConnectionTools::new(self.defaults.tools, ModelState::Ready);
        self.offer.get().copied().unwrap_or_else(assumed)
    }
}

#[expect(deprecated, reason = "clients of the older protocols subscribe this way")]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offer = self.offer_now();
        ServerConfig::new(capabilities(offer.tools))
            .with_server_info(
                Implementation::new("ayeaye", env!("CARGO_PKG_VERSION"))
                    .with_title("Aye-aye")
                    .with_description("Hands tasks to Android phones.")
                    .with_icons(icon::icons()),
            )
            .with_instructions(texts::instructions(offer))
    }

    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        call_log::note_connected(&request.client_info, &ctx);
        self.offer().await;
        let mut answer = self.negotiate_initialize(&request)?;
        let before = ctx.peer.peer_info();
        // What is answered holds, not what was asked for. rmcp sees to that in the first handshake alone.
        request.protocol_version = answer.protocol_version.clone();
        ctx.peer.set_peer_info(request);
        // Some bridges hand the handshakes of several clients to one connection.
        if let (Some(before), Some(now)) = (before, ctx.peer.peer_info()) {
            self.subscriptions.follow_handshake(&before, &now);
            self.levels.follow_handshake(&before, &now);
        }
        tasks::hide_from_older_clients(&mut answer);
        Ok(answer)
    }

    async fn discover(
        &self,
        _ctx: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.offer().await;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let client = ClientSupport::of(&ctx);
        let tools = self.toolbox.list(self.offer().await.tools, client.apps);
        let all = ListToolsResult::with_all_items(tools);
        // A client that connects later may be offered others: nothing to keep.
        Ok(if client.modern {
            all.with_ttl_ms(0).with_cache_scope(CacheScope::Public)
        } else {
            all
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.toolbox.get(name).cloned()
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        // Boxed, as what reads a session is large, and would be part of every future around it.
        let got = Box::pin(self.tasks.get(&self.agent, &request.task_id, &ctx));
        answered("tasks/get", got.boxed()).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.require_tasks().await?;
        let answers = request.input_responses;
        let updated = Box::pin(self.tasks.update(&self.agent, &request.task_id, answers, &ctx));
        answered("tasks/update", updated.boxed()).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.require_tasks().await?;
        let cancelled = Box::pin(self.tasks.cancel(&self.agent, &request.task_id, &ctx));
        answered("tasks/cancel", cancelled.boxed()).await
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        mut ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _end = HandlerEnd::take(&mut ctx.extensions);
        let name = request.name.to_string();
        let mut tools = self.offer().await.tools;
        if self.toolbox.is_task(&name) {
            tools.agent = self.answers_tasks().await;
        }
        let Some(group) = self.toolbox.find(tools, &name) else {
            let shown = excerpt(&name, 60);
            let text = format!("there is no tool `{shown}`; tools/list names those there are");
            let refused = Err(ErrorData::invalid_params(text, None));
            NotedCall::begin(&shown, &ctx).end(&refused);
            return refused;
        };
        let asking = if self.toolbox.is_task(&name) {
            None
        } else {
            let declined =
                |no: &ApprovalOfForm, caller: &Principal| self.approvals.declined(no, caller);
            match ApprovalCall::begin(&self.state_codec, declined, &mut request, &mut ctx) {
                Ok(asking) => asking,
                Err(refused) => {
                    let text = ContentBlock::text(refused.to_string());
                    return Ok(CallToolResult::error(vec![text]).into());
                }
            }
        };
        let noted = NotedCall::begin(&name, &ctx);
        let called = group.call(ToolCallContext::new(self, request, ctx));
        let result = panics::catch_panics(&name, called).await;
        let result = match asking {
            Some(asking) => asking.end(result),
            None => result,
        };
        noted.end(&result);
        result
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.subscriptions.has_listed(&self.agent, &ctx);
        let cursor = request.and_then(|request| request.cursor);
        answered("resources/list", resources::list(&self.agent, cursor.as_deref(), &ctx).boxed())
            .await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::list_templates(&ctx))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let reading = resources::read(&self.agent, &request.uri, self.offer(), &ctx);
        answered("resources/read", reading.boxed()).await.map(Into::into)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let subscribed = self.subscriptions.subscribe(&self.agent, &request.uri, &ctx);
        answered("resources/subscribe", subscribed.boxed()).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.unsubscribe(&request.uri, &ctx);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(Subscriptions::accepted(requested))
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let listening = self.subscriptions.listen(&self.agent, subscription);
        answered("subscriptions/listen", listening.boxed()).await
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(prompts::list(self.offer().await.tools, &ctx))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let principal = principal::of(&ctx);
        let got = prompts::get(&self.agent, &principal, &request.name, request.arguments);
        answered("prompts/get", got.boxed()).await.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let principal = principal::of(&ctx);
        let completed = completion::complete(&self.agent, &principal, request);
        answered("completion/complete", completed.boxed()).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(bad_params::refusal(&request.method, request.params, is_modern(&ctx)))
    }

    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.levels.set(request.level, &ctx);
        Ok(())
    }

    async fn list_skills(
        &self,
        _request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(skill::list(&ctx))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        skill::get(&request.uri, &ctx)
    }
}

/// The capabilities. Prompts only teach how to hand out tasks, so without those tools there are none.
#[expect(deprecated, reason = "clients of the older protocols may still ask for log messages")]
fn capabilities(tools: ToolSet) -> ServerCapabilities {
    let mut all = ServerCapabilities::builder()
        .enable_logging()
        .enable_completions()
        .enable_prompts()
        .enable_resources()
        .enable_resources_list_changed()
        .enable_resources_subscribe()
        .enable_tools()
        .enable_skills()
        .enable_tasks()
        .build();
    if !tools.agent {
        all.prompts = None;
    }
    all
}
