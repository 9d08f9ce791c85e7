//! The merge loop of byte-pair encoding: lowest rank first, leftmost among equals.
//!
//! Three routes to the same ids. [`rescan`] is the definition: find the best pair, merge it, look
//! again; O(n) a merge. [`merge_small`] is the rescan over ranks kept beside the symbols; fastest
//! for a word. [`merge_heap`] keeps a linked list of symbols and a heap of (rank, position), whose
//! stale entries are dropped when they surface; O(n log n).
//!
//! Source: Sennrich et al. 2016 (<https://aclanthology.org/P16-1162>); the queue's order and its
//! test for stale entries (what would be merged here now, not which pair was queued) are those of
//! Hugging Face tokenizers 0.23.3.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::tables::{MergeView, NO_MERGE};

/// Pieces of at most this many symbols take [`merge_small`].
pub const SMALL: usize = 32;

/// Buffers of the merge loop, reused from piece to piece.
#[derive(Default)]
pub struct MergeScratch {
    next: Vec<u32>,
    previous: Vec<u32>,
    ranks: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

/// Merges `symbols` in place by the definition. Quadratic: for tests and comparisons.
pub fn rescan(merges: MergeView<'_>, symbols: &mut Vec<u32>) {
    loop {
        let mut best = (NO_MERGE, 0);
        for (at, pair) in symbols.windows(2).enumerate() {
            let rank = merges.rank(pair[0], pair[1]);
            if rank < best.0 {
                best = (rank, at);
            }
        }
        let (rank, at) = best;
        if rank == NO_MERGE {
            return;
        }
        symbols[at] = merges.merged(rank);
        symbols.remove(at + 1);
    }
}

/// Merges up to [`SMALL`] symbols and returns how many are left in front of the array.
#[inline]
pub fn merge_small(merges: MergeView<'_>, symbols: &mut [u32; SMALL], mut len: usize) -> usize {
    let mut ranks = [NO_MERGE; SMALL];
    for at in 1..len {
        ranks[at - 1] = merges.rank(symbols[at - 1], symbols[at]);
    }
    while len > 1 {
        let mut best = (NO_MERGE, 0);
        for (at, &rank) in ranks[..len - 1].iter().enumerate() {
            if rank < best.0 {
                best = (rank, at);
            }
        }
        let (rank, at) = best;
        if rank == NO_MERGE {
            break;
        }
        symbols[at] = merges.merged(rank);
        symbols.copy_within(at + 2..len, at + 1);
        ranks.copy_within(at + 1..len - 1, at);
        len -= 1;
        ranks[len - 1] = NO_MERGE;
        if at > 0 {
            ranks[at - 1] = merges.rank(symbols[at - 1], symbols[at]);
        }
        if at + 1 < len {
            ranks[at] = merges.rank(symbols[at], symbols[at + 1]);
        }
    }
    len
}

/// Merges `symbols` in place, however many there are.
pub fn merge_heap(merges: MergeView<'_>, symbols: &mut Vec<u32>, scratch: &mut MergeScratch) {
    const END: u32 = u32::MAX;
    let count = symbols.len();
    if count < 2 {
        return;
    }
    let MergeScratch { next, previous, ranks, queue } = scratch;
    next.clear();
    next.extend(1..count as u32);
    next.push(END);
    previous.clear();
    previous.push(END);
    previous.extend(0..count as u32 - 1);
    ranks.clear();
    ranks.extend(symbols.windows(2).map(|pair| merges.rank(pair[0], pair[1])));
    ranks.push(NO_MERGE);
    queue.clear();
    queue.extend(
        ranks
            .iter()
            .enumerate()
            .filter(|(_, &rank)| rank != NO_MERGE)
            .map(|(at, &rank)| Reverse((rank, at as u32))),
    );
    while let Some(Reverse((rank, at))) = queue.pop() {
        let left = at as usize;
        let now = ranks[left];
        // A merged-away symbol and the last one have no rank; else what is queued must still be
        // what would be made here.
        if now != rank && (now == NO_MERGE || merges.merged(now) != merges.merged(rank)) {
            continue;
        }
        let right = next[left] as usize;
        symbols[left] = merges.merged(rank);
        ranks[right] = NO_MERGE;
        let after = next[right];
        next[left] = after;
        ranks[left] = NO_MERGE;
        if after != END {
            previous[after as usize] = at;
            let rank = merges.rank(symbols[left], symbols[after as usize]);
            ranks[left] = rank;
            if rank != NO_MERGE {
                queue.push(Reverse((rank, at)));
            }
        }
        let before = previous[left];
        if before != END {
            let rank = merges.rank(symbols[before as usize], symbols[left]);
            ranks[before as usize] = rank;
            if rank != NO_MERGE {
                queue.push(Reverse((rank, before)));
            }
        }
    }
    let mut kept = 0;
    let mut at = 0;
    while at != END {
        symbols[kept] = symbols[at as usize];
        kept += 1;
        at = next[at as usize];
    }
    symbols.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::MergeTable;

    /// Merges of `a` = 0, aa = 1, aaaa = 2.
    fn doubling() -> MergeTable {
        MergeTable::build(&[[0, 0, 0, 1], [1, 1, 1, 2]])
    }

    fn by_heap(table: &MergeTable, symbols: &[u32]) -> Vec<u32> {
        let mut symbols = symbols.to_vec();
        merge_heap(table.view(), &mut symbols, &mut MergeScratch::default());
        symbols
    }

    fn by_small(table: &MergeTable, symbols: &[u32]) -> Vec<u32> {
        let mut array = [0; SMALL];
        array[..symbols.len()].copy_from_slice(symbols);
        let len = merge_small(table.view(), &mut array, symbols.len());
        array[..len].to_vec()
    }

    #[test]
    fn runs_of_one_letter_merge_from_the_left() {
        let table = doubling();
        for (count, want) in [
            (1, vec![0]),
            (2, vec![1]),
            (3, vec![1, 0]),
            (4, vec![2]),
            (5, vec![2, 0]),
            (6, vec![2, 1]),
        ] {
            let run = vec![0; count];
            assert_eq!(by_heap(&table, &run), want, "{count}");
            assert_eq!(by_small(&table, &run), want, "{count}");
        }
    }

    #[test]
    fn heap_bpe_equals_naive_bpe() {
        // Random merges over a few symbols, each pair once, ids of merged tokens distinct.
        let mut state = 0x2545_F491_4F6C_DD1Du64;
        let mut random = move |below: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) as u32 % below
        };
        for round in 0..300 {
            let mut merges = Vec::new();
            let mut pairs = std::collections::HashSet::new();
            for merged in 4..4 + random(40) {
                let pair = (random(merged), random(merged));
                if pairs.insert(pair) {
                    merges.push([pair.0, pair.1, merges.len() as u32, merged]);
                }
            }
            let table = MergeTable::build(&merges);
            for _ in 0..10 {
                let symbols: Vec<u32> = (0..1 + random(31)).map(|_| random(4)).collect();
                let mut want = symbols.clone();
                rescan(table.view(), &mut want);
                assert_eq!(
                    by_heap(&table, &symbols),
                    want,
                    "round {round}: {symbols:?} {merges:?}"
                );
                assert_eq!(
                    by_small(&table, &symbols),
                    want,
                    "round {round}: {symbols:?} {merges:?}"
                );
            }
        }
    }
}
