//! Bytes -> id, flat: an open-addressed hash table of ids over a [`TokenTable`].
//!
//! A slot is 4 bytes: 8 bits of the hash and, in the other 24, `id + 1` (0 is empty). Where those
//! bits are the same, the key is compared with the token's bytes. The load is at most one half;
//! probing is linear. The hash is fixed (the table may lie in a file) but for a seed: a vocabulary
//! whose tokens fall on one another, by chance or on purpose, is given another one.

use super::fret::{Reader, Writer};
use super::{Array, TokenTable};
use crate::error::LoadError;

/// Ids of an index are below this: one more has to fit its 24 bits.
pub const INDEX_LIMIT: u32 = (1 << 24) - 1;

/// Finds the id of a token from its bytes.
#[derive(Debug)]
pub struct TokenIndex {
    slots: Array<u32>,
    seed: u64,
}

/// More taken slots in a row than this, and another seed is tried.
const LONGEST_PROBE: usize = 1024;

/// How many seeds are tried; the last one is kept whatever its probes.
const SEEDS: u64 = 16;

/// Two tokens of an index are the same.
#[derive(Debug)]
pub struct Repeated;

/// Why an index was not made.
enum Fault {
    Repeated,
    LongProbe,
}

impl TokenIndex {
    /// Indexes the ids of `ids`, all below [`INDEX_LIMIT`], by their bytes in `table`; refuses two
    /// that are the same.
    pub fn build(table: &TokenTable, ids: &[u32]) -> Result<Self, Repeated> {
        let mut seed = 0;
        loop {
            match Self::with_seed(table, ids, seed) {
                Ok(index) => return Ok(index),
                Err(Fault::LongProbe) => seed += 1,
                Err(Fault::Repeated) => return Err(Repeated),
            }
        }
    }

    fn with_seed(table: &TokenTable, ids: &[u32], seed: u64) -> Result<Self, Fault> {
        let size = (ids.len().max(1) * 2).next_power_of_two();
        let mut slots = vec![0u32; size];
        for &id in ids {
            let key = table.get(id).unwrap_or_default();
            let hash = seeded(key, seed);
            let mut at = hash as usize & (size - 1);
            let mut probes = 0;
            while slots[at] != 0 {
                if slots[at] >> 24 == tag(hash) && table.get(id_of(slots[at])) == Some(key) {
                    return Err(Fault::Repeated);
                }
                at = (at + 1) & (size - 1);
                probes += 1;
            }
            if probes > LONGEST_PROBE && seed < SEEDS {
                return Err(Fault::LongProbe);
            }
            slots[at] = tag(hash) << 24 | (id + 1);
        }
        Ok(Self { slots: slots.into(), seed })
    }

    /// Writes the index under two names.
    pub fn store(&self, writer: &mut Writer, names: [&'static str; 2]) {
        writer.array(names[0], self.slots.as_slice());
        writer.array(names[1], &[self.seed]);
    }

    /// The index that was written so, in place.
    pub fn stored(reader: &Reader, names: [&'static str; 2]) -> Result<Self, LoadError> {
        let slots: Array<u32> = reader.array(names[0])?;
        let seed: Array<u64> = reader.array(names[1])?;
        let &[seed] = seed.as_slice() else { return Err(reader.broken()) };
        // A free slot ends every search.
        let sized = slots.as_slice().len().is_power_of_two() && slots.as_slice().contains(&0);
        sized.then_some(Self { slots, seed }).ok_or_else(|| reader.broken())
    }

    /// The id whose bytes are `key`.
    #[inline]
    pub fn get(&self, table: &TokenTable, key: &[u8]) -> Option<u32> {
        let slots = self.slots.as_slice();
        let mask = slots.len() - 1;
        let hash = seeded(key, self.seed);
        let mut at = hash as usize & mask;
        loop {
            let slot = slots[at];
            if slot == 0 {
                return None;
            }
            if slot >> 24 == tag(hash) && table.get(id_of(slot)) == Some(key) {
                return Some(id_of(slot));
            }
            at = (at + 1) & mask;
        }
    }
}

/// The id in a slot that is taken.
#[inline]
fn id_of(slot: u32) -> u32 {
    (slot & 0x00FF_FFFF).wrapping_sub(1)
}

/// The part of a hash that a slot holds: not the one that chose the slot.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 56) as u32
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
        let ids: Vec<u32> = (0..words.len() as u32).collect();
        let index = TokenIndex::build(&table, &ids).expect("distinct");
        for (id, word) in words.iter().enumerate() {
            assert_eq!(index.get(&table, word.as_bytes()), Some(id as u32));
        }
        assert_eq!(index.get(&table, b"token"), None);
        assert_eq!(index.get(&table, b""), None);
    }

    #[test]
    fn two_equal_tokens_are_refused() {
        let tokens = [&b"a"[..], b"b", b"a"];
        let table = TokenTable::build(3, (0..).zip(tokens)).expect("small");
        assert!(TokenIndex::build(&table, &[0, 1, 2]).is_err());
        let index = TokenIndex::build(&table, &[1, 2]).expect("distinct");
        assert_eq!(index.get(&table, b"a"), Some(2));
    }
}
