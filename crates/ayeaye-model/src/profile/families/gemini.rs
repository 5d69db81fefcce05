//! Gemini over its own API, with its tool for using a phone (`ENVIRONMENT_MOBILE`).
//!
//! The model knows the tool's functions without a declaration; our own are declared beside them. Points
//! are whole numbers on a grid of 1000 by 1000. A call may come with a safety decision: a person has to
//! confirm it first.
use ayeaye_agent::{Action, Decision, Key, ParseError, Part, Prompt, Question, Reply, StepInput};
use serde_json::{Value, json};

use super::tools;
use crate::picture::{Encoding, PictureRule, Resize};
use crate::profile::chat::PastReply;
use crate::profile::coords::CoordSystem;
use crate::profile::history::PastStep;
use crate::profile::parse::args::Args;
use crate::profile::parse::values::fold_name;
use crate::profile::parse::{ParsedReply, excerpt, reject};
use crate::profile::verbs::Slot::{
    AtX, AtY, Clear, Direction, FromX, FromY, SecondsOr, Submit, Text, ToX, ToY,
};
use crate::profile::verbs::{Arg, Meaning, Typing, Verb, VerbTable};
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire};

/// Gemini over its own API.
#[derive(Debug)]
pub(in crate::profile) struct Gemini;

/// Points are relative, so the size only has to keep the screen legible.
const PICTURE: PictureRule =
    PictureRule { resize: Resize::MaxPixels(720 * 1600), encoding: Encoding::Jpeg { quality: 85 } };

const SPEC: ProfileSpec = ProfileSpec {
    name: "gemini",
    title: "Gemini (its own API, computer use)",
    patterns: &["gemini"],
    coords: CoordSystem::THOUSANDTHS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: "every step as a call and its result",
    // The API's documentation advises against any temperature but the default.
    sampling: Sampling { temperature: None, max_tokens: 8192, ..Sampling::GREEDY },
    wire: Wire::Gemini,
};

const RULES: &str = "
drag_and_drop draws a finger from one place to another at once: use it to swipe, and to see what is \
further down, draw from below to above. To move something that has to be held first, use \
pick_up_and_drop. To write into a field that is not in focus, use type_into. You get a picture after \
every step without asking for one.
";

/// The functions that we declare.
const TOOLS: &str = r#"[
{"name": "type_into", "description": "Tap a field and write into it, in one step.",
 "properties": {
  "text": {"type": "string", "description": "Exactly what the field is to receive."},
  "x": {"type": "integer", "description": "0 to 999."},
  "y": {"type": "integer", "description": "0 to 999."},
  "clear": {"type": "boolean", "description": "Empty the field first."},
  "press_enter": {"type": "boolean", "description": "Press the keyboard's enter key afterwards."}},
 "required": ["text"]},
{"name": "pick_up_and_drop",
 "description": "Hold something until it comes loose, move it, and let go.",
 "properties": {
  "start_x": {"type": "integer", "description": "0 to 999."},
  "start_y": {"type": "integer", "description": "0 to 999."},
  "end_x": {"type": "integer", "description": "0 to 999."},
  "end_y": {"type": "integer", "description": "0 to 999."}},
 "required": ["start_x", "start_y", "end_x", "end_y"]}
]"#;

const X: Arg = Arg(AtX, &["x"]);
const Y: Arg = Arg(AtY, &["y"]);
const TEXT: Arg = Arg(Text, &["text"]);
const CLEAR: Arg = Arg(Clear, &["clear", "clear_before_typing"]);
const ENTER: Arg = Arg(Submit, &["press_enter"]);
const START_X: Arg = Arg(FromX, &["start_x"]);
const START_Y: Arg = Arg(FromY, &["start_y"]);
const END_X: Arg = Arg(ToX, &["end_x"]);
const END_Y: Arg = Arg(ToY, &["end_y"]);

const VERBS: VerbTable = VerbTable::new(&[ROWS, tools::VERBS, EARLIER]);

const ROWS: &[Verb] = &[
    Verb::new(&["click"], Meaning::Click, &[X, Y]),
    Verb::new(&["double_click"], Meaning::DoubleClick, &[X, Y]),
    Verb::new(&["long_press"], Meaning::LongPress, &[X, Y, Arg(SecondsOr("2"), &["seconds"])]),
    Verb::new(&["type"], Meaning::Type(Typing::Plain), &[TEXT, ENTER, CLEAR]),
    Verb::new(&["type_into"], Meaning::Type(Typing::Plain), &[TEXT, X, Y, CLEAR, ENTER]),
    // For browsers its makers have other names; their own client of that tool reads no others.
    Verb::new(
        &["drag_and_drop"],
        Meaning::Slide,
        &[
            Arg(FromX, &["start_x", "x"]),
            Arg(FromY, &["start_y", "y"]),
            Arg(ToX, &["end_x", "destination_x"]),
            Arg(ToY, &["end_y", "destination_y"]),
        ],
    ),
    Verb::new(&["pick_up_and_drop"], Meaning::Drag, &[START_X, START_Y, END_X, END_Y]),
    Verb::new(&["scroll"], Meaning::Scroll, &[Arg(Direction, &["direction"]), X, Y]),
    Verb::new(&["open_app"], Meaning::OpenApp, &[Arg(Text, &["app_name"])]),
    Verb::new(&["go_back"], Meaning::Press(Key::Back), &[]),
    Verb::new(&["press_key"], Meaning::PressKey(&[]), &[Arg(Text, &["key"])]),
    Verb::new(&["wait"], Meaning::Wait, &[Arg(SecondsOr("1"), &["seconds"])]),
    // Every step has a picture anyway.
    Verb::new(&["take_screenshot"], Meaning::Look, &[]),
    Verb::new(
        &["list_apps"],
        Meaning::Unsupported("there is no list of apps; call open_app with the name of the one"),
        &[],
    ),
];

/// What the functions of the tool were called before Gemini 3.5, as `agent.py` of google-gemini/computer-use-preview
/// carries them out: 2.5 Computer Use, 3 Flash and 3.1 Pro know these, and were shown browsers only.
const EARLIER: &[Verb] = &[
    Verb::new(&["click_at"], Meaning::Click, &[X, Y]),
    Verb::new(&["type_text_at"], Meaning::Type(Typing::Clears), &[TEXT, X, Y, CLEAR, ENTER]),
    Verb::new(
        &["scroll_at", "scroll_document"],
        Meaning::Scroll,
        &[Arg(Direction, &["direction"]), X, Y],
    ),
    Verb::new(&["wait_5_seconds"], Meaning::Wait, &[Arg(SecondsOr("5"), &["seconds"])]),
    Verb::new(&["key_combination"], Meaning::PressKey(&[]), &[Arg(Text, &["keys"])]),
    Verb::new(
        &["hover_at"],
        Meaning::Unsupported("a phone has no pointer to hover with; call click_at or long_press"),
        &[],
    ),
    Verb::new(
        &["open_web_browser", "navigate", "search", "go_forward"],
        Meaning::Unsupported(
            "this is a phone, not a browser: call open_app with the browser's name, and write the address or the words \
             to look for into its field",
        ),
        &[],
    ),
];

impl Family for Gemini {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC
    }

    fn verbs(&self) -> VerbTable {
        VERBS
    }

    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let rules = format!("{}{RULES}", tools::RULES);
        tools::prompt(input, &SPEC, rules, functions(), &write, coords)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        let mut parsed = tools::parse(reply)?;
        let args = Args::of(&parsed.call)?;
        parsed.explain = args.text(&["intent"], false)?.unwrap_or_default();
        let action = VERBS.read(&parsed.call, "", coords)?;
        let action = with_safety(action, &parsed)?;
        parsed.decided(action)
    }
}

fn functions() -> Vec<Value> {
    let mut functions = tools::declared(TOOLS, "parametersJsonSchema");
    functions.extend(tools::declared(tools::TOOLS, "parametersJsonSchema"));
    vec![
        json!({ "computerUse": {
            "environment": "ENVIRONMENT_MOBILE",
            // Every step has a picture, and apps are opened by name.
            "excludedPredefinedFunctions": ["list_apps", "take_screenshot"],
        } }),
        json!({ "functionDeclarations": functions }),
    ]
}

/// An earlier step as the call that it was, with the API's acknowledgement if it had to be confirmed.
fn write(past: PastStep<'_>, coords: &CoordContext) -> Option<PastReply> {
    let (mut call, allowed) = match &past.step.decision.action {
        Action::Confirm { gesture, question } => {
            let mut call = VERBS.write_action(&gesture.clone().into(), coords)?;
            let allowed = past.asked_first().is_none();
            if allowed {
                let safety =
                    json!({ "decision": "require_confirmation", "explanation": question.text });
                call.args.insert("safety_decision".to_owned(), safety);
            }
            (call, allowed)
        }
        _ => (VERBS.write(past, coords)?, false),
    };
    let intent = past.explanation();
    if !intent.is_empty() {
        call.args.insert("intent".to_owned(), Value::from(intent));
    }
    let mut reply = PastReply::tool(past, &call.name, Value::Object(call.args).to_string());
    if let Some(Part::Result { text, .. }) = &mut reply.result {
        let mut result = json!({ "output": text });
        if allowed {
            result["safety_acknowledgement"] = json!("true");
        }
        *text = result.to_string();
    }
    Some(reply)
}

/// The action, to be confirmed if the API's safety decision says so.
fn with_safety(action: Action, parsed: &ParsedReply) -> Result<Action, ParseError> {
    let safety = match parsed.call.args.get("safety_decision") {
        None | Some(Value::Null) => return Ok(action),
        Some(Value::Object(safety)) => Args::in_map(safety)?,
        Some(_) => return reject("its safety_decision is not an object"),
    };
    let decision = safety.text(&["decision"], false)?.unwrap_or_default();
    match fold_name(&decision).as_str() {
        "regular" | "allowed" | "allow" => Ok(action),
        "requireconfirmation" => match action {
            Action::Gesture(gesture) => {
                let why = safety.text(&["explanation"], false)?.unwrap_or_default();
                let texts = [
                    why.trim(),
                    parsed.explain.trim(),
                    "The model's maker requires your confirmation for this action.",
                ];
                let text = texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
                Ok(Action::Confirm { gesture, question: Question::confirm(text) })
            }
            // It never reaches the phone.
            other => Ok(other),
        },
        _ => reject(format!(
            "its safety decision is {}: it is not done; go another way or ask the user",
            excerpt(&decision)
        )),
    }
}
