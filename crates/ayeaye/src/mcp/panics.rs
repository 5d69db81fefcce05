//! What panics still has an answer.
use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use futures::future::BoxFuture;
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
            tracing::error!(tool, "a tool call panicked: {}", said(&*panic));
            // The message goes to the log only: it may quote private data.
            let text = format!(
                "{tool} failed inside the server; this is a bug, and the server's log (stderr) has \
                 the details. Sessions are kept: list_sessions finds them."
            );
            Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
        }
    }
}

/// The same for every other method, whose answer is then an error of the protocol. Boxed: it is part of the future that
/// serves a connection.
pub(super) async fn answered<R>(
    method: &'static str,
    work: BoxFuture<'_, Result<R, ErrorData>>,
) -> Result<R, ErrorData> {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(answer) => answer,
        Err(panic) => {
            tracing::error!(method, "a request panicked: {}", said(&*panic));
            let text = format!(
                "{method} failed inside the server; this is a bug, and the server's log (stderr) has the details"
            );
            Err(ErrorData::internal_error(text, None))
        }
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    panic.downcast_ref::<&str>().copied().or(text).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use rmcp::model::ErrorCode;

    use super::*;
    use crate::testing::{Echo, call, client};

    #[tokio::test]
    async fn a_request_that_panics_is_answered_with_an_error() {
        let number = Some(7);
        let work = async { number.filter(|it| *it < 7).map(Ok).expect("hush, not for the client") };
        let error = answered("resources/read", work.boxed()).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
        assert!(error.message.starts_with("resources/read failed inside"), "{error:?}");
        assert!(!error.message.contains("hush"), "{error:?}");
    }

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
