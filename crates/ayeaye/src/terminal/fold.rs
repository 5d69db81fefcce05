//! Lines as wide as the terminal: broken between words, and below where their text begins.
use unicode_width::UnicodeWidthChar as _;

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
        let (word, after) = after.split_at(word_end(after));
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

/// Where the first word of a text ends. Scripts whose characters take two columns have no blanks between words, and
/// may be broken between any two of them but before a sign that closes.
fn word_end(text: &str) -> usize {
    const CLOSES: &str = "，。、；：！？）」』】》";
    let is_wide = |c: char| 1 < columns_of(c);
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    let goes_on = |c: char| CLOSES.contains(c) || !is_wide(first) && c != ' ' && !is_wide(c);
    chars.find(|(_, c)| !goes_on(*c)).map_or(text.len(), |(at, _)| at)
}

/// The beginning of a text that is on one line, in at most so many columns; an ellipsis tells that there is more.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += columns_of(*c);
        used <= columns
    };
    text.chars().take_while(fits).chain(['\u{2026}']).collect()
}

fn columns_of(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Columns that a text takes, without the sequences that colour it.
pub(super) fn width(text: &str) -> usize {
    let mut columns = 0;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            columns += columns_of(c);
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
    fn scripts_without_blanks_are_broken_where_the_line_is_full() {
        assert_eq!(width("打开设置"), 8);
        assert_eq!(folded("打开设置，然后返回", 10), "打开设置，\n然后返回");
        assert_eq!(folded("打开设置，然后返回", 8), "打开设\n置，然后\n返回");
        assert_eq!(folded("  open 设置 now", 12), "  open 设置\n  now");
        assert_eq!(folded("  open 设置 now", 10), "  open 设\n  置 now");
    }

    #[test]
    fn what_is_cut_fits_and_says_that_there_is_more() {
        assert_eq!(cut("open the settings", 17), "open the settings");
        assert_eq!(cut("open the settings", 9), "open the…");
        assert_eq!(cut("打开设置", 8), "打开设置");
        assert_eq!(cut("打开设置", 7), "打开设…");
        assert_eq!(cut("打开设置", 6), "打开…");
    }

    #[test]
    fn colours_take_no_room() {
        assert_eq!(width("\u{1b}[1mtask\u{1b}[0m"), 4);
        let bold = "\u{1b}[1mone\u{1b}[0m two";
        assert_eq!(folded(bold, 7), bold);
    }
}
