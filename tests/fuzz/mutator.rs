//! Mutations of known inputs, for the fuzz tests of every crate that reads what others wrote.
//!
//! Each crate takes this file in as a module of its own. The same seed makes the same inputs, so that
//! a failure comes again; the input is printed with it.
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Executions of one target in the ordinary tests.
pub(crate) const SHORT: u64 = 2_000;
/// Executions of one target in `cargo nextest run --release --run-ignored only -E 'test(fuzz)'`.
pub(crate) const LONG: u64 = 1_500_000;

/// Bytes of an input; what grows beyond is cut.
const LONGEST: usize = 16 << 10;
/// No input that short may take that long, on a busy machine without optimization.
const MOST: Duration = Duration::from_secs(5);

/// `SplitMix64`: small, and good enough to choose by.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a length");
        usize::try_from(self.roll() % end).expect("below a length")
    }

    pub(crate) fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Makes inputs out of seeds and a dictionary.
#[derive(Debug)]
pub(crate) struct Mutator {
    pub(crate) dice: Dice,
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    /// Neither may be empty.
    pub(crate) fn new(seed: u64, seeds: Vec<Vec<u8>>, words: &[&str]) -> Self {
        assert!(!seeds.is_empty() && !words.is_empty(), "nothing to mutate");
        let words = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        Self { dice: Dice::new(seed), seeds, words }
    }

    /// The next input: a seed with up to eight changes, sometimes none.
    pub(crate) fn next(&mut self) -> Vec<u8> {
        let Self { dice, seeds, .. } = self;
        let mut input = dice.pick(seeds).clone();
        for _ in 0..self.dice.below(9) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let Self { dice, seeds, words } = self;
        let at = dice.below(input.len() + 1);
        let to = (at + dice.below(24)).min(input.len());
        match dice.below(12) {
            0 if at < input.len() => input[at] ^= 1 << dice.below(8),
            1 if at < input.len() => input[at] = dice.roll().to_le_bytes()[0],
            2 => {
                let byte =
                    *dice.pick(b"\0\t\n\r \"'\\/<>{}[]():;,.=-+0159eEaZ\x7f\xc3\xe4\xef\xf0\xff");
                input.insert(at, byte);
            }
            3 => drop(input.drain(at..to)),
            // Truncation.
            4 => input.truncate(at),
            5 => drop(input.drain(..at)),
            // A piece again, once or often.
            6 => {
                let piece = input[at..to].to_vec();
                let times = *dice.pick(&[1, 2, 3, 50, 400]);
                for _ in 0..times.min(LONGEST / piece.len().max(1)) {
                    input.splice(at..at, piece.iter().copied());
                }
            }
            7 | 8 => {
                let word = dice.pick(words).clone();
                input.splice(at..at, word);
            }
            9 => {
                let word = dice.pick(words).clone();
                input.splice(at..to, word);
            }
            // The head of one with the tail of another, or another in the middle of it.
            10 => {
                let other = dice.pick(seeds);
                let from = dice.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => {
                let other = dice.pick(seeds);
                let from = dice.below(other.len() + 1);
                let end = (from + dice.below(60)).min(other.len());
                input.splice(at..at, other[from..end].iter().copied());
            }
        }
        input.truncate(LONGEST);
    }
}

/// Feeds a target so many inputs. What it returns is what it minds about the input.
pub(crate) fn fuzz(
    name: &str,
    executions: u64,
    mutator: &mut Mutator,
    mut target: impl FnMut(&[u8], &mut Dice) -> Result<(), String>,
) {
    let begin = Instant::now();
    let mut slowest = Duration::ZERO;
    for number in 0..executions {
        let input = mutator.next();
        let mut dice = Dice::new(mutator.dice.roll());
        let start = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input, &mut dice)));
        slowest = slowest.max(start.elapsed());
        let wrong = match outcome {
            Ok(Ok(())) if slowest < MOST => continue,
            Ok(Ok(())) => format!("took {slowest:?}"),
            Ok(Err(why)) => why,
            Err(_) => "panicked".to_owned(),
        };
        panic!("{name}, input {number}: {wrong}: {:?}", String::from_utf8_lossy(&input));
    }
    let took = begin.elapsed();
    tell(&format!("{name}: {executions} inputs in {took:.1?}, the slowest took {slowest:.1?}"));
}

#[expect(clippy::print_stdout, reason = "the figures of a fuzz run are there to be read")]
fn tell(text: &str) {
    println!("{text}");
}
