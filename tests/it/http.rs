//! The whole product over HTTP, on real sockets.
#[cfg(unix)]
mod ending;
mod matrix;
mod open_calls;
mod principals;

use std::net::SocketAddr;
use std::path::Path;

use ayeaye::config::Listen;
use ayeaye::config::{Config, HttpSettings};
use ayeaye::http::HttpServer;
use ayeaye::mcp::Server;
use ayeaye::shutdown::Shutdown;
use ayeaye_model::Secret;

use crate::process::TOKEN;

/// A server of the product in this process.
struct Served {
    address: SocketAddr,
    shutdown: Shutdown,
}

impl Served {
    /// Serves `server` with its tokens in `data_dir`, as `change` wants it.
    async fn new(server: Server, data_dir: &Path, change: impl FnOnce(&mut HttpSettings)) -> Self {
        let mut settings = Config::isolated(data_dir).http;
        settings.listen = "127.0.0.1:0".parse().unwrap();
        settings.token = Secret::new(TOKEN);
        // These tests are about who is let in; how often is another matter.
        settings.wrong_tokens = 0;
        settings.rate_limit = 0;
        change(&mut settings);
        let http = HttpServer::bind(&settings, data_dir).await.unwrap();
        let Listen::Tcp(address) = *http.address() else { panic!("it is TCP") };
        let shutdown = Shutdown::default();
        let asked = shutdown.clone();
        tokio::spawn(async move {
            http.serve(move || server.clone(), &asked, async {}).await;
        });
        Self { address, shutdown }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shutdown.asked.cancel();
        self.shutdown.at_once.cancel();
    }
}

/// Writes the file of named tokens as the server wants it.
fn give_tokens(data_dir: &Path, text: &str) {
    let path = data_dir.join("http-tokens");
    std::fs::write(&path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}
