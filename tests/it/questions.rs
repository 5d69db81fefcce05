//! Questions: every way in which one reaches a person, and every way in which the answer may not come.

use ayeaye_agent::{Principal, QuestionKind};
use rmcp::model::{CallToolResponse, CallToolResult, InputRequiredResult};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};

use crate::support::clients::{
    Era, FakeUser, UserAction, call_of, facts, on_pipe, over_http, serve_as,
};
use crate::support::fake_server::{
    FakeDecision, FakeServer, SERIAL, asks, asks_for, completes, taps,
};
use crate::support::within;

mod between_calls;
mod handshakes;
mod retries;
mod waits;

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
const ASKS: &str = "INFO_ACTION_NEEDS_REPLY";
const START: &str = "ask_agent_start_new_task";
const CONTINUE: &str = "ask_agent_continue";
const ERAS: [Era; 2] = [Era::Old, Era::New];

type Client = RunningService<RoleClient, FakeUser>;

fn task() -> Value {
    json!({ "device_id": SERIAL, "task": "Text Anna" })
}

fn which_anna() -> [FakeDecision; 2] {
    [asks("Which Anna?"), completes("Told her.")]
}

/// Starts a task and returns what the client is to ask.
async fn asked(client: &Client, arguments: Value) -> InputRequiredResult {
    match client.call_tool_once(call_of(START, arguments)).await.unwrap() {
        CallToolResponse::InputRequired(asked) => asked,
        other => panic!("{other:?}"),
    }
}

/// Calls again, as a client does that has an answer.
async fn retry(
    client: &Client,
    tool: &'static str,
    arguments: Value,
    state: &str,
    answer: Value,
) -> CallToolResponse {
    let answers = [("reply".to_owned(), answer)].into();
    let call = call_of(tool, arguments).with_request_state(state).with_input_responses(answers);
    client.call_tool_once(call).await.unwrap()
}

fn says(text: &str) -> Value {
    json!({ "action": "accept", "content": { "reply": text } })
}

fn complete(answer: CallToolResponse) -> CallToolResult {
    match answer {
        CallToolResponse::Complete(result) => result,
        other => panic!("{other:?}"),
    }
}

fn structured_result(answer: CallToolResponse) -> Value {
    crate::support::clients::structured_result(complete(answer))
}

fn waits(facts: &Value, asked: Option<&str>) {
    assert_eq!(facts["stop_reason"], ASKS, "{facts}");
    assert_eq!(facts["question"]["asked"].as_str(), asked, "{facts}");
}

#[tokio::test]
async fn a_person_answers_in_a_form_and_the_same_call_ends_the_task() {
    for era in ERAS {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([UserAction::Says("Anna Berg")]);
        let client = on_pipe(&fake.server, &user, era).await;
        let done = facts(&client, START, task()).await;
        assert_eq!(done["stop_reason"], DONE, "{era:?}: {done}");
        assert_eq!(fake.model.user_replies(), ["Anna Berg"], "{era:?}");
        let [form] = user.forms().try_into().unwrap();
        let message = form["message"].as_str().unwrap();
        for part in ["Which Anna?", "Text Anna", "com.example.chat", "may try to deceive"] {
            assert!(message.contains(part), "{part}: {message}");
        }
        assert_eq!(form["requestedSchema"]["properties"]["reply"]["type"], "string");
        let list = facts(&client, "list_sessions", json!({})).await;
        assert_eq!(list["sessions"].as_array().unwrap().len(), 1, "{era:?}: {list}");
    }
}

#[tokio::test]
async fn a_person_answers_in_a_form_over_http() {
    for era in ERAS {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([UserAction::Says("Anna Berg")]);
        let served = serve_as(&fake.server, Principal::local()).await;
        let client = over_http(&served.url, None, &user, era).await;
        let call = facts(&client, START, task());
        let done = within(30, "the task", call).await;
        assert_eq!(done["stop_reason"], DONE, "{era:?}: {done}");
        assert_eq!(fake.model.user_replies(), ["Anna Berg"], "{era:?}");
    }
}

#[tokio::test]
async fn a_client_without_forms_gets_the_question_as_a_result() {
    for era in ERAS {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([]).without_forms();
        let client = on_pipe(&fake.server, &user, era).await;
        let question = facts(&client, START, task()).await;
        waits(&question, None);
        let notice = question["question"]["notice"].as_str().unwrap();
        assert!(notice.contains("may try to deceive"), "{notice}");
        assert_eq!(question["question"]["app"], "com.example.chat");
        let answer = json!({ "session_id": question["session_id"], "reply_from_client": "Berg" });
        let done = facts(&client, CONTINUE, answer).await;
        assert_eq!(done["stop_reason"], DONE, "{era:?}: {done}");
    }
}

/// Kind, text and options of a question; the choices of its form, what is said, what the agent hears.
type Case =
    (QuestionKind, &'static str, &'static [&'static str], Value, &'static str, &'static str);

#[tokio::test]
async fn each_kind_of_question_has_its_form() {
    let password = "What is the password for Nimbus?";
    let cases: [Case; 5] = [
        (
            QuestionKind::Info,
            "Which one?",
            &["the red one", "the blue one", "the red one"],
            json!(["the red one", "the blue one"]),
            "the blue one",
            "the blue one",
        ),
        (QuestionKind::Confirm, "Send it?", &[], json!(["yes", "no"]), "yes", "yes"),
        (
            QuestionKind::Takeover,
            "Solve the puzzle",
            &[],
            json!(["done", "give up"]),
            "done",
            "I have done it myself",
        ),
        (
            QuestionKind::Info,
            password,
            &[],
            json!(["done", "give up"]),
            "done",
            "I have done it myself",
        ),
        (QuestionKind::Info, "What is her name?", &[], Value::Null, "Zoe", "Zoe"),
    ];
    for (kind, text, options, choices, answer, heard) in cases {
        for era in ERAS {
            let fake = FakeServer::new([asks_for(kind, text, options), completes("Done.")]);
            let user = FakeUser::new([UserAction::Says(answer)]);
            let client = on_pipe(&fake.server, &user, era).await;
            let done = facts(&client, START, task()).await;
            assert_eq!(done["stop_reason"], DONE, "{text}: {done}");
            let form = &user.forms()[0];
            let field = &form["requestedSchema"]["properties"]["reply"];
            assert_eq!((&field["type"], &field["enum"]), (&json!("string"), &choices), "{text}");
            assert_eq!(form["requestedSchema"]["required"], json!(["reply"]));
            let said = fake.model.user_replies();
            assert!(said[0].starts_with(heard), "{text}: {said:?}");
            let by_hand = choices == json!(["done", "give up"]);
            let message = form["message"].as_str().unwrap();
            assert_eq!(message.contains("on the phone yourself"), by_hand, "{message}");
            assert_eq!(message.contains("Do not write it here"), text == password, "{message}");
        }
    }
}

#[tokio::test]
async fn a_person_who_declines_leaves_the_session_waiting() {
    let ways = [
        (UserAction::Declines, "declined"),
        (UserAction::Cancels, "declined"),
        (UserAction::Says("give up"), "given_up"),
    ];
    for (does, asked) in ways {
        for era in ERAS {
            let takeover = asks_for(QuestionKind::Takeover, "Sign in", &[]);
            let fake = FakeServer::new([takeover, completes("Done.")]);
            let user = FakeUser::new([does.clone(), UserAction::Says("done")]);
            let client = on_pipe(&fake.server, &user, era).await;
            let question = facts(&client, START, task()).await;
            waits(&question, Some(asked));
            assert_eq!(user.forms().len(), 1, "asked once in a call");
            assert_eq!(fake.model.calls(), 1, "the agent was told nothing");
            let go_on = json!({ "session_id": question["session_id"] });
            let done = facts(&client, CONTINUE, go_on).await;
            assert_eq!(done["stop_reason"], DONE, "{era:?}: {done}");
        }
    }
}

#[tokio::test]
async fn a_client_that_fails_to_ask_gets_the_question_as_a_result() {
    let fake = FakeServer::new(which_anna());
    let user = FakeUser::new([UserAction::Fails]);
    let client = on_pipe(&fake.server, &user, Era::Old).await;
    waits(&facts(&client, START, task()).await, Some("not_shown"));
}

#[tokio::test]
async fn what_does_not_fit_the_form_is_asked_once_more_with_the_reason() {
    for era in ERAS {
        for wrong in [json!({ "reply": "perhaps" }), json!({ "reply": 7 }), json!({})] {
            let asks = asks_for(QuestionKind::Confirm, "Send?", &[]);
            let fake = FakeServer::new([asks, completes("Sent.")]);
            let user = FakeUser::new([UserAction::Sends(wrong), UserAction::Says("no")]);
            let client = on_pipe(&fake.server, &user, era).await;
            assert_eq!(facts(&client, START, task()).await["stop_reason"], DONE, "{era:?}");
            let forms = user.forms();
            assert_eq!((fake.model.user_replies(), forms.len()), (vec!["no".to_owned()], 2));
            let is_told =
                forms.iter().map(|it| it.to_string().contains("The last answer was not one of"));
            assert_eq!(is_told.collect::<Vec<_>>(), [false, true], "{era:?}");
        }

        let fake = FakeServer::new([asks_for(QuestionKind::Confirm, "Send?", &[])]);
        let user = FakeUser::new((0..20).map(|_| UserAction::Says("perhaps")));
        let client = on_pipe(&fake.server, &user, era).await;
        let given_up = facts(&client, START, task()).await;
        assert_eq!(given_up["stop_reason"], ASKS, "{era:?}: {given_up}");
        assert_eq!(given_up["question"]["asked"], "not_understood", "{era:?}: {given_up}");
        assert_eq!(user.forms().len(), 2, "{era:?}");
    }
}

#[tokio::test]
async fn after_eight_questions_of_one_call_the_ninth_is_its_result() {
    for era in ERAS {
        let questions = (1..=9).map(|number| asks(&format!("Question {number}?")));
        let fake = FakeServer::new(questions.chain([completes("Done.")]));
        let user = FakeUser::new((0..20).map(|_| UserAction::Says("so")));
        let client = on_pipe(&fake.server, &user, era).await;
        let ninth = facts(&client, START, task()).await;
        waits(&ninth, Some("too_many"));
        assert_eq!(ninth["question"]["text"], "Question 9?");
        assert_eq!((user.forms().len(), fake.model.user_replies().len()), (8, 8), "{era:?}");
        let go_on = json!({ "session_id": ninth["session_id"] });
        assert_eq!(facts(&client, CONTINUE, go_on).await["stop_reason"], DONE, "{era:?}");
    }
}

#[tokio::test]
async fn steps_of_a_call_are_counted_over_its_answers() {
    for era in ERAS {
        let lines = [taps(1), taps(2), asks("Which?"), taps(3), taps(4), taps(5)];
        let fake = FakeServer::new(lines);
        let user = FakeUser::new([UserAction::Says("that one")]);
        let client = on_pipe(&fake.server, &user, era).await;
        let mut arguments = task();
        arguments["max_steps"] = json!(5);
        let stopped = facts(&client, START, arguments).await;
        assert_eq!(stopped["stop_reason"], "MAX_STEPS_REACHED", "{era:?}: {stopped}");
        assert_eq!((&stopped["global_step_idx"], fake.device.gestures()), (&json!(5), 4));
    }
}

#[tokio::test]
async fn a_question_for_the_operator_is_not_put_to_the_client() {
    for mode in ["auto_reply", "manual_reply"] {
        let fake = FakeServer::new(which_anna());
        let user = FakeUser::new([UserAction::Says("Anna Berg")]);
        let client = on_pipe(&fake.server, &user, Era::Old).await;
        let mut arguments = task();
        arguments["reply_mode"] = json!(mode);
        arguments["wait_seconds"] = json!(1);
        facts(&client, START, arguments).await;
        assert_eq!(user.forms(), Vec::<Value>::new(), "{mode}");
    }
}
