//! The XML of Android 14's `uiautomator dump`: attributes and their order as its
//! `AccessibilityNodeInfoDumper` writes them, on one line.
use std::fmt::Write as _;

use super::element::{Content, shown_text};
use super::{Node, Window};

/// The visible nodes of a window.
pub(crate) fn dump<E>(window: &Window<E>, rotation: u8) -> String {
    let mut out = String::with_capacity(16 * 1024);
    out.push_str("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>");
    let ok = write!(out, "<hierarchy rotation=\"{rotation}\">");
    debug_assert!(ok.is_ok(), "writing to a string cannot fail");
    // Depths of the elements that are still open.
    let mut open: Vec<usize> = Vec::new();
    let nodes: Vec<&Node<E>> = window.nodes.iter().filter(|n| !n.visible().is_empty()).collect();
    for (i, node) in nodes.iter().enumerate() {
        while open.last().is_some_and(|depth| *depth >= node.depth) {
            open.pop();
            out.push_str("</node>");
        }
        start_tag(&mut out, node, window.package);
        if nodes.get(i + 1).is_some_and(|next| next.depth > node.depth) {
            out.push('>');
            open.push(node.depth);
        } else {
            out.push_str(" />");
        }
    }
    for _ in open {
        out.push_str("</node>");
    }
    out.push_str("</hierarchy>");
    out
}

/// `package:id/name`, or nothing.
pub(crate) fn resource_id(id: &str, package: &str) -> String {
    if id.is_empty() || id.contains(':') { id.to_owned() } else { format!("{package}:id/{id}") }
}

/// The text for accessibility: the hint of an empty field, bullets for a password.
pub(crate) fn accessible_text<E>(node: &Node<E>) -> String {
    match &node.el.field {
        Some(field) if node.el.text.is_empty() => field.hint.to_owned(),
        _ => shown_text(&node.el),
    }
}

fn start_tag<E>(out: &mut String, node: &Node<E>, package: &str) {
    let el = &node.el;
    let r = node.visible();
    out.push_str("<node");
    let mut put = |name: &str, value: &str| {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        escape(out, value);
        out.push('"');
    };
    let flag = |on: bool| if on { "true" } else { "false" };
    put("index", &node.index.to_string());
    put("text", &accessible_text(node));
    put("resource-id", &resource_id(el.id, package));
    put("class", el.class);
    put("package", package);
    put("content-desc", &el.desc);
    put("checkable", flag(el.checked.is_some()));
    put("checked", flag(el.checked == Some(true)));
    put("clickable", flag(el.click.is_some() || el.field.is_some()));
    put("enabled", flag(el.enabled));
    put("focusable", flag(node.reacts() || node.scrolled.is_some()));
    put("focused", flag(el.focused));
    put("scrollable", flag(node.scrolled.as_ref().is_some_and(|s| s.max > 0.0)));
    put("long-clickable", flag(el.long_click.is_some() || el.field.is_some()));
    put("password", flag(el.field.as_ref().is_some_and(|f| f.password)));
    put("selected", flag(el.selected));
    put("bounds", &format!("[{},{}][{},{}]", r.left, r.top, r.right, r.bottom));
    debug_assert!(el.content != Content::Text || el.children.is_empty());
}

/// As `KXmlSerializer` escapes an attribute: control characters and what lies beyond the basic
/// plane become numbers; what XML cannot hold at all is replaced by a dot.
fn escape(out: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' | '\u{10000}'.. => {
                out.push_str("&#");
                out.push_str(&u32::from(c).to_string());
                out.push(';');
            }
            '\u{0}'..='\u{1F}'
            | '\u{7F}'..='\u{84}'
            | '\u{86}'..='\u{9F}'
            | '\u{FDD0}'..='\u{FDDF}'
            | '\u{FFFE}'..='\u{FFFF}' => out.push('.'),
            c => out.push(c),
        }
    }
}
