//! Tools that act on a phone directly, one action at a time.
use ayeaye_agent::{
    Agreed, DeviceError, DeviceId, DirectAction, DirectOutcome, DirectRun, Elements, Gesture,
    ScreenSize, StopReason,
};
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use crate::mcp::approvals::{PhoneAsked, TakenApproval};
use crate::mcp::args::device::{
    ActArgs, CommonArgs, HasCommon as _, KeyArgs, LaunchArgs, LongPressArgs, PlacedArgs, SwipeArgs,
    TapArgs, TypeArgs,
};
use crate::mcp::args::{self, DeviceArgs, ValidatedArgs};
use crate::mcp::results::{ActResult, UiTree, Unlisted, structured};
use crate::mcp::run_wait::RunWait;
use crate::mcp::schema::{input, outline, output, shallow};
use crate::mcp::tool_error::ToolError;
use crate::mcp::{Server, texts};
use crate::principal;

#[tool_router(router = device_control, vis = "pub(super)")]
impl Server {
    #[tool(
        title = "Tap on a phone's screen",
        description = texts::TAP,
        input_schema = input::<TapArgs>(),
        output_schema = shallow::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn tap(
        &self,
        ValidatedArgs(args): ValidatedArgs<TapArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let gesture = self.placed(&args, &ctx).await?;
        self.carry_out(args.into_common(), gesture, &ctx).await
    }

    #[tool(
        title = "Long-press on a phone's screen",
        description = texts::LONG_PRESS,
        input_schema = input::<LongPressArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn long_press(
        &self,
        ValidatedArgs(args): ValidatedArgs<LongPressArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let gesture = self.placed(&args, &ctx).await?;
        self.carry_out(args.into_common(), gesture, &ctx).await
    }

    #[tool(
        title = "Swipe on a phone's screen",
        description = texts::SWIPE,
        input_schema = input::<SwipeArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn swipe(
        &self,
        args: ValidatedArgs<SwipeArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        self.carry_out_args(args, &ctx).await
    }

    #[tool(
        title = "Type on a phone",
        description = texts::TYPE_TEXT,
        input_schema = input::<TypeArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn type_text(
        &self,
        ValidatedArgs(args): ValidatedArgs<TypeArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let gesture = self.placed(&args, &ctx).await?;
        let secret = args.secret.unwrap_or_default();
        let common = args.into_common();
        let (picture, approval) = (common.picture()?, common.approval().map(str::to_owned));
        let act = common.act(gesture, principal::of(&ctx))?;
        let act = DirectAction { secret, ..act };
        self.act(act, approval.as_deref(), picture, &ctx).await
    }

    #[tool(
        title = "Press a phone's key",
        description = texts::PRESS_KEY,
        input_schema = input::<KeyArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn press_key(
        &self,
        args: ValidatedArgs<KeyArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        self.carry_out_args(args, &ctx).await
    }

    #[tool(
        title = "Open an app on a phone",
        description = texts::LAUNCH_APP,
        input_schema = input::<LaunchArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = false, idempotent_hint = true, open_world_hint = true)
    )]
    async fn launch_app(
        &self,
        args: ValidatedArgs<LaunchArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        self.carry_out_args(args, &ctx).await
    }

    #[tool(
        title = "List what is on a phone's screen",
        description = texts::GET_UI_TREE,
        input_schema = input::<DeviceArgs>(),
        output_schema = output::<UiTree>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn get_ui_tree(
        &self,
        ValidatedArgs(args): ValidatedArgs<DeviceArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let id = args::device_id(&args.device_id)?;
        let phone = self.agent.device_names(&id).await;
        let (elements, protected, size) = self.look(&id, &ctx).await?;
        self.agent.was_shown(&phone, &principal::of(&ctx));
        let none = Elements::default();
        let seen = elements.as_ref().unwrap_or(&none);
        let mark = self.element_references.remember(&phone, &principal::of(&ctx), seen);
        let reader = principal::of(&ctx);
        let seen = elements.map(|it| self.agent.without_spread_secrets(it, &reader));
        let seen = seen.as_ref().map_err(Clone::clone);
        let hide = |text: &str| self.agent.without_named_secrets(text, &reader).into_owned();
        Ok(structured(&UiTree::new(id.to_string(), seen, protected, size, &mark, &hide)))
    }
}

impl Server {
    /// The elements of a screen, whether it is hidden from pictures, and its size.
    async fn look(
        &self,
        id: &DeviceId,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<(Result<Elements, Unlisted>, bool, ScreenSize), ToolError> {
        self.agent.check_hidden_for(&principal::of(ctx))?;
        let device = self.agent.device(id).await?;
        let look = async {
            // Read the size after the dump: if the phone was rotated meanwhile, every element has moved.
            let (dump, state) = tokio::join!(device.ui_tree_or_why(), device.state());
            // The elements are worth telling also where the rest is not known.
            let protected = state.is_ok_and(|state| state.protected);
            let elements = match dump? {
                Err(why) => Err(Unlisted::ByPhone(why)),
                Ok(dump) => {
                    Elements::read_on_blocking_thread(dump).await.ok_or(Unlisted::Unreadable)
                }
            };
            Ok::<_, DeviceError>((elements, protected, device.info().await?.screen))
        };
        self.unless_busy(id, ctx, look).await
    }

    /// The act at its place. An element is where it is now, and must be as it was when it was told.
    async fn placed<A: PlacedArgs>(
        &self,
        args: &A,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<Gesture, ToolError> {
        let Some(reference) = args.place().element()? else { return args.gesture() };
        let id = args::device_id(args.device_id())?;
        let phone = self.agent.device_names(&id).await;
        let element = self.element_references.find(&phone, &principal::of(ctx), reference)?;
        let (elements, _, size) = self.look(&id, ctx).await?;
        let elements = elements.map_err(|_| ToolError::no_elements())?;
        args.at(Some(element.place(&elements, size)?))
    }

    /// Carries out the act that the arguments determine.
    pub(super) async fn carry_out_args<A: ActArgs>(
        &self,
        ValidatedArgs(args): ValidatedArgs<A>,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let gesture = args.gesture()?;
        self.carry_out(args.into_common(), gesture, ctx).await
    }

    /// Carries out a gesture, and adds a picture of the screen afterwards if one is wanted.
    pub(super) async fn carry_out(
        &self,
        common: CommonArgs,
        gesture: Gesture,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let (picture, approval) = (common.picture()?, common.approval().map(str::to_owned));
        let act = common.act(gesture, principal::of(ctx))?;
        self.act(act, approval.as_deref(), picture, ctx).await
    }

    /// Has an action carried out; an approval code means that a person has agreed to it.
    pub(super) async fn act(
        &self,
        act: DirectAction,
        approval: Option<&str>,
        picture: Option<u32>,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let Some(code) = approval else { return self.act_agreed(act, None, picture, ctx).await };
        let phone = PhoneAsked::of(&self.agent, &act.device_id).await;
        let taken = self.approvals.take_act(&phone, code, &principal::of(ctx))?;
        let act = DirectAction { agreed: taken.agreed(), ..act };
        self.act_agreed(act, Some(taken), picture, ctx).await
    }

    /// Has an action carried out under the approval taken for it. If the gate asks about it, a person is asked first:
    /// in a form, or by the client, which then sends the approval code it got.
    pub(super) async fn act_agreed(
        &self,
        mut act: DirectAction,
        taken: Option<TakenApproval<'_>>,
        picture: Option<u32>,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let id = act.device_id.clone();
        let mut acting = self.acted(act.clone(), taken, ctx).await?;
        if let Some(DirectOutcome::NeedsApproval(asked)) = acting.result().map(|it| &it.outcome) {
            let wait = self.wait_for_form(ctx)?;
            self.approvals.ask_for_act(&self.agent, &id, asked, wait).await?;
            act.agreed = Agreed::Act(Box::new(asked.act.clone()));
            acting = self.acted(act, None, ctx).await?;
            if let Some(DirectOutcome::NeedsApproval(asked)) = acting.result().map(|it| &it.outcome)
            {
                let phone = PhoneAsked::of(&self.agent, &id).await;
                return Err(self.approvals.needs(&phone, asked, ctx));
            }
        }
        let report = acting.report();
        let result = ActResult::of(acting.result(), &report, self.offer().await)?;
        let mut result = structured(&result);
        if let Some(side) = picture {
            // The act is done: that its picture is missing is no error of it.
            result.content.extend(self.screen_now(&id, side, ctx).await);
        }
        Ok(result)
    }

    /// The wait for a form about an act, as long as a call waits for a task.
    pub(super) fn wait_for_form<'a>(
        &'a self,
        ctx: &'a RequestContext<RoleServer>,
    ) -> Result<RunWait<'a>, ToolError> {
        let limit = args::wait(None, &self.defaults, ctx)?;
        Ok(RunWait::new(&self.agent, ctx, limit))
    }

    /// Starts an action and waits for its end, by which its approval is used or good again. Cancelling the call stops
    /// only what has not been sent to the phone yet.
    async fn acted(
        &self,
        act: DirectAction,
        mut taken: Option<TakenApproval<'_>>,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<DirectRun, ToolError> {
        let mut acting = tokio::select! {
            biased;
            () = ctx.ct.cancelled() => return Err(ToolError::call_cancelled()),
            acting = self.agent.act(act) => acting?,
        };
        if let Some(taken) = &mut taken {
            taken.begun();
        }
        tokio::select! {
            biased;
            () = ctx.ct.cancelled() => {
                acting.stop(StopReason::Cancelled);
                acting.finished().await;
            }
            () = acting.finished() => {}
        }
        if let Some(taken) = taken {
            taken.came_of_it(&acting);
        }
        Ok(acting)
    }
}
