//! What can be wrong with settings.
use std::io;
use std::path::PathBuf;

use ayeaye_agent::gate::PolicyProfile;

use super::origin::Origin;
use crate::secret::MIN_TOKEN_LENGTH;
use crate::text;

/// Most characters of either end of a message about a value: those that quote none are shorter than both.
const MOST_OF_EITHER_END: usize = 400;

/// Why there are no settings. The user has to fix all of these: the program ends with exit code 2.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ConfigError {
    #[error("cannot read the settings file {}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// The file that is read if none is named.
    #[error(
        "cannot read the settings file {} (--config or AYEAYE_CONFIG names another; an empty file is enough)",
        path.display()
    )]
    UsualFile { path: PathBuf, source: io::Error },
    #[error("{}, line {line}: not TOML: {problem}", path.display())]
    Syntax { path: PathBuf, line: usize, problem: String },
    #[error("{}, line {line}: there is no setting `{key}`{}", path.display(), did_you_mean(*nearest))]
    UnknownKey { path: PathBuf, line: usize, key: String, nearest: Option<&'static str> },
    #[error(
        "{}, line {line}: `{key}` is a section, not a setting; put its settings under `[{key}]`",
        path.display()
    )]
    Section { path: PathBuf, line: usize, key: String },
    #[error(
        "{}, line {line}: `{key}` is a setting, not a section; write `{key} = …`",
        path.display()
    )]
    NoSection { path: PathBuf, line: usize, key: String },
    #[error("`{key}` from {origin}: {}", brief(problem))]
    InvalidValue { key: String, origin: Origin, problem: ValueError },
    #[error(
        "there is no folder for data: neither HOME, as an absolute path, nor data-dir (AYEAYE_DATA_DIR) is set"
    )]
    NoDataDir,
    #[error(
        "the folder for data, {}, is not UTF-8: name another one with --data-dir or AYEAYE_DATA_DIR, or fix the \
         variable it comes from (usually HOME)",
        folder.display()
    )]
    DataDirNotUtf8 { folder: PathBuf },
}

/// What is wrong with a value that may be of any length, and that the message may quote: its beginning, and its end,
/// which says what would be right.
fn brief(problem: &ValueError) -> String {
    let text = text::lines(&problem.to_string());
    match text.chars().count().checked_sub(2 * MOST_OF_EITHER_END) {
        None | Some(0) => text,
        Some(left_out) => {
            let (start, end): (String, String) = (
                text.chars().take(MOST_OF_EITHER_END).collect(),
                text.chars().skip(MOST_OF_EITHER_END + left_out).collect(),
            );
            format!("{start} … {end}")
        }
    }
}

fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// What is wrong with a value, in words that say what would be right.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ValueError {
    #[error("it must be one value or a list of strings")]
    NotAValue,
    #[error(
        "`{0}` in it is a date, or no number (nan, inf), which JSON cannot hold: leave it out, or write it as text"
    )]
    NotInJson(String),
    #[error("it must be one value, not a list")]
    List,
    #[error("it is not UTF-8")]
    NotUtf8,
    #[error("it means {}, which is not UTF-8 and cannot be written in a settings file", path.display())]
    NotUtf8Path { path: PathBuf },
    #[error("it is empty")]
    Empty,
    #[error("it contains a line break or another control character")]
    ControlCharacter,
    #[error(
        "it contains a control character, which `\\` begins in double quotes: write the path in single quotes, such as \
         'C:\\temp'"
    )]
    BackslashInPath,
    #[error("it must be visible ASCII characters without spaces")]
    NotAscii,
    #[error(
        "it must have at least {} characters; `openssl rand -hex 32` makes one",
        MIN_TOKEN_LENGTH
    )]
    WeakToken,
    #[error("it must be {}", alternatives(words))]
    NotOneOf { words: Vec<&'static str> },
    #[error("`{given}` is none of the formats, which are {}", names.join(", "))]
    NotAFormat { given: String, names: Vec<&'static str> },
    #[error("it must be true or false")]
    NotBool,
    #[error("it must be a whole number from {min} to {max}")]
    NotInRange { min: u64, max: u64 },
    #[error("it must be a time such as \"80ms\", \"3s\" or \"5m\"")]
    NotADuration,
    #[error("it must be more than 0")]
    Zero,
    #[error("it must be a time such as \"30d\" or \"12h\"")]
    NotAnAge,
    #[error("it must be a size from 1KiB to {}MiB, such as \"1MiB\"", max >> 20)]
    NotASize { max: usize },
    #[error("it must be a size such as \"200MiB\" or \"5GiB\"")]
    NotAnAmount,
    #[error("it must be at least 1MiB")]
    TooSmall,
    #[error("it must be an amount in US dollars, such as 0.25")]
    NotAPrice,
    #[error(
        "each must be \"NAME SENT RECEIVED\" or \"NAME SENT RECEIVED CACHED\", such as \
         \"qwen3-vl-* 0.20 0.80\""
    )]
    NotAPriceLine,
    #[error(
        "each must be \"NAME temperature=0.7 …\", such as \"qwen3-vl-* temperature=0.7 top-p=0.8\""
    )]
    NotACallLine,
    #[error("it must be a whole URL, with http:// or https:// in front: {}", wrong_with_url(*.0))]
    NotAUrl(url::ParseError),
    #[error("it must begin with http:// or https:// and name a host")]
    NotHttp,
    #[error("it must not contain a user or password; a key has its own setting")]
    UrlWithCredentials,
    #[error("it must end with its path: no `?` and no `#`")]
    UrlWithQuery,
    #[error(
        "it must end with its path: no `?` and no `#`. Azure's address that ends in /openai/v1 needs no api-version: \
         https://NAME.openai.azure.com/openai/v1"
    )]
    UrlWithApiVersion,
    #[error("it must be https")]
    NotHttps,
    #[error("it must end with its host and port, such as https://phones.example.com")]
    UrlWithPath,
    #[error("it must be IP:PORT such as 127.0.0.1:8642, a port, or unix:/PATH")]
    NotAnAddress,
    #[error("after unix: there must be an absolute path, such as unix:/run/user/1000/ayeaye.sock")]
    NotASocketPath,
    #[error("this system has no Unix sockets; give IP:PORT")]
    NoUnixSockets,
    #[error("`{0}` is not a host name such as phones.example.com or phones.example.com:8443")]
    NotAHost(String),
    #[error("`{0}` is not an origin such as https://app.example.com")]
    NotAnOrigin(String),
    #[error(
        "it must be auto, read-only, agent, device, manage or all, or several of these (but not auto) with commas"
    )]
    NotATool,
    #[error("`{0}` is not a scheme, which is a word such as https, without a colon")]
    NotAScheme(String),
    #[error(
        "`{0}` is not a host such as example.com, which also stands for www.example.com and all others below it; \
         `*` may only stand in front, as in *.example.com"
    )]
    NotAListedHost(String),
    #[error("`{given}` would match nothing, since hosts are not written like that: write {host}")]
    NotAsListed { given: String, host: String },
    #[error(
        "`{0}` is not the package of an app such as com.example.bank, or the beginning of several such as com.example.*; \
         `ayeaye policy explain` names those in a session"
    )]
    NotAPackage(String),
    #[error(
        "each must be the name of a token, `=` and a profile: careful, read-only, no-commerce or trusted"
    )]
    NotANarrowedToken,
    #[error(
        "`{name}` is there twice, with {} and {}: give it one profile",
        profiles[0].name(),
        profiles[1].name()
    )]
    NarrowedTwice { name: String, profiles: [PolicyProfile; 2] },
    #[error("`~` needs HOME, which is not set to an absolute path")]
    NoHome,
    #[error(
        "only `~` and `~/` are known, the home folder of who starts this: write {0:?} as a whole path, or as \"./{0}\""
    )]
    OthersHome(String),
    #[error("there is no working directory: {0}")]
    NoWorkingDirectory(io::Error),
    #[error("it needs {0} beside it")]
    Needs(&'static str),
    #[error(
        "{}: {why}. `ayeaye model prompt import` makes it anew; \"builtin\" does without",
        path.display()
    )]
    NotAPrompt { path: PathBuf, why: String },
    #[error(transparent)]
    LogFilter(#[from] crate::log::InvalidFilter),
    #[error(transparent)]
    AdbServer(#[from] ayeaye_adb::InvalidAddress),
    #[error(transparent)]
    Profile(#[from] ayeaye_model::UnknownProfile),
    #[error(transparent)]
    CallSetting(#[from] ayeaye_model::InvalidCallSetting),
    /// Headers that cannot be sent.
    #[error(transparent)]
    Headers(#[from] ayeaye_model::InvalidHeaders),
    #[error(transparent)]
    Coordinates(#[from] ayeaye_model::UnknownCoordSystem),
}

/// `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => words.concat(),
    }
}

/// What is wrong with a URL, in words that need no standard.
pub(crate) fn wrong_with_url(error: url::ParseError) -> String {
    match error {
        url::ParseError::RelativeUrlWithoutBase => {
            "it does not begin with http:// or https://".to_owned()
        }
        url::ParseError::EmptyHost => "it has no host".to_owned(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_quoted_in_part_and_what_would_be_right_is_said() {
        let told = |problem| {
            let (key, origin) = ("logs.formats".to_owned(), Origin::Environment("X".to_owned()));
            ConfigError::InvalidValue { key, origin, problem }.to_string()
        };
        let names = vec!["ufo", "film"];
        let long =
            told(ValueError::NotAFormat { given: "x".repeat(100_000), names: names.clone() });
        assert!(long.chars().count() < 1000, "{}", long.len());
        assert!(long.contains(": `xxx") && long.ends_with("which are ufo, film"), "{long}");
        let short = told(ValueError::NotAFormat { given: "a\u{1b}[2Jb".to_owned(), names });
        assert!(short.contains("`a[2Jb` is none of the formats"), "{short:?}");
    }
}
