//! An encoding with everything known about each id, as flat columns.
//!
//! Truncation, padding and joining act on all columns alike and on the overflowing parts. Each costs
//! time in proportion to what it makes; joining two encodings that both overflow makes a part of
//! every pair of theirs.
//!
//! Source: `tokenizer/encoding.rs` of Hugging Face tokenizers 0.23.3.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::error::EncodeError;
use crate::spec::Direction;

/// Where something stands in a text: half-open, in characters.
pub type Offsets = (u32, u32);

/// The ids of a text or two, and what is known about each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    pub ids: Vec<u32>,
    pub type_ids: Vec<u32>,
    /// The token string of each id; `None` where it is the usual one of the id.
    pub names: Vec<Option<Arc<str>>>,
    /// Which word each id is of.
    pub words: Vec<Option<u32>>,
    pub offsets: Vec<Offsets>,
    pub special_tokens_mask: Vec<u8>,
    pub attention_mask: Vec<u8>,
    /// What truncation cut off, in parts of its length.
    pub overflowing: Vec<Columns>,
    /// The ids of each sequence; where there are none, all are of the first one.
    pub sequence_ranges: BTreeMap<usize, Range<usize>>,
}

/// What fills an encoding up.
#[derive(Debug, Clone)]
pub struct Filling {
    pub id: u32,
    pub type_id: u32,
    /// The token string; `None` where it is the usual one of the id.
    pub name: Option<Arc<str>>,
    pub direction: Direction,
}

impl Columns {
    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Makes room for as many more ids.
    pub fn reserve(&mut self, count: usize) {
        self.ids.reserve(count);
        self.type_ids.reserve(count);
        self.names.reserve(count);
        self.words.reserve(count);
        self.offsets.reserve(count);
        self.special_tokens_mask.reserve(count);
        self.attention_mask.reserve(count);
    }

    /// Appends a token of a text.
    #[inline]
    pub fn push(
        &mut self,
        id: u32,
        name: Option<Arc<str>>,
        offsets: Offsets,
        word: Option<u32>,
        type_id: u32,
    ) {
        self.ids.push(id);
        self.type_ids.push(type_id);
        self.names.push(name);
        self.words.push(word);
        self.offsets.push(offsets);
        self.special_tokens_mask.push(0);
        self.attention_mask.push(1);
    }

    /// So many ids of a text of which nothing is known.
    pub fn blank(len: usize, type_id: u32) -> Self {
        Self {
            special_tokens_mask: vec![0; len],
            ..Self::special(&vec![0; len], vec![None; len], type_id)
        }
    }

    /// Special tokens, which stand nowhere in a text.
    pub fn special(ids: &[u32], names: Vec<Option<Arc<str>>>, type_id: u32) -> Self {
        let count = ids.len();
        Self {
            ids: ids.to_vec(),
            type_ids: vec![type_id; count],
            names,
            words: vec![None; count],
            offsets: vec![(0, 0); count],
            special_tokens_mask: vec![1; count],
            attention_mask: vec![1; count],
            ..Self::default()
        }
    }

    /// Says that all ids are of a sequence.
    pub fn set_sequence_id(&mut self, sequence_id: usize) {
        self.sequence_ranges.insert(sequence_id, 0..self.len());
    }

    /// Gives all ids, but none that overflow, a type.
    pub fn set_type_id(&mut self, type_id: u32) {
        self.type_ids.clear();
        self.type_ids.resize(self.ids.len(), type_id);
    }

    fn slice(&self, range: Range<usize>) -> Self {
        Self {
            ids: self.ids[range.clone()].to_vec(),
            type_ids: self.type_ids[range.clone()].to_vec(),
            names: self.names[range.clone()].to_vec(),
            words: self.words[range.clone()].to_vec(),
            offsets: self.offsets[range.clone()].to_vec(),
            special_tokens_mask: self.special_tokens_mask[range.clone()].to_vec(),
            attention_mask: self.attention_mask[range].to_vec(),
            ..Self::default()
        }
    }

    /// Cuts to `max_len` ids; the rest becomes overflowing parts of as many, each with `stride` ids
    /// of the one before. What overflowed before is forgotten, and so are sequences.
    ///
    /// Fails if something is to be cut and `stride` is not less than `max_len`, unless that is 0.
    pub fn truncate(
        &mut self,
        max_len: usize,
        stride: usize,
        direction: Direction,
    ) -> Result<(), EncodeError> {
        let len = self.len();
        if max_len >= len {
            return Ok(());
        }
        if max_len == 0 {
            let all = std::mem::take(self);
            self.overflowing.push(all);
            return Ok(());
        }
        if stride >= max_len {
            let reason = "`stride` is not less than that";
            return Err(EncodeError::Truncation { max_length: max_len, reason });
        }
        let mut parts = windows(len, max_len, max_len - stride, direction).map(|at| self.slice(at));
        let mut first = parts.next().unwrap_or_default();
        first.overflowing = parts.collect();
        *self = first;
        Ok(())
    }

    /// Fills up to `len` ids; overflowing parts too.
    pub fn pad(&mut self, len: usize, filling: &Filling) {
        self.overflowing.iter_mut().for_each(|part| part.pad(len, filling));
        let Some(count) = len.checked_sub(self.len()).filter(|&count| count > 0) else { return };
        let at = match filling.direction {
            Direction::Right => self.len(),
            Direction::Left => {
                for range in self.sequence_ranges.values_mut() {
                    *range = range.start + count..range.end + count;
                }
                0
            }
        };
        fill(&mut self.ids, at, count, filling.id);
        fill(&mut self.type_ids, at, count, filling.type_id);
        fill(&mut self.names, at, count, filling.name.clone());
        fill(&mut self.words, at, count, None);
        fill(&mut self.offsets, at, count, (0, 0));
        fill(&mut self.special_tokens_mask, at, count, 1);
        fill(&mut self.attention_mask, at, count, 0);
    }

    /// Joins encodings; with `growing_offsets` those of each go on from the last end before it.
    pub fn join(parts: impl IntoIterator<Item = Columns>, growing_offsets: bool) -> Self {
        let mut joined = Self::default();
        parts.into_iter().for_each(|part| joined.append(part, growing_offsets));
        joined
    }

    /// Appends another encoding.
    pub fn append(&mut self, other: Columns, growing_offsets: bool) {
        let mut overflowing = Vec::new();
        for mine in &self.overflowing {
            for theirs in std::iter::once(&other).chain(&other.overflowing) {
                let mut both = mine.clone();
                both.append(theirs.clone(), growing_offsets);
                overflowing.push(both);
            }
        }
        for theirs in &other.overflowing {
            let mut both = self.clone();
            both.append(theirs.clone(), growing_offsets);
            overflowing.push(both);
        }
        let len = self.len();
        let ranges = other.sequence_ranges.into_iter();
        self.sequence_ranges
            .extend(ranges.map(|(id, range)| (id, len + range.start..len + range.end)));
        let shift = match self.offsets.last() {
            Some(&(_, end)) if growing_offsets => end,
            _ => 0,
        };
        self.ids.extend(other.ids);
        self.type_ids.extend(other.type_ids);
        self.names.extend(other.names);
        self.words.extend(other.words);
        self.offsets.extend(other.offsets.iter().map(|(start, end)| (start + shift, end + shift)));
        self.special_tokens_mask.extend(other.special_tokens_mask);
        self.attention_mask.extend(other.attention_mask);
        self.overflowing = overflowing;
    }
}

/// Inserts `count` times the same at a place.
fn fill<T: Clone>(column: &mut Vec<T>, at: usize, count: usize, value: T) {
    column.splice(at..at, std::iter::repeat_n(value, count));
}

/// The windows of `size` over `len` ids, a `step` apart, from one end until the other is reached.
fn windows(
    len: usize,
    size: usize,
    step: usize,
    direction: Direction,
) -> impl Iterator<Item = Range<usize>> {
    let more = (len - size).div_ceil(step);
    (0..=more).map(move |at| match direction {
        Direction::Right => at * step..(at * step + size).min(len),
        Direction::Left => (len - at * step).saturating_sub(size)..len - at * step,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(ids: &[u32]) -> Columns {
        let mut made = Columns::default();
        for (&id, at) in ids.iter().zip(0..) {
            made.push(id, None, (at, at + 1), Some(at), 0);
        }
        made
    }

    fn ids(parts: &[Columns]) -> Vec<&[u32]> {
        parts.iter().map(|part| &*part.ids).collect()
    }

    #[test]
    fn truncation_leaves_windows() {
        let mut right = columns(&[1, 2, 3, 4, 5, 6, 7]);
        right.truncate(3, 1, Direction::Right).unwrap();
        assert_eq!(right.ids, [1, 2, 3]);
        assert_eq!(ids(&right.overflowing), [&[3, 4, 5][..], &[5, 6, 7]]);
        let mut left = columns(&[1, 2, 3, 4, 5, 6]);
        left.truncate(4, 0, Direction::Left).unwrap();
        assert_eq!(left.ids, [3, 4, 5, 6]);
        assert_eq!(ids(&left.overflowing), [&[1, 2][..]]);
        let mut nothing = columns(&[1, 2]);
        nothing.truncate(0, 9, Direction::Right).unwrap();
        assert_eq!((nothing.len(), ids(&nothing.overflowing)), (0, vec![&[1, 2][..]]));
        assert!(columns(&[1, 2, 3]).truncate(2, 2, Direction::Right).is_err());
    }

    #[test]
    fn joining_pairs_what_overflows() {
        let mut one = columns(&[1, 2, 3]);
        one.truncate(2, 0, Direction::Right).unwrap();
        one.set_sequence_id(0);
        let mut two = columns(&[7, 8]);
        two.truncate(1, 0, Direction::Right).unwrap();
        two.set_sequence_id(1);
        let both = Columns::join([one, two], true);
        assert_eq!(both.ids, [1, 2, 7]);
        assert_eq!(both.offsets, [(0, 1), (1, 2), (2, 3)]);
        assert_eq!(ids(&both.overflowing), [&[3, 7][..], &[3, 8], &[1, 2, 8]]);
        assert_eq!(both.sequence_ranges, BTreeMap::from([(0, 0..2), (1, 2..3)]));
    }

    #[test]
    fn padding_moves_sequences() {
        let mut padded = columns(&[1]);
        padded.set_sequence_id(0);
        let name = Some(Arc::from("P"));
        let filling = Filling { id: 9, type_id: 3, name, direction: Direction::Left };
        padded.pad(3, &filling);
        assert_eq!((&*padded.ids, &*padded.type_ids), (&[9, 9, 1][..], &[3, 3, 0][..]));
        assert_eq!(padded.attention_mask, [0, 0, 1]);
        assert_eq!(padded.sequence_ranges[&0], 2..3);
        padded.pad(2, &filling);
        assert_eq!(padded.len(), 3);
    }
}
