//! MCP on stdin and stdout.
//!
//! Adds some things that rmcp does not do: runs stop as soon as the client closes stdin; a line that is too
//! long or no message is answered, so that its sender does not wait for ever, and so is a second request
//! with the id of an open one; a notification or a response before the first request does not end
//! the server; and a client that reads no more has left, as one that writes no more has.
mod garbled;
mod line_reader;
mod open_ids;
mod parse;
mod request_id;

use std::future::Future;
use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt as _;
use rmcp::model::{ClientNotification, GetExtensions as _, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, ServerHandler, ServiceExt as _};
use tokio::io::{AsyncRead, AsyncWrite, Empty};
use tokio::sync::watch;
use tokio::task::yield_now;
use tokio_util::sync::CancellationToken;

use line_reader::{InputLine, LineReader};
use open_ids::OpenIds;
use parse::{Parsed, parse};

use crate::mcp::bad_params;
use crate::shutdown::Shutdown;

/// The longest line, which is one message, in bytes. No task for a phone needs more.
pub const MAX_LINE: usize = 16 << 20;

/// No further line is read while so many answers wait for the client to read them.
const MOST_UNREAD: usize = 256;

/// How long finished responses may take to be sent.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// Serves `handler` until stdin ends or `shutdown` asks to end; the end of stdin triggers it too. Then
/// `stopped` is awaited (the caller's runs come to their end) and the last responses are sent.
///
/// Where stdin is not a pipe (a terminal, a file), a thread may still wait for its next line when this
/// returns. End the runtime with `shutdown_background`, or the process stays until that line comes.
///
/// # Errors
///
/// Why stdout cannot be written to. That nobody reads it any more is none: the client has left.
pub async fn serve(
    handler: impl ServerHandler,
    shutdown: &Shutdown,
    stopped: impl Future<Output = ()>,
) -> io::Result<()> {
    let (reader, writer) = rmcp::transport::io::stdio_pipes();
    serve_on(Box::new(reader), Box::new(writer), handler, shutdown, stopped).await
}

/// Where lines come from. Of any kind: a server made for each kind of pipe would be 0.1 MB of the program.
pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;

/// Where answers go.
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

/// Serves as [`serve`] does, over any pair of pipes.
pub(crate) async fn serve_on(
    reader: Input,
    writer: Output,
    handler: impl ServerHandler,
    shutdown: &Shutdown,
    stopped: impl Future<Output = ()>,
) -> io::Result<()> {
    let transport = StdioTransport::new(reader, writer, shutdown);
    let mut open = transport.open.subscribe();
    let output_state = transport.output_state.clone();
    let ended = CancellationToken::new();
    // Boxed: it is 20 kB, which would be part of every future around it.
    let opening = Box::pin(handler.serve_with_ct(transport, ended.clone()));
    let service = match shutdown.asked.run_until_cancelled(opening).await {
        Some(Ok(service)) => service,
        // Shut down, or the client left, before its first message: nothing runs.
        None => return output_state.result(),
        Some(Err(ServerInitializeError::ConnectionClosed(_))) => {
            shutdown.asked.cancel();
            return output_state.result();
        }
        Some(Err(err)) => {
            tracing::error!("no client: {err}");
            shutdown.asked.cancel();
            return output_state.result();
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
        return output_state.result();
    }
    let leave = async {
        // At the end of stdin rmcp ends by itself, at a signal it goes on reading until it is told.
        // A client that does not read takes no answer, hence the limit.
        drop(tokio::time::timeout(DRAIN_LIMIT, open.wait_for(|open| *open == 0)).await);
        ended.cancel();
        if let Err(err) = service.await {
            tracing::error!("the connection broke: {err}");
        }
    };
    shutdown.wait_for("answers that do not leave", leave).await;
    output_state.result()
}

/// What has become of the output. Clones share it.
#[derive(Clone)]
struct OutputState {
    /// Why nothing can be written any more.
    broken: Arc<OnceLock<io::Error>>,
    /// Asks for the end.
    asked: CancellationToken,
}

impl OutputState {
    /// Nobody hears a server that cannot write: it ends, as when the client leaves.
    fn note<T>(&self, sent: io::Result<T>) -> io::Result<()> {
        sent.map(drop).inspect_err(|err| {
            let kept = io::Error::new(err.kind(), err.to_string());
            if self.broken.set(kept).is_ok() {
                tracing::info!("ending, since nothing can be written to the client: {err}");
            }
            self.asked.cancel();
        })
    }

    fn result(&self) -> io::Result<()> {
        match self.broken.get() {
            Some(err) if err.kind() != io::ErrorKind::BrokenPipe => {
                Err(io::Error::new(err.kind(), err.to_string()))
            }
            _ => Ok(()),
        }
    }
}

/// Lines in, rmcp's transport out.
struct StdioTransport {
    input: LineReader<Input>,
    output: AsyncRwTransport<RoleServer, Empty, Output>,
    output_state: OutputState,
    /// Whether the client has asked for anything yet.
    asked: bool,
    ids: OpenIds,
    /// A request whose id was that of one that is over.
    held: Option<RxJsonRpcMessage<RoleServer>>,
    /// Requests that came in and whose answer has not left.
    open: watch::Sender<usize>,
    /// Messages that are ready and have not left.
    unread: watch::Sender<usize>,
}

/// One of those; dropped when it has left or is given up.
struct Unread(watch::Sender<usize>);

impl Unread {
    fn new(all: &watch::Sender<usize>) -> Self {
        all.send_modify(|unread| *unread += 1);
        Self(all.clone())
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.send_modify(|unread| *unread -= 1);
    }
}

impl StdioTransport {
    fn new(reader: Input, writer: Output, shutdown: &Shutdown) -> Self {
        let input = LineReader::new(reader, MAX_LINE, shutdown.asked.clone());
        let output = AsyncRwTransport::new(tokio::io::empty(), writer);
        let output_state = OutputState { broken: Arc::default(), asked: shutdown.asked.clone() };
        let (open, unread) = (watch::Sender::new(0), watch::Sender::new(0));
        Self {
            input,
            output,
            output_state,
            asked: false,
            ids: OpenIds::default(),
            held: None,
            open,
            unread,
        }
    }

    /// Answers what never reaches rmcp. Not awaited here: `receive` may be dropped at any time.
    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        let sent = self.output.send(TxJsonRpcMessage::<RoleServer>::error(error, id));
        let (output_state, unread) = (self.output_state.clone(), Unread::new(&self.unread));
        tokio::spawn(
            async move {
                drop(output_state.note(sent.await));
                drop(unread);
            }
            .boxed(),
        );
    }

    /// Whether a message is for rmcp.
    fn admit(&mut self, message: &mut RxJsonRpcMessage<RoleServer>) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                self.asked = true;
                let id = request.id.clone();
                let refused = match self.ids.begin(&id) {
                    Ok(end) => {
                        self.open.send_modify(|open| *open += 1);
                        request.request.extensions_mut().insert(end);
                        return true;
                    }
                    Err(refused) => refused.to_string(),
                };
                self.refuse(ErrorData::invalid_request(refused, None), Some(id));
                false
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // It will have no answer, and none is waited for at the end.
                    if self.ids.cancel(id) {
                        self.open.send_modify(|open| *open = open.saturating_sub(1));
                    }
                }
                // rmcp would end a connection that begins with one; nobody waits for its answer.
                self.asked
            }
            // The same.
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => self.asked,
        }
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        mut item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Error(refused) = &mut item {
            refused.error = bad_params::in_own_words(refused.error.clone());
        }
        let answered = match &item {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let is_answer = answered.is_some_and(|id| self.ids.answer(id));
        let (sent, open, output_state) =
            (self.output.send(item), self.open.clone(), self.output_state.clone());
        let unread = Unread::new(&self.unread);
        async move {
            let sent = output_state.note(sent.await);
            drop(unread);
            if is_answer {
                open.send_modify(|open| *open = open.saturating_sub(1));
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut unread = self.unread.subscribe();
        loop {
            // Whoever writes and does not read would have us keep answers without end.
            unread.wait_for(|unread| *unread < MOST_UNREAD).await.ok()?;
            if self.held.is_some() {
                // When this goes on, rmcp had nothing else to do: it has dropped the late answer of the one before.
                yield_now().await;
            }
            if let Some(mut message) = self.held.take()
                && self.admit(&mut message)
            {
                return Some(message);
            }
            match self.input.next().await? {
                InputLine::Oversized(id) => {
                    let text = format!("the message is longer than {MAX_LINE} bytes");
                    self.refuse(ErrorData::invalid_request(text, None), id);
                }
                InputLine::Whole(line) => match parse(&line) {
                    Parsed::Message(mut message) => {
                        if let JsonRpcMessage::Request(request) = &*message
                            && self.ids.is_over(&request.id)
                        {
                            self.held = Some(*message);
                        } else if self.admit(&mut message) {
                            return Some(*message);
                        }
                    }
                    Parsed::Nothing => {}
                    Parsed::Wrong(error, id) => self.refuse(error, id),
                },
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.output.close()
    }
}

#[cfg(test)]
mod tests;
