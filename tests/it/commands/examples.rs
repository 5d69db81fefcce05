//! The examples of all help pages work.
use std::process::Stdio;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::Child;

use crate::support::{
    Answer, Binary, FakeVlm, all_plugged_in, complete, info, plugged_in, quick_phone, within,
};

/// Every line of an `Examples:` block, with its page.
fn examples() -> Vec<(String, String)> {
    fn collect(command: &clap::Command, path: &str, into: &mut Vec<(String, String)>) {
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines = after.lines().filter(|line| line.starts_with("  ayeaye "));
        into.extend(lines.map(|line| (path.to_owned(), line.trim().to_owned())));
        for sub in command.get_subcommands() {
            collect(sub, &format!("{path} {}", sub.get_name()), into);
        }
    }
    let mut found = Vec::new();
    collect(&ayeaye::cli::command_line(None), "ayeaye", &mut found);
    found
}

/// The words behind `ayeaye`, as a shell would split them. What is said about an example stands apart
/// from it; what a shell does with the output is the shell's.
fn words(example: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut blanks) = (false, 0);
    for c in example.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => {
                blanks += 1;
                if blanks == 1 {
                    words.push(String::new());
                }
                continue;
            }
            _ if 1 < blanks => break,
            '|' | '>' if !quoted => break,
            _ => words.last_mut().unwrap().push(c),
        }
        blanks = 0;
    }
    words.retain(|word| !word.is_empty());
    words.remove(0);
    words
}

#[test]
fn examples_are_read_as_a_shell_reads_them() {
    let read = |text: &str| words(text).join("|");
    assert_eq!(read("ayeaye run 'do it' --virtual"), "run|do it|--virtual");
    assert_eq!(read("ayeaye continue     what it is"), "continue");
    assert_eq!(read("ayeaye man | man -l -"), "man");
    assert!(20 < examples().len(), "{:?}", examples());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_of_the_help_works() {
    let virtual_phone = quick_phone();
    let wireless = virtual_phone.also_as("192.168.1.20:41235");
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let (both, _other_guard) = all_plugged_in(vec![virtual_phone.clone(), wireless]).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let folder = tempfile::TempDir::new().unwrap();
    for (page, example) in examples() {
        let mut words = words(&example);
        for word in &mut words {
            match word.as_str() {
                "R58M12ABCDE" => virtual_phone.serial().clone_into(word),
                "127.0.0.1:8642" => "127.0.0.1:0".clone_into(word),
                "." | "my-trajectories" | "~/.local/share/man/man1" => {
                    *word = folder.path().join("out").to_str().unwrap().to_owned();
                }
                _ => {}
            }
        }
        let said = format!("{page}: {example}");
        match words[0].as_str() {
            // `the_demo_does_the_main_job_by_itself` runs the one. The other needs a phone that pairs, which
            // `phone_connect.rs` has.
            "demo" | "pair" => continue,
            // They write settings of other programs, or read or write folders, or want a model that sees:
            // `install.rs`, `model_prompt.rs` and `model_try.rs` run them, with what they need.
            "install" | "setup" | "model"
                if page.ends_with("import") || page.ends_with("try") || words[0] != "model" =>
            {
                let typed = std::iter::once("ayeaye".to_owned()).chain(words);
                let parsed = ayeaye::cli::command_line(None).try_get_matches_from(typed);
                assert!(parsed.is_ok(), "{said}: {parsed:?}");
                continue;
            }
            "connect" | "disconnect" => {
                let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
                let ended = Binary::unconfigured(both).run(&arguments).await;
                assert_eq!(ended.code, 0, "{said}: {ended:?}");
                continue;
            }
            "bench" => {
                words.retain(|word| word != "--rounds" && word != "30");
                words.extend(["--rounds", "1"].map(str::to_owned));
            }
            "phone" => {
                // Its own port may be taken here.
                words.extend(["--port", "0"].map(str::to_owned));
                serves(&binary, &words, &said).await;
                continue;
            }
            "serve" | "ui" => {
                serves(&binary, &words, &said).await;
                continue;
            }
            "continue" => {
                vlm.always(&info("Which one?"));
                let asked = binary.run(&["run", "do it"]).await;
                let id = super::labelled(&asked.out, "session");
                if let Some(word) = words.iter_mut().find(|word| *word == "0192f3a1") {
                    id[..23].clone_into(word);
                }
                vlm.always(&complete("Done."));
                if words.len() < 3 {
                    words.extend(
                        ["last", "this one"].map(str::to_owned).into_iter().skip(words.len() - 1),
                    );
                }
            }
            // A planner decides by itself that there is nothing left to do.
            _ if words.contains(&"--planner".to_owned()) => {
                vlm.always(
                    &json!({ "status": "FINISH", "result": "Done.", "plan": [] }).to_string(),
                );
            }
            "task" if words.contains(&"--from".to_owned()) => {
                // What it did can be kept only of a run that went through in one go.
                vlm.always(&complete("Done."));
                assert_eq!(binary.run(&["run", "do it"]).await.code, 0, "{said}");
            }
            _ => vlm.always(&complete("Done.")),
        }
        if words.contains(&"--every".to_owned()) {
            words.extend(["--times", "1"].map(str::to_owned));
        }
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        // Who has configured nothing tries the virtual phone.
        let bare = Binary::alone().without_model();
        let by = if words.contains(&"--virtual".to_owned()) { &bare } else { &binary };
        let input = if example.starts_with("ayeaye secret set") { "Quince-41" } else { "" };
        let ended = by.run_with_input(&arguments, input).await;
        let may_fail = words[0] == "doctor"; // it finds that the fake model sees nothing
        assert!(ended.code == 0 || may_fail && ended.code == 1, "{said}: {ended:?}");
    }
}

/// A server that ends when its client goes, or when it is told to.
async fn serves(binary: &Binary, words: &[String], said: &str) {
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = binary.command(&arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (out, log) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    if words[0] == "phone" || words[0] == "ui" {
        stopped_after(&mut child, out, "Ctrl-C", said).await;
    } else if words.contains(&"--http".to_owned()) {
        stopped_after(&mut child, log, "MCP at ", said).await;
    }
    let status = within(20, said, child.wait()).await.unwrap();
    assert_eq!(status.code(), Some(0), "{said}");
}

/// Tells a server to end once it has said that it is ready.
async fn stopped_after(child: &mut Child, log: impl AsyncRead + Unpin, ready: &str, said: &str) {
    let mut log = BufReader::new(log).lines();
    within(20, said, async {
        while !log.next_line().await.unwrap().expect("it goes on").contains(ready) {}
    })
    .await;
    let pid = child.id().unwrap().to_string();
    tokio::process::Command::new("kill").args(["-TERM", &pid]).status().await.unwrap();
}
