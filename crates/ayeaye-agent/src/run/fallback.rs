//! Going on with another model when the one that acts comes to nothing, and the pictures of earlier
//! steps when a session goes on.
//!
//! Two models share nothing but the session: the other one gets the screen scaled as it wants it, and
//! a prompt of its own made from the same past. Pictures of earlier steps were made for the first one
//! and are let go.
use std::sync::Arc;

use serde_json::{Map, json};

use super::look::Seen;
use super::{Run, RunEnd};
use crate::journal::Fact;
use crate::session::StepPicture;
use crate::{HistoryImage, HistoryItem, Journal, Model, Picture, SessionId, StopReason};

/// The kind of the note that says that another model goes on.
const FALLBACK: &str = "model_fallback";

/// Most pictures of earlier steps that are read back, whatever a profile asks for.
const MOST_RECALLED: usize = 8;
/// Most bytes of one of them.
const LARGEST_RECALLED: u64 = 8 << 20;

impl Run {
    /// The model that decides in this run now.
    pub(super) fn acting(&self) -> Arc<dyn Model> {
        let models = &self.deps.models;
        match &models.fallback {
            Some(fallback) if self.memory.fallen_back => fallback.clone(),
            _ => models.act.clone(),
        }
    }

    /// Lets the other model go on for the rest of this run, from the same screen. Without another
    /// one, or without time and money for it, the run stops for the reason it would have had.
    pub(super) async fn fall_back(
        &mut self,
        run_end: RunEnd,
        seen: &mut Seen,
    ) -> Result<(), RunEnd> {
        let worth_it = matches!(run_end.reason, StopReason::ModelFailed | StopReason::NoProgress);
        let failed = self.acting();
        let other = self.deps.models.fallback.clone().filter(|_| !self.memory.fallen_back);
        let Some(other) = other.filter(|_| worth_it && self.check_budgets().is_ok()) else {
            return Err(run_end);
        };
        self.cancel.check()?;
        tracing::warn!(session = %self.session.id, to = other.name(), "another model goes on: {}", self.hide(&run_end.message));
        self.memory.fallen_back = true;
        self.memory.history_images.clear();
        self.memory.earlier_kept.clear();
        self.memory.last_try = None;
        if run_end.reason == StopReason::NoProgress {
            let message = &run_end.message;
            self.memory
                .system_notes
                .push(format!("Nothing has come of this: {message}. Try another way."));
        }
        self.append(Fact::Note {
            kind: FALLBACK.to_owned(),
            text: format!(
                "{} goes on, as {} did not: {}",
                other.name(),
                failed.name(),
                run_end.message
            ),
            figures: Map::from_iter([
                ("from".to_owned(), json!(failed.name())),
                ("from_profile".to_owned(), json!(failed.profile())),
                ("to".to_owned(), json!(other.name())),
                ("to_profile".to_owned(), json!(other.profile())),
                ("reason".to_owned(), json!(run_end.reason.name())),
            ]),
        })
        .await?;
        // The failed calls cost money, whatever becomes of the next one.
        self.record.sync().await?;
        self.publish(format!("{} goes on, as {} did not", other.name(), failed.name()));
        self.show_anew(seen).await
    }

    /// Pictures of the last steps of this request, as they were kept, for a model whose prompts show
    /// them again. One that is damaged, or was made for another model, is left out.
    pub(super) async fn recall_pictures(&mut self) {
        let model = self.acting();
        let most = model.earlier_pictures().min(MOST_RECALLED);
        if most == 0 {
            return;
        }
        let begun = self.session.history.iter().rposition(is_boundary).map_or(0, |at| at + 1);
        let steps = self.session.history[begun..].iter().filter_map(|history| match history {
            HistoryItem::Step(step) => Some(step.step),
            HistoryItem::Request(_) | HistoryItem::Subtask(_) | HistoryItem::UserReply(_) => None,
        });
        let steps: Vec<u32> = steps.collect();
        let fits = |it: &&StepPicture| {
            steps.contains(&it.step) && it.model == model.name() && it.profile == model.profile()
        };
        let pictures: Vec<_> = self.session.step_pictures.iter().filter(fits).cloned().collect();
        for it in pictures.into_iter().rev().take(most).rev() {
            match recalled(self.deps.journal.clone(), self.session.id, &it).await {
                Some(picture) => {
                    self.memory.history_images.push(HistoryImage { step: it.step, picture });
                    self.memory.earlier_kept.push(Some(it.blob));
                }
                None => {
                    tracing::debug!(session = %self.session.id, step = it.step, "its picture is not shown again");
                }
            }
        }
    }
}

async fn recalled(
    journal: Arc<dyn Journal>,
    session: SessionId,
    kept: &StepPicture,
) -> Option<Picture> {
    let media_type = match kept.blob.media_type.as_str() {
        "image/jpeg" => "image/jpeg",
        "image/png" => "image/png",
        "image/webp" => "image/webp",
        _ => return None,
    };
    if LARGEST_RECALLED < kept.blob.bytes {
        return None;
    }
    let bytes = journal.blob(&session, &kept.blob).await.ok()?;
    Some(Picture { bytes, media_type, size: kept.size })
}

fn is_boundary(history: &HistoryItem) -> bool {
    matches!(history, HistoryItem::Request(_) | HistoryItem::Subtask(_))
}
