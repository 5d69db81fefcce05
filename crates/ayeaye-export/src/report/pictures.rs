//! The pictures of a page: each is in it once, however many steps show it.
use std::collections::{HashMap, VecDeque};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use ayeaye_agent::journal::BlobRef;
use bytes::Bytes;

use super::html::Html;
use super::item::TimelineItem;
use super::model::ReportModel;
use super::overlay::height;
use crate::{Blobs, draw};

/// All pictures of a page together, in bytes before base64. The latest are kept.
pub(super) const MAX_PICTURE_BYTES: u64 = 64 << 20;
const WEBP: &str = "data:image/webp;base64,";
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
        let (bytes, prefix) = embedded(&picture.sha256, bytes, prefix);
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
/// would grow stays as it was.
fn embedded(sha256: &str, bytes: Bytes, prefix: &'static str) -> (Bytes, &'static str) {
    if let Some(copy) = copies().find(sha256) {
        return (copy, WEBP);
    }
    match draw::compact(&bytes) {
        Some(copy) if copy.len() < bytes.len() => {
            let copy = Bytes::from(copy);
            copies().keep(sha256, copy.clone());
            (copy, WEBP)
        }
        _ => (bytes, prefix),
    }
}

/// The copies that were made last. The page is written anew whenever a run of its session stops, and a copy
/// takes some 50 ms.
#[derive(Debug)]
struct Copies {
    by_hash: HashMap<String, Bytes>,
    oldest_first: VecDeque<String>,
    bytes: usize,
}

/// All kept copies together: those of some 400 steps.
const MAX_COPIES: usize = 4 << 20;

fn copies() -> MutexGuard<'static, Copies> {
    static COPIES: LazyLock<Mutex<Copies>> = LazyLock::new(|| {
        let (by_hash, oldest_first) = (HashMap::new(), VecDeque::new());
        Mutex::new(Copies { by_hash, oldest_first, bytes: 0 })
    });
    // What is in it is whole at any time.
    COPIES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Copies {
    fn find(&self, sha256: &str) -> Option<Bytes> {
        self.by_hash.get(sha256).cloned()
    }

    fn keep(&mut self, sha256: &str, copy: Bytes) {
        self.bytes += copy.len();
        if let Some(before) = self.by_hash.insert(sha256.to_owned(), copy) {
            self.bytes -= before.len();
            return;
        }
        self.oldest_first.push_back(sha256.to_owned());
        while MAX_COPIES < self.bytes
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.bytes -= self.by_hash.remove(&oldest).map_or(0, |copy| copy.len());
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_kept_up_to_a_bound() {
        let mut copies =
            Copies { by_hash: HashMap::new(), oldest_first: VecDeque::new(), bytes: 0 };
        let copy = Bytes::from(vec![0; MAX_COPIES / 2]);
        for hash in ["a", "b", "b", "c"] {
            copies.keep(hash, copy.clone());
        }
        assert_eq!(copies.bytes, MAX_COPIES / 2 * 2);
        assert_eq!((copies.find("a"), copies.find("c")), (None, Some(copy)));
        copies.keep("huge", vec![0; MAX_COPIES + 1].into());
        assert_eq!((copies.bytes, copies.by_hash.len()), (0, 0), "nothing is kept above it");
    }
}
