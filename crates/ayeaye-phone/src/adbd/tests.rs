//! The adb daemon over real sockets.
use std::net::Ipv4Addr;

use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::{
    Adbd,
    packet::{self, Command, Packet},
};
use crate::{device::VirtualPhone, faults::LinkState, options::PhoneOptions, phone::Phone};

const VERSION: u32 = 0x0100_0001;

struct Host {
    stream: TcpStream,
    checksum: bool,
}

impl Host {
    async fn handshake(address: std::net::SocketAddr, version: u32) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let mut host = Self { stream, checksum: version < VERSION };
        host.send(Command::Connect, version, 256 << 10, b"host::features=shell_v2").await;
        host
    }

    async fn send(&mut self, command: Command, arg0: u32, arg1: u32, data: &[u8]) {
        let packet = Packet::new(command, arg0, arg1, data.to_vec());
        packet::write(&mut self.stream, &packet, self.checksum).await.unwrap();
    }

    async fn read(&mut self) -> Packet {
        packet::read(&mut self.stream, self.checksum).await.unwrap()
    }
}

async fn adbd() -> (std::net::SocketAddr, VirtualPhone) {
    let options = PhoneOptions { width: 320, height: 640, ..PhoneOptions::default() };
    let phone = VirtualPhone::new(Phone::new(options));
    let adbd = Adbd::bind((Ipv4Addr::LOCALHOST, 0).into(), phone.clone()).await.unwrap();
    let address = adbd.local_addr().unwrap();
    tokio::spawn(adbd.serve(CancellationToken::new()));
    (address, phone)
}

#[tokio::test]
async fn a_stream_waits_for_each_of_its_messages_to_be_taken() {
    let (address, _phone) = adbd().await;
    for version in [VERSION, 0x0100_0000] {
        let mut host = Host::handshake(address, version).await;
        let banner = host.read().await;
        assert_eq!((banner.command, banner.arg0), (Command::Connect, version));
        assert!(banner.data.starts_with(b"device::ro.product.name=ayeaye_phone;"));
        host.send(Command::Open, 9, 0, b"exec:screencap\0").await;
        let okay = host.read().await;
        assert_eq!((okay.command, okay.arg1), (Command::Okay, 9));
        let mut length = 0;
        loop {
            let message = host.read().await;
            match message.command {
                Command::Write => {
                    assert!(message.data.len() <= 256 << 10);
                    length += message.data.len();
                    host.send(Command::Okay, 9, message.arg0, b"").await;
                }
                Command::Close => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(length, 16 + 320 * 640 * 4);
    }
}

#[tokio::test]
async fn streams_do_not_wait_for_each_other() {
    let (address, _phone) = adbd().await;
    let mut host = Host::handshake(address, VERSION).await;
    host.read().await;
    // The first stream is never acknowledged; the second works all the same.
    host.send(Command::Open, 1, 0, b"exec:screencap\0").await;
    host.send(Command::Open, 2, 0, b"exec:echo two\0").await;
    host.send(Command::Open, 3, 0, b"tcp:80\0").await;
    let (mut said, mut refused) = (false, false);
    while !(said && refused) {
        let message = host.read().await;
        said |= message.command == Command::Write && message.arg1 == 2 && message.data == "two\n";
        refused |= message.command == Command::Close && message.arg1 == 3;
    }
}

#[tokio::test]
async fn a_host_that_does_not_acknowledge_the_last_packet_is_told_of_the_end() {
    let (address, _phone) = adbd().await;
    let mut host = Host::handshake(address, VERSION).await;
    host.read().await;
    host.send(Command::Open, 1, 0, b"exec:echo last\0").await;
    let ours = host.read().await.arg0;
    assert_eq!(host.read().await.data, "last\n");
    let close = host.read().await;
    assert_eq!((close.command, close.arg0, close.arg1), (Command::Close, ours, 1));

    // As Rust's adb_client ends a session of files: with no OKAY to the answer.
    host.send(Command::Open, 2, 0, b"sync:\0").await;
    let ours = host.read().await.arg0;
    host.send(Command::Write, 2, ours, b"STAT\x07\0\0\0/sdcard").await;
    let mut told = Vec::new();
    while !told.starts_with(b"STAT") {
        told.extend_from_slice(&host.read().await.data);
    }
    host.send(Command::Write, 2, ours, b"QUIT\0\0\0\0").await;
    assert_eq!(host.read().await.command, Command::Okay);
    assert_eq!(host.read().await.command, Command::Close);
}

#[tokio::test]
async fn a_closed_stream_ends_its_service() {
    let (address, _phone) = adbd().await;
    let mut host = Host::handshake(address, VERSION).await;
    host.read().await;
    host.send(Command::Open, 1, 0, b"shell,v2,raw:sleep 1000\0").await;
    let ours = host.read().await.arg0;
    host.send(Command::Close, 1, ours, b"").await;
    let close = host.read().await;
    assert_eq!((close.command, close.arg0, close.arg1), (Command::Close, ours, 1));
}

#[tokio::test]
async fn nobody_is_let_in_until_the_phone_allows_it() {
    let (address, phone) = adbd().await;
    phone.faults().set(|plan| plan.link = LinkState::Unauthorized);
    let mut host = Host::handshake(address, VERSION).await;
    let challenge = host.read().await;
    assert_eq!((challenge.command, challenge.arg0, challenge.data.len()), (Command::Auth, 1, 20));
    host.send(Command::Auth, 2, 0, &[0; 256]).await;
    assert_eq!(host.read().await.command, Command::Auth);
    phone.faults().set(|plan| plan.link = LinkState::Device);
    // The link was cut, so that the host reconnects.
    assert!(packet::read(&mut host.stream, false).await.is_err());
    let mut host = Host::handshake(address, VERSION).await;
    assert_eq!(host.read().await.command, Command::Connect);
}

#[tokio::test]
async fn a_capture_can_lose_the_link_on_the_way() {
    let (address, phone) = adbd().await;
    phone.faults().set(|plan| plan.drop_capture_after = Some(1000));
    let mut host = Host::handshake(address, VERSION).await;
    host.read().await;
    host.send(Command::Open, 1, 0, b"shell,v2,raw:screencap\0").await;
    let mut length = 0;
    while let Ok(message) = packet::read(&mut host.stream, false).await {
        if message.command == Command::Write {
            length += message.data.len();
            host.send(Command::Okay, 1, message.arg0, b"").await;
        }
    }
    // One header of a shell packet, and the bytes; no status, and no CLSE.
    assert_eq!(length, 5 + 16 + 5 + 984);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_is_closed() {
    let (address, _phone) = adbd().await;
    let mut silent = TcpStream::connect(address).await.unwrap();
    assert!(packet::read(&mut silent, false).await.is_err());
}
