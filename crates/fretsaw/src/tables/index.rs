//! Bytes -> id, flat: an open-addressed hash table of ids over a [`TokenTable`].
//!
//! A slot holds a part of the hash and `id + 1` (0 is empty); where the part is the same, the key is
//! compared with the token's bytes. 8 bytes a slot, at a load of at most one half; probing is
//! linear. The hash is fixed (the table may lie in a file) but for a seed: a vocabulary whose
//! tokens fall on one another, by chance or on purpose, is given another one.

use super::{Array, TokenTable};

/// Finds the id of a token from its bytes.
#[derive(Debug)]
pub struct TokenIndex {
    slots: Array<[u32; 2]>,
    seed: u64,
}

/// More taken slots in a row than this, and another seed is tried.
const LONGEST_PROBE: usize = 1024;

/// How many seeds are tried; the last one is kept whatever its probes.
const SEEDS: u64 = 16;

impl TokenIndex {
    /// Indexes the ids of `ids` by their bytes in `table`, which differ.
    pub fn build(table: &TokenTable, ids: impl ExactSizeIterator<Item = u32> + Clone) -> Self {
        let mut seed = 0;
        loop {
            match Self::with_seed(table, ids.clone(), seed) {
                Some(index) => return index,
                None => seed += 1,
            }
        }
    }

    fn with_seed(
        table: &TokenTable,
        ids: impl ExactSizeIterator<Item = u32>,
        seed: u64,
    ) -> Option<Self> {
        let size = (ids.len().max(1) * 2).next_power_of_two();
        let mut slots = vec![[0u32; 2]; size];
        for id in ids {
            let hash = seeded(table.get(id).unwrap_or_default(), seed);
            let mut at = hash as usize & (size - 1);
            let mut probes = 0;
            while slots[at][1] != 0 {
                at = (at + 1) & (size - 1);
                probes += 1;
            }
            if probes > LONGEST_PROBE && seed < SEEDS {
                return None;
            }
            slots[at] = [tag(hash), id + 1];
        }
        Some(Self { slots: slots.into(), seed })
    }

    /// The id whose bytes are `key`.
    #[inline]
    pub fn get(&self, table: &TokenTable, key: &[u8]) -> Option<u32> {
        let slots = self.slots.as_slice();
        let mask = slots.len() - 1;
        let hash = seeded(key, self.seed);
        let mut at = hash as usize & mask;
        loop {
            let [found, id] = slots[at];
            if id == 0 {
                return None;
            }
            if found == tag(hash) && table.get(id - 1) == Some(key) {
                return Some(id - 1);
            }
            at = (at + 1) & mask;
        }
    }
}

/// The part of a hash that a slot holds: not the one that chose the slot.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// A 64-bit hash of some bytes.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    seeded(bytes, 0)
}

/// 8 bytes at a time, folded multiplication, length and seed mixed in.
#[inline]
fn seeded(bytes: &[u8], seed: u64) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = (bytes.len() as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ seed << 32;
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
        let index = TokenIndex::build(&table, 0..words.len() as u32);
        for (id, word) in words.iter().enumerate() {
            assert_eq!(index.get(&table, word.as_bytes()), Some(id as u32));
        }
        assert_eq!(index.get(&table, b"token"), None);
        assert_eq!(index.get(&table, b""), None);
    }
}
