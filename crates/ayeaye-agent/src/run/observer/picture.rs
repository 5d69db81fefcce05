//! The picture of a screen: encoded for models, redacted where a secret may be on it, and stored.
use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError};
use std::thread::available_parallelism;

use serde_json::Map;

use super::elements::places_to_blacken;
use super::{Observation, Observer};
use crate::journal::{Fact, NoteKind};
use crate::run::outcome::RunError;
use crate::run::recorder::{Recorder, StoredPicture};
use crate::{Frame, KeepImages, Model, Picture};

pub(super) const UNREDACTED: &str = "A secret may be on this screen and the phone does not say where: its picture is sent to no \
    model. Please get past this screen by hand, then say that it is done.";

impl Observer {
    /// Encodes the same screen for another model.
    pub(in crate::run) async fn encode_for(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        let areas = observation.black_areas.as_deref().unwrap_or_default();
        let picture = encode(model.clone(), observation.frame.with_black_areas(areas)).await?;
        if picture != observation.picture.picture {
            observation.picture = StoredPicture { picture, blob: None };
            observation.stored = false;
        }
        self.store(recorder, model, observation).await
    }

    /// Blacks out password fields and visible secrets on the picture for models. If the phone does not say where they
    /// are, the picture must not be sent.
    pub(super) async fn redact_picture(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        observation.black_areas = self.secret_places(recorder, observation).await?;
        let Some(areas) = &observation.black_areas else {
            observation.record.screenshot_size = None;
            return note_unstored(recorder).await;
        };
        if !areas.is_empty() {
            let picture = encode(model.clone(), observation.frame.with_black_areas(areas)).await?;
            observation.picture = StoredPicture { picture, blob: None };
        }
        Ok(())
    }

    /// Stores the picture with secrets blacked out. If the phone does not say where they are, nothing is
    /// stored.
    pub(super) async fn store_picture(
        &mut self,
        recorder: &mut Recorder,
        model: &Arc<dyn Model>,
        observation: &mut Observation,
    ) -> Result<(), RunError> {
        if recorder.privacy().images == KeepImages::None {
            observation.record.screenshot_size = None;
            return Ok(());
        }
        let mut picture = observation.picture.picture.clone();
        if may_show_secret(recorder, observation.state.secret_field, observation.app.as_deref()) {
            let Some(places) = self.secret_places(recorder, observation).await? else {
                observation.record.screenshot_size = None;
                return note_unstored(recorder).await;
            };
            let tree = observation.elements.tree();
            observation.record.ui_tree = tree.and_then(|tree| tree.blob.clone());
            if !places.is_empty() {
                observation.record.blackened = u32::try_from(places.len()).unwrap_or(u32::MAX);
                picture =
                    encode(model.clone(), observation.frame.with_black_areas(&places)).await?;
            }
        }
        let blob = recorder.store(picture.bytes, picture.media_type).await?;
        observation.record.screenshot = Some(blob.clone());
        observation.picture.blob = Some(blob);
        Ok(())
    }

    /// Where secrets may be on the screen; `None` if the phone does not say. One that is off is all hidden, and is
    /// asked for nothing: a phone that sleeps has no elements, but its capture may be of what was shown before.
    async fn secret_places(
        &mut self,
        recorder: &mut Recorder,
        observation: &mut Observation,
    ) -> Result<Option<Vec<[i32; 4]>>, RunError> {
        if observation.is_off() {
            let size = observation.frame.size();
            let side = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
            return Ok(Some(vec![[0, 0, side(size.width), side(size.height)]]));
        }
        self.insist_on_elements(recorder, observation).await?;
        let tree = observation.elements.tree();
        Ok(tree.map(|tree| places_to_blacken(&tree.elements, recorder.secrets())))
    }
}

/// Whether the screen may show a secret that must not be stored.
pub(super) fn may_show_secret(recorder: &Recorder, secret_field: bool, app: Option<&str>) -> bool {
    recorder.privacy().images == KeepImages::Redacted
        && (secret_field || recorder.secrets().may_show_in(app.unwrap_or_default()))
}

async fn note_unstored(recorder: &mut Recorder) -> Result<(), RunError> {
    recorder
        .append(Fact::Note {
            kind: NoteKind::PictureNotKept.into(),
            text:
                "A secret may be on this screen and the phone does not say where: its picture is \
                 not kept."
                    .to_owned(),
            figures: Map::new(),
        })
        .await?;
    Ok(())
}

pub(super) async fn encode(model: Arc<dyn Model>, frame: Frame) -> Result<Picture, RunError> {
    let encoding = move || {
        let _turn = EncodingPermit::take();
        model.picture(&frame)
    };
    tokio::task::spawn_blocking(encoding).await.map_err(RunError::Encoding)
}

/// One of as many turns at encoding as there are processors: more at once would hold more memory and be ready
/// no sooner. It is waited for on the thread that encodes, so that it counts as work wherever time is paused.
struct EncodingPermit;

/// How many have a turn.
static TAKEN: Mutex<usize> = Mutex::new(0);
static GIVEN_BACK: Condvar = Condvar::new();

impl EncodingPermit {
    fn take() -> Self {
        // Asked once: the answer takes several files of the system.
        static MOST: LazyLock<usize> =
            LazyLock::new(|| available_parallelism().map_or(1, NonZeroUsize::get));
        let most = *MOST;
        let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let free = GIVEN_BACK.wait_while(taken, |taken| most <= *taken);
        *free.unwrap_or_else(PoisonError::into_inner) += 1;
        Self
    }
}

impl Drop for EncodingPermit {
    fn drop(&mut self) {
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        GIVEN_BACK.notify_one();
    }
}
