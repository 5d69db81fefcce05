//! What adb can do with a phone beside its screen.

/// What adb can do beside the screen. A client that acts itself may ask for it; no model does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceCommand {
    /// Show an address in the app that is for it.
    OpenUrl {
        /// With its scheme.
        url: String,
    },
    /// End an app, as "Force stop" in the settings does.
    StopApp {
        /// Its label or package name.
        app: String,
    },
    /// Install a package.
    Install {
        /// The name of its file in the folder for files.
        file: String,
        /// What was in it when it was looked at. Nothing else is installed.
        package: Option<PackageFile>,
    },
    /// Remove an app with its data.
    Uninstall {
        /// Its label or package name.
        app: String,
    },
    /// Copy a file to the phone.
    SendFile {
        /// Its name in the folder for files.
        file: String,
        /// Where to, on the phone; with a slash at the end, a folder.
        to: String,
    },
    /// Copy a file from the phone.
    FetchFile {
        /// Where it is on the phone.
        from: String,
        /// Its name in the folder for files; there must be none of this name.
        file: String,
    },
}

/// A package in a file: no other file passes for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    /// Such as `org.example.weather`.
    pub name: String,
    /// Of the whole file, in hexadecimal digits.
    pub sha256: String,
}

impl DeviceCommand {
    /// The word for it in logs and on the wire, such as `OPEN_URL`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::OpenUrl { .. } => "OPEN_URL",
            Self::StopApp { .. } => "STOP_APP",
            Self::Install { .. } => "INSTALL_APP",
            Self::Uninstall { .. } => "UNINSTALL_APP",
            Self::SendFile { .. } => "SEND_FILE",
            Self::FetchFile { .. } => "FETCH_FILE",
        }
    }

    /// Whether the act of this name is one of which the screen shows nothing, or nothing that would tell how it went.
    pub fn is_off_screen(name: &str) -> bool {
        matches!(name, "STOP_APP" | "INSTALL_APP" | "UNINSTALL_APP" | "SEND_FILE" | "FETCH_FILE")
    }

    /// Its arguments by the names under which they are kept.
    pub fn arguments(&self) -> Vec<(&'static str, &str)> {
        match self {
            Self::OpenUrl { url } => vec![("url", url)],
            Self::StopApp { app } | Self::Uninstall { app } => vec![("app", app)],
            Self::Install { file, package: None } => vec![("file", file)],
            Self::Install { file, package: Some(it) } => {
                vec![("file", file), ("package", &it.name), ("sha256", &it.sha256)]
            }
            Self::SendFile { file, to } => vec![("file", file), ("to", to)],
            Self::FetchFile { from, file } => vec![("from", from), ("file", file)],
        }
    }

    /// The command of this name. An argument that `argument` does not have is its error.
    pub(crate) fn read<E>(
        name: &str,
        argument: impl Fn(&'static str, &'static str) -> Result<String, E>,
    ) -> Option<Result<Self, E>> {
        Some(match name {
            "OPEN_URL" => argument("OPEN_URL", "url").map(|url| Self::OpenUrl { url }),
            "STOP_APP" => argument("STOP_APP", "app").map(|app| Self::StopApp { app }),
            "INSTALL_APP" => argument("INSTALL_APP", "file").map(|file| {
                // A record of an earlier version has the file alone.
                let more = |name| argument("INSTALL_APP", name).ok();
                let package = more("package").zip(more("sha256"));
                let package = package.map(|(name, sha256)| PackageFile { name, sha256 });
                Self::Install { file, package }
            }),
            "UNINSTALL_APP" => argument("UNINSTALL_APP", "app").map(|app| Self::Uninstall { app }),
            "SEND_FILE" => argument("SEND_FILE", "file")
                .and_then(|file| Ok(Self::SendFile { file, to: argument("SEND_FILE", "to")? })),
            "FETCH_FILE" => argument("FETCH_FILE", "from").and_then(|from| {
                Ok(Self::FetchFile { from, file: argument("FETCH_FILE", "file")? })
            }),
            _ => return None,
        })
    }

    /// Whether it can be done without the screen.
    pub fn needs_no_screen(&self) -> bool {
        !matches!(self, Self::OpenUrl { .. })
    }
}
