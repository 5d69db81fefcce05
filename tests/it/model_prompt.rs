//! `ayeaye model prompt`: a prompt out of a checkout, into the settings, to the model, into the record.
use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::get;
use serde_json::Value;

use crate::support::{Answer, Binary, FakeVlm, complete, plugged_in, quick_phone};

/// A file as GELab's client has it, in words of our own.
const SOURCE: &str = r#"
task_define_prompt = """你操作手机。动作：CLICK TYPE COMPLETE WAIT AWAKE INFO ABORT SLIDE LONGPRESS。"""

def make_status_prompt(task, image_url, history_display):
    status_conversation = [
        {"type": "text", "text": f'任务：{task}\n经过：{history_display}'},
        {"type": "image_url", "image_url": {"url": image_url}},
        {"type": "text", "text": "现在决定。"},
    ]
    return status_conversation
"#;
const PATH: &str = "copilot_tools/parser_0920_summary.py";

/// A folder with the file in it.
fn checkout(source: &str) -> tempfile::TempDir {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join(PATH);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, source).unwrap();
    folder
}

fn with_settings(binary: Binary) -> Binary {
    let settings = binary.data.path().join("ayeaye.toml");
    std::fs::write(&settings, "# mine\n[model]\nname = \"gelab-zero-4b-preview\"\n").unwrap();
    binary.set("AYEAYE_CONFIG", settings.to_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_imported_prompt_is_what_the_model_is_asked_with() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = with_settings(Binary::with(adb, &vlm));
    let folder = checkout(SOURCE);
    let from = folder.path().to_str().unwrap();

    let imported = binary.run(&["model", "prompt", "import", "--from", from, "--use"]).await;
    assert_eq!(imported.code, 0, "{imported:?}");
    for said in
        ["gelab of github.com/stepfun-ai/gelab-zero", "slots: history, task", "all 9 are named"]
    {
        assert!(imported.out.contains(said), "{said}: {}", imported.out);
    }
    assert!(imported.out.contains("It is not the known one"), "{}", imported.out);
    let settings = std::fs::read_to_string(binary.data.path().join("ayeaye.toml")).unwrap();
    assert!(
        settings.starts_with("# mine\n") && settings.contains("prompt = \"prompts/gelab.json\"")
    );

    let ended = binary.run(&["run", "say \"hi\" to <x> & {task}"]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    let asked = vlm.asked();
    let parts = asked[0]["messages"][0]["content"].as_array().unwrap();
    assert_eq!(asked[0]["messages"].as_array().unwrap().len(), 1);
    assert!(parts[0]["text"].as_str().unwrap().starts_with("你操作手机。动作："), "{parts:?}");
    let task = parts[1]["text"].as_str().unwrap();
    assert!(task.starts_with("任务：say \"hi\" to <x> & {task}\n经过："), "{task}");
    assert_eq!(parts[2]["type"], "image_url");
    assert_eq!(parts[3]["text"], "现在决定。");

    let listed = binary.run(&["model", "prompt", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    let row = |name: &str| {
        let rows = listed["prompts"].as_array().unwrap();
        rows.iter().find(|it| it["name"] == name).unwrap().clone()
    };
    assert_eq!(row("gelab")["used"], true);
    assert_eq!(row("gelab")["state"], "imported, not as published");
    assert_eq!(row("autoglm-multilingual")["state"], "not imported");

    let doctor = binary.run(&["doctor"]).await;
    let source = "prompt gelab of github.com/stepfun-ai/gelab-zero, changed or of another version";
    assert!(doctor.out.contains(source), "{}", doctor.out);
    let recorded = std::fs::read_dir(binary.data.path().join("sessions")).unwrap();
    let recorded =
        recorded.map(|it| it.unwrap().path().join("events.jsonl")).find(|it| it.exists());
    let recorded = std::fs::read_to_string(recorded.unwrap()).unwrap();
    assert!(recorded.contains("changed or of another version, sha256 "), "{recorded}");

    let shown = binary.run(&["model", "prompt", "show", "gelab"]).await;
    assert!(shown.out.contains("任务：{task}\n经过：{history}"), "{}", shown.out);
    let removed = binary.run(&["model", "prompt", "rm", "gelab"]).await;
    assert!(
        removed.code != 0 && removed.err.contains("set model.prompt to \"builtin\""),
        "{removed:?}"
    );
    let removed = binary.set("AYEAYE_MODEL_PROMPT", "builtin");
    let removed = removed.run(&["model", "prompt", "rm", "gelab"]).await;
    assert_eq!(removed.code, 0, "{removed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_imported_is_refused_with_the_way_out() {
    let binary = with_settings(Binary::alone());
    let lacking = checkout(&SOURCE.replace("COMPLETE", "END"));
    let empty = tempfile::TempDir::new().unwrap();
    let demo = tempfile::TempDir::new().unwrap();
    let claude = demo.path().join("computer-use-demo/computer_use_demo");
    std::fs::create_dir_all(&claude).unwrap();
    std::fs::write(claude.join("loop.py"), "").unwrap();
    let [lacking, empty, demo] = [&lacking, &empty, &demo].map(|it| it.path().to_str().unwrap());
    for (arguments, said) in [
        (&["--from", lacking][..], &["COMPLETE not named", "hint: a checkout of github.com/"][..]),
        (&["--from", "/nowhere"], &["there is no folder /nowhere"]),
        (&["--from", "/etc/passwd"], &["is not a folder"]),
        (&["--from", demo], &["not used here", "its actions are those of a computer"]),
        (&["--from", empty], &["holds no prompt that is known", "ayeaye model prompt list"]),
        (&["--from", lacking, "--family", "unheard"], &["no prompt of \"unheard\"", "list"]),
        (&["--from", lacking, "--family", "mai-ui", "--variant", "x"], &["no-thinking, ask-user"]),
        (&["--from", lacking, "--family", "claude"], &["its actions are those of a computer"]),
        (&["--fetch", "--family", "ui-venus-2"], &["the hash of its file is not known", "--from"]),
        (&["--fetch", "http://127.0.0.1:1"], &["http://127.0.0.1:1/stepfun-ai/", "--from"]),
    ] {
        let all: Vec<&str> =
            ["model", "prompt", "import"].iter().chain(arguments).copied().collect();
        let refused = binary.run(&all).await;
        assert_eq!(refused.code, 1, "{arguments:?}: {refused:?}");
        for said in said {
            assert!(refused.err.contains(said), "{said}: {}", refused.err);
        }
    }
    assert!(!binary.data.path().join("prompts").exists(), "nothing is kept of what is refused");
    let broken = binary.data.path().join("prompts");
    std::fs::create_dir(&broken).unwrap();
    std::fs::write(broken.join("gelab.json"), "{}").unwrap();
    let listed = binary.run(&["model", "prompt", "list"]).await;
    assert!(listed.code == 0 && listed.out.contains("cannot be used"), "{listed:?}");
    for name in ["../x", "gelab-other", ""] {
        let shown = binary.run(&["model", "prompt", "show", name]).await;
        assert!(shown.code == 1 && shown.err.contains("imported prompt"), "{name}: {shown:?}");
    }
}

/// A prompt of another family than the model is asked as would stop every run: it is kept and not used, and where it
/// was set by hand, doctor says so beside all else.
#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_for_another_family_is_not_put_into_the_settings() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = with_settings(Binary::with(adb, &vlm)).set("AYEAYE_MODEL_NAME", "ui-tars-1.5-7b");
    let folder = checkout(SOURCE);
    let import = ["model", "prompt", "import", "--from", folder.path().to_str().unwrap()];
    let refused = binary.run(&[&import[..], &["--use"]].concat()).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.err.contains("is treated as ui-tars, and this prompt is for gelab"),
        "{refused:?}"
    );
    let settings = binary.data.path().join("ayeaye.toml");
    assert!(!std::fs::read_to_string(&settings).unwrap().contains("prompt"));
    let path = binary.data.path().join("prompts/gelab.json");
    let binary = binary.set("AYEAYE_MODEL_PROMPT", path.to_str().unwrap());
    let doctor = binary.run(&["doctor"]).await;
    assert_eq!(doctor.code, 1, "{doctor:?}");
    for said in ["PROBLEM  model", "phones    1 connected", "data"] {
        assert!(doctor.out.contains(said), "{said}: {}", doctor.out);
    }
}

/// Whatever a published place gives, only the very file that is known is taken.
#[tokio::test(flavor = "multi_thread")]
async fn other_bytes_than_are_known_are_not_taken() {
    let app = Router::new().route(
        "/stepfun-ai/gelab-zero/{commit}/{*path}",
        get(|Path((commit, path)): Path<(String, String)>| async move {
            let is_it = commit.len() == 40 && path == PATH;
            if is_it { (StatusCode::OK, SOURCE) } else { (StatusCode::NOT_FOUND, "") }
        }),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    let binary = with_settings(Binary::alone());
    let fetched = binary.run(&["model", "prompt", "import", "--fetch", &base]).await;
    assert_eq!(fetched.code, 1, "{fetched:?}");
    assert!(fetched.err.contains("is not the known file (sha256 "), "{}", fetched.err);
    assert!(!binary.data.path().join("prompts").exists());
    server.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_is_none_is_an_error_of_the_settings() {
    let binary = Binary::alone().set("AYEAYE_MODEL_PROMPT", "/nowhere");
    let refused = binary.run(&["run", "Open the clock", "--virtual"]).await;
    assert_eq!(refused.code, 2, "{refused:?}");
    for part in ["AYEAYE_MODEL_PROMPT", "/nowhere: No such file", "ayeaye model prompt import"] {
        assert!(refused.err.contains(part), "{part}: {refused:?}");
    }
}
