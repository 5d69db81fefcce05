//! Forms and seals, whatever comes back.
use ayeaye_agent::{
    DONE_BY_HAND, Principal, Question, QuestionKind, Report, SessionId, StopReason,
};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use proptest::prelude::*;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, JsonObject};
use serde_json::{Value, json};

use super::*;
use crate::mcp::results::{RunResult, samples};

fn report(question: Question) -> Report {
    let (task, message) = ("Text\u{202e} Anna\nnow".to_owned(), question.text.clone());
    let asked = samples::report(StopReason::InfoActionNeedsReply);
    Report { task, message, question: Some(question), asked_at_step: 3, ..asked }
}

fn question(kind: QuestionKind, text: &str, options: &[&str]) -> Question {
    let options = options.iter().map(|option| (*option).to_owned()).collect();
    Question { kind, text: text.to_owned(), options, app: Some("com.example".to_owned()) }
}

fn message(question: &Question) -> String {
    match question_form(question, &report(question.clone()), false) {
        ElicitRequestParams::FormElicitationParams { message, .. } => message,
        other => panic!("{other:?}"),
    }
}

fn answered(question: &Question, content: Value) -> FormAnswer {
    parse_answer(question, &ElicitResult::new(ElicitationAction::Accept).with_content(content))
}

#[test]
fn a_form_shows_text_and_nothing_that_hides_it() {
    let text = "Which\u{202e} one?\u{7}\u{1b}[2J";
    let shown = message(&question(QuestionKind::Info, text, &[]));
    assert!(shown.starts_with("Which one?[2J\n\n"), "{shown}");
    assert!(
        shown.contains("which is working on: Text Anna now\nApp in front: com.example"),
        "{shown}"
    );
    assert!(shown.ends_with(crate::mcp::texts::NOTICE), "{shown}");
    let long = message(&question(QuestionKind::Info, &"?".repeat(100_000), &[]));
    assert!(long.len() < 3_000 && long.ends_with(crate::mcp::texts::NOTICE), "{}", long.len());
}

#[test]
fn a_form_never_takes_a_secret_in_words() {
    for text in ["What is the password?", "Please give me the 6-digit code", "验证码是多少？"]
    {
        let asks = question(QuestionKind::Info, text, &[]);
        assert_eq!(answered(&asks, json!({ "reply": "Quince-41" })), FormAnswer::Invalid, "{text}");
        let done = FormAnswer::Text(DONE_BY_HAND.to_owned());
        assert_eq!(answered(&asks, json!({ "reply": "done" })), done, "{text}");
    }
}

#[test]
fn a_result_says_what_to_do_with_this_kind_of_question() {
    let next = |kind, text: &str| {
        RunResult::from(&report(question(kind, text, &[]))).next.to_string().replace('\n', " ")
    };
    for by_hand in [
        next(QuestionKind::Takeover, "Please solve the captcha"),
        next(QuestionKind::Info, "What is the password?"),
    ] {
        assert!(by_hand.contains("on the phone with their own hands"), "{by_hand}");
    }
    assert!(next(QuestionKind::Info, "What is the password?").contains("Do not ask them to tell"));
    for in_words in [next(QuestionKind::Info, "Which?"), next(QuestionKind::Confirm, "Delete it?")]
    {
        assert!(in_words.starts_with("Ask your user, then"), "{in_words}");
    }
}

#[test]
fn only_what_was_offered_is_taken() {
    let options = ["red", "blue", " ", "red"];
    let asks = question(QuestionKind::Info, "Which?", &options);
    assert_eq!(answered(&asks, json!({ "reply": "blue" })), FormAnswer::Text("blue".to_owned()));
    for wrong in [json!("blue"), json!({ "reply": "Blue" }), json!({ "reply": " " }), json!({})] {
        assert_eq!(answered(&asks, wrong.clone()), FormAnswer::Invalid, "{wrong}");
    }
    let many: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let asks = question(QuestionKind::Info, "Which?", &many);
    assert_eq!(answered(&asks, json!({ "reply": "any" })), FormAnswer::Text("any".to_owned()));
}

proptest! {
    #[test]
    fn any_question_has_a_form_and_any_answer_is_survived(
        text in "\\PC{0,60}",
        options in prop::collection::vec("\\PC{0,12}", 0..4),
        kind in 0..3_usize,
        reply in "\\PC{0,40}",
    ) {
        let kinds = [QuestionKind::Info, QuestionKind::Confirm, QuestionKind::Takeover];
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let asks = question(kinds[kind], &text, &options);
        prop_assert!(message(&asks).contains(crate::mcp::texts::NOTICE));
        if let FormAnswer::Text(words) = answered(&asks, json!({ "reply": reply })) {
            prop_assert!(!words.is_empty());
        }
    }

    #[test]
    fn no_text_opens_as_a_state(text in "\\PC{0,200}") {
        let opened = StateCodec::ephemeral().decode(&text, &Principal::local());
        prop_assert_eq!(opened.unwrap_err(), StateError::Foreign);
    }

    #[test]
    fn a_state_with_another_letter_does_not_open(at in 0_usize..400, letter in "[A-Za-z0-9]") {
        let (codec, state) = (StateCodec::ephemeral(), state());
        let encoded = codec.encode(&state, &Principal::local());
        let at = at % encoded.len();
        let mut other = encoded.clone();
        other.replace_range(at..=at, &letter);
        let opened = codec.decode(&other, &Principal::local());
        prop_assert_eq!(opened.is_ok(), other == encoded);
    }
}

fn state() -> RequestState {
    let session = SessionId::new().to_string();
    RequestState { session, question: 3, forms_shown: 1, misread: false, call: "c".to_owned() }
}

#[test]
fn a_state_opens_for_its_principal_and_seal() {
    let (codec, state) = (StateCodec::ephemeral(), state());
    let anna = Principal::new("anna");
    let encoded = codec.encode(&state, &anna);
    let (session, opened) = codec.decode(&encoded, &anna).unwrap();
    assert_eq!((session.to_string(), &opened), (state.session.clone(), &state));
    assert_eq!(codec.decode(&encoded, &Principal::local()), Err(StateError::Foreign));
    assert_eq!(StateCodec::ephemeral().decode(&encoded, &anna), Err(StateError::Foreign));
    let stale = codec.encode_with_ttl(&state, &anna, std::time::Duration::ZERO);
    // It is good for the rest of its millisecond.
    let begun = std::time::Instant::now();
    while codec.decode(&stale, &anna).is_ok() {
        assert!(begun.elapsed().as_secs() < 10, "it is good for longer");
    }
    assert_eq!(codec.decode(&stale, &anna), Err(StateError::Expired));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "rmcp seals by the clock of the system")]
fn a_state_is_good_for_15_minutes() {
    let now = || jiff::Timestamp::now().as_millisecond();
    let begun = now();
    let encoded = StateCodec::ephemeral().encode(&state(), &Principal::local());
    // In the sealed form of rmcp: version, what is sealed behind the time of its end, seal.
    let sealed = URL_SAFE_NO_PAD.decode(encoded.split('.').nth(1).unwrap()).unwrap();
    let end = i64::from_be_bytes(sealed[..8].try_into().unwrap());
    let minutes = 15 * 60 * 1000;
    assert!((begun + minutes..=now() + minutes).contains(&end), "{}", end - begun);
}

#[test]
fn the_key_is_kept_where_only_its_owner_reads_it() {
    let data = tempfile::tempdir().unwrap();
    let encoded = StateCodec::from_data_dir(data.path()).encode(&state(), &Principal::local());
    let again = StateCodec::from_data_dir(data.path());
    assert!(again.decode(&encoded, &Principal::local()).is_ok());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = data.path().join("state-key");
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        // One that others could have read signs nothing any more.
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let other = StateCodec::from_data_dir(data.path());
        assert_eq!(other.decode(&encoded, &Principal::local()), Err(StateError::Foreign));
    }
}

#[test]
fn without_a_place_for_the_key_states_are_good_until_the_server_ends() {
    let home = tempfile::tempdir().unwrap();
    let no_folder = home.path().join("file");
    std::fs::write(&no_folder, "").unwrap();
    let codec = StateCodec::from_data_dir(&no_folder);
    let encoded = codec.encode(&state(), &Principal::local());
    assert!(codec.decode(&encoded, &Principal::local()).is_ok());
}

#[test]
fn a_call_is_known_again_by_its_tool_and_arguments() {
    let object = |value: Value| match value {
        Value::Object(object) => object,
        other => panic!("{other}"),
    };
    let of = |tool: &str, arguments: &JsonObject| {
        RetryContext::new(tool, Some(arguments), Some(String::new()), None).call
    };
    let call = of("a", &object(json!({ "x": 1, "y": "2" })));
    assert_eq!(call, of("a", &object(json!({ "y": "2", "x": 1 }))), "their order does not matter");
    for (tool, arguments) in [
        ("b", json!({ "x": 1, "y": "2" })),
        ("a", json!({ "x": 1, "y": 2 })),
        ("a", json!({ "x": 1 })),
        ("a", json!({ "xy": 1, "": "2" })),
        ("a", json!({})),
    ] {
        assert_ne!(call, of(tool, &object(arguments.clone())), "{arguments}");
    }
    assert!(!RetryContext::new("a", None, None, None).is_retry());
    assert!(
        RetryContext::new("a", None, None, Some(rmcp::model::InputResponses::new())).is_retry()
    );
}
