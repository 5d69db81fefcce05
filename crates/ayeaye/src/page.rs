//! The page for people: phones and sessions in a browser, live, and what one may do there.
//!
//! Here is what the page is made of and what it asks for; who may ask is decided before, in `http`, which
//! attaches the principal to each request. What several people look at is read once for all of them: the
//! latest state, never a queue of it, so that nobody who looks slows a run.
mod acts;
mod answer;
mod control;
mod devices;
mod downloads;
mod events;
mod feeds;
mod files;
mod live;
mod screens;
mod sessions;
mod settings;
mod steps;
mod tasks;
mod transfer;
mod view;
mod zip;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use ayeaye_agent::journal::{FileJournal, PrivateScreens};
use ayeaye_agent::{Agent, Principal};
use ayeaye_export::LogSettings;
use serde_json::Value;

pub use self::answer::Refusal;
use self::downloads::Downloads;
pub use self::events::LoginEnded;
use self::live::Live;
use self::screens::Screens;
use self::view::PageRules;
use crate::config::{Config, ToolChoice};
use crate::mcp::Defaults;
use crate::mcp::approvals::Approvals;
use crate::model_presence::ModelPresence;
use crate::principal::PerPrincipal;

/// The page of one server. Clones are the same page.
#[derive(Clone)]
pub struct Page(Arc<Inner>);

struct Inner {
    agent: Arc<Agent>,
    presence: Arc<ModelPresence>,
    defaults: Defaults,
    settings: Value,
    /// For logs that are made to be downloaded.
    journal_files: FileJournal,
    logs: LogSettings,
    data_dir: PathBuf,
    /// Tells this process from the one before it.
    id: String,
    live: Live,
    /// How many streams of events each principal has.
    streams: PerPrincipal,
    screens: Screens,
    downloads: Downloads,
    approvals: Approvals,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").field("agent", &self.0.agent).finish_non_exhaustive()
    }
}

impl Page {
    /// What of a session's screens is not shown to this principal; `None` where all is.
    fn private_screens(&self, principal: &Principal) -> Option<PrivateScreens> {
        self.0.live.rules().hidden_from(principal).map(PrivateScreens::new)
    }

    /// The page over this agent, whose sessions are in `journal_files`.
    pub fn new(
        agent: Arc<Agent>,
        presence: Arc<ModelPresence>,
        journal_files: FileJournal,
        config: &Config,
    ) -> Self {
        let defaults = Defaults::from(config);
        let read_only = match defaults.tools {
            ToolChoice::Auto => false,
            ToolChoice::Only(tools) => !tools.agent && !tools.device,
        };
        Self(Arc::new(Inner {
            live: Live::new(agent.clone(), PageRules { read_only, policy: config.policy.clone() }),
            agent,
            presence,
            defaults,
            settings: settings::of(config),
            journal_files,
            logs: config.logs.clone(),
            data_dir: config.data_dir.clone(),
            id: format!("{:016x}", rand::random::<u64>()),
            streams: PerPrincipal::default(),
            screens: Screens::default(),
            downloads: Downloads::default(),
            approvals: Approvals::default(),
        }))
    }

    /// What everybody may have: the page itself, without anything of anybody.
    pub fn public_routes() -> Router {
        Router::new().route("/", get(files::index)).route("/page/{name}", get(files::one))
    }

    /// What is for those who are signed in. Each request must carry its `Principal` and its
    /// [`LoginEnded`] as extensions.
    pub fn api(&self) -> Router {
        let sessions = Router::new()
            .route("/", get(sessions::list))
            .route("/{id}", get(sessions::one))
            .route("/{id}/steps", get(sessions::steps))
            .route("/{id}/steps/{step}/picture", get(sessions::picture))
            .route("/{id}/download/{what}", get(downloads::download))
            .route("/{id}/continue", post(tasks::go_on))
            .route("/{id}/stop", post(tasks::stop))
            .route("/{id}/pause", post(tasks::pause))
            .route("/{id}/act", post(acts::in_session));
        let api = Router::new()
            .route("/me", get(settings::me))
            .route("/policy", get(settings::policy))
            .route("/settings", get(settings::list))
            .route("/devices", get(devices::list))
            .route("/devices/{id}/screen", get(devices::screen))
            .route("/devices/{id}/act", post(acts::on_device))
            .route(
                "/devices/{id}/control",
                post(control::take).put(control::keep).delete(control::give),
            )
            .route("/tasks", post(tasks::start))
            .route("/events", get(events::stream))
            .nest("/sessions", sessions)
            .with_state(self.clone());
        Router::new().nest("/page/api", api)
    }

    /// Whether nothing may be done here, because the server offers no tool that does anything.
    fn is_read_only(&self) -> bool {
        self.0.live.rules().read_only
    }

    /// Fails where nothing may be done.
    fn ensure_may_act(&self) -> Result<(), Refusal> {
        if self.is_read_only() { Err(Refusal::read_only()) } else { Ok(()) }
    }
}
