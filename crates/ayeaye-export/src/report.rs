//! The session as one HTML page that a person can open and send on.
//!
//! The page needs nothing but itself: styles and pictures are inside, nothing runs, nothing is
//! fetched, and its own policy forbids both. Whatever comes from the record is escaped by the one
//! type that writes it, [`html`]. [`model`] is what is kept of the events; it is bounded, and a page is
//! made from it when one is needed.
mod html;
mod overlay;

mod call;
mod clip;
mod copies;
mod item;
mod model;
mod silence;
mod totals;

mod document;
mod page;
mod pictures;
mod replies;
mod step;
#[cfg(test)]
mod tests;
mod timeline;

use std::sync::Arc;

use ayeaye_agent::SessionId;
use ayeaye_agent::journal::{Event, Fact};

use self::model::ReportModel;
use crate::{Blobs, Content, FileOp, Projection};

/// The page of a session: `<session_id>.html`, replaced whenever a run stops.
#[derive(Debug, Clone)]
pub struct Report {
    id: SessionId,
    model: Arc<ReportModel>,
}

impl Report {
    /// The page of a session of which nothing has been told yet.
    pub fn new(id: SessionId) -> Self {
        Self { id, model: Arc::new(ReportModel::default()) }
    }

    /// Says at the end of the page why it goes no further, where the record is not good to its end.
    pub fn cut_short(&mut self, why: &str) {
        Arc::make_mut(&mut self.model).cut_short(why);
    }

    /// The page of what has been told so far, as bytes, with at most so many bytes of pictures; the
    /// latest are kept.
    pub fn page(&self, blobs: &dyn Blobs, most_pictures: u64) -> Vec<u8> {
        document::page(self.id, &self.model, blobs, most_pictures)
    }

    /// The page of what has been told so far, for a session whose record has no end. A session that
    /// has one has had this page already.
    pub fn finish(&self) -> FileOp {
        let (id, model) = (self.id, self.model.clone());
        FileOp::Replace {
            path: format!("{id}.html"),
            content: Content::lazy(move |blobs| {
                Some(document::page(id, &model, blobs, pictures::MAX_PICTURE_BYTES))
            }),
        }
    }
}

impl Projection for Report {
    fn fold(&mut self, event: &Event, blobs: &dyn Blobs) -> Vec<FileOp> {
        // A page that is still to be made keeps its own state.
        Arc::make_mut(&mut self.model).apply(event);
        if matches!(event.entry.fact, Fact::StepEnd(_))
            && let Some(picture) = self.model.latest_picture()
        {
            copies::make_early(picture, blobs);
        }
        let late = self.model.has_ended() && matches!(event.entry.fact, Fact::Evaluation(_));
        if late || matches!(event.entry.fact, Fact::SessionEnd(_)) {
            vec![self.finish()]
        } else {
            Vec::new()
        }
    }
}
