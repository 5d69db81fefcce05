//! Waiting for a phone, and following a run, while what the servers share cannot be read.
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::fakes::{Rig, ScriptedReply, client, complete, within};
use crate::{Follower, StartTask, StopReason};

/// The table of all runs, which a folder may take the place of.
struct Table(PathBuf);

impl Table {
    fn of(rig: &Rig) -> Self {
        Self(rig.data().join("runs/table.json"))
    }

    fn breaks(&self) {
        fs::rename(&self.0, self.0.with_extension("kept")).unwrap();
        fs::create_dir(&self.0).unwrap();
    }

    fn is_mended(&self) {
        fs::remove_dir(&self.0).unwrap();
        fs::rename(self.0.with_extension("kept"), &self.0).unwrap();
    }
}

async fn queued(rig: &Rig) -> Follower {
    let start = StartTask { queue: true, ..rig.task("the next") };
    rig.agent.start(start).await.unwrap()
}

/// A model whose first call goes on until it is given up.
fn hanging() -> Rig {
    const LONG: Duration = Duration::from_hours(24 * 365);
    Rig::new([ScriptedReply::Hangs, complete("second")])
        .limited(|limits| (limits.model_call, limits.run_time) = (LONG, LONG))
}

#[tokio::test(start_paused = true)]
async fn a_task_goes_on_waiting_while_the_table_cannot_be_read() {
    let rig = hanging();
    let first = rig.begin().await;
    rig.script.is_asked(1).await;
    let waits = queued(&rig).await;
    let table = Table::of(&rig);
    for _ in 0..3 {
        // Together longer than it would bear at once.
        table.breaks();
        sleep(Duration::from_secs(30)).await;
        assert!(waits.running(), "{:?}", waits.report());
        table.is_mended();
        sleep(Duration::from_secs(5)).await;
    }
    assert!(waits.update().line.contains("place 1 in its queue"), "{}", waits.update().line);
    rig.agent.stop(first.report().session_id, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(rig.ended(waits).await.message, "second");
}

#[tokio::test(start_paused = true)]
async fn a_run_of_another_server_is_followed_on_while_the_table_cannot_be_read() {
    let rig = hanging();
    let other = rig.beside([]);
    let session = rig.begin().await.report().session_id;
    rig.script.is_asked(1).await;
    let run = other.agent.run_elsewhere(session).await.unwrap().unwrap();
    let follower = other.agent.follow_elsewhere(&run).await.unwrap();
    let table = Table::of(&rig);
    table.breaks();
    sleep(Duration::from_secs(30)).await;
    assert!(follower.running() && !follower.ended_abruptly());
    table.is_mended();
    rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(rig.ended(follower).await.stop_reason, StopReason::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_task_does_not_wait_for_ever_where_the_table_cannot_be_read() {
    let rig = hanging();
    let _first = rig.begin().await;
    rig.script.is_asked(1).await;
    let mut waits = queued(&rig).await;
    let (table, broken) = (Table::of(&rig), Instant::now());
    table.breaks();
    within(waits.finished()).await;
    let waited = broken.elapsed().as_secs();
    table.is_mended();
    let report = rig.ended(waits).await;
    assert_eq!(report.stop_reason, StopReason::NotStarted);
    assert!(report.message.contains("table.json"), "{}", report.message);
    assert!((60..70).contains(&waited), "{waited} s");
}
