//! Post-processors: special tokens around the ids.

mod process;

pub use process::{process, trim_offsets, trims, Spaces};

use crate::error::EncodeError;

/// What is put around the ids of a text or a pair, worked out at load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostProcessor {
    pub single: Arrangement,
    pub pair: Arrangement,
}

/// The parts of what is made of a text or a pair; none where the processor can't be used for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrangement {
    /// The parts in order, where special tokens are added.
    pub with_special: Option<Vec<Part>>,
    /// The parts where none are.
    pub bare: Option<Vec<Part>>,
    /// How many tokens truncation leaves room for.
    pub added: usize,
}

/// A part of what is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The ids of a text: the first (0) or the second (1).
    Text(usize),
    /// Special tokens, with their token strings; no strings where they are those of the ids.
    Special { ids: Vec<u32>, tokens: Vec<String> },
}

impl PostProcessor {
    /// The parts of a text or a pair, with special tokens or without.
    ///
    /// Fails where there is no way to put a pair together.
    #[inline]
    pub fn parts(&self, is_pair: bool, add_special_tokens: bool) -> Result<&[Part], EncodeError> {
        let arrangement = if is_pair { &self.pair } else { &self.single };
        let parts = match add_special_tokens {
            true => &arrangement.with_special,
            false => &arrangement.bare,
        };
        let encodings = 1 + usize::from(is_pair);
        parts.as_deref().ok_or(EncodeError::Template { encodings })
    }

    /// How many tokens truncation leaves room for.
    pub fn added(&self, is_pair: bool) -> usize {
        if is_pair {
            self.pair.added
        } else {
            self.single.added
        }
    }
}
