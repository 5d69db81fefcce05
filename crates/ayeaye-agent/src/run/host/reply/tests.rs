use proptest::prelude::*;
use serde_json::json;

use super::*;

fn apps() -> Vec<App> {
    let app = |package: &str, label: &str| App {
        package: package.to_owned(),
        label: Some(label.to_owned()),
    };
    let bare = App { package: "com.shop.dealhunt".to_owned(), label: None };
    vec![app("com.chat", "Messages"), app("com.a", "Notes"), app("com.b", "Notes"), bare]
}

fn reply(text: &str) -> Reply {
    Reply { text: text.to_owned(), ..Reply::default() }
}

fn turn(text: &str) -> Result<HostTurn, String> {
    read(&reply(text), &apps()).map(|plan| plan.turn).map_err(|it| it.why.to_string())
}

#[test]
fn each_status_is_read() {
    let assign = json!({
        "observation": "Home", "thought": "first", "current_subtask": " Find it ",
        "app": "messages", "message": ["It is from DHL"], "plan": "Write a note",
        "status": "ASSIGN", "questions": [], "comment": "I look", "result": null, "more": 1,
    });
    let fenced = format!("<think>{{}}</think>Here:\n```json\n{assign}\n```");
    let plan = read(&reply(&fenced), &apps()).unwrap();
    let (app, subtask) = ("com.chat".to_owned(), "Find it".to_owned());
    assert_eq!(plan.turn, HostTurn::Assign { app, subtask });
    assert_eq!(plan.response.plan, ["Write a note"]);
    assert_eq!(plan.response.message, ["It is from DHL"]);
    let bare = r#"{"status": "ASSIGN", "current_subtask": "x", "app": "Deal Hunt"}"#;
    let (app, subtask) = ("com.shop.dealhunt".to_owned(), "x".to_owned());
    assert_eq!(turn(bare), Ok(HostTurn::Assign { app, subtask }));
    assert_eq!(
        turn(r#"{"status": "PENDING", "questions": "Which?"}"#),
        Ok(HostTurn::Ask(vec!["Which?".to_owned()]))
    );
    assert_eq!(turn(r#"{"status": "CONTINUE"}"#), Ok(HostTurn::LookAgain));
    assert_eq!(
        turn(r#"{"status": "FINISH", "result": "Done."}"#),
        Ok(HostTurn::Finish("Done.".to_owned()))
    );
    assert_eq!(
        turn(r#"{"status": "FINISH", "comment": "Done."}"#),
        Ok(HostTurn::Finish("Done.".to_owned()))
    );
    assert_eq!(
        turn(r#"{"status": "FAIL", "result": "No."}"#),
        Ok(HostTurn::Fail("No.".to_owned()))
    );
}

#[test]
fn what_could_be_meant_in_two_ways_is_refused_with_the_reason() {
    for (text, why) in [
        ("", "no JSON object"),
        ("FINISH", "no JSON object"),
        ("}{", "JSON object"),
        (r#"{"status": "FINISH"}"#, "does not say what came"),
        (r#"{"status": "finish", "result": "x"}"#, "must be one of"),
        (r#"{"status": "FINISHED", "result": "x"}"#, "must be one of"),
        (r#"{"status": "NOT FINISH", "result": "x"}"#, "must be one of"),
        (r#"{"status": ["FINISH"], "result": "x"}"#, "not the one JSON object"),
        (r#"{"status": "FINISH", "status": "FAIL", "result": "x"}"#, "duplicate"),
        (r#"{"status": "FINISH", "result": "x"} {"status": "FAIL"}"#, "not the one JSON object"),
        (r#"{"status": "FINISH", "result": "x", "current_subtask": "y"}"#, "left"),
        (r#"{"status": "FINISH", "result": "x", "questions": ["y"]}"#, "left"),
        (r#"<think>At last {"status": "FINISH", "result": "x"}"#, "no end"),
        (r#"{"status": "FINISH", "result": "x"} once the note is written"#, "may contradict it"),
        (r#"I cannot say {"status": "FINISH", "result": "x"}"#, "middle of a sentence"),
        (r#"{"result": "x"}"#, "status"),
        (r#"{"status": "FAIL"}"#, "does not say why"),
        (r#"{"status": "PENDING"}"#, "no `questions`"),
        (r#"{"status": "PENDING", "questions": ["", null]}"#, "no `questions`"),
        (r#"{"status": "ASSIGN", "app": "com.chat"}"#, "`current_subtask` is empty"),
        (r#"{"status": "ASSIGN", "current_subtask": "x"}"#, "`app` is empty"),
        (r#"{"status": "ASSIGN", "current_subtask": "x", "app": "Bank"}"#, "no app \"Bank\""),
        (r#"{"status": "ASSIGN", "current_subtask": "x", "app": "notes"}"#, "com.a or com.b"),
        (r#"{"status": "ASSIGN", "current_subtask": ["x"], "app": "com.chat"}"#, "a string"),
        (
            r#"{"status": "ASSIGN", "current_subtask": "x", "app": "com.chat", "questions": ["y"]}"#,
            "one of the two",
        ),
        (
            r#"{"status": "ASSIGN", "current_subtask": "x", "app": "com.chat", "result": "y"}"#,
            "has a result",
        ),
        (
            r#"{"status": "ASSIGN", "current_subtask": "x", "app": "com.chat", "message": {"a": 1}}"#,
            "a list of strings",
        ),
    ] {
        let refused = turn(text).unwrap_err();
        assert!(refused.contains(why), "{text}: {refused}");
    }
    let long = json!({ "status": "FINISH", "result": "x".repeat(LONGEST + 1) }).to_string();
    assert!(turn(&long).unwrap_err().contains("longer than"));
}

#[test]
fn every_beginning_of_an_end_is_no_end() {
    let whole = r#"{"observation": "a", "status": "FINISH", "result": "Done."}"#;
    for length in 0..whole.len() {
        assert!(turn(&whole[..length]).is_err(), "{}", &whole[..length]);
    }
    assert!(turn(whole).is_ok());
}

proptest! {
    #[test]
    fn any_reply_is_read_without_fear(text in "\\PC{0,80}") {
        read(&reply(&text), &apps()).ok();
    }

    #[test]
    fn any_fields_are_read_without_fear(
        status in "(ASSIGN|FINISH|FAIL|PENDING|CONTINUE|\\PC{0,9})",
        fields in proptest::collection::btree_map(
            "(result|questions|app|message|plan|current_subtask|comment)",
            prop_oneof![
                Just(json!(null)), Just(json!([1])), Just(json!({})), Just(json!(7)),
                "\\PC{0,9}".prop_map(Value::from),
                proptest::collection::vec("\\PC{0,9}", 0..3).prop_map(Value::from),
            ],
            0..7,
        ),
    ) {
        let mut object = json!({ "status": status });
        for (name, value) in &fields {
            object[name] = value.clone();
        }
        // It ends only with the word and something to say.
        if let Ok(HostTurn::Finish(outcome)) = turn(&object.to_string()) {
            prop_assert_eq!(status.trim(), "FINISH");
            prop_assert!(!outcome.is_empty());
        }
    }
}
