//! What the tests stand on.
mod apk;
mod binary;
pub mod clients;
mod fake_device;
pub mod fake_server;
mod fake_vlm;
pub mod families;
#[path = "../../crates/ayeaye-agent/src/fakes/files.rs"]
pub mod files;
mod moves;
#[cfg(unix)]
mod on_terminal;
mod rig;

pub use apk::apk;
pub use binary::{Binary, CommandOutput, LOOK_EVERY, Raw, http, until, within};
pub use fake_vlm::{Answer, FakeVlm, KEY, one_by_one};
pub use moves::{abort, aimed, click, complete, gelab, info, node, tap};
#[cfg(unix)]
pub use on_terminal::OnTerminal;
pub use rig::{
    DEFAULTS, Quiet, Rig, RigOptions, all_plugged_in, connect, plugged_in, quick_model, quick_phone,
};
