//! How long to wait before the next attempt.
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

use crate::RetryPolicy;

/// The time before attempt `next` (the first retry is 2): twice as long each time, with a jitter of half, and no less
/// than the endpoint asked for. `None` where that is longer than anybody waits. `random` is 0 to 1.
pub(super) fn delay(
    policy: &RetryPolicy,
    next: u32,
    retry_after: Option<Duration>,
    random: f64,
) -> Option<Duration> {
    let asked = retry_after.unwrap_or_default();
    if policy.max_retry_after < asked {
        return None;
    }
    let factor = 1u32.checked_shl(next.saturating_sub(2)).unwrap_or(u32::MAX);
    let wait = policy.initial_backoff.checked_mul(factor).unwrap_or(policy.max_retry_after);
    Some(wait.min(policy.max_retry_after).mul_f64(0.5 + random.clamp(0.0, 1.0)).max(asked))
}

/// As the clients of OpenAI and Anthropic read it before `Retry-After`.
const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");

/// Of `LiteLLM`, which hands on what its provider asks for under this name alone.
const PROVIDER_RETRY_AFTER: HeaderName = HeaderName::from_static("llm_provider-retry-after");

/// What `retry-after-ms` asks for, or `Retry-After`: seconds, which gateways send with a fraction (`LiteLLM`), or a
/// date. A date is compared with the answer's own `Date` where there is one, so that a wrong clock does no harm.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| Some(headers.get(name)?.to_str().ok()?.trim());
    let number = |text: &str| text.parse::<f64>().ok();
    let milliseconds = text(RETRY_AFTER_MS).and_then(number).map(|it| it / 1000.0);
    if let Some(wait) = milliseconds.and_then(|wait| Duration::try_from_secs_f64(wait).ok()) {
        return Some(wait);
    }
    let asked = text(RETRY_AFTER).or_else(|| text(PROVIDER_RETRY_AFTER))?;
    if let Some(seconds) = number(asked) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |text: &str| DateTimeParser::new().parse_timestamp(text).ok();
    let until = date(asked)?;
    let now = text(DATE).and_then(date);
    let now = now.or_else(|| Timestamp::try_from(SystemTime::now()).ok())?;
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn waits_double_and_vary_by_half() {
        let delay = |next, chance| super::delay(&RetryPolicy::DEFAULT, next, None, chance).unwrap();
        assert_eq!([2, 3, 4, 5].map(|next| delay(next, 0.5)), [1, 2, 4, 8].map(S));
        assert_eq!(
            (delay(2, 0.0), delay(2, 1.0)),
            (Duration::from_millis(500), Duration::from_millis(1500))
        );
        assert_eq!((delay(99, 0.5), delay(0, 0.5)), (S(60), S(1)));
    }

    #[test]
    fn what_the_endpoint_asks_for_is_honoured_up_to_a_minute() {
        let delay = |next, asked| super::delay(&RetryPolicy::DEFAULT, next, Some(asked), 0.5);
        assert_eq!(delay(2, S(7)), Some(S(7)));
        assert_eq!(delay(2, S(60)), Some(S(60)));
        assert_eq!(delay(2, S(61)), None);
        assert_eq!(
            [2, 5].map(|next| delay(next, Duration::ZERO)),
            [1, 8].map(|wait| Some(S(wait)))
        );
        assert_eq!(delay(5, S(7)), Some(S(8)));
    }

    fn headers(retry_after: &'static str, date: Option<&'static str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(retry_after));
        if let Some(date) = date {
            headers.insert(DATE, HeaderValue::from_static(date));
        }
        headers
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_date() {
        let now = Some("Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(retry_after(&headers("12", None)), Some(S(12)));
        assert_eq!(retry_after(&headers("37.5", None)), Some(Duration::from_millis(37_500)));
        for not_a_time in ["inf", "NaN", "1e300", "-0.5"] {
            assert_eq!(retry_after(&headers(not_a_time, None)), None, "{not_a_time}");
        }
        let mut both = headers("9", None);
        both.insert("retry-after-ms", HeaderValue::from_static("8500"));
        assert_eq!(retry_after(&both), Some(Duration::from_millis(8500)));
        both.insert("retry-after-ms", HeaderValue::from_static("soon"));
        assert_eq!(retry_after(&both), Some(S(9)));
        both.insert("llm_provider-retry-after", HeaderValue::from_static("30"));
        assert_eq!(retry_after(&both), Some(S(9)), "the gateway's own comes first");
        both.remove(RETRY_AFTER);
        assert_eq!(retry_after(&both), Some(S(30)));
        assert_eq!(retry_after(&headers("Sun, 06 Nov 1994 08:49:45 GMT", now)), Some(S(8)));
        assert_eq!(retry_after(&headers("Sun, 06 Nov 1994 08:49:00 GMT", now)), Some(S(0)));
        assert_eq!(retry_after(&headers("Sun, 06 Nov 1994 08:49:45 GMT", None)), Some(S(0)));
        assert_eq!(retry_after(&headers("soon", now)), None);
        assert_eq!(retry_after(&headers("-3", now)), None);
        assert_eq!(retry_after(&HeaderMap::new()), None);
    }
}
