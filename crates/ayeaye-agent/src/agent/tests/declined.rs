//! What a user has said no to, in the end of a task.
use serde_json::json;

use crate::fakes::{Rig, click, complete, say};
use crate::{StopReason, UserInput};

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
        assert!(message.contains("\"Pay €49.95\""), "{message}");
    }
}
