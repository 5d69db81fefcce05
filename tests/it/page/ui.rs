//! `ayeaye ui`, the real program: it finds the server that runs, or is one.
use std::process::Stdio;

use reqwest::StatusCode;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

use super::{client, cookie_of};
use crate::support::{Binary, until, within};

/// A program that serves, and what it prints.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Running {
    fn start(binary: &Binary, arguments: &[&str]) -> Self {
        let mut command = binary.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next line with this in it.
    async fn line(&mut self, part: &str) -> String {
        within(60, part, async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("it goes on");
                if line.contains(part) {
                    return line.trim().to_owned();
                }
            }
        })
        .await
    }

    async fn end(mut self, signal: &str) {
        let pid = self.child.id().unwrap().to_string();
        tokio::process::Command::new("kill").args([signal, &pid]).status().await.unwrap();
        within(30, "it ends", self.child.wait()).await.unwrap();
    }
}

/// What is noted of servers in the data folder.
#[cfg(unix)]
fn notes(binary: &Binary) -> Vec<String> {
    let files = std::fs::read_dir(binary.data.path()).unwrap().map(|entry| entry.unwrap());
    let notes = files.filter(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        name.starts_with("http-server.") && !name.contains(".lock")
    });
    notes.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect()
}

/// The page of the server that runs, once it is noted.
#[cfg(unix)]
async fn noted(binary: &Binary) -> String {
    until("the server is noted", || notes(binary).concat().ends_with('\n')).await;
    notes(binary).concat().trim().to_owned()
}

/// Opens a link as a browser does, and sees whether it is signed in then.
async fn opens(link: &str) {
    let base = &link[..link.find("/sign-in").expect(link)];
    let opened = client().get(link).send().await.unwrap();
    assert_eq!(opened.status(), StatusCode::SEE_OTHER, "{link}");
    assert_eq!(opened.headers()["location"], "/", "{link}");
    let me = client().get(format!("{base}/page/api/me")).header("cookie", cookie_of(&opened));
    assert_eq!(me.send().await.unwrap().status(), StatusCode::OK, "{link}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn it_finds_the_server_that_runs_and_none_that_was_killed() {
    let binary = Binary::alone();
    let server = Running::start(&binary, &["serve", "--http", "127.0.0.1:0"]);
    let page = noted(&binary).await;
    let found = binary.run(&["ui", "--no-open"]).await;
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.out.contains(&format!("The page of the running server: {page}")), "{found:?}");
    let link = found.out.lines().last().unwrap().trim().to_owned();
    assert!(link.starts_with(&format!("{page}sign-in?code=")), "{found:?}");
    opens(&link).await;
    server.end("-KILL").await;
    assert_eq!(notes(&binary), [format!("{page}\n")], "nobody removed it");
    let mut own = Running::start(&binary, &["ui"]);
    let why = own.line("signs you in once").await;
    assert!(why.contains("there is no desktop here"), "{why}");
    let link = own.line("/sign-in?code=").await;
    let told = own.line("The page: ").await;
    assert!(!told.contains(&page) || page.contains(":8631"), "{told}");
    opens(&link).await;
    own.end("-TERM").await;
    assert!(notes(&binary).is_empty(), "it goes with its server");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_for_a_token_that_is_not_there_is_refused() {
    let binary = Binary::alone().set("AYEAYE_POLICY_TOKENS", "anna=read-only");
    let mut command = binary.command(&["ui", "--no-open"]);
    let told = within(60, "ui", command.kill_on_drop(true).output()).await.unwrap();
    let said = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{said}");
    assert!(said.contains("policy.tokens narrows anna, but"), "{said}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn another_token_than_the_server_s_is_told() {
    let binary = Binary::alone();
    let server = Running::start(&binary, &["serve", "--http", "127.0.0.1:0"]);
    noted(&binary).await;
    let mut command = binary.command(&["ui", "--no-open"]);
    command.env("AYEAYE_HTTP_TOKEN", "another-token-of-tests-01");
    let told = within(60, "ui", command.output()).await.unwrap();
    let said = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{said}");
    assert!(said.contains("was started with another token") && said.contains("hint: "), "{said}");
    assert!(!said.contains("another-token-of-tests-01"), "{said}");
    server.end("-TERM").await;
}
