/// Whether a character is not seen and changes how the rest is shown: marks of direction, joints without width, ends of
/// lines of another kind, tags. With them a text looks like another. The joints of emoji and of scripts that need them
/// (U+200C, U+200D) are none of these.
pub fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
