//! Lists of elements, one after the other.
use std::sync::Mutex;

use ayeaye_agent::{Device as _, DeviceId, NoElements};

use super::fake::{Fake, Reply};

const TREE: &str = "<hierarchy rotation=\"0\"><node /></hierarchy>";
const TAKEN: &str = "java.lang.IllegalStateException: UiAutomationService \
                     android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5c0ad1already \
                     registered!\nKilled\n";

/// A phone whose dumps end like this, one after the other.
async fn dumps(replies: impl IntoIterator<Item = Reply>) -> Fake {
    let mut left: Vec<Reply> = replies.into_iter().collect();
    left.reverse();
    let left = Mutex::new(left);
    Fake::phone(move |request| {
        let next = || left.lock().unwrap().pop().expect("no more dumps");
        request.starts_with("exec:uiautomator").then(next)
    })
    .await
}

fn told(text: &str) -> Reply {
    Reply::Bytes(text.as_bytes().to_vec())
}

#[tokio::test]
async fn a_dump_of_ours_that_still_goes_on_is_not_taken_for_another_program() {
    let fake = dumps([Reply::Silence, told(TAKEN), told(TAKEN), told(TREE)]).await;
    let devices = fake.devices();
    let device = devices.open_adb(&DeviceId::new("X")).await.unwrap();
    let given_up = tokio::spawn(async move { device.ui_tree().await });
    while fake.commands().is_empty() {
        tokio::task::yield_now().await;
    }
    given_up.abort();
    assert!(given_up.await.unwrap_err().is_cancelled());
    // Also where the next run has opened the phone anew.
    let device = devices.open_adb(&DeviceId::new("X")).await.unwrap();
    assert_eq!(device.ui_tree().await.unwrap().as_deref(), Some(TREE));
    assert_eq!(fake.commands().len(), 4);
}

#[tokio::test]
async fn elements_come_after_a_dump_that_took_too_long() {
    let fake = dumps([Reply::Silence, told(TAKEN), told(TREE), told(TAKEN)]).await;
    let device = fake.open().await;
    // The compressed one, after the whole one had not ended in time.
    assert_eq!(device.ui_tree().await.unwrap().as_deref(), Some(TREE));
    // One of ours has had it since, so this is somebody else.
    let error = device.ui_tree().await.unwrap_err();
    assert!(error.to_string().contains("another program"), "{error}");
}

#[tokio::test]
async fn a_stack_trace_instead_of_elements_is_not_told_as_silence() {
    let trace = include_str!("../../samples/uiautomator_dump/12_xiaomi-miui_2_error.txt");
    // An empty dump is made three times, and then three times compressed.
    let fake = dumps(std::iter::repeat_n(told(trace), 6)).await;
    let Err(NoElements::Said(said)) = fake.open().await.ui_tree_or_why().await.unwrap() else {
        panic!("there are none")
    };
    assert!(
        said.starts_with("java.io.FileNotFoundException: /data/system/theme_config/"),
        "{said}"
    );
    // What stands behind the trace says more.
    let fake = dumps([told(&format!("{trace}\nKilled\n"))]).await;
    let told = fake.open().await.ui_tree_or_why().await.unwrap();
    assert_eq!(told, Err(NoElements::Said("Killed".to_owned())));
}

#[tokio::test]
async fn what_the_phone_says_instead_of_elements_is_told() {
    let refused = "java.lang.SecurityException: not allowed\n\tat android.os.Parcel\n";
    let fake = dumps([
        told("/system/bin/sh: uiautomator: inaccessible or not found\n"),
        told(refused),
        told("<?xml version='1.0' ?><hierarchy rotation=\"0\"><node text=\"a"),
    ])
    .await;
    let device = fake.open().await;
    let said = |text: &str| Err(NoElements::Said(text.to_owned()));
    assert_eq!(
        device.ui_tree_or_why().await.unwrap(),
        said("/system/bin/sh: uiautomator: inaccessible or not found")
    );
    assert_eq!(
        device.ui_tree_or_why().await.unwrap(),
        said("java.lang.SecurityException: not allowed")
    );
    let Err(NoElements::Unusable(why)) = device.ui_tree_or_why().await.unwrap() else {
        panic!("of a part")
    };
    assert!(why.contains("broke off"), "{why}");
}
