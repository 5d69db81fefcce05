use proptest::prelude::*;

use super::*;
use crate::PackageFile;

fn point() -> impl Strategy<Value = Point> {
    (0..=1000i64, 0..=1000i64).prop_map(|(x, y)| Point::new(x, y).expect("on the screen"))
}

fn time() -> impl Strategy<Value = Duration> {
    (0..1_000_000_000_000u64).prop_map(Duration::from_millis)
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![
        Just(Direction::Up),
        Just(Direction::Down),
        Just(Direction::Left),
        Just(Direction::Right)
    ]
}

fn gesture() -> impl Strategy<Value = Gesture> {
    let maybe = || prop::option::of(point());
    prop_oneof![
        point().prop_map(|point| Gesture::Click { point }),
        point().prop_map(|point| Gesture::DoubleClick { point }),
        (point(), time()).prop_map(|(point, duration)| Gesture::LongPress { point, duration }),
        (any::<String>(), maybe(), any::<bool>(), any::<bool>())
            .prop_map(|(text, point, clear, submit)| Gesture::Type { text, point, clear, submit }),
        (point(), point(), time()).prop_map(|(from, to, duration)| Gesture::Slide {
            from,
            to,
            duration
        }),
        (direction(), maybe()).prop_map(|(direction, at)| Gesture::Scroll { direction, at }),
        (point(), point()).prop_map(|(from, to)| Gesture::Drag { from, to }),
        any::<String>().prop_map(|app| Gesture::Awake { app }),
        (0..Key::ALL.len()).prop_map(|at| Gesture::HotKey { key: Key::ALL[at] }),
        command().prop_map(Gesture::Command),
    ]
}

fn command() -> impl Strategy<Value = DeviceCommand> {
    let text = any::<String>;
    prop_oneof![
        text().prop_map(|url| DeviceCommand::OpenUrl { url }),
        text().prop_map(|app| DeviceCommand::StopApp { app }),
        (text(), prop::option::of((text(), text()))).prop_map(|(file, package)| {
            let package = package.map(|(name, sha256)| PackageFile { name, sha256 });
            DeviceCommand::Install { file, package }
        }),
        text().prop_map(|app| DeviceCommand::Uninstall { app }),
        (text(), text()).prop_map(|(file, to)| DeviceCommand::SendFile { file, to }),
        (text(), text()).prop_map(|(from, file)| DeviceCommand::FetchFile { from, file }),
    ]
}

fn question() -> impl Strategy<Value = Question> {
    let kind = prop_oneof![
        Just(QuestionKind::Info),
        Just(QuestionKind::Confirm),
        Just(QuestionKind::Takeover)
    ];
    let options = prop::collection::vec(any::<String>(), 0..4);
    (kind, any::<String>(), options, prop::option::of(any::<String>()))
        .prop_map(|(kind, text, options, app)| Question { kind, text, options, app })
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        9 => gesture().prop_map(Action::Gesture),
        1 => time().prop_map(Action::Wait),
        1 => any::<String>().prop_map(|text| Action::Note { text }),
        2 => question().prop_map(Action::Info),
        1 => any::<String>().prop_map(|message| Action::Complete { message }),
        1 => any::<String>().prop_map(|reason| Action::Abort { reason }),
    ]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

proptest! {
    #[test]
    fn an_action_reads_back_as_itself(action in action()) {
        let facts = ActionRecord::from(&action);
        prop_assert_eq!(facts.function.as_str(), action.name());
        let text = serde_json::to_string(&facts).unwrap();
        let facts: ActionRecord = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(Action::try_from(&facts), Ok(action));
    }

    #[test]
    fn a_foreign_argument_is_refused_not_feared(
        action in action(), value in json_value(), at in any::<prop::sample::Index>()
    ) {
        let mut facts = ActionRecord::from(&action);
        let names: Vec<String> = facts.arguments.keys().cloned().collect();
        facts.arguments.insert(at.get(&names).clone(), value);
        // Either a refusal, or an action that can be kept in its turn.
        if let Ok(read) = Action::try_from(&facts) {
            prop_assert_eq!(read.name(), action.name());
            prop_assert_eq!(Action::try_from(&ActionRecord::from(&read)), Ok(read));
        }
    }
}

#[test]
fn arguments_have_their_fixed_names() {
    let kept = |action: Action| serde_json::to_value(ActionRecord::from(&action)).unwrap();
    let point = Point::new(512, 203).unwrap();
    assert_eq!(
        kept(Gesture::Click { point }.into()),
        json!({ "function": "CLICK", "arguments": { "point": [512, 203] } })
    );
    assert_eq!(
        kept(Action::Wait(Duration::from_millis(1500))),
        json!({ "function": "WAIT", "arguments": { "seconds": 1.5 } })
    );
    assert_eq!(
        kept(Action::Info(Question::info("Which Anna?"))),
        json!({ "function": "INFO", "arguments": { "question": {
            "kind": "info", "text": "Which Anna?", "options": []
        } } })
    );
}

#[test]
fn what_is_not_an_action_is_named() {
    let facts = |function: &str, arguments: Value| ActionRecord {
        function: function.to_owned(),
        arguments: arguments.as_object().unwrap().clone(),
    };
    let read = |function, arguments| Action::try_from(&facts(function, arguments));
    assert_eq!(read("FORMAT", json!({})), Err(InvalidActionRecord::Name("FORMAT".to_owned())));
    assert_eq!(
        read("CLICK", json!({})),
        Err(InvalidActionRecord::Argument { function: "CLICK", argument: "point" })
    );
    assert_eq!(
        read("CLICK", json!({ "point": [4000, 3] })),
        Err(InvalidActionRecord::OffScreen(OffScreen { x: 4000, y: 3 }))
    );
    assert!(read("WAIT", json!({ "seconds": -1 })).is_err());
    assert!(read("WAIT", json!({ "seconds": 1e300 })).is_err());
}

#[test]
fn tokens_are_summed() {
    let tokens = Tokens { prompt: 10, completion: 5, thinking: 3, cached: 2 };
    assert_eq!(
        TokenRecord::from(tokens),
        TokenRecord { prompt: 10, completion: 5, thinking: 3, cached: 2, total: 15 }
    );
}
