//! Removals that meet a full disk, or a session of which only logs are left.
use super::*;

fn marker(rig: &Rig, id: SessionId) -> PathBuf {
    rig.data.path().join("projecting").join(id.to_string())
}

#[tokio::test]
async fn a_mark_takes_no_room_on_the_disk() {
    let rig = rig(TestProjection::factory());
    let id = rig.session().await;
    PendingMarker::set_pending(rig.data.path(), id).await.unwrap();
    assert!(rig.is_marked(id));
    // What was written would be here; a hole reads as zeros.
    let mark = fs::read(marker(&rig, id)).unwrap();
    assert!(mark.iter().all(|byte| *byte == 0), "{mark:?}");
    let held = rig.logs.shared.try_lock(id).await.unwrap().unwrap();
    assert!(held.is_pending());
    held.set(false).unwrap();
    assert!(!rig.is_marked(id));
    held.set(true).unwrap();
    assert!(rig.is_marked(id));
    assert!(fs::read(marker(&rig, id)).unwrap().iter().all(|byte| *byte == 0));
}

/// `/dev/full` takes neither bytes nor a length.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn where_nothing_can_be_marked_a_session_is_removed_all_the_same() {
    let rig = rig(TestProjection::factory());
    let id = rig.session().await;
    fs::remove_file(marker(&rig, id)).unwrap();
    std::os::unix::fs::symlink("/dev/full", marker(&rig, id)).unwrap();
    rig.logs.remove(&id).await.unwrap();
    assert_eq!(tree(rig.data.path()).into_keys().collect::<Vec<_>>(), [""; 0]);
    // And where there is no mark, and none can be made.
    let id = rig.session().await;
    fs::remove_dir_all(rig.data.path().join("projecting")).unwrap();
    fs::write(rig.data.path().join("projecting"), "a file").unwrap();
    rig.logs.remove(&id).await.unwrap();
    let left = tree(rig.data.path());
    assert_eq!(left.into_keys().collect::<Vec<_>>(), ["projecting"]);
}

#[tokio::test]
async fn logs_whose_record_was_deleted_by_hand_can_be_removed() {
    let rig = rig(TestProjection::factory());
    let (gone, other) = (rig.session().await, rig.session().await);
    fs::remove_dir_all(rig.data.path().join(format!("sessions/{gone}"))).unwrap();
    assert!(!crate::log_path::session_logs(rig.data.path(), gone).unwrap().is_empty());
    rig.logs.remove(&gone).await.unwrap();
    assert!(crate::log_path::session_logs(rig.data.path(), gone).unwrap().is_empty());
    assert!(!marker(&rig, gone).exists());
    assert!(!crate::log_path::session_logs(rig.data.path(), other).unwrap().is_empty());
    let again = rig.logs.remove(&gone).await;
    assert!(matches!(again, Err(JournalError::Unknown(_))), "{again:?}");
}
