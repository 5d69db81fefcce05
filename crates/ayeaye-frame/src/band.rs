//! Some rows of a frame.
use std::hash::{BuildHasher as _, Hasher as _};
use std::sync::LazyLock;

use foldhash::quality::RandomState;

use crate::pool::{HeldBytes, Pool, PoolRoom};
use crate::{Rgba, half_colour, runs};

/// Seeded at random, so that no screen can be made that is taken for another one.
static HASHES: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// Some rows, and their hash.
#[derive(Debug)]
pub(crate) struct Band {
    /// Of the pixels as they were captured.
    hash: u64,
    rows: usize,
    pixels: Pixels,
    _held: HeldBytes,
}

#[derive(Debug)]
enum Pixels {
    Runs(Box<[u8]>),
    HalfColour(Box<[u8]>),
    Whole(Box<[u8]>, #[expect(dead_code, reason = "given back when it is dropped")] PoolRoom),
}

/// The hash by which a band is known again.
pub(crate) fn hash(rgba: &[u8]) -> u64 {
    HASHES.hash_one(rgba)
}

/// One hash of several.
pub(crate) fn hash_of(hashes: impl Iterator<Item = u64>) -> u64 {
    let mut all = HASHES.build_hasher();
    hashes.for_each(|hash| all.write_u64(hash));
    all.finish()
}

impl Band {
    /// Packs some rows of so many pixels.
    pub(crate) fn new(hash: u64, rgba: &[u8], width: usize, pool: &'static Pool) -> Self {
        let (pixels, _): (&[Rgba], _) = rgba.as_chunks();
        let rows = pixels.len() / width.max(1);
        let pixels = match runs::pack(pixels, width, half_colour::length(width, rows)) {
            Some(runs) => Pixels::Runs(runs.into()),
            None => match pool.room(rgba.len()) {
                Some(room) => Pixels::Whole(rgba.into(), room),
                None => Pixels::HalfColour(half_colour::pack(pixels, width)),
            },
        };
        let held = match &pixels {
            Pixels::Runs(it) | Pixels::HalfColour(it) | Pixels::Whole(it, _) => it.len(),
        };
        Self { hash, rows, pixels, _held: pool.hold(held + size_of::<Self>()) }
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// Whether half of its colours are lost.
    pub(crate) fn is_half_colour(&self) -> bool {
        matches!(self.pixels, Pixels::HalfColour(_))
    }

    /// Appends the pixels of its rows as a band has them that has lost half of its colours.
    pub(crate) fn unpack_half_colour(&self, width: usize, rgba: &mut Vec<u8>) {
        if let Pixels::HalfColour(packed) = &self.pixels {
            return half_colour::unpack(packed, width, self.rows, rgba);
        }
        let mut exact = Vec::with_capacity(width * self.rows * 4);
        self.unpack(width, &mut exact);
        let packed = half_colour::pack(exact.as_chunks().0, width);
        half_colour::unpack(&packed, width, self.rows, rgba);
    }

    /// Appends the pixels of its rows.
    pub(crate) fn unpack(&self, width: usize, rgba: &mut Vec<u8>) {
        match &self.pixels {
            Pixels::Runs(packed) => runs::unpack(packed, width, rgba),
            Pixels::HalfColour(packed) => half_colour::unpack(packed, width, self.rows, rgba),
            Pixels::Whole(pixels, _) => rgba.extend_from_slice(pixels),
        }
    }
}
