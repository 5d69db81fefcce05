//! The phones of the settings, and the virtual one.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context as _;
use ayeaye_adb::{AdbConfig, AdbDevices, AppLabels, ExchangeFolder, ServerAddress, find_adb};
use ayeaye_phone::{AdbServer, VirtualPhone};
use futures::FutureExt as _;
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// The file of the data folder with the names of apps, so that a phone is asked for them once.
const APP_NAMES: &str = "app-names.tsv";

/// The folder of the data folder for files from and to phones.
const EXCHANGE_FILES: &str = "files";

/// The phones that an app reaches.
pub(super) struct Phones {
    /// Those of all adb servers, the virtual one first.
    pub(super) opened: Vec<Arc<AdbDevices>>,
    /// Those of the adb servers in the settings; `None` where only the virtual phone is used.
    pub(super) adb: Option<Arc<AdbDevices>>,
}

impl Phones {
    /// `only_virtual`: the adb servers of the settings are left alone.
    pub(super) async fn open(
        config: &Config,
        virtual_phone: Option<&VirtualPhone>,
        only_virtual: bool,
        down: &CancellationToken,
    ) -> anyhow::Result<Self> {
        let labels = Arc::new(AppLabels::new(Some(config.data_dir.join(APP_NAMES))));
        let folder =
            config.adb.files.clone().unwrap_or_else(|| config.data_dir.join(EXCHANGE_FILES));
        let exchange = ExchangeFolder::new(folder).with_floor(config.journal.min_free);
        let with_both = |devices: AdbDevices| {
            let devices = devices.with_app_labels(Arc::clone(&labels)).with_files(exchange.clone());
            Arc::new(devices.with_private_apps(config.policy.private_apps.clone()))
        };
        let mut opened = Vec::new();
        if let Some(virtual_phone) = virtual_phone {
            let address = virtual_adb_server(virtual_phone, down).await?;
            opened.push(with_both(AdbDevices::new(AdbConfig::new(address, None))));
        }
        let mut adb = None;
        if !only_virtual {
            let devices = with_both(adb_devices(config)?);
            opened.push(Arc::clone(&devices));
            adb = Some(devices);
        }
        Ok(Self { opened, adb })
    }
}

async fn virtual_adb_server(
    virtual_phone: &VirtualPhone,
    down: &CancellationToken,
) -> anyhow::Result<ServerAddress> {
    let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = AdbServer::bind(anywhere, vec![virtual_phone.clone()])
        .await
        .context("the virtual phone needs a port on 127.0.0.1")?;
    let port = server.local_addr()?.port();
    tokio::spawn(server.serve(down.clone()).boxed());
    Ok(ServerAddress::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port })
}

/// The phones of the settings.
pub fn adb_devices(config: &Config) -> anyhow::Result<AdbDevices> {
    let first = adb_config(config)?;
    let mut further: Vec<AdbConfig> = Vec::new();
    for server in &config.adb.servers {
        let server = ServerAddress::parse(server.as_str())?;
        let is_known = |other: &AdbConfig| other.server == server;
        if !is_known(&first) && !further.iter().any(is_known) {
            // Only the first is started: what is on another machine cannot be.
            further.push(AdbConfig::new(server, None));
        }
    }
    Ok(AdbDevices::with_further(first, further))
}

/// The first adb server, which connects phones and is started if none runs.
pub fn adb_config(config: &Config) -> anyhow::Result<AdbConfig> {
    let adb = &config.adb;
    let server = ServerAddress::parse(&adb.server)?;
    let program = adb.start_server.then(|| adb.program.clone().or_else(|| find_adb(&adb.search)));
    let not_inherited = adb.not_inherited.clone();
    Ok(AdbConfig { not_inherited, ..AdbConfig::new(server, program.flatten()) })
}
