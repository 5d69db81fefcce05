//! A picture that several logs are made from.
use ayeaye_agent::journal::BlobRef;

use super::*;
use crate::draw::{Canvas, encode};
use crate::live::projector::SessionBlobs;

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
