//! What the tests stand on.
mod fake_vlm;
mod moves;
mod rig;

pub use fake_vlm::{Answer, FakeVlm, KEY};
pub use moves::{click, complete, gelab, info, node, tap, type_text};
pub use rig::{Rig, RigOptions};
