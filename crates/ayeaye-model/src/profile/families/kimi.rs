//! Kimi K2.5 and K2.6: fractions of the screen, one JSON object in text.
use super::generic::{Generic, HISTORY, PICTURE, VERBS};
use crate::profile::coords::CoordSystem;
use crate::profile::{ProfileSpec, Sampling, Wire};

pub(in crate::profile) const KIMI: Generic =
    Generic { spec: &SPEC, tools: false, verbs: VERBS, aliases: &[] };

const SPEC: ProfileSpec = ProfileSpec {
    name: "kimi",
    title: "Kimi K2.5, K2.6",
    patterns: &["kimi"],
    coords: CoordSystem::FRACTIONS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: HISTORY,
    // Its endpoint takes no temperature but its own. Reasoning counts as reply.
    sampling: Sampling { temperature: None, max_tokens: 4096, ..Sampling::GREEDY },
    wire: Wire::Chat,
};
