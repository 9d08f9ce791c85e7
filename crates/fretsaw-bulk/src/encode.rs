//! Blocks of text in, blocks of tokens out.
//!
//! A block's documents are found, checked and encoded; each gets the tokens that stand before and after it.
//! Nothing is remembered from block to block, so any thread or machine may encode any block.

use std::borrow::Cow;
use std::sync::Arc;

use fretsaw::{EncodeError, Pipeline, Settings, SpecialSet};
use sha2::{Digest, Sha256};

use crate::block::{Block, Encoded, Reason, Reject};
use crate::documents::{Documents, Kind, Reading};

/// How wide a token is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    U16,
    U32,
}

impl Width {
    /// The narrower one where all ids fit.
    pub fn of(vocab_size: u32) -> Self {
        if vocab_size <= 1 << 16 {
            Width::U16
        } else {
            Width::U32
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Width::U16 => 2,
            Width::U32 => 4,
        }
    }

    /// Appends ids, little-endian.
    fn append(self, ids: &[u32], tokens: &mut Vec<u8>) {
        let start = tokens.len();
        tokens.resize(start + ids.len() * self.bytes(), 0);
        match self {
            Width::U16 => {
                for (place, &id) in tokens[start..].as_chunks_mut().0.iter_mut().zip(ids) {
                    *place = (id as u16).to_le_bytes();
                }
            }
            Width::U32 => {
                for (place, &id) in tokens[start..].as_chunks_mut().0.iter_mut().zip(ids) {
                    *place = id.to_le_bytes();
                }
            }
        }
    }
}

/// Encodes blocks.
pub struct BlockEncoder {
    pub pipeline: Arc<Pipeline>,
    /// Which added tokens match in the text.
    pub special: SpecialSet,
    /// Whether the post-processor adds its tokens.
    pub add_special_tokens: bool,
    /// Tokens before and after each document.
    pub prepend: Option<u32>,
    pub append: Option<u32>,
    pub width: Width,
    /// Whether documents are hashed, to find duplicates.
    pub hashes: bool,
    /// Longer ones are rejected.
    pub max_document_bytes: u64,
}

impl BlockEncoder {
    /// The tokens of a block; `kind` is what the input holds.
    pub fn encode(&self, block: &Block, kind: &Kind) -> Encoded {
        let reading = Reading { kind, max_document_bytes: self.max_document_bytes, replace: false };
        let Documents { texts, places, rejects } = reading.documents(block);
        let mut encoded = Encoded {
            file: block.file,
            next: block.next(),
            bytes: texts.iter().map(|text| text.len() as u64).sum(),
            tokens: Vec::new(),
            ends: Vec::with_capacity(texts.len()),
            places,
            hashes: Vec::new(),
            rejects,
        };
        match self.ids(&texts) {
            Ok((ids, row_offsets)) => {
                self.append(&mut encoded, ids, &row_offsets);
                if self.hashes {
                    encoded.hashes = texts.iter().map(|text| hash(text)).collect();
                }
            }
            Err(_) => self.encode_one_by_one(&texts, &mut encoded),
        }
        encoded
    }

    fn ids<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
    ) -> Result<(Vec<u32>, Vec<i64>), (usize, EncodeError)> {
        let (special, settings) = (&self.special, &Settings::NONE);
        self.pipeline.encode_batch_flat(texts, special, self.add_special_tokens, settings, 1)
    }

    /// The same where a document can't be encoded, which is then left out.
    fn encode_one_by_one(&self, texts: &[Cow<'_, str>], encoded: &mut Encoded) {
        let places = std::mem::take(&mut encoded.places);
        let mut earlier = std::mem::take(&mut encoded.rejects).into_iter().peekable();
        for (index, (text, at)) in texts.iter().zip(places).enumerate() {
            let before = encoded.ends.len() as u32;
            while let Some(reject) = earlier.next_if(|reject| reject.before as usize <= index) {
                encoded.rejects.push(Reject { before, ..reject });
            }
            match self.ids(&[text]) {
                Ok((ids, row_offsets)) => {
                    self.append(encoded, ids, &row_offsets);
                    encoded.places.push(at);
                    encoded.hashes.extend(self.hashes.then(|| hash(text)));
                }
                Err((_, error)) => {
                    encoded.bytes -= text.len() as u64;
                    let message = error.to_string().into_boxed_str();
                    let reason = Reason::NotEncoded { message };
                    encoded.rejects.push(Reject { at, before, reason });
                }
            }
        }
        let before = encoded.ends.len() as u32;
        encoded.rejects.extend(earlier.map(|reject| Reject { before, ..reject }));
    }

    /// Appends documents, each with what stands before and after it.
    fn append(&self, encoded: &mut Encoded, ids: Vec<u32>, row_offsets: &[i64]) {
        let done = (encoded.tokens.len() / self.width.bytes()) as u64;
        let rows = row_offsets.windows(2);
        if self.prepend.is_none() && self.append.is_none() {
            encoded.ends.extend(rows.map(|row| done + row[1] as u64));
            return self.width.append(&ids, &mut encoded.tokens);
        }
        let mut all = Vec::with_capacity(ids.len() + 2 * rows.len());
        for row in rows {
            all.extend(self.prepend);
            all.extend_from_slice(&ids[row[0] as usize..row[1] as usize]);
            all.extend(self.append);
            encoded.ends.push(done + all.len() as u64);
        }
        self.width.append(&all, &mut encoded.tokens);
    }
}

/// The first half of the SHA-256 of a text.
fn hash(text: &str) -> u128 {
    let whole: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    u128::from_be_bytes(half)
}
