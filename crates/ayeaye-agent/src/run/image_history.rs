//! Pictures of earlier steps, for models whose prompts include them.
use super::recorder::StoredPicture;
use crate::gate::Policy;
use crate::journal::BlobRef;
use crate::session::StepPicture;
use crate::{HistoryImage, HistoryItem, Journal, Model, Picture, Session, SessionId};

/// The most pictures read back from the record, whatever a profile asks for.
const MAX_RECALLED: usize = 8;
/// The most bytes of one of them.
const LARGEST_RECALLED: u64 = 8 << 20;

/// The earlier pictures for the next prompt, newest last.
#[derive(Debug, Default)]
pub(super) struct ImageHistory {
    images: Vec<HistoryImage>,
    /// Their blobs, where they are stored.
    blobs: Vec<Option<BlobRef>>,
}

impl ImageHistory {
    pub(super) fn images(&self) -> &[HistoryImage] {
        &self.images
    }

    /// The pictures that are stored, with their blobs.
    pub(super) fn stored(&self) -> impl Iterator<Item = StoredPicture> {
        self.images.iter().zip(&self.blobs).map(|(image, blob)| StoredPicture {
            picture: image.picture.clone(),
            blob: blob.clone(),
        })
    }

    /// Adds the picture of a step, and drops the oldest beyond `most`.
    pub(super) fn push(&mut self, step: u32, picture: &StoredPicture, most: usize) {
        self.images.push(HistoryImage { step, picture: picture.picture.clone() });
        self.blobs.push(picture.blob.clone());
        let too_many = self.images.len().saturating_sub(most);
        self.images.drain(..too_many);
        self.blobs.drain(..too_many);
    }

    pub(super) fn clear(&mut self) {
        self.images.clear();
        self.blobs.clear();
    }

    /// Reads back the pictures that this model was shown in the last steps of the current request. Leaves out damaged
    /// pictures, those made for other models, and those of apps that are private by now.
    pub(super) async fn recall(
        session: &Session,
        journal: &dyn Journal,
        model: &dyn Model,
        policy: &Policy,
    ) -> Self {
        let mut recalled = Self::default();
        let most = model.earlier_pictures().min(MAX_RECALLED);
        if most == 0 {
            return recalled;
        }
        let begun = session.history.iter().rposition(begins_request).map_or(0, |at| at + 1);
        let steps = session.history[begun..].iter().filter_map(|item| match item {
            HistoryItem::Step(step) => Some(step.step),
            HistoryItem::Request(_)
            | HistoryItem::Subtask(_)
            | HistoryItem::UserReply(_)
            | HistoryItem::Advice(_) => None,
        });
        let steps: Vec<u32> = steps.collect();
        let fits = |it: &&StepPicture| {
            steps.contains(&it.step)
                && it.model == model.name()
                && it.profile == model.profile()
                && !policy.hides(&it.package)
        };
        let pictures: Vec<&StepPicture> = session.step_pictures.iter().filter(fits).collect();
        for it in pictures.into_iter().rev().take(most).rev() {
            match read_back(journal, session.id, it).await {
                Some(picture) => {
                    let picture = StoredPicture { picture, blob: Some(it.blob.clone()) };
                    recalled.push(it.step, &picture, most);
                }
                None => {
                    tracing::debug!(session = %session.id, step = it.step, "its picture is not shown again");
                }
            }
        }
        recalled
    }
}

async fn read_back(
    journal: &dyn Journal,
    session: SessionId,
    stored: &StepPicture,
) -> Option<Picture> {
    let media_type = match stored.blob.media_type.as_str() {
        "image/jpeg" => "image/jpeg",
        "image/png" => "image/png",
        "image/webp" => "image/webp",
        _ => return None,
    };
    if LARGEST_RECALLED < stored.blob.bytes {
        return None;
    }
    let bytes = journal.blob(&session, &stored.blob).await.ok()?;
    Some(Picture { bytes, media_type, size: stored.size })
}

fn begins_request(item: &HistoryItem) -> bool {
    matches!(item, HistoryItem::Request(_) | HistoryItem::Subtask(_))
}
