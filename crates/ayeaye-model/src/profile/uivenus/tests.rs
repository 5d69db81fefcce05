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
    for name in ["inclusionAI/UI-Venus-1.5-8B", "UI-Venus-1.5-30B-A3B", "ui-venus-1.5:2b"] {
        assert_eq!(Profile::for_model(name, &endpoint), Profile::UI_VENUS, "{name}");
    }
}

#[test]
fn a_session_is_told_whole() {
    checks::is_told(&UiVenus);
}

#[test]
fn a_direction_means_what_it_does() {
    let coords = sample::coords(&UiVenus);
    let at = Point::new(500, 500).unwrap();
    for (direction, word) in [
        (Direction::Up, "up"),
        (Direction::Down, "down"),
        (Direction::Left, "left"),
        (Direction::Right, "right"),
    ] {
        let action: Action = Gesture::Scroll { direction, at: Some(at) }.into();
        let said = written(&action, &coords);
        assert!(said.contains(&format!("direction='{word}'")), "{said}");
        assert_eq!(read_back(&said, &coords), Ok(action));
    }
}

fn written(action: &Action, coords: &CoordContext) -> String {
    format!("<think>x</think><action>{}</action>", say(action, coords))
}

fn read_back(text: &str, coords: &CoordContext) -> Result<Action, ParseError> {
    let reply = Reply { text: text.to_owned(), ..Reply::default() };
    UiVenus.read(&reply, coords).map(|read| read.action)
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
        (at(), at()).prop_map(|(from, to)| Gesture::Drag { from, to }.into()),
        said().prop_map(|text| {
            Gesture::Type { text, point: None, clear: false, submit: false }.into()
        }),
        (sample::direction(), prop::option::of(at())).prop_map(|(direction, at)| Gesture::Scroll {
            direction,
            at
        }
        .into()),
        "[a-z好]{1,9}".prop_map(|app| Gesture::Awake { app }.into()),
        prop::sample::select(vec![Key::Back, Key::Home, Key::Enter, Key::Recents])
            .prop_map(|key| Gesture::HotKey { key }.into()),
        Just(Action::Wait(Duration::from_secs(2))),
        said().prop_map(|text| Action::Info(Question::info(format!("{text}?")))),
        said().prop_map(|text| Action::Info(Question::takeover(text))),
        any::<String>().prop_map(|message| Action::Complete { message }),
    ]
}

proptest! {
    #[test]
    fn what_is_said_is_read_back(action in sayable(sample::coords(&UiVenus))) {
        let coords = sample::coords(&UiVenus);
        let said = written(&action, &coords);
        prop_assert_eq!(read_back(&said, &coords), Ok(action), "{}", said);
    }

    #[test]
    fn a_request_forges_nothing(
        request in "(</action>|<action>|STATUS|Action: |</Question>|\n|\"|<\\|im_end\\|>|\\PC){0,12}",
    ) {
        sample::a_request_forges_nothing(&UiVenus, &request);
    }

    #[test]
    fn what_another_model_did_can_be_told(action in sample::any_action(sample::coords(&UiVenus))) {
        let history = [HistoryItem::Request("t".to_owned()), sample::step(0, action)];
        let told = sample::told(&sample::prompt(&UiVenus, "t", &history, &[]));
        prop_assert!(told.contains("Step 1: "), "{}", told);
    }
}
