//! Settings into parts: the only place that names the concrete phones, model and record.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ayeaye_adb::{AdbConfig, AdbDevices, ServerAddress, find_adb};
use ayeaye_agent::journal::{FileJournal, tidy};
use ayeaye_agent::{
    Agent, Clock, DeviceId, DeviceSource, Judge, Limits, Model, Models, Parts, SettleRule,
};
use ayeaye_export::Projecting;
use ayeaye_model::{Endpoint, ModelConfig, Profile, RemoteModel};
use ayeaye_phone::{AdbServer, Handset};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::config::Config;
use crate::pilot::Pilot;

/// A wired agent, and what has to live as long as it.
#[derive(Debug)]
pub struct House {
    /// Drives phones.
    pub agent: Arc<Agent>,
    /// The model it asks, for checks.
    pub model: Arc<RemoteModel>,
    /// The virtual phone, if there is one.
    pub handset: Option<Handset>,
    /// Whether the stand-in decides instead of a model.
    pub piloted: bool,
    /// The records, for what only files can tell.
    pub files: FileJournal,
    /// The same with the logs beside them.
    pub journal: Arc<Projecting>,
    /// Ends the virtual phone and the pilot when the house goes.
    _down: DropGuard,
}

/// Which model decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decider {
    /// The one in the settings.
    Configured,
    /// The stand-in, which knows nothing but the virtual phone.
    Pilot,
}

/// The real clock. Everything else is handed this one.
pub fn clock() -> Clock {
    #[expect(clippy::disallowed_methods, reason = "this is where the clock is handed in")]
    Arc::new(jiff::Timestamp::now)
}

impl House {
    /// The phones behind the adb server, the model and the record of the settings.
    pub async fn new(config: &Config) -> anyhow::Result<Self> {
        Self::build(config, None, Decider::Configured).await
    }

    /// The same with a virtual phone in front.
    pub async fn with_virtual_phone(config: &Config, decider: Decider) -> anyhow::Result<Self> {
        Self::build(config, Some(Handset::usual()), decider).await
    }

    async fn build(
        config: &Config,
        handset: Option<Handset>,
        decider: Decider,
    ) -> anyhow::Result<Self> {
        let down = CancellationToken::new();
        let guard = down.clone().drop_guard();
        let mut sources: Vec<Arc<dyn DeviceSource>> = Vec::new();
        let mut endpoint = model_config(config)?;
        if let Some(handset) = &handset {
            let address = virtual_adb_server(handset, &down).await?;
            sources.push(Arc::new(AdbDevices::new(AdbConfig::new(address, None))));
            if decider == Decider::Pilot {
                endpoint = Pilot::start(handset.phone().clone(), &down).await?;
            }
        }
        if decider == Decider::Configured || handset.is_none() {
            sources.push(Arc::new(AdbDevices::new(adb_config(config)?)));
        }
        let model = Arc::new(RemoteModel::new(endpoint.clone()).context("the model's settings")?);
        let files = FileJournal::new(&config.data_dir, clock(), config.journal.sync)
            .with_floor(config.journal.min_free);
        let logs = config.logs.clone();
        let journal = Arc::new(Projecting::new(Arc::new(files.clone()), &config.data_dir, logs));
        let judge = judge(config, endpoint, &model)?;
        let agent = Agent::new(Parts {
            sources,
            private: handset.iter().map(|it| DeviceId::new(it.serial())).collect(),
            models: Models::one(model.clone()),
            journal: journal.clone(),
            limits: limits(config),
            config: worth_keeping(config, &*model),
            keeping: config.journal.keeping,
            judge,
        });
        let piloted = decider == Decider::Pilot;
        let agent = Arc::new(agent);
        Ok(Self { agent, model, handset, piloted, files, journal, _down: guard })
    }

    /// Looks after what is kept, for as long as the server runs: completes the logs that a killed
    /// process has left, and removes what is older or more than the settings want, at once and
    /// whenever a session has been closed.
    pub fn keep_tidy(&self, config: &Config) -> impl Future<Output = ()> + Send + 'static {
        let (journal, retention, now) = (self.journal.clone(), config.journal.retention, clock());
        async move {
            let behind = journal.catch_up().await;
            if 0 < behind {
                tracing::info!("logs of {behind} sessions were completed");
            }
            loop {
                match tidy(&*journal, &retention, now()).await {
                    Ok(tidied) if tidied.removed.is_empty() => {}
                    Ok(tidied) => tracing::info!(
                        "{} old sessions were removed, {} MiB",
                        tidied.removed.len(),
                        tidied.bytes >> 20
                    ),
                    Err(err) => tracing::warn!("old sessions are not removed: {err}"),
                }
                journal.closed().await;
            }
        }
    }
}

async fn virtual_adb_server(
    handset: &Handset,
    down: &CancellationToken,
) -> anyhow::Result<ServerAddress> {
    let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = AdbServer::bind(anywhere, vec![handset.clone()])
        .await
        .context("the virtual phone needs a port on 127.0.0.1")?;
    let port = server.local_addr()?.port();
    tokio::spawn(server.serve(down.clone()));
    Ok(ServerAddress::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port })
}

/// Where phones are looked for.
pub fn adb_config(config: &Config) -> anyhow::Result<AdbConfig> {
    let adb = &config.adb;
    let server = ServerAddress::parse(&adb.server)?;
    let program = adb.start_server.then(|| adb.program.clone().or_else(|| find_adb(&adb.search)));
    Ok(AdbConfig::new(server, program.flatten()))
}

/// The endpoint and profile of the settings.
pub fn model_config(config: &Config) -> anyhow::Result<ModelConfig> {
    let settings = &config.model;
    let endpoint = Endpoint::parse(settings.base_url.as_str()).context("model.base-url")?;
    let mut model = ModelConfig::new(endpoint, &settings.name);
    model.key = settings.api_key.as_ref().and_then(|key| ayeaye_model::Secret::new(key.expose()));
    model.profile = settings
        .profile
        .as_deref()
        .map(str::parse::<Profile>)
        .transpose()
        .context("model.profile")?;
    model.stream = settings.stream;
    model.limits.connect = settings.connect_timeout;
    model.limits.first_byte = settings.first_byte_timeout;
    model.limits.total = settings.timeout;
    model.retries.attempts = settings.retries + 1;
    model.prices = settings.prices;
    Ok(model)
}

/// What judges, if the settings want that: the same model, or another one behind the same endpoint.
fn judge(
    config: &Config,
    endpoint: ModelConfig,
    model: &Arc<RemoteModel>,
) -> anyhow::Result<Option<Judge>> {
    let evaluate = config.run.evaluate;
    if !evaluate.rounds() && !evaluate.sessions() {
        return Ok(None);
    }
    let model: Arc<dyn Model> = match &config.model.judge_name {
        Some(name) => Arc::new(
            RemoteModel::new(ModelConfig {
                name: name.clone(),
                // The price is that of the model that acts.
                prices: endpoint.prices.filter(|_| *name == endpoint.name),
                ..endpoint
            })
            .context("the judging model's settings")?,
        ),
        None => model.clone(),
    };
    Ok(Some(Judge { model, rounds: evaluate.rounds(), sessions: evaluate.sessions() }))
}

/// The bounds of runs.
pub fn limits(config: &Config) -> Limits {
    let run = &config.run;
    Limits {
        session_steps: run.session_max_steps,
        run_time: run.time_limit,
        session_tokens: run.token_budget,
        session_cost_usd: run.cost_budget,
        session_bytes: Some(config.journal.max_session_size),
        // A call may be tried again; all its tries together get twice the time of one.
        model_call: config.model.timeout * 2 + Duration::from_secs(5),
        device_wait: run.device_wait,
        settle: SettleRule {
            first_look: run.first_look,
            cap: run.settle_limit,
            ..SettleRule::USUAL
        },
        ..Limits::USUAL
    }
}

/// What a session's record says of the settings. Never a key.
fn worth_keeping(config: &Config, model: &dyn Model) -> serde_json::Map<String, serde_json::Value> {
    let facts = serde_json::json!({
        "model": model.name(),
        "profile": model.profile(),
        "session_max_steps": config.run.session_max_steps,
        "version": env!("CARGO_PKG_VERSION"),
    });
    match facts {
        serde_json::Value::Object(facts) => facts,
        _ => serde_json::Map::new(),
    }
}
