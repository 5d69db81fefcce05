//! MCP over Streamable HTTP, at `/mcp`.
//!
//! Loopback unless told otherwise, a bearer token always, and no page of a browser unless its origin
//! was allowed. `/healthz` says `ok` to whoever may say our name.
mod connections;
mod gate;
mod names;
mod replay;
mod sessions;
mod token;

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub use gate::principal;
pub use names::{HostName, WebOrigin};
pub use token::{TokenError, kept_secret};

use connections::Connections;
use gate::Gate;
use names::Hosts;
use sessions::Sessions;
use token::Lock;

use crate::config::HttpSettings;
use crate::shutdown::Shutdown;

/// Why nothing is served. All of these are for the user to mend.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum HttpError {
    #[error(
        "{listen} is open to other machines: choose a token for it (AYEAYE_HTTP_TOKEN), or listen \
         on 127.0.0.1"
    )]
    Open { listen: SocketAddr },
    #[error("cannot listen at {listen}")]
    Listen { listen: SocketAddr, source: io::Error },
    #[error(transparent)]
    Token(#[from] TokenError),
}

/// A server that has its address and its token, and does not answer yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    gate: Gate,
    /// Where the token is, when we made it.
    token_file: Option<PathBuf>,
}

impl HttpServer {
    /// Takes the address, and the token: the one of the settings, else the one kept in `data_dir`,
    /// which is made when there is none.
    pub async fn bind(settings: &HttpSettings, data_dir: &Path) -> Result<Self, HttpError> {
        let listen = settings.listen;
        if settings.token.is_none() && !listen.ip().is_loopback() {
            return Err(HttpError::Open { listen });
        }
        let (token, token_file) = match &settings.token {
            Some(token) => (token.clone(), None),
            None => (token::kept(data_dir)?, Some(data_dir.join(token::FILE))),
        };
        let failed = |source| HttpError::Listen { listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let gate = Gate {
            hosts: Hosts::new(address, &settings.allowed_hosts),
            origins: settings.allowed_origins.clone(),
            lock: Lock::new(&token),
            body_limit: settings.body_limit,
        };
        Ok(Self { listener, address, gate, token_file })
    }

    /// Where it listens; with port 0 in the settings, the port the system chose.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of MCP for clients on this machine.
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Answers requests until `shutdown` asks to end. Then no connection is taken any more,
    /// `stopped` is awaited (the caller's runs coming to their end), the answers leave, and what is
    /// left of connections is cut.
    ///
    /// `make` makes the handler of a session, of a call, or only of a look at a schema: it must be a
    /// cheap clone of shared state.
    pub async fn serve<H: ServerHandler>(
        self,
        make: impl Fn() -> H + Send + Sync + 'static,
        shutdown: &Shutdown,
        stopped: impl Future<Output = ()>,
    ) {
        self.announce();
        let streams = CancellationToken::new();
        let router = self.router(make, &streams);
        let connections = Connections::default();
        connections.accept(self.listener, router, &shutdown.asked).await;
        shutdown.wait_for("runs that do not stop", stopped).await;
        // Calls that were waiting have their answers now; streams without calls stay open for ever.
        shutdown.wait_for("answers that do not leave", connections.finish(LEAVE)).await;
        streams.cancel();
        shutdown.wait_for("connections that do not end", connections.finish(LEAVE)).await;
        connections.cut().await;
    }

    fn router<H: ServerHandler>(
        &self,
        make: impl Fn() -> H + Send + Sync + 'static,
        streams: &CancellationToken,
    ) -> Router {
        let mut config = StreamableHttpServerConfig::default()
            // Our gate is stricter: it wants the port, and sees headers that come twice.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(self.gate.body_limit);
        config.cancellation_token = streams.clone();
        let mcp = StreamableHttpService::new(move || Ok(make()), Arc::new(Sessions::new()), config);
        let gate = Arc::new(self.gate.clone());
        Router::new()
            .route_service("/mcp", mcp.clone())
            .route_service("/mcp/", mcp)
            .route_layer(from_fn_with_state(Arc::clone(&gate), gate::check_token))
            .route("/healthz", get(async || "ok\n"))
            .layer(from_fn_with_state(gate, gate::check_names))
    }

    /// Says where it listens and how a client gets in. The token itself stays out of the log.
    fn announce(&self) {
        let url = self.url();
        let (place, shell) = match &self.token_file {
            Some(path) => {
                let path = path.display();
                (format!("in {path}"), format!("$(cat '{path}')"))
            }
            None => ("the one of the settings".to_owned(), "$AYEAYE_HTTP_TOKEN".to_owned()),
        };
        tracing::info!("MCP at {url}; the bearer token is {place}");
        tracing::info!(
            "to add it to a client: claude mcp add --transport http ayeaye {url} --header \
             \"Authorization: Bearer {shell}\""
        );
        if !self.address.ip().is_loopback() {
            tracing::warn!("other machines can connect, unencrypted; put TLS in front of it");
        }
    }
}

/// How long answers that are ready get to leave.
const LEAVE: Duration = Duration::from_millis(500);

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
