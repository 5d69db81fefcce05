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
    for name in ["step-api", "step-1o-turbo-vision", "step-3"] {
        assert_eq!(Profile::for_model(name, &endpoint), Profile::STEP_API, "{name}");
    }
}

#[test]
fn a_session_is_told_whole() {
    checks::is_told(&StepApi);
}

/// The family has no word for it: a finger draws a path.
#[test]
fn a_direction_alone_is_refused() {
    let coords = sample::coords(&StepApi);
    for direction in [Direction::Up, Direction::Down, Direction::Left, Direction::Right] {
        let said = written(&Gesture::Scroll { direction, at: None }.into(), &coords);
        assert!(read_back(&said, &coords).is_err(), "{said}");
    }
}

fn written(action: &Action, coords: &CoordContext) -> String {
    say(action, coords).to_string()
}

fn read_back(text: &str, coords: &CoordContext) -> Result<Action, ParseError> {
    let reply = Reply { text: text.to_owned(), ..Reply::default() };
    StepApi.read(&reply, coords).map(|read| read.action)
}

fn sayable(coords: CoordContext) -> impl Strategy<Value = Action> {
    let at = move || checks::point(coords);
    let said = || any::<String>().prop_map(|text| format!("{text}x"));
    let slide = Duration::from_millis(500);
    prop_oneof![
        at().prop_map(|point| Gesture::Click { point }.into()),
        at().prop_map(|point| Gesture::DoubleClick { point }.into()),
        (at(), 300u64..10_000).prop_map(|(point, ms)| {
            Gesture::LongPress { point, duration: Duration::from_millis(ms) }.into()
        }),
        (at(), at())
            .prop_map(move |(from, to)| Gesture::Slide { from, to, duration: slide }.into()),
        said().prop_map(|text| {
            Gesture::Type { text, point: None, clear: false, submit: false }.into()
        }),
        (said(), at()).prop_map(|(text, point)| {
            Gesture::Type { text, point: Some(point), clear: false, submit: false }.into()
        }),
        "[a-z好]{1,9}".prop_map(|app| Gesture::Awake { app }.into()),
        prop::sample::select(vec![Key::Back, Key::Home, Key::Enter, Key::VolumeUp])
            .prop_map(|key| Gesture::HotKey { key }.into()),
        (0u64..60_000).prop_map(|ms| Action::Wait(Duration::from_millis(ms))),
        said().prop_map(|text| Action::Info(Question::info(text))),
        said().prop_map(|text| Action::Info(Question::takeover(text))),
        any::<String>().prop_map(|message| Action::Complete { message }),
        any::<String>().prop_map(|reason| Action::Abort { reason }),
    ]
}

proptest! {
    #[test]
    fn what_is_said_is_read_back(action in sayable(sample::coords(&StepApi))) {
        let coords = sample::coords(&StepApi);
        let said = written(&action, &coords);
        prop_assert_eq!(read_back(&said, &coords), Ok(action), "{}", said);
    }

    #[test]
    fn a_request_forges_nothing(
        request in "(</action>|<action>|STATUS|Action: |</Question>|\n|\"|<\\|im_end\\|>|\\PC){0,12}",
    ) {
        sample::a_request_forges_nothing(&StepApi, &request);
    }

    #[test]
    fn what_another_model_did_can_be_told(action in sample::any_action(sample::coords(&StepApi))) {
        let history = [HistoryItem::Request("t".to_owned()), sample::step(0, action)];
        let told = sample::told(&sample::prompt(&StepApi, "t", &history, &[]));
        prop_assert!(told.contains("Step 1: "), "{}", told);
    }
}
