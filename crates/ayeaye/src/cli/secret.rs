//! `ayeaye secret`.
use clap::Subcommand;

/// `ayeaye secret`.
#[derive(Debug, Subcommand)]
pub enum SecretCommand {
    /// Store a secret; it is asked for, or read from standard input
    #[command(after_help = SET_EXAMPLES)]
    Set {
        /// Its name, as tasks write it: {{secret:NAME}}. Letters, digits, `-`, `_` and `.`
        name: String,
        /// Package of an app it may be typed in; may be given several times
        #[arg(long = "app", value_name = "PACKAGE", required = true)]
        apps: Vec<String>,
        /// Host of pages it may be typed on, if the app is a browser; may be given several times
        #[arg(long = "host", value_name = "HOST")]
        hosts: Vec<String>,
    },
    /// List the names of the secrets, and where each may be typed
    List {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Forget a secret
    Rm {
        /// Its name
        name: String,
    },
}

const SET_EXAMPLES: &str = "\
Examples:
  ayeaye secret set bank --app com.example.bank
  ayeaye secret set mail --app com.android.chrome --host mail.example.org
  pass show bank | ayeaye secret set bank --app com.example.bank
  ayeaye run 'Sign in to the bank as anna with {{secret:bank}}'";
