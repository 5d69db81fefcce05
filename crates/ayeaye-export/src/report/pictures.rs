//! The pictures of a page: each is in it once, however many steps show it.
use std::collections::HashMap;

use ayeaye_agent::journal::BlobRef;
use bytes::Bytes;

use super::copies::copies;
use super::html::Html;
use super::item::TimelineItem;
use super::model::ReportModel;
use super::overlay::height;
use crate::{Blobs, draw};

/// All pictures of a page together, in bytes before base64. The latest are kept.
pub(super) const MAX_PICTURE_BYTES: u64 = 64 << 20;
const WEBP: &str = "data:image/webp;base64,";
/// One picture as it is in the page.
const MAX_PICTURE: u64 = 8 << 20;
/// One picture as it was kept, which is in memory while its copy is made. The PNG of a photo on a tablet has some 12 MB.
const MAX_SOURCE: u64 = 32 << 20;
/// What the copy of a picture takes at most, but for few: room is counted in these, since a model may have been sent
/// PNGs of a megabyte.
const COPY: u64 = 20_000;
const TOO_MUCH: &str = "This picture is left out to keep the page small.";

/// What is known of the pictures before a page is written.
#[derive(Debug)]
pub(super) struct Pictures {
    known: HashMap<String, PictureUse>,
    put: u32,
    /// Bytes that nothing is set aside for.
    left: u64,
}

#[derive(Debug)]
struct PictureUse {
    /// How often the page shows it.
    uses: u32,
    size: Option<[u32; 2]>,
    /// The step that shows it first, counted from 1.
    step: Option<u32>,
    /// Bytes that are set aside for it; none if there was no room.
    room: Option<u64>,
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
        let mut known: HashMap<String, PictureUse> = HashMap::new();
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
                let room = room_for(picture).filter(|room| *room <= left);
                left -= room.unwrap_or(0);
                PictureUse { uses: 0, size: None, step: None, room, state: PictureState::Unseen }
            });
            entry.uses += 1;
            entry.size = size.or(entry.size);
            entry.step = step.or(entry.step);
        }
        copies().begin_page(known.keys());
        Self { known, put: 0, left }
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
        let Some(room) = known.room else {
            return absent(html, TOO_MUCH);
        };
        if let PictureState::There(number) = known.state {
            frame(html, size, alt);
            html.raw("<use href=\"#picture-").number(number).raw("\"/></svg>");
            return true;
        }
        let made = match known.state {
            PictureState::Unseen => embedded(blobs, picture, prefix),
            PictureState::There(_) | PictureState::Lost => None,
        };
        let Some((bytes, prefix)) = made else {
            known.state = PictureState::Lost;
            return absent(html, "This picture is missing from the record, or damaged.");
        };
        let length = bytes.len() as u64;
        if MAX_PICTURE < length || room + self.left < length {
            known.room = None;
            return absent(html, TOO_MUCH);
        }
        // What a copy takes less than was set aside is not given to others: those that were left out are told already.
        self.left -= length.saturating_sub(room);
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

/// What of a picture is put into the page: a copy in the size in which it is shown, with its media type. One that
/// would grow stays as it was. `None` where it cannot be read.
fn embedded(
    blobs: &dyn Blobs,
    picture: &BlobRef,
    prefix: &'static str,
) -> Option<(Bytes, &'static str)> {
    let copy = copies().find(&picture.sha256);
    if let Some(copy) = copy {
        return Some((copy, WEBP));
    }
    let bytes = blobs.blob(picture).ok().filter(|bytes| bytes.len() as u64 <= MAX_SOURCE)?;
    Some(match draw::small_copy(&bytes) {
        Some(copy) if copy.len() < bytes.len() => {
            let copy = Bytes::from(copy);
            copies().keep(&picture.sha256, copy.clone());
            (copy, WEBP)
        }
        _ => (bytes, prefix),
    })
}

/// What is set aside for a picture; none for one that is too large to be put there, whatever comes of it.
fn room_for(picture: &BlobRef) -> Option<u64> {
    let smaller = draw::decodable(&picture.media_type);
    let most = if smaller { MAX_SOURCE } else { MAX_PICTURE };
    let room = if smaller { picture.bytes.min(COPY) } else { picture.bytes };
    (picture.bytes <= most).then_some(room)
}

/// Browsers must not guess: only pictures that cannot hold a program.
fn prefix(media_type: &str) -> Option<&'static str> {
    match media_type {
        "image/jpeg" => Some("data:image/jpeg;base64,"),
        "image/png" => Some("data:image/png;base64,"),
        "image/webp" => Some(WEBP),
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
