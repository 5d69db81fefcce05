//! The scripted model: a stand-in for a model, for the demo, for tests and for trying the server
//! without one.
//!
//! It is served over HTTP as any model is and answers in GELab-Zero's format, so that the real
//! client, profile and loop are used. It does not look at the picture, though: it reads the state of
//! the virtual phone in the same process, and it knows a handful of tasks. For any other task it says
//! so.
//!
//! On the way to it, [`ScriptedClient`] puts a [`TaskProgress`] in front of the usual prompt. One
//! request, in order: `server` checks it, [`next_step`] picks a skill, the skill decides from a
//! `StepContext`, and `step` writes the reply. Nothing is kept between requests, so that a restarted
//! server goes on from what the screen shows.
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context as _;
use ayeaye_model::{Endpoint, ModelConfig, Profile, Secret};
use ayeaye_phone::Phone;
use context::{LauncherApp, StepContext};
use futures::FutureExt as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

mod client;
mod context;
mod phrases;
mod progress;
mod server;
mod skill;
mod step;
#[cfg(test)]
mod tests;

pub use client::ScriptedClient;
pub use progress::{TaskProgress, UserReply};
pub use server::ONLY_STEPS;
pub use step::{NextAction, NextStep};

/// The model's name. The profile is found by the last word.
pub const NAME: &str = "ayeaye-scripted-gelab";

/// The delay before each reply, so that people can follow the demo. Real models take longer.
const REPLY_DELAY: Duration = Duration::from_millis(700);

/// The next step of a task on this phone, as it is now.
pub fn next_step(phone: &Phone, progress: &TaskProgress) -> NextStep {
    let apps = phone.packages().into_iter().filter(|package| package.launcher.is_some());
    let apps: Vec<_> =
        apps.map(|package| LauncherApp { label: package.label, package: package.name }).collect();
    skill::next(&StepContext { progress, phone: &phone.state(), apps: &apps })
}

/// The server. It runs until its token is cancelled.
#[derive(Debug)]
pub struct ScriptedModel;

impl ScriptedModel {
    /// Serves on a free port of 127.0.0.1 until `shutdown`. Returns how to ask it: by a
    /// [`ScriptedClient`].
    pub async fn start(phone: Phone, shutdown: &CancellationToken) -> anyhow::Result<ModelConfig> {
        Self::start_with_delay(phone, shutdown, REPLY_DELAY).await
    }

    /// Serves as [`start`](Self::start) does, with another delay before each reply.
    pub async fn start_with_delay(
        phone: Phone,
        shutdown: &CancellationToken,
        delay: Duration,
    ) -> anyhow::Result<ModelConfig> {
        // Other users of this machine can reach the port, too.
        let key = format!("{:032x}", rand::random::<u128>());
        let shared = server::SharedState { phone, key: Some(key.clone()), delay };
        let address = serve((Ipv4Addr::LOCALHOST, 0).into(), shared, shutdown).await?;
        let endpoint = Endpoint::parse(&format!("http://{address}/v1"))?;
        let mut model = ModelConfig::new(endpoint, NAME);
        model.key = Secret::new(&key);
        model.profile = Some(Profile::GELAB);
        Ok(model)
    }

    /// Serves at this address until `shutdown`, without delay and to anyone who asks: for checks
    /// that ask it from another process. Returns the address in use.
    pub async fn serve_openly(
        phone: Phone,
        address: SocketAddr,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<SocketAddr> {
        serve(address, server::SharedState { phone, key: None, delay: Duration::ZERO }, shutdown)
            .await
    }
}

async fn serve(
    address: SocketAddr,
    shared: server::SharedState,
    shutdown: &CancellationToken,
) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("the stand-in for a model cannot listen at {address}"))?;
    let address = listener.local_addr()?;
    let shutdown = shutdown.clone().cancelled_owned();
    tokio::spawn(
        async move {
            let serving =
                axum::serve(listener, server::routes(shared)).with_graceful_shutdown(shutdown);
            if let Err(error) = serving.await {
                tracing::error!("the stand-in for a model ended: {error}");
            }
        }
        .boxed(),
    );
    Ok(address)
}
