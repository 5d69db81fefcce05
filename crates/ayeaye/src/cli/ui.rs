//! `ayeaye ui`.
use clap::Args;

use super::virtual_phone::VirtualTraits;

pub(super) const UI_EXAMPLES: &str = "\
Examples:
  ayeaye ui
  ayeaye ui --virtual      with the virtual phone, to see what it is like
  ayeaye ui --no-open      prints the link, for a browser elsewhere

A server that runs over the same data folder (`ayeaye serve --http`) is used; otherwise this command is one \
until Ctrl-C, at http://127.0.0.1:8631/, or another port where that one is taken.";

/// `ayeaye ui`.
#[derive(Debug, Args)]
pub struct Ui {
    /// Print the link that signs in, without opening it
    #[arg(long)]
    pub no_open: bool,
    /// Add a virtual phone; if no model is configured it is the only one, and a stand-in decides
    #[arg(long = "virtual")]
    pub virtual_phone: bool,
    #[command(flatten)]
    pub traits: VirtualTraits,
}
