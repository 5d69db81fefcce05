//! A compiled `AndroidManifest.xml`.
use super::{chunk, string_pool, u32s};

/// The resource that has the app's name: the first string of the app.
pub(super) const APP_NAME: u32 = 0x7f01_0000;

const STRINGS: [&str; 15] = [
    "label",
    "name",
    "android",
    "http://schemas.android.com/apk/res/android",
    "manifest",
    "package",
    "application",
    "activity",
    "intent-filter",
    "action",
    "category",
    "android.intent.action.MAIN",
    "android.intent.category.LAUNCHER",
    // Those of the app follow.
    "",
    "",
];
const LABEL: u32 = 0;
const NAME: u32 = 1;
const NAMESPACE: u32 = 3;
const PACKAGE: u32 = 13;
const CLASS: u32 = 14;
const NONE: u32 = u32::MAX;

/// An attribute: its namespace, its name, and its value as text or as the number of a resource.
enum Attribute {
    Text(u32, u32, u32),
    Resource(u32, u32, u32),
}

pub(super) fn build(package: &str, class: Option<&str>) -> Vec<u8> {
    let mut strings = STRINGS;
    (strings[13], strings[14]) = (package, class.unwrap_or_default());
    let mut body = string_pool(&strings, false);
    body.extend(chunk(0x0180, &[], &u32s(&[0x0101_0001, 0x0101_0003])));
    body.extend(node(0x0100, &u32s(&[2, NAMESPACE])));
    body.extend(start(4, &[Attribute::Text(NONE, 5, PACKAGE)]));
    body.extend(start(6, &[Attribute::Resource(NAMESPACE, LABEL, APP_NAME)]));
    if class.is_some() {
        body.extend(start(7, &[Attribute::Text(NAMESPACE, NAME, CLASS)]));
        body.extend(start(8, &[]));
        for (element, value) in [(9, 11), (10, 12)] {
            body.extend(start(element, &[Attribute::Text(NAMESPACE, NAME, value)]));
            body.extend(end(element));
        }
        body.extend(end(8));
        body.extend(end(7));
    }
    body.extend(end(6));
    body.extend(end(4));
    body.extend(node(0x0101, &u32s(&[2, NAMESPACE])));
    chunk(0x0003, &[], &body)
}

/// A node, with a line number and no comment.
fn node(kind: u16, body: &[u8]) -> Vec<u8> {
    chunk(kind, &u32s(&[1, NONE]), body)
}

fn start(name: u32, attributes: &[Attribute]) -> Vec<u8> {
    let count = u16::try_from(attributes.len()).unwrap_or_default();
    let mut body = u32s(&[NONE, name]);
    for number in [20_u16, 20, count, 0, 0, 0] {
        body.extend_from_slice(&number.to_le_bytes());
    }
    for attribute in attributes {
        let (namespace, name, raw, kind, data) = match *attribute {
            Attribute::Text(namespace, name, value) => (namespace, name, value, 0x03, value),
            Attribute::Resource(namespace, name, value) => (namespace, name, NONE, 0x01, value),
        };
        body.extend(u32s(&[namespace, name, raw]));
        body.extend_from_slice(&[8, 0, 0, kind]);
        body.extend(u32s(&[data]));
    }
    node(0x0102, &body)
}

fn end(name: u32) -> Vec<u8> {
    node(0x0103, &u32s(&[NONE, name]))
}
