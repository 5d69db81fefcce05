//! The page about a session, made in memory for whoever asks.
use std::sync::Arc;

use ayeaye_agent::{Journal, JournalError, SessionId};
use tokio::runtime::Handle;

use crate::live::SessionBlobs;
use crate::{Projection as _, Report};

/// Makes the HTML page of a session from its record, with at most so many bytes of pictures (the
/// latest are kept). Works while the session runs, whether or not its logs are written.
pub async fn render_report(
    journal: &Arc<dyn Journal>,
    id: SessionId,
    most_pictures: u64,
) -> Result<Vec<u8>, JournalError> {
    let inner = Arc::clone(journal);
    let blobs = SessionBlobs { inner, id, runtime: Handle::current() };
    let mut report = Report::new(id);
    // The page's own operations on files are not wanted here, and cost nothing until carried out.
    journal.visit(&id, &mut |event| drop(report.fold(&event, &blobs))).await?;
    let work = tokio::task::spawn_blocking(move || {
        let blobs = blobs;
        report.page(&blobs, most_pictures)
    });
    work.await.map_err(|err| JournalError::Storage {
        what: format!("the page of session {id}"),
        source: std::io::Error::other(err),
    })
}
