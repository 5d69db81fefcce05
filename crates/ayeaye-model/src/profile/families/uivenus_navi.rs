//! UI-Venus-Navi, the first version: the replies of 1.5, in pixels of the picture as its server resizes it.
use ayeaye_agent::{Decision, Message, ParseError, Part, Prompt, Reply, Role, StepInput};

use super::qwen::{PICTURE_25, RESIZE_25};
use super::uivenus::{VERBS, parse, rules, write};
use crate::profile::coords::{CoordSystem, CoordUnit};
use crate::profile::escape::{LONGEST_TASK, verbatim};
use crate::profile::history::History;
use crate::profile::verbs::VerbTable;
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire};

/// UI-Venus-Navi 7B and 72B.
#[derive(Debug)]
pub(in crate::profile) struct UiVenusNavi;

const SPEC: ProfileSpec = ProfileSpec {
    name: "ui-venus-navi",
    title: "UI-Venus-Navi (1.0)",
    patterns: &["venus-navi", "venus_navi", "venus-1.0"],
    // Derived from Qwen2.5-VL.
    coords: CoordSystem::of(CoordUnit::ResizedPixels(RESIZE_25)),
    picture: PICTURE_25,
    earlier_pictures: 0,
    history: "its earlier actions and conclusions as a list",
    sampling: Sampling { repetition_penalty: Some(1.05), ..Sampling::GREEDY },
    wire: Wire::Chat,
};

const POINTS: &str = "Points are pixels of the screenshot, which is {width} wide and {height} high: (0,0) is its top left.";

impl Family for UiVenusNavi {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC
    }

    fn verbs(&self) -> VerbTable {
        VERBS
    }

    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let history = History::of(input);
        let steps = history.list("Step ", |past| write(past, coords));
        let (width, height) = coords.system.extent(coords.image);
        let points =
            POINTS.replace("{width}", &width.to_string()).replace("{height}", &height.to_string());
        let state = format!(
            "### User Task\n{}\n{}\n### Previous Actions\n{}{}{}\n### Screenshot\n",
            verbatim(input.request, LONGEST_TASK),
            history.earlier(),
            if steps.is_empty() { "None yet.\n" } else { &steps },
            history.reminders(),
            history.system_notes(),
        );
        let parts = vec![
            Part::Text(rules(&points)),
            Part::Text(state),
            Part::Picture(input.picture.clone()),
        ];
        Prompt::of(vec![Message { role: Role::User, parts }])
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        self.verbs().decide(parse(&reply.text, &VERBS.arg_names())?, coords)
    }
}
