//! MCP over Streamable HTTP, at `/mcp`.
//!
//! At `/` is the page, for people in a browser, who sign in once and have a cookie from then on.
//!
//! On loopback unless configured otherwise, always with a bearer token, and for pages in a browser only
//! if their origin is allowed or that of this server on loopback. `/healthz` answers `ok`, `/readyz` whether tasks are accepted; neither
//! needs a token. Each token is a principal, which sees only its own sessions.
mod accept;
mod auth;
mod browser;
mod carried_out;
mod connections;
mod cors;
mod hosts;
mod issuer;
mod legacy_sse;
mod listener;
mod logins;
mod malformed;
mod open_calls;
mod own_page;
mod rate_limit;
mod readiness;
mod refusal;
mod replay;
mod request_body;
mod resource;
mod sessions;
mod slow_answer;
mod token_store;

use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use ayeaye_agent::Principal;
use ayeaye_agent::gate::Policy;
use ayeaye_model::Secret;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

pub(crate) use issuer::check_issuer;
pub(crate) use readiness::{free_space, try_to_write, warn_unless_ready};
pub use token_store::TokenFileError;

use auth::AuthMiddleware;
use connections::Connections;
use hosts::Hosts;
use issuer::Issuer;
use listener::Listener;
use logins::Logins;
use rate_limit::RateLimiter;
use readiness::Readiness;
use resource::Resource;
use sessions::Sessions;
use token_store::TokenStore;

use crate::config::{HostName, HttpSettings, Listen};
use crate::page::Page;
use crate::running_server::{self, RunningServer};
use crate::secret::{self, SecretFileError};
use crate::shutdown::Shutdown;
use crate::text::text_of_file_in_shell;

/// The header that names a session.
const SESSION_ID: &str = "mcp-session-id";

/// The file in the data folder that keeps the token this server has made.
pub const TOKEN_FILE: &str = "http-token";

/// Why the server does not start. The user has to fix all of these.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum HttpError {
    #[error(
        "{listen} is open to other machines: choose a token for it (AYEAYE_HTTP_TOKEN), or listen \
         on 127.0.0.1"
    )]
    Open { listen: Listen },
    #[error("cannot listen at {listen}{way_out}")]
    Listen { listen: Listen, way_out: String, source: io::Error },
    #[error(transparent)]
    Token(#[from] SecretFileError),
    #[error(transparent)]
    Tokens(#[from] TokenFileError),
    #[error("the issuer {name} cannot be used: {problem}")]
    Issuer { name: String, problem: String },
    #[error(
        "policy.tokens narrows {names}, but {} has no such token, so that nothing would be narrowed: correct the \
         name there or in ayeaye.toml, or add the token (a person of the issuer is jwt:, http.issuer to the letter, # and \
         the subject)",
        path.display()
    )]
    NarrowsNobody { names: String, path: PathBuf },
}

/// A server that is bound and has its tokens, but does not answer yet.
#[derive(Debug)]
pub struct HttpServer {
    listener: Listener,
    address: Listen,
    auth: Arc<AuthMiddleware>,
    data_dir: PathBuf,
    /// Bytes that must be free for a new session.
    floor: u64,
    /// The file of the token, if this server made it.
    token_file: Option<PathBuf>,
    tokens: Vec<Secret>,
    /// The number of named tokens.
    named_tokens: usize,
    page: Option<Page>,
    /// Tells commands where this server is.
    noted: Option<RunningServer>,
    /// Whether the settings name hosts that it answers to.
    has_names: bool,
}

impl HttpServer {
    /// Binds the address and reads the token: that of the settings, else the one in `data_dir`, which
    /// is created if there is none.
    pub async fn bind(settings: &HttpSettings, data_dir: &Path) -> Result<Self, HttpError> {
        let listen = &settings.listen;
        if let Listen::Tcp(address) = listen
            && settings.token.is_none()
            && !address.ip().is_loopback()
        {
            return Err(HttpError::Open { listen: listen.clone() });
        }
        let (token, token_file) = match &settings.token {
            Some(token) => (token.clone(), None),
            None => {
                (secret::read_or_create(data_dir, TOKEN_FILE)?, Some(data_dir.join(TOKEN_FILE)))
            }
        };
        let mut token_store = TokenStore::new(&token);
        let mut tokens = token_store.add(settings.tokens_file.as_deref(), data_dir)?;
        let named_tokens = tokens.len();
        tokens.push(token);
        let (listener, address) =
            Listener::bind(listen).await.map_err(|source| HttpError::Listen {
                listen: listen.clone(),
                way_out: way_out(&source, listen, data_dir),
                source,
            })?;
        let resource = Resource::new(settings.public_url.as_ref(), &address);
        let mut names = settings.allowed_hosts.clone();
        if let Some(url) = &settings.public_url {
            let host = HostName::of(url);
            // Some clients name the port that the scheme implies as well.
            let whole = host.clone().map(|it| HostName { port: url.port_or_known_default(), ..it });
            names.extend(host.into_iter().chain(whole));
        }
        let hosts = Hosts::new(&address, &names);
        let issuer = match &settings.issuer {
            Some(issuer) => {
                let audience = issuer.audience.clone().map(|it| vec![it]);
                let audiences = audience.unwrap_or_else(|| resource.urls(&hosts));
                let made = Issuer::new(&issuer.name, audiences, issuer.keys.clone());
                let name = issuer.name.clone();
                Some(made.map_err(|problem| HttpError::Issuer { name, problem })?)
            }
            None => None,
        };
        let (here, clock) = (address.to_string(), crate::clock::system());
        let logins = if settings.keep_logins {
            Logins::open(data_dir, here, &token_store, clock)
        } else {
            Logins::unkept(here, clock)
        };
        let auth = AuthMiddleware {
            logins,
            hosts,
            origins: settings.allowed_origins.clone(),
            token_store,
            issuer,
            resource,
            sessions: Arc::new(Sessions::new()),
            requests: RateLimiter::new(settings.rate_limit),
            wrong: RateLimiter::new(settings.wrong_tokens),
            body_limit: settings.body_limit,
            silence: slow_answer::SILENCE,
        };
        let (auth, data_dir) = (Arc::new(auth), data_dir.to_owned());
        Ok(Self {
            listener,
            address,
            auth,
            data_dir,
            floor: 0,
            token_file,
            named_tokens,
            tokens,
            page: None,
            noted: None,
            has_names: !names.is_empty(),
        })
    }

    /// The tokens that it takes, which must be written nowhere.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(Secret::expose)
    }

    /// `/readyz` fails when less than this is free, because no session could begin.
    #[must_use]
    pub fn with_floor(mut self, bytes: u64) -> Self {
        self.floor = bytes;
        self
    }

    /// Serves the page too, at `/`.
    #[must_use]
    pub fn with_page(self, page: Page) -> Self {
        Self { page: Some(page), ..self }
    }

    /// Lets go of this note when it stops listening.
    #[must_use]
    pub fn with_note(self, noted: Option<RunningServer>) -> Self {
        Self { noted, ..self }
    }

    /// A code that signs a browser in as the local user, once and within a minute; the link that it goes into.
    pub fn sign_in_link(&self) -> String {
        let code = self.auth.logins.make_code(&Principal::local());
        format!("{}sign-in?code={code}", self.page_url())
    }

    /// The URL of the page for browsers on this machine.
    pub fn page_url(&self) -> String {
        Resource::new(None, &self.address).page_url()
    }

    /// The address; with port 0 in the settings, with the port that the system chose.
    pub fn address(&self) -> &Listen {
        &self.address
    }

    /// The URL of MCP for clients on this machine.
    pub fn url(&self) -> String {
        Resource::new(None, &self.address).url()
    }

    /// Answers requests until `shutdown` asks to end. Then no connection is accepted any more, `stopped`
    /// is awaited (the caller's runs come to their end), the answers are sent, and the remaining
    /// connections are closed.
    ///
    /// `make` creates a handler for each session or call, sometimes only to read a schema: it must be
    /// cheap, such as a clone of shared state.
    pub async fn serve<H: ServerHandler>(
        self,
        make: impl Fn() -> H + Send + Sync + 'static,
        shutdown: &Shutdown,
        stopped: impl Future<Output = ()>,
    ) {
        self.announce();
        if let Some(issuer) = &self.auth.issuer {
            issuer.prepare();
        }
        let streams = CancellationToken::new();
        let router = self.router(make, &streams, &shutdown.asked);
        let connections = Connections::default();
        connections.accept(&self.listener, router, &shutdown.asked).await;
        // In this order: whoever has the address next is not taken for this server.
        drop(self.noted);
        drop(self.listener);
        shutdown.wait_for("runs that do not stop", stopped).await;
        // All calls have their answers now; streams without calls would stay open for ever.
        shutdown.wait_for("answers that do not leave", connections.finish(SEND_LIMIT)).await;
        streams.cancel();
        shutdown.wait_for("connections that do not end", connections.finish(SEND_LIMIT)).await;
        connections.cut().await;
    }

    fn router<H: ServerHandler>(
        &self,
        make: impl Fn() -> H + Send + Sync + 'static,
        streams: &CancellationToken,
        asked: &CancellationToken,
    ) -> Router {
        let mut config = StreamableHttpServerConfig::default()
            // Our own check is stricter: it compares ports and refuses duplicate headers.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(self.auth.body_limit)
            // rmcp's first event of a session has an id that cannot be resumed from. The streams of
            // calls begin with one that can: see `legacy_sse`.
            .with_sse_retry(None);
        config.cancellation_token = streams.clone();
        let auth = Arc::clone(&self.auth);
        let sessions = Arc::clone(&auth.sessions);
        let mcp = StreamableHttpService::new(move || Ok(make()), sessions, config);
        let ready = Arc::new(Readiness::new(self.data_dir.clone(), self.floor, asked.clone()));
        let is_ready = async move || match ready.check().await {
            Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
            Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
        };
        let page = self.page.as_ref().map(|page| browser::routes(&auth, page)).unwrap_or_default();
        Router::new()
            .route_service("/mcp", mcp.clone())
            .route_service("/mcp/", mcp)
            .route_layer(from_fn_with_state(Arc::clone(&auth), auth::check_token))
            .route("/healthz", get(async || "ok\n"))
            .route("/readyz", get(is_ready))
            .merge(auth.resource.routes(auth.issuer.as_ref()))
            .merge(page)
            .layer(from_fn_with_state(auth, auth::check_names))
        // Around all that waits: a client may be gone at the first of it.
    }

    /// Logs where it listens and how a client authenticates, without the tokens.
    fn announce(&self) {
        let (place, shell) = match &self.token_file {
            Some(path) => {
                let path = path.display().to_string();
                (format!("in {path}"), text_of_file_in_shell(&path, cfg!(windows)))
            }
            None => ("the one of the settings".to_owned(), "$AYEAYE_HTTP_TOKEN".to_owned()),
        };
        let url = self.url();
        // A client elsewhere reaches it through what stands in front.
        let told =
            if self.auth.resource.is_public() { self.auth.resource.url() } else { url.clone() };
        match &self.address {
            Listen::Tcp(address) => {
                tracing::info!("MCP at {url}; the bearer token is {place}");
                // With an issuer a client finds out by itself where its user logs in.
                let header = format!(" --header \"Authorization: Bearer {shell}\"");
                let header = if self.auth.issuer.is_some() { "" } else { &header };
                tracing::info!(
                    "to add it to a client: claude mcp add --transport http ayeaye {told}{header}"
                );
                if !address.ip().is_loopback() {
                    tracing::warn!(
                        "other machines can connect, unencrypted; put TLS in front of it"
                    );
                }
                if self.address.is_everywhere() && !self.has_names {
                    tracing::warn!(
                        "other machines are refused all the same until http.allowed-hosts \
                         (AYEAYE_HTTP_ALLOWED_HOSTS) has the name or address that they use, such as 192.0.2.7"
                    );
                }
            }
            Listen::Unix(_) => tracing::info!(
                "MCP at {}; your own processes need no token, for others it is {place}; the URL \
                 there is {url}",
                self.address
            ),
        }
        if let (Some(_), Listen::Tcp(_)) = (&self.page, &self.address) {
            tracing::info!("the page is at {}; `ayeaye ui` opens it", self.page_url());
        }
        if 0 < self.named_tokens {
            tracing::info!("tokens for others: {}", self.named_tokens);
        }
        if let Some(issuer) = &self.auth.issuer {
            let audiences = issuer.audiences().join(", ");
            tracing::info!("tokens of {} for {audiences} are taken too", issuer.name());
        }
    }
}

/// Fails where the named tokens cannot be used, without which no server starts.
pub fn check_tokens(settings: &HttpSettings, data_dir: &Path) -> Result<(), HttpError> {
    TokenStore::named(settings.tokens_file.as_deref(), data_dir)?;
    Ok(())
}

/// Fails where the policy narrows a token that there is not: a typing error there would leave the real one with
/// all that the policy allows.
pub fn check_narrowed(
    policy: &Policy,
    settings: &HttpSettings,
    data_dir: &Path,
) -> Result<(), HttpError> {
    if policy.principals.is_empty() {
        return Ok(());
    }
    let file = settings.tokens_file.as_deref();
    let known = TokenStore::named(file, data_dir)?;
    // Who its subjects are only the issuer knows.
    let of_issuer = |principal: &str| {
        let issuer = settings.issuer.as_ref().map(|it| format!("jwt:{}#", it.name));
        issuer.is_some_and(|it| principal.strip_prefix(&it).is_some_and(|it| !it.is_empty()))
    };
    let missing: Vec<&str> = policy
        .principals
        .iter()
        .map(|(principal, _)| principal.as_str())
        .filter(|principal| {
            !of_issuer(principal) && !known.iter().any(|it| it.name() == *principal)
        })
        .map(|principal| principal.strip_prefix("token:").unwrap_or(principal))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let path = file.map_or_else(|| data_dir.join(token_store::FILE), Path::to_owned);
    Err(HttpError::NarrowsNobody { names: missing.join(", "), path })
}

/// `WSAEACCES`: Windows has set the port aside, as for its virtual machines, or another program has it to itself.
const SET_ASIDE: i32 = 10013;

/// What to do where an address cannot be had.
fn way_out(err: &io::Error, listen: &Listen, data_dir: &Path) -> String {
    let Listen::Tcp(_) = listen else { return String::new() };
    if err.raw_os_error() == Some(SET_ASIDE) {
        return ": Windows has set this port aside for others, as `netsh interface ipv4 show excludedportrange tcp` \
                may show, or another program has it to itself; `ayeaye serve --http PORT` takes another port"
            .to_owned();
    }
    if err.kind() != io::ErrorKind::AddrInUse {
        return String::new();
    }
    match running_server::find(data_dir) {
        Some(page) => format!(
            ": a server of this data folder runs already, with its page at {page}; `ayeaye ui` opens it, and \
             `ayeaye serve --http PORT` takes another port"
        ),
        None => ": another program listens there; `ayeaye serve --http PORT` takes another port"
            .to_owned(),
    }
}

/// How long finished responses get to be sent.
const SEND_LIMIT: Duration = Duration::from_millis(500);

impl std::fmt::Debug for AuthMiddleware {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthMiddleware").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
