//! What a person sees and types.
use crate::support::{
    Answer, Binary, FakeVlm, OnTerminal, complete, info, plugged_in, quick_phone,
};

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_d_at_the_demos_question_sends_nothing_and_the_session_goes_on() {
    let binary = Binary::alone().without_model();
    let mut demo = OnTerminal::start(&binary, &["demo"]);
    demo.wait_for("(Enter: Anna Berg)").await;
    demo.press("\u{4}");
    let (code, shown) = demo.end().await;
    assert_eq!(code, 3, "{shown}");
    assert!(shown.contains("has sent nothing"), "{shown}");
    let way_on = shown.lines().find(|line| line.contains("ayeaye continue")).expect(&shown);
    let id = way_on.split_whitespace().find(|word| word.len() == 36).unwrap();
    let done = binary.run(&["continue", &id[..18], "Anna Berg"]).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("Sent to Anna Berg"), "{}", done.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_in_the_demo_says_how_it_goes_on() {
    let binary = Binary::alone().without_model();
    let mut demo = OnTerminal::start(&binary, &["demo"]);
    demo.wait_for("Open Messages").await;
    demo.interrupt().await;
    let (code, shown) = demo.end().await;
    assert_eq!(code, 1, "{shown}");
    for said in ["pausing", "USER_PAUSED", "/sessions/", "ayeaye continue "] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_asked_at_the_terminal_and_waits_are_shown() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    let vlm = FakeVlm::start({
        let gate = gate.clone();
        move |_| Answer::Held(gate.clone(), info("Which Anna?"))
    })
    .await;
    let binary = Binary::with(adb, &vlm);
    let mut run = OnTerminal::start(&binary, &["run", "Tell Anna"]);
    run.wait_for("Waiting for the model").await;
    gate.notify_one();
    run.wait_for("answer").await;
    vlm.always(&complete("Told her."));
    run.press("\n");
    run.wait_for("or Ctrl-D to leave it open").await;
    run.press("Anna Berg\n");
    let (code, shown) = run.end().await;
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("done") && shown.contains("Told her."), "{shown}");
    // The line of the wait is erased before anything else is written.
    let after = shown.split("Waiting for the model").last().unwrap();
    assert!(after.contains("\r\u{1b}[K"), "{after:?}");
    assert!(vlm.asked().pop().unwrap().to_string().contains("Anna Berg"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_counts_for_the_question_that_was_shown_and_for_no_other() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("Which Anna?"))).await;
    let binary = Binary::with(adb, &vlm);
    let mut run = OnTerminal::start(&binary, &["run", "Tell Anna"]);
    run.wait_for("answer").await;
    // Somebody else is faster, and the session asks the next thing.
    vlm.always(&info("Shall it be sent to all?"));
    let elsewhere = binary.run(&["continue", "last", "Anna Berg"]).await;
    assert_eq!(elsewhere.code, 3, "{elsewhere:?}");
    vlm.always(&complete("Sent."));
    run.press("yes, the one in Bergen\n");
    run.wait_for("answered or given up elsewhere").await;
    run.wait_for("sent to all?").await;
    assert!(!vlm.asked().pop().unwrap().to_string().contains("Bergen"));
    run.press("only to her\n");
    let (code, shown) = run.end().await;
    assert_eq!(code, 0, "{shown}");
    let told = vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("only to her") && !told.contains("Bergen"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dumb_terminal_is_sent_no_escapes() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = Binary::with(adb, &vlm).set("TERM", "dumb");
    let (code, shown) = OnTerminal::start(&binary, &["run", "do it"]).end().await;
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn serve_tells_a_person_what_it_waits_for() {
    let mut serve = OnTerminal::start(&Binary::alone(), &["serve"]);
    serve.wait_for("ayeaye serves MCP on stdin and stdout").await;
    serve.wait_for("ayeaye install").await;
    serve.interrupt().await;
    let (code, shown) = serve.end().await;
    assert_eq!(code, 0, "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_where_a_secret_is_asked_for_leaves_the_terminal_as_it_was() {
    let binary = Binary::alone();
    let set = ["secret", "set", "bank", "--app", "com.example.bank"];
    let pair = ["pair", "127.0.0.1:37099"];
    for (arguments, prompt) in [(&set[..], "bank:"), (&pair, "Pairing code:")] {
        let mut asking = OnTerminal::start(&binary, arguments);
        let echo = asking.echo();
        asking.wait_for(prompt).await;
        assert!(!echo(), "{arguments:?}: a secret is not shown");
        asking.interrupt().await;
        let (code, shown) = asking.end().await;
        assert!(echo(), "{arguments:?}");
        assert_eq!(code, 1, "{arguments:?}: {shown}");
    }
    assert!(!binary.data.path().join("secrets.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_kept_as_it_was_typed() {
    let binary = Binary::alone();
    let arguments = ["secret", "set", "bank", "--app", "com.example.bank"];
    let mut asking = OnTerminal::start(&binary, &arguments);
    asking.wait_for("bank:").await;
    asking.press(" Quince 41 \n");
    let (code, shown) = asking.end().await;
    assert!(code == 0 && !shown.contains("Quince"), "{shown}");
    let kept = std::fs::read(binary.data.path().join("secrets.json")).unwrap();
    let kept: serde_json::Value = serde_json::from_slice(&kept).unwrap();
    assert_eq!(kept["bank"]["value"], " Quince 41 ");

    let mut asking = OnTerminal::start(&binary, &arguments);
    asking.wait_for("bank:").await;
    asking.press(b"Quince\xff\n");
    let (code, shown) = asking.end().await;
    assert!(code == 1 && shown.contains("UTF-8"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_for_a_secret_ends_with_its_last_letter() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("What is the password?"))).await;
    let mut run = OnTerminal::start(&Binary::with(adb, &vlm), &["run", "Sign in"]);
    run.wait_for("answer").await;
    vlm.always(&complete("Signed in."));
    run.press("Quince-41 \n");
    let (code, shown) = run.end().await;
    assert!(code == 0 && !shown.contains("Quince"), "{shown}");
    let asked = vlm.asked().pop().unwrap().to_string();
    assert!(asked.contains("Quince-41") && !asked.contains("Quince-41 "), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn install_writes_no_other_settings_than_it_has_shown() {
    let home = tempfile::tempdir().unwrap();
    let (client, settings) = (home.path().join(".cursor"), home.path().join(".config/ayeaye"));
    for folder in [&client, &settings] {
        std::fs::create_dir_all(folder).unwrap();
    }
    let (client, settings) = (client.join("mcp.json"), settings.join("ayeaye.toml"));
    std::fs::write(&client, "{}").unwrap();
    std::fs::write(&settings, "[run]\nmax-steps = 3\n").unwrap();
    let binary = Binary::bare()
        .set("HOME", home.path().to_str().unwrap())
        .set("AYEAYE_MODEL_NAME", "the-one-that-is-shown");
    let mut install = OnTerminal::start(&binary, &["install", "cursor"]);
    install.wait_for("Write this?").await;
    assert!(install.shown().contains("+ name = \"the-one-that-is-shown\""), "{}", install.shown());
    let meanwhile = "[run]\nmax-steps = 4\n";
    std::fs::write(&settings, meanwhile).unwrap();
    install.press("y\n");
    let (code, shown) = install.end().await;
    assert!(code == 1 && shown.contains("changed by another program"), "{code}: {shown}");
    assert_eq!(std::fs::read_to_string(&settings).unwrap(), meanwhile);
    assert_eq!(std::fs::read_to_string(&client).unwrap(), "{}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_names_no_client_has_installed_nothing() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".cursor")).unwrap();
    let binary = Binary::bare().set("HOME", home.path().to_str().unwrap());
    for nothing in ["\n", "\u{4}"] {
        let mut install = OnTerminal::start(&binary, &["install"]);
        install.wait_for("Which one?").await;
        install.press(nothing);
        let (code, shown) = install.end().await;
        assert!(code == 1 && shown.contains("Nothing was written."), "{code}: {shown}");
    }
}
