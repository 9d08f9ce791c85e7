//! Models: from pieces to ids.

pub mod bpe;
mod lens;
mod random;
pub mod sentence_piece;
pub mod unigram;
pub mod word_level;
pub mod word_piece;

use std::collections::HashSet;

pub use bpe::Bpe;
use bpe::BpeScratch;
pub use lens::{Len, Lens};
pub use random::Random;
use sentence_piece::PieceScratch;
pub use sentence_piece::SentencePiece;
pub use unigram::Unigram;
use unigram::UnigramScratch;
pub use word_level::WordLevel;
pub use word_piece::WordPiece;
use word_piece::WordPieceScratch;

use crate::error::EncodeError;
use crate::vocabulary::Vocabulary;

/// A compiled model.
pub enum Model {
    /// Byte-pair encoding.
    Bpe(Bpe),
    /// The most probable segmentation.
    Unigram(Unigram),
    /// Greedy longest match.
    WordPiece(WordPiece),
    /// One id a word.
    WordLevel(WordLevel),
    /// Those of SentencePiece.
    SentencePiece(SentencePiece),
}

/// An id of a piece, and what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traced {
    pub id: u32,
    /// Where its text starts and ends in what the vocabulary's tokens spell, in bytes.
    pub start: usize,
    pub end: usize,
    /// Whether its token string is its text.
    pub own: bool,
}

/// Buffers reused from piece to piece.
#[derive(Default)]
pub struct ModelScratch {
    bpe: BpeScratch,
    unigram: UnigramScratch,
    word_piece: WordPieceScratch,
    pieces: PieceScratch,
    random: Random,
}

impl ModelScratch {
    /// The buffers of a model of SentencePiece.
    pub fn pieces(&mut self) -> &mut PieceScratch {
        &mut self.pieces
    }

    /// Random choices follow from this from now on.
    pub fn set_random(&mut self, random: Random) {
        self.random = random;
    }

    /// Gives back what only an unusually long piece needed.
    pub fn shrink(&mut self) {
        self.bpe.shrink();
        self.unigram.shrink();
        self.word_piece.shrink();
        self.pieces.shrink();
    }
}

impl Model {
    /// Whether a piece may be encoded in another way each time.
    #[inline]
    pub fn is_random(&self) -> bool {
        match self {
            Model::Bpe(bpe) => bpe.dropout.is_some(),
            Model::Unigram(unigram) => unigram.sampling.is_some(),
            Model::WordPiece(_) | Model::WordLevel(_) | Model::SentencePiece(_) => false,
        }
    }

    /// The tokens.
    pub fn vocabulary(&self) -> &Vocabulary {
        match self {
            Model::Bpe(bpe) => &bpe.vocabulary,
            Model::Unigram(unigram) => &unigram.vocabulary,
            Model::WordPiece(word_piece) => &word_piece.vocabulary,
            Model::WordLevel(word_level) => &word_level.vocabulary,
            Model::SentencePiece(pieces) => &pieces.vocabulary,
        }
    }

    /// Appends the ids of one piece to `ids`.
    pub fn encode_piece(
        &self,
        piece: &[u8],
        scratch: &mut ModelScratch,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let ModelScratch { bpe: for_bpe, unigram: for_unigram, word_piece, pieces, random } =
            scratch;
        match self {
            Model::Bpe(bpe) => bpe.encode_piece(piece, for_bpe, random, ids),
            Model::Unigram(unigram) => unigram.encode_piece(piece, for_unigram, random, ids),
            Model::WordPiece(words) => words.encode_piece(piece, word_piece, ids),
            Model::WordLevel(words) => words.encode_piece(piece, ids),
            Model::SentencePiece(model) => model.encode_piece(piece, &mut 0.0, pieces, ids),
        }
    }

    /// The id of the unknown token, if its token strings are the texts that it stands for.
    pub fn names_unknown(&self) -> Option<u32> {
        match self {
            Model::Unigram(unigram) => unigram.unknown,
            Model::SentencePiece(model) => model.unknown(),
            _ => None,
        }
    }

    /// Calls `each` with the ids of a piece and what is known of them. Not for speed.
    pub fn each_token(
        &self,
        piece: &[u8],
        scratch: &mut ModelScratch,
        mut each: impl FnMut(Traced),
    ) -> Result<(), EncodeError> {
        let ModelScratch { unigram: for_unigram, word_piece, pieces, random, .. } = scratch;
        let (mut ids, mut spans) = (Vec::new(), Vec::new());
        match self {
            Model::Unigram(model) => {
                return model.each_token(piece, for_unigram, random, |id, start, end, own| {
                    each(Traced { id, start, end, own });
                });
            }
            Model::SentencePiece(model) => {
                return model.each_made(piece, &mut 0.0, pieces, |made| {
                    each(Traced { id: made.id, start: made.start, end: made.end, own: made.own });
                });
            }
            Model::Bpe(model) => model.encode_with_spans(piece, random, &mut ids, &mut spans)?,
            Model::WordPiece(model) => {
                model.encode_with_spans(piece, word_piece, &mut ids, &mut spans)?;
            }
            Model::WordLevel(model) => model.encode_with_spans(piece, &mut ids, &mut spans)?,
        }
        for (id, (start, end)) in ids.into_iter().zip(spans) {
            each(Traced { id, start: start as usize, end: end as usize, own: false });
        }
        Ok(())
    }

    /// Whether some text could make the model give one of these ids (the unknown token aside).
    ///
    /// It may say so where no text does.
    pub fn reaches(&self, ids: &HashSet<u32>) -> bool {
        match self {
            Model::Bpe(bpe) => bpe.reaches(ids),
            // What no text yields is marked as such.
            Model::SentencePiece(_) => false,
            _ => ids.iter().any(|&id| self.vocabulary().token(id).is_some()),
        }
    }
}

#[cfg(test)]
mod tests;
