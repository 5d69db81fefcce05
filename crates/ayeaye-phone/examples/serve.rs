//! Serves one virtual phone on three loopback ports: `cargo run -p ayeaye-phone --example serve -- 5038 5555 5556`
//! (adb server, `adb connect`, control; 0 takes a free port).
use std::{error::Error, net::SocketAddr};

use ayeaye_phone::{AdbServer, Adbd, ControlServer, Phone, PhoneOptions, VirtualPhone};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut ports = std::env::args().skip(1).map(|port| port.parse::<u16>());
    let mut address = || -> Result<SocketAddr, Box<dyn Error>> {
        Ok(SocketAddr::from(([127, 0, 0, 1], ports.next().transpose()?.unwrap_or(0))))
    };
    let phone = VirtualPhone::new(Phone::new(PhoneOptions::default()));
    let server = AdbServer::bind(address()?, vec![phone.clone()]).await?;
    let adbd = Adbd::bind(address()?, phone.clone()).await?;
    let control = ControlServer::bind(address()?, vec![phone]).await?;
    tracing::info!(
        server = %server.local_addr()?, adbd = %adbd.local_addr()?, control = %control.local_addr()?,
        "serving"
    );
    let shutdown = CancellationToken::new();
    tokio::spawn(server.serve(shutdown.clone()));
    tokio::spawn(adbd.serve(shutdown.clone()));
    control.serve(shutdown).await?;
    Ok(())
}
