//! Raw captures that the phone has compressed, unpacked while they arrive.
use std::io::Write as _;

use flate2::write::GzDecoder;

use super::{MAX_BYTES, describe};

const MAGIC: &[u8] = b"\x1f\x8b";
const MAX_MESSAGE: usize = 4096;

/// Takes in the stream of `gzip`.
#[derive(Debug)]
pub(super) struct Unpacker {
    decoder: GzDecoder<Vec<u8>>,
    taken: usize,
    broken: Option<String>,
}

impl Unpacker {
    /// For about so many bytes.
    pub(super) fn new(expected: usize) -> Self {
        let room = Vec::with_capacity(expected.min(MAX_BYTES));
        Self { decoder: GzDecoder::new(room), taken: 0, broken: None }
    }

    /// Unpacks what is new in `stream`, which is everything since its beginning. False when it is of
    /// no use to go on.
    pub(super) fn take(&mut self, stream: &[u8]) -> bool {
        // The first two bytes tell whether it is one at all.
        if stream.len() < MAGIC.len() {
            return true;
        }
        if !stream.starts_with(MAGIC) {
            // A message instead, read to its end; pixels are of no use here.
            return stream.len() < MAX_MESSAGE;
        }
        let new = stream.get(self.taken..).unwrap_or_default();
        self.taken = stream.len();
        if let Err(error) = self.decoder.write_all(new) {
            self.broken = Some(error.to_string());
        } else if MAX_BYTES < self.decoder.get_ref().len() {
            self.broken = Some(format!("it has more than {MAX_BYTES} bytes"));
        }
        self.broken.is_none()
    }

    /// What was in it: complete and with the right checksum.
    pub(super) fn finish(self, stream: &[u8]) -> Result<Vec<u8>, Unusable> {
        if !stream.starts_with(MAGIC) {
            return Err(if MAGIC.starts_with(stream) {
                Unusable::Broken(describe(stream))
            } else {
                Unusable::NotThere(describe(stream))
            });
        }
        let broken =
            |reason| Unusable::Broken(format!("the compressed capture is broken: {reason}"));
        if let Some(reason) = self.broken {
            return Err(broken(reason));
        }
        match self.decoder.finish() {
            Ok(bytes) if bytes.len() <= MAX_BYTES => Ok(bytes),
            Ok(_) => Err(broken(format!("it has more than {MAX_BYTES} bytes"))),
            Err(error) => Err(broken(error.to_string())),
        }
    }
}

/// Why there is nothing to unpack.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// The phone has no such program.
    NotThere(String),
    /// Cut or damaged.
    Broken(String),
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(stream: &[u8], piece: usize) -> Result<Vec<u8>, Unusable> {
        let mut unpacker = Unpacker::new(10);
        let ends = (piece..stream.len()).step_by(piece).chain([stream.len()]);
        for end in ends {
            if !unpacker.take(&stream[..end]) {
                break;
            }
        }
        unpacker.finish(stream)
    }

    #[test]
    fn it_is_whole_however_it_arrives_or_refused() {
        let bytes: Vec<u8> = (0..5000_u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        let stream = packed(&bytes);
        for piece in [1, 2, 3, 100, 1 << 20] {
            assert_eq!(unpacked(&stream, piece), Ok(bytes.clone()), "{piece}");
        }
        for end in 0..stream.len() {
            let cut = unpacked(&stream[..end], 64);
            assert!(matches!(cut, Err(Unusable::Broken(_) | Unusable::NotThere(_))), "{end}");
        }
        let mut damaged = stream.clone();
        damaged[stream.len() / 2] ^= 0x10;
        assert!(matches!(unpacked(&damaged, 64), Err(Unusable::Broken(_))));
    }

    #[test]
    fn a_phone_without_the_program_is_told_from_a_broken_stream() {
        let message = b"/system/bin/sh: gzip: inaccessible or not found\n";
        let Err(Unusable::NotThere(told)) = unpacked(message, 5) else { panic!("it is not there") };
        assert!(told.contains("gzip: inaccessible"), "{told}");
        assert!(matches!(unpacked(b"", 5), Err(Unusable::Broken(_))));
        let mut unpacker = Unpacker::new(10);
        assert!(unpacker.take(&[7; 100]) && !unpacker.take(&[7; MAX_MESSAGE]), "raw pixels");
    }

    #[test]
    fn a_bomb_is_given_up() {
        let stream = packed(&vec![0; MAX_BYTES + 1000]);
        assert!(matches!(unpacked(&stream, 64 * 1024), Err(Unusable::Broken(_))));
    }
}
