//! Vocabularies and merges as flat buffers: one string, and where each entry ends.

use serde::{Deserialize, Serialize};

/// Token strings and their ids, in file order, in one buffer.
///
/// A token that stands twice is there twice; what that means is the compiler's business
/// (the oracle lets the last one win).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocab {
    text: String,
    ends: Vec<u32>,
    ids: Vec<u32>,
}

impl Vocab {
    /// An empty vocabulary.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a token. Returns false, and appends nothing, once the text would pass 4 GiB.
    #[must_use]
    pub fn push(&mut self, token: &str, id: u32) -> bool {
        let Ok(end) = u32::try_from(self.text.len() + token.len()) else {
            return false;
        };
        self.text.push_str(token);
        self.ends.push(end);
        self.ids.push(id);
        true
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The token and id of entry `index`.
    pub fn get(&self, index: usize) -> Option<(&str, u32)> {
        let end = *self.ends.get(index)? as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        Some((&self.text[start..end], self.ids[index]))
    }

    /// Entries in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, u32)> + '_ {
        let mut start = 0usize;
        self.ends.iter().zip(&self.ids).map(move |(&end, &id)| {
            let token = &self.text[start..end as usize];
            start = end as usize;
            (token, id)
        })
    }
}

/// How pairs of symbols are ranked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Merges {
    /// A list of pairs; a pair's rank is its place, and a pair that stands twice has the last.
    Pairs(MergeList),
    /// Any pair whose joined bytes are a token merges, ranked by that token's id (tiktoken).
    ByJoinedBytes,
}

/// Pairs of token strings in rank order, in one buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeList {
    text: String,
    /// For each pair, where its left and its right part end.
    ends: Vec<(u32, u32)>,
}

impl MergeList {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a pair. Returns false, and appends nothing, once the text would pass 4 GiB.
    #[must_use]
    pub fn push(&mut self, left: &str, right: &str) -> bool {
        let middle = self.text.len() + left.len();
        let (Ok(middle), Ok(end)) = (u32::try_from(middle), u32::try_from(middle + right.len()))
        else {
            return false;
        };
        self.text.push_str(left);
        self.text.push_str(right);
        self.ends.push((middle, end));
        true
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Pairs in rank order; the joined text of a pair is one slice as well.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> + '_ {
        let mut start = 0usize;
        self.ends.iter().map(move |&(middle, end)| {
            let pair =
                (&self.text[start..middle as usize], &self.text[middle as usize..end as usize]);
            start = end as usize;
            pair
        })
    }
}
