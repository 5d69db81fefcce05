//! Another phone that answers at the address of the one that a client drives itself. adb takes a link that it lost up
//! again, with the number that the connection had.
use std::net::SocketAddr;

use ayeaye_phone::{LinkState, Phone, PhoneOptions, VirtualPhone};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::fence::{OVER_WIFI, served_at, taps};
use crate::support::{Binary, Raw, plugged_in, quick_phone};

struct TwoPhones {
    first: VirtualPhone,
    other: VirtualPhone,
    address: SocketAddr,
    attached: Option<DropGuard>,
    server: Raw,
}

impl TwoPhones {
    async fn new() -> Self {
        let (first, options) = (quick_phone(), quick_phone().phone().options().clone());
        let other = VirtualPhone::new(Phone::new(PhoneOptions {
            serial: "ANNA-9-0001".to_owned(),
            model: "Pixel 9 Pro".to_owned(),
            ..options
        }));
        let (address, attached) = plugged_in(&first.also_as(OVER_WIFI)).await;
        let mut server = Binary::unconfigured(address).modern_with(&["--tools", "device,manage"]);
        server.initialize(json!({})).await;
        Self { first, other, address, attached: Some(attached), server }
    }

    /// The link breaks, which is seen in a list, and the other phone is there when adb takes it up again.
    async fn swap(&mut self) -> CancellationToken {
        self.first.faults().set(|plan| plan.link = LinkState::Offline);
        let list = self.server.facts("list_connected_devices", json!({})).await;
        assert_eq!(list["devices"][0]["state"], "offline", "{list}");
        drop(self.attached.take());
        served_at(self.address, self.other.also_as(OVER_WIFI)).await
    }

    async fn told(&mut self, tool: &str, mut arguments: Value) -> (bool, String) {
        arguments["device_id"] = json!(OVER_WIFI);
        self.server.tool(tool, arguments).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_that_was_meant_for_the_phone_before_is_not_done_on_another_one() {
    let mut it = TwoPhones::new().await;
    let tap = |x: u32| json!({ "x": x, "y": 400 });
    let (failed, told) = it.told("tap", tap(300)).await;
    assert!(!failed, "{told}");
    let _down = it.swap().await.drop_guard();
    let (failed, told) = it.told("tap", tap(700)).await;
    assert!(failed && told.contains("began on another phone"), "{told}");
    assert_eq!((taps(it.first.phone()), taps(it.other.phone())), (vec![(300, 400)], vec![]));
    // Now it is told; the next one means the phone that is there.
    let (failed, told) = it.told("tap", tap(800)).await;
    assert!(!failed, "{told}");
    assert_eq!(taps(it.other.phone()), [(800, 400)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_for_the_phone_before_is_none_for_another_one() {
    let mut it = TwoPhones::new().await;
    let app = json!({ "app": "Notes" });
    let (failed, told) = it.told("uninstall_app", app.clone()).await;
    assert!(failed && told.contains("your user has to agree first"), "{told}");
    let code = told.split("\"approval\": \"").nth(1).unwrap().split('"').next().unwrap();
    let _down = it.swap().await.drop_guard();
    let with_yes = json!({ "app": "Notes", "approval": code });
    let (failed, told) = it.told("uninstall_app", with_yes).await;
    assert!(
        failed && told.contains("is another phone now than when your user was asked"),
        "{told}"
    );
    assert!(!told.contains("pm uninstall"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_the_adb_server_has_forgotten_is_connected_again_by_the_next_act() {
    let mut it = TwoPhones::new().await;
    let tap = json!({ "x": 300, "y": 400 });
    for count in 1..=3 {
        let (failed, told) = it.told("tap", tap.clone()).await;
        assert!(!failed, "{told}");
        assert_eq!(taps(it.first.phone()).len(), count);
        disconnect(it.address).await;
    }
}

/// `adb disconnect`.
async fn disconnect(server: SocketAddr) {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = tokio::net::TcpStream::connect(server).await.unwrap();
    let request = format!("host:disconnect:{OVER_WIFI}");
    stream.write_all(format!("{:04x}{request}", request.len()).as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("disconnected"), "{answer}");
}
