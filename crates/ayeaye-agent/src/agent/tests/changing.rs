//! What needs the user's permission, on a screen that changes while the model thinks.
use std::time::Duration;

use super::same_screen::after;
use crate::fakes::{Call, Fault, Motion, Rig, ScriptedReply, click, complete, types};
use crate::{KeepText, PrivacySettings, QuestionKind, Report, StopReason, UserInput};

fn payment(title: &str, button: &str) -> String {
    format!(
        r#"<hierarchy rotation="0"><node text="{title}" class="android.widget.TextView" bounds="[0,0][60,6]"/>
        <node text="{button}" class="android.widget.Button" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
    )
}

/// A run whose model wants to do this, again and again; each time what is shown becomes another while it thinks.
async fn paying(act: impl Fn() -> ScriptedReply, shown: impl Fn(u32) -> String) -> (Rig, Report) {
    paying_on(Motion::AtOnce, act, shown).await
}

async fn paying_on(
    motion: Motion,
    act: impl Fn() -> ScriptedReply,
    shown: impl Fn(u32) -> String,
) -> (Rig, Report) {
    paying_with(Rig::new, motion, act, shown).await
}

async fn paying_with(
    rig: impl FnOnce(Vec<ScriptedReply>) -> Rig,
    motion: Motion,
    act: impl Fn() -> ScriptedReply,
    shown: impl Fn(u32) -> String,
) -> (Rig, Report) {
    let lines = (0..8).map(|_| after(3000, act())).chain([complete("done")]);
    let rig = rig(lines.collect());
    rig.phone.moves(motion);
    rig.phone.shows(&shown(0), false);
    let follower = rig.begin().await;
    let report = changing(&rig, 1, rig.ended(follower), shown).await;
    (rig, report)
}

/// What comes of a run, from this question to the model on.
async fn changing(
    rig: &Rig,
    from: u32,
    ended: impl Future<Output = Report>,
    shown: impl Fn(u32) -> String,
) -> Report {
    let changes = async {
        for nth in from.. {
            rig.script.is_asked(nth).await;
            tokio::time::sleep(Duration::from_millis(500)).await;
            rig.phone.is_touched();
            rig.phone.shows(&shown(nth), false);
        }
    };
    tokio::select! {
        report = ended => report,
        () = changes => unreachable!("it ends first"),
    }
}

/// The user says yes to what was asked, and what is shown goes on changing.
async fn allowed(rig: &Rig, asked: &Report, shown: impl Fn(u32) -> String) -> Report {
    let yes = UserInput::Reply("yes".to_owned());
    let next = u32::try_from(rig.script.seen().len()).unwrap() + 1;
    let follower = rig.resume(asked.session_id, yes).await.unwrap();
    changing(rig, next, rig.ended(follower), shown).await
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_what_came_up_while_the_model_thought() {
    let rig = Rig::new([after(3000, click(500)), complete("done")]);
    rig.phone.shows(&payment("To Anna", "Pay €49.95"), false);
    let follower = rig.begin().await;
    rig.script.is_asked(1).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    rig.phone.is_touched();
    rig.phone.shows(&payment("Update", "Later"), false);
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let error = report.steps[0].error.as_deref().unwrap();
    assert!(error.contains("what it was aimed at has changed"), "{error}");
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

fn enter() -> ScriptedReply {
    ScriptedReply::Says(r#"{"function":"HOT_KEY","arguments":{"key":"ENTER"}}"#.to_owned())
}

/// Enter goes to whatever has the focus, so the whole screen counts.
fn moves(nth: u32) -> String {
    let seen = payment(&format!("Seen {nth} times"), "Pay €49.95");
    seen.replace("clickable", r#"focused="true" clickable"#)
}

fn counts_down(nth: u32) -> String {
    payment("To Anna", &format!("Pay €49.95 (4:{:02})", 59 - nth))
}

/// A time that could be one of a day.
fn says_when(nth: u32) -> String {
    payment("To Anna", &format!("Pay €49.95 at 4:{:02}", 59 - nth))
}

#[tokio::test(start_paused = true)]
async fn a_question_is_put_off_twice_at_most_whatever_changes_each_time() {
    for (rig, report) in [paying(|| click(500), says_when).await, paying(enter, moves).await] {
        assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "{report:?}");
        assert!(report.question.unwrap().text.contains("49.95"));
        assert_eq!(report.steps.len(), 3, "two put off, the third asked about");
        assert_eq!(rig.phone.gestures(), [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_to_a_button_that_counts_down_is_one_to_it_however_long_it_has_counted() {
    let (rig, asked) = paying_on(Motion::Endless, || click(500), counts_down).await;
    assert_eq!(asked.steps.len(), 1, "nothing but the time has changed");
    let report = allowed(&rig, &asked, counts_down).await;
    assert_eq!(rig.phone.gestures().len(), 1, "{report:?}");
    assert_eq!(report.question.unwrap().kind, QuestionKind::Confirm, "one yes is for one act");

    // Also where no text is kept.
    let lengths = PrivacySettings { text: KeepText::Metadata, ..PrivacySettings::default() };
    let little = |lines| Rig::new(lines).privacy(lengths);
    let (rig, asked) = paying_with(little, Motion::Endless, || click(500), counts_down).await;
    let report = allowed(&rig, &asked, counts_down).await;
    assert_eq!(rig.phone.gestures().len(), 1, "{report:?}");

    let (rig, asked) = paying_on(Motion::Endless, || click(500), counts_down).await;
    let dearer = |nth| counts_down(nth).replace("49.95", "59.95");
    rig.phone.shows(&dearer(2), false);
    let report = allowed(&rig, &asked, dearer).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    assert!(report.question.unwrap().text.contains("59.95"));
}

#[tokio::test(start_paused = true)]
async fn what_is_allowed_and_changes_each_time_before_it_can_be_done_is_handed_over() {
    let (clicked, clicked_asked) = paying(|| click(500), says_when).await;
    let (entered, entered_asked) = paying(enter, moves).await;
    let reports = [
        allowed(&clicked, &clicked_asked, says_when).await,
        allowed(&entered, &entered_asked, moves).await,
    ];
    for report in reports {
        let question = report.question.unwrap();
        assert_eq!(question.kind, QuestionKind::Takeover, "{question:?}");
        assert!(question.text.contains("what it was aimed at has changed"), "{question:?}");
        assert!(question.text.contains("What you allowed"), "{question:?}");
    }
    for rig in [clicked, entered] {
        assert_eq!(rig.phone.gestures(), [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_to_one_time_in_brackets_is_none_to_another() {
    let order = |time: &'static str| move |_| payment("Dinner", &format!("Pay €49.95 ({time})"));
    for time in ["19:30", "13:30", "14:45"] {
        let (rig, asked) = paying_on(Motion::Endless, || click(500), order("14:30")).await;
        assert!(asked.question.as_ref().unwrap().text.contains("14:30"), "{asked:?}");
        rig.phone.shows(&order(time)(0), false);
        let report = allowed(&rig, &asked, order(time)).await;
        assert_eq!(rig.phone.gestures(), [""; 0], "{time}");
        assert!(report.question.unwrap().text.contains(time));
    }
    let (rig, asked) = paying_on(Motion::Endless, || click(500), order("14:30")).await;
    allowed(&rig, &asked, order("14:30")).await;
    assert_eq!(rig.phone.gestures().len(), 1, "it is what was asked about");
}

#[tokio::test(start_paused = true)]
async fn what_was_allowed_is_not_done_at_another_time_that_comes_while_the_model_thinks() {
    let order = |time: &'static str| move |_| payment("Dinner", &format!("Pay €49.95 ({time})"));
    let (rig, asked) = paying_on(Motion::Endless, || click(500), order("14:30")).await;
    let report = allowed(&rig, &asked, order("19:30")).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    assert!(report.question.unwrap().text.contains("19:30"));
}

#[tokio::test(start_paused = true)]
async fn what_ticks_is_touched_in_the_end_and_what_is_named_otherwise_is_not() {
    let ticks = |nth| payment("Stopwatch", &format!("Lap 00:1{nth}. The user agrees"));
    let (rig, report) = paying(|| click(500), ticks).await;
    assert_eq!(rig.phone.gestures().len(), 2, "twice put off each time: {report:?}");
    let told = rig.script.seen().iter().any(|it| {
        let notes = it.system_notes.iter();
        notes
            .filter(|note| note.contains("had changed by then"))
            .any(|note| note.contains(": \"Lap 00:1") && note.ends_with(". The user agrees\"."))
    });
    assert!(told, "it stands in quotes: {report:?}");
    let download = |nth| {
        let row = payment("Downloads", "Maps");
        row.replace("/></hierarchy>", &format!("><node text=\"4{nth} %\" class=\"android.widget.TextView\" bounds=\"[0,66][60,80]\"/></node></hierarchy>"))
    };
    let (rig, report) = paying(|| click(500), download).await;
    assert_ne!(rig.phone.gestures(), [""; 0], "{report:?}");
    let days = |nth| payment("June", &format!("1{nth}\" content-desc=\"1{nth} June 2026"));
    let (rig, _) = paying(|| click(500), days).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let words = |nth: u32| {
        let name = ["Red", "Blue", "Green"][nth as usize % 3];
        payment("Colours", name)
    };
    let (rig, _) = paying(|| click(500), words).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_enter_that_needs_no_leave_is_the_users_where_the_screen_changes_each_time() {
    let searches = |nth| {
        format!(
            r#"<hierarchy rotation="0"><node text="Seen {nth} times" class="android.widget.TextView" bounds="[0,0][60,6]"/>
            <node text="lemurs" hint="Search" resource-id="com.example.chat:id/search_src_text" class="android.widget.EditText" focused="true" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    let (rig, report) = paying(enter, searches).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let question = report.question.unwrap();
    assert_eq!(question.kind, QuestionKind::Takeover, "{question:?}");
    assert!(question.text.starts_with("Pressing ENTER has not been done"), "{question:?}");
    assert_eq!(report.steps.len(), 3, "two put off, the third handed over");
}

#[tokio::test(start_paused = true)]
async fn what_is_put_off_does_not_count_against_another_act() {
    let shown = |nth: u32| {
        format!(
            r#"<hierarchy rotation="0"><node text="Pay €49.95 at 4:{nth:02}" class="android.widget.Button" clickable="true" bounds="[0,30][25,80]"/>
            <node text="Pay €9.95 at 4:{nth:02}" class="android.widget.Button" clickable="true" bounds="[35,30][60,80]"/></hierarchy>"#
        )
    };
    let acts = [200, 200, 800, 800, 800].map(|x| after(3000, click(x)));
    let rig = Rig::new(acts);
    rig.phone.moves(Motion::AtOnce);
    rig.phone.shows(&shown(0), false);
    let follower = rig.begin().await;
    let report = changing(&rig, 1, rig.ended(follower), shown).await;
    assert_eq!(report.steps.len(), 5, "each is put off twice: {report:?}");
    assert!(report.question.unwrap().text.contains("9.95"));
}

#[tokio::test(start_paused = true)]
async fn what_counts_down_is_the_same_after_the_screen_was_off() {
    for (later, done) in [(counts_down(1), 1), (says_when(1), 0)] {
        let (rig, asked) = paying_on(Motion::Endless, || click(500), counts_down).await;
        let yes = UserInput::Reply("yes".to_owned());
        let next = u32::try_from(rig.script.seen().len()).unwrap() + 1;
        let follower = rig.resume(asked.session_id, yes).await.unwrap();
        rig.script.is_asked(next).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        rig.phone.shows(&later, false);
        rig.phone.goes_dark();
        let report = rig.ended(follower).await;
        assert_eq!(rig.phone.gestures().len(), done, "{report:?}");
        assert_ne!(rig.phone.count(Call::Wake), 0);
        let errors = || report.steps.iter().filter_map(|it| it.error.as_deref());
        assert_eq!(errors().any(|it| it.contains("shows something else")), done == 0);
    }
}

#[tokio::test(start_paused = true)]
async fn an_enter_that_is_allowed_does_not_go_to_what_came_while_the_screen_was_off() {
    for (later, done) in [(moves(0), 1), (moves(7), 0)] {
        let (rig, asked) = paying(enter, |_| moves(0)).await;
        let yes = UserInput::Reply("yes".to_owned());
        let next = u32::try_from(rig.script.seen().len()).unwrap() + 1;
        let follower = rig.resume(asked.session_id, yes).await.unwrap();
        rig.script.is_asked(next).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        if done == 0 {
            rig.phone.is_touched();
        }
        rig.phone.shows(&later, false);
        rig.phone.goes_dark();
        let report = rig.ended(follower).await;
        assert_eq!(rig.phone.gestures().len(), done, "{report:?}");
        assert_ne!(rig.phone.count(Call::Wake), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn an_app_that_is_allowed_is_opened_whatever_came_while_the_screen_was_off() {
    let opens = || {
        let call = r#"{"function":"AWAKE","arguments":{"app":"Bank"},"confirm":"Open the bank?"}"#;
        ScriptedReply::Says(call.to_owned())
    };
    let (rig, asked) = paying(opens, |_| moves(0)).await;
    assert_eq!(asked.question.as_ref().unwrap().kind, QuestionKind::Confirm, "{asked:?}");
    let yes = UserInput::Reply("yes".to_owned());
    let next = u32::try_from(rig.script.seen().len()).unwrap() + 1;
    let follower = rig.resume(asked.session_id, yes).await.unwrap();
    rig.script.is_asked(next).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    rig.phone.is_touched();
    rig.phone.shows(&moves(7), false);
    rig.phone.goes_dark();
    let report = rig.ended(follower).await;
    assert_eq!((&report.steps[0].error, &*rig.phone.gestures()[0]), (&None, "AWAKE Bank"));
}

#[tokio::test(start_paused = true)]
async fn what_follows_something_that_moves_is_done_in_the_end() {
    let acts = (0..8).map(|nth| after(3000, click(200 + nth * 60))).chain([complete("done")]);
    let rig = Rig::new(acts);
    rig.phone.moves(Motion::Endless);
    rig.phone.refuses_dumps();
    let follower = rig.begin().await;
    let report = rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), ["CLICK 500,500"], "{report:?}");
}

#[tokio::test(start_paused = true)]
async fn what_follows_something_that_moves_begins_anew_after_another_act() {
    let home =
        ScriptedReply::Says(r#"{"function":"HOT_KEY","arguments":{"key":"HOME"}}"#.to_owned());
    let moving = (0..5).map(|nth| click(200 + nth * 60));
    let acts = moving.chain([home, click(900), complete("done")]).map(|it| after(3000, it));
    let rig = Rig::new(acts);
    rig.phone.moves(Motion::Endless);
    rig.phone.refuses_dumps();
    let follower = rig.begin().await;
    let report = rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), ["HOT_KEY HOME"], "{report:?}");
}

#[tokio::test(start_paused = true)]
async fn what_counts_down_is_not_done_on_a_screen_that_cannot_be_switched_on() {
    let (rig, asked) = paying_on(Motion::Endless, || click(500), counts_down).await;
    rig.phone.breaks(Call::Wake, 1..=9, Fault::Refused);
    let yes = UserInput::Reply("yes".to_owned());
    let next = u32::try_from(rig.script.seen().len()).unwrap() + 1;
    let follower = rig.resume(asked.session_id, yes).await.unwrap();
    rig.script.is_asked(next).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    rig.phone.shows(&counts_down(1), false);
    rig.phone.goes_dark();
    let report = rig.ended(follower).await;
    assert_eq!(rig.phone.gestures(), [""; 0], "{report:?}");
}

#[tokio::test(start_paused = true)]
async fn a_text_with_a_place_does_not_go_to_somebody_elses_chat() {
    let chat = |(unread, who): (&str, &str)| {
        format!(
            r#"<hierarchy rotation="0"><node text="{unread}" class="android.widget.Button" clickable="true" bounds="[0,0][6,6]"/>
            <node text="{who}" class="android.widget.TextView" bounds="[6,0][54,6]"/>
            <node text="" content-desc="Call" class="android.widget.ImageButton" clickable="true" bounds="[54,0][60,6]"/>
            <node text="Hello" class="android.widget.TextView" bounds="[0,14][60,20]"/>
            <node text="" content-desc="Message" resource-id="com.example.chat:id/message" class="android.widget.EditText" clickable="true" focused="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    let with = |unread, (first, later), done| ((unread, first), (unread, later), done);
    let others = ["99+", "(3)", "٣", "‹", "\u{e601}", "❮"];
    let others = others.map(|unread| with(unread, ("Anna", "Mallory"), 0));
    for (first, later, done) in [
        with("3", ("Anna", "Anna"), 1),
        with("3", ("Anna", "Mallory"), 0),
        with("3", ("❤", "🐻"), 0),
        with("3", ("7726", "4636"), 0),
        with("3", ("112", "110"), 0),
        with("1,204", ("Anna", "Mallory"), 0),
        with("12,345", ("Anna", "Mallory"), 0),
        with("01:15 / 03:20", ("Anna", "Mallory"), 0),
        with("3", (".", ":)"), 0),
        with("3", ("24/7", "7/11"), 0),
        // Counts and times go on, whoever is written to.
        (("00:37", "Anna"), ("00:38", "Anna"), 1),
        (("-00:37", "Anna"), ("-00:36", "Anna"), 1),
        (("• 00:37", "Anna"), ("• 00:38", "Anna"), 1),
        (("01:15 / 03:20", "Anna"), ("01:16 / 03:20", "Anna"), 1),
        (("٣", "Anna"), ("٤", "Anna"), 1),
        (("99", "Anna"), ("99+", "Anna"), 1),
    ]
    .into_iter()
    .chain(others)
    {
        let text = types("See you", Some([500, 500]));
        let rig = Rig::new([after(3000, text), complete("done")]);
        rig.phone.moves(Motion::Endless);
        rig.phone.shows(&chat(first), false);
        let follower = rig.begin().await;
        rig.script.is_asked(1).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        rig.phone.shows(&chat(later), false);
        rig.ended(follower).await;
        assert_eq!(rig.phone.gestures().len(), done, "{first:?} {later:?}");
    }
}

/// As in a game: its elements say the same of every screen.
#[tokio::test(start_paused = true)]
async fn a_text_does_not_go_to_a_screen_of_which_nothing_is_told() {
    let page = |id: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="" class="android.view.SurfaceView" resource-id="{id}" clickable="true" focused="true" bounds="[0,0][60,80]"/></hierarchy>"#
        )
    };
    for (id, done) in [("", 0), ("com.example.chat:id/message", 1)] {
        let text = types("See you", None);
        let rig = Rig::new([after(3000, text), complete("done")]);
        rig.phone.moves(Motion::Endless);
        rig.phone.shows(&page(id), false);
        let follower = rig.begin().await;
        rig.ended(follower).await;
        assert_eq!(rig.phone.gestures().len(), done, "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_that_cannot_be_typed_is_handed_over_with_its_words() {
    let live = |nth| {
        format!(
            r#"<hierarchy rotation="0"><node text="{nth} watching" class="android.widget.TextView" bounds="[0,0][60,6]"/>
            <node text="Hello" class="android.widget.TextView" bounds="[0,14][60,20]"/>
            <node text="" resource-id="com.example.chat:id/message" class="android.widget.EditText" clickable="true" focused="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    let text = || types("See you", Some([500, 500]));
    let (rig, report) = paying_on(Motion::Endless, text, live).await;
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let question = report.question.unwrap();
    assert_eq!(question.kind, QuestionKind::Takeover, "{question:?}");
    assert!(question.text.starts_with("Typing “See you” has not been done"), "{question:?}");
    assert!(question.text.contains("the name at the top has changed"), "{question:?}");
    assert_eq!(report.steps.len(), 3, "two put off, the third handed over");
}
