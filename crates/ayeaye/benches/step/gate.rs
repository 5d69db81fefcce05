//! What the gate costs a step: the facts of a large screen, the words of a long task, and the verdict.
use std::time::Instant;

use anyhow::Context as _;
use ayeaye_agent::gate::{GateHistory, GateRequest, Policy, ScreenFacts, UserWords, judge};
use ayeaye_agent::{Elements, Gesture, Point, ScreenSize};
use serde_json::{Value, json};

const SIZE: ScreenSize = ScreenSize { width: 1080, height: 2400 };
/// Elements of the screens; the largest that phones were seen to have are a few hundred.
const ELEMENTS: [usize; 3] = [60, 200, 600];

/// Asks this often on each screen, of taps, typing and enter in turn; in microseconds.
pub(crate) fn run(times: u32) -> anyhow::Result<Value> {
    let screens: anyhow::Result<Vec<Value>> =
        ELEMENTS.iter().map(|elements| on_screen(*elements, times)).collect();
    Ok(json!({ "gate_us": screens?, "times": times }))
}

fn on_screen(elements: usize, times: u32) -> anyhow::Result<Value> {
    let rows: Vec<String> = (0..elements / 3)
        .map(|row| {
            let (top, bottom) = (80 + row * 11, 90 + row * 11);
            format!(
                r#"<node class="android.widget.LinearLayout" clickable="true" bounds="[0,{top}][1080,{bottom}]"><node text="Row {row} about an order of last week" class="android.widget.TextView" bounds="[40,{top}][700,{bottom}]"/><node content-desc="More" class="android.widget.ImageView" clickable="true" bounds="[800,{top}][1000,{bottom}]"/></node>"#
            )
        })
        .collect();
    let rows = rows.concat();
    let xml = format!("<hierarchy>{rows}</hierarchy>");
    let elements = Elements::read(&xml).context("the screen is read")?;
    let point = Point::new(300, 500)?;
    let (text, submit) = ("I am ten minutes late".to_owned(), true);
    let gestures = [
        Gesture::Click { point },
        Gesture::Type { text, point: Some(point), clear: false, submit },
        Gesture::HotKey { key: ayeaye_agent::Key::Enter },
    ];
    let task =
        "Tell Anna that I am ten minutes late, then put running shoes of size 42 in the cart. "
            .repeat(10);
    let (policy, history) = (Policy::default(), GateHistory::default());
    let mut took = Vec::new();
    for gesture in gestures.iter().cycle().take(times.max(1) as usize) {
        let begun = Instant::now();
        let words = UserWords::new([task.as_str()]);
        let screen = ScreenFacts::new(Some(&elements), gesture, SIZE, false);
        let verdict = judge(
            &policy,
            &GateRequest {
                words: &words,
                gesture,
                package: "com.example.shop",
                activity: "com.example.shop.Main",
                label: "Shop",
                screen: &screen,
                history: &history,
                marked: false,
            },
        );
        took.push(begun.elapsed().as_micros());
        std::hint::black_box(verdict);
    }
    took.sort_unstable();
    let at = |part: usize| took.get(took.len() * part / 100).or(took.last()).copied();
    Ok(
        json!({ "elements": elements.iter().count(), "p50": at(50), "p99": at(99), "max": took.last() }),
    )
}
