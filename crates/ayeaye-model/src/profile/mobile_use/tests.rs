use std::time::Duration;

use ayeaye_agent::{Direction, Gesture, Key, Point, Question, ScreenSize};
use proptest::prelude::*;

use super::super::coords::CoordSystem;
use super::*;

const PATHS: Dialect = Dialect {
    actions: &["click"],
    swipes_by_direction: false,
    failure: "failure",
    lower_buttons: false,
};
const DIRECTIONS: Dialect =
    Dialect { swipes_by_direction: true, failure: "fail", lower_buttons: true, ..PATHS };

fn coords(space: CoordSystem) -> CoordContext {
    CoordContext { system: space, image: ScreenSize { width: 672, height: 1484 } }
}

fn decided(action: Action) -> Decision {
    let (thought, explain) = (String::new(), String::new());
    Decision { action, thought, explain, summary: String::new(), observation: String::new() }
}

fn back(action: &Action, coords: &CoordContext, dialect: &Dialect) -> Result<Action, ParseError> {
    let text =
        say::call(&decided(action.clone()), coords, dialect).expect("the tool has a word for it");
    decide(&Reply { text, ..Reply::default() }, coords, dialect).map(|decision| decision.action)
}

#[test]
fn a_call_is_written_as_the_families_write_it() {
    let click = decided(Gesture::Click { point: Point::new(500, 250).unwrap() }.into());
    assert_eq!(
        say::call(&click, &coords(CoordSystem::THOUSANDTHS), &PATHS).unwrap(),
        "<tool_call>\n{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"click\", \
         \"coordinate\": [500, 250]}}\n</tool_call>"
    );
    let key = decided(Gesture::HotKey { key: Key::Back }.into());
    assert!(
        say::object(&key, &coords(CoordSystem::UP_TO_999), &DIRECTIONS)
            .unwrap()
            .contains("\"back\"")
    );
    let note = decided(Action::Note { text: "x".to_owned() });
    assert_eq!(say::call(&note, &coords(CoordSystem::UP_TO_999), &PATHS), None);
}

/// What other families did is told as what it did to the phone.
#[test]
fn a_scroll_becomes_the_finger_that_shows_the_same() {
    let space = coords(CoordSystem::THOUSANDTHS);
    for (direction, across, down) in [
        (Direction::Down, 0.0, -1.0),
        (Direction::Up, 0.0, 1.0),
        (Direction::Right, -1.0, 0.0),
        (Direction::Left, 1.0, 0.0),
    ] {
        let scroll = Action::from(Gesture::Scroll { direction, at: None });
        assert_eq!(back(&scroll, &space, &DIRECTIONS), Ok(scroll.clone()));
        let Ok(Action::Gesture(Gesture::Slide { from, to, .. })) = back(&scroll, &space, &PATHS)
        else {
            panic!("{direction}")
        };
        let way = |at: fn((f64, f64)) -> f64| at(to.fractions()) - at(from.fractions());
        let near = |way: f64, sign: f64| if sign == 0.0 { way == 0.0 } else { 0.0 < way * sign };
        assert!(near(way(|it| it.0), across) && near(way(|it| it.1), down), "{direction}");
        // And a finger that was drawn becomes its direction.
        let slide = Action::from(Gesture::Slide { from, to, duration: Duration::from_millis(500) });
        let at = Some(from);
        let shown = Action::from(Gesture::Scroll { direction, at });
        assert_eq!(back(&slide, &space, &DIRECTIONS), Ok(shown));
    }
}

#[test]
fn a_scroll_at_the_edge_stays_on_the_screen() {
    for at in [(0, 0), (1000, 1000), (0, 1000), (500, 3)] {
        let at = Some(Point::new(at.0, at.1).unwrap());
        for direction in [Direction::Up, Direction::Down, Direction::Left, Direction::Right] {
            let scroll = Gesture::Scroll { direction, at }.into();
            assert!(back(&scroll, &coords(CoordSystem::PIXELS), &PATHS).is_ok());
        }
    }
}

#[test]
fn what_needs_leave_is_told_as_the_question() {
    let gesture = Gesture::HotKey { key: Key::Enter };
    let question = Question::confirm("Send it?");
    let read =
        back(&Action::Confirm { gesture, question }, &coords(CoordSystem::UP_TO_999), &PATHS);
    assert_eq!(read, Ok(Action::Info(Question::info("Send it?"))));
}

fn text() -> impl Strategy<Value = String> {
    "([a-z \"'\\\\\n\t{}<>,:é，]|</tool_call>|<tool_call>|</think>|<\\|im_end\\|>){1,40}"
        .prop_filter("blank is nothing", |text| !text.trim().is_empty())
}

fn point() -> impl Strategy<Value = (u16, u16)> {
    (0..=1000u16, 0..=1000u16)
}

/// What both dialects have words for. Points are on the grid of the space.
fn action(space: CoordSystem) -> impl Strategy<Value = Action> {
    let grid = move |(x, y): (u16, u16)| {
        let coords = coords(space);
        let point = Point::new(i64::from(x), i64::from(y)).unwrap();
        let (first, second) = space.numbers(point, coords.image);
        space.point(first, second, coords.image).unwrap()
    };
    let keys = proptest::sample::select(Key::ALL.to_vec());
    let gesture = prop_oneof![
        point().prop_map(move |at| Gesture::Click { point: grid(at) }),
        point().prop_map(move |at| Gesture::DoubleClick { point: grid(at) }),
        (point(), 3..100u64).prop_map(move |(at, tenths)| Gesture::LongPress {
            point: grid(at),
            duration: Duration::from_millis(tenths * 100),
        }),
        (text(), proptest::option::of(point()), any::<bool>(), any::<bool>()).prop_map(
            move |(text, at, clear, submit)| Gesture::Type {
                text,
                point: at.map(grid),
                clear,
                submit,
            }
        ),
        (point(), point())
            .prop_map(move |(from, to)| Gesture::Drag { from: grid(from), to: grid(to) }),
        text().prop_map(|app| Gesture::Awake { app }),
        keys.prop_map(|key| Gesture::HotKey { key }),
    ];
    prop_oneof![
        8 => gesture.prop_map(Action::from),
        1 => (0..600u64).prop_map(|tenths| Action::Wait(Duration::from_millis(tenths * 100))),
        1 => text().prop_map(|text| Action::Info(Question::info(text))),
        1 => text().prop_map(|text| Action::Info(Question::takeover(text))),
        1 => text().prop_map(|message| Action::Complete { message }),
        1 => Just(Action::Complete { message: String::new() }),
        1 => text().prop_map(|reason| Action::Abort { reason }),
    ]
}

proptest! {
    #[test]
    fn what_is_said_is_read_back(
        (space, action) in proptest::sample::select(vec![
            CoordSystem::THOUSANDTHS, CoordSystem::UP_TO_999, CoordSystem::PIXELS,
        ]).prop_flat_map(|space| (Just(space), action(space))),
    ) {
        for dialect in [PATHS, DIRECTIONS] {
            prop_assert_eq!(back(&action, &coords(space), &dialect), Ok(action.clone()));
        }
    }

    #[test]
    fn a_slide_is_read_back_where_swipes_have_ends(from in point(), to in point()) {
        let at = |(x, y): (u16, u16)| Point::new(i64::from(x), i64::from(y)).unwrap();
        let duration = super::super::parse::values::SLIDE;
        let slide = Action::from(Gesture::Slide { from: at(from), to: at(to), duration });
        let read = back(&slide, &coords(CoordSystem::THOUSANDTHS), &PATHS);
        prop_assert_eq!(read, Ok(slide));
    }

    #[test]
    fn no_arguments_panic(text in any::<String>(), key in "action|text|status|coordinate|time", number in any::<f64>()) {
        for value in [Value::from(text.clone()), Value::from(number), serde_json::json!([number, text])] {
            let mut map = Map::new();
            map.insert("action".to_owned(), Value::from("click"));
            map.insert(key.clone(), value);
            let read = decision(&map, String::new(), String::new(), None, &coords(CoordSystem::PIXELS), &PATHS);
            let completes = matches!(read, Ok(Decision { action: Action::Complete { .. }, .. }));
            prop_assert!(!completes);
        }
    }
}
