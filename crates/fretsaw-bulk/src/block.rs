//! What is passed on: blocks of text as they were read, and blocks of tokens.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::BulkError;

/// A piece of an input that is read at once: whole documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Which input it is from.
    pub file: u32,
    /// Where it begins there: a byte of the unpacked text, or a row.
    pub at: u64,
    pub content: Content,
}

/// What a block holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text that ends at the end of a document.
    Text(Vec<u8>),
    /// A document of so many bytes, which is over the limit, so that it was not kept; `whole` counts
    /// its separator too.
    TooLong { bytes: u64, whole: u64 },
    /// Rows of a column: all bytes, where each row ends, and the rows that have no text.
    Rows { bytes: Vec<u8>, ends: Vec<u64>, absent: Vec<u64> },
}

impl Block {
    /// How much text it holds.
    pub fn size(&self) -> usize {
        match &self.content {
            Content::Text(bytes) | Content::Rows { bytes, .. } => bytes.len(),
            Content::TooLong { .. } => 0,
        }
    }

    /// Where the next block begins.
    pub fn next(&self) -> u64 {
        self.at
            + match &self.content {
                Content::Text(bytes) => bytes.len() as u64,
                Content::TooLong { whole, .. } => *whole,
                Content::Rows { ends, .. } => ends.len() as u64,
            }
    }
}

/// Why a document is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// It is not UTF-8 at this byte of it.
    NotUtf8 { byte: u64 },
    /// The line is not JSON at this byte of it.
    NotJson { byte: u64 },
    /// The line is JSON but no object.
    NotAnObject,
    /// The object lacks the field.
    NoField,
    /// The field, or the column, holds something else than text.
    NotAString,
    /// It has more bytes than a document may have.
    TooLong { bytes: u64 },
    /// The tokenizer can't encode it; with its message, which may have come from another machine.
    NotEncoded { message: Box<str> },
}

impl Reason {
    /// A word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::NotUtf8 { .. } => "not-utf8",
            Reason::NotJson { .. } => "not-json",
            Reason::NotAnObject => "not-an-object",
            Reason::NoField => "no-field",
            Reason::NotAString => "not-a-string",
            Reason::TooLong { .. } => "too-long",
            Reason::NotEncoded { .. } => "not-encoded",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotUtf8 { byte } => write!(f, "not UTF-8 at byte {byte} of it"),
            Reason::NotJson { byte } => write!(f, "not JSON at byte {byte} of the line"),
            Reason::NotAnObject => write!(f, "the line is no JSON object"),
            Reason::NoField => write!(f, "the field is missing"),
            Reason::NotAString => write!(f, "what should be text is something else"),
            Reason::TooLong { bytes } => {
                write!(f, "{bytes} bytes are more than a document may have")
            }
            Reason::NotEncoded { message } => f.write_str(message),
        }
    }
}

/// A document that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// Where it begins in the input: a byte of the unpacked text, or a row.
    pub at: u64,
    /// How many documents of the block stand before it.
    pub before: u32,
    pub reason: Reason,
}

/// A block in tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encoded {
    pub file: u32,
    /// Where the next block begins in the input.
    pub next: u64,
    /// How much text was encoded.
    pub bytes: u64,
    /// All tokens, little-endian, in the width of the job.
    #[serde(with = "serde_bytes")]
    pub tokens: Vec<u8>,
    /// Where each document ends, in tokens.
    pub ends: Vec<u64>,
    /// Where each document begins in the input.
    pub places: Vec<u64>,
    /// The first half of the SHA-256 of each document, where duplicates are to be left out.
    pub hashes: Vec<u128>,
    pub rejects: Vec<Reject>,
}

impl Encoded {
    /// The block for another machine.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BulkError> {
        rmp_serde::to_vec(self).map_err(|_| BulkError::Damaged)
    }

    /// A block from another machine.
    pub fn from_bytes(bytes: &[u8], width: usize) -> Result<Self, BulkError> {
        let block: Self = rmp_serde::from_slice(bytes).map_err(|_| BulkError::Damaged)?;
        let tokens = (block.tokens.len() / width) as u64;
        let sound = block.tokens.len().is_multiple_of(width)
            && block.ends.last().copied().unwrap_or(0) == tokens
            && block.ends.is_sorted()
            && block.places.len() == block.ends.len()
            && (block.hashes.is_empty() || block.hashes.len() == block.ends.len());
        if sound {
            Ok(block)
        } else {
            Err(BulkError::Damaged)
        }
    }
}
