//! Quoting: the only way for a text into the phone's shell, as one literal word.
use std::fmt;

/// A word of a command line that the phone's shell reads as exactly one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellWord(String);

/// Why a text cannot be a shell word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it contains the control character U+{0:04X}")]
pub(crate) struct UnquotableText(u32);

/// The text in single quotes, inside which only the single quote is special to the shell.
///
/// Control characters are refused: no argument of ours needs them (texts to type that do are sent as
/// base64), and a terminal in between might interpret them.
pub(crate) fn quote(text: &str) -> Result<ShellWord, UnquotableText> {
    if let Some(control) = text.chars().find(|c| u32::from(*c) < 0x20 || *c == '\x7f') {
        return Err(UnquotableText(u32::from(control)));
    }
    Ok(ShellWord(format!("'{}'", text.replace('\'', r"'\''"))))
}

/// Whether this is a package name by Android's rules, which allow no special character of a shell.
pub(crate) fn is_package(text: &str) -> bool {
    let is_segment = |segment: &str| {
        segment.starts_with(|c: char| c.is_ascii_alphabetic())
            && segment.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    text.len() <= 255 && text.contains('.') && text.split('.').all(is_segment)
}

impl fmt::Display for ShellWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
