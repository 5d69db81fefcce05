//! A disk that fails: no gesture after it, and no lie about it.
use std::sync::Arc;

use crate::fakes::{FailingJournal, Rig, Write, click, client, complete, info};
use crate::{AgentError, StopReason, UserInput};

fn lines() -> Vec<crate::fakes::ScriptedReply> {
    vec![click(1), info("Which?"), click(2), complete("done")]
}

/// A rig whose disk fails at the nth write of this kind.
fn failing(write: Write, nth: u32) -> (Rig, Arc<FailingJournal>) {
    let mut disk = None;
    let rig = Rig::new(lines()).answering(crate::ReplyMode::NoReply).kept_by(|inner, phone| {
        let failing = Arc::new(FailingJournal::new(inner, phone, write, nth));
        disk = Some(failing.clone());
        failing
    });
    (rig, disk.expect("it was wrapped"))
}

#[tokio::test(start_paused = true)]
async fn wherever_the_disk_fails_no_gesture_follows_and_the_session_can_be_mended() {
    for write in [Write::Append, Write::Sync, Write::Keep] {
        let mut failures = 0;
        for nth in 1.. {
            let (rig, disk) = failing(write, nth);
            let where_ = format!("{write:?} {nth}");
            let report = match rig.agent.start(rig.task("Text Anna")).await {
                Ok(follower) => rig.ended(follower).await,
                Err(AgentError::Journal(_)) => {
                    assert_eq!(rig.phone.sent(), [""; 0], "{where_}");
                    failures += 1;
                    continue;
                }
                Err(err) => panic!("{where_}: {err}"),
            };
            let Some(sent) = disk.sent() else {
                assert_eq!(report.message, "done", "{where_}");
                break;
            };
            failures += 1;
            assert_eq!(report.stop_reason, StopReason::StorageFailed, "{where_}");
            assert!(report.message.contains("no space left"), "{where_}: {}", report.message);
            assert_eq!(rig.phone.sent(), sent, "{where_}: nothing after the failure");
            let told = rig.agent.report(report.session_id, &client()).await.unwrap();
            let end = (told.stop_reason, told.message);
            // Only the very last line may have been lost.
            let recorded = end.0 != StopReason::ServerRestarted;
            assert!(recorded, "{where_}: {end:?}");
            go_on_after(&rig, report.session_id, &sent, &where_).await;
        }
        assert!(4 < failures, "{write:?}: only {failures} moments were tried");
    }
}

#[tokio::test(start_paused = true)]
async fn wherever_the_disk_fails_the_phones_settings_are_put_back() {
    for write in [Write::Append, Write::Sync, Write::Keep, Write::Changes] {
        let mut failures = 0;
        for nth in 1.. {
            let (rig, disk) = failing(write, nth);
            let rig = rig.limited(|limits| limits.stop_animations = true);
            rig.phone.animates_by(["window", "transition", "animator"]);
            match rig.agent.start(rig.task("Text Anna")).await {
                Ok(follower) => drop(rig.ended(follower).await),
                Err(AgentError::Journal(_)) => {}
                Err(err) => panic!("{write:?} {nth}: {err}"),
            }
            assert_eq!(rig.phone.changed_settings(), [""; 0], "{write:?} {nth}");
            if disk.sent().is_none() {
                break;
            }
            failures += 1;
        }
        assert!(3 < failures, "{write:?}: only {failures} moments were tried");
    }
}

/// The disk is mended and the session goes on: nothing that was sent is sent again unasked.
async fn go_on_after(rig: &Rig, session: crate::SessionId, sent: &[String], where_: &str) {
    let next = rig.restarted([complete("mended")]);
    let report = next.go_on(session, UserInput::Nothing).await;
    match report.stop_reason {
        StopReason::TaskCompletedSuccessfully => {}
        // The failure came between the question and its answer.
        StopReason::InfoActionNeedsReply => {
            next.go_on(session, UserInput::Reply("B.".to_owned())).await;
        }
        other => panic!("{where_}: {other}"),
    }
    assert_eq!(next.phone.gestures(), [""; 0], "{where_}");
    let reset_again = next.phone.sent() == ["RESET"];
    assert!(!reset_again || sent.len() <= 1, "{where_}: reset after {sent:?}");
    let steps = next.events(session).await;
    let steps: Vec<_> = steps
        .iter()
        .filter_map(|event| match &event.entry.fact {
            crate::journal::Fact::StepStart(_) => event.entry.step,
            _ => None,
        })
        .collect();
    let count = u32::try_from(steps.len()).expect("few");
    assert_eq!(steps, (0..count).collect::<Vec<_>>(), "{where_}: steps without gaps");
}
