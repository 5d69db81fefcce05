//! Lines as wide as the terminal: broken between words, and below where their text begins.

/// What a line begins with that is typed as it is: broken, it could not be copied.
const TYPED: &str = "ayeaye ";

/// The text in lines of at most so many columns, the later ones of a line indented as far as its first.
/// A longer word has a line of its own, and a command stays whole.
pub(super) fn folded(text: &str, columns: usize) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| fold_line(line, columns)).collect();
    lines.join("\n")
}

fn fold_line(line: &str, columns: usize) -> String {
    let bare = line.trim_start_matches(' ');
    if width(line) <= columns || bare.starts_with(TYPED) {
        return line.to_owned();
    }
    let indent = line.len() - bare.len();
    let mut folded = " ".repeat(indent);
    let mut used = indent;
    let mut empty = true;
    let mut rest = bare;
    while !rest.is_empty() {
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let (gap, after) = rest.split_at(blanks);
        let (word, after) = after.split_at(after.find(' ').unwrap_or(after.len()));
        rest = after;
        if empty || used + gap.len() + width(word) <= columns {
            folded.push_str(gap);
            used += gap.len();
        } else if !word.is_empty() {
            folded.push('\n');
            folded.push_str(&" ".repeat(indent));
            used = indent;
        }
        folded.push_str(word);
        used += width(word);
        empty = false;
    }
    folded
}

/// Columns that a text takes, without the sequences that colour it.
pub(super) fn width(text: &str) -> usize {
    let mut columns = 0;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            columns += 1;
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_between_words_and_keeps_its_indent() {
        assert_eq!(folded("one two three", 8), "one two\nthree");
        assert_eq!(folded("  one two three", 9), "  one two\n  three");
        assert_eq!(folded("one   two\nthree", 80), "one   two\nthree");
        assert_eq!(folded("one   two  three", 9), "one   two\nthree");
        assert_eq!(folded("Ctrl-C ends.\n", 9), "Ctrl-C\nends.\n");
        assert_eq!(folded("", 9), "");
    }

    #[test]
    fn a_long_word_and_a_command_stay_whole() {
        assert_eq!(folded("see /a/very/long/path now", 8), "see\n/a/very/long/path\nnow");
        let command = "  ayeaye continue 01a22739 'YOUR ANSWER'";
        assert_eq!(folded(command, 20), command);
    }

    #[test]
    fn colours_take_no_room() {
        assert_eq!(width("\u{1b}[1mtask\u{1b}[0m"), 4);
        let bold = "\u{1b}[1mone\u{1b}[0m two";
        assert_eq!(folded(bold, 7), bold);
    }
}
