//! The environment of the process: read once, then passed around as a plain map.
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use ayeaye_model::SYSTEM_STORE;

/// What the names of all variables of ours begin with.
pub(super) const PREFIX: &str = "AYEAYE_";

/// The variable from which clients that can do so read the HTTP server's token. It is not a setting of the server.
pub const TOKEN_VARIABLE: &str = "AYEAYE_TOKEN";

/// The variables that are read beside those named `AYEAYE_…`.
const READ: &[&str] = &[
    "ADB_SERVER_SOCKET",
    "ANDROID_ADB_SERVER_ADDRESS",
    "ANDROID_ADB_SERVER_PORT",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "APPDATA",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "DISPLAY",
    "GOOSE_PATH_ROOT",
    "HOME",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "NO_COLOR",
    "PATH",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "USER",
    "USERPROFILE",
    "WAYLAND_DISPLAY",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
];

/// What counts for the endpoints of models, in capitals or not. The HTTP client reads them itself.
const OF_THE_NETWORK: &[&str] =
    &["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_DIR", "SSL_CERT_FILE"];

/// The variables of a program that was started from a desktop, not from a shell.
const OF_A_DESKTOP: &[&str] = &[
    "APPDATA",
    "HOME",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USER",
    "USERPROFILE",
    "XDG_RUNTIME_DIR",
];

/// The part of the environment this program looks at.
#[derive(Clone, Default)]
pub struct Environment {
    variables: BTreeMap<String, OsString>,
}

impl Environment {
    /// Reads the environment of this process. Nothing else in the project does.
    #[expect(clippy::disallowed_methods, reason = "the one reader the rule points to")]
    pub fn read() -> Self {
        Self::of(std::env::vars_os().filter_map(|(name, value)| {
            let name = name.into_string().ok()?;
            // Windows does not distinguish, and has `Path` and `SystemRoot`.
            let name = if cfg!(windows) { name.to_ascii_uppercase() } else { name };
            let wanted = name.starts_with(PREFIX)
                || READ.contains(&name.as_str())
                || is_of_the_network(&name);
            wanted.then_some((name, value))
        }))
    }

    /// An environment with these variables and no others.
    pub fn of<N: Into<String>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables =
            variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables }
    }

    /// What a client with a window has of this environment, and hands to servers it starts.
    #[must_use]
    pub fn of_a_desktop(&self, path: &str) -> Self {
        let mut variables = self.variables.clone();
        variables.retain(|name, _| OF_A_DESKTOP.contains(&name.as_str()));
        variables.insert("PATH".to_owned(), path.into());
        Self { variables }
    }

    /// Every variable, for a process that is to have no others.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_os_str()))
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// A variable that names an absolute folder. A relative one is as good as none, as the XDG base
    /// directory specification says of its own.
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The names of all variables of this project.
    pub fn own_names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(String::as_str).filter(|name| name.starts_with(PREFIX))
    }

    /// The names of those that count for the endpoints of models on this system and are set.
    pub fn network_names(&self) -> impl Iterator<Item = &str> {
        let names = self.variables.keys().map(String::as_str);
        names.filter(|name| {
            let counts = !(SYSTEM_STORE && name.to_ascii_uppercase().starts_with("SSL_CERT_"));
            is_of_the_network(name) && counts && self.get(name).is_some()
        })
    }

    /// The home folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.folder("HOME").or_else(|| self.folder("USERPROFILE"))
    }
}

fn is_of_the_network(name: &str) -> bool {
    OF_THE_NETWORK.iter().any(|it| it.eq_ignore_ascii_case(name))
}

// Values may be keys and tokens.
impl std::fmt::Debug for Environment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}
