//! GPT 5.4 and later over OpenAI's Responses API, with its tool `computer`: pixels of the picture.
//!
//! The tool's actions are those of a desktop; what a phone needs beside them is declared as functions. The model
//! may call several actions at once; the first is taken, since each of ours is judged on a screen of its
//! own. A call may come with safety checks: a person has to confirm it first.
use ayeaye_agent::{
    Action, Decision, Key, ParseError, Prompt, Question, Reply, StepInput, ToolCall,
};
use serde_json::{Map, Value, json};

use super::tools;
use crate::picture::{Encoding, PictureRule, Resize};
use crate::profile::chat::PastReply;
use crate::profile::coords::CoordSystem;
use crate::profile::history::PastStep;
use crate::profile::parse::{ParsedCall, ParsedReply, json as parse_json, reject};
use crate::profile::verbs::Slot::{AtX, AtY, Direction, FromX, FromY, SecondsOr, Text, ToX, ToY};
use crate::profile::verbs::{Arg, Meaning, Typing, Verb, VerbTable};
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire};

/// GPT with its tool for computers.
#[derive(Debug)]
pub(in crate::profile) struct GptComputer;

/// The name under which the wire gives the tool's actions.
pub(crate) const COMPUTER: &str = "computer";

/// With `detail: original` the model counts the pixels that it is sent, up to 6000 a side.
const PICTURE: PictureRule = PictureRule {
    resize: Resize::MaxPixels(1080 * 2400),
    encoding: Encoding::Jpeg { quality: 85 },
};

const SPEC: ProfileSpec = ProfileSpec {
    name: "gpt-computer",
    title: "GPT (Responses API, computer tool)",
    // 5.4 and later; 5.1 is an earlier one.
    patterns: &[
        "gpt-5.4", "gpt-5.5", "gpt-5.6", "gpt-5.7", "gpt-5.8", "gpt-5.9", "gpt-5.10", "gpt-5.11",
        "gpt-5.12", "gpt-6",
    ],
    coords: CoordSystem::PIXELS,
    picture: PICTURE,
    earlier_pictures: 1,
    history: "every step as the action that it was",
    // Those that reason take no temperature. Reasoning counts as reply.
    sampling: Sampling { temperature: None, max_tokens: 8192, ..Sampling::GREEDY },
    wire: Wire::Responses,
};

const RULES: &str = "
The computer tool is the phone's touch screen: click taps, drag draws a finger from one place to \
another, scroll shows what lies further down or up, type writes into the field that has the focus. One \
action in each reply: of several only the first is carried out. You get a picture after every step \
without asking for one.
";

/// The functions that we declare.
const TOOLS: &str = r#"[
{"name": "open_app", "description": "Open an app by its name.",
 "properties": {"app_name": {"type": "string", "description": "As it stands under its icon."}},
 "required": ["app_name"]},
{"name": "press_key", "description": "Press a key of the phone.",
 "properties": {"key": {"type": "string", "enum": ["BACK", "HOME", "RECENTS", "ENTER"]}},
 "required": ["key"]},
{"name": "long_press", "description": "Hold a finger on one place.",
 "properties": {
  "x": {"type": "integer", "description": "Pixels from the left."},
  "y": {"type": "integer", "description": "Pixels from the top."}},
 "required": ["x", "y"]}
]"#;

const X: Arg = Arg(AtX, &["x"]);
const Y: Arg = Arg(AtY, &["y"]);

const VERBS: VerbTable = VerbTable::new(&[ROWS, tools::VERBS]);

const ROWS: &[Verb] = &[
    Verb::new(&["click"], Meaning::Click, &[X, Y]),
    Verb::new(&["double_click"], Meaning::DoubleClick, &[X, Y]),
    Verb::new(&["long_press"], Meaning::LongPress, &[X, Y]),
    // Typed on a keyboard, a line end is its enter key.
    Verb::new(&["type"], Meaning::Type(Typing::NewlineSubmits), &[Arg(Text, &["text"])]),
    Verb::new(
        &["drag"],
        Meaning::Slide,
        &[
            Arg(FromX, &["from_x"]),
            Arg(FromY, &["from_y"]),
            Arg(ToX, &["to_x"]),
            Arg(ToY, &["to_y"]),
        ],
    ),
    Verb::new(&["scroll"], Meaning::Scroll, &[Arg(Direction, &["direction"]), X, Y]),
    Verb::new(&["open_app"], Meaning::OpenApp, &[Arg(Text, &["app_name"])]),
    Verb::new(&["keypress", "press_key"], Meaning::PressKey(&[]), &[Arg(Text, &["key"])]),
    Verb::new(&["back"], Meaning::Press(Key::Back), &[]),
    Verb::new(&["wait"], Meaning::Wait, &[Arg(SecondsOr("2"), &["seconds"])]),
    // Every step has a picture anyway.
    Verb::new(&["screenshot"], Meaning::Look, &[]),
    Verb::new(
        &["move"],
        Meaning::Unsupported("a phone has no pointer to move; click where it would go"),
        &[],
    ),
];

impl Family for GptComputer {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC
    }

    fn verbs(&self) -> VerbTable {
        VERBS
    }

    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let rules = format!("{}{RULES}", tools::RULES);
        tools::prompt(input, &SPEC, rules, declarations(), &write, coords)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        let (calls, checks) = first_action(reply)?;
        let mut parsed = tools::parse(&Reply { calls, ..reply.clone() })?;
        parsed.call = as_verb(parsed.call)?;
        let action = VERBS.read(&parsed.call, "", coords)?;
        let action = with_checks(action, &checks, &parsed);
        parsed.decided(action)
    }
}

fn declarations() -> Vec<Value> {
    let mut all = tools::declared(TOOLS, "parameters");
    all.extend(tools::declared(tools::TOOLS, "parameters"));
    for tool in &mut all {
        tool["type"] = json!("function");
        tool["strict"] = json!(false);
    }
    all.insert(0, json!({ "type": COMPUTER }));
    all
}

/// An earlier step as a call; the wire writes those of the tool in words, since they would have to come with the
/// reasoning behind them.
fn write(past: PastStep<'_>, coords: &CoordContext) -> Option<PastReply> {
    let call = VERBS.write(past, coords)?;
    Some(PastReply::tool(past, &call.name, Value::Object(call.args).to_string()))
}

/// The one call to be read, and the safety checks of the tool's call. Of several of its actions the first that
/// does anything.
fn first_action(reply: &Reply) -> Result<(Vec<ToolCall>, Vec<Value>), ParseError> {
    let mut actions: Vec<(ToolCall, Map<String, Value>)> = Vec::new();
    for call in &reply.calls {
        if call.name != COMPUTER {
            return Ok((reply.calls.clone(), Vec::new()));
        }
        actions.push((call.clone(), parse_json::object(&call.arguments)?));
    }
    let checks = actions.iter().filter_map(|(_, action)| action.get(CHECKS)?.as_array()).flatten();
    let checks = checks.cloned().collect();
    let looks = |action: &Map<String, Value>| {
        matches!(action.get("type").and_then(Value::as_str), Some("screenshot" | "move"))
    };
    let acts = actions.iter().position(|(_, action)| !looks(action)).unwrap_or(0);
    Ok((actions.into_iter().nth(acts).map(|(call, _)| call).into_iter().collect(), checks))
}

const CHECKS: &str = "pending_safety_checks";

/// An action of the tool as a verb of the table.
fn as_verb(call: ParsedCall) -> Result<ParsedCall, ParseError> {
    if call.name != COMPUTER {
        return Ok(call);
    }
    let mut args = call.args;
    args.remove(CHECKS);
    let Some(Value::String(name)) = args.remove("type") else {
        return reject("its action has no type");
    };
    let held = args.remove("keys").unwrap_or_default();
    let held: Vec<String> = serde_json::from_value(held).unwrap_or_default();
    if name != "keypress" && !held.is_empty() {
        return reject("no key can be held on a phone");
    }
    let named =
        |name: &str, args| Ok(ParsedCall { name: name.to_owned(), args, ..ParsedCall::default() });
    match name.as_str() {
        "click" => match args.remove("button").as_ref().and_then(Value::as_str) {
            None | Some("left") => named("click", args),
            Some("right") => named("long_press", args),
            Some("back") => named("back", Map::new()),
            Some(_) => reject("a finger has no such button; click with left"),
        },
        "keypress" => match held.as_slice() {
            [key] => named("keypress", Map::from_iter([("key".to_owned(), json!(phone_key(key)))])),
            _ => reject("press one key, and no combination of keys"),
        },
        "drag" => {
            let path = args.get("path").and_then(Value::as_array);
            let path = path.map(Vec::as_slice).unwrap_or_default();
            let (Some(from), Some(to)) = (path.first(), path.last()) else {
                return reject("its drag has no path from one place to another");
            };
            if !is_straight(path) {
                return reject(
                    "a finger is drawn in one straight line, from the first place of the path to the last: this \
                     path turns, or ends where it begins. Draw one line, or ask the user to do it",
                );
            }
            let ends = [
                ("from_x", &from["x"]),
                ("from_y", &from["y"]),
                ("to_x", &to["x"]),
                ("to_y", &to["y"]),
            ];
            named(
                "drag",
                ends.into_iter().map(|(name, at)| (name.to_owned(), at.clone())).collect(),
            )
        }
        "scroll" => {
            let by = |name: &str| args.get(name).and_then(Value::as_f64).unwrap_or_default();
            let (x, y) = (by("scroll_x"), by("scroll_y"));
            let direction = match (x, y) {
                (x, y) if y.abs() < x.abs() => {
                    if 0.0 < x {
                        "right"
                    } else {
                        "left"
                    }
                }
                (_, 0.0) => return reject("its scroll goes nowhere"),
                (_, y) => {
                    if 0.0 < y {
                        "down"
                    } else {
                        "up"
                    }
                }
            };
            args.shift_remove("scroll_x");
            args.shift_remove("scroll_y");
            args.insert("direction".to_owned(), json!(direction));
            named("scroll", args)
        }
        other => named(other, args),
    }
}

/// Whether a path leads from its first place to its last without turning aside by more than a tenth of its length, or
/// what a hand trembles. Places that are none are refused where they are read.
fn is_straight(path: &[Value]) -> bool {
    const TREMBLE: f64 = 24.0;
    let at = |place: &Value| Some((place["x"].as_f64()?, place["y"].as_f64()?));
    let places: Option<Vec<(f64, f64)>> = path.iter().map(at).collect();
    let Some(places) = places else { return true };
    let (Some((x1, y1)), Some((x2, y2))) = (places.first(), places.last()) else { return false };
    let (along_x, along_y) = (x2 - x1, y2 - y1);
    let length = along_x.hypot(along_y);
    if length < TREMBLE {
        return false;
    }
    places.iter().all(|(x, y)| {
        let along = ((x - x1) * along_x + (y - y1) * along_y) / length;
        let aside = ((x - x1) * along_y - (y - y1) * along_x).abs() / length;
        let room = (length / 10.0).max(TREMBLE);
        aside <= room && -room <= along && along <= length + room
    })
}

/// What a key of a keyboard is on a phone.
fn phone_key(key: &str) -> String {
    match key.to_ascii_uppercase().as_str() {
        "ESC" | "ESCAPE" | "BROWSER_BACK" => "BACK".to_owned(),
        "RETURN" | "KP_ENTER" => "ENTER".to_owned(),
        "BACKSPACE" | "DEL" => "DELETE".to_owned(),
        other => other.to_owned(),
    }
}

/// The action, to be confirmed if the API's safety checks are not empty.
fn with_checks(action: Action, checks: &[Value], parsed: &ParsedReply) -> Action {
    match action {
        Action::Gesture(gesture) if !checks.is_empty() => {
            let said = checks.iter().filter_map(|it| it["message"].as_str());
            let mut texts =
                said.chain([parsed.thought.as_str()]).filter(|it| !it.trim().is_empty());
            let text = texts
                .next()
                .unwrap_or("The model's maker requires your confirmation for this action.");
            Action::Confirm { gesture, question: Question::confirm(text) }
        }
        other => other,
    }
}
