//! Records that others take away, and those of other users.
use super::*;

/// As by `sed -i`, a restored copy or a sync program: whoever writes on does it for nobody.
#[tokio::test]
async fn a_record_that_somebody_takes_away_takes_nothing_more() {
    type Taking = fn(&Path);
    let ways: [Taking; 4] = [
        |path| {
            let same = fs::read(path).unwrap();
            fs::write(path.with_extension("new"), same).unwrap();
            fs::rename(path.with_extension("new"), path).unwrap();
        },
        |path| fs::remove_file(path).unwrap(),
        |path| fs::rename(path, path.with_extension("old")).unwrap(),
        |path| File::options().write(true).open(path).unwrap().set_len(1).unwrap(),
    ];
    for take in ways {
        let rig = rig_with(SyncPolicy::Step);
        let id = SessionId::new();
        let mut record = rig.journal.create(&id).await.unwrap();
        record.append(note("seen")).await.unwrap();
        record.sync().await.unwrap();
        take(&rig.path(&id).join("events.jsonl"));
        record.append(note("lost")).await.unwrap();
        let err = record.sync().await.unwrap_err();
        assert!(matches!(err, JournalError::Storage { .. }), "{err}");
        let err = record.append(note("never")).await.unwrap_err().to_string();
        assert!(err.contains("nothing is written to this record since"), "{err}");
    }
}

/// As with `sudo`. Only root can try: for all others everything is theirs anyway.
#[tokio::test]
async fn a_record_that_root_makes_in_anothers_folder_is_theirs() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let rig = rig();
    let home = rig.data.path();
    let mut owner = 1234;
    if chown(home, Some(owner), None).is_err() {
        owner = fs::metadata(home).unwrap().uid();
    }
    let (id, _) = rig.full_session().await;
    for name in ["", "events.jsonl", "lock", "session.json", "blobs"] {
        assert_eq!(fs::metadata(rig.path(&id).join(name)).unwrap().uid(), owner, "{name}");
    }
}
