//! What the subcommands do.
pub mod bench;
pub mod demo;
pub mod devices;
pub mod doctor;
pub mod model;
pub mod phone;
pub mod run;
pub mod serve;
pub mod sessions;
