//! The whole crate against an adb server that fails in every way that has been seen.
mod capturing;
mod connecting;
mod driving;
mod dumping;
mod fake;
mod files;
mod links;
mod listing;
mod naming;
mod one_shell;
mod opening;
mod packages;
mod proving;
mod settings;
mod touching;
mod turning;
mod typing;
