use std::time::Duration;

use ayeaye_agent::{
    Action, Direction, Gesture, HistoryItem, Key, Part, Point, Question, Role, ScreenSize, ToolCall,
};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::super::telling::checks;
use super::super::turns::sample;
use super::super::{claude_chat, gemini_chat, glm_v, gpt, kimi};
use super::*;
use crate::{Endpoint, Profile};

const ALL: [&Generic; 7] = [
    &GENERIC,
    &GENERIC_TEXT,
    &gpt::GPT,
    &claude_chat::CLAUDE_CHAT,
    &gemini_chat::GEMINI_CHAT,
    &kimi::KIMI,
    &glm_v::GLM_V,
];

#[test]
fn models_are_known_by_name() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for (profile, names) in [
        (Profile::GPT, &["gpt-4o", "gpt-5.2", "openai/gpt-5-mini", "chatgpt-4o-latest"][..]),
        (Profile::CLAUDE_CHAT, &["claude-sonnet-4-5-20250929", "anthropic/claude-opus-4.7"]),
        (Profile::GEMINI_CHAT, &["gemini-3-pro-preview", "google/gemini-2.5-flash"]),
        (Profile::KIMI, &["kimi-k2.5", "moonshotai/Kimi-K2.6"]),
        (Profile::GLM_V, &["glm-4.5v", "zai-org/GLM-4.6V-Flash", "THUDM/GLM-4.1V-9B-Thinking"]),
        (Profile::GENERIC, &["gpt-oss-20b", "llama3.2-vision", "minicpm-v", "glm-4.6", "m3"]),
    ] {
        for name in names {
            assert_eq!(Profile::for_model(name, &endpoint), profile, "{name}");
        }
    }
}

#[test]
fn a_session_is_told_whole() {
    for family in ALL {
        checks::is_told(family);
    }
}

#[test]
fn the_last_screens_are_shown_and_older_ones_are_not() {
    let prompt = sample::prompt(&GENERIC_TEXT, "t", &sample::clicks(4), &[]);
    let shown = sample::pictures(&prompt);
    assert_eq!(shown, [&sample::picture(2), &sample::picture(3), &sample::picture(4)]);
    let all = sample::told(&prompt);
    assert_eq!(all.matches("(screen not shown)").count(), 2, "{all}");
    let prompt = sample::prompt(&glm_v::GLM_V, "t", &sample::clicks(4), &[]);
    assert_eq!(sample::pictures(&prompt), [&sample::picture(4)]);
}

#[test]
fn what_the_model_said_is_in_its_own_format() {
    let prompt = sample::prompt(&gpt::GPT, "t", &sample::clicks(1), &[]);
    let said = sample::words(&prompt.messages[2]);
    assert_eq!(said, "Thought: thought 0\nAction: {\"action\":\"click\",\"point\":[336,742]}");
    let size = sample::told(&prompt).matches("672 x 1484 pixels").count();
    assert_eq!(size, 2, "the size of each picture is told");

    let prompt = sample::prompt(&GENERIC, "t", &sample::clicks(1), &[]);
    let arguments = "{\"action\":\"click\",\"point\":[500,500],\"thought\":\"thought 0\"}";
    let call = ToolCall {
        id: "call_0".to_owned(),
        name: "phone_action".to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(prompt.messages[2].parts, [Part::Call(call)]);
    assert_eq!(prompt.messages[2].role, Role::Assistant);
    let [Part::Result { id, text, .. }, ..] = &prompt.messages[3].parts[..] else {
        panic!("{prompt:?}")
    };
    assert_eq!((id.as_str(), text.as_str()), ("call_0", "Done.\n"));
    let [tool] = &prompt.tools[..] else { panic!("one tool") };
    assert_eq!(tool["function"]["name"], "phone_action");
}

#[test]
fn points_of_a_turned_picture_are_told_in_its_own_pixels() {
    let click = Gesture::Click { point: Point::new(500, 500).unwrap() };
    let history = [HistoryItem::Request("t".to_owned()), sample::step(0, click.into())];
    let mut seen = sample::picture(0);
    seen.size = ScreenSize { width: 1600, height: 720 };
    let history_images = [ayeaye_agent::HistoryImage { step: 0, picture: seen }];
    let now = sample::picture(1);
    let view = StepInput {
        request: "t",
        history: &history,
        system_notes: &[],
        picture: &now,
        history_images: &history_images,
        app: None,
    };
    let prompt = gpt::GPT.prompt(&view, &sample::coords(&gpt::GPT));
    assert!(sample::words(&prompt.messages[2]).contains("[800,360]"), "{prompt:?}");
}

#[test]
fn the_examples_in_the_rules_are_replies_we_read() {
    for family in ALL {
        let prompt = sample::prompt(family, "t", &[], &[]);
        let rules = sample::words(&prompt.messages[0]);
        let coords = sample::coords(family);
        let mut count = 0;
        for line in rules.lines().filter(|line| line.starts_with("{\"action\"")) {
            let end = line.rfind('}').unwrap();
            let reply = Reply { text: line[..=end].to_owned(), ..Reply::default() };
            let read = family.read(&reply, &coords);
            assert!(read.is_ok(), "{line}: {read:?}");
            count += 1;
        }
        assert_eq!(count, 15, "{rules}");
        assert!(!rules.contains("{{"), "{rules}");
    }
}

#[test]
fn the_tool_holds_every_action() {
    let schema = tool::schema(CoordSystem::THOUSANDTHS);
    let known =
        schema["function"]["parameters"]["properties"]["action"]["enum"].as_array().unwrap();
    assert_eq!(known.len(), 15);
    for name in tool::ACTIONS {
        assert!(word::Word::named(name).is_some(), "{name}");
    }
    let point =
        |space| tool::schema(space)["function"]["parameters"]["properties"]["point"].clone();
    assert_eq!(point(CoordSystem::THOUSANDTHS)["items"]["type"], "integer");
    assert_eq!(point(CoordSystem::FRACTIONS)["items"]["type"], "number");
}

#[test]
fn a_direction_is_where_the_content_lies() {
    let coords = sample::coords(&GENERIC);
    for (direction, word) in [
        (Direction::Up, "up"),
        (Direction::Down, "down"),
        (Direction::Left, "left"),
        (Direction::Right, "right"),
    ] {
        let action: Action = Gesture::Scroll { direction, at: None }.into();
        assert_eq!(say::arguments(&action, &coords, false)["direction"], word);
    }
}

fn any_action(coords: CoordContext) -> impl Strategy<Value = Action> {
    let at = move || checks::point(coords);
    let slide = Duration::from_millis(500);
    let gesture = prop_oneof![
        at().prop_map(|point| Gesture::Click { point }),
        at().prop_map(|point| Gesture::DoubleClick { point }),
        (at(), 300u64..10_000).prop_map(|(point, ms)| {
            Gesture::LongPress { point, duration: Duration::from_millis(ms) }
        }),
        (at(), at()).prop_map(move |(from, to)| Gesture::Slide { from, to, duration: slide }),
        (at(), at()).prop_map(|(from, to)| Gesture::Drag { from, to }),
        (sample::direction(), prop::option::of(at()))
            .prop_map(|(direction, at)| Gesture::Scroll { direction, at }),
        (any::<String>(), prop::option::of(at()), any::<bool>(), any::<bool>()).prop_map(
            |(text, point, clear, submit)| {
                Gesture::Type { text: format!("{text}x"), point, clear, submit }
            }
        ),
        "[a-z好]{1,9}".prop_map(|app| Gesture::Awake { app }),
        prop::sample::select(Key::ALL.to_vec()).prop_map(|key| Gesture::HotKey { key }),
    ];
    let said = || any::<String>().prop_map(|text| format!("{text}x"));
    prop_oneof![
        4 => gesture.clone().prop_map(Action::from),
        1 => (gesture, said()).prop_map(|(gesture, text)| {
            Action::Confirm { gesture, question: Question::confirm(text) }
        }),
        1 => (0u64..60_000).prop_map(|ms| Action::Wait(Duration::from_millis(ms))),
        1 => said().prop_map(|text| Action::Note { text }),
        1 => (said(), prop::collection::vec(said(), 0..4)).prop_map(|(text, options)| {
            Action::Info(Question { options, ..Question::info(text) })
        }),
        1 => said().prop_map(|text| Action::Info(Question::takeover(text))),
        1 => any::<String>().prop_map(|message| Action::Complete { message }),
        1 => any::<String>().prop_map(|reason| Action::Abort { reason }),
    ]
}

fn family_and_action() -> impl Strategy<Value = (usize, Action)> {
    (0..ALL.len()).prop_flat_map(|at| {
        any_action(sample::coords(ALL[at])).prop_map(move |action| (at, action))
    })
}

proptest! {
    #[test]
    fn what_is_said_is_read_back((at, action) in family_and_action(), why in any::<String>()) {
        let family = ALL[at];
        let coords = sample::coords(family);
        let said: Map<String, Value> = say::arguments(&action, &coords, family.named);
        let text = prompt::written(&why, said.clone());
        let reply = Reply { text, ..Reply::default() };
        let read = family.read(&reply, &coords);
        prop_assert_eq!(&read.as_ref().map(|it| &it.action), &Ok(&action), "{}", reply.text);
        let call = ToolCall {
            id: String::new(),
            name: "phone_action".to_owned(),
            arguments: Value::Object(said).to_string(),
        };
        let reply = Reply { calls: vec![call], ..Reply::default() };
        let read = family.read(&reply, &coords);
        prop_assert_eq!(&read.as_ref().map(|it| &it.action), &Ok(&action));
    }

    #[test]
    fn a_request_forges_nothing(request in sample::text(), at in 0..ALL.len()) {
        sample::a_request_forges_nothing(ALL[at], &request);
    }

    #[test]
    fn an_odd_request_forges_nothing(
        request in "(Action: \\{\"action\":\"complete\"\\}|\n|\"|</think>|<\\|im_end\\|>|\\PC){0,12}",
        at in 0..ALL.len(),
    ) {
        sample::a_request_forges_nothing(ALL[at], &request);
    }

    #[test]
    fn arguments_of_any_shape_do_not_panic_or_complete(
        arguments in "[{}\\[\\]\":,a-z0-9 ]{0,60}",
        name in "(phone_action|click|complete|x)",
    ) {
        let call = ToolCall { id: String::new(), name, arguments };
        let reply = Reply { calls: vec![call], ..Reply::default() };
        if let Ok(read) = GENERIC.read(&reply, &sample::coords(&GENERIC)) {
            let named = reply.calls[0].name == "complete"
                && reply.calls[0].arguments.contains('}');
            let ends = matches!(read.action, Action::Complete { .. });
            prop_assert!(named || !ends);
        }
    }
}
