//! Sessions and prompts for tests.
use std::time::Duration;

use ayeaye_agent::{
    Action, Decision, Direction, Gesture, HistoryImage, HistoryItem, HistoryStep, Key, Message,
    Part, Picture, Point, Prompt, Question, Role, ScreenSize, StepInput,
};
use bytes::Bytes;
use proptest::prelude::*;

use super::super::{CoordContext, Family, Profile};

/// The profile of this name.
pub(in super::super) fn named(profile: &str) -> Profile {
    profile.parse().unwrap()
}

pub(in super::super) const SIZE: ScreenSize = ScreenSize { width: 672, height: 1484 };

/// The picture of the step of this number, unlike all others.
pub(crate) fn picture(step: u32) -> Picture {
    let bytes = Bytes::from(step.to_be_bytes().to_vec());
    Picture { bytes, media_type: "image/jpeg", size: SIZE }
}

pub(in super::super) fn coords(family: &dyn Family) -> CoordContext {
    CoordContext { system: family.spec().coords, image: SIZE }
}

/// A decision with reasons.
pub(in super::super) fn decision(action: Action, thought: &str) -> Decision {
    Decision {
        action,
        thought: thought.to_owned(),
        explain: String::new(),
        summary: String::new(),
        observation: String::new(),
    }
}

pub(in super::super) fn step(number: u32, action: impl Into<Action>) -> HistoryItem {
    let decision = decision(action.into(), &format!("thought {number}"));
    HistoryItem::Step(HistoryStep {
        step: number,
        decision,
        error: None,
        uncertain: None,
        asked: None,
        reply: None,
        app: None,
    })
}

/// A step with the action in the model's words.
pub(in super::super) fn explained(
    number: u32,
    action: impl Into<Action>,
    explain: &str,
) -> HistoryItem {
    let mut item = step(number, action);
    if let HistoryItem::Step(step) = &mut item {
        explain.clone_into(&mut step.decision.explain);
    }
    item
}

pub(in super::super) fn failed(mut item: HistoryItem, error: &str) -> HistoryItem {
    if let HistoryItem::Step(step) = &mut item {
        step.error = Some(error.to_owned());
    }
    item
}

/// A click in the middle.
pub(in super::super) fn click(number: u32) -> HistoryItem {
    step(number, Gesture::Click { point: Point::new(500, 500).unwrap() })
}

/// A session of so many clicks.
pub(in super::super) fn clicks(count: u32) -> Vec<HistoryItem> {
    let asked = HistoryItem::Request("open the settings".to_owned());
    std::iter::once(asked).chain((0..count).map(click)).collect()
}

/// What is sent for the next step, with every screen at hand that the family asks for.
pub(in super::super) fn prompt(
    family: &dyn Family,
    request: &str,
    history: &[HistoryItem],
    system_notes: &[&str],
) -> Prompt {
    let numbers = history.iter().filter_map(|it| match it {
        HistoryItem::Step(step) => Some(step.step),
        _ => None,
    });
    let mut history_images: Vec<HistoryImage> =
        numbers.map(|step| HistoryImage { step, picture: picture(step) }).collect();
    let next = history_images.last().map_or(0, |last| last.step + 1);
    history_images.drain(..history_images.len().saturating_sub(family.spec().earlier_pictures));
    let now = picture(next);
    let system_notes: Vec<String> = system_notes.iter().map(|it| (*it).to_owned()).collect();
    let input = StepInput {
        history,
        system_notes: &system_notes,
        history_images: &history_images,
        app: Some("com.example"),
        ..StepInput::of(request, &now)
    };
    family.prompt(&input, &coords(family))
}

/// The numbers of the steps whose screens a prompt shows.
pub(in super::super) fn pictures(prompt: &Prompt) -> Vec<u32> {
    let parts = prompt.messages.iter().flat_map(|message| &message.parts);
    let pictures = parts.filter_map(|part| match part {
        Part::Picture(picture) | Part::Result { picture: Some(picture), .. } => Some(picture),
        _ => None,
    });
    pictures.map(|it| u32::from_be_bytes(it.bytes[..].try_into().unwrap())).collect()
}

/// The texts of a message, results of calls included.
pub(in super::super) fn text(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        Part::Text(text) | Part::Result { text, .. } => Some(text.as_str()),
        Part::Picture(_) | Part::Call(_) => None,
    });
    texts.collect()
}

/// All texts of one speaker.
pub(in super::super) fn texts(prompt: &Prompt, role: Role) -> String {
    let messages = prompt.messages.iter().filter(|message| message.role == role);
    messages.map(text).collect()
}

/// A place that a family can say to the last digit.
pub(in super::super) fn point(coords: CoordContext) -> impl Strategy<Value = Point> {
    (0.0..=1.0, 0.0..=1.0).prop_map(move |(x, y): (f64, f64)| {
        let point = Point::from_fractions(x, y).unwrap();
        let (first, second) = coords.system.numbers(point, coords.image);
        coords.system.point(first, second, coords.image).unwrap()
    })
}

/// A text with everything in it that formats are made of.
pub(in super::super) fn any_text() -> impl Strategy<Value = String> {
    "([a-z0-9'\"\\\\(),=:.！。好 <>\\[\\]{}\n\t]|</think>|</answer>|<tool_call>|</parameter>|<\\|im_end\\|>|action:COMPLETE){0,12}[a-z好]"
        .prop_map(|text| text.trim_start().to_owned())
}

fn direction() -> impl Strategy<Value = Direction> {
    prop::sample::select(vec![Direction::Up, Direction::Down, Direction::Left, Direction::Right])
}

fn gesture(coords: CoordContext) -> impl Strategy<Value = Gesture> {
    let at = move || point(coords);
    prop_oneof![
        at().prop_map(|point| Gesture::Click { point }),
        at().prop_map(|point| Gesture::DoubleClick { point }),
        (at(), prop_oneof![Just(1000), 300_u64..10_000]).prop_map(|(point, ms)| {
            Gesture::LongPress { point, duration: Duration::from_millis(ms) }
        }),
        (any_text(), prop::option::of(at()), any::<bool>(), any::<bool>())
            .prop_map(|(text, point, clear, submit)| Gesture::Type { text, point, clear, submit }),
        (at(), at()).prop_map(|(from, to)| Gesture::Slide {
            from,
            to,
            duration: Duration::from_millis(500)
        }),
        (at(), at()).prop_map(|(from, to)| Gesture::Drag { from, to }),
        (direction(), prop::option::of(at()))
            .prop_map(|(direction, at)| Gesture::Scroll { direction, at }),
        "[A-Za-z好 ]{0,5}[a-z]".prop_map(|app| Gesture::Awake { app: app.trim().to_owned() }),
        prop::sample::select(Key::ALL.to_vec()).prop_map(|key| Gesture::HotKey { key }),
    ]
}

/// Every sort of action that any model may decide.
pub(in super::super) fn any_action(coords: CoordContext) -> impl Strategy<Value = Action> {
    prop_oneof![
        9 => gesture(coords).prop_map(Action::from),
        2 => (gesture(coords), any_text()).prop_map(|(gesture, text)| Action::Confirm {
            gesture,
            question: Question::confirm(text)
        }),
        1 => prop_oneof![Just(2000), 0_u64..60_000].prop_map(|ms| Action::Wait(Duration::from_millis(ms))),
        1 => any_text().prop_map(|text| Action::Note { text }),
        1 => (any_text(), prop::collection::vec(any_text(), 0..4))
            .prop_map(|(text, options)| Action::Info(Question { options, ..Question::info(text) })),
        1 => any_text().prop_map(|text| Action::Info(Question::info(format!("{text}?")))),
        1 => any_text().prop_map(|text| Action::Info(Question::takeover(text))),
        1 => any_text().prop_map(|message| Action::Complete { message }),
        1 => Just(Action::Complete { message: String::new() }),
        1 => any_text().prop_map(|reason| Action::Abort { reason }),
    ]
}
