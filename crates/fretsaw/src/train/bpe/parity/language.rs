//! The words of one language, the counts of their pairs, and the queue of these.

use std::collections::BinaryHeap;
use std::sync::Arc;

use super::super::pairs::{self, pair, sides, Pair, PairMap, Pairs};
use super::super::words::Words;

/// Words, and what is known of their pairs.
pub struct Language {
    words: Words,
    /// The counts of pairs; those of pairs that are too long for a token are below the truth.
    pub counts: PairMap<i64>,
    /// Words in which a pair was counted since it was merged last.
    places: PairMap<Vec<u32>>,
}

impl Language {
    pub fn new(words: Words, threads: usize) -> Self {
        let Pairs { counts, found, places } = pairs::count(&words, threads);
        let of = |(pair, range): (Pair, pairs::Places)| {
            (pair, places[range.start..range.start + range.len as usize].to_vec())
        };
        let places = found.into_iter().map(of).collect();
        Language { words, counts, places }
    }

    /// The length of the text in tokens.
    pub fn length(&self) -> i64 {
        self.words.length
    }

    /// Merges a pair from left to right in the words that have it; returns the pairs whose counts have
    /// changed. Pairs of `max_len` characters or more are not counted when they appear.
    pub fn merge(&mut self, merging: Pair, merged: u32, max_len: u64) -> Vec<Pair> {
        let Some(places) = self.places.remove(&merging) else { return Vec::new() };
        let mut changes: PairMap<i64> = PairMap::default();
        for word in places {
            merge_in_word(&mut self.words, word, merging, merged, max_len, |pair, change| {
                let sum = changes.entry(pair).or_default();
                *sum = sum.saturating_add(change);
                if change > 0 {
                    let places = self.places.entry(pair).or_default();
                    if places.last() != Some(&word) {
                        places.push(word);
                    }
                }
            });
        }
        for (&pair, &change) in &changes {
            let count = self.counts.entry(pair).or_default();
            *count = count.saturating_add(change);
        }
        self.counts.remove(&merging);
        changes.into_keys().collect()
    }
}

/// Merges a pair in one word and tells by how much the counts of pairs change.
fn merge_in_word(
    words: &mut Words,
    number: u32,
    merging: Pair,
    merged: u32,
    max_len: u64,
    mut change: impl FnMut(Pair, i64),
) {
    let Some(word) = words.words.get_mut(number as usize) else { return };
    let (start, end, count) = (word.start, word.start + word.len as usize, word.count);
    let symbols = &mut words.symbols[start..end];
    let mut lens = words.lens.as_mut().map(|lens| &mut lens[start..end]);
    let (first, second) = sides(merging);
    let (mut read, mut written) = (0, 0usize);
    while read < symbols.len() {
        let is_pair = symbols[read] == first && symbols.get(read + 1) == Some(&second);
        let len = |at: usize| lens.as_ref().map_or(0, |lens| u64::from(lens[at]));
        let merged_len = if is_pair { len(read) + len(read + 1) } else { len(read) };
        if is_pair {
            if let Some(before) = written.checked_sub(1) {
                change(pair(symbols[before], first), -count);
                if len(before) + merged_len < max_len {
                    change(pair(symbols[before], merged), count);
                }
            }
            if let Some(&behind) = symbols.get(read + 2) {
                change(pair(second, behind), -count);
                if len(read + 2) + merged_len < max_len {
                    change(pair(merged, behind), count);
                }
            }
        }
        symbols[written] = if is_pair { merged } else { symbols[read] };
        if let Some(lens) = &mut lens {
            lens[written] = u32::try_from(merged_len).unwrap_or(u32::MAX);
        }
        read += if is_pair { 2 } else { 1 };
        written += 1;
    }
    word.len = written as u32;
    let shorter = (end - start - written) as i64;
    words.length = words.length.saturating_sub(shorter.saturating_mul(count));
}

/// Pairs by count, then by the strings of their parts, the highest first.
#[derive(Default)]
pub struct Queue {
    heap: BinaryHeap<(i64, Arc<str>, Arc<str>, Pair)>,
}

impl Queue {
    /// Puts a pair in, if it is there at all; its older entries count no more.
    pub fn push(&mut self, count: i64, pair: Pair, names: &[Arc<str>]) {
        if count > 0 {
            let (left, right) = sides(pair);
            let name = |id: u32| Arc::clone(&names[id as usize]);
            self.heap.push((count, name(left), name(right), pair));
        }
    }

    /// Takes the first pair whose count is still what it was.
    pub fn pop(&mut self, counts: &PairMap<i64>) -> Option<(u64, Pair)> {
        while let Some((count, _, _, pair)) = self.heap.pop() {
            if counts.get(&pair) == Some(&count) {
                return Some((count as u64, pair));
            }
        }
        None
    }
}
