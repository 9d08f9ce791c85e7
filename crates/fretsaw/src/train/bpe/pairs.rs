//! Counts of neighbouring pairs, and the words that have them.

use hashbrown::HashMap;

use super::words::Words;
use crate::pool;
use crate::train::seeded::Seeded;

/// A pair of symbols: the left one in the high half, so that pairs sort as pairs do.
pub type Pair = u64;

/// The pair of two symbols.
#[inline]
pub fn pair(left: u32, right: u32) -> Pair {
    u64::from(left) << 32 | u64::from(right)
}

/// The symbols of a pair.
#[inline]
pub fn sides(pair: Pair) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// A map from pairs.
pub type PairMap<V> = HashMap<Pair, V, Seeded>;

/// Words that have a pair: a range of [`Pairs::places`].
#[derive(Debug, Clone, Copy)]
pub struct Places {
    pub start: usize,
    pub len: u32,
}

/// How many words are counted together.
const WORDS_A_PART: usize = 1 << 14;

/// All pairs that words have at the start.
pub struct Pairs {
    /// The count of each pair.
    pub counts: PairMap<i64>,
    /// Each pair with its places.
    pub found: Vec<(Pair, Places)>,
    /// Numbers of words, ascending for each pair.
    pub places: Vec<u32>,
}

/// A pair in some of the words: its count, and in how many of them it is.
#[derive(Default, Clone, Copy)]
struct Seen {
    count: i64,
    words: u32,
    last: u32,
}

/// Counts the pairs of all words.
pub fn count(words: &Words, threads: usize) -> Pairs {
    let parts = words.words.len().div_ceil(WORDS_A_PART);
    let ranges = (0..parts).map(|part| part * WORDS_A_PART);
    let ranges: Vec<_> =
        ranges.map(|start| start..words.words.len().min(start + WORDS_A_PART)).collect();
    let counted = pool::map(threads, parts, |part| {
        let mut seen: PairMap<Seen> = PairMap::default();
        for word in ranges[part].clone() {
            let count = words.words[word].count;
            for two in words.symbols_of(word).windows(2) {
                let seen = seen.entry(pair(two[0], two[1])).or_default();
                seen.count = seen.count.saturating_add(count);
                if seen.last != word as u32 + 1 {
                    seen.last = word as u32 + 1;
                    seen.words += 1;
                }
            }
        }
        seen
    });
    let mut all: PairMap<Seen> = PairMap::default();
    for seen in counted {
        for (pair, seen) in seen {
            let sum = all.entry(pair).or_default();
            sum.count = sum.count.saturating_add(seen.count);
            sum.words += seen.words;
        }
    }
    lay_out(words, all)
}

/// Gives every pair its range of places, and fills it.
fn lay_out(words: &Words, mut all: PairMap<Seen>) -> Pairs {
    let mut counts = PairMap::default();
    counts.reserve(all.len() * 2);
    let mut found = Vec::with_capacity(all.len());
    let mut start = 0usize;
    for (number, (&pair, seen)) in all.iter_mut().enumerate() {
        counts.insert(pair, seen.count);
        found.push((pair, Places { start, len: 0 }));
        start += seen.words as usize;
        *seen = Seen { count: number as i64, words: 0, last: 0 };
    }
    let mut places = vec![0u32; start];
    for word in 0..words.words.len() {
        for two in words.symbols_of(word).windows(2) {
            let Some(seen) = all.get(&pair(two[0], two[1])) else { continue };
            let (_, Places { start, len }) = &mut found[seen.count as usize];
            let filled = *start + *len as usize;
            if *len == 0 || places[filled - 1] != word as u32 {
                places[filled] = word as u32;
                *len += 1;
            }
        }
    }
    Pairs { counts, found, places }
}
