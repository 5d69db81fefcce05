//! The package files of the apps that the phone came with: archives with a compiled manifest and the
//! app's name in several languages, as Google's packager writes them. They hold no program.
mod archive;
mod manifest;
mod table;

use crate::packages::Package;

/// The name of an app in a language, by the parts of its locale.
#[derive(Debug, Clone, Copy)]
struct Translation {
    language: &'static str,
    region: &'static str,
    name: &'static str,
}

const fn name(language: &'static str, region: &'static str, name: &'static str) -> Translation {
    Translation { language, region, name }
}

/// What the apps are called in other languages than English.
fn translations(label: &str) -> Vec<Translation> {
    let [zh_cn, zh_tw, pt_br, ar] = match label {
        "Settings" => ["设置", "設定", "Configurações", "الإعدادات"],
        "Messages" => ["信息", "訊息", "Mensagens", "الرسائل"],
        "Notes" => ["笔记", "筆記", "Notas", "الملاحظات"],
        "Shop" => ["商店", "商店", "Loja", "المتجر"],
        "Clock" => ["时钟", "時鐘", "Relógio", "الساعة"],
        _ => return Vec::new(),
    };
    vec![
        name("ar", "", ar),
        name("pt", "BR", pt_br),
        name("zh", "CN", zh_cn),
        name("zh", "TW", zh_tw),
    ]
}

/// The content of a package's file.
pub(crate) fn build(package: &Package) -> Vec<u8> {
    let class = package.launcher.as_ref().map(|launcher| launcher.class.as_str());
    archive::build(&[
        ("AndroidManifest.xml", manifest::build(&package.name, class)),
        (
            "resources.arsc",
            table::build(&package.name, &package.label, &translations(&package.label)),
        ),
    ])
}

/// A chunk: its type, the rest of its header, and its body.
fn chunk(kind: u16, header: &[u8], body: &[u8]) -> Vec<u8> {
    let header_size = u16::try_from(8 + header.len()).unwrap_or(u16::MAX);
    let size = u32::try_from(8 + header.len() + body.len()).unwrap_or(u32::MAX);
    [&kind.to_le_bytes()[..], &header_size.to_le_bytes(), &size.to_le_bytes(), header, body]
        .concat()
}

fn u32s(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A pool of strings, in UTF-8 or UTF-16.
fn string_pool(strings: &[&str], utf8: bool) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for text in strings {
        offsets.push(number(data.len()));
        if utf8 {
            for length in [text.encode_utf16().count(), text.len()] {
                if 0x80 <= length {
                    data.push(0x80 | u8::try_from(length >> 8).unwrap_or(0x7f));
                }
                data.push(length.to_le_bytes()[0]);
            }
            data.extend_from_slice(text.as_bytes());
            data.push(0);
        } else {
            let units: Vec<u16> = text.encode_utf16().collect();
            let length = u16::try_from(units.len()).unwrap_or(0x7fff);
            for unit in [length].iter().chain(&units).chain(&[0]) {
                data.extend_from_slice(&unit.to_le_bytes());
            }
        }
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let start = 28 + 4 * number(strings.len());
    let flags = if utf8 { 1 << 8 } else { 0 };
    let header = u32s(&[number(strings.len()), 0, flags, start, 0]);
    chunk(0x0001, &header, &[u32s(&offsets), data].concat())
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apk::extract;
    use crate::packages::Component;

    #[test]
    fn a_package_is_an_archive_of_manifest_and_table() {
        let package = Package {
            name: "org.example.a".to_owned(),
            label: "Settings".to_owned(),
            launcher: Component::parse("org.example.a/.Main"),
            system: false,
            version_name: "1".to_owned(),
        };
        let file = build(&package);
        assert!(file.starts_with(b"PK\x03\x04"));
        let manifest = extract(&file, "AndroidManifest.xml").unwrap();
        let table = extract(&file, "resources.arsc").unwrap();
        for (chunk, kind) in [(&manifest, 3), (&table, 2)] {
            assert_eq!(u16::from_le_bytes([chunk[0], chunk[1]]), kind);
            let size = u32::from_le_bytes([chunk[4], chunk[5], chunk[6], chunk[7]]);
            assert_eq!(number(chunk.len()), size);
        }
        assert!(table.windows(6).any(|it| it == "设置".as_bytes()));
        assert_eq!(extract(&file, "classes.dex"), None);
        assert_eq!(extract(b"PK", "resources.arsc"), None);
    }
}
