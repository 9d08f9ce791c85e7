//! From characters to tokens to words, and back.
//!
//! A sequence is a text by its number: 0, or 1 for the second of a pair. Each look-up takes time in
//! proportion to the encoding.
//!
//! Source: the look-ups of `tokenizer/encoding.rs` of Hugging Face tokenizers 0.23.3.

use std::ops::Range;

use super::columns::{Columns, Offsets};

impl Columns {
    /// How many sequences there are.
    pub fn n_sequences(&self) -> usize {
        self.sequence_ranges.len().max(1)
    }

    /// The sequence of each id.
    pub fn sequence_ids(&self) -> Vec<Option<usize>> {
        let mut sequence_ids = vec![None; self.len()];
        for sequence in 0..self.n_sequences() {
            let range = self.sequence_range(sequence);
            if let Some(ids) = sequence_ids.get_mut(range) {
                ids.fill(Some(sequence));
            }
        }
        sequence_ids
    }

    fn sequence_range(&self, sequence: usize) -> Range<usize> {
        self.sequence_ranges.get(&sequence).cloned().unwrap_or(0..self.len())
    }

    /// The sequence of a token.
    pub fn token_to_sequence(&self, token: usize) -> Option<usize> {
        if token > self.len() {
            return None;
        }
        if self.sequence_ranges.is_empty() {
            return Some(0);
        }
        let holds = |(_, range): &(&usize, &Range<usize>)| range.contains(&token);
        self.sequence_ranges.iter().find(holds).map(|(&sequence, _)| sequence)
    }

    /// The tokens of a word, from the first to behind the last.
    pub fn word_to_tokens(&self, word: u32, sequence: usize) -> Option<(usize, usize)> {
        let range = self.sequence_range(sequence);
        let words = self.words.get(range.clone())?;
        let until = words.iter().take_while(|&&here| here <= Some(word)).count();
        let is_word = |here: &Option<u32>| *here == Some(word);
        let first = words[..until].iter().position(is_word)?;
        let last = words[..until].iter().rposition(is_word)?;
        Some((range.start + first, range.start + last + 1))
    }

    /// The characters of a word.
    pub fn word_to_chars(&self, word: u32, sequence: usize) -> Option<Offsets> {
        let (start, end) = self.word_to_tokens(word, sequence)?;
        Some((self.offsets[start].0, self.offsets[end - 1].1))
    }

    /// The sequence of a token, and its characters there.
    pub fn token_to_chars(&self, token: usize) -> Option<(usize, Offsets)> {
        Some((self.token_to_sequence(token)?, *self.offsets.get(token)?))
    }

    /// The sequence of a token, and its word there.
    pub fn token_to_word(&self, token: usize) -> Option<(usize, u32)> {
        Some((self.token_to_sequence(token)?, self.words.get(token).copied().flatten()?))
    }

    /// The token that a character is in.
    pub fn char_to_token(&self, char: u32, sequence: usize) -> Option<usize> {
        let range = self.sequence_range(sequence);
        let offsets = self.offsets.get(range.clone())?;
        let found = offsets.iter().position(|&(start, end)| (start..end).contains(&char));
        found.map(|token| range.start + token)
    }

    /// The word that a character is in.
    pub fn char_to_word(&self, char: u32, sequence: usize) -> Option<u32> {
        let token = self.char_to_token(char, sequence)?;
        self.token_to_word(token).map(|(_, word)| word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[X] ab c [Y] d`, of which the last is another sequence.
    fn pair() -> Columns {
        let mut first = Columns::default();
        first.push(1, None, (0, 1), Some(0), 0);
        first.push(2, None, (1, 2), Some(0), 0);
        first.push(3, None, (3, 4), Some(1), 0);
        first.set_sequence_id(0);
        let mut second = Columns::default();
        second.push(4, None, (0, 1), Some(0), 1);
        second.set_sequence_id(1);
        let special = |id| Columns::special(&[id], vec![None], 0);
        Columns::join([special(8), first, special(9), second], false)
    }

    #[test]
    fn every_way() {
        let pair = pair();
        assert_eq!(pair.n_sequences(), 2);
        let sequence_ids = [None, Some(0), Some(0), Some(0), None, Some(1)];
        assert_eq!(pair.sequence_ids(), sequence_ids);
        assert_eq!(pair.word_to_tokens(0, 0), Some((1, 3)));
        assert_eq!(pair.word_to_tokens(0, 1), Some((5, 6)));
        assert_eq!(pair.word_to_tokens(2, 0), None);
        assert_eq!(pair.word_to_chars(0, 0), Some((0, 2)));
        assert_eq!(pair.token_to_chars(3), Some((0, (3, 4))));
        assert_eq!(pair.token_to_chars(0), None);
        assert_eq!(pair.token_to_word(5), Some((1, 0)));
        assert_eq!(pair.char_to_token(3, 0), Some(3));
        assert_eq!(pair.char_to_token(2, 0), None);
        assert_eq!(pair.char_to_word(0, 1), Some(0));
        assert_eq!(pair.token_to_sequence(99), None);
    }
}
