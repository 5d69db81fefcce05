//! `ayeaye setup`.
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::VirtualTraits;
use crate::clients::Client;
use crate::config::wrong_with_url;

pub(super) const SETUP_EXAMPLES: &str = "\
Examples:
  ayeaye setup R58M12ABCDE --keyboard fetch                only the keyboard, onto the phone
  ayeaye setup R58M12ABCDE --keyboard ADBKeyboard.apk      the same from a file
  ayeaye setup R58M12ABCDE --keyboard remove               and off again
  ayeaye setup                                             asks everything
  ayeaye setup --virtual --model none --client cursor --yes
  ayeaye setup --model qwen3-vl:8b --client codex --yes    the model as Ollama calls it
  ayeaye setup --model-base-url http://10.0.0.5:8000/v1    a model on another machine";

/// `ayeaye setup`.
#[derive(Debug, Args)]
pub struct Setup {
    /// The phone's serial, as `ayeaye devices` prints it
    pub device: Option<String>,
    /// Use a virtual phone
    #[arg(long = "virtual", conflicts_with = "device")]
    pub virtual_phone: bool,
    #[command(flatten)]
    pub traits: VirtualTraits,
    /// Only install the keyboard that types every script: fetch it, or use FILE or URL; or remove it
    #[arg(long, value_name = "fetch|FILE|URL|remove", value_parser = KeyboardChoice::parse,
        conflicts_with_all = ["model", "client"])]
    pub keyboard: Option<KeyboardChoice>,
    /// The model, by its server's name for it; `none` lets the client's own model drive
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The client to add this server to; `none` for no client
    #[arg(long, value_name = "CLIENT", value_parser = client_or_none())]
    pub client: Option<ClientChoice>,
    /// Take the default answer to every question; only the client given with --client is changed
    #[arg(long)]
    pub yes: bool,
    /// Skip the task at the end
    #[arg(long)]
    pub no_task: bool,
}

impl Setup {
    /// Whether the command line says which model it is to be, or that nobody is asked.
    pub fn is_told(&self) -> bool {
        self.yes || self.model.is_some()
    }
}

/// What to do about the keyboard on the phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyboardChoice {
    /// Fetch it from where it is published.
    Fetch,
    /// Fetch it from here; it has to be the same file.
    Url(url::Url),
    /// Take this file.
    File(PathBuf),
    /// Take it off the phone.
    Remove,
}

impl KeyboardChoice {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(match text {
            "fetch" => Self::Fetch,
            "remove" => Self::Remove,
            url if url.starts_with("http://") || url.starts_with("https://") => {
                Self::Url(url.parse().map_err(wrong_with_url)?)
            }
            url if url.contains("://") => {
                return Err("an address must begin with http:// or https://".to_owned());
            }
            file => Self::File(file.into()),
        })
    }
}

/// Which client to set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientChoice {
    /// No client.
    None,
    /// This one.
    This(Client),
}

fn client_or_none() -> impl TypedValueParser<Value = ClientChoice> {
    let ids = Client::ALL.into_iter().map(Client::id).chain(["none"]);
    PossibleValuesParser::new(ids)
        .map(|id| Client::from_id(&id).map_or(ClientChoice::None, ClientChoice::This))
}
