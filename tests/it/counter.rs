//! Acts of which one small number on the screen is all that tells: they are not taken for acts that do nothing.
use std::time::Duration;

use ayeaye::config::ToolSet;
use ayeaye_phone::{Phone, PhoneOptions, VirtualPhone};
use serde_json::{Value, json};

use crate::support::{Answer, FakeVlm, Rig, RigOptions, complete, gelab, tap};

/// A phone of the usual size in front of a product of the shop.
async fn rig() -> Rig {
    let phone = Phone::new(PhoneOptions {
        transitions: (Duration::from_millis(5), Duration::from_millis(20)),
        ..PhoneOptions::default()
    });
    let options = RigOptions { tools: ToolSet::ALL, ..RigOptions::default() };
    let rig = Rig::with(
        FakeVlm::start(|_| Answer::Silence).await,
        RigOptions { virtual_phone: VirtualPhone::new(phone), ..options },
    )
    .await;
    assert_eq!(rig.virtual_phone.phone().display_size(), (1080, 2400));
    rig
}

fn in_cart(phone: &Phone) -> u64 {
    phone.state().cart.iter().map(|line| u64::from(line.quantity)).sum()
}

fn with_id(id: &str) -> impl Fn(&Value) -> bool {
    move |node| node["id"].as_str().is_some_and(|it| it.rsplit('/').next() == Some(id))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_told_that_the_screen_has_changed_where_only_a_count_has() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    let act = async |tool: &str, mut arguments: Value| {
        arguments["device_id"] = json!(rig.serial);
        // While something still moves on a busy machine an act is put off, and to be tried again.
        for _ in 0..5 {
            let tried = rig.raw_call(tool, arguments.clone()).await;
            if tried.is_error != Some(true) {
                return tried.structured_content.expect("a structured result");
            }
            let said = format!("{:?}", tried.content);
            assert!(
                said.contains("the screen has changed where it was aimed at"),
                "{tool}: {said}"
            );
        }
        panic!("{tool}: the screen never rests");
    };
    act("launch_app", json!({ "app": "Shop" })).await;
    act("tap", place(&tap(&phone, with_id("product")))).await;
    act("tap", place(&tap(&phone, with_id("size")))).await;
    let add = place(&tap(&phone, with_id("add_to_cart")));
    for nth in 1..=9 {
        let added = act("tap", add.clone()).await;
        assert_eq!((in_cart(&phone), &added["screen_changed"]), (nth, &json!(true)), "{added}");
    }
    let mut beside = act("tap", json!({ "x": 500, "y": 100 })).await;
    if beside["screen_changed"] == true {
        // The word that it was added goes away by itself, once.
        beside = act("tap", json!({ "x": 500, "y": 100 })).await;
    }
    assert_eq!(beside["screen_changed"], false, "{beside}");
}

/// Where a click goes.
fn place(click: &str) -> Value {
    let point = click.split("point:").nth(1).unwrap().split('\t').next().unwrap();
    let (x, y) = point.split_once(',').unwrap();
    json!({ "x": x.parse::<u32>().unwrap(), "y": y.parse::<u32>().unwrap() })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_adds_to_a_count_is_not_stuck() {
    let rig = rig().await;
    let phone = rig.virtual_phone.phone().clone();
    let mut asked = 0;
    rig.vlm.now(move |_| {
        asked += 1;
        Answer::Says(match asked {
            1 => gelab("AWAKE", "value:Shop", "opened"),
            2 => tap(&phone, with_id("product")),
            3 => tap(&phone, with_id("size")),
            4..13 => tap(&phone, with_id("add_to_cart")),
            _ => complete("Nine are in the cart."),
        })
    });
    let ended = rig.start("Put nine of the first pair of shoes in the cart").await;
    assert_eq!(ended["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{ended}");
    assert_eq!(in_cart(rig.virtual_phone.phone()), 9);
    let told = rig.vlm.asked().iter().map(Value::to_string).collect::<String>();
    assert!(!told.contains("has not changed"), "{told}");
}
