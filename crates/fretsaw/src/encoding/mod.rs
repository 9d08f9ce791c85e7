//! Ids, and what is known about each, as flat vectors.

mod columns;
mod lookup;

pub use columns::{Columns, Filling, Offsets};

use crate::spec::Direction;

/// The ids of a text, and where added tokens stood in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encoding {
    pub ids: Vec<u32>,
    /// Added tokens that matched, in order.
    pub added: Vec<AddedSpan>,
    /// Tokens of the post-processor whose strings are not those of their ids.
    pub named: Vec<(usize, String)>,
    /// What the random choices of the model followed from, if it makes any.
    pub seed: Option<u64>,
    /// How many ids are of the first text and of the second one.
    pub lens: [usize; 2],
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

impl Encoding {
    /// Keeps `len` of the ids from `first` on: the first of them, or from the left the last.
    pub fn truncate(&mut self, first: usize, len: usize, direction: Direction) {
        let end = self.ids.len();
        let removed = end.saturating_sub(first + len);
        let gone = match direction {
            Direction::Right => end - removed..end,
            Direction::Left => first..first + removed,
        };
        self.ids.drain(gone.clone());
        let moved = |index: usize| match index {
            index if gone.contains(&index) => None,
            index if index < gone.start => Some(index),
            index => Some(index - removed),
        };
        self.added.retain_mut(|span| moved(span.index).map(|to| span.index = to).is_some());
        self.named.retain_mut(|(index, _)| moved(*index).map(|to| *index = to).is_some());
    }

    /// Appends special tokens; no strings where they are those of the ids.
    pub fn push_special(&mut self, ids: &[u32], tokens: &[String]) {
        let first = self.ids.len();
        self.ids.extend_from_slice(ids);
        self.named.extend((first..).zip(tokens.iter().cloned()));
    }

    /// Appends another encoding of the same text.
    pub fn append(&mut self, other: &Encoding) {
        let first = self.ids.len();
        self.ids.extend_from_slice(&other.ids);
        let moved = |span: &AddedSpan| AddedSpan { index: first + span.index, ..*span };
        self.added.extend(other.added.iter().map(moved));
        self.named.extend(other.named.iter().map(|(index, name)| (first + index, name.clone())));
    }

    /// Fills up to `len` ids with `id`, whose token string is `name` if it has another one.
    pub fn pad(&mut self, len: usize, id: u32, name: Option<&str>, direction: Direction) {
        let old = self.ids.len();
        let count = len.saturating_sub(old);
        let first = match direction {
            Direction::Right => old,
            Direction::Left => {
                self.added.iter_mut().for_each(|span| span.index += count);
                self.named.iter_mut().for_each(|(index, _)| *index += count);
                0
            }
        };
        self.ids.splice(first..first, std::iter::repeat_n(id, count));
        if let Some(name) = name {
            self.named.extend((first..first + count).map(|index| (index, name.to_owned())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoding() -> Encoding {
        Encoding {
            ids: vec![1, 2, 3, 4],
            added: vec![AddedSpan { index: 1, start: 0, end: 2 }],
            named: vec![(3, "x".into())],
            seed: None,
            lens: [4, 0],
        }
    }

    #[test]
    fn what_is_known_moves_along() {
        let mut cut = encoding();
        cut.truncate(1, 1, Direction::Left);
        assert_eq!((cut.ids, cut.added.len(), cut.named), (vec![1, 4], 0, vec![(1, "x".into())]));
        let mut cut = encoding();
        cut.truncate(0, 2, Direction::Right);
        assert_eq!((cut.ids, cut.added.len(), cut.named.len()), (vec![1, 2], 1, 0));
        let mut padded = encoding();
        padded.pad(6, 9, Some("P"), Direction::Left);
        assert_eq!(padded.ids, [9, 9, 1, 2, 3, 4]);
        assert_eq!(padded.added[0].index, 3);
        assert_eq!(padded.named, [(5, "x".into()), (0, "P".into()), (1, "P".into())]);
        padded.pad(3, 9, None, Direction::Right);
        assert_eq!(padded.ids.len(), 6);
    }
}
