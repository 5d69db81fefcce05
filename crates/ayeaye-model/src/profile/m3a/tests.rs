use std::time::Duration;

use ayeaye_agent::{Action, Direction, Gesture, HistoryItem, Key, Question};
use proptest::prelude::*;

use super::super::telling::checks;
use super::super::turns::sample;
use super::*;
use crate::{Endpoint, Profile};

#[test]
fn its_models_are_known_by_name() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for name in ["m3a-gpt", "androidworld-agent"] {
        assert_eq!(Profile::for_model(name, &endpoint), Profile::M3A, "{name}");
    }
}

#[test]
fn a_session_is_told_whole() {
    checks::is_told(&M3a);
}

#[test]
fn a_direction_means_what_it_does() {
    let coords = sample::coords(&M3a);
    let at = Point::new(500, 500).unwrap();
    for (direction, word) in [
        (Direction::Up, "up"),
        (Direction::Down, "down"),
        (Direction::Left, "left"),
        (Direction::Right, "right"),
    ] {
        let action: Action = Gesture::Scroll { direction, at: Some(at) }.into();
        let said = written(&action, &coords);
        assert!(said.contains(&format!("\"direction\":\"{word}\"")), "{said}");
        assert_eq!(read_back(&said, &coords), Ok(action));
    }
}

fn written(action: &Action, coords: &CoordContext) -> String {
    format!("Reason: x\nAction: {}", Value::Object(say(action, coords)))
}

fn read_back(text: &str, coords: &CoordContext) -> Result<Action, ParseError> {
    let reply = Reply { text: text.to_owned(), ..Reply::default() };
    M3a.read(&reply, coords).map(|read| read.action)
}

fn sayable(coords: CoordContext) -> impl Strategy<Value = Action> {
    let at = move || checks::point(coords);
    let said = || any::<String>().prop_map(|text| format!("{text}x"));
    let slide = Duration::from_millis(500);
    prop_oneof![
        at().prop_map(|point| Gesture::Click { point }.into()),
        at().prop_map(|point| Gesture::DoubleClick { point }.into()),
        at().prop_map(|point| {
            Gesture::LongPress { point, duration: Duration::from_secs(1) }.into()
        }),
        (at(), at())
            .prop_map(move |(from, to)| Gesture::Slide { from, to, duration: slide }.into()),
        (sample::direction(), prop::option::of(at())).prop_map(|(direction, at)| Gesture::Scroll {
            direction,
            at
        }
        .into()),
        said().prop_map(|text| {
            Gesture::Type { text, point: None, clear: true, submit: false }.into()
        }),
        (said(), at()).prop_map(|(text, point)| {
            Gesture::Type { text, point: Some(point), clear: false, submit: false }.into()
        }),
        "[a-z好]{1,9}".prop_map(|app| Gesture::Awake { app }.into()),
        prop::sample::select(vec![Key::Back, Key::Home, Key::Enter])
            .prop_map(|key| Gesture::HotKey { key }.into()),
        Just(Action::Wait(Duration::from_secs(2))),
        said().prop_map(|text| Action::Info(Question::info(text))),
        said().prop_map(|text| Action::Info(Question::takeover(text))),
        said().prop_map(|message| Action::Complete { message }),
        Just(Action::Complete { message: String::new() }),
        any::<String>().prop_map(|reason| Action::Abort { reason }),
    ]
}

proptest! {
    #[test]
    fn what_is_said_is_read_back(action in sayable(sample::coords(&M3a))) {
        let coords = sample::coords(&M3a);
        let said = written(&action, &coords);
        prop_assert_eq!(read_back(&said, &coords), Ok(action), "{}", said);
    }

    #[test]
    fn a_request_forges_nothing(
        request in "(</action>|<action>|STATUS|Action: |</Question>|\n|\"|<\\|im_end\\|>|\\PC){0,12}",
    ) {
        sample::a_request_forges_nothing(&M3a, &request);
    }

    #[test]
    fn what_another_model_did_can_be_told(action in sample::any_action(sample::coords(&M3a))) {
        let history = [HistoryItem::Request("t".to_owned()), sample::step(0, action)];
        let told = sample::told(&sample::prompt(&M3a, "t", &history, &[]));
        prop_assert!(told.contains("Step 1: "), "{}", told);
    }
}
