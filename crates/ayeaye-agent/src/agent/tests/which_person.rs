//! Of several people of one name the one is written to whom the user has chosen.
use crate::fakes::{Rig, click, complete, info};
use crate::{StopReason, UserInput};

fn chat(title: &str) -> String {
    format!(
        r#"<hierarchy rotation="0"><node text="{title}" class="android.widget.TextView" bounds="[0,0][60,6]"/>
        <node text="I come at 18:40" class="android.widget.EditText" bounds="[0,10][60,20]"/>
        <node text="Send" class="android.widget.Button" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
    )
}

#[tokio::test(start_paused = true)]
async fn who_was_chosen_is_written_to_unasked_and_nobody_else_of_that_name() {
    for (answer, title, asks) in [
        ("Bauer", "Anna Berg", true),
        ("Bauer, and write 18:45", "Anna Berg", true),
        ("Bauer", "Anna Bauer", false),
        ("the one from work", "Anna Berg", false),
    ] {
        let rig = Rig::new([info("Which Anna?")]);
        rig.phone.shows(&chat(title), false);
        let session = rig.run_task("Message Anna that I come at 18:40").await.session_id;
        rig.script.adds([click(500), complete("Sent.")]);
        let report = rig.go_on(session, UserInput::Reply(answer.to_owned())).await;
        let asked = report.stop_reason == StopReason::InfoActionNeedsReply;
        assert_eq!(asked, asks, "{answer}: {title}: {}", report.message);
        assert_eq!(rig.phone.gestures().len(), usize::from(!asks));
    }
}
