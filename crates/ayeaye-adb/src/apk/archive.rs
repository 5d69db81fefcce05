//! Where the files of a package lie in it, from the end of its archive, so that a few pieces of it do.
use std::io::Read as _;

use flate2::read::DeflateDecoder;

/// The longest end of an archive: 22 bytes and a comment.
pub(crate) const LONGEST_END: u64 = 22 + 65_535;
/// What stands before a file in the archive, without its name and what else is said of it.
pub(crate) const LOCAL_HEADER: u64 = 30;

/// A piece of an archive: where it begins, and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteRange {
    pub(crate) at: u64,
    pub(crate) length: u64,
}

/// A file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArchivedFile {
    pub(crate) name: String,
    /// Where its local header begins.
    pub(crate) header: u64,
    pub(crate) packed: u64,
    method: u16,
}

/// Where the list of files is, from the last bytes of an archive.
pub(crate) fn directory(end: &[u8]) -> Option<ByteRange> {
    let at = end.windows(4).rposition(|four| four == b"PK\x05\x06")?;
    let end = &end[at..];
    Some(ByteRange { at: number(end, 16)?.into(), length: number(end, 12)?.into() })
}

/// The files in that list; what is cut off is left out.
pub(crate) fn files(directory: &[u8]) -> Vec<ArchivedFile> {
    let mut found = Vec::new();
    let mut rest = directory;
    while let Some((file, next)) = first_file(rest) {
        found.push(file);
        rest = next;
    }
    found
}

fn first_file(entry: &[u8]) -> Option<(ArchivedFile, &[u8])> {
    entry.strip_prefix(b"PK\x01\x02")?;
    let [name, extra, comment] = [short(entry, 28)?, short(entry, 30)?, short(entry, 32)?];
    let end = 46 + usize::from(name);
    let file = ArchivedFile {
        name: String::from_utf8_lossy(entry.get(46..end)?).into_owned(),
        header: number(entry, 42)?.into(),
        packed: number(entry, 20)?.into(),
        method: short(entry, 10)?,
    };
    Some((file, entry.get(end + usize::from(extra) + usize::from(comment)..)?))
}

impl ArchivedFile {
    /// Where its bytes are, from its local header.
    pub(crate) fn place(&self, header: &[u8]) -> Option<ByteRange> {
        header.strip_prefix(b"PK\x03\x04")?;
        let (name, extra) = (short(header, 26)?, short(header, 28)?);
        let at = self.header + LOCAL_HEADER + u64::from(name) + u64::from(extra);
        Some(ByteRange { at, length: self.packed })
    }

    /// Its content, at most so many bytes; `None` where it is packed in an unknown way, or broken.
    pub(crate) fn unpack(&self, packed: &[u8], most: usize) -> Option<Vec<u8>> {
        match self.method {
            0 => Some(packed.get(..most.min(packed.len()))?.to_vec()),
            8 => {
                let mut content = Vec::new();
                let mut decoder = DeflateDecoder::new(packed).take(most as u64);
                decoder.read_to_end(&mut content).ok()?;
                Some(content)
            }
            _ => None,
        }
    }
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const APK: &[u8] = include_bytes!("../../../../tests/it/samples/weather.apk");

    fn cut(piece: ByteRange) -> &'static [u8] {
        let at = usize::try_from(piece.at).unwrap();
        &APK[at..at + usize::try_from(piece.length).unwrap()]
    }

    #[test]
    fn the_files_of_a_package_are_found_and_unpacked() {
        let list = files(cut(directory(APK).unwrap()));
        let names: Vec<&str> = list.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["AndroidManifest.xml", "resources.arsc"]);
        for (file, length) in list.iter().zip([1412, 1372]) {
            let header = cut(ByteRange { at: file.header, length: LOCAL_HEADER });
            let content = file.unpack(cut(file.place(header).unwrap()), 10_000).unwrap();
            assert_eq!(content.len(), length);
            let known = crate::apk::leading_chunk(&content).unwrap();
            assert_eq!(known.bytes.len(), length, "a whole chunk");
            assert_eq!(file.unpack(cut(file.place(header).unwrap()), 7).unwrap().len(), 7);
        }
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(
            cut in 0..APK.len(), at in 0..APK.len(), byte: u8, tail in prop::collection::vec(any::<u8>(), 0..60)
        ) {
            let mut bytes = APK.to_vec();
            bytes[at] = byte;
            bytes.drain(..cut);
            bytes.extend(tail);
            let _ = directory(&bytes);
            for file in files(&bytes) {
                let _ = file.place(&bytes);
                drop(file.unpack(&bytes, 1000));
            }
        }
    }
}
