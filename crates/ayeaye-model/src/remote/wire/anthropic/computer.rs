//! Anthropic's tool for computers in a request and in an answer.
//!
//! Prompts declare it as one tool with an argument `action`, and hold calls of it as `computer` with
//! that argument or as `computer.ACTION` without; both are written as the generation in force has them.
use serde_json::{Map, Value, json};

use super::super::super::computer_tool::ComputerTool;

/// The name of the tool, and of the toolset.
const NAME: &str = "computer";

/// Members of the toolset that mean nothing on a phone, or for which a picture comes anyway.
const WITHHELD: [&str; 9] = [
    "cursor_position",
    "hold_key",
    "left_mouse_down",
    "left_mouse_up",
    "middle_click",
    "mouse_move",
    "right_click",
    "triple_click",
    "zoom",
];

/// The tools of a prompt with the computer's as this generation declares it.
pub(super) fn declare(tools: &[Value], tool: Option<ComputerTool>) -> Vec<Value> {
    let Some(generation) = tool else { return tools.to_vec() };
    let is_it = |tool: &Value| ComputerTool::declared(std::slice::from_ref(tool)).is_some();
    let declare = |tool: &Value| {
        if !is_it(tool) {
            return tool.clone();
        }
        if generation == ComputerTool::Toolset {
            let off = |name: &&str| ((*name).to_owned(), json!({ "enabled": false }));
            let configs: Map<String, Value> = WITHHELD.iter().map(off).collect();
            return json!({ "type": generation.kind(), "configs": configs });
        }
        let mut tool = tool.clone();
        tool["type"] = json!(generation.kind());
        tool
    };
    tools.iter().map(declare).collect()
}

/// An earlier call as a block of type `tool_use`, without its id.
pub(super) fn call(name: &str, mut input: Value, tool: Option<ComputerTool>) -> Value {
    let action = match name.split_once('.') {
        Some((NAME, action)) => Some(action.to_owned()),
        _ if name == NAME => input["action"].as_str().map(str::to_owned),
        _ => None,
    };
    let Some(action) = action else { return json!({ "name": name, "input": input }) };
    if let Value::Object(input) = &mut input {
        input.shift_remove("action");
        if tool != Some(ComputerTool::Toolset) {
            input.shift_insert(0, "action".to_owned(), Value::from(action.as_str()));
        }
    }
    if tool == Some(ComputerTool::Toolset) {
        json!({ "name": action, "toolset_name": NAME, "input": input })
    } else {
        json!({ "name": NAME, "input": input })
    }
}

/// The toolset that the result of a call of this tool has to name.
pub(super) fn toolset_of(name: &str, tool: Option<ComputerTool>) -> Option<&'static str> {
    let is_its = name == NAME || name.split_once('.').is_some_and(|(first, _)| first == NAME);
    (is_its && tool == Some(ComputerTool::Toolset)).then_some(NAME)
}

/// The name of the tool that an answer calls: a member of a toolset behind the toolset's name.
pub(super) fn called_name(block: &Value) -> String {
    let text = |name: &str| block[name].as_str().unwrap_or_default();
    match text("toolset_name") {
        "" => text("name").to_owned(),
        toolset => format!("{toolset}.{}", text("name")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_written_as_each_generation_has_it() {
        let place = json!({"coordinate": [1, 2]});
        let with_action = json!({"action": "left_click", "coordinate": [1, 2]});
        for (name, input) in [("computer", &with_action), ("computer.left_click", &place)] {
            assert_eq!(
                call(name, input.clone(), Some(ComputerTool::Toolset)),
                json!({"name": "left_click", "toolset_name": "computer", "input": place})
            );
            for old in [ComputerTool::Tool20251124, ComputerTool::Tool20250124] {
                let block = call(name, input.clone(), Some(old));
                assert_eq!(block, json!({"name": "computer", "input": with_action}));
                assert_eq!(toolset_of(name, Some(old)), None);
            }
            assert_eq!(toolset_of(name, Some(ComputerTool::Toolset)), Some("computer"));
        }
        let other = call("open_app", json!({"action": "x"}), Some(ComputerTool::Toolset));
        assert_eq!(other, json!({"name": "open_app", "input": {"action": "x"}}));
        assert_eq!(toolset_of("open_app", Some(ComputerTool::Toolset)), None);
    }

    #[test]
    fn the_toolset_is_declared_without_what_it_rejects() {
        let tools = [
            json!({"type": "computer_20251124", "name": "computer", "display_width_px": 9}),
            json!({"name": "open_app"}),
        ];
        let declared = declare(&tools, Some(ComputerTool::Toolset));
        let fields: Vec<_> = declared[0].as_object().unwrap().keys().collect();
        assert_eq!(fields, ["type", "configs"]);
        assert_eq!(declared[0]["configs"]["zoom"], json!({"enabled": false}));
        assert!(declared[0]["configs"].get("left_click").is_none());
        assert_eq!(declared[1], tools[1]);
        let old = declare(&tools, Some(ComputerTool::Tool20250124));
        assert_eq!(old[0]["type"], "computer_20250124");
        assert_eq!(old[0]["display_width_px"], 9);
    }
}
