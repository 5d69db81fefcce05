//! What belongs to the phone when a client acts on it, and not to the session.
use std::sync::Arc;
use std::time::Duration;

use super::direct::{act, refused, tap};
use super::resume::{task, with_silent_phone};
use crate::fakes::{Rig, client, complete, within};
use crate::gate::{Policy, PolicyProfile, Rule};
use crate::{AgentError, DeviceId, DirectAction, DirectOutcome, Principal, StopReason};

#[tokio::test(start_paused = true)]
async fn touches_are_counted_by_phone_and_not_anew_in_each_session() {
    let mut policy = Policy::of(PolicyProfile::Trusted);
    policy.budgets.taps_per_minute = Some(2);
    let rig = Rig::new([]).under(policy);
    let first = act(&rig.agent, tap(1, None)).await;
    let mine = act(&rig.agent, tap(2, None)).await;
    assert_eq!((&mine.outcome, mine.session_id), (&DirectOutcome::Done, first.session_id));
    let by_other = || DirectAction { principal: Principal::new("other"), ..tap(3, None) };
    for acting in [tap(3, None), by_other()] {
        let refused = act(&rig.agent, acting).await;
        let by = matches!(refused.outcome, DirectOutcome::Refused(Rule::TapBudget, _));
        assert!(by, "{:?}", refused.outcome);
    }
    tokio::time::advance(Duration::from_mins(1)).await;
    let theirs = act(&rig.agent, by_other()).await;
    assert_eq!(theirs.outcome, DirectOutcome::Done);
    assert_ne!(theirs.session_id, first.session_id);
}

#[tokio::test(start_paused = true)]
async fn direct_control_does_not_go_on_with_another_phone_at_the_same_address() {
    let rig = Rig::new([]);
    rig.phone.is_known_by("boot 1");
    let first = act(&rig.agent, tap(1, None)).await.session_id;
    let asked = rig.phone.descriptions();
    assert_eq!(act(&rig.agent, tap(2, None)).await.session_id, first);
    assert_eq!(rig.phone.descriptions(), asked, "an act does not ask what it is");
    // It has been started anew.
    rig.phone.is_known_by("boot 2");
    assert_eq!(act(&rig.agent, tap(3, None)).await.session_id, first);
    let mut last = first;
    for (identity, model, serial_number) in [("boot 3", "Fake 8", "F7"), ("boot 4", "Fake 8", "F8")]
    {
        rig.phone.is_replaced_by(model, serial_number);
        rig.phone.is_known_by(identity);
        // What the client has aimed at is on the other phone.
        let err = refused(&rig.agent, tap(4, None)).await;
        assert!(matches!(err, AgentError::OtherPhone { .. }), "{err}");
        let next = act(&rig.agent, tap(4, None)).await.session_id;
        assert_ne!(next, last, "{model} {serial_number}");
        last = next;
    }
    let err = refused(&rig.agent, tap(5, Some(first))).await;
    assert!(matches!(err, AgentError::OtherPhone { .. }), "{err}");
    assert_eq!(rig.phone.sent().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn what_was_aimed_at_the_screen_of_one_phone_is_done_on_no_other() {
    let rig = Rig::new([complete("done")]);
    let looks = async |principal: Principal| {
        let phone = rig.agent.device_names(&DeviceId::new("phone-1")).await;
        rig.agent.was_shown(&phone, &principal);
    };
    rig.phone.is_known_by("boot 1");
    looks(client()).await;
    act(&rig.agent, tap(1, None)).await;
    rig.phone.is_known_by("boot 2");
    looks(Principal::new("other")).await;
    for _ in 0..2 {
        let err = refused(&rig.agent, tap(2, None)).await;
        assert!(matches!(err, AgentError::OtherPhoneThanSeen { .. }), "{err}");
    }
    looks(client()).await;
    act(&rig.agent, tap(3, None)).await;
    // A task shows its client what is on the phone.
    rig.phone.is_known_by("boot 3");
    rig.run().await;
    act(&rig.agent, tap(4, None)).await;
    let taps: Vec<_> = rig.phone.sent().into_iter().filter(|it| it.starts_with("CLICK")).collect();
    assert_eq!(taps, ["CLICK 1,500", "CLICK 3,500", "CLICK 4,500"]);
}

#[tokio::test(start_paused = true)]
async fn an_act_on_another_phone_than_the_sessions_frees_nothing_of_a_session_that_goes_on() {
    let mut rig = Rig::new([complete("one"), complete("two")]);
    rig.more_phones(["phone-2".to_owned()]);
    let rig = Arc::new(rig);
    let (rested, going_on) = with_silent_phone(&rig, task()).await;
    let id = rested.session_id;
    let elsewhere = DirectAction { device_id: DeviceId::new("phone-2"), ..tap(1, Some(id)) };
    let err = within(rig.agent.act(elsewhere)).await.unwrap_err();
    assert!(matches!(err, AgentError::WrongDevice { .. }), "{err}");
    let stopped = within(rig.agent.stop(id, StopReason::Cancelled, &client())).await.unwrap();
    assert_eq!(stopped, rested);
    let err = within(going_on).await.unwrap().unwrap_err();
    assert!(matches!(err, AgentError::StoppedBefore(_)), "{err}");
    rig.phone.let_go();
}
