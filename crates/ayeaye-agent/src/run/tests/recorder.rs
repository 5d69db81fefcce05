//! The recorder: what is written is what the session knows.
use serde_json::Map;

use crate::Session;
use crate::fakes::Recording;
use crate::journal::{AgentState, Fact};
use crate::run::recorder::{ToolContext, ToolOutcome};
use crate::secret_text::SecretKind;

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
