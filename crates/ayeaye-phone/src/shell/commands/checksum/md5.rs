//! MD5 of RFC 1321, for `md5sum`. It protects nothing here.

/// How far each step of a round rotates.
const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
const BLOCK: usize = 64;

#[derive(Debug)]
pub(super) struct Md5 {
    state: [u32; 4],
    constants: [u32; BLOCK],
    /// What does not fill a block yet.
    rest: Vec<u8>,
    /// All bytes so far.
    length: u64,
}

impl Default for Md5 {
    fn default() -> Self {
        let state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
        let constants = std::array::from_fn(constant);
        Self { state, constants, rest: Vec::new(), length: 0 }
    }
}

impl Md5 {
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if !self.rest.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.rest.len()));
            self.rest.extend_from_slice(now);
            bytes = later;
            if self.rest.len() < BLOCK {
                return;
            }
            let block = std::mem::take(&mut self.rest);
            self.block(&block);
        }
        let blocks = bytes.chunks_exact(BLOCK);
        self.rest.extend_from_slice(blocks.remainder());
        blocks.for_each(|block| self.block(block));
    }

    pub(super) fn finish(mut self) -> [u8; 16] {
        let bits = self.length.wrapping_mul(8);
        let mut end = vec![0x80];
        while (self.rest.len() + end.len()) % BLOCK != BLOCK - 8 {
            end.push(0);
        }
        end.extend_from_slice(&bits.to_le_bytes());
        self.update(&end);
        let mut digest = [0; 16];
        for (to, word) in digest.chunks_exact_mut(4).zip(self.state) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        digest
    }

    fn block(&mut self, block: &[u8]) {
        let mut words = [0_u32; 16];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        let [mut a, mut b, mut c, mut d] = self.state;
        for step in 0..BLOCK {
            let (mixed, word) = match step / 16 {
                0 => (b & c | !b & d, step),
                1 => (d & b | !d & c, 5 * step + 1),
                2 => (b ^ c ^ d, 3 * step + 5),
                _ => (c ^ (b | !d), 7 * step),
            };
            let sum = a
                .wrapping_add(mixed)
                .wrapping_add(self.constants[step])
                .wrapping_add(words[word % 16]);
            let turned = b.wrapping_add(sum.rotate_left(SHIFTS[step / 16][step % 4]));
            (a, d, c, b) = (d, c, b, turned);
        }
        for (state, new) in self.state.iter_mut().zip([a, b, c, d]) {
            *state = state.wrapping_add(new);
        }
    }
}

/// The whole part of 2³² times the sine of each step's number, counted from 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "between 0 and 2 to the 32nd"
)]
fn constant(step: usize) -> u32 {
    (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pieces: &[&[u8]]) -> String {
        let mut hash = Md5::default();
        for piece in pieces {
            hash.update(piece);
        }
        format!("{:032x}", u128::from_be_bytes(hash.finish()))
    }

    #[test]
    fn digests_are_those_of_the_rfc() {
        assert_eq!(of(&[]), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(of(&[b"abc"]), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(of(&[b"message ", b"digest"]), "f96b697d7cb7938d525a2f31aaf161d0");
        let digits = b"1234567890".repeat(8);
        assert_eq!(of(&[&digits]), "57edf4a22be3c955ac49da2e2107b67a");
        assert_eq!(of(&[&digits[..60], &digits[60..]]), "57edf4a22be3c955ac49da2e2107b67a");
    }
}
