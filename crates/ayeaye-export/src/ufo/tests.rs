//! The folder that comes out, for each kind of session.
mod builder;
mod ended_again;
mod folder;
mod keys;
mod orders;
mod scenes;

use ayeaye_agent::journal::{BlobRef, Fact, PartRecord};
use serde_json::Value;

use self::builder::EventBuilder;
use self::folder::MemoryFolder;
use super::Images;
use crate::text::rfc_3339;

/// The lines of `response.log`, each checked against the tables.
fn lines(folder: &MemoryFolder) -> Vec<Value> {
    let lines = folder.json_lines("response.log");
    lines.iter().for_each(keys::check);
    lines
}

fn session() -> ayeaye_agent::SessionId {
    "019b7d0a-6f40-7000-8000-0000000000a1".parse().unwrap()
}

fn folder(builder: &EventBuilder) -> MemoryFolder {
    MemoryFolder::of(builder, Images::All)
}

#[test]
fn a_plain_task() {
    let folder = folder(&scenes::plain());
    let lines = lines(&folder);
    assert_eq!(lines.len(), 2);
    insta::assert_json_snapshot!("plain", lines);
    insta::assert_json_snapshot!("plain_request", folder.json_lines("request.log"));
    insta::assert_snapshot!("plain_page", folder.text("output.md"));
    insta::assert_json_snapshot!("plain_files", folder.names());
}

#[test]
fn each_line_says_whose_it_is_and_from_when() {
    let builder = scenes::plain();
    let folder = folder(&builder);
    let step_ends = builder.events.iter().filter(|it| matches!(it.entry.fact, Fact::StepEnd(_)));
    for (line, event) in lines(&folder).iter().zip(step_ends) {
        assert_eq!(line["session_id"], session().to_string());
        assert_eq!(line["timestamp"], rfc_3339(event.ts));
        assert_eq!(
            line["timestamp"].as_str().map(str::len),
            Some("2026-01-09T16:07:34.123456Z".len())
        );
    }
    let calls = builder.events.iter().filter_map(|event| match &event.entry.fact {
        Fact::LlmRequest(call) => Some((event.ts, call.call_id)),
        _ => None,
    });
    let requests = folder.json_lines("request.log");
    assert!(!requests.is_empty());
    for (line, (ts, call_id)) in requests.iter().zip(calls) {
        assert_eq!((&line["call_id"], &line["timestamp"]), (&call_id.into(), &rfc_3339(ts).into()));
        assert_eq!(line["session_id"], session().to_string());
    }
}

#[test]
fn a_question_and_its_answer() {
    let folder = folder(&scenes::info());
    insta::assert_json_snapshot!("info", lines(&folder)[0]);
    let page = folder.text("output.md");
    let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("no {what} in {page}"));
    assert!(at("### Step 0") < at("Which Anna?") && at("Which Anna?") < at("Anna Berg"));
    assert!(at("Anna Berg") < at("### Step 1"));
    assert!(page.contains("Ich komme sp\u{e4}ter"));
    let calls = &lines(&folder)[1]["function_call"];
    assert!(calls[0].as_str().unwrap().starts_with("TYPE(value=\"Ich komme sp\u{e4}ter\", "));
}

#[test]
fn leave_that_is_refused() {
    let folder = folder(&scenes::refused());
    let line = &lines(&folder)[0];
    assert_eq!(line["user_confirm"], "No");
    insta::assert_json_snapshot!("refused", line);
}

#[test]
fn leave_that_is_answered_after_its_line_stands_in_the_next_one() {
    let leave = |builder: &EventBuilder| -> Vec<Option<String>> {
        let value = |line: &Value| Some(line.get("user_confirm")?.as_str()?.to_owned());
        lines(&folder(builder)).iter().map(value).collect()
    };
    let told = |it: &str| Some(it.to_owned());
    for (source, answer, expected) in [
        ("client", "Yes.", told("Yes")),
        ("client", "no", told("No")),
        ("none", "go on", None),
        ("client", "yes, but not today", None),
        ("guidance", "yes", None),
    ] {
        let mut builder = EventBuilder::begin("Pay the bill.");
        builder.ask_step("confirm", "Shall I pay?", None);
        builder.answer(source, answer);
        let asked = &lines(&folder(&builder))[0];
        assert!(asked.get("user_confirm").is_none() && asked.get("UserConfirm").is_none());
        assert_eq!(asked["status"], "CONFIRM");
        assert_eq!(asked["action"][0]["result"]["status"], "none");
        builder.allowed_step(Ok("done"));
        builder.allowed_step(Ok("done"));
        assert_eq!(leave(&builder), [None, expected, None], "{source}: {answer}");
    }
    // Asked again at once: the line of a question has no answer but its own, and one that is no longer open has none.
    let mut builder = EventBuilder::begin("Pay the bill.");
    for (kind, question, answer) in [
        ("confirm", "Shall I pay?", "no"),
        ("confirm", "Shall I pay by card?", "yes"),
        ("info", "Which card?", "yes"),
    ] {
        builder.ask_step(kind, question, None);
        builder.answer("client", answer);
    }
    builder.ask_step("confirm", "Shall I pay by this card?", None);
    builder.begin_round("Something else.");
    builder.answer("client", "yes");
    builder.allowed_step(Ok("done"));
    assert_eq!(leave(&builder), [None, None, told("Yes"), None, None]);
}

#[test]
fn an_act_that_leave_was_given_for_is_told_as_the_act() {
    let mut builder = EventBuilder::begin("Pay the bill.");
    builder.allowed_step(Ok("done"));
    builder.allowed_step(Err("the link was lost"));
    let lines = lines(&folder(&builder));
    for line in &lines {
        assert_eq!(line["function"], "CLICK");
        assert_eq!(line["function_call"][0], "CLICK(point=[400,250])");
        assert_eq!(line["control_text"], "Chats");
        assert_ne!(line["screenshot_selected_control"], "");
        assert_eq!(line["action"][0]["result"]["namespace"], "phone");
    }
    let result = |step: usize| &lines[step]["action"][0]["result"];
    assert_eq!((&result(0)["status"], &result(0)["call_id"]), (&"success".into(), &"1".into()));
    assert_eq!((&result(1)["status"], &result(1)["call_id"]), (&"failure".into(), &"2".into()));
    assert_eq!(result(1)["error"], "the link was lost");
    assert_eq!(lines[1]["action_success"], serde_json::json!([]));
}

#[test]
fn an_act_that_may_have_had_no_effect_says_so() {
    let why = "the field still shows <another> text";
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.allowed_step(Ok("done"));
    for event in &mut builder.events {
        match &mut event.entry.fact {
            Fact::ToolEnd(end) => end.uncertain = Some(why.to_owned()),
            Fact::StepEnd(end) => end.uncertain = Some(why.to_owned()),
            _ => {}
        }
    }
    let folder = folder(&builder);
    let line = &lines(&folder)[0];
    assert_eq!(line["uncertain"], why);
    assert_eq!(line["action"][0]["result"]["uncertain"], why);
    assert_eq!(line["action"][0]["result"]["status"], "success", "the phone has accepted it");
    let page = folder.text("output.md");
    assert!(
        page.contains("- **Not certain:** the field still shows \\<another\\> text\n"),
        "{page}"
    );
}

#[test]
fn an_act_of_which_nobody_knows_has_not_failed() {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.allowed_step(Err("the server stopped in the middle of it"));
    for event in &mut builder.events {
        if let Fact::ToolEnd(end) = &mut event.entry.fact {
            end.unknown = true;
        }
    }
    let folder = folder(&builder);
    let line = &lines(&folder)[0];
    let result = &line["action"][0]["result"];
    assert_eq!(result["status"], "none");
    assert_eq!(result["error"], "the server stopped in the middle of it");
    assert_eq!(line["action_success"], serde_json::json!([]));
    assert!(folder.text("output.md").contains(": not known\n"), "{}", folder.text("output.md"));
}

#[test]
fn a_question_that_came_to_nothing_has_not_succeeded() {
    let mut builder = EventBuilder::begin("Pay the bill.");
    builder.ask_step("confirm", "Shall I pay?", Some(("manual", "no")));
    for event in &mut builder.events {
        if let Fact::StepEnd(end) = &mut event.entry.fact {
            end.error = Some("not carried out: it needs the user's yes".to_owned());
        }
    }
    let line = &lines(&folder(&builder))[0];
    assert_eq!(line["action"][0]["result"]["status"], "failure");
    assert_eq!(line["action_success"], serde_json::json!([]));
}

#[test]
fn answers_are_understood_or_left_open() {
    for (answer, leave) in [
        ("Yes.", Some("Yes")),
        ("好的", Some("Yes")),
        ("No!", Some("No")),
        ("ja, bitte", Some("Yes")),
        ("はい", Some("Yes")),
        ("yes, but only 10 euros", None),
        ("No problem, go ahead", None),
        ("不要", Some("No")),
        ("Don't", Some("No")),
        ("the cheaper one", None),
        ("", None),
    ] {
        let mut builder = EventBuilder::begin("Buy it.");
        builder.ask_step("confirm", "Buy?", Some(("manual", answer)));
        let line = &lines(&folder(&builder))[0];
        assert_eq!(line.get("user_confirm").and_then(Value::as_str), leave, "{answer}");
        assert_eq!(line.get("UserConfirm").and_then(Value::as_str), leave, "{answer}");
    }
}

#[test]
fn given_up() {
    let lines = lines(&folder(&scenes::aborted()));
    insta::assert_json_snapshot!("aborted", lines[0]);
    let page = folder(&scenes::aborted()).text("output.md");
    let line = page.lines().find(|line| line.starts_with("- **Action:** `ABORT(")).unwrap();
    assert!(!line.contains("success"), "{line}");
}

#[test]
fn out_of_steps() {
    let folder = folder(&scenes::max_steps());
    insta::assert_json_snapshot!("max_steps", lines(&folder).last());
    assert!(folder.text("output.md").contains("MAX_STEPS_REACHED"));
}

#[test]
fn a_reply_that_was_asked_for_again() {
    let folder = folder(&scenes::asked_again());
    insta::assert_json_snapshot!("asked_again", lines(&folder)[0]);
    assert_eq!(folder.json_lines("request.log").len(), 2);
    assert!(folder.text("output.md").contains("**Replies that could not be used:** 1"));
}

#[test]
fn elements_that_come_after_the_request_are_in_its_line() {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.start_step("AppAgent");
    builder.observe(false);
    builder.call("act", 1, None);
    builder.observe(true);
    assert_eq!(folder(&builder).text("request.log"), "", "it waits for the end of the step");
    builder.end_step("CONTINUE", "done", None);
    let request = &folder(&builder).json_lines("request.log")[0];
    assert!(!request["control_info"].as_array().unwrap().is_empty());
    assert_eq!(request["current_application"], "com.example.chat");
}

#[test]
fn an_action_that_failed() {
    let lines = lines(&folder(&scenes::failed_action()));
    insta::assert_json_snapshot!("failed_action", lines[0]);
    assert_eq!(lines[0]["action_success"], serde_json::json!([]));
    assert_eq!(lines[1]["last_error"], lines[0]["error"]);
}

#[test]
fn a_phone_that_was_lost() {
    let folder = folder(&scenes::lost_phone());
    insta::assert_json_snapshot!("lost_phone", lines(&folder)[0]);
    assert_eq!(folder.ending("png"), ["no_screenshot.png"]);
    let blank = crate::draw::decode(&folder.files["no_screenshot.png"]).unwrap();
    assert_eq!(
        (blank.width(), blank.height()),
        (1, 1),
        "UFO's evaluator leaves it out by its size"
    );
}

#[test]
fn two_rounds() {
    let folder = folder(&scenes::two_rounds());
    let lines = lines(&folder);
    insta::assert_json_snapshot!("two_rounds", lines[2]);
    let of = |key: &str| lines.iter().map(|it| it[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("Round"), [0, 0, 1, 1]);
    assert_eq!(of("Step"), [0, 1, 2, 3]);
    assert_eq!(of("round_step"), [0, 1, 0, 1]);
    insta::assert_json_snapshot!("two_rounds_files", folder.names());
    let verdict: Value = serde_json::from_slice(&folder.files["evaluation.log"]).unwrap();
    assert_eq!(verdict["level"], "session");
    insta::assert_json_snapshot!("evaluation", verdict);
}

#[test]
fn where_there_is_no_judgement_the_reason_says_why() {
    let mut builder = scenes::plain();
    builder.judge_in_vain("its reply could not be used: no JSON");
    let verdict: Value = serde_json::from_slice(&folder(&builder).files["evaluation.log"]).unwrap();
    assert_eq!(verdict["complete"], "unsure");
    assert_eq!(verdict["reason"], "its reply could not be used: no JSON");
}

#[test]
fn a_host_agent() {
    let folder = folder(&scenes::host());
    insta::assert_json_snapshot!("host", lines(&folder)[0]);
    let request = &folder.json_lines("request.log")[0];
    // UFO's, and three of ours: whose line it is, from when, and of which call.
    assert_eq!(request.as_object().unwrap().len(), 8 + 3);
    assert_eq!(folder.json_lines("request.log")[1].as_object().unwrap().len(), 20 + 3);
}

#[test]
fn the_setting_says_which_pictures_there_are() {
    for (images, expected) in [(Images::None, 0), (Images::Clean, 2 + 2), (Images::All, 6 + 1 + 2)]
    {
        let folder = MemoryFolder::of(&scenes::plain(), images);
        let pngs = folder.ending("png").len();
        assert_eq!(pngs, expected, "{images:?}");
        for line in lines(&folder) {
            for key in ["clean", "annotated", "concat", "selected_control"] {
                // Joined to the folder, an empty name is the folder, which exists.
                let shown = line[format!("{key}_screenshot_path")].as_str().unwrap();
                assert!(shown.starts_with("action_step"), "{shown}");
                assert_eq!(folder.files.contains_key(shown), images != Images::None, "{shown}");
                let documented = line[format!("screenshot_{key}")].as_str().unwrap();
                assert!(documented.is_empty() || documented == shown, "{documented} {shown}");
                let drawn = key == "clean" || images == Images::All;
                let touched = key != "selected_control" || line["action_type"] == "CLICK";
                assert_eq!(documented.is_empty(), images == Images::None || !drawn || !touched);
            }
        }
    }
}

#[test]
fn the_app_that_was_opened_counts() {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.step("AWAKE", serde_json::json!({ "app": "com.example.notes" }));
    builder.step("CLICK", serde_json::json!({ "point": [400, 250] }));
    let lines = lines(&folder(&builder));
    assert_eq!(lines[0]["application"], "com.example.notes");
    assert_eq!(lines[1]["application"], "com.example.chat");
}

#[test]
fn an_app_that_was_opened_is_named_by_its_package_where_that_is_known() {
    for mut builder in
        [scenes::opened("AppAgent", "CONTINUE"), scenes::opened("HostAgent", "ASSIGN")]
    {
        let of = |builder: &EventBuilder| lines(&folder(builder))[0]["application"].clone();
        assert_eq!(of(&builder), "Notes", "as the agent called it, where no package is known");
        for event in &mut builder.events {
            if let Fact::ToolEnd(end) = &mut event.entry.fact {
                end.app = Some("com.example.notes".to_owned());
            }
        }
        assert_eq!(of(&builder), "com.example.notes");
    }
}

#[test]
fn what_cannot_be_read_leaves_no_file_and_no_trouble() {
    let mut builder = scenes::plain();
    let whole = lines(&MemoryFolder::of(&builder, Images::All));
    builder.blobs.clear();
    let folder = MemoryFolder::of(&builder, Images::All);
    let lines = lines(&folder);
    assert_eq!(lines.len(), whole.len());
    assert_eq!(lines[0]["control_label"], "");
    assert!(folder.ending("png").is_empty() && folder.ending("xml").is_empty());
}

#[test]
fn a_step_without_an_end_has_no_line_until_it_gets_one() {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.start_step("AppAgent");
    builder.observe(true);
    builder.act("CLICK", serde_json::json!({ "point": [500, 250] }), None);
    assert_eq!(lines(&folder(&builder)).len(), 0);
    builder.resume("go_on");
    builder.tool_end(Err("interrupted"), true);
    builder.end_step("ERROR", "", Some("interrupted"));
    let lines = lines(&folder(&builder));
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["action"][0]["result"]["status"], "none");
    assert_eq!(lines[0]["control_text"], "Chats");
}

#[test]
fn a_request_names_a_picture_that_is_there() {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.start_step("AppAgent");
    builder.observe(true);
    builder.call("act", 1, None);
    // Of a step that a killed process never ended there is neither picture nor line, as in response.log.
    assert!(folder(&builder).ending("png").is_empty());
    builder.end_step("ERROR", "", Some("interrupted"));
    let request = &folder(&builder).json_lines("request.log")[0];
    assert_eq!(request["image_list"], serde_json::json!(["action_step0.png"]));
}

/// A model may be asked before the screen has settled: what it was shown is the step's picture only if it stayed.
#[test]
fn a_guess_is_no_failure_and_the_call_that_decided_names_its_picture() {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.start_step("AppAgent");
    builder.call("act", 1, Some("given up: the screen still moved"));
    for event in &mut builder.events {
        if let Fact::LlmRequest(call) = &mut event.entry.fact {
            let moved =
                BlobRef { sha256: "moved".to_owned(), bytes: 1, media_type: "image/jpeg".into() };
            call.messages[1].parts[1] = PartRecord::Picture(moved);
        }
    }
    builder.call("act", 1, None);
    builder.observe(true);
    builder.end_step("CONTINUE", "done", None);
    let folder = folder(&builder);
    let requests = folder.json_lines("request.log");
    let named: Vec<&Value> = requests.iter().map(|it| &it["image_list"][0]).collect();
    assert_eq!(named, ["sha256:moved", "action_step0.png"]);
    assert_eq!(requests[1]["prompt"][1]["content"][1]["image_url"]["url"], "action_step0.png");
    assert!(!folder.text("output.md").contains("could not be used"));
    let without = MemoryFolder::of(&builder, Images::None).json_lines("request.log");
    assert!(without[1]["image_list"][0].as_str().unwrap().starts_with("sha256:"));
}

#[test]
fn sub_rounds_have_no_gaps() {
    let mut builder = EventBuilder::begin("Two things.");
    builder.step("CLICK", serde_json::json!({ "point": [500, 250] }));
    for number in [Some(1), None, Some(7), Some(2)] {
        builder.snapshot("sub_round", number, true);
    }
    let pngs = folder(&builder).ending("png");
    let sub_rounds: Vec<&String> = pngs.iter().filter(|it| it.contains("sub_round")).collect();
    assert_eq!(
        sub_rounds,
        [
            "action_round_0_sub_round_0_final.png",
            "action_round_0_sub_round_1_final.png",
            "action_round_0_sub_round_2_final.png"
        ]
    );
}

#[test]
fn the_old_record_is_read() {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../ayeaye-agent/fixtures/format-1/sessions/019b7d0a-6f40-7000-8000-0000000000a1/events.jsonl"
    ));
    let mut builder = EventBuilder::begin("");
    builder.events = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let steps = text.lines().filter(|line| line.contains("\"type\":\"step.end\"")).count();
    assert_eq!(lines(&folder(&builder)).len(), steps);
}
