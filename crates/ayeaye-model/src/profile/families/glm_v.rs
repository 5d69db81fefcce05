//! GLM-4.xV: thousandths, one JSON object in text, which it may put into a box of tokens.
use super::generic::{Generic, HISTORY, PICTURE};
use crate::profile::coords::CoordSystem;
use crate::profile::{ProfileSpec, Sampling, Wire};

pub(in crate::profile) const GLM_V: Generic = Generic { spec: &SPEC, tools: false, named: false };

const SPEC: ProfileSpec = ProfileSpec {
    name: "glm-v",
    title: "GLM-4.1V, 4.5V, 4.6V",
    patterns: &[
        "glm-4v", "glm-4.1v", "glm-4.5v", "glm-4.6v", "glm-4.7v", "glm-5v", "glm4v", "glm4.5v",
        "glm4.6v",
    ],
    coords: CoordSystem::THOUSANDTHS,
    picture: PICTURE,
    earlier_pictures: 0,
    history: HISTORY,
    // Reasoning counts as reply.
    sampling: Sampling { max_tokens: 4096, ..Sampling::GREEDY },
    wire: Wire::Chat,
};
