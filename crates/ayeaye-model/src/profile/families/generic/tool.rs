//! The one tool of the generic format, and its arguments.
use serde_json::{Value, json};

use crate::profile::coords::{CoordSystem, CoordUnit};
use crate::profile::parse::values::fold_name;

/// Its name.
pub(super) const NAME: &str = "phone_action";

/// Every action, by the word for it.
pub(super) const ACTIONS: [&str; 15] = [
    "click",
    "double_click",
    "long_press",
    "type",
    "scroll",
    "swipe",
    "drag",
    "open_app",
    "press_key",
    "wait",
    "note",
    "ask_user",
    "take_over",
    "complete",
    "abort",
];

/// Whether a tool of this name is it. Some endpoints put a prefix before the name.
pub(super) fn is_it(name: &str) -> bool {
    let bare = name.rsplit(['.', ':', '/']).next().unwrap_or(name);
    fold_name(bare) == fold_name(NAME)
}

/// It, as an OpenAI-compatible endpoint is told of it.
pub(super) fn schema(space: CoordSystem) -> Value {
    let point = |what: &str| {
        json!({
            "type": "array",
            "items": { "type": if space.unit == CoordUnit::Fractions { "number" } else { "integer" } },
            "minItems": 2,
            "maxItems": 2,
            "description": what,
        })
    };
    let text = |what: &str| json!({ "type": "string", "description": what });
    let flag = |what: &str| json!({ "type": "boolean", "description": what });
    json!({
        "type": "function",
        "function": {
            "name": NAME,
            "description": "Does one thing on the phone, or ends the task, or asks the user.",
            "parameters": {
                "type": "object",
                "properties": {
                    "thought": text("What the screen shows and why this is the next step, briefly."),
                    "action": { "type": "string", "enum": ACTIONS },
                    "point": point(
                        "click, double_click, long_press: where. type: the field to tap first. \
                         scroll: what to scroll."
                    ),
                    "start": point("swipe, drag: where the finger goes down."),
                    "end": point("swipe, drag: where it is lifted."),
                    "text": text("type: exactly what to type. note: what to remember."),
                    "clear": flag("type: empty the field first."),
                    "submit": flag("type: press the keyboard's enter key afterwards."),
                    "direction": {
                        "type": "string",
                        "enum": ["up", "down", "left", "right"],
                        "description": "scroll: which content to show; down shows what is further \
                                        down.",
                    },
                    "app": text("open_app: the app's name or package."),
                    "key": text("press_key: back, home, enter, recents, delete ..."),
                    "seconds": { "type": "number", "description": "wait, long_press: how long." },
                    "question": text("ask_user: the question. take_over: what the user has to do."),
                    "options": { "type": "array", "items": { "type": "string" },
                        "description": "ask_user: answers to choose from, if there are such." },
                    "message": text("complete: the report, with all that the user wants to know."),
                    "reason": text("abort: why it cannot be done."),
                    "confirm": text(
                        "A question to the user; the action is done only after a yes. For what \
                         cannot be undone."
                    ),
                },
                "required": ["action"],
            },
        },
    })
}
