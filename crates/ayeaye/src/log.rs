//! Logs, to stderr only: stdout belongs to MCP.
use std::io::{self, IsTerminal as _};

use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt as _;

/// The filter for targets that the user's filter does not name. rmcp logs whole requests on
/// debug, with tasks, answers and pictures, and every notification on info.
const QUIET: &str = "rmcp=warn,hyper=warn,hyper_util=warn,reqwest=warn,h2=warn";

/// Why logging cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The setting `log` is wrong.
    #[error("`log` is not a filter such as \"info\" or \"info,ayeaye_adb=debug\"")]
    Filter(#[from] ParseError),
    /// Logging has been set up already.
    #[error("logging is set up already")]
    Twice(#[from] tracing::subscriber::SetGlobalDefaultError),
}

/// Sends what `filter` lets through to stderr from now on.
pub fn to_stderr(filter: &str, no_color: bool) -> Result<(), LogError> {
    let filter = targets(filter)?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(!no_color && io::stderr().is_terminal());
    let subscriber = tracing_subscriber::registry().with(lines).with(filter);
    tracing::subscriber::set_global_default(subscriber)?;
    Ok(())
}

/// Targets and levels. Nothing here has spans, so that the filters for those, and the regular
/// expressions they bring, have nothing to do.
fn targets(filter: &str) -> Result<Targets, ParseError> {
    format!("{QUIET},{filter}").parse()
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn a_broad_filter_leaves_rmcp_quiet_and_a_narrow_one_does_not() {
        let broad = targets("debug").unwrap();
        assert!(broad.would_enable("ayeaye_adb", &Level::DEBUG));
        assert!(!broad.would_enable("rmcp::service", &Level::INFO));
        let narrow = targets("info,rmcp=debug").unwrap();
        assert!(narrow.would_enable("rmcp::service", &Level::DEBUG));
        assert!(!narrow.would_enable("ayeaye_adb", &Level::DEBUG));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(targets("ayeaye=loud").is_err());
    }
}
