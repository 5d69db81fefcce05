//! `ayeaye serve`: MCP on stdio or over HTTP, until the client disconnects or a signal arrives.
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use anyhow::Context as _;
use futures::FutureExt as _;
use tokio_util::task::AbortOnDropHandle;

use crate::command::Exit;
use crate::config::{Config, HttpSettings, Listen};
use crate::http::{self, HttpError, HttpServer};
use crate::mcp::connection_tools::ConnectionTools;
use crate::mcp::questions::StateCodec;
use crate::mcp::{Defaults, Server};
use crate::model_presence::ModelState;
use crate::page::Page;
use crate::running_server::RunningServer;
use crate::shutdown::Shutdown;
use crate::wiring::App;

/// For a person who starts the server by hand.
const TYPED_BY_HAND: &str = "\
ayeaye serves MCP on stdin and stdout now, and waits for a client: that is a program, such as Claude Code,
Cursor or VS Code, which starts `ayeaye serve` by itself. Ctrl-C ends it.
  to add it to a client:    ayeaye install      (says which clients are here)
  to do a task right here:  ayeaye run 'Open the settings'
  to see it work:           ayeaye demo";

/// How long runs have to record their end at shutdown. One gesture may be under way.
const FLUSH_LIMIT: Duration = Duration::from_secs(5);

fn server(app: &App, config: &Config) -> Server {
    if let Some(exposed) = config.exposed_keys() {
        tracing::warn!("{exposed}; {}", exposed.way_out());
    }
    look_for_model(app, config);
    let state_codec = StateCodec::from_data_dir(&config.data_dir);
    let server = Server::new(app.agent.clone(), Defaults::from(config))
        .with_url_schemes(config.url_schemes.iter().map(|scheme| scheme.0.clone()));
    let server = server.with_model(app.presence.clone());
    server.with_durable_state(state_codec, config.journal.retention.max_age)
}

/// The page of this app.
pub(super) fn page(app: &App, config: &Config) -> Page {
    Page::new(app.agent.clone(), app.presence.clone(), app.journal_files.clone(), config)
}

/// Notes where this server is, for `ayeaye ui`. A Unix socket is no place for a browser.
fn note(http: &HttpServer, config: &Config) -> Option<RunningServer> {
    let Listen::Tcp(_) = http.address() else { return None };
    RunningServer::note(&config.data_dir, &http.page_url())
        .inspect_err(|err| tracing::warn!("`ayeaye ui` will not find this server: {err}"))
        .ok()
}

/// Looks for the model while the client still introduces itself, and logs who drives.
fn look_for_model(app: &App, config: &Config) {
    let (presence, tools) = (app.presence.clone(), config.tools);
    tokio::spawn(async move {
        let state = presence.state().await;
        let offer = ConnectionTools::new(tools, state);
        tracing::info!("{} (tools: {})", presence.describe(state), offer.tools);
        if state == ModelState::StandIn {
            tracing::info!(
                "only the virtual phone is listed; to drive real phones, configure a model or start \
                 without --virtual"
            );
        }
    }.boxed());
}

/// Serves on stdio.
pub async fn stdio(app: &App, config: &Config) -> anyhow::Result<Exit> {
    let shutdown = Shutdown::on_signals()?;
    http::warn_unless_ready(&config.data_dir, config.journal.min_free);
    let server = server(app, config);
    if std::io::stdin().is_terminal() {
        // Nothing else tells a person why nothing happens. Clients use a pipe.
        drop(writeln!(std::io::stderr().lock(), "{TYPED_BY_HAND}"));
    }
    let _tidy = AbortOnDropHandle::new(tokio::spawn(app.keep_tidy(config).boxed()));
    let _settings = AbortOnDropHandle::new(tokio::spawn(app.keep_settings().boxed()));
    let served = crate::stdio::serve(server, &shutdown, app.agent.shut_down(FLUSH_LIMIT)).await;
    served.context("nothing can be written to stdout, and so to the client")?;
    Ok(Exit::Done)
}

/// Serves over HTTP.
pub async fn http(app: &App, config: &Config) -> anyhow::Result<Exit> {
    let shutdown = Shutdown::on_signals()?;
    let http = bind(&config.http, config).await?;
    over(http, app, config, &shutdown).await
}

/// Binds an address, unless the policy narrows a token that there is not.
pub(super) async fn bind(
    settings: &HttpSettings,
    config: &Config,
) -> Result<HttpServer, HttpError> {
    http::check_narrowed(&config.policy, settings, &config.data_dir)?;
    HttpServer::bind(settings, &config.data_dir).await
}

/// Serves at an address that is bound already.
pub(super) async fn over(
    http: HttpServer,
    app: &App,
    config: &Config,
    shutdown: &Shutdown,
) -> anyhow::Result<Exit> {
    http::warn_unless_ready(&config.data_dir, config.journal.min_free);
    app.agent.hide_keys(http.tokens());
    let http = http.with_floor(config.journal.min_free).with_page(page(app, config));
    let server = server(app, config);
    let _tidy = AbortOnDropHandle::new(tokio::spawn(app.keep_tidy(config).boxed()));
    let _settings = AbortOnDropHandle::new(tokio::spawn(app.keep_settings().boxed()));
    let make = move || server.clone();
    let noted = note(&http, config);
    let http = http.with_note(noted);
    http.serve(make, shutdown, app.agent.shut_down(FLUSH_LIMIT)).await;
    Ok(Exit::Done)
}
