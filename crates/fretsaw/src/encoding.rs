//! Ids, and what is known about each, as flat vectors.

/// The ids of a text, and where added tokens stood in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encoding {
    pub ids: Vec<u32>,
    /// Added tokens that matched, in order.
    pub added: Vec<AddedSpan>,
    /// Tokens of the post-processor whose strings are not those of their ids.
    pub named: Vec<(usize, String)>,
}

/// An added token that matched in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddedSpan {
    /// Which of the ids it is.
    pub index: usize,
    /// Where it starts and ends in the text, in bytes, with the white space that it took.
    pub start: usize,
    pub end: usize,
}
