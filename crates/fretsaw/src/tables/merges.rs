//! Pair of ids -> rank, and rank -> merged id, flat.
//!
//! An open-addressed table with linear probing at a load of at most one half; a slot is 12 bytes
//! (left, right, rank). What a merge makes is looked up by its rank. A pair that is given twice
//! keeps its last rank, as the oracle does.

use super::fret::{Reader, Writer};
use super::index::fold;
use super::Array;
use crate::error::LoadError;

/// The rank that stands for "this pair does not merge".
pub const NO_MERGE: u32 = u32::MAX;

/// Ranks of pairs, and what each rank makes.
#[derive(Debug)]
pub struct MergeTable {
    /// `[left, right, rank]`; a free slot has the rank [`NO_MERGE`].
    slots: Array<[u32; 3]>,
    /// The id that the merge of each rank makes.
    results: Array<u32>,
    shift: u32,
}

/// A borrowed [`MergeTable`], for loops that look up many pairs.
#[derive(Clone, Copy)]
pub struct MergeView<'a> {
    slots: &'a [[u32; 3]],
    results: &'a [u32],
    shift: u32,
}

impl MergeTable {
    /// Builds the table from `[left, right, rank, merged]`; a rank always makes the same id.
    pub fn build(merges: &[[u32; 4]]) -> Self {
        let size = (merges.len() * 2 + 2).next_power_of_two().max(16);
        let shift = 64 - size.trailing_zeros();
        let mut slots = vec![[0, 0, NO_MERGE]; size];
        let ranks = merges.iter().map(|merge| merge[2] as usize + 1).max().unwrap_or(0);
        let mut results = vec![0; ranks];
        for &[left, right, rank, merged] in merges {
            results[rank as usize] = merged;
            let mut at = bucket(left, right, shift);
            while slots[at][2] != NO_MERGE && (slots[at][0], slots[at][1]) != (left, right) {
                at = (at + 1) & (size - 1);
            }
            slots[at] = [left, right, rank];
        }
        Self { slots: slots.into(), results: results.into(), shift }
    }

    /// Writes the table under two names.
    pub fn store(&self, writer: &mut Writer, names: [&'static str; 2]) {
        writer.array(names[0], self.slots.as_slice());
        writer.array(names[1], self.results.as_slice());
    }

    /// The table that was written so, in place; what merges make is below `id_end`.
    pub fn stored(
        reader: &Reader,
        names: [&'static str; 2],
        id_end: u32,
    ) -> Result<Self, LoadError> {
        let slots: Array<[u32; 3]> = reader.array(names[0])?;
        let results: Array<u32> = reader.array(names[1])?;
        let size = slots.as_slice().len();
        // A free slot ends every search.
        let sized = size.is_power_of_two()
            && size > 1
            && slots.as_slice().iter().any(|slot| slot[2] == NO_MERGE);
        let inside = results.as_slice().iter().fold(true, |so_far, &id| so_far & (id < id_end));
        let shift = 64 - size.trailing_zeros();
        (sized && inside).then_some(Self { slots, results, shift }).ok_or_else(|| reader.broken())
    }

    /// The merges as [`MergeTable::build`] takes them, in no order.
    pub fn to_list(&self) -> Vec<[u32; 4]> {
        let merge = |&[left, right, rank]: &[u32; 3]| [left, right, rank, self.view().merged(rank)];
        self.slots.as_slice().iter().filter(|slot| slot[2] != NO_MERGE).map(merge).collect()
    }

    /// The table as slices.
    #[inline]
    pub fn view(&self) -> MergeView<'_> {
        MergeView {
            slots: self.slots.as_slice(),
            results: self.results.as_slice(),
            shift: self.shift,
        }
    }

    /// The id that the merge of each rank makes.
    pub fn results(&self) -> &[u32] {
        self.results.as_slice()
    }
}

impl MergeView<'_> {
    /// The rank of merging `left` and `right`, or [`NO_MERGE`].
    #[inline]
    pub fn rank(&self, left: u32, right: u32) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = bucket(left, right, self.shift);
        loop {
            let slot = &self.slots[at & mask];
            if slot[0] == left && slot[1] == right || slot[2] == NO_MERGE {
                return slot[2];
            }
            at += 1;
        }
    }

    /// What the merge of this rank makes.
    #[inline]
    pub fn merged(&self, rank: u32) -> u32 {
        // A rank is one of the table's, unless a file was made to hurt.
        self.results.get(rank as usize).copied().unwrap_or(0)
    }
}

#[inline]
fn bucket(left: u32, right: u32, shift: u32) -> usize {
    let key = u64::from(left) << 32 | u64::from(right);
    (fold(key, 0x9E37_79B9_7F4A_7C15).wrapping_mul(0xD6E8_FEB8_6659_FD93) >> shift) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_each_pair_with_its_last_rank() {
        let mut merges: Vec<[u32; 4]> =
            (0..3000).map(|i| [i * 7 % 997, i, i, 10_000 + i]).collect();
        merges.push([0, 0, 3000, 77]);
        let table = MergeTable::build(&merges);
        let view = table.view();
        for &[left, right, rank, merged] in &merges[1..] {
            assert_eq!(view.rank(left, right), rank);
            assert_eq!(view.merged(rank), merged);
        }
        assert_eq!(view.rank(0, 0), 3000, "a repeated merge keeps its last rank");
        assert_eq!(view.rank(998, 1), NO_MERGE);
        assert!(table.results().contains(&77) && !table.results().contains(&78));
        assert_eq!(MergeTable::build(&[]).view().rank(0, 0), NO_MERGE);
        let mut listed = table.to_list();
        listed.sort_unstable_by_key(|merge| merge[2]);
        assert_eq!(listed, merges[1..]);
    }
}
