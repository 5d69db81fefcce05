//! A session's HTML report as a resource. It is rendered in memory, so that it exists whether or not
//! logs are written, and while the session runs.
use std::sync::Arc;

use ayeaye_agent::journal::PrivateScreens;
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
    private: PrivateScreens,
) -> Result<Result<String, ErrorData>, JournalError> {
    let _turn = MAKING.acquire().await.expect("it is never closed");
    let pictures = if pictured { PICTURES } else { 0 };
    Ok(bounded(id, ayeaye_export::render_report(journal, id, pictures, private).await?))
}

fn bounded(id: SessionId, bytes: Vec<u8>) -> Result<String, ErrorData> {
    if MAX_BYTES < bytes.len() {
        return Err(too_large(id, bytes.len()));
    }
    let text = String::from_utf8(bytes);
    text.map_err(|err| ErrorData::internal_error(format!("the page is not text: {err}"), None))
}

fn too_large(id: SessionId, bytes: usize) -> ErrorData {
    let text = format!(
        "the report of session {id} has {} MiB, more than a client reads in one message; \
         `ayeaye sessions export {id} --format html --out DIR` writes it to a file",
        bytes >> 20
    );
    ErrorData::internal_error(text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_above_12_mib_is_refused_with_the_command_that_writes_it() {
        let (id, most) = (SessionId::new(), 12 * 1024 * 1024);
        assert_eq!(bounded(id, vec![b' '; most]).map(|text| text.len()), Ok(most));
        let told = bounded(id, vec![b' '; most + 1]).unwrap_err().message;
        assert!(told.contains(&format!("`ayeaye sessions export {id} --format html")), "{told}");
    }
}
