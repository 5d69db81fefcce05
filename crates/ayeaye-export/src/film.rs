//! The session as a short film: one animated picture that plays wherever pictures are shown.
//!
//! A card says what was asked for, each step shows the screen, what was done and why, and where on the
//! screen, and a card says how it ended. [`story`] is what is kept of the events; it is bounded, so the
//! film is. It is drawn when one is needed.
mod picture;
mod story;
#[cfg(test)]
mod tests;

use ayeaye_agent::SessionId;
use ayeaye_agent::journal::{Event, Fact};

use self::story::Story;
use crate::{Blobs, Content, FileOp, Projection};

/// The film of a session: `<session_id>.gif`, replaced whenever a run stops.
#[derive(Debug, Clone)]
pub struct Film {
    id: SessionId,
    story: Story,
}

impl Film {
    /// The film of a session of which nothing has been told yet.
    pub fn new(id: SessionId) -> Self {
        Self { id, story: Story::default() }
    }

    /// Says on the last card that the record is not good to its end.
    pub fn cut_short(&mut self) {
        self.story.cut_short = true;
    }

    /// The film of what has been told so far, for a session whose record has no end.
    pub fn finish(&self) -> FileOp {
        let story = self.story.clone();
        FileOp::Replace {
            path: format!("{}.gif", self.id),
            content: Content::lazy(move |blobs| picture::film(&story, blobs)),
        }
    }
}

impl Projection for Film {
    fn fold(&mut self, event: &Event, _: &dyn Blobs) -> Vec<FileOp> {
        self.story.apply(event);
        match event.entry.fact {
            Fact::SessionEnd(_) => vec![self.finish()],
            _ => Vec::new(),
        }
    }
}
