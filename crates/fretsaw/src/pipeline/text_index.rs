//! How many ids any part of a text has: known between safe cuts, counted around them.
//!
//! Safe cuts that are about [`BLOCK_BYTES`] apart are kept, each with the number of ids before it. A part
//! of the text has those between its first and its last cut, and those of what lies outside, which is
//! encoded. Where a tokenizer has no safe cuts, or a text none, the whole part is encoded. No block of the
//! text has more than one cut in it, so that the number of cuts before each block finds them.
//!
//! Cost: linear in the text once; then two look-ups and two blocks a count. 20 bytes a block, and 8 for
//! each 128 characters.

use std::sync::Arc;

use super::Pipeline;
use crate::error::EncodeError;
use crate::scan::prefetch;
use crate::settings::{MatchPolicy, SpecialSet};

const BLOCK_BYTES: usize = 1 << 8;
const MARK_CHARS: usize = 1 << 7;

/// A text whose parts can be counted.
pub struct TextIndex {
    pipeline: Arc<Pipeline>,
    text: String,
    special: SpecialSet,
    add_special_tokens: bool,
    /// Safe cuts, and how many ids come before each; the ends of the text are none.
    cuts: Vec<(usize, usize)>,
    /// How many cuts come before each block of the text, and before its end.
    before: Vec<u32>,
    /// Where each 128th character starts; none where characters are bytes.
    marks: Vec<usize>,
    len_chars: usize,
}

impl TextIndex {
    /// Indexes a text.
    ///
    /// # Errors
    ///
    /// As encoding the text.
    pub fn new(
        pipeline: Arc<Pipeline>,
        text: String,
        special: SpecialSet,
        add_special_tokens: bool,
    ) -> Result<Self, EncodeError> {
        let len_chars = text.chars().count();
        let marks = match len_chars == text.len() {
            true => Vec::new(),
            false => text.char_indices().step_by(MARK_CHARS).map(|(at, _)| at).collect(),
        };
        let mut cuts: Vec<(usize, usize)> = Vec::new();
        let counts = pipeline.has_safe_cuts();
        let (mut start, mut before) = (0, 0);
        while let Some(cut) =
            counts.then(|| pipeline.safe_cut_from(&text, start + BLOCK_BYTES)).flatten()
        {
            before += pipeline.count_bare(&text[start..cut], MatchPolicy::new(&special))?;
            cuts.push((cut, before));
            start = cut;
        }
        let mut behind = cuts.iter().map(|&(cut, _)| cut).enumerate().peekable();
        let blocks = (0..=text.len().div_ceil(BLOCK_BYTES)).map(|block| {
            while behind.next_if(|&(_, cut)| cut < block * BLOCK_BYTES).is_some() {}
            behind.peek().map_or(cuts.len(), |&(number, _)| number) as u32
        });
        let before = blocks.collect();
        Ok(Self { pipeline, text, special, add_special_tokens, cuts, before, marks, len_chars })
    }

    /// How many characters the text has.
    pub fn len_chars(&self) -> usize {
        self.len_chars
    }

    /// How many ids the characters from `start` to `end` have, encoded on their own; `None` where they
    /// are not in the text.
    ///
    /// # Errors
    ///
    /// As encoding that text.
    pub fn count(&self, start: usize, end: usize) -> Result<Option<usize>, EncodeError> {
        if start > end || end > self.len_chars {
            return Ok(None);
        }
        let (start, end) = (self.byte_of(start), self.byte_of(end));
        for at in [start, end] {
            prefetch(&self.before, at / BLOCK_BYTES);
            prefetch(self.text.as_bytes(), at);
        }
        let (texts, added) = self.pipeline.frame(self.add_special_tokens)?;
        // A cut is safe in this part if what tells so is: a character before, two behind.
        let first = self.cuts_before(start + 1);
        let mut last = self.cuts_before(end);
        while last > first && self.text[self.cuts[last - 1].0..end].chars().nth(1).is_none() {
            last -= 1;
        }
        let policy = MatchPolicy::new(&self.special);
        let count = |from: usize, to: usize| self.pipeline.count_bare(&self.text[from..to], policy);
        let own = match self.cuts.get(first..last) {
            Some(&[(head, skipped), .., (tail, until)]) => {
                count(start, head)? + (until - skipped) + count(tail, end)?
            }
            Some(&[(cut, _)]) => count(start, cut)? + count(cut, end)?,
            _ => count(start, end)?,
        };
        Ok(Some(texts * own + added))
    }

    /// How many cuts come before a byte.
    fn cuts_before(&self, at: usize) -> usize {
        let number = self.before.get(at / BLOCK_BYTES).map_or(self.cuts.len(), |&n| n as usize);
        // One may be in the block of that byte, before it.
        number + usize::from(self.cuts.get(number).is_some_and(|&(cut, _)| cut < at))
    }

    fn byte_of(&self, chars: usize) -> usize {
        if self.marks.is_empty() {
            return chars;
        }
        let Some(&mark) = self.marks.get(chars / MARK_CHARS) else { return self.text.len() };
        let mut starts = self.text[mark..].char_indices().map(|(at, _)| mark + at);
        starts.nth(chars % MARK_CHARS).unwrap_or(self.text.len())
    }
}
