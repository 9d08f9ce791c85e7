//! Training a vocabulary of whole words: the most frequent ones.
//!
//! Words go by their count, the highest first, and by their bytes among equals. Where a word is also
//! a special token, it stands twice in the list and has the later place, as in the oracle.
//!
//! Source: `WordLevelTrainer` of Hugging Face tokenizers 0.23.3. Cost: O(n log n) of n words.

use std::cmp::Reverse;

use super::Counts;

/// How to train; the names and defaults are Hugging Face's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordLevelTrainer {
    /// The most entries, special tokens among them.
    pub vocab_size: usize,
    /// The count that a word must have.
    pub min_frequency: u64,
    /// The first tokens.
    pub special_tokens: Vec<String>,
}

impl Default for WordLevelTrainer {
    fn default() -> Self {
        Self { vocab_size: 30_000, min_frequency: 0, special_tokens: Vec::new() }
    }
}

impl WordLevelTrainer {
    /// The tokens in the order of their ids; of a token that stands twice the last one counts.
    ///
    /// ```
    /// use fretsaw::train::{Counts, WordLevelTrainer};
    ///
    /// let words: Counts = [("are", 2), ("blue", 1), ("red", 2)].into_iter().collect();
    /// let trainer = WordLevelTrainer { vocab_size: 2, ..WordLevelTrainer::default() };
    /// assert_eq!(trainer.learn(&words), ["are", "red"]);
    /// ```
    pub fn learn(&self, counts: &Counts) -> Vec<String> {
        let mut words: Vec<(&str, u64)> =
            counts.iter().filter(|(_, count)| *count >= self.min_frequency).collect();
        // They are in the order of their bytes, and stay so among equals.
        words.sort_by_key(|(_, count)| Reverse(*count));
        let words = words.into_iter().map(|(word, _)| word);
        let special = self.special_tokens.iter().map(String::as_str);
        special.chain(words).take(self.vocab_size).map(str::to_owned).collect()
    }
}
