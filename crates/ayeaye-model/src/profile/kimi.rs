//! Kimi K2.5 and K2.6: fractions of the screen, one JSON object in text.
use super::generic::{Generic, HISTORY, PICTURE};
use super::space::Space;
use super::{Sampling, Spec, Wire};

pub(super) const KIMI: Generic = Generic { spec: &SPEC, tools: false, named: false };

const SPEC: Spec = Spec {
    name: "kimi",
    title: "Kimi K2.5, K2.6",
    patterns: &["kimi"],
    space: Space::FRACTIONS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: HISTORY,
    // Its endpoint takes no temperature but its own. Reasoning counts as reply.
    sampling: Sampling { temperature: None, max_tokens: 4096, ..Sampling::GREEDY },
    wire: Wire::Chat,
};
