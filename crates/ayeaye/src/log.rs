//! Logs, to stderr only: stdout belongs to MCP.
use std::fmt;
use std::io::{self, IsTerminal as _};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Context, SubscriberExt as _};

/// The filter for targets that the user's filter does not name. rmcp logs whole requests on
/// debug, with tasks, answers and pictures, and every notification on info.
const QUIET: &str = "rmcp=warn,hyper=warn,hyper_util=warn,reqwest=warn,h2=warn";

/// A part of a filter is wrong: this one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "it must be a filter such as \"info\" or \"info,ayeaye_adb=debug\": {0:?} is no level (off, error, warn, info, debug \
     or trace), and no TARGET=LEVEL"
)]
pub struct InvalidFilter(String);

/// Why logging cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The filter is wrong.
    #[error("the filter of the logs: {0}")]
    Filter(#[from] InvalidFilter),
    /// Logging has been set up already.
    #[error("logging is set up already")]
    Twice(#[from] tracing::subscriber::SetGlobalDefaultError),
}

/// Sends what `filter` lets through to stderr from now on.
pub fn to_stderr(filter: &str, no_color: bool) -> Result<(), LogError> {
    let all = filter.contains("rmcp");
    let filter = targets(filter)?;
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(!no_color && io::stderr().is_terminal());
    let subscriber = tracing_subscriber::registry()
        .with(lines)
        .with(filter)
        .with((!all).then_some(WithoutMistakesOfClients));
    tracing::subscriber::set_global_default(subscriber)?;
    Ok(())
}

/// Whether a filter can be read.
pub fn check(filter: &str) -> Result<(), InvalidFilter> {
    targets(filter).map(drop)
}

/// Targets and levels. Nothing here has spans, so that the filters for those, and the regular
/// expressions they bring, have nothing to do.
///
/// A word alone must be a level. Taken for a target, as `Targets` would, a typing error in one left nothing on but a
/// target that is not there.
fn targets(filter: &str) -> Result<Targets, InvalidFilter> {
    let mut targets: Targets = QUIET.parse().expect("read by every test");
    for word in filter.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        let unreadable = || InvalidFilter(word.to_owned());
        let level = |text: &str| text.trim().parse::<LevelFilter>().map_err(|_| unreadable());
        targets = match word.split_once('=') {
            None => targets.with_default(level(word)?),
            Some((target, text)) if is_target(target.trim()) && !text.trim().is_empty() => {
                targets.with_target(target.trim(), level(text)?)
            }
            Some(_) => return Err(unreadable()),
        };
    }
    Ok(targets)
}

/// Whether this is a path of modules, as all targets are.
fn is_target(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-');
    !text.is_empty() && text.chars().all(inner)
}

/// Drops what rmcp tells as an error and is none: an answer was ready when its client had gone, or a client's mistake
/// was answered, which is the client's to read, and of calls of tools is told by our own line at debug.
struct WithoutMistakesOfClients;

/// What rmcp says then, and why it could not be sent.
const UNSENT: &str = "failed to send pending response during drain";
const GONE: &str = "channel closed";
/// What it says where a request is answered with an error.
const MISTAKE: &str = "response error";

impl<S: Subscriber> Layer<S> for WithoutMistakesOfClients {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        if event.metadata().target() != "rmcp::service" {
            return true;
        }
        let mut said = EventText::default();
        event.record(&mut said);
        !(said.message == MISTAKE || said.message == UNSENT && said.error.ends_with(GONE))
    }
}

/// Two fields of an event.
#[derive(Default)]
struct EventText {
    message: String,
    error: String,
}

impl Visit for EventText {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message = format!("{value:?}"),
            "error" => self.error = format!("{value:?}"),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

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

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_client_that_has_gone_or_is_mistaken_is_no_error() {
        let lines = Lines::default();
        let writer = lines.clone();
        let layer = tracing_subscriber::fmt::layer().with_writer(move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(layer).with(WithoutMistakesOfClients);
        tracing::subscriber::with_default(subscriber, || {
            let (gone, full) = (io::Error::other("channel closed"), io::Error::other("disk full"));
            tracing::error!(target: "rmcp::service", error = %gone, "{UNSENT}");
            tracing::error!(target: "rmcp::service", error = %full, "{UNSENT}");
            tracing::error!(target: "rmcp::service", error = %gone, "something else");
            tracing::error!(target: "ayeaye::http", error = %gone, "{UNSENT}");
            tracing::warn!(target: "rmcp::service", id = 3, error = ?full, "{MISTAKE}");
        });
        let said = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let said: Vec<&str> = said.lines().collect();
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].contains("disk full"), "{said:?}");
    }

    #[test]
    fn nonsense_is_refused() {
        for odd in
            ["ayeaye=loud", "warning", "verbose", "info,ayeaye_adb", "INFO ayeaye=debug", "=debug"]
        {
            let told = targets(odd).expect_err(odd).to_string();
            assert!(told.contains("error, warn, info, debug"), "{odd}: {told}");
        }
    }

    #[test]
    fn levels_are_read_in_any_case_and_with_blanks() {
        for (filter, level) in [("WARN", Level::WARN), (" info , hyper=debug,", Level::INFO)] {
            let read = targets(filter).unwrap();
            assert!(read.would_enable("ayeaye_adb", &level), "{filter}");
            assert!(!read.would_enable("ayeaye_adb", &Level::DEBUG), "{filter}");
        }
        assert!(targets("info, hyper=debug").unwrap().would_enable("hyper", &Level::DEBUG));
        assert!(!targets("off").unwrap().would_enable("ayeaye_adb", &Level::ERROR));
    }
}
