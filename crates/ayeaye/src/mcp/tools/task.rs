//! Tools that hand a task to the agent.
use ayeaye_agent::{ContinueTask, Follower, ReplyMode, StartTask, StopReason, UserInput};
use rmcp::model::{CallToolResponse, CallToolResult};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use crate::mcp::args::{self, ContinueArgs, SessionArgs, StartArgs, ValidatedArgs};
use crate::mcp::client_support::ClientSupport;
use crate::mcp::questions::{QuestionDelivery, RetryContext};
use crate::mcp::run_wait::RunWait;
use crate::mcp::schema::{input, outline, output};
use crate::mcp::tool_error::ToolError;
use crate::mcp::{Server, results, texts};
use crate::principal;

#[tool_router(router = tasks, vis = "pub(super)")]
impl Server {
    #[tool(
        title = "Start a task on a phone",
        description = texts::ASK_AGENT_START_NEW_TASK,
        input_schema = input::<StartArgs>(),
        output_schema = output::<results::RunResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn ask_agent_start_new_task(
        &self,
        retry: RetryContext,
        ValidatedArgs(args): ValidatedArgs<StartArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ToolError> {
        let args = args?;
        let limit = args::wait(args.wait_seconds, &self.defaults, &ctx)?;
        let wait = RunWait::new(&self.agent, &ctx, limit);
        let reply_mode = args::reply_mode(args.reply_mode.as_deref(), self.defaults.reply_mode)?;
        if retry.is_retry() {
            // A retry never starts a second task, whatever has become of the first.
            return self.questions(&retry, wait, reply_mode).take_answer().await;
        }
        let task = StartTask {
            policy: args::policy(args.policy.as_deref())?,
            device_id: args::device_id(&args.device_id)?,
            task: args::text("task", &args.task)?,
            max_steps: args::max_steps(args.max_steps, self.defaults.max_steps)?,
            reply_mode,
            planner: args.planner.unwrap_or(self.defaults.planner),
            queue: args.queue.unwrap_or_default(),
            principal: principal::of(&ctx),
        };
        self.ensure_model().await?;
        let follower = self.agent.start(task).await?;
        self.follow(follower, &retry, wait, reply_mode).await
    }

    #[tool(
        title = "Continue a session on a phone",
        description = texts::ASK_AGENT_CONTINUE,
        input_schema = input::<ContinueArgs>(),
        output_schema = outline::<results::RunResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn ask_agent_continue(
        &self,
        retry: RetryContext,
        ValidatedArgs(args): ValidatedArgs<ContinueArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ToolError> {
        let args = args?;
        let limit = args::wait(args.wait_seconds, &self.defaults, &ctx)?;
        let wait = RunWait::new(&self.agent, &ctx, limit);
        let reply_mode = args::reply_mode(args.reply_mode.as_deref(), self.defaults.reply_mode)?;
        if retry.is_retry() {
            return self.questions(&retry, wait, reply_mode).take_answer().await;
        }
        let input = match (&args.task, &args.reply_from_client) {
            (Some(_), Some(_)) => return Err(ToolError::task_and_reply()),
            (Some(task), None) => UserInput::Task(args::text("task", task)?),
            (None, Some(reply)) => UserInput::Reply(args::text("reply_from_client", reply)?),
            (None, None) => UserInput::Nothing,
        };
        if let UserInput::Task(_) = input {
            self.ensure_model().await?;
        }
        let next = ContinueTask {
            policy: args::policy(args.policy.as_deref())?,
            session_id: args::session_id(&args.session_id)?,
            device_id: args.device_id.as_deref().map(args::device_id).transpose()?,
            input,
            reply_is_secret: args.reply_is_secret.unwrap_or_default(),
            max_steps: args::max_steps(args.max_steps, self.defaults.max_steps)?,
            reply_mode,
            planner: args.planner.unwrap_or(self.defaults.planner),
            principal: principal::of(&ctx),
        };
        let follower = self.agent.resume(next).await?;
        self.follow(follower, &retry, wait, reply_mode).await
    }

    #[tool(
        title = "Stop a session's run",
        description = texts::STOP_TASK,
        input_schema = input::<SessionArgs>(),
        output_schema = outline::<results::RunResult>(),
        annotations(read_only_hint = false, destructive_hint = false, idempotent_hint = true, open_world_hint = false)
    )]
    async fn stop_task(
        &self,
        ValidatedArgs(args): ValidatedArgs<SessionArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let id = args::session_id(&args.session_id)?;
        let report = self.agent.stop(id, StopReason::Cancelled, &principal::of(&ctx)).await?;
        Ok(results::structured(&results::RunResult::from(&report)))
    }
}

impl Server {
    /// Fails at once where no model is there to be handed a task: a run would find out on the phone.
    async fn ensure_model(&self) -> Result<(), ToolError> {
        let state = self.model.state().await;
        if state.takes_tasks() {
            return Ok(());
        }
        let device = self.offer().await.tools.device;
        Err(ToolError::no_model(state, &self.model.endpoint(), device))
    }

    /// Hands a run over as an MCP task where the client polls tasks, and waits for it otherwise.
    async fn follow(
        &self,
        follower: Follower,
        retry: &RetryContext,
        wait: RunWait<'_>,
        reply_mode: ReplyMode,
    ) -> Result<CallToolResponse, ToolError> {
        let client = ClientSupport::of(wait.request());
        if client.tasks && follower.running() {
            return Ok(self.tasks.create(&follower.report(), client.forms).into());
        }
        self.questions(retry, wait, reply_mode).follow(follower).await
    }

    fn questions<'a>(
        &'a self,
        retry: &'a RetryContext,
        wait: RunWait<'a>,
        reply_mode: ReplyMode,
    ) -> QuestionDelivery<'a> {
        let (codec, levels) = (&self.state_codec, &self.levels);
        QuestionDelivery::new(&self.agent, codec, levels, retry, wait, reply_mode)
    }
}
