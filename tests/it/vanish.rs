//! Clients that vanish in the middle of a call: what becomes of the run, the session and the phone,
//! and what a client finds that comes back. The table stands in docs/faults.md.
//!
//! The end of stdin is the end of the server; a broken stream of 2026-07-28 is a cancel, as that
//! protocol says; sessions of the older ones survive their connections. Whoever never comes back
//! leaves a whole record and a free phone; whoever does goes on by `ask_agent_continue`.
mod wire;

use ayeaye_phone::Trigger;
use serde_json::{Value, json};

use crate::support::{Answer, click, complete, info, until, within};
use wire::{Call, Wire, World};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    BeforeTheFirstByte,
    InAModelCall,
    InAGesture,
    WhileAQuestionWaits,
    AfterTheEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    ComesBack,
    NeverComesBack,
}

use Then::{ComesBack, NeverComesBack};
use Way::{AfterTheEnd, BeforeTheFirstByte, InAGesture, InAModelCall, WhileAQuestionWaits};
use Wire::{Legacy, Modern, Stdio};

/// What the session has come to once nobody drives it.
fn expected(wire: Wire, way: Way) -> &'static str {
    match (way, wire) {
        (WhileAQuestionWaits, _) => "INFO_ACTION_NEEDS_REPLY",
        (AfterTheEnd, _) | (_, Legacy) => "TASK_COMPLETED_SUCCESSFULLY",
        (_, Stdio) => "SERVER_RESTARTED",
        (_, Modern) => "CANCELLED",
    }
}

impl Way {
    /// What the model says until the client has gone.
    fn script(self, world: &World) -> Vec<Answer> {
        match self {
            BeforeTheFirstByte => {
                vec![Answer::Says(click(300, 400)), Answer::Says(complete("Done."))]
            }
            InAModelCall => vec![
                Answer::Held(world.gate.clone(), click(300, 400)),
                Answer::Says(complete("Done.")),
            ],
            // Nothing ends the run before it is noticed that the client has gone.
            InAGesture => vec![
                Answer::Held(world.gate.clone(), click(300, 400)),
                Answer::Held(world.gate.clone(), complete("Done.")),
            ],
            WhileAQuestionWaits => vec![Answer::Says(info("Which Anna?"))],
            AfterTheEnd => vec![Answer::Says(complete("Done."))],
        }
    }

    /// Waits until the client is to vanish.
    async fn reached(self, world: &World, call: &mut Call) {
        match self {
            BeforeTheFirstByte => {}
            InAModelCall => {
                world.vlm.is_asked(1).await;
            }
            InAGesture => {
                world.vlm.is_asked(1).await;
                let faults = world.virtual_phone.faults();
                faults.set(|plan| plan.hang_shell = Some(Trigger::NextInput));
                world.gate.notify_one();
                let begun = || faults.plan().hang_shell.is_none();
                until("the tap is on its way", begun).await;
                assert!(world.recorded("tool.start", "CLICK"), "recorded before it is sent");
                faults.release();
            }
            WhileAQuestionWaits => call.wait_for_output("Which Anna?").await,
            AfterTheEnd => until("the end", || world.recorded("session.end", "")).await,
        }
    }
}

async fn vanishes(wire: Wire, way: Way, then: Then) {
    let mut world = World::new(wire).await;
    let script = way.script(&world);
    world.vlm.then(script);
    if way == InAGesture {
        // Long enough that the client goes while the tap is on its way.
        world.virtual_phone.faults().set(|plan| plan.shell_delay_ms = 200);
    }
    let mut call = world.begin().await;
    way.reached(&world, &mut call).await;
    let heard = call.vanish(&world).await;
    world.virtual_phone.faults().clear();
    let before = world.taps();
    if wire != Modern {
        world.gate.notify_one();
    }
    let session = world.session_at_rest().await;
    if wire == Modern {
        // There the end of the request cancels the model call. An answer before that is noticed would be acted on.
        world.gate.notify_one();
    }
    let expected = expected(wire, way);
    let Some(session) = session else {
        // It went before the server had taken the call up: nothing was begun, and it can be said again.
        assert_eq!(way, BeforeTheFirstByte);
        assert_eq!(world.taps(), 0);
        if then == ComesBack {
            world.vlm.always(&complete("Done now."));
            let ended = world.start_again().await;
            assert_eq!(ended["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{ended}");
        }
        world.is_free().await;
        return;
    };
    assert_eq!(session["stop_reason"], expected, "{session}");
    match way {
        InAGesture => assert_eq!(world.taps(), 1, "neither lost nor repeated"),
        InAModelCall if wire != Legacy => {
            assert_eq!(world.taps(), before, "nothing after the client went");
        }
        _ => {}
    }
    world.is_whole();
    match then {
        NeverComesBack => world.is_free().await,
        ComesBack => comes_back(&mut world, way, &session, heard).await,
    }
}

/// The client is there again and wants to know, or goes on.
async fn comes_back(world: &mut World, way: Way, session: &Value, heard: wire::Heard) {
    let wire = world.wire;
    if let (Legacy, Some(last)) = (wire, heard.last_event.as_deref())
        && way != WhileAQuestionWaits
    {
        let again = world.replayed(last).await;
        assert_eq!(again["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{again}");
        assert_eq!(again["session_id"], session["session_id"]);
    }
    world.vlm.always(&complete("Done now."));
    let more = match way {
        WhileAQuestionWaits => {
            // A call that hardly waits is asked by its result and not by a form.
            let hardly = json!({ "wait_seconds": 1 });
            let waiting = world.facts("ask_agent_continue", session, hardly).await;
            assert_eq!(waiting["question"]["text"], "Which Anna?", "asked again: {waiting}");
            json!({ "reply_from_client": "Anna Berg" })
        }
        _ => json!({}),
    };
    let ended = world.facts("ask_agent_continue", session, more).await;
    assert_eq!(ended["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{ended}");
    assert_eq!(ended["session_id"], session["session_id"]);
    if way == WhileAQuestionWaits {
        let asked = world.vlm.asked().pop().expect("the model is asked").to_string();
        assert!(asked.contains("Anna Berg"), "the answer reaches the model");
    }
    world.is_free().await;
}

macro_rules! cells {
    ($($name:ident: $wire:ident, $way:ident, $then:ident;)*) => {$(
        #[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            within(60, stringify!($name), vanishes($wire, $way, $then)).await;
        }
    )*};
}

/// A result that is kept for a client whose connection had broken before it existed was read by nobody.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_said_again_answers_no_question_that_nobody_was_shown() {
    let mut world = World::without_forms(Legacy).await;
    world.vlm.then(vec![
        Answer::Says(info("Which Anna?")),
        Answer::Held(world.gate.clone(), info("What shall I write to her?")),
        Answer::Says(complete("Sent.")),
    ]);
    let asked = world.start_again().await;
    assert_eq!(asked["question"]["text"], "Which Anna?", "{asked}");
    let answer = json!({ "session_id": asked["session_id"], "reply_from_client": "Anna Berg" });
    let call = world.send(json!({ "name": "ask_agent_continue", "arguments": answer })).await;
    world.vlm.is_asked(2).await;
    call.hang_up().await;
    world.gate.notify_one();
    let session = world.session_at_rest().await.expect("it has begun");
    assert_eq!(session["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{session}");
    for (said, comes) in [("Anna Berg", "What shall I write to her?"), ("Hello!", "Sent.")] {
        let answer = json!({ "reply_from_client": said });
        let told = world.facts("ask_agent_continue", &session, answer).await;
        assert_eq!(told["message"], comes, "{told}");
    }
}

cells! {
    stdio_before_the_first_byte_and_back: Stdio, BeforeTheFirstByte, ComesBack;
    stdio_before_the_first_byte_for_ever: Stdio, BeforeTheFirstByte, NeverComesBack;
    stdio_in_a_model_call_and_back: Stdio, InAModelCall, ComesBack;
    stdio_in_a_model_call_for_ever: Stdio, InAModelCall, NeverComesBack;
    stdio_in_a_gesture_and_back: Stdio, InAGesture, ComesBack;
    stdio_in_a_gesture_for_ever: Stdio, InAGesture, NeverComesBack;
    stdio_while_a_question_waits_and_back: Stdio, WhileAQuestionWaits, ComesBack;
    stdio_while_a_question_waits_for_ever: Stdio, WhileAQuestionWaits, NeverComesBack;
    stdio_after_the_end_and_back: Stdio, AfterTheEnd, ComesBack;
    stdio_after_the_end_for_ever: Stdio, AfterTheEnd, NeverComesBack;
    legacy_before_the_first_byte_and_back: Legacy, BeforeTheFirstByte, ComesBack;
    legacy_before_the_first_byte_for_ever: Legacy, BeforeTheFirstByte, NeverComesBack;
    legacy_in_a_model_call_and_back: Legacy, InAModelCall, ComesBack;
    legacy_in_a_model_call_for_ever: Legacy, InAModelCall, NeverComesBack;
    legacy_in_a_gesture_and_back: Legacy, InAGesture, ComesBack;
    legacy_in_a_gesture_for_ever: Legacy, InAGesture, NeverComesBack;
    legacy_while_a_question_waits_and_back: Legacy, WhileAQuestionWaits, ComesBack;
    legacy_while_a_question_waits_for_ever: Legacy, WhileAQuestionWaits, NeverComesBack;
    legacy_after_the_end_and_back: Legacy, AfterTheEnd, ComesBack;
    legacy_after_the_end_for_ever: Legacy, AfterTheEnd, NeverComesBack;
    modern_before_the_first_byte_and_back: Modern, BeforeTheFirstByte, ComesBack;
    modern_before_the_first_byte_for_ever: Modern, BeforeTheFirstByte, NeverComesBack;
    modern_in_a_model_call_and_back: Modern, InAModelCall, ComesBack;
    modern_in_a_model_call_for_ever: Modern, InAModelCall, NeverComesBack;
    modern_in_a_gesture_and_back: Modern, InAGesture, ComesBack;
    modern_in_a_gesture_for_ever: Modern, InAGesture, NeverComesBack;
    modern_while_a_question_waits_and_back: Modern, WhileAQuestionWaits, ComesBack;
    modern_while_a_question_waits_for_ever: Modern, WhileAQuestionWaits, NeverComesBack;
    modern_after_the_end_and_back: Modern, AfterTheEnd, ComesBack;
    modern_after_the_end_for_ever: Modern, AfterTheEnd, NeverComesBack;
}
