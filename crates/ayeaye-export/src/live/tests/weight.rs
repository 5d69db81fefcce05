//! What a step costs on the disk, in the record and in all four logs together.
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use ayeaye_agent::journal::{Fact, PartRecord, RecordEntry};
use ayeaye_agent::{Journal as _, SessionId};
use bytes::Bytes;

use super::rig;
use crate::formats::{Format, LogSettings, make_projection};
use crate::testing::{EventBuilder, click};

const WIDTH: usize = 720;
const HEIGHT: usize = 1600;
/// With all that Android says of it.
const NODE: &str = "<node index=\"3\" text=\"Messages\" resource-id=\"com.android.launcher3:id/icon\" \
    class=\"android.widget.TextView\" package=\"com.android.launcher3\" content-desc=\"Messages\" \
    checkable=\"false\" checked=\"false\" clickable=\"true\" enabled=\"true\" focusable=\"true\" \
    focused=\"false\" scrollable=\"false\" long-clickable=\"true\" password=\"false\" \
    selected=\"false\" bounds=\"[57,420][298,750]\"/>";
/// As large as a phone's home screen has it.
const TREE_BYTES: usize = 18_000;
const RULES_BYTES: usize = 3_000;
const STEPS: u32 = 4;
/// For each step, whatever is on its screen.
const MOST: u64 = 300_000;

/// Numbers that look random and are the same everywhere.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        f32::from(u16::try_from(self.0 >> 48).unwrap()) / 65_535.0 - 0.5
    }
}

/// A plane of noise in which, as in photos, what is small is faint: waves of all lengths, each half as
/// long as the one before and 0.7 times as high.
fn clouds(noise: &mut Noise) -> Vec<f32> {
    let mut plane = vec![0.0; WIDTH * HEIGHT];
    let (mut length, mut height) = (512, 175.0);
    while 0 < length {
        let columns = WIDTH / length + 2;
        let grid: Vec<f32> = (0..columns * (HEIGHT / length + 2)).map(|_| noise.next()).collect();
        for (at, value) in plane.iter_mut().enumerate() {
            let (x, y) = (at % WIDTH, at / WIDTH);
            let corner = y / length * columns + x / length;
            let number = |it: usize| f32::from(u16::try_from(it).unwrap());
            let part = |at: usize| number(at % length) / number(length);
            let (right, down) = (part(x), part(y));
            let upper = grid[corner] * (1.0 - right) + grid[corner + 1] * right;
            let lower = grid[corner + columns] * (1.0 - right) + grid[corner + columns + 1] * right;
            *value += height * (upper * (1.0 - down) + lower * down);
        }
        (length, height) = (length / 2, height * 0.7);
    }
    plane
}

/// A home screen with a photo behind its icons.
pub(super) fn photo(number: u64) -> Vec<u8> {
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15 ^ (number + 1));
    let light = clouds(&mut noise);
    let tint = clouds(&mut noise);
    let mut rgb = Vec::with_capacity(WIDTH * HEIGHT * 3);
    for (at, (light, tint)) in light.iter().zip(&tint).enumerate() {
        let (x, y) = (at % WIDTH % 170, at / WIDTH % 230);
        let icon = (40..150).contains(&x) && (60..170).contains(&y);
        let dot = (80..110).contains(&x) && (100..130).contains(&y);
        let slope = f32::from(u16::try_from(at / WIDTH).unwrap()) / 20.0;
        for (base, share) in [(90.0, 0.4), (110.0, 0.0), (150.0, -0.4)] {
            let value: f32 = base + slope + light + share * tint;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            let value = value.clamp(0.0, 255.0) as u8;
            rgb.push(match (icon, dot) {
                (_, true) => 250,
                (true, false) => 60,
                (false, false) => value,
            });
        }
    }
    let mut jpeg = Vec::new();
    let side = |length: usize| u16::try_from(length).unwrap();
    jpeg_encoder::Encoder::new(&mut jpeg, 85)
        .encode(&rgb, side(WIDTH), side(HEIGHT), jpeg_encoder::ColorType::Rgb)
        .unwrap();
    jpeg
}

fn entries() -> Vec<RecordEntry> {
    let mut builder = EventBuilder::new();
    for step in 0..STEPS {
        builder.begin_step(step, step + 1).ask(step + 1, 1, "act").reply(step + 1, 1, |_| {});
        builder.act().end_step(Some(click()), None);
    }
    for scope in ["sub_round", "round", "session"] {
        builder.push(Fact::Snapshot {
            scope: scope.into(),
            sub_round: None,
            screenshot: None,
            ui_tree: None,
        });
    }
    builder.end("TASK_COMPLETED_SUCCESSFULLY");
    builder.events.into_iter().map(|event| event.entry).collect()
}

/// Bytes of all files below a folder, those with several names counted once.
fn used(folder: &Path, known: &mut HashSet<u64>) -> u64 {
    let mut sum = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let found = fs::symlink_metadata(&path).unwrap();
        if found.is_dir() {
            sum += used(&path, known);
        } else if known.insert(found.ino()) {
            sum += found.len();
        }
    }
    sum
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_in_front_of_a_photo_costs_at_most_300_kb() {
    let rig = rig(std::sync::Arc::new(make_projection));
    let id = SessionId::new();
    let mut record = rig.logs.create(&id).await.unwrap();
    let rules = record.store_blob(Bytes::from("rule ".repeat(RULES_BYTES / 5)), "text/plain").await;
    let rules = rules.unwrap();
    let mut picture = None;
    for mut entry in entries() {
        let step = u64::from(entry.step.unwrap_or_default());
        match &mut entry.fact {
            Fact::Observe(observe) => {
                let jpeg = photo(step);
                // In true colour a PNG of it has 1.4 MB.
                assert!((140_000..170_000).contains(&jpeg.len()), "{}", jpeg.len());
                picture = Some(record.store_blob(jpeg.into(), "image/jpeg").await.unwrap());
                let mut tree = format!("<hierarchy step=\"{step}\">");
                while tree.len() < TREE_BYTES {
                    tree += NODE;
                }
                let tree =
                    record.store_blob((tree + "</hierarchy>").into(), "application/xml").await;
                observe.screenshot.clone_from(&picture);
                observe.ui_tree = Some(tree.unwrap());
            }
            Fact::LlmRequest(request) => {
                request.messages[0].parts = vec![PartRecord::TextBlob(rules.clone())];
                let picture = PartRecord::Picture(picture.clone().unwrap());
                request.messages[1].parts =
                    vec![PartRecord::Text("What was done. ".repeat(50)), picture];
            }
            Fact::Snapshot { screenshot, .. } => screenshot.clone_from(&picture),
            _ => {}
        }
        record.append(entry).await.unwrap();
    }
    record.close().await;
    rig.logs.closed().await;
    let (data, mut known) = (rig.data.path(), HashSet::new());
    let parts = ["sessions", "logs", "llm", "traces", "reports"]
        .map(|name| (name, used(&data.join(name), &mut known) / u64::from(STEPS)));
    let all: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
    assert!(all <= MOST, "{all} bytes a step: {parts:?}");
    assert!(2 * MOST / 3 < all, "a screen that is easier than it claims: {parts:?}");

    // Every name opens, and is of the size of the screen.
    let ufo = data.join("logs");
    let ufo = fs::read_dir(ufo).unwrap().next().unwrap().unwrap().path();
    for name in ["action_step0.png", "action_step3.png", "action_round_0_final.png"] {
        let png = fs::read(ufo.join(name)).unwrap();
        assert!(png.starts_with(b"\x89PNG"), "{name}");
        assert_eq!(png[16..24], [0, 0, 2, 208, 0, 0, 6, 64], "{name}");
    }

    // An exported folder has nothing in common with the record.
    let out = tempfile::TempDir::new().unwrap();
    let settings = LogSettings::default();
    for format in Format::LIVE {
        crate::export(&rig.files, id, format, out.path(), &settings).await.unwrap();
    }
    let mut mine = HashSet::new();
    used(out.path(), &mut mine);
    assert!(mine.is_disjoint(&known));
}
