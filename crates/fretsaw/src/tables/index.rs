//! Bytes -> id, flat: an open-addressed hash table of ids over a [`TokenTable`].
//!
//! A slot holds `id + 1` (0 is empty) and the key is compared with the token's bytes, so the
//! table is 4 bytes a slot at a load of at most one half. Probing is linear. The hash is fixed
//! (the table may lie in a file) and mixes 8 bytes at a time by a folded 64-bit multiplication.

use super::{Array, TokenTable};

/// Finds the id of a token from its bytes.
#[derive(Debug)]
pub struct TokenIndex {
    slots: Array<u32>,
}

impl TokenIndex {
    /// Indexes `entries`; where the same bytes come twice, the last entry stands.
    ///
    /// Every entry's id must have exactly its bytes in `table`, or the entry is not found later.
    pub fn build<'a>(
        table: &TokenTable,
        count: usize,
        entries: impl Iterator<Item = (&'a [u8], u32)>,
    ) -> Self {
        let size = (count.max(1) * 2).next_power_of_two();
        let mut slots = vec![0u32; size];
        for (key, id) in entries {
            let mut at = hash(key) as usize & (size - 1);
            loop {
                match slots[at] {
                    0 => break,
                    taken if table.get(taken - 1) == Some(key) => break,
                    _ => at = (at + 1) & (size - 1),
                }
            }
            slots[at] = id + 1;
        }
        Self { slots: slots.into() }
    }

    /// The id whose bytes are `key`.
    #[inline]
    pub fn get(&self, table: &TokenTable, key: &[u8]) -> Option<u32> {
        let slots = self.slots.as_slice();
        let mask = slots.len() - 1;
        let mut at = hash(key) as usize & mask;
        loop {
            match slots[at] {
                0 => return None,
                slot if table.get(slot - 1) == Some(key) => return Some(slot - 1),
                _ => at = (at + 1) & mask,
            }
        }
    }
}

/// A 64-bit hash of some bytes: 8 at a time, folded multiplication, length mixed in.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = (bytes.len() as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().unwrap_or_default());
        state = fold(state ^ word, MULTIPLIER);
    }
    let mut last = [0u8; 8];
    let rest = chunks.remainder();
    last[..rest.len()].copy_from_slice(rest);
    fold(state ^ u64::from_le_bytes(last), 0xA076_1D64_78BD_642F)
}

/// The two halves of the 128-bit product, mixed.
#[inline]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_token_and_nothing_else() {
        let words: Vec<String> = (0..5000).map(|i| format!("token{}", i * i)).collect();
        let table = TokenTable::build(
            words.len(),
            words.iter().enumerate().map(|(id, word)| (id as u32, word.as_bytes())),
        )
        .expect("small");
        let index =
            TokenIndex::build(&table, words.len(), table.iter().map(|(id, token)| (token, id)));
        for (id, word) in words.iter().enumerate() {
            assert_eq!(index.get(&table, word.as_bytes()), Some(id as u32));
        }
        assert_eq!(index.get(&table, b"token"), None);
        assert_eq!(index.get(&table, b""), None);
    }
}
