//! `resources.arsc`: the name of an app in several languages.
use super::{Translation, chunk, number, string_pool, u32s};

/// Of a type: its entries differ by locale.
const BY_LOCALE: u32 = 0x4;

pub(super) fn build(package: &str, label: &str, translations: &[Translation]) -> Vec<u8> {
    let mut strings = vec![label];
    strings.extend(translations.iter().map(|it| it.name));
    let mut types = chunk(0x0202, &u32s(&[1, 1]), &u32s(&[BY_LOCALE]));
    types.extend(names("", "", 0));
    for (index, it) in (1..).zip(translations) {
        types.extend(names(it.language, it.region, index));
    }
    let (type_names, keys) = (string_pool(&["string"], true), string_pool(&["app_name"], true));
    let header = 288;
    let mut about = u32s(&[0x7f]);
    let letters: Vec<u8> = package.encode_utf16().take(127).flat_map(u16::to_le_bytes).collect();
    about.extend_from_slice(&letters);
    about.resize(4 + 256, 0);
    let keys_at = header + number(type_names.len());
    about.extend(u32s(&[header, 1, keys_at, 1, 0]));
    let package = chunk(0x0200, &about, &[type_names, keys, types].concat());
    chunk(0x0002, &u32s(&[1]), &[string_pool(&strings, true), package].concat())
}

/// The one entry of the one type for a locale: a string of the pool.
fn names(language: &str, region: &str, string: u32) -> Vec<u8> {
    let mut config = vec![0; 64];
    config[0] = 64;
    config[8..8 + language.len()].copy_from_slice(language.as_bytes());
    config[10..10 + region.len()].copy_from_slice(region.as_bytes());
    // Type 1, one entry, behind header and offsets.
    let header = [u32s(&[1, 1, 84 + 4]), config].concat();
    let mut entry = vec![8, 0, 0, 0];
    entry.extend(u32s(&[0]));
    entry.extend_from_slice(&[8, 0, 0, 0x03]);
    entry.extend(u32s(&[string]));
    chunk(0x0201, &header, &[u32s(&[0]), entry].concat())
}
