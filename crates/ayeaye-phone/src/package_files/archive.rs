//! Archives (ZIP) whose files are stored as they are, as `resources.arsc` has to be.

/// An archive of these files.
pub(super) fn build(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let offset = number(archive.len());
        let about = about(name, content);
        archive.extend_from_slice(b"PK\x03\x04");
        archive.extend_from_slice(&about);
        archive.extend_from_slice(name.as_bytes());
        archive.extend_from_slice(content);
        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&about);
        // No comment, one disk, no attributes.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let count = u16::try_from(files.len()).unwrap_or(u16::MAX).to_le_bytes();
    let (start, size) = (number(archive.len()), number(directory.len()));
    archive.append(&mut directory);
    archive.extend_from_slice(b"PK\x05\x06\x00\x00\x00\x00");
    archive.extend_from_slice(&[count, count].concat());
    archive.extend_from_slice(&[size.to_le_bytes(), start.to_le_bytes()].concat());
    archive.extend_from_slice(&[0; 2]);
    archive
}

/// What stands before a file and again in the directory: version, flags, method, time, check sum, sizes.
fn about(name: &str, content: &[u8]) -> Vec<u8> {
    let size = number(content.len()).to_le_bytes();
    let length = u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes();
    // The first of January 1980, as packagers write it.
    let head = [0x14, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
    [&head[..], &crc32(content).to_le_bytes(), &size, &size, &length, &[0, 0]].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg())
        })
    };
    !bytes.iter().fold(u32::MAX, step)
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_that_of_archives() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
