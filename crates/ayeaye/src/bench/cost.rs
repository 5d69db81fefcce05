//! What is counted while a session goes on.

/// Counters at one moment, or how far they went between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// How often the record was brought to the disk.
    pub syncs: u64,
    /// What the phone was asked.
    pub traffic: Option<Traffic>,
    /// Milliseconds of processor time of this process.
    pub cpu_ms: Option<u64>,
}

/// What a phone was asked since it was started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Round trips: services opened, and lines given to a shell that was open.
    pub requests: u64,
    /// Bytes that it sent.
    pub bytes: u64,
    /// Pictures that it took.
    pub captures: u64,
}

impl Traffic {
    fn since(self, earlier: Self) -> Self {
        Self {
            requests: self.requests.saturating_sub(earlier.requests),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            captures: self.captures.saturating_sub(earlier.captures),
        }
    }
}

impl Cost {
    /// The counters now.
    pub(super) fn now(syncs: u64, traffic: Option<Traffic>) -> Self {
        Self { syncs, traffic, cpu_ms: cpu_ms() }
    }

    /// How far they went since then.
    pub(super) fn since(self, earlier: Self) -> Self {
        let both = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Self {
            syncs: self.syncs.saturating_sub(earlier.syncs),
            traffic: self.traffic.zip(earlier.traffic).map(|(now, then)| now.since(then)),
            cpu_ms: both(self.cpu_ms, earlier.cpu_ms),
        }
    }

    /// Where the phone is a part of this process, most of its processor time is the phone's.
    pub(super) fn beside_phone(self) -> Self {
        Self { cpu_ms: None, ..self }
    }
}

/// Processor time of this process with all its threads, where the system says it as Linux does: in hundredths of a
/// second.
fn cpu_ms() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name, which may have blanks and parentheses; the 14th and 15th field of all.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) * 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_told_apart_from_what_was_before() {
        let traffic = |requests, bytes, captures| Some(Traffic { requests, bytes, captures });
        let then = Cost { syncs: 3, traffic: traffic(10, 100, 2), cpu_ms: Some(50) };
        let now = Cost { syncs: 5, traffic: traffic(14, 700, 5), cpu_ms: None };
        let spent = Cost { syncs: 2, traffic: traffic(4, 600, 3), cpu_ms: None };
        assert_eq!(now.since(then), spent);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn work_takes_processor_time() {
        let before = cpu_ms().unwrap();
        let mut n = 0_u64;
        while cpu_ms().unwrap() < before + 20 {
            n = std::hint::black_box(n.wrapping_mul(31).wrapping_add(7));
        }
    }
}
