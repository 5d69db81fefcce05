//! The command line as a person and a script use it.
mod bench;
mod examples;
mod json;
#[cfg(unix)]
mod on_a_terminal;
mod repeats;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;

use ayeaye_phone::{AdbServer, Phone, PhoneOptions, VirtualPhone};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::{
    Answer, Binary, CommandOutput, FakeVlm, click, complete, info, one_by_one, plugged_in,
    quick_phone, within,
};

/// The word behind this label in what a command has printed.
pub fn labelled<'a>(out: &'a str, label: &str) -> &'a str {
    let line = out.lines().find_map(|line| line.strip_prefix(&format!("{label:<9} ")));
    line.unwrap_or_else(|| panic!("{label}: {out}")).split_whitespace().next().unwrap()
}

/// Whether a text speaks of tools, which nobody can call from a terminal.
fn names_a_tool(text: &str) -> bool {
    let tools = ["ask_agent", "list_connected", "list_sessions", "get_session", "stop_task"];
    tools.iter().any(|tool| text.contains(tool))
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_commands_speak_of_commands() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let nobody = "01900000-0000-7000-8000-000000000000";
    for (arguments, said) in [
        (&["run", "x", "--device", "nope"][..], "`ayeaye devices` shows"),
        (&["sessions", "rm", nobody], "`ayeaye sessions list` shows"),
        (&["sessions", "show", nobody], "`ayeaye sessions list` shows"),
        (&["sessions", "show", "0190"], "`ayeaye sessions list` shows"),
        (&["continue", nobody, "yes"], "`ayeaye sessions list` shows"),
        (&["continue"], "`ayeaye sessions list` shows"),
    ] {
        let ended = binary.run(arguments).await;
        assert_eq!(ended.code, 1, "{arguments:?}: {ended:?}");
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
        assert!(!names_a_tool(&ended.err) && !names_a_tool(&ended.out), "{ended:?}");
    }
    let odd = binary.run(&["sessions", "show", "../x"]).await;
    assert!(odd.code == 2 && !names_a_tool(&odd.err), "{odd:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_device_the_only_phone_is_used() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let ended = Binary::with(adb, &vlm).run(&["run", "do it"]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(labelled(&ended.out, "phone"), virtual_phone.serial());
    assert!(ended.out.contains("(1 step)"), "{}", ended.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_phones_one_must_be_named() {
    let phone = |serial: &str| {
        let options = PhoneOptions { serial: serial.to_owned(), ..PhoneOptions::default() };
        VirtualPhone::new(Phone::new(options))
    };
    let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = AdbServer::bind(anywhere, vec![phone("one"), phone("two")]).await.unwrap();
    let adb = server.local_addr().unwrap();
    let down = CancellationToken::new();
    let _guard = down.clone().drop_guard();
    tokio::spawn(server.serve(down));
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let ended = Binary::with(adb, &vlm).run(&["run", "do it"]).await;
    assert_eq!(ended.code, 2, "{ended:?}");
    for said in ["--device", "\n  one ", "\n  two "] {
        assert!(ended.err.contains(said), "{said:?}: {}", ended.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_continued_from_the_terminal() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("Which Anna?"))).await;
    let binary = Binary::with(adb, &vlm);
    let asked = binary.run(&["run", "Tell Anna"]).await;
    assert_eq!(asked.code, 3, "{asked:?}");
    let id = labelled(&asked.out, "session").to_owned();
    assert!(asked.out.contains(&format!("ayeaye continue {id} ")), "{}", asked.out);

    // Without an answer the question is asked again, and nobody is there.
    let again = binary.run(&["continue"]).await;
    assert_eq!(again.code, 3, "{again:?}");
    assert!(again.out.contains(&id) && again.out.contains("Which Anna?"), "{}", again.out);

    vlm.always(&complete("Told her."));
    let prefix = &id[..23];
    let done = binary.run(&["continue", prefix, "Anna Berg"]).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(vlm.asked().pop().unwrap().to_string().contains("Anna Berg"));
    let nothing = binary.run(&["continue"]).await;
    assert!(nothing.code == 1 && nothing.err.contains("no session is waiting"), "{nothing:?}");

    // What has ended takes the next task, and shows its last result without one.
    let next = binary.run(&["continue", "last", "Tell Ben too"]).await;
    assert_eq!(next.code, 0, "{next:?}");
    assert!(vlm.asked().pop().unwrap().to_string().contains("Tell Ben too"));
    let asked_so_far = vlm.asked_count();
    let shown = binary.run(&["continue", &id]).await;
    assert!(shown.code == 0 && shown.out.contains("Told her."), "{shown:?}");
    assert!(shown.out.contains("nothing is done now"), "{}", shown.out);
    assert_eq!(vlm.asked_count(), asked_so_far);

    // Every step of all its runs.
    let shown = binary.run(&["sessions", "show", "last"]).await;
    for step in ["   1  Ask: Which Anna?", "   2  Done: ", "   3  Done: "] {
        assert!(shown.out.contains(step), "{step}: {}", shown.out);
    }
    // Each below the request that it was done for.
    let (first, second) = shown.out.split_once("request 2 Tell Ben too\n").expect(&shown.out);
    let first = first.split_once("request 1 ").expect(&shown.out).1;
    assert!(first.contains("   2  Done: ") && !first.contains("   3  "), "{}", shown.out);
    assert!(second.contains("   3  Done: ") && !second.contains("   2  "), "{}", shown.out);
    let json = binary.run(&["sessions", "show", "last", "--json"]).await.out;
    let requests = &serde_json::from_str::<Value>(&json).unwrap()["requests"];
    assert_eq!(requests[1], json!({ "text": "Tell Ben too", "first_step": 2 }));
    assert_eq!(requests[0]["first_step"], 0, "{requests}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_answer_may_be_the_number_of_an_option_too() {
    let binary = Binary::alone().without_model();
    let asked = binary.run(&["run", "Buy some sandals up to €29.99", "--virtual"]).await;
    assert!(asked.code == 3 && asked.out.contains("2. 39"), "{asked:?}");
    let kept = binary.run(&["sessions", "answer", "last", "2"]).await;
    assert!(kept.code == 0 && labelled(&kept.out, "answer") == "39", "{kept:?}");
    let done = binary.run(&["continue", "last", "2"]).await;
    assert!(done.code == 0 && done.out.contains("size 39"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_of_no_option_is_refused_and_the_question_stays_open() {
    let binary = Binary::alone().without_model();
    let told = "In Messages, tell Anna: I am late";
    let asked = binary.run_with_input(&["run", told, "--virtual"], "3\n").await;
    assert!(asked.code == 3 && asked.out.contains("there are 2 options"), "{asked:?}");
    for command in [&["continue", "last", "3"][..], &["sessions", "answer", "last", "9"]] {
        let refused = binary.run(command).await;
        assert!(refused.code == 1, "{refused:?}");
        for said in
            ["not one of the question's 2 options", "Anna Bauer", "Anna Berg", "hint: answer with"]
        {
            assert!(refused.err.contains(said), "{said}: {refused:?}");
        }
    }
    let done = binary.run(&["continue", "last", "2"]).await;
    assert!(done.code == 0 && done.out.contains("Sent to Anna Berg"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_given_up_takes_a_task_also_after_an_act_of_the_client() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("Which Anna?"))).await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_MCP_TOOLS", "all");
    let asked = binary.run(&["run", "Tell Anna"]).await;
    let session = json!({ "session_id": labelled(&asked.out, "session") });
    let mut server = binary.raw().await;
    assert_eq!(server.facts("stop_task", session.clone()).await["stop_reason"], "CANCELLED");
    let home = json!({ "session_id": session["session_id"], "device_id": virtual_phone.serial(), "key": "HOME" });
    server.facts("press_key", home).await;
    server.kill().await;
    vlm.always(&complete("Told Ben."));
    let next = binary.run(&["continue", labelled(&asked.out, "session"), "Tell Ben"]).await;
    assert_eq!(next.code, 0, "{next:?}");
    assert!(vlm.asked().pop().unwrap().to_string().contains("Tell Ben"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_left_is_taken_when_the_session_goes_on() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("Which Anna?"))).await;
    let binary = Binary::with(adb, &vlm);
    binary.run(&["run", "Tell Anna"]).await;
    let mistaken = binary.run(&["sessions", "answer", "last", "Anna Bergg"]).await;
    assert!(mistaken.code == 0 && mistaken.out.contains("kept "), "{mistaken:?}");
    let left = binary.run(&["sessions", "answer", "last", "Anna Chen"]).await;
    assert!(left.code == 0 && left.out.contains("ayeaye continue"), "{left:?}");
    assert!(left.out.contains("replaced "), "{left:?}");
    let shown = binary.run(&["sessions", "show", "last"]).await;
    assert!(shown.out.contains("Anna Chen") && !shown.out.contains("YOUR ANSWER"), "{shown:?}");
    assert!(!shown.out.contains("Bergg"), "the later answer counts: {shown:?}");
    vlm.always(&complete("Told her."));
    let done = binary.run(&["continue"]).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(vlm.asked().pop().unwrap().to_string().contains("Anna Chen"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_a_secret_is_shown_nowhere() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("What is the password?"))).await;
    let binary = Binary::with(adb, &vlm);
    let data = binary.data.path().to_str().unwrap();
    let asked = binary.run(&["run", "Sign in", "--data-dir", data]).await;
    let id = labelled(&asked.out, "session");
    let way_on = format!("go on     ayeaye --data-dir {data} continue {id}   (asks for it");
    assert!(asked.out.contains(&way_on), "no shell keeps it: {asked:?}");
    let left = binary.run(&["sessions", "answer", "last", "Quince-41"]).await;
    let shown = binary.run(&["sessions", "show", "last"]).await;
    for told in [&left, &shown] {
        assert!(told.code == 0 && !told.out.contains("Quince"), "{told:?}");
        assert!(told.out.contains("asked for as a secret"), "{told:?}");
    }
}

#[tokio::test]
async fn a_secret_is_not_kept_for_what_is_no_app_and_no_host_and_the_way_out_is_said() {
    let binary = Binary::alone();
    for (host, why) in [
        (".example.org", "write example.org"),
        ("example.org.", "write example.org"),
        ("127.1", "write 127.0.0.1"),
        ("a..b", "is not a host"),
    ] {
        let set = ["secret", "set", "bank", "--app", "com.example.bank", "--host", host];
        let refused = binary.run_with_input(&set, "Quince-41").await;
        assert!(refused.code == 2 && refused.err.contains(why), "{host}: {refused:?}");
    }
    for (app, typed, code, way_out) in [
        ("bank", "Quince-41", 2, "adb shell pm list packages"),
        ("com.example.bank", "", 1, "ayeaye secret set --help"),
        ("com.example.bank", "\u{feff}\r\n", 1, "ayeaye secret set --help"),
    ] {
        let set = ["secret", "set", "bank", "--app", app];
        let refused = binary.run_with_input(&set, typed).await;
        assert!(refused.code == code && refused.err.contains(way_out), "{app}: {refused:?}");
    }
    assert!(!binary.data.path().join("secrets.json").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_in_a_queue_is_told_from_one_that_runs() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    // The second question is never answered.
    let vlm = FakeVlm::start(one_by_one(vec![Answer::Says(click(300, 400))])).await;
    let binary = Binary::with(adb, &vlm);
    let begin = |args: &[&str]| {
        let mut command = binary.command(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap()
    };
    let first = begin(&["run", "do it now"]);
    vlm.is_asked(2).await;
    let shown = binary.run(&["sessions", "show", "last"]).await;
    assert!(shown.out.contains("running") && !shown.out.contains("stopped"), "{shown:?}");
    let second = begin(&["run", "do it later", "--queue"]);
    let listed = within(20, "the second in its queue", async {
        loop {
            let listed = binary.run(&["sessions", "list"]).await.out;
            if listed.contains("queued") {
                return listed;
            }
        }
    })
    .await;
    for (task, state) in [("do it now", "running"), ("do it later", "queued")] {
        let line = listed.lines().find(|line| line.ends_with(task)).unwrap();
        assert!(line.contains(state), "{listed}");
    }
    let shown = binary.run(&["sessions", "show", "last"]).await;
    assert!(shown.out.contains("place 1 in its queue"), "{shown:?}");
    assert!(!shown.out.contains("stopped"), "{shown:?}");
    for child in [second, first] {
        let pid = child.id().unwrap().to_string();
        let sent =
            tokio::process::Command::new("kill").args(["-INT", &pid]).status().await.unwrap();
        assert!(sent.success());
        let ended = within(20, "the end", child.wait_with_output()).await.unwrap();
        let out = String::from_utf8(ended.stdout).unwrap();
        assert_eq!(out.contains("place 1 in its queue"), out.contains("do it later"), "{out}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_pauses_a_run_and_says_how_it_goes_on() {
    pauses_at("-INT").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisors_signal_pauses_a_run_too() {
    pauses_at("-TERM").await;
}

async fn pauses_at(signal: &str) {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(one_by_one(vec![Answer::Says(click(300, 400))])).await;
    let binary = Binary::with(adb, &vlm);
    let mut command = binary.command(&["run", "do it"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    vlm.is_asked(2).await;
    let pid = child.id().unwrap().to_string();
    let sent = tokio::process::Command::new("kill").args([signal, &pid]).status().await.unwrap();
    assert!(sent.success());
    let ended = within(20, "the end", child.wait_with_output()).await.unwrap();
    let out = String::from_utf8(ended.stdout).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{signal}: {out}");
    let id = labelled(&out, "session");
    assert!(out.contains("pausing") && out.contains("USER_PAUSED"), "{out}");
    assert!(out.contains(&format!("go on     ayeaye continue {id}")), "{out}");
    vlm.always(&complete("Done."));
    let done = binary.run(&["continue"]).await;
    assert!(done.code == 0 && done.out.contains(id), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_named_by_the_beginning_of_their_ids() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = Binary::with(adb, &vlm).set("TZ", "JST-9");
    let mut ids = Vec::new();
    for task in ["one", "two"] {
        let ended = binary.run(&["run", task]).await;
        ids.push(labelled(&ended.out, "session").to_owned());
    }
    let both = binary.run(&["sessions", "show", &ids[0][..4]]).await;
    assert_eq!(both.code, 1, "{both:?}");
    assert!(ids.iter().all(|id| both.err.contains(id)), "{}", both.err);
    let list = binary.run(&["sessions", "list", "--limit", "1"]).await;
    assert_eq!(list.out.lines().count(), 1, "{}", list.out);
    assert!(list.out.starts_with(&ids[1]) && list.out.contains(" JST  "), "{}", list.out);
    // The latest, and what `last` means is settled before anything is removed.
    let removed = binary.run(&["sessions", "rm", "last", "last", &ids[1]]).await;
    assert_eq!(removed.code, 0, "{removed:?}");
    assert_eq!(removed.out.matches("removed").count(), 1, "{}", removed.out);
    assert!(removed.out.contains(&format!("{}   two", ids[1])), "{}", removed.out);
    let left = binary.run(&["sessions", "list"]).await;
    assert!(left.out.contains(&ids[0]) && !left.out.contains(&ids[1]), "{}", left.out);
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_written_is_a_failure() {
    let binary = Binary::alone();
    for arguments in [&["sessions", "list", "--json"][..], &["config"], &["--help"], &["man"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = output(&binary, arguments, Stdio::from(full)).await;
        assert_eq!(ended.code, 1, "{arguments:?}: {ended:?}");
        assert!(ended.err.contains("No space left"), "{arguments:?}: {}", ended.err);
        // Whoever closes a pipe has read enough.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = output(&binary, arguments, Stdio::from(writer)).await;
        assert_eq!((ended.code, ended.err.as_str()), (1, ""), "{arguments:?}");
    }
    // Nor does a client hear a server. One that reads no more has left, though its end of the input is open.
    let (reader, gone) = std::io::pipe().unwrap();
    drop(reader);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for (stdout, code) in [(Stdio::from(full), 1), (Stdio::from(gone), 0)] {
        let mut command = binary.command(&["serve"]);
        command.stdin(Stdio::piped()).stdout(stdout).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(command);
        let mut input = child.stdin.take().unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut input, b"no message\n").await.unwrap();
        let ended = within(20, "a server", child.wait_with_output()).await.unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(code), "{said}");
        assert_eq!(said.contains("nothing can be written to stdout"), code == 1, "{said}");
        drop(input);
    }
    // A command that ends with a code of its own keeps it, and says so too.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = output(&binary, &["doctor"], Stdio::from(full)).await;
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.err.contains("No space left"), "{}", ended.err);
}

#[cfg(target_os = "linux")]
async fn output(binary: &Binary, arguments: &[&str], stdout: Stdio) -> CommandOutput {
    let mut command = binary.command(arguments);
    command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    drop(command);
    let ended = within(20, "a command", child.wait_with_output()).await.unwrap();
    CommandOutput {
        code: ended.status.code().expect("it ended by itself"),
        out: String::new(),
        err: String::from_utf8(ended.stderr).unwrap(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_without_adb_says_once_how_to_get_it() {
    let doctor = Binary::alone().run(&["doctor"]).await;
    assert_eq!(doctor.code, 1);
    let line = doctor.out.lines().find(|line| line.contains("no adb program")).unwrap();
    assert!(line.starts_with("PROBLEM  adb"), "{}", doctor.out);
    assert_eq!(doctor.out.matches("install Android platform-tools").count(), 1, "{}", doctor.out);
    assert!(!doctor.out.contains("ayeaye doctor"), "{}", doctor.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_that_the_disk_is_too_full_for_a_session() {
    let binary = Binary::alone().set("AYEAYE_JOURNAL_MIN_FREE", "1000000GiB");
    let doctor = binary.run(&["doctor"]).await;
    let (problem, hint) =
        doctor.out.split_once("PROBLEM  data").expect(&doctor.out).1.split_once("->").unwrap();
    assert!(problem.contains("needs 1024000000 MiB (journal.min-free)"), "{}", doctor.out);
    assert!(hint.contains("ayeaye sessions du"), "{}", doctor.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_why_no_keys_of_an_issuer_are_there() {
    let none = Binary::alone().run(&["doctor"]).await;
    assert!(!none.out.contains("issuer"), "{}", none.out);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let binary = Binary::alone().set("AYEAYE_HTTP_ISSUER", &format!("http://{closed}/realm"));
    let doctor = binary.run(&["doctor", "--json"]).await;
    let told: Value = serde_json::from_str(&doctor.out).unwrap();
    let found = told["findings"].as_array().unwrap().iter().find(|it| it["about"] == "issuer");
    let found = found.expect(&doctor.out);
    // The server's own tokens work without it.
    assert_eq!(found["verdict"], "unsure");
    let text = found["text"].as_str().unwrap();
    assert!(text.contains(&format!("http://{closed}/realm")) && text.contains("refused"), "{text}");
    let ca = if ayeaye_model::SYSTEM_STORE { "the system's store" } else { "SSL_CERT_FILE" };
    assert!(found["hint"].as_str().unwrap().contains(ca), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn shells_and_man_know_every_command() {
    let binary = Binary::alone();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = binary.run(&["completions", shell]).await;
        assert_eq!((script.code, script.err.as_str()), (0, ""), "{shell}");
        for word in ["continue", "sessions", "--data-dir", "export"] {
            assert!(script.out.contains(word.trim_start_matches('-')), "{shell}: {word}");
        }
    }
    let page = binary.run(&["man"]).await;
    assert!(page.out.contains(".TH ayeaye 1") && page.out.contains("continue"), "{}", page.out);
    let folder = binary.data.path().join("man1");
    let written = binary.run(&["man", "--out", folder.to_str().unwrap()]).await;
    assert_eq!(written.code, 0, "{written:?}");
    for page in ["ayeaye.1", "ayeaye-continue.1", "ayeaye-sessions-export.1"] {
        assert!(folder.join(page).exists(), "{page}");
    }
}
