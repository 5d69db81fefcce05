//! Pictures in results, where a caller wants them: small copies of those that steps were decided on.
use std::collections::BTreeMap;
use std::sync::Arc;

use ayeaye_agent::journal::{BlobRef, Event, Fact, PrivateScreens};
use ayeaye_agent::{Journal, JournalError, SessionId};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::ContentBlock;

/// A small copy of the picture of a step, or `None` if there is none that can be read.
pub(super) async fn of_step(
    journal: &Arc<dyn Journal>,
    id: SessionId,
    step: u32,
    private: PrivateScreens,
) -> Result<Option<ContentBlock>, JournalError> {
    Ok(of_steps(journal, id, &[step], private).await?.pop().map(|(_, picture)| picture))
}

/// Small copies of the pictures of these steps (each some 5 to 14 kB, with at most 700,000 pixels), in their
/// order. Steps without a picture that can be read, and those of private apps, are left out.
pub(super) async fn of_steps(
    journal: &Arc<dyn Journal>,
    id: SessionId,
    steps: &[u32],
    mut private: PrivateScreens,
) -> Result<Vec<(u32, ContentBlock)>, JournalError> {
    let mut found: BTreeMap<u32, BlobRef> = BTreeMap::new();
    let mut each = |mut event: Event| {
        private.hide(&mut event);
        if let (Some(step), Fact::Observe(observe)) = (event.entry.step, event.entry.fact)
            && steps.contains(&step)
            && let Some(picture) = observe.screenshot
        {
            found.entry(step).or_insert(picture);
        }
    };
    journal.visit_compact(&id, &mut each).await?;
    let mut pictures = Vec::new();
    for (step, blob) in found {
        let kept = journal.blob(&id, &blob).await?;
        let copy = tokio::task::spawn_blocking(move || ayeaye_export::small_copy(&kept)).await;
        if let Ok(Some(copy)) = copy {
            let picture = ContentBlock::image(STANDARD.encode(&copy), ayeaye_export::SMALL_COPY);
            pictures.push((step, picture));
        }
    }
    Ok(pictures)
}
