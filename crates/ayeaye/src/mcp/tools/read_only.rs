//! Tools that change nothing.
use std::future::Future;

use ayeaye_agent::{AgentError, DeviceHolder, DeviceId};
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use crate::mcp::args::{self, ListSessionsArgs, ScreenshotArgs, SessionArgs, ValidatedArgs};
use crate::mcp::schema::{input, outline, output};
use crate::mcp::tool_error::ToolError;
use crate::mcp::{Server, read_receipts, results, texts};
use crate::principal;

#[tool_router(router = read_only, vis = "pub(super)")]
impl Server {
    #[tool(
        title = "List phones",
        description = texts::LIST_CONNECTED_DEVICES,
        input_schema = input::<args::NoArgs>(),
        output_schema = output::<results::DeviceList>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn list_connected_devices(
        &self,
        ValidatedArgs(args): ValidatedArgs<args::NoArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args::NoArgs {} = args?;
        let principal = principal::of(&ctx);
        let devices = self.agent.devices(&principal).await?;
        let names: Vec<_> = devices.iter().map(|(entry, _)| entry.names()).collect();
        let nearby = self.agent.nearby(&names).await;
        let queues = self.agent.device_queues(&names, &principal).await?;
        let list = results::DeviceList::from(devices).queued(queues).near(&nearby);
        let list = list.offered(self.offer().await);
        Ok(results::structured(&list))
    }

    #[tool(
        title = "See a phone's screen",
        description = texts::GET_SCREENSHOT,
        input_schema = input::<ScreenshotArgs>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn get_screenshot(
        &self,
        ValidatedArgs(args): ValidatedArgs<ScreenshotArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let (id, side) =
            (args::device_id(&args.device_id)?, args::max_size("max_size", args.max_size)?);
        let principal = principal::of(&ctx);
        let phone = self.agent.device_names(&id).await;
        let device = self.agent.device(&id).await?;
        let look = async {
            // What it says of its screen is worth a question, beside the capture; that it does not answer is not.
            let state = async { Ok::<_, AgentError>(device.state().await.ok()) };
            tokio::try_join!(self.agent.capture_for(&*device, &principal), state)
        };
        let (frame, state) = self.unless_busy(&id, &ctx, look).await?;
        self.agent.was_shown(&phone, &principal);
        // No structured content: hosts that read it drop the picture beside it.
        Ok(results::picture(frame, side, state.as_ref()).await)
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
        ValidatedArgs(args): ValidatedArgs<ListSessionsArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let (principal, limit) = (principal::of(&ctx), args::limit(args.limit)?);
        let before = args.before.as_deref().map(args::session_id).transpose()?;
        let list = results::SessionList::read(&self.agent, &principal, before, limit).await?;
        Ok(results::structured(&list))
    }

    #[tool(
        title = "Look up a session",
        description = texts::GET_SESSION,
        input_schema = input::<SessionArgs>(),
        output_schema = outline::<results::RunResult>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn get_session(
        &self,
        ValidatedArgs(args): ValidatedArgs<SessionArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let id = args::session_id(&args.session_id)?;
        let report = self.agent.report(id, &principal::of(&ctx)).await?;
        read_receipts::note_told(&self.agent, &report, &ctx);
        Ok(results::structured(&self.result(&report).await))
    }
}

impl Server {
    /// The screen now, for a result with other content too: if no picture can be made, a note says why.
    pub(super) async fn screen_now(
        &self,
        id: &DeviceId,
        side: u32,
        ctx: &RequestContext<RoleServer>,
    ) -> Vec<ContentBlock> {
        let reader = principal::of(ctx);
        let phone = self.agent.device_names(id).await;
        let shown = match self.agent.device(id).await {
            Ok(device) => {
                let look = self.agent.capture_for(&*device, &reader);
                self.unless_busy(id, ctx, look).await
            }
            Err(error) => Err(error.into()),
        };
        match shown {
            Ok(frame) => {
                self.agent.was_shown(&phone, &reader);
                results::picture(frame, side, None).await.content
            }
            Err(error) => results::note(&format!("no picture: {error}")),
        }
    }

    /// The result of `look` at a phone, unless somebody else drives it. That is checked again
    /// afterwards: another principal's session may have begun meanwhile, and the result may show it.
    pub(super) async fn unless_busy<T, E>(
        &self,
        id: &DeviceId,
        ctx: &RequestContext<RoleServer>,
        look: impl Future<Output = Result<T, E>>,
    ) -> Result<T, ToolError>
    where
        ToolError: From<E>,
    {
        self.ensure_not_busy(id, ctx).await?;
        self.ensure_not_private(id).await?;
        let seen = look.await?;
        self.ensure_not_private(id).await?;
        self.ensure_not_busy(id, ctx).await?;
        Ok(seen)
    }

    /// Fails when somebody else drives the phone.
    pub(super) async fn ensure_not_busy(
        &self,
        id: &DeviceId,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<(), ToolError> {
        match self.agent.device_holder(id, &principal::of(ctx)).await {
            DeviceHolder::Other => {
                Err(AgentError::DeviceBusy { device: id.clone(), session: None }.into())
            }
            DeviceHolder::Free | DeviceHolder::Session(_) | DeviceHolder::Person => Ok(()),
        }
    }

    /// Fails when an app is in front of which nothing is shown to anybody.
    async fn ensure_not_private(&self, id: &DeviceId) -> Result<(), ToolError> {
        match self.agent.private_app_in_front(id).await? {
            Some(app) => Err(ToolError::private_app(&app)),
            None => Ok(()),
        }
    }
}
