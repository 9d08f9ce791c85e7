//! The content of a file -> [`Spec`]: which format it is of, whatever the file is called.
//!
//! Formats are told by their first bytes, or first lines, in a fixed order; no reader is tried in
//! vain. Of a file, only as much is read as that takes, and of a GGUF file no more than its metadata. What
//! is packed with gzip is unpacked first.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::clip::looks_like_clip;
use super::gguf::is_gguf;
use super::regular::regular;
use super::rwkv::looks_like_rwkv;
use super::sentencepiece::looks_like_model;
use super::tiktoken::looks_like_ranks;
use super::tokenizer_json::{Json, Text};
use super::word_list::looks_like_word_list;
use super::{
    from_clip, from_gguf, from_json, from_rwkv, from_sentencepiece, from_tekken, from_word_list,
    Spec, WordRules,
};
use crate::error::{LoadError, Problem};

/// What was looked for.
const TRIED: &str = "a JSON object with `model` (tokenizer.json) or `config` (tekken.json), \
                     a model of SentencePiece, GGUF, and the vocabularies of BERT, RWKV and CLIP";

const GZIP: &[u8] = &[0x1F, 0x8B, 0x08];

/// Packed files may not grow beyond this.
const UNPACKED_LIMIT: usize = 1 << 28;

/// Reads the content of a file in any format that one file can hold whole.
///
/// # Errors
///
/// What the readers say; that of tokenizer.json where it is none of these formats.
pub fn from_bytes(bytes: &[u8]) -> Result<Spec, LoadError> {
    let plain = plain(bytes)?;
    reader(&plain).map_or_else(|| from_json(&plain), |read| read(&plain))
}

/// Reads the file at `path`.
pub(super) fn from_file(path: &Path) -> Result<Spec, LoadError> {
    let io = |source| LoadError::Io { path: path.to_owned(), source };
    regular(path).map_err(io)?;
    let mut file = File::open(path).map_err(io)?;
    let mut head = Vec::new();
    file.by_ref().take(4).read_to_end(&mut head).map_err(io)?;
    file.rewind().map_err(io)?;
    if is_gguf(&head) {
        let len = file.metadata().map_err(io)?.len();
        return from_gguf(file, len);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(io)?;
    let bytes = plain(&bytes)?;
    let name = || path.display().to_string();
    let read = reader(&bytes)
        .ok_or_else(|| LoadError::at(name(), Problem::NoVocabulary { tried: TRIED }))?;
    read(&bytes)
}

/// The content itself, of what may be packed.
pub(super) fn plain(bytes: &[u8]) -> Result<Cow<'_, [u8]>, LoadError> {
    if !bytes.starts_with(GZIP) {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut plain = Vec::new();
    let limit = UNPACKED_LIMIT as u64 + 1;
    if let Err(error) = MultiGzDecoder::new(bytes).take(limit).read_to_end(&mut plain) {
        let (found, expected) = (format!("bytes that are none ({error})"), "a gzip stream");
        return Err(LoadError::at("$", Problem::WrongType { found, expected }));
    }
    if plain.len() > UNPACKED_LIMIT {
        let problem = Problem::TooMany { what: "unpacked bytes", limit: UNPACKED_LIMIT };
        return Err(LoadError::at("$", problem));
    }
    Ok(Cow::Owned(plain))
}

/// What reads content of one format.
type Reader = fn(&[u8]) -> Result<Spec, LoadError>;

/// The reader of content that is not packed.
fn reader(bytes: &[u8]) -> Option<Reader> {
    let start = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if is_gguf(bytes) {
        Some(|bytes| from_gguf(Cursor::new(bytes), bytes.len() as u64))
    } else if start.trim_ascii_start().first() == Some(&b'{') {
        Some(if is_tekken(bytes) { from_tekken } else { from_json })
    } else if looks_like_rwkv(bytes) {
        Some(from_rwkv)
    } else if looks_like_clip(bytes) {
        Some(from_clip)
    } else if looks_like_ranks(bytes) {
        Some(|_| Err(LoadError::at("$", Problem::NeedsPattern)))
    } else if looks_like_model(bytes) {
        Some(from_sentencepiece)
    } else if looks_like_word_list(bytes) {
        Some(|bytes| from_word_list(bytes, WordRules::default()))
    } else {
        None
    }
}

/// Whether the text is an object in which `model` is an object: `model` may be a token as well,
/// but then its value is a number.
pub(super) fn has_model(bytes: &[u8]) -> bool {
    serde_json::Deserializer::from_slice(bytes).deserialize_map(HasModel).unwrap_or(false)
}

struct HasModel;

impl<'de> Visitor<'de> for HasModel {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let mut found = false;
        while let Some(key) = map.next_key_seed(Text)? {
            if key == "model" {
                found |= matches!(map.next_value()?, Json::Object(_));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Whether the text is an object with `config` before any field of a tokenizer.json: then reading
/// ends there, and most often with the first field.
fn is_tekken(bytes: &[u8]) -> bool {
    let mut found = false;
    // Leaving the object early is an error to the parser.
    let _ = serde_json::Deserializer::from_slice(bytes).deserialize_map(IsTekken(&mut found));
    found
}

struct IsTekken<'f>(&'f mut bool);

impl<'de> Visitor<'de> for IsTekken<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Text)? {
            match key.as_ref() {
                "config" => {
                    *self.0 = true;
                    break;
                }
                "truncation" | "padding" | "added_tokens" | "normalizer" | "pre_tokenizer"
                | "post_processor" | "decoder" | "model" => break,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}
