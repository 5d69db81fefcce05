//! The entry for this server in each client's settings.
use ayeaye_model::Secret;
use serde_json::{Map, Value, json};

use super::{Client, System};
use crate::config::TOKEN_VARIABLE;

/// How a client reaches the server.
#[derive(Debug, Clone)]
pub enum Connection {
    /// The client starts it.
    Stdio(Command),
    /// It runs already.
    Http {
        /// Its address, with the path.
        url: String,
        /// What the client sends.
        token: Option<TokenForm>,
    },
}

impl Connection {
    /// The command of an entry for this connection as it stands in the client's file. Whether it may have to be
    /// fetched first does not stand there.
    pub fn command_in(&self, client: Client, entry: &Value) -> Option<Command> {
        let slow_start = matches!(self, Self::Stdio(command) if command.slow_start);
        Some(Command { slow_start, ..client.command_of(entry)? })
    }
}

/// A command, as a client starts it: no shell, these variables besides the client's own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables, by name.
    pub env: Vec<(String, String)>,
    /// Whether it may have to be fetched first.
    pub slow_start: bool,
}

/// How a client knows the token.
#[derive(Debug, Clone)]
pub enum TokenForm {
    /// From its environment.
    Variable,
    /// From a file.
    File(String),
    /// It is in the settings.
    Literal(Secret),
}

/// Why a client cannot have such an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum NoEntry {
    #[error(
        "{client} takes no address in its settings file: leave out --http, or add the server as a \
         connector in {client} itself"
    )]
    NoHttp { client: Client },
}

/// The keys that are ours in an entry. Others are the person's: a list of tools that need no question, a
/// time limit. Those that an entry begins with (`enabled`, `timeout`, `name`, `startup_timeout_sec`) are written
/// where they are missing, and theirs from then on.
const OURS: &[&str] = &[
    "type",
    "command",
    "cmd",
    "args",
    "env",
    "envs",
    "environment",
    "url",
    "uri",
    "httpUrl",
    "serverUrl",
    "headers",
    "http_headers",
    "bearer_token_env_var",
    "oauth",
];

/// Whether a key of an entry says how the server is reached.
pub fn is_ours(key: &str) -> bool {
    OURS.contains(&key)
}

/// Whether an entry is as this one would have it: the keys that are ours say the same and are no more, and
/// of the others none is missing.
pub fn is_up_to_date(entry: &Value, wanted: &Value) -> bool {
    let mut rows = wanted.as_object().into_iter().flatten();
    let mut there = entry.as_object().into_iter().flatten();
    rows.all(|(name, value)| match entry.get(name) {
        Some(old) => old == value || !is_ours(name),
        None => false,
    }) && there.all(|(name, _)| wanted.get(name).is_some() || !is_ours(name))
}

impl Client {
    /// Whether the client can take the token from its environment.
    pub const fn takes_variables(self) -> bool {
        matches!(
            self,
            Self::ClaudeCode
                | Self::Cursor
                | Self::Codex
                | Self::GeminiCli
                | Self::Opencode
                | Self::RooCode
                | Self::Windsurf
        )
    }

    /// Whether the client can take the token from a file.
    pub const fn takes_files(self) -> bool {
        matches!(self, Self::Opencode)
    }

    /// The entry for this server.
    pub fn entry(self, name: &str, connection: &Connection) -> Result<Value, NoEntry> {
        match connection {
            Connection::Stdio(command) => Ok(self.stdio(name, command)),
            Connection::Http { url, token } => self.http(name, url, token.as_ref()),
        }
    }

    fn stdio(self, name: &str, command: &Command) -> Value {
        let Command { program, args, env, slow_start } = command;
        let mut entry = match self {
            Self::ClaudeCode | Self::VsCode => {
                json!({ "type": "stdio", "command": program, "args": args })
            }
            Self::Opencode => {
                let line: Vec<&String> = std::iter::once(program).chain(args).collect();
                json!({ "type": "local", "command": line, "enabled": true })
            }
            Self::Goose => json!({ "type": "stdio", "name": name, "enabled": true, "cmd": program,
                "args": args, "timeout": 300 }),
            _ => json!({ "command": program, "args": args }),
        };
        if self == Self::Codex && *slow_start {
            // Codex gives a server 10 s to answer.
            entry["startup_timeout_sec"] = 60.into();
        }
        if !env.is_empty() {
            let env: Map<String, Value> =
                env.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
            let key = match self {
                Self::Opencode => "environment",
                Self::Goose => "envs",
                _ => "env",
            };
            entry[key] = env.into();
        }
        entry
    }

    fn http(self, name: &str, url: &str, token: Option<&TokenForm>) -> Result<Value, NoEntry> {
        let authorization = token.map(|token| format!("Bearer {}", self.written(token)));
        let headers = authorization.map(|value| json!({ "Authorization": value }));
        let mut entry = match self {
            Self::ClaudeDesktop => return Err(NoEntry::NoHttp { client: self }),
            Self::GeminiCli => json!({ "httpUrl": url }),
            Self::Windsurf => json!({ "serverUrl": url }),
            Self::Opencode => {
                json!({ "type": "remote", "url": url, "oauth": false, "enabled": true })
            }
            Self::Goose => json!({ "type": "streamable_http", "name": name, "enabled": true,
                "uri": url, "timeout": 300 }),
            Self::Cline => json!({ "type": "streamableHttp", "url": url }),
            Self::RooCode => json!({ "type": "streamable-http", "url": url }),
            Self::ClaudeCode | Self::VsCode | Self::AmazonQ | Self::Continue => {
                json!({ "type": "http", "url": url })
            }
            Self::Codex
            | Self::Cursor
            | Self::Zed
            | Self::Junie
            | Self::JetBrains
            | Self::LmStudio
            | Self::Devin => json!({ "url": url }),
        };
        match (self, token, headers) {
            (_, _, None) => {}
            (Self::Codex, Some(TokenForm::Variable), _) => {
                entry["bearer_token_env_var"] = TOKEN_VARIABLE.into();
            }
            (Self::Codex, _, Some(headers)) => entry["http_headers"] = headers,
            (_, _, Some(headers)) => entry["headers"] = headers,
        }
        Ok(entry)
    }

    /// The token as this client's settings have it.
    fn written(self, token: &TokenForm) -> String {
        match (token, self) {
            (TokenForm::Literal(token), _) => token.expose().to_owned(),
            (TokenForm::File(path), _) => format!("{{file:{path}}}"),
            (TokenForm::Variable, Self::Opencode) => format!("{{env:{TOKEN_VARIABLE}}}"),
            (TokenForm::Variable, Self::ClaudeCode | Self::GeminiCli) => {
                format!("${{{TOKEN_VARIABLE}}}")
            }
            (TokenForm::Variable, _) => format!("${{env:{TOKEN_VARIABLE}}}"),
        }
    }

    /// The command of an entry, as the client would start it; `None` for one that has an address.
    pub fn command_of(self, entry: &Value) -> Option<Command> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = |value: &Value| -> Vec<String> {
            value.as_array().into_iter().flatten().filter_map(text).collect()
        };
        let mut line = match self {
            Self::Opencode => list(&entry["command"]),
            Self::Goose => vec![text(&entry["cmd"])?],
            _ => vec![text(&entry["command"])?],
        };
        line.extend(list(&entry["args"]));
        let program = if line.is_empty() { return None } else { line.remove(0) };
        let env = ["env", "envs", "environment"]
            .iter()
            .filter_map(|key| entry[*key].as_object())
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), text(value)?)))
            .collect();
        Some(Command { program, args: line, env, slow_start: false })
    }
}

/// The command as this system's clients can start it: Node's own programs are scripts on Windows, which
/// only `cmd` starts.
pub fn for_system(command: Command, system: System) -> Command {
    let is_script = command.program.to_ascii_lowercase().ends_with(".cmd");
    if system != System::Windows || !is_script {
        return command;
    }
    let mut args = vec!["/c".to_owned(), command.program];
    args.extend(command.args);
    Command { program: "cmd".to_owned(), args, ..command }
}
