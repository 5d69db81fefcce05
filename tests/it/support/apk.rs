//! Package files as small as the package manager takes them: an archive with a binary manifest.
use std::io::Write as _;

/// A package file that installs an app of this name.
pub fn apk(package: &str) -> Vec<u8> {
    let body = [
        pool(&["manifest", "package", package, "versionName", "1.0"]),
        start(0, &[[1, 2], [3, 4]]),
        end(0),
    ]
    .concat();
    let size = u32::try_from(body.len() + 8).unwrap();
    let xml = [&0x0008_0003_u32.to_le_bytes()[..], &size.to_le_bytes(), &body].concat();
    let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
    let (mut entry, config) = archive.new_file("AndroidManifest.xml").start().unwrap();
    let mut writer = config.wrap(&mut entry);
    writer.write_all(&xml).unwrap();
    let (_, descriptor) = writer.finish().unwrap();
    entry.finish(descriptor).unwrap();
    archive.finish().unwrap()
}

/// The strings in UTF-8, each after its length in characters and in bytes.
fn pool(strings: &[&str]) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for text in strings {
        offsets.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        let lengths = [text.chars().count(), text.len()];
        data.extend(lengths.map(|length| u8::try_from(length).unwrap()));
        data.extend(text.as_bytes());
        data.push(0);
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let start = 28 + offsets.len();
    let sizes = [start + data.len(), strings.len(), start].map(|n| u32::try_from(n).unwrap());
    let head = [0x001c_0001, sizes[0], sizes[1], 0, 0x100, sizes[2], 0];
    [head.map(u32::to_le_bytes).concat(), offsets, data].concat()
}

/// The beginning of an element with attributes that are strings: names and values.
fn start(name: u32, attributes: &[[u32; 2]]) -> Vec<u8> {
    let count = u32::try_from(attributes.len()).unwrap();
    let mut words =
        vec![0x0010_0102, 36 + 20 * count, 1, u32::MAX, u32::MAX, name, 0x0014_0014, count, 0];
    for [name, value] in attributes {
        words.extend([u32::MAX, *name, *value, 0x0300_0008, *value]);
    }
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn end(name: u32) -> Vec<u8> {
    [0x0010_0103, 24, 1, u32::MAX, u32::MAX, name].map(u32::to_le_bytes).concat()
}
