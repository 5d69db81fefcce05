//! Questions, and who answers them.
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::coordinator::MOST_MESSAGES;
use crate::fakes::{Call, Fault, Rig, ScriptedReply, click, client, complete, info, say, types};
use crate::journal::{AnswerSource, CallPurpose, Fact, ResponseKind};
use crate::{AgentError, ReplyMode, StopReason, UserInput};

fn reply(text: &str) -> UserInput {
    UserInput::Reply(text.to_owned())
}

fn pair(source: AnswerSource, text: &str) -> (AnswerSource, String) {
    (source, text.to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_question_is_answered_in_the_same_session_and_round() {
    let rig = Rig::new([click(1), info("Which Anna?"), click(2), complete("Sent.")]);
    let asked = rig.run().await;
    assert_eq!(asked.stop_reason, StopReason::InfoActionNeedsReply);
    let question = asked.question.clone().unwrap();
    assert_eq!(question.text, "Which Anna?");
    assert_eq!(question.app.as_deref(), Some("com.example.chat"));
    assert_eq!(asked.message, "Which Anna?");
    assert_eq!((asked.global_steps, asked.local_steps), (2, 2));

    let done = rig.go_on(asked.session_id, reply("Anna B.")).await;
    assert_eq!(done.session_id, asked.session_id);
    assert_eq!(done.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(done.question, None);
    assert_eq!((done.global_steps, done.local_steps), (4, 2));
    // No reset, and one round from its beginning to its end.
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500", "CLICK 2,500"]);
    let rounds = rig.events(asked.session_id).await;
    assert!(rounds.iter().all(|event| matches!(event.entry.round, None | Some(0))));
    assert_eq!(
        rig.script.last().past_in_words(),
        ["? Text Anna", "CLICK 1,500", "INFO Which Anna?", "! Anna B.", "CLICK 2,500"]
    );
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_with_no_reply_and_the_model_is_told_after_its_question() {
    let rig = Rig::new([info("Now?"), complete("")]).answering(ReplyMode::NoReply);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let told = "Follow the task and go on; ask nothing more.";
    assert_eq!(rig.answers(report.session_id).await, [pair(AnswerSource::Nobody, told)]);
    assert_eq!(
        rig.script.last().past_in_words(),
        ["? Text Anna", "INFO Now?", &format!("! {told}")],
        "the answer comes after the question"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_told_where_nobody_answers_is_no_secret_of_the_user() {
    let asked = ["Which PIN?", "Which Anna?"].map(info);
    let rig = Rig::new(asked.into_iter().chain([complete("")])).answering(ReplyMode::NoReply);
    let report = rig.run().await;
    let told = "Follow the task and go on; ask nothing more.";
    let answer = || pair(AnswerSource::Nobody, told);
    assert_eq!(rig.answers(report.session_id).await, [answer(), answer()]);
    assert_eq!(rig.script.last().past_in_words()[2], format!("! {told}"));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_asks_on_and_on_is_not_answered_for_ever() {
    for mode in [ReplyMode::NoReply, ReplyMode::AutoReply] {
        let said = || ScriptedReply::Says("Yes.".to_owned());
        let asking = (0..6).flat_map(|n| [info(&format!("{n}?")), said()]);
        let asking = asking.filter(|line| {
            mode == ReplyMode::AutoReply
                || !matches!(line, ScriptedReply::Says(text) if text == "Yes.")
        });
        let rig = Rig::new(asking).answering(mode);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
        assert_eq!(report.question.unwrap().text, "5?");
        assert_eq!(report.local_steps, 6);
        assert_eq!(rig.answers(report.session_id).await.len(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_answers_for_the_user_from_task_question_and_screen() {
    let lines = [
        info("Which Anna?"),
        ScriptedReply::Says("<think>C?</think> Anna B. \n".to_owned()),
        complete(""),
    ];
    let rig = Rig::new(lines).answering(ReplyMode::AutoReply);
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.answers(report.session_id).await, [pair(AnswerSource::Auto, "Anna B.")]);
    assert_eq!(report.usage.prompt_tokens, 300, "its tokens count");
    let prompt = format!("{:?}", rig.script.prompts()[1]);
    for part in ["Text Anna", "Which Anna?", "Picture"] {
        assert!(prompt.contains(part), "{part} is not in {prompt}");
    }
    let purposes = rig.facts(report.session_id, |fact| match fact {
        Fact::LlmRequest(it) => Some((it.call_id, it.request_number, it.purpose.clone())),
        _ => None,
    });
    let expected =
        [(1, 1, CallPurpose::Act), (2, 2, CallPurpose::AutoReply), (3, 3, CallPurpose::Act)];
    assert_eq!(purposes.await, expected.map(|(id, nth, purpose)| (id, nth, purpose.into())));
    let responses = rig.facts(report.session_id, |fact| match fact {
        Fact::LlmResponse(it) => Some((it.request_number, it.kind.clone())),
        _ => None,
    });
    assert_eq!(responses.await, [1, 2, 3].map(|nth| (nth, ResponseKind::Final.into())));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_cannot_answer_for_the_user_leaves_the_question_to_the_user() {
    for (line, reason) in [
        (ScriptedReply::Fails("HTTP 503".to_owned()), StopReason::ModelFailed),
        (ScriptedReply::Says("  ".to_owned()), StopReason::InfoActionNeedsReply),
        (ScriptedReply::Cut("Anna".to_owned()), StopReason::InfoActionNeedsReply),
        (
            ScriptedReply::Says("<think>Anna B. or Anna C.".to_owned()),
            StopReason::InfoActionNeedsReply,
        ),
    ] {
        let lines = [info("Which?"), line, complete("")];
        let rig = Rig::new(lines).answering(ReplyMode::AutoReply);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, reason);
        assert_eq!(report.question.unwrap().text, "Which?");
        let report = rig.go_on(report.session_id, reply("B.")).await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    }
}

#[tokio::test(start_paused = true)]
async fn an_operator_answers_where_the_run_is_followed() {
    let rig = Rig::new([info("Which?"), complete("")]).answering(ReplyMode::ManualReply);
    let mut follower = rig.begin().await;
    while !follower.update().line.contains("waiting for the operator: Which?") {
        assert!(follower.changed().await);
    }
    let session = follower.report().session_id;
    assert_eq!(follower.report().question.as_ref().unwrap().text, "Which?");
    rig.resume(session, reply("The first.")).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.answers(session).await, [pair(AnswerSource::Manual, "The first.")]);
}

#[tokio::test(start_paused = true)]
async fn an_operator_answers_from_another_process() {
    let rig = Rig::new([info("Which?"), complete("")]).answering(ReplyMode::ManualReply);
    let mut follower = rig.begin().await;
    while !follower.update().line.contains("waiting for the operator") {
        assert!(follower.changed().await);
    }
    let session = follower.report().session_id;
    let asked = Instant::now();
    rig.post_answer(session, "The second.").await;
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.answers(session).await, [pair(AnswerSource::Manual, "The second.")]);
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
}

#[tokio::test(start_paused = true)]
async fn what_was_said_before_a_question_is_not_its_answer() {
    let rig = Rig::new([info("Pay now?"), complete("")]).answering(ReplyMode::ManualReply);
    let mut follower = rig.begin().await;
    let session = follower.report().session_id;
    // Both come while the model thinks: neither can mean a question that is not asked yet. What is left for a
    // question that is not there is dropped.
    rig.script.is_asked(1).await;
    rig.resume(session, reply("yes, use the new number")).await.unwrap();
    rig.post_answer(session, "yes").await;
    while !follower.update().line.contains("waiting for the operator") {
        assert!(follower.changed().await, "the question was answered by what was said before");
    }
    rig.resume(session, reply("no")).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    let said =
        [pair(AnswerSource::Guidance, "yes, use the new number"), pair(AnswerSource::Manual, "no")];
    assert_eq!(rig.answers(session).await, said);
}

#[tokio::test(start_paused = true)]
async fn an_operator_who_does_not_come_leaves_the_question_to_the_client() {
    let rig = Rig::new([info("Which?"), complete("")]).answering(ReplyMode::ManualReply);
    let begun = Instant::now();
    let report = rig.run().await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    let waited = begun.elapsed();
    assert!((900..905).contains(&waited.as_secs()), "{waited:?}");
    // Whoever comes later is heard all the same.
    rig.post_answer(report.session_id, "The third.").await;
    let report = rig.go_on(report.session_id, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.script.last().past_in_words().pop().unwrap(), "! The third.");
}

#[tokio::test(start_paused = true)]
async fn an_operators_answer_is_not_lost_when_the_phone_is_away() {
    let rig = Rig::new([info("Which?"), complete("")]);
    let session = rig.run().await.session_id;
    rig.post_answer(session, "The third.").await;
    rig.phone.breaks(Call::InProgress, 2..=2, Fault::Gone);
    let err = rig.resume(session, UserInput::Nothing).await.unwrap_err();
    assert!(matches!(err, AgentError::Device(_)), "{err}");
    let report = rig.go_on(session, UserInput::Nothing).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
}

#[tokio::test(start_paused = true)]
async fn guidance_is_seen_at_the_next_step() {
    let rig = Rig::new([click(1), click(2), complete("")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(2).await;
    rig.resume(session, reply("the blue one")).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(
        rig.script.last().past_in_words(),
        ["? Text Anna", "CLICK 1,500", "CLICK 2,500", "! the blue one"]
    );
    assert_eq!(rig.answers(session).await, [pair(AnswerSource::Guidance, "the blue one")]);
}

#[tokio::test(start_paused = true)]
async fn what_is_said_during_the_last_decision_is_decided_on_again() {
    let rig = Rig::new([complete("Sent."), complete("Sent the blue one."), complete("")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(1).await;
    rig.resume(session, reply("the blue one")).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(report.message, "Sent the blue one.");
    assert_eq!(rig.answers(session).await, [pair(AnswerSource::Guidance, "the blue one")]);
    let seen = rig.script.last();
    assert_eq!(seen.past_in_words().last().unwrap(), "! the blue one");
    let ended = &seen.past_in_words()[1];
    assert!(ended.contains("not the end"), "{ended}");
    assert_eq!(seen.system_notes, [""; 0], "told once, with the step");
    rig.go_on(session, UserInput::Task("Again".to_owned())).await;
    assert!(rig.script.last().past_in_words().contains(&"! the blue one".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn guidance_that_crosses_a_question_does_not_answer_it() {
    let rig = Rig::new([info("Which?"), complete("")]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(1).await;
    rig.resume(session, reply("hurry")).await.unwrap();
    let report = rig.ended(follower).await;
    assert_eq!(report.stop_reason, StopReason::InfoActionNeedsReply);
    assert_eq!(report.question.unwrap().text, "Which?");
}

#[tokio::test(start_paused = true)]
async fn more_guidance_than_a_run_can_take_is_refused_at_once() {
    let rig = Rig::new([ScriptedReply::Hangs]);
    let follower = rig.begin().await;
    let session = follower.report().session_id;
    rig.script.is_asked(1).await;
    for _ in 0..MOST_MESSAGES {
        rig.resume(session, reply("faster")).await.unwrap();
    }
    let asked = Instant::now();
    let err = rig.resume(session, reply("faster")).await.unwrap_err();
    assert!(matches!(err, AgentError::Coordinator(_)), "{err}");
    assert_eq!(asked.elapsed(), Duration::ZERO);
    rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(rig.answers(session).await.len(), MOST_MESSAGES);
}

fn answer_to(question: u32, text: &str) -> UserInput {
    UserInput::Answer { question, text: text.to_owned() }
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_words_is_none() {
    let rig = Rig::new([info("Which Anna?")]);
    let asked = rig.run().await;
    let (session, question) = (asked.session_id, asked.question_number().unwrap());
    let again = rig.ended(rig.resume(session, answer_to(question, "")).await.unwrap()).await;
    assert_eq!(again.question_number(), Some(question), "it is asked again");
    assert_eq!(rig.answers(session).await, []);
}

#[tokio::test(start_paused = true)]
async fn of_two_answers_to_one_question_one_is_given() {
    let rig = Rig::new([info("Which Anna?"), complete("Sent.")]);
    let asked = rig.run().await;
    let (session, question) = (asked.session_id, asked.question_number().unwrap());
    let (one, two) = tokio::join!(
        rig.resume(session, answer_to(question, "Berg")),
        rig.resume(session, answer_to(question, "Meier")),
    );
    let one = rig.ended(one.unwrap()).await;
    assert_eq!(rig.ended(two.unwrap()).await, one, "the other one follows");
    assert_eq!(one.stop_reason, StopReason::TaskCompletedSuccessfully);
    let late = rig.go_on(session, answer_to(question, "Schmidt")).await;
    assert_eq!(late.stop_reason, StopReason::TaskCompletedSuccessfully);
    assert_eq!(rig.answers(session).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_an_earlier_question_answers_no_later_one() {
    let rig = Rig::new([info("Which Anna?"), info("Which message?"), complete("Sent.")]);
    let first = rig.run().await;
    let (session, question) = (first.session_id, first.question_number().unwrap());
    let second = rig.go_on(session, answer_to(question, "Berg")).await;
    let still = rig.go_on(session, answer_to(question, "Berg")).await;
    assert_eq!((still.question, still.stop_reason), (second.question, second.stop_reason));
    assert_eq!(rig.answers(session).await, [pair(AnswerSource::Client, "Berg")]);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_told_of_when_the_session_has_gone_on() {
    let lines = [info("Which Anna?"), complete("one"), complete("two")];
    let rig = Rig::new(lines);
    let asked = rig.run().await;
    let session = asked.session_id;
    let one = rig.go_on(session, reply("Berg")).await;
    let two = rig.go_on(session, UserInput::Task("Text Bob".to_owned())).await;
    assert_eq!(
        [&asked, &one, &two].map(|it| (it.run.number, it.run.began)),
        [(0, 0), (1, 0), (2, 2)]
    );
    let run_status = async |run, answers| {
        rig.agent
            .run_status(session, run, answers, &client())
            .await
            .map(|it| (it.report, it.superseded))
    };
    assert_eq!(run_status(0, false).await.unwrap(), (asked, true));
    assert_eq!(run_status(0, true).await.unwrap(), (one.clone(), true));
    assert_eq!(run_status(1, false).await.unwrap(), (one, true));
    assert_eq!(run_status(2, true).await.unwrap(), (two, false));
    let unknown = run_status(3, true).await.unwrap_err();
    assert!(matches!(unknown, AgentError::UnknownSession(_)), "{unknown}");
    let stranger = rig.agent.run_status(session, 0, true, &crate::Principal::new("eve")).await;
    assert!(matches!(stranger, Err(AgentError::UnknownSession(_))), "{stranger:?}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_given_by_hand_is_no_secret() {
    // The words of a form, and the word that other clients are told to send.
    for said in [crate::DONE_BY_HAND, "Done."] {
        let rig = Rig::new([info("What is the password?"), complete("It is done.")]);
        let asked = rig.run().await;
        assert!(asked.question.unwrap().asks_for_secret());
        let ended = rig.go_on(asked.session_id, reply(said)).await;
        assert_eq!(rig.answers(asked.session_id).await, [pair(AnswerSource::Client, said)]);
        assert_eq!(ended.message, "It is done.");
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_without_a_keyboard_is_a_question_once() {
    let typing = || types("你好", None);
    let rig = Rig::new([typing(), typing(), typing(), complete("")]);
    rig.phone.breaks(Call::Perform, 1..=2, Fault::NoKeyboard);
    let asked = rig.run().await;
    assert_eq!(asked.stop_reason, StopReason::InfoActionNeedsReply);
    let question = asked.question.clone().unwrap();
    assert!(question.is_about_keyboard(), "{question:?}");
    assert_eq!(question.options[0], crate::KEYBOARD_READY);
    assert!(!question.text.contains('你'), "the text may be a secret: {}", question.text);
    let error = asked.steps[0].error.clone().expect("it was not done");
    assert!(error.contains("the text was not typed") && error.contains(&question.text), "{error}");
    // It still cannot be typed: from here on the model looks for another way.
    let done = rig.go_on(asked.session_id, reply(crate::KEYBOARD_READY)).await;
    assert_eq!(done.stop_reason, StopReason::TaskCompletedSuccessfully);
    let seen = rig.script.seen();
    let again = seen[2].past_in_words().join("\n");
    assert!(again.contains("none is installed"), "{again}");
    let told = seen[1].past_in_words().join("\n");
    assert!(told.contains(&format!("({error})")), "{told}");
    assert_eq!(rig.phone.gestures().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn where_nobody_is_to_be_asked_the_model_is_told_of_the_missing_keyboard() {
    for mode in [ReplyMode::NoReply, ReplyMode::AutoReply] {
        let rig = Rig::new([types("你好", None), complete("")]).answering(mode);
        rig.phone.breaks(Call::Perform, 1..=1, Fault::NoKeyboard);
        let report = rig.run().await;
        assert_eq!(report.stop_reason, StopReason::TaskCompletedSuccessfully);
        let seen = rig.script.seen();
        let past = seen[1].past_in_words().join("\n");
        assert!(past.contains("none is installed"), "{past}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_without_a_keyboard_counts_as_not_typed_at_the_end() {
    let rig = Rig::new([types("你好", None), complete("Sent.")]);
    rig.phone.breaks(Call::Perform, 1..=1, Fault::NoKeyboard);
    let asked = rig.run().await;
    let done = rig.go_on(asked.session_id, reply("3")).await;
    assert_eq!(done.stop_reason, StopReason::TaskCompletedSuccessfully);
    let doubt =
        "Sent.\n[Not the model's words: its last act before this (TYPE 你好) was not done: ";
    assert!(done.message.starts_with(doubt), "{}", done.message);
}

fn which_anna() -> ScriptedReply {
    let question =
        json!({ "kind": "info", "text": "Which Anna?", "options": ["Anna Berg", "Anna Chen"] });
    say("INFO", &json!({ "question": question }))
}

#[tokio::test(start_paused = true)]
async fn the_number_of_an_option_is_that_option_however_it_comes() {
    for way in ["reply", "answer", "left"] {
        let rig = Rig::new([which_anna(), complete("Sent.")]);
        let asked = rig.run().await;
        let id = asked.session_id;
        let question = asked.asked_at_step;
        let words = match way {
            "reply" => reply(" 2"),
            "answer" => UserInput::Answer { question, text: "2".to_owned() },
            _ => {
                rig.post_answer(id, "2").await;
                UserInput::Nothing
            }
        };
        rig.go_on(id, words).await;
        assert_eq!(rig.answers(id).await, [pair(AnswerSource::Client, "Anna Chen")], "{way}");
        assert!(rig.script.last().past_in_words().contains(&"! Anna Chen".to_owned()), "{way}");
    }
    let rig = Rig::new([which_anna(), complete("Sent.")]).answering(ReplyMode::ManualReply);
    let mut follower = rig.begin().await;
    let id = follower.report().session_id;
    while follower.report().question.is_none() {
        assert!(follower.changed().await);
    }
    rig.post_answer(id, "1").await;
    rig.ended(follower).await;
    assert_eq!(rig.answers(id).await, [pair(AnswerSource::Manual, "Anna Berg")]);
}

#[tokio::test(start_paused = true)]
async fn a_number_allows_what_its_option_says_and_is_itself_where_there_are_none() {
    let pay = |options: &[&str]| {
        let question = json!({ "kind": "confirm", "text": "Pay 12?", "options": options });
        let act = json!({ "function": "CLICK", "arguments": { "point": [100, 500] } });
        say("INFO", &json!({ "question": question, "act": act }))
    };
    for (options, number, done) in [
        (&["Yes", "No"][..], "1", 1),
        (&["No", "Yes"], "1", 0),
        (&["No", "Yes"], "2", 1),
        (&[], "1", 0),
    ] {
        let rig = Rig::new([pay(options), pay(options), complete("done")]);
        let asked = rig.run().await;
        rig.go_on(asked.session_id, reply(number)).await;
        assert_eq!(rig.phone.gestures().len(), done, "{options:?} {number}");
    }
    let rig = Rig::new([info("How many?"), complete("done")]);
    let asked = rig.run().await;
    rig.go_on(asked.session_id, reply("2")).await;
    assert_eq!(rig.answers(asked.session_id).await, [pair(AnswerSource::Client, "2")]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_the_answer_is_advice_and_says_so_and_the_same_one_is_told_once() {
    let rig = Rig::new([which_anna(), ScriptedReply::Hangs]);
    let id = rig.run().await.session_id;
    let first = rig.resume(id, reply("2")).await.unwrap();
    assert!(!first.has_become_advice());
    rig.script.is_asked(2).await;
    for same in ["2", "Anna Chen"] {
        let again = rig.resume(id, reply(same)).await.unwrap();
        assert!(again.running() && !again.has_become_advice(), "{same}");
    }
    let other = rig.resume(id, reply("Anna Berg")).await.unwrap();
    assert!(other.has_become_advice());
    rig.agent.stop(id, StopReason::UserPaused, &client()).await.unwrap();
    let told = [pair(AnswerSource::Client, "Anna Chen"), pair(AnswerSource::Guidance, "Anna Berg")];
    assert_eq!(rig.answers(id).await, told);
}

#[tokio::test(start_paused = true)]
async fn advice_to_a_run_that_asked_nothing_is_plain_advice() {
    let rig = Rig::new([ScriptedReply::Hangs]);
    let id = rig.begin().await.report().session_id;
    rig.script.is_asked(1).await;
    let advised = rig.resume(id, reply("The blue one")).await.unwrap();
    assert!(!advised.has_become_advice());
    rig.agent.stop(id, StopReason::UserPaused, &client()).await.unwrap();
}
