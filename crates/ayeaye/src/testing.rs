//! A minimal MCP server for tests of transports.
use std::sync::Arc;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RunningService};
use rmcp::{ErrorData, RoleClient, RoleServer, ServiceExt as _};
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::handler_end::HandlerEnd;
use crate::mcp::panics::catch_panics;
use crate::principal;

/// Tools: `echo` gives back its text, `panic` panics, `who` names the caller, `slow` answers when
/// `go` is notified or `stop` is cancelled, `deaf` when `go` is notified, cancelled or not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Echo {
    pub(crate) begun: Arc<Notify>,
    pub(crate) go: Arc<Notify>,
    pub(crate) stop: CancellationToken,
    /// Notified when the call of a `slow` was cancelled.
    pub(crate) cancelled: Arc<Notify>,
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = Arc::new(serde_json::Map::from_iter([("type".to_owned(), "object".into())]));
        let tools = ["echo", "panic", "slow", "who"]
            .map(|name| Tool::new(name, "a test", Arc::clone(&schema)));
        Ok(ListToolsResult::with_all_items(tools.into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _end = HandlerEnd::take(&mut context.extensions);
        let name = request.name.to_string();
        catch_panics(&name, self.answer(request, context)).await
    }
}

impl Echo {
    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = match request.name.as_ref() {
            "echo" => {
                let given = request.arguments.unwrap_or_default();
                given.get("text").and_then(Value::as_str).unwrap_or_default().to_owned()
            }
            "who" => principal::of(&context).name().to_owned(),
            "slow" => {
                if let Some(token) = context.meta.get_progress_token() {
                    let news = ProgressNotificationParam::new(token, 1.0);
                    context.peer.notify_progress(news).await.unwrap();
                }
                self.begun.notify_one();
                tokio::select! {
                    () = self.go.notified() => "went".to_owned(),
                    () = self.stop.cancelled() => "stopped".to_owned(),
                    () = context.ct.cancelled() => {
                        self.cancelled.notify_one();
                        "cancelled".to_owned()
                    }
                }
            }
            "deaf" => {
                self.begun.notify_one();
                self.go.notified().await;
                "went".to_owned()
            }
            "panic" => panic!("hush, this stays in the log"),
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

/// A client of `server`, over a pipe in memory.
pub(crate) async fn client(server: Echo) -> RunningService<RoleClient, ()> {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    tokio::spawn(async move { server.serve(theirs).await.unwrap().waiting().await.unwrap() });
    ().serve(ours).await.unwrap()
}

/// Calls a tool.
pub(crate) async fn call(
    client: &RunningService<RoleClient, ()>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let request = CallToolRequestParams::new(tool)
        .with_arguments(arguments.as_object().cloned().unwrap_or_default());
    client.call_tool(request).await.unwrap()
}
