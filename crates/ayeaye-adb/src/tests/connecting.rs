//! Phones on the network, over an adb server that answers as AOSP's sources say.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::fake::{Fake, Reply};
use crate::{AdbConfig, AdbDevices, ConnectError, OfferKind, ServerAddress};

const PHONE: &str = "10.0.0.9:5555";

fn body(text: &str) -> Reply {
    Reply::Body(text.to_owned())
}

#[tokio::test]
async fn a_phone_is_connected_once_it_is_ready() {
    let looks = Arc::new(AtomicU32::new(0));
    let fake = Fake::start(move |request| match request {
        "host:connect:10.0.0.9:5555" => body("connected to 10.0.0.9:5555"),
        // An older server says so before the phone has answered.
        "host:devices-l" => body(match looks.fetch_add(1, Ordering::SeqCst) {
            0 => "10.0.0.9:5555 offline transport_id:3\n",
            1 => "10.0.0.9:5555 authorizing transport_id:3\n",
            _ => "10.0.0.9:5555 device product:p model:m transport_id:3\n",
        }),
        _ => Reply::Cut,
    })
    .await;
    let devices = fake.devices();
    assert_eq!(devices.connect(PHONE).await.unwrap(), PHONE);
    assert_eq!(devices.connect("10.0.0.9").await.unwrap(), PHONE, "the port is the usual one");
}

#[tokio::test]
async fn adbs_okay_is_not_taken_for_a_success() {
    let fake = Fake::start(|request| match request {
        "host:connect:10.0.0.8:5555" => {
            body("failed to connect to '10.0.0.8:5555': Connection refused")
        }
        "host:connect:nowhere:5555" => {
            body("failed to resolve host: 'nowhere': Name or service not known")
        }
        "host:connect:10.0.0.7:5555" => body("failed to authenticate to 10.0.0.7:5555"),
        "host:connect:10.0.0.6:5555" => body("connected to 10.0.0.6:5555"),
        "host:connect:10.0.0.5:5555" => body("already connected to 10.0.0.5:5555"),
        "host:devices-l" => body("10.0.0.6:5555 unauthorized transport_id:3\n"),
        _ => Reply::Cut,
    })
    .await;
    let devices = fake.devices();
    let error = async |address: &str| devices.connect(address).await.unwrap_err();
    assert_eq!(error("10.0.0.8").await, ConnectError::PortClosed("10.0.0.8:5555".to_owned()));
    assert_eq!(error("nowhere").await, ConnectError::UnknownHost("nowhere:5555".to_owned()));
    for address in ["10.0.0.7", "10.0.0.6"] {
        assert!(matches!(error(address).await, ConnectError::NotAuthorized(_)), "{address}");
    }
    assert!(matches!(error("; id").await, ConnectError::InvalidAddress(_)));
    // It is in nobody's list.
    assert!(matches!(error("10.0.0.5").await, ConnectError::NotReady(..)));
}

#[tokio::test]
async fn a_phone_that_adb_had_lost_is_connected_anew() {
    let calls = Arc::new(AtomicU32::new(0));
    let made = Arc::clone(&calls);
    let fake = Fake::start(move |request| match request {
        "host:connect:10.0.0.9:5555" if made.fetch_add(1, Ordering::SeqCst) == 0 => {
            body("already connected to 10.0.0.9:5555")
        }
        "host:connect:10.0.0.9:5555" => body("connected to 10.0.0.9:5555"),
        "host:disconnect:10.0.0.9:5555" => body("disconnected 10.0.0.9:5555"),
        "host:devices-l" if made.load(Ordering::SeqCst) == 1 => body("10.0.0.9:5555 offline\n"),
        "host:devices-l" => body("10.0.0.9:5555 device\n"),
        _ => Reply::Cut,
    })
    .await;
    assert_eq!(fake.devices().connect(PHONE).await.unwrap(), PHONE);
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn what_is_no_phone_does_not_stay_in_the_list() {
    let gone = Arc::new(AtomicU32::new(0));
    let seen = Arc::clone(&gone);
    let fake = Fake::start(move |request| match request {
        "host:connect:10.0.0.9:5555" => body("connected to 10.0.0.9:5555"),
        "host:disconnect:10.0.0.9:5555" => {
            seen.fetch_add(1, Ordering::SeqCst);
            body("disconnected 10.0.0.9:5555")
        }
        "host:devices-l" => body("10.0.0.9:5555 offline\n"),
        _ => Reply::Cut,
    })
    .await;
    let error = fake.devices().connect(PHONE).await.unwrap_err();
    assert_eq!(error, ConnectError::NotAPhone(PHONE.to_owned()));
    assert_eq!(gone.load(Ordering::SeqCst), 2, "once between the two tries, once at the end");
}

#[tokio::test]
async fn an_address_that_could_not_be_connected_does_not_stay_in_the_list() {
    for (said, listed, is_removed) in [
        ("failed to connect to 10.0.0.9:5555", "", true),
        ("failed to connect to '10.0.0.9:5555': No route to host", "emulator-5554 device\n", true),
        // It was there before, and adb goes on trying it.
        ("failed to connect to 10.0.0.9:5555", "10.0.0.9:5555 offline\n", false),
        // Somebody may allow it yet.
        ("failed to authenticate to 10.0.0.9:5555", "", false),
    ] {
        let gone = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&gone);
        let fake = Fake::start(move |request| match request {
            "host:connect:10.0.0.9:5555" => body(said),
            "host:disconnect:10.0.0.9:5555" => {
                seen.fetch_add(1, Ordering::SeqCst);
                body("disconnected 10.0.0.9:5555")
            }
            "host:devices-l" => body(listed),
            _ => Reply::Cut,
        })
        .await;
        fake.devices().connect(PHONE).await.unwrap_err();
        assert_eq!(gone.load(Ordering::SeqCst), u32::from(is_removed), "{said} {listed}");
    }
}

#[tokio::test]
async fn names_and_other_addresses_are_left_to_adb() {
    let service = "adb-X1-abc._adb-tls-connect._tcp";
    let fake = Fake::start(move |request| match request.strip_prefix("host:connect:") {
        Some(address @ ("phone.local:5555" | "[2001:db8::7]:5555")) => {
            body(&format!("connected to {address}"))
        }
        Some(address) if address == service => body(&format!("connected to {address}")),
        _ if request == "host:devices-l" => {
            body(&format!("phone.local:5555 device\n[2001:db8::7]:5555 device\n{service} device\n"))
        }
        _ => Reply::Cut,
    })
    .await;
    let devices = fake.devices();
    for (typed, serial) in [
        ("phone.local", "phone.local:5555"),
        ("2001:db8::7", "[2001:db8::7]:5555"),
        (service, service),
    ] {
        assert_eq!(devices.connect(typed).await.unwrap(), serial);
    }
}

#[tokio::test]
async fn a_name_that_adb_lists_with_a_dot_is_the_phone_that_was_meant() {
    let service = "adb-X1-abc._adb-tls-connect._tcp";
    let fake = Fake::start(move |request| match request {
        "host:devices-l" => body(&format!("{service}. device product:p model:M\n")),
        _ => body(&format!("connected to {service}")),
    })
    .await;
    assert_eq!(fake.devices().connect(service).await.unwrap(), format!("{service}."));
}

#[tokio::test]
async fn one_phone_or_all_are_disconnected() {
    let fake = Fake::start(|request| match request {
        "host:disconnect:" => body("disconnected everything"),
        "host:disconnect:10.0.0.9:5555" => body("disconnected 10.0.0.9:5555"),
        "host:disconnect:10.0.0.8:5555" => Reply::Fail("no such device '10.0.0.8:5555'"),
        "host:disconnect:phone.local:5555" => {
            Reply::Fail("error: device 'phone.local:5555' not found")
        }
        _ => Reply::Cut,
    })
    .await;
    let devices = fake.devices();
    devices.disconnect(None).await.unwrap();
    devices.disconnect(Some(PHONE)).await.unwrap();
    for unknown in ["10.0.0.8", "phone.local"] {
        let error = devices.disconnect(Some(unknown)).await.unwrap_err();
        assert_eq!(error, ConnectError::NotConnected(format!("{unknown}:5555")));
    }
}

#[tokio::test]
async fn a_phone_is_paired_or_says_why_not() {
    // adb grants the service before it knows how it ends: a `FAIL` comes behind the `OKAY`.
    let late = |text: &str| Reply::Bytes(format!("FAIL{:04x}{text}", text.len()).into_bytes());
    let fake = Fake::start(move |request| match request {
        "host:pair:123456:10.0.0.9:37123" => {
            body("Successfully paired to 10.0.0.9:37123 [guid=adb-X1-abc]")
        }
        "host:pair:654321:10.0.0.9:37123" => {
            late("Failed: Wrong password or connection was dropped.")
        }
        "host:pair:123456:10.0.0.9:1" => late("Failed: Unable to start pairing client."),
        _ => Reply::Cut,
    })
    .await;
    let devices = fake.devices();
    let paired = devices.pair("10.0.0.9:37123", "123456").await.unwrap();
    assert_eq!(paired.name.as_deref(), Some("adb-X1-abc"));
    let error = async |address: &str, code: &str| devices.pair(address, code).await.unwrap_err();
    assert_eq!(error("10.0.0.9:37123", "654321").await, ConnectError::WrongCode);
    assert_eq!(
        error("10.0.0.9:1", "123456").await,
        ConnectError::NotPairing("10.0.0.9:1".to_owned())
    );
    for code in ["", "12 34", "1:2", "1;id"] {
        assert_eq!(error("10.0.0.9:37123", code).await, ConnectError::InvalidCode, "{code}");
    }
    assert!(matches!(error("10.0.0.9", "123456").await, ConnectError::MissingPort(_)));

    let old = Fake::start(|_| Reply::Fail("unknown host service")).await;
    let error = old.devices().pair("10.0.0.9:37123", "123456").await.unwrap_err();
    assert_eq!(error, ConnectError::TooOld("pair"));
}

#[tokio::test]
async fn a_server_that_breaks_off_is_no_success() {
    for reply in [Reply::Cut, Reply::Bytes(b"00ffshort".to_vec()), Reply::Bytes(b"FAIL00".to_vec())]
    {
        let fake = Fake::start(move |_| reply.clone()).await;
        let error = fake.devices().pair("10.0.0.9:37123", "123456").await.unwrap_err();
        assert!(matches!(error, ConnectError::NoServer(_)), "{error:?}");
    }
    // One that tells its version is there: `adb pair` says "protocol fault (couldn't read status message)" then.
    let fake = Fake::start(|request| match request {
        "host:version" => body("0029"),
        _ => Reply::Cut,
    })
    .await;
    let error = fake.devices().pair("10.0.0.9:37123", "123456").await.unwrap_err();
    let ConnectError::Refused(said) = error else { panic!("{error:?}") };
    assert!(said.contains("the pairing broke off"), "{said}");
    let gone = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: 1 };
    let error = AdbDevices::new(AdbConfig::new(gone, None)).connect(PHONE).await.unwrap_err();
    assert!(matches!(error, ConnectError::NoServer(_)), "{error:?}");
}

#[tokio::test]
async fn phones_on_the_network_are_listed_where_the_server_listens() {
    let fake = Fake::start(|request| match request {
        "host:mdns:services" => body(
            "adb-X1-abc\t_adb-tls-connect._tcp\t10.0.0.9:37000\nodd\n\
             ayeaye-7\t_adb-tls-pairing._tcp.\t10.0.0.9:40000\n",
        ),
        _ => Reply::Cut,
    })
    .await;
    let found = fake.devices().discover().await.unwrap();
    let told: Vec<_> = found.iter().map(|it| (it.kind, it.address.as_str())).collect();
    assert_eq!(
        told,
        [(OfferKind::Connect, "10.0.0.9:37000"), (OfferKind::Pairing, "10.0.0.9:40000")]
    );

    for (check, expected) in [
        (body("mdns daemon version [Openscreen discovery 0.0.0]"), Ok(Vec::new())),
        (
            body("ERROR: mdns daemon unavailable"),
            Err(ConnectError::NoDiscovery("mdns daemon unavailable".to_owned())),
        ),
    ] {
        let fake = Fake::start(move |request| match request {
            "host:mdns:services" => body(""),
            "host:mdns:check" => check.clone(),
            _ => Reply::Cut,
        })
        .await;
        assert_eq!(fake.devices().discover().await, expected);
    }
    let old = Fake::start(|_| Reply::Fail("unknown host service")).await;
    let error = old.devices().discover().await.unwrap_err();
    assert!(matches!(error, ConnectError::TooOld(_)), "{error:?}");
}
