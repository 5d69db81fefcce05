//! Any model that was made for no format of phone actions: one tool, or one JSON object in text.
//!
//! The words are ours. What differs between the models that are asked this way is in the [`ProfileSpec`] of
//! each and in a few figures of [`Generic`]: `gpt`, `claude_chat` and their like are no more than
//! that.
use ayeaye_agent::{Decision, ParseError, Prompt, Reply, StepInput};

use crate::picture::{Encoding, PictureRule, Resize};
use crate::profile::coords::CoordSystem;
use crate::profile::verbs::VerbTable;
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire};

mod prompt;
mod read;
mod tool;
pub(in crate::profile) mod verbs;

/// A family of models that are asked in words of ours.
#[derive(Debug)]
pub(in crate::profile) struct Generic {
    /// Its figures.
    pub spec: &'static ProfileSpec,
    /// Whether it is given the tool. Replies in text are read all the same.
    pub tools: bool,
    /// What its calls mean, and how they are written.
    pub verbs: VerbTable,
    /// What its makers call arguments that it is asked for in words of ours, and our names for them.
    pub aliases: &'static [(&'static str, &'static str)],
}

/// Our words for actions, and those that models use in their place.
pub(in crate::profile) const VERBS: VerbTable = VerbTable::new(&[verbs::ROWS]);
/// Our words with points that are objects of `x` and `y`, for models that were taught another order of numbers in
/// a list.
pub(in crate::profile) const NAMING_VERBS: VerbTable = VerbTable { named_points: true, ..VERBS };

/// Models that know tools, over any endpoint.
pub(in crate::profile) const GENERIC: Generic =
    Generic { spec: &SPEC, tools: true, verbs: VERBS, aliases: &[] };

/// Models and endpoints that know none.
pub(in crate::profile) const GENERIC_TEXT: Generic =
    Generic { spec: &TEXT_SPEC, tools: false, verbs: VERBS, aliases: &[] };

/// A screen of 1080x2400 at 720x1600 keeps its small print. Most servers take such a picture without
/// making it smaller; thousandths do not mind if they do.
pub(in crate::profile) const PICTURE: PictureRule =
    PictureRule { resize: Resize::MaxPixels(720 * 1600), encoding: Encoding::Jpeg { quality: 85 } };

/// What the prompts of this format tell.
pub(in crate::profile) const HISTORY: &str =
    "steps of the round as turns, the last with their screens";

const SPEC: ProfileSpec = ProfileSpec {
    name: "generic",
    title: "any model that calls tools",
    patterns: &[],
    coords: CoordSystem::THOUSANDTHS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: HISTORY,
    sampling: Sampling::GREEDY,
    wire: Wire::Chat,
};

const TEXT_SPEC: ProfileSpec = ProfileSpec {
    name: "generic-text",
    title: "any model, actions as JSON in text",
    patterns: &[],
    coords: CoordSystem::THOUSANDTHS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: HISTORY,
    sampling: Sampling::GREEDY,
    wire: Wire::Chat,
};

impl Family for Generic {
    fn spec(&self) -> &'static ProfileSpec {
        self.spec
    }

    fn verbs(&self) -> VerbTable {
        self.verbs
    }

    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        prompt::prompt(input, coords, self)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        read::read(reply, coords, self)
    }
}

#[cfg(test)]
mod tests;
