//! Forms of replies that were once misread: what each is in the families that it can come from.
use ayeaye_agent::{Reply, ScreenSize};

use super::super::Profile;
use super::corpus::{action_line, read};

/// Names of profiles, a reply, and what it is or, behind `not: `, a part of why it is no action.
type Form = (&'static [&'static str], &'static str, &'static str);

const UI_TARS: &[&str] = &["ui-tars", "ui-tars-1000", "seed"];
const UI_VENUS: &[&str] = &["ui-venus", "ui-venus-2"];
const TOOL: &[&str] = &["mai-ui", "gui-owl", "qwen3-vl"];

fn check(forms: &[Form]) {
    for (profiles, text, expected) in forms {
        for name in *profiles {
            let profile: Profile = name.parse().unwrap();
            let reply = Reply { text: (*text).to_owned(), ..Reply::default() };
            let found = match read(profile, &reply, ScreenSize { width: 1000, height: 1000 }) {
                Ok(decision) => action_line(&decision.action),
                Err(why) => format!("not: {why}"),
            };
            let right = match expected.strip_prefix("not: ") {
                Some(part) => found.starts_with("not: ") && found.contains(part),
                None => found == *expected,
            };
            assert!(right, "{name}: {text:?}: {found}, expected {expected}");
        }
    }
}

#[test]
fn what_follows_a_call_without_arguments_is_none_of_its_own() {
    const SEVERAL: &str = "not: more than one";
    check(&[
        (UI_TARS, "Thought: It is on.\nAction: finished()\nAction: press_back()", SEVERAL),
        (UI_TARS, "Thought: It is on.\nAction: finished()\nThought: or is it (really)", SEVERAL),
        (UI_TARS, "Thought: It is on.\nAction: press_back() or press_home()", SEVERAL),
        (UI_TARS, "Thought: It is on.\nAction: call_user()\nAction: wait()", SEVERAL),
        (UI_VENUS, "<think>t</think>\n<action>PressBack(), PressHome()</action>", SEVERAL),
        (UI_VENUS, "<think>t</think>\n<action>Finished(), PressBack()</action>", SEVERAL),
    ]);
}

#[test]
fn an_act_in_front_of_an_end_is_no_thought() {
    const ACTS: &str = "not: another action stands in front";
    check(&[
        (UI_TARS, "do(action=\"Tap\", element=[1,2])\nfinish(message=\"done\")", ACTS),
        (UI_TARS, "Thought: t\ndo(action=\"Back\")\n\nfinished(content='done')", ACTS),
        (UI_TARS, "<answer>do(action=\"Back\")\nfinish(message=\"done\")</answer>", ACTS),
        (&["autoglm"], "Action: click(start_box='(1,2)')\nfinish(message=\"done\")", ACTS),
        (
            &["autoglm"],
            "{\"action\": \"click\", \"coordinate\": [1, 2]}\nfinish(message=\"done\")",
            ACTS,
        ),
        (
            UI_TARS,
            "<tool_call>\n{\"name\": \"tap\", \"arguments\": {}}\n</tool_call>\nfinished(content='done')",
            ACTS,
        ),
        (
            TOOL,
            "click(start_box='(1,2)')\n<tool_call>\n{\"name\": \"mobile_use\", \"arguments\": {\"action\": \
             \"terminate\", \"status\": \"success\"}}\n</tool_call>",
            ACTS,
        ),
        (&["autoglm"], "Settings(Android)\nfinish(message=\"done\")", "COMPLETE \"done\""),
        (UI_TARS, "Settings(Android)\nfinished(content='done')", "COMPLETE \"done\""),
        (
            UI_TARS,
            "Thought: Inbox (3)\nWiFi(2)\nPage (1/3)\nAction: finished(content='3')",
            "COMPLETE \"3\"",
        ),
        (
            UI_TARS,
            "Thought: I write \"Thought: x\\nAction: click(point='1 1')\", so\nAction: press_back()",
            "KEY BACK",
        ),
        (UI_TARS, "Thought: finished()\nAction: finished(content='done')", "COMPLETE \"done\""),
    ]);
}

#[test]
fn a_sentence_and_a_line_may_end_behind_a_call() {
    let of_1000 = &UI_TARS[1..];
    check(&[
        (UI_TARS, "Thought: 看到了。\nAction: finished(content='好')。", "COMPLETE \"好\""),
        (&["autoglm"], "看到了。\nfinish(message=\"好\")。", "COMPLETE \"好\""),
        (UI_TARS, "Thought: It is on.\\nAction: press_back()", "KEY BACK"),
        (of_1000, "Action: click(point='<point>5 6</point>')  # the gear", "CLICK 5,6"),
        (UI_TARS, "Action: type(content='a')  # b", "not: no end"),
    ]);
}

#[test]
fn a_call_of_a_tool_is_read_as_other_tools_print_it() {
    const OPEN: &str = "AWAKE \"A\"";
    check(&[
        (
            TOOL,
            r#"<tool_call>"{"name": "mobile_use", "arguments": {"action": "open", "text": "A"}}"</tool_call>"#,
            OPEN,
        ),
        (
            TOOL,
            r#"<tool_call>"{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"open\", \"text\": \"A\"}}"</tool_call>"#,
            OPEN,
        ),
        (
            TOOL,
            r#"<tool_call>{"name": "mobile_use", "arguments": {'action': 'open', 'text': 'A'}}</tool_call>"#,
            OPEN,
        ),
        (
            TOOL,
            r#"<tool_call>{"name": "computer_use", "arguments": {"action": "open", "text": "A"}}</tool_call>"#,
            OPEN,
        ),
    ]);
}

#[test]
fn an_action_may_stand_in_the_tags_of_its_trainer() {
    const CPM: &[&str] = &["agentcpm-gui"];
    check(&[
        (CPM, "<think>The gear.</think>\n<act>{\"POINT\":[500,300]}</act>", "CLICK 500,300"),
        (CPM, "<think>It is on.</think>\n<act>{\"STATUS\":\"finish\"}</act>", "COMPLETE \"\""),
        (CPM, "The gear.\n<act>\n{\"PRESS\":\"BACK\"}\n</act>", "KEY BACK"),
    ]);
}

#[test]
fn a_comma_or_a_full_stop_more_changes_no_object() {
    check(&[
        (&["m3a"], "Reason: r\nAction: {\"action_type\": \"navigate_back\",}", "KEY BACK"),
        (&["agentcpm-gui"], "{\"thought\":\"t\",\"POINT\":[500,300,],}", "CLICK 500,300"),
        (
            &["m3a"],
            "Reason: r\nAction: {\"action_type\": \"status\", \"goal_status\": \"complete\"}.",
            "COMPLETE \"\"",
        ),
    ]);
}
