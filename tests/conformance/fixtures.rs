//! Tools, resources, prompts and tasks that do nothing but answer as the suite expects. Every other
//! request is answered by the real server behind them.
#![expect(deprecated, reason = "the suite tests what older protocols have")]

mod catalog;
mod jobs;
mod questions;
mod skills;
mod tools;

use std::sync::Arc;
use std::time::{Duration, Instant};

use ayeaye::mcp::panics;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CompletionInfo, CustomNotification, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult, InitializeRequestParams,
    InitializeResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult,
    ReadResourceRequestParams, ReadResourceResponse, Reference, SKILLS_EXTENSION_ID,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, TASKS_EXTENSION_ID, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::watch;

use catalog::Catalog;
use questions::Questions;

/// The real server with the fixtures before it. Clones are the same server.
#[derive(Clone)]
pub(crate) struct Fixtures<H> {
    real: H,
    shared: Arc<Shared>,
}

struct Shared {
    catalog: Catalog,
    questions: Questions,
    jobs: TaskManager,
    changed: watch::Sender<Changed>,
}

/// When the suite had a list changed last.
#[derive(Debug, Clone, Copy, Default)]
struct Changed {
    tools: Option<Instant>,
    prompts: Option<Instant>,
    /// The last changes that somebody has heard of, so that they are not told whoever listens next.
    tools_told: Option<Instant>,
    prompts_told: Option<Instant>,
}

/// rmcp tells a client that it is subscribed before it hands the request on: a change may come before the listener.
const BEFORE_LISTENING: Duration = Duration::from_millis(500);

/// Whether it was told; what was not subscribed to is refused, as it should be.
fn is_told(outcome: Result<(), impl std::fmt::Display>) -> bool {
    outcome.inspect_err(|err| tracing::debug!("not told: {err}")).is_ok()
}

impl<H: ServerHandler> Fixtures<H> {
    /// Puts the fixtures before `real`.
    pub(crate) fn wrap(real: H) -> Self {
        let shared = Shared {
            catalog: Catalog::read(),
            questions: Questions::new(),
            jobs: TaskManager::new(),
            changed: watch::Sender::default(),
        };
        Self { real, shared: Arc::new(shared) }
    }
}

/// Whether this is an address of a fixture. Unknown ones are the real server's to refuse.
fn is_watched(uri: &str) -> bool {
    uri.starts_with("test://")
}

/// Adds what the fixtures can do to what the real server can.
fn declare(all: &mut ServerCapabilities) {
    all.logging.get_or_insert_default();
    all.completions.get_or_insert_default();
    all.prompts.get_or_insert_default().list_changed = Some(true);
    all.resources.get_or_insert_default().subscribe = Some(true);
    all.tools.get_or_insert_default().list_changed = Some(true);
    let folders = JsonObject::from_iter([("directoryRead".to_owned(), true.into())]);
    let extensions = all.extensions.get_or_insert_default();
    extensions.entry(SKILLS_EXTENSION_ID.to_owned()).or_default().extend(folders);
}

/// `real` where the real server has the method, and `ours` where it does not.
fn unless_missing<T>(
    real: Result<T, ErrorData>,
    ours: Result<T, ErrorData>,
) -> Result<T, ErrorData> {
    match real {
        Err(error) if error.code == ErrorCode::METHOD_NOT_FOUND => ours,
        answer => answer,
    }
}

impl<H: ServerHandler> ServerHandler for Fixtures<H> {
    fn get_info(&self) -> ServerConfig {
        let mut info = self.real.get_info();
        declare(&mut info.capabilities);
        let extensions = info.capabilities.extensions.get_or_insert_default();
        extensions.entry(TASKS_EXTENSION_ID.to_owned()).or_default();
        info
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // Without tasks: those who still initialize have none.
        let mut answer = self.real.initialize(request, ctx).await?;
        declare(&mut answer.capabilities);
        Ok(answer)
    }

    async fn discover(&self, ctx: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut answer = self.real.discover(ctx).await?;
        answer.capabilities = self.get_info().capabilities;
        Ok(answer)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.shared.catalog.tool(&request.name).is_none() {
            return self.real.call_tool(request, ctx).await;
        }
        let name = request.name.to_string();
        panics::catch_panics(&name, self.shared.call(request, ctx)).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = self.real.list_tools(request, ctx).await?;
        if list.next_cursor.is_none() {
            list.tools.extend(self.shared.catalog.tools.iter().cloned());
        }
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.catalog.tool(name).cloned().or_else(|| self.real.get_tool(name))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list = self.real.list_resources(request, ctx).await?;
        if list.next_cursor.is_none() {
            list.resources.extend(self.shared.catalog.resources.iter().cloned());
            list.resources.push(skills::resource());
        }
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = self.real.list_resource_templates(request, ctx).await?;
        if list.next_cursor.is_none() {
            list.resource_templates.extend(self.shared.catalog.templates.iter().cloned());
        }
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let ours = self.shared.catalog.read_resource(&request.uri);
        match ours.or_else(|| skills::read(&request.uri)) {
            Some(result) => Ok(result.into()),
            None => self.real.read_resource(request, ctx).await,
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_watched(&request.uri) { Ok(()) } else { self.real.subscribe(request, ctx).await }
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_watched(&request.uri) { Ok(()) } else { self.real.unsubscribe(request, ctx).await }
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut filter = self.real.accepted_subscription_filter(requested).unwrap_or_default();
        filter.tools_list_changed = requested.tools_list_changed;
        filter.prompts_list_changed = requested.prompts_list_changed;
        Some(filter)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let sink = subscription.sink().clone();
        let mut changes = self.shared.changed.subscribe();
        let since = Instant::now().checked_sub(BEFORE_LISTENING);
        let first = *changes.borrow();
        let (mut tools, mut prompts) = (since.max(first.tools_told), since.max(first.prompts_told));
        let tell = async {
            loop {
                let changed = *changes.borrow_and_update();
                let mut told = Changed::default();
                if tools < changed.tools && is_told(sink.notify_tool_list_changed().await) {
                    told.tools_told = changed.tools;
                }
                if prompts < changed.prompts && is_told(sink.notify_prompt_list_changed().await) {
                    told.prompts_told = changed.prompts;
                }
                (tools, prompts) = (tools.max(changed.tools), prompts.max(changed.prompts));
                self.shared.changed.send_if_modified(|it| {
                    it.tools_told = it.tools_told.max(told.tools_told);
                    it.prompts_told = it.prompts_told.max(told.prompts_told);
                    false
                });
                if changes.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! {
            ended = self.real.listen(subscription) => ended,
            never = tell => never,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = self.real.list_prompts(request, ctx).await?;
        if list.next_cursor.is_none() {
            list.prompts.extend(self.shared.catalog.prompts.iter().cloned());
        }
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if self.shared.catalog.messages.contains_key(&request.name) {
            return self.shared.prompt(request, &ctx);
        }
        self.real.get_prompt(request, ctx).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let ours = matches!(&request.r#ref, Reference::Prompt(prompt)
            if self.shared.catalog.messages.contains_key(&prompt.name));
        if !ours {
            return self.real.complete(request, ctx).await;
        }
        let begun = |word: &&str| word.starts_with(&request.argument.value);
        let words = ["paris", "park", "party"].iter().filter(|word| begun(word));
        let values = words.map(|&word| word.to_owned()).collect();
        CompletionInfo::with_all_values(values)
            .map(CompleteResult::new)
            .map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        unless_missing(self.real.set_level(request, ctx).await, Ok(()))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        match self.shared.jobs.get_task(&request.task_id) {
            Ok(task) => Ok(GetTaskResult::new(task)),
            Err(unknown) => unless_missing(self.real.get_task(request, ctx).await, Err(unknown)),
        }
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let responses = request.input_responses.clone();
        match self.shared.jobs.update_task(&request.task_id, responses) {
            Ok(()) => Ok(()),
            Err(unknown) => unless_missing(self.real.update_task(request, ctx).await, Err(unknown)),
        }
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        match self.shared.jobs.cancel_task(&request.task_id) {
            Ok(()) => Ok(()),
            Err(unknown) => unless_missing(self.real.cancel_task(request, ctx).await, Err(unknown)),
        }
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let none = Ok(ListSkillsResult::default());
        let mut list = unless_missing(self.real.list_skills(request, ctx).await, none)?;
        list.skills.insert(0, skills::skill());
        Ok(list)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        if skills::is_skill(&request.uri) {
            return Ok(GetSkillResult::new(skills::skill()));
        }
        let unknown = Err(ErrorData::invalid_params("no such skill", None));
        unless_missing(self.real.get_skill(request, ctx).await, unknown)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        if let Some(list) = skills::read_folder(&request.uri) {
            return Ok(list);
        }
        let unknown = Err(ErrorData::invalid_params("no such folder", None));
        unless_missing(self.real.read_resource_directory(request, ctx).await, unknown)
    }

    // The rest is the real server's alone.

    async fn ping(&self, ctx: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.real.ping(ctx).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        self.real.on_custom_request(request, ctx).await
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        ctx: NotificationContext<RoleServer>,
    ) {
        self.real.on_cancelled(notification, ctx).await;
    }

    async fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        ctx: NotificationContext<RoleServer>,
    ) {
        self.real.on_progress(notification, ctx).await;
    }

    async fn on_initialized(&self, ctx: NotificationContext<RoleServer>) {
        self.real.on_initialized(ctx).await;
    }

    async fn on_roots_list_changed(&self, ctx: NotificationContext<RoleServer>) {
        self.real.on_roots_list_changed(ctx).await;
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        ctx: NotificationContext<RoleServer>,
    ) {
        self.real.on_custom_notification(notification, ctx).await;
    }
}

impl<H> std::fmt::Debug for Fixtures<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fixtures").finish_non_exhaustive()
    }
}
