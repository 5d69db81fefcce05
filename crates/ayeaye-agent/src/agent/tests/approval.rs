//! Acts that the user has to allow: asked before, done once after a clear yes, never otherwise.
use super::direct::{act, tap};
use crate::fakes::{Rig, ScriptedReply, click, client, complete, sensitive, wait};
use crate::{
    Agreed, DirectAction, DirectOutcome, HistoryItem, QuestionKind, ReplyMode, RunPhase,
    StopReason, UserInput,
};

fn says(text: &str) -> UserInput {
    UserInput::Reply(text.to_owned())
}

#[tokio::test(start_paused = true)]
async fn nothing_is_done_before_the_yes_and_one_thing_after_it() {
    let rig = Rig::new([
        sensitive(500, "Send it?"),
        // A little beside, in other words: the same button.
        sensitive(510, "May I send the message?"),
        sensitive(510, "Send it once more?"),
    ]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let question = report.question.clone().expect("it asks");
    assert_eq!((question.kind, question.text.as_str()), (QuestionKind::Confirm, "Send it?"));
    assert_eq!(rig.phone.gestures(), Vec::<String>::new());
    let report = rig.go_on(report.session_id, says("Yes.")).await;
    assert_eq!(rig.phone.gestures().len(), 1, "the act, and not the one after it");
    assert_eq!(report.question.expect("it asks again").text, "Send it once more?");
}

#[tokio::test(start_paused = true)]
async fn a_yes_covers_nothing_else() {
    let rig = Rig::new([sensitive(100, "Open the chat?"), sensitive(900, "Pay 500?")]);
    let report = rig.run().await;
    let report = rig.go_on(report.session_id, says("yes")).await;
    assert_eq!(report.question.expect("it asks").text, "Pay 500?");
    assert_eq!(rig.phone.gestures(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_yes_is_not_for_other_acts_in_the_same_words_or_other_amounts_in_the_same_place() {
    for (before, after) in [
        (sensitive(100, "May this be done?"), sensitive(900, "May this be done?")),
        (sensitive(500, "Pay 5.00?"), sensitive(500, "Pay 500?")),
    ] {
        let rig = Rig::new([before, after]);
        let report = rig.run().await;
        let report = rig.go_on(report.session_id, says("yes")).await;
        assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
        assert_eq!(rig.phone.gestures(), Vec::<String>::new());
    }
}

/// Why somebody says no is what the model needs to go on, however the answer comes.
#[tokio::test(start_paused = true)]
async fn the_reason_of_a_no_reaches_the_model() {
    const REASON: &str = "No, use the other account";
    for mode in [ReplyMode::PassToClient, ReplyMode::ManualReply] {
        let rig = Rig::new([sensitive(500, "Pay?"), complete("done")]).answering(mode);
        let mut follower = rig.begin().await;
        let report = if mode == ReplyMode::ManualReply {
            while follower.phase() != RunPhase::Asking {
                follower.changed().await;
            }
            rig.resume(follower.report().session_id, says(REASON)).await.unwrap();
            rig.ended(follower).await
        } else {
            let report = rig.ended(follower).await;
            rig.go_on(report.session_id, says(REASON)).await
        };
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
        let history = rig.script.last().history;
        assert_eq!(history.last(), Some(&HistoryItem::UserReply(REASON.to_owned())), "{mode:?}");
        assert_eq!(rig.phone.gestures(), Vec::<String>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn anything_but_a_clear_yes_is_a_no() {
    for answer in ["no", "yes, but only the first", "maybe", ""] {
        let rig = Rig::new([sensitive(500, "Send it?"), sensitive(500, "Send it?")]);
        let report = rig.run().await;
        let report = rig.go_on(report.session_id, says(answer)).await;
        assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "{answer}");
        assert_eq!(rig.phone.gestures(), Vec::<String>::new(), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_is_remembered_over_a_restart() {
    let rig = Rig::new([sensitive(500, "Send it?")]);
    let report = rig.run().await;
    let rig = rig.restarted([sensitive(500, "Send it?"), complete("Sent.")]);
    let report = rig.go_on(report.session_id, says("是的")).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.phone.gestures().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn no_model_gives_leave_to_another() {
    let mut rig = Rig::new([sensitive(500, "Send it?")]);
    rig.mode = crate::ReplyMode::AutoReply;
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert_eq!(report.question.expect("the user is asked").kind, QuestionKind::Confirm);
    assert_eq!(rig.phone.gestures(), Vec::<String>::new());
}

/// A run that has been told yes to its act, and whose model has begun to decide on it.
async fn allowed(
    next: impl IntoIterator<Item = ScriptedReply>,
) -> (Rig, crate::SessionId, crate::Follower) {
    let lines = [sensitive(500, "Send it?")].into_iter().chain(next);
    let rig = Rig::new(lines);
    let session = rig.run().await.session_id;
    let follower = rig.resume(session, says("yes")).await.unwrap();
    rig.script.is_asked(2).await;
    (rig, session, follower)
}

#[tokio::test(start_paused = true)]
async fn a_yes_lapses_with_whatever_is_said_while_the_act_is_decided_on() {
    for said in ["no", "No, do not send it!", "Take the other one"] {
        let next = [sensitive(500, "Send it?"), sensitive(500, "Send it?")];
        let (rig, session, follower) = allowed(next).await;
        rig.resume(session, says(said)).await.unwrap();
        let report = rig.ended(follower).await;
        assert_eq!(rig.phone.gestures(), Vec::<String>::new(), "{said}");
        let why = report.steps[0].error.clone().expect("it was not done");
        assert!(why.contains("said something else since"), "{why}");
        assert_eq!(report.question.expect("it is asked again").text, "Send it?");
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_lapses_with_guidance_before_the_act() {
    let next = [wait(1), sensitive(500, "Send it?")];
    let (rig, session, follower) = allowed(next).await;
    rig.resume(session, says("No, do not send it!")).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), Vec::<String>::new());
    assert_eq!(report.question.expect("it is asked again").text, "Send it?");
}

#[tokio::test(start_paused = true)]
async fn a_yes_lapses_with_what_is_said_after_a_stop() {
    let (rig, session, follower) =
        allowed([ScriptedReply::Hangs, sensitive(500, "Send it?")]).await;
    rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    rig.ended(follower).await;
    let report = rig.go_on(session, says("No. Only tell me the total.")).await;
    assert_eq!(rig.phone.gestures(), Vec::<String>::new());
    assert_eq!(report.question.expect("it is asked again").text, "Send it?");
}

#[tokio::test(start_paused = true)]
async fn a_second_yes_takes_nothing_back() {
    let (rig, session, follower) = allowed([sensitive(500, "Send it?"), complete("Sent.")]).await;
    rig.resume(session, says("Yes.")).await.unwrap();
    rig.ended(follower).await;
    assert_eq!(rig.phone.gestures().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn every_no_of_the_round_is_remembered() {
    for second in ["yes", "no", "what do you mean?"] {
        let rig = Rig::new([sensitive(100, "Buy these?"), sensitive(900, "Choose size 43?")]);
        let session = rig.run().await.session_id;
        rig.go_on(session, says("no")).await;
        rig.script.adds([click(100), complete("done")]);
        rig.go_on(session, says(second)).await;
        assert_eq!(rig.phone.gestures(), Vec::<String>::new(), "{second}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_model_asked_about_is_not_done_where_nobody_answers() {
    let mut rig = Rig::new([sensitive(500, "Buy these?"), click(500), complete("done")]);
    rig.mode = crate::ReplyMode::NoReply;
    let report = rig.run().await;
    assert!(report.message.starts_with("done"), "{}", report.message);
    assert_eq!(rig.phone.gestures(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn what_asks_nothing_gets_the_question_around_it_and_the_yes_holds() {
    let moves = || sensitive(500, "Goes to the checkout of \u{20ac}39.00.");
    let rig = Rig::new([moves(), moves(), complete("done")]);
    let report = rig.run().await;
    let question = report.question.clone().expect("it asks").text;
    let begins = "The agent wants to do something that it was not sure about in ";
    assert!(question.starts_with(begins), "{question}");
    let ends = "It says: \"Goes to the checkout of \u{20ac}39.00.\". May it?";
    assert!(question.ends_with(ends), "{question}");
    let report = rig.go_on(report.session_id, says("yes")).await;
    assert_eq!((&*report.message, rig.phone.gestures().len()), ("done", 1));
}

#[tokio::test(start_paused = true)]
async fn what_was_agreed_to_counts_as_that_also_where_nobody_need_be_asked_by_then() {
    let page = |button: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="{button}" class="android.widget.Button"
            clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    let rig = Rig::new([]);
    // More attributes than any phone writes.
    let many = (0..100).fold(String::new(), |many, n| many + &format!(r#" a{n}="""#));
    rig.phone.shows(&page("Go on").replacen("<node", &format!("<node{many}"), 1), false);
    let asked = act(&rig.agent, tap(500, None)).await;
    let DirectOutcome::NeedsApproval(leave) = asked.outcome else { panic!("{asked:?}") };
    rig.phone.shows(&page("Go on"), false);
    let agreed = || Agreed::Act(Box::new(leave.act.clone()));
    let other = DirectAction { agreed: agreed(), ..tap(100, None) };
    let other = act(&rig.agent, other).await;
    assert_eq!((&other.outcome, other.was_agreed), (&DirectOutcome::Done, false), "beside it");
    let done = act(&rig.agent, DirectAction { agreed: agreed(), ..tap(500, None) }).await;
    assert_eq!((&done.outcome, done.was_agreed), (&DirectOutcome::Done, true), "{done:?}");
}
