//! Words on a picture: broken into lines, and drawn.
use ayeaye_fonts::{find, is_ideograph, is_invisible, rasterize};

use super::canvas::{Canvas, Colour};

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextStyle {
    /// Pixels an em.
    pub(crate) size: f32,
    pub(crate) bold: bool,
    pub(crate) colour: Colour,
}

impl TextStyle {
    /// From the top of one line to that of the next, in pixels.
    #[expect(clippy::cast_possible_truncation, reason = "a few pixels")]
    pub(crate) fn line_height(self) -> i32 {
        (self.size * 1.35).round() as i32
    }

    /// How wide a text on one line is, in pixels.
    pub(crate) fn width(self, text: &str) -> f32 {
        text.chars().map(|c| self.advance(c)).sum()
    }

    fn advance(self, c: char) -> f32 {
        ayeaye_fonts::advance(c, self.bold) * self.size
    }
}

/// Breaks a text into lines no wider than `max` pixels, at most so many; one that is longer ends in
/// an ellipsis. White space is one space; lines are broken at it, beside ideographs, and within words
/// that are too wide for a line.
pub(crate) fn wrap(text: &str, style: TextStyle, max: f32, max_lines: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for mut word in words(text) {
        while !word.trim_end().is_empty() {
            if style.width(&line) + style.width(word.trim_end()) <= max
                || (line.is_empty() && word.trim_end().chars().nth(1).is_none())
            {
                line.push_str(&word);
                break;
            }
            if line.is_empty() {
                // Wider than a line by itself.
                let cut = fitting(&word, style, max).max(first_char(&word));
                line = word[..cut].to_owned();
                word = word[cut..].to_owned();
            }
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            if lines.len() == max_lines {
                let last = lines.pop().unwrap_or_default();
                lines.push(with_ellipsis(&last, style, max));
                return lines;
            }
        }
    }
    if !line.trim_end().is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Draws a line of text, its left top corner at `x`, `y`.
pub(crate) fn write(canvas: &mut Canvas, text: &str, style: TextStyle, (x, y): (i32, i32)) {
    #[expect(clippy::cast_precision_loss, reason = "a place on a picture")]
    let (mut x, baseline) = (x as f32, y as f32 + (style.size * 1.05).round());
    for c in text.chars() {
        draw(canvas, c, style, (x, baseline));
        x += style.advance(c);
    }
}

/// Draws one character, its origin at `x` on the line `baseline`.
fn draw(canvas: &mut Canvas, c: char, style: TextStyle, (x, baseline): (f32, f32)) {
    if is_invisible(c) || c.is_whitespace() {
        return;
    }
    let mask = rasterize(find(c, style.bold), style.size, (x, baseline));
    for (y, row) in (mask.top..).zip(mask.coverage.chunks_exact(mask.width.max(1))) {
        for (x, coverage) in (mask.left..).zip(row) {
            canvas.blend(x, y, style.colour, f32::from(*coverage) / 255.0);
        }
    }
}

/// The pieces between which a line may be broken, each with one space behind it where there was any.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_whitespace() {
            if !word.is_empty() {
                word.push(' ');
                words.push(std::mem::take(&mut word));
            }
            continue;
        }
        if is_ideograph(c) && !word.is_empty() && !is_closing(c) {
            words.push(std::mem::take(&mut word));
        }
        word.push(c);
    }
    words.push(word);
    words
}

/// Whether it must not begin a line.
fn is_closing(c: char) -> bool {
    "，。、；：？！）」』】》”’,.;:?!)".contains(c)
}

/// Bytes of the longest beginning that is no wider than `max`.
fn fitting(text: &str, style: TextStyle, max: f32) -> usize {
    let mut width = 0.0;
    for (at, c) in text.char_indices() {
        width += style.advance(c);
        if max < width {
            return at;
        }
    }
    text.len()
}

fn first_char(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn with_ellipsis(line: &str, style: TextStyle, max: f32) -> String {
    let room = max - style.advance('\u{2026}');
    format!("{}\u{2026}", line[..fitting(line, style, room)].trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const STYLE: TextStyle = TextStyle { size: 20.0, bold: false, colour: [255; 3] };

    #[test]
    fn lines_are_broken_at_words_and_cut_with_an_ellipsis() {
        assert_eq!(wrap("one two\n three", STYLE, 90.0, 9), ["one two", "three"]);
        assert_eq!(wrap("one two three four", STYLE, 90.0, 1), ["one tw\u{2026}"]);
        assert_eq!(wrap("", STYLE, 90.0, 3), Vec::<String>::new());
        let narrow = wrap("Donaudampfschifffahrt", STYLE, 90.0, 9);
        assert!(1 < narrow.len() && narrow.concat() == "Donaudampfschifffahrt", "{narrow:?}");
    }

    #[test]
    fn ideographs_are_broken_anywhere_but_before_a_stop() {
        let lines = wrap("打开设置。", STYLE, STYLE.width("打开设置") + 0.5, 9);
        assert_eq!(lines, ["打开设", "置。"]);
    }

    #[test]
    fn letters_and_missing_ones_leave_ink_within_their_width() {
        for text in ["Ag", "\u{10FFFD}", "\u{1F600}"] {
            let mut canvas = Canvas::new(60, 40, vec![0; 60 * 40 * 3]).unwrap();
            write(&mut canvas, text, STYLE, (5, 5));
            let inked =
                |x: u16, y: u16| canvas.rgb()[(usize::from(y) * 60 + usize::from(x)) * 3] != 0;
            let columns: Vec<u16> = (0..60).filter(|x| (0..40).any(|y| inked(*x, y))).collect();
            assert!(4 <= columns[0], "{text}");
            assert!(f32::from(*columns.last().unwrap()) < 7.0 + STYLE.width(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide_and_no_letter_is_lost(text in "[a-z中文字。 ]{0,60}", max in 30.0_f32..300.0) {
            let lines = wrap(&text, STYLE, max, usize::MAX);
            for line in &lines {
                prop_assert!(STYLE.width(line) <= max + 0.01, "{line}");
            }
            let plain = |text: &str| text.replace(' ', "");
            prop_assert_eq!(plain(&lines.concat()), plain(&text));
        }

        #[test]
        fn any_text_can_be_drawn(text in "\\PC{0,12}", at in (-50..50_i32, -50..50_i32)) {
            let mut canvas = Canvas::new(30, 20, vec![9; 30 * 20 * 3]).unwrap();
            for line in wrap(&text, STYLE, 25.0, 3) {
                write(&mut canvas, &line, STYLE, at);
            }
        }
    }
}
