//! Post-processors: special tokens around the ids.

/// What is put around the ids of a single text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostProcessor {
    /// The parts in order. Nothing at all means the text's ids as they are.
    pub single: Vec<Part>,
}

/// A part of what is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// The ids of the text.
    Text,
    /// Special tokens, with their token strings.
    Special { ids: Vec<u32>, tokens: Vec<String> },
}

impl PostProcessor {
    /// Whether ids stay as they are.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.single.is_empty()
    }
}
