//! Raw captures that the phone has compressed, unpacked while they arrive.
use std::io::Write as _;

use bytes::BytesMut;
use flate2::write::GzDecoder;

use super::{describe, raw};

const MAGIC: &[u8] = b"\x1f\x8b";
const MAX_MESSAGE: usize = 4096;

/// Takes in the stream of `gzip`.
#[derive(Debug)]
pub(super) struct Unpacker {
    decoder: GzDecoder<raw::Reader>,
    begun: bool,
    broken: Option<String>,
}

impl Unpacker {
    pub(super) fn new(reader: raw::Reader) -> Self {
        Self { decoder: GzDecoder::new(reader), begun: false, broken: None }
    }

    /// Takes out what has come and unpacks it; a message instead of it is left. False when it is of no use to
    /// go on.
    pub(super) fn take(&mut self, came: &mut BytesMut) -> bool {
        if !self.begun {
            // The first two bytes tell whether it is one at all.
            if came.len() < MAGIC.len() {
                return true;
            }
            if !came.starts_with(MAGIC) {
                // A message instead, read to its end; pixels are of no use here.
                return came.len() < MAX_MESSAGE;
            }
            self.begun = true;
        }
        if let Err(error) = self.decoder.write_all(came) {
            self.broken = Some(error.to_string());
        }
        came.clear();
        self.broken.is_none()
    }

    /// What was in it: complete and with the right checksum. `left` is what was not taken out.
    pub(super) fn finish(self, left: &[u8]) -> Result<raw::Reader, Unusable> {
        if !self.begun {
            return Err(if MAGIC.starts_with(left) {
                Unusable::Broken(describe(left))
            } else {
                Unusable::NotThere(describe(left))
            });
        }
        let broken =
            |reason| Unusable::Broken(format!("the compressed capture is broken: {reason}"));
        if let Some(reason) = self.broken {
            return Err(broken(reason));
        }
        self.decoder.finish().map_err(|error| broken(error.to_string()))
    }
}

/// Why there is nothing to unpack.
#[derive(Debug)]
pub(super) enum Unusable {
    /// The phone has no such program.
    NotThere(String),
    /// Cut or damaged.
    Broken(String),
}

#[cfg(test)]
mod tests {
    use ayeaye_frame::Earlier;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::super::MAX_BYTES;
    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(stream: &[u8], piece: usize) -> Result<raw::Reader, Unusable> {
        let mut unpacker = Unpacker::new(raw::Reader::new(Earlier::default()));
        let mut left = BytesMut::new();
        for part in stream.chunks(piece) {
            left.extend_from_slice(part);
            if !unpacker.take(&mut left) {
                break;
            }
        }
        unpacker.finish(&left)
    }

    #[test]
    fn it_is_whole_however_it_arrives_or_refused() {
        let pixels = (0..1200_u32).flat_map(|n| (n / 7).to_le_bytes());
        let head = [30_u32, 40, 1, 0].into_iter().flat_map(u32::to_le_bytes);
        let bytes: Vec<u8> = head.chain(pixels).collect();
        let stream = packed(&bytes);
        for piece in [1, 2, 3, 100, 1 << 20] {
            let frame = unpacked(&stream, piece).unwrap().finish().unwrap();
            assert_eq!(frame.rgba(), &bytes[16..], "{piece}");
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
        let mut unpacker = Unpacker::new(raw::Reader::new(Earlier::default()));
        let pixels = |length: usize| BytesMut::from(&vec![7; length][..]);
        let (few, many) = (&mut pixels(100), &mut pixels(MAX_MESSAGE));
        assert!(unpacker.take(few) && !unpacker.take(many), "raw pixels");
    }

    #[test]
    fn a_bomb_is_given_up() {
        let stream = packed(&vec![0; MAX_BYTES + 1000]);
        assert!(matches!(unpacked(&stream, 64 * 1024), Err(Unusable::Broken(_))));
    }
}
