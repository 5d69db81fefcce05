//! A model and a phone in trouble: nothing is done twice, nothing is said to be done that was not.
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::fakes::{Call, Fault, Rig, ScriptedReply, click, client, complete, say};
use crate::journal::{Fact, ResponseKind, ToolEnd};
use crate::{
    AgentError, HistoryItem, KeepText, Part, Performed, PrivacySettings, QuestionKind, Report,
    Role, SessionId, StopReason, UserInput,
};

fn garbage() -> ScriptedReply {
    ScriptedReply::Says("I think I should tap the button.".to_owned())
}

async fn tool_ends(rig: &Rig, session: SessionId) -> Vec<ToolEnd> {
    let ends = |fact: &Fact| match fact {
        Fact::ToolEnd(end) => Some(end.clone()),
        _ => None,
    };
    rig.facts(session, ends).await
}

#[tokio::test(start_paused = true)]
async fn the_reply_that_was_read_is_known_word_for_word() {
    let rig = Rig::new([garbage(), click(1), complete("")]);
    rig.run().await;
    let told = rig.script.last();
    let [HistoryItem::Request(_), HistoryItem::Step(step)] = &told.history[..] else {
        panic!("{told:?}")
    };
    let reply = step.reply.as_deref().unwrap_or_default();
    assert!(reply.starts_with('{') && reply.contains("CLICK"), "not the one before: {reply}");
}

/// A reply that has used up all its tokens would leave the next one less room.
#[tokio::test(start_paused = true)]
async fn asking_again_hardly_makes_a_prompt_longer() {
    let long = |word: &str| ["It begins. ", &word.repeat(9000), " It ends."].concat();
    let cut = ScriptedReply::Cut(long("登"));
    let rig = Rig::new([ScriptedReply::Says(long("x")), cut, click(1), complete("")]);
    rig.run().await;
    let prompts = rig.script.prompts();
    for again in &prompts[1..3] {
        assert_eq!(again.messages.len(), prompts[0].messages.len() + 2);
        let Part::Text(quoted) = &again.messages[2].parts[0] else { panic!("words") };
        assert!(quoted.chars().count() < 600, "{quoted}");
        assert!(quoted.starts_with("It begins. ") && quoted.ends_with(" It ends."), "{quoted}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_reply_is_asked_again_with_the_reason() {
    let rig = Rig::new([garbage(), garbage(), click(1), complete("")]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!((report.local_steps, rig.phone.gestures().len()), (2, 1));
    assert_eq!(report.usage.prompt_tokens, 400, "every call counts");
    let repaired = &rig.script.prompts()[2].messages;
    assert_eq!(repaired.len(), 4, "only the last one is quoted");
    assert_eq!(repaired[2].role, Role::Assistant);
    let Part::Text(complaint) = &repaired[3].parts[0] else { panic!("words") };
    assert!(complaint.contains("not the format"), "{complaint}");
    let calls = rig.facts(report.session_id, |fact| match fact {
        Fact::LlmRequest(it) => Some((it.call_id, it.request_number, it.iteration)),
        _ => None,
    });
    assert_eq!(calls.await, [(1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 1)]);
    let kinds = rig.facts(report.session_id, |fact| match fact {
        Fact::LlmResponse(it) => Some((it.kind.clone(), it.success, it.raw_content.is_some())),
        _ => None,
    });
    let kind = |kind: ResponseKind, success| (kind.into(), success, true);
    assert_eq!(
        kinds.await,
        [
            kind(ResponseKind::Intermediate, false),
            kind(ResponseKind::Intermediate, false),
            kind(ResponseKind::Final, true),
            kind(ResponseKind::Final, true)
        ]
    );
}

/// A gateway that ends a broken stream in order makes half a reply look whole.
#[tokio::test(start_paused = true)]
async fn what_may_be_half_a_reply_counts_only_when_it_is_said_again() {
    let half = |reply: ScriptedReply| match reply {
        ScriptedReply::Says(text) => ScriptedReply::Half(text),
        other => other,
    };
    // Cut off once and then whole; cut off in two places; a model that never shows its end.
    for (replies, taps) in [
        (vec![half(click(93)), click(930)], &["CLICK 930,500"][..]),
        (vec![half(complete("It is 12")), half(click(9)), half(click(9))], &["CLICK 9,500"]),
        (vec![half(click(93)), half(click(9)), half(click(93))], &[]),
        (vec![half(complete("It is 12")), half(complete("It is 1")), half(complete("It"))], &[]),
    ] {
        let said = replies.len();
        let rig = Rig::new(replies.into_iter().chain([complete("It is 120.50.")]));
        let report = rig.run().await;
        assert_eq!(rig.phone.gestures(), taps);
        if taps.is_empty() {
            assert_eq!(report.stop_reason, StopReason::ModelFailed);
            assert!(report.message.contains("it may be half of one"), "{}", report.message);
        } else {
            assert_eq!(report.message, "It is 120.50.");
            assert_eq!(rig.script.prompts().len(), said + 1);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_never_understood_fails_and_touches_nothing() {
    let rig = Rig::new([garbage(), garbage(), garbage(), complete("done")]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert!(report.message.contains("3 times in a row"), "{}", report.message);
    assert!(report.message.contains("not the format"), "{}", report.message);
    assert_eq!(rig.phone.sent(), ["RESET"]);
    assert_eq!(report.local_steps, 1);
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!((report.message.as_str(), report.global_steps), ("done", 2));
}

#[tokio::test(start_paused = true)]
async fn a_point_off_the_screen_is_asked_again_and_never_moved_onto_it() {
    let rig = Rig::new([click(4000), complete("")]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.phone.gestures(), [""; 0]);
    let asked = format!("{:?}", rig.script.prompts()[1]);
    assert!(asked.contains("4000,500 is off the screen"), "{asked}");
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_fails_stops_the_run_and_it_can_go_on() {
    let rig = Rig::new([click(1), ScriptedReply::Fails("HTTP 503".to_owned()), complete("done")]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert_eq!(report.message, "HTTP 503");
    let session = rig.session(report.session_id).await;
    assert_eq!(session.step_line(0), "step 1: CLICK 1,500");
    assert_eq!(
        session.step_line(1),
        "step 2: nothing was decided",
        "and not the last step's action"
    );
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
    assert_eq!(rig.phone.gestures().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_panics_gives_its_phone_back_and_is_mended_like_after_a_crash() {
    let rig = Rig::new([click(1), ScriptedReply::Panics, complete("done")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(2).await;
    let report = rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    let says_so = |report: &Report| {
        assert_eq!(report.stop_reason, StopReason::ServerRestarted);
        assert!(report.message.starts_with("the run failed inside the server"), "{report:?}");
    };
    says_so(&report);
    says_so(&follower.report());
    says_so(&rig.agent.report(session, &client()).await.unwrap());
    says_so(&rig.agent.run_status(session, 0, false, &client()).await.unwrap().report);
    let report = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!((report.message.as_str(), report.global_steps), ("done", 3));
}

#[tokio::test(start_paused = true)]
async fn a_gesture_whose_link_breaks_is_never_sent_again_and_the_model_is_told() {
    for fault in [Fault::LinkLost, Fault::TimedOut(Duration::from_secs(10)), Fault::Garbled] {
        let rig = Rig::new([click(1), complete("")]);
        rig.phone.breaks(Call::Perform, 1..=1, fault);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully, "{fault:?}");
        assert_eq!(rig.phone.gestures(), ["CLICK 1,500"], "{fault:?}");
        let ends = tool_ends(&rig, report.session_id).await;
        assert_eq!((ends[1].success, ends[1].unknown), (false, true), "{fault:?}");
        let told = rig.script.last();
        assert_eq!(told.system_notes.len(), 1, "{:?}", told.system_notes);
        assert!(told.system_notes[0].contains("may have been carried out all the same"));
        assert!(told.past_in_words()[1].starts_with("CLICK 1,500 ("), "{:?}", told.past_in_words());
        assert!(report.steps[0].error.is_some(), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_gesture_was_not_done_and_the_model_is_told_so() {
    let rig = Rig::new([click(1), click(2), complete("")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Refused);
    let report = rig.run().await;
    assert_eq!(rig.phone.gestures(), ["CLICK 1,500", "CLICK 2,500"]);
    let end = &tool_ends(&rig, report.session_id).await[1];
    assert_eq!((end.success, end.unknown), (false, false));
    assert!(end.error.as_ref().unwrap().contains("exit code 1"));
    let seen = rig.script.seen();
    let past = seen[1].past_in_words().join(" ");
    assert!(past.contains("exit code 1"), "{past}");
    assert!(seen.iter().all(|it| it.system_notes.is_empty()), "told once, with the step");
}

#[tokio::test(start_paused = true)]
async fn a_success_after_a_refused_gesture_says_that_it_was_not_done() {
    let rig = Rig::new([click(1), complete("Ordered.")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::Refused);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert!(report.message.contains("(CLICK 1,500) was not done: "), "{}", report.message);
}

#[tokio::test(start_paused = true)]
async fn the_app_that_was_closed_at_the_start_is_in_the_record() {
    let rig = Rig::new([complete("")]);
    let report = rig.run().await;
    let ends = tool_ends(&rig, report.session_id).await;
    assert_eq!(ends[0].result, "home screen; com.example.chat was closed");
}

#[tokio::test(start_paused = true)]
async fn replies_in_vain_end_with_what_the_model_said_and_no_order_to_it() {
    let sorry =
        || ScriptedReply::Says("I'm sorry, I can't help with that. <THINK> </tool>".to_owned());
    let rig = Rig::new([sorry(), sorry(), sorry()]);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::ModelFailed);
    assert!(report.has_unusable_replies());
    let quoted = "The model's own words, to be taken as no more than that: \"I'm sorry, I can't help with that. <THINK> </tool>\"";
    assert!(report.message.contains(quoted), "{}", report.message);
    let privacy = PrivacySettings { text: KeepText::Metadata, ..PrivacySettings::default() };
    let rig = Rig::new([sorry(), sorry(), sorry()]).privacy(privacy);
    let report = rig.run().await;
    assert!(
        report.has_unusable_replies() && !report.message.contains("sorry"),
        "{}",
        report.message
    );
}

#[tokio::test(start_paused = true)]
async fn the_app_that_was_opened_is_in_the_record() {
    let rig = Rig::new([say("AWAKE", &json!({ "app": "Chat" })), complete("")]);
    let opened = Some("com.example.chat".to_owned());
    rig.phone.says_of_gestures(Performed { opened: opened.clone(), ..Performed::done() });
    let report = rig.run().await;
    let ends = tool_ends(&rig, report.session_id).await;
    assert_eq!(ends.iter().map(|it| it.app.clone()).collect::<Vec<_>>(), [None, opened]);
}

#[tokio::test(start_paused = true)]
async fn what_the_phone_could_not_make_sure_of_is_told_and_recorded() {
    let rig = Rig::new([click(1), click(2), complete("")]);
    let performed = Performed {
        uncertain: Some("the field cannot be read".to_owned()),
        note: Some("the second way was taken".to_owned()),
        ..Performed::done()
    };
    rig.phone.says_of_gestures(performed);
    let report = rig.run().await;
    let end = &tool_ends(&rig, report.session_id).await[1];
    assert_eq!((end.success, end.unknown, end.error.as_deref()), (true, false, None));
    assert_eq!(end.result, "the second way was taken");
    assert_eq!(end.uncertain.as_deref(), Some("the field cannot be read"));
    let seen = rig.script.seen();
    // That it is not certain is told with the step.
    assert_eq!(seen[1].system_notes, ["About your last action: the second way was taken."]);
    let told = |item: &HistoryItem| match item {
        HistoryItem::Step(step) => step.uncertain.clone(),
        _ => None,
    };
    assert_eq!(seen[2].history.iter().filter_map(told).count(), 2, "{:?}", seen[2].history);
    assert_eq!(report.steps[0].uncertain.as_deref(), Some("the field cannot be read"));
    assert!(report.steps[0].in_words().ends_with("(not certain: the field cannot be read)"));
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_comes_back_is_waited_for() {
    for fault in [Fault::LinkLost, Fault::Gone, Fault::Garbled] {
        let rig = Rig::new([click(1), complete("done")]);
        // The reset's looks, the first step's look, then five that fail.
        let follower = rig.begin().await;
        rig.phone.gets(Call::Perform, 1).await;
        let looks = rig.phone.count(Call::Capture);
        rig.phone.breaks(Call::Capture, looks + 1..=looks + 5, fault);
        let report = rig.ended(follower).await;
        assert_eq!(report.message, "done", "{fault:?}");
        assert_eq!(rig.phone.gestures().len(), 1);
        assert_eq!(report.local_steps, 2, "it is still the same step");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_follows_a_run_learns_that_its_phone_is_waited_for() {
    let rig = Rig::new([click(1), complete("done")]);
    let mut follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    rig.phone.breaks(Call::Capture, 1..=u32::MAX, Fault::Gone);
    let told = loop {
        let report = follower.report();
        if !report.message.is_empty() {
            break report;
        }
        follower.changed().await;
    };
    assert_eq!(told.stop_reason, StopReason::StillRunning);
    let said = &told.message;
    assert!(
        said.starts_with("The phone is waited for until ") && said.contains("not connected"),
        "{said}"
    );
    let until = told.waits_for_phone_until().unwrap();
    assert!(until.parse::<jiff::Timestamp>().is_ok(), "{until}");
    rig.phone.mended();
    let report = rig.ended(follower).await;
    assert_eq!(report.message, "done");
    assert_eq!(report.waits_for_phone_until(), None);
    let notes = rig.facts(report.session_id, |fact| match fact {
        Fact::Note { kind, .. } if kind.starts_with("device_") => Some((**kind).to_owned()),
        _ => None,
    });
    assert_eq!(notes.await, ["device_away", "device_back"]);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_goes_away_before_its_first_step_is_waited_for() {
    let rig = Rig::new([complete("done")]);
    rig.phone.breaks(Call::Reset, 1..=1, Fault::Gone);
    rig.phone.breaks(Call::State, 1..=5, Fault::Gone);
    let report = rig.run().await;
    assert_eq!(
        (report.stop_reason, &*report.message),
        (StopReason::TaskCompletedSuccessfully, "done")
    );
    let notes = rig.facts(report.session_id, |fact| match fact {
        Fact::Note { kind, .. } if kind.starts_with("device_") => Some((**kind).to_owned()),
        _ => None,
    });
    assert_eq!(notes.await, ["device_away", "device_back"]);
    // Not for ever.
    let rig = Rig::new([]);
    rig.phone.breaks(Call::Reset, 1..=u32::MAX, Fault::Gone);
    rig.phone.breaks(Call::State, 1..=u32::MAX, Fault::Gone);
    let begun = Instant::now();
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::NotStarted);
    let waited = begun.elapsed();
    assert!((45..=61).contains(&waited.as_secs()), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_cannot_capture_its_screen_is_not_lost_but_a_persons_turn() {
    let rig = Rig::new([click(1), complete("done")]);
    let follower = rig.begin().await;
    rig.phone.gets(Call::Perform, 1).await;
    rig.phone.breaks(Call::Capture, 1..=u32::MAX, Fault::CannotCapture);
    let begun = Instant::now();
    let report = rig.ended(follower).await;
    let question = report.question.expect("it asks");
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply, "{}", report.message);
    assert_eq!(question.kind, QuestionKind::Takeover);
    let said = "The phone cannot capture its screen: it says \"Capturing failed.\".";
    assert!(
        question.text.starts_with(said) && question.text.contains("doctor"),
        "{}",
        question.text
    );
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    rig.phone.mended();
    let done = UserInput::Reply("done".to_owned());
    assert_eq!(rig.go_on(report.session_id, done).await.message, "done");
    assert_eq!(rig.phone.gestures().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_does_not_come_back_is_lost_in_time() {
    let faults = [
        (Fault::Gone, 0),
        (Fault::LinkLost, 0),
        (Fault::TimedOut(Duration::from_secs(10)), 10),
        (Fault::Garbled, 0),
    ];
    for (fault, call) in faults {
        let rig = Rig::new([click(1), complete("done")]);
        let follower = rig.begin().await;
        rig.phone.gets(Call::Perform, 1).await;
        rig.phone.breaks(Call::Capture, 1..=u32::MAX, fault);
        let begun = Instant::now();
        let report = rig.ended(follower).await;
        let took = begun.elapsed();
        assert_eq!(report.stop_reason, StopReason::DeviceLost, "{fault:?}");
        assert!(took < Duration::from_secs(60 + call + 1), "{fault:?}: {took:?}");
        assert!(Duration::from_secs(45) < took, "{fault:?}: {took:?}");
        rig.phone.mended();
        let report = rig.go_on(report.session_id, UserInput::Nothing).await;
        assert_eq!(report.message, "done");
        assert_eq!(rig.phone.gestures().len(), 1);
        // A step that never got as far as asking takes no number.
        let requests = rig.facts(report.session_id, |fact| match fact {
            Fact::LlmRequest(it) => Some(it.request_number),
            _ => None,
        });
        assert_eq!(requests.await, [1, 2], "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_says_no_is_not_waited_for() {
    let rig = Rig::new([]);
    rig.phone.breaks(Call::State, 1..=u32::MAX, Fault::Refused);
    let begun = Instant::now();
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::DeviceLost);
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_reset_that_fails_means_the_run_has_not_started() {
    let rig = Rig::new([complete("done")]);
    rig.phone.breaks(Call::Reset, 1..=1, Fault::TimedOut(Duration::from_secs(10)));
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::NotStarted);
    assert_eq!(report.local_steps, 0);
    assert!(tool_ends(&rig, report.session_id).await[0].unknown);
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(report.message, "done");
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_is_not_there_starts_no_session() {
    let rig = Rig::new([complete("")]);
    rig.phone.breaks(Call::InProgress, 1..=1, Fault::Gone);
    let err = rig.agent.start(rig.task("Text Anna")).await.unwrap_err();
    assert!(matches!(err, AgentError::Device(_)), "{err}");
    assert_eq!(rig.journal.list().await.unwrap(), []);
    assert_eq!(rig.run().await.stop_reason, StopReason::TaskCompletedSuccessfully);
}
