//! `ayeaye phone`: the virtual phone for `adb connect`.
use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Context as _;
use ayeaye_phone::{Adbd, ControlServer, Profile};
use futures::FutureExt as _;
use tokio_util::sync::CancellationToken;

use crate::cli;
use crate::command::Exit;
use crate::scripted_model::ScriptedModel;
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;

/// Serves a phone until Ctrl-C.
pub async fn phone(options: cli::Phone, terminal: Terminal) -> anyhow::Result<Exit> {
    let cli::Phone { port, control, like, faults, profile, model } = options;
    let virtual_phone = cli::phone(like, &faults, profile);
    let down = CancellationToken::new();
    // Before anything is said: who reads that the phone is ready may end it in the next moment.
    let shutdown = Shutdown::on_signals()?;
    let adbd = Adbd::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)), virtual_phone.clone())
        .await
        .with_context(|| {
            format!("port {port} of 127.0.0.1 cannot be used; choose another with --port")
        })?;
    let control = match control {
        Some(control) => {
            let phones = vec![virtual_phone.clone()];
            let server = ControlServer::bind(control, phones).await.with_context(|| {
                format!(
                    "{control} cannot be used to control the phone; choose another with --control"
                )
            })?;
            Some(server)
        }
        None => None,
    };
    let address = adbd.local_addr()?;
    let identity = virtual_phone.phone().options().clone();
    terminal.item("phone", &format!("virtual, Android {}, at {address}", identity.android));
    if like.is_some() {
        terminal.item("like", &format!("{} {}", identity.manufacturer, identity.model));
    }
    if profile != Profile::default() {
        terminal.item("profile", &format!("{}, {}", profile.name(), profile.about()));
    }
    terminal.item("attach", &format!("adb connect {address}"));
    if let Some(model) = model {
        let address =
            ScriptedModel::serve_openly(virtual_phone.phone().clone(), model, &down).await?;
        terminal.item("model", &format!("a stand-in, at http://{address}/v1"));
    }
    if let Some(control) = control {
        terminal.item("control", &format!("http://{}/state", control.local_addr()?));
        tokio::spawn(control.serve(down.clone()).boxed());
    }
    terminal.item("stop", "Ctrl-C");
    let serving = tokio::spawn(adbd.serve(down.clone()).boxed());
    shutdown.asked.cancelled().await;
    down.cancel();
    serving.await?;
    Ok(Exit::Done)
}
