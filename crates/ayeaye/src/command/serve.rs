//! `ayeaye serve`: MCP on stdio or over HTTP, until the client goes or a signal comes.
use std::time::Duration;

use crate::cli::Exit;
use crate::config::Config;
use crate::mcp::Server;
use crate::shutdown::Shutdown;
use crate::wiring::House;

/// How long runs get to record their end when the server goes down.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Serves on stdio.
pub async fn stdio(house: &House, config: &Config) -> anyhow::Result<Exit> {
    let server = Server::new(house.agent.clone(), config.defaults());
    let shutdown = Shutdown::on_signals()?;
    let down = shutdown.token();
    let agent = house.agent.clone();
    // Runs are told as soon as the client is gone, while the transport still drains.
    let last_words = tokio::spawn(async move {
        down.cancelled().await;
        agent.shut_down(LAST_WORDS).await;
    });
    crate::stdio::serve(server, &shutdown).await?;
    shutdown.begin();
    last_words.await?;
    Ok(Exit::Done)
}
