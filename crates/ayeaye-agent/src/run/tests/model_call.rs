//! The model caller: every call recorded before it is sent, its answer recorded and billed.
use std::sync::Arc;
use std::time::Duration;

use crate::fakes::{Recording, ScriptedModel, ScriptedReply, complete};
use crate::journal::{CallPurpose, Fact, LlmRequest, LlmResponse};
use crate::run::budget::Budget;
use crate::run::cancel::CancelHandle;
use crate::run::model_call::{CallCosts, ModelCaller};
use crate::run::outcome::RunError;
use crate::run::reply_length::unread;
use crate::{
    Limits, Message, ModelError, ModelErrorKind, ParseError, Prices, Prompt, Retry, Role,
    StopReason, Tokens, ToolCall,
};

fn caller(recording: &Recording, cancel: &CancelHandle) -> ModelCaller {
    let session = recording.recorder.session();
    ModelCaller::new(Budget::new(Limits::USUAL), cancel.clone(), session)
}

fn prompt() -> Prompt {
    Prompt::of(vec![Message::text(Role::User, "What now?")])
}

async fn calls(recording: &Recording) -> (Vec<LlmRequest>, Vec<LlmResponse>) {
    let (mut requests, mut responses) = (Vec::new(), Vec::new());
    for fact in recording.facts().await {
        match fact {
            Fact::LlmRequest(request) => requests.push(request),
            Fact::LlmResponse(response) => responses.push(response),
            _ => {}
        }
    }
    (requests, responses)
}

#[tokio::test(start_paused = true)]
async fn a_reply_is_asked_for_again_as_one_request_and_every_call_is_billed() {
    let mut recording = Recording::new().await;
    let model = Arc::new(ScriptedModel::new([complete("a"), complete("b"), complete("c")]));
    model.cost(Prices { input: 2.0, output: 10.0, cached: None });
    let (caller, mut costs) = (caller(&recording, &CancelHandle::default()), CallCosts::default());
    let mut exchange = caller.exchange(model, CallPurpose::Act, prompt(), Vec::new());
    let recorder = &mut recording.recorder;
    loop {
        let reply = caller.send(recorder, &mut exchange, &mut costs).await.unwrap();
        exchange.log_reply(recorder, &reply, Err("no".to_owned()), &mut costs).await.unwrap();
        let again = exchange.ask_again(recorder, "the model's", &reply, &ParseError::new("no"));
        if let Err(err) = again {
            assert!(matches!(err, RunError::UnusableReplies { attempts: 3, .. }), "{err:?}");
            assert_eq!(err.reason(), StopReason::ModelFailed);
            break;
        }
    }
    let (requests, responses) = calls(&recording).await;
    let numbers: Vec<_> = requests
        .iter()
        .map(|it| (it.call_id, it.request_number, it.iteration, it.purpose.clone()))
        .collect();
    let repair = CallPurpose::Repair.into();
    let expected = [
        (1, 1, 1, CallPurpose::Act.into()),
        (2, 1, 2, repair),
        (3, 1, 3, CallPurpose::Repair.into()),
    ];
    assert_eq!(numbers, expected);
    let messages: Vec<_> = requests.iter().map(|it| it.messages.len()).collect();
    assert_eq!(messages, [1, 3, 3], "the last reply alone is quoted");
    assert_eq!(responses.len(), 3);
    assert_eq!((costs.tokens.total, costs.unpriced), (330, false));
    assert!((costs.cost_usd - 3.0 * 300.0 / 1e6).abs() < 1e-12, "{costs:?}");
    assert!((costs.waited_ms - 3.0 * 800.0).abs() < 1.0, "{costs:?}");
    assert_eq!(recording.recorder.session().counts.tokens, 330);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_or_is_given_up_is_recorded_and_its_price_is_not_known() {
    let mut recording = Recording::new().await;
    let lines = [ScriptedReply::Fails("503".to_owned()), ScriptedReply::Hangs];
    let (model, cancel) = (Arc::new(ScriptedModel::new(lines)), CancelHandle::default());
    let (caller, mut costs) = (caller(&recording, &cancel), CallCosts::default());
    let mut exchange = caller.exchange(model.clone(), CallPurpose::Plan, prompt(), Vec::new());
    let recorder = &mut recording.recorder;
    let err = caller.send(recorder, &mut exchange, &mut costs).await.unwrap_err();
    assert!(matches!(err, RunError::Model(_)), "{err:?}");
    let mut exchange = caller.exchange(model.clone(), CallPurpose::Evaluate, prompt(), Vec::new());
    let stop = async {
        model.is_asked(2).await;
        cancel.stop(StopReason::Cancelled);
    };
    let (outcome, ()) = tokio::join!(caller.send(recorder, &mut exchange, &mut costs), stop);
    assert!(matches!(outcome, Err(RunError::Cancelled(_))), "{outcome:?}");
    assert!(costs.unpriced);
    let (requests, responses) = calls(&recording).await;
    assert_eq!(requests.len(), 2);
    let errors: Vec<_> = responses.into_iter().map(|it| it.error.unwrap()).collect();
    assert_eq!(errors[0], "503");
    assert!(errors[1].starts_with("given up: "), "{}", errors[1]);
}

#[tokio::test(start_paused = true)]
async fn what_costs_nothing_costs_nothing_when_it_fails_or_is_given_up() {
    let mut recording = Recording::new().await;
    let lines = [complete("a"), ScriptedReply::Fails("503".to_owned()), ScriptedReply::Hangs];
    let model = Arc::new(ScriptedModel::new(lines));
    model.cost(Prices { input: 0.0, output: 0.0, cached: None });
    let (caller, mut costs) = (caller(&recording, &CancelHandle::default()), CallCosts::default());
    let recorder = &mut recording.recorder;
    for moves in [false, false, true] {
        let mut exchange = caller.exchange(model.clone(), CallPurpose::Act, prompt(), Vec::new());
        let moved = async move {
            if !moves {
                std::future::pending::<()>().await;
            }
            RunError::ScreenMoved
        };
        let sent = caller.send_unless_moved(recorder, &mut exchange, &mut costs, moved).await;
        if let Ok(reply) = sent {
            exchange.log_reply(recorder, &reply, Ok(None), &mut costs).await.unwrap();
        }
    }
    assert!(!costs.unpriced);
    // The prompt that was given up is counted as the one before it.
    assert_eq!((costs.tokens.prompt, costs.tokens.completion), (200, 10));
    let (_, responses) = calls(&recording).await;
    assert!(responses.iter().all(|it| it.cost_known), "{responses:?}");
    let estimated: Vec<_> = responses.iter().map(|it| it.tokens_estimated).collect();
    assert_eq!(estimated, [false, false, true]);
}

/// What is charged is the same while the run goes on and after its server was started anew.
#[tokio::test(start_paused = true)]
async fn a_reply_that_nobody_counted_says_nothing_of_how_large_prompts_are() {
    let mut recording = Recording::new().await;
    let model = Arc::new(ScriptedModel::new([complete("a"), complete("b"), ScriptedReply::Hangs]));
    let (caller, mut costs) = (caller(&recording, &CancelHandle::default()), CallCosts::default());
    let recorder = &mut recording.recorder;
    for counted in [true, false] {
        let mut exchange = caller.exchange(model.clone(), CallPurpose::Act, prompt(), Vec::new());
        let mut reply = caller.send(recorder, &mut exchange, &mut costs).await.unwrap();
        if !counted {
            reply.tokens = Tokens::default();
        }
        exchange.log_reply(recorder, &reply, Ok(None), &mut costs).await.unwrap();
    }
    let mut exchange = caller.exchange(model, CallPurpose::Act, prompt(), Vec::new());
    let moved = async { RunError::ScreenMoved };
    caller.send_unless_moved(recorder, &mut exchange, &mut costs, moved).await.unwrap_err();
    let known = recorder.session().prompt_tokens.expect("script", Some(CallPurpose::Act));
    let (_, responses) = calls(&recording).await;
    let charged: Vec<_> = responses.iter().map(|it| it.tokens.prompt).collect();
    assert_eq!((charged, known), (vec![100, 0, 100], 100));
}

/// Two of three attempts had been taken by the endpoint before they failed: each may cost its prompt.
#[tokio::test(start_paused = true)]
async fn attempts_that_broke_off_are_charged_for_their_prompts() {
    let attempt = |taken| Retry {
        error: "it broke off".to_owned(),
        unquoted: None,
        waited: Duration::ZERO,
        taken,
    };
    let retries = vec![attempt(true), attempt(false), attempt(true)];
    for (input, known) in [(1000.0, false), (0.0, true)] {
        let mut recording = Recording::new().await;
        let model = Arc::new(ScriptedModel::new([complete("a"), complete("b")]));
        model.cost(Prices { input, output: input, cached: None });
        let (caller, mut costs) =
            (caller(&recording, &CancelHandle::default()), CallCosts::default());
        let recorder = &mut recording.recorder;
        let mut exchange = caller.exchange(model, CallPurpose::Act, prompt(), Vec::new());
        let mut reply = caller.send(recorder, &mut exchange, &mut costs).await.unwrap();
        reply.retries.clone_from(&retries);
        exchange.log_reply(recorder, &reply, Ok(None), &mut costs).await.unwrap();
        let failed = ModelError {
            retries: retries.clone(),
            ..ModelError::new(ModelErrorKind::TimedOut, "silence", Duration::ZERO)
        };
        exchange.log_failure(recorder, &failed, &mut costs).await.unwrap();
        assert_eq!((costs.tokens.prompt, costs.tokens.completion), (500, 10));
        assert!((costs.cost_usd - input * 510.0 / 1e6).abs() < 1e-9, "{costs:?}");
        assert_eq!(costs.unpriced, !known);
        let (_, responses) = calls(&recording).await;
        let kept: Vec<_> = responses
            .iter()
            .map(|it| (it.tokens.total, it.tokens_estimated, it.cost_known))
            .collect();
        assert_eq!(kept, [(310, true, known), (200, true, known)]);
    }
}

/// A call that is given up while it is tried again has sent its prompt twice.
#[tokio::test(start_paused = true)]
async fn the_attempts_of_a_call_that_is_given_up_are_charged_too() {
    let mut recording = Recording::new().await;
    let broke_off = Retry {
        error: "it broke off".to_owned(),
        unquoted: None,
        waited: Duration::ZERO,
        taken: true,
    };
    let lines = [complete("a"), ScriptedReply::HangsAfter(broke_off)];
    let model = Arc::new(ScriptedModel::new(lines));
    let cancel = CancelHandle::default();
    let (caller, mut costs) = (caller(&recording, &cancel), CallCosts::default());
    let recorder = &mut recording.recorder;
    let mut exchange = caller.exchange(model.clone(), CallPurpose::Act, prompt(), Vec::new());
    let reply = caller.send(recorder, &mut exchange, &mut costs).await.unwrap();
    exchange.log_reply(recorder, &reply, Ok(None), &mut costs).await.unwrap();
    let stop = async {
        model.is_asked(2).await;
        cancel.stop(StopReason::Cancelled);
    };
    let (outcome, ()) = tokio::join!(caller.send(recorder, &mut exchange, &mut costs), stop);
    assert!(matches!(outcome, Err(RunError::Cancelled(_))), "{outcome:?}");
    let (_, responses) = calls(&recording).await;
    assert_eq!(responses[1].tokens.prompt, 200, "{responses:?}");
    assert_eq!(responses[1].retries, ["it broke off"]);
}

/// The place of a reply that is quoted moves to where the one before it stood.
#[tokio::test(start_paused = true)]
async fn a_quoted_reply_that_may_hold_a_password_is_kept_as_its_length_alone() {
    let mut recording = Recording::new().await;
    let model = Arc::new(ScriptedModel::new([complete("a"), complete("hunter2"), complete("c")]));
    let (caller, mut costs) = (caller(&recording, &CancelHandle::default()), CallCosts::default());
    let mut exchange = caller.exchange(model, CallPurpose::Act, prompt(), Vec::new());
    let recorder = &mut recording.recorder;
    for withheld in [false, true] {
        let reply = caller.send(recorder, &mut exchange, &mut costs).await.unwrap();
        if withheld {
            exchange.withhold_reply();
        }
        exchange.log_reply(recorder, &reply, Err("no".to_owned()), &mut costs).await.unwrap();
        let why = ParseError::new("no");
        exchange.ask_again(recorder, "the model's", &reply, &why).unwrap();
    }
    caller.send(recorder, &mut exchange, &mut costs).await.unwrap();
    let (requests, responses) = calls(&recording).await;
    assert_eq!(requests[2].messages.len(), 3);
    let kept = format!("{requests:?} {responses:?}");
    assert!(!kept.contains("hunter2"), "{kept}");
}

/// Whatever a model writes, the record holds what it has cost.
#[tokio::test(start_paused = true)]
async fn a_reply_without_an_end_is_recorded_as_far_as_it_fits_and_billed() {
    let mut recording = Recording::new().await;
    let endless = "\u{1f600}".repeat(400_000);
    let model = Arc::new(ScriptedModel::new([ScriptedReply::Says(endless.clone()), complete("b")]));
    model.cost(Prices { input: 2.0, output: 10.0, cached: None });
    let (caller, mut costs) = (caller(&recording, &CancelHandle::default()), CallCosts::default());
    let mut exchange = caller.exchange(model.clone(), CallPurpose::Act, prompt(), Vec::new());
    let recorder = &mut recording.recorder;
    let call = |arguments: String| {
        let (id, name) = ("1".to_owned(), "tap".to_owned());
        ToolCall { id, name, arguments }
    };
    let mut reply = caller.send(recorder, &mut exchange, &mut costs).await.unwrap();
    reply.reasoning = endless;
    reply.calls = vec![call(format!("{{\"a\":[{}0]}}", "1e15,".repeat(300_000))); 20];
    let why = unread(&*model, &reply).expect("it is too long");
    exchange.log_reply(recorder, &reply, Err(why.to_owned()), &mut costs).await.unwrap();
    exchange.ask_again(recorder, "the model's", &reply, &ParseError::new(why)).unwrap();
    // Deep ones would not read back either.
    let mut reply = caller.send(recorder, &mut exchange, &mut costs).await.unwrap();
    reply.calls = vec![call(format!("{{\"a\":{}{}}}", "[".repeat(120), "]".repeat(120)))];
    assert_eq!(unread(&*model, &reply), None);
    exchange.log_reply(recorder, &reply, Ok(None), &mut costs).await.unwrap();
    let (requests, responses) = calls(&recording).await;
    assert_eq!((requests.len(), responses.len()), (2, 2));
    let long = &responses[0];
    let told = [long.raw_content.as_deref().unwrap(), &long.reasoning];
    assert!(told.iter().all(|text| text.ends_with(" more characters]")), "{why}");
    assert_eq!((long.success, long.tool_calls.len()), (false, 16));
    assert!(
        responses.iter().flat_map(|it| &it.tool_calls).all(|it| it.parameters.contains_key("raw"))
    );
    assert!(responses.iter().all(|it| it.tokens.total == 110 && it.cost_known));
    assert!((costs.cost_usd - 2.0 * 300.0 / 1e6).abs() < 1e-12, "{costs:?}");
}
