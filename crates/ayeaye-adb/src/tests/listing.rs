//! Lists, opening, and the server itself.
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ayeaye_agent::{Device as _, DeviceError, DeviceId, DeviceSource as _, ScreenSize, Transport};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::fake::{Fake, Held, Reply, SHORT};
use crate::{AdbConfig, AdbDevices, ServerAddress};

const ABOUT: &str = "Pixel\u{202e} 7\n--ayeaye--\n14\n--ayeaye--\npanther\n--ayeaye--\n34\n\
    --ayeaye--\nPhysical size: 1080x2400\n--ayeaye--\n init=1080x2400 420dpi cur=2400x1080 app=1x1\n";

#[tokio::test]
async fn one_phone_in_trouble_never_hides_or_delays_the_others() {
    let held = Arc::new(Held::default());
    let waiting = held.clone();
    let fake = Fake::start(move |request| {
        if let Some(serial) = request.strip_prefix("host:transport:") {
            return match serial {
                "HUNG" | "HUNG2" | "HUNG3" | "HUNG4" => Reply::Counted(waiting.clone()),
                "BROKEN" => Reply::Fail("closed"),
                _ => Reply::Okay,
            };
        }
        match request {
            "host:devices-l" => Reply::Body(
                "GOOD\tdevice product:panther model:Pixel_7 transport_id:1\n\
                 HUNG device transport_id:2\nHUNG2 device\nHUNG3 device\nHUNG4 device\nBROKEN device\n10.0.0.9:5555 offline\n\
                 R5 unauthorized\n????????????????  no permissions; see [x] usb:1-1\n\
                 virtual-1 device product:ayeaye_phone model:Aye\nTWIN device transport_id:7\n\
                 TWIN device transport_id:8\n"
                    .to_owned(),
            ),
            r if r.ends_with(":features") => Reply::Body("shell_v2".to_owned()),
            r if r.contains("getprop") => Reply::out(ABOUT.replace("panther", "")),
            _ => Reply::Cut,
        }
    })
    .await;
    let list = fake.devices().list().await.unwrap();
    assert_eq!(held.most.load(Ordering::SeqCst), 4, "none waits for another one");
    assert_eq!(list.len(), 12);
    let by = |serial: &str| list.iter().find(|e| e.id.as_str() == serial).unwrap();

    let good = by("GOOD");
    assert!(good.ready && good.hint.is_none());
    assert_eq!(good.model.as_deref(), Some("Pixel 7"));
    assert_eq!(good.android_version.as_deref(), Some("14"));
    assert_eq!(good.screen, Some(ScreenSize { width: 2400, height: 1080 }));
    assert_eq!(by("virtual-1").transport, Transport::Virtual);

    assert!(by("HUNG").ready && by("HUNG").hint.as_deref().unwrap().contains("did not answer"));
    assert!(by("BROKEN").hint.is_some());
    for (serial, state) in [
        ("10.0.0.9:5555", "offline"),
        ("R5", "unauthorized"),
        ("????????????????", "no permissions"),
    ] {
        let entry = by(serial);
        assert_eq!((entry.state.as_str(), entry.ready), (state, false));
        assert!(entry.hint.is_some());
    }
    let twins: Vec<_> = list.iter().filter(|e| e.id.as_str() == "TWIN").collect();
    assert!(twins.len() == 2 && twins.iter().all(|e| !e.ready));
    assert!(twins[1].hint.as_deref().unwrap().contains("transport 8"));

    let open = async |serial: &str| fake.devices().open(&DeviceId::new(serial)).await.unwrap_err();
    assert!(matches!(open("NOBODY").await, DeviceError::NotFound(_)));
    assert!(matches!(open("R5").await, DeviceError::Unauthorized(_)));
    assert!(matches!(open("10.0.0.9:5555").await, DeviceError::NotReady(_, s) if s == "offline"));
    assert!(matches!(open("TWIN").await, DeviceError::Refused { .. }));
}

#[tokio::test]
async fn a_phone_tells_what_it_is() {
    let about = |request: &str| request.contains("getprop").then(|| Reply::out(ABOUT));
    let fake = Fake::phone(about).await;
    let info = fake.open().await.info().await.unwrap();
    assert_eq!((info.model.as_str(), info.android_version.as_str()), ("Pixel 7", "14"));
    assert_eq!(info.screen, ScreenSize { width: 2400, height: 1080 });
}

#[tokio::test]
async fn a_server_that_is_not_one_is_named() {
    let errors = [
        (Reply::Mute, "did not answer"),
        (Reply::Cut, "ended"),
        (Reply::Fail("unknown host service"), "unknown host service"),
    ];
    for (reply, cause) in errors {
        let fake = Fake::start(move |_| reply.clone()).await;
        let error = fake.devices().list().await.unwrap_err();
        assert!(matches!(&error, DeviceError::NoServer { .. }), "{error:?}");
        assert!(error.to_string().contains(cause), "{error}");
    }
}

#[tokio::test]
async fn without_a_server_and_without_adb_it_says_so() {
    let fake = Fake::start(|_| Reply::Cut).await;
    let config = fake.config();
    drop(fake);
    tokio::task::yield_now().await;
    let error = AdbDevices::new(config).list().await.unwrap_err().to_string();
    assert!(error.ends_with("adb.start-server is off") || error.contains("ended"), "{error}");
}

/// A server that is there and busy: adb's own program would end one of another version.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_does_not_answer_in_time_is_not_started_over() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let full = socket.listen(1).unwrap();
    let port = full.local_addr().unwrap().port();
    // What does not fit into the queue of a listener gets no answer.
    let limit = std::time::Duration::from_millis(200);
    let mut waiting = Vec::new();
    while let Ok(connected) =
        tokio::time::timeout(limit, tokio::net::TcpStream::connect(("127.0.0.1", port))).await
    {
        waiting.push(connected.unwrap());
        assert!(waiting.len() < 100);
    }
    for host in ["127.0.0.1", "localhost"] {
        let server = ServerAddress::Tcp { host: host.to_owned(), port };
        let mut config = AdbConfig { limits: SHORT, ..AdbConfig::new(server, None) };
        config.limits.connect = limit;
        let error = AdbDevices::new(config).list().await.unwrap_err().to_string();
        assert!(error.contains("no connection within 0.2 s"), "{host}: {error}");
        assert!(!error.contains("started"), "{host}: {error}");
    }
}

#[tokio::test]
async fn this_machine_by_its_name_is_reached_at_either_address() {
    for at in ["127.0.0.1:0", "[::1]:0"] {
        // Some machines have no IPv6.
        let Ok(listener) = tokio::net::TcpListener::bind(at).await else { continue };
        let port = listener.local_addr().unwrap().port();
        let server = ServerAddress::Tcp { host: "localhost".to_owned(), port };
        let config = AdbConfig { limits: SHORT, ..AdbConfig::new(server, None) };
        let served = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_exact(&mut [0; 16]).await.unwrap();
            stream.write_all(b"OKAY00040029").await.unwrap();
        });
        assert_eq!(AdbDevices::new(config).server_version().await.unwrap(), 41, "{at}");
        served.await.unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_is_started_with_fixed_arguments_and_once() {
    use std::os::unix::fs::PermissionsExt as _;

    let dir = tempfile::tempdir().unwrap();
    let adb = dir.path().join("adb");
    let told = dir.path().join("told");
    std::fs::write(&adb, format!("#!/bin/sh\necho \"$@\" >> '{}'\nexit 3\n", told.display()))
        .unwrap();
    std::fs::set_permissions(&adb, std::fs::Permissions::from_mode(0o755)).unwrap();
    let socket = dir.path().join("adb.sock");
    let config = |server| AdbConfig { limits: SHORT, ..AdbConfig::new(server, Some(adb.clone())) };

    let devices = AdbDevices::new(config(ServerAddress::Local(socket.clone())));
    let error = devices.list().await.unwrap_err().to_string();
    assert!(error.contains("start-server") && error.contains('3'), "{error}");
    // What failed just now is not tried again at once.
    assert!(devices.list().await.is_err());
    let expected = format!("-L localfilesystem:{} start-server\n", socket.display());
    assert_eq!(std::fs::read_to_string(&told).unwrap(), expected);

    // A server on another machine is nobody's to start.
    let far = ServerAddress::Tcp { host: "192.0.2.1".to_owned(), port: 5037 };
    let mut config = config(far);
    config.limits.connect = std::time::Duration::from_millis(200);
    assert!(AdbDevices::new(config).list().await.is_err());
    assert_eq!(std::fs::read_to_string(&told).unwrap(), expected);
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_on_a_unix_socket_is_reached() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("adb.sock");
    let listener = tokio::net::UnixListener::bind(&path).unwrap();
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 16];
        stream.read_exact(&mut request).await.unwrap();
        stream.write_all(b"OKAY00040029").await.unwrap();
        request
    });
    let config = AdbConfig { limits: SHORT, ..AdbConfig::new(ServerAddress::Local(path), None) };
    assert_eq!(AdbDevices::new(config).server_version().await.unwrap(), 41);
    assert_eq!(&served.await.unwrap(), b"000chost:version");
}

#[tokio::test]
async fn a_file_that_the_phone_does_not_take_is_told_in_its_words() {
    let phone = Fake::phone(|r| {
        let answer = |id: &[u8]| match id {
            b"DONE" => b"FAIL\x17\0\0\0No such file, not found".to_vec(),
            _ => Vec::new(),
        };
        (r == "sync:").then_some(Reply::Sync(answer))
    })
    .await;
    let error = phone.open().await.install(b"abc").await.unwrap_err();
    assert!(matches!(&error, DeviceError::Refused { .. }), "{error:?}");
    assert!(error.to_string().contains("No such file"), "{error}");
    let commands = phone.commands();
    assert!(commands.iter().all(|line| !line.contains("pm install")), "{commands:?}");
    // What is no answer at all leaves it open.
    let phone =
        Fake::phone(|r| (r == "sync:").then_some(Reply::Sync(|_| b"WHAT\0\0\0\0".to_vec()))).await;
    assert!(phone.open().await.install(b"abc").await.unwrap_err().may_have_acted());
}
