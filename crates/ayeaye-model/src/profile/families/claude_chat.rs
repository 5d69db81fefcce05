//! Claude behind an OpenAI-compatible endpoint: pixels of the picture, one JSON object in text.
use super::generic::{Generic, HISTORY, VERBS};
use crate::picture::{Encoding, PictureRule, Resize};
use crate::profile::coords::CoordSystem;
use crate::profile::{ProfileSpec, Sampling, Wire};

pub(in crate::profile) const CLAUDE_CHAT: Generic =
    Generic { spec: &SPEC, tools: false, verbs: VERBS, aliases: &[] };

/// The API makes a picture smaller without a word when a side has more than 1568 pixels or all of it
/// more than 1568 squares of 28x28, begun ones counted; points then miss by a quarter. The bound on
/// pixels leaves room for the begun squares of any shape.
pub(in crate::profile) const PICTURE: PictureRule = PictureRule {
    resize: Resize::Within { side: 1568, pixels: 1_160_000 },
    encoding: Encoding::Jpeg { quality: 85 },
};

const SPEC: ProfileSpec = ProfileSpec {
    name: "claude-chat",
    title: "Claude by chat",
    patterns: &["claude"],
    coords: CoordSystem::PIXELS,
    picture: PICTURE,
    earlier_pictures: 2,
    history: HISTORY,
    // The newest refuse a temperature. They think as well, which counts as part of the reply.
    sampling: Sampling { temperature: None, max_tokens: 16_384, ..Sampling::GREEDY },
    wire: Wire::Chat,
};

#[cfg(test)]
mod tests {
    use ayeaye_agent::ScreenSize;

    use super::*;

    #[test]
    fn no_picture_is_made_smaller_on_the_way() {
        for long in (100..4000).step_by(61) {
            for short in (100..=long).step_by(83) {
                for (width, height) in [(short, long), (long, short)] {
                    let sent = PICTURE.resize.apply(ScreenSize { width, height });
                    let squares = sent.width.div_ceil(28) * sent.height.div_ceil(28);
                    assert!(squares <= 1568, "{width}x{height} becomes {sent}: {squares}");
                    assert!(sent.width.max(sent.height) <= 1568, "{width}x{height}: {sent}");
                }
            }
        }
    }
}
