//! Writes the HTML report of a recorded session: `report DATA_DIR SESSION_ID OUT.html`.
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use ayeaye_agent::journal::{BlobRef, FileJournal, SyncPolicy};
use ayeaye_agent::{Journal as _, JournalError, SessionId};
use ayeaye_export::{Blobs, Content, FileOp, Projection as _, Report};
use bytes::Bytes;
use jiff::Timestamp;

fn main() -> anyhow::Result<()> {
    let mut args = std::env::args().skip(1);
    let mut next = |what| args.next().with_context(|| format!("no {what}"));
    let (data, id, out) = (next("data directory")?, next("session id")?, next("file to write")?);
    let id: SessionId = id.parse().ok().context("not a session id")?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    // Nothing is written to the journal, so nothing asks for the time.
    let clock = Arc::new(|| Timestamp::UNIX_EPOCH);
    let journal = FileJournal::new(Path::new(&data), clock, SyncPolicy::Never);
    let events = runtime.block_on(journal.read(&id))?;
    let blobs = Recorded { journal, id, runtime };
    let mut report = Report::new(id);
    for event in &events {
        report.fold(event, &blobs);
    }
    let FileOp::Replace { content: Content::Lazy { make, .. }, .. } = report.finish() else {
        anyhow::bail!("not the page")
    };
    let begun = Instant::now();
    let page = make(&blobs).context("no page")?;
    say(&format!("{} bytes in {:?}", page.len(), begun.elapsed()))?;
    std::fs::write(out, page)?;
    Ok(())
}

/// Says it on standard error.
fn say(text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stderr(), "{text}")
}

struct Recorded {
    journal: FileJournal,
    id: SessionId,
    runtime: tokio::runtime::Runtime,
}

impl Blobs for Recorded {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        self.runtime.block_on(self.journal.blob(&self.id, blob))
    }
}
