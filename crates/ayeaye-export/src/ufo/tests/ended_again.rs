//! A round that a crash cut off at its end, and that ended again.
use std::collections::BTreeMap;

use serde_json::json;
use tempfile::TempDir;

use super::Images;
use super::builder::EventBuilder;
use super::folder::blobs_of;
use crate::folder::Folder;
use crate::sample::tree;
use crate::{Projection as _, Ufo};

/// The files as they are written while the session runs, or by an export.
fn written(builder: &EventBuilder, live: bool) -> BTreeMap<String, Vec<u8>> {
    let root = TempDir::new().unwrap();
    let mut folder = Folder::new(root.path(), "test", !live).unwrap();
    let (mut ufo, blobs) = (Ufo::new(super::session(), Images::All), blobs_of(builder));
    for event in &builder.events {
        for op in ufo.fold(event, &blobs) {
            folder.apply(op, &blobs).unwrap();
        }
        if live {
            folder.flush(&blobs).unwrap();
        }
    }
    folder.flush(&blobs).unwrap();
    tree(root.path())
}

#[test]
fn a_sub_round_has_its_latest_last_screen_live_and_exported() {
    let mut builder = EventBuilder::begin("One thing.");
    for _ in 0..2 {
        builder.step("CLICK", json!({ "point": [500, 250] }));
        builder.snapshot("sub_round", Some(0), true);
        builder.snapshot("round", None, true);
    }
    let (live, exported) = (written(&builder, true), written(&builder, false));
    assert_eq!(live.keys().collect::<Vec<_>>(), exported.keys().collect::<Vec<_>>());
    assert!(live == exported);
    let last = |name: &str| &live[&format!("action_round_0_{name}final.png")];
    assert!(last("sub_round_0_") == last(""));
}
