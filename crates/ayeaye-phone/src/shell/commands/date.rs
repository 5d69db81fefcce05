//! `date`: the time of the phone, or another one, in UTC.
use super::{
    CommandOutput,
    args::refused,
    files::stat_of,
    system::{strftime, with_zone},
};
use crate::device::VirtualPhone;

/// `date [-u] [-d @SECONDS | -r FILE] [+FORMAT]`.
pub(super) fn date(device: &VirtualPhone, cwd: &str, words: &[&str]) -> CommandOutput {
    let malformed = |why: String| CommandOutput::malformed(device, 1, format!("date: {why}\n"));
    let (mut zone, mut format, mut time) = ("GMT", None, device.unix_seconds());
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if let Some(given) = word.strip_prefix('+') {
            // The first counts.
            format = format.or(Some(given));
            continue;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            let is_date = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            return malformed(if is_date && !word.is_empty() {
                "cannot set date: Operation not permitted".to_owned()
            } else {
                format!("bad date {word}")
            });
        };
        if let Some(long) = letters.strip_prefix('-') {
            return refused(device, "date", 1, long.split('=').next().unwrap_or(long));
        }
        for (at, letter) in letters.char_indices() {
            let (letter, rest) = letters[at..].split_at(letter.len_utf8());
            if letter == "u" {
                zone = "UTC";
                continue;
            }
            if !matches!(letter, "d" | "r") {
                return refused(device, "date", 1, letter);
            }
            let value = if rest.is_empty() { words.next() } else { Some(rest) };
            let Some(value) = value else {
                return malformed(format!("Missing argument to -{letter} (see \"date --help\")"));
            };
            if letter == "r" {
                match stat_of(device, cwd, value) {
                    Ok(stat) => time = stat.modified,
                    Err(error) => return malformed(format!("Can't stat {value}: {error}")),
                }
                break;
            }
            let Some(seconds) = value.strip_prefix('@') else {
                let text = "date -d of anything but @SECONDS";
                return CommandOutput::unsupported(device, text);
            };
            match seconds.split('.').next().unwrap_or(seconds).parse() {
                Ok(seconds) => time = seconds,
                Err(_) => return malformed(format!("bad date {value}")),
            }
            break;
        }
    }
    let format = format.unwrap_or("%a %b %e %H:%M:%S %Z %Y");
    match strftime(&with_zone(format, zone), time) {
        Some(text) => CommandOutput::ok(text + "\n"),
        None => malformed(format!("bad format '{format}'")),
    }
}
