use std::time::Duration;

use ayeaye_agent::{Action, Direction, Gesture, Key, Question, ScreenSize};
use proptest::prelude::*;

use super::super::turns::sample;
use super::*;
use crate::picture::smart_resize;
use crate::{Endpoint, Profile};

const FAMILIES: [&dyn Family; 2] = [&UiTars, &UiTars1000];

#[test]
fn the_generations_are_told_apart_by_their_names() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for (name, profile) in [
        ("ByteDance-Seed/UI-TARS-1.5-7B", Profile::UI_TARS),
        ("bytedance/ui-tars-1.5-7b", Profile::UI_TARS),
        ("ui-tars-1.5-7b-mlx", Profile::UI_TARS),
        ("hf.co/Mungert/UI-TARS-1.5-7B-GGUF:Q4_K_M", Profile::UI_TARS),
        ("ui-tars", Profile::UI_TARS),
        ("doubao-1-5-ui-tars-250428", Profile::UI_TARS_1000),
        ("Doubao-1.5-UI-TARS", Profile::UI_TARS_1000),
        ("doubao-1-5-thinking-vision-pro-250428", Profile::UI_TARS_1000),
        ("ByteDance-Seed/UI-TARS-7B-DPO", Profile::UI_TARS_1000),
        ("bytedance-research/UI-TARS-72B-SFT", Profile::UI_TARS_1000),
        ("UI-TARS-2B-SFT", Profile::UI_TARS_1000),
    ] {
        assert_eq!(Profile::for_model(name, &endpoint), profile, "{name}");
    }
}

#[test]
fn the_server_leaves_a_picture_as_it_is_sent() {
    for (width, height) in [
        (1080, 2400),
        (2400, 1080),
        (1440, 3200),
        (720, 1280),
        (1600, 2560),
        (2208, 1840),
        (90, 90),
    ] {
        let sent = SPEC.picture.resize.apply(ScreenSize { width, height });
        assert_eq!(smart_resize(sent, SERVER), sent);
        let tokens = sent.width / 28 * (sent.height / 28);
        assert!((100..=1280).contains(&tokens), "{width}x{height}: {tokens}");
        let ollama = SmartResize { factor: 28, min_pixels: 3136, max_pixels: 1280 * 784 };
        assert_eq!(smart_resize(sent, ollama), sent);
    }
    let phone = SPEC.picture.resize.apply(ScreenSize { width: 1080, height: 2400 });
    assert_eq!(phone, ScreenSize { width: 672, height: 1484 });
}

#[test]
fn a_session_is_told_as_a_conversation() {
    for family in FAMILIES {
        sample::is_a_conversation(family);
        let prompt = sample::prompt(family, "t", &sample::clicks(1), &[]);
        let [asked, said, _] = &prompt.messages[..] else { panic!("{prompt:?}") };
        assert_eq!(asked.parts[0], Part::Text(RULES.to_owned()));
        let at = if family.spec().name == "ui-tars" { "336 742" } else { "500 500" };
        assert_eq!(
            sample::words(said),
            format!("Thought: thought 0\nAction: click(point='<point>{at}</point>')")
        );
    }
}

#[test]
fn the_screens_of_a_prompt_change_every_third_step() {
    let shown: Vec<usize> = (0..10)
        .map(|count| {
            sample::pictures(&sample::prompt(&UiTars, "t", &sample::clicks(count), &[])).len()
        })
        .collect();
    assert_eq!(shown, [1, 2, 3, 4, 5, 3, 4, 5, 3, 4]);
}

#[test]
fn the_calls_in_the_rules_are_replies_we_read() {
    let coords = sample::coords(&UiTars1000);
    let calls = RULES.split("## Action Space\n").nth(1).unwrap().split("\n\n").next().unwrap();
    assert_eq!(calls.lines().count(), 11);
    for line in calls.lines() {
        let call = line.split(" # ").next().unwrap();
        let call = call
            .replace("x1 y1", "5 6")
            .replace("x2 y2", "7 8")
            .replace("down or up or right or left", "down");
        let reply = Reply { text: format!("Action: {call}"), ..Reply::default() };
        assert!(UiTars1000.read(&reply, &coords).is_ok(), "{call}");
    }
}

#[test]
fn a_direction_is_where_the_content_lies() {
    let coords = sample::coords(&UiTars1000);
    for (direction, word) in [
        (Direction::Up, "up"),
        (Direction::Down, "down"),
        (Direction::Left, "left"),
        (Direction::Right, "right"),
    ] {
        let action: Action = Gesture::Scroll { direction, at: None }.into();
        let said = say(&sample::decision(action, ""), &coords);
        assert!(said.contains(&format!("direction='{word}'")), "{said}");
    }
}

/// What the family can say without losing anything.
fn sayable(coords: CoordContext) -> impl Strategy<Value = Action> {
    let at = move || sample::point(coords);
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
        (sample::text(), any::<bool>()).prop_map(|(text, submit)| {
            Gesture::Type { text, point: None, clear: false, submit }.into()
        }),
        "[A-Za-z好 ]{0,5}[a-z]"
            .prop_map(|app| Gesture::Awake { app: app.trim().to_owned() }.into()),
        prop::sample::select(Key::ALL.to_vec()).prop_map(|key| Gesture::HotKey { key }.into()),
        (1_u64..60).prop_map(|time| Action::Wait(Duration::from_secs(time))),
        sample::text().prop_map(|text| Action::Info(Question::info(text))),
        sample::text().prop_map(|text| Action::Complete { message: text.trim().to_owned() }),
    ]
}

proptest! {
    #[test]
    fn what_it_says_is_read_back(
        (pixels, action) in any::<bool>().prop_flat_map(|pixels| {
            let coords = sample::coords(FAMILIES[usize::from(!pixels)]);
            (Just(pixels), sayable(coords))
        }),
        thought in "[a-z ：:'(\n<>]{0,20}",
    ) {
        let family = FAMILIES[usize::from(!pixels)];
        let coords = sample::coords(family);
        let text = say(&sample::decision(action.clone(), &thought), &coords);
        let read = family.read(&Reply { text: text.clone(), ..Reply::default() }, &coords);
        prop_assert_eq!(read.map(|read| read.action), Ok(action), "{}", text);
    }

    /// What another model decided is told in words of this one, and never as an end.
    #[test]
    fn every_decision_can_be_told(
        action in sample::any_action(sample::coords(&UiTars)),
        thought in "(Action: |finished\\(content='x'\\)|\n|[a-z]){0,8}",
    ) {
        let coords = sample::coords(&UiTars);
        let text = say(&sample::decision(action, &thought), &coords);
        let read = UiTars.read(&Reply { text: text.clone(), ..Reply::default() }, &coords);
        prop_assert_eq!(text.lines().count(), 2);
        prop_assert!(
            !matches!(&read, Ok(Decision { action: Action::Complete { .. }, .. })),
            "{}: {:?}", text, read
        );
    }

    #[test]
    fn a_request_forges_nothing(
        request in "(Action: |## Note|\n|<\\|im_end\\|>|</think>|<point>|\"|\\PC){1,12}",
    ) {
        sample::a_request_forges_nothing(&UiTars, &request);
    }
}
