//! Short pieces as one 16-byte key: up to 15 bytes of text and their number in the top byte.
//!
//! Hash and comparison then happen in registers. The fast way is one unaligned 16-byte load and a
//! mask; its twin copies bytes.

/// The longest piece that fits a key.
pub const SHORT: usize = 15;

/// The key of a short piece, little-endian halves. Never zero: the length is in the top byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ShortKey {
    pub low: u64,
    pub high: u64,
}

impl ShortKey {
    /// Whether it is the key of no piece.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.high == 0
    }

    /// A 64-bit hash, all bits of which are good: both halves multiplied, as wyhash does it.
    #[inline(always)]
    pub fn hash(self) -> u64 {
        // The second number has more in its top byte than any length, so that it makes no zero.
        let low = u128::from(self.low ^ 0x9E37_79B9_7F4A_7C15);
        let wide = low * u128::from(self.high ^ 0xD6E8_FEB8_6659_FD93);
        wide as u64 ^ (wide >> 64) as u64
    }

    /// Whether two keys differ: 0 if they don't.
    #[inline(always)]
    pub fn difference(self, other: Self) -> u64 {
        (self.low ^ other.low) | (self.high ^ other.high)
    }

    /// The bytes of the piece and how many they are.
    pub fn bytes(self) -> ([u8; 16], usize) {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.low.to_le_bytes());
        bytes[8..].copy_from_slice(&self.high.to_le_bytes());
        let len = usize::from(std::mem::take(&mut bytes[15]));
        (bytes, len)
    }
}

/// The key of `text[start..start + len]`; `len` is 1 to [`SHORT`].
#[inline(always)]
pub fn short_key(text: &[u8], start: usize, len: usize) -> ShortKey {
    debug_assert!((1..=SHORT).contains(&len));
    match text.get(start..start + 16) {
        Some(bytes) => masked_key(bytes, len),
        None => key_at_end(text, start, len),
    }
}

/// The same within 16 bytes of the end, where the last 16 are read and shifted.
#[inline]
fn key_at_end(text: &[u8], start: usize, len: usize) -> ShortKey {
    match text.last_chunk::<16>() {
        Some(last) => {
            let before = 16 - (text.len() - start);
            masked_key(&(u128::from_le_bytes(*last) >> (8 * before)).to_le_bytes(), len)
        }
        None => copied_key(&text[start..start + len]),
    }
}

/// From 16 readable bytes, of which the first `len` count.
#[inline(always)]
fn masked_key(bytes: &[u8], len: usize) -> ShortKey {
    let mut halves = [[0u8; 8]; 2];
    halves[0].copy_from_slice(&bytes[..8]);
    halves[1].copy_from_slice(&bytes[8..16]);
    let low = u64::from_le_bytes(halves[0]);
    let high = u64::from_le_bytes(halves[1]);
    let [low_mask, high_mask] = MASKS[len & SHORT];
    ShortKey { low: low & low_mask, high: high & high_mask | (len as u64) << 56 }
}

/// The bytes that count, by their number.
const MASKS: [[u64; 2]; SHORT + 1] = {
    let mut masks = [[0; 2]; SHORT + 1];
    let mut len = 0;
    while len <= SHORT {
        let all = (1u128 << (8 * len)) - 1;
        masks[len] = [all as u64, (all >> 64) as u64];
        len += 1;
    }
    masks
};

/// The twin: byte by byte, from just the piece.
fn copied_key(piece: &[u8]) -> ShortKey {
    let mut bytes = [0u8; 16];
    bytes[..piece.len()].copy_from_slice(piece);
    bytes[15] = piece.len() as u8;
    let mut halves = [[0u8; 8]; 2];
    halves[0].copy_from_slice(&bytes[..8]);
    halves[1].copy_from_slice(&bytes[8..]);
    ShortKey { low: u64::from_le_bytes(halves[0]), high: u64::from_le_bytes(halves[1]) }
}

/// Asks for the cache line of `slice[at]`; a hint, with no effect on results.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(item) = slice.get(at) {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        // SAFETY: the address is that of a live element; a prefetch reads nothing visible.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_make_the_same_key_and_it_reads_back() {
        let text: Vec<u8> = (0..64).map(|i| (i * 37 + 11) as u8).collect();
        for start in 0..64 {
            for len in 1..=SHORT.min(64 - start) {
                let piece = &text[start..start + len];
                let key = short_key(&text, start, len);
                assert_eq!(key, copied_key(piece), "{start} {len}");
                let (bytes, back) = key.bytes();
                assert_eq!(&bytes[..back], piece);
            }
        }
    }

    #[test]
    fn nul_bytes_count() {
        assert_ne!(short_key(b"a\0", 0, 1), short_key(b"a\0", 0, 2));
    }
}
