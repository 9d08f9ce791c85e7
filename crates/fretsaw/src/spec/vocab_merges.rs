//! `vocab.json` and `merges.txt`, the files of GPT-2 -> [`Spec`].
//!
//! The result is what the published tokenizer.json of GPT-2 says. Beyond what the oracle reads, a
//! byte-order mark and blank lines are accepted. Like the oracle, the vocabulary passes over
//! entries that are not numbers, and lines of merges that start with `#version`.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::content::plain;
use super::tokenizer_json::{is_version_line, split_merge, syntax_error, utf8, Json, Text};
use super::{
    AddedToken, Bpe, Decoder, Defaults, LazyModel, MergeList, Merges, Model, PostProcessor,
    PreTokenizer, Spec, Vocab,
};
use crate::error::{LoadError, Place, Problem};

/// The one special token of GPT-2.
const END_OF_TEXT: &str = "<|endoftext|>";

/// Makes a byte-level BPE tokenizer from a vocabulary and its merges, packed with gzip or not.
///
/// # Errors
///
/// [`LoadError::Invalid`], with the path in `vocab.json` or the line of `merges.txt`.
pub fn from_vocab_and_merges(vocab_json: &[u8], merges_txt: &[u8]) -> Result<Spec, LoadError> {
    let (vocab_json, merges_txt) = (plain(vocab_json)?, plain(merges_txt)?);
    let vocab = read_vocab(&vocab_json)?;
    let merges = read_merges(&merges_txt)?;
    let end_of_text = vocab.iter().filter(|(token, _)| *token == END_OF_TEXT).last();
    let added_tokens = end_of_text
        .map(|(content, id)| AddedToken {
            normalized: true,
            ..AddedToken::plain(content, id, true)
        })
        .into_iter()
        .collect();
    let model = Model::Bpe(Bpe {
        vocab,
        merges: Merges::Pairs(merges),
        dropout: None,
        unk_token: None,
        // Empty, not absent: that is how the published file has it.
        continuing_subword_prefix: Some(String::new()),
        end_of_word_suffix: Some(String::new()),
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: false,
    });
    Ok(Spec {
        added_tokens,
        added_later: Vec::new(),
        normalizer: None,
        pre_tokenizer: Some(PreTokenizer::ByteLevel {
            add_prefix_space: false,
            trim_offsets: true,
            use_regex: true,
        }),
        model: Arc::new(LazyModel::Now(model)),
        post_processor: Some(PostProcessor::ByteLevel {
            add_prefix_space: true,
            trim_offsets: false,
            use_regex: true,
        }),
        decoder: Some(Decoder::ByteLevel {
            add_prefix_space: true,
            trim_offsets: true,
            use_regex: true,
        }),
        truncation: None,
        padding: None,
        chat_template: None,
        defaults: Defaults::HUGGING_FACE,
    })
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

fn read_vocab(bytes: &[u8]) -> Result<Vocab, LoadError> {
    let text = utf8(without_mark(bytes))?;
    let mut vocab = Vocab::new();
    let mut problem = None;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let reader = Entries { vocab: &mut vocab, problem: &mut problem };
    let parsed = deserializer.deserialize_map(reader).and_then(|()| deserializer.end());
    match (problem, parsed) {
        (Some((token, problem)), _) => Err(LoadError::at(token, problem)),
        (None, Err(error)) => Err(syntax_error(text, &error)),
        (None, Ok(())) => Ok(vocab),
    }
}

/// Reads `{"token": id}` into a vocabulary.
struct Entries<'v> {
    vocab: &'v mut Vocab,
    /// The token of a bad entry and what is bad about it.
    problem: &'v mut Option<(String, Problem)>,
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tokens and ids")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(token) = map.next_key_seed(Text)? {
            let problem = match Id::from(map.next_value::<Json<'_>>()?) {
                Id::Is(id) if self.vocab.push(&token, id) => continue,
                Id::NotANumber => continue,
                Id::Is(_) => Problem::TooMany { what: "bytes of tokens", limit: u32::MAX as usize },
                Id::OutOfRange(value) => {
                    let expected = "an integer from 0 to 4294967295";
                    Problem::OutOfRange { value, expected }
                }
            };
            *self.problem = Some((token.into_owned(), problem));
            return Err(A::Error::custom("a bad entry"));
        }
        Ok(())
    }
}

/// The value of an entry.
enum Id {
    Is(u32),
    OutOfRange(String),
    NotANumber,
}

impl From<Json<'_>> for Id {
    fn from(json: Json<'_>) -> Self {
        match json {
            Json::Unsigned(value) => {
                u32::try_from(value).map_or_else(|_| Id::OutOfRange(value.to_string()), Id::Is)
            }
            Json::Signed(value) => Id::OutOfRange(value.to_string()),
            Json::Float(value) => Id::OutOfRange(value.to_string()),
            _ => Id::NotANumber,
        }
    }
}

/// Reads the lines of merges, in the order of their ranks.
fn read_merges(bytes: &[u8]) -> Result<MergeList, LoadError> {
    let fail = |line: usize, problem| LoadError::Invalid { place: Place::Line(line), problem };
    let text = std::str::from_utf8(without_mark(bytes)).map_err(|error| {
        let byte_offset = bytes.len() - without_mark(bytes).len() + error.valid_up_to();
        let line = 1 + bytes[..byte_offset].iter().filter(|b| **b == b'\n').count();
        fail(line, Problem::NotUtf8 { byte_offset })
    })?;
    let mut merges = MergeList::new();
    for (index, line) in text.lines().enumerate() {
        if line.is_empty() || is_version_line(line) {
            continue;
        }
        let (left, right) = split_merge(line)
            .ok_or_else(|| fail(index + 1, Problem::MergeNotAPair { text: line.to_owned() }))?;
        if !merges.push(left, right) {
            let limit = u32::MAX as usize;
            return Err(fail(index + 1, Problem::TooMany { what: "bytes of merges", limit }));
        }
    }
    Ok(merges)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn merges(text: &str) -> Vec<String> {
        read_merges(text.as_bytes()).unwrap().iter().map(|(a, b)| format!("{a}+{b}")).collect()
    }

    #[test]
    fn lines_of_merges() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("#version: 0.2\na b\nc d", &["a+b", "c+d"]),
            ("\u{feff}#version: 0.2\r\na b\r\n\r\nc d\r\n", &["a+b", "c+d"]),
            ("# b\n#version\n", &["#+b"]),
        ];
        for (text, expected) in cases {
            assert_eq!(merges(text), *expected, "{text:?}");
        }
        // A single space is two empty tokens to the oracle.
        assert_eq!(merges("a b\n "), ["a+b", "+"]);
        for (text, line) in [("a b\nab\n", 2), ("\na b c\n", 2), (" a b", 1)] {
            match read_merges(text.as_bytes()) {
                Err(LoadError::Invalid { place: Place::Line(found), .. }) => {
                    assert_eq!(found, line, "{text:?}");
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(matches!(
            read_merges(b"\xef\xbb\xbfa b\n\xff"),
            Err(LoadError::Invalid {
                place: Place::Line(2),
                problem: Problem::NotUtf8 { byte_offset: 7 }
            })
        ));
    }

    #[test]
    fn entries_of_the_vocabulary() {
        let spec = from_vocab_and_merges(
            "\u{feff}{\"a\":0,\"note\":\"x\",\"<|endoftext|>\":7}".as_bytes(),
            b"",
        )
        .unwrap();
        assert_eq!(spec.added_tokens.len(), 1);
        assert_eq!(spec.added_tokens[0].id, 7);
        let Model::Bpe(bpe) = &**spec.model else { panic!() };
        assert_eq!(bpe.vocab.len(), 2);
        for text in ["", "[]", "{\"a\":-1}", "{\"a\":0.5}", "{\"a\":4294967296}", "{} x", "{\"a\":"]
        {
            assert!(from_vocab_and_merges(text.as_bytes(), b"").is_err(), "{text}");
        }
        assert!(from_vocab_and_merges(b"{}", b"").unwrap().added_tokens.is_empty());
    }
}
