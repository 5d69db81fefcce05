//! The folder that a projection makes of a record.
use std::collections::{BTreeMap, HashMap};

use ayeaye_agent::JournalError;
use ayeaye_agent::journal::BlobRef;
use bytes::Bytes;
use serde_json::Value;

use super::builder::EventBuilder;
use crate::{Blobs, Content, FileOp, Images, Projection as _, Ufo};

/// What is on disk in the end.
#[derive(Debug)]
pub(super) struct MemoryFolder {
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

#[derive(Debug)]
pub(super) struct MapBlobs<'a>(&'a HashMap<String, Bytes>);

pub(super) fn blobs_of(builder: &EventBuilder) -> MapBlobs<'_> {
    MapBlobs(&builder.blobs)
}

impl Blobs for MapBlobs<'_> {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        self.0.get(&blob.sha256).cloned().ok_or_else(|| JournalError::Blob(blob.sha256.clone()))
    }
}

impl MemoryFolder {
    pub(super) fn of(builder: &EventBuilder, images: Images) -> Self {
        let (mut ufo, blobs) = (Ufo::new(super::session(), images), MapBlobs(&builder.blobs));
        let mut folder = Self { files: BTreeMap::new() };
        for event in &builder.events {
            for op in ufo.fold(event, &blobs) {
                folder.apply(op, &blobs);
            }
        }
        folder
    }

    fn apply(&mut self, op: FileOp, blobs: &MapBlobs<'_>) {
        let path = op.path().to_owned();
        let sound = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.chars().all(|it| it.is_ascii_alphanumeric() || "._-".contains(it))
        };
        assert!(path.split('/').all(sound), "{path}");
        let made = |content| match content {
            Content::Bytes(bytes) => Some(bytes),
            Content::Blob(blob) => blobs.blob(&blob).ok().map(Vec::from),
            Content::Lazy { make, .. } => make(blobs),
        };
        match op {
            FileOp::Append { bytes, .. } => {
                assert!(bytes.is_empty() || bytes.ends_with(b"\n"));
                self.files.entry(path).or_default().extend(bytes);
            }
            FileOp::Element { .. } => panic!("no JSON array in this folder"),
            FileOp::Write { .. } if self.files.contains_key(&path) => {}
            FileOp::Write { content, .. } | FileOp::Replace { content, .. } => {
                if let Some(bytes) = made(content) {
                    self.files.insert(path, bytes);
                }
            }
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    pub(super) fn text(&self, path: &str) -> String {
        String::from_utf8(self.files[path].clone()).unwrap()
    }

    /// Files whose name ends so.
    pub(super) fn ending(&self, extension: &str) -> Vec<String> {
        let is = |name: &String| name.rsplit_once('.').is_some_and(|(_, it)| it == extension);
        self.names().into_iter().filter(is).collect()
    }

    /// Every line must be ASCII and a JSON object.
    pub(super) fn json_lines(&self, path: &str) -> Vec<Value> {
        let Some(bytes) = self.files.get(path) else { return Vec::new() };
        assert!(bytes.is_ascii());
        let text = std::str::from_utf8(bytes).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(lines.iter().all(Value::is_object));
        lines
    }
}
