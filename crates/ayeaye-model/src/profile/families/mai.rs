//! MAI-UI: thinking in tags, the tool `mobile_use` by direction of the finger, earlier steps as turns
//! of which the last have their screens.
use std::fmt::Write as _;

use ayeaye_agent::{Decision, Message, ParseError, Prompt, Reply, Role, StepInput};
use serde_json::Value;

use super::mobile_use::rules::RULES;
use super::mobile_use::{self, Dialect};
use crate::picture::PictureRule;
use crate::profile::chat::{self, ChatStyle, ImageWindow, PastReply, no_caption};
use crate::profile::coords::CoordSystem;
use crate::profile::escape::{LONGEST_TASK, verbatim};
use crate::profile::history::{History, PastStep};
use crate::profile::verbs::VerbTable;
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire, installed_apps};

/// MAI-UI.
#[derive(Debug)]
pub(in crate::profile) struct Mai;

const SPEC: ProfileSpec = ProfileSpec {
    name: "mai-ui",
    title: "MAI-UI",
    patterns: &["mai-ui", "mai_ui", "maiui"],
    coords: CoordSystem::UP_TO_999,
    // As its own client sends it.
    picture: PictureRule::WHOLE_PNG,
    earlier_pictures: 2,
    history: "turns, the last two with their screens",
    sampling: Sampling {
        temperature: Some(0.0),
        top_p: Some(1.0),
        // Not left out: a server may have others from the model's own files.
        top_k: Some(-1),
        repetition_penalty: Some(1.0),
        seed: Some(42),
        ..Sampling::GREEDY
    },
    wire: Wire::Chat,
};

const DIALECT: Dialect = Dialect {
    actions: &[
        "click",
        "long_press",
        "double_click",
        "type",
        "swipe",
        "open",
        "drag",
        "system_button",
        "wait",
        "answer",
        "ask_user",
        "interact",
        "terminate",
    ],
    verbs: mobile_use::BY_DIRECTION,
    failure: "fail",
    compact: true,
};

const SYSTEM: &str = "\
You operate an Android phone for its user, one step at a time. You see the task, what you did before and \
the screens, and choose the next action.

## Output Format

First your thinking within <thinking> </thinking>: a small plan, and at its end one sentence that names \
the action and its element. Then one call of the tool as a JSON object within <tool_call></tool_call>, \
and nothing behind it:
<thinking>
...
</thinking>
<tool_call>
{\"name\": \"mobile_use\", \"arguments\": <args-json-object>}
</tool_call>

## Action Space

Places are [x, y], x from the left and y from the top, each from 0 to {most}.

{\"action\": \"click\", \"coordinate\": [x, y]}
{\"action\": \"long_press\", \"coordinate\": [x, y]}
{\"action\": \"double_click\", \"coordinate\": [x, y]}
{\"action\": \"type\", \"text\": \"\"}
{\"action\": \"swipe\", \"direction\": \"up or down or left or right\", \"coordinate\": [x, y]} # The direction \
is the finger's: up shows what is further down. \"coordinate\" is optional: the element to swipe on.
{\"action\": \"open\", \"text\": \"app_name\"}
{\"action\": \"drag\", \"start_coordinate\": [x1, y1], \"end_coordinate\": [x2, y2]} # The finger goes \
from one place to the other.
{\"action\": \"system_button\", \"button\": \"button_name\"} # One of back, home, menu, enter.
{\"action\": \"wait\"}
{\"action\": \"answer\", \"text\": \"xxx\"} # Ends the task and gives the user what was asked for. Write the \
text as a JSON string, with \\\" and \\n where it needs them.
{\"action\": \"ask_user\", \"text\": \"xxx\"} # A question to the user.
{\"action\": \"interact\", \"text\": \"xxx\"} # Lets the user do by hand what only a person can or may do.
{\"action\": \"terminate\", \"status\": \"success or fail\"} # Ends the task. With fail, say why in \"text\".

## Rules

";

impl Family for Mai {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC
    }

    fn verbs(&self) -> VerbTable {
        DIALECT.verbs
    }

    /// The task is a turn of its own, then come the screens.
    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let (width, height) = coords.system.extent(coords.image);
        let (width, height) = (width.to_string(), height.to_string());
        let most = if width == height { width } else { format!("{width} and 0 to {height}") };
        let system = SYSTEM.replace("{most}", &most);
        let apps = installed_apps::listed(input.installed_apps).map(|names| {
            format!("- Available Apps (names as apps give them to themselves): {names}\n")
        });
        let (earlier, history) = History::of(input).split_earlier();
        let task = verbatim(input.request, LONGEST_TASK);
        let style = ChatStyle {
            opening: Vec::new(),
            reply: &|past, _| Some(PastReply::text(write(past, coords)?)),
            read: Some(&|reply, image| self.read(reply, &CoordContext { image, ..*coords })),
            kept,
            caption: &no_caption,
            images: ImageWindow::last(SPEC.earlier_pictures),
            screen_in_result: false,
            apart: true,
        };
        let mut messages =
            vec![Message::text(Role::System, system + RULES + &apps.unwrap_or_default())];
        // What is asked for now comes last.
        messages.extend((!earlier.is_empty()).then(|| Message::text(Role::User, earlier)));
        messages.push(Message::text(Role::User, task));
        messages.extend(chat::messages(input, &history, style));
        Prompt::of(messages)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        mobile_use::read(reply, coords, &DIALECT)
    }
}

/// A reply as the model's own client keeps it: its call without blanks and in ASCII.
fn kept(reply: &str) -> String {
    let call = || {
        let (front, behind) = reply.split_once("<tool_call>")?;
        let (call, behind) = behind.split_once("</tool_call>")?;
        let call: Value = serde_json::from_str(call).ok()?;
        let mut utf16 = [0; 2];
        let ascii = call.to_string().chars().fold(String::new(), |mut text, c| {
            if c.is_ascii() {
                text.push(c);
            } else {
                for unit in c.encode_utf16(&mut utf16) {
                    _ = write!(text, "\\u{unit:04x}");
                }
            }
            text
        });
        Some(format!("{front}<tool_call>\n{ascii}\n</tool_call>{behind}"))
    };
    call().unwrap_or_else(|| reply.to_owned())
}

/// A step in the family's own format.
fn write(past: PastStep<'_>, coords: &CoordContext) -> Option<String> {
    let call = mobile_use::write(past, coords, &DIALECT)?;
    Some(format!("<thinking>\n{}\n</thinking>\n{call}", past.thought()))
}
