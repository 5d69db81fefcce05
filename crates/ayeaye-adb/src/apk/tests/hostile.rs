//! Packages that are made to cost much, or to be taken for another one.
use super::super::{manifest, table};
use super::*;

fn chunk(kind: u16, head: &[u8], body: &[u8]) -> Vec<u8> {
    let header = u16::try_from(8 + head.len()).unwrap();
    let size = u32::try_from(8 + head.len() + body.len()).unwrap();
    [&kind.to_le_bytes()[..], &header.to_le_bytes(), &size.to_le_bytes(), head, body].concat()
}

fn numbers(all: &[u32]) -> Vec<u8> {
    all.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A pool of these strings, in UTF-8.
fn pool(strings: &[&str]) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for text in strings {
        offsets.push(u32::try_from(data.len()).unwrap());
        let length = u16::try_from(text.len()).unwrap() | 0x8000;
        data.extend(length.to_be_bytes());
        data.extend(length.to_be_bytes());
        data.extend(text.as_bytes());
        data.push(0);
    }
    let count = u32::try_from(strings.len()).unwrap();
    let head = numbers(&[count, 0, 1 << 8, 28 + 4 * count, 0]);
    chunk(1, &head, &[numbers(&offsets), data].concat())
}

const NONE: u32 = u32::MAX;
const STRINGS: [&str; 6] = [
    "manifest",
    "package",
    "org.evil",
    "com.bank.app",
    "http://schemas.android.com/apk/res/android",
    "application",
];

/// An attribute `package`: its namespace, its text, and its value.
fn attribute(namespace: u32, raw: u32, value: u32) -> Vec<u8> {
    numbers(&[namespace, 1, raw, 0x0300_0008, value])
}

fn element(name: u32, size: u16, count: u16, attributes: &[Vec<u8>]) -> Vec<u8> {
    let counts = [20, size, count, 0, 0, 0].map(u16::to_le_bytes).concat();
    let body = [numbers(&[NONE, name]), counts, attributes.concat()].concat();
    chunk(0x0102, &numbers(&[1, NONE]), &body)
}

fn xml(parts: &[Vec<u8>]) -> Vec<u8> {
    chunk(3, &[], &[vec![pool(&STRINGS)], parts.to_vec()].concat().concat())
}

fn name_of(manifest: &[u8]) -> Option<String> {
    manifest::package_and_version(manifest).map(|(name, _)| name)
}

#[test]
fn a_package_is_named_as_android_would_name_it() {
    let named = |name: u32, attributes: &[Vec<u8>]| {
        let count = u16::try_from(attributes.len()).unwrap();
        name_of(&xml(&[element(name, 20, count, attributes)]))
    };
    let (evil, bank) = (attribute(NONE, 2, 2), attribute(NONE, 3, 3));
    assert_eq!(named(0, std::slice::from_ref(&evil)).as_deref(), Some("org.evil"));
    let spaced = attribute(4, 3, 3);
    assert_eq!(named(0, &[spaced.clone(), evil.clone()]).as_deref(), Some("org.evil"));
    assert_eq!(named(0, &[spaced]), None);
    assert_eq!(named(0, &[bank, evil.clone()]), None, "two of them");
    assert_eq!(named(0, &[attribute(NONE, 2, 3)]), None, "a text that is not its value");
    assert_eq!(named(5, std::slice::from_ref(&evil)), None, "no manifest");
    // A map that says that `package` is a resource does not hide it.
    let map = chunk(0x0180, &[], &numbers(&[0, 0x0101_0003]));
    let mapped = xml(&[map, element(0, 20, 1, &[evil])]);
    assert_eq!(name_of(&mapped).as_deref(), Some("org.evil"));
}

#[test]
fn attributes_that_lie_over_each_other_are_none() {
    let evil = attribute(NONE, 2, 2);
    for size in [0, 1, 19] {
        let parts = vec![element(5, size, u16::MAX, std::slice::from_ref(&evil)); 20_000];
        let bytes = xml(&parts);
        assert_eq!(labels(&bytes, &[], MAIN, &[]), Labels::default());
        let root = xml(&[element(0, size, u16::MAX, std::slice::from_ref(&evil))]);
        assert_eq!(name_of(&root), None, "{size}");
    }
}

#[test]
fn a_text_that_many_configurations_share_is_decoded_once() {
    let long = "a".repeat(4096);
    // Type 1, one entry, with the text as its value; no configuration says more than its size.
    let head = [vec![1, 0, 0, 0], numbers(&[1, 36, 12, 0, 0])].concat();
    let entry = [numbers(&[0]), numbers(&[8, 0, 0x0300_0008, 0])].concat();
    let one = chunk(0x0201, &head, &entry);
    let package = chunk(0x0200, &numbers(&[0x7f]), &one.repeat(200_000));
    let bytes = chunk(2, &numbers(&[1]), &[pool(&[&long]), package].concat());
    let parsed = table::ResourceTable::parse(&bytes).unwrap();
    assert_eq!(table::text(&[parsed], 0x7f01_0000, &[]).as_deref(), Some(&*long));
}
