//! How many bytes frames hold, and how many they may where they do not pack.
use std::sync::atomic::{AtomicUsize, Ordering};

/// As much as three frames of 1080x2400.
const SHARED: usize = 32 << 20;

static SHARED_POOL: Pool = Pool::of(SHARED);

/// What frames hold, and the room for pixels that do not pack.
#[derive(Debug)]
pub struct Pool {
    free: AtomicUsize,
    held: AtomicUsize,
}

impl Pool {
    /// With room for so many bytes that do not pack.
    pub const fn of(bytes: usize) -> Self {
        Self { free: AtomicUsize::new(bytes), held: AtomicUsize::new(0) }
    }

    /// The one of this process.
    pub fn shared() -> &'static Self {
        &SHARED_POOL
    }

    /// How many bytes all its frames hold now, packed or not.
    pub fn held_bytes(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    /// Room for so many bytes until it is dropped, if there is any.
    pub(crate) fn room(&'static self, bytes: usize) -> Option<PoolRoom> {
        let take = |free: usize| free.checked_sub(bytes);
        let taken = self.free.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.ok().map(|_| PoolRoom { pool: self, bytes })
    }

    /// Counts bytes as held until it is dropped.
    pub(crate) fn hold(&'static self, bytes: usize) -> HeldBytes {
        self.held.fetch_add(bytes, Ordering::Relaxed);
        HeldBytes { pool: self, bytes }
    }
}

/// Room in a pool; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct PoolRoom {
    pool: &'static Pool,
    bytes: usize,
}

impl Drop for PoolRoom {
    fn drop(&mut self) {
        self.pool.free.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// Bytes that count as held until this is dropped.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    pool: &'static Pool,
    bytes: usize,
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.pool.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
