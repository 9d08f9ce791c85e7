//! Post-processors: special tokens around the ids.

/// What is put around the ids of a single text, worked out at load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostProcessor {
    /// The parts in order, where special tokens are added.
    pub with_special: Vec<Part>,
    /// The parts where none are.
    pub bare: Vec<Part>,
    /// How many tokens truncation leaves room for.
    pub added: usize,
}

/// A part of what is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The ids of the text.
    Text,
    /// Special tokens, with their token strings; no strings where they are those of the ids.
    Special { ids: Vec<u32>, tokens: Vec<String> },
}

impl PostProcessor {
    /// The parts of a text, with special tokens or without.
    #[inline]
    pub fn parts(&self, add_special_tokens: bool) -> &[Part] {
        if add_special_tokens {
            &self.with_special
        } else {
            &self.bare
        }
    }
}
