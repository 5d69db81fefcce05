use std::time::Duration;

use ayeaye_agent::{Direction, Gesture, Key, Question};
use proptest::prelude::*;

use super::super::turns::sample;
use super::*;
use crate::{Endpoint, Profile};

#[test]
fn its_models_are_known_by_name() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for name in [
        "doubao-seed-1-8-251228",
        "Doubao-Seed-1.8",
        "doubao-seed-2-0-pro-260215",
        "doubao-seed-2-0-lite",
        "bytedance-seed/seed-2.0-mini",
    ] {
        assert_eq!(Profile::for_model(name, &endpoint), Profile::SEED, "{name}");
    }
    for name in ["ByteDance-Seed/UI-TARS-2B-SFT", "ByteDance-Seed/Seed-OSS-36B-Instruct"] {
        assert!(!Profile::SEED.knows(name), "{name}");
    }
}

#[test]
fn a_session_is_told_as_a_conversation() {
    sample::is_a_conversation(&Seed);
    let prompt = sample::prompt(&Seed, "t", &sample::clicks(1), &[]);
    let [rules, _, said, _] = &prompt.messages[..] else { panic!("{prompt:?}") };
    assert_eq!(*rules, Message::text(Role::System, RULES));
    assert_eq!(
        sample::words(said),
        "thought 0\n<tool_call><function=click><parameter=point><point>500 500</point></parameter>\
         </function></tool_call>"
    );
}

#[test]
fn the_functions_in_the_rules_are_those_we_read() {
    let names: Vec<&str> = RULES.split("{\"name\": \"").skip(1).collect();
    assert_eq!(names.len(), 12);
    for name in names {
        assert!(act::is_known(name.split('"').next().unwrap()), "{name}");
    }
    let example = RULES.lines().find(|line| line.starts_with("<tool_call>")).unwrap();
    let reply = Reply { text: example.to_owned(), ..Reply::default() };
    assert!(Seed.read(&reply, &sample::coords(&Seed)).is_ok());
}

#[test]
fn a_direction_is_where_the_content_lies() {
    for (direction, word) in [
        (Direction::Up, "up"),
        (Direction::Down, "down"),
        (Direction::Left, "left"),
        (Direction::Right, "right"),
    ] {
        let action: Action = Gesture::Scroll { direction, at: None }.into();
        let said = say(&sample::decision(action, ""), &sample::coords(&Seed));
        assert!(said.contains(&format!("<parameter=direction>{word}<")), "{said}");
    }
}

fn sayable(coords: CoordContext) -> impl Strategy<Value = Action> {
    let at = move || sample::point(coords);
    let text =
        || "[a-z0-9'\"\\\\(),=:.>好 \n]{0,12}[a-z好]".prop_map(|it| it.trim_start().to_owned());
    prop_oneof![
        at().prop_map(|point| Gesture::Click { point }.into()),
        at().prop_map(|point| Gesture::DoubleClick { point }.into()),
        at().prop_map(|point| {
            Gesture::LongPress { point, duration: Duration::from_secs(1) }.into()
        }),
        (at(), at()).prop_map(|(from, to)| {
            Gesture::Slide { from, to, duration: Duration::from_millis(500) }.into()
        }),
        (at(), sample::direction()).prop_map(|(at, direction)| Gesture::Scroll {
            direction,
            at: Some(at)
        }
        .into()),
        (text(), any::<bool>())
            .prop_filter("a backslash and an n at the end submit", |(text, _)| {
                !text.ends_with("\\n")
            })
            .prop_map(|(text, submit)| {
                Gesture::Type { text, point: None, clear: false, submit }.into()
            }),
        "[A-Za-z好]{1,5}".prop_map(|app| Gesture::Awake { app }.into()),
        prop::sample::select(Key::ALL.to_vec()).prop_map(|key| Gesture::HotKey { key }.into()),
        (1_u64..60).prop_map(|time| Action::Wait(Duration::from_secs(time))),
        text().prop_map(|text| Action::Info(Question::info(text))),
        text().prop_map(|message| Action::Complete { message }),
    ]
}

proptest! {
    #[test]
    fn what_it_says_is_read_back(
        action in sayable(sample::coords(&Seed)),
        thought in "[a-z ：:'(\n<>]{0,20}",
    ) {
        let coords = sample::coords(&Seed);
        let text = say(&sample::decision(action.clone(), &thought), &coords);
        let read = Seed.read(&Reply { text: text.clone(), ..Reply::default() }, &coords);
        prop_assert_eq!(read.map(|read| read.action), Ok(action), "{}", text);
    }

    #[test]
    fn every_decision_can_be_told(
        action in sample::any_action(sample::coords(&Seed)),
        thought in "(<function=finished></function>|</tool_call>|\n|[a-z]){0,8}",
    ) {
        let coords = sample::coords(&Seed);
        let text = say(&sample::decision(action, &thought), &coords);
        let read = Seed.read(&Reply { text: text.clone(), ..Reply::default() }, &coords);
        prop_assert!(
            !matches!(&read, Ok(Decision { action: Action::Complete { .. }, .. })),
            "{}: {:?}", text, read
        );
    }

    #[test]
    fn a_request_forges_nothing(
        request in "(<tool_call>|<function=|</function>|## Task|\n|<\\|im_end\\|>|\"|\\PC){1,12}",
    ) {
        sample::a_request_forges_nothing(&Seed, &request);
    }
}
