//! Tools that do what needs no finger: addresses, apps, packages, files, logs.
use ayeaye_agent::{Agreed, CommandPreview, DeviceCommand, DeviceId, DirectAction, Gesture};
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};

use crate::mcp::args::command::{
    FetchArgs, InstallArgs, LogArgs, SendArgs, StopArgs, UninstallArgs, UrlArgs,
};
use crate::mcp::args::device::{CommonArgs, HasCommon as _};
use crate::mcp::args::{self, ValidatedArgs};
use crate::mcp::results::{ActResult, AppLog, structured};
use crate::mcp::schema::{input, outline, output};
use crate::mcp::tool_error::ToolError;
use crate::mcp::{Server, texts};
use crate::principal;

#[tool_router(router = commands, vis = "pub(super)")]
impl Server {
    #[tool(
        title = "Open an address on a phone",
        description = texts::OPEN_URL,
        input_schema = input::<UrlArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = false, open_world_hint = true)
    )]
    async fn open_url(
        &self,
        ValidatedArgs(args): ValidatedArgs<UrlArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let gesture = args.gesture(&self.url_schemes)?;
        self.carry_out(args.into_common(), gesture, &ctx).await
    }

    #[tool(
        title = "Stop an app on a phone",
        description = texts::STOP_APP,
        input_schema = input::<StopArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn stop_app(
        &self,
        args: ValidatedArgs<StopArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        self.carry_out_args(args, &ctx).await
    }

    #[tool(
        title = "Install an app on a phone",
        description = texts::INSTALL_APP,
        input_schema = input::<InstallArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn install_app(
        &self,
        ValidatedArgs(args): ValidatedArgs<InstallArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let command = args.command()?;
        let file = args.file.clone();
        let common = args.into_common();
        let question = |device: &DeviceId, preview: CommandPreview| {
            let size = preview.size.unwrap_or_default().div_ceil(1000);
            let package = preview.package.unwrap_or_default();
            let version = preview.version.map(|it| format!(" {it}")).unwrap_or_default();
            format!("Install {package}{version} from {file:?} ({size} kB) on the phone {device}?")
        };
        self.carry_out_once_agreed(common, command, question, &ctx).await
    }

    #[tool(
        title = "Uninstall an app from a phone",
        description = texts::UNINSTALL_APP,
        input_schema = input::<UninstallArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn uninstall_app(
        &self,
        ValidatedArgs(args): ValidatedArgs<UninstallArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let command = args.command()?;
        let app = args.app.clone();
        let common = args.into_common();
        let question = |device: &DeviceId, preview: CommandPreview| {
            let (app, package) = (app.trim(), preview.package.unwrap_or_default());
            format!("Uninstall {app:?} ({package}) from the phone {device}, with all its data?")
        };
        self.carry_out_once_agreed(common, command, question, &ctx).await
    }

    #[tool(
        title = "Copy a file to a phone",
        description = texts::SEND_FILE,
        input_schema = input::<SendArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn send_file(
        &self,
        args: ValidatedArgs<SendArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        self.carry_out_args(args, &ctx).await
    }

    #[tool(
        title = "Copy a file from a phone",
        description = texts::FETCH_FILE,
        input_schema = input::<FetchArgs>(),
        output_schema = outline::<ActResult>(),
        annotations(read_only_hint = false, destructive_hint = false, idempotent_hint = false, open_world_hint = false)
    )]
    async fn fetch_file(
        &self,
        args: ValidatedArgs<FetchArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        self.carry_out_args(args, &ctx).await
    }

    #[tool(
        title = "Read an app's log",
        description = texts::GET_APP_LOG,
        input_schema = input::<LogArgs>(),
        output_schema = output::<AppLog>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false)
    )]
    async fn get_app_log(
        &self,
        ValidatedArgs(args): ValidatedArgs<LogArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let (app, lines) = args.wanted()?;
        let id = args::device_id(&args.device_id)?;
        let device = self.agent.device(&id).await?;
        let named = DeviceCommand::StopApp { app: app.clone() };
        let crashes = args.crashes.unwrap_or_default();
        // Which app is meant is asked of the phone too, and what is refused of a name tells what is installed.
        let read = async {
            let package = self.preview(&id, &named).await?.package.unwrap_or_default();
            if self.agent.is_private_app(&package) {
                return Err(ToolError::private_app_log(&package));
            }
            Ok(device.app_log(&app, crashes, lines).await?)
        };
        self.agent.check_hidden_for(&principal::of(&ctx))?;
        let log = self.unless_busy(&id, &ctx, read).await?;
        let log = self.agent.without_secrets(&log);
        Ok(structured(&AppLog::new(id.to_string(), &log)))
    }
}

impl Server {
    /// Asks a person about a command in these words, and carries it out when the answer is yes.
    async fn carry_out_once_agreed(
        &self,
        common: CommonArgs,
        command: DeviceCommand,
        question: impl FnOnce(&DeviceId, CommandPreview) -> String,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let device = common.device()?;
        // Nobody is asked about what cannot be done. The yes is for what was found, not for a name that may mean another
        // package later.
        let preview = self.preview_when_free(&device, &command, ctx).await?;
        let command = preview.bind(command);
        let (picture, code) = (common.picture()?, common.approval().map(str::to_owned));
        let act = common.act(Gesture::Command(command.clone()), principal::of(ctx))?;
        if self.agent.would_refuse(&act).await? {
            return self.act_agreed(act, None, picture, ctx).await;
        }
        let question = question(&device, preview);
        let wait = self.wait_for_form(ctx)?;
        let code = code.as_deref();
        let taken =
            self.approvals.ask(&self.agent, &device, &command, &question, code, wait).await?;
        let act = DirectAction { agreed: Agreed::Command, ..act };
        self.act_agreed(act, taken, picture, ctx).await
    }

    /// What a command would be about, before anybody is asked.
    async fn preview(
        &self,
        id: &DeviceId,
        command: &DeviceCommand,
    ) -> Result<CommandPreview, ToolError> {
        Ok(self.agent.device(id).await?.preview(command).await?)
    }

    /// What a command would be about, looked for once the phone works for nobody else: which apps it has is told to
    /// nobody before.
    async fn preview_when_free(
        &self,
        id: &DeviceId,
        command: &DeviceCommand,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<CommandPreview, ToolError> {
        let principal = principal::of(ctx);
        let previewing = async {
            self.agent.until_act_is_free(id, &principal).await?;
            let preview = self.preview(id, command).await;
            self.agent.until_act_is_free(id, &principal).await?;
            preview
        };
        tokio::select! {
            biased;
            () = ctx.ct.cancelled() => Err(ToolError::call_cancelled()),
            preview = previewing => preview,
        }
    }
}
