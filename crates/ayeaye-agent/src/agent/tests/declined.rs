//! What a user has said no to, in the end of a task.
use serde_json::json;

use crate::fakes::{Rig, click, complete, info, say, sensitive, types};
use crate::{ReplyMode, StopReason, UserInput};

/// What is said at the end of a task where this was answered to a question about paying, and the model has gone home.
async fn end_after(answer: &str) -> String {
    let home = say("HOT_KEY", &json!({ "key": "HOME" }));
    let rig = Rig::new([click(500), home, complete("Paid.")]);
    let screen = r#"<hierarchy rotation="0"><node text="Checkout" class="android.widget.TextView" bounds="[0,0][60,6]"/>
        <node text="Pay €49.95" class="android.widget.Button" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#;
    rig.phone.shows(screen, false);
    let report = rig.run().await;
    let report = rig.go_on(report.session_id, UserInput::Reply(answer.to_owned())).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    report.message
}

#[tokio::test(start_paused = true)]
async fn a_no_stays_in_the_result_whatever_is_done_since() {
    let doubt = "Paid.\n[Not the model's words: the user ";
    for (answer, said) in [
        ("no", "said no to an act of this task"),
        ("No! That is the wrong account.", "did not say yes to an act of this task"),
        ("不行，收款人错了", "did not say yes to an act of this task"),
    ] {
        let message = end_after(answer).await;
        assert!(message.starts_with(&format!("{doubt}{said}")), "{message}");
        assert!(message.contains(": \"Pay €49.95"), "{message}");
        // In the words that the user has read, and not by what lies where the model touched.
        assert!(message.contains("; the question was: The agent wants to "), "{message}");
    }
}

const CHECKOUT: &str = r#"<hierarchy rotation="0"><node text="Checkout" class="android.widget.TextView" bounds="[0,0][60,6]"/>
    <node text="Pay €49.95" class="android.widget.Button" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#;

#[tokio::test(start_paused = true)]
async fn what_was_asked_about_last_ends_in_what_the_user_said() {
    for (answer, said) in [
        ("no", "the user said no to an act of this task ("),
        ("hm", "the user did not say yes to an act of this task ("),
        ("yes", "the user said yes to its last act before this ("),
    ] {
        for asks in [click(500), sensitive(500, "May I pay €49.95?")] {
            for mode in [ReplyMode::PassToClient, ReplyMode::ManualReply] {
                let rig = Rig::new([asks.clone(), complete("Paid.")]).answering(mode);
                rig.phone.shows(CHECKOUT, false);
                let report = if mode == ReplyMode::ManualReply {
                    let mut follower = rig.begin().await;
                    while follower.report().question.is_none() {
                        assert!(follower.changed().await);
                    }
                    let session = follower.report().session_id;
                    rig.resume(session, UserInput::Reply(answer.to_owned())).await.unwrap();
                    rig.ended(follower).await
                } else {
                    let asked = rig.run().await;
                    rig.go_on(asked.session_id, UserInput::Reply(answer.to_owned())).await
                };
                assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
                let doubt = format!("Paid.\n[Not the model's words: {said}");
                assert!(report.message.starts_with(&doubt), "{mode:?}: {}", report.message);
                assert_eq!(rig.phone.gestures(), [""; 0]);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_for_leave_that_nobody_answers_counts_as_not_done() {
    let rig = Rig::new([click(500), complete("Paid.")]).answering(ReplyMode::NoReply);
    rig.phone.shows(CHECKOUT, false);
    let report = rig.run().await;
    let doubt =
        "Paid.\n[Not the model's words: its last act before this (CLICK 500,500) was not done: ";
    assert!(report.message.starts_with(doubt), "{}", report.message);
}

#[tokio::test(start_paused = true)]
async fn a_plain_no_is_told_as_one() {
    for (answer, told) in [("no", "said no to it"), ("hm", "not said yes to it")] {
        let asks = || sensitive(500, "May I go on?");
        let rig = Rig::new([asks(), click(500), complete("done")]);
        let report = rig.run().await;
        let report = rig.go_on(report.session_id, UserInput::Reply(answer.to_owned())).await;
        let past = rig.script.last().past_in_words().join(" ");
        assert!(past.contains(told), "{answer}: {past}");
        assert!(report.steps.iter().any(|it| it.error.as_deref().unwrap_or("").contains(told)));
    }
}

const SIGN_IN: &str = r#"<hierarchy rotation="0"><node text="" class="android.widget.EditText"
    clickable="true" password="true" bounds="[0,60][60,120]"/></hierarchy>"#;

#[tokio::test(start_paused = true)]
async fn a_refusal_by_the_policy_stays_in_the_result_until_such_an_act_is_done() {
    let home = || say("HOT_KEY", &json!({ "key": "HOME" }));
    for (typed_at_last, in_doubt) in [(false, true), (true, false)] {
        let rig = Rig::new([info("What is the code?")]);
        rig.phone.fronts("com.example.bank", "SignIn");
        let asked = rig.run().await;
        rig.phone.fronts("com.example.todo", "Main");
        rig.phone.shows(&SIGN_IN.replace("true\" bounds", "false\" bounds"), false);
        rig.script.adds([types("482913", None), home()]);
        if typed_at_last {
            rig.script.adds([types("no code", None)]);
        }
        rig.script.adds([complete("I wrote it.")]);
        let report = rig.go_on(asked.session_id, UserInput::Reply("482913".to_owned())).await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
        let doubt = "I wrote it.\n[Not the model's words: an act of this task (TYPE) was refused";
        assert_eq!(report.message.starts_with(doubt), in_doubt, "{}", report.message);
        assert_eq!(report.message.contains("given for com.example.bank"), in_doubt);
    }
}
