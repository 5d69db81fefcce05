//! The page's server part, over real sockets: who is let in, what is shown, what is done.
mod acts;
mod attacks;
mod live;
mod sign_in;
mod ui;

use std::net::SocketAddr;
use std::sync::Arc;

use ayeaye::config::{Config, HttpSettings, Listen, ToolChoice, ToolSet};
use ayeaye::http::HttpServer;
use ayeaye::model_presence::{ModelPresence, ModelState};
use ayeaye::page::Page;
use ayeaye::shutdown::Shutdown;
use ayeaye_agent::journal::{FileJournal, SyncPolicy};
use ayeaye_model::Secret;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::process::TOKEN;
use crate::support::{LOOK_EVERY, Rig, http, within};

const ANNA: &str = "annas-token-0123456789";

/// A server with the page, in this process, over the phone and the sessions of a rig.
struct Served {
    address: SocketAddr,
    client: reqwest::Client,
    shutdown: Shutdown,
}

impl Served {
    async fn new(rig: &Rig) -> Self {
        Self::with(rig, |_| {}, None).await
    }

    async fn with(
        rig: &Rig,
        change: impl FnOnce(&mut HttpSettings),
        tools: Option<ToolSet>,
    ) -> Self {
        Self::with_model(rig, change, tools, ModelState::Ready).await
    }

    /// The same where this is found of the model.
    async fn with_model(
        rig: &Rig,
        change: impl FnOnce(&mut HttpSettings),
        tools: Option<ToolSet>,
        model: ModelState,
    ) -> Self {
        Self::with_config(rig, |config| change(&mut config.http), tools, model).await
    }

    /// The same with other settings than those of HTTP, too.
    async fn with_config(
        rig: &Rig,
        change: impl FnOnce(&mut Config),
        tools: Option<ToolSet>,
        model: ModelState,
    ) -> Self {
        let path = rig.data.path().join("http-tokens");
        ayeaye::atomic_file::replace(&path, &format!("anna {ANNA}\n")).unwrap();
        let mut config = Config::isolated(rig.data.path());
        config.http.listen = "127.0.0.1:0".parse().unwrap();
        config.http.token = Secret::new(TOKEN);
        config.tools = tools.map_or(ToolChoice::Auto, ToolChoice::Only);
        change(&mut config);
        let files = FileJournal::new(rig.data.path(), ayeaye::clock::system(), SyncPolicy::Step);
        let presence = Arc::new(ModelPresence::always(model));
        let page = Page::new(rig.agent.clone(), presence, files, &config);
        let server = HttpServer::bind(&config.http, rig.data.path()).await.unwrap();
        let Listen::Tcp(address) = *server.address() else { panic!("it is TCP") };
        let shutdown = Shutdown::default();
        let (asked, handler) = (shutdown.clone(), rig.server.clone());
        tokio::spawn(async move {
            server.with_page(page).serve(move || handler.clone(), &asked, async {}).await;
        });
        Self { address, client: client(), shutdown }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A browser that nobody has signed in.
    fn stranger(&self) -> Browser<'_> {
        Browser { served: self, cookie: String::new() }
    }

    /// A browser that is signed in with this token.
    async fn browser(&self, token: &str) -> Browser<'_> {
        let body = json!({ "token": token });
        let answer = self.stranger().send(Method::POST, "/page/api/sign-in", Some(body)).await;
        assert_eq!(answer.status(), StatusCode::OK, "{answer:?}");
        Browser { served: self, cookie: cookie_of(&answer) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.shutdown.asked.cancel();
        self.shutdown.at_once.cancel();
    }
}

/// What a response sets, as a browser sends it back.
fn cookie_of(answer: &reqwest::Response) -> String {
    let set = answer.headers()["set-cookie"].to_str().unwrap();
    set.split(';').next().unwrap().to_owned()
}

/// The page in somebody's browser.
struct Browser<'a> {
    served: &'a Served,
    cookie: String,
}

impl Browser<'_> {
    /// A request as the page's own modules make it.
    fn request(&self, method: &Method, path: &str, body: Option<Value>) -> RequestBuilder {
        let mut request = self.served.client.request(method.clone(), self.served.url(path));
        request = request.header("sec-fetch-site", "same-origin");
        if *method == Method::POST {
            request = request.header("origin", format!("http://{}", self.served.address));
        }
        if !self.cookie.is_empty() {
            request = request.header("cookie", &self.cookie);
        }
        match body {
            Some(body) => request.json(&body),
            None => request,
        }
    }

    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> reqwest::Response {
        within(60, path, self.request(&method, path, body).send()).await.unwrap()
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        let answer = self.send(Method::GET, &format!("/page/api/{path}"), None).await;
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let answer = self.send(Method::POST, &format!("/page/api/{path}"), Some(body)).await;
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    /// What must be there.
    async fn read(&self, path: &str) -> Value {
        let (status, value) = self.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    /// What must be done.
    async fn act(&self, path: &str, body: Value) -> Value {
        let (status, value) = self.post(path, body).await;
        assert_eq!(status, StatusCode::OK, "{path}: {value}");
        value
    }

    /// Starts a task, and returns the session's name.
    async fn start(&self, device: &str, task: &str) -> String {
        let body = json!({ "device_id": device, "task": task });
        let started = self.act("tasks", body).await;
        started["session_id"].as_str().unwrap().to_owned()
    }

    /// Waits until a session has come to a stop, and returns it whole.
    async fn stopped(&self, id: &str) -> Value {
        within(60, "the session stops", async {
            let mut tick = tokio::time::interval(LOOK_EVERY);
            loop {
                let session = self.read(&format!("sessions/{id}")).await;
                if session["running"] == false {
                    return session;
                }
                tick.tick().await;
            }
        })
        .await
    }
}

/// A client that follows nothing by itself.
fn client() -> reqwest::Client {
    drop(http());
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap()
}
