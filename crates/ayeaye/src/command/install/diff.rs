//! What changes between two texts, as lines with `-` and `+`.

/// Lines around a change.
const CONTEXT: usize = 2;

/// The change as lines; empty for equal texts. A file that is not there counts as one without lines.
pub(super) fn lines(before: Option<&str>, after: Option<&str>) -> Vec<String> {
    let old: Vec<&str> = before.unwrap_or_default().lines().collect();
    let new: Vec<&str> = after.unwrap_or_default().lines().collect();
    let same =
        |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let head = same(&mut old.iter().zip(&new));
    let tail = same(&mut old[head..].iter().rev().zip(new[head..].iter().rev()));
    if head == old.len() && head == new.len() {
        return Vec::new();
    }
    let row = |mark: char, line: &str| format!("{mark} {line}");
    let mut rows = Vec::new();
    rows.extend(old[head.saturating_sub(CONTEXT)..head].iter().map(|line| row(' ', line)));
    rows.extend(old[head..old.len() - tail].iter().map(|line| row('-', line)));
    rows.extend(new[head..new.len() - tail].iter().map(|line| row('+', line)));
    let rest = &new[new.len() - tail..];
    rows.extend(rest.iter().take(CONTEXT).map(|line| row(' ', line)));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_what_is_around_it() {
        let before = "a\nb\nc\nd\ne\n";
        assert_eq!(lines(Some(before), Some(before)), Vec::<String>::new());
        let after = "a\nb\nc,\nx\nd\ne\n";
        assert_eq!(
            lines(Some(before), Some(after)),
            ["  a", "  b", "- c", "+ c,", "+ x", "  d", "  e"]
        );
        assert_eq!(lines(None, Some("x\n")), ["+ x"]);
        assert_eq!(lines(Some("x\n"), None), ["- x"]);
        assert_eq!(lines(Some("x\nx\n"), Some("x\nx\nx\n")), ["  x", "  x", "+ x"]);
    }
}
