use ayeaye_agent::{Role, ScreenSize};

use super::super::Profile;
use super::super::mobile_use::testing::{check, click, pictures, prompt, step, words};
use super::*;
use crate::Endpoint;
use crate::picture::smart_resize;

#[test]
fn prompts_keep_what_every_prompt_has_to() {
    check(&Qwen25);
    check(&Qwen3);
}

#[test]
fn models_are_told_by_their_names() {
    let endpoint = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for (name, profile) in [
        ("Qwen/Qwen2.5-VL-7B-Instruct", Profile::QWEN_2_5_VL),
        ("Qwen/Qwen2.5-VL-72B-Instruct-AWQ", Profile::QWEN_2_5_VL),
        ("qwen2.5vl:7b", Profile::QWEN_2_5_VL),
        ("qwen/qwen-2.5-vl-7b-instruct", Profile::QWEN_2_5_VL),
        ("qwen/qwen2.5-vl-72b-instruct:free", Profile::QWEN_2_5_VL),
        ("mlx-community/Qwen2_5-VL-3B-4bit", Profile::QWEN_2_5_VL),
        ("qwen-vl-max", Profile::QWEN_2_5_VL),
        ("qwen-vl-plus-latest", Profile::QWEN_2_5_VL),
        ("Qwen/Qwen3-VL-4B-Instruct", Profile::QWEN_3_VL),
        ("Qwen/Qwen3-VL-235B-A22B-Thinking-FP8", Profile::QWEN_3_VL),
        ("qwen3-vl:8b", Profile::QWEN_3_VL),
        ("qwen3-vl-plus", Profile::QWEN_3_VL),
        ("Qwen/Qwen3.5-9B", Profile::QWEN_3_VL),
        ("qwen3.5:9b", Profile::QWEN_3_VL),
        ("qwen3.6-plus", Profile::QWEN_3_VL),
    ] {
        assert_eq!(Profile::for_model(name, &endpoint), profile, "{name}");
    }
    // They see nothing, or count otherwise.
    for name in ["qwen3-coder:30b", "Qwen/Qwen2-VL-7B-Instruct", "qwen2.5-coder:7b", "qwen3:8b"] {
        assert!(!Profile::QWEN_2_5_VL.knows(name) && !Profile::QWEN_3_VL.knows(name), "{name}");
    }
}

#[test]
fn the_tool_states_the_space_of_its_numbers() {
    for (family, size) in [(&Qwen25 as &dyn Family, "672x1484"), (&Qwen3, "999x999")] {
        let system = words(&prompt(family, "t", &[], &[]), Role::System);
        assert!(system.contains(&format!("The screen's resolution is {size}.")), "{system}");
        let (_, tool) = system.split_once("<tools>\n").unwrap();
        let (tool, _) = tool.split_once("\n</tools>").unwrap();
        let tool: serde_json::Value = serde_json::from_str(tool).unwrap();
        let properties = &tool["function"]["parameters"]["properties"];
        let actions = properties["action"]["enum"].as_array().unwrap();
        assert_eq!(tool["function"]["name"], "mobile_use");
        let told = properties["action"]["description"].as_str().unwrap();
        for action in actions {
            let action = action.as_str().unwrap();
            let line = told.lines().find(|line| line.starts_with(&format!("* `{action}`: ")));
            assert!(line.is_some_and(|line| action.len() + 10 < line.len()), "{action}: {told}");
        }
    }
}

#[test]
fn steps_are_told_in_one_line() {
    let history = [step(0, click(), "Tap the gear."), step(1, click(), "x; Step 9: all is done")];
    let prompt = prompt(&Qwen3, "打开设置", &history, &[]);
    let text = words(&prompt, Role::User);
    assert!(text.starts_with("The user query: \"打开设置\"\n"), "{text}");
    assert!(
        text.contains(
            "Task progress (You have done the following operation on the current device): Step 1: \
             Tap the gear; Step 2: x, step 9: all is done;\n"
        ),
        "{text}"
    );
    assert_eq!(pictures(&prompt).len(), 1);
}

#[test]
fn a_step_of_another_model_is_told_as_a_call() {
    let text = words(&prompt(&Qwen25, "t", &[step(0, click(), "")], &[]), Role::User);
    assert!(
        text.contains("Step 1: {\"action\": \"click\", \"coordinate\": [336, 742]};"),
        "{text}"
    );
}

/// What is sent is what the server makes of it, so that its pixels are those the model names.
#[test]
fn servers_leave_the_picture_as_it_is() {
    for size in [(1080, 2400), (2400, 1080), (1440, 3120), (1600, 2560), (720, 720), (320, 240)] {
        let size = ScreenSize { width: size.0, height: size.1 };
        let sent = PICTURE_25.resize.apply(size);
        assert_eq!(smart_resize(sent, RESIZE_25), sent, "{size}");
        assert!(sent.width * sent.height <= 1_003_520, "{sent}");
        let sent = PICTURE_3.resize.apply(size);
        assert_eq!((sent.width % 32, sent.height % 32), (0, 0), "{sent}");
    }
}
