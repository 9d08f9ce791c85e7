//! The merge loop with dropout: a merge whose turn has come is put off with a given probability.
//!
//! What is put off comes back when the next merge is not, and is lost if none follows. Entries that
//! have gone stale take part in this like any other, as in the oracle, so that the distribution is
//! the same; the choices are reproducible here, and not there.
//!
//! Cost: O(n log n) for a probability away from 1.
//!
//! Source: Provilkov et al. 2020 (<https://aclanthology.org/2020.acl-main.170>); the queue of Hugging
//! Face tokenizers 0.23.3.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::model::random::Random;
use crate::tables::{MergeView, NO_MERGE};

/// Merges `symbols` in place, each merge put off with probability `dropout`.
pub fn merge_with_dropout(
    merges: MergeView<'_>,
    symbols: &mut Vec<u32>,
    dropout: f32,
    random: &mut Random,
) {
    merge_each(merges, symbols, Some((dropout, random)), |_, _| {});
    symbols.retain(|&symbol| symbol != GONE);
}

/// What a symbol becomes that another one took up.
pub const GONE: u32 = u32::MAX;

/// A place in the queue: the rank, the symbol and what it would become.
type Entry = Reverse<(u32, u32)>;

/// Merges symbols where they stand, with dropout or without: the left one becomes what both make, the
/// right one [`GONE`], and `merged` is told the places of both.
pub fn merge_each(
    merges: MergeView<'_>,
    symbols: &mut [u32],
    mut dropout: Option<(f32, &mut Random)>,
    mut merged: impl FnMut(usize, usize),
) {
    let count = symbols.len();
    let mut next: Vec<usize> = (1..=count).collect();
    let mut previous: Vec<usize> = (0..count).map(|at| at.wrapping_sub(1)).collect();
    let mut queue: BinaryHeap<Entry> = BinaryHeap::new();
    let queued = |queue: &mut BinaryHeap<Entry>, left: u32, right: u32, at: usize| {
        let rank = merges.rank(left, right);
        if rank != NO_MERGE {
            queue.push(Reverse((rank, at as u32)));
        }
    };
    for (at, pair) in symbols.windows(2).enumerate() {
        queued(&mut queue, pair[0], pair[1], at);
    }
    let mut put_off: Vec<Entry> = Vec::new();
    while let Some(entry) = queue.pop() {
        let waits = |(dropout, random): &mut (f32, &mut Random)| random.fraction() < *dropout;
        if dropout.as_mut().is_some_and(waits) {
            put_off.push(entry);
            continue;
        }
        queue.extend(put_off.drain(..));
        let Reverse((rank, at)) = entry;
        let at = at as usize;
        let right = next[at];
        if symbols[at] == GONE || right >= count {
            continue;
        }
        let now = merges.rank(symbols[at], symbols[right]);
        if now == NO_MERGE || merges.merged(now) != merges.merged(rank) {
            continue;
        }
        symbols[at] = merges.merged(rank);
        symbols[right] = GONE;
        merged(at, right);
        next[at] = next[right];
        if next[at] < count {
            previous[next[at]] = at;
        }
        if let Some(&left) = symbols.get(previous[at]) {
            queued(&mut queue, left, symbols[at], previous[at]);
        }
        if let Some(&right) = symbols.get(next[at]) {
            queued(&mut queue, symbols[at], right, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bpe::merge::rescan;
    use crate::tables::MergeTable;

    /// Merges of `a` = 0, aa = 1, aaaa = 2.
    fn merged(count: usize, dropout: f32, seed: u64) -> Vec<u32> {
        let table = MergeTable::build(&[[0, 0, 0, 1], [1, 1, 1, 2]]);
        let mut symbols = vec![0; count];
        merge_with_dropout(table.view(), &mut symbols, dropout, &mut Random::new(seed));
        symbols
    }

    #[test]
    fn nothing_or_everything_is_put_off() {
        let table = MergeTable::build(&[[0, 0, 0, 1], [1, 1, 1, 2]]);
        for count in 0..12 {
            let mut plain = vec![0; count];
            rescan(table.view(), &mut plain);
            assert_eq!(merged(count, 0.0, 7), plain);
            assert_eq!(merged(count, 1.0, 7), vec![0; count]);
        }
    }

    #[test]
    fn a_seed_gives_the_same_again() {
        let all: Vec<Vec<u32>> = (0..50).map(|seed| merged(8, 0.5, seed)).collect();
        assert_eq!(all, (0..50).map(|seed| merged(8, 0.5, seed)).collect::<Vec<_>>());
        assert!(all.iter().any(|symbols| *symbols != all[0]));
    }

    #[test]
    fn one_merge_is_put_off_as_often_as_it_should() {
        let lost = (0..20_000).filter(|&seed| merged(2, 0.25, seed) == [0, 0]).count();
        assert!((4_700..5_300).contains(&lost), "{lost}");
    }
}
