//! A document as a small tree whose big lists are borrowed and written as they stand.
//!
//! (The tree of serde_json would sort the fields.)

use serde::{Serialize, Serializer};

use crate::spec::{MergeList, Vocab};

/// A JSON value.
pub(super) enum Tree<'s> {
    Null,
    Bool(bool),
    Unsigned(u64),
    Float(f32),
    Char(char),
    Text(&'s str),
    /// A text that is made here.
    Made(String),
    Array(Vec<Tree<'s>>),
    Object(Vec<(&'s str, Tree<'s>)>),
    /// An object of tokens and ids.
    Vocab(Vec<(&'s str, u32)>),
    /// An array of tokens with scores.
    Scored(&'s Vocab, &'s [f64]),
    /// An array of pairs.
    Merges(&'s MergeList),
}

/// An object.
pub(super) fn object<'s, const N: usize>(fields: [(&'static str, Tree<'s>); N]) -> Tree<'s> {
    Tree::Object(fields.into())
}

/// An object with a `type` in front.
pub(super) fn tagged<'s, const N: usize>(
    kind: &'static str,
    fields: [(&'static str, Tree<'s>); N],
) -> Tree<'s> {
    let mut entries = Vec::with_capacity(N + 1);
    entries.push(("type", Tree::Text(kind)));
    entries.extend(fields);
    Tree::Object(entries)
}

impl From<bool> for Tree<'_> {
    fn from(value: bool) -> Self {
        Tree::Bool(value)
    }
}

impl From<u32> for Tree<'_> {
    fn from(value: u32) -> Self {
        Tree::Unsigned(value.into())
    }
}

impl From<usize> for Tree<'_> {
    fn from(value: usize) -> Self {
        Tree::Unsigned(value as u64)
    }
}

impl From<char> for Tree<'_> {
    fn from(value: char) -> Self {
        Tree::Char(value)
    }
}

impl<'s> From<&'s str> for Tree<'s> {
    fn from(value: &'s str) -> Self {
        Tree::Text(value)
    }
}

impl<'s, T: Into<Tree<'s>>> From<Option<T>> for Tree<'s> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Tree::Null, Into::into)
    }
}

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Tree::Null => serializer.serialize_unit(),
            Tree::Bool(value) => serializer.serialize_bool(*value),
            Tree::Unsigned(value) => serializer.serialize_u64(*value),
            Tree::Float(value) => serializer.serialize_f32(*value),
            Tree::Char(value) => serializer.serialize_char(*value),
            Tree::Text(text) => serializer.serialize_str(text),
            Tree::Made(text) => serializer.serialize_str(text),
            Tree::Array(elements) => serializer.collect_seq(elements),
            Tree::Object(fields) => serializer.collect_map(fields.iter().map(|(k, v)| (k, v))),
            Tree::Vocab(entries) => serializer.collect_map(entries.iter().copied()),
            Tree::Scored(vocab, scores) => {
                serializer.collect_seq(vocab.iter().map(|(token, _)| token).zip(*scores))
            }
            Tree::Merges(merges) => serializer.collect_seq(merges.iter()),
        }
    }
}
