//! From the text of a setting to its value. Each error says what would have been right.
use std::ops::RangeInclusive;
use std::time::Duration;

use ayeaye_adb::ServerAddress;
use ayeaye_model::Secret;
use url::Url;

use super::ValueError;
use crate::secret::MIN_TOKEN_LENGTH;

/// Longer is a typing error: nothing here waits for months.
const MAX_DURATION: Duration = Duration::from_hours(30 * 24);
/// Longer is a typing error where a setting says how long something is kept.
const MAX_AGE: Duration = Duration::from_hours(100 * 366 * 24);

/// A text of one line that is not empty.
pub(super) fn line(text: &str) -> Result<String, ValueError> {
    if text.trim().is_empty() {
        return Err(ValueError::Empty);
    }
    if text.chars().any(char::is_control) {
        return Err(ValueError::ControlCharacter);
    }
    Ok(text.to_owned())
}

/// Which logs are written.
pub(super) fn log_filter(text: &str) -> Result<String, ValueError> {
    let filter = line(text)?;
    crate::log::check(&filter)?;
    Ok(filter)
}

/// A secret that fits into an HTTP header.
pub(super) fn secret(text: &str) -> Result<Secret, ValueError> {
    let text = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_graphic()));
    text.and_then(Secret::new).ok_or(ValueError::NotAscii)
}

/// A secret that cannot be guessed.
pub(super) fn token(text: &str) -> Result<Secret, ValueError> {
    if text.len() < MIN_TOKEN_LENGTH { Err(ValueError::WeakToken) } else { secret(text) }
}

pub(super) fn boolean(text: &str) -> Result<bool, ValueError> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(ValueError::NotBool),
    }
}

/// A parser of whole numbers in a range that fits into `T`.
pub(super) fn number<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl FnOnce(&str) -> Result<T, ValueError> {
    move |text| {
        let (min, max) = (*range.start(), *range.end());
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.and_then(|it| T::try_from(it).ok()).ok_or(ValueError::NotInRange { min, max })
    }
}

/// A span such as `80ms`, `3s` or `1h 30m`.
pub(super) fn duration(text: &str) -> Result<Duration, ValueError> {
    span(text).filter(|span| *span <= MAX_DURATION).ok_or(ValueError::NotADuration)
}

/// A span that is not zero: no call would ever succeed within it.
pub(super) fn timeout(text: &str) -> Result<Duration, ValueError> {
    match duration(text)? {
        Duration::ZERO => Err(ValueError::Zero),
        span => Ok(span),
    }
}

/// How long something is kept: whole days such as `30d`, or a span such as `12h`.
pub(super) fn age(text: &str) -> Result<Duration, ValueError> {
    let days = text.strip_suffix('d').and_then(|days| days.trim().parse::<u64>().ok());
    let span = match days {
        Some(days) => days.checked_mul(24 * 3600).map(Duration::from_secs),
        None => span(text),
    };
    // With less nothing would be kept at all: surely a typing error.
    span.filter(|span| (Duration::from_secs(1)..=MAX_AGE).contains(span))
        .ok_or(ValueError::NotAnAge)
}

fn span(text: &str) -> Option<Duration> {
    text.parse::<jiff::SignedDuration>().ok().and_then(|span| Duration::try_from(span).ok())
}

/// A size of at least 1 KiB, such as `65536`, `512KiB` or `1MiB`.
pub(super) fn size(text: &str, max: usize) -> Result<usize, ValueError> {
    bytes(text)
        .and_then(|bytes| usize::try_from(bytes).ok())
        .filter(|bytes| (1024..=max).contains(bytes))
        .ok_or(ValueError::NotASize { max })
}

/// Room on a disk in bytes: any size, 0 too.
pub(super) fn amount(text: &str) -> Result<u64, ValueError> {
    bytes(text).ok_or(ValueError::NotAnAmount)
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

/// US dollars, of a budget or for a million tokens.
pub(super) fn price(text: &str) -> Result<f64, ValueError> {
    let price = text.parse().ok().filter(|price| (0.0..=10_000.0).contains(price));
    price.ok_or(ValueError::NotAPrice)
}

/// One of a few words.
pub(super) fn choice<T: Copy>(text: &str, words: &[(&'static str, T)]) -> Result<T, ValueError> {
    let found = words.iter().find(|(word, _)| *word == text);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| ValueError::NotOneOf {
        words: words.iter().map(|(word, _)| *word).collect(),
    })
}

/// An address on the web.
fn web_address(text: &str) -> Result<Url, ValueError> {
    let url = Url::parse(text).map_err(ValueError::NotAUrl)?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(ValueError::NotHttp);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ValueError::UrlWithCredentials);
    }
    Ok(url)
}

/// The root of an HTTP API.
pub(super) fn endpoint(text: &str) -> Result<Url, ValueError> {
    let url = web_address(text)?;
    if url.query_pairs().any(|(name, _)| name == "api-version") {
        return Err(ValueError::UrlWithApiVersion);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(ValueError::UrlWithQuery);
    }
    Ok(url)
}

/// The root of an HTTP API that is sent tokens or keys: over TLS, or on this machine.
pub(super) fn encrypted(text: &str) -> Result<Url, ValueError> {
    over_tls(endpoint(text)?)
}

/// A document that is trusted: over TLS, or on this machine. Some have a `?` in their address.
pub(super) fn trusted_document(text: &str) -> Result<Url, ValueError> {
    over_tls(web_address(text)?)
}

fn over_tls(url: Url) -> Result<Url, ValueError> {
    if url.scheme() == "https" || is_loopback(&url) { Ok(url) } else { Err(ValueError::NotHttps) }
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
pub(super) fn base_url(text: &str) -> Result<Url, ValueError> {
    let url = endpoint(text)?;
    if url.path() == "/" { Ok(url) } else { Err(ValueError::UrlWithPath) }
}

/// One of several adb servers, as `adb_server` reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdbServer(String);

impl AdbServer {
    /// In adb's own words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for AdbServer {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        adb_server(text).map(Self)
    }
}

/// Where an adb server is, in adb's own words: `tcp:HOST:PORT`, `tcp:PORT`, `localfilesystem:PATH`,
/// and for convenience `HOST:PORT` and `PORT`.
pub(super) fn adb_server(text: &str) -> Result<String, ValueError> {
    let is_port = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let address = if is_port {
        ServerAddress::parse(&format!("tcp:{text}"))
    } else {
        ServerAddress::parse(text)
    };
    Ok(match address? {
        address @ ServerAddress::Tcp { .. } => format!("tcp:{address}"),
        address @ ServerAddress::Local(_) => address.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        assert_eq!(duration("80ms").unwrap(), Duration::from_millis(80));
        assert_eq!(duration("1h 30m").unwrap(), Duration::from_mins(90));
        assert_eq!(duration("0s").unwrap(), Duration::ZERO);
        for wrong in ["", "3", "-3s", "3 parsecs", "1000h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert!(timeout("0s").is_err());
    }

    #[test]
    fn a_query_is_refused_with_the_address_that_needs_none() {
        let refused = |url: &str| endpoint(url).unwrap_err().to_string();
        let azure = "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21";
        assert!(refused(azure).contains("/openai/v1"), "{}", refused(azure));
        assert!(!refused("https://example.com/v1?key=1").contains("Azure"));
        assert!(endpoint("https://x.openai.azure.com/openai/v1").is_ok());
    }

    #[test]
    fn sizes() {
        let at_most = 64 << 20;
        assert_eq!(size("1MiB", at_most).unwrap(), 1 << 20);
        assert_eq!(size("512 KiB", at_most).unwrap(), 512 << 10);
        assert_eq!(size("4096", at_most).unwrap(), 4096);
        for wrong in ["", "MiB", "1GB", "-1", "1", "100MiB", "99999999999999999999", "1.5MiB"] {
            assert!(size(wrong, at_most).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ages_rooms_and_prices() {
        assert_eq!(age("30d").unwrap(), Duration::from_hours(720));
        assert_eq!(age("12h").unwrap(), Duration::from_hours(12));
        for wrong in ["", "d", "0d", "0s", "30", "-1d", "1.5d", "99999999999999999999d", "9999999d"]
        {
            assert!(age(wrong).is_err(), "{wrong}");
        }
        assert_eq!(amount("0").unwrap(), 0);
        assert_eq!(amount("200MiB").unwrap(), 200 << 20);
        assert_eq!(amount("5 GiB").unwrap(), 5 << 30);
        assert!(amount("99999999999GiB").is_err());
        assert_eq!(price("0.25").ok(), Some(0.25));
        assert_eq!(price("3").ok(), Some(3.0));
        for wrong in ["", "-1", "NaN", "inf", "1e9", "0,25"] {
            assert!(price(wrong).is_err(), "{wrong}");
        }
        assert_eq!(choice("b", &[("a", 1), ("b", 2)]).unwrap(), 2);
        let wrong = choice("x", &[("a", 1), ("b", 2), ("c", 3)]).unwrap_err();
        assert_eq!(wrong.to_string(), "it must be a, b or c");
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
        assert_eq!(adb_server("5037").unwrap(), "tcp:127.0.0.1:5037");
        for wrong in
            ["", "tcp:", "host", "tcp::5037", "tcp:host:0", "localfilesystem:", "a@b:1", "0"]
        {
            assert!(adb_server(wrong).is_err(), "{wrong}");
        }
        let error = adb_server("vsock:2:5037").unwrap_err().to_string();
        assert!(error.contains("`vsock:`"), "{error}");
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
        assert!(base_url("https://phones.example.com:8443").is_ok());
        assert!(base_url("https://phones.example.com/x").is_err());
    }

    proptest::proptest! {
        #[test]
        fn where_phones_are_is_what_was_read(text in "(tcp:|localfilesystem:|vsock:)?[a-z0-9:./@ \\[\\]%-]{0,16}") {
            if let Ok(server) = adb_server(&text) {
                let address = ServerAddress::parse(&server);
                proptest::prop_assert!(address.is_ok(), "{text}: {server}");
                proptest::prop_assert_eq!(adb_server(&server).ok(), Some(server));
            }
        }

        #[test]
        fn no_text_makes_them_panic(text in "\\PC*") {
            drop((duration(&text), size(&text, 1 << 30), endpoint(&text)));
            drop((adb_server(&text), number::<u32>(0..=9)(&text), line(&text)));
            drop((age(&text), amount(&text), price(&text)));
        }
    }
}
