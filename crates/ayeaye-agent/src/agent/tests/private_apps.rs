//! Private apps in what models are told of the phone.
use super::hosts::{asks, assign, finish};
use crate::fakes::{Rig, click, complete};
use crate::gate::Policy;
use crate::{StopReason, UserInput};

fn with_private_notes(rig: Rig) -> Rig {
    let mut policy = Policy::default();
    policy.private_apps = vec!["com.notes".to_owned()];
    rig.under(policy)
}

#[tokio::test(start_paused = true)]
async fn that_a_private_app_is_installed_is_told_only_where_the_user_names_it() {
    for (task, told) in [
        ("Look", &["Messages", "Mail"][..]),
        ("Open my notes", &["Messages", "Notes", "Mail"]),
        ("Open com.notes", &["Messages", "Notes", "Mail"]),
    ] {
        let rig = with_private_notes(Rig::new([click(1), complete("done")]));
        let report = rig.run_task(task).await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
        for seen in rig.script.seen() {
            assert_eq!(seen.installed_apps, told, "{task}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_host_agent_is_told_of_a_private_app_only_where_the_user_names_it() {
    for (task, is_told) in [("Look", false), ("Open my notes", true)] {
        let rig = with_private_notes(Rig::new([]).planned([finish("Nothing to do.")]));
        rig.run_task(task).await;
        let prompts = rig.planner.as_ref().expect("there is a host agent").prompts();
        let prompt = format!("{prompts:?}");
        assert!(prompt.contains("com.mail"), "{prompt}");
        assert_eq!(prompt.contains("com.notes"), is_told, "{task}: {prompt}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_private_app_that_is_named_later_is_given_out_then() {
    let replies =
        [assign("Notes", "Look"), asks("Where?"), assign("Notes", "Look"), finish("Done.")];
    let rig = with_private_notes(Rig::new([complete("")]).planned(replies));
    let asked = rig.run_task("Look it up").await;
    assert_eq!(asked.stop_reason, StopReason::InfoActionNeedsReply, "{}", asked.message);
    assert_eq!(rig.phone.sent(), ["RESET"]);
    let done = rig.go_on(asked.session_id, UserInput::Reply("In Notes".to_owned())).await;
    assert!(rig.phone.sent().iter().any(|it| it.contains("com.notes")), "{}", done.message);
}
