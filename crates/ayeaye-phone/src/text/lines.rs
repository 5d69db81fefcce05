//! Breaking text into lines, and positions in it.

/// Line height for a font size.
pub(crate) const LINE: f32 = 1.33;
/// Baseline below the line's top, in font sizes.
pub(crate) const BASELINE: f32 = 1.05;

/// A line of a text: bytes `start..end` of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextLine {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) width: f32,
    /// Cut short: an ellipsis follows.
    pub(crate) cut: bool,
}

/// Width of a character in pixels, at `size` pixels an em.
fn advance(c: char, size: f32, bold: bool) -> f32 {
    ayeaye_fonts::advance(c, bold) * size
}

/// Breaks `text` into lines no wider than `max`, at most `max_lines` of them.
pub(crate) fn wrap(text: &str, size: f32, bold: bool, max: f32, max_lines: usize) -> Vec<TextLine> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut width = 0.0;
    // The last possible break: the byte after it, and the line's width before it.
    let mut chance: Option<(usize, f32)> = None;
    // Widths are sums of floats: a text measured at its own width must not wrap.
    let max = max + 0.5;
    for (i, c) in text.char_indices() {
        if c == '\n' {
            lines.push(TextLine { start, end: i, width, cut: false });
            (start, width, chance) = (i + 1, 0.0, None);
            continue;
        }
        let w = advance(c, size, bold);
        if width + w > max && i > start && !c.is_whitespace() {
            let (at, line_width) = match chance {
                Some((at, line_width)) if at > start => (at, line_width),
                _ => (i, width),
            };
            lines.push(TextLine { start, end: at, width: line_width, cut: false });
            width = text[at..i].chars().map(|c| advance(c, size, bold)).sum();
            start = at;
            chance = None;
        }
        width += w;
        let after = i + c.len_utf8();
        if c.is_whitespace() {
            chance = Some((after, width - w));
        } else if ('\u{2E80}'..'\u{FB00}').contains(&c) || c == '-' {
            chance = Some((after, width));
        }
    }
    lines.push(TextLine { start, end: text.len(), width, cut: false });
    if lines.len() > max_lines.max(1) {
        lines.truncate(max_lines.max(1));
        if let Some(last) = lines.last_mut() {
            shorten(last, text, size, bold, max);
        }
    }
    lines
}

/// Makes room for an ellipsis.
fn shorten(line: &mut TextLine, text: &str, size: f32, bold: bool, max: f32) {
    // Part of the next word may still fit.
    let rest = &text[line.start..];
    let paragraph = rest.find('\n').map_or(text.len(), |at| line.start + at);
    let room = max - advance('\u{2026}', size, bold);
    let mut width = 0.0;
    let mut end = line.start;
    for (i, c) in text[line.start..paragraph].char_indices() {
        let w = advance(c, size, bold);
        if width + w > room {
            break;
        }
        width += w;
        end = line.start + i + c.len_utf8();
    }
    *line = TextLine { end, width: width + advance('\u{2026}', size, bold), cut: true, ..*line };
}

/// Width and height of the wrapped text in pixels.
pub(crate) fn measure(text: &str, size: f32, bold: bool, max: f32, max_lines: usize) -> (f32, f32) {
    let lines = wrap(text, size, bold, max, max_lines);
    let width = lines.iter().map(|line| line.width).fold(0.0, f32::max);
    #[expect(clippy::cast_precision_loss, reason = "a few lines")]
    let height = lines.len() as f32 * (size * LINE).round();
    (width.min(max), height)
}

/// The line and x coordinate of a byte offset.
pub(crate) fn locate(
    text: &str,
    lines: &[TextLine],
    at: usize,
    size: f32,
    bold: bool,
) -> (usize, f32) {
    let row = lines.iter().rposition(|line| line.start <= at).unwrap_or(0);
    let start = lines.get(row).map_or(0, |line| line.start);
    let x = text.get(start..at).unwrap_or("").chars().map(|c| advance(c, size, bold)).sum();
    (row, x)
}

/// The byte offset on a line that is nearest to x.
pub(crate) fn offset_at(text: &str, line: &TextLine, x: f32, size: f32, bold: bool) -> usize {
    let mut left = 0.0;
    for (i, c) in text[line.start..line.end].char_indices() {
        let w = advance(c, size, bold);
        if x < left + w / 2.0 {
            return line.start + i;
        }
        left += w;
    }
    line.end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn breaks_at_words_and_newlines() {
        let text = "one two three\nfour";
        let lines = wrap(text, 20.0, false, 90.0, 10);
        let parts: Vec<&str> = lines.iter().map(|l| text[l.start..l.end].trim_end()).collect();
        assert_eq!(parts, ["one two", "three", "four"]);
    }

    #[test]
    fn cuts_with_an_ellipsis() {
        let lines = wrap("a rather long line of text", 20.0, false, 80.0, 1);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].cut && lines[0].width <= 81.0);
    }

    proptest! {
        #[test]
        fn lines_cover_the_text_in_order(text in "\\PC{0,60}", max in 10.0f32..400.0) {
            let lines = wrap(&text, 16.0, false, max, usize::MAX);
            let mut at = 0;
            for line in &lines {
                prop_assert!(line.start >= at && line.end >= line.start);
                prop_assert!(text.is_char_boundary(line.start) && text.is_char_boundary(line.end));
                at = line.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
