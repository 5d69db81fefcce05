//! Rate limits: a number of requests per minute, also in bursts.
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Most keys that are remembered. Beyond that the least busy one is dropped.
const MAX_KEYS: usize = 4096;

/// One bucket of tokens for each key, refilled steadily.
#[derive(Debug)]
pub(super) struct RateLimiter<K> {
    /// The size of a bucket and what flows in per minute. 0: no limit.
    a_minute: u32,
    buckets: Mutex<HashMap<K, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    level: f64,
    at: Instant,
}

impl<K: Eq + Hash + Clone> RateLimiter<K> {
    pub(super) fn new(a_minute: u32) -> Self {
        Self { a_minute, buckets: Mutex::default() }
    }

    /// Takes one from the bucket of `key`. The error is how long to wait if it is empty.
    pub(super) fn take(&self, key: &K) -> Result<(), Duration> {
        if self.a_minute == 0 {
            return Ok(());
        }
        let (now, full) = (Instant::now(), f64::from(self.a_minute));
        let level = |bucket: &Bucket| {
            let gained = now.duration_since(bucket.at).as_secs_f64() * full / 60.0;
            (bucket.level + gained).min(full)
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let found = buckets.get(key).map_or(full, level);
        if found < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - found) * 60.0 / full));
        }
        if MAX_KEYS <= buckets.len() && !buckets.contains_key(key) {
            // A full bucket is the same as none.
            buckets.retain(|_, bucket| level(bucket) < full);
            while MAX_KEYS <= buckets.len() {
                let calmest = buckets.iter().max_by(|a, b| level(a.1).total_cmp(&level(b.1)));
                let Some(calmest) = calmest.map(|(key, _)| key.clone()) else { break };
                buckets.remove(&calmest);
            }
        }
        buckets.insert(key.clone(), Bucket { level: found - 1.0, at: now });
        Ok(())
    }
}

/// What counts as one peer: an IPv4 address, or the /64 network of an IPv6 address, since one machine
/// can have any number of those.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            std::net::Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_bucket_empties_and_fills_again() {
        let rate_limit = RateLimiter::new(60);
        for _ in 0..60 {
            assert_eq!(rate_limit.take(&"a"), Ok(()));
        }
        let wait = rate_limit.take(&"a").unwrap_err();
        assert!(wait <= Duration::from_secs(1), "{wait:?}");
        assert_eq!(rate_limit.take(&"b"), Ok(()), "others have their own");
        tokio::time::advance(wait).await;
        assert_eq!(rate_limit.take(&"a"), Ok(()));
        assert!(rate_limit.take(&"a").is_err());
        let unlimited = RateLimiter::new(0);
        assert!((0..10_000).all(|_| unlimited.take(&"a").is_ok()));
        assert!(unlimited.buckets.lock().unwrap().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn memory_is_bounded_and_the_busiest_is_remembered() {
        let rate_limit = RateLimiter::new(5);
        while rate_limit.take(&0).is_ok() {}
        for other in 1..10_000 {
            assert!(rate_limit.take(&other).is_ok());
        }
        assert_eq!(rate_limit.buckets.lock().unwrap().len(), MAX_KEYS);
        assert!(rate_limit.take(&0).is_err());
        tokio::time::advance(Duration::from_mins(1)).await;
        assert!(rate_limit.take(&-1).is_ok());
        assert_eq!(rate_limit.buckets.lock().unwrap().len(), 1, "who is full again is forgotten");
    }

    #[test]
    fn a_network_of_ipv6_is_one_peer() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3::4"), of("2001:db8:1:2::ffff"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
