//! The UI tree, as `uiautomator dump` prints it.

/// The XML document, without a byte order mark before it and the message after it. `None` without a
/// whole document, as when only a stack trace was printed.
pub(crate) fn ui_tree(text: &str) -> Option<&str> {
    let root = text.find("<hierarchy")?;
    let start = text[..root].rfind("<?xml").unwrap_or(root);
    let end = match text.rfind(CLOSED) {
        Some(at) if root < at => at + CLOSED.len(),
        // A screen without elements: `<hierarchy rotation="0" />`.
        _ => {
            let tag = root + text[root..].find('>')? + 1;
            text[..tag].ends_with("/>").then_some(tag)?
        }
    };
    text.get(start..end)
}

const CLOSED: &str = "</hierarchy>";
