//! JSON as a tree that borrows from the text, with the model's two big lists in compact form.
//!
//! serde_json drives it, with its limit on depth. Entries that stand twice stay twice, because
//! some readers refuse them and others let the last one win. The compact form of a vocabulary or
//! of merges exists only if every entry is as it should be; else parsing fails and the caller
//! parses again without compact forms, to find out where.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use crate::spec::{MergeList, Vocab};

/// A JSON value.
pub(in crate::spec) enum Json<'a> {
    Null,
    Bool(bool),
    /// An integer from 0 to 2^64 - 1.
    Unsigned(u64),
    /// A negative integer down to -2^63.
    Signed(i64),
    /// Any other number.
    Float(f64),
    Text(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
    /// `{"token": id}`.
    Vocab(Vocab),
    /// `[["token", score]]`.
    Scored(Vocab, Vec<f64>),
    /// `[["left", "right"]]` or `["left right"]`.
    Merges(MergeList),
}

impl Json<'_> {
    /// What it is, for an error.
    pub(super) fn describe(&self) -> String {
        match self {
            Json::Null => "null".to_owned(),
            Json::Bool(value) => value.to_string(),
            Json::Unsigned(value) => value.to_string(),
            Json::Signed(value) => value.to_string(),
            Json::Float(value) => value.to_string(),
            Json::Text(value) => format!("{:?}", shortened(value)),
            Json::Array(_) | Json::Scored(..) | Json::Merges(_) => "an array".to_owned(),
            Json::Object(_) | Json::Vocab(_) => "an object".to_owned(),
        }
    }
}

/// The first 80 characters, so that an error stays readable.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(80) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The fields of truncation and padding.
const SETTINGS: [&str; 8] = [
    "direction",
    "max_length",
    "strategy",
    "stride",
    "pad_to_multiple_of",
    "pad_id",
    "pad_type_id",
    "pad_token",
];

/// Where a value stands, which decides whether it gets a compact form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Anywhere else.
    Plain,
    /// The whole document, with compact forms or without.
    Document {
        compact: bool,
    },
    /// Truncation or padding: the oracle skips unknown fields there without a look inside.
    Settings,
    Model,
    Vocab,
    Merges,
}

impl Shape {
    /// The shape of the entry `key` of an object of this shape.
    fn below(self, key: &str) -> Shape {
        match (self, key) {
            (Shape::Document { .. }, "truncation" | "padding") => Shape::Settings,
            (Shape::Document { compact: true }, "model") => Shape::Model,
            (Shape::Model, "vocab") => Shape::Vocab,
            (Shape::Model, "merges") => Shape::Merges,
            _ => Shape::Plain,
        }
    }
}

impl<'de> Deserialize<'de> for Json<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Shape::Plain.deserialize(deserializer)
    }
}

impl<'de> DeserializeSeed<'de> for Shape {
    type Value = Json<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Shape {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json<'de>, E> {
        Ok(Json::Unsigned(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json<'de>, E> {
        Ok(u64::try_from(value).map_or(Json::Signed(value), Json::Unsigned))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json<'de>, E> {
        Ok(Json::Float(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Json<'de>, A::Error> {
        match self {
            Shape::Vocab => visit_scored(seq),
            Shape::Merges => visit_merges(seq),
            _ => visit_array(seq),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json<'de>, A::Error> {
        if self == Shape::Vocab {
            return visit_vocab(map);
        }
        let mut entries = Vec::new();
        while let Some(key) = map.next_key_seed(Text)? {
            if self == Shape::Settings && !SETTINGS.contains(&key.as_ref()) {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value_seed(self.below(&key))?;
            entries.push((key, value));
        }
        Ok(Json::Object(entries))
    }
}

fn visit_array<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Json<'de>, A::Error> {
    let mut elements = Vec::new();
    while let Some(element) = seq.next_element_seed(Shape::Plain)? {
        elements.push(element);
    }
    Ok(Json::Array(elements))
}

fn visit_vocab<'de, A: MapAccess<'de>>(mut map: A) -> Result<Json<'de>, A::Error> {
    let mut vocab = Vocab::new();
    while let Some(token) = map.next_key_seed(Text)? {
        if !vocab.push(&token, map.next_value()?) {
            return Err(A::Error::custom("the tokens are longer than 4 GiB"));
        }
    }
    Ok(Json::Vocab(vocab))
}

fn visit_scored<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Json<'de>, A::Error> {
    let (mut vocab, mut scores) = (Vocab::new(), Vec::new());
    while let Some((token, score)) = seq.next_element_seed(Scored)? {
        let id = u32::try_from(scores.len()).map_err(A::Error::custom)?;
        if !vocab.push(&token, id) {
            return Err(A::Error::custom("the tokens are longer than 4 GiB"));
        }
        scores.push(score);
    }
    Ok(Json::Scored(vocab, scores))
}

fn visit_merges<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<Json<'de>, A::Error> {
    let mut merges = MergeList::new();
    let mut all = None;
    while let Some(style) = seq.next_element_seed(Merge(&mut merges))? {
        // The oracle takes pairs or strings, but not both in one list.
        if *all.get_or_insert(style) != style {
            return Err(A::Error::custom("pairs and strings mixed"));
        }
    }
    Ok(Json::Merges(merges))
}

/// Splits `left right` at its only space.
pub(in crate::spec) fn split_merge(text: &str) -> Option<(&str, &str)> {
    let (left, right) = text.split_once(' ')?;
    (!right.contains(' ')).then_some((left, right))
}

/// Whether a merge written as a string is a comment to the oracle.
pub(in crate::spec) fn is_version_line(text: &str) -> bool {
    text.starts_with("#version")
}

/// A string, borrowed if it has no escapes.
pub(in crate::spec) struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(value.to_owned()))
    }
}

/// `["token", score]`.
struct Scored;

impl<'de> DeserializeSeed<'de> for Scored {
    type Value = (Cow<'de, str>, f64);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Scored {
    type Value = (Cow<'de, str>, f64);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a token and its score")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let token = seq.next_element_seed(Text)?;
        let score = seq.next_element()?;
        let end = seq.next_element::<IgnoredAny>()?;
        match (token, score, end) {
            (Some(token), Some(score), None) => Ok((token, score)),
            _ => Err(A::Error::custom("not two elements")),
        }
    }
}

/// How a merge is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MergeStyle {
    Pair,
    Text,
}

/// One merge, appended to the list.
struct Merge<'l>(&'l mut MergeList);

impl<'de> DeserializeSeed<'de> for Merge<'_> {
    type Value = MergeStyle;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<MergeStyle, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Merge<'_> {
    type Value = MergeStyle;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a merge")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<MergeStyle, E> {
        if !is_version_line(value) {
            let (left, right) = split_merge(value).ok_or_else(|| E::custom("not a pair"))?;
            if !self.0.push(left, right) {
                return Err(E::custom("the merges are longer than 4 GiB"));
            }
        }
        Ok(MergeStyle::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MergeStyle, A::Error> {
        let left = seq.next_element_seed(Text)?;
        let right = seq.next_element_seed(Text)?;
        let end = seq.next_element::<IgnoredAny>()?;
        match (left, right, end) {
            (Some(left), Some(right), None) if self.0.push(&left, &right) => Ok(MergeStyle::Pair),
            _ => Err(A::Error::custom("not two strings")),
        }
    }
}
