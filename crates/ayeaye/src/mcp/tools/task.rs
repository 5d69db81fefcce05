//! Tools that hand a task to the agent.
use std::sync::Arc;

use ayeaye_agent::{
    ContinueTask, DeviceId, Follower, ReplyMode, Report, StartTask, StopReason, error_chain,
};
use futures::FutureExt as _;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use crate::mcp::args::{self, ContinueArgs, SessionArgs, StartArgs, ValidatedArgs, WantedPictures};
use crate::mcp::client_support::ClientSupport;
use crate::mcp::questions::{Followed, FollowedRun, QuestionDelivery, RetryContext};
use crate::mcp::run_wait::{Beginning, RunWait};
use crate::mcp::schema::{input, outline, output};
use crate::mcp::task_input::{self, CannotGoOn};
use crate::mcp::tool_error::ToolError;
use crate::mcp::{Server, pictures, read_receipts, results, texts};
use crate::principal;

/// Most pictures of steps in a result. With the screen's own they take less than half of the megabyte that some
/// hosts refuse.
const MOST_STEP_PICTURES: usize = 6;

/// What is said beside the result where a form was answered in vain.
const LATE: &str = "Your user's answer was not passed on: the question had been answered (by an earlier copy of this answer or by \
     another one), given up or replaced in the meantime.";
/// What is said where the request whose question was asked is not the one that was carried out.
const REPLACED: &str = "Your request was replaced by another one while its question waited: this is that one's result, see `task`.";
/// What is said where an answer came after another one to a session that is at work.
const ADVICE: &str = "The question had been answered already: what you said in this call was given to the agent as advice.";

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
        let mut wait = RunWait::new(&self.agent, &ctx, limit);
        let reply_mode = args::reply_mode(args.reply_mode.as_deref(), self.defaults.reply_mode)?;
        let pictures = args::pictures(args.screenshot.as_deref())?;
        if retry.is_retry() {
            // A retry never starts a second task, whatever has become of the first.
            return Box::pin(self.take_answer(&retry, wait, reply_mode, pictures, None)).await;
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
        self.or_refusal(task_input::ensure_model(&self.model).await).await?;
        let device = task.device_id.clone();
        let (agent, withdrawn) = (Arc::clone(&self.agent), wait.withdrawn());
        // Goes on when this call is given up, unless it is cancelled.
        let starting =
            tokio::spawn(async move { agent.start_unless(task, &withdrawn).await }.boxed());
        let follower = wait.until_begun(&Beginning::Task(&device), starting).await?;
        self.follow(follower, &retry, wait, reply_mode, pictures, None).await
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
        let mut wait = RunWait::new(&self.agent, &ctx, limit);
        let reply_mode = args::reply_mode(args.reply_mode.as_deref(), self.defaults.reply_mode)?;
        let pictures = args::pictures(args.screenshot.as_deref())?;
        if retry.is_retry() {
            return Box::pin(self.take_answer(
                &retry,
                wait,
                reply_mode,
                pictures,
                args.call_number,
            ))
            .await;
        }
        let input = task_input::user_input(
            args.task.as_deref(),
            args.reply_from_client.as_deref(),
            "reply_from_client",
            args.question_step.map(results::number_asked),
        )?;
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
            connection: principal::connection(&ctx),
        };
        let (id, input) = (next.session_id, &next.input);
        let may =
            task_input::ensure_can_go_on(&self.agent, &self.model, id, input, &next.principal);
        self.or_refusal(may.await).await?;
        let answers_one = matches!(input, ayeaye_agent::UserInput::Answer { .. });
        let (agent, given_up) = (Arc::clone(&self.agent), wait.given_up());
        let withdrawn = wait.withdrawn();
        // Goes on when this call is given up: what it brings is passed on once, or not at all.
        let resuming = tokio::spawn(
            async move { agent.resume_once(next, given_up, &withdrawn).await }.boxed(),
        );
        let begins = Beginning::Session(id, args.call_number);
        let follower = wait.until_begun(&begins, resuming).await?;
        if answers_one && follower.has_dropped_answer() {
            return Err(ToolError::not_open());
        }
        self.follow(follower, &retry, wait, reply_mode, pictures, args.call_number).await
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
        let report = self.agent.end_task(id, &principal::of(&ctx)).await?;
        read_receipts::note_told(&self.agent, &report, &ctx);
        Ok(results::structured(&self.result(&report).await))
    }
}

impl Server {
    /// What a client is told where no run may begin.
    async fn or_refusal(&self, may: Result<(), CannotGoOn>) -> Result<(), ToolError> {
        match may {
            Ok(()) => Ok(()),
            Err(CannotGoOn::NotOpen) => Err(ToolError::not_open()),
            Err(CannotGoOn::Agent(err)) => Err(err.into()),
            Err(CannotGoOn::NoModel(state)) => {
                let device = self.offer().await.tools.device;
                Err(ToolError::no_model(state, &self.model.endpoint(), device))
            }
        }
    }

    /// Hands a run over as an MCP task where the client polls tasks, and waits for it otherwise.
    async fn follow(
        &self,
        follower: Follower,
        retry: &RetryContext,
        wait: RunWait<'_>,
        reply_mode: ReplyMode,
        pictures: WantedPictures,
        call_number: Option<i64>,
    ) -> Result<CallToolResponse, ToolError> {
        let ctx = wait.request();
        let client = ClientSupport::of(ctx);
        // Of a call that was cancelled while its run began, the client never learns what the task is called. Waiting
        // for it stops the run.
        if client.tasks && follower.running() && !ctx.ct.is_cancelled() {
            return Ok(self.tasks.create(&follower.report(), client.forms).into());
        }
        let before = follower.report().global_steps;
        let followed = self.questions(retry, wait, reply_mode).follow(follower).await?;
        Ok(self.told(followed, pictures, before, call_number, ctx).await)
    }

    /// The result for a run, or for a session that has none.
    pub(super) async fn result(&self, report: &Report) -> results::RunResult {
        let result = results::RunResult::from(report).offered(report, self.offer().await);
        // Where that is not known, whoever goes on learns it.
        let in_hand = report.stop_reason != StopReason::StillRunning
            && self.agent.is_in_hand(report.session_id).await.unwrap_or_default();
        if in_hand { result.in_hand(report) } else { result }
    }

    /// Goes on with a call that its client makes again with an answer.
    async fn take_answer(
        &self,
        retry: &RetryContext,
        wait: RunWait<'_>,
        reply_mode: ReplyMode,
        pictures: WantedPictures,
        call_number: Option<i64>,
    ) -> Result<CallToolResponse, ToolError> {
        let ctx = wait.request();
        let followed = self.questions(retry, wait, reply_mode).take_answer().await?;
        // The run that the answer began; its steps are all that the report has.
        Ok(self.told(followed, pictures, 0, call_number, ctx).await)
    }

    /// The result of a call, with the pictures that are wanted: of its steps, those after the first `before` of
    /// the session, and of the screen. The facts stay in `structuredContent` too, which official clients insist
    /// on where a tool has an output schema; the few hosts that then drop pictures have `get_screenshot`.
    async fn told(
        &self,
        followed: Followed,
        wanted: WantedPictures,
        before: u32,
        call_number: Option<i64>,
        ctx: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let FollowedRun { report, asked, late, became_advice, replaced } = match followed {
            Followed::Result(followed) => followed,
            Followed::Asks(request) => return request.into(),
        };
        let facts = self.result(&report).await.asked(asked).after_call(call_number);
        let mut result = results::structured(&facts);
        if late {
            result.content.extend(results::note(LATE));
        }
        if replaced {
            result.content.extend(results::note(REPLACED));
        }
        if became_advice {
            result.content.extend(results::note(ADVICE));
        }
        if wanted == WantedPictures::Each {
            let new = report.steps.iter().map(|line| line.step).filter(|step| before <= *step);
            let newest: Vec<u32> = new.rev().take(MOST_STEP_PICTURES).collect();
            let (journal, private) = (self.agent.journal(), self.agent.private_screens());
            let kept = pictures::of_steps(journal, report.session_id, &newest, private).await;
            result.content.extend(match kept {
                Ok(kept) => kept.into_iter().flat_map(with_its_number).collect(),
                Err(err) => results::note(&format!("no pictures of steps: {}", error_chain(&err))),
            });
        }
        if wanted != WantedPictures::None {
            let device = DeviceId::new(&report.device.device_id);
            result.content.extend(self.screen_now(&device, args::MAX_SIDE, ctx).await);
        }
        read_receipts::note_told(&self.agent, &report, ctx);
        result.into()
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

/// A picture of a step behind the step's number, counted from 1 as in the list of steps.
fn with_its_number((step, picture): (u32, ContentBlock)) -> [ContentBlock; 2] {
    [ContentBlock::text(format!("the screen at step {}:", step + 1)), picture]
}
