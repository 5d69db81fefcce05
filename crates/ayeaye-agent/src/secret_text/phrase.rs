//! Phrases for recovery, which are words as any sentence has them.
use super::binders::Bond;

/// Words of the shortest phrase that is looked for, and of those that wallets give.
const FEWEST: usize = 4;
const USUAL: [usize; 5] = [24, 21, 18, 15, 12];

/// Words that no list for such phrases has, and sentences do.
#[rustfmt::skip]
const NEVER: &[&str] = &[
    "the", "and", "not", "for", "was", "has", "but", "from", "with", "onto", "your", "our", "his", "her", "its", "their",
    "them", "him", "she", "who", "why", "how", "here", "which", "should", "could", "would", "after", "are", "were", "been",
    "down", "shown", "stored", "written", "safely", "backup", "works", "does", "wallet",
    "der", "die", "das", "und", "dann", "mit", "von", "aus", "bitte", "nicht", "les", "los", "las", "des", "del", "puis",
    "con", "para",
];
/// Words that sentences have and lists as well: they end a phrase that is not as long as one of a wallet.
#[rustfmt::skip]
const SELDOM: &[&str] = &[
    "then", "that", "this", "there", "they", "you", "under", "over", "when", "where", "what", "will", "before", "about",
    "into", "until", "please", "also", "now", "once", "must", "have", "can", "near", "inside", "behind", "only",
];

/// The words of a phrase that a line begins with, up to what is none of them. With some too many they are found twice:
/// as many as wallets give, and all.
pub(super) fn phrases(line: &str, by: Bond) -> Vec<&str> {
    let ends = ends_of_words(line);
    let is_seldom = |it: &&(usize, &str)| SELDOM.contains(&it.1.to_lowercase().as_str());
    let until = ends.iter().position(|it| is_seldom(&it)).unwrap_or(ends.len());
    let usual = USUAL.into_iter().find(|it| *it <= ends.len());
    // "With the seed phrase shown below Wallet settings" goes on with the sentence.
    let is_short = |count: usize| {
        let capital = |it: &(usize, &str)| it.1.starts_with(char::is_uppercase);
        by == Bond::Beside && ends[..count].iter().any(capital)
    };
    let short = (FEWEST <= until && !is_short(until)).then_some(until);
    let mut counts: Vec<usize> = match usual {
        Some(usual) => vec![usual, ends.len()],
        None => Vec::from_iter(short),
    };
    counts.dedup();
    counts.into_iter().map(|count| &line[..ends[count - 1].0]).collect()
}

/// The words that such phrases are made of, from the beginning on and parted alike, and where each ends.
fn ends_of_words(line: &str) -> Vec<(usize, &str)> {
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    let mut with_commas = None;
    loop {
        let rest = &line[at..];
        let word = &rest[..rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len())];
        let behind = &rest[word.len()..];
        // "river's", "river-bank", "river:" and "river2" are no words of lists.
        let is_apart =
            behind.is_empty() || behind.starts_with(|c: char| " ,.;!?。；，\t*_)\"".contains(c));
        let is_listed = (3..=8).contains(&word.chars().count())
            && is_apart
            && !NEVER.contains(&word.to_lowercase().as_str());
        if !is_listed {
            return words;
        }
        words.push((at + word.len(), word));
        let next = behind.trim_start_matches([' ', ',', '\t']);
        let between = &behind[..behind.len() - next.len()];
        if between.is_empty() {
            return words;
        }
        // A comma behind words that only blanks part ends the phrase, and the other way round.
        let comma = between.contains(',');
        if *with_commas.get_or_insert(comma) != comma {
            return words;
        }
        at = line.len() - next.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_ends_where_the_sentence_goes_on() {
        let twelve = "apple river candle moon then copper lamp grass hotel will pencil rose";
        for (line, found) in [
            ("apple river candle moon", vec!["apple river candle moon"]),
            ("apple river candle moon and open", vec!["apple river candle moon"]),
            ("apple river candle moon, then stop", vec!["apple river candle moon"]),
            ("apple river candle moon then stop", vec!["apple river candle moon"]),
            ("apple, river, candle, moon", vec!["apple, river, candle, moon"]),
            ("apple river candle", vec![]),
            ("from Google Keep note", vec![]),
            ("in the safe at home", vec![]),
            ("store them safely offline", vec![]),
            ("backup works well today", vec![]),
            (twelve, vec![twelve]),
        ] {
            assert_eq!(phrases(line, Bond::Sign), found, "{line}");
        }
        let polite = "please apple until river into candle moon lamp grass hotel pencil rose";
        assert_eq!(phrases(polite, Bond::Beside), [polite]);
        let more = format!("{twelve} open there");
        assert_eq!(phrases(&more, Bond::Beside), [twelve, &more]);
        assert_eq!(phrases("Apple River Candle Moon", Bond::Beside), [""; 0]);
        assert_eq!(phrases("Apple River Candle Moon", Bond::Sign), ["Apple River Candle Moon"]);
    }
}
