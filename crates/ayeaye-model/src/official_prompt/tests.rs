//! Checkouts made up here: the syntax of the published ones, none of their words.
use std::sync::Arc;

use ayeaye_agent::{HistoryItem, Model as _, Part, Role, StepInput};
use proptest::prelude::*;

use super::*;
use crate::{Endpoint, ModelConfig, Profile, RemoteModel};

pub(super) const GELAB: &str = r#"
"""Made up."""
import json
from copilot import tools

RULES = "动作：CLICK TYPE COMPLETE WAIT AWAKE"
task_define_prompt = f"""你操作手机。{RULES}
""" + "INFO ABORT SLIDE LONGPRESS，{{原样}}\n".strip()

def make_other(task):
    status_conversation = [{"text": "别的"}]

def make_status_prompt(task, image_url, history_display):
    if history_display is None:
        history_display = "无"
    status_conversation = [
        {"type": "text", "text": f'''
任务：{task}
经过：{ history_display }'''},
        {"type": "image_url", "image_url": {"url": image_url}},
        {"type": "text", "text": ("现在" # 注
            "决定。")},
    ]
    return status_conversation
"#;

/// What a checkout of these files gives.
fn import(
    family: &str,
    variant: &str,
    files: &[(&str, &str)],
) -> Result<OfficialPrompt, ImportError> {
    let published = Published::find(family, variant).unwrap();
    let read = |path: &str| {
        let file = files.iter().find(|(name, _)| *name == path);
        file.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| "not there".to_owned())
    };
    OfficialPrompt::from_checkout(published, &read).map(|(prompt, _)| prompt)
}

pub(super) fn gelab(source: &str) -> Result<OfficialPrompt, ImportError> {
    import("gelab", "", &[("copilot_tools/parser_0920_summary.py", source)])
}

/// What a model is sent that is asked with this prompt, a text for each part.
fn sent(
    prompt: OfficialPrompt,
    request: &str,
    history: &[HistoryItem],
) -> Vec<(Role, Vec<String>)> {
    let endpoint = Endpoint::parse("http://127.0.0.1:1/v1").unwrap();
    let mut config = ModelConfig::new(endpoint, "m");
    config.profile = Some(prompt.family().parse::<Profile>().unwrap());
    config.prompt = Some(Arc::new(prompt));
    let model = RemoteModel::new(config).unwrap();
    let picture = crate::profile::tests::sample::picture(0);
    let prompt = model.prompt(&StepInput {
        history,
        app: Some("com.example"),
        now: Some(jiff::civil::date(2026, 5, 12).at(14, 3, 0, 0)),
        ..StepInput::of(request, &picture)
    });
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        _ => "(picture)".to_owned(),
    };
    prompt.messages.iter().map(|it| (it.role, it.parts.iter().map(part).collect())).collect()
}

#[test]
fn the_table_is_of_profiles_and_of_actions_that_are_read() {
    for published in Published::all() {
        let name = published.name();
        let profile: Profile =
            published.family.parse().unwrap_or_else(|err| panic!("{name}: {err}"));
        if !published.not_for_phones.is_empty() {
            continue;
        }
        assert!(!published.places().is_empty() && !published.actions.is_empty(), "{name}");
        let verbs = profile.family().verbs();
        // AgentCPM's are members of one object, which are no verbs of their own.
        let unread = published.actions.iter().filter(|it| !verbs.knows(it));
        let unread: Vec<_> = unread.filter(|_| published.family != "agentcpm-gui").collect();
        assert_eq!(unread, [""; 0], "{name}");
    }
}

#[test]
fn a_function_of_python_gives_its_texts_and_the_place_of_the_picture() {
    let prompt = gelab(GELAB).unwrap();
    assert!(!prompt.is_as_published());
    let history = [HistoryItem::UserReply("好".to_owned())];
    let task = "说\"a\\b\"，<x> & {history}\n完";
    let messages = sent(prompt, task, &history);
    let [(Role::User, parts)] = messages.as_slice() else { panic!("{messages:?}") };
    let [rules, status, picture, end] = parts.as_slice() else { panic!("{parts:?}") };
    assert_eq!(
        rules,
        "你操作手机。动作：CLICK TYPE COMPLETE WAIT AWAKE\nINFO ABORT SLIDE LONGPRESS，{{原样}}"
    );
    assert!(status.starts_with(&format!("\n任务：{task}\n经过：")), "{status}");
    assert_eq!((picture.as_str(), end.as_str()), ("(picture)", "现在决定。"));
}

#[test]
fn a_notebook_gives_the_cell_that_assigns_the_name() {
    let code = "%pip install x\n";
    let system = "system_prompt = 'You act: click long_press swipe type answer system_button wait \
                  terminate. \\u00e9'";
    let query = "user_query = 'Do {instruction} after {steps}.'.format(instruction=instruction, \
                 steps=stage2_history)\nmessages = [{'role': 'system'}, {'content': [{'text': 1}, \
                 {'image_url': url}]}]";
    let notebook = serde_json::json!({ "cells": [
        { "cell_type": "markdown", "source": "system_prompt = 'no'" },
        { "cell_type": "code", "source": [code] },
        { "cell_type": "code", "source": [system, "\n"] },
        { "cell_type": "code", "source": query },
    ]});
    let file = ("cookbooks/mobile_agent.ipynb", notebook.to_string());
    let prompt = import("qwen3-vl", "", &[(file.0, &file.1)]).unwrap();
    let messages = sent(prompt, "t", &[]);
    let [(Role::System, system), (Role::User, user)] = messages.as_slice() else {
        panic!("{messages:?}")
    };
    assert!(system[0].ends_with("terminate. é"), "{system:?}");
    assert_eq!(user.as_slice(), ["Do t after .", "(picture)"]);
}

#[test]
fn dates_languages_and_schemas_are_filled_in() {
    let acts = "Back Call_API Double Tap Home Interact Launch Long Press Note Swipe Take_over Tap Type \
                Type_Name Wait finish";
    let source = format!(
        "from datetime import datetime\nformatted_date = now()\nSYSTEM_PROMPT = '日期 ' + formatted_date + \
         '''。你操作手机，下面是你可以用的各种动作，不要用别的，每次一个动作，先想一想再动手做\n{acts}'''\n"
    );
    let prompt = import("autoglm", "", &[("phone_agent/config/prompts_zh.py", &source)]).unwrap();
    let messages = sent(prompt, "t", &[]);
    assert!(messages[0].1[0].starts_with("日期 2026年05月12日 星期二。"), "{messages:?}");

    let acts = "click long_press type scroll open_app drag press_home press_back finished";
    let source = format!(
        "MOBILE_USE_DOUBAO = \"\"\"{{{{x}}}} {acts} in {{language}}: {{instruction}}\"\"\""
    );
    let prompt = import("ui-tars", "", &[("codes/ui_tars/prompt.py", &source)]).unwrap();
    let messages = sent(prompt, "打开{language}", &[]);
    assert_eq!(messages[0].1[0], format!("{{x}} {acts} in Chinese: 打开{{language}}"));

    let schema = r#"{ "type": "object", "description" : "动作 与 手机", "x": {"POINT": 1, "to": "a b"},
        "duration": 1, "PRESS": [1, 2], "TYPE": "手机", "STATUS": "完成或者继续或者需要用户来回答问题" }"#;
    let source = "import json\nACTION_SCHEMA = json.load(open('schema.json'))\nSYSTEM_PROMPT = f'''你操作手机，\
                  下面是可以用的各种动作\n{json.dumps(ACTION_SCHEMA, indent=None, ensure_ascii=False, \
                  separators=(',', ':'))}'''";
    let files =
        [("eval/run_predict_minicpm.py", source), ("eval/utils/schema/schema.json", schema)];
    let prompt = import("agentcpm-gui", "", &files).unwrap();
    let system = &sent(prompt, "t", &[])[0].1[0];
    let with = r#""x":{"POINT":1,"to":"a b"},"required":["thought"],"duration":1,"PRESS":[1,2]"#;
    assert!(system.contains(with), "{system}");
}

#[test]
fn a_template_literal_is_read_and_its_escapes_are() {
    let source = "import x;\nexport const getSystemPrompt = (\n  language: 'zh',\n) => `Do \\`this\\`\\n${\n  \
                  language === '}' ? `a` : 'b'\n}.`;\nconst other = `no`;";
    let mut holes = source::Holes::default();
    let text = javascript::constant(source, "getSystemPrompt", &mut holes).unwrap().unwrap();
    assert_eq!(holes.canonical(&text), "Do `this`\n{language === '}' ? `a` : 'b'}.");
    assert_eq!(javascript::constant(source, "missing", &mut holes).unwrap(), None);
}

#[test]
fn a_prompt_that_lacks_something_is_refused_by_its_name() {
    let refused = |from: &str, to: &str| {
        assert!(GELAB.contains(from), "{from}");
        gelab(&GELAB.replace(from, to)).unwrap_err().to_string()
    };
    for (from, to, why) in [
        ("{task}", "the task", "slots: task missing"),
        ("COMPLETE", "FINISH", "actions: COMPLETE not named"),
        ("{task}", "{task}{app}", "it fills in \"app\", of which nothing is known"),
        ("\"image_url\": {", "\"picture\": {", "it is not there, or no constant"),
        ("task_define_prompt", "prompt", "it is not there, or no constant"),
        (
            "INFO",
            "INFO and everything that can be said of it in English, at length, so that few signs of \
                  another language are beside it, whatever it may be",
            "language: English, where another",
        ),
        ("\"决定。\")", "\"决定。)", "the text in line"),
    ] {
        let text = refused(from, to);
        assert!(text.contains(why), "{from}: {text}");
    }
    let why = import("gelab", "", &[]).unwrap_err().to_string();
    assert!(
        why.contains("copilot_tools/parser_0920_summary.py") && why.contains("not there"),
        "{why}"
    );
}

#[test]
fn a_kept_file_is_checked_again_when_it_is_read() {
    let prompt = gelab(GELAB).unwrap();
    let file = prompt.to_file();
    assert_eq!(OfficialPrompt::parse(file.as_bytes()).unwrap(), prompt);
    for (from, to, why) in [
        ("LONGPRESS", "PRESS", "LONGPRESS not named"),
        ("\"format\": 1", "\"format\": 2", "another version"),
        ("\"gelab\"", "\"unheard\"", "no prompt of \"unheard\""),
        ("\"gelab\"", "\"claude\"", "is not used here"),
        ("\"picture\"", "\"break\"", "picture: 0 places"),
        ("\"texts\"", "\"words\"", "it is no imported prompt"),
    ] {
        assert!(file.contains(from), "{from}");
        let refused = OfficialPrompt::parse(file.replace(from, to).as_bytes()).unwrap_err();
        assert!(refused.to_string().contains(why), "{from}: {refused}");
    }
    let long = vec![b' '; LONGEST_PROMPT_FILE + 1];
    assert!(OfficialPrompt::parse(&long).unwrap_err().to_string().contains("longer than"));
}

#[test]
fn another_familys_prompt_is_refused() {
    let endpoint = Endpoint::parse("http://127.0.0.1:1/v1").unwrap();
    let mut config = ModelConfig::new(endpoint, "autoglm-phone-9b");
    config.prompt = Some(Arc::new(gelab(GELAB).unwrap()));
    let refused = RemoteModel::new(config).unwrap_err().to_string();
    assert!(refused.contains("is for gelab") && refused.contains("asked as autoglm"), "{refused}");
}

#[test]
fn sources_made_to_hurt_are_refused_and_quickly() {
    let deep = format!("task_define_prompt = {}1", "[".repeat(100_000));
    let names: Vec<_> = (0..5_000).map(|at| format!("a{at} = f'{{a{}}}'\n", at + 1)).collect();
    let chain = names.concat() + "task_define_prompt = f'{a0}'";
    let bomb: Vec<_> = (0..40).map(|at| format!("a{} = a{at} + a{at}\n", at + 1)).collect();
    let bomb = format!("a0 = 'xxxxxxxxxxxxxxxx'\n{}task_define_prompt = a40", bomb.concat());
    let endless = "task_define_prompt = task_define_prompt + task_define_prompt".to_owned();
    for source in [deep, chain, bomb, endless, "\0".to_owned(), "\u{f0000}".to_owned()] {
        assert!(gelab(&source).is_err(), "{}", &source[..source.len().min(40)]);
    }
}

proptest! {
    #[test]
    fn no_source_stops_the_reader(
        words in prop::collection::vec(
            prop_oneof![
                Just("task_define_prompt = "), Just("def make_status_prompt(\n"), Just("("), Just(")"),
                Just("["), Just("]"), Just("{"), Just("}"), Just("f'"), Just("'"), Just("\"\"\""), Just("\\"),
                Just("\n"), Just("    "), Just("status_conversation = "), Just("+"), Just(".format("),
                Just(".replace("), Just("x"), Just(","), Just(":"), Just("é"), Just("rb'"), Just("dedent("),
                Just("`"), Just("${"), Just("{%"), Just("%}"), Just("{{"), Just("}}"), Just("1"), Just("#"),
            ],
            0..60,
        ),
        tail in any::<String>(),
    ) {
        let source = words.concat() + &tail;
        _ = gelab(&source);
        _ = import("qwen3-vl", "", &[("cookbooks/mobile_agent.ipynb", &source)]);
        let mut holes = source::Holes::default();
        _ = javascript::constant(&format!("const a = {source}"), "a", &mut holes);
        _ = literal::jinja(&source, &mut holes);
        _ = json::compact_with_required(&source);
    }

    #[test]
    fn no_file_stops_the_parser(at in 0_usize..2_000, byte in any::<u8>()) {
        let mut file = gelab(GELAB).unwrap().to_file().into_bytes();
        let at = at % file.len();
        file[at] = byte;
        _ = OfficialPrompt::parse(&file);
    }
}
