//! The settings that a client would not pass on: kept in `ayeaye.toml`, where every client's server finds
//! them, and not in the client's own file.
use std::path::PathBuf;

use anyhow::Context as _;

use super::plan::{Plan, desktop};
use crate::clients::Client;
use crate::clients::entry::in_file;
use crate::clients::kept;
use crate::command::Start;
use crate::config::{Config, LostSetting, edited};
use crate::terminal::Terminal;
use crate::text::one_line;

/// What would be lost, and where it is to be kept.
pub(super) struct Settings {
    lost: Vec<LostSetting>,
    file: Option<PathBuf>,
    with_secrets: bool,
    /// Variables that are no settings and count for the endpoints of models.
    network: Vec<String>,
}

impl Settings {
    pub(super) fn new(config: &Config, start: &Start, plan: &Plan) -> anyhow::Result<Self> {
        let file = config.file.clone().or_else(|| config.default_file.clone());
        if !plan.is_stdio() {
            // The server runs already, with its own settings.
            return Ok(Self { lost: Vec::new(), file, with_secrets: false, network: Vec::new() });
        }
        let there = desktop(start);
        // A settings file that the entry names may have to be made first.
        let named = plan.config_file.as_deref().filter(|file| file.exists());
        let flags: Vec<_> =
            start.flags.iter().filter(|flag| flag.key != "mcp.tools").cloned().collect();
        let mut lost = config.lost_in(&flags, named, &there)?;
        lost.retain(|it| {
            it.key != "mcp.tools" || !start.flags.iter().any(|flag| flag.key == it.key)
        });
        // adb is found in PATH here, and a client may have another.
        let found = ayeaye_adb::find_adb(&config.adb.search);
        if let (None, Some(adb)) = (&config.adb.program, found)
            && ayeaye_adb::find_adb(&Config::adb_folders_in(&there)).is_none()
        {
            lost.push(LostSetting {
                key: "adb.program".to_owned(),
                origin: "PATH".to_owned(),
                secret: false,
                value: in_file(&adb)?.into(),
            });
        }
        let network = start.environment.network_names().map(str::to_owned).collect();
        Ok(Self { lost, file, with_secrets: false, network })
    }

    pub(super) fn keep_secrets(&mut self) {
        self.with_secrets = true;
    }

    /// Asks whether keys are to be kept too, if there are any.
    pub(super) async fn ask_for_secrets(&mut self, client: Client, terminal: Terminal) {
        let keys: Vec<String> = self
            .lost
            .iter()
            .filter(|it| it.secret)
            .map(|it| format!("{} ({})", it.key, it.origin))
            .collect();
        let (false, Some(file)) = (keys.is_empty(), &self.file) else { return };
        let question = format!(
            "{client} does not pass on {}. Put it into {}, readable by you alone?",
            keys.join(", "),
            file.display()
        );
        self.with_secrets = terminal.confirm(&question, false).await.unwrap_or_default();
    }

    fn kept(&self) -> impl Iterator<Item = &LostSetting> {
        self.lost.iter().filter(|it| self.with_secrets || !it.secret)
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.kept().next().is_none()
    }

    /// What is lost all the same, with the way out.
    pub(super) fn left_out(&self, client: Client) -> Vec<String> {
        let lost = self.lost.iter().filter(|it| it.secret && !self.with_secrets);
        let keys = lost.map(|it| {
            format!(
                "{} ({}) stays here: {client} does not pass it on; --keep-secrets puts it into ayeaye.toml",
                it.key,
                one_line(&it.origin)
            )
        });
        let network = (!self.network.is_empty()).then(|| {
            format!(
                "{} of this shell, which models are asked with, may not reach the server that {client} starts: set the \
                 same for {client}, or in its entry's `env`",
                self.network.join(", ")
            )
        });
        keys.chain(network).collect()
    }

    /// Why the settings file changes, in words.
    pub(super) fn why(&self, client: Client) -> String {
        let rows: Vec<String> =
            self.kept().map(|it| format!("{} ({})", it.key, one_line(&it.origin))).collect();
        format!(
            "  because {client} starts servers without the variables of this shell: {}",
            rows.join(", ")
        )
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        let secrets = self.lost.iter().filter(|it| it.secret);
        secrets.filter_map(|it| it.value.as_str().map(str::to_owned)).collect()
    }

    /// The change of the settings file; `None` where there is none.
    pub(super) fn change(&self) -> anyhow::Result<Option<kept::FileChange>> {
        if self.is_nothing() {
            return Ok(None);
        }
        let file = self.file.as_ref().context(
            "there is no place for a settings file: name one with --config, or set HOME",
        )?;
        let before = kept::read(file)?;
        let mut after = before.clone().unwrap_or_default();
        for it in self.kept() {
            after = edited(&after, &it.key, Some(it.value.clone()))
                .with_context(|| file.display().to_string())?;
        }
        let change = kept::FileChange::plain(file.clone(), before, after);
        // From the first byte on: narrowed afterwards, others could have read it meanwhile.
        let has_key = self.kept().any(|it| it.secret);
        Ok(Some(if has_key { change.for_owner_only() } else { change }))
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_model::SYSTEM_STORE;

    use super::*;
    use crate::config::Environment;

    #[test]
    fn a_file_that_gets_a_key_is_never_anybody_elses_to_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ayeaye.toml");
        let lost = |secret| LostSetting {
            key: "model.api-key".to_owned(),
            origin: "AYEAYE_MODEL_API_KEY".to_owned(),
            secret,
            value: "canary".into(),
        };
        let change = |secret| {
            let lost = vec![lost(secret)];
            let file = Some(file.clone());
            let settings = Settings { lost, file, with_secrets: true, network: Vec::new() };
            settings.change().unwrap().unwrap()
        };
        let after = "[model]\napi-key = \"canary\"\n".to_owned();
        let plain = kept::FileChange::plain(file.clone(), None, after);
        assert_eq!(change(false), plain);
        assert_eq!(change(true), plain.for_owner_only());
    }

    #[test]
    fn what_models_are_asked_with_is_named_where_a_client_may_not_have_it() {
        let variables = ["https_proxy", "SSL_CERT_FILE", "NO_PROXY", "HOME"];
        let environment =
            Environment::of(variables.map(|it| (it, if it == "NO_PROXY" { "" } else { "/x" })));
        let network = environment.network_names().map(str::to_owned).collect();
        let settings = Settings { lost: Vec::new(), file: None, with_secrets: false, network };
        let told = settings.left_out(Client::Cursor).join("\n");
        let named = if SYSTEM_STORE { "https_proxy" } else { "SSL_CERT_FILE, https_proxy" };
        assert!(told.starts_with(&format!("{named} of this shell")), "{told}");
        let none = Settings { network: Vec::new(), ..settings };
        assert_eq!(none.left_out(Client::Cursor), [""; 0]);
    }
}
