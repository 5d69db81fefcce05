//! Logs, to stderr only: stdout belongs to MCP.
use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

/// The filter for targets that the user's filter does not name. rmcp logs whole requests on
/// debug, with tasks, answers and pictures, and every notification on info.
const QUIET: &str = "rmcp=warn,hyper=warn,hyper_util=warn,reqwest=warn,h2=warn";

/// Why logging cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The setting `log` is wrong.
    #[error("`log` is not a filter such as \"info\" or \"info,ayeaye_adb=debug\"")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// Logging has been set up already.
    #[error("logging is set up already")]
    Twice(#[from] tracing::subscriber::SetGlobalDefaultError),
}

/// Sends what `filter` lets through to stderr from now on.
pub fn to_stderr(filter: &str, no_color: bool) -> Result<(), LogError> {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(env_filter(filter)?)
        .with_writer(io::stderr)
        .with_ansi(!no_color && io::stderr().is_terminal())
        .finish();
    tracing::subscriber::set_global_default(subscriber)?;
    Ok(())
}

fn env_filter(filter: &str) -> Result<EnvFilter, tracing_subscriber::filter::ParseError> {
    EnvFilter::try_new(format!("{QUIET},{filter}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broad_filter_leaves_rmcp_quiet_and_a_narrow_one_does_not() {
        let broad = env_filter("debug").unwrap().to_string();
        assert!(broad.contains("rmcp=warn") && broad.contains("debug"), "{broad}");
        let narrow = env_filter("info,rmcp=debug").unwrap().to_string();
        assert!(narrow.contains("rmcp=debug") && !narrow.contains("rmcp=warn"), "{narrow}");
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(env_filter("ayeaye=loud").is_err());
    }
}
