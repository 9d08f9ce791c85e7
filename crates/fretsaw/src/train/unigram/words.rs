//! The distinct words of a corpus as numbers.
//!
//! A character is a symbol: its place, from 1 on, among the covered characters in the order of
//! their code points. Symbol 0 stands behind every word, and for a character that no piece may
//! hold: U+0000 and what character coverage leaves out. Words keep the order of the counts, which
//! is that of their bytes, so that nothing depends on how the text was read.
//!
//! Cost: linear in the characters of distinct words, 4 bytes each, and one sort of the alphabet.
//! Source: character coverage as sentencepiece 0.2.3 has it: the commonest characters until their
//! share of the text reaches it.

use hashbrown::HashMap;

use super::seeds::Piece;
use super::{Counts, TrainError};

/// Distinct words as symbols.
#[derive(Debug, Default)]
pub struct Words {
    /// The character of each symbol, that of 1 first.
    pub alphabet: Vec<char>,
    /// How often each is in the text.
    pub alphabet_counts: Vec<u64>,
    /// All words, each with a 0 behind it.
    pub symbols: Vec<u32>,
    /// Where each word starts, and the end.
    pub starts: Vec<u32>,
    /// How often each word is in the text.
    pub counts: Vec<u64>,
}

impl Words {
    /// Numbers the characters of the words; `coverage` is the share of the text's characters that
    /// the alphabet has to reach. Fails for words of 2^32 characters and more together.
    pub fn new(counts: &Counts, coverage: f64) -> Result<Self, TrainError> {
        let mut seen: HashMap<char, u64> = HashMap::new();
        let mut length = 0usize;
        for (word, count) in counts.iter().filter(|(word, count)| !word.is_empty() && *count > 0) {
            length += 1;
            for char in word.chars() {
                length += 1;
                let sum = seen.entry(char).or_default();
                *sum = sum.saturating_add(count);
            }
        }
        if u32::try_from(length).is_err() {
            return Err(TrainError::Option {
                name: "pre_tokenizer",
                value: format!("one that gives {length} characters of distinct pieces"),
                expected: "one that gives fewer than 2^32",
            });
        }
        let kept = covered(seen, coverage);
        let symbol_of: HashMap<char, u32> =
            kept.iter().zip(1..).map(|(&(char, _), symbol)| (char, symbol)).collect();
        let mut made = Words {
            alphabet: kept.iter().map(|&(char, _)| char).collect(),
            alphabet_counts: kept.iter().map(|&(_, count)| count).collect(),
            symbols: Vec::with_capacity(length),
            ..Words::default()
        };
        for (word, count) in counts.iter().filter(|(word, count)| !word.is_empty() && *count > 0) {
            made.starts.push(made.symbols.len() as u32);
            made.symbols.extend(word.chars().map(|char| *symbol_of.get(&char).unwrap_or(&0)));
            made.symbols.push(0);
            made.counts.push(count);
        }
        made.starts.push(made.symbols.len() as u32);
        Ok(made)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Where a word's symbols lie, without the 0 behind them.
    pub fn span(&self, word: usize) -> std::ops::Range<usize> {
        self.starts[word] as usize..self.starts[word + 1] as usize - 1
    }

    /// The text of a piece.
    pub fn text(&self, piece: Piece) -> String {
        let at = piece.at as usize;
        self.symbols[at..at + piece.len as usize]
            .iter()
            .map(|&symbol| self.alphabet[symbol as usize - 1])
            .collect()
    }
}

/// The commonest characters (of equal ones the first code point) that reach the coverage, in the
/// order of code points.
fn covered(seen: HashMap<char, u64>, coverage: f64) -> Vec<(char, u64)> {
    let mut chars: Vec<(char, u64)> = seen.into_iter().collect();
    chars.sort_unstable_by_key(|&(char, count)| (std::cmp::Reverse(count), char));
    let total: f64 = chars.iter().map(|&(_, count)| count as f64).sum();
    let mut reached = 0.0;
    let mut kept = Vec::with_capacity(chars.len());
    for (char, count) in chars {
        if coverage < 1.0 && reached / total >= coverage {
            break;
        }
        reached += count as f64;
        if char != '\0' {
            kept.push((char, count));
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_numbered_by_code_point_and_covered_by_count() {
        let counts: Counts = [("ba", 3), ("c\0a", 1), ("", 9)].into_iter().collect();
        let words = Words::new(&counts, 1.0).unwrap();
        assert_eq!(words.alphabet, ['a', 'b', 'c']);
        assert_eq!(words.alphabet_counts, [4, 3, 1]);
        assert_eq!(words.symbols, [2, 1, 0, 3, 0, 1, 0]);
        assert_eq!((words.starts.as_slice(), words.span(1)), (&[0, 3, 7][..], 3..6));
        // 4 of 9 characters are "a", 7 are "a" or "b".
        assert_eq!(Words::new(&counts, 0.7).unwrap().alphabet, ['a', 'b']);
        assert_eq!(Words::new(&counts, 0.4).unwrap().alphabet, ['a']);
    }
}
