//! `ayeaye model try`: ten screens, what a model answers to each, and whether it is to be trusted.
use serde_json::{Value, json};

use crate::support::{Answer, Binary, CommandOutput, FakeVlm, abort, click, complete, gelab, info};

/// What the ten tasks say, and the right answers to them as GELab-Zero writes them.
fn right() -> [(&'static str, String); 10] {
    [
        ("conversation with Anna Bauer", click(300, 395)),
        ("Delete the note", click(737, 564)),
        ("menu with more options", click(932, 79)),
        (
            "as the title of this note",
            gelab("TYPE", "value:Dentist, 3 May, 14:30\tpoint:300,143", "typed"),
        ),
        ("About phone", gelab("SLIDE", "point1:500,800\tpoint2:500,300", "slid")),
        ("Open the app Clock", gelab("AWAKE", "value:Clock", "opened")),
        ("Switch Bluetooth on", complete("It is on.")),
        ("Write to Anna", info("Anna Bauer or Anna Berg?")),
        ("alarm for 7:15", abort("There is no such alarm.")),
        ("list of conversations", gelab("HOT_KEY", "value:BACK", "went back")),
    ]
}

/// The task that a request is about.
fn task_of(request: &Value, answers: &[(&'static str, String)]) -> usize {
    let text = request["messages"].to_string();
    answers.iter().position(|(task, _)| text.contains(task)).unwrap_or_else(|| panic!("{text}"))
}

/// The output without what differs between two runs: the address, and how long it took.
fn steady(ended: &CommandOutput, vlm: &FakeVlm) -> String {
    let out = ended.out.replace(&vlm.url(), "http://MODEL/v1");
    let words: Vec<&str> = out.split(' ').collect();
    let is_time = |at: usize| {
        let unit = words.get(at + 1).is_some_and(|next| matches!(*next, "s" | "s,"));
        unit && words[at].parse::<f64>().is_ok()
    };
    let all = words.iter().enumerate();
    all.map(|(at, word)| if is_time(at) { "0.0" } else { word }).collect::<Vec<_>>().join(" ")
}

fn with(vlm: &FakeVlm) -> Binary {
    let binary = Binary::alone().unset("AYEAYE_MODEL_BASE_URL");
    binary
        .set("AYEAYE_MODEL_BASE_URL", &vlm.url())
        .set("AYEAYE_MODEL_NAME", "gelab-zero-4b-preview")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_right_is_trusted() {
    let answers = right();
    let vlm =
        FakeVlm::start(move |request| Answer::Says(answers[task_of(request, &answers)].1.clone()))
            .await;
    let binary = with(&vlm);
    let folder = binary.data.path().join("pictures");
    let ended = binary.run(&["model", "try", "--pictures", folder.to_str().unwrap()]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    let shown = ended.out.split_once('\n').unwrap().1;
    let shown = CommandOutput { out: shown.to_owned(), ..ended };
    insta::assert_snapshot!(steady(&shown, &vlm));
    assert_eq!(vlm.asked_count(), 10, "one call for each");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 10);

    let priced = binary.set("AYEAYE_MODEL_INPUT_PRICE", "1").set("AYEAYE_MODEL_OUTPUT_PRICE", "2");
    let ended = priced.run(&["model", "try", "--json"]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    let document: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(document["trusted"], true);
    assert_eq!((&document["right"], &document["doubts"]), (&json!(10), &json!([])));
    assert!(0.0 < document["cost_usd"].as_f64().unwrap(), "{document}");
    let first = document["pictures"][0].as_object().unwrap();
    let keys: Vec<&str> = first.keys().map(String::as_str).collect();
    insta::assert_snapshot!(keys.join(" "));
}

/// UI-Venus names no field with a text, and opens an app by its icon here.
#[tokio::test(flavor = "multi_thread")]
async fn another_family_is_right_in_its_own_words() {
    let own = [
        "Click(box=(300, 395))",
        "Click(box=(737, 564))",
        "Click(box=(932, 79))",
        "Type(content='Dentist, 3 May, 14:30')",
        "Scroll(start=(500, 800), end=(500, 300))",
        "Click(box=(382, 690))",
        "Finished(content='It is on.')",
        "CallUser(content='Anna Bauer or Anna Berg?')",
        "CallUser(content='There is no alarm for 7:15. What shall I do?')",
        "PressBack()",
    ];
    let tasks = right();
    let vlm = FakeVlm::start(move |request| {
        let said = own[task_of(request, &tasks)];
        Answer::Says(format!("<think>I see.</think>\n<action>{said}</action>"))
    })
    .await;
    let ended =
        with(&vlm).run(&["model", "try", "--model-name", "UI-Venus-1.5-8B", "--json"]).await;
    assert_eq!(ended.code, 0, "{}", ended.err);
    let document: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((&document["profile"], &document["right"]), (&json!("ui-venus"), &json!(10)));
}

#[tokio::test(flavor = "multi_thread")]
async fn near_wrong_and_unreadable_answers_are_told_apart() {
    let mut answers = right();
    answers[2].1 = click(865, 79);
    answers[1].1 = click(480, 564);
    answers[4].1 = format!("I would scroll\u{1b}[2J. {}", "And on. ".repeat(100));
    answers[7].1 = complete("Anna knows now.");
    answers[9].1 = click(835, 79);
    let vlm =
        FakeVlm::start(move |request| Answer::Says(answers[task_of(request, &answers)].1.clone()))
            .await;
    let ended = with(&vlm).run(&["model", "try"]).await;
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(!ended.out.contains('\u{1b}') && ended.err.is_empty(), "{ended:?}");
    insta::assert_snapshot!(steady(&ended, &vlm));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_says_done_to_everything_is_not_trusted() {
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let ended = with(&vlm).run(&["model", "try", "--json"]).await;
    assert_eq!(ended.code, 1, "{ended:?}");
    let document: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((&document["right"], &document["wrong"]), (&json!(1), &json!(9)));
    assert_eq!(document["trusted"], false);
    assert!(
        ended.err.contains("it said that everything was done, but it was not"),
        "{}",
        ended.err
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_be_asked_ends_it_at_once() {
    let gone = Binary::alone().run(&["model", "try", "--json"]).await;
    assert!(gone.code == 1 && gone.out.is_empty(), "{gone:?}");
    assert!(gone.err.contains("http://127.0.0.1:1/v1 cannot be reached"), "{}", gone.err);
    assert!(gone.err.contains("hint: `ayeaye doctor` tells more"), "{}", gone.err);

    let denied = || Answer::Raw(401, "application/json", "{}".to_owned());
    let vlm = FakeVlm::start(move |_| denied()).await;
    let ended = with(&vlm).run(&["model", "try"]).await;
    assert!(ended.code == 1 && ended.err.contains("the key is missing, wrong"), "{ended:?}");
    assert_eq!(vlm.asked_count(), 1);
    vlm.then(vec![Answer::Says(click(1, 1)), Answer::Says(click(1, 1)), denied()]);
    let ended = with(&vlm).run(&["model", "try"]).await;
    assert!(ended.code == 1 && ended.err.contains("given up after 2 of 10 pictures"), "{ended:?}");
    assert_eq!(vlm.asked_count(), 4);

    vlm.now(|_| Answer::Silence);
    let ended = with(&vlm).set("AYEAYE_MODEL_TIMEOUT", "1s").run(&["model", "try"]).await;
    assert!(ended.code == 1 && ended.err.contains("gave no answer within 1.0 s"), "{ended:?}");
}
