//! Pictures and trees that come whole, cut, late or not at all.
use ayeaye_agent::{Device as _, DeviceError, ScreenSize};

use super::fake::{Fake, Reply};

const WIDTH: u32 = 20;
const HEIGHT: u32 = 30;

fn raw() -> Vec<u8> {
    let head = [WIDTH, HEIGHT, 1, 1].into_iter().flat_map(u32::to_le_bytes);
    head.chain(std::iter::repeat_n(200, (WIDTH * HEIGHT * 4) as usize)).collect()
}

fn png() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[9; (WIDTH * HEIGHT * 3) as usize]).unwrap();
    writer.finish().unwrap();
    file
}

async fn with(
    raw: impl Fn() -> Reply + Send + Sync + 'static,
    png: impl Fn() -> Reply + Send + Sync + 'static,
) -> Fake {
    Fake::phone(move |request| match request {
        "exec:screencap" => Some(raw()),
        "exec:screencap -p" => Some(png()),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn a_whole_picture_takes_one_call() {
    let fake = with(|| Reply::Bytes(raw()), || Reply::Cut).await;
    let device = fake.open().await;
    for _ in 0..2 {
        let frame = device.capture().await.unwrap();
        assert_eq!(frame.size(), ScreenSize { width: WIDTH, height: HEIGHT });
    }
    assert_eq!(fake.commands(), ["screencap", "screencap"]);
}

#[tokio::test]
async fn a_picture_that_is_cut_short_is_asked_for_again_and_then_refused() {
    for end in [15, 16, 17, 500, raw().len() - 5, raw().len() - 1] {
        let cut = move || Reply::Bytes(raw()[..end].to_vec());
        let fake = with(cut, || Reply::Cut).await;
        let error = fake.open().await.capture().await.unwrap_err();
        assert!(matches!(&error, DeviceError::Garbled { .. }), "{end}: {error:?}");
        assert!(error.to_string().contains(" came instead of 2416"), "{error}");
        assert_eq!(fake.commands().len(), 3, "{end}");
    }
}

#[tokio::test]
async fn a_phone_without_raw_pictures_is_asked_for_png_and_remembered() {
    let usage = || Reply::Bytes(b"screencap: raw is not supported\n".to_vec());
    let fake = with(usage, || Reply::Bytes(png())).await;
    let device = fake.open().await;
    for _ in 0..2 {
        assert_eq!(device.capture().await.unwrap().rgba()[..4], [9, 9, 9, 255]);
    }
    assert_eq!(fake.commands(), ["screencap", "screencap -p", "screencap -p"]);

    let fake = with(usage, || Reply::Bytes(png()[..80].to_vec())).await;
    let error = fake.open().await.capture().await.unwrap_err().to_string();
    assert!(error.contains("not supported") && error.contains("no end"), "{error}");
}

#[tokio::test]
async fn a_frozen_phone_is_given_up_in_time() {
    let fake = with(|| Reply::Silence, || Reply::Cut).await;
    let error = fake.open().await.capture().await.unwrap_err();
    assert!(matches!(error, DeviceError::TimedOut { .. }), "{error:?}");
}

#[tokio::test]
async fn a_flood_is_bounded() {
    let fake = with(|| Reply::Endless(vec![1; 1 << 20]), || Reply::Cut).await;
    let error = fake.open().await.capture().await.unwrap_err();
    // Whichever of the two limits is met first.
    let bounded = matches!(&error, DeviceError::Garbled { .. } | DeviceError::TimedOut { .. });
    assert!(bounded, "{error:?}");
}

#[tokio::test]
async fn a_phone_that_goes_is_told_from_a_bad_picture() {
    let fake = with(|| Reply::Fail("device offline"), || Reply::Cut).await;
    let error = fake.open().await.capture().await.unwrap_err();
    assert!(matches!(error, DeviceError::NotReady(..)), "{error:?}");
}

#[tokio::test]
async fn a_tree_that_cannot_be_had_is_none() {
    let tree = async |reply: Reply| {
        let dump = "exec:uiautomator dump /dev/tty";
        let fake = Fake::phone(move |r| (r == dump).then(|| reply.clone())).await;
        fake.open().await.ui_tree().await
    };
    let whole = b"<hierarchy rotation=\"0\"><node /></hierarchy>UI hierchary dumped to: /dev/tty";
    assert!(tree(Reply::Bytes(whole.to_vec())).await.unwrap().unwrap().ends_with("</hierarchy>"));
    assert_eq!(tree(Reply::Bytes(whole[..30].to_vec())).await.unwrap(), None);
    assert_eq!(tree(Reply::Silence).await.unwrap(), None);
    assert!(tree(Reply::Fail("device 'X' not found")).await.is_err());
}
