use std::time::Duration;

use ayeaye_agent::Question;
use proptest::prelude::*;

use super::super::turns::sample;
use super::*;
use crate::{Endpoint, Profile};

fn read(text: &str) -> Result<Action, ParseError> {
    let reply = Reply { text: text.to_owned(), ..Reply::default() };
    AutoGlm.read(&reply, &sample::coords(&AutoGlm)).map(|read| read.action)
}

#[test]
fn its_models_are_known_by_name() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for name in ["zai-org/AutoGLM-Phone-9B", "autoglm-phone", "AutoGLM-Phone-9B-Multilingual"] {
        assert_eq!(Profile::for_model(name, &endpoint), Profile::AUTOGLM, "{name}");
    }
    assert!(!Profile::AUTOGLM.knows("glm-4.5v"));
}

#[test]
fn a_session_is_told_as_a_conversation() {
    sample::is_a_conversation(&AutoGlm);
    let prompt = sample::prompt(&AutoGlm, "t", &sample::clicks(2), &[]);
    let [rules, first, said, second, _, now] = &prompt.messages[..] else { panic!("{prompt:?}") };
    assert_eq!(*rules, Message::text(Role::System, RULES));
    assert_eq!(sample::words(first), "\"t\"\n** Screen Info **\n\n{}\n");
    assert_eq!(
        sample::words(said),
        "<think>thought 0</think><answer>do(action=\"Tap\", element=[500,500])</answer>"
    );
    assert_eq!(sample::words(second), "** Screen Info **\n\n{}\n");
    assert_eq!(sample::words(now), "** Screen Info **\n\n{\"current_app\": \"com.example\"}\n");
    assert_eq!(sample::pictures(&prompt).len(), 1);
}

#[test]
fn the_calls_in_the_rules_are_replies_we_read() {
    let calls = RULES.lines().filter_map(|line| line.strip_prefix("- ")?.split('：').next());
    let calls: Vec<&str> = calls.collect();
    assert_eq!(calls.len(), 14);
    for call in calls {
        let said =
            call.replace("[x,y]", "[5,6]").replace("[x1,y1]", "[5,6]").replace("[x2,y2]", "[7,8]");
        assert!(read(&format!("<answer>{said}</answer>")).is_ok(), "{call}");
    }
}

#[test]
fn a_finger_goes_the_other_way_to_show_what_lies_in_a_direction() {
    let coords = sample::coords(&AutoGlm);
    for (direction, from, to) in [
        (Direction::Down, (500, 700), (500, 300)),
        (Direction::Up, (500, 300), (500, 700)),
        (Direction::Right, (800, 500), (200, 500)),
        (Direction::Left, (200, 500), (800, 500)),
    ] {
        let action = Gesture::Scroll { direction, at: None }.into();
        let (from, to) = (Point::new(from.0, from.1).unwrap(), Point::new(to.0, to.1).unwrap());
        let slide = Gesture::Slide { from, to, duration: values::SLIDE };
        assert_eq!(read(&say(&sample::decision(action, ""), &coords)), Ok(slide.into()));
    }
}

fn sayable(coords: CoordContext) -> impl Strategy<Value = Action> {
    let at = move || sample::point(coords);
    let trimmed = || sample::text().prop_map(|text| text.trim().to_owned());
    prop_oneof![
        at().prop_map(|point| Gesture::Click { point }.into()),
        (at(), trimmed()).prop_map(|(point, text)| Action::Confirm {
            gesture: Gesture::Click { point },
            question: Question::confirm(text),
        }),
        at().prop_map(|point| Gesture::DoubleClick { point }.into()),
        at().prop_map(|point| {
            Gesture::LongPress { point, duration: Duration::from_secs(1) }.into()
        }),
        (at(), at())
            .prop_map(|(from, to)| { Gesture::Slide { from, to, duration: values::SLIDE }.into() }),
        sample::text().prop_map(|text| {
            Gesture::Type { text, point: None, clear: true, submit: false }.into()
        }),
        trimmed().prop_map(|app| Gesture::Awake { app }.into()),
        prop::sample::select(vec![Key::Back, Key::Home])
            .prop_map(|key| Gesture::HotKey { key }.into()),
        (1_u64..60).prop_map(|time| Action::Wait(Duration::from_secs(time))),
        trimmed().prop_map(|text| Action::Note { text }),
        trimmed().prop_map(|text| Action::Info(Question::info(text))),
        trimmed().prop_map(|text| Action::Info(Question::takeover(text))),
        trimmed().prop_map(|message| Action::Complete { message }),
    ]
}

proptest! {
    #[test]
    fn what_it_says_is_read_back(
        action in sayable(sample::coords(&AutoGlm)),
        thought in "[a-z ：:'(\n<>]{0,20}",
    ) {
        let text = say(&sample::decision(action.clone(), &thought), &sample::coords(&AutoGlm));
        prop_assert_eq!(read(&text), Ok(action), "{}", text);
    }

    #[test]
    fn every_decision_can_be_told(
        action in sample::any_action(sample::coords(&AutoGlm)),
        thought in "(</think>|<answer>|finish\\(message=\"x\"\\)|\n|[a-z]){0,8}",
    ) {
        let text = say(&sample::decision(action, &thought), &sample::coords(&AutoGlm));
        let read = read(&text);
        prop_assert!(read.is_ok() && !matches!(read, Ok(Action::Complete { .. })), "{}", text);
    }

    #[test]
    fn a_request_forges_nothing(
        request in "(</answer>|<think>|\\*\\* Screen Info|\n|<\\|user\\|>|\"|\\PC){1,12}",
    ) {
        sample::a_request_forges_nothing(&AutoGlm, &request);
    }
}
