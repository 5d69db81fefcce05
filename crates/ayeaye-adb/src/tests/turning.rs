//! A phone with a size of its own that is turned while it is looked at.
use std::sync::atomic::{AtomicUsize, Ordering};

use ayeaye_agent::{Device as _, ScreenSize};

use super::fake::{Fake, Reply};

/// Held upright: the panel, and what is drawn on it at half the size.
const PANEL: (u32, u32) = (20, 40);
const DRAWN: (u32, u32) = (10, 20);

fn raw() -> Vec<u8> {
    let head = [PANEL.0, PANEL.1, 1, 0].map(u32::to_le_bytes).concat();
    [head, vec![0x7f; (PANEL.0 * PANEL.1 * 4) as usize]].concat()
}

fn viewport((width, height): (u32, u32), (across, down): (u32, u32)) -> String {
    format!(
        "  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:1', \
         logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {across}, {down}), \
         deviceWidth={across}, deviceHeight={down}}}]\n"
    )
}

#[tokio::test]
async fn what_a_phone_tells_while_it_turns_is_asked_again() {
    let asked = AtomicUsize::new(0);
    let fake = Fake::phone(move |request| {
        if request.contains("wm size") {
            let before = "--ayeaye--\n".repeat(4);
            return Some(Reply::out(format!(
                "{before}Physical size: {}x{}\nOverride size: {}x{}\n",
                PANEL.0, PANEL.1, DRAWN.0, DRAWN.1
            )));
        }
        if request.contains("DisplayViewport") {
            let late = asked.fetch_add(1, Ordering::Relaxed) == 0;
            let sideways = |(width, height): (u32, u32)| (height, width);
            return Some(Reply::out(if late {
                viewport(sideways(DRAWN), sideways(PANEL))
            } else {
                viewport(DRAWN, PANEL)
            }));
        }
        (request == "exec:screencap").then(|| Reply::Bytes(raw()))
    })
    .await;
    let device = fake.open().await;
    device.info().await.unwrap();
    let size = |(width, height): (u32, u32)| ScreenSize { width, height };
    assert_eq!(device.capture().await.unwrap().size(), size(PANEL));
    assert_eq!(device.capture().await.unwrap().size(), size(DRAWN));
}
