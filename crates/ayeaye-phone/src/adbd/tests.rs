//! The device's face over real sockets.
use std::net::Ipv4Addr;

use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::{
    Adbd,
    packet::{self, Packet, Verb},
};
use crate::{AdbDevice, LinkState, Phone, PhoneOptions};

const VERSION: u32 = 0x0100_0001;

struct Host {
    stream: TcpStream,
    checksum: bool,
}

impl Host {
    async fn greet(address: std::net::SocketAddr, version: u32) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let mut host = Self { stream, checksum: version < VERSION };
        host.send(Verb::Connect, version, 256 << 10, b"host::features=shell_v2").await;
        host
    }

    async fn send(&mut self, verb: Verb, arg0: u32, arg1: u32, data: &[u8]) {
        let packet = Packet::new(verb, arg0, arg1, data.to_vec());
        packet::write(&mut self.stream, &packet, self.checksum).await.unwrap();
    }

    async fn read(&mut self) -> Packet {
        packet::read(&mut self.stream, self.checksum).await.unwrap()
    }
}

async fn adbd() -> (std::net::SocketAddr, AdbDevice) {
    let options = PhoneOptions { width: 320, height: 640, ..PhoneOptions::default() };
    let phone = AdbDevice::new(Phone::new(options));
    let adbd = Adbd::bind((Ipv4Addr::LOCALHOST, 0).into(), phone.clone()).await.unwrap();
    let address = adbd.local_addr().unwrap();
    tokio::spawn(adbd.serve(CancellationToken::new()));
    (address, phone)
}

#[tokio::test]
async fn a_stream_waits_for_each_of_its_messages_to_be_taken() {
    let (address, _phone) = adbd().await;
    for version in [VERSION, 0x0100_0000] {
        let mut host = Host::greet(address, version).await;
        let banner = host.read().await;
        assert_eq!((banner.verb, banner.arg0), (Verb::Connect, version));
        assert!(banner.data.starts_with(b"device::ro.product.name=ayeaye_phone;"));
        host.send(Verb::Open, 9, 0, b"exec:screencap\0").await;
        let okay = host.read().await;
        assert_eq!((okay.verb, okay.arg1), (Verb::Okay, 9));
        let mut length = 0;
        loop {
            let message = host.read().await;
            match message.verb {
                Verb::Write => {
                    assert!(message.data.len() <= 256 << 10);
                    length += message.data.len();
                    host.send(Verb::Okay, 9, message.arg0, b"").await;
                }
                Verb::Close => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(length, 16 + 320 * 640 * 4);
    }
}

#[tokio::test]
async fn streams_do_not_wait_for_each_other() {
    let (address, _phone) = adbd().await;
    let mut host = Host::greet(address, VERSION).await;
    host.read().await;
    // The first stream is never answered; the second still is.
    host.send(Verb::Open, 1, 0, b"exec:screencap\0").await;
    host.send(Verb::Open, 2, 0, b"exec:echo two\0").await;
    host.send(Verb::Open, 3, 0, b"tcp:80\0").await;
    let (mut said, mut refused) = (false, false);
    while !(said && refused) {
        let message = host.read().await;
        said |= message.verb == Verb::Write && message.arg1 == 2 && message.data == "two\n";
        refused |= message.verb == Verb::Close && message.arg1 == 3;
    }
}

#[tokio::test]
async fn a_closed_stream_ends_its_service() {
    let (address, _phone) = adbd().await;
    let mut host = Host::greet(address, VERSION).await;
    host.read().await;
    host.send(Verb::Open, 1, 0, b"shell,v2,raw:sleep 1000\0").await;
    let ours = host.read().await.arg0;
    host.send(Verb::Close, 1, ours, b"").await;
    let close = host.read().await;
    assert_eq!((close.verb, close.arg0, close.arg1), (Verb::Close, ours, 1));
}

#[tokio::test]
async fn nobody_is_let_in_until_the_phone_allows_it() {
    let (address, phone) = adbd().await;
    phone.faults().set(|plan| plan.link = LinkState::Unauthorized);
    let mut host = Host::greet(address, VERSION).await;
    let challenge = host.read().await;
    assert_eq!((challenge.verb, challenge.arg0, challenge.data.len()), (Verb::Auth, 1, 20));
    host.send(Verb::Auth, 2, 0, &[0; 256]).await;
    assert_eq!(host.read().await.verb, Verb::Auth);
    phone.faults().set(|plan| plan.link = LinkState::Device);
    // The link was cut, so that the host comes again.
    assert!(packet::read(&mut host.stream, false).await.is_err());
    let mut host = Host::greet(address, VERSION).await;
    assert_eq!(host.read().await.verb, Verb::Connect);
}

#[tokio::test]
async fn a_capture_can_lose_the_link_on_the_way() {
    let (address, phone) = adbd().await;
    phone.faults().set(|plan| plan.drop_capture_after = Some(1000));
    let mut host = Host::greet(address, VERSION).await;
    host.read().await;
    host.send(Verb::Open, 1, 0, b"shell,v2,raw:screencap\0").await;
    let mut length = 0;
    while let Ok(message) = packet::read(&mut host.stream, false).await {
        if message.verb == Verb::Write {
            length += message.data.len();
            host.send(Verb::Okay, 1, message.arg0, b"").await;
        }
    }
    // One header of a shell packet, and the bytes; no status, and no CLSE.
    assert_eq!(length, 5 + 16 + 5 + 984);
}
