//! Tasks that are done again: by the clock, under a name, and step by step.
use serde_json::Value;

use super::labelled;
use crate::support::{
    Answer, Binary, CommandOutput, FakeVlm, click, complete, gelab, info, one_by_one, plugged_in,
    quick_phone,
};

fn json(ended: &CommandOutput) -> Value {
    serde_json::from_str(&ended.out).unwrap_or_else(|err| panic!("{err}: {ended:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_follow_each_other_and_say_so() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = Binary::with(adb, &vlm);
    let ended = binary.run(&["run", "do it", "--every", "1s", "--times", "2"]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    for said in ["round 1 ", "round 2 ", "TASK_COMPLETED_SUCCESSFULLY (session ", "next      in "] {
        assert!(ended.out.contains(said), "{said}: {}", ended.out);
    }
    let listed = json(&binary.run(&["sessions", "list", "--json"]).await);
    assert_eq!(listed.as_array().unwrap().len(), 2, "a session for each");
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_stop_at_a_question_and_after_failures_in_a_row() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("Which one?"))).await;
    let binary = Binary::with(adb, &vlm);
    let asked = binary.run(&["run", "do it", "--every", "1s"]).await;
    assert_eq!(asked.code, 3, "{asked:?}");
    assert!(asked.out.contains("a question is waiting for its answer"), "{}", asked.out);
    let gone = binary.run(&["run", "do it", "--every", "1s", "--device", "nope"]).await;
    assert_eq!(gone.code, 1, "{gone:?}");
    assert!(gone.out.contains("3 rounds in a row have failed"), "{}", gone.out);
    for odd in [&["run", "x", "--every", "0s"][..], &["run", "x", "--times", "2"]] {
        assert_eq!(binary.run(odd).await.code, 2, "{odd:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_does_not_take_the_phone_while_no_model_is_there() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let binary = Binary::unconfigured(adb).set("AYEAYE_MODEL_BASE_URL", "http://127.0.0.1:1/v1");
    let gone = binary.run(&["run", "do it", "--every", "1s"]).await;
    assert_eq!(gone.code, 1, "{gone:?}");
    assert_eq!(gone.out.matches("could not begin").count(), 3, "{}", gone.out);
    assert!(gone.err.contains("cannot be reached"), "{}", gone.err);
    assert_eq!(json(&binary.run(&["sessions", "list", "--json"]).await), serde_json::json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_kept_shown_done_and_forgotten() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = Binary::with(adb, &vlm);
    let text = "Tell {person}: I am {minutes} minutes late";
    let kept = binary.run(&["task", "save", "late", text, "--max-steps", "7"]).await;
    assert_eq!((kept.code, labelled(&kept.out, "run it")), (0, "ayeaye"), "{kept:?}");
    let missing = binary.run(&["task", "run", "late", "--set", "person=Anna"]).await;
    assert_eq!(missing.code, 2, "{missing:?}");
    assert!(missing.err.contains("--set minutes=") && !missing.err.contains("--set person"));
    let blank = ["task", "run", "late", "--set", "minutes=10", "--set", "person= "];
    let blank = binary.run(&blank).await;
    assert!(blank.code == 2 && blank.err.contains("the task needs --set person=…"), "{blank:?}");
    let odd = binary.run(&["task", "run", "late", "--set", "persn=Anna"]).await;
    assert!(odd.code == 2 && odd.err.contains("person, minutes"), "{odd:?}");
    let twice =
        ["task", "run", "late", "--set", "person=A", "--set", "minutes=1", "--set", "person=B"];
    let twice = binary.run(&twice).await;
    assert!(twice.code == 2 && twice.err.contains("\"person\" is set twice"), "{twice:?}");
    let words = ["task", "run", "late", "--set", "person=Anna", "--set", "minutes=10", "--json"];
    let done = binary.run(&words).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(json(&done)["task"], "Tell Anna: I am 10 minutes late");
    let again = binary.run(&["task", "save", "again", "--from", "last"]).await;
    assert!(again.out.contains("again is kept: Tell Anna: I am 10 minutes late"), "{again:?}");
    let list = json(&binary.run(&["task", "list", "--json"]).await);
    assert_eq!(list["tasks"][0]["name"], "again");
    assert_eq!(list["tasks"][1]["slots"], serde_json::json!(["person", "minutes"]));
    let shown = binary.run(&["task", "show", "late"]).await;
    assert!(shown.out.contains("person, minutes") && shown.out.contains("late.json"), "{shown:?}");
    assert_eq!(binary.run(&["task", "rm", "late"]).await.code, 0);
    for gone in [&["task", "rm", "late"][..], &["task", "run", "late"], &["task", "show", "../x"]] {
        let ended = binary.run(gone).await;
        // What is no name is a wrong command line.
        let code = if gone.contains(&"../x") { 2 } else { 1 };
        assert_eq!(ended.code, code, "{gone:?}: {ended:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_run_did_is_done_again_without_a_model_or_handed_over() {
    let binary = Binary::alone().without_model();
    let first = binary.run(&["run", "Turn Wi-Fi off", "--virtual", "--json"]).await;
    assert_eq!(first.code, 0, "{first:?}");
    let steps = json(&first)["intermediate_logs"].as_array().unwrap().len();
    assert!(2 < steps, "{}", first.out);
    let kept = binary.run(&["task", "save", "routine", "--from", "last", "--steps"]).await;
    assert_eq!(kept.code, 0, "{kept:?}");
    let again = binary.run(&["task", "run", "routine", "--virtual", "--json"]).await;
    assert_eq!(again.code, 0, "{again:?}");
    let message = json(&again)["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("All steps of session "), "{message}");
    assert_eq!(deciders(&again), vec!["replay"; steps], "no model was asked");
    let model =
        binary.run(&["task", "run", "routine", "--without-steps", "--virtual", "--json"]).await;
    assert!(!deciders(&model).contains(&"replay".to_owned()), "{model:?}");

    // What was tapped then is called otherwise now: from there on the model does it, and the record says so.
    let file = binary.data.path().join("tasks/routine.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("Network & internet", "Nothing here")).unwrap();
    let handed_over = binary.run(&["task", "run", "routine", "--virtual", "--json"]).await;
    assert_eq!(handed_over.code, 0, "{handed_over:?}");
    let asked = deciders(&handed_over);
    assert!(asked[0] == "replay" && asked[1..].iter().all(|model| model != "replay"), "{asked:?}");
    assert!(!json(&handed_over)["message"].as_str().unwrap().starts_with("All steps of session "));
    let told = handed_over.err.lines().find(|line| line.starts_with("replay ")).unwrap_or_default();
    assert!(told.contains("is not repeated: \u{201c}Nothing here, "), "{handed_over:?}");
}

/// The models that were asked, as the record names them.
fn deciders(ended: &CommandOutput) -> Vec<String> {
    let record = json(ended)["record"].as_str().unwrap().to_owned();
    let events = std::fs::read_to_string(format!("{record}/events.jsonl")).unwrap();
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let asked = events.filter(|event| event["type"] == "llm.request");
    asked.map(|event| event["data"]["model"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_steps_need_no_model_until_one_does_not_fit() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(one_by_one(vec![
        Answer::Says(gelab("AWAKE", "value:Settings", "opened it")),
        Answer::Says(complete("Done.")),
    ]))
    .await;
    let binary = Binary::with(adb, &vlm);
    let first = binary.run(&["run", "Open the settings"]).await;
    assert_eq!(first.code, 0, "{first:?}");
    let kept = binary.run(&["task", "save", "routine", "--from", "last", "--steps"]).await;
    assert_eq!(kept.code, 0, "{kept:?}");
    let data = binary.data.path().to_str().unwrap();
    let alone = Binary::unconfigured(adb).set("AYEAYE_DATA_DIR", data);
    let again = alone.run(&["task", "run", "routine"]).await;
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.out.contains("the saved steps are done"), "{again:?}");
    let refused = alone.run(&["task", "run", "routine", "--without-steps"]).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("`ayeaye task run` needs one"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_kept_with_what_it_is_for_and_what_is_wrong_with_it_is_said() {
    let binary = Binary::alone().without_model();
    let odd = binary.run(&["task", "save", "bad", "Tell {Person} {"]).await;
    assert_eq!(odd.out.matches("no slot").count(), 2, "{odd:?}");
    binary.run(&["run", "Turn Wi-Fi off", "--virtual"]).await;
    let kept = binary.run(&["task", "save", "wifi", "--from", "last"]).await;
    assert!(kept.out.contains("ayeaye task run wifi --virtual"), "{kept:?}");
    for word in ["--planner", "--reply-mode=auto_reply"] {
        let refused = binary.run(&["run", "Turn Wi-Fi off", "--virtual", word]).await;
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.err.contains("the stand-in for a model only decides"), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_was_not_completed_has_no_steps_to_keep() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(click(300, 400))).await;
    let binary = Binary::with(adb, &vlm);
    binary.run(&["run", "do it", "--max-steps", "1"]).await;
    let refused = binary.run(&["task", "save", "x", "--from", "last", "--steps"]).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("has not carried out its task in one go"), "{}", refused.err);
    // A task that is said has no steps: with them it would take the place of one that has.
    let said = binary.run(&["task", "save", "x", "Do it", "--steps"]).await;
    assert!(said.code == 2 && said.err.contains("--steps"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn braces_in_the_task_of_a_session_are_no_slots() {
    let binary = Binary::alone().without_model();
    let text = "Note: pay {bob} back";
    let first = binary.run(&["run", text, "--virtual"]).await;
    assert_eq!(first.code, 0, "{first:?}");
    let from = ["task", "save", "br", "--from", labelled(&first.out, "session")];
    for how in [&["--steps"][..], &[]] {
        let kept = binary.run(&[&from[..], how].concat()).await;
        assert!(kept.code == 0 && !kept.out.contains("--set"), "{kept:?}");
        assert!(kept.out.contains("{bob} stays as it is"), "{kept:?}");
        let shown = json(&binary.run(&["task", "show", "br", "--json"]).await);
        assert_eq!(shown["slots"], serde_json::json!([]), "{shown}");
        let filled = ["task", "run", "br", "--virtual", "--set", "bob=Ann"];
        let refused = binary.run(&filled).await;
        assert!(refused.code == 2 && refused.err.contains("has no slot"), "{refused:?}");
        let done = binary.run(&["task", "run", "br", "--virtual", "--json"]).await;
        assert_eq!(done.code, 0, "{done:?}");
        assert_eq!(json(&done)["task"], text);
    }

    // Nor where it is written into the file: the steps would type what was said then.
    binary.run(&[&from[..], &["--steps"]].concat()).await;
    let file = binary.data.path().join("tasks/br.json");
    let kept = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, kept.replacen("pay {bob}", "pay {whom}", 1)).unwrap();
    let filled = ["task", "run", "br", "--virtual", "--set", "whom=Ann"];
    let refused = binary.run(&filled).await;
    assert!(refused.code == 2 && refused.err.contains("has no slot"), "{refused:?}");
}
