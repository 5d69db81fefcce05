//! From the words of a setting to its value. Each error says what would have been right.
use std::time::Duration;

use ayeaye_agent::ReplyMode;
use url::Url;

use crate::secret::Secret;

/// Who answers the agent's questions.
pub(super) fn reply_mode(text: &str) -> Result<ReplyMode, String> {
    ReplyMode::from_name(text)
        .ok_or_else(|| "it must be pass_to_client, auto_reply, no_reply or manual_reply".to_owned())
}

/// Longer is a slip: nothing here waits for months.
const LONGEST: Duration = Duration::from_hours(30 * 24);

/// Longer is a slip here.
const LONGEST_AGE: Duration = Duration::from_hours(100 * 366 * 24);

/// A text of one line that says something.
pub(super) fn line(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if text.chars().any(char::is_control) {
        return Err("it contains a line break or another control character".to_owned());
    }
    Ok(text.to_owned())
}

/// A secret that fits into an HTTP header.
pub(super) fn secret(text: &str) -> Result<Secret, String> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("it must be visible ASCII characters without blanks".to_owned());
    }
    Ok(Secret::new(text))
}

pub(super) fn switch(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("it must be true or false".to_owned()),
    }
}

pub(super) fn on_off(text: &str) -> Result<bool, String> {
    word(text, &[("off", false), ("on", true)])
}

pub(super) fn number(text: &str, least: u64, most: u64) -> Result<u64, String> {
    text.parse()
        .ok()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("it must be a whole number from {least} to {most}"))
}

/// A span such as `80ms`, `3s` or `1h 30m`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    text.parse::<jiff::SignedDuration>()
        .ok()
        .and_then(|span| Duration::try_from(span).ok())
        .filter(|span| *span <= LONGEST)
        .ok_or_else(|| "it must be a time such as \"80ms\", \"3s\" or \"5m\"".to_owned())
}

/// A limit that cannot be nothing: zero would mean that no call ever succeeds.
pub(super) fn limit(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        Duration::ZERO => Err("it must be longer than nothing".to_owned()),
        span => Ok(span),
    }
}

/// How long something is kept: whole days such as `30d`, or a span such as `12h`.
pub(super) fn age(text: &str) -> Result<Duration, String> {
    let days = text.strip_suffix('d').and_then(|days| days.trim().parse::<u64>().ok());
    let span = match days {
        Some(days) => days.checked_mul(24 * 3600).map(Duration::from_secs),
        None => {
            text.parse::<jiff::SignedDuration>().ok().and_then(|span| Duration::try_from(span).ok())
        }
    };
    // Nothing would be kept at all: surely a slip.
    span.filter(|span| (Duration::from_secs(1)..=LONGEST_AGE).contains(span))
        .ok_or_else(|| "it must be a time such as \"30d\" or \"12h\"".to_owned())
}

/// A size such as `65536`, `512KiB` or `1MiB`.
pub(super) fn size(text: &str, most: usize) -> Result<usize, String> {
    let wrong = || format!("it must be a size from 1KiB to {}MiB, such as \"1MiB\"", most >> 20);
    bytes(text)
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|bytes| (1024..=most).contains(bytes))
        .ok_or_else(wrong)
}

/// Room on a disk: a size of any order, or 0.
pub(super) fn room(text: &str) -> Result<u64, String> {
    bytes(text).ok_or_else(|| "it must be a size such as \"200MiB\" or \"5GiB\"".to_owned())
}

fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit: u64 = match text[digits.len()..].trim() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// US dollars for a million tokens.
pub(super) fn price(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|price| (0.0..=10_000.0).contains(price))
        .ok_or_else(|| "it must be a sum in US dollars, such as 0.25".to_owned())
}

/// One of a few words.
pub(super) fn word<T: Copy>(text: &str, words: &[(&'static str, T)]) -> Result<T, String> {
    words.iter().find(|(word, _)| *word == text).map(|(_, meaning)| *meaning).ok_or_else(|| {
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let (last, others) = words.split_last().expect("there is a choice");
        format!("it must be {} or {last}", others.join(", "))
    })
}

/// The root of an HTTP API.
pub(super) fn endpoint(text: &str) -> Result<Url, String> {
    let url = Url::parse(text)
        .map_err(|err| format!("it must be a URL such as http://127.0.0.1:11434/v1: {err}"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("it must begin with http:// or https:// and name a host".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it must not contain a user or password; a key has its own setting".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("it must end with its path: no `?` and no `#`".to_owned());
    }
    Ok(url)
}

/// The same where tokens and keys are at stake: over TLS, or on this machine.
pub(super) fn encrypted(text: &str) -> Result<Url, String> {
    let url = endpoint(text)?;
    if url.scheme() == "https" || is_loopback(&url) {
        Ok(url)
    } else {
        Err("it must be https".to_owned())
    }
}

/// Whether a URL leads to this machine.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Scheme, host and port, and nothing behind them.
pub(super) fn base(text: &str) -> Result<Url, String> {
    let url = endpoint(text)?;
    if url.path() != "/" {
        return Err(
            "it must end with its host and port, such as https://phones.example.com".to_owned()
        );
    }
    Ok(url)
}

/// Where an adb server is, in adb's own words: `tcp:HOST:PORT`, `tcp:PORT`, `localfilesystem:PATH`,
/// and for convenience `HOST:PORT`.
pub(super) fn adb_server(text: &str) -> Result<String, String> {
    let wrong = || "it must be tcp:HOST:PORT or localfilesystem:PATH".to_owned();
    if let Some(path) = text.strip_prefix("localfilesystem:") {
        return if path.is_empty() { Err(wrong()) } else { Ok(text.to_owned()) };
    }
    let place = text.strip_prefix("tcp:").unwrap_or(text);
    let (host, port) = place.rsplit_once(':').unwrap_or(("127.0.0.1", place));
    let port: u16 = port.parse().map_err(|_| wrong())?;
    if host.is_empty() || port == 0 || host.contains(|c: char| c.is_whitespace() || c == '/') {
        return Err(wrong());
    }
    Ok(format!("tcp:{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(duration("80ms"), Ok(Duration::from_millis(80)));
        assert_eq!(duration("1h 30m"), Ok(Duration::from_mins(90)));
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        for wrong in ["", "3", "-3s", "3 parsecs", "1000h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(limit("0s").is_err());
    }

    #[test]
    fn sizes() {
        let at_most = 64 << 20;
        assert_eq!(size("1MiB", at_most), Ok(1 << 20));
        assert_eq!(size("512 KiB", at_most), Ok(512 << 10));
        assert_eq!(size("4096", at_most), Ok(4096));
        for wrong in ["", "MiB", "1GB", "-1", "1", "100MiB", "99999999999999999999", "1.5MiB"] {
            assert!(size(wrong, at_most).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ages_rooms_and_prices() {
        assert_eq!(age("30d"), Ok(Duration::from_hours(720)));
        assert_eq!(age("12h"), Ok(Duration::from_hours(12)));
        for wrong in ["", "d", "0d", "0s", "30", "-1d", "1.5d", "99999999999999999999d", "9999999d"]
        {
            assert!(age(wrong).is_err(), "{wrong}");
        }
        assert_eq!(room("0"), Ok(0));
        assert_eq!(room("200MiB"), Ok(200 << 20));
        assert_eq!(room("5 GiB"), Ok(5 << 30));
        assert!(room("99999999999GiB").is_err());
        assert_eq!(price("0.25"), Ok(0.25));
        assert_eq!(price("3"), Ok(3.0));
        for wrong in ["", "-1", "NaN", "inf", "1e9", "0,25"] {
            assert!(price(wrong).is_err(), "{wrong}");
        }
        assert_eq!(word("b", &[("a", 1), ("b", 2)]), Ok(2));
        let wrong = word("x", &[("a", 1), ("b", 2), ("c", 3)]);
        assert_eq!(wrong, Err("it must be a, b or c".to_owned()));
    }

    #[test]
    fn endpoints() {
        assert!(endpoint("https://api.example.com/v1").is_ok());
        for wrong in ["", "api.example.com", "ftp://x/", "http://u:p@x/v1", "http://x/v1?key=a"] {
            assert!(endpoint(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_of_adb_servers() {
        assert_eq!(adb_server("tcp:5037").unwrap(), "tcp:127.0.0.1:5037");
        assert_eq!(adb_server("10.0.0.2:5037").unwrap(), "tcp:10.0.0.2:5037");
        assert_eq!(adb_server("tcp:[::1]:5037").unwrap(), "tcp:[::1]:5037");
        assert_eq!(adb_server("localfilesystem:/run/adb").unwrap(), "localfilesystem:/run/adb");
        for wrong in ["", "tcp:", "host", "tcp::5037", "tcp:host:0", "localfilesystem:"] {
            assert!(adb_server(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_secret_fits_into_a_header() {
        assert!(secret("two words").is_err());
        assert!(secret("täglich").is_err());
    }

    #[test]
    fn addresses_where_tokens_are_at_stake() {
        for good in ["https://login.example.com/realm", "http://127.0.0.1:80/", "http://localhost"]
        {
            assert!(encrypted(good).is_ok(), "{good}");
        }
        for wrong in ["http://login.example.com", "https://a@b.example", "https://b.example/#x", ""]
        {
            assert!(encrypted(wrong).is_err(), "{wrong}");
        }
        assert!(base("https://phones.example.com:8443").is_ok());
        assert!(base("https://phones.example.com/x").is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_them_panic(text in "\\PC*") {
            drop((duration(&text), size(&text, 1 << 30), endpoint(&text)));
            drop((adb_server(&text), number(&text, 0, 9), line(&text)));
            drop((age(&text), room(&text), price(&text)));
        }
    }
}
