//! Models: from pieces to ids.

pub mod bpe;

pub use bpe::Bpe;
use bpe::BpeScratch;

use crate::error::EncodeError;
use crate::vocabulary::Vocabulary;

/// A compiled model.
pub enum Model {
    /// Byte-pair encoding.
    Bpe(Bpe),
}

/// Buffers reused from piece to piece.
#[derive(Default)]
pub struct ModelScratch {
    bpe: BpeScratch,
}

impl ModelScratch {
    /// Gives back what only an unusually long piece needed.
    pub fn shrink(&mut self) {
        self.bpe.shrink();
    }
}

impl Model {
    /// The tokens.
    pub fn vocabulary(&self) -> &Vocabulary {
        match self {
            Model::Bpe(bpe) => &bpe.vocabulary,
        }
    }

    /// Appends the ids of one piece to `ids`.
    pub fn encode_piece(
        &self,
        piece: &[u8],
        scratch: &mut ModelScratch,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        match self {
            Model::Bpe(bpe) => bpe.encode_piece(piece, &mut scratch.bpe, ids),
        }
    }

    /// Whether some text could make the model give one of these ids (the unknown token aside).
    pub fn reaches(&self, is_control: impl FnMut(u32) -> bool) -> bool {
        match self {
            Model::Bpe(bpe) => bpe.reaches(is_control),
        }
    }
}
