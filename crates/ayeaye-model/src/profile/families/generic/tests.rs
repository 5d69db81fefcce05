use ayeaye_agent::{Gesture, HistoryItem, Part, Point, Role, ScreenSize, ToolCall};

use super::super::{glm_v, gpt};
use super::*;
use crate::profile::tests::sample;

#[test]
fn the_last_screens_are_shown_and_older_ones_are_not() {
    let prompt = sample::prompt(&GENERIC_TEXT, "t", &sample::clicks(4), &[]);
    assert_eq!(sample::pictures(&prompt), [2, 3, 4]);
    let all = sample::texts(&prompt, Role::User);
    assert_eq!(all.matches("(screen not shown)").count(), 2, "{all}");
    let prompt = sample::prompt(&glm_v::GLM_V, "t", &sample::clicks(4), &[]);
    assert_eq!(sample::pictures(&prompt), [4]);
}

#[test]
fn what_the_model_said_is_in_its_own_format() {
    let prompt = sample::prompt(&gpt::GPT, "t", &sample::clicks(1), &[]);
    let said = sample::text(&prompt.messages[2]);
    assert_eq!(said, "Thought: thought 0\nAction: {\"action\":\"click\",\"point\":[336,742]}");
    let size = sample::texts(&prompt, Role::User).matches("672 x 1484 pixels").count();
    assert_eq!(size, 2, "the size of each picture is told");

    let prompt = sample::prompt(&GENERIC, "t", &sample::clicks(1), &[]);
    let arguments = "{\"action\":\"click\",\"point\":[500,500],\"thought\":\"thought 0\"}";
    let call = ToolCall {
        id: "call00000".to_owned(),
        name: "phone_action".to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(prompt.messages[2].parts, [Part::Call(call)]);
    let [Part::Result { id, text, .. }, ..] = &prompt.messages[3].parts[..] else {
        panic!("{prompt:?}")
    };
    assert_eq!((id.as_str(), text.as_str()), ("call00000", "Done."));
    assert_eq!(id.len(), 9, "models of Mistral take no other ids");
    let [tool] = &prompt.tools[..] else { panic!("one tool") };
    assert_eq!(tool["function"]["name"], "phone_action");
}

#[test]
fn points_of_a_turned_picture_are_told_in_its_own_pixels() {
    let click = Gesture::Click { point: Point::new(500, 500).unwrap() };
    let history = [HistoryItem::Request("t".to_owned()), sample::step(0, click)];
    let mut seen = sample::picture(0);
    seen.size = ScreenSize { width: 1600, height: 720 };
    let now = sample::picture(1);
    let input = StepInput {
        history: &history,
        history_images: &[ayeaye_agent::HistoryImage { step: 0, picture: seen }],
        ..StepInput::of("t", &now)
    };
    let prompt = gpt::GPT.prompt(&input, &sample::coords(&gpt::GPT));
    assert!(sample::text(&prompt.messages[2]).contains("[800,360]"), "{prompt:?}");
}

#[test]
fn the_tool_holds_every_action() {
    let schema = tool::schema(CoordSystem::THOUSANDTHS);
    let known =
        schema["function"]["parameters"]["properties"]["action"]["enum"].as_array().unwrap();
    assert_eq!(known.len(), 15);
    for name in tool::ACTIONS {
        assert!(GENERIC.verbs().knows(name), "{name}");
    }
    let point =
        |space| tool::schema(space)["function"]["parameters"]["properties"]["point"].clone();
    assert_eq!(point(CoordSystem::THOUSANDTHS)["items"]["type"], "integer");
    assert_eq!(point(CoordSystem::FRACTIONS)["items"]["type"], "number");
}

/// What a past call is told as where an endpoint takes no tools, models repeat.
#[test]
fn an_action_with_its_thought_in_it_is_read_as_the_tools_call_is() {
    for action in [
        r#"{"action":"complete","message":"ok","thought":"It is there."}"#,
        r#"{"action":"click","point":[500,500],"thought":"It is there."}"#,
    ] {
        let text = format!("Action: {action}");
        let reply = Reply { text, ..Reply::default() };
        let decision = GENERIC.read(&reply, &sample::coords(&GENERIC)).unwrap();
        assert_eq!(decision.thought, "It is there.", "{action}");
    }
}
