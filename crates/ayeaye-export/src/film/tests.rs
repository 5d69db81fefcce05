use ayeaye_agent::SessionId;
use ayeaye_agent::journal::{ActionRecord, BlobRef, Fact};
use bytes::Bytes;
use gif::{ColorOutput, DecodeOptions};
use serde_json::json;

use super::picture::WIDTH;
use super::story::{ActOutcome, FIRST_SCENES, LAST_SCENES, Scene};
use super::*;
use crate::draw::{Animation, Canvas, PixelRect, encode};
use crate::testing::{EventBuilder, answer, click, object};

/// Pictures by the name of their hash: `plain-N` is a screen of one shade of grey, `noise-N` one that no format
/// makes small.
#[derive(Debug)]
struct Screens;

impl Blobs for Screens {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, ayeaye_agent::JournalError> {
        let lost = || ayeaye_agent::JournalError::Blob(blob.sha256.clone());
        let (kind, number) = blob.sha256.split_once('-').ok_or_else(lost)?;
        let mut state: u32 = number.parse().map_err(|_| lost())?;
        let [shade, ..] = state.wrapping_mul(40).to_le_bytes();
        let mut noise = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        let pixels = (0..540 * 1200 * 3).map(|_| if kind == "noise" { noise() } else { shade });
        if kind == "lost" {
            return Err(lost());
        }
        let canvas = Canvas::new(540, 1200, pixels.collect()).unwrap();
        Ok(encode(canvas, usize::MAX).unwrap().into())
    }
}

fn session() -> SessionId {
    "01932b7a-0000-7000-8000-000000000001".parse().unwrap()
}

/// A record of so many steps on screens of a kind.
fn record(kind: &str, steps: u32) -> EventBuilder {
    let mut record = EventBuilder::new();
    for step in 0..steps {
        record.begin_step(step, step + 1);
        if let Fact::Observe(observe) = &mut record.events.last_mut().unwrap().entry.fact {
            observe.screenshot.as_mut().unwrap().sha256 = format!("{kind}-{step}");
        }
        record.act().end_step(Some(click()), None);
    }
    record
}

fn film_of(record: &EventBuilder) -> Vec<u8> {
    let mut film = Film::new(session());
    for event in &record.events {
        drop(film.fold(event, &Screens));
    }
    let FileOp::Replace { path, content: Content::Lazy { make, .. } } = film.finish() else {
        panic!("it is replaced");
    };
    assert_eq!(path, "01932b7a-0000-7000-8000-000000000001.gif");
    make(&Screens).unwrap()
}

/// What is to be seen after each frame, and for how many hundredths of a second.
struct Played {
    size: (u16, u16),
    screens: Vec<Vec<u8>>,
    delays: Vec<u16>,
}

fn play(file: &[u8]) -> Played {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    let mut decoder = options.read_info(file).unwrap();
    let size = (decoder.width(), decoder.height());
    let (width, height) = (usize::from(size.0), usize::from(size.1));
    let mut screen = vec![0; width * height * 4];
    let mut played = Played { size, screens: Vec::new(), delays: Vec::new() };
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let row = usize::from(frame.width) * 4;
        for (y, pixels) in (usize::from(frame.top)..).zip(frame.buffer.chunks_exact(row)) {
            for (x, pixel) in (usize::from(frame.left)..).zip(pixels.chunks_exact(4)) {
                if pixel[3] != 0 {
                    let at = (y * width + x) * 4;
                    screen[at..at + 4].copy_from_slice(pixel);
                }
            }
        }
        played.screens.push(screen.clone());
        played.delays.push(frame.delay);
    }
    played
}

#[test]
fn a_film_has_a_title_two_frames_a_tap_and_an_end() {
    let mut record = record("plain", 2);
    record.end("TASK_COMPLETED_SUCCESSFULLY");
    let file = film_of(&record);
    let played = play(&file);
    assert_eq!(played.size.0, u16::try_from(WIDTH).unwrap());
    assert_eq!(played.screens.len(), 1 + 2 * 2 + 1);
    assert!(played.delays.iter().all(|delay| (80..=500).contains(delay)), "{:?}", played.delays);
    // The screen is in the middle of the film; the second step's is another shade.
    let middle = |screen: &[u8]| {
        let (width, height) = (usize::from(played.size.0), usize::from(played.size.1));
        screen[(height / 3 * width + width / 2) * 4]
    };
    assert_eq!((middle(&played.screens[1]), middle(&played.screens[3])), (0, 40));
    for pair in played.screens.windows(2) {
        assert_ne!(pair[0], pair[1], "every frame shows something new");
    }
    assert_eq!(film_of(&record), file, "the same record gives the same bytes");
}

#[test]
fn what_cannot_be_seen_or_was_not_done_is_told() {
    let mut record = record("lost", 1);
    record.begin_step(1, 2).end_step(None, Some("the phone went away"));
    let question = ActionRecord {
        function: "INFO".to_owned(),
        arguments: object(json!({ "value": "Which Anna?" })),
    };
    record.begin_step(2, 3).end_step(Some(question), None);
    record.push(answer("client", "Anna Berg"));
    record.push(Fact::RoundStart { request: "And now dinner".to_owned() });
    // Title, the tap with its mark on nothing, the failure, the question, its answer, the next request, no end.
    assert_eq!(play(&film_of(&record)).screens.len(), 7);
    assert_eq!(play(&film_of(&EventBuilder::default())).screens.len(), 1, "no end is known");
}

#[test]
fn an_act_that_leave_was_given_for_has_its_mark() {
    let mut record = record("plain", 1);
    let asks = ActionRecord {
        function: "INFO".to_owned(),
        arguments: object(json!({
            "question": { "kind": "confirm", "text": "May I pay?", "options": [] },
            "act": { "function": "CLICK", "arguments": { "point": [512, 203] } },
        })),
    };
    let plain = film_of(&record);
    for event in &mut record.events {
        if let Fact::StepEnd(end) = &mut event.entry.fact {
            end.action = Some(asks.clone());
        }
    }
    assert_eq!(film_of(&record), plain);
}

#[test]
fn a_low_film_has_room_for_all_of_its_title() {
    let title = |phone: &str| {
        let mut record = EventBuilder::new();
        if let Fact::SessionStart(start) = &mut record.events[0].entry.fact {
            start.request = "Order lunch for everybody who is at the table. ".repeat(12);
            start.device.model = phone.to_owned();
        }
        play(&film_of(&record)).screens.swap_remove(0)
    };
    assert_ne!(title("Pixel 7"), title("Nexus 5"), "the phone is on the title");
}

#[test]
fn an_act_that_was_only_asked_about_has_no_mark() {
    let mut record = EventBuilder::new();
    record.begin_step(0, 1);
    if let Fact::Observe(observe) = &mut record.events.last_mut().unwrap().entry.fact {
        observe.screenshot.as_mut().unwrap().sha256 = "plain-1".to_owned();
    }
    record.end_step(Some(click()), Some("not carried out yet: the user was asked first"));
    if let Fact::StepEnd(end) = &mut record.events.last_mut().unwrap().entry.fact {
        end.status = "CONFIRM".into();
    }
    // Title, the screen, no end.
    assert_eq!(play(&film_of(&record)).screens.len(), 3);
}

#[test]
fn what_is_not_certain_has_not_failed() {
    let outcome = |change: fn(&mut Fact)| {
        let mut record = record("plain", 1);
        let events = record.events.iter_mut();
        events.for_each(|event| change(&mut event.entry.fact));
        let mut story = Story::default();
        record.events.iter().for_each(|event| story.apply(event));
        match &story.scenes()[0] {
            Scene::Step(step) => step.outcome,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(outcome(|_| {}), ActOutcome::Fine);
    let failed = |fact: &mut Fact| {
        if let Fact::StepEnd(end) = fact {
            end.error = Some("the link was lost".to_owned());
        }
    };
    assert_eq!(outcome(failed), ActOutcome::Failed);
    let accepted = |fact: &mut Fact| {
        if let Fact::StepEnd(end) = fact {
            end.uncertain = Some("the field still shows another text".to_owned());
        }
    };
    assert_eq!(outcome(accepted), ActOutcome::Uncertain);
    let unknown = |fact: &mut Fact| match fact {
        Fact::ToolEnd(end) => end.unknown = true,
        Fact::StepEnd(end) => end.error = Some("the server stopped in the middle of it".to_owned()),
        _ => {}
    };
    assert_eq!(outcome(unknown), ActOutcome::Uncertain);
}

/// Of many colours, so that a frame of it has none of them quite right.
fn colourful(width: u32, height: u32) -> Vec<u8> {
    let mut pixels = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let byte = |of: u32| u8::try_from(of % 256).unwrap();
            pixels.extend(if y < height / 2 {
                [byte(x * 5), byte(y * 7), byte(x * 3 + y * 2)]
            } else {
                // Letters, as their edges are: nearly the ground.
                [if x % 8 < 4 { 226 } else { 222 }; 3]
            });
        }
    }
    pixels
}

#[test]
fn nothing_of_a_screen_stays_on_the_next_one() {
    let (width, height) = (64, 64);
    let mut animation = Animation::new(width, height).unwrap();
    let nowhere = PixelRect { left: 0, top: 0, right: 0, bottom: 0 };
    let first = Canvas::new(width, height, colourful(width, height)).unwrap();
    animation.add(first, nowhere, 10).unwrap();
    let mut second = Canvas::plain(width, height, [224; 3]).unwrap();
    second.set(PixelRect { left: 0, top: 60, right: 64, bottom: 64 }, [20; 3]);
    animation.add(second, nowhere, 10).unwrap();
    let played = play(&animation.finish().unwrap());
    let shades: std::collections::BTreeSet<u8> =
        played.screens[1].chunks_exact(4).map(|pixel| pixel[0]).collect();
    let seen = |shade: &u8| shade.abs_diff(224) <= 1 || shade.abs_diff(20) <= 1;
    assert!(shades.iter().all(seen), "{shades:?}");
}

#[test]
fn a_long_session_is_shortened_in_its_middle() {
    let mut record = record("plain", 300);
    record.end("MAX_STEPS_REACHED");
    let file = film_of(&record);
    let played = play(&file);
    assert_eq!(played.screens.len(), 1 + (FIRST_SCENES + LAST_SCENES) * 2 + 1 + 1);
    let seconds = played.delays.iter().map(|delay| u32::from(*delay)).sum::<u32>() / 100;
    assert!(seconds < 240, "{seconds} s");
}

#[test]
fn no_screen_is_so_busy_that_the_file_grows() {
    let mut record = record("noise", 3);
    record.end("TASK_COMPLETED_SUCCESSFULLY");
    let file = film_of(&record);
    assert!(file.len() < 3 * 25_000 + 10_000, "{} bytes", file.len());
}
