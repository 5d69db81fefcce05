//! The pilot: a stand-in for a model, for the demo and for trying the server without one.
//!
//! It is served over HTTP as any model is, and answers in GELab-Zero's format, so that the real
//! client, profile and loop are at work. But it does not look at the picture it is sent: it reads
//! the state of the virtual phone it lives with, and knows a handful of tasks. It says so to
//! whoever asks for more.
//!
//! One request, in order: `server` checks it, `hear` reads the prompt, `context` is what there
//! is to go by, `skill` decides, `reply` writes it down. Nothing is kept between requests, so that
//! a server that was killed goes on from whatever the screen shows.
use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::Context as _;
use ayeaye_model::{Endpoint, ModelConfig, Profile, Secret};
use ayeaye_phone::Phone;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

mod context;
mod hear;
mod phrases;
mod reply;
mod server;
mod skill;
#[cfg(test)]
mod tests;

/// How it calls itself. The profile is found by the last word.
const NAME: &str = "ayeaye-pilot-gelab";

/// The demo is to be watched: at once, every step would be over before the one before was read.
/// Real models take longer.
const REPLY_DELAY: Duration = Duration::from_millis(700);

/// The stand-in. There is nothing to hold: it lives until its token is cancelled.
#[derive(Debug)]
pub struct ScriptedModel;

impl ScriptedModel {
    /// Serves on a free port of 127.0.0.1 until `down`, and says how to ask it.
    pub async fn start(phone: Phone, down: &CancellationToken) -> anyhow::Result<ModelConfig> {
        Self::start_with_delay(phone, down, REPLY_DELAY).await
    }

    /// The same, with another time to think before each reply.
    pub async fn start_with_delay(
        phone: Phone,
        down: &CancellationToken,
        delay: Duration,
    ) -> anyhow::Result<ModelConfig> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .await
            .context("the stand-in for a model needs a port on 127.0.0.1")?;
        let port = listener.local_addr()?.port();
        // Others on this machine can reach the port, too.
        let key = format!("{:032x}", rand::random::<u128>());
        let mut model =
            ModelConfig::new(Endpoint::parse(&format!("http://127.0.0.1:{port}/v1"))?, NAME);
        model.key = Secret::new(&key);
        model.profile = Some(Profile::GELAB);
        let routes = server::routes(server::Shared { phone, key, delay });
        let down = down.clone();
        tokio::spawn(async move {
            let serving =
                axum::serve(listener, routes).with_graceful_shutdown(down.cancelled_owned());
            if let Err(error) = serving.await {
                tracing::error!("the stand-in for a model ended: {error}");
            }
        });
        Ok(model)
    }
}
