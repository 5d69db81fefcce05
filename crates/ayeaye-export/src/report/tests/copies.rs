//! Copies of pictures that are made before there is a page.
use ayeaye_agent::JournalError;
use ayeaye_agent::journal::BlobRef;
use bytes::Bytes;

use super::builder::{EventBuilder, id, step_start};
use crate::draw::{Canvas, DecodedPicture, encode};
use crate::report::Report;
use crate::report::model::ReportModel;
use crate::{Blobs, Projection as _};

/// No file of it can be read any more, and another log has unpacked the picture.
#[derive(Debug)]
struct OnlyUnpacked(Option<DecodedPicture>);

impl Blobs for OnlyUnpacked {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        Err(JournalError::Blob(blob.sha256.clone()))
    }

    fn unpacked(&self, _: &BlobRef) -> Option<DecodedPicture> {
        self.0.clone()
    }
}

#[test]
fn a_picture_that_another_log_has_unpacked_is_copied_then() {
    let png = encode(Canvas::plain(600, 900, [20, 90, 200]).unwrap(), usize::MAX).unwrap();
    let copies = |name: &'static str, unpacked: Option<DecodedPicture>| {
        let mut builder = EventBuilder::begin("Look around");
        (builder.picture, builder.size) = (name, 1 << 20);
        builder.click(0, 1, 1, "Look").end();
        let (mut report, blobs) = (Report::new(id()), OnlyUnpacked(unpacked));
        builder.events.iter().for_each(|event| drop(report.fold(event, &blobs)));
        let page = String::from_utf8(report.page(&OnlyUnpacked(None), 1 << 20)).unwrap();
        (page.matches("data:image/webp").count(), page.matches("missing from the record").count())
    };
    assert_eq!(copies("unpacked-then", DecodedPicture::read(&png)), (1, 0));
    assert_eq!(copies("never-unpacked", None), (0, 1));
}

#[test]
fn a_step_that_has_seen_nothing_has_no_picture_of_an_earlier_one() {
    let mut builder = EventBuilder::begin("Look around");
    builder.click(0, 1, 1, "Look");
    let mut model = ReportModel::default();
    builder.events.iter().for_each(|event| model.apply(event));
    assert!(model.latest_picture().is_some());
    let told = builder.events.len();
    builder.fact(Some(1), "step.start", &step_start(1));
    builder.events[told..].iter().for_each(|event| model.apply(event));
    assert_eq!(model.latest_picture(), None);
}
