//! Model servers on this machine: which of the four kinds each is, by what it answers, and what it offers.
//!
//! The answers are those of the servers' own documentation: Ollama's `/api/tags`, `/api/show`, `/api/ps` and
//! `/api/create` (docs.ollama.com/api), LM Studio's `/api/v0/models` (lmstudio.ai/docs/developer/rest),
//! llama.cpp's `/props` (tools/server/README.md), vLLM's `/v1/models` with `owned_by` and `max_model_len`.
mod answer;
mod llama_cpp;

use std::time::Duration;

use ayeaye_model::{Endpoint, ExtraHeaders, Profile, Secret};
use futures::{StreamExt as _, future, stream};
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::command::http_client::http_client;
use crate::text::{one_line, shell_word};
use answer::{Refusal, read, shut};

/// Fewer tokens do not hold a screen and what is said of it (docs/models.md).
const ONE_SCREEN: u32 = 8192;
/// Fewer tokens do not hold what families need that are shown several screens.
const SEVERAL_SCREENS: u32 = 16384;
/// What replies of some families take alone, besides the screens.
const LONG_REPLIES: u32 = 16384;

/// The tokens that a model must be served with, by its family if that is known.
pub(super) fn tokens_needed(family: Option<Profile>) -> u32 {
    let Some(family) = family.map(Profile::listed) else { return SEVERAL_SCREENS };
    let reply = family.sampling.get("max_tokens").and_then(Value::as_u64);
    let screens = if family.pictures <= 1 { ONE_SCREEN } else { SEVERAL_SCREENS };
    match reply {
        Some(tokens) if u64::from(LONG_REPLIES) <= tokens => {
            screens.max(SEVERAL_SCREENS) + LONG_REPLIES
        }
        _ => screens,
    }
}

/// The family that a model's name tells, at this endpoint.
pub(super) fn family(name: &str, endpoint: &Endpoint) -> Option<Profile> {
    Some(Profile::for_model(name, endpoint)).filter(|profile| !profile.listed().is_default)
}

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerKind {
    Ollama,
    LmStudio,
    Vllm,
    LlamaCpp,
    /// One that speaks the API and does not say what it is.
    Other,
}

impl ServerKind {
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::LmStudio => "LM Studio",
            Self::Vllm => "vLLM",
            Self::LlamaCpp => "llama.cpp",
            Self::Other => "a server of another kind",
        }
    }

    /// How a person gives a model a larger context.
    pub(super) fn how_to_raise(self, offered: &Offered, tokens: u32) -> String {
        // It names its models itself, and what is told here is pasted into a shell.
        let model = offered.served_from.as_deref().unwrap_or(&offered.name);
        let model = shell_word(&one_line(model));
        match self {
            Self::Ollama => format!("OLLAMA_CONTEXT_LENGTH={tokens} ollama serve"),
            Self::LmStudio => format!("lms load {model} --context-length {tokens}"),
            Self::Vllm => format!("vllm serve {model} … --max-model-len {tokens}"),
            Self::LlamaCpp => format!("llama-server … -c {tokens} -np 1"),
            Self::Other => format!("serve {model} with a context of {tokens} tokens"),
        }
    }
}

/// A server that answered.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) kind: ServerKind,
    /// Its address without a path, such as `http://127.0.0.1:11434`.
    pub(super) root: String,
    /// Where its models are asked, such as `http://127.0.0.1:11434/v1`.
    pub(super) base_url: String,
    pub(super) models: Vec<Offered>,
    /// Why it tells nothing of its models, if it does not.
    pub(super) shut: Option<Shut>,
    /// Whether its one model is asked whatever name a request has.
    takes_any_name: bool,
}

/// Why a server that answers tells nothing of its models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shut {
    /// It is not ready yet.
    Loading,
    /// It wants a key.
    Locked,
}

impl Server {
    fn new(kind: ServerKind, root: String, models: Vec<Offered>) -> Self {
        let base_url = format!("{root}/v1");
        Self { kind, base_url, root, models, shut: None, takes_any_name: false }
    }

    /// The model that it asks for a request with this name.
    pub(super) fn model_called(&self, name: &str) -> Option<&Offered> {
        let found = self.models.iter().find(|it| it.is_called(name));
        found.or(match &self.models[..] {
            [only] if self.takes_any_name => Some(only),
            _ => None,
        })
    }

    /// One of which no more is known than its address and the names of its models.
    pub(super) fn plain(base_url: &str, names: Vec<String>) -> Self {
        let base_url = base_url.trim_end_matches('/').to_owned();
        let models = names.into_iter().map(Offered::named).collect();
        let root = root_of(&base_url).to_owned();
        Self { base_url, ..Self::new(ServerKind::Other, root, models) }
    }
}

/// A model that a server offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offered {
    pub(super) name: String,
    /// Other names by which it may be asked.
    pub(super) aliases: Vec<String>,
    /// The repository or folder that it was loaded from, where the server says so.
    pub(super) served_from: Option<String>,
    /// Whether it takes pictures, where the server says so.
    pub(super) sees: Option<bool>,
    /// The context it is served with, where the server says so.
    pub(super) context: Option<u64>,
}

impl Offered {
    pub(super) fn named(name: String) -> Self {
        Self { name, aliases: Vec::new(), served_from: None, sees: None, context: None }
    }

    /// Whether a request with this name is for it. Ollama adds a tag to names that have none.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let is = |it: &str| it == name || it.strip_suffix(":latest") == Some(name);
        is(&self.name) || self.aliases.iter().any(|it| is(it))
    }
}

/// This machine.
const HERE: &str = "http://127.0.0.1";
/// Where Ollama, LM Studio, vLLM, llama.cpp and `LiteLLM` listen unless told otherwise.
const PORTS: [u16; 5] = [11434, 1234, 8000, 8080, 4000];
/// A list of models is short work.
const PATIENCE: Duration = Duration::from_secs(5);
/// Making a model takes a while on a slow disk.
const PATIENCE_TO_MAKE: Duration = Duration::from_mins(2);

/// An address without `/v1`.
fn root_of(url: &str) -> &str {
    url.trim_end_matches('/').trim_end_matches("/v1").trim_end_matches('/')
}

/// Each of Ollama's is asked for, the most recent first.
const MAX_MODELS: usize = 200;
/// So many of them together, so that one that is slow to tell of itself holds up no others.
const SHOWN_AT_ONCE: usize = 8;

/// Asks servers what they are.
#[derive(Debug)]
pub(super) struct Finder {
    /// For this machine.
    near: Client,
    /// For the address that the settings name.
    named: Client,
    base: String,
    /// Goes to that address and to no other, as do the headers.
    key: Option<Secret>,
    headers: ExtraHeaders,
}

impl Finder {
    /// `base_url`: where `key` and `headers` may be sent.
    pub(super) fn new(
        base_url: &str,
        key: Option<Secret>,
        headers: ExtraHeaders,
    ) -> reqwest::Result<Self> {
        Ok(Self {
            near: http_client(HERE, PATIENCE)?,
            named: http_client(base_url, PATIENCE)?,
            base: root_of(base_url).to_owned(),
            key,
            headers,
        })
    }

    /// The servers at the usual ports of this machine.
    pub(super) async fn usual(&self) -> Vec<Server> {
        let looks = PORTS.map(|port| async move { self.look(&format!("{HERE}:{port}")).await });
        futures::future::join_all(looks).await.into_iter().flatten().collect()
    }

    /// What listens at an address, if it serves models.
    pub(super) async fn look(&self, root: &str) -> Option<Server> {
        let root = root_of(root).to_owned();
        let listed = self.ask(&root, "/v1/models").await;
        let props = self.ask(&root, "/props").await;
        if let Some((kind, shut)) = shut(listed.as_ref().err(), props.as_ref().err()) {
            return Some(Server { shut: Some(shut), ..Server::new(kind, root, Vec::new()) });
        }
        let names = listed.as_ref().ok().and_then(|all| all["data"].as_array());
        if let Ok(props) = props
            && props["default_generation_settings"].is_object()
        {
            let models = llama_cpp::models(&props, ids(names));
            let takes_any_name = !llama_cpp::is_router(&props);
            return Some(Server {
                takes_any_name,
                ..Server::new(ServerKind::LlamaCpp, root, models)
            });
        }
        if let Some(list) = self.get(&root, "/api/v0/models").await
            && let Some(list) = list["data"].as_array()
        {
            let models = ids(Some(list)).filter(|(_, it)| it["type"] != "embeddings");
            let models = models.map(|(id, it)| Offered {
                sees: it["type"].as_str().map(|kind| kind == "vlm"),
                context: it["loaded_context_length"].as_u64(),
                ..Offered::named(id.to_owned())
            });
            let models = models.collect();
            return Some(Server::new(ServerKind::LmStudio, root, models));
        }
        if let Some(tags) = self.get(&root, "/api/tags").await
            && let Some(tags) = tags["models"].as_array()
        {
            let names = tags.iter().filter_map(|it| it["name"].as_str()).take(MAX_MODELS);
            let shown = names.map(|name| self.ollama_model(&root, name));
            let shown = stream::iter(shown).buffered(SHOWN_AT_ONCE);
            let models = shown.filter_map(future::ready).collect().await;
            return Some(Server::new(ServerKind::Ollama, root, models));
        }
        let names = names?;
        let is_vllm = names.iter().any(|it| it["owned_by"] == "vllm");
        let models = ids(Some(names)).map(|(id, it)| Offered {
            served_from: it["root"].as_str().filter(|_| is_vllm).map(str::to_owned),
            context: it["max_model_len"].as_u64(),
            ..Offered::named(id.to_owned())
        });
        let kind = if is_vllm { ServerKind::Vllm } else { ServerKind::Other };
        Some(Server::new(kind, root, models.collect()))
    }

    /// A model of Ollama's; `None` for one that writes no text.
    async fn ollama_model(&self, root: &str, name: &str) -> Option<Offered> {
        let shown = self.post(root, "/api/show", &json!({ "model": name }), PATIENCE).await.ok();
        let shown = shown.unwrap_or_default();
        let can = shown["capabilities"].as_array();
        let has = |what: &str| can.is_some_and(|can| can.iter().any(|it| it == what));
        if can.is_some() && !has("completion") {
            return None;
        }
        let context = shown["parameters"].as_str().and_then(num_ctx);
        let sees = can.map(|_| has("vision"));
        Some(Offered { sees, context, ..Offered::named(name.to_owned()) })
    }

    /// The context of a model as it is loaded now, where the server tells that only then.
    pub(super) async fn loaded_context(&self, server: &Server, model: &str) -> Option<u64> {
        match server.kind {
            ServerKind::Ollama => {
                let loaded = self.get(&server.root, "/api/ps").await?;
                let loaded = loaded["models"].as_array()?;
                let same = loaded.iter().find(|it| it["name"] == model || it["model"] == model)?;
                same["context_length"].as_u64()
            }
            ServerKind::LmStudio => {
                let list = self.get(&server.root, "/api/v0/models").await?;
                let list = list["data"].as_array()?;
                list.iter().find(|it| it["id"] == model)?["loaded_context_length"].as_u64()
            }
            ServerKind::Vllm | ServerKind::LlamaCpp | ServerKind::Other => None,
        }
    }

    /// Has Ollama make a model that is the same but for its context; returns its name. It shares the
    /// files of the first.
    pub(super) async fn with_context(
        &self,
        server: &Server,
        model: &str,
        tokens: u32,
    ) -> Result<String, String> {
        let name = derived_name(model, tokens);
        let wanted = json!({ "model": name, "from": model, "parameters": { "num_ctx": tokens },
            "stream": false });
        let made = self.post(&server.root, "/api/create", &wanted, PATIENCE_TO_MAKE).await?;
        if made["status"] != "success" {
            return Err(format!("Ollama says: {made}"));
        }
        match self.ollama_model(&server.root, &name).await.and_then(|it| it.context) {
            Some(context) if context == u64::from(tokens) => Ok(name),
            _ => Err(format!("Ollama made {name}, but not with {tokens} tokens")),
        }
    }

    async fn ask(&self, root: &str, path: &str) -> Result<Value, Refusal> {
        read(self.addressed(Method::GET, root, path)).await
    }

    async fn get(&self, root: &str, path: &str) -> Option<Value> {
        self.ask(root, path).await.ok()
    }

    async fn post(
        &self,
        root: &str,
        path: &str,
        body: &Value,
        patience: Duration,
    ) -> Result<Value, String> {
        let request = self.addressed(Method::POST, root, path).json(body).timeout(patience);
        read(request).await.map_err(|it| it.why)
    }

    fn addressed(&self, method: Method, root: &str, path: &str) -> reqwest::RequestBuilder {
        let url = format!("{root}{path}");
        if root != self.base {
            return self.near.request(method, url);
        }
        let request = self.named.request(method, url).headers(self.headers.to_send().clone());
        match &self.key {
            Some(key) => request.bearer_auth(key.expose()),
            None => request,
        }
    }
}

fn ids(list: Option<&Vec<Value>>) -> impl Iterator<Item = (&str, &Value)> {
    list.into_iter().flatten().filter_map(|it| Some((it["id"].as_str()?, it)))
}

/// `num_ctx` of Ollama's parameters, which are lines of a name and a value.
fn num_ctx(parameters: &str) -> Option<u64> {
    let mut rows = parameters.lines().map(str::split_whitespace);
    rows.find_map(|mut words| {
        (words.next() == Some("num_ctx")).then(|| words.next()?.parse().ok()).flatten()
    })
}

/// `qwen3-vl:8b` becomes `qwen3-vl-16k:8b`: the name still tells the family.
fn derived_name(model: &str, tokens: u32) -> String {
    let size = tokens / 1024;
    match model.rsplit_once(':') {
        Some((name, "latest")) => format!("{name}-{size}k"),
        Some((name, tag)) => format!("{name}-{size}k:{tag}"),
        None => format!("{model}-{size}k"),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    #[test]
    fn a_derived_name_tells_the_family_still() {
        assert_eq!(derived_name("qwen3-vl:8b", 16384), "qwen3-vl-16k:8b");
        assert_eq!(derived_name("ada/gelab-zero:latest", 8192), "ada/gelab-zero-8k");
        assert_eq!(derived_name("x", 8192), "x-8k");
    }

    /// What a server is taken for that gives this answer to everything.
    async fn found(answer: &'static str) -> Option<Server> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let root = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut head = [0; 4096];
                let _request = stream.read(&mut head).await;
                let _sent = stream.write_all(answer.as_bytes()).await;
            }
        });
        let found = Finder::new("http://127.0.0.1:1/v1", None, ExtraHeaders::default());
        let found = found.unwrap().look(&root).await;
        server.abort();
        found
    }

    #[tokio::test]
    async fn a_server_that_is_loading_or_wants_a_key_is_found_all_the_same() {
        for (answer, expected) in [
            (
                "HTTP/1.1 503 Service Unavailable\r\nServer: llama.cpp\r\nContent-Length: 75\r\n\
                 Connection: close\r\n\r\n\
                 {\"error\":{\"message\":\"Loading model\",\"type\":\"unavailable_error\",\"code\":503}}",
                Some((ServerKind::LlamaCpp, Shut::Loading)),
            ),
            (
                "HTTP/1.1 401 Unauthorized\r\nServer: llama.cpp\r\nConnection: close\r\n\r\n\
                 {\"error\":{\"message\":\"Invalid API Key\",\"type\":\"authentication_error\",\"code\":401}}",
                Some((ServerKind::LlamaCpp, Shut::Locked)),
            ),
            // vLLM's.
            (
                "HTTP/1.1 401 Unauthorized\r\nserver: uvicorn\r\ncontent-length: 24\r\n\
                 connection: close\r\n\r\n{\"error\":\"Unauthorized\"}",
                Some((ServerKind::Other, Shut::Locked)),
            ),
            // Whatever else listens there.
            ("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n<h1>Sign in</h1>", None),
            ("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n{}", None),
        ] {
            let found = found(answer).await;
            let found = found.map(|it| (it.kind, it.shut.expect("no models can be known")));
            assert_eq!(found, expected, "{answer}");
        }
    }

    #[test]
    fn a_context_is_for_the_screens_and_replies_of_the_family() {
        let endpoint = Endpoint::parse("http://127.0.0.1:8000/v1").unwrap();
        for (model, tokens) in [
            ("qwen3-vl-8b", 8192),
            ("gui-owl-1.5-8b", 16384),
            ("ui-venus-2-9b", 32768),
            ("something-else", 16384),
        ] {
            assert_eq!(tokens_needed(family(model, &endpoint)), tokens, "{model}");
        }
    }

    #[test]
    fn the_context_is_among_the_parameters() {
        assert_eq!(
            num_ctx("stop    \"<|x|>\"\nnum_ctx                        16384\n"),
            Some(16384)
        );
        assert_eq!(num_ctx("temperature 1"), None);
    }
}
