use ayeaye_agent::ToolCall;
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn said(text: &str) -> Reply {
    Reply { text: text.to_owned(), ..Reply::default() }
}

#[test]
fn a_call_is_found_wherever_it_stands() {
    let arguments = json!({"action": "wait"});
    for text in [
        "<tool_call>\n{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"wait\"}}\n</tool_call>",
        "x<tool_call>{\"name\":\"functions.mobile_use\",\"arguments\":{\"action\":\"wait\"}}",
        "```\n{\"name\": \"mobile_use\", \"parameters\": {\"action\": \"wait\"}}\n```",
        "<tool_call><function=mobile_use><parameter=action>wait</parameter></function></tool_call>",
        "<tool_call>{\"name\":\"mobile_use\",\"arguments\":{\"action\":\"wait\"}</tool_call>",
        "<tool_call>{\"name\": \"mobile_use\", \"arguments\": {'action': 'wait'}}</tool_call>",
        "<tool_call>\n\"{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"wait\"}}\"\n</tool_call>",
        r#"<tool_call>"{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"wait\"}}"</tool_call>"#,
    ] {
        let reply = said(text);
        let call = call(&reply).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(
            (call.name.as_str(), Value::from(call.arguments)),
            ("mobile_use", arguments.clone())
        );
        assert_eq!(call.doubt.is_some(), !text.ends_with(['>', '`']), "{text}");
    }
}

#[test]
fn quotes_before_calls_are_not_looked_through_again_for_each() {
    for tag in ["<tool_call>\"x\"", "<tool_call>\"{\"a\":\"", "<tool_call>\"{\"a\":1}"] {
        assert!(call(&said(&tag.repeat(20_000))).is_err(), "{tag}");
    }
}

#[test]
fn the_words_before_a_call_are_kept_apart() {
    let reply = said("<think>a</think>\nAction: b\n<tool_call>{\"action\":\"wait\"}</tool_call>");
    let call = call(&reply).unwrap();
    assert_eq!((call.thought.as_str(), call.head, call.doubt), ("a", "Action: b", None));
    let reply = said("Action: b\n```json\n{\"action\":\"wait\"}\n```");
    assert_eq!(super::call(&reply).unwrap().head, "Action: b");
}

#[test]
fn a_conclusion_behind_a_call_is_kept_apart() {
    for (text, conclusion, doubt) in [
        (
            "<tool_call>{\"action\":\"wait\"}</tool_call>\n<conclusion>\na {b}\n</conclusion>",
            "a {b}",
            false,
        ),
        ("```json\n{\"action\":\"wait\"}\n```\n<conclusion>a</conclusion>", "a", false),
        ("<tool_call>{\"action\":\"wait\"}</tool_call>\nno <conclusion>a</conclusion>", "a", true),
        ("<tool_call>{\"action\":\"wait\"}</tool_call>\n<conclusion>a", "", true),
        ("<conclusion>a</conclusion>\n<tool_call>{\"action\":\"wait\"}</tool_call>", "", false),
    ] {
        let reply = said(text);
        let call = call(&reply).unwrap();
        assert_eq!((call.conclusion.as_str(), call.doubt.is_some()), (conclusion, doubt), "{text}");
    }
}

#[test]
fn only_what_can_be_meant_in_one_way_is_repaired() {
    for (text, right) in [
        ("{\"a\": \"b\nc\"}", Some(json!({"a": "b\nc"}))),
        ("{\"a\": [1, 2,],}", Some(json!({"a": [1, 2]}))),
        ("{\"a\": \"it\\'s\"}", Some(json!({"a": "it's"}))),
        ("{\"a\": {\"b\": 1}</tool_call>", Some(json!({"a": {"b": 1}}))),
        ("{\"a\": {\"b\": 1}", None),
        ("{\"a\": [1</tool_call>", None),
        ("{\"a\": \"b</tool_call>", None),
        ("{\"a\": {\"b\": {\"c\": 1</tool_call>", None),
        ("{\"a\": 1, \"a\": 2,}", None),
        ("{\"a\": 1]", None),
    ] {
        let read = repair::leading(text).ok().map(|(map, _)| Value::from(map));
        assert_eq!(read, right, "{text}");
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_nothing_is_read_behind_the_text(
        text in "(<tool_call>|</tool_call>|<tool_call|\\{\"action\":\"wait\"\\}|\\{|\\}|\"|\\\\|```|json|</think>|<think>|\\[|,|<function=a>|<parameter=b>|</parameter>|</function>|\n|é|\\PC){0,30}",
        arguments in any::<String>(),
    ) {
        let mut reply = said(&text);
        let alone = call(&reply).map(|call| call.arguments);
        if let Ok(alone) = alone {
            // Whatever was read, it stands in the text.
            prop_assert!(text.contains('{') || text.contains("<function="), "{alone:?}");
        }
        let name = "mobile_use".to_owned();
        reply.calls.push(ToolCall { id: String::new(), name, arguments });
        // It ends, one way or the other.
        prop_assert!(call(&reply).map_or_else(|why| !why.to_string().is_empty(), |_| true));
    }
}
