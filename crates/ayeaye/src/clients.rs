//! MCP clients on this machine: where their settings are, what an entry for this server looks like there,
//! and how it is put in and taken out again without touching anything else.
//!
//! One way for all: the client's own file is changed. The clients that have a command for it
//! (`claude mcp add`, `codex mcp add`, `gemini mcp add`, `code --add-mcp`) write the same files, but must
//! be found and started, take a token on their command line, and cannot take back exactly what they did.
//!
//! [`Client`] names the clients, [`place`] their files, [`entry`] the entry in each; [`document`] changes
//! JSON, TOML and YAML; [`launcher`] says how this program is started; [`kept`] writes files and takes
//! changes back.
use std::fmt;

pub mod document;
pub mod entry;
pub mod kept;
pub mod launcher;
pub mod place;

pub use document::{EditError, Format};
pub use entry::{Connection, TokenForm};
pub use place::{ConfigPlace, Folders, Scope, System};

/// A client whose settings are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Cursor,
    VsCode,
    Codex,
    GeminiCli,
    Opencode,
    Goose,
    Zed,
    Cline,
    RooCode,
    AmazonQ,
    Kiro,
    CopilotCli,
    Junie,
    JetBrains,
    LmStudio,
    Devin,
    Windsurf,
    Continue,
    QwenCode,
    KiloCode,
}

impl Client {
    /// Every client, as they are listed.
    pub const ALL: [Self; 22] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::VsCode,
        Self::Codex,
        Self::GeminiCli,
        Self::Opencode,
        Self::Goose,
        Self::Zed,
        Self::Cline,
        Self::RooCode,
        Self::AmazonQ,
        Self::Kiro,
        Self::CopilotCli,
        Self::Junie,
        Self::JetBrains,
        Self::LmStudio,
        Self::Devin,
        Self::Windsurf,
        Self::Continue,
        Self::QwenCode,
        Self::KiloCode,
    ];

    /// The word for it on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini",
            Self::Opencode => "opencode",
            Self::Goose => "goose",
            Self::Zed => "zed",
            Self::Cline => "cline",
            Self::RooCode => "roo-code",
            Self::AmazonQ => "amazon-q",
            Self::Kiro => "kiro",
            Self::CopilotCli => "copilot-cli",
            Self::Junie => "junie",
            Self::JetBrains => "jetbrains",
            Self::LmStudio => "lm-studio",
            Self::Devin => "devin",
            Self::Windsurf => "windsurf",
            Self::Continue => "continue",
            Self::QwenCode => "qwen",
            Self::KiloCode => "kilo",
        }
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::Opencode => "opencode",
            Self::Goose => "Goose",
            Self::Zed => "Zed",
            Self::Cline => "Cline",
            Self::RooCode => "Roo Code",
            Self::AmazonQ => "Amazon Q",
            Self::Kiro => "Kiro",
            Self::CopilotCli => "Copilot CLI",
            Self::Junie => "JetBrains Junie",
            Self::JetBrains => "JetBrains AI Assistant",
            Self::LmStudio => "LM Studio",
            Self::Devin => "Devin Desktop",
            Self::Windsurf => "Windsurf",
            Self::Continue => "Continue",
            Self::QwenCode => "Qwen Code",
            Self::KiloCode => "Kilo Code",
        }
    }

    /// The client of this word.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.id() == id)
    }

    /// What a person does so that the client starts the server.
    pub const fn next(self) -> &'static str {
        match self {
            Self::ClaudeCode => "start `claude` anew; /mcp shows the server",
            Self::ClaudeDesktop => {
                "quit Claude Desktop (its menu, not only the window) and start it again"
            }
            Self::Cursor => {
                "Cursor Settings > Tools & MCP shows the server; switch it on if it is off"
            }
            Self::VsCode => "in VS Code: MCP: List Servers, start it, and use Copilot's agent mode",
            Self::Codex => "start `codex` anew; /mcp shows the server",
            Self::GeminiCli => {
                "start `gemini` anew in a folder that you trust (elsewhere servers are off); /mcp shows the server. \
                 `gemini -p` gives its model the tools with `--approval-mode yolo` or \"trust\": true in the entry only"
            }
            Self::Opencode => "start `opencode` anew",
            Self::Goose => "start Goose anew; Extensions shows the server",
            Self::Zed => "Zed reads it at once; the Agent Panel's settings show the server",
            Self::Cline => {
                "start `cline` anew; the extension reads it at once, and MCP Servers > Configure shows it"
            }
            Self::RooCode => "Roo Code reads it at once; its MCP settings show it",
            Self::AmazonQ => "start `q chat` anew; /tools shows the server",
            Self::Kiro => {
                "start `kiro-cli chat` anew, where /mcp shows the server; the editor reads it at once"
            }
            Self::CopilotCli => "start `copilot` anew; /mcp show shows the server",
            Self::QwenCode => "start `qwen` anew; /mcp shows the server",
            Self::KiloCode => "start `kilo` anew",
            Self::Junie => "start the IDE anew; Settings > Tools > Junie > MCP Settings shows it",
            Self::JetBrains => {
                "Settings > Tools > AI Assistant > Model Context Protocol > Add > as JSON"
            }
            Self::LmStudio => "LM Studio reads it at once; the Program tab shows the server",
            Self::Devin => "begin a new session of Devin",
            Self::Windsurf => {
                "press Refresh in Cascade's MCP servers, or start Windsurf anew; Devin, the other agent of \
                 Devin Desktop, reads what `ayeaye install devin` writes"
            }
            Self::Continue => {
                "start the editor anew, and use Continue's agent mode; the command line, `cn`, does not read this file: for it \
                 the entry goes under mcpServers in ~/.continue/config.yaml"
            }
        }
    }

    /// How its settings are written.
    pub const fn format(self) -> Format {
        match self {
            Self::Codex => Format::Toml,
            Self::Goose => Format::Yaml,
            // These read their files with `JSON.parse`.
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cline | Self::RooCode => Format::Json,
            _ => Format::JsonWithComments,
        }
    }

    /// The section that holds the servers.
    pub const fn section(self) -> &'static str {
        match self {
            Self::VsCode => "servers",
            Self::Codex => "mcp_servers",
            Self::Opencode | Self::KiloCode => "mcp",
            Self::Goose => "extensions",
            Self::Zed => "context_servers",
            _ => "mcpServers",
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

#[cfg(test)]
mod tests;
