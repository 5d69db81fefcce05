//! Completion, prompts, and the skill.
use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, CompletionContext, GetPromptRequestParams,
    GetSkillRequestParams, Reference, SkillResources,
};

use super::{Client, Value, client, json, kept, rig, text};

async fn offered(client: &Client, request: CompleteRequestParams) -> Vec<String> {
    client.complete(request).await.unwrap().completion.values
}

fn ask(reference: Reference, argument: &str, begun: &str) -> CompleteRequestParams {
    CompleteRequestParams::new(reference, ArgumentInfo::new(argument, begun))
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_completed_with_what_is_the_principals_own() {
    let rig = rig().await;
    let (old, theirs, new) =
        (kept(&rig, None).await, kept(&rig, Some("bob")).await, kept(&rig, None).await);
    rig.vlm.always(&super::complete("Done."));
    let done = rig.start("look").await;
    let id = done["session_id"].as_str().unwrap();
    for modern in [false, true] {
        let (client, _heard) = client(&rig, modern).await;
        let sessions = || Reference::for_resource("ayeaye://sessions/{session_id}/report");
        let all = offered(&client, ask(sessions(), "session_id", "")).await;
        assert_eq!(all, [id.to_owned(), new.to_string(), old.to_string()]);
        let one = offered(&client, ask(sessions(), "session_id", &old.to_string()[..30])).await;
        assert!(one.contains(&old.to_string()) && !one.contains(&theirs.to_string()), "{one:?}");
        let prompt = Reference::for_prompt("continue_session");
        assert_eq!(offered(&client, ask(prompt, "session_id", "")).await, all);

        let step = || Reference::for_resource("ayeaye://sessions/{session_id}/steps/{step}");
        let of = |id: &str| {
            let arguments = [("session_id".to_owned(), id.to_owned())].into();
            CompletionContext::with_arguments(arguments)
        };
        assert_eq!(offered(&client, ask(step(), "step", "").with_context(of(id))).await, ["0"]);
        let others = ask(step(), "step", "").with_context(of(&theirs.to_string()));
        assert!(offered(&client, others).await.is_empty());
        assert!(offered(&client, ask(step(), "step", "")).await.is_empty());

        let device = || Reference::for_prompt("do_on_phone");
        let phones = offered(&client, ask(device(), "device_id", "")).await;
        assert_eq!(phones, [rig.serial.as_str()]);
        assert!(offered(&client, ask(device(), "device_id", "zzz")).await.is_empty());
        assert!(offered(&client, ask(device(), "task", "send")).await.is_empty());
        for wrong in [
            ask(device(), "sudo", ""),
            ask(Reference::for_prompt("nothing"), "task", ""),
            ask(Reference::for_resource("file:///{path}"), "path", ""),
        ] {
            client.complete(wrong).await.unwrap_err();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_prompts_are_as_they_were() {
    let rig = rig().await;
    let mine = kept(&rig, None).await;
    let (client, _heard) = client(&rig, false).await;
    let prompts = client.list_all_prompts().await.unwrap();
    let mut told = String::new();
    for prompt in &prompts {
        told.push_str(&serde_json::to_string_pretty(prompt).unwrap());
        let arguments = prompt.arguments.iter().flatten().map(|argument| {
            let value = match argument.name.as_str() {
                "session_id" => mine.to_string(),
                "device_id" => rig.serial.clone(),
                name => format!("the \"{name}\"\nof it"),
            };
            (argument.name.clone(), Value::from(value))
        });
        let request = GetPromptRequestParams::new(prompt.name.clone());
        let result = client.get_prompt(request.with_arguments(arguments.collect())).await.unwrap();
        let [message] = &result.messages[..] else { panic!("one message") };
        let text = message.content.as_text().unwrap().text.clone();
        told.extend(["\n\n", &text.replace(&mine.to_string(), "SESSION"), "\n\n"]);
    }
    insta::assert_snapshot!(told.replace(&rig.serial, "SERIAL"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_for_anothers_session_is_refused_like_one_for_none() {
    let rig = rig().await;
    let theirs = kept(&rig, Some("bob")).await;
    let (client, _heard) = client(&rig, true).await;
    let mut told = Vec::new();
    for id in [theirs, ayeaye_agent::SessionId::new()] {
        let arguments = json!({ "session_id": id.to_string() });
        let request = GetPromptRequestParams::new("continue_session")
            .with_arguments(arguments.as_object().cloned().unwrap());
        let refused = client.get_prompt(request).await.unwrap_err().to_string();
        assert!(refused.contains("there is no session"), "{refused}");
        told.push(refused.replace(&id.to_string(), ""));
    }
    assert_eq!(told[0], told[1]);
}

/// Clients that make commands of prompts ask once, with words that they replace later.
#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_can_be_asked_for_with_what_a_client_fills_in_later() {
    let rig = rig().await;
    let (client, _heard) = client(&rig, false).await;
    let arguments = json!({ "session_id": "$1", "reply": "$2" });
    let request = GetPromptRequestParams::new("continue_session")
        .with_arguments(arguments.as_object().cloned().unwrap());
    let prompt = client.get_prompt(request).await.unwrap();
    let text = prompt.messages[0].content.as_text().unwrap().text.clone();
    assert!(text.contains("\"$1\"") && text.contains("\"$2\". If nothing stands there"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_skill_is_what_its_manifest_says() {
    let rig = rig().await;
    for modern in [false, true] {
        let (client, _heard) = client(&rig, modern).await;
        let skills = client.list_skills(None).await.unwrap().skills;
        let [skill] = &skills[..] else { panic!("one skill: {skills:?}") };
        skill.validate().unwrap();
        let one =
            client.get_skill(GetSkillRequestParams::new(skill.uri.clone())).await.unwrap().skill;
        assert_eq!(one, *skill);
        let SkillResources::Files(files) = &skill.resources else { panic!("files") };
        for file in files {
            file.verify(text(&client, &file.uri).await.as_bytes()).unwrap();
        }
        let other = GetSkillRequestParams::new("skill://other/SKILL.md");
        let refused = client.get_skill(other).await.unwrap_err().to_string();
        assert!(refused.contains("-32602"), "{refused}");
    }
}
