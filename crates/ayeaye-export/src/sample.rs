//! A projection for tests that makes every kind of file operation.
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use ayeaye_agent::journal::{BlobRef, Event, Fact, FileJournal, RecordEntry, SyncPolicy};
use ayeaye_agent::{Journal as _, JournalError, JournalWriter, SessionId};
use bytes::Bytes;
use jiff::Timestamp;

use crate::formats::{Log, MakeProjection};
use crate::projection::{Blobs, Content, FileOp, Projection};

/// Lines, an array, pictures, and what is replaced at every event.
#[derive(Debug, Default)]
pub(crate) struct TestProjection {
    /// In front of every file's name.
    pub(crate) prefix: String,
    events: u64,
}

impl TestProjection {
    pub(crate) fn new(prefix: String) -> Self {
        Self { prefix, events: 0 }
    }

    /// Makes one for every format.
    pub(crate) fn factory() -> MakeProjection {
        Arc::new(|format, id, _| {
            Box::new(Self::new(match format {
                crate::Format::Ufo | crate::Format::PyCatan => String::new(),
                crate::Format::Gelab | crate::Format::Html | crate::Format::Film => {
                    format!("{id}_")
                }
            }))
        })
    }
}

impl Projection for TestProjection {
    fn fold(&mut self, event: &Event, _: &dyn Blobs) -> Vec<FileOp> {
        self.events += 1;
        let path = |name: &str| format!("{}{name}", self.prefix);
        let bytes = format!("{} {}\n", event.seq, event.ts).into_bytes();
        let mut ops = vec![
            FileOp::Append { path: path("lines.log"), bytes },
            FileOp::Replace {
                path: path("count.txt"),
                content: Content::Bytes(self.events.to_string().into_bytes()),
            },
        ];
        match &event.entry.fact {
            Fact::StepEnd(end) => ops.push(FileOp::Element {
                path: path("steps.json"),
                json: format!("{{\"status\": {:?}}}", end.status).into_bytes(),
            }),
            Fact::Observe(observe) => {
                let name = format!("images/{}step_{}", self.prefix, event.seq);
                let text = format!("drawn {}", event.seq).into_bytes();
                let made = Content::lazy(move |_| Some(text));
                ops.push(FileOp::Write { path: format!("{name}.png"), content: made });
                ops.extend(observe.screenshot.clone().map(|blob| FileOp::Write {
                    path: format!("{name}.jpeg"),
                    content: Content::Blob(blob),
                }));
            }
            _ => {}
        }
        ops
    }
}

impl Log for TestProjection {
    fn finish(&self) -> Option<FileOp> {
        let content = Content::Bytes(b"no end".to_vec());
        Some(FileOp::Replace { path: format!("{}count.txt", self.prefix), content })
    }

    fn own_files(&self) -> &'static [&'static str] {
        if self.prefix.is_empty() {
            return &[
                "lines.log",
                "count.txt",
                "steps.json",
                "images/step_#.png",
                "images/step_#.jpeg",
            ];
        }
        &[
            "*_lines.log",
            "*_count.txt",
            "*_steps.json",
            "images/*_step_#.png",
            "images/*_step_#.jpeg",
        ]
    }
}

/// No blobs at all.
pub(crate) struct NoBlobs;

impl Blobs for NoBlobs {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        Err(JournalError::Blob(blob.sha256.clone()))
    }
}

/// What happens in a session with every kind of event.
pub(crate) fn facts() -> Vec<RecordEntry> {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../ayeaye-agent/fixtures/format-1/sessions/019b7d0a-6f40-7000-8000-0000000000a1/events.jsonl"
    ));
    let event = |line| serde_json::from_str::<Event>(line).expect("the fixture is good").entry;
    text.lines().map(event).collect()
}

/// A journal in `data` whose clock stands.
pub(crate) fn files(data: &Path) -> FileJournal {
    let noon = Timestamp::from_second(1_767_323_045).expect("a time in this century");
    FileJournal::new(data, Arc::new(move || noon), SyncPolicy::Never)
}

/// Writes the events of [`facts`], with a picture for each look.
pub(crate) async fn write(record: &mut dyn JournalWriter, entries: Vec<RecordEntry>) {
    for mut entry in entries {
        if let Fact::Observe(observe) = &mut entry.fact {
            let bytes = Bytes::from_static(b"\xff\xd8 a picture \xff\xd9");
            let blob = record.store_blob(bytes, "image/jpeg").await.expect("room for a picture");
            observe.screenshot = Some(blob);
        }
        record.append(entry).await.expect("room for an event");
    }
}

/// Every file below a folder, by its path there with `/` between the names.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(at: &Path, root: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        let Ok(entries) = fs::read_dir(at) else { return };
        for entry in entries {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                let name = path.strip_prefix(root).expect("it is below").display().to_string();
                let name = name.replace(std::path::MAIN_SEPARATOR, "/");
                found.insert(name, fs::read(&path).expect("it can be read"));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

/// A session in `data` that was written without any logs.
pub(crate) async fn plain_session(data: &Path) -> SessionId {
    let id = SessionId::new();
    let mut record = files(data).create(&id).await.expect("a new session");
    write(&mut *record, facts()).await;
    record.close().await;
    id
}
