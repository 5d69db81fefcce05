//! OpenAI's GPT by chat: pixels of the picture, one JSON object in text.
use super::generic::{Generic, HISTORY, VERBS};
use crate::picture::{Encoding, PictureRule, Resize};
use crate::profile::coords::CoordSystem;
use crate::profile::{ProfileSpec, Sampling, Wire};

pub(in crate::profile) const GPT: Generic =
    Generic { spec: &SPEC, tools: false, verbs: VERBS, aliases: &[] };

/// Without `detail: original`, which only the newest know, the endpoint scales a picture into
/// 2048x2048 and then its shorter side to 768, and the model counts the pixels of what is left. What
/// it is sent is that already.
const PICTURE: PictureRule = PictureRule {
    resize: Resize::Sides { long: 2048, short: 768 },
    encoding: Encoding::Jpeg { quality: 85 },
};

const SPEC: ProfileSpec = ProfileSpec {
    name: "gpt",
    title: "GPT by chat",
    patterns: &["gpt-4", "gpt-5", "gpt-6", "chatgpt"],
    coords: CoordSystem::PIXELS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: HISTORY,
    // Those that reason take no temperature but their own. Reasoning counts as reply.
    sampling: Sampling { temperature: None, max_tokens: 4096, ..Sampling::GREEDY },
    wire: Wire::Chat,
};
