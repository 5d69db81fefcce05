//! What the tests stand on.
mod fake_vlm;
mod moves;
mod rig;

pub use fake_vlm::{Answer, FakeVlm, KEY};
pub use moves::{complete, gelab, info};
pub use rig::Rig;
