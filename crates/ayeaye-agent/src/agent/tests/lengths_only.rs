//! Where only lengths are kept of what is typed and said, nothing quotes it: no error, no note, no end of a run.
use std::sync::Arc;

use serde_json::json;

use crate::fakes::{Motion, Rig, ScriptedModel, ScriptedReply, complete, say, types};
use crate::journal::{Fact, NoteKind};
use crate::{KeepText, Performed, PrivacySettings, ReplyMode, StopReason, UserInput};

const ENTRY: &str = "my diary entry";

fn rig(lines: impl IntoIterator<Item = ScriptedReply>) -> Rig {
    let lengths = PrivacySettings { text: KeepText::Metadata, ..PrivacySettings::default() };
    let rig = Rig::new(lines).privacy(lengths).answering(ReplyMode::NoReply);
    rig.phone.moves(Motion::Dead);
    rig
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_stuck_does_not_say_what_it_has_typed() {
    let named = r#"<hierarchy rotation="0"><node text="Anna Berg" class="android.widget.EditText" clickable="true"
        bounds="[0,30][60,80]"/></hierarchy>"#;
    // A long text is cut where it is told.
    for (typed, at) in [(ENTRY.to_owned(), None), (ENTRY.repeat(30), Some([500, 500]))] {
        let rig = rig((0..8).map(|_| types(&typed, at)));
        rig.phone.shows(named, false);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::NoProgress);
        let length = format!("[{} characters]", typed.chars().count());
        assert!(report.message.contains(&length), "{}", report.message);
        assert_eq!(rig.files_with(ENTRY), [""; 0]);
        assert_eq!(rig.files_with("Anna Berg"), [""; 0]);
    }
    // What the user is asked, and what is said of the model that goes on.
    let rig = rig((0..8).map(|_| types(ENTRY, None))).answering(ReplyMode::PassToClient);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert_eq!(rig.files_with(ENTRY), [""; 0]);
    let other = Arc::new(ScriptedModel::named("other", b"other", [complete("done")]));
    let rig = rig_with(&other);
    let report = rig.run().await;
    assert_eq!(report.message.lines().next(), Some("done"));
    let notes = rig.facts(report.session_id, |fact| match fact {
        Fact::Note { kind, text, .. } if *kind == NoteKind::ModelFallback => Some(text.clone()),
        _ => None,
    });
    assert!(notes.await[0].contains("[14 characters]"));
    assert_eq!(rig.files_with(ENTRY), [""; 0]);
}

fn rig_with(other: &Arc<ScriptedModel>) -> Rig {
    let rig = rig((0..8).map(|_| types(ENTRY, None)));
    rig.modelled(|models| models.fallback = Some(other.clone()))
}

#[tokio::test(start_paused = true)]
async fn what_a_phone_says_of_a_text_does_not_quote_it() {
    let rig = rig([types(ENTRY, None), complete("I wrote my diary")]);
    rig.phone.says_of_gestures(Performed {
        uncertain: Some(format!("the field holds {ENTRY:?} twice")),
        note: Some(format!("{ENTRY} was typed by keys")),
        ..Performed::done()
    });
    let report = rig.run().await;
    assert!(report.message.starts_with("I wrote my diary"), "{}", report.message);
    let uncertain = report.steps[0].uncertain.as_deref();
    assert_eq!(uncertain, Some("the field holds \"[14 characters]\" twice"));
    assert_eq!(rig.files_with(ENTRY), [""; 0]);
    // The request and what the model says for itself stay.
    let task = UserInput::Task(format!("Read {ENTRY} again"));
    rig.script.adds([complete(&format!("It is {ENTRY}."))]);
    let report = rig.go_on(report.session_id, task).await;
    assert_eq!(report.message, format!("It is {ENTRY}."));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_nobody_can_use_is_not_quoted_by_the_end() {
    let garbled = || say(&format!("TYPE {ENTRY}"), &json!({}));
    let rig = rig([garbled(), garbled(), garbled()]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert!(report.has_unusable_replies(), "{}", report.message);
    assert_eq!(rig.files_with(ENTRY), [""; 0], "{}", report.message);
}
