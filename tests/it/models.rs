//! Models beside the one that decides, and what the document says of all of them.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::Model;
use ayeaye_model::{Profile, RemoteModel};

use crate::support::{Answer, FakeVlm, Rig, RigOptions, click, complete, quick_model};

fn model(vlm: &FakeVlm) -> Arc<dyn Model> {
    let config = quick_model(&vlm.url(), "gelab-zero-4b-preview", Duration::from_secs(20));
    Arc::new(RemoteModel::new(config).unwrap())
}

/// Every line of the one record in a data folder.
fn record(rig: &Rig) -> String {
    let sessions = std::fs::read_dir(rig.data.path().join("sessions")).unwrap();
    let folders: Vec<_> = sessions.map(|it| it.unwrap().path()).collect();
    let [folder] = &folders[..] else { panic!("{folders:?}") };
    std::fs::read_to_string(folder.join("events.jsonl")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_model_ends_what_the_first_one_cannot() {
    let first = FakeVlm::start(|_| Answer::Says("I would tap the button.".to_owned())).await;
    let second = FakeVlm::start(|_| Answer::Silence).await;
    second.then(vec![Answer::Says(click(300, 400)), Answer::Says(complete("Done."))]);
    let options = RigOptions { fallback: Some(model(&second)), ..RigOptions::quick() };
    let rig = Rig::with(first, options).await;
    let result = rig.start("Open the settings").await;
    assert_eq!(result["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{result}");
    assert_eq!((rig.vlm.asked_count(), second.asked_count()), (3, 2));
    assert_eq!(result["local_step_idx"], 2);
    let record = record(&rig);
    assert_eq!(record.matches("model_fallback").count(), 1, "{record}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_screen_is_put_into_words_in_the_tools_result() {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    vlm.then(vec![Answer::Says(click(300, 400)), Answer::Says(complete("Done."))]);
    let writer = FakeVlm::start(|_| Answer::Says("The home screen.".to_owned())).await;
    let options = RigOptions { caption: Some(model(&writer)), ..RigOptions::quick() };
    let rig = Rig::with(vlm, options).await;
    let result = rig.start("Open the settings").await;
    assert_eq!(result["final_action"]["screenshot_caption"], "The home screen.", "{result}");
    assert_eq!(result["intermediate_logs"][0]["action"].get("screenshot_caption"), None);
    assert_eq!(result["usage"]["cost_known"], false);
    crate::logs::folders::complete(rig.data.path(), result["session_id"].as_str().unwrap()).await;
    let reports = std::fs::read_dir(rig.data.path().join("reports")).unwrap();
    let pages: Vec<_> =
        reports.map(|it| std::fs::read_to_string(it.unwrap().path()).unwrap()).collect();
    assert!(pages.iter().any(|page| page.contains("The home screen.")), "it is in the report");
}

#[test]
fn the_document_names_every_profile() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/models.md");
    let text = std::fs::read_to_string(path).unwrap();
    let table = text.split("<!-- profiles -->").nth(1).unwrap();
    let table = table.split("<!-- /profiles -->").next().unwrap();
    let expected: Vec<String> = Profile::ALL
        .iter()
        .map(|profile| {
            let it = profile.listed();
            format!("| `{}` | {} | `{}` |", it.name, it.title, it.coordinates)
        })
        .collect();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(rows, expected, "write into docs/models.md:\n{}", expected.join("\n"));
}
