//! One id a word: the word's own, or that of the unknown token.
//!
//! An empty word is a word like any other. One look-up a word.
//!
//! Source: behaviour of `WordLevel` in Hugging Face tokenizers 0.23.3.

use crate::error::EncodeError;
use crate::vocabulary::Vocabulary;

/// A model of whole words.
pub struct WordLevel {
    pub vocabulary: Vocabulary,
    unk_token: String,
    unknown: Option<u32>,
}

impl WordLevel {
    /// The model of a vocabulary and its unknown token, which may be missing there until a word
    /// needs it.
    pub fn new(vocabulary: Vocabulary, unk_token: &str) -> Self {
        let unknown = vocabulary.id(unk_token.as_bytes());
        Self { vocabulary, unk_token: unk_token.to_owned(), unknown }
    }

    /// Appends the id of one piece to `ids`.
    #[inline]
    pub fn encode_piece(&self, piece: &[u8], ids: &mut Vec<u32>) -> Result<(), EncodeError> {
        let missing = || EncodeError::UnknownTokenMissing { token: self.unk_token.clone() };
        ids.push(self.vocabulary.id(piece).or(self.unknown).ok_or_else(missing)?);
        Ok(())
    }

    /// Appends the id of one piece, and its span, which is the whole piece.
    pub fn encode_with_spans(
        &self,
        piece: &[u8],
        ids: &mut Vec<u32>,
        spans: &mut Vec<(u32, u32)>,
    ) -> Result<(), EncodeError> {
        let end = u32::try_from(piece.len())
            .map_err(|_| EncodeError::PieceTooLong { bytes: piece.len() })?;
        self.encode_piece(piece, ids)?;
        spans.push((0, end));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Vocab;

    fn model(tokens: &[&str], unk_token: &str) -> WordLevel {
        let mut vocab = Vocab::new();
        for (token, id) in tokens.iter().zip(5..) {
            assert!(vocab.push(token, id));
        }
        WordLevel::new(Vocabulary::build(&vocab, "vocab").unwrap(), unk_token)
    }

    #[test]
    fn known_unknown_and_empty() {
        let words = model(&["<unk>", "a", "é"], "<unk>");
        let (mut ids, mut spans) = (Vec::new(), Vec::new());
        for word in ["a", "é", "b", "", "<unk>"] {
            words.encode_with_spans(word.as_bytes(), &mut ids, &mut spans).unwrap();
        }
        assert_eq!(ids, [6, 7, 5, 5, 5]);
        assert_eq!(spans, [(0, 1), (0, 2), (0, 1), (0, 0), (0, 5)]);
    }

    #[test]
    fn an_unknown_word_without_an_unknown_token_is_an_error() {
        let words = model(&["a", ""], "[UNK]");
        let mut ids = Vec::new();
        words.encode_piece(b"a", &mut ids).unwrap();
        words.encode_piece(b"", &mut ids).unwrap();
        let error = EncodeError::UnknownTokenMissing { token: "[UNK]".to_owned() };
        assert_eq!(words.encode_piece(b"b", &mut ids), Err(error));
        assert_eq!(ids, [5, 6]);
    }
}
