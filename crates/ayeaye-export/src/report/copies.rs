//! Copies of pictures for pages. A page is written anew whenever a run of its session stops, and a copy takes some 10 ms.
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use ayeaye_agent::journal::BlobRef;
use bytes::Bytes;

use crate::Blobs;

/// All kept copies together: those of some 800 steps.
const MAX_COPIES: usize = 8 << 20;

/// Copies by the hash of the picture, of all sessions of this process.
#[derive(Debug, Default)]
pub(super) struct Copies {
    by_hash: HashMap<String, Copy>,
    bytes: usize,
    /// Pages so far.
    pages: u64,
}

#[derive(Debug)]
struct Copy {
    bytes: Bytes,
    /// The latest page that shows it.
    page: u64,
}

pub(super) fn copies() -> MutexGuard<'static, Copies> {
    static COPIES: LazyLock<Mutex<Copies>> = LazyLock::new(Mutex::default);
    // What is in it is whole at any time.
    COPIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes the copy of a picture for a page to come where it has just been unpacked for another log, which takes as long as
/// all the rest.
pub(super) fn make_early(picture: &BlobRef, blobs: &dyn Blobs) {
    if !copies().would_keep(&picture.sha256) {
        return;
    }
    let copy = blobs.unpacked(picture).and_then(|unpacked| unpacked.small_copy());
    if let Some(copy) = copy.filter(|copy| (copy.len() as u64) < picture.bytes) {
        copies().keep(&picture.sha256, copy.into());
    }
}

impl Copies {
    /// Begins a page that shows these pictures.
    pub(super) fn begin_page<'a>(&mut self, hashes: impl Iterator<Item = &'a String>) {
        self.pages += 1;
        for hash in hashes {
            if let Some(copy) = self.by_hash.get_mut(hash) {
                copy.page = self.pages;
            }
        }
    }

    pub(super) fn find(&self, sha256: &str) -> Option<Bytes> {
        self.by_hash.get(sha256).map(|copy| copy.bytes.clone())
    }

    /// Whether there is room for another one, and it is not there yet.
    fn would_keep(&self, sha256: &str) -> bool {
        let is_full = MAX_COPIES - MAX_COPIES / 100 < self.bytes;
        let may_drop = || self.by_hash.values().any(|copy| copy.page != self.pages);
        !self.by_hash.contains_key(sha256) && (!is_full || may_drop())
    }

    /// Keeps a copy for the next page. Where there is no room those go that no late page shows; none goes that the page of
    /// now shows: each page asks for all of its pictures in the same order, so that of more than there is room for
    /// every one would be gone by the time it is asked for.
    pub(super) fn keep(&mut self, sha256: &str, bytes: Bytes) {
        if self.by_hash.contains_key(sha256) || MAX_COPIES < bytes.len() {
            return;
        }
        while MAX_COPIES < self.bytes + bytes.len() {
            let oldest = self.by_hash.values().map(|copy| copy.page).min().unwrap_or(self.pages);
            if oldest == self.pages {
                return;
            }
            self.by_hash.retain(|_, copy| copy.page != oldest);
            self.bytes = self.by_hash.values().map(|copy| copy.bytes.len()).sum();
        }
        self.bytes += bytes.len();
        self.by_hash.insert(sha256.to_owned(), Copy { bytes, page: self.pages });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows these pictures on a page; how many of their copies had to be made.
    fn page(copies: &mut Copies, pictures: &[String], bytes: usize) -> usize {
        copies.begin_page(pictures.iter());
        let mut made = 0;
        for picture in pictures {
            if copies.find(picture).is_none() {
                made += 1;
                copies.keep(picture, vec![0; bytes].into());
            }
        }
        assert!(copies.bytes <= MAX_COPIES);
        made
    }

    fn named(name: &str, count: usize) -> Vec<String> {
        (0..count).map(|number| format!("{name}{number}")).collect()
    }

    #[test]
    fn a_page_with_more_pictures_than_there_is_room_for_finds_most_of_them() {
        let (mut copies, pictures) = (Copies::default(), named("a", 12));
        assert_eq!(page(&mut copies, &pictures, MAX_COPIES / 10), 12);
        assert_eq!(page(&mut copies, &pictures, MAX_COPIES / 10), 2);
        assert_eq!(page(&mut copies, &pictures, MAX_COPIES / 10), 2);
    }

    #[test]
    fn what_no_page_shows_any_more_goes() {
        let mut copies = Copies::default();
        page(&mut copies, &named("a", 8), MAX_COPIES / 10);
        page(&mut copies, &named("b", 8), MAX_COPIES / 10);
        assert_eq!(page(&mut copies, &named("b", 8), MAX_COPIES / 10), 0);
        copies.keep("huge", vec![0; MAX_COPIES + 1].into());
        assert_eq!(copies.find("huge"), None);
    }
}
