//! A picture that several logs are made from.
use ayeaye_agent::journal::BlobRef;

use super::*;
use crate::draw::{Canvas, encode};
use crate::live::SessionBlobs;
use crate::testing::{EventBuilder, click};

#[tokio::test]
async fn the_latest_picture_is_unpacked_once() {
    let rig = rig(TestProjection::factory());
    let id = SessionId::new();
    let mut record = rig.files.create(&id).await.unwrap();
    let mut pictures: Vec<BlobRef> = Vec::new();
    for width in [40, 50] {
        let canvas = Canvas::plain(width, 60, [9, 9, 9]).unwrap();
        let png = encode(canvas, usize::MAX).unwrap();
        pictures.push(record.store_blob(png.into(), "image/png").await.unwrap());
    }
    let blobs = Arc::new(SessionBlobs::new(Arc::new(rig.files.clone()), id));
    let width_of = |picture: &BlobRef| {
        let (blobs, picture) = (Arc::clone(&blobs), picture.clone());
        let read = move || blobs.picture(&picture).map(|it| it.canvas().width());
        tokio::task::spawn_blocking(read)
    };
    assert!(blobs.unpacked(&pictures[0]).is_none());
    assert_eq!(width_of(&pictures[0]).await.unwrap(), Some(40));
    assert_eq!(width_of(&pictures[1]).await.unwrap(), Some(50));
    for picture in &pictures {
        fs::remove_file(rig.files.blob_path(&id, picture).unwrap()).unwrap();
    }
    assert_eq!(width_of(&pictures[1]).await.unwrap(), Some(50));
    assert_eq!(width_of(&pictures[0]).await.unwrap(), None, "only the latest is held");
}

/// Unpacks the picture of each step as it ends, or notes whether that was done for another log.
#[derive(Debug)]
struct Sees {
    unpacks: bool,
    picture: Option<BlobRef>,
    found: Arc<Mutex<Vec<bool>>>,
}

impl Projection for Sees {
    fn fold(&mut self, event: &Event, blobs: &dyn Blobs) -> Vec<FileOp> {
        match (&event.entry.fact, &self.picture) {
            (Fact::Observe(observe), _) => self.picture.clone_from(&observe.screenshot),
            (Fact::StepEnd(_), Some(picture)) if self.unpacks => {
                assert!(blobs.picture(picture).is_some());
            }
            (Fact::StepEnd(_), Some(picture)) => {
                self.found.lock().unwrap().push(blobs.unpacked(picture).is_some());
            }
            _ => {}
        }
        Vec::new()
    }
}

impl Log for Sees {
    fn own_files(&self) -> &'static [&'static str] {
        &[]
    }
}

#[tokio::test]
async fn the_page_finds_every_picture_unpacked_in_whatever_order_logs_are_wanted() {
    let (data, id) = (TempDir::new().unwrap(), SessionId::new());
    let files = files(data.path());
    let mut builder = EventBuilder::new();
    for step in 0..3 {
        builder.begin_step(step, step + 1).end_step(Some(click()), None);
    }
    let mut record = files.create(&id).await.unwrap();
    for (event, width) in builder.events.into_iter().zip(40..) {
        let mut entry = event.entry;
        if let Fact::Observe(observe) = &mut entry.fact {
            let canvas = Canvas::plain(width, 60, [9, 9, 9]).unwrap();
            let png = encode(canvas, usize::MAX).unwrap();
            observe.screenshot = Some(record.store_blob(png.into(), "image/png").await.unwrap());
        }
        record.append(entry).await.unwrap();
    }
    record.close().await;
    let found = Arc::new(Mutex::new(Vec::new()));
    let seen = found.clone();
    let logs = LoggingJournal::with_projections(
        Arc::new(files),
        data.path(),
        LogSettings { formats: vec![Format::Html, Format::Ufo], ..LogSettings::default() },
        Arc::new(move |format, _, _| {
            let unpacks = format == Format::Ufo;
            Box::new(Sees { unpacks, picture: None, found: seen.clone() })
        }),
    );
    // What was recorded before is taken in at once.
    logs.open(&id, &mut |_| {}).await.unwrap().close().await;
    assert_eq!(*found.lock().unwrap(), [true; 3]);
}

#[tokio::test]
async fn what_pictures_are_unpacked_into_is_one_for_all_sessions_and_goes_with_the_last() {
    let rig = rig(TestProjection::factory());
    let shared = &rig.logs.shared;
    let (first, second) = (shared.unpack_buffer(), shared.unpack_buffer());
    assert!(Arc::ptr_eq(&first, &second));
    drop(first);
    assert!(Arc::ptr_eq(&second, &shared.unpack_buffer()));
    drop(second);
    assert!(shared.unpack_buffer.lock().unwrap().upgrade().is_none());
}
