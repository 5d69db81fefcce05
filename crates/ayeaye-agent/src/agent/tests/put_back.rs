//! Settings that were left changed, and who drives the phone by then.
use std::time::Duration;

use tokio::time::Instant;

use crate::fakes::{Call, Fault, Rig, click, complete};
use crate::journal::{Fact, NoteKind, OpenChange};
use crate::{Device as _, SessionId, SettingChange, StopReason};

#[tokio::test(start_paused = true)]
async fn a_setting_is_not_put_back_under_the_driver_of_another_server() {
    for (changed_by, driven_by, left) in [
        (Some("ours"), None, 0),
        (Some("ours"), Some("ours"), 0),
        (Some("ours"), Some("theirs"), 1),
        (None, Some("theirs"), 1),
        (None, None, 0),
    ] {
        let rig = Rig::new([]);
        let change = SettingChange {
            setting: "global/stay_on_while_plugged_in".to_owned(),
            before: Some("0".to_owned()),
            value: "7".to_owned(),
        };
        let open = OpenChange {
            session: SessionId::new(),
            change,
            refusals: 0,
            refused_at: None,
            driver: changed_by.map(str::to_owned),
            phone: None,
        };
        let remember = Box::new(move |changes: &mut Vec<OpenChange>| {
            changes.push(open);
            true
        });
        rig.journal.edit_open_changes(rig.phone.id(), remember).await.unwrap();
        rig.phone.was_driven_by(driven_by);
        let who = format!("changed by {changed_by:?}, driven by {driven_by:?}");
        assert_eq!(rig.agent.put_back_settings().await.unwrap(), left, "{who}");
        let open = rig.journal.open_changes(rig.phone.id()).await.unwrap();
        assert_eq!(open.len(), left, "{who}");
        // As soon as nobody drives it any more.
        rig.phone.was_driven_by(None);
        assert_eq!(rig.agent.put_back_settings().await.unwrap(), 0, "{who}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_changed_on_one_phone_is_not_put_back_on_another_one_at_its_address() {
    let rig = Rig::new([click(1)]).limited(|limits| limits.stop_animations = true).steps(1);
    rig.phone.animates_by(["window"]);
    // It goes before it can be put back.
    rig.phone.breaks(Call::PutBack, 1..=1, Fault::Gone);
    rig.run().await;
    let open = async || rig.journal.open_changes(rig.phone.id()).await.unwrap().len();
    assert_eq!(open().await, 1);
    for (model, serial_number) in [("Fake 8", "F8"), ("Fake 7", "F8")] {
        rig.phone.is_replaced_by(model, serial_number);
        assert_eq!(rig.agent.put_back_settings().await.unwrap(), 1);
        // A session on that one leaves it alone too.
        rig.script.adds([complete("done")]);
        rig.run().await;
        assert_eq!(open().await, 1, "{model} {serial_number}");
    }
    rig.phone.is_replaced_by("Fake 7", "F7");
    assert_eq!(rig.agent.put_back_settings().await.unwrap(), 0);
    assert_eq!(open().await, 0);
}

/// A phone that gives no picture may still do the rest, and one that is silent is not waited for.
#[tokio::test(start_paused = true)]
async fn a_lost_phone_is_put_back_unless_it_takes_more_than_five_seconds() {
    let silent = Duration::from_mins(1);
    for (put_back, left, took) in [
        (None, 0, 0),
        (Some((1..=1, Fault::Refused)), 1, 0),
        (Some((1..=1, Fault::Gone)), 3, 0),
        (Some((2..=2, Fault::TimedOut(silent))), 2, 5),
    ] {
        let rig = Rig::new([]).limited(|limits| limits.stop_animations = true);
        rig.phone.animates_by(["window", "transition", "animator"]);
        rig.phone.breaks(Call::Capture, 1..=u32::MAX, Fault::Refused);
        let fault = format!("{put_back:?}");
        if let Some((which, fault)) = put_back {
            rig.phone.breaks(Call::PutBack, which, fault);
        }
        let begun = Instant::now();
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::DeviceLost, "{fault}");
        assert_eq!(begun.elapsed().as_secs(), took, "{fault}");
        assert_eq!(rig.phone.changed_settings().len(), left, "{fault}");
        // What is left stays in mind, and the record tells of what was put back alone.
        assert_eq!(rig.journal.open_changes(rig.phone.id()).await.unwrap().len(), left, "{fault}");
        let told = rig.facts(report.session_id, |fact| match fact {
            Fact::Note { kind, .. } => (*kind == NoteKind::SettingPutBack).then_some(()),
            _ => None,
        });
        assert_eq!(told.await.len(), 3 - left, "{fault}");
        rig.phone.mended();
        assert_eq!(rig.agent.put_back_settings().await.unwrap(), 0, "{fault}");
        assert_eq!(rig.phone.changed_settings(), [""; 0], "{fault}");
    }
}
