//! Tools that act on a phone directly, one action at a time.
use ayeaye_agent::{DeviceId, DirectAction, Gesture, ScreenSize, StopReason};
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use crate::mcp::args::device::{
    KeyArgs, LaunchArgs, LongPressArgs, Place, SwipeArgs, TapArgs, TypeArgs,
};
use crate::mcp::args::{self, DeviceArgs, ValidatedArgs};
use crate::mcp::results::{ActResult, UiTree, structured};
use crate::mcp::schema::{input, outline, output, shallow};
use crate::mcp::tool_error::ToolError;
use crate::mcp::{Server, results, texts};
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
        let mut args = args?;
        let gesture = match args.element()? {
            None => args.gesture()?,
            Some(reference) => {
                let id = args::device_id(&args.device_id)?;
                let element = self.looks.find(&id, &principal::of(&ctx), reference)?;
                let (dump, size) = self.look(&id, &ctx).await?;
                args.at(element.place(dump.as_deref(), size)?)
            }
        };
        self.carry_out(args.place(), gesture, &ctx).await
    }

    #[tool(
        title = "Press long on a phone's screen",
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
        let mut args = args?;
        let gesture = args.gesture()?;
        self.carry_out(args.place(), gesture, &ctx).await
    }

    #[tool(
        title = "Swipe over a phone's screen",
        description = texts::SWIPE,
        input_schema = input::<SwipeArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn swipe(
        &self,
        ValidatedArgs(args): ValidatedArgs<SwipeArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let mut args = args?;
        let gesture = args.gesture()?;
        self.carry_out(args.place(), gesture, &ctx).await
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
        let mut args = args?;
        let gesture = args.gesture()?;
        let secret = args.secret.unwrap_or_default();
        let place = args.place();
        let picture = place.picture()?;
        let act = place.act(gesture, principal::of(&ctx))?;
        self.act(DirectAction { secret, ..act }, picture, &ctx).await
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
        ValidatedArgs(args): ValidatedArgs<KeyArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let mut args = args?;
        let gesture = args.gesture()?;
        self.carry_out(args.place(), gesture, &ctx).await
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
        ValidatedArgs(args): ValidatedArgs<LaunchArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let mut args = args?;
        let gesture = args.gesture()?;
        self.carry_out(args.place(), gesture, &ctx).await
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
        let (dump, size) = self.look(&id, &ctx).await?;
        let seen = dump.as_deref().unwrap_or_default();
        let mark = self.looks.remember(&id, &principal::of(&ctx), seen);
        Ok(structured(&UiTree::new(id.to_string(), dump.as_deref(), size, &mark)))
    }
}

impl Server {
    /// The elements of a screen, and its size.
    async fn look(
        &self,
        id: &DeviceId,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<(Option<String>, ScreenSize), ToolError> {
        let device = self.agent.device(id).await?;
        let look = async {
            // Read the size after the dump: if the phone was rotated meanwhile, every element has moved.
            let dump = device.ui_tree().await?;
            Ok((dump, device.info().await?.screen))
        };
        self.unless_busy(id, ctx, look).await
    }

    /// Carries out a gesture, with a picture of the screen afterwards where one is wanted.
    pub(super) async fn carry_out(
        &self,
        place: Place,
        gesture: Gesture,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let picture = place.picture()?;
        self.act(place.act(gesture, principal::of(ctx))?, picture, ctx).await
    }

    /// Starts an action and waits for its end. Cancelling the call stops only what has not been sent to
    /// the phone yet.
    async fn act(
        &self,
        act: DirectAction,
        picture: Option<u32>,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let id = act.device_id.clone();
        let mut acting = tokio::select! {
            biased;
            () = ctx.ct.cancelled() => return Err(ToolError::call_cancelled()),
            acting = self.agent.act(act) => acting?,
        };
        tokio::select! {
            biased;
            () = ctx.ct.cancelled() => {
                acting.stop(StopReason::Cancelled);
                acting.finished().await;
            }
            () = acting.finished() => {}
        }
        let report = acting.report();
        let result = ActResult::of(acting.result(), &report, self.offer().await)?;
        let mut result = structured(&result);
        if let Some(side) = picture {
            // The act is done: that its picture is missing is no error of it.
            let shown = match self.agent.device(&id).await {
                Ok(device) => self.unless_busy(&id, ctx, device.capture()).await,
                Err(error) => Err(error.into()),
            };
            result.content.extend(match shown {
                Ok(frame) => results::picture(frame, side).await.content,
                Err(error) => results::note(&format!("no picture: {error}")),
            });
        }
        Ok(result)
    }
}
