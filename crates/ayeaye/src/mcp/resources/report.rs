//! A session's HTML report as a resource. It is rendered in memory, so that it exists whether or not
//! logs are written, and while the session runs.
use std::sync::Arc;

use ayeaye_agent::{Journal, JournalError, SessionId};
use rmcp::ErrorData;
use tokio::sync::Semaphore;

/// Most bytes of pictures in a report, before base64 adds a third. The latest are kept.
const PICTURES: u64 = 4 << 20;
/// The largest report that is returned. A client reads it as one message, and many clients read at
/// most 16 MiB.
const MAX_BYTES: usize = 12 << 20;

/// Most reports rendered at a time: each takes tens of megabytes.
static MAKING: Semaphore = Semaphore::const_new(2);

/// The report, with pictures or without, or an error if it is too large.
pub(super) async fn page(
    journal: &Arc<dyn Journal>,
    id: SessionId,
    pictured: bool,
) -> Result<Result<String, ErrorData>, JournalError> {
    let _turn = MAKING.acquire().await.expect("it is never closed");
    let pictures = if pictured { PICTURES } else { 0 };
    let bytes = ayeaye_export::render_report(journal, id, pictures).await?;
    if MAX_BYTES < bytes.len() {
        return Ok(Err(too_large(id, bytes.len())));
    }
    let text = String::from_utf8(bytes);
    Ok(text.map_err(|err| ErrorData::internal_error(format!("the page is no text: {err}"), None)))
}

fn too_large(id: SessionId, bytes: usize) -> ErrorData {
    let text = format!(
        "the report of session {id} has {} MiB, more than a client reads in one message; \
         `ayeaye sessions export {id} --format html --out DIR` writes it to a file",
        bytes >> 20
    );
    ErrorData::internal_error(text, None)
}
