//! Where each client keeps its settings. The addresses are those of the vendors' pages or sources where
//! the facts are from; "run" means that the program itself was seen to read the file
//! (`tests/outside/hosts`).
use std::path::{Path, PathBuf};

use super::Client;
use crate::config::Environment;

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// The person's own: in every project.
    #[default]
    User,
    /// Those of the project in the working directory, for everyone who works on it.
    Project,
}

impl Scope {
    /// The words for them on the command line.
    pub const NAMES: [&'static str; 2] = ["user", "project"];

    /// The scope of this word.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "user" => Some(Self::User),
            "project" => Some(Self::Project),
            _ => None,
        }
    }
}

/// Which of the systems' habits apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum System {
    Unix,
    MacOs,
    Windows,
}

impl System {
    /// The one this program was built for.
    pub const HERE: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::MacOs
    } else {
        Self::Unix
    };
}

/// Claude Desktop's file in a folder of settings.
const CLAUDE_DESKTOP: &str = "Claude/claude_desktop_config.json";

/// Kiro's file, in the home and in a project.
const KIRO: &str = ".kiro/settings/mcp.json";

/// Where settings are looked for.
#[derive(Debug, Clone)]
pub struct Folders {
    system: System,
    home: PathBuf,
    /// Where programs keep settings: `XDG_CONFIG_HOME`, Application Support, `APPDATA`.
    settings: PathBuf,
    /// `XDG_CONFIG_HOME` or `~/.config`, on every system.
    xdg: PathBuf,
    /// Where Windows keeps what programs from packages (MSIX) write; nothing on other systems.
    packages: Option<PathBuf>,
    claude: Option<PathBuf>,
    codex: Option<PathBuf>,
    copilot: PathBuf,
    goose: Option<PathBuf>,
    path: Vec<PathBuf>,
}

/// Where an entry goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigPlace {
    /// Into this file.
    File(PathBuf),
    /// Into one of these, and which one cannot be told.
    OneOf(Vec<PathBuf>),
    /// Into no file: a person pastes it, here.
    Paste(&'static str),
    /// The client has no settings of a project.
    NoProject,
}

impl ConfigPlace {
    /// With the system's own separators throughout, also where a path was put together with `/`: programs of Windows such as
    /// `type` take no others.
    fn in_one_form(self) -> Self {
        let own = |path: PathBuf| path.components().collect::<PathBuf>();
        match self {
            Self::File(file) => Self::File(own(file)),
            Self::OneOf(files) => Self::OneOf(files.into_iter().map(own).collect()),
            other => other,
        }
    }
}

impl Folders {
    /// The folders of this environment; `None` without a home.
    pub fn new(system: System, environment: &Environment) -> Option<Self> {
        // On Windows a HOME is that of Git's shell or of MSYS, and clients do not look there.
        let profile = environment.folder("USERPROFILE").filter(|_| system == System::Windows);
        let home = profile.or_else(|| environment.home())?;
        let xdg = environment.folder("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let settings = match system {
            System::Unix => xdg.clone(),
            System::MacOs => home.join("Library/Application Support"),
            System::Windows => {
                environment.folder("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"))
            }
        };
        let packages = (system == System::Windows).then(|| {
            let local = environment.folder("LOCALAPPDATA");
            local.unwrap_or_else(|| home.join("AppData/Local")).join("Packages")
        });
        let path = environment.get("PATH").map(std::env::split_paths).into_iter().flatten();
        Some(Self {
            system,
            settings,
            xdg,
            packages,
            claude: environment.folder("CLAUDE_CONFIG_DIR"),
            codex: environment.folder("CODEX_HOME"),
            copilot: environment.folder("COPILOT_HOME").unwrap_or_else(|| home.join(".copilot")),
            goose: environment.folder("GOOSE_PATH_ROOT"),
            path: path.filter(|folder| folder.is_absolute()).collect(),
            home,
        })
    }

    /// Where the client's entry goes.
    pub fn place(&self, client: Client, scope: Scope, project: &Path) -> ConfigPlace {
        if client == Client::JetBrains {
            // https://www.jetbrains.com/help/ai-assistant/mcp.html: no file, a form that takes JSON.
            return ConfigPlace::Paste(
                "Settings > Tools > AI Assistant > Model Context Protocol > Add",
            );
        }
        let place = match scope {
            Scope::User if client == Client::ClaudeDesktop => self.claude_desktop(),
            Scope::User => ConfigPlace::File(self.user_file(client)),
            Scope::Project => match project_file(client) {
                Some(file) => ConfigPlace::File(project.join(file)),
                None => ConfigPlace::NoProject,
            },
        };
        place.in_one_form()
    }

    fn user_file(&self, client: Client) -> PathBuf {
        let home = &self.home;
        match client {
            // Run; https://code.claude.com/docs/en/mcp
            Client::ClaudeCode => self.claude.as_ref().unwrap_or(home).join(".claude.json"),
            // https://modelcontextprotocol.io/docs/develop/connect-local-servers
            Client::ClaudeDesktop => self.settings.join(CLAUDE_DESKTOP),
            // https://cursor.com/docs/mcp
            Client::Cursor => home.join(".cursor/mcp.json"),
            // https://code.visualstudio.com/docs/copilot/customization/mcp-servers; the default profile
            Client::VsCode => self.code().join("mcp.json"),
            // Run; https://developers.openai.com/codex/mcp
            Client::Codex => {
                self.codex.clone().unwrap_or_else(|| home.join(".codex")).join("config.toml")
            }
            // Run; https://geminicli.com/docs/tools/mcp-server/
            Client::GeminiCli => home.join(".gemini/settings.json"),
            // Run; https://opencode.ai/docs/config/: either name, with comments in both
            Client::Opencode => {
                let folder = self.xdg.join("opencode");
                first_there([folder.join("opencode.jsonc"), folder.join("opencode.json")])
            }
            // Run; a fork of opencode
            Client::KiloCode => {
                let folder = self.xdg.join("kilo");
                first_there([folder.join("kilo.jsonc"), folder.join("kilo.json")])
            }
            // Run; a fork of Gemini CLI
            Client::QwenCode => home.join(".qwen/settings.json"),
            // block/goose, crates/goose/src/config/paths.rs, by the crate etcetera: XDG but on Windows
            Client::Goose => match (&self.goose, self.system) {
                (Some(root), _) => root.join("config/config.yaml"),
                (None, System::Windows) => self.settings.join("Block/goose/config/config.yaml"),
                (None, System::Unix | System::MacOs) => self.xdg.join("goose/config.yaml"),
            },
            // zed-industries/zed, crates/paths/src/paths.rs
            Client::Zed => match self.system {
                System::Windows => self.settings.join("Zed/settings.json"),
                System::MacOs => home.join(".config/zed/settings.json"),
                System::Unix => self.xdg.join("zed/settings.json"),
            },
            // cline/cline, src/core/storage/disk.ts: in ~/.cline/data, which its command line reads (run); earlier editions
            // of the extension kept it in VS Code's storage
            Client::Cline => {
                let file = "settings/cline_mcp_settings.json";
                let old = self.code().join("globalStorage/saoudrizwan.claude-dev").join(file);
                let is_old = old.exists() && !home.join(".cline/data").exists();
                if is_old { old } else { home.join(".cline/data").join(file) }
            }
            // RooCodeInc/Roo-Code, src/services/mcp/McpHub.ts
            Client::RooCode => self
                .code()
                .join("globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
            // aws/amazon-q-developer-cli, crates/chat-cli/src/util/directories.rs
            Client::AmazonQ => home.join(".aws/amazonq/mcp.json"),
            // https://kiro.dev/docs/mcp/configuration: the editor's and the command line's, which was Amazon Q's
            Client::Kiro => home.join(KIRO),
            // https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
            Client::CopilotCli => self.copilot.join("mcp-config.json"),
            // https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html
            Client::Junie | Client::JetBrains => home.join(".junie/mcp/mcp.json"),
            // https://lmstudio.ai/docs/app/mcp; where its home was moved, a file says where to
            Client::LmStudio => self.lm_studio().join("mcp.json"),
            // https://docs.devin.ai/cli/extensibility/mcp/configuration; it does not follow XDG_CONFIG_HOME
            Client::Devin => self.devin().join("mcp_config.json"),
            // https://docs.devin.ai/desktop/cascade/mcp: for Cascade, the agent of Windsurf
            Client::Windsurf => home.join(".codeium/windsurf/mcp_config.json"),
            // continuedev/continue, core/context/mcp/json/loadJsonMcpConfigs.ts: every JSON file there
            Client::Continue => home.join(".continue/mcpServers/ayeaye.json"),
        }
    }

    /// Claude Desktop's file. From a package (MSIX, how it comes to Windows now) it reads that of the package:
    /// anthropics/claude-code#26073, akitaonrails/ai-memory#250.
    fn claude_desktop(&self) -> ConfigPlace {
        let usual = self.user_file(Client::ClaudeDesktop);
        let own: Vec<_> = self.claude_packages().iter().map(|it| it.join(CLAUDE_DESKTOP)).collect();
        let there: Vec<_> = own.iter().filter(|file| file.exists()).cloned().collect();
        let candidates = match there.len() {
            // A package that has no file of its own yet is shown the usual one.
            0 if usual.exists() => Vec::new(),
            0 => own,
            _ => there,
        };
        match <[PathBuf; 1]>::try_from(candidates) {
            Ok([file]) => ConfigPlace::File(file),
            Err(none) if none.is_empty() => ConfigPlace::File(usual),
            Err(several) => ConfigPlace::OneOf(several),
        }
    }

    /// Where each of its packages keeps settings, in the order of their names.
    fn claude_packages(&self) -> Vec<PathBuf> {
        let entries = self.packages.as_ref().and_then(|it| std::fs::read_dir(it).ok());
        let entries = entries.into_iter().flatten().flatten();
        let own = entries.filter(|it| it.file_name().to_string_lossy().starts_with("Claude_"));
        let mut own: Vec<_> = own.map(|it| it.path().join("LocalCache/Roaming")).collect();
        own.sort_unstable();
        own
    }

    /// VS Code's folder of the user.
    fn code(&self) -> PathBuf {
        self.settings.join("Code/User")
    }

    fn devin(&self) -> PathBuf {
        match self.system {
            System::Windows => self.settings.join("devin"),
            System::Unix | System::MacOs => self.home.join(".config/devin"),
        }
    }

    fn lm_studio(&self) -> PathBuf {
        let moved = std::fs::read_to_string(self.home.join(".lmstudio-home-pointer")).ok();
        let moved = moved.map(|text| PathBuf::from(text.trim())).filter(|it| it.is_absolute());
        moved.unwrap_or_else(|| self.home.join(".lmstudio"))
    }

    /// Whether the client seems to be on this machine: it has left something, or its program is found.
    pub fn is_here(&self, client: Client) -> bool {
        let home = &self.home;
        let (left, program): (Vec<PathBuf>, &str) = match client {
            Client::ClaudeCode => (vec![self.user_file(client), home.join(".claude")], "claude"),
            Client::ClaudeDesktop => {
                let usual = self.settings.join("Claude");
                let packages = self.claude_packages().into_iter();
                // The folder of a package is made when it is first started.
                let packages = packages.filter_map(|it| it.ancestors().nth(2).map(Path::to_owned));
                (std::iter::once(usual).chain(packages).collect(), "")
            }
            Client::Cursor => (vec![home.join(".cursor")], "cursor"),
            Client::VsCode => (vec![self.code()], "code"),
            Client::Codex => {
                let own = self.user_file(client).parent().map(Path::to_owned);
                (own.into_iter().chain([home.join(".codex")]).collect(), "codex")
            }
            Client::GeminiCli => (vec![home.join(".gemini")], "gemini"),
            Client::Opencode => (vec![self.xdg.join("opencode")], "opencode"),
            Client::KiloCode => (vec![self.xdg.join("kilo")], "kilo"),
            Client::QwenCode => (vec![home.join(".qwen")], "qwen"),
            Client::Junie => (vec![home.join(".junie")], "junie"),
            Client::LmStudio => (vec![self.lm_studio()], "lms"),
            Client::Devin => (vec![self.devin()], "devin"),
            Client::Windsurf => (vec![home.join(".codeium/windsurf")], "windsurf"),
            Client::Continue => (vec![home.join(".continue")], "cn"),
            Client::AmazonQ => (vec![home.join(".aws/amazonq")], "q"),
            Client::Kiro => (vec![home.join(".kiro")], "kiro-cli"),
            Client::CopilotCli => (vec![self.copilot.clone()], "copilot"),
            Client::JetBrains => (vec![self.settings.join("JetBrains")], ""),
            Client::Goose => {
                (self.user_file(client).parent().map(Path::to_owned).into_iter().collect(), "goose")
            }
            Client::Zed => {
                (self.user_file(client).parent().map(Path::to_owned).into_iter().collect(), "zed")
            }
            Client::Cline => (
                vec![self.code().join("globalStorage/saoudrizwan.claude-dev"), home.join(".cline")],
                "cline",
            ),
            Client::RooCode => {
                (vec![self.code().join("globalStorage/rooveterinaryinc.roo-cline")], "")
            }
        };
        left.iter().any(|path| path.exists())
            || (!program.is_empty() && self.program(program).is_some())
    }

    /// A program of PATH.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let endings: &[&str] =
            if self.system == System::Windows { &[".exe", ".cmd"] } else { &[""] };
        self.path.iter().find_map(|folder| {
            let mut files = endings.iter().map(|ending| folder.join(format!("{name}{ending}")));
            files.find(|file| file.is_file())
        })
    }

    /// The system whose habits apply.
    pub const fn system(&self) -> System {
        self.system
    }
}

/// The file of a project's settings, from the project's folder.
fn project_file(client: Client) -> Option<&'static str> {
    Some(match client {
        Client::ClaudeCode => ".mcp.json",
        Client::Cursor => ".cursor/mcp.json",
        Client::VsCode => ".vscode/mcp.json",
        Client::Codex => ".codex/config.toml",
        Client::GeminiCli => ".gemini/settings.json",
        Client::Opencode => "opencode.json",
        Client::KiloCode => "kilo.json",
        Client::QwenCode => ".qwen/settings.json",
        Client::Zed => ".zed/settings.json",
        Client::RooCode => ".roo/mcp.json",
        Client::AmazonQ => ".amazonq/mcp.json",
        Client::Kiro => KIRO,
        // It reads Claude Code's `.mcp.json` as well, whose entries are written otherwise.
        Client::CopilotCli => ".github/mcp.json",
        Client::Junie => ".junie/mcp/mcp.json",
        Client::Devin => ".devin/mcp_config.json",
        Client::Continue => ".continue/mcpServers/ayeaye.json",
        Client::ClaudeDesktop
        | Client::Goose
        | Client::Cline
        | Client::JetBrains
        | Client::LmStudio
        | Client::Windsurf => return None,
    })
}

/// The first of the files that is there; the last if none is.
fn first_there<const N: usize>(files: [PathBuf; N]) -> PathBuf {
    let last = files.last().cloned().unwrap_or_default();
    files.into_iter().find(|file| file.exists()).unwrap_or(last)
}
