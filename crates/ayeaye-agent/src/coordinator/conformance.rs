//! What every implementation of [`Coordinator`] must do: each function here is one promise, asked of servers
//! that share a store.
mod random_order;

use std::sync::Arc;

pub(crate) use random_order::bears_any_order;

use super::{
    Coordinator, CoordinatorError, InboxMessage, InboxMessageBody, MOST_MESSAGES, MOST_WAITING,
    NewRun, QueuePosition, Registered, Registration, RunKind, RunState, UserReply,
};
use crate::{DeviceId, Principal, SessionId, StopReason};

/// A store with as many servers as a test wants.
pub(crate) struct Store<'a> {
    /// Another server.
    pub(crate) server: &'a dyn Fn() -> Arc<dyn Coordinator>,
    /// A session that the store knows.
    pub(crate) session: &'a dyn Fn() -> SessionId,
}

/// Everything but the random interleavings.
pub(crate) async fn keeps_its_promises(store: &Store<'_>) {
    a_session_has_one_run(store).await;
    a_phone_has_one_run_under_all_its_names(store).await;
    a_later_run_has_a_greater_epoch(store).await;
    a_queue_is_first_come_first_served(store).await;
    owners_take_turns(store).await;
    nobody_is_passed_over_by_those_who_come_again(store).await;
    acts_of_a_person_are_one_turn(store).await;
    an_owner_fills_no_more_than_a_part_of_the_table(store).await;
    a_person_keeps_the_phone_for_its_session(store).await;
    a_person_goes_from_session_to_session_without_losing_the_phone(store).await;
    messages_stay_in_order_until_they_are_acknowledged(store).await;
    a_run_that_ends_takes_nothing_but_a_stop(store).await;
    an_inbox_is_bounded(store).await;
    wake_ups_name_their_session(store).await;
    a_refused_run_wakes_nobody(store).await;
}

fn run(session: SessionId, devices: &[&str], queue: bool) -> NewRun {
    let devices = devices.iter().map(|it| DeviceId::new(*it)).collect();
    NewRun { session, devices, owner: Principal::new("somebody"), kind: RunKind::Task, queue }
}

fn in_hand(session: SessionId, devices: &[&str]) -> NewRun {
    NewRun { kind: RunKind::InHand, ..run(session, devices, false) }
}

fn say(text: &str) -> InboxMessage {
    let text = text.to_owned();
    InboxMessage::new(InboxMessageBody::Reply(UserReply { text, question: Some(3), secret: true }))
}

fn stop(run: u64) -> InboxMessage {
    InboxMessage::new(InboxMessageBody::Stop { run, reason: StopReason::UserPaused })
}

async fn granted(server: &dyn Coordinator, run: NewRun) -> Registration {
    match server.register(run).await.unwrap() {
        Registered::Granted(registration) => registration,
        other => panic!("it is not free: {other:?}"),
    }
}

async fn queued(server: &dyn Coordinator, run: NewRun) -> Registration {
    match server.register(run).await.unwrap() {
        Registered::Queued(registration) => registration,
        other => panic!("it does not wait: {other:?}"),
    }
}

async fn a_session_has_one_run(store: &Store<'_>) {
    let (one, two, session) = ((store.server)(), (store.server)(), (store.session)());
    let first = granted(&*one, run(session, &["a"], false)).await;
    assert_eq!(first.entry.server, one.server());
    assert_eq!(two.run_of(session).await.unwrap().as_ref(), Some(&first.entry));
    for server in [&one, &two] {
        match server.register(run(session, &["b"], true)).await.unwrap() {
            Registered::Taken(holder) => assert_eq!(holder, first.entry),
            other => panic!("two runs of a session: {other:?}"),
        }
    }
    drop(first);
    assert_eq!(one.run_of(session).await.unwrap(), None);
    let second = granted(&*two, run(session, &["a"], false)).await;
    assert_eq!(one.runs().await.unwrap(), std::slice::from_ref(&second.entry));
}

async fn a_phone_has_one_run_under_all_its_names(store: &Store<'_>) {
    let (one, two) = ((store.server)(), (store.server)());
    let first = granted(&*one, run((store.session)(), &["usb", "wifi"], false)).await;
    for names in [&["usb"][..], &["wifi", "other"]] {
        match two.register(run((store.session)(), names, false)).await.unwrap() {
            Registered::Taken(holder) => assert_eq!(holder, first.entry),
            other => panic!("two runs on a phone: {other:?}"),
        }
    }
    // Phones without a name are nobody else's.
    let (own, another) = ((store.session)(), (store.session)());
    let _own = granted(&*one, run(own, &[], false)).await;
    let _another = granted(&*two, run(another, &[], false)).await;
    drop(first);
    granted(&*two, run((store.session)(), &["wifi"], false)).await;
}

async fn a_later_run_has_a_greater_epoch(store: &Store<'_>) {
    let (one, two) = ((store.server)(), (store.server)());
    let mut last = 0;
    for nth in 0..10 {
        let server = if nth % 2 == 0 { &one } else { &two };
        let registration = granted(&**server, run((store.session)(), &["a"], false)).await;
        assert!(last < registration.entry.epoch);
        last = registration.entry.epoch;
    }
}

async fn a_queue_is_first_come_first_served(store: &Store<'_>) {
    let (one, two) = ((store.server)(), (store.server)());
    let first = granted(&*one, run((store.session)(), &["a"], true)).await;
    let second = queued(&*two, run((store.session)(), &["a"], true)).await;
    let third = queued(&*one, run((store.session)(), &["a", "b"], true)).await;
    let fourth = queued(&*two, run((store.session)(), &["b"], true)).await;
    let place = async |registration: &Registration| match two
        .advance(registration.entry.epoch)
        .await
        .unwrap()
    {
        QueuePosition::Yours => 0,
        QueuePosition::Waiting { place } => place,
    };
    assert_eq!((place(&second).await, place(&third).await, place(&fourth).await), (1, 2, 2));
    // Whoever has not waited does not come first.
    drop(first);
    match one.register(run((store.session)(), &["a"], false)).await.unwrap() {
        Registered::Taken(holder) => assert_eq!(holder.session, second.entry.session),
        other => panic!("it has not waited: {other:?}"),
    }
    // The death of one who waits makes room for those behind.
    drop(second);
    assert_eq!(place(&fourth).await, 2, "the third is before it on its phone");
    assert_eq!(place(&third).await, 0);
    assert_eq!(place(&third).await, 0, "it is told again");
    assert_eq!(place(&fourth).await, 1);
    let states = one.runs().await.unwrap().into_iter().map(|it| it.state).collect::<Vec<_>>();
    assert_eq!(states, [RunState::Running, RunState::Queued]);
    drop(third);
    assert_eq!(place(&fourth).await, 0);
    let epoch = fourth.entry.epoch;
    drop(fourth);
    assert!(matches!(one.advance(epoch).await, Err(CoordinatorError::RunEnded)));
}

fn run_of(owner: &str, session: SessionId, queue: bool) -> NewRun {
    NewRun { owner: Principal::new(owner), ..run(session, &["a"], queue) }
}

async fn owners_take_turns(store: &Store<'_>) {
    let server = (store.server)();
    let new = |owner: &'static str| run_of(owner, (store.session)(), true);
    let mut has = Some(granted(&*server, new("anna")).await);
    let mut waiting = Vec::new();
    for owner in ["anna", "anna", "anna", "ben", "ben", "chris"] {
        waiting.push((owner, queued(&*server, new(owner)).await));
    }
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let mut next = None;
        for (at, (_, run)) in waiting.iter().enumerate() {
            match server.advance(run.entry.epoch).await.unwrap() {
                QueuePosition::Waiting { place: 1 } => {
                    assert!(next.replace(at).is_none(), "two are next");
                }
                QueuePosition::Waiting { .. } => {}
                QueuePosition::Yours => panic!("the phone is taken"),
            }
        }
        let (owner, run) = waiting.remove(next.expect("one is next"));
        drop(has.take());
        assert_eq!(server.advance(run.entry.epoch).await.unwrap(), QueuePosition::Yours);
        order.push(owner);
        has = Some(run);
    }
    assert_eq!(order, ["ben", "chris", "anna", "ben", "anna", "anna"]);
}

async fn nobody_is_passed_over_by_those_who_come_again(store: &Store<'_>) {
    let server = (store.server)();
    let new = |owner: &'static str| run_of(owner, (store.session)(), true);
    let mut has = Some(("anna", granted(&*server, new("anna")).await));
    let mut waiting = Vec::new();
    for owner in ["anna", "ben", "chris"] {
        waiting.push((owner, queued(&*server, new(owner)).await));
    }
    let mut order = Vec::new();
    for _ in 0..7 {
        // Whoever is done comes again, except the one who waits already.
        let (done, run) = has.take().unwrap();
        drop(run);
        let mut next = None;
        for (at, (_, run)) in waiting.iter().enumerate() {
            if server.advance(run.entry.epoch).await.unwrap() == QueuePosition::Yours {
                next = Some(at);
                break;
            }
        }
        let (owner, run) = waiting.remove(next.expect("one is next"));
        order.push(owner);
        has = Some((owner, run));
        if done != "anna" {
            waiting.push((done, queued(&*server, new(done)).await));
        }
    }
    assert_eq!(order, ["ben", "chris", "anna", "ben", "chris", "ben", "chris"]);
}

async fn acts_of_a_person_are_one_turn(store: &Store<'_>) {
    let (server, session) = ((store.server)(), (store.session)());
    let hand = NewRun { kind: RunKind::InHand, ..run_of("anna", session, false) };
    let hand = granted(&*server, hand).await;
    let ben = queued(&*server, run_of("ben", (store.session)(), true)).await;
    for _ in 0..4 {
        granted(&*server, NewRun { kind: RunKind::Act, ..run_of("anna", session, false) }).await;
    }
    drop(hand);
    assert_eq!(server.advance(ben.entry.epoch).await.unwrap(), QueuePosition::Yours);
    let first = queued(&*server, run_of("ben", (store.session)(), true)).await;
    let anna = queued(&*server, run_of("anna", (store.session)(), true)).await;
    let second = queued(&*server, run_of("ben", (store.session)(), true)).await;
    let turns = [first, anna, second].map(|it| it.entry.queue_turn);
    assert_eq!(turns, [1, 1, 2]);
}

async fn an_owner_fills_no_more_than_a_part_of_the_table(store: &Store<'_>) {
    let server = (store.server)();
    let _has = granted(&*server, run_of("anna", (store.session)(), true)).await;
    let mut waiting = Vec::new();
    for _ in 0..MOST_WAITING {
        waiting.push(queued(&*server, run_of("anna", (store.session)(), true)).await);
    }
    let more = server.register(run_of("anna", (store.session)(), true)).await;
    assert!(matches!(more, Err(CoordinatorError::TooManyWaiting)), "{more:?}");
    // What waits for nothing, and what others want, is none of that.
    granted(&*server, run((store.session)(), &["b"], true)).await;
    waiting.push(queued(&*server, run_of("ben", (store.session)(), true)).await);
    drop(waiting.remove(0));
    queued(&*server, run_of("anna", (store.session)(), true)).await;
}

async fn a_person_keeps_the_phone_for_its_session(store: &Store<'_>) {
    let (one, two, session) = ((store.server)(), (store.server)(), (store.session)());
    let task = granted(&*one, run(session, &["a"], false)).await;
    let waiting = queued(&*two, run((store.session)(), &["a"], true)).await;
    let waits = async || {
        let turn = one.advance(waiting.entry.epoch).await.unwrap();
        matches!(turn, QueuePosition::Waiting { place: 1 })
    };
    let taken = |registered| matches!(registered, Ok(Registered::Taken(_)));
    assert!(taken(two.register(in_hand((store.session)(), &["a"])).await), "it is another's");
    // It comes before those that wait, and there is no moment between in which they could begin.
    let hand = granted(&*two, in_hand(session, &["a"])).await;
    assert!(taken(one.register(in_hand(session, &["a"])).await), "one at a time");
    assert_eq!(one.run_of(session).await.unwrap().as_ref(), Some(&task.entry));
    drop(task);
    assert!(waits().await);
    assert_eq!(one.run_of(session).await.unwrap(), None, "nothing runs");
    assert!(taken(one.register(run((store.session)(), &["a"], false)).await));
    let act = NewRun { kind: RunKind::Act, ..run(session, &["a"], false) };
    drop(granted(&*one, act).await);
    assert!(waits().await, "an act does not end it");
    let task = granted(&*one, run(session, &["a"], false)).await;
    let epochs: Vec<_> = one.runs().await.unwrap().iter().map(|it| it.epoch).collect();
    assert_eq!(epochs, [waiting.entry.epoch, task.entry.epoch], "the task has ended it");
    drop(hand);
    assert!(waits().await);
    drop(task);
    // With nobody at work, those that wait come first.
    assert!(taken(one.register(in_hand(session, &["a"])).await));
    assert_eq!(one.advance(waiting.entry.epoch).await.unwrap(), QueuePosition::Yours);
}

async fn a_person_goes_from_session_to_session_without_losing_the_phone(store: &Store<'_>) {
    let (one, two) = ((store.server)(), (store.server)());
    let hand = granted(&*one, in_hand((store.session)(), &["a"])).await;
    let waiting = queued(&*two, run((store.session)(), &["a"], true)).await;
    let stranger =
        NewRun { owner: Principal::new("somebody else"), ..in_hand((store.session)(), &["a"]) };
    for (server, refused) in [(&one, stranger), (&two, in_hand((store.session)(), &["a"]))] {
        match server.register(refused).await.unwrap() {
            Registered::Taken(holder) => assert_eq!(holder, hand.entry),
            other => panic!("it is in a hand: {other:?}"),
        }
    }
    let next = granted(&*one, in_hand((store.session)(), &["a", "b"])).await;
    assert_eq!(one.runs().await.unwrap(), [waiting.entry.clone(), next.entry.clone()]);
    assert_eq!(next.entry.queue_turn, hand.entry.queue_turn);
    drop(hand);
    let turn = two.advance(waiting.entry.epoch).await.unwrap();
    assert_eq!(turn, QueuePosition::Waiting { place: 1 });
    drop(next);
    assert_eq!(two.advance(waiting.entry.epoch).await.unwrap(), QueuePosition::Yours);
}

async fn messages_stay_in_order_until_they_are_acknowledged(store: &Store<'_>) {
    let (one, two, session) = ((store.server)(), (store.server)(), (store.session)());
    assert_eq!(one.inbox(session).await.unwrap(), []);
    let messages = [say("one \0 🦉"), stop(7), say(""), say("two")];
    for message in &messages {
        one.send(session, message, None).await.unwrap();
    }
    assert_eq!(two.inbox(session).await.unwrap(), messages);
    two.acknowledge(session, messages[1].id).await.unwrap();
    two.acknowledge(session, messages[1].id).await.unwrap();
    two.acknowledge((store.session)(), messages[0].id).await.unwrap();
    let left = [&messages[0], &messages[2], &messages[3]].map(Clone::clone);
    assert_eq!(one.inbox(session).await.unwrap(), left);
    one.send(session, &messages[1], None).await.unwrap();
    assert_eq!(one.inbox(session).await.unwrap().last(), Some(&messages[1]));
}

async fn a_run_that_ends_takes_nothing_but_a_stop(store: &Store<'_>) {
    let (one, two, session) = ((store.server)(), (store.server)(), (store.session)());
    let first = granted(&*one, run(session, &["a"], false)).await;
    let epoch = first.entry.epoch;
    let before = say("before");
    two.send(session, &before, Some(epoch)).await.unwrap();
    one.close_inbox(epoch).await.unwrap();
    let ended = |sent| matches!(sent, Err(CoordinatorError::RunEnded));
    assert!(ended(two.send(session, &say("late"), Some(epoch)).await));
    assert_eq!(
        one.inbox(session).await.unwrap(),
        std::slice::from_ref(&before),
        "what came before is there"
    );
    assert!(two.run_of(session).await.unwrap().is_some(), "it is not over yet");
    // As long as it is not, it can be told to stop.
    let word = stop(epoch);
    two.send(session, &word, Some(epoch)).await.unwrap();
    assert_eq!(one.inbox(session).await.unwrap(), [before, word]);
    drop(first);
    assert!(ended(two.send(session, &say("late"), Some(epoch)).await));
    assert!(ended(two.send(session, &stop(epoch), Some(epoch)).await));
    let _next = granted(&*two, run(session, &["a"], false)).await;
    assert!(ended(one.send(session, &say("for another"), Some(epoch)).await));
}

async fn an_inbox_is_bounded(store: &Store<'_>) {
    let (one, session) = ((store.server)(), (store.session)());
    let long = "x".repeat(super::LONGEST_REPLY + 1);
    assert!(matches!(one.send(session, &say(&long), None).await, Err(CoordinatorError::TooLong)));
    one.send(session, &say(&long[1..].replace('x', "\0")), None).await.unwrap();
    for _ in 1..MOST_MESSAGES {
        one.send(session, &say("more"), None).await.unwrap();
    }
    let full = one.send(session, &say("one more"), None).await;
    assert!(matches!(full, Err(CoordinatorError::InboxFull(id)) if id == session));
    assert_eq!(one.inbox(session).await.unwrap().len(), MOST_MESSAGES);
}

async fn wake_ups_name_their_session(store: &Store<'_>) {
    let (one, session) = ((store.server)(), (store.session)());
    let mut wakeups = one.wakeups();
    one.wake(session);
    // Those of the other promises may come late.
    while wakeups.recv().await.unwrap() != session {}
}

/// Whoever waits for the end of a run asks again at each wake-up.
async fn a_refused_run_wakes_nobody(store: &Store<'_>) {
    let (one, session, next) = ((store.server)(), (store.session)(), (store.session)());
    let first = granted(&*one, run(session, &["a"], false)).await;
    let mut wakeups = one.wakeups();
    for wanted in [run(session, &["b"], true), run(next, &["a"], false)] {
        match one.register(wanted).await.unwrap() {
            Registered::Taken(holder) => assert_eq!(holder, first.entry),
            other => panic!("two runs: {other:?}"),
        }
    }
    let last = (store.session)();
    one.wake(last);
    loop {
        // Those of the other promises may come late.
        let woken = wakeups.recv().await.unwrap();
        assert!(![session, next].contains(&woken));
        if woken == last {
            break;
        }
    }
}
