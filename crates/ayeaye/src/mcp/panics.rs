//! A tool that panics still returns a result.
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};

/// Runs a tool call and turns a panic into an answer with `isError`.
///
/// Without it the client would wait for ever: rmcp runs each call as a detached task and sends nothing
/// when that panics. What the call held (locks, leases) is released when it is dropped. State that it
/// may have left half changed is the caller's concern, which is why runs live outside of calls.
pub async fn catch_panics<R: From<CallToolResult>>(
    tool: &str,
    call: impl Future<Output = Result<R, ErrorData>>,
) -> Result<R, ErrorData> {
    match AssertUnwindSafe(call).catch_unwind().await {
        Ok(answer) => answer,
        Err(panic) => {
            let said = panic
                .downcast_ref::<&str>()
                .copied()
                .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
                .unwrap_or("no message");
            tracing::error!(tool, "a tool call panicked: {said}");
            // The message goes to the log only: it may quote private data.
            let text = format!(
                "{tool} failed inside the server; this is a bug, and the server's log (stderr) has \
                 the details. Sessions are kept: list_sessions finds them."
            );
            Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Echo, call, client};

    #[tokio::test]
    async fn a_panic_is_an_answer_and_the_server_goes_on() {
        let client = client(Echo::default()).await;
        let broken = call(&client, "panic", serde_json::json!({})).await;
        assert_eq!(broken.is_error, Some(true));
        let text = broken.content[0].as_text().unwrap().text.clone();
        assert!(text.starts_with("panic failed inside the server"), "{text}");
        assert!(!text.contains("hush"), "{text}");
        let fine = call(&client, "echo", serde_json::json!({"text": "hi"})).await;
        assert_eq!(fine.content[0].as_text().unwrap().text, "hi");
    }
}
