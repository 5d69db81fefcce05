//! What `check` finds out about endpoints and models in trouble.
use serde_json::json;

use super::fake::{Act, Fake, JSON, http, says};
use super::{LIMIT, config, model};
use crate::{CheckSubject, ModelConfig, ModelList, Profile, Reach, RemoteModel, Severity};

async fn checked(answers: Vec<Act>) -> Vec<(CheckSubject, Severity, String)> {
    let fake = Fake::start(answers).await;
    let findings = model(&fake).check().await;
    findings.into_iter().map(|f| (f.subject, f.verdict, f.text)).collect()
}

#[tokio::test]
async fn a_profile_that_was_chosen_is_not_doubted() {
    for (profile, doubts) in [(None, 1), (Some(Profile::GENERIC), 0), (Some(Profile::GELAB), 0)] {
        let fake = Fake::start(vec![http("401 Unauthorized", JSON, "{}")]).await;
        let config = ModelConfig { name: "house-model".to_owned(), profile, ..config(&fake) };
        let findings = RemoteModel::new(config).unwrap().check().await;
        let doubted = findings.iter().filter(|it| it.subject == CheckSubject::Profile);
        assert_eq!(doubted.count(), doubts, "{profile:?}: {findings:?}");
    }
}

#[tokio::test]
async fn a_check_finds_what_is_wrong() {
    let list = |name: &str| http("200 OK", JSON, json!({"data": [{"id": name}]}).to_string());
    let tap = |point: &str| says(&format!("explain:e\taction:CLICK\tpoint:{point}\tsummary:s"));
    let found = checked(vec![list("gelab-fake"), tap("700,865")]).await;
    assert!(found.iter().all(|(_, verdict, _)| *verdict == Severity::Ok), "{found:?}");
    assert_eq!(found.len(), 3);

    let found = checked(vec![list("other"), tap("700,930")]).await;
    assert_eq!(found[1].0, CheckSubject::ModelName);
    assert!(found[1].2.contains("is not the one model offered: “other”"), "{found:?}");
    assert_eq!((found[2].0, found[2].1), (CheckSubject::Vision, Severity::Warning), "{found:?}");

    // A list and nothing around it.
    let many: Vec<_> = (0..9).map(|at| json!({"id": format!("m{at}")})).collect();
    let bare = http("200 OK", JSON, json!(many).to_string());
    let found = checked(vec![bare, tap("700,865")]).await;
    assert!(found[1].2.contains("among the 9 models offered: “m0”"), "{found:?}");
    assert!(found[1].2.ends_with("“m7” and 1 more"), "{found:?}");

    let found = checked(vec![http("404 Not Found", "", ""), tap("370,380")]).await;
    assert_eq!(found[0].1, Severity::Ok, "{found:?}");
    assert_eq!(found[1].1, Severity::Error, "{found:?}");
    assert!(found[1].2.contains("crop or scale"), "{found:?}");

    let page = http("200 OK", "content-type: text/html\r\n", "<!doctype html>");
    let found = checked(vec![page, tap("700,865")]).await;
    assert_eq!(found[0].1, Severity::Warning, "a web page is no list of models: {found:?}");
    assert_eq!(found[1].1, Severity::Ok, "{found:?}");

    let found = checked(vec![list("gelab-fake"), says("I see a red square.")]).await;
    assert_eq!((found[2].0, found[2].1), (CheckSubject::Vision, Severity::Error), "{found:?}");

    // Pixels of the picture that was sent, 1080x2400, for the middle of the mark.
    for (point, part) in [("756,2076", "as pixels"), ("865,700", "as yx:0-1000")] {
        let found = checked(vec![list("gelab-fake"), tap(point)]).await;
        assert_eq!((found[2].0, found[2].1), (CheckSubject::Vision, Severity::Error), "{found:?}");
        assert!(found[2].2.contains(part), "{found:?}");
        assert!(found[2].2.contains("ayeaye model calibrate"), "{found:?}");
    }

    for (answer, part) in [
        (says("Sorry, I cannot see any image here."), "sees no picture"),
        (
            http("400 Bad Request", JSON, r#"{"error":{"message":"m is not a multimodal model"}}"#),
            "takes no pictures",
        ),
        (
            http(
                "400 Bad Request",
                JSON,
                r#"{"error":{"message":"the maximum context length is 2048 tokens"}}"#,
            ),
            "longer than the model's context",
        ),
        (
            http("404 Not Found", JSON, r#"{"error":{"message":"model not found"}}"#),
            "the model's name is wrong",
        ),
        (
            http(
                "400 Bad Request",
                JSON,
                r#"{"error":{"message":"Invalid model name passed in model=m. Call `/v1/models`"}}"#,
            ),
            "the model's name is wrong",
        ),
    ] {
        let found = checked(vec![list("gelab-fake"), answer]).await;
        assert_eq!((found[2].0, found[2].1), (CheckSubject::Vision, Severity::Error), "{found:?}");
        assert!(found[2].2.contains(part), "{found:?}");
    }

    // The path is right, since the list came from there.
    let unknown = http("404 Not Found", JSON, r#"{"error":{"message":"model not found"}}"#);
    let found = checked(vec![list("other"), unknown]).await;
    assert!(found[2].2.contains("set model.name to one of those"), "{found:?}");
    assert!(!found[2].2.contains("/v1 and"), "{found:?}");

    let call = json!({"choices": [{"message": {"role": "assistant", "content": "", "tool_calls": [
        {"id": "1", "function": {"name": "tap_it", "arguments": "{\"at\": 5}"}}
    ]}}]});
    let found = checked(vec![list("gelab-fake"), http("200 OK", JSON, call.to_string())]).await;
    assert!(found[2].2.contains("tap_it {\"at\": 5}"), "a call is told too: {found:?}");

    let found = checked(vec![http("401 Unauthorized", JSON, "{}")]).await;
    let [(CheckSubject::Connection, Severity::Error, text)] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(text.contains("set AYEAYE_MODEL_API_KEY"), "{text}");
}

#[tokio::test]
async fn who_can_list_no_models_is_asked_all_the_same() {
    let tap = says("explain:e\taction:CLICK\tpoint:700,865\tsummary:s");
    for (list, part) in [
        (http("200 OK", JSON, r#"{"object":"list","data":[]}"#), "its list of models is empty"),
        (http("500 Internal Server Error", "", "Internal Server Error"), "cannot list its models"),
        (http("200 OK", JSON, r#"{"data":[{"id":"a""#), "no whole JSON (EOF"),
        (http("200 OK", "", "ok"), "no whole JSON (expected value"),
    ] {
        let found = checked(vec![list.clone(), tap.clone()]).await;
        let [(CheckSubject::Connection, Severity::Warning, text), (_, Severity::Ok, sees)] =
            &found[..]
        else {
            panic!("{found:?}")
        };
        assert!(text.contains(part) && sees.contains("found a mark"), "{found:?}");
        let fake = Fake::start(vec![list]).await;
        let offered = model(&fake).offered().await.unwrap();
        assert!(matches!(offered, ModelList::Unlisted | ModelList::Names(_)), "{offered:?}");
    }
}

#[tokio::test]
async fn a_model_is_offered_by_its_other_names_too() {
    let list = json!({"data": [{"id": "a", "aliases": ["a", "gelab-fake"]}]});
    let tap = says("explain:e\taction:CLICK\tpoint:700,865\tsummary:s");
    let found = checked(vec![http("200 OK", JSON, list.to_string()), tap]).await;
    assert!(found.iter().all(|(_, verdict, _)| *verdict == Severity::Ok), "{found:?}");
}

#[tokio::test]
async fn a_list_that_goes_on_says_nothing_of_what_is_not_on_its_first_page() {
    let tap = says("explain:e\taction:CLICK\tpoint:700,865\tsummary:s");
    for (list, end, verdict) in [
        (json!({"models": [{"name": "models/a"}], "nextPageToken": "x"}), false, Severity::Ok),
        (json!({"data": [{"id": "a"}], "has_more": true}), false, Severity::Ok),
        (json!({"models": [{"name": "models/a"}], "nextPageToken": ""}), true, Severity::Warning),
        (json!({"data": [{"id": "a"}], "has_more": false}), true, Severity::Warning),
    ] {
        let answer = http("200 OK", JSON, list.to_string());
        let found = checked(vec![answer.clone(), tap.clone()]).await;
        assert_eq!((found[1].0, found[1].1), (CheckSubject::ModelName, verdict), "{found:?}");
        assert_eq!(found[1].2.contains("first page"), !end, "{found:?}");
        let fake = Fake::start(vec![answer]).await;
        let reach = model(&fake).reach(LIMIT).await;
        assert_eq!(reach == Reach::NotOffered, end, "{list}: {reach:?}");
    }
}

#[tokio::test]
async fn a_long_list_is_read_to_its_end() {
    let mut models: Vec<_> =
        (0..600).map(|at| json!({"id": format!("vendor/a-model-of-many-{at}")})).collect();
    models.push(json!({"id": "gelab-fake"}));
    let list = json!({ "data": models }).to_string();
    let fake = Fake::start(vec![http("200 OK", JSON, &list)]).await;
    // Longer than any reply of a model may be.
    assert!(config(&fake).limits.reply < list.len());
    assert_eq!(model(&fake).reach(LIMIT).await, Reach::Offered);
}

#[tokio::test]
async fn services_that_list_by_pages_are_asked_for_long_ones() {
    for (profile, query) in
        [(Profile::GEMINI, "?pagesize=1000 "), (Profile::CLAUDE, "?limit=1000 ")]
    {
        let fake = Fake::start(vec![http("404 Not Found", "", "")]).await;
        let config = ModelConfig { profile: Some(profile), ..config(&fake) };
        RemoteModel::new(config).unwrap().reach(LIMIT).await;
        let head = fake.seen().remove(0).head;
        assert!(head.lines().next().unwrap().contains(query), "{head}");
    }
}
