//! The real server over the virtual phone on real sockets, with a fake model behind real HTTP that
//! checks what it is asked.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop"
)]
#![allow(unreachable_pub, reason = "one binary: what is public here is public to its own modules")]
// Tests of terminals, signals and modes of files are Unix's, and some are Linux's.
#![cfg_attr(
    not(target_os = "linux"),
    allow(dead_code, unused_imports, reason = "used by those tests")
)]

mod support;

mod app;
mod architecture_doc;
mod attacker;
mod bad_input;
mod cancel;
mod clients_doc;
mod commands;
mod contracts;
mod coordinates;
mod counter;
mod crash;
mod direct;
mod endpoint;
mod families;
mod fence;
mod gestures;
mod http;
mod install;
mod kept_private;
mod logs;
mod mcp_tasks;
mod model_prompt;
mod model_try;
mod models;
mod no_model;
mod page;
mod panics;
mod phone_acts;
mod phone_apps;
mod phone_connect;
mod phone_link;
mod phone_screens;
mod phone_setup;
mod phone_tools;
mod planner;
mod privacy;
mod process;
mod questions;
mod resources;
mod runs;
mod servers;
mod setup;
mod tasks;
mod tools;
mod vanish;
