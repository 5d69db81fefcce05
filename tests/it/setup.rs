//! `ayeaye setup` against servers that answer as Ollama, LM Studio, vLLM and llama.cpp say theirs do.
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Binary, CommandOutput, click};

/// What a server answers to a request: method, path, body.
type Answers = fn(&mut Vec<String>, &str, &Value) -> Option<Value>;

/// A model server of some kind. It sees, and taps the mark that doctor shows.
struct ModelServer {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

struct Shared {
    answers: Answers,
    /// Models that were made meanwhile.
    made: Mutex<Vec<String>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl ModelServer {
    async fn start(answers: Answers) -> Self {
        let seen = Arc::<Mutex<Vec<String>>>::default();
        let shared = Arc::new(Shared { answers, made: Mutex::default(), seen: seen.clone() });
        let router = Router::new().fallback(answer).with_state(shared);
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, seen, task }
    }

    fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    method: Method,
    uri: Uri,
    body: Bytes,
) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let line = format!("{method} {}", uri.path());
    shared
        .seen
        .lock()
        .unwrap()
        .push(format!("{line} {}", body["model"].as_str().unwrap_or_default()));
    if line.starts_with("POST ") && line.ends_with("/chat/completions") {
        if body["model"].as_str().is_some_and(|name| name.ends_with("broken")) {
            return (StatusCode::BAD_REQUEST, "there is no such model").into_response();
        }
        let thinks = body["chat_template_kwargs"]["enable_thinking"] != false;
        if thinks && body["model"].as_str().is_some_and(|name| name.ends_with("thinking")) {
            return (StatusCode::BAD_REQUEST, "it would not come to an end").into_response();
        }
        return chat(&body);
    }
    match (shared.answers)(&mut shared.made.lock().unwrap(), &line, &body) {
        Some(said) if said["shut"] == true => StatusCode::UNAUTHORIZED.into_response(),
        Some(said) => Json(said).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Taps the middle of the mark.
fn chat(body: &Value) -> Response {
    let text = click(700, 865);
    let whole = json!({
        "id": "x", "object": "chat.completion", "model": body["model"],
        "choices": [{ "index": 0, "finish_reason": "stop",
                      "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 1200, "completion_tokens": 60, "total_tokens": 1260 }
    });
    Json(whole).into_response()
}

fn list(ids: &[&str], owner: &str) -> Value {
    let rows: Vec<Value> = ids
        .iter()
        .map(|id| json!({ "id": id, "object": "model", "created": 1, "owned_by": owner }))
        .collect();
    json!({ "object": "list", "data": rows })
}

const OLLAMA: Answers = |made, line, body| {
    let mut names =
        vec!["nomic-embed-text:latest".to_owned(), "gelab-zero-4b-preview:latest".to_owned()];
    names.extend(made.clone());
    Some(match line {
        "GET /api/tags" => {
            let rows: Vec<Value> =
                names.iter().map(|it| json!({ "name": it, "model": it, "size": 1 })).collect();
            json!({ "models": rows })
        }
        "POST /api/show" => {
            let name = body["model"].as_str().unwrap();
            let can = if name.starts_with("nomic") {
                json!(["embedding"])
            } else {
                json!(["completion", "vision"])
            };
            let parameters = if made.iter().any(|it| it == name) {
                "num_ctx                        8192\nstop    \"<|im_end|>\""
            } else {
                "stop    \"<|im_end|>\""
            };
            json!({ "capabilities": can, "parameters": parameters,
                "model_info": { "general.architecture": "qwen25vl" } })
        }
        "POST /api/create" => {
            assert_eq!(body["from"], "gelab-zero-4b-preview:latest");
            assert_eq!(body["parameters"]["num_ctx"], 8192);
            made.push(body["model"].as_str().unwrap().to_owned());
            json!({ "status": "success" })
        }
        "GET /api/ps" => json!({ "models": [] }),
        "GET /v1/models" => {
            let ids: Vec<&str> = names.iter().map(String::as_str).collect();
            list(&ids, "library")
        }
        _ => return None,
    })
};

/// One whose model has no context of its own, and tells that of what is loaded.
const OLLAMA_LOADED: Answers = |_, line, _| {
    let name = "gelab-zero-4b:latest";
    Some(match line {
        "GET /api/tags" => json!({ "models": [{ "name": name, "model": name, "size": 1 }] }),
        "POST /api/show" => json!({ "capabilities": ["completion", "vision"], "parameters": "" }),
        "GET /api/ps" => {
            json!({ "models": [{ "name": name, "model": name, "context_length": 4096 }] })
        }
        "GET /v1/models" => list(&[name], "library"),
        _ => return None,
    })
};

/// One whose model was made with a small context, which is stronger than the server's.
const OLLAMA_SMALL: Answers = |made, line, body| match line {
    "POST /api/show" => Some(json!({ "capabilities": ["completion", "vision"],
        "parameters": "num_ctx                        4096" })),
    other => OLLAMA_LOADED(made, other, body),
};

const LM_STUDIO: Answers = |_, line, _| {
    Some(match line {
        "GET /api/v0/models" => json!({ "object": "list", "data": [
            { "id": "text-embedding-x", "object": "model", "type": "embeddings", "state": "not-loaded" },
            { "id": "llama-3", "object": "model", "type": "llm", "state": "not-loaded", "max_context_length": 8192 },
            { "id": "gelab-zero-4b", "object": "model", "type": "vlm", "publisher": "x", "arch": "qwen3vl",
              "compatibility_type": "gguf", "quantization": "Q4_K_M", "state": "loaded",
              "max_context_length": 262_144, "loaded_context_length": 4096 } ] }),
        "GET /v1/models" => {
            list(&["text-embedding-x", "llama-3", "gelab-zero-4b"], "organization_owner")
        }
        // Whatever else it is asked, it answers with an error and 200.
        other => json!({ "error": format!("Unexpected endpoint or method. ({other})") }),
    })
};

const VLLM: Answers = |_, line, _| {
    (line == "GET /v1/models").then(|| {
        let mut models = list(&["gelab-zero-4b"], "vllm");
        models["data"][0]["max_model_len"] = 16384.into();
        models
    })
};

/// It was started with a folder, and offers what is in it under another name.
const VLLM_SMALL: Answers = |made, line, body| {
    let mut models = VLLM(made, line, body)?;
    models["data"][0]["root"] = "/models/GELab Zero".into();
    models["data"][0]["max_model_len"] = 4096.into();
    Some(models)
};

/// One with a model that is not to think, and one of an unknown family.
const VLLM_THINKING: Answers = |_, line, _| {
    (line == "GET /v1/models").then(|| {
        let mut models = list(&["gelab-zero-thinking", "other"], "vllm");
        models["data"][1]["max_model_len"] = 16384.into();
        models
    })
};

const LLAMA_CPP: Answers = |_, line, _| {
    Some(match line {
        "GET /props" => json!({ "default_generation_settings": { "id": 0, "n_ctx": 4096 },
            "total_slots": 1, "model_path": "m.gguf", "modalities": { "vision": true, "audio": false },
            "build_info": "b1-x" }),
        "GET /v1/models" => list(&["gelab-zero-4b"], "llamacpp"),
        // It speaks some of Ollama's words too.
        "GET /api/tags" => json!({ "models": [{ "name": "gelab-zero-4b" }] }),
        _ => return None,
    })
};

/// One that was given a second name.
const LLAMA_CPP_ALIAS: Answers = |made, line, body| {
    let mut said = LLAMA_CPP(made, line, body)?;
    if line == "GET /v1/models" {
        said["data"][0]["aliases"] = json!(["gelab-zero-4b", "short"]);
    }
    Some(said)
};

/// With a folder of models, of which none is loaded.
const LLAMA_CPP_ROUTER: Answers = |_, line, _| {
    Some(match line {
        "GET /props" => json!({ "role": "router", "models_autoload": true, "model_path": "none",
            "default_generation_settings": { "params": null, "n_ctx": 0 } }),
        "GET /v1/models" => {
            let mut models = list(&["gelab-zero-text", "gelab-zero-4b"], "llamacpp");
            for (at, inputs) in [(0, json!(["text"])), (1, json!(["text", "image"]))] {
                models["data"][at]["architecture"]["input_modalities"] = inputs;
                models["data"][at]["status"]["args"] =
                    json!(["llama-server", "--ctx-size", "16384", "--parallel", "1"]);
            }
            models
        }
        _ => return None,
    })
};

struct Home {
    folder: TempDir,
    binary: Binary,
}

impl Home {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let binary = Binary::bare()
            .set("HOME", folder.path().to_str().unwrap())
            .set("ADB_SERVER_SOCKET", "tcp:127.0.0.1:1");
        Self { folder, binary }
    }

    fn settings(&self) -> std::path::PathBuf {
        self.folder.path().join(".config/ayeaye/ayeaye.toml")
    }

    async fn setup(&self, words: &str) -> CommandOutput {
        let words = format!("setup {words}");
        self.binary.run(&words.split_whitespace().collect::<Vec<_>>()).await
    }

    /// Sets up with this server as the model, and the virtual phone; no task.
    async fn with(&self, server: &ModelServer, words: &str) -> String {
        let file = self.settings();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        // As a person has it who has named a server and nothing more.
        fs::write(&file, format!("# mine\n[model]\nbase-url = \"{}\" # here\n", server.url()))
            .unwrap();
        let output = self
            .setup(&format!(
                "--virtual --client none --yes --no-task --model-base-url {} {words}",
                server.url()
            ))
            .await;
        assert_eq!(output.code, 0, "{output:?}");
        output.out
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ollamas_context_is_raised_by_a_model_of_its_own() {
    let (home, server) = (Home::new(), ModelServer::start(OLLAMA).await);
    let out = home.with(&server, "").await;
    assert!(out.contains(&format!("Ollama at http://{}", server.address)), "{out}");
    assert!(!out.contains("nomic-embed-text"), "it writes no text: {out}");
    assert!(out.contains("Made gelab-zero-4b-preview-8k."), "{out}");
    assert!(out.contains("it found a mark in a picture"), "{out}");
    let text = fs::read_to_string(home.settings()).unwrap();
    let expected = format!(
        "# mine\n[model]\nbase-url = \"{}\" # here\nname = \"gelab-zero-4b-preview-8k\"\n",
        server.url()
    );
    assert_eq!(text, expected);
    assert!(
        server.seen().contains(&"POST /v1/chat/completions gelab-zero-4b-preview-8k".to_owned())
    );
    // Again: it is there, and large enough.
    let output = home
        .setup("--virtual --client none --yes --no-task --model gelab-zero-4b-preview-8k")
        .await;
    assert!(output.code == 0 && !output.out.contains("Made "), "{output:?}");
    assert_eq!(fs::read_to_string(home.settings()).unwrap(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_compares_the_context_that_a_server_tells_with_what_a_task_needs() {
    let small = "4096 tokens of context, and a task needs 8192";
    let enough = "16384 tokens of context, of which a task needs 8192";
    for (answers, model, says, hint) in [
        (LM_STUDIO, "gelab-zero-4b", small, Some("lms load gelab-zero-4b --context-length 8192")),
        (LLAMA_CPP, "gelab-zero-4b", small, Some("llama-server … -c 8192 -np 1")),
        // It answers to any name, and to its other ones.
        (LLAMA_CPP, "gelab-zero", small, Some("llama-server … -c 8192 -np 1")),
        (LLAMA_CPP_ALIAS, "short", "a task needs 16384", Some("llama-server … -c 16384 -np 1")),
        (LLAMA_CPP_ROUTER, "gelab-zero-4b", enough, None),
        (
            VLLM_SMALL,
            "gelab-zero-4b",
            small,
            Some("vllm serve '/models/GELab Zero' … --max-model-len 8192"),
        ),
        (VLLM, "gelab-zero-4b", enough, None),
        (OLLAMA_LOADED, "gelab-zero-4b", small, Some("OLLAMA_CONTEXT_LENGTH=8192 ollama serve")),
        (
            OLLAMA_SMALL,
            "gelab-zero-4b",
            small,
            Some("`ayeaye setup` makes the same model with enough of it"),
        ),
    ] {
        let (home, server) = (Home::new(), ModelServer::start(answers).await);
        let url = server.url();
        let asked = ["doctor", "--json", "--model-base-url", &url, "--model-name", model];
        let found: Value = serde_json::from_str(&home.binary.run(&asked).await.out).unwrap();
        let found = found["findings"].as_array().unwrap();
        let context = found.iter().find(|it| it["text"].as_str().unwrap().contains("of context"));
        let context = context.unwrap_or_else(|| panic!("{model}: {found:?}"));
        assert!(context["text"].as_str().unwrap().ends_with(says), "{context}");
        assert_eq!(context["hint"].as_str(), hint, "{context}");
        assert_eq!(context["verdict"], if hint.is_some() { "unsure" } else { "ok" });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lm_studio_vllm_and_llama_cpp_are_told_apart_and_how_to_raise_a_context_is_said() {
    for (answers, title, says) in [
        (LM_STUDIO, "LM Studio", "lms load gelab-zero-4b --context-length 8192"),
        (LLAMA_CPP, "llama.cpp", "-c 8192"),
        (VLLM, "vLLM", "16384 tokens"),
    ] {
        let (home, server) = (Home::new(), ModelServer::start(answers).await);
        let out = home.with(&server, "").await;
        assert!(out.contains(&format!("{title} at http://{}", server.address)), "{title}: {out}");
        assert!(out.contains(says), "{title}: {out}");
        assert!(out.contains("known: GELab-Zero"), "{title}: {out}");
        assert!(out.contains("it found a mark in a picture"), "{title}: {out}");
        let text = fs::read_to_string(home.settings()).unwrap();
        assert!(text.contains("name = \"gelab-zero-4b\""), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_of_llama_cpps_is_told_model_by_model() {
    let (home, server) = (Home::new(), ModelServer::start(LLAMA_CPP_ROUTER).await);
    let out = home.with(&server, "").await;
    let row = |name: &str| out.lines().find(|it| it.contains(&format!("  {name} "))).unwrap();
    assert!(row("gelab-zero-4b").ends_with("known: GELab-Zero, Step-GUI, 16384 tokens"), "{out}");
    assert!(row("gelab-zero-text").ends_with(" takes no pictures, 16384 tokens"), "{out}");
    assert!(!out.contains("its context is"), "{out}");
    let text = fs::read_to_string(home.settings()).unwrap();
    assert!(text.contains("name = \"gelab-zero-4b\""), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_is_tried_with_the_settings_that_a_run_has() {
    let server = ModelServer::start(VLLM_THINKING).await;
    let words = format!(
        "--virtual --client none --yes --no-task --model-base-url {} --model gelab-zero-thinking",
        server.url()
    );
    let (plain, set) = (Home::new(), Home::new());
    let output = plain.setup(&words).await;
    assert!(output.code == 1 && output.out.contains("would not come to an end"), "{output:?}");
    let file = set.settings();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    // The last three are another model's.
    let text = "[model]\nname = \"ui-tars\"\nthinking = \"off\"\ncoordinates = \"pixels\"\n\
                max-pixels = 10000\nprofile = \"autoglm\"\n";
    fs::write(&file, text).unwrap();
    let output = set.setup(&words).await;
    assert!(output.out.contains("it found a mark in a picture"), "{output:?}");
    let text = fs::read_to_string(&file).unwrap();
    let expected = format!(
        "[model]\nname = \"gelab-zero-thinking\"\nthinking = \"off\"\nbase-url = \"{}\"\n",
        server.url()
    );
    assert_eq!(text, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_secret_of_one_address_is_not_left_for_another() {
    let server = ModelServer::start(VLLM).await;
    for (before, is_kept) in
        [("https://gateway.example/v1", false), (&format!("{}/", server.url()), true)]
    {
        let home = Home::new();
        let file = home.settings();
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = format!(
            "[model]\nbase-url = \"{before}\"\nname = \"other\"\napi-key = \"sk-of-the-gateway\"\n\
             extra-headers = {{ x-team = \"blue\" }}\n"
        );
        fs::write(&file, text).unwrap();
        let words =
            "--virtual --client none --yes --no-task --model gelab-zero-4b --model-base-url";
        let output = home.setup(&format!("{words} {}", server.url())).await;
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("name = \"gelab-zero-4b\""), "{output:?}");
        for key in ["api-key", "extra-headers"] {
            assert_eq!(text.contains(key), is_kept, "{before}: {text}");
            let told = format!("model.{key} was for another address");
            assert_eq!(output.out.contains(&told), !is_kept, "{output:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_alone_is_told_without_a_comma_before_it() {
    let (home, server) = (Home::new(), ModelServer::start(VLLM_THINKING).await);
    let output = home
        .setup(&format!(
            "--virtual --client none --yes --no-task --model-base-url {}",
            server.url()
        ))
        .await;
    let row = output.out.lines().find(|it| it.contains("  other ")).unwrap();
    assert!(row.ends_with("  16384 tokens") && !row.contains(','), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_model_is_an_answer_too_and_the_walk_ends_with_something_done() {
    let home = Home::new();
    let file = home.settings();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "[model]\nname = \"x\" # old\n\n[run]\nmax-steps = 9\n").unwrap();
    let output = home.setup("--virtual --model none --client codex --yes").await;
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.out.contains("your client's own model drives"), "{output:?}");
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("name =") && text.contains("max-steps = 9"), "{text}");
    let codex = fs::read_to_string(home.folder.path().join(".codex/config.toml")).unwrap();
    assert!(codex.contains("[mcp_servers.ayeaye]") && codex.contains("--virtual"), "{codex}");
    assert!(output.out.contains("started as Codex does"), "{output:?}");
    let end = output.out.split("A first task").nth(1).expect("the walk goes to its end");
    assert!(end.contains("Wi-Fi") && end.contains("done"), "{end}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_nobody_offers_is_named_with_those_that_are() {
    let (home, server) = (Home::new(), ModelServer::start(VLLM).await);
    let url = server.url();
    let output = home.setup(&format!("--virtual --model-base-url {url} --model other --yes")).await;
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.err.contains("offers other; they offer: gelab-zero-4b."), "{output:?}");
    assert!(!home.settings().exists());
}

/// As a hosted endpoint: it lists nothing, or nothing without a key.
const UNLISTED: Answers = |_, _, _| None;
const SHUT: Answers = |_, _, _| Some(json!({ "shut": true }));

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_not_listed_is_tried_by_its_name_and_kept() {
    let (home, server) = (Home::new(), ModelServer::start(UNLISTED).await);
    let base = format!("{}/hosted/openai", server.url().trim_end_matches("/v1"));
    let words = "--virtual --client none --yes --no-task --model gelab-zero-4b";
    let output = home.setup(&format!("{words} --model-base-url {base}")).await;
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.out.contains("it found a mark in a picture"), "{output:?}");
    let text = fs::read_to_string(home.settings()).unwrap();
    assert!(text.contains(&format!("base-url = \"{base}\"")), "{text}");
    assert!(text.contains("name = \"gelab-zero-4b\"") && output.out.contains("written"), "{text}");
    // What a flag says is not what the file says.
    let file = home.settings();
    fs::write(&file, "[run]\nmax-steps = 9\n").unwrap();
    let flags = format!("--model-base-url {base} --model-name gelab-zero-4b");
    let output = home.setup(&format!("{words} {flags}")).await;
    assert!(output.code == 0 && output.out.contains("written"), "{output:?}");
    assert!(fs::read_to_string(&file).unwrap().contains("gelab-zero-4b"));
    let output = home.setup(&format!("{words} {flags}")).await;
    assert!(output.out.contains("already says so"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_hosted_endpoint_is_said_and_nothing_is_written() {
    let (home, server) = (Home::new(), ModelServer::start(SHUT).await);
    let words =
        format!("--virtual --client none --yes --no-task --model-base-url {}", server.url());
    for more in ["", "--model gelab-zero-4b"] {
        let output = home.setup(&format!("{words} {more}")).await;
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.err.contains("AYEAYE_MODEL_API_KEY"), "{output:?}");
    }
    assert!(!home.settings().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_work_is_a_failure_where_it_was_named() {
    let (home, server) = (Home::new(), ModelServer::start(UNLISTED).await);
    let words = "--virtual --client none --yes --no-task --model broken";
    let output = home.setup(&format!("{words} --model-base-url {}", server.url())).await;
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.out.contains("The settings stay as they are."), "{output:?}");
    assert!(!home.settings().exists());
}

/// Its model is of a known family, so that it is the default, and every call of it fails.
const BROKEN: Answers =
    |_, line, _| (line == "GET /v1/models").then(|| list(&["gelab-zero-4b-broken"], "x"));

#[tokio::test(flavor = "multi_thread")]
async fn with_yes_a_model_that_does_not_work_is_a_failure_too() {
    let (home, server) = (Home::new(), ModelServer::start(BROKEN).await);
    let words = "--virtual --client none --yes --no-task";
    let output = home.setup(&format!("{words} --model-base-url {}", server.url())).await;
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.out.contains("The settings stay as they are."), "{output:?}");
    assert!(!home.settings().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_for_no_model_where_the_settings_name_none() {
    let home = Home::new();
    let file = home.settings();
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "[run]\nmax-steps = 9\n").unwrap();
    let output = home.setup("--virtual --model none --client none --yes --no-task").await;
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.out.contains("Nothing needs to be written for that."), "{output:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "[run]\nmax-steps = 9\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_was_named_and_is_not_there_is_a_failure() {
    let home = Home::new();
    let output = home.setup("R58M12ABCDE --model none --client none --yes --no-task").await;
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.err.contains("R58M12ABCDE is not connected"), "{output:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_it_says_what_answers_its_questions() {
    let output = Home::new().setup("").await;
    assert_eq!(output.code, 2);
    assert!(output.out.contains("--yes takes the defaults"), "{output:?}");
}
