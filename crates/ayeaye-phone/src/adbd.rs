//! The phone's adb daemon, which `adb connect` attaches as it does a real phone over Wi-Fi.
mod link;
mod packet;
mod stream;
#[cfg(test)]
mod tests;

use std::{io, net::SocketAddr};

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::{device::VirtualPhone, listener::accept};

/// A phone's adb daemon on a TCP port.
#[derive(Debug)]
pub struct Adbd {
    listener: TcpListener,
    phone: VirtualPhone,
}

impl Adbd {
    /// Binds the socket; port 0 takes a free one.
    pub async fn bind(address: SocketAddr, phone: VirtualPhone) -> io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await?, phone })
    }

    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the token is cancelled; then every link ends before this returns.
    pub async fn serve(self, shutdown: CancellationToken) {
        accept(&self.listener, &shutdown, |stream| link::run(stream, self.phone.clone())).await;
    }
}
