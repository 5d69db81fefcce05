//! The gate in the loop: what a model that belongs to somebody else does not get done.
use std::time::Duration;

use serde_json::json;

use crate::fakes::{
    Call, Fault, Rig, ScriptedReply, click, complete, info, say, sensitive, types, wait,
};
use crate::gate::{Policy, PolicyProfile};
use crate::journal::{Fact, GateRecord, NoteKind};
use crate::{
    HistoryItem, KeepElements, PrivacySettings, QuestionKind, ReplyMode, RunPhase, StopReason,
    UserInput,
};

fn says(text: &str) -> UserInput {
    UserInput::Reply(text.to_owned())
}

/// A screen with a title and one button all over the rest of it.
fn screen(title: &str, button: &str) -> String {
    format!(
        r#"<hierarchy rotation="0"><node text="{title}" class="android.widget.TextView" bounds="[0,0][60,6]"/>
        <node text="{button}" class="android.widget.Button" resource-id="x:id/b" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
    )
}

/// What the gate has put down: verdict and rule.
fn verdicts(fact: &Fact) -> Option<String> {
    let record = match fact {
        Fact::ToolStart(start) => start.gate.clone()?,
        Fact::Note { kind, figures, .. } if *kind == NoteKind::Gate => {
            let figures = serde_json::Value::Object(figures.clone());
            serde_json::from_value::<GateRecord>(figures).expect("it is read back")
        }
        _ => return None,
    };
    Some(format!("{} {}", record.verdict, record.rule))
}

#[tokio::test(start_paused = true)]
async fn a_payment_is_asked_about_with_its_amount_and_done_once_after_a_yes() {
    let rig = Rig::new([click(500), click(510), click(500)]);
    rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let question = report.question.clone().expect("it asks");
    assert_eq!(question.kind, QuestionKind::Confirm);
    for part in ["pay", "com.example.chat", "€49.95"] {
        assert!(question.text.contains(part), "{}", question.text);
    }
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let report = rig.go_on(report.session_id, says("yes")).await;
    assert_eq!(rig.phone.gestures().len(), 1, "once");
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "and asks again");
    let said = rig.facts(report.session_id, verdicts).await;
    assert_eq!(said, ["confirm control", "allow approved", "confirm control"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_of_elements_that_nobody_can_read_blinds_no_check() {
    let rig = Rig::new([click(500), complete("done")]);
    // More attributes than any phone writes, on a page that would otherwise be read.
    let many = (0..100).fold(String::new(), |many, n| many + &format!(r#" a{n}="""#));
    rig.phone.shows(&screen("Chat", "Go on").replacen("<node", &format!("<node{many}"), 1), false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "{}", report.message);
    assert!(report.message.contains("on it in com.example.chat: \"a list"), "{}", report.message);
    assert_eq!(rig.phone.gestures(), [""; 0]);
    assert_eq!(rig.facts(report.session_id, verdicts).await, ["confirm no-elements"]);
}

#[tokio::test(start_paused = true)]
async fn nor_does_one_that_is_unusable_again_and_again() {
    let late = |reply| match reply {
        ScriptedReply::Says(text) => ScriptedReply::Late(Duration::from_secs(2), text),
        other => other,
    };
    let waits = (0..6).map(|_| late(wait(1)));
    let rig = Rig::new(waits.chain([late(click(500)), late(complete("done"))]));
    rig.phone.lists_too_much();
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "{}", report.message);
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn nobody_looks_at_the_phone_while_an_operator_is_asked_for_leave() {
    let rig = Rig::new([click(500), complete("done")]).answering(ReplyMode::ManualReply);
    rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
    let mut follower = rig.begin().await;
    while follower.phase() != RunPhase::Asking {
        follower.changed().await;
    }
    let looks = rig.phone.count(Call::Capture);
    // Longer than a look that was under way when it was asked.
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(follower.phase(), RunPhase::Asking);
    assert_eq!(rig.phone.count(Call::Capture), looks);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_kept_of_a_screen_is_read_for_the_gate() {
    let never = PrivacySettings { elements: KeepElements::Never, ..PrivacySettings::default() };
    let rig = Rig::new([click(500)]).privacy(never);
    rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert_eq!(rig.phone.gestures(), [""; 0]);
    assert_eq!(rig.files_with("<hierarchy"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_yes_dies_with_the_button_the_screen_the_app_and_a_no() {
    let chat = ("com.example.chat", ".Main");
    let yes = || ("yes", Some("Checkout"), "Pay €49.95", chat);
    for ((answer, title, button, (app, activity)), acts) in [
        (yes(), 1),
        (("no", yes().1, yes().2, chat), 0),
        (("yes", Some("Transfer to Mallory"), yes().2, chat), 0),
        (("yes", yes().1, "Pay €499.50", chat), 0),
        (("yes", yes().1, "Delete all", chat), 0),
        (("yes", yes().1, yes().2, ("com.example.other", ".Main")), 0),
        (("yes", yes().1, yes().2, ("com.example.chat", ".Other")), 0),
        (("yes", None, yes().2, chat), 0),
    ] {
        let rig = Rig::new([click(500), click(500), complete("done")]);
        rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
        rig.phone.fronts(chat.0, chat.1);
        let report = rig.run().await;
        rig.phone.shows(&screen(title.unwrap_or_default(), button), false);
        rig.phone.fronts(app, activity);
        rig.go_on(report.session_id, says(answer)).await;
        let done = rig.phone.gestures().len();
        assert_eq!(done, acts, "{answer} {title:?} {button} {app} {activity}");
    }
}

/// A screen of texts from the top down, and one button below them.
fn texts_and_button(texts: &[&str], button: &str) -> String {
    let nodes = texts
        .iter()
        .enumerate()
        .map(|(at, text)| {
            let (from, to) = (at * 6, at * 6 + 5);
            format!(r#"<node text="{text}" class="android.widget.TextView" bounds="[0,{from}][60,{to}]"/>"#)
        })
        .collect::<Vec<_>>().concat();
    format!(
        r#"<hierarchy rotation="0">{nodes}<node text="{button}" class="android.widget.Button" clickable="true" bounds="[0,50][60,80]"/></hierarchy>"#
    )
}

/// How many acts are done after a yes to a button on the first screen, where the second has come instead of it.
async fn done_after_yes(before: &str, after: &str) -> usize {
    let rig = Rig::new([click(500), click(500), complete("done")]);
    rig.phone.shows(before, false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "{before}");
    rig.phone.shows(after, false);
    rig.go_on(report.session_id, says("yes")).await;
    rig.phone.gestures().len()
}

#[tokio::test(start_paused = true)]
async fn a_yes_is_for_whom_and_what_the_screen_is_about() {
    for (button, before, after) in [
        (
            "Confirm transfer",
            &["Transfer", "To Anna", "$500.00"][..],
            &["Transfer", "To Mallory", "$500.00"][..],
        ),
        (
            "Confirm transfer",
            &["Transfer", "To Anna", "$5", "Once"],
            &["Transfer", "To Anna", "$5", "Every day"],
        ),
        ("Install app", &["Google Play", "Signal"], &["Google Play", "Evil"]),
        ("Send", &["Share", "Photo.jpg", "To Anna"], &["Share", "Passwords.txt", "To Mallory"]),
        ("Delete", &["Delete note?", "Shopping"], &["Delete note?", "Thesis"]),
        ("Delete", &["Photos", "1 selected"], &["Photos", "500 selected"]),
        ("Call", &["Dialer", "Bob"], &["Dialer", "Eve"]),
        (
            "Allow access",
            &["Request", "Anna wants to see it"],
            &["Request", "Mallory wants to see it"],
        ),
        ("Buy now", &["Shop", "Umbrella", "$5.00"], &["Shop", "Rifle", "$5.00"]),
        ("Pay now", &["Shop", "$", "5", ".00"], &["Shop", "$", "500", ".00"]),
        ("Pay now", &["Shop", "Total: 5"], &["Shop", "Total: 5000"]),
        ("Pay now", &["Plus", "$5.00 per year"], &["Plus", "$5.00 per week"]),
    ] {
        let (shown, instead) = (texts_and_button(before, button), texts_and_button(after, button));
        assert_eq!(done_after_yes(&shown, &instead).await, 0, "{button}: {before:?} {after:?}");
        assert_eq!(done_after_yes(&shown, &shown).await, 1, "{button}: {before:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_outlives_what_changes_by_itself() {
    for (button, before, after) in [
        ("Buy now", ["Shop", "Umbrella", "just now"], ["Shop", "Umbrella", "2 min ago"]),
        (
            "Buy now",
            ["Shop", "Umbrella", "12 people are viewing"],
            ["Shop", "Umbrella", "9 people are viewing"],
        ),
        ("Delete", ["Notes", "Shopping", "1.2K views"], ["Notes", "Shopping", "1.3K views"]),
    ] {
        let (shown, later) = (texts_and_button(&before, button), texts_and_button(&after, button));
        assert_eq!(done_after_yes(&shown, &later).await, 1, "{button}: {before:?}");
    }
    // What others write in a chat meanwhile, and what is said of them below their name.
    let chat = |status: &str, messages: &[&str]| {
        let messages = messages
            .iter()
            .map(|it| {
                format!(
                    r#"<node text="{it}" class="android.widget.TextView" bounds="[0,20][60,26]"/>"#
                )
            })
            .collect::<Vec<_>>()
            .concat();
        format!(
            r#"<hierarchy rotation="0"><node text="Bob" class="android.widget.TextView" bounds="[0,0][60,3]"/>
            <node text="{status}" class="android.widget.TextView" bounds="[0,3][60,5]"/>
            <node class="androidx.recyclerview.widget.RecyclerView" bounds="[0,8][60,40]">{messages}</node>
            <node text="I am late" class="android.widget.EditText" clickable="true" bounds="[0,42][60,48]"/>
            <node text="Send" class="android.widget.Button" clickable="true" bounds="[0,50][60,80]"/></hierarchy>"#
        )
    };
    let before = chat("online", &["Hello"]);
    assert_eq!(done_after_yes(&before, &chat("typing…", &["Hello", "Where are you?"])).await, 1);
    let other = before.replace("I am late", "I am not coming");
    assert_eq!(done_after_yes(&before, &other).await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_yes_to_a_row_is_for_that_row_alone() {
    let list = |names: [&str; 2]| {
        let rows = [(names[0], 20), (names[1], 50)]
            .iter()
            .map(|(name, from)| {
                let to = from + 29;
                format!(
                    r#"<node class="android.widget.LinearLayout" bounds="[0,{from}][60,{to}]"><node text="{name}" class="android.widget.TextView" bounds="[0,{from}][20,{to}]"/>
                    <node content-desc="Delete" class="android.widget.ImageButton" clickable="true" bounds="[20,{from}][60,{to}]"/></node>"#
                )
            })
            .collect::<Vec<_>>().concat();
        format!(
            r#"<hierarchy rotation="0"><node text="Notes" class="android.widget.TextView" bounds="[0,0][60,3]"/>{rows}</hierarchy>"#
        )
    };
    let shown = list(["Milk", "Shopping"]);
    assert_eq!(done_after_yes(&shown, &list(["Eggs", "Shopping"])).await, 1, "another row");
    assert_eq!(done_after_yes(&shown, &list(["Milk", "Thesis"])).await, 0);
}

#[tokio::test(start_paused = true)]
async fn a_yes_to_a_tip_pays_nobody() {
    let rig = Rig::new([
        sensitive(500, "May I close this tip?"),
        sensitive(500, "Pay everything to Mallory?"),
    ]);
    let report = rig.run().await;
    let report = rig.go_on(report.session_id, says("yes")).await;
    assert_eq!(report.question.expect("it asks").text, "Pay everything to Mallory?");
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_act_that_was_allowed_is_told_as_the_act_and_not_as_the_question() {
    let asks = || sensitive(500, "May I go on?");
    let rig = Rig::new([asks(), asks(), complete("done")]);
    let report = rig.run().await;
    assert_eq!(report.steps[0].action.function, "INFO");
    let report = rig.go_on(report.session_id, says("yes")).await;
    assert_eq!(rig.phone.gestures().len(), 1);
    assert_eq!(report.steps[0].action.describe(), "CLICK 500,500");
}

#[tokio::test(start_paused = true)]
async fn an_act_that_was_refused_is_not_done_without_a_mark_either() {
    let rig = Rig::new([sensitive(500, "May I go on?"), click(500), complete("done")]);
    let report = rig.run().await;
    let report = rig.go_on(report.session_id, says("no")).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let said = rig.facts(report.session_id, verdicts).await;
    assert_eq!(said, ["confirm marked-by-model", "deny refused-by-user"]);
}

#[tokio::test(start_paused = true)]
async fn parts_of_the_system_are_refused_and_the_model_is_told() {
    let rig = Rig::new([click(500), click(400), complete("done")]);
    rig.phone.fronts("com.google.android.packageinstaller", ".PackageInstallerActivity");
    rig.phone.shows(&screen("Do you want to install this app?", "Install"), false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let told = rig.script.last();
    let past = told.past_in_words().join(" ");
    assert!(past.contains("the package installer"), "{past}");
    let way_out = "Your last action was refused. Do not try it another way";
    assert!(told.system_notes[0].starts_with(way_out), "{:?}", told.system_notes);
    let message = report.message;
    assert!(message.starts_with("done\n[Not the model's words: its last act"), "{message}");
    assert!(message.contains("the policy refuses it"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn nobody_but_a_person_says_yes() {
    for mode in [ReplyMode::NoReply, ReplyMode::AutoReply] {
        let rig = Rig::new([click(500), click(500), complete("done")]).answering(mode);
        rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
        rig.run().await;
        assert_eq!(rig.phone.gestures(), [""; 0], "{mode}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_nobody_allowed_is_not_told_as_done() {
    let rig = Rig::new([click(500), complete("Ordered!")]).answering(ReplyMode::NoReply);
    rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
    let report = rig.run().await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let error = report.steps[0].error.as_deref().unwrap_or_default();
    assert!(error.contains("needs the user's yes"), "{error}");
    assert!(report.message.contains("[Not the model's words: its last act"), "{}", report.message);
}

#[tokio::test(start_paused = true)]
async fn what_the_words_ask_for_is_done() {
    let rig = Rig::new([types("I am late", None), click(500), complete("Sent.")]);
    rig.phone.shows(&screen("Anna", "Send"), false);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.phone.gestures().len(), 2);
    let said = rig.facts(report.session_id, verdicts).await;
    assert_eq!(said, ["allow harmless", "allow asked-for"]);
    // Somebody else is not Anna, whatever was typed before.
    let rig = Rig::new([click(500)]);
    rig.phone.shows(&screen("Mallory", "Send"), false);
    assert_eq!(rig.run().await.stop_reason, StopReason::InfoActionNeedsReply);
}

#[tokio::test(start_paused = true)]
async fn a_session_stays_as_narrow_as_it_was_begun() {
    let rig = Rig::new([click(500)]).under(Policy::of(PolicyProfile::Trusted)).steps(1);
    rig.phone.shows(&screen("Notes", "Delete all"), false);
    let mut task = rig.task("Read me the newest note");
    task.policy = Some(PolicyProfile::ReadOnly);
    let report = rig.ended(rig.agent.start(task).await.unwrap()).await;
    let rig = rig.restarted([click(500)]).under(Policy::of(PolicyProfile::Trusted)).steps(1);
    rig.phone.shows(&screen("Notes", "Delete all"), false);
    rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let said = rig.facts(report.session_id, verdicts).await;
    assert_eq!(said, ["deny control", "deny control"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_stuck_model_touched_is_named_to_the_user() {
    let rig = Rig::new((0..8).map(|_| click(500)));
    rig.phone.shows(&screen("Notes", "New note"), false);
    rig.phone.moves(crate::fakes::Motion::Dead);
    let question = rig.run().await.question.expect("it asks");
    assert!(question.text.contains(": Tap on New note. How"), "{}", question.text);
}

#[tokio::test(start_paused = true)]
async fn the_model_is_told_that_what_was_asked_about_is_not_done() {
    let rig = Rig::new([click(500), click(500), complete("Paid.")]);
    rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
    let report = rig.run().await;
    let report = rig.go_on(report.session_id, says("yes")).await;
    assert_eq!(report.message, "Paid.", "it was done after the yes");
    let history = rig.script.last().past_in_words();
    let asked = "CLICK 500,500 (not carried out yet: the user was asked first)";
    assert!(history.contains(&asked.to_owned()), "{history:?}");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_marks_an_act_at_once_does_not_get_ahead_of_the_elements() {
    let rig = Rig::new([sensitive(500, "May I close this tip?")]);
    rig.phone.dumps_in(Duration::from_millis(2500));
    rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
    let question = rig.run().await.question.expect("it asks");
    assert!(question.text.contains("€49.95"), "{}", question.text);
}

#[tokio::test(start_paused = true)]
async fn a_yes_to_one_text_sends_no_other() {
    let compose = |text: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="Compose" class="android.widget.TextView" bounds="[0,0][60,6]"/>
            <node text="{text}" class="android.widget.EditText" resource-id="x:id/body" bounds="[0,10][60,25]"/>
            <node text="Send" class="android.widget.Button" resource-id="x:id/send" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    for (later, done) in [("See you at ten", 1), ("Send me your code", 0)] {
        let rig = Rig::new([click(500), click(500), complete("done")]);
        rig.phone.shows(&compose("See you at ten"), false);
        let report = rig.run().await;
        assert_eq!(report.question.expect("it asks").kind, QuestionKind::Confirm);
        rig.phone.shows(&compose(later), false);
        rig.go_on(report.session_id, says("yes")).await;
        assert_eq!(rig.phone.gestures().len(), done, "{later}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_of_the_keyboard_is_judged_as_enter() {
    let chat = r#"<hierarchy rotation="0"><node text="Mallory" class="android.widget.TextView" bounds="[0,0][60,6]"/>
        <node text="See you at ten" class="android.widget.EditText" focused="true" clickable="true" bounds="[0,10][40,25]"/>
        <node text="Send" class="android.widget.Button" clickable="true" bounds="[40,10][60,25]"/></hierarchy>"#;
    for (shown, said) in [(false, "allow harmless"), (true, "confirm enter-key")] {
        let rig = Rig::new([click(500), complete("done")]);
        rig.phone.shows(chat, false);
        if shown {
            rig.phone.shows_keyboard();
        }
        let report = rig.run().await;
        assert_eq!(rig.facts(report.session_id, verdicts).await, [said]);
    }
}

/// Whoever is asked about a phone that has gone away agrees to something that nobody sees.
#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_the_screen_of_a_phone_that_has_gone_away() {
    let rig = Rig::new([click(500), click(500), complete("done")]);
    rig.phone.fronts("com.android.settings", "Settings");
    rig.phone.goes_at_dumps();
    rig.phone.breaks(Call::Capture, 3..=100_000, Fault::Gone);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::DeviceLost, "{}", report.message);
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

/// Lists name packages, and models open apps by what is written under their icons.
#[tokio::test(start_paused = true)]
async fn an_app_of_a_list_is_known_by_its_label_too() {
    let opens = |app: &str| say("AWAKE", &json!({ "app": app }));
    for (deny, allow) in
        [(vec!["com.notes".to_owned()], None), (vec![], Some(vec!["com.chat".to_owned()]))]
    {
        let mut policy = Policy::default();
        policy.deny_apps = deny;
        policy.allow_apps.extend(allow);
        let rig =
            Rig::new([opens("Notes"), opens("com.notes"), opens("Messages"), complete("done")]);
        let rig = rig.under(policy.clone());
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
        assert_eq!(rig.phone.gestures(), ["AWAKE Messages"], "{policy:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_changes_their_mind_after_a_no_is_asked_again() {
    for (then, is_asked) in
        [("I have changed my mind: place the order now", true), ("No, do not order it", false)]
    {
        let rig = Rig::new([click(500), info("What instead?"), click(500), complete("done")]);
        rig.phone.shows(&screen("Checkout, total €49.95", "Place order"), false);
        let session = rig.run().await.session_id;
        rig.go_on(session, says("no")).await;
        let report = rig.go_on(session, says(then)).await;
        assert_eq!(rig.phone.gestures(), [""; 0], "{then}");
        assert_eq!(report.question.is_some(), is_asked, "{then}: {report:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_is_told_with_the_step_and_advice_is_no_answer() {
    for asks in [click(500), sensitive(500, "Shall I close the tip?")] {
        let rig = Rig::new([asks, complete("done")]);
        rig.phone.shows(&screen("Checkout", "Pay €49.95"), false);
        let report = rig.run().await;
        let put = report.question.clone().expect("leave is asked for").text;
        assert!(!put.contains("close the tip"), "the gate asks in words of its own: {put}");
        let step = &report.steps[0];
        assert_eq!(step.asked.as_deref(), Some(&*put));
        assert!(step.is_only_asked() && step.in_words().contains(&put), "{}", step.in_words());
        rig.go_on(report.session_id, says("no")).await;
        let told = rig.script.last().history;
        let asked = told.iter().find_map(|item| match item {
            HistoryItem::Step(step) => step.asked.clone(),
            _ => None,
        });
        assert_eq!(asked.map(|it| it.text), Some(put));
        assert_eq!(told.last(), Some(&HistoryItem::UserReply("no".to_owned())));
    }
}

/// The record hides a code of the task, and the user has said it all the same.
#[tokio::test(start_paused = true)]
async fn a_code_of_the_task_goes_to_whom_it_names_and_no_other_code() {
    let chat = |text: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="Anna" class="android.widget.TextView" bounds="[0,0][60,6]"/>
            <node text="{text}" class="android.widget.EditText" resource-id="x:id/body" bounds="[0,10][60,25]"/>
            <node text="Send" class="android.widget.Button" resource-id="x:id/send" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    let task = "Tell Anna that the code is 482913";
    for (text, done) in [("The code is 482 913", 1), ("The code is 739105", 0)] {
        let rig = Rig::new([click(500), complete("Sent.")]);
        rig.phone.shows(&chat(text), false);
        let report = rig.run_task(task).await;
        assert_eq!(rig.phone.gestures().len(), done, "{text}: {report:?}");
    }
}
