//! GUI-Owl 1.5, the model of Mobile-Agent-v3.5: an `Action:` line and the tool `mobile_use`, the last
//! steps as turns with their screens, those before them as lines.
use ayeaye_agent::{Decision, Message, ParseError, Part, Prompt, Reply, Role, StepInput};

use super::mobile_use::{self, Dialect};
use super::qwen::{SHORT_REPLY, WITH_KEY, system};
use crate::picture::PictureRule;
use crate::profile::chat::{self, ChatStyle, ImageWindow, PastReply, no_caption};
use crate::profile::coords::CoordSystem;
use crate::profile::escape::{LONGEST_TASK, verbatim};
use crate::profile::history::{History, PastStep};
use crate::profile::verbs::VerbTable;
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire};

mod v1;

pub(in crate::profile) use v1::OwlOne;

/// GUI-Owl 1.5.
#[derive(Debug)]
pub(in crate::profile) struct Owl;

const SPEC: ProfileSpec = ProfileSpec {
    name: "gui-owl",
    title: "GUI-Owl 1.5 (Mobile-Agent-v3.5), gui-plus-2026",
    // Those of the first version are looked for before. Plain `gui-plus` is another model with a format of
    // its own.
    patterns: &["gui-owl", "gui_owl", "guiowl", "mobile-agent-v3.5", "gui-plus-2026"],
    coords: CoordSystem::THOUSANDTHS,
    // As its own client sends it.
    picture: PictureRule::WHOLE_PNG,
    earlier_pictures: 4,
    history: "turns, the last four with their screens, lines for those before",
    sampling: Sampling::SERVERS,
    wire: Wire::Chat,
};

/// The tool as it knows it: asking and handing over are one action.
const DIALECT: Dialect = Dialect {
    actions: &[
        "key",
        "click",
        "long_press",
        "swipe",
        "type",
        "system_button",
        "open",
        "wait",
        "answer",
        "interact",
        "terminate",
    ],
    verbs: mobile_use::BY_PATH_INTERACTING,
    ..WITH_KEY
};

impl Family for Owl {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC
    }

    fn verbs(&self) -> VerbTable {
        DIALECT.verbs
    }

    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let (listed, shown) = History::of(input).split_at_images(input);
        let previous = listed.list("Step ", |past| mobile_use::line(past, coords, &DIALECT));
        let date =
            input.now.map(|now| format!("Today's date is: {}.", now.strftime("%Y-%m-%d %A")));
        let lead = format!(
            "Generate the next move by the screen, the instruction and the previous actions.\n\n{}\
             Instruction: {}{}\n\nPrevious actions:\n{}{}",
            listed.earlier(),
            date.unwrap_or_default(),
            verbatim(input.request, LONGEST_TASK),
            if previous.is_empty() { "None\n" } else { &previous },
            listed.reminders(),
        );
        let style = ChatStyle {
            opening: vec![Part::Text(lead)],
            reply: &|past, _| Some(PastReply::text(write(past, coords)?)),
            read: Some(&|reply, image| self.read(reply, &CoordContext { image, ..*coords })),
            kept: str::to_owned,
            caption: &no_caption,
            images: ImageWindow::last(SPEC.earlier_pictures),
            screen_in_result: false,
            apart: false,
        };
        let mut messages = vec![Message::text(Role::System, system(coords, &DIALECT, SHORT_REPLY))];
        messages.extend(chat::messages(input, &shown, style));
        Prompt::of(messages)
    }

    fn history_text(&self, input: &StepInput<'_>, coords: &CoordContext) -> String {
        let (listed, _) = History::of(input).split_at_images(input);
        let (earlier, reminders) = (listed.earlier(), listed.reminders());
        let previous = listed.list("Step ", |past| mobile_use::line(past, coords, &DIALECT));
        let told = earlier + &previous + &reminders;
        if told.is_empty() { "None".to_owned() } else { told.trim_end().to_owned() }
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        mobile_use::read(reply, coords, &DIALECT)
    }
}

/// A step in the family's own format.
fn write(past: PastStep<'_>, coords: &CoordContext) -> Option<String> {
    let call = mobile_use::write(past, coords, &DIALECT)?;
    let line = mobile_use::line(past, coords, &DIALECT);
    Some(format!("Action: {line}\n{call}"))
}
