//! Training byte-pair encoding.
//!
//! Words (counted pieces) become rows of symbols, one a character. Until the vocabulary is full, the
//! pair of neighbours with the highest count (the smallest pair of ids among equals) becomes a rule
//! and a token, and is merged left to right in the words that have it. Counts are kept, not taken
//! again: a merge tells which pairs vanish and which appear, and a heap holds every pair with the
//! count it had; one whose count has changed goes back in when it comes up.
//!
//! Cost: O(characters of distinct words) to start; a merge takes time in proportion to the words that
//! have the pair, and a heap step O(log n) of n pairs. Memory: 4 bytes a character of distinct words,
//! 4 a place where a pair is or ever was, and about 50 a distinct pair.
//!
//! Source: Sennrich, Haddow, Birch 2016 (arXiv:1508.07909); the results are those of `BpeTrainer` of
//! Hugging Face tokenizers 0.23.3, whose habits are kept: in a run such as "aaa" the merged pair
//! keeps some of its count; where two rules spell one token, so that its pairs appear twice, each
//! appearance is queued with its own words; and a pair whose count has fallen below zero is the
//! highest of all.

mod alphabet;
mod known;
mod merge;
mod pairs;
mod parity;
mod queue;
mod scratch;
mod state;
mod words;

use std::collections::HashSet;

use hashbrown::HashMap;

pub use known::Known;
pub use parity::{ParityBpeTrainer, Window};

use super::{Counts, Watch};
use crate::error::TrainError;

/// How to train; the names and defaults are Hugging Face's.
#[derive(Debug, Clone, PartialEq)]
pub struct BpeTrainer {
    /// The size of the vocabulary with special tokens and alphabet, which are never cut.
    pub vocab_size: usize,
    /// The count that a pair must have to be merged.
    pub min_frequency: u64,
    /// The first tokens.
    pub special_tokens: Vec<String>,
    /// The most characters to keep in the alphabet; rare ones are left out of words.
    pub limit_alphabet: Option<usize>,
    /// Characters that are in the alphabet whether seen or not.
    pub initial_alphabet: Vec<char>,
    /// Stands before every symbol but the first of a word.
    pub continuing_subword_prefix: Option<String>,
    /// Stands behind the last symbol of a word.
    pub end_of_word_suffix: Option<String>,
    /// Pairs of this many characters or more are not counted when they appear.
    pub max_token_length: Option<usize>,
    /// The share of the text's characters that the alphabet has to reach; rarer ones are left out.
    pub character_coverage: f64,
    /// Symbols with a prefix or suffix get ids in this order, and those that are not here behind them
    /// in the order of their bytes.
    pub affixed_order: Vec<String>,
    /// What to go on from: its tokens keep their ids, and new ones come behind them.
    pub known: Option<Known>,
    /// How many threads count pairs (0: as many as CPUs). Results don't depend on it.
    pub threads: usize,
}

impl Default for BpeTrainer {
    fn default() -> Self {
        Self {
            vocab_size: 30_000,
            min_frequency: 0,
            special_tokens: Vec::new(),
            limit_alphabet: None,
            initial_alphabet: Vec::new(),
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            max_token_length: None,
            character_coverage: 1.0,
            affixed_order: Vec::new(),
            known: None,
            threads: 0,
        }
    }
}

/// A trained vocabulary: the id of a token is its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedBpe {
    /// Tokens in the order of their ids.
    pub tokens: Vec<String>,
    /// Merges as pairs of ids in rank order; none stands twice.
    pub merges: Vec<(u32, u32)>,
}

impl BpeTrainer {
    /// Learns merges from counted words.
    ///
    /// ```
    /// use fretsaw::train::{BpeTrainer, Counts, Watch};
    ///
    /// let words: Counts = [("hug", 2), ("hugs", 1), ("pug", 1)].into_iter().collect();
    /// let trainer = BpeTrainer { vocab_size: 7, ..BpeTrainer::default() };
    /// let learned = trainer.learn(&words, Watch::nobody())?;
    /// assert_eq!(learned.tokens, ["g", "h", "p", "s", "u", "ug", "hug"]);
    /// assert_eq!(learned.merges, [(4, 0), (1, 5)]);
    /// # Ok::<(), fretsaw::TrainError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TrainError::Stopped`] when `watch` says so; [`TrainError::Option`] where the tokens would
    /// be more than ids can count, and [`TrainError::TooManyPieces`] likewise.
    pub fn learn(&self, counts: &Counts, watch: Watch<'_>) -> Result<LearnedBpe, TrainError> {
        let coverage = self.character_coverage;
        if !(coverage > 0.0 && coverage <= 1.0) {
            return Err(TrainError::Option {
                name: "character_coverage",
                value: coverage.to_string(),
                expected: "more than 0 and at most 1",
            });
        }
        let limit = u32::MAX as usize - 1;
        if counts.len() > limit {
            return Err(TrainError::TooManyPieces { limit });
        }
        let mut tokens = Tokens::default();
        let known = self.known.iter();
        for token in known.clone().flat_map(|known| &known.tokens) {
            tokens.id(token)?;
        }
        let mut words = self.start(counts, &mut tokens, watch)?;
        known.clone().for_each(|known| known.apply(&mut words));
        let mut merges: Vec<(u32, u32)> =
            known.flat_map(|known| &known.merges).map(|&[left, right, _]| (left, right)).collect();
        let there: HashSet<(u32, u32)> = merges.iter().copied().collect();
        let learned = last_of_each(merge::learn(self, &mut words, &mut tokens, watch)?);
        merges.extend(learned.into_iter().filter(|pair| !there.contains(pair)));
        Ok(LearnedBpe { tokens: tokens.strings, merges })
    }
}

/// Tokens by id and by string.
#[derive(Default)]
struct Tokens {
    strings: Vec<String>,
    ids: HashMap<String, u32>,
}

impl Tokens {
    /// The id of a token, a new one if it has none.
    fn id(&mut self, token: &str) -> Result<u32, TrainError> {
        if let Some(&id) = self.ids.get(token) {
            return Ok(id);
        }
        let id = u32::try_from(self.strings.len())
            .ok()
            .filter(|&id| id < merge::MAX_TOKENS)
            .ok_or_else(|| TrainError::Option {
                name: "vocab_size",
                value: self.strings.len().to_string(),
                expected: "a number below 2 ** 31",
            })?;
        self.strings.push(token.to_owned());
        self.ids.insert(token.to_owned(), id);
        Ok(id)
    }
}

/// A rule that was found twice has its last rank.
fn last_of_each(mut merges: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    let mut seen = HashSet::with_capacity(merges.len());
    merges.reverse();
    merges.retain(|pair| seen.insert(*pair));
    merges.reverse();
    merges
}

#[cfg(test)]
mod tests;
