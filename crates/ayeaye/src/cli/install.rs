//! `ayeaye install` and `ayeaye uninstall`.
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::clients::{Client, Scope};

pub(super) const INSTALL_EXAMPLES: &str = "\
Examples:
  ayeaye install                       which clients are here
  ayeaye install cursor                show the change, ask, write it, try it
  ayeaye install codex --dry-run       only show it
  ayeaye install claude-code --scope project --yes
  ayeaye install vscode --virtual      with the virtual phone";

/// `ayeaye install`.
#[derive(Debug, Args)]
pub struct Install {
    /// The client
    #[arg(value_parser = clients())]
    pub client: Option<Client>,
    /// Have the client call a server that is already running, here or at URL
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub http: Option<String>,
    /// Write the server's token into the client's settings
    #[arg(long, requires = "http")]
    pub token_in_file: bool,
    /// Give the client a virtual phone too
    #[arg(long = "virtual", conflicts_with = "http")]
    pub virtual_phone: bool,
    /// Offer these tools: read-only, agent, device, manage or all, or several with commas; or auto
    #[arg(long, value_name = "TOOLS", conflicts_with = "http")]
    pub tools: Option<String>,
    /// Copy keys from the environment into ayeaye.toml, readable only by you
    #[arg(long)]
    pub keep_secrets: bool,
    #[command(flatten)]
    pub entry: EntryArgs,
}

/// `ayeaye uninstall`.
#[derive(Debug, Args)]
pub struct Uninstall {
    /// The client
    #[arg(value_parser = clients())]
    pub client: Client,
    #[command(flatten)]
    pub entry: EntryArgs,
}

/// Which entry is meant, and how to go about it.
#[derive(Debug, Args)]
pub struct EntryArgs {
    /// The name of the server in the client
    #[arg(long, value_name = "NAME", default_value = "ayeaye", value_parser = server_name)]
    pub name: String,
    /// Your own settings, or those of the project in this folder
    #[arg(long, value_name = "SCOPE", default_value = "user", value_parser = scopes())]
    pub scope: Scope,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
    /// Show what would be written, and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// As JSON, for programs
    #[arg(long)]
    pub json: bool,
}

/// The clients that can be named.
fn clients() -> impl TypedValueParser<Value = Client> {
    let values = Client::ALL.map(|client| PossibleValue::new(client.id()).help(client.title()));
    PossibleValuesParser::new(values)
        .map(|id| Client::from_id(&id).expect("clap takes only these names"))
}

fn scopes() -> impl TypedValueParser<Value = Scope> {
    PossibleValuesParser::new(Scope::NAMES)
        .map(|name| Scope::from_name(&name).expect("clap takes only these names"))
}

/// Clients make the names of tools from it, so it is short and plain.
fn server_name(text: &str) -> Result<String, &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if (1..=32).contains(&text.len()) && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("1 to 32 letters, digits, `-` and `_`")
    }
}
