//! Builds the app from the settings: the only place that names the concrete devices, model and journal.
mod models;
mod phones;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ayeaye_adb::AdbDevices;
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::journal::{FileJournal, PruneReport, prune};
use ayeaye_agent::{
    Agent, AgentDeps, DeviceError, DeviceId, DeviceSource, JournalError, KeepImages, Limits,
    Models, SettleRule,
};
use ayeaye_export::{Format, LoggingJournal};
use ayeaye_model::{RemoteModel, Secret};
use ayeaye_phone::VirtualPhone;
use tokio::time::{Instant, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::clock;
use crate::config::Config;
use crate::model_presence::{ModelPresence, ModelState};
use crate::named_secrets::SecretFile;
use crate::scripted_model::ScriptedModel;
use crate::text::count;

use self::models::Roles;
pub use self::models::{model, model_config};
use self::phones::Phones;
pub use self::phones::{adb_config, adb_devices};

/// The agent, and what has to live as long as it.
#[derive(Debug)]
pub struct App {
    /// Drives phones.
    pub agent: Arc<Agent>,
    /// The model that acts, for checks.
    pub model: Arc<RemoteModel>,
    /// The phones of the settings' adb server; `None` where only the virtual phone is used.
    pub adb: Option<Arc<AdbDevices>>,
    /// The phones of all adb servers that are asked.
    opened: Vec<Arc<AdbDevices>>,
    /// The virtual phone, if there is one.
    pub virtual_phone: Option<VirtualPhone>,
    /// Whether the scripted model decides.
    pub scripted: bool,
    /// Whether the model is there.
    pub presence: Arc<ModelPresence>,
    /// The journal, as files.
    pub journal_files: FileJournal,
    /// The journal that also writes the logs.
    pub journal: Arc<LoggingJournal>,
    /// Ends the virtual phone and the scripted model when the app is dropped.
    _down: DropGuard,
}

/// Which model decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelChoice {
    /// The one in the settings.
    Configured,
    /// The scripted model, which works on the virtual phone only.
    Scripted,
}

/// How long at most old sessions are not looked for though one has been closed.
const LONGEST_REST: Duration = Duration::from_mins(1);

impl App {
    /// The app of the settings: the phones of the adb server, the model and the journal.
    pub async fn new(config: &Config) -> anyhow::Result<Self> {
        Self::build(config, None, ModelChoice::Configured).await
    }

    /// The app with a virtual phone in front of the phones of the settings, or alone with the scripted model.
    pub async fn with_virtual_phone(config: &Config, decider: ModelChoice) -> anyhow::Result<Self> {
        Self::with_phone(config, VirtualPhone::default(), decider).await
    }

    /// The app with this virtual phone, see [`with_virtual_phone`](Self::with_virtual_phone).
    pub async fn with_phone(
        config: &Config,
        phone: VirtualPhone,
        decider: ModelChoice,
    ) -> anyhow::Result<Self> {
        Self::build(config, Some(phone), decider).await
    }

    async fn build(
        config: &Config,
        virtual_phone: Option<VirtualPhone>,
        decider: ModelChoice,
    ) -> anyhow::Result<Self> {
        warn_of_settings(config);
        let down = CancellationToken::new();
        let guard = down.clone().drop_guard();
        let scripted = decider == ModelChoice::Scripted;
        // The scripted model has every role: nothing is sent to any other model.
        let alone = scripted && virtual_phone.is_some();
        let mut endpoint = model_config(config)?;
        if scripted && let Some(virtual_phone) = &virtual_phone {
            endpoint = ScriptedModel::start(virtual_phone.phone().clone(), &down).await?;
        }
        let Phones { opened, adb } =
            Phones::open(config, virtual_phone.as_ref(), alone, &down).await?;
        let model = Arc::new(RemoteModel::new(endpoint.clone()).context("the model's settings")?);
        let roles = Roles { config, acting: &endpoint, model: &model, alone };
        let models = roles.models()?;
        let judge = roles.judge()?;
        let journal_files = file_journal(config);
        let journal = Arc::new(LoggingJournal::new(
            Arc::new(journal_files.clone()),
            &config.data_dir,
            config.logs.clone(),
        ));
        let facts = recorded_settings(config, &models);
        let sources = opened.iter().map(|it| it.clone() as Arc<dyn DeviceSource>).collect();
        let agent = Agent::new(AgentDeps {
            policy: config.policy.clone(),
            sources,
            in_process_devices: virtual_phone.iter().map(|it| DeviceId::new(it.serial())).collect(),
            models,
            journal: journal.clone(),
            coordinator: Arc::new(coordinator(config)),
            limits: limits(config),
            config: facts,
            secrets: Arc::new(SecretFile::of(&config.data_dir)),
            privacy: config.journal.privacy,
            judge,
        });
        agent.hide_keys(known_keys(config).iter().map(Secret::expose));
        let presence = if alone {
            ModelPresence::always(ModelState::StandIn)
        } else {
            presence(config, model.clone())
        };
        let (agent, presence) = (Arc::new(agent), Arc::new(presence));
        Ok(Self {
            agent,
            model,
            adb,
            opened,
            virtual_phone,
            scripted,
            presence,
            journal_files,
            journal,
            _down: guard,
        })
    }

    /// A phone that is ready, with what only adb has to offer.
    pub async fn open_adb(&self, id: &DeviceId) -> Result<Arc<ayeaye_adb::AdbDevice>, DeviceError> {
        let mut trouble = DeviceError::NotFound(id.clone());
        for devices in &self.opened {
            match devices.open_adb(id).await {
                Ok(device) => return Ok(device),
                Err(DeviceError::NotFound(_)) => {}
                Err(error) => trouble = error,
            }
        }
        Err(trouble)
    }

    /// Removes sessions beyond the bounds of the settings, for commands that add some.
    pub async fn tidy_once(&self, config: &Config) {
        let now = clock::system()();
        log_pruned(prune(&*self.journal, &config.journal.retention, now).await);
    }

    /// Maintains the journal for as long as the server runs: completes the logs that a killed process
    /// has left, and removes sessions beyond the bounds of the settings, at once and whenever a session
    /// has been closed.
    pub fn keep_tidy(&self, config: &Config) -> impl Future<Output = ()> + Send + 'static {
        let (journal, retention, now) =
            (self.journal.clone(), config.journal.retention, clock::system());
        if let Some(bounds) = retention.in_words() {
            tracing::info!("sessions that are over are removed {bounds}");
        } else {
            tracing::info!(
                "all sessions are kept: journal.max-age, max-size and max-sessions are not set"
            );
        }
        async move {
            let behind = journal.catch_up().await;
            if 0 < behind {
                tracing::info!(
                    "logs of {} were completed",
                    count(behind as u64, "session", "sessions")
                );
            }
            loop {
                let begun = Instant::now();
                log_pruned(prune(&*journal, &retention, now()).await);
                // Each direct action closes a record, and all that is kept is looked through: a tenth of the time.
                sleep((begun.elapsed() * 9).min(LONGEST_REST)).await;
                journal.closed().await;
            }
        }
    }

    /// Puts back, for as long as the server runs, the settings of phones that a killed process has left
    /// changed, or that could not be put back when a phone went away.
    pub fn keep_settings(&self) -> impl Future<Output = ()> + Send + 'static {
        let agent = self.agent.clone();
        async move {
            loop {
                match agent.put_back_settings().await {
                    Ok(0) => {}
                    Ok(left) => tracing::debug!("settings of {left} phones are still changed"),
                    Err(err) => tracing::warn!("settings of phones: {err}"),
                }
                tokio::time::sleep(SETTINGS_INTERVAL).await;
            }
        }
    }
}

/// Warns of what the settings, or the permissions of their files, leave open or cannot have.
fn warn_of_settings(config: &Config) {
    if let Some(mode) = crate::secret::mode_if_others_may_write(&config.data_dir) {
        tracing::warn!(
            "others may change what is in the data folder {} (mode {mode:o}), including tokens and records: \
             `chmod 700` it",
            config.data_dir.display()
        );
    }
    if let Some((place, mode)) = config.settings_that_others_may_change() {
        tracing::warn!(
            "others may change {} (mode {mode:o}), and so where the model's key is sent: `chmod go-w` it, or \
             name another with --config",
            place.display()
        );
    }
    if config.journal.privacy.images == KeepImages::None
        && config.logs.formats.contains(&Format::Film)
    {
        tracing::warn!(
            "no film is made of sessions, although logs.formats names it: journal.images = \"none\" keeps no pictures"
        );
    }
}

fn file_journal(config: &Config) -> FileJournal {
    FileJournal::new(&config.data_dir, clock::system(), config.journal.sync)
        .with_min_free_bytes(config.journal.min_free)
}

/// How often phones are looked for whose settings are to be put back. That asks the disk, and the phones
/// only if there are any.
const SETTINGS_INTERVAL: Duration = Duration::from_secs(20);

/// Says what was removed.
fn log_pruned(pruned: Result<PruneReport, JournalError>) {
    match pruned {
        Ok(tidied) if tidied.removed.is_empty() => {}
        Ok(tidied) => tracing::info!(
            "{} old sessions were removed, {} MiB",
            tidied.removed.len(),
            tidied.bytes >> 20
        ),
        Err(err) => tracing::warn!("old sessions are not removed: {err}"),
    }
}

/// Who runs what, in all servers of the data folder.
pub fn coordinator(config: &Config) -> FileCoordinator {
    FileCoordinator::new(&config.data_dir, env!("CARGO_PKG_NAME"), config.journal.sync)
}

/// Whether the model of the settings can be handed tasks.
pub fn presence(config: &Config, model: Arc<RemoteModel>) -> ModelPresence {
    let presence = ModelPresence::of(model, config.model_is_set());
    if config.model.fallback.is_empty() { presence } else { presence.with_fallback() }
}

/// The limits of runs.
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
        keep_awake: run.keep_awake,
        stop_animations: run.stop_animations,
        read_protected: run.read_protected,
        redact: run.redact,
        speculate: run.speculate,
        settle: SettleRule {
            first_look: run.first_look,
            cap: run.settle_limit,
            ..SettleRule::USUAL
        },
        ..Limits::USUAL
    }
}

/// The keys and tokens of the settings.
fn known_keys(config: &Config) -> Vec<Secret> {
    let model = &config.model;
    let roles = [&model.fallback, &model.judge, &model.plan, &model.reply, &model.caption];
    let keys = roles.into_iter().map(|role| &role.api_key);
    let keys = keys.chain([&model.api_key, &config.http.token]).flatten().cloned();
    keys.chain(model.extra_headers.secrets()).collect()
}

/// The settings that are recorded with a session. Never a key.
fn recorded_settings(
    config: &Config,
    models: &Models,
) -> serde_json::Map<String, serde_json::Value> {
    let mut facts = serde_json::json!({
        "model": models.act.name(),
        "profile": models.act.profile(),
        "prompt": models.act.prompt_source(),
        "session_max_steps": config.run.session_max_steps,
        "version": env!("CARGO_PKG_VERSION"),
    });
    if let Some(fallback) = &models.fallback {
        facts["fallback"] = fallback.name().into();
        facts["fallback_profile"] = fallback.profile().into();
    }
    match facts {
        serde_json::Value::Object(facts) => facts,
        _ => serde_json::Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn settled(text: &str) -> Config {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("ayeaye.toml");
        std::fs::write(&file, text).unwrap();
        let data = home.path().join("data");
        let flag = crate::config::Flag {
            key: "data-dir",
            name: "--data-dir",
            value: data.to_str().unwrap().to_owned(),
        };
        Config::load(&[flag], Some(&file), &crate::config::Environment::default()).unwrap()
    }

    #[test]
    fn every_key_of_the_settings_is_known_so_that_it_can_be_hidden() {
        let settings: Vec<&str> = Config::secret_keys().collect();
        assert!(settings.contains(&"model.api-key") && settings.contains(&"http.token"));
        let value = |key: &str| format!("the-secret-of-{}", key.replace('.', "-"));
        let lines = settings.iter().map(|key| match *key {
            "model.extra-headers" => format!("{key} = {{ x-a = '{}' }}\n", value(key)),
            key => format!("{key} = '{}'\n", value(key)),
        });
        let keys = known_keys(&settled(&lines.collect::<String>()));
        for key in settings {
            assert!(keys.iter().any(|it| it.expose() == value(key)), "{key} would be shown");
        }
    }
}
