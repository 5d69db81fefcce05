//! The adb server over real sockets.
use std::{net::Ipv4Addr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;

use super::AdbServer;
use crate::{
    device::VirtualPhone,
    faults::{LinkState, Trigger},
    options::PhoneOptions,
    phone::Phone,
};

/// A server with phones of these serials.
async fn server(serials: &[&str]) -> (std::net::SocketAddr, Vec<VirtualPhone>, CancellationToken) {
    let phone = |serial: &&str| {
        let options = PhoneOptions {
            serial: (*serial).to_owned(),
            width: 320,
            height: 640,
            ..PhoneOptions::default()
        };
        VirtualPhone::new(Phone::new(options))
    };
    let phones: Vec<VirtualPhone> = serials.iter().map(phone).collect();
    let server = AdbServer::bind((Ipv4Addr::LOCALHOST, 0).into(), phones.clone()).await.unwrap();
    let address = server.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    tokio::spawn(server.serve(shutdown.clone()));
    (address, phones, shutdown)
}

async fn send(stream: &mut TcpStream, request: &str) {
    stream.write_all(format!("{:04x}{request}", request.len()).as_bytes()).await.unwrap();
}

/// The whole answer to one request.
async fn ask(address: std::net::SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    send(&mut stream, request).await;
    let mut all = Vec::new();
    stream.read_to_end(&mut all).await.unwrap();
    String::from_utf8(all).unwrap()
}

/// The output of a service of the only phone, after both OKAYs.
async fn service(address: std::net::SocketAddr, name: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    send(&mut stream, "host:transport-any").await;
    let mut okay = [0; 4];
    stream.read_exact(&mut okay).await.unwrap();
    assert_eq!(&okay, b"OKAY");
    send(&mut stream, name).await;
    let mut all = Vec::new();
    // A cut link may end in a reset.
    let _cut = stream.read_to_end(&mut all).await.is_err();
    assert!(all.starts_with(b"OKAY"), "{name}: {all:?}");
    all.split_off(4)
}

#[tokio::test]
async fn the_server_answers_as_the_real_one() {
    let (address, phones, _shutdown) = server(&["a", "b:5555"]).await;
    assert_eq!(ask(address, "host:version").await, "OKAY00040029");
    assert_eq!(ask(address, "host:devices").await, "OKAY0017a\tdevice\nb:5555\tdevice\n");
    let long = ask(address, "host:devices-l").await;
    let line = "a                      device product:ayeaye_phone model:Aye_aye_virtual_phone device:ayeaye_phone transport_id:1\n";
    assert!(long.contains(line), "{long}");
    assert_eq!(ask(address, "host-serial:b:5555:get-state").await, "OKAY0006device");
    assert_eq!(ask(address, "host:transport-any").await, "FAIL001dmore than one device/emulator");
    assert_eq!(ask(address, "host:transport:x").await, "FAIL0014device 'x' not found");
    assert_eq!(ask(address, "host:nonsense").await, "FAIL0014unknown host service");
    assert_eq!(ask(address, "host-serial:a:wait-for-any-device").await, "OKAYOKAY");
    phones[0].faults().set(|plan| plan.link = LinkState::Offline);
    assert_eq!(ask(address, "host:transport:a").await, "FAIL000edevice offline");
    assert_eq!(ask(address, "host-serial:a:get-state").await, "OKAY0007offline");
    phones[0].faults().set(|plan| plan.link = LinkState::Unauthorized);
    assert!(
        ask(address, "host:transport:a").await.contains("device unauthorized.\nThis adb server's")
    );
    assert!(
        ask(address, "host:devices-l")
            .await
            .contains("a                      unauthorized transport_id:1\n")
    );
}

#[tokio::test]
async fn changes_of_state_are_tracked() {
    let (address, phones, _shutdown) = server(&["a"]).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    send(&mut stream, "host:track-devices").await;
    let mut first = [0; 17];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"OKAY0009a\tdevice\n");
    phones[0].faults().set(|plan| plan.link = LinkState::Offline);
    let mut second = [0; 14];
    stream.read_exact(&mut second).await.unwrap();
    assert_eq!(&second, b"000aa\toffline\n");
}

#[tokio::test]
async fn shells_keep_their_streams_and_status() {
    let (address, ..) = server(&["a"]).await;
    let v2 = service(address, "shell,v2,raw:echo o; echo e >&2; exit 7").await;
    assert_eq!(v2, b"\x01\x02\0\0\0o\n\x02\x02\0\0\0e\n\x03\x01\0\0\0\x07");
    assert_eq!(service(address, "shell:echo o; echo e >&2; exit 7").await, b"o\ne\n");
    assert_eq!(service(address, "exec:echo -n '\\0\\n'").await, b"\0\n");
    assert_eq!(ask(address, "shell:echo").await, "FAIL0016no transport is chosen");
}

#[tokio::test]
async fn captures_are_whole_and_faults_are_not() {
    let (address, phones, _shutdown) = server(&["a"]).await;
    let whole = 16 + 320 * 640 * 4;
    let raw = service(address, "exec:screencap").await;
    assert_eq!(raw.len(), whole);
    assert_eq!(raw[..16], [64, 1, 0, 0, 128, 2, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(service(address, "framebuffer:").await.len(), 56 + 320 * 640 * 4);
    let faults = phones[0].faults();

    faults.set(|plan| plan.truncate_capture_to = Some(1000));
    assert_eq!(service(address, "exec:screencap").await.len(), 1000);
    faults.set(|plan| plan.drop_capture_after = Some(100_000));
    assert_eq!(service(address, "exec:screencap").await.len(), 100_000);
    faults.set(|plan| plan.black = Some(Trigger::Next));
    assert!(
        service(address, "exec:screencap").await[16..].chunks(4).all(|px| px == [0, 0, 0, 255])
    );
    faults.set(|plan| plan.capture_warning = Some(Trigger::Next));
    assert!(
        service(address, "exec:screencap -p").await.starts_with(b"[Warning] Multiple displays")
    );
    faults.set(|plan| plan.raw_unsupported = true);
    assert!(service(address, "shell,v2,raw:screencap").await.ends_with(b"\x03\x01\0\0\0\x01"));
    faults.clear();
    assert_eq!(service(address, "exec:screencap").await.len(), whole);
    assert!(service(address, "exec:screencap -p").await.starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[tokio::test]
async fn a_status_can_be_missing_and_a_shell_can_hang() {
    let (address, phones, _shutdown) = server(&["a"]).await;
    let faults = phones[0].faults();
    faults.set(|plan| plan.no_exit_status = Some(Trigger::Next));
    assert_eq!(service(address, "shell,v2,raw:echo o").await, b"\x01\x02\0\0\0o\n");
    faults.set(|plan| plan.hang_shell = Some(Trigger::Next));
    let hanging = tokio::spawn(async move { service(address, "shell,v2,raw:echo o").await });
    // The fault leaves the plan when the command starts to hang.
    while faults.plan().hang_shell.is_some() {
        tokio::task::yield_now().await;
    }
    assert!(!hanging.is_finished());
    faults.kill_link();
    assert_eq!(hanging.await.unwrap(), b"");
}

#[tokio::test]
async fn input_is_told_apart_from_the_end_of_input() {
    let (address, ..) = server(&["a"]).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    send(&mut stream, "host:transport-any").await;
    send(&mut stream, "shell,v2,raw:cat").await;
    stream.write_all(b"\x00\x03\0\0\0abc\x04\0\0\0\0").await.unwrap();
    let mut all = Vec::new();
    stream.read_to_end(&mut all).await.unwrap();
    assert_eq!(all, b"OKAYOKAY\x01\x03\0\0\0abc\x03\x01\0\0\0\0");
}

#[tokio::test]
async fn hostile_clients_are_turned_away() {
    let (address, _, shutdown) = server(&["a"]).await;
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"zzzz", b"0003\xff\xff\xff", b"0000"] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut all = Vec::new();
        // Unread bytes make the end of the connection a reset.
        let _reset = stream.read_to_end(&mut all).await.is_err();
        assert!(all.is_empty() || all.starts_with(b"FAIL"), "{all:?}");
    }
    // A client that never sends a request does not delay the shutdown.
    let _idle = TcpStream::connect(address).await.unwrap();
    assert_eq!(ask(address, "host:version").await, "OKAY00040029");
    shutdown.cancel();
    let stopped = async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), stopped).await.unwrap();
}

#[tokio::test]
async fn a_phone_that_is_connected_again_has_another_number() {
    let (address, _phones, _shutdown) = server(&["a", "10.0.0.9:5555"]).await;
    let number = async || {
        let list = ask(address, "host:devices-l").await;
        let line = list.lines().find(|line| line.contains("10.0.0.9:5555"));
        line.map(|line| line.rsplit_once("transport_id:").unwrap().1.to_owned())
    };
    assert_eq!(number().await.as_deref(), Some("2"));
    ask(address, "host:disconnect:10.0.0.9:5555").await;
    assert_eq!(number().await, None);
    for _ in 0..2 {
        ask(address, "host:connect:10.0.0.9:5555").await;
        assert_eq!(number().await.as_deref(), Some("3"));
    }
}
