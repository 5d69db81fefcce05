//! Records that no run would write: whatever comes in whatever order, the folder stays readable.
use ayeaye_agent::journal::{Event, Fact};
use proptest::prelude::*;
use serde_json::json;

use super::{PyCatan, resumed, tool_flow};
use crate::testing::{EventBuilder, MemoryFolder, answer, click};

/// Events of all kinds that matter here, in the order of a good run.
fn pool() -> Vec<Event> {
    let mut builder = EventBuilder::new();
    tool_flow(&mut builder);
    builder.begin_step(1, 2).ask(2, 1, "act").garbage(2, 1);
    builder.ask(2, 2, "repair").failed(2, 2, "gone\u{0}\n🦉");
    builder.end_step(None, Some("gone"));
    builder.push(answer("client", "是"));
    builder.push(resumed());
    builder.begin_step(2, 3).ask(3, 1, "act").reply(3, 1, |it| it.tokens.prompt = u64::MAX);
    let id = builder.begin_tool("TYPE", json!({ "value": "\u{2028}x" }), None);
    builder.end_tool(id, Err("the link was lost")).end_step(Some(click()), None);
    builder.push(Fact::Evaluation(json!({ "complete": 3 })));
    builder.push(Fact::Note {
        kind: "recovered".into(),
        text: "\n".to_owned(),
        figures: json!({}).as_object().unwrap().clone(),
    });
    builder.end("TASK_COMPLETED_SUCCESSFULLY");
    builder.events
}

fn agent() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        Just(Some("AppAgent".to_owned())),
        Just(Some("HostAgent".to_owned())),
        any::<String>().prop_map(Some),
        Just(Some("../../etc/passwd".to_owned())),
    ]
}

/// Which events, and who is said to be in them.
fn record() -> impl Strategy<Value = Vec<Event>> {
    let pool = pool();
    let pick = (0..pool.len(), prop::option::weighted(0.2, agent()), prop::option::of(0..5_u32));
    prop::collection::vec(pick, 0..60).prop_map(move |picks| {
        let event = |(at, agent, number): (usize, Option<Option<String>>, Option<u32>)| {
            let mut event: Event = pool[at].clone();
            if let Some(agent) = agent {
                event.entry.agent = agent;
            }
            if let Some(number) = number {
                match &mut event.entry.fact {
                    Fact::LlmRequest(request) => request.request_number = number,
                    Fact::LlmResponse(response) => response.request_number = number,
                    Fact::ToolStart(start) => start.batch = Some(number),
                    _ => {}
                }
            }
            event
        };
        picks.into_iter().map(event).collect()
    })
}

proptest! {
    #[test]
    fn whatever_happens_the_folder_can_be_read(events in record()) {
        let folder = MemoryFolder::of(&mut PyCatan::new(), &events);
        folder.check();
        let again = MemoryFolder::of(&mut PyCatan::new(), &events);
        prop_assert_eq!(folder.files, again.files);
    }

    /// A run that is cut off and ended has a response for every request.
    #[test]
    fn every_request_has_a_response_once_the_run_is_over(cut in 0_usize..40) {
        let pool = pool();
        let mut events: Vec<Event> = pool.iter().take(cut).cloned().collect();
        events.extend(pool.last().cloned());
        let folder = MemoryFolder::of(&mut PyCatan::new(), &events);
        folder.check();
        for name in folder.names() {
            if let Some((player, number)) = name
                .strip_suffix(".json")
                .and_then(|name| name.split_once("/prompts/prompt_"))
            {
                let response = format!("{player}/responses/response_{number}.json");
                prop_assert!(folder.files.contains_key(&response), "{}", response);
            }
        }
    }
}
