//! `ayeaye ui`: the page in the browser, signed in. A server that runs over the same data folder is used;
//! otherwise this process is one for as long as it runs.
mod browser;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::http_client::http_client;
use super::{Exit, Start, serve};
use crate::cli;
use crate::config::{Config, HttpSettings, Listen};
use crate::http::{HttpError, HttpServer, TOKEN_FILE};
use crate::running_server;
use crate::secret;
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;
use crate::wiring::App;

/// The port of a server that is started here. Always the same where it is free: a bookmark stays good, and a page
/// that was left open is signed in again with the new one.
const PORT: u16 = 8631;

/// How long a server of this machine may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the page of a server that runs, or `None` when there is none to be opened.
pub(super) async fn open_running(
    config: &Config,
    start: &Start,
    ui: &cli::Ui,
    terminal: Terminal,
) -> anyhow::Result<Option<Exit>> {
    // The virtual phone is in the server's own process.
    if ui.virtual_phone {
        return Ok(None);
    }
    let Some(page) = running_server::find(&config.data_dir) else { return Ok(None) };
    let link = link_of(&page, &config.http, &config.data_dir).await?;
    terminal.line(&format!("The page of the running server: {page}"));
    show(&link, ui, start, terminal).await;
    Ok(Some(Exit::Done))
}

/// Serves the page from this process, and opens it.
pub(super) async fn serve_here(
    app: &App,
    config: &Config,
    start: &Start,
    ui: &cli::Ui,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let shutdown = Shutdown::on_signals()?;
    let http = bind(config).await?;
    let (link, page) = (http.sign_in_link(), http.page_url());
    // The browser asks for the page while its opener still runs.
    let opening = async {
        show(&link, ui, start, terminal).await;
        terminal.line(&format!("The page: {page}   (Ctrl-C stops it)"));
    };
    let (served, ()) = tokio::join!(serve::over(http, app, config, &shutdown), opening);
    served
}

/// A server on loopback, for this machine alone, whatever the settings say of other places.
async fn bind(config: &Config) -> Result<HttpServer, HttpError> {
    let at = |port: u16| HttpSettings {
        listen: Listen::Tcp(SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
        public_url: None,
        issuer: None,
        keep_logins: false,
        ..config.http.clone()
    };
    match serve::bind(&at(PORT), config).await {
        // Windows refuses a port that is set aside for others, as for its virtual machines.
        Err(HttpError::Listen { source, .. })
            if matches!(
                source.kind(),
                io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied
            ) =>
        {
            serve::bind(&at(0), config).await
        }
        bound => bound,
    }
}

/// A link that signs in at a server that runs, got with the token of the local user.
async fn link_of(page: &str, settings: &HttpSettings, data_dir: &Path) -> anyhow::Result<String> {
    let token = match &settings.token {
        Some(token) => token.clone(),
        None => secret::read_or_create(data_dir, TOKEN_FILE)?,
    };
    let request = http_client(page, PATIENCE)?.post(format!("{page}page/api/codes"));
    let asking = request.bearer_auth(token.expose()).json(&json!({})).send();
    let answer = asking.await.with_context(|| format!("the server at {page} does not answer"))?;
    anyhow::ensure!(
        answer.status() != StatusCode::UNAUTHORIZED,
        "the server at {page} was started with another token\nhint: set the same AYEAYE_HTTP_TOKEN here, or open \
         {page} and sign in with its token"
    );
    let status = answer.status();
    let no_link = || {
        format!(
            "the server at {page} gives no link ({status})\nhint: it may be another version; restart it"
        )
    };
    let body: Value = answer.json().await.with_context(no_link)?;
    let code = body["code"].as_str().with_context(no_link)?;
    Ok(format!("{page}sign-in?code={code}"))
}

/// Opens the link, or prints it where that is wanted or nothing can be opened.
async fn show(link: &str, ui: &cli::Ui, start: &Start, terminal: Terminal) {
    let opened = if ui.no_open { Err(String::new()) } else { browser::open(link, start).await };
    if let Err(why) = opened {
        let because = if why.is_empty() { why } else { format!(" ({why})") };
        terminal.line(&format!(
            "Open this in a browser on this machine; it signs you in once, within a minute{because}:\n  {link}"
        ));
    }
}
