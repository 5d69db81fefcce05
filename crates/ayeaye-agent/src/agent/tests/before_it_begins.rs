//! What is said while nothing has begun yet, since the phone is still asked for.
use std::sync::Arc;

use super::resume::{reply, task, with_silent_phone};
use crate::fakes::{Rig, client, complete, info, within};
use crate::{AgentError, StopReason};

#[tokio::test(start_paused = true)]
async fn a_run_whose_question_is_being_answered_is_stopped_before_the_answer_is_passed_on() {
    let rig = Arc::new(Rig::new([info("Which Anna?"), complete("two")]));
    let (rested, going_on) = with_silent_phone(&rig, reply()).await;
    let (id, agent, me) = (rested.session_id, &rig.agent, client());
    let status = within(agent.run_status(id, 0, true, &me)).await.unwrap();
    assert_eq!(status.report.stop_reason, StopReason::StillRunning, "it asks nobody any more");
    assert!(!status.superseded);
    let status = within(agent.run_status(id, 0, false, &me)).await.unwrap();
    assert_eq!(status.report, rested, "without its answers it has come to rest");
    assert!(!within(agent.stop_run(id, 0, false, &me)).await.unwrap());
    assert!(!going_on.is_finished());
    assert!(!within(agent.stop_run(id, 0, true, &me)).await.unwrap(), "nothing runs any more");
    let err = going_on.await.unwrap().unwrap_err();
    assert!(matches!(err, AgentError::StoppedBefore(it) if it == id), "{err}");
    assert_eq!(within(agent.run_status(id, 0, true, &me)).await.unwrap().report, rested);
    rig.phone.let_go();
    assert_eq!(rig.go_on(id, reply()).await.message, "two");
}

#[tokio::test(start_paused = true)]
async fn who_stops_a_run_that_asked_stops_no_other_task_that_the_session_goes_on_with() {
    let rig = Arc::new(Rig::new([info("Which Anna?"), complete("two")]));
    let (rested, going_on) = with_silent_phone(&rig, task()).await;
    let stopped = within(rig.agent.stop_run(rested.session_id, 0, true, &client())).await;
    assert!(!stopped.unwrap());
    rig.phone.let_go();
    let follower = going_on.await.unwrap().unwrap();
    assert_eq!(rig.ended(follower).await.message, "two");
}
