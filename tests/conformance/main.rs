//! The server with fixtures in front of it: what the conformance suite of MCP calls besides our own tools.
//!
//! Takes the command line of `ayeaye serve --http ADDR` and serves the virtual phone as that does. The
//! fixtures answer their own names; transport, token, `Host`, `Origin` and everything else are the real
//! server's. `docs/contributing.md` says how the suite is run.
mod fixtures;

use std::time::Duration;

use ayeaye::cli::Cli;
use ayeaye::config::{Config, Environment};
use ayeaye::http::HttpServer;
use ayeaye::mcp::{Defaults, Server};
use ayeaye::shutdown::Shutdown;
use ayeaye::wiring::{App, ModelChoice};
use clap::Parser as _;

use fixtures::Fixtures;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    let config = Config::load(&cli.flags(), cli.config_file(), &Environment::read())?;
    ayeaye::log::to_stderr(&config.log, config.no_color)?;
    let shutdown = Shutdown::on_signals()?;
    let http = HttpServer::bind(&config.http, &config.data_dir).await?;
    let app = App::with_virtual_phone(&config, ModelChoice::Scripted).await?;
    let server = Fixtures::wrap(Server::new(app.agent.clone(), Defaults::from(&config)));
    let make = move || server.clone();
    http.serve(make, &shutdown, app.agent.shut_down(Duration::from_secs(5))).await;
    Ok(())
}
