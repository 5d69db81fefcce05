//! Gemini behind an OpenAI-compatible endpoint: thousandths, one JSON object in text.
use super::generic::{Generic, HISTORY, NAMING_VERBS, PICTURE};
use crate::profile::coords::CoordSystem;
use crate::profile::{ProfileSpec, Sampling, Wire};

/// Its boxes have the height first, so that its points are asked for by name, and a box of four
/// numbers is nothing to be sure of.
pub(in crate::profile) const GEMINI_CHAT: Generic =
    Generic { spec: &SPEC, tools: false, verbs: NAMING_VERBS, aliases: &[] };

const SPEC: ProfileSpec = ProfileSpec {
    name: "gemini-chat",
    title: "Gemini by chat",
    patterns: &["gemini"],
    coords: CoordSystem::THOUSANDTHS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: HISTORY,
    // Below its own temperature, it is known to repeat itself. Reasoning counts as reply.
    sampling: Sampling { temperature: None, max_tokens: 4096, ..Sampling::GREEDY },
    wire: Wire::Chat,
};
