//! Copies of pictures for pages. A page is written anew whenever a run of its session stops, and a copy takes some 10 ms.
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use ayeaye_agent::journal::BlobRef;
use bytes::Bytes;

use crate::Blobs;

/// All kept copies together: those of some 800 steps with few things on the screen, of 150 with screens full of text.
const MAX_COPIES: usize = 8 << 20;

/// Stands for the page of a copy that none shows so far.
const TO_COME: u64 = u64::MAX;

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
    /// The latest page that shows it, or [`TO_COME`].
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
    if !copies().would_keep_early(&picture.sha256) {
        return;
    }
    let copy = blobs.unpacked(picture).and_then(|unpacked| unpacked.small_copy());
    if let Some(copy) = copy.filter(|copy| (copy.len() as u64) < picture.bytes) {
        copies().keep_early(&picture.sha256, copy.into());
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

    /// Whether there is room for another one that is for a page to come, and it is not there yet.
    fn would_keep_early(&self, sha256: &str) -> bool {
        let is_full = MAX_COPIES - MAX_COPIES / 100 < self.bytes;
        !self.by_hash.contains_key(sha256) && (!is_full || self.first_to_go(TO_COME).is_some())
    }

    /// Keeps a copy for a page to come. It takes no room from others of these: each session that runs has some.
    fn keep_early(&mut self, sha256: &str, bytes: Bytes) {
        self.keep_for(TO_COME, sha256, bytes);
    }

    /// Keeps a copy that the page of now shows for the next one. Where there is no room those go that no late page shows,
    /// and then those for pages to come; none goes that the page of now shows: each page asks for all of its pictures in
    /// the same order, so that of more than there is room for every one would be gone by the time it is asked for. Those for
    /// pages to come are of several sessions, so of them no more go than there has to be room for.
    pub(super) fn keep(&mut self, sha256: &str, bytes: Bytes) {
        self.keep_for(self.pages, sha256, bytes);
    }

    fn keep_for(&mut self, page: u64, sha256: &str, bytes: Bytes) {
        if self.by_hash.contains_key(sha256) || MAX_COPIES < bytes.len() {
            return;
        }
        while MAX_COPIES < self.bytes + bytes.len() {
            let Some(gone) = self.first_to_go(page) else { return };
            let mut first = true;
            self.by_hash.retain(|_, copy| {
                let goes = copy.page == gone && (first || gone != TO_COME);
                first &= !goes;
                !goes
            });
            self.bytes = self.by_hash.values().map(|copy| copy.bytes.len()).sum();
        }
        self.bytes += bytes.len();
        self.by_hash.insert(sha256.to_owned(), Copy { bytes, page });
    }

    /// The page whose copies make room for one of that page.
    fn first_to_go(&self, page: u64) -> Option<u64> {
        let shown = self.by_hash.values().map(|copy| copy.page);
        shown.filter(|it| *it != self.pages && *it != page).min()
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

    /// Copies made before there is a page that shows them.
    fn early(copies: &mut Copies, pictures: &[String], bytes: usize) {
        for picture in pictures {
            if copies.would_keep_early(picture) {
                copies.keep_early(picture, vec![0; bytes].into());
            }
            assert!(copies.bytes <= MAX_COPIES);
        }
    }

    #[test]
    fn copies_for_a_page_to_come_outlast_the_pages_of_others() {
        let mut copies = Copies::default();
        early(&mut copies, &named("a", 3), MAX_COPIES / 10);
        early(&mut copies, &named("b", 3), MAX_COPIES / 10);
        assert_eq!(page(&mut copies, &named("c", 4), MAX_COPIES / 10), 4);
        early(&mut copies, &named("a", 5), MAX_COPIES / 10);
        page(&mut copies, &named("d", 1), MAX_COPIES / 10);
        early(&mut copies, &named("b", 5), MAX_COPIES / 10);
        let mut made = |name| page(&mut copies, &named(name, 5), MAX_COPIES / 10);
        assert_eq!((made("a"), made("b")), (2, 0), "those of c made room for two of b's");
    }

    #[test]
    fn where_all_are_for_pages_to_come_no_more_are_made_until_a_page_needs_room() {
        let mut copies = Copies::default();
        early(&mut copies, &named("a", 12), MAX_COPIES / 10);
        assert!(copies.find("a9").is_some() && copies.find("a10").is_none());
        assert!(!copies.would_keep_early("a10"));
        assert_eq!(page(&mut copies, &named("b", 2), MAX_COPIES / 10), 2);
        assert!(copies.find("b1").is_some());
        let left = |copies: &Copies| copies.by_hash.keys().filter(|it| it.starts_with('a')).count();
        assert_eq!(left(&copies), 8, "two made room for those of the page");
        page(&mut copies, &[], 0);
        assert!(copies.would_keep_early("a10"), "no late page shows those of b");
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
