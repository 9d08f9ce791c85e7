//! A path -> [`Spec`]: a tokenizer.json, a tekken.json, a folder of files, or one file of a pair.

mod companions;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use super::sentencepiece::looks_like_model;
use super::tiktoken::looks_like_ranks;
use super::tokenizer_json::{Json, Text};
use super::{from_json, from_sentencepiece, from_tekken, from_vocab_and_merges, Spec};
use crate::error::{LoadError, Problem};

const VOCAB: &str = "vocab.json";
const MERGES: &str = "merges.txt";

/// Reads the tokenizer at `path`.
///
/// A folder holds `tokenizer.json`, or else `vocab.json` and `merges.txt`, or else `tekken.json`. To
/// the first two, `tokenizer_config.json`, `special_tokens_map.json` and `added_tokens.json` beside them
/// add tokens, as transformers does. A file is a
/// tokenizer.json, a tekken.json or a SentencePiece model, whichever its content says, unless its name ends in
/// `vocab.json` or `merges.txt`: then the other one stands beside it, with the same beginning of the
/// name (`gpt2-vocab.json`, `gpt2-merges.txt`).
///
/// # Errors
///
/// [`LoadError::Io`] with the path of the file that can't be read, and what the readers say.
pub fn from_path(path: &Path) -> Result<Spec, LoadError> {
    if path.is_dir() {
        return from_folder(path);
    }
    match path.file_name().and_then(|name| name.to_str()) {
        Some(name) if name.ends_with(MERGES) => {
            let vocab = sibling(path, name, MERGES, VOCAB);
            from_vocab_and_merges(&read(&vocab)?, &read(path)?)
        }
        Some(name) if name.ends_with(VOCAB) => {
            let bytes = read(path)?;
            if has_model(&bytes) {
                return from_json(&bytes);
            }
            from_vocab_and_merges(&bytes, &read(&sibling(path, name, VOCAB, MERGES))?)
        }
        _ => from_file(path),
    }
}

/// The files that [`from_path`] reads for a path, as far as they are there; at least one.
pub fn source_files(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let files = if path.is_dir() {
        let whole = path.join("tokenizer.json");
        let pair = [path.join(VOCAB), path.join(MERGES)];
        let with_companions =
            |files: Vec<PathBuf>| files.into_iter().chain(companions::files(path)).collect();
        match whole.exists() {
            true => with_companions(vec![whole]),
            false if pair.iter().any(|path| path.exists()) => with_companions(pair.into()),
            false => vec![path.join("tekken.json")],
        }
    } else if name.ends_with(MERGES) {
        vec![sibling(path, name, MERGES, VOCAB), path.to_owned()]
    } else if name.ends_with(VOCAB) {
        let merges = sibling(path, name, VOCAB, MERGES);
        [path.to_owned()].into_iter().chain(merges.exists().then_some(merges)).collect()
    } else {
        vec![path.to_owned()]
    };
    // What from_path says of files that are not there is the better error.
    match files.iter().find(|file| !file.exists()) {
        Some(_) => from_path(path).map(|_| files),
        None => Ok(files),
    }
}

fn from_folder(folder: &Path) -> Result<Spec, LoadError> {
    let (whole, vocab, merges) =
        (folder.join("tokenizer.json"), folder.join(VOCAB), folder.join(MERGES));
    let tekken = folder.join("tekken.json");
    let with_companions = |mut spec: Spec| companions::add(&mut spec, folder).map(|()| spec);
    if whole.exists() {
        with_companions(from_json(&read(&whole)?)?)
    } else if vocab.exists() || merges.exists() {
        // One without the other is an error that names the missing file.
        with_companions(from_vocab_and_merges(&read(&vocab)?, &read(&merges)?)?)
    } else if tekken.exists() {
        from_tekken(&read(&tekken)?)
    } else {
        let tried = "tokenizer.json, vocab.json with merges.txt, and tekken.json";
        Err(LoadError::at(folder.display().to_string(), Problem::NoVocabulary { tried }))
    }
}

fn from_file(path: &Path) -> Result<Spec, LoadError> {
    let bytes = read(path)?;
    let start = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    if start.trim_ascii_start().first() == Some(&b'{') {
        return if is_tekken(&bytes) { from_tekken(&bytes) } else { from_json(&bytes) };
    }
    let problem = if looks_like_ranks(&bytes) {
        Problem::NeedsPattern
    } else if looks_like_model(&bytes) {
        return from_sentencepiece(&bytes);
    } else {
        let tried = "a JSON object with `model` (tokenizer.json) or `config` (tekken.json), \
                     and a model of SentencePiece";
        Problem::NoVocabulary { tried }
    };
    Err(LoadError::at(path.display().to_string(), problem))
}

/// Reads the content of a tokenizer.json or of a SentencePiece model, whichever it is.
///
/// # Errors
///
/// What the readers say.
pub fn from_bytes(bytes: &[u8]) -> Result<Spec, LoadError> {
    let is_model = looks_like_model(bytes) && bytes.trim_ascii_start().first() != Some(&b'{');
    if is_model {
        from_sentencepiece(bytes)
    } else {
        from_json(bytes)
    }
}

/// The path with the end of its name exchanged.
fn sibling(path: &Path, name: &str, end: &str, other_end: &str) -> PathBuf {
    let beginning = name.strip_suffix(end).unwrap_or_default();
    path.with_file_name(format!("{beginning}{other_end}"))
}

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    fs::read(path).map_err(|source: io::Error| LoadError::Io { path: path.to_owned(), source })
}

/// Whether the text is an object in which `model` is an object: `model` may be a token as well,
/// but then its value is a number.
fn has_model(bytes: &[u8]) -> bool {
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

#[cfg(test)]
mod tests;
