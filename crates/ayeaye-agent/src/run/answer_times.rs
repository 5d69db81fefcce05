//! How long the acting model takes for its answers.
use std::collections::VecDeque;
use std::time::Duration;

/// The number of answers that are remembered.
const REMEMBERED: usize = 5;
/// The number of answers needed for a lower bound.
const ENOUGH: usize = 3;

/// The times that the acting model took for its last answers in this run.
#[derive(Debug, Default)]
pub(super) struct AnswerTimes {
    last: VecDeque<Duration>,
}

impl AnswerTimes {
    pub(super) fn add(&mut self, took: Duration) {
        self.last.truncate(REMEMBERED - 1);
        self.last.push_front(took);
    }

    /// The time of the last answer.
    pub(super) fn latest(&self) -> Option<Duration> {
        self.last.front().copied()
    }

    /// A lower bound for the next answer: four fifths of the shortest time. Zero until there are enough answers.
    pub(super) fn at_least(&self) -> Duration {
        let shortest = self.last.iter().min().filter(|_| ENOUGH <= self.last.len());
        shortest.copied().unwrap_or_default() * 4 / 5
    }

    /// The longest time.
    pub(super) fn at_most(&self) -> Option<Duration> {
        self.last.iter().max().copied()
    }

    /// Forgets all times, as another model answers from now on.
    pub(super) fn clear(&mut self) {
        self.last.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_of_the_last_answers_tells_how_soon_the_next_may_come() {
        let mut times = AnswerTimes::default();
        assert_eq!(
            (times.latest(), times.at_least(), times.at_most()),
            (None, Duration::ZERO, None)
        );
        let mut told = Vec::new();
        for seconds in [5, 1, 4, 3, 3, 6, 7] {
            times.add(Duration::from_secs(seconds));
            assert_eq!(times.latest(), Some(Duration::from_secs(seconds)));
            told.push(times.at_least().as_millis());
        }
        // The second is forgotten with the sixth after it.
        assert_eq!(told, [0, 0, 800, 800, 800, 800, 2400]);
        assert_eq!(times.at_most(), Some(Duration::from_secs(7)));
        times.clear();
        assert_eq!((times.latest(), times.at_least()), (None, Duration::ZERO));
    }
}
