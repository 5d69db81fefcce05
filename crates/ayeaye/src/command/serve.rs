//! `ayeaye serve`: MCP on stdio or over HTTP, until the client disconnects or a signal arrives.
use std::time::Duration;

use tokio_util::task::AbortOnDropHandle;

use crate::command::Exit;
use crate::config::Config;
use crate::http::HttpServer;
use crate::mcp::questions::StateCodec;
use crate::mcp::{Defaults, Server};
use crate::shutdown::Shutdown;
use crate::wiring::App;

/// How long runs have to record their end at shutdown. One gesture may be under way.
const FLUSH_LIMIT: Duration = Duration::from_secs(5);

fn server(app: &App, config: &Config) -> anyhow::Result<Server> {
    let state_codec = StateCodec::from_data_dir(&config.data_dir)?;
    let server = Server::new(app.agent.clone(), Defaults::from(config));
    Ok(server.with_durable_state(state_codec, config.journal.retention.max_age))
}

/// Serves on stdio.
pub async fn stdio(app: &App, config: &Config) -> anyhow::Result<Exit> {
    let shutdown = Shutdown::on_signals()?;
    let server = server(app, config)?;
    let _tidy = AbortOnDropHandle::new(tokio::spawn(app.keep_tidy(config)));
    crate::stdio::serve(server, &shutdown, app.agent.shut_down(FLUSH_LIMIT)).await;
    Ok(Exit::Done)
}

/// Serves over HTTP.
pub async fn http(app: &App, config: &Config) -> anyhow::Result<Exit> {
    let shutdown = Shutdown::on_signals()?;
    let http = HttpServer::bind(&config.http, &config.data_dir).await?;
    let http = http.with_floor(config.journal.min_free);
    let server = server(app, config)?;
    let _tidy = AbortOnDropHandle::new(tokio::spawn(app.keep_tidy(config)));
    let make = move || server.clone();
    http.serve(make, &shutdown, app.agent.shut_down(FLUSH_LIMIT)).await;
    Ok(Exit::Done)
}
