//! The recorder: what is written is what the session knows.
use serde_json::Map;

use crate::fakes::Recording;
use crate::journal::{AgentState, Fact, QuestionAsked};
use crate::run::recorder::{ToolContext, ToolOutcome};
use crate::secret_text::SecretKind;
use crate::{QuestionKind, ReplyMode, Session};

#[tokio::test]
async fn a_session_changes_by_what_is_written() {
    let mut recording = Recording::new().await;
    let recorder = &mut recording.recorder;
    let request = "The PIN is 4711 today".to_owned();
    recorder.secrets().add_all(&[(SecretKind::Code, "4711")]);
    recorder.begin_round(0, request).await.unwrap();
    recorder.set_agent_state("AppAgent", AgentState::Pending).await.unwrap();
    recorder.set_agent_state("AppAgent", AgentState::Pending).await.unwrap();
    let id = recorder.session().id;
    assert!(recorder.session().round_open);
    assert!(!recorder.session().request.contains("4711"), "{}", recorder.session().request);
    let events = recording.journal.read(&id).await.unwrap();
    let states = events.iter().filter(|it| matches!(it.entry.fact, Fact::State { .. }));
    assert_eq!(states.count(), 1, "no state is entered twice");
    let read = Session::from_events(id, &events).unwrap();
    assert_eq!(read.report(false), recording.recorder.session().report(false));
}

#[tokio::test]
async fn a_tool_has_a_beginning_and_an_end() {
    let mut recording = Recording::new().await;
    let recorder = &mut recording.recorder;
    let first = recorder.log_tool_start("WAKE", Map::new(), ToolContext::default()).await.unwrap();
    assert!(recorder.session().in_progress.tool.is_some());
    let done = ToolOutcome::Done { result: "awake".to_owned(), uncertain: None, app: None };
    recorder.log_tool_end(first, done, 3.0).await.unwrap();
    let second =
        recorder.log_tool_start("RESET", Map::new(), ToolContext::default()).await.unwrap();
    recorder.log_tool_end(second, ToolOutcome::Unknown("lost".to_owned()), 1.0).await.unwrap();
    assert_eq!((first, second), (1, 2));
    let ends: Vec<_> = recording
        .facts()
        .await
        .into_iter()
        .filter_map(|fact| match fact {
            Fact::ToolEnd(end) => Some((end.success, end.unknown, end.result, end.error)),
            _ => None,
        })
        .collect();
    assert_eq!(
        ends,
        [
            (true, false, "awake".to_owned(), None),
            (false, true, String::new(), Some("lost".to_owned()))
        ]
    );
}

/// What is written of an answer to a question, and what the model is shown of that.
async fn answered(kind: QuestionKind, question: &str, answer: &str) -> (String, String) {
    let mut recording = Recording::new().await;
    let recorder = &mut recording.recorder;
    recorder.begin_round(0, "Log in".to_owned()).await.unwrap();
    let asked = QuestionAsked {
        kind: kind.into(),
        questions: vec![question.to_owned()],
        options: Vec::new(),
        app: None,
        reply_mode: ReplyMode::PassToClient.into(),
    };
    recorder.append(Fact::Question(asked)).await.unwrap();
    recorder.learn_secrets(answer);
    let written = recorder.redact(answer).into_owned();
    let shown = recorder.secrets().restore_for_model(&written).into_owned();
    (written, shown)
}

#[tokio::test]
async fn a_password_told_to_any_question_that_speaks_of_one_is_a_secret() {
    const ALLOW: &str = "The agent wants to type into a field for a password in Nimbus. May it?";
    for (kind, question, answer, secret) in [
        (QuestionKind::Takeover, "请输入密码，完成后告诉我", "Qz7-Tannen", "Qz7-Tannen"),
        (
            QuestionKind::Takeover,
            "请输入 Nimbus 的用户名和密码登录",
            "你来填吧，lena / Blau-Meer77",
            "Blau-Meer77",
        ),
        (QuestionKind::Takeover, "Please enter your password", "pass is Winter99! ok?", "Winter99"),
        (QuestionKind::Takeover, "Please enter your password", "Tannenbaum", "Tannenbaum"),
        (
            QuestionKind::Takeover,
            "请先登录，然后告诉我",
            "你来填吧，lena / Gelb-Teich22",
            "Gelb-Teich22",
        ),
        (QuestionKind::Takeover, "Please unlock the phone", "pass is Herbst23! ok?", "Herbst23"),
        (QuestionKind::Takeover, "Please sign in to the bank", "use 48291 as the PIN", "48291"),
        (QuestionKind::Takeover, "Please sign in to the bank", "4829 works", "4829"),
        (QuestionKind::Info, "Which token?", "the token 9313 from the app", "9313"),
        (QuestionKind::Info, "Which login?", "anna-9 and 7:30Sunshine", "7:30Sunshine"),
        (QuestionKind::Confirm, ALLOW, "no, type Tanne-42x", "Tanne-42x"),
        (QuestionKind::Info, "What is the password?", "Tanne-42x", "Tanne-42x"),
    ] {
        let (written, shown) = answered(kind, question, answer).await;
        assert!(!written.contains(secret), "{question}: {written}");
        assert_eq!(shown, answer);
    }
    for (kind, question, plain) in [
        (QuestionKind::Takeover, "请输入密码，完成后告诉我", "好了"),
        (QuestionKind::Takeover, "请输入密码，完成后告诉我", "登录好了，继续"),
        (QuestionKind::Takeover, "Please enter your password", "done"),
        (QuestionKind::Takeover, "Please enter your password", "OK, I'm logged in. Go on!"),
        (QuestionKind::Confirm, ALLOW, "yes"),
        (QuestionKind::Confirm, ALLOW, "No."),
        (QuestionKind::Confirm, ALLOW, "可以"),
        (QuestionKind::Confirm, "Delete the note?", "no, type Tanne-42x"),
        (QuestionKind::Takeover, "Please solve the puzzle", "the other one"),
    ] {
        let (written, _) = answered(kind, question, plain).await;
        assert_eq!(written, plain, "{question}");
    }
}

#[tokio::test]
async fn of_an_everyday_answer_nothing_is_hidden_and_of_a_code_its_number() {
    for (question, plain) in [
        ("What shall I write to him?", "Flight LH 2134, gate 12"),
        ("Was genau soll ich schreiben?", "Zimmer 4012"),
        ("Wie viele?", "Ja, 1500 Stück"),
        ("Which folder?", "The one from 2025, not the newest."),
        ("Which token shall I swap?", "the one from 2025, at 16:45"),
    ] {
        let (written, _) = answered(QuestionKind::Info, question, plain).await;
        assert_eq!(written, plain, "{question}");
    }
    let (written, shown) = answered(QuestionKind::Info, "What now?", "It's 482 913, thanks").await;
    assert!(
        written.starts_with("It's [secret code ") && written.ends_with("], thanks"),
        "{written}"
    );
    assert_eq!(shown, "It's 482 913, thanks");
}
