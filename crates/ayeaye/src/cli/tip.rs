//! The way out that an error of the command line names, where clap knows none.
use clap::error::{ContextKind, ContextValue, ErrorKind};

const NO_VIRTUAL: &str = "\
a virtual phone is in the command that drives it, and gone with it: `ayeaye run TASK --virtual`, `ayeaye demo`. One that \
is listed and checked as your own: `ayeaye phone` in another terminal, then `ayeaye connect 127.0.0.1:5555`";

/// The error, with the way out if it is one that people run into.
pub(super) fn with_tip(mut err: clap::Error) -> clap::Error {
    let unknown = match err.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => argument.as_str(),
        _ => "",
    };
    if err.kind() == ErrorKind::UnknownArgument && unknown == "--virtual" {
        err.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![NO_VIRTUAL.into()]));
    }
    err
}
