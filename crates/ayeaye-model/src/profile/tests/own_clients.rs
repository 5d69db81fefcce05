//! What models' own clients send and ours once did not: the order of parts, languages, notations, and whose words
//! are a message of their own.
use ayeaye_agent::{Action, HistoryItem, Part, Question, Role};

use super::rendered::tap;
use super::sample::{clicks, named, prompt, step, text, texts};
use crate::{Endpoint, Profile};

/// The picture comes first. The first turn has the task in front of its facts, later ones a head.
#[test]
fn autoglm_is_told_the_app_in_front() {
    let mut history = clicks(2);
    for (item, app) in history[1..].iter_mut().zip(["设置", "com.miui.home"]) {
        if let HistoryItem::Step(step) = item {
            step.app = Some(app.to_owned());
        }
    }
    let prompt = prompt(named("autoglm").family(), "t", &history, &[]);
    let [_, first, _, second, _, now] = &prompt.messages[..] else { panic!("{prompt:?}") };
    assert_eq!(text(first), "t\n\n{\"current_app\": \"设置\"}");
    assert_eq!(text(second), "** Screen Info **\n\n{\"current_app\": \"System Home\"}");
    let [Part::Picture(_), Part::Text(info)] = &now.parts[..] else { panic!("{now:?}") };
    assert_eq!(info, "** Screen Info **\n\n{\"current_app\": \"com.example\"}");
}

#[test]
fn the_multilingual_autoglm_is_asked_in_english() {
    let family = named("autoglm").family_of("AutoGLM-Phone-9B-Multilingual");
    let history = [HistoryItem::UserReply("the second".to_owned())];
    let all = format!("{:?}", prompt(family, "t", &history, &[]));
    assert!(
        all.contains("You operate an Android phone") && all.contains("The user says: the second")
    );
    let chinese = |c: char| ('\u{4e00}'..'\u{9fff}').contains(&c);
    assert!(!all.contains(chinese), "{all}");
    let usual = named("autoglm").family_of("autoglm-phone-9b");
    let all = format!("{:?}", prompt(usual, "t", &history, &[]));
    assert!(all.contains("用户说：the second") && !all.contains("The user"), "{all}");
}

/// UI-TARS-1 knows boxes, what its makers host knows points, and UI-TARS-1.5 is asked for points and says boxes.
#[test]
fn ui_tars_is_asked_in_the_notation_of_its_generation() {
    const POINT: &str = "click(point=";
    const BOX: &str = "click(start_box=";
    const SAID_POINT: &str = "point='<point>";
    const SAID_BOX: &str = "start_box='<|box_start|>(";
    let asked = |profile: &str, model: &str| {
        let family = named(profile).family_of(model);
        let sent = prompt(family, "t", &clicks(1), &[]);
        (texts(&sent, Role::User), texts(&sent, Role::Assistant))
    };
    let anywhere = Endpoint::parse("http://127.0.0.1:8000").unwrap();
    for (profile, model, asks, says) in [
        ("ui-tars", "UI-TARS-1.5-7B", POINT, SAID_BOX),
        ("ui-tars", "ByteDance-Seed/UI-TARS-1.5-7B", POINT, SAID_BOX),
        ("ui-tars-1000", "UI-TARS-7B-DPO", BOX, SAID_BOX),
        // Its maker is called Seed, and so are hosted models.
        ("ui-tars-1000", "ByteDance-Seed/UI-TARS-7B-DPO", BOX, SAID_BOX),
        ("ui-tars-1000", "hf.co/x/ByteDance-Seed_UI-TARS-72B-DPO-GGUF:Q4_K_M", BOX, SAID_BOX),
        ("ui-tars-1000", "bytedance-research/UI-TARS-2B-SFT", BOX, SAID_BOX),
        ("ui-tars-1000", "doubao-1-5-ui-tars-250428", POINT, SAID_POINT),
        ("ui-tars-1000", "Doubao-1.5-UI-TARS", POINT, SAID_POINT),
        ("ui-tars-1000", "1-5-ui-tars-250428", POINT, SAID_POINT),
        ("ui-tars-1000", "doubao-1-5-thinking-vision-pro-250428", POINT, SAID_POINT),
        ("ui-tars-1000", "doubao-seed-1-6-vision-250815", POINT, SAID_POINT),
        ("ui-tars-1000", "bytedance-seed/seed-1.6-vision", POINT, SAID_POINT),
    ] {
        assert_eq!(Profile::for_model(model, &anywhere).name(), profile, "{model}");
        let (rules, said) = asked(profile, model);
        assert!(rules.contains(asks) && said.contains(says), "{model}: {rules} {said}");
        let trained = rules.contains("time='seconds'") && rules.contains("end_box=");
        assert_eq!(trained, asks.contains("box"), "{model}: {rules}");
    }
}

/// Servers leave the tokens out of what they return, and the makers put them back.
#[test]
fn boxes_that_were_said_bare_have_their_tokens_again() {
    let told = |profile: &str, model: &str, reply: &str| {
        let mut tap = tap(0);
        if let HistoryItem::Step(step) = &mut tap {
            step.reply = Some(reply.to_owned());
        }
        let history = [HistoryItem::Request("t".to_owned()), tap];
        let family = named(profile).family_of(model);
        texts(&prompt(family, "t", &history, &[]), Role::Assistant)
    };
    let bare = "Thought: Not start_box='(1,2)'.\nAction: click(start_box='(500, 500)')";
    let token = "Thought: Not start_box='(1,2)'.\nAction: \
                 click(start_box='<|box_start|>(500,500)<|box_end|>')";
    assert_eq!(told("ui-tars-1000", "UI-TARS-7B-DPO", bare), token);
    assert_eq!(told("ui-tars-1000", "UI-TARS-7B-DPO", token), token);
    let pixels = bare.replace("500, 500", "336,742");
    assert_eq!(told("ui-tars", "UI-TARS-1.5-7B", &pixels), token.replace("500,500", "336,742"));
    assert_eq!(told("ui-tars-1000", "doubao-1-5-ui-tars-250428", bare), bare);
    assert_eq!(told("seed", "doubao-seed-1.8", bare), bare);
}

/// Its own client would have done them all, so that it may not read of those that were not done.
#[test]
fn of_several_actions_ui_tars_is_told_the_one_that_was_done() {
    let mut tap = tap(0);
    if let HistoryItem::Step(step) = &mut tap {
        let reply = "Thought: I tap.\nAction: click(start_box='(336,742)')\n\ntype(content='xxx')";
        step.reply = Some(reply.to_owned());
    }
    let history = [HistoryItem::Request("t".to_owned()), tap];
    let told = texts(&prompt(named("ui-tars").family(), "t", &history, &[]), Role::Assistant);
    assert!(told.contains("(336,742)") && !told.contains("type("), "{told}");
}

/// As their own clients send them: a message for the task, one for each answer, one for each screen.
#[test]
fn some_families_have_a_message_for_each_thing() {
    let history = [
        HistoryItem::Request("t".to_owned()),
        step(0, Action::Info(Question::info("Which?"))),
        HistoryItem::UserReply("The \"second\".".to_owned()),
    ];
    for profile in ["mai-ui", "ui-tars", "ui-tars-1000"] {
        let sent = prompt(named(profile).family(), "t", &history, &[]);
        let turns = sent.messages.iter().filter(|it| it.role == Role::User);
        let kinds: Vec<(bool, String)> = turns
            .map(|it| (it.parts.iter().all(|part| matches!(part, Part::Picture(_))), text(it)))
            .collect();
        let [(false, task), (true, _), (false, answer), (true, _)] = &kinds[..] else {
            panic!("{profile}: {kinds:?}")
        };
        assert!(task.trim_end().ends_with('t'), "{profile}: {task}");
        assert_eq!(answer, "The \"second\".", "{profile}");
    }
}

/// What comes of asking is the user's answer, and not that it was done.
#[test]
fn an_answer_is_the_result_of_the_tool_that_asked() {
    let history = [
        HistoryItem::Request("t".to_owned()),
        step(0, Action::Info(Question::info("Which?"))),
        HistoryItem::UserReply("The second.".to_owned()),
        HistoryItem::UserReply("And hurry.".to_owned()),
    ];
    for (profile, expected) in [
        ("claude", "The second."),
        ("claude-20250124", "The second."),
        ("gemini", "{\"output\":\"The second.\"}"),
    ] {
        let sent = prompt(named(profile).family(), "t", &history, &[]);
        let last = &sent.messages.last().unwrap().parts;
        let [Part::Result { text, .. }, Part::Text(unasked)] = &last[..] else {
            panic!("{last:?}")
        };
        assert_eq!(text, expected, "{profile}");
        assert_eq!(unasked, "The user says: And hurry.\n", "{profile}");
    }
}

/// A reply stands in the conversation as it came, but for tokens that would part speakers. What is in another
/// format, or says another thing than what was decided, is written anew.
#[test]
fn earlier_replies_are_told_word_for_word() {
    let raw = "Thought: The gear, I \"think\".\n\nAction: click(start_box='<|box_start|>(336,742)<|box_end|>')";
    let told = |reply: &str| {
        let mut tap = tap(0);
        if let HistoryItem::Step(step) = &mut tap {
            step.reply = Some(reply.to_owned());
        }
        let history = [HistoryItem::Request("t".to_owned()), tap];
        texts(&prompt(named("ui-tars").family(), "t", &history, &[]), Role::Assistant)
    };
    assert_eq!(told(raw), raw);
    assert_eq!(told(&raw.replace("gear", "<|im_end|>")), raw.replace("gear", "＜|im_end|>"));
    let written = told("");
    assert!(written.starts_with("Thought: why\nAction: click("), "{written}");
    for other in [
        raw.replace("336", "100"),
        "Action: finished(content='done')".to_owned(),
        "<answer>do(action=\"Tap\", element=[500,500])</answer>".to_owned(),
        "(87 characters)".to_owned(),
    ] {
        assert_eq!(told(&other), written);
    }
}
