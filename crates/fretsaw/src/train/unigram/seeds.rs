//! The pieces that training starts from: strings that occur often.
//!
//! Candidates are the strings of 2 to `longest` characters that occur twice or more in the text
//! and that a longer one can't stand in for: they go on in two ways, and not all occurrences have
//! the same character in front (one that has could only win where the longer string is too long to
//! be a piece, and there it stays). The `seed_size` with the most covered characters (occurrences x
//! length) are taken, of equal ones the first in the order of characters, beside all characters.
//!
//! What is kept is enough to find every piece that starts at a place: the longest one, and for each
//! piece the longest other one that is a prefix of it.
//!
//! Cost: O(n log n) for n characters of distinct words; 4 bytes a character and 28 a candidate.
//! Source: seeds by suffix arrays as in sentencepiece 0.2.3 and Hugging Face tokenizers 0.23.3;
//! that occurrences are counted in the text (not among distinct words) is sentencepiece's way.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::suffixes::{tree, Keys, Node, Suffix, MIXED, NONE};
use super::words::Words;
use super::{TrainError, Watch};
use crate::pool;

/// Pieces of two characters and more, numbered by falling weight.
pub struct Seeds {
    /// Where each one stands, and its length.
    pub pieces: Vec<Piece>,
    /// Occurrences times length, of each.
    pub weights: Vec<f64>,
    /// Of each piece, the longest other that is a prefix of it, or [`NONE`].
    pub shorter: Vec<u32>,
    /// Of each place in the words, the longest piece that starts there, or [`NONE`].
    pub at: Vec<u32>,
}

/// A piece as a place in the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub at: u32,
    pub len: u32,
}

impl Seeds {
    /// At most `most` pieces of 2 to `longest` characters.
    pub fn new(
        words: &Words,
        longest: u32,
        most: usize,
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Self, TrainError> {
        let forest = Forest::new(words, longest, threads, watch)?;
        let mut ranked = forest.ranked(longest);
        if ranked.len() > most {
            ranked.select_nth_unstable(most);
            ranked.truncate(most);
        }
        ranked.sort_unstable();
        Ok(forest.seeds(words, &ranked))
    }
}

/// A candidate; the order is that of seeds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    weight: Reverse<u64>,
    /// In the order of the text: the first symbol, the place in its tree, the length.
    text: (u32, u32, u32),
    node: u32,
}

/// The trees of all symbols; the nodes of a tree are numbered from its start on.
struct Forest {
    trees: Vec<Vec<Node>>,
    starts: Vec<u32>,
    /// Of each place, the deepest node above it within its symbol's tree.
    places: Vec<u32>,
}

impl Forest {
    fn new(
        words: &Words,
        longest: u32,
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Self, TrainError> {
        let keys = Keys::new(words.alphabet.len() as u32);
        let mut buckets = by_symbol(words, keys);
        let places: Vec<AtomicU32> = words.symbols.iter().map(|_| AtomicU32::new(NONE)).collect();
        let slots: Vec<Mutex<Vec<Suffix>>> = buckets.drain(..).map(Mutex::new).collect();
        let total = slots.len() as u64;
        let trees = pool::map(threads, slots.len(), |index| {
            watch.tell("seeds", index as u64, total)?;
            let mut bucket = slots[index].lock().unwrap_or_else(PoisonError::into_inner);
            let mut suffixes = std::mem::take(&mut *bucket);
            let place = |at: u32, node| places[at as usize].store(node, Ordering::Relaxed);
            Ok(tree(keys, words, &mut suffixes, longest, place))
        });
        let trees = trees.into_iter().collect::<Result<Vec<_>, TrainError>>()?;
        let mut starts = Vec::with_capacity(trees.len());
        let mut start = 0u32;
        for tree in &trees {
            starts.push(start);
            start += tree.len() as u32;
        }
        let places = places.into_iter().map(AtomicU32::into_inner).collect();
        Ok(Self { trees, starts, places })
    }

    /// The candidates, to be sorted.
    fn ranked(&self, longest: u32) -> Vec<Ranked> {
        let mut ranked = Vec::new();
        for (symbol, (tree, &start)) in (0..).zip(self.trees.iter().zip(&self.starts)) {
            for (node, index) in tree.iter().zip(start..) {
                let maximal = node.left == MIXED || node.depth == longest;
                if node.depth <= longest && maximal {
                    let weight = node.occurrences.saturating_mul(u64::from(node.depth));
                    let text = (symbol, node.first, node.depth);
                    ranked.push(Ranked { weight: Reverse(weight), text, node: index });
                }
            }
        }
        ranked
    }

    /// The chosen nodes as pieces: other nodes are taken out of the trees.
    fn seeds(self, words: &Words, ranked: &[Ranked]) -> Seeds {
        let count: usize = self.trees.iter().map(Vec::len).sum();
        let mut piece_of = vec![NONE; count];
        for (piece, candidate) in (0..).zip(ranked) {
            piece_of[candidate.node as usize] = piece;
        }
        let mut parents = Vec::with_capacity(count);
        let mut pieces = vec![Piece { at: 0, len: 0 }; ranked.len()];
        for (tree, &start) in self.trees.iter().zip(&self.starts) {
            for node in tree {
                if let Some(piece) = pieces.get_mut(piece_of[parents.len()] as usize) {
                    *piece = Piece { at: node.at, len: node.depth };
                }
                let root = node.parent == NONE;
                parents.push(if root { NONE } else { start + node.parent });
            }
        }
        let longest_from = |mut node: u32| loop {
            match piece_of.get(node as usize) {
                Some(&NONE) => node = parents[node as usize],
                Some(&piece) => return piece,
                None => return NONE,
            }
        };
        let shorter =
            ranked.iter().map(|ranked| longest_from(parents[ranked.node as usize])).collect();
        let at = self.places.iter().zip(&words.symbols).map(|(&place, &symbol)| match place {
            NONE => NONE,
            node => longest_from(self.starts[symbol as usize - 1] + node),
        });
        Seeds {
            at: at.collect(),
            weights: ranked.iter().map(|ranked| ranked.weight.0 as f64).collect(),
            pieces,
            shorter,
        }
    }
}

/// The suffixes of all words by their first symbol.
fn by_symbol(words: &Words, keys: Keys) -> Vec<Vec<Suffix>> {
    let mut sizes = vec![0usize; words.alphabet.len()];
    for &symbol in words.symbols.iter().filter(|&&symbol| symbol > 0) {
        sizes[symbol as usize - 1] += 1;
    }
    let mut buckets: Vec<Vec<Suffix>> = sizes.into_iter().map(Vec::with_capacity).collect();
    for word in 0..words.len() {
        keys.of_word(words, word, |symbol, suffix| buckets[symbol as usize - 1].push(suffix));
    }
    buckets
}
