//! The actions, and the words that models use in their place.
use ayeaye_agent::Key;

use crate::profile::verbs::Slot::{
    At, Clear, Confirm, Direction, From, FromX, FromY, Options, Seconds, Status, Submit, Success,
    Text, To, ToX, ToY,
};
use crate::profile::verbs::{Arg, Meaning, Slot, Typing, Verb};

pub(in crate::profile) const PLACE: Arg = Arg(
    At,
    &["point", "coordinate", "coordinates", "position", "location", "at", "box", "bbox", "bbox_2d"],
);
pub(in crate::profile) const X: Arg = Arg(Slot::AtX, &["x"]);
pub(in crate::profile) const Y: Arg = Arg(Slot::AtY, &["y"]);
pub(in crate::profile) const START: Arg = Arg(
    From,
    &[
        "start",
        "start_point",
        "start_coordinate",
        "from",
        "point1",
        "coordinate1",
        "start_position",
        "begin",
        "coordinate",
    ],
);
const START_X: Arg = Arg(FromX, &["x1"]);
const START_Y: Arg = Arg(FromY, &["y1"]);
pub(in crate::profile) const END: Arg = Arg(
    To,
    &[
        "end",
        "end_point",
        "end_coordinate",
        "to",
        "point2",
        "coordinate2",
        "end_position",
        "target",
    ],
);
const END_X: Arg = Arg(ToX, &["x2"]);
const END_Y: Arg = Arg(ToY, &["y2"]);
const TIME: Arg = Arg(Seconds, &["seconds", "duration", "time"]);
pub(in crate::profile) const CONFIRM: Arg =
    Arg(Confirm, &["confirm", "requires_confirmation", "sensitive"]);
const TYPED: &[&str] = &["text", "input_text"];
const NO_TEXT: Arg = Arg(
    Slot::Refused("it presses a key and has a text: type it, or press the key without one"),
    TYPED,
);

/// What is shown of the content, by its direction.
pub(in crate::profile) const SCROLL: Verb = Verb::new(
    &["scroll"],
    Meaning::Scroll,
    &[Arg(Direction, &["direction"]), PLACE, X, Y, CONFIRM],
);

/// Every action. A verb without arguments is a key by itself.
pub(in crate::profile) const ROWS: &[Verb] = &[
    Verb::new(
        &["click", "tap", "press", "touch", "single_tap", "left_click"],
        Meaning::Click,
        &[PLACE, X, Y, Arg(Slot::Key, &["key", "button"]), CONFIRM],
    ),
    Verb::new(
        &["double_click", "double_tap", "left_double"],
        Meaning::DoubleClick,
        &[PLACE, X, Y, CONFIRM],
    ),
    Verb::new(
        &["long_press", "long_click", "long_tap", "hold", "press_and_hold", "tap_hold"],
        Meaning::LongPress,
        &[PLACE, X, Y, TIME, CONFIRM],
    ),
    Verb::new(
        &["type", "type_text", "input", "input_text", "enter_text", "set_text", "write"],
        Meaning::Type(Typing::Plain),
        &[
            Arg(Text, &["text", "value", "content", "input_text"]),
            PLACE,
            X,
            Y,
            Arg(Clear, &["clear", "clear_text", "clear_first"]),
            Arg(Submit, &["submit", "press_enter", "enter"]),
            CONFIRM,
        ],
    ),
    SCROLL,
    Verb::new(
        &["swipe", "slide"],
        Meaning::Slide,
        &[START, START_X, START_Y, END, END_X, END_Y, CONFIRM],
    ),
    Verb::new(
        &["drag", "drag_and_drop"],
        Meaning::Drag,
        &[START, START_X, START_Y, END, END_X, END_Y, CONFIRM],
    ),
    Verb::new(
        &["open_app", "open", "launch", "launch_app", "start_app", "awake"],
        Meaning::OpenApp,
        &[
            Arg(Text, &["app", "app_name", "name", "package", "package_name", "text", "value"]),
            CONFIRM,
        ],
    ),
    Verb::new(
        &["press_key", "key", "key_event", "system_button", "hotkey", "press_button"],
        Meaning::PressKey(&[]),
        &[Arg(Text, &["key", "key_name", "button", "key_code", "text", "value"]), CONFIRM],
    ),
    Verb::new(
        &["back", "press_back", "go_back", "navigate_back"],
        Meaning::Press(Key::Back),
        &[NO_TEXT, CONFIRM],
    ),
    Verb::new(
        &["home", "press_home", "go_home", "navigate_home"],
        Meaning::Press(Key::Home),
        &[NO_TEXT, CONFIRM],
    ),
    Verb::new(
        &["enter", "press_enter", "keyboard_enter"],
        Meaning::Press(Key::Enter),
        &[NO_TEXT, CONFIRM],
    ),
    Verb::new(
        &["recents", "press_recents", "press_recent", "app_switch"],
        Meaning::Press(Key::Recents),
        &[NO_TEXT, CONFIRM],
    ),
    Verb::new(&["wait", "sleep"], Meaning::Wait, &[TIME]),
    Verb::new(
        &["note", "take_note", "remember", "memorize"],
        Meaning::Note,
        &[Arg(Text, &["text", "value", "content", "input_text", "note"])],
    ),
    Verb::new(
        &["ask_user", "ask", "ask_question", "info", "clarify"],
        Meaning::Ask,
        &[
            Arg(Text, &["question", "message", "text", "value", "content", "input_text"]),
            Arg(Options, &["options", "choices"]),
        ],
    ),
    Verb::new(
        &["take_over", "call_user", "human_takeover", "interact"],
        Meaning::TakeOver,
        &[Arg(Text, &["question", "message", "reason", "text", "value", "content", "input_text"])],
    ),
    Verb::new(
        &["complete", "completed", "finish", "finished", "done", "terminate"],
        Meaning::Complete,
        &[
            Arg(
                Text,
                &[
                    "message",
                    "answer",
                    "result",
                    "return",
                    "report",
                    "text",
                    "value",
                    "content",
                    "input_text",
                ],
            ),
            Arg(Status, &["status", "goal_status"]),
            Arg(Success, &["success", "succeeded", "successful"]),
            Arg(Slot::Reason, &["reason"]),
        ],
    ),
    Verb::new(
        &["abort", "fail", "failed", "give_up", "infeasible", "impossible"],
        Meaning::Abort,
        &[Arg(Text, &["reason", "message", "text", "value", "content", "input_text"])],
    ),
];
