//! Who gets a phone when several want it.
use crate::journal::AnswerSource;
use std::collections::HashSet;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::fakes::{
    Call, FailingJournal, Fault, Rig, ScriptedReply, Write, click, client, complete, info,
};
use crate::{
    AgentError, ContinueTask, DeviceHolder, Principal, SessionId, SettleRule, StartTask,
    StopReason, UserInput,
};

/// For races in real time.
const AT_ONCE: SettleRule = SettleRule {
    first_look: Duration::ZERO,
    between: Duration::ZERO,
    patience: Duration::ZERO,
    ..SettleRule::USUAL
};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_starts_that_race_for_a_phone_one_gets_it() {
    let rig = Rig::new((0..40).map(|_| ScriptedReply::Hangs));
    let rig = Arc::new(rig.limited(|limits| limits.settle = AT_ONCE));
    for round in 0..40 {
        let tries = ["Text Anna", "Text Bob"].map(|task| {
            let (rig, start) = (rig.clone(), rig.task(task));
            tokio::spawn(async move { rig.agent.start(start).await })
        });
        let [one, other] = tries;
        let (won, lost) = match (one.await.unwrap(), other.await.unwrap()) {
            (Ok(won), Err(lost)) | (Err(lost), Ok(won)) => (won, lost),
            both => panic!("round {round}: {both:?}"),
        };
        let session = won.report().session_id;
        let AgentError::DeviceBusy { device, session: holder } = lost else {
            panic!("round {round}: {lost}");
        };
        assert_eq!((device.as_str(), holder), ("phone-1", Some(session)), "round {round}");
        rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    }
    assert_eq!(rig.journal.list().await.unwrap().len(), 40, "losers leave nothing behind");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_start_by_the_same_principal_follows_the_first() {
    let rig = Rig::new([click(1), complete("done")]);
    let first = rig.begin().await;
    let again = rig.begin().await;
    assert_eq!(first.report().session_id, again.report().session_id);
    for (principal, task) in [(Principal::new("other"), "Text Anna"), (client(), "Text Bob")] {
        let start = StartTask { principal, ..rig.task(task) };
        let err = rig.agent.start(start).await.unwrap_err();
        assert!(matches!(err, AgentError::DeviceBusy { .. }), "{task}: {err}");
    }
    assert_eq!(rig.ended(first).await, rig.ended(again).await);
    assert_eq!(rig.phone.sent(), ["RESET", "CLICK 1,500"]);
    // Once it is over, the same words mean a new task.
    rig.script.adds([complete("again")]);
    assert_eq!(rig.run().await.message, "again");
    assert_eq!(rig.journal.list().await.unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_repeated_start_waits_for_the_first_to_open_the_phone() {
    let rig = Rig::new([complete("done")]);
    rig.phone.breaks(Call::InProgress, 1..=1, Fault::Hang);
    let start = || rig.agent.start(rig.task("Text Anna"));
    let (first, again, other, ()) = tokio::join!(
        start(),
        async {
            rig.phone.gets(Call::InProgress, 1).await;
            start().await
        },
        async {
            rig.phone.gets(Call::InProgress, 1).await;
            rig.agent.start(rig.task("Text Bob")).await
        },
        async {
            rig.phone.gets(Call::InProgress, 1).await;
            tokio::time::sleep(Duration::from_secs(3)).await;
            rig.phone.let_go();
        },
    );
    let session = first.unwrap().report().session_id;
    assert_eq!(again.unwrap().report().session_id, session);
    let named = |err: &AgentError| matches!(err, AgentError::DeviceBusy { session: it, .. } if *it == Some(session));
    assert!(named(other.as_ref().unwrap_err()), "what is named can be read: {other:?}");
    assert_eq!(rig.phone.count(Call::InProgress), 1);
}

#[tokio::test(start_paused = true)]
async fn a_start_that_fails_leaves_the_phone_to_the_next() {
    let rig = Rig::new([complete("done")]);
    rig.phone.breaks(Call::InProgress, 1..=1, Fault::TimedOut(Duration::from_secs(10)));
    let other = rig.task("Text Bob");
    let (first, second) = tokio::join!(rig.agent.start(rig.task("Text Anna")), async {
        rig.phone.gets(Call::InProgress, 1).await;
        rig.agent.start(other).await
    });
    assert!(matches!(first, Err(AgentError::Device(_))));
    assert_eq!(rig.ended(second.unwrap()).await.task, "Text Bob");
}

#[tokio::test(start_paused = true)]
async fn of_two_replies_to_one_question_one_answers_it() {
    let rig = Rig::new([info("Which?"), click(1), complete("done")]);
    let session = rig.run().await.session_id;
    rig.phone.breaks(Call::InProgress, 2..=2, Fault::Hang);
    let reply = |text: &str| rig.resume(session, UserInput::Reply(text.to_owned()));
    let (one, other, ()) = tokio::join!(
        reply("the first"),
        async {
            rig.phone.gets(Call::InProgress, 2).await;
            reply("the second").await
        },
        async {
            rig.phone.gets(Call::InProgress, 2).await;
            rig.phone.let_go();
        },
    );
    let report = rig.ended(one.unwrap()).await;
    // The other is advice to the run that has begun by then.
    assert_eq!(rig.ended(other.unwrap()).await, report);
    let said: HashSet<_> = rig.answers(session).await.into_iter().collect();
    let pair = |source, text: &str| (source, text.to_owned());
    assert_eq!(
        said,
        HashSet::from([
            pair(AnswerSource::Client, "the first"),
            pair(AnswerSource::Guidance, "the second")
        ])
    );
}

#[tokio::test(start_paused = true)]
async fn of_two_answers_to_one_question_the_later_is_told_that_it_went_nowhere() {
    let rig = Rig::new([info("Which?"), click(1), complete("done")]);
    let asks = rig.run().await;
    let session = asks.session_id;
    rig.phone.breaks(Call::InProgress, 2..=2, Fault::Hang);
    let question = asks.question_number().unwrap();
    let answer =
        |text: &str| rig.resume(session, UserInput::Answer { question, text: text.to_owned() });
    let (one, other, ()) = tokio::join!(
        answer("the first"),
        async {
            rig.phone.gets(Call::InProgress, 2).await;
            answer("the second").await
        },
        async {
            rig.phone.gets(Call::InProgress, 2).await;
            rig.phone.let_go();
        },
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!((one.has_dropped_answer(), other.has_dropped_answer()), (false, true));
    assert_eq!(rig.ended(one).await.message, "done");
    assert!(answer("the third").await.unwrap().has_dropped_answer(), "nothing is asked any more");
    let words = rig.answers(session).await.into_iter().map(|(_, words)| words);
    assert_eq!(words.collect::<Vec<_>>(), ["the first"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stop_that_comes_with_an_answer_is_no_less_of_one() {
    // Beside each other: a run takes a second of real time.
    let rounds = (0..40).map(|_| tokio::spawn(stopped_while_answered()));
    for (round, reasons) in rounds.collect::<Vec<_>>().into_iter().enumerate() {
        let reasons = reasons.await.unwrap();
        assert_eq!(reasons, [StopReason::Cancelled; 2], "round {round}");
    }
}

/// How a session is told to have ended, and how it is recorded, that was stopped in the moment of an answer.
async fn stopped_while_answered() -> [StopReason; 2] {
    let rig = Rig::new([info("Which?"), ScriptedReply::Hangs]);
    let rig = Arc::new(rig.limited(|limits| limits.settle = AT_ONCE));
    let asks = rig.run().await;
    let (id, question) = (asks.session_id, asks.question_number().unwrap());
    let answer = rig.next(id, UserInput::Answer { question, text: "that".to_owned() });
    let tries = (rig.clone(), rig.clone());
    let answered = tokio::spawn(async move { tries.0.agent.resume(answer).await });
    let ended = tokio::spawn(async move { tries.1.agent.end_task(id, &client()).await });
    let told = ended.await.unwrap().unwrap().stop_reason;
    if let Ok(mut follower) = answered.await.unwrap() {
        follower.finished().await;
    }
    [told, rig.agent.report(id, &client()).await.unwrap().stop_reason]
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_phone_is_busy_names_who_has_it() {
    let rig = Rig::new([complete("one"), ScriptedReply::Hangs]);
    let first = rig.run().await.session_id;
    let second = rig.begin().await;
    let holder = second.report().session_id;
    let err = rig.resume(first, UserInput::Task("more".to_owned())).await.unwrap_err();
    assert!(
        matches!(err, AgentError::DeviceBusy { session, .. } if session == Some(holder)),
        "{err}"
    );
    let devices = rig.agent.devices(&client()).await.unwrap();
    assert_eq!(devices[0].1, DeviceHolder::Session(holder));
    rig.agent.stop(holder, StopReason::Cancelled, &client()).await.unwrap();
    assert_eq!(rig.agent.devices(&client()).await.unwrap()[0].1, DeviceHolder::Free);
}

#[tokio::test(start_paused = true)]
async fn nobody_hears_of_anothers_session() {
    let rig = Rig::new([info("Which?"), ScriptedReply::Hangs]);
    let waiting = rig.run().await.session_id;
    let other = Principal::new("other");
    let nowhere = SessionId::new();
    for unseen in [waiting, nowhere] {
        let next = |words| ContinueTask { principal: other.clone(), ..rig.next(unseen, words) };
        for words in [
            UserInput::Nothing,
            UserInput::Reply("that".to_owned()),
            UserInput::Task("more".to_owned()),
        ] {
            let err = rig.agent.resume(next(words)).await.unwrap_err();
            assert!(matches!(err, AgentError::UnknownSession(id) if id == unseen), "{err}");
        }
        let err = rig.agent.report(unseen, &other).await.unwrap_err();
        assert!(matches!(err, AgentError::UnknownSession(_)), "{err}");
        let err = rig.agent.stop(unseen, StopReason::Cancelled, &other).await.unwrap_err();
        assert!(matches!(err, AgentError::UnknownSession(_)), "{err}");
    }
    assert!(rig.agent.listed(&other, None, 10).await.unwrap().sessions.is_empty());
    let running = rig.begin().await.report().session_id;
    let start = StartTask { principal: other.clone(), ..rig.task("Text Anna") };
    let err = rig.agent.start(start).await.unwrap_err();
    assert!(matches!(err, AgentError::DeviceBusy { session: None, .. }), "{err}");
    assert!(!err.to_string().contains(&running.to_string()), "{err}");
    assert_eq!(rig.agent.devices(&other).await.unwrap()[0].1, DeviceHolder::Other);
    let all = rig.agent.listed(&client(), None, 10).await.unwrap().sessions;
    assert_eq!(all.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [running, waiting]);
    assert!(rig.agent.report(waiting, &Principal::operator()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_the_phones_at_the_same_time_shares_one_listing_and_its_failure() {
    let rig = Rig::new([]);
    let who = client();
    rig.phone.breaks(Call::List, 1..=1, Fault::TimedOut(Duration::from_secs(3)));
    let (one, other) = tokio::join!(rig.agent.devices(&who), rig.agent.devices(&who));
    assert!(one.is_err() && other.is_err(), "{one:?}, {other:?}");
    assert_eq!(rig.phone.count(Call::List), 1);
    // What is over is not told again.
    assert_eq!(rig.agent.devices(&who).await.unwrap().len(), 1);
    assert_eq!(rig.phone.count(Call::List), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_session_that_begins_is_not_taken_for_one_that_was_broken_off() {
    let rig = Arc::new(Rig::new((0..30).map(|_| ScriptedReply::Hangs)));
    for round in 0..30 {
        let (starting, start) = (rig.clone(), rig.task("Text Anna"));
        let begun = tokio::spawn(async move { starting.agent.start(start).await });
        while !begun.is_finished() {
            for (id, brief) in rig.agent.listed(&client(), None, 1).await.unwrap().sessions {
                let report = rig.agent.report(id, &client()).await.unwrap();
                assert_ne!(report.stop_reason, StopReason::ServerRestarted, "round {round}");
                let reason = brief.unwrap().stop_reason();
                assert_ne!(reason, StopReason::ServerRestarted, "round {round}");
            }
        }
        let session = begun.await.unwrap().unwrap().report().session_id;
        rig.agent.stop(session, StopReason::Cancelled, &client()).await.unwrap();
    }
}

/// How a session's standing is looked at.
#[derive(Debug, Clone, Copy)]
enum Look {
    Report,
    RunStatus,
    LateAnswer,
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_read_while_a_run_writes_it_is_not_told_as_that_of_a_server_that_died() {
    for look in [Look::Report, Look::RunStatus, Look::LateAnswer] {
        for has_ended in [false, true] {
            let rig = Rig::new([complete("one"), click(1), complete("two")]);
            let mut slow = None;
            let rig = rig.kept_by(|inner, phone| {
                let kept = Arc::new(FailingJournal::new(inner, phone, Write::Sync, u32::MAX));
                slow.insert(kept).clone()
            });
            let id = rig.run().await.session_id;
            rig.phone.breaks(Call::Perform, 1..=1, Fault::Hang);
            let reading = slow.unwrap().holds_reading();
            let looks = async {
                let (agent, me) = (&rig.agent, client());
                match look {
                    Look::Report => agent.report(id, &me).await.unwrap(),
                    Look::RunStatus => agent.run_status(id, 1, true, &me).await.unwrap().report,
                    Look::LateAnswer => {
                        let late = UserInput::Answer { question: 1, text: String::new() };
                        (*rig.resume(id, late).await.unwrap().report()).clone()
                    }
                }
            };
            let (told, run) = tokio::join!(looks, async {
                reading.wait().await;
                let next = UserInput::Task("Set a timer".to_owned());
                let run = rig.resume(id, next).await.unwrap();
                rig.phone.gets(Call::Perform, 1).await;
                reading.wait().await;
                reading.wait().await;
                if has_ended {
                    rig.phone.let_go();
                    rig.ended(run.clone()).await;
                }
                reading.wait().await;
                run
            });
            let reason = if has_ended {
                StopReason::TaskCompletedSuccessfully
            } else {
                StopReason::StillRunning
            };
            assert_eq!(told.stop_reason, reason, "{look:?}, ended: {has_ended}");
            rig.phone.let_go();
            assert_eq!(rig.ended(run).await.task, "Set a timer");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_poll_that_has_read_the_record_before_a_run_began_is_not_told_what_was_before_that() {
    let mut slow = None;
    let rig = Rig::new([complete("one"), complete("two")]).kept_by(|inner, phone| {
        let kept = Arc::new(FailingJournal::new(inner, phone, Write::Sync, u32::MAX));
        slow.insert(kept).clone()
    });
    let id = rig.run().await.session_id;
    let reading = slow.unwrap().holds_reading();
    let call = CancellationToken::new();
    let polling = rig.agent.resume_once(rig.next(id, UserInput::Nothing), pending(), &call);
    let (polled, ()) = tokio::join!(polling, async {
        for _ in 0..3 {
            reading.wait().await;
        }
        // All of it is read, and not handed on yet.
        let report = rig.go_on(id, UserInput::Task("Set a timer".to_owned())).await;
        assert_eq!(report.message, "two");
        reading.wait().await;
    });
    assert_eq!(rig.ended(polled.unwrap()).await.message, "two");
}

#[tokio::test(start_paused = true)]
async fn a_source_that_lists_nothing_hides_no_phone_and_its_trouble_is_told_once() {
    let mut rig = Rig::new([]);
    rig.more_phones(["phone-2".to_owned()]);
    rig.phone.breaks(Call::List, 1..=2, Fault::TimedOut(Duration::from_secs(3)));
    for told in [1, 1, 0] {
        let phones = rig.agent.devices(&client()).await.unwrap();
        assert_eq!(phones.len(), 2 - told);
        assert_eq!(rig.agent.listing_trouble.lock().unwrap().len(), told);
    }
}
