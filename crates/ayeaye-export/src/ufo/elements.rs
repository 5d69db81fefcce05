//! The elements of a kept screen.
use ayeaye_agent::Elements;
use ayeaye_agent::journal::BlobRef;

use crate::Blobs;

/// A larger dump is not read: no screen needs it.
const LONGEST: usize = 8 << 20;

/// The elements of a kept dump; none if it cannot be had or is no dump.
pub(super) fn read(dump: &BlobRef, blobs: &dyn Blobs) -> Elements {
    let bytes = blobs.blob(dump).ok().filter(|bytes| bytes.len() <= LONGEST);
    let read = |bytes: bytes::Bytes| Elements::read(&String::from_utf8_lossy(&bytes));
    bytes.and_then(read).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::JournalError;
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug)]
    struct Only(Bytes);

    impl Blobs for Only {
        fn blob(&self, _blob: &BlobRef) -> Result<Bytes, JournalError> {
            Ok(self.0.clone())
        }
    }

    fn count(bytes: Vec<u8>) -> usize {
        let dump = BlobRef { sha256: String::new(), bytes: 0, media_type: String::new() };
        read(&dump, &Only(bytes.into())).iter().count()
    }

    #[test]
    fn depth_size_and_entities_are_no_danger() {
        let node = "<node bounds=\"[0,0][9,9]\">";
        let nested = |depth: usize| node.repeat(depth) + &"</node>".repeat(depth);
        assert_eq!(count(nested(2_000).into()), 2_000);
        // Far deeper than any stack.
        count(nested(200_000).into());
        count(node.repeat(200_000).into());
        assert_eq!(count(vec![b' '; LONGEST + 1]), 0);
        assert_eq!(count(b"<!DOCTYPE a [<!ENTITY b \"bb\">]><node text=\"&b;\"/>".to_vec()), 0);
        assert_eq!(count(b"\xff\xfe".to_vec()), 0);
    }

    proptest! {
        #[test]
        fn nothing_is_feared(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            count(bytes);
        }
    }
}
