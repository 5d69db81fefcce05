//! The entry for this server in each client's settings.
use std::path::{Path, PathBuf};

use ayeaye_model::Secret;
use serde_json::{Map, Value, json};

use super::{Client, System};
use crate::config::TOKEN_VARIABLE;
use crate::text::one_line;

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
        "{client} accepts no address in its settings file: leave out --http, or add the server as a \
         connector in {client} itself"
    )]
    NoHttp { client: Client },
    #[error(
        "`{argument}` has a character with a special meaning for Windows' `cmd`, which has to start {script}: name \
         other folders, or install the program (`npm install -g ayeaye`) and run its `install`"
    )]
    NotForCmd { script: String, argument: String },
    #[error(
        "{} is not UTF-8 and cannot be written in a settings file: name another path, or rename this one",
        path.display()
    )]
    NotUtf8 { path: PathBuf },
}

/// A path as it stands in a settings file, which is text: written with other letters it would lead elsewhere.
pub fn in_file(path: &Path) -> Result<String, NoEntry> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| NoEntry::NotUtf8 { path: path.to_owned() })
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
    TOKEN_KEY,
    "oauth",
];

/// Where Codex has the name of the variable with the token.
const TOKEN_KEY: &str = "bearer_token_env_var";

/// Whether a key of an entry says how the server is reached.
pub fn is_ours(key: &str) -> bool {
    OURS.contains(&key)
}

/// The keys of ours that hold names, of which only some are written here: the others are the person's. Any value
/// in them may be a secret.
pub(crate) const MAPS: &[&str] = &["env", "envs", "environment", "headers", "http_headers"];

/// Whether this program writes such a name into a map. Names of headers are the same in any case.
fn is_our_name(name: &str) -> bool {
    ["PATH", NOT_HERE].contains(&name) || name.eq_ignore_ascii_case("Authorization")
}

/// What an entry that is there has to become, in the keys that are ours: what is wanted, and what the person has
/// added to its variables and headers.
///
/// A PATH or a token that is no longer wanted goes with the program or the address that it was for: where these
/// stay, a person has put it there, as for a server elsewhere, whose token this program does not know. Variables
/// go where an address takes the place of a command, and headers the other way, since clients refuse the two together.
pub fn updated(old: &Value, wanted: &Value) -> Value {
    let (Some(old), Some(mut all)) = (old.as_object(), wanted.as_object().cloned()) else {
        return wanted.clone();
    };
    if target(old).is_some_and(|(kind, _)| target(&all).is_none_or(|(now, _)| kind != now)) {
        return all.into();
    }
    let names_token = |map: &Map<String, Value>| map.contains_key(TOKEN_KEY);
    let is_same = target(old) == target(&all) && (names_token(old) || !names_token(&all));
    for (key, value) in old {
        let Some(there) = value.as_object().filter(|_| MAPS.contains(&key.as_str())) else {
            continue;
        };
        let mut map = all.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, value) in there {
            let ours = is_our_name(name);
            let is_set = map.keys().any(|it| it == name || ours && it.eq_ignore_ascii_case(name));
            if !is_set && (!ours || is_same) {
                map.insert(name.clone(), value.clone());
            }
        }
        // One that the person left empty stays as well.
        if !map.is_empty() || there.is_empty() {
            all.insert(key.clone(), map.into());
        }
    }
    // Beside a token that is written out its variable would count, and may not be set.
    let mut maps = MAPS.iter().filter_map(|key| all.get(*key)?.as_object());
    let has_token =
        maps.any(|map| map.keys().any(|name| name.eq_ignore_ascii_case("Authorization")));
    let keeps_name = is_same && !names_token(&all) && !has_token;
    if let (Some(name), true) = (old.get(TOKEN_KEY), keeps_name) {
        all.insert(TOKEN_KEY.to_owned(), name.clone());
    }
    all.into()
}

/// Whether an entry starts a program, and the program or the address.
fn target(entry: &Map<String, Value>) -> Option<(bool, &Value)> {
    let program = ["command", "cmd"].iter().find_map(|key| entry.get(*key));
    // opencode has the arguments behind it.
    let program = program.map(|it| it.get(0).unwrap_or(it));
    let address = ["url", "uri", "httpUrl", "serverUrl"].iter().find_map(|key| entry.get(*key));
    program.map(|it| (true, it)).or(address.map(|it| (false, it)))
}

/// Whether an entry is as this one would have it: the keys that are ours say the same and are no more, and
/// of the others none is missing.
pub fn is_up_to_date(entry: &Value, wanted: &Value) -> bool {
    is_as(entry, &updated(entry, wanted))
}

/// Whether an entry says the same as the wanted one in the keys that are ours, and has its other keys too. What the
/// person added to it has to be in what is wanted.
pub fn is_as(entry: &Value, wanted: &Value) -> bool {
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
                | Self::CopilotCli
                | Self::GeminiCli
                | Self::KiloCode
                | Self::Opencode
                | Self::QwenCode
                | Self::RooCode
                | Self::Windsurf
        )
    }

    /// Whether it has a window, and so is often not started from a shell.
    pub const fn has_window(self) -> bool {
        !matches!(
            self,
            Self::ClaudeCode
                | Self::Codex
                | Self::CopilotCli
                | Self::GeminiCli
                | Self::KiloCode
                | Self::Opencode
                | Self::QwenCode
        )
    }

    /// Whether the client can take the token from a file.
    pub const fn takes_files(self) -> bool {
        matches!(self, Self::KiloCode | Self::Opencode)
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
            Self::CopilotCli => {
                json!({ "type": "local", "command": program, "args": args, "tools": ["*"] })
            }
            Self::Opencode | Self::KiloCode => {
                let line: Vec<&String> = std::iter::once(program).chain(args).collect();
                json!({ "type": "local", "command": line, "enabled": true })
            }
            Self::Goose => json!({ "type": "stdio", "name": name, "enabled": true, "cmd": program,
                "args": args, "timeout": 300 }),
            _ => json!({ "command": program, "args": args }),
        };
        if *slow_start {
            match self {
                // It gives a server 10 s to answer.
                Self::Codex => entry["startup_timeout_sec"] = 60.into(),
                // It gives a server 3 s, unless its calls have a limit of their own; this is what they have anyway.
                Self::Cline => entry["timeout"] = 60.into(),
                _ => {}
            }
        }
        if !env.is_empty() {
            let env: Map<String, Value> =
                env.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
            let key = match self {
                Self::Opencode | Self::KiloCode => "environment",
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
            Self::GeminiCli | Self::QwenCode => json!({ "httpUrl": url }),
            Self::Windsurf => json!({ "serverUrl": url }),
            Self::Opencode | Self::KiloCode => {
                json!({ "type": "remote", "url": url, "oauth": false, "enabled": true })
            }
            Self::Goose => json!({ "type": "streamable_http", "name": name, "enabled": true,
                "uri": url, "timeout": 300 }),
            Self::Cline => json!({ "type": "streamableHttp", "url": url }),
            Self::CopilotCli => json!({ "type": "http", "url": url, "tools": ["*"] }),
            Self::RooCode => json!({ "type": "streamable-http", "url": url }),
            Self::ClaudeCode | Self::VsCode | Self::AmazonQ | Self::Continue => {
                json!({ "type": "http", "url": url })
            }
            Self::Codex
            | Self::Cursor
            | Self::Zed
            | Self::Kiro
            | Self::Junie
            | Self::JetBrains
            | Self::LmStudio
            | Self::Devin => json!({ "url": url }),
        };
        match (self, token, headers) {
            (_, _, None) => {}
            (Self::Codex, Some(TokenForm::Variable), _) => {
                entry[TOKEN_KEY] = TOKEN_VARIABLE.into();
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
            (TokenForm::Variable, Self::Opencode | Self::KiloCode) => {
                format!("{{env:{TOKEN_VARIABLE}}}")
            }
            (
                TokenForm::Variable,
                Self::ClaudeCode | Self::CopilotCli | Self::GeminiCli | Self::QwenCode,
            ) => format!("${{{TOKEN_VARIABLE}}}"),
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
            Self::Opencode | Self::KiloCode => list(&entry["command"]),
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

/// Keeps `cmd` from looking for programs in the working directory.
pub const NOT_HERE: &str = "NoDefaultCurrentDirectoryInExePath";

/// Whether only `cmd` starts this program, as it does Node's own, which are scripts on Windows.
pub fn is_script(program: &str, system: System) -> bool {
    system == System::Windows && program.to_ascii_lowercase().ends_with(".cmd")
}

/// The command as this system's clients can start it.
///
/// Behind `/c` stands the script's name alone, and PATH has to begin with its folder: of a line that begins with a
/// quote `cmd` drops that one and the last, and the usual folder, `C:\Program Files\nodejs`, has a space in it. What
/// means something to `cmd` cannot be passed: clients put quotes only around what has spaces, and the script
/// hands it to `cmd` once more.
pub fn for_system(command: Command, system: System) -> Result<Command, NoEntry> {
    const SPECIAL: [char; 9] = ['&', '|', '<', '>', '^', '%', '"', '\r', '\n'];
    if !is_script(&command.program, system) {
        return Ok(command);
    }
    let script = command.program.rsplit(['\\', '/']).next().unwrap_or_default().to_owned();
    if let Some(argument) = command.args.iter().find(|it| it.contains(SPECIAL)) {
        return Err(NoEntry::NotForCmd { script, argument: one_line(argument) });
    }
    let args = ["/c".to_owned(), script].into_iter().chain(command.args).collect();
    Ok(Command { program: "cmd".to_owned(), args, ..command })
}

#[cfg(test)]
mod tests;
