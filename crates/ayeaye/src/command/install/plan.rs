//! What the entry for a client is to say.
use std::path::PathBuf;

use anyhow::Context as _;
use ayeaye_model::Secret;
use serde_json::Value;

use crate::cli::Install;
use crate::clients::entry::{Command, Connection, in_file};
use crate::clients::{Client, ConfigPlace, Folders, Scope, System, TokenForm, launcher};
use crate::command::Start;
use crate::config::TOKEN_VARIABLE;
use crate::config::{Config, Environment, is_loopback};
use crate::http::TOKEN_FILE;
use crate::secret;

use super::variable::TokenVariable;

/// An entry, and where it goes.
pub(super) struct Plan {
    pub(super) client: Client,
    pub(super) place: ConfigPlace,
    connection: Connection,
    /// The server's token, where the client calls one that runs.
    token: Option<Secret>,
    /// The file that the token was read from, if it was.
    token_file: Option<PathBuf>,
    allowed: bool,
    /// The settings file that the entry names.
    pub(super) config_file: Option<PathBuf>,
}

impl Plan {
    pub(super) fn new(
        client: Client,
        config: &Config,
        start: &Start,
        args: &Install,
    ) -> anyhow::Result<Self> {
        let folders = super::folders(start)?;
        let project = std::env::current_dir().context("the working directory")?;
        let place = folders.place(client, args.entry.scope, &project);
        let config_file = config_file(config, start);
        let mut plan = Self {
            client,
            place,
            connection: Connection::Http { url: String::new(), token: None },
            token: None,
            token_file: None,
            allowed: args.token_in_file,
            config_file,
        };
        match &args.http {
            None => {
                plan.connection = Connection::Stdio(plan.command(config, start, args, &folders)?);
            }
            Some(url) => {
                let url = match url.as_str() {
                    "" => own_url(config)?,
                    url => checked_url(url)?,
                };
                let (token, file) = token(config, &url, args.entry.dry_run);
                plan.token = token;
                plan.token_file.clone_from(&file);
                let form = plan.token_form(args.entry.scope, file, config)?;
                plan.connection = Connection::Http { url, token: form };
                plan.check_project(args.entry.scope)?;
            }
        }
        Ok(plan)
    }

    /// The command that starts the server, with the flags that this command was given.
    fn command(
        &self,
        config: &Config,
        start: &Start,
        args: &Install,
        folders: &Folders,
    ) -> anyhow::Result<Command> {
        let mut words = Vec::new();
        if let Some(file) = &self.config_file {
            words.extend(["--config".to_owned(), in_file(file)?]);
        }
        for flag in start.flags.iter().filter(|flag| flag.key != "mcp.tools") {
            let value = match flag.key {
                // The client's working directory is another one.
                "data-dir" => in_file(&config.data_dir)?,
                _ => flag.value.clone(),
            };
            words.extend([flag.name.to_owned(), value]);
        }
        words.push("serve".to_owned());
        if args.virtual_phone {
            words.push("--virtual".to_owned());
        }
        if let Some(tools) = &args.tools {
            words.extend(["--tools".to_owned(), tools.clone()]);
        }
        let program = std::env::current_exe().context("this program does not know where it is")?;
        Ok(launcher::command(&program, words, folders)?)
    }

    /// How the client is to know the token: from a place that outlives this session, where it can; never
    /// in a project's file, which others read.
    fn token_form(
        &self,
        scope: Scope,
        file: Option<PathBuf>,
        config: &Config,
    ) -> anyhow::Result<Option<TokenForm>> {
        let Some(token) = self.token.clone() else { return Ok(None) };
        if self.allowed {
            return Ok(Some(TokenForm::Literal(token)));
        }
        Ok(Some(match file {
            Some(file) if self.client.takes_files() && scope == Scope::User => {
                let file = std::path::absolute(&file).unwrap_or(file);
                debug_assert!(config.http.token.is_none());
                TokenForm::File(in_file(&file)?)
            }
            _ if self.client.takes_variables() => TokenForm::Variable,
            _ => TokenForm::Literal(token),
        }))
    }

    /// Fails where the token itself would go into a file of a project.
    fn check_project(&self, scope: Scope) -> anyhow::Result<()> {
        if scope != Scope::Project || !self.writes_token() {
            return Ok(());
        }
        let client = self.client;
        let other = if client.takes_variables() {
            format!(
                "leave out --token-in-file, and {client} takes it from the variable {TOKEN_VARIABLE}"
            )
        } else {
            format!(
                "leave out --scope, for your own settings, or let {client} start the server (without --http)"
            )
        };
        anyhow::bail!(
            "the server's token is not written into {}: everyone who has the project would have it. {other}",
            self.place_in_words()
        )
    }

    /// Whether the token itself is written into the client's file.
    pub(super) fn writes_token(&self) -> bool {
        let literal =
            matches!(&self.connection, Connection::Http { token: Some(TokenForm::Literal(_)), .. });
        literal && !matches!(self.place, ConfigPlace::Paste(_))
    }

    /// Whether that would be done without anyone having said so.
    pub(super) fn needs_leave_for_token(&self) -> bool {
        self.writes_token() && !self.allowed
    }

    pub(super) fn allow_token(&mut self) {
        self.allowed = true;
    }

    pub(super) fn place_in_words(&self) -> String {
        match &self.place {
            ConfigPlace::File(file) => file.display().to_string(),
            ConfigPlace::OneOf(files) => super::one_of(self.client, files),
            ConfigPlace::Paste(place) => (*place).to_owned(),
            ConfigPlace::NoProject => "the project".to_owned(),
        }
    }

    pub(super) fn entry(&self, name: &str) -> anyhow::Result<Value> {
        Ok(self.client.entry(name, &self.connection)?)
    }

    /// The entry without the token in it, for eyes and logs.
    pub(super) fn hidden(&self, entry: &Value) -> Value {
        match &self.token {
            Some(token) => without(entry, token.expose()),
            None => entry.clone(),
        }
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        self.token.iter().map(|token| token.expose().to_owned()).collect()
    }

    /// Whether the client starts the server.
    pub(super) fn is_stdio(&self) -> bool {
        matches!(self.connection, Connection::Stdio(_))
    }

    /// The command of the entry as it stands in the client's file.
    pub(super) fn command_in(&self, entry: &Value) -> Option<Command> {
        self.connection.command_in(self.client, entry)
    }

    pub(super) fn url(&self) -> Option<&str> {
        match &self.connection {
            Connection::Http { url, .. } => Some(url),
            Connection::Stdio(_) => None,
        }
    }

    /// The variable that the client is to have the token in, where the entry names one.
    pub(super) fn token_variable(&self, start: &Start) -> Option<TokenVariable> {
        let Connection::Http { token: Some(TokenForm::Variable), .. } = &self.connection else {
            return None;
        };
        let token = self.token.as_ref()?;
        Some(TokenVariable::new(self.client, &start.environment, token, self.token_file.clone()))
    }

    pub(super) fn token(&self) -> Option<&Secret> {
        self.token.as_ref()
    }

    /// The environment that the client starts servers in.
    #[expect(clippy::unused_self, reason = "it may become different from client to client")]
    pub(super) fn desktop(&self, start: &Start) -> Environment {
        desktop(start)
    }
}

/// A value without a secret in any of its texts. In what is written of it, quotes in the secret look different.
fn without(value: &Value, secret: &str) -> Value {
    match value {
        Value::String(text) => text.replace(secret, "(secret)").into(),
        Value::Array(items) => items.iter().map(|item| without(item, secret)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), without(value, secret)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// The environment of a program that was started from a desktop.
pub(super) fn desktop(start: &Start) -> Environment {
    start.environment.of_a_desktop(launcher::usual_path(System::HERE))
}

/// The settings file that the entry must name, since a client would not find it: one that was named here, or
/// the usual one where a variable says what is usual.
fn config_file(config: &Config, start: &Start) -> Option<PathBuf> {
    let usual = Config::default_file_in(&desktop(start));
    let here = config.file.clone().or_else(|| config.default_file.clone())?;
    (usual.as_ref() != Some(&here)).then_some(here)
}

/// The address of the server that the settings describe.
fn own_url(config: &Config) -> anyhow::Result<String> {
    if let Some(url) = &config.http.public_url {
        return Ok(format!("{}/mcp", url.as_str().trim_end_matches('/')));
    }
    let address = config.http.listen.reached_at();
    let address =
        address.context("http.listen is a Unix socket: name the address with --http URL")?;
    Ok(format!("http://{address}/mcp"))
}

fn checked_url(text: &str) -> anyhow::Result<String> {
    let url: url::Url = text.parse().with_context(|| format!("--http {text}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        anyhow::bail!("--http {text}: give an address such as http://127.0.0.1:8642/mcp");
    }
    if !url.username().is_empty() || url.password().is_some() {
        anyhow::bail!(
            "--http: leave name and password out of the address; the token is sent separately"
        );
    }
    Ok(match url.path() {
        "" | "/" => format!("{}/mcp", url.as_str().trim_end_matches('/')),
        _ => url.into(),
    })
}

/// The token of the server, and the file it is in if nobody chose it. The one that was made for this
/// machine's server is for no other. Where none was made yet and only a look is wanted, something stands for it.
fn token(config: &Config, url: &str, look_only: bool) -> (Option<Secret>, Option<PathBuf>) {
    if let Some(token) = &config.http.token {
        return (Some(token.clone()), None);
    }
    let here = url.parse().is_ok_and(|url| is_loopback(&url))
        || own_url(config).is_ok_and(|own| own == url);
    let file = config.data_dir.join(TOKEN_FILE);
    if !here {
        return (None, None);
    }
    if look_only && !file.exists() {
        return (Secret::new("(secret)"), Some(file));
    }
    let kept = secret::read_or_create(&config.data_dir, TOKEN_FILE).ok();
    let file = kept.as_ref().map(|_| file);
    (kept, file)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_token_with_quotes_in_it_is_hidden_too() {
        for token in ["canary-0123456789", "can\"ary\\0123456789"] {
            let entry = json!({ "url": "http://a/mcp", "args": [token],
                "headers": { "Authorization": format!("Bearer {token}") } });
            let hidden = json!({ "url": "http://a/mcp", "args": ["(secret)"],
                "headers": { "Authorization": "Bearer (secret)" } });
            assert_eq!(without(&entry, token), hidden);
        }
    }
}
