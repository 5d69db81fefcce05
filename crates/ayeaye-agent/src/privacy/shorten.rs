//! What was written without end, as models do: the record has to hold what it has cost.
/// Most bytes that all texts of a fact take in its line, which holds 4 MiB and more than texts.
const MOST: usize = 3 << 20;
/// Texts are cut no shorter than this: what says how much was left out is as long.
const FEWEST: usize = 64;

/// Bytes that a text takes in a record, which is JSON in ASCII.
pub(crate) fn bytes_in_record(text: &str) -> usize {
    text.chars().map(bytes_of).sum()
}

fn bytes_of(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        c if c.is_ascii_control() => 6,
        c if c.is_ascii() => 1,
        c => 6 * c.len_utf16(),
    }
}

/// The most bytes that each text of a fact may take, if a line could not hold all: those that take more are to be cut.
pub(super) fn most_of_each(sizes: &[usize]) -> Option<usize> {
    let sum = |most: usize| sizes.iter().map(|size| (*size).min(most)).sum::<usize>();
    if sum(usize::MAX) <= MOST {
        return None;
    }
    let mut most = MOST;
    while FEWEST < most && MOST < sum(most) {
        most = FEWEST.max(most / 2);
    }
    Some(most)
}

/// Leaves of a text what takes so many bytes, and says how much there was. What is left of a secret at its end is found
/// before the dots.
pub(super) fn cut(text: &mut String, most: usize) {
    let mut bytes = 0;
    let end = text.char_indices().find(|(_, c)| {
        bytes += bytes_of(*c);
        most < bytes
    });
    if let Some((end, _)) = end {
        let left_out = text[end..].chars().count();
        text.truncate(end);
        text.extend(["… [", &left_out.to_string(), " more characters]"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_are_cut_as_far_as_needed() {
        assert_eq!(most_of_each(&[MOST - 5, 5]), None);
        assert_eq!(most_of_each(&[MOST + 1]), Some(MOST));
        assert_eq!(most_of_each(&[MOST, 5]), Some(MOST / 2));
        assert_eq!(most_of_each(&vec![5; 1 << 20]), Some(FEWEST));
        let mut text = "a\u{1f600}".repeat(1000);
        cut(&mut text, 13_000);
        assert_eq!(bytes_in_record(&text), 13_000);
        cut(&mut text, 30);
        assert_eq!(text, "a\u{1f600}a\u{1f600}a… [1995 more characters]");
    }

    #[test]
    fn a_text_takes_as_many_bytes_as_json_in_ascii() {
        for (text, bytes) in
            [("a b", 3), ("\"\\\n", 6), ("\u{1}é登", 18), ("\u{1f600}", 12), ("", 0)]
        {
            assert_eq!(bytes_in_record(text), bytes, "{text:?}");
        }
    }
}
