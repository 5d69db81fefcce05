//! `mobile_use`, the tool by which Qwen's vision models and those made from them use a phone.
//!
//! What differs between the families is in a [`Dialect`]; how a call is written down is for
//! [`hermes`].
use std::fmt::Write as _;

use ayeaye_agent::{Action, Decision, Key, ParseError, Reply};
use serde_json::{Map, Value, json};

use crate::profile::CoordContext;
use crate::profile::escape::{LONGEST_LINE, LONGEST_TEXT, escape_tags, plain_line, truncated};
use crate::profile::history::PastStep;
use crate::profile::parse::values::fold_name;
use crate::profile::parse::{ParsedCall, ParsedReply, args, excerpt, hermes, reasoning, reject};
use crate::profile::verbs::Slot::{
    At, Clear, Direction, From, Seconds, Status, Submit, Text, TextOrReason, To, UnusualSeconds,
};
use crate::profile::verbs::{Arg, CallUser, Meaning, Typing, Verb, VerbTable};

mod head;
pub(in crate::profile) mod rules;

/// What the families' tools do not have in common.
#[derive(Debug)]
pub(in crate::profile) struct Dialect {
    /// The actions its prompt offers, in this order.
    pub actions: &'static [&'static str],
    /// What calls mean.
    pub verbs: VerbTable,
    /// The word for a task that could not be done.
    pub failure: &'static str,
    /// Whether calls are written without blanks.
    pub compact: bool,
}

/// The name of the tool.
pub(in crate::profile) const NAME: &str = "mobile_use";

/// Swipes have two places.
pub(in crate::profile) const BY_PATH: VerbTable = VerbTable::new(&[COMMON, PATH]);
/// Swipes have two places, and one verb is for asking and for handing over.
pub(in crate::profile) const BY_PATH_INTERACTING: VerbTable =
    VerbTable::new(&[INTERACT, COMMON, PATH]);
/// Swipes have a direction, which is the finger's, and the names of buttons are in lower case.
pub(in crate::profile) const BY_DIRECTION: VerbTable = VerbTable::new(&[COMMON, DIRECTION]);

const PLACE: Arg = Arg(At, &["coordinate", "coordinates", "point"]);
const START: Arg = Arg(From, &["coordinate", "start_coordinate", "coordinate1", "coordinates"]);
const END: Arg = Arg(To, &["coordinate2", "end_coordinate", "coordinates2"]);
const TEXT: Arg = Arg(Text, &["text"]);
const REASON: Arg = Arg(TextOrReason, &["text", "reason", "message"]);
const STATUS: Arg = Arg(Status, &["status"]);
const FAILURE: [&str; 5] = ["failure", "fail", "failed", "infeasible", "impossible"];

/// The makers' own clients swipe for it: the finger does not rest where it goes down.
const DRAG: Verb = Verb::new(
    &["drag"],
    Meaning::Slide,
    &[
        Arg(From, &["start_coordinate", "coordinate", "coordinate1", "coordinates"]),
        Arg(To, &["end_coordinate", "coordinate2", "coordinates2"]),
    ],
);

const COMMON: &[Verb] = &[
    Verb::new(&["click", "tap"], Meaning::Click, &[PLACE]),
    Verb::new(&["double_click", "double_tap"], Meaning::DoubleClick, &[PLACE]),
    Verb::new(
        &["long_press", "long_click"],
        Meaning::LongPress,
        &[PLACE, Arg(UnusualSeconds, &["time", "duration"])],
    ),
    Verb::new(
        &["type", "input", "input_text"],
        Meaning::Type(Typing::Plain),
        &[TEXT, PLACE, Arg(Clear, &["clear"]), Arg(Submit, &["submit"])],
    ),
    Verb::new(
        &["open", "open_app", "launch", "awake"],
        Meaning::OpenApp,
        &[Arg(Text, &["text", "app", "app_name"])],
    ),
    Verb::new(&["wait"], Meaning::Wait, &[Arg(Seconds, &["time", "duration"])]),
    Verb::new(&["answer"], Meaning::Answer, &[TEXT]),
    Verb::new(&["ask_user", "ask", "info"], Meaning::Ask, &[Arg(Text, &["text", "question"])]),
    Verb::new(
        &["interact", "call_user", "take_over"],
        Meaning::TakeOver,
        &[Arg(TextOrReason, &["text", "message"])],
    ),
];

const INTERACT: &[Verb] = &[Verb::new(
    &["interact"],
    Meaning::CallUser(CallUser::AsksByQuestionMark),
    &[Arg(TextOrReason, &["text", "message"])],
)];

const PATH: &[Verb] = &[
    Verb::new(&["swipe", "scroll"], Meaning::Slide, &[START, END]),
    DRAG,
    Verb::new(
        &["system_button"],
        Meaning::PressKey(&[
            (Key::Back, "Back"),
            (Key::Home, "Home"),
            // "Menu means opening the application background menu": the apps in the background.
            (Key::Recents, "Menu"),
            (Key::Enter, "Enter"),
        ]),
        &[Arg(Text, &["button", "text"])],
    ),
    Verb::new(
        &["key", "press", "press_key"],
        Meaning::PressKey(&[]),
        &[Arg(Text, &["text", "key"])],
    ),
    Verb::new(
        &["terminate"],
        Meaning::End { success: &["success"], failure: &FAILURE },
        &[STATUS, REASON],
    ),
];

const DIRECTION: &[Verb] = &[
    Verb::new(&["swipe"], Meaning::Swipe, &[Arg(Direction, &["direction"]), PLACE, START, END]),
    DRAG,
    // Of which the direction could be the finger's or the page's.
    Verb::new(&["scroll"], Meaning::Slide, &[START, END]),
    Verb::new(
        &["system_button"],
        Meaning::PressKey(&[
            (Key::Back, "back"),
            (Key::Home, "home"),
            (Key::Menu, "menu"),
            (Key::Enter, "enter"),
        ]),
        &[Arg(Text, &["button", "text"])],
    ),
    Verb::new(
        &["key", "press", "press_key"],
        Meaning::PressKey(&[]),
        &[Arg(Text, &["text", "key"])],
    ),
    Verb::new(
        &["terminate"],
        Meaning::End {
            success: &["success"],
            failure: &["fail", "failure", "failed", "infeasible", "impossible"],
        },
        &[STATUS, REASON],
    ),
];

/// What a reply decides that ends with a call of the tool.
pub(in crate::profile) fn read(
    reply: &Reply,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Result<Decision, ParseError> {
    let found = hermes::call(reply)?;
    let said_nothing = found.thought.is_empty() && found.head.is_empty();
    let head = match head::of_reasoning(&reply.reasoning) {
        Some(head) if said_nothing => head,
        _ => head::read(found.head),
    };
    let thought = if found.thought.is_empty() { head.thought } else { found.thought };
    let parsed = ParsedReply {
        call: call(&found.name, found.arguments)?,
        thought: reasoning::joined([&thought, ""], &reply.reasoning),
        explain: if head.action.is_empty() { found.conclusion } else { head.action },
        doubt: found.doubt.map(str::to_owned),
        ..ParsedReply::default()
    };
    dialect.verbs.decide(parsed, coords)
}

/// An end without a report has in its place what the model said of its last step: that is more than nothing.
pub(in crate::profile) fn with_last_words(mut decision: Decision) -> Decision {
    let words = [&decision.explain, &decision.thought];
    let words = words.into_iter().find(|it| !it.trim().is_empty()).map(|it| it.trim().to_owned());
    if let (Action::Complete { message }, Some(words)) = (&mut decision.action, words)
        && message.trim().is_empty()
    {
        *message = format!("{NO_REPORT} {}", truncated(&words, LONGEST_TEXT));
    }
    decision
}

/// What stands in front of the model's words on its last step where it has ended a task without a report.
const NO_REPORT: &str = "[No report. The model said of its last step:]";

/// The tool by which the same models use a computer. They mix the names up, and their own clients look at neither.
const COMPUTER: &str = "computer_use";

/// The call in a call of the tool. Some models call the action as if it were the tool.
pub(in crate::profile) fn call(
    tool: &str,
    mut args: Map<String, Value>,
) -> Result<ParsedCall, ParseError> {
    let is_tool = [NAME, COMPUTER, ""].iter().any(|name| fold_name(name) == fold_name(tool));
    if !is_tool {
        match args.get("action") {
            None => {
                args.insert("action".to_owned(), Value::from(tool));
            }
            Some(Value::String(action)) if fold_name(action) == fold_name(tool) => {}
            Some(_) => return reject(format!("{} is not a tool; call {NAME}", excerpt(tool))),
        }
    }
    let call = args::call(args, &["action"])?;
    Ok(if ["swipe", "scroll", "drag"].contains(&&*fold_name(&call.name)) {
        with_end(call)
    } else {
        call
    })
}

/// A swipe whose one argument is a list of both its places, with an argument for each.
fn with_end(mut call: ParsedCall) -> ParsedCall {
    let (from, to) = (START.1[0], END.1[0]);
    let end = match call.args.get(from).and_then(Value::as_array).map(Vec::as_slice) {
        Some([start @ Value::Array(_), end @ Value::Array(_)]) if !call.args.contains_key(to) => {
            Some((start.clone(), end.clone()))
        }
        _ => None,
    };
    if let Some((start, end)) = end {
        call.args.insert(from.to_owned(), start);
        call.args.insert(to.to_owned(), end);
    }
    call
}

/// An earlier step as a call of the tool in its tags; `None` where it has no word for it.
pub(in crate::profile) fn write(
    past: PastStep<'_>,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Option<String> {
    if dialect.compact {
        let call = dialect.verbs.write(past, coords)?;
        let mut arguments = Map::new();
        arguments.insert("action".to_owned(), Value::from(call.name));
        arguments.extend(call.args);
        let object = json!({ "name": NAME, "arguments": arguments }).to_string();
        return Some(format!("<tool_call>\n{}\n</tool_call>", escape_tags(&object)));
    }
    let arguments = write_arguments(past, coords, dialect)?;
    Some(format!("<tool_call>\n{{\"name\": \"{NAME}\", \"arguments\": {arguments}}}\n</tool_call>"))
}

/// The arguments alone, as JSON with the blanks that the families were trained with.
pub(in crate::profile) fn write_arguments(
    past: PastStep<'_>,
    coords: &CoordContext,
    dialect: &Dialect,
) -> Option<String> {
    let call = dialect.verbs.write(past, coords)?;
    let mut object = format!("{{\"action\": {}", Value::from(call.name));
    for (name, value) in &call.args {
        match value {
            Value::Array(list) => {
                let list: Vec<String> = list.iter().map(Value::to_string).collect();
                write!(object, ", \"{name}\": [{}]", list.join(", "))
            }
            value => write!(object, ", \"{name}\": {value}"),
        }
        .expect("it is a String");
    }
    Some(escape_tags(&(object + "}")))
}

/// A step in a line: in the model's own words, else as it would call it.
pub(in crate::profile) fn line(
    past: PastStep<'_>,
    coords: &CoordContext,
    dialect: &Dialect,
) -> String {
    match plain_line(&past.step.decision.explain, LONGEST_LINE) {
        text if !text.is_empty() => text,
        _ => write_arguments(past, coords, dialect)
            .map_or_else(|| past.in_words(), |call| plain_line(&call, LONGEST_LINE)),
    }
}
