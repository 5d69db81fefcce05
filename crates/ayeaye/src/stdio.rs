//! MCP on stdin and stdout.
//!
//! Adds three things that rmcp does not do: runs stop as soon as the client closes stdin; a line that is
//! too long is answered, so that its sender does not wait for ever; and a notification before the first
//! request does not end the server.
mod line_monitor;
mod request_id;

use std::future::Future;
use std::io;
use std::time::Duration;

use rmcp::model::JsonRpcMessage;
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, watch};

use line_monitor::{LineMonitor, OversizedLine};

use crate::shutdown::Shutdown;

/// The longest line, which is one message, in bytes. No task for a phone needs more.
pub const MAX_LINE: usize = 16 << 20;

/// How long finished responses may take to be sent.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// Serves `handler` until stdin ends or `shutdown` asks to end; the end of stdin triggers it too. Then
/// `stopped` is awaited (the caller's runs come to their end) and the last responses are sent.
///
/// Where stdin is not a pipe (a terminal, a file), a thread may still wait for its next line when this
/// returns. End the runtime with `shutdown_background`, or the process stays until that line comes.
pub async fn serve(
    handler: impl ServerHandler,
    shutdown: &Shutdown,
    stopped: impl Future<Output = ()>,
) {
    let (reader, writer) = rmcp::transport::io::stdio_pipes();
    serve_on(reader, writer, handler, shutdown, stopped).await;
}

/// The same over any pair of pipes.
async fn serve_on<R, W>(
    reader: R,
    writer: W,
    handler: impl ServerHandler,
    shutdown: &Shutdown,
    stopped: impl Future<Output = ()>,
) where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = StdioTransport::new(reader, writer, shutdown);
    let mut open = transport.open.subscribe();
    let ended = tokio_util::sync::CancellationToken::new();
    // Boxed: it is 20 kB, which would be part of every future around it.
    let opening = Box::pin(handler.serve_with_ct(transport, ended.clone()));
    let service = match shutdown.asked.run_until_cancelled(opening).await {
        Some(Ok(service)) => service,
        // Shut down, or the client left, before its first message: nothing runs.
        None => return,
        Some(Err(ServerInitializeError::ConnectionClosed(_))) => {
            shutdown.asked.cancel();
            return;
        }
        Some(Err(err)) => {
            tracing::error!("no client: {err}");
            shutdown.asked.cancel();
            return;
        }
    };
    let service = service.waiting();
    tokio::pin!(service);
    let ended_by_itself = tokio::select! {
        _ = &mut service => true,
        () = shutdown.asked.cancelled() => false,
    };
    shutdown.asked.cancel();
    shutdown.wait_for("runs that do not stop", stopped).await;
    if ended_by_itself {
        return;
    }
    let leave = async {
        // At the end of stdin rmcp ends by itself, at a signal it goes on reading until it is told.
        // Calls that were cancelled have no answer, hence the limit.
        drop(tokio::time::timeout(DRAIN_LIMIT, open.wait_for(|open| *open == 0)).await);
        ended.cancel();
        if let Err(err) = service.await {
            tracing::error!("the connection broke: {err}");
        }
    };
    shutdown.wait_for("answers that do not leave", leave).await;
}

/// rmcp's transport over lines, with the three additions of this module.
struct StdioTransport<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, LineMonitor<R>, W>,
    oversized: mpsc::Receiver<OversizedLine>,
    /// Whether the client has asked for anything yet.
    asked: bool,
    /// Requests that came in and whose answer has not left.
    open: watch::Sender<usize>,
}

impl<R, W> StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn new(reader: R, writer: W, shutdown: &Shutdown) -> Self {
        let (report, oversized) = mpsc::channel(16);
        let watch = LineMonitor::new(reader, MAX_LINE, report, shutdown.asked.clone());
        let inner = AsyncRwTransport::new(watch, writer).with_max_line_length(MAX_LINE);
        Self { inner, oversized, asked: false, open: watch::Sender::new(0) }
    }

    /// Answers a message that was dropped. Not awaited here: `receive` may be dropped at any time.
    fn answer(&mut self, oversized: OversizedLine) {
        let text = format!("the message is longer than {MAX_LINE} bytes");
        let error = ErrorData::invalid_request(text, None);
        let sent = self.inner.send(TxJsonRpcMessage::<RoleServer>::error(error, oversized.id));
        tokio::spawn(async move {
            if let Err(err) = sent.await {
                tracing::debug!("an answer was lost: {err}");
            }
        });
    }
}

impl<R, W> Transport<RoleServer> for StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let is_answer = matches!(item, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        let (sent, open) = (self.inner.send(item), self.open.clone());
        async move {
            let sent = sent.await;
            if is_answer {
                open.send_modify(|open| *open = open.saturating_sub(1));
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = tokio::select! {
                biased;
                Some(oversized) = self.oversized.recv() => {
                    self.answer(oversized);
                    continue;
                }
                message = self.inner.receive() => message?,
            };
            match &message {
                JsonRpcMessage::Request(_) => {
                    self.asked = true;
                    self.open.send_modify(|open| *open += 1);
                }
                // rmcp would end a connection that begins with one; nobody waits for its answer.
                JsonRpcMessage::Notification(_) if !self.asked => continue,
                JsonRpcMessage::Notification(_)
                | JsonRpcMessage::Response(_)
                | JsonRpcMessage::Error(_) => {}
            }
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.inner.close()
    }
}

#[cfg(test)]
mod tests;
