//! Digests of captures that the phone makes itself: whether a screen is still the one that was captured is told by
//! 64 characters instead of ten megabytes. Whether that pays is found out by how long it takes, and by how often
//! the screens were the same.
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_frame::CaptureDigest;
use tokio::time::Instant;

/// A quicker capture is asked for itself.
const SLOW_CAPTURE: Duration = Duration::from_millis(120);
/// A digest has to be so much quicker than a capture.
const WORTH_IT: f64 = 0.85;
/// How many questions are remembered, by whether a capture had the same digest.
const REMEMBERED: usize = 8;
/// How many captures: a caret that blinks gives two, and later ones may come back to earlier screens.
const CAPTURES: usize = 6;
/// How long it is believed that a phone makes none.
const PAUSE: Duration = Duration::from_mins(2);
/// How long none is asked for where screens never are as they were: a video may be over soon.
const PAUSE_AFTER_MISSES: Duration = Duration::from_secs(20);

/// What was learnt of one phone at one link.
#[derive(Debug, Default)]
pub(super) struct Digests(Mutex<DigestTimes>);

/// A digest, and when it or its capture began.
type Begun = (CaptureDigest, Instant);

#[derive(Debug, Default)]
struct DigestTimes {
    /// How long the last two took, and when the last was made.
    took: Option<([Duration; 2], Instant)>,
    /// Of the last captures.
    captured: VecDeque<Begun>,
    /// Of the last questions; the newest may be about a capture that is still under way.
    asked: VecDeque<Begun>,
    /// Whether earlier ones told that the screen was still that of a capture.
    hits: VecDeque<bool>,
    not_until: Option<Instant>,
}

impl DigestTimes {
    /// Judges the questions so far: the captures that they were about have come. One that was begun later was made
    /// because the digest told nothing.
    fn judge(&mut self) {
        for (asked, begun) in std::mem::take(&mut self.asked) {
            let is_it = |(digest, at): &Begun| *digest == asked && *at <= begun;
            remember(&mut self.hits, self.captured.iter().any(is_it), REMEMBERED);
        }
    }
}

impl Digests {
    /// Whether one is worth asking for, where a capture takes so long.
    pub(super) fn pay(&self, capture: Duration, now: Instant) -> bool {
        let known = self.known();
        // Slow ones may have been held up, so they are believed for a while only.
        let is_quicker = |([last, before], at): ([Duration; 2], Instant)| {
            last.min(before) < capture.mul_f64(WORTH_IT) || at + PAUSE <= now
        };
        SLOW_CAPTURE <= capture
            && known.not_until.is_none_or(|until| until <= now)
            && known.took.is_none_or(is_quicker)
    }

    /// The phone has made one that began then and took so long; a capture takes so long.
    pub(super) fn made(
        &self,
        digest: CaptureDigest,
        begun: Instant,
        took: Duration,
        capture: Duration,
    ) {
        let now = begun + took;
        let mut known = self.known();
        known.judge();
        remember(&mut known.asked, (digest, begun), REMEMBERED);
        let before = known.took.filter(|(_, at)| now < *at + PAUSE);
        known.took = Some(([took, before.map_or(took, |([last, _], _)| last)], now));
        // One that is of no capture has cost its time for nothing, but most are made while a capture is waited for
        // anyway: so half as many are enough.
        let hits = known.hits.iter().filter(|hit| **hit).count();
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let rate = hits as f64 / REMEMBERED as f64;
        let cost = took.as_secs_f64() / capture.as_secs_f64().max(f64::EPSILON);
        if known.hits.len() == REMEMBERED && rate < cost.min(1.0) / 2.0 {
            known.hits.clear();
            known.not_until = Some(now + PAUSE_AFTER_MISSES);
        }
    }

    /// The phone makes none, or none in time.
    pub(super) fn refused(&self, now: Instant) {
        self.known().not_until = Some(now + PAUSE);
    }

    /// A capture has come that began then.
    pub(super) fn captured(&self, digest: Option<CaptureDigest>, begun: Instant) {
        if let Some(digest) = digest {
            remember(&mut self.known().captured, (digest, begun), CAPTURES);
        }
    }

    /// Nothing is known of another link.
    pub(super) fn forget(&self) {
        *self.known() = DigestTimes::default();
    }

    /// Never held over an await.
    fn known(&self) -> MutexGuard<'_, DigestTimes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remember<T>(all: &mut VecDeque<T>, new: T, most: usize) {
    all.push_back(new);
    if most < all.len() {
        all.pop_front();
    }
}

/// The digest in what `sha256sum` has printed of its standard input: 64 hexadecimal digits, two spaces and a minus.
pub(super) fn parse(output: &[u8]) -> Option<CaptureDigest> {
    let text = std::str::from_utf8(output).ok()?;
    let digits = text.split_ascii_whitespace().next().filter(|it| it.len() == 64)?;
    let mut digest = [0; 32];
    for (byte, pair) in digest.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        let digit = |c: u8| char::from(c).to_digit(16).and_then(|it| u8::try_from(it).ok());
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(CaptureDigest(digest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const CAPTURE: Duration = Duration::from_millis(380);

    fn digest(n: u8) -> CaptureDigest {
        CaptureDigest([n; 32])
    }

    #[tokio::test(start_paused = true)]
    async fn they_pay_where_a_phone_makes_them_quicker_than_a_link_carries_pictures() {
        let now = Instant::now();
        let digests = Digests::default();
        assert!(!digests.pay(60 * MS, now), "a capture is as quick");
        assert!(digests.pay(CAPTURE, now), "to find out");
        digests.captured(Some(digest(1)), now);
        digests.made(digest(1), now, 140 * MS, CAPTURE);
        assert!(digests.pay(CAPTURE, now));
        assert!(!digests.pay(150 * MS, now), "on a quicker link");
        digests.made(digest(1), now, 500 * MS, CAPTURE);
        assert!(digests.pay(CAPTURE, now), "a slow one may have been held up");
        digests.made(digest(1), now, 500 * MS, CAPTURE);
        assert!(!digests.pay(CAPTURE, now));
        assert!(digests.pay(CAPTURE, now + PAUSE + 500 * MS), "so may two");
        digests.forget();
        assert!(digests.pay(CAPTURE, now));
        digests.refused(now);
        assert!(!digests.pay(CAPTURE, now + PAUSE - MS));
        assert!(digests.pay(CAPTURE, now + PAUSE), "it may have been held up");
    }

    #[tokio::test(start_paused = true)]
    async fn they_do_not_where_screens_are_always_others() {
        // They cost a third of a capture here.
        for (every, pays) in [(2, true), (4, true), (9, false)] {
            let (digests, mut now) = (Digests::default(), Instant::now());
            for n in 0..30 {
                let is_seen = n % every == 0;
                digests.made(digest(n), now, 130 * MS, CAPTURE);
                // One that it was asked beside comes later, as does the capture that follows where it told nothing.
                let of_it = if is_seen { now } else { now + 130 * MS };
                digests.captured(Some(digest(n)), of_it);
                now += 600 * MS;
            }
            assert_eq!(digests.pay(CAPTURE, now), pays, "one in {every}");
            assert!(digests.pay(CAPTURE, now + PAUSE_AFTER_MISSES), "looked into again");
        }
    }

    #[test]
    fn what_the_phone_prints_is_read() {
        let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let read = parse(format!("{hex}  -\n").as_bytes()).unwrap();
        assert_eq!(format!("{read:?}"), hex);
        assert_eq!(parse(format!("{hex}\r\n").as_bytes()), Some(read));
        for other in
            ["", "/system/bin/sh: sha256sum: not found\n", &hex[1..], &format!("g{}  -", &hex[1..])]
        {
            assert_eq!(parse(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn anything_may_be_printed(output: Vec<u8>) {
            prop_assert!(parse(&output).is_none() || 64 <= output.len());
        }
    }
}
