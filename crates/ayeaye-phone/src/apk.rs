//! Package files (APK): an archive, whose manifest says what is installed.
mod manifest;

use std::io::Read as _;

pub(crate) use self::manifest::Manifest;

/// Most bytes of one file of an archive once unpacked.
const MAX_ENTRY: u64 = 64 << 20;

/// A file of an archive by its name; `None` when there is none or it is damaged. One that is too large has
/// a byte more than that.
pub(crate) fn extract(archive: &[u8], name: &str) -> Option<Vec<u8>> {
    let archive = rawzip::ZipArchive::from_slice(archive).ok()?;
    let mut entries = archive.entries();
    loop {
        let entry = entries.next_entry().ok()??;
        if entry.file_path().as_ref() != name.as_bytes() {
            continue;
        }
        let method = entry.compression_method();
        let packed = archive.get_entry(entry.wayfinder()).ok()?;
        let mut content = Vec::new();
        let read = match method {
            rawzip::CompressionMethod::STORE => {
                packed.verifying_reader(packed.data()).take(MAX_ENTRY + 1).read_to_end(&mut content)
            }
            rawzip::CompressionMethod::DEFLATE => {
                let unpacked = flate2::bufread::DeflateDecoder::new(packed.data());
                packed.verifying_reader(unpacked).take(MAX_ENTRY + 1).read_to_end(&mut content)
            }
            _ => return None,
        };
        return read.ok().map(|_| content);
    }
}

/// Why a file cannot be installed, in the words of the package manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotAnApk {
    #[error("INSTALL_PARSE_FAILED_NOT_APK: Failed to parse base.apk")]
    NoArchive,
    #[error(
        "INSTALL_PARSE_FAILED_MANIFEST_MALFORMED: base.apk (at Binary XML file line #0): no package"
    )]
    NoManifest,
}

/// What a package file installs.
pub(crate) fn read(archive: &[u8]) -> Result<Manifest, NotAnApk> {
    rawzip::ZipArchive::from_slice(archive).map_err(|_| NotAnApk::NoArchive)?;
    extract(archive, "AndroidManifest.xml")
        .and_then(|xml| Manifest::read(&xml))
        .ok_or(NotAnApk::NoManifest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A string as the format has it: both its lengths, and a zero at the end.
    fn pool(strings: &[&str]) -> Vec<u8> {
        let (mut offsets, mut data) = (Vec::new(), Vec::new());
        for text in strings {
            offsets.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
            data.extend([
                u8::try_from(text.chars().count()).unwrap(),
                u8::try_from(text.len()).unwrap(),
            ]);
            data.extend(text.as_bytes());
            data.push(0);
        }
        data.resize(data.len().next_multiple_of(4), 0);
        let start = 28 + offsets.len();
        let words = [
            0x001c_0001,
            u32::try_from(start + data.len()).unwrap(),
            u32::try_from(strings.len()).unwrap(),
            0,
            0x100,
            u32::try_from(start).unwrap(),
            0,
        ];
        [words.map(u32::to_le_bytes).concat(), offsets, data].concat()
    }

    /// The beginning of an element with attributes that are strings.
    fn start(name: u32, attributes: &[[u32; 2]]) -> Vec<u8> {
        let size = 36 + 20 * u32::try_from(attributes.len()).unwrap();
        let count = u32::try_from(attributes.len()).unwrap();
        let head = [0x0010_0102, size, 1, u32::MAX, u32::MAX, name, 0x0014_0014, count, 0];
        let mut words = head.to_vec();
        for [name, value] in attributes {
            words.extend([u32::MAX, *name, *value, 0x0300_0008, *value]);
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }

    fn end(name: u32) -> Vec<u8> {
        [0x0010_0103, 24, 1, u32::MAX, u32::MAX, name].map(u32::to_le_bytes).concat()
    }

    #[test]
    fn a_manifest_says_what_is_installed_and_what_its_icon_starts() {
        let strings = [
            "manifest",
            "package",
            "com.example.app",
            "versionName",
            "1.2",
            "application",
            "label",
            "Äpp",
            "activity",
            "name",
            ".Main",
            "intent-filter",
            "action",
            "android.intent.action.MAIN",
            "category",
            "android.intent.category.LAUNCHER",
            ".Other",
        ];
        let body = [
            pool(&strings),
            start(0, &[[1, 2], [3, 4]]),
            start(5, &[[6, 7]]),
            start(8, &[[9, 16]]),
            start(11, &[]),
            start(12, &[[9, 13]]),
            end(12),
            end(11),
            end(8),
            start(8, &[[9, 10]]),
            start(11, &[]),
            start(12, &[[9, 13]]),
            end(12),
            start(14, &[[9, 15]]),
            end(14),
            end(11),
            end(8),
            end(5),
            end(0),
        ]
        .concat();
        let size = u32::try_from(body.len() + 8).unwrap();
        let xml =
            [0x0008_0003_u32.to_le_bytes().to_vec(), size.to_le_bytes().to_vec(), body].concat();
        let expected = Manifest {
            package: "com.example.app".to_owned(),
            version_name: "1.2".to_owned(),
            label: Some("Äpp".to_owned()),
            launcher: Some(".Main".to_owned()),
        };
        assert_eq!(Manifest::read(&xml).as_ref(), Some(&expected));
        for cut in 0..xml.len() {
            // Whatever is missing, it ends by itself.
            Manifest::read(&xml[..cut]);
        }
        let mut archive = rawzip::ZipArchiveWriter::new(Vec::new());
        let (mut entry, config) = archive.new_file("AndroidManifest.xml").start().unwrap();
        let mut writer = config.wrap(&mut entry);
        std::io::Write::write_all(&mut writer, &xml).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
        let archive = archive.finish().unwrap();
        assert_eq!(read(&archive), Ok(expected));
        assert_eq!(read(b"no archive"), Err(NotAnApk::NoArchive));
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            prop_assert!(read(&bytes).is_err());
            Manifest::read(&bytes);
        }
    }
}
