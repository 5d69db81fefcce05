//! Claude over Anthropic's own API, with its tool for using computers.
//!
//! The tool is made for desktops: a mouse and a keyboard. What a phone has besides (apps by name, its
//! keys, a long press) are tools of our own beside it. Points are pixels of the picture that is sent,
//! which is small enough that the API does not shrink it: it would do so without a word, and every tap
//! would miss.
use std::time::Duration;

use ayeaye_agent::{Action, Decision, Gesture, Key, ParseError, Point, Prompt, Reply, StepInput};
use serde_json::{Map, Value, json};

use super::calls::{self, Tongue};
use super::coords::CoordSystem;
use super::parse::json::{missing, written};
use super::parse::{excerpt, point, reject, values};
use super::{CoordContext, Family, ProfileSpec, Sampling, Wire};
use crate::picture::{Encoding, PictureRule, Resize};

/// Claude, with one of the two versions of the tool.
#[derive(Debug)]
pub(super) struct Claude(&'static ProfileSpec);

/// Models since Opus 4.5 and Sonnet 4.6.
pub(super) const CLAUDE: Claude = Claude(&SPEC);
/// Models before them.
pub(super) const CLAUDE_20250124: Claude = Claude(&SPEC_20250124);

/// The API shrinks what has more than 1568 pixels a side or 1568 tokens (28x28 pixels each; newer
/// models 2576 and 4784). 1280 a side is what agents with phones had their best results with, and
/// 1,150,000 in all stays below the tokens in every shape.
const PICTURE: PictureRule = PictureRule {
    resize: Resize::Within { side: 1280, pixels: 1_150_000 },
    encoding: Encoding::Jpeg { quality: 85 },
};

/// No temperature: newer models refuse any but their own.
const SAMPLING: Sampling = Sampling { temperature: None, max_tokens: 4096, ..Sampling::GREEDY };

const SPEC: ProfileSpec = ProfileSpec {
    name: "claude",
    title: "Claude (Anthropic's API, computer_20251124)",
    patterns: &["claude"],
    coords: CoordSystem::PIXELS,
    picture: PICTURE,
    earlier_pictures: 0,
    history: "every step as a call and its result",
    sampling: SAMPLING,
    wire: Wire::Anthropic,
};

const SPEC_20250124: ProfileSpec = ProfileSpec {
    name: "claude-20250124",
    title: "Claude up to Opus 4.1, Sonnet 4.5 and Haiku 4.5 (Anthropic's API, computer_20250124)",
    patterns: &[
        "claude-3-7",
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2025",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2025",
        "claude-sonnet-4-5",
        "claude-haiku-4-5",
    ],
    coords: CoordSystem::PIXELS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: "every step as a call and its result",
    sampling: SAMPLING,
    wire: Wire::Anthropic,
};

impl Family for Claude {
    fn spec(&self) -> &'static ProfileSpec {
        self.0
    }

    fn prompt(&self, view: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let rules = format!("{}{TOOLS}", calls::RULES);
        calls::prompt(view, coords, &rules, self.tools(coords), self)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        let (name, arguments) = calls::the_call(reply)?;
        let action = match calls::read_own(name, &arguments) {
            Some(read) => read?,
            None => action(name, &arguments, coords)?,
        };
        Ok(calls::decided(action, reply, None))
    }
}

const TOOLS: &str = "
The tool `computer` works on the phone's screen: left_click taps, double_click taps twice, \
left_click_drag draws a finger across the screen, scroll shows what lies in a direction, type writes \
into the field in focus, and a line end behind the text presses the keyboard's enter key. wait waits. \
There is no mouse: do not use mouse_move, right_click or combinations of keys. You get a picture after \
every step without asking for one.
";

impl Claude {
    fn tools(&self, coords: &CoordContext) -> Vec<Value> {
        let kind = if self.0.name == SPEC.name { "computer_20251124" } else { "computer_20250124" };
        let mut tools = vec![json!({
            "type": kind, "name": "computer",
            "display_width_px": coords.image.width, "display_height_px": coords.image.height,
        })];
        let own = |name: &str, description: &str, properties: Value, required: Vec<&str>| {
            let schema =
                json!({ "type": "object", "properties": properties, "required": required });
            json!({ "name": name, "description": description, "input_schema": schema })
        };
        let text = |what: &str| json!({ "type": "string", "description": what });
        let place = |what: &str| {
            let number = json!({ "type": "integer" });
            json!({
                "type": "array", "items": number, "minItems": 2, "maxItems": 2,
                "description": format!("{what}, as x and y in pixels of the picture."),
            })
        };
        let flag = |what: &str| json!({ "type": "boolean", "description": what });
        let keys: Vec<String> = Key::ALL.iter().map(|key| key.name().to_lowercase()).collect();
        tools.push(own(
            "open_app",
            "Bring an app to the front.",
            json!({ "app": text("Its name as people know it, or its package.") }),
            vec!["app"],
        ));
        tools.push(own(
            "press_key",
            "Press a key of the phone.",
            json!({ "key": { "type": "string", "enum": keys } }),
            vec!["key"],
        ));
        tools.push(own(
            "long_press",
            "Hold a finger down.",
            json!({
                "coordinate": place("Where"),
                "seconds": { "type": "number", "description": "How long; 1 if not said." },
            }),
            vec!["coordinate"],
        ));
        tools.push(own(
            "pick_up_and_drop",
            "Hold something until it comes loose, move it, and let go.",
            json!({ "start_coordinate": place("From where"), "coordinate": place("To where") }),
            vec!["start_coordinate", "coordinate"],
        ));
        tools.push(own(
            "type_text",
            "Tap a field and write into it, in one step.",
            json!({
                "text": text("Exactly what the field is to receive."),
                "coordinate": place("The field to tap first"),
                "clear": flag("Empty the field first."),
                "submit": flag("Press the keyboard's enter key afterwards."),
            }),
            vec!["text"],
        ));
        let shared = calls::own_tools().into_iter();
        tools.extend(
            shared.map(|(name, what, properties, required)| own(name, what, properties, required)),
        );
        tools
    }
}

impl Tongue for Claude {
    fn say(&self, decision: &Decision, coords: &CoordContext) -> (String, Value) {
        let (name, arguments) = match &decision.action {
            Action::Gesture(gesture) | Action::Confirm { gesture, .. } => say(gesture, coords),
            Action::Wait(time) if time.is_zero() => ("computer", json!({ "action": "screenshot" })),
            Action::Wait(time) => {
                ("computer", json!({ "action": "wait", "duration": time.as_secs_f64() }))
            }
            other => calls::say_own(other).unwrap_or(("computer", json!({ "action": "wait" }))),
        };
        (name.to_owned(), arguments)
    }

    fn result(&self, text: &str, _allowed: bool) -> String {
        text.to_owned()
    }
}

fn say(gesture: &Gesture, coords: &CoordContext) -> (&'static str, Value) {
    let at = |point: &Point| {
        let (x, y) = coords.system.numbers(*point, coords.image);
        json!([x, y])
    };
    match gesture {
        Gesture::Click { point } => {
            ("computer", json!({ "action": "left_click", "coordinate": at(point) }))
        }
        Gesture::DoubleClick { point } => {
            ("computer", json!({ "action": "double_click", "coordinate": at(point) }))
        }
        Gesture::LongPress { point, duration } => {
            ("long_press", json!({ "coordinate": at(point), "seconds": duration.as_secs_f64() }))
        }
        Gesture::Type { text, point: None, clear: false, submit } if !text.ends_with('\n') => {
            let text = if *submit { format!("{text}\n") } else { text.clone() };
            ("computer", json!({ "action": "type", "text": text }))
        }
        Gesture::Type { text, point, clear, submit } => {
            let mut said = json!({ "text": text, "clear": clear, "submit": submit });
            if let Some(point) = point {
                said["coordinate"] = at(point);
            }
            ("type_text", said)
        }
        Gesture::Slide { from, to, .. } => (
            "computer",
            json!({
                "action": "left_click_drag",
                "start_coordinate": at(from), "coordinate": at(to),
            }),
        ),
        Gesture::Scroll { direction, at: place } => {
            let middle = [coords.image.width / 2, coords.image.height / 2];
            let place = place.as_ref().map_or_else(|| json!(middle), at);
            let direction = direction.to_string();
            (
                "computer",
                json!({
                    "action": "scroll", "coordinate": place,
                    "scroll_direction": direction, "scroll_amount": 5,
                }),
            )
        }
        Gesture::Drag { from, to } => {
            ("pick_up_and_drop", json!({ "start_coordinate": at(from), "coordinate": at(to) }))
        }
        Gesture::Awake { app } => ("open_app", json!({ "app": app })),
        Gesture::HotKey { key } => ("press_key", json!({ "key": key.name().to_lowercase() })),
    }
}

fn action(
    name: &str,
    said: &Map<String, Value>,
    coords: &CoordContext,
) -> Result<Action, ParseError> {
    let place = |what: &str| match said.get(what) {
        Some(value) => point::point_in(value, coords),
        None => missing(what, name),
    };
    let text = |what: &str| match said.get(what) {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => missing(what, name),
    };
    let flag = |what: &str| match said.get(what) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(is)) => Ok(*is),
        Some(other) => reject(format!("{what} must be true or false, not {other}")),
    };
    Ok(match name {
        "computer" => return computer(said, coords),
        "open_app" => {
            let app = text("app")?;
            if app.trim().is_empty() {
                return missing("app", name);
            }
            Gesture::Awake { app }.into()
        }
        "press_key" => Gesture::HotKey { key: values::key(&text("key")?)? }.into(),
        "long_press" => Gesture::LongPress {
            point: place("coordinate")?,
            duration: values::press(written(said, &["seconds", "duration"]).as_deref()),
        }
        .into(),
        "pick_up_and_drop" => {
            Gesture::Drag { from: place("start_coordinate")?, to: place("coordinate")? }.into()
        }
        "type_text" => {
            let point = match said.get("coordinate") {
                None | Some(Value::Null) => None,
                Some(_) => Some(place("coordinate")?),
            };
            let (clear, submit) = (flag("clear")?, flag("submit")?);
            Gesture::Type { text: text("text")?, point, clear, submit }.into()
        }
        _ => return reject(format!("there is no tool {}", excerpt(name))),
    })
}

/// A call of the computer tool.
fn computer(said: &Map<String, Value>, coords: &CoordContext) -> Result<Action, ParseError> {
    let Some(Value::String(name)) = said.get("action") else {
        return missing("action", "computer");
    };
    let place = |what: &str| match said.get(what) {
        Some(value) => point::point_in(value, coords),
        None => missing(what, name),
    };
    let held = |said: &Map<String, Value>| match said.get("text") {
        Some(Value::String(keys)) if !keys.trim().is_empty() => {
            reject(format!("no key can be held on a phone, also not {}", excerpt(keys)))
        }
        _ => Ok(()),
    };
    Ok(match name.as_str() {
        "left_click" => {
            held(said)?;
            Gesture::Click { point: place("coordinate")? }.into()
        }
        "double_click" => {
            held(said)?;
            Gesture::DoubleClick { point: place("coordinate")? }.into()
        }
        "left_click_drag" => Gesture::Slide {
            from: place("start_coordinate")?,
            to: place("coordinate")?,
            duration: values::SLIDE,
        }
        .into(),
        "type" => {
            let Some(Value::String(text)) = said.get("text") else {
                return missing("text", name);
            };
            // Typed on a keyboard, a line end is its enter key.
            let (text, submit) = match text.strip_suffix('\n') {
                Some(line) => (line.to_owned(), true),
                None => (text.clone(), false),
            };
            if text.is_empty() && submit {
                Gesture::HotKey { key: Key::Enter }.into()
            } else {
                Gesture::Type { text, point: None, clear: false, submit }.into()
            }
        }
        "key" => {
            let Some(Value::String(key)) = said.get("text") else { return missing("text", name) };
            Gesture::HotKey { key: key_named(key)? }.into()
        }
        "scroll" => {
            held(said)?;
            let Some(Value::String(direction)) = said.get("scroll_direction") else {
                return missing("scroll_direction", name);
            };
            let at = match said.get("coordinate") {
                None | Some(Value::Null) => None,
                Some(_) => Some(place("coordinate")?),
            };
            Gesture::Scroll { direction: values::direction(direction)?, at }.into()
        }
        "wait" => Action::Wait(values::wait(written(said, &["duration"]).as_deref())?),
        // A picture comes with every step anyway.
        "screenshot" => Action::Wait(Duration::ZERO),
        "zoom" => return reject("the picture cannot be enlarged; decide by what you see of it"),
        "right_click" => return reject("a phone has no right button; use long_press"),
        "triple_click" => {
            return reject(
                "a phone takes no triple click; use long_press, or type_text with clear",
            );
        }
        "mouse_move" | "cursor_position" | "middle_click" | "left_mouse_down" | "left_mouse_up"
        | "hold_key" => {
            return reject(format!(
                "a phone has no mouse and no keyboard: {} cannot be done",
                excerpt(name)
            ));
        }
        _ => return reject(format!("the tool computer has no action {}", excerpt(name))),
    })
}

/// A key by its name in X, or as a phone's.
fn key_named(name: &str) -> Result<Key, ParseError> {
    match values::fold_name(name).as_str() {
        "return" | "kpenter" | "enter" => Ok(Key::Enter),
        "backspace" => Ok(Key::Delete),
        _ if name.contains('+') => {
            reject(format!("a phone takes no combination of keys such as {}", excerpt(name)))
        }
        _ => values::key(name),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Profile;
    use super::super::calls::tests::{SENT, coords, picture};
    use super::*;
    use crate::Endpoint;

    #[test]
    fn models_are_known_by_their_names() {
        let home = Endpoint::parse("https://api.anthropic.com/v1").unwrap();
        for name in
            ["claude-opus-4-7", "claude-sonnet-5", "claude-opus-4-5-20251101", "claude-sonnet-4-6"]
        {
            assert_eq!(Profile::for_model(name, &home), Profile::CLAUDE, "{name}");
        }
        for name in [
            "claude-sonnet-4-5-20250929",
            "claude-haiku-4-5",
            "claude-opus-4-1-20250805",
            "claude-3-7-sonnet-latest",
            "claude-sonnet-4-20250514",
        ] {
            assert_eq!(Profile::for_model(name, &home), Profile::CLAUDE_20250124, "{name}");
        }
        // Elsewhere its API is not spoken.
        let router = Endpoint::parse("https://router.example/api/v1").unwrap();
        let chat = Profile::for_model("anthropic/claude-sonnet-4.5", &router);
        assert_eq!(chat.spec().wire, Wire::Chat);
    }

    #[test]
    fn no_picture_is_large_enough_to_be_shrunk() {
        for (width, height) in [
            (1080, 2400),
            (1440, 3200),
            (2560, 1600),
            (1600, 2560),
            (2208, 1840),
            (1768, 2208),
            (1200, 1200),
            (8192, 8192),
            (720, 1280),
            (1280, 960),
            (2048, 1536),
            (3000, 10),
        ] {
            let size = PICTURE.resize.apply(ayeaye_agent::ScreenSize { width, height });
            assert!(size.width.max(size.height) <= 1568, "{width}x{height}: {size}");
            let tokens = size.width.div_ceil(28) * size.height.div_ceil(28);
            assert!(tokens <= 1568, "{width}x{height}: {size}, {tokens} tokens");
        }
    }

    #[test]
    fn the_tool_is_declared_with_the_size_of_the_picture() {
        let now = picture("now".to_owned());
        let view = StepInput {
            request: "r",
            history: &[],
            system_notes: &[],
            picture: &now,
            history_images: &[],
            app: None,
        };
        for (profile, kind) in [
            (Profile::CLAUDE, "computer_20251124"),
            (Profile::CLAUDE_20250124, "computer_20250124"),
        ] {
            let prompt = profile.family().prompt(&view, &coords(profile));
            let tool = &prompt.tools[0];
            assert_eq!((&tool["type"], &tool["name"]), (&json!(kind), &json!("computer")));
            assert_eq!(tool["display_width_px"], SENT.width);
            assert_eq!(tool["display_height_px"], SENT.height);
            assert!(prompt.tools.iter().skip(1).all(|tool| tool["input_schema"].is_object()));
        }
    }
}
