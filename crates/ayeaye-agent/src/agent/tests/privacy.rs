//! What is secret is kept nowhere, and still reaches the phone.
use serde_json::json;

use crate::fakes::{Rig, ScriptedReply, click, complete, info, note, say, types};
use crate::gate::{Policy, PolicyProfile};
use crate::journal::{Fact, NoteKind};
use crate::{
    KeepElements, KeepImages, KeepText, Performed, PrivacySettings, StopReason, UserInput,
};

const SECRET: &str = "hunter2 <&> x";
const SIGN_IN: &str = r#"<hierarchy rotation="0">
    <node text="" class="android.widget.EditText" clickable="true" password="false" bounds="[0,0][60,60]"/>
    <node text="hunter2 &lt;&amp;&gt; x" class="android.widget.EditText" clickable="true" password="true" bounds="[0,60][60,120]"/>
    </hierarchy>"#;

fn reply(text: &str) -> UserInput {
    UserInput::Reply(text.to_owned())
}

/// A policy that does not ask about passwords that nobody gave.
fn trusting() -> Policy {
    Policy::of(PolicyProfile::Trusted)
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_was_asked_for_is_typed_and_kept_nowhere() {
    let rig = Rig::new([click(1), info("What is the password?")]);
    let asked = rig.run().await;
    rig.script.adds([types(SECRET, None), complete(&format!("I typed {SECRET}"))]);
    let done = rig.go_on(asked.session_id, reply(SECRET)).await;
    assert_eq!(done.stop_reason, StopReason::TaskCompletedSuccessfully);
    // The phone got it, in clear; nobody else did.
    assert!(rig.phone.sent().last().unwrap().starts_with(&format!("TYPE {SECRET}")));
    assert!(done.message.starts_with("I typed [secret password 8-15 #"), "{}", done.message);
    for part in ["hunter2", "<&> x", "&lt;&amp;"] {
        assert_eq!(rig.files_with(part), [""; 0], "{part}");
    }
    let shown = format!("{:?}", rig.script.last().history);
    assert!(!shown.contains("hunter2"), "the profile is shown placeholders: {shown}");
}

#[tokio::test(start_paused = true)]
async fn the_model_is_told_the_secret_it_asked_for() {
    let rig = Rig::new([info("Your code?")]);
    let asked = rig.run().await;
    rig.script.adds([complete("thanks")]);
    rig.go_on(asked.session_id, reply("It is 482913, thanks")).await;
    assert_eq!(rig.files_with("482913"), [""; 0]);
}

/// A reply that cannot be read is quoted by its beginning and its end when it is asked for again.
#[tokio::test(start_paused = true)]
async fn a_quotation_keeps_no_half_of_a_secret() {
    for at in (238..=250).step_by(3) {
        let rig = Rig::new([info("What is the password?")]);
        let asked = rig.run().await;
        let filled = |before: usize, after: usize| {
            ScriptedReply::Says(["x".repeat(before).as_str(), SECRET, &"y".repeat(after)].concat())
        };
        rig.script.adds([filled(at, 2000), filled(2000, at), complete("done")]);
        let done = rig.go_on(asked.session_id, reply(SECRET)).await;
        assert_eq!(done.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", done.message);
        for part in ["hunter", "<&>", "&gt; x"] {
            assert_eq!(rig.files_with(part), [""; 0], "{at}: {part}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_into_a_hiding_field_is_a_secret() {
    for at in [None, Some([500, 750])] {
        let rig = Rig::new([types(SECRET, at), complete("done")]).under(trusting());
        rig.phone.shows(SIGN_IN, at.is_none());
        let report = rig.run().await;
        assert!(
            rig.phone.sent()[1].starts_with(&format!("TYPE {SECRET}")),
            "{:?}",
            rig.phone.sent()
        );
        assert_eq!(rig.files_with("hunter2"), [""; 0], "{at:?}");
        assert!(!format!("{report:?}").contains("hunter2"));
    }
    // The field above it is an ordinary one.
    let rig = Rig::new([types("Anna", Some([500, 100])), complete("done")]);
    rig.phone.shows(SIGN_IN, false);
    rig.run().await;
    assert_ne!(rig.files_with("Anna"), [""; 0]);
}

/// A screen that does not say what it consists of.
fn mute(rig: &Rig, secret_field: Option<bool>) {
    rig.phone.refuses_dumps();
    rig.phone.says_of_gestures(Performed { secret_field, ..Performed::done() });
}

#[tokio::test(start_paused = true)]
async fn what_a_field_is_that_a_tap_finds_is_asked_of_the_phone() {
    // It hides what is typed; or nobody knows.
    for told in [Some(true), None] {
        let rig = Rig::new([types(SECRET, Some([500, 750])), complete("done")]).under(trusting());
        mute(&rig, told);
        let report = rig.run().await;
        let typed = format!("TYPE {SECRET}");
        assert!(rig.phone.sent()[1].starts_with(&typed), "{:?}", rig.phone.sent());
        assert_eq!(rig.files_with("hunter2"), [""; 0], "{told:?}");
        assert!(!format!("{report:?}").contains("hunter2"));
    }
    // It is an ordinary one: the step says what was typed, and so does what comes after.
    let rig = Rig::new([types("to Anna only", Some([500, 750])), complete("wrote to Anna only")]);
    mute(&rig, Some(false));
    let report = rig.run().await;
    assert_eq!(report.message, "wrote to Anna only");
    let typed = |fact: &Fact| match fact {
        Fact::StepEnd(end) => Some(end.action.as_ref()?.arguments.get("value")?.clone()),
        Fact::ToolStart(start) => Some(start.parameters.get("value")?.clone()),
        _ => None,
    };
    let [before, after] = &rig.facts(report.session_id, typed).await[..] else {
        unreachable!("one act");
    };
    assert!(before.as_str().unwrap().starts_with("[secret password 8-15 #"), "{before}");
    assert_eq!(after, "to Anna only");
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_nobody_can_read_is_kept_nowhere_where_a_password_may_be_typed() {
    for in_focus in [true, false] {
        let garbled = || ScriptedReply::Says(format!("TYPE at 9999,9999 {SECRET}"));
        let rig = Rig::new([garbled(), garbled(), complete("done")]);
        rig.phone.shows(SIGN_IN, in_focus);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
        assert_eq!(rig.files_with("hunter2"), [""; 0], "{in_focus}");
        let told = format!("{:?}", rig.script.prompts());
        assert!(told.contains("hunter2"), "the model is told what it said: {told}");
        // Again and again, until the run fails of it.
        rig.script.adds((0..9).map(|_| garbled()));
        let failed = rig.run().await;
        assert_eq!(failed.stop_reason, StopReason::ModelFailed);
        assert_eq!(rig.files_with("hunter2"), [""; 0], "{}", failed.message);
    }
    // Nor is one that can be read and may be half of another.
    let half = |text: &str| match types(text, None) {
        ScriptedReply::Says(reply) => ScriptedReply::Half(reply),
        other => other,
    };
    let rig = Rig::new([half("hunter2 <"), half("hunter2 <&"), complete("done")]);
    rig.phone.shows(SIGN_IN, true);
    rig.run().await;
    assert_eq!(rig.files_with("hunter2"), [""; 0]);
    let rig = Rig::new([ScriptedReply::Says("no such place".to_owned()), complete("done")]);
    rig.run().await;
    assert_ne!(rig.files_with("no such place"), [""; 0], "an ordinary screen");
}

#[tokio::test(start_paused = true)]
async fn a_model_cannot_make_the_server_ask_for_a_secret() {
    let made_up = "[secret password 8-15 #0123abcd]";
    let rig = Rig::new([types(made_up, None), complete("gave up")]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{}", report.message);
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let told = rig.script.last().system_notes.join(" ");
    assert!(told.contains("Nobody has given the secret"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_looks_like_a_code_is_one_whatever_was_asked() {
    for (question, answer) in [("Сколько?", "482913"), ("Und was steht da?", "Da steht 482 913")]
    {
        let rig = Rig::new([info(question)]);
        let asked = rig.run().await;
        rig.script.adds([types("482913", None), complete("typed 482913")]);
        rig.go_on(asked.session_id, reply(answer)).await;
        assert_eq!(rig.files_with("482913"), [""; 0], "{answer}");
        assert_eq!(rig.files_with("482 913"), [""; 0], "{answer}");
        assert!(rig.phone.sent().last().unwrap().starts_with("TYPE 482913"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_names_a_password_is_carried_out_and_not_kept() {
    let rig = Rig::new([info("?"), complete("ok")]);
    let task = "Sign in. The password is hunter2zz, and stop then.";
    let report = rig.ended(rig.agent.start(rig.task(task)).await.unwrap()).await;
    assert!(report.task.contains("[secret password"), "{}", report.task);
    rig.go_on(report.session_id, reply("go on")).await;
    assert_eq!(rig.files_with("hunter2zz"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn hiding_fields_are_black_on_what_is_kept_and_not_on_what_is_sent() {
    let rig = Rig::new([click(1), complete("done")]);
    rig.phone.shows(SIGN_IN, true);
    let report = rig.run().await;
    let blackened = |fact: &Fact| match fact {
        Fact::Observe(seen) => Some((seen.blackened, seen.screenshot.is_some())),
        _ => None,
    };
    assert_eq!(rig.facts(report.session_id, blackened).await, [(1, true), (1, true)]);
}

#[tokio::test(start_paused = true)]
async fn a_picture_is_not_kept_where_it_cannot_be_told_what_is_secret_on_it() {
    let rig = Rig::new([info("Password?"), complete("done")]);
    let report = rig.run().await;
    let report = rig.go_on(report.session_id, reply(SECRET)).await;
    let kept = |fact: &Fact| match fact {
        Fact::Observe(seen) => Some(seen.screenshot.is_some()),
        Fact::Note { kind, .. } if *kind == NoteKind::PictureNotKept => Some(false),
        _ => None,
    };
    assert_eq!(rig.facts(report.session_id, kept).await, [true, false, false]);
}

#[tokio::test(start_paused = true)]
async fn a_secret_of_an_earlier_process_is_asked_for_again() {
    let rig = Rig::new([info("Password?"), click(1)]).steps(1);
    let asked = rig.run().await;
    let report = rig.go_on(asked.session_id, reply(SECRET)).await;
    assert_eq!(report.stop_reason, StopReason::MaxStepsReached);
    let next = rig.restarted([]).steps(5);
    let said = next.facts(asked.session_id, |fact| match fact {
        Fact::Answer(answer) => Some(answer.answers[0].clone()),
        _ => None,
    });
    let placeholder = said.await.remove(0);
    next.script.adds([types(&placeholder, None)]);
    let report = next.go_on(asked.session_id, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert!(report.message.contains("Please give it again"), "{}", report.message);
    assert_eq!(next.phone.gestures(), [""; 0], "no placeholder is typed");
    next.script.adds([types("hunter3 zz", None), complete("done")]);
    next.go_on(asked.session_id, reply("hunter3 zz")).await;
    assert!(next.phone.sent()[0].starts_with("TYPE hunter3 zz"));
    assert_eq!(next.files_with("hunter3"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_model_is_told_that_words_of_an_earlier_process_are_missing() {
    for (question, answer, is_lost) in
        [("Which code?", "It is 482913", true), ("Which folder?", "The one from 2025", false)]
    {
        let rig = Rig::new([info(question), click(1)]).steps(1);
        let asked = rig.run().await;
        rig.go_on(asked.session_id, reply(answer)).await;
        let next = rig.restarted([click(1), complete("done")]).steps(5);
        next.go_on(asked.session_id, UserInput::Nothing).await;
        let told = next.script.seen()[0].system_notes.join(" ");
        assert_eq!(told.contains("what the user said are missing"), is_lost, "{told}");
        let again = next.script.last().system_notes.join(" ");
        assert!(!again.contains("are missing"), "once: {again}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_only_looks_like_a_secret_is_bound_to_no_app_but_a_bank_or_a_wallet() {
    for (question, front, typed) in [
        ("What shall I write?", "com.example.notes", 1),
        ("Which code is it?", "com.example.notes", 0),
        ("What shall I write?", "com.somebank.mobile", 0),
        ("What shall I write?", "com.paypal.android.p2pmobile", 0),
    ] {
        let rig = Rig::new([info(question)]);
        rig.phone.fronts(front, "Main");
        let asked = rig.run().await;
        rig.phone.fronts("com.example.todo", "Main");
        rig.script.adds([types("482913", None), complete("done")]);
        let report = rig.go_on(asked.session_id, reply("It's 482913")).await;
        assert_eq!(rig.phone.gestures().len(), typed, "{question}: {}", report.message);
        assert_eq!(rig.files_with("482913"), [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn less_or_more_is_kept_when_that_is_wanted() {
    let full = PrivacySettings {
        text: KeepText::Full,
        images: KeepImages::Full,
        ..PrivacySettings::default()
    };
    let rig = Rig::new([types(SECRET, None), complete("done")]).privacy(full);
    rig.phone.shows(SIGN_IN, true);
    rig.run().await;
    assert_ne!(rig.files_with("hunter2"), [""; 0]);

    let little = PrivacySettings {
        text: KeepText::Metadata,
        images: KeepImages::None,
        elements: KeepElements::Never,
    };
    let rig = Rig::new([types("to Anna only", None), complete("done")]).privacy(little);
    let report = rig.run().await;
    assert_eq!(rig.files_with("to Anna only"), [""; 0]);
    assert_eq!(rig.files_with("Reply with one action"), [""; 0]);
    assert_eq!(report.message, "done");
    assert!(rig.phone.sent()[1].starts_with("TYPE to Anna only"));

    // Nor is what stands on a control that the gate keeps from being touched.
    let rig = Rig::new([click(500), complete("done")]).privacy(little);
    let rig = rig.under(Policy::of(PolicyProfile::ReadOnly));
    let control = r#"<hierarchy rotation="0"><node text="Delete chat with Anna Berg" class="android.widget.Button"
        clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#;
    rig.phone.shows(control, false);
    let report = rig.run().await;
    assert!(report.steps[0].error.as_ref().unwrap().contains("the policy refuses it"));
    assert_eq!(rig.files_with("Anna Berg"), [""; 0]);

    // What the model notes for itself it still knows at the next step.
    let rig = Rig::new([note("Anna has the key"), complete("done")]).privacy(little);
    rig.run().await;
    assert_eq!(rig.files_with("Anna has"), [""; 0]);
    assert!(format!("{:?}", rig.script.last().history).contains("Anna has the key"));
}

fn lengths_only() -> PrivacySettings {
    PrivacySettings { text: KeepText::Metadata, ..PrivacySettings::default() }
}

/// An endpoint may quote in an error what it was sent.
#[tokio::test(start_paused = true)]
async fn the_words_of_an_endpoint_that_fails_are_not_kept_where_only_lengths_are() {
    let quotes = || ScriptedReply::Refuses("invalid near: NOTE4711".to_owned());
    let rig = Rig::new([note("the code is NOTE4711"), quotes()]).privacy(lengths_only());
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert!(report.message.contains("the endpoint refuses it"), "{}", report.message);
    assert!(!report.message.contains("NOTE4711"), "{}", report.message);
    assert_eq!(rig.files_with("NOTE4711"), [""; 0]);
    assert_ne!(rig.files_with("the attempt was refused"), [""; 0]);
    // Elsewhere they tell more than anything else.
    let rig = Rig::new([quotes()]);
    let report = rig.run().await;
    assert!(report.message.contains("invalid near: NOTE4711"), "{}", report.message);
    assert_ne!(rig.files_with("invalid near: NOTE4711"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_was_typed_counts_after_only_its_length_was_kept() {
    let mut policy = trusting();
    policy.budgets.typed_characters = Some(40);
    let rig = Rig::new([types(&"a".repeat(35), None), complete("done")]);
    let rig = rig.privacy(lengths_only()).under(policy);
    let first = rig.run().await;
    assert_eq!(rig.phone.gestures().len(), 1);
    rig.script.adds([types(&"b".repeat(22), None), complete("done")]);
    let report = rig.go_on(first.session_id, UserInput::Task("More".to_owned())).await;
    let error = report.steps.iter().find_map(|it| it.error.clone()).expect("it is refused");
    assert!(error.contains("typing-budget"), "{error}");
    assert_eq!(rig.phone.gestures().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_way_into_a_part_of_the_system_is_known_after_only_lengths_were_kept() {
    let screen = |title: &str, button: &str| {
        format!(
            r#"<hierarchy rotation="0"><node text="{title}" class="android.widget.TextView" bounds="[0,0][60,6]"/>
            <node text="{button}" class="android.widget.Button" clickable="true" bounds="[0,30][60,80]"/></hierarchy>"#
        )
    };
    let rig = Rig::new([click(500)]).privacy(lengths_only()).steps(1);
    rig.phone.fronts("com.android.settings", ".Settings");
    rig.phone.shows(&screen("Settings", "Accessibility"), false);
    let first = rig.run().await;
    assert_eq!(rig.phone.gestures().len(), 1);
    let rig = rig.restarted([click(500), complete("done")]).privacy(lengths_only()).steps(5);
    rig.phone.fronts("com.android.settings", ".SubSettings");
    rig.phone.shows(&screen("Helper", "Use Helper"), false);
    let report = rig.go_on(first.session_id, UserInput::Nothing).await;
    let error = report.steps.iter().find_map(|it| it.error.clone()).expect("it is refused");
    assert!(error.contains("system-part"), "{error}");
    assert_eq!(rig.phone.gestures(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_can_be_marked_as_secret() {
    let rig = Rig::new([info("Who is it?"), complete("ok")]);
    let asked = rig.run().await;
    let mut next = rig.next(asked.session_id, reply("Jane Roe"));
    next.reply_is_secret = true;
    rig.ended(rig.agent.resume(next).await.unwrap()).await;
    assert_eq!(rig.files_with("Jane Roe"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn however_a_code_is_worded_it_is_kept_nowhere() {
    for answer in
        ["It is 482-913.", "482 913", "收到了，是482913这个", "They sent (482913)", "code:482913"]
    {
        let rig = Rig::new([info("Which code did they send?"), types("482913", None)]);
        let asked = rig.run().await;
        rig.script.adds([complete("typed 482913 (482 913)")]);
        rig.go_on(asked.session_id, reply(answer)).await;
        for part in ["482913", "482-913", "482 913"] {
            assert_eq!(rig.files_with(part), [""; 0], "{answer}: {part}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_secret_inside_a_marked_reply_is_kept_nowhere() {
    let rig = Rig::new([info("What should I put there?")]);
    let asked = rig.run().await;
    let mut next = rig.next(asked.session_id, reply("Put Mango-Tree-77 there"));
    next.reply_is_secret = true;
    rig.script.adds([types("Mango-Tree-77", None), complete("ok")]);
    rig.ended(rig.agent.resume(next).await.unwrap()).await;
    assert_eq!(rig.files_with("Mango"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_further_password_is_noticed_on_a_delicate_screen_too() {
    // The secret store is not empty, so the elements are read before the picture is kept.
    let rig = Rig::new([types(SECRET, Some([500, 750])), complete("done")]).under(trusting());
    rig.phone.shows(SIGN_IN, false);
    let task = "Sign in; verification code 482913";
    let report = rig.ended(rig.agent.start(rig.task(task)).await.unwrap()).await;
    assert_eq!(rig.files_with("hunter2"), [""; 0]);
    let aimed = |fact: &Fact| match fact {
        Fact::ToolStart(start) if start.name == "TYPE" => Some(start.target.is_some()),
        _ => None,
    };
    assert_eq!(rig.facts(report.session_id, aimed).await, [true]);
}

#[tokio::test(start_paused = true)]
async fn a_password_is_noticed_even_when_elements_are_not_wanted() {
    let never = PrivacySettings { elements: KeepElements::Never, ..PrivacySettings::default() };
    let rig = Rig::new([types(SECRET, Some([500, 750])), complete("done")]).privacy(never);
    rig.phone.shows(SIGN_IN, false);
    rig.run().await;
    assert_eq!(rig.files_with("hunter2"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_in_the_users_stead_is_learned_before_it_is_recorded() {
    let rig = Rig::new([
        info("Which code?"),
        ScriptedReply::Says("It is 482913".to_owned()),
        types("482913", None),
        complete("done"),
    ]);
    let rig = rig.answering(crate::ReplyMode::AutoReply);
    rig.run().await;
    assert_eq!(rig.files_with("482913"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_operators_late_answer_is_a_secret() {
    let rig = Rig::new([info("Which code?"), info("And now?")]);
    let asked = rig.run().await;
    rig.post_answer(asked.session_id, "771122").await;
    rig.go_on(asked.session_id, reply("482913")).await;
    assert_eq!(rig.files_with("771122"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_judge_leaves_no_picture_that_was_not_to_be_kept() {
    let verdict = || ScriptedReply::Says(r#"{"complete": "yes"}"#.to_owned());
    let rig = Rig::new([complete("done")]).judged([verdict(), verdict()]);
    rig.phone.shows(SIGN_IN, true);
    let report = rig.run().await;
    let pictures = |fact: &Fact| match fact {
        Fact::LlmRequest(request) => {
            let parts = request.messages.iter().flat_map(|message| &message.parts);
            let shown = parts.filter_map(|part| match part {
                crate::journal::PartRecord::Picture(blob) => Some(blob.sha256.clone()),
                _ => None,
            });
            Some(shown.collect::<Vec<_>>())
        }
        _ => None,
    };
    let shown = rig.facts(report.session_id, pictures).await;
    assert_eq!(shown.len(), 3);
    assert!(shown.iter().all(|it| *it == shown[0]), "{shown:?}");
}

#[tokio::test(start_paused = true)]
async fn a_key_of_the_server_that_a_model_repeats_is_kept_nowhere() {
    let rig = Rig::new([info("Is sk-canary-77 right?"), complete("used sk-canary-77")]);
    rig.agent.hide_keys(["sk-canary-77"]);
    let asked = rig.run().await;
    let report = rig.go_on(asked.session_id, reply("yes, sk-canary-77")).await;
    assert_eq!(report.message, "used [key]");
    assert_eq!(rig.files_with("sk-canary-77"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn made_up_sessions_do_not_push_out_what_is_known() {
    let rig = Rig::new([info("Password?")]);
    let asked = rig.run().await;
    rig.script.adds([info("More?"), types(SECRET, None), complete("done")]);
    rig.go_on(asked.session_id, reply(SECRET)).await;
    for _ in 0..300 {
        let mut next = rig.next(crate::SessionId::new(), reply("x-1-y"));
        next.reply_is_secret = true;
        rig.agent.resume(next).await.unwrap_err();
    }
    rig.go_on(asked.session_id, reply("go on")).await;
    assert_eq!(rig.files_with("hunter2"), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_password_that_needs_leave_is_not_kept_either() {
    let question = json!({ "kind": "confirm", "text": "May I type it?", "options": [] });
    let typed = json!({ "value": "hunter2!", "clear": false, "submit": false });
    let act = json!({ "function": "TYPE", "arguments": typed });
    let asks = || say("INFO", &json!({ "question": question, "act": act }));
    let rig = Rig::new([asks(), asks(), complete("done")]);
    rig.phone.shows("<hierarchy/>", true);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let report = rig.go_on(report.session_id, UserInput::Reply("yes".to_owned())).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.files_with("hunter2!"), [""; 0]);
}
