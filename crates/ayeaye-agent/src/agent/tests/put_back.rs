//! Settings that were left changed, and who drives the phone by then.
use crate::fakes::Rig;
use crate::journal::OpenChange;
use crate::{Device as _, SessionId, SettingChange};

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
