//! The loop from parts of a text to ids for models whose sums go on through the text: SentencePiece's
//! Unigram.
//!
//! A part that is cut in the same way whatever came before comes from the cache, and its scores are
//! added to the sum as that library adds them. Any other part is cut anew: in the cache it has no ids.

use crate::cache::{long_hash, PieceCache, Short, LONG_MAX_BYTES};
use crate::error::EncodeError;
use crate::model::sentence_piece::PieceScratch;
use crate::model::SentencePiece;
use crate::scan::{short_key, ShortKey, SHORT};

/// Parts that are looked up together.
const GROUP: usize = 32;

/// A model at work on one text.
pub struct Summing<'a> {
    pub model: &'a SentencePiece,
    pub cache: &'a mut PieceCache,
    pub scratch: &'a mut PieceScratch,
    pub sum: &'a mut f32,
}

impl Summing<'_> {
    /// Appends the ids of the parts `bytes[boundaries[i]..boundaries[i + 1]]`.
    pub fn encode(
        &mut self,
        bytes: &[u8],
        mut boundaries: &[usize],
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let mut keys = [ShortKey::default(); GROUP];
        while boundaries.len() > 1 {
            let count = GROUP.min(boundaries.len() - 1);
            let group = &boundaries[..=count];
            for (key, pair) in keys.iter_mut().zip(group.windows(2)) {
                let len = pair[1] - pair[0];
                *key =
                    if len <= SHORT { short_key(bytes, pair[0], len) } else { ShortKey::default() };
                self.cache.prefetch(self.cache.short_set(key.hash()));
            }
            for (key, pair) in keys.iter().zip(group.windows(2)) {
                let part = &bytes[pair[0]..pair[1]];
                if part.len() <= SHORT {
                    self.short(part, *key, ids)?;
                } else {
                    self.long(part, ids)?;
                }
            }
            boundaries = &boundaries[count..];
        }
        Ok(())
    }

    #[inline]
    fn short(&mut self, part: &[u8], key: ShortKey, ids: &mut Vec<u32>) -> Result<(), EncodeError> {
        let from = ids.len();
        let set = self.cache.short_set(key.hash());
        let known = match self.cache.short(key, set) {
            Short::Missing => append(self.cache.spilled(key), ids),
            known => append(known, ids),
        };
        if !known {
            self.model.find_sure(part, self.scratch, ids);
            self.cache.insert_short(key, &ids[from..]);
        }
        self.go_on(part, from, ids)
    }

    fn long(&mut self, part: &[u8], ids: &mut Vec<u32>) -> Result<(), EncodeError> {
        let from = ids.len();
        if part.len() > LONG_MAX_BYTES {
            return self.model.encode_piece(part, self.sum, self.scratch, ids);
        }
        let hash = long_hash(part);
        if let Some(known) = self.cache.long(part, hash) {
            ids.extend_from_slice(known);
        } else {
            self.model.find_sure(part, self.scratch, ids);
            self.cache.insert_long(part, hash, &ids[from..]);
        }
        self.go_on(part, from, ids)
    }

    /// Adds up the ids from `from` on, or finds others.
    #[inline]
    fn go_on(&mut self, part: &[u8], from: usize, ids: &mut Vec<u32>) -> Result<(), EncodeError> {
        let found = &ids[from..];
        if !found.is_empty() {
            if let Some(sum) = self.model.sum_behind(*self.sum, found, part.len()) {
                *self.sum = sum;
                return Ok(());
            }
        }
        ids.truncate(from);
        self.model.encode_piece(part, self.sum, self.scratch, ids)
    }
}

/// Appends what is known; says whether anything is.
#[inline]
fn append(known: Short<'_>, ids: &mut Vec<u32>) -> bool {
    match known {
        Short::Inline(four, len) => ids.extend_from_slice(&four[..len]),
        Short::Many(many) => ids.extend_from_slice(many),
        Short::Missing => return false,
    }
    true
}
