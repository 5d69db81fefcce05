//! The page about a session, made in memory for whoever asks.
use std::sync::Arc;

use ayeaye_agent::journal::PrivateScreens;
use ayeaye_agent::{Journal, JournalError, SessionId};

use crate::live::SessionBlobs;
use crate::log_writer::why_cut_short;
use crate::{Projection as _, Report};

/// Makes the HTML page of a session from its record, with at most so many bytes of pictures (the
/// latest are kept) and none of the screens that are private. Works while the session runs, whether or not its logs are written. Of a damaged record what stands
/// before the damage is told, and that.
pub async fn render_report(
    journal: &Arc<dyn Journal>,
    id: SessionId,
    most_pictures: u64,
    mut private: PrivateScreens,
) -> Result<Vec<u8>, JournalError> {
    let inner = Arc::clone(journal);
    let blobs = SessionBlobs::new(inner, id);
    let mut report = Report::new(id);
    // The page's own operations on files are not wanted here, and cost nothing until carried out.
    let mut events = 0_u64;
    let mut each = |mut event| {
        events += 1;
        private.hide(&mut event);
        drop(report.fold(&event, &blobs));
    };
    match journal.visit(&id, &mut each).await {
        Ok(()) => {}
        // As in an export: what stands before the damage is good.
        Err(err @ (JournalError::Damaged { .. } | JournalError::TooNew { .. })) if 0 < events => {
            report.cut_short(&why_cut_short(&err));
        }
        Err(err) => return Err(err),
    }
    let work = tokio::task::spawn_blocking(move || {
        let blobs = blobs;
        report.page(&blobs, most_pictures)
    });
    work.await.map_err(|err| JournalError::Storage {
        what: format!("the page of session {id}"),
        source: std::io::Error::other(err),
    })
}
