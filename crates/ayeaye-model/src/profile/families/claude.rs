//! Claude over Anthropic's own API, with its tool for using computers.
//!
//! There are several generations of the tool. A prompt declares one; the client offers the model the one
//! that it takes. Calls are named `computer.ACTION` here in all of them.
//!
//! The tool is made for desktops: a mouse and a keyboard. What a phone has besides (apps by name, its
//! keys, a long press) are tools of our own beside it. Points are pixels of the picture that is sent,
//! which is small enough that the API does not shrink it: it would do so without a word, and every tap
//! would miss.
use ayeaye_agent::{Decision, Key, ParseError, Prompt, Reply, StepInput};
use serde_json::{Value, json};

use super::tools;
use crate::picture::{Encoding, PictureRule, Resize};
use crate::profile::chat::PastReply;
use crate::profile::coords::CoordSystem;
use crate::profile::history::PastStep;
use crate::profile::parse::reject;
use crate::profile::verbs::Slot::{
    At, AtOrCenter, Clear, Direction, From, Refused, Seconds, Submit, Text, To,
};
use crate::profile::verbs::{Arg, Meaning, Typing, Verb, VerbTable};
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire};

/// Claude, with one of the two versions of the tool.
#[derive(Debug)]
pub(in crate::profile) struct Claude(&'static ProfileSpec);

/// Models since Opus 4.5 and Sonnet 4.6.
pub(in crate::profile) const CLAUDE: Claude = Claude(&SPEC);
/// Models before them.
pub(in crate::profile) const CLAUDE_20250124: Claude = Claude(&SPEC_20250124);

/// The API shrinks what has more than 1568 pixels a side or 1568 tokens (28x28 pixels each; newer
/// models 2576 and 4784). 1280 a side is what agents with phones had their best results with, and
/// 1,150,000 in all stays below the tokens in every shape.
const PICTURE: PictureRule = PictureRule {
    resize: Resize::Within { side: 1280, pixels: 1_150_000 },
    encoding: Encoding::Jpeg { quality: 85 },
};

/// No temperature: newer models refuse any but their own. They think as well, and their thinking counts
/// as part of the reply.
const SAMPLING: Sampling = Sampling { temperature: None, max_tokens: 16_384, ..Sampling::GREEDY };

const SPEC: ProfileSpec = ProfileSpec {
    name: "claude",
    title: "Claude (Anthropic's API, computer_toolset_20260801 or computer_20251124)",
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

const RULES: &str = "
The tool `computer` works on the phone's screen: left_click taps, double_click taps twice, \
left_click_drag draws a finger across the screen, scroll shows what lies in a direction, type writes \
into the field in focus, and a line end behind the text presses the keyboard's enter key. wait waits. \
There is no mouse: do not use mouse_move, right_click or combinations of keys. You get a picture after \
every step without asking for one.
";

/// The tools beside the computer.
const TOOLS: &str = r#"[
{"name": "open_app", "description": "Bring an app to the front.",
 "properties": {"app": {"type": "string", "description": "Its name as people know it, or its package."}},
 "required": ["app"]},
{"name": "press_key", "description": "Press a key of the phone.",
 "properties": {"key": {"type": "string", "enum": ["back", "home", "enter", "recents", "delete", "tab",
  "menu", "search", "power", "volume_up", "volume_down", "volume_mute"]}},
 "required": ["key"]},
{"name": "long_press", "description": "Hold a finger down.",
 "properties": {
  "coordinate": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2,
   "description": "Where, as x and y in pixels of the picture."},
  "seconds": {"type": "number", "description": "How long; 1 if not said."}},
 "required": ["coordinate"]},
{"name": "pick_up_and_drop",
 "description": "Hold something until it comes loose, move it, and let go.",
 "properties": {
  "start_coordinate": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2,
   "description": "From where, as x and y in pixels of the picture."},
  "coordinate": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2,
   "description": "To where, as x and y in pixels of the picture."}},
 "required": ["start_coordinate", "coordinate"]},
{"name": "type_text", "description": "Tap a field and write into it, in one step.",
 "properties": {
  "text": {"type": "string", "description": "Exactly what the field is to receive."},
  "coordinate": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2,
   "description": "The field to tap first, as x and y in pixels of the picture."},
  "clear": {"type": "boolean", "description": "Empty the field first."},
  "submit": {"type": "boolean", "description": "Press the keyboard's enter key afterwards."}},
 "required": ["text"]}
]"#;

const PLACE: Arg = Arg(At, &["coordinate"]);
const START: Arg = Arg(From, &["start_coordinate"]);
const END: Arg = Arg(To, &["coordinate"]);
const NO_KEYS: Arg = Arg(Refused("no key can be held on a phone"), &["text"]);

/// Actions of the tool `computer` have its name in front.
const VERBS: VerbTable = VerbTable::new(&[ROWS, tools::VERBS]);

const ROWS: &[Verb] = &[
    Verb::new(&["computer.left_click"], Meaning::Click, &[PLACE, NO_KEYS]),
    Verb::new(&["computer.double_click"], Meaning::DoubleClick, &[PLACE, NO_KEYS]),
    Verb::new(
        &["long_press"],
        Meaning::LongPress,
        &[PLACE, Arg(Seconds, &["seconds", "duration"])],
    ),
    // Typed on a keyboard, a line end is its enter key.
    Verb::new(&["computer.type"], Meaning::Type(Typing::NewlineSubmits), &[Arg(Text, &["text"])]),
    Verb::new(
        &["type_text"],
        Meaning::Type(Typing::Plain),
        &[Arg(Text, &["text"]), PLACE, Arg(Clear, &["clear"]), Arg(Submit, &["submit"])],
    ),
    Verb::new(&["computer.left_click_drag"], Meaning::Slide, &[START, END, NO_KEYS]),
    Verb::new(&["pick_up_and_drop"], Meaning::Drag, &[START, END]),
    Verb::new(
        &["computer.scroll"],
        Meaning::Scroll,
        &[Arg(AtOrCenter, &["coordinate"]), Arg(Direction, &["scroll_direction"]), NO_KEYS],
    ),
    Verb::new(&["open_app"], Meaning::OpenApp, &[Arg(Text, &["app"])]),
    Verb::new(&["press_key"], Meaning::PressKey(&[]), &[Arg(Text, &["key"])]),
    // Keys by their names in X.
    Verb::new(
        &["computer.key"],
        Meaning::PressKey(&[
            (Key::Enter, "Return"),
            (Key::Enter, "KP_Enter"),
            (Key::Delete, "BackSpace"),
        ]),
        &[Arg(Text, &["text"])],
    ),
    // A picture comes with every step anyway.
    Verb::new(&["computer.screenshot"], Meaning::Look, &[]),
    Verb::new(&["computer.wait"], Meaning::Wait, &[Arg(Seconds, &["duration"])]),
    Verb::new(
        &["computer.zoom"],
        Meaning::Unsupported("the picture cannot be enlarged; decide by what you see of it"),
        &[],
    ),
    Verb::new(
        &["computer.right_click"],
        Meaning::Unsupported("a phone has no right button; use long_press"),
        &[],
    ),
    Verb::new(
        &["computer.triple_click"],
        Meaning::Unsupported(
            "a phone takes no triple click; use long_press, or type_text with clear",
        ),
        &[],
    ),
    Verb::new(
        &[
            "computer.mouse_move",
            "computer.cursor_position",
            "computer.middle_click",
            "computer.left_mouse_down",
            "computer.left_mouse_up",
            "computer.hold_key",
        ],
        Meaning::Unsupported("a phone has no mouse and no keyboard"),
        &[],
    ),
];

impl Family for Claude {
    fn spec(&self) -> &'static ProfileSpec {
        self.0
    }

    fn verbs(&self) -> VerbTable {
        VERBS
    }

    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let rules = format!("{}{RULES}", tools::RULES);
        tools::prompt(input, self.0, rules, self.tools(coords), &write, coords)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        let mut parsed = tools::parse(reply)?;
        if parsed.call.name == "computer" {
            let Some(Value::String(action)) = parsed.call.args.get("action") else {
                return reject("computer needs `action`");
            };
            parsed.call.name = format!("computer.{action}");
        } else if !self.verbs().knows(&parsed.call.name) {
            // Some proxies drop the name of the toolset.
            let member = format!("computer.{}", parsed.call.name);
            if self.verbs().knows(&member) {
                parsed.call.name = member;
            }
        }
        if parsed.call.name == "computer.key" {
            match parsed.call.args.shift_remove("repeat").map(|it| it.as_u64()) {
                None | Some(Some(1)) => {}
                Some(_) => return reject("a key is pressed once; call it again for once more"),
            }
        }
        self.verbs().decide(parsed, coords)
    }
}

impl Claude {
    fn tools(&self, coords: &CoordContext) -> Vec<Value> {
        let kind = if self.0.name == SPEC.name { "computer_20251124" } else { "computer_20250124" };
        let mut all = vec![json!({
            "type": kind, "name": "computer",
            "display_width_px": coords.image.width, "display_height_px": coords.image.height,
        })];
        all.extend(tools::declared(TOOLS, "input_schema"));
        all.extend(tools::declared(tools::TOOLS, "input_schema"));
        all
    }
}

/// An earlier step as the call that it was.
fn write(past: PastStep<'_>, coords: &CoordContext) -> Option<PastReply> {
    let mut call = VERBS.write(past, coords)?;
    let mut name = call.name.as_str();
    if let Some((tool, action)) = name.split_once('.') {
        if action == "scroll" {
            call.args.insert("scroll_amount".to_owned(), json!(5));
        }
        call.args.shift_insert(0, "action".to_owned(), Value::from(action));
        name = tool;
    }
    Some(PastReply::tool(past, name, Value::Object(call.args).to_string()))
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::ScreenSize;

    use super::*;
    use crate::profile::Profile;
    use crate::profile::tests::sample;

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
            let size = PICTURE.resize.apply(ScreenSize { width, height });
            assert!(size.width.max(size.height) <= 1568, "{width}x{height}: {size}");
            let tokens = size.width.div_ceil(28) * size.height.div_ceil(28);
            assert!(tokens <= 1568, "{width}x{height}: {size}, {tokens} tokens");
        }
    }

    #[test]
    fn the_tool_is_declared_with_the_size_of_the_picture() {
        for (profile, kind) in [
            (Profile::CLAUDE, "computer_20251124"),
            (Profile::CLAUDE_20250124, "computer_20250124"),
        ] {
            let prompt = sample::prompt(profile.family(), "r", &[], &[]);
            let tool = &prompt.tools[0];
            assert_eq!((&tool["type"], &tool["name"]), (&json!(kind), &json!("computer")));
            assert_eq!(tool["display_width_px"], sample::SIZE.width);
            assert_eq!(tool["display_height_px"], sample::SIZE.height);
            assert!(prompt.tools.iter().skip(1).all(|tool| tool["input_schema"].is_object()));
            let keys = &prompt.tools[2]["input_schema"]["properties"]["key"]["enum"];
            let all: Vec<String> = Key::ALL.iter().map(|key| key.name().to_lowercase()).collect();
            assert_eq!(keys, &json!(all));
        }
    }
}
