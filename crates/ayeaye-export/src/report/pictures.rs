//! The pictures of a page: each is in it once, however many steps show it.
use std::collections::HashMap;

use ayeaye_agent::journal::BlobRef;
use bytes::Bytes;

use super::html::Html;
use super::item::TimelineItem;
use super::model::ReportModel;
use super::overlay::height;
use crate::{Blobs, draw};

/// All pictures of a page together, in bytes before base64. The latest are kept.
pub(super) const MAX_PICTURE_BYTES: u64 = 64 << 20;
/// What a step may take up for its picture in the record and in the page together.
const STEP_BYTES: usize = 180_000;
/// However large a picture is, its copy may have so many bytes.
const SMALLEST_LIMIT: usize = 24_000;
const JPEG: &str = "data:image/jpeg;base64,";
/// One picture.
const MAX_PICTURE: u64 = 8 << 20;

/// What is known of the pictures before a page is written.
#[derive(Debug)]
pub(super) struct Pictures {
    known: HashMap<String, Known>,
    put: u32,
}

#[derive(Debug)]
struct Known {
    /// How often the page shows it.
    uses: u32,
    size: Option<[u32; 2]>,
    /// The step that shows it first, counted from 1.
    step: Option<u32>,
    /// Whether there is room for it.
    fits: bool,
    state: PictureState,
}

#[derive(Debug, Clone, Copy)]
enum PictureState {
    Unseen,
    /// In the page, under this number.
    There(u32),
    Lost,
}

impl Pictures {
    /// Looks through what is to be told, from its end.
    pub(super) fn of(model: &ReportModel, most: u64) -> Self {
        let mut known: HashMap<String, Known> = HashMap::new();
        let mut left = most.min(MAX_PICTURE_BYTES);
        for item in model.items.iter().rev() {
            let (picture, size, step) = match &**item {
                TimelineItem::Step(step) => {
                    let Some(observation) = &step.observation else { continue };
                    let Some(picture) = &observation.picture else { continue };
                    (picture, Some(observation.size), Some(step.number.saturating_add(1)))
                }
                TimelineItem::Snapshot { picture, .. } => (picture, None, None),
                _ => continue,
            };
            let entry = known.entry(picture.sha256.clone()).or_insert_with(|| {
                let fits = picture.bytes <= MAX_PICTURE.min(left);
                left -= if fits { picture.bytes } else { 0 };
                Known { uses: 0, size: None, step: None, fits, state: PictureState::Unseen }
            });
            entry.uses += 1;
            entry.size = size.or(entry.size);
            entry.step = step.or(entry.step);
        }
        Self { known, put: 0 }
    }

    /// The step that shows a picture first, counted from 1.
    pub(super) fn step(&self, picture: &BlobRef) -> Option<u32> {
        self.known.get(&picture.sha256)?.step
    }

    /// The size a step gave with a picture.
    pub(super) fn size(&self, picture: &BlobRef) -> Option<[u32; 2]> {
        self.known.get(&picture.sha256)?.size
    }

    /// Puts a picture there, or says why it is not; whether it is there. The text is for those who
    /// cannot see it.
    pub(super) fn show(
        &mut self,
        html: &mut Html,
        blobs: &dyn Blobs,
        picture: &BlobRef,
        size: [u32; 2],
        alt: &str,
    ) -> bool {
        let Some(known) = self.known.get_mut(&picture.sha256) else { return false };
        let Some(prefix) = prefix(&picture.media_type) else {
            return absent(html, "This picture is of a kind that is not shown here.");
        };
        if !known.fits {
            return absent(html, "This picture is left out to keep the page small.");
        }
        if let PictureState::There(number) = known.state {
            frame(html, size, alt);
            html.raw("<use href=\"#picture-").number(number).raw("\"/></svg>");
            return true;
        }
        let bytes = match (known.state, blobs.blob(picture)) {
            (PictureState::Unseen, Ok(bytes)) if bytes.len() as u64 <= MAX_PICTURE => bytes,
            _ => {
                known.state = PictureState::Lost;
                return absent(html, "This picture is missing from the record, or damaged.");
            }
        };
        let (bytes, prefix) = embedded(bytes, prefix);
        self.put += 1;
        known.state = PictureState::There(self.put);
        if known.uses == 1 {
            html.raw("<img class=\"pixels\" loading=\"lazy\" alt=\"").text(alt);
            html.raw("\" src=\"").raw(prefix).base64(&bytes).raw("\">");
            return true;
        }
        frame(html, size, alt);
        html.raw("<image id=\"picture-").number(self.put).raw("\" width=\"1000\" height=\"");
        html.number(height(size)).raw("\" preserveAspectRatio=\"none\" href=\"").raw(prefix);
        html.base64(&bytes).raw("\"/></svg>");
        true
    }
}

/// What of a picture is put into the page. One that is large, as a photo is, is made smaller: the step
/// keeps it as it was in the record, and in a PNG, and base64 adds a third.
fn embedded(bytes: Bytes, prefix: &'static str) -> (Bytes, &'static str) {
    let most = STEP_BYTES.saturating_sub(bytes.len()) * 3 / 4;
    let most = most.max(SMALLEST_LIMIT);
    if bytes.len() <= most {
        return (bytes, prefix);
    }
    match draw::smaller_jpeg(&bytes, most) {
        Some(smaller) if smaller.len() < bytes.len() => (smaller.into(), JPEG),
        _ => (bytes, prefix),
    }
}

/// Browsers must not guess: only pictures that cannot hold a program.
fn prefix(media_type: &str) -> Option<&'static str> {
    match media_type {
        "image/jpeg" => Some(JPEG),
        "image/png" => Some("data:image/png;base64,"),
        "image/webp" => Some("data:image/webp;base64,"),
        _ => None,
    }
}

fn frame(html: &mut Html, size: [u32; 2], alt: &str) {
    html.raw("<svg class=\"pixels\" role=\"img\" viewBox=\"0 0 1000 ").number(height(size));
    html.raw("\" aria-label=\"").text(alt).raw("\">");
}

fn absent(html: &mut Html, why: &'static str) -> bool {
    html.raw("<span class=\"absent\">").raw(why).raw("</span>");
    false
}
