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
    for name in ["openbmb/AgentCPM-GUI", "agentcpm-gui-8b"] {
        assert_eq!(Profile::for_model(name, &endpoint), Profile::AGENTCPM, "{name}");
    }
}

#[test]
fn a_session_is_told_whole() {
    checks::is_told(&AgentCpm);
}

#[test]
fn a_direction_means_what_it_does() {
    let coords = sample::coords(&AgentCpm);
    let at = Point::new(500, 500).unwrap();
    for (direction, word) in [
        (Direction::Up, "down"),
        (Direction::Down, "up"),
        (Direction::Left, "right"),
        (Direction::Right, "left"),
    ] {
        let action: Action = Gesture::Scroll { direction, at: Some(at) }.into();
        let said = written(&action, &coords);
        assert!(said.contains(&format!("\"to\":\"{word}\"")), "{said}");
        assert_eq!(read_back(&said, &coords), Ok(action));
    }
}

fn written(action: &Action, coords: &CoordContext) -> String {
    let decision = sample::decision(action.clone(), "");
    Value::Object(say(&decision, coords).expect("it has a word for it")).to_string()
}

fn read_back(text: &str, coords: &CoordContext) -> Result<Action, ParseError> {
    let reply = Reply { text: text.to_owned(), ..Reply::default() };
    AgentCpm.read(&reply, coords).map(|read| read.action)
}

fn sayable(coords: CoordContext) -> impl Strategy<Value = Action> {
    let at = move || checks::point(coords);
    let said = || any::<String>().prop_map(|text| format!("{text}x"));
    let slide = Duration::from_millis(500);
    prop_oneof![
        at().prop_map(|point| Gesture::Click { point }.into()),
        (at(), 300u64..10_000).prop_map(|(point, ms)| {
            Gesture::LongPress { point, duration: Duration::from_millis(ms) }.into()
        }),
        (at(), at())
            .prop_map(move |(from, to)| Gesture::Slide { from, to, duration: slide }.into()),
        (sample::direction(), at())
            .prop_map(|(direction, at)| { Gesture::Scroll { direction, at: Some(at) }.into() }),
        said().prop_map(|text| {
            Gesture::Type { text, point: None, clear: false, submit: false }.into()
        }),
        prop::sample::select(vec![Key::Back, Key::Home, Key::Enter, Key::Recents])
            .prop_map(|key| Gesture::HotKey { key }.into()),
        (0u64..60_000).prop_map(|ms| Action::Wait(Duration::from_millis(ms))),
        said().prop_map(|text| Action::Info(Question::info(text))),
        any::<String>().prop_map(|message| Action::Complete { message }),
        any::<String>().prop_map(|reason| Action::Abort { reason }),
    ]
}

proptest! {
    #[test]
    fn what_is_said_is_read_back(action in sayable(sample::coords(&AgentCpm))) {
        let coords = sample::coords(&AgentCpm);
        let said = written(&action, &coords);
        prop_assert_eq!(read_back(&said, &coords), Ok(action), "{}", said);
    }

    #[test]
    fn a_request_forges_nothing(
        request in "(</action>|<action>|STATUS|Action: |</Question>|\n|\"|<\\|im_end\\|>|\\PC){0,12}",
    ) {
        sample::a_request_forges_nothing(&AgentCpm, &request);
    }

    #[test]
    fn what_another_model_did_can_be_told(action in sample::any_action(sample::coords(&AgentCpm))) {
        let history = [HistoryItem::Request("t".to_owned()), sample::step(0, action)];
        let told = sample::told(&sample::prompt(&AgentCpm, "t", &history, &[]));
        prop_assert!(told.contains("Step 1: "), "{}", told);
    }
}
