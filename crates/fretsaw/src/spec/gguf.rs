//! The vocabulary in a GGUF file -> [`Spec`].
//!
//! A file of a whole model has it in its metadata, which comes first: nothing behind that is read. The
//! model's kind says what the tokenizer is: `gpt2` a byte-level one as in a tokenizer.json, `llama`
//! and `t5` a model of SentencePiece, `bert` WordPiece, `rwkv` greedy longest match. What ids those
//! give is what they give here, defaults included; which tokens stand around a text is what the
//! flags say. What llama.cpp reads but the other formats have no word for is refused by name.

mod bpe;
mod metadata;
mod pieces;
mod pre;
mod source;
#[cfg(test)]
mod tests;
mod words;

use std::borrow::Cow;
use std::io::{Read, Seek};

use super::rwkv;
use super::{
    AddedToken, ChatTemplate, PieceSearch, PieceType, PostProcessor, Spec, TemplatePiece,
    TemplateToken,
};
use crate::error::{LoadError, Problem};
pub(super) use metadata::is_gguf;
use metadata::Metadata;

const MODEL: &str = "tokenizer.ggml.model";
const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const TEMPLATE: &str = "tokenizer.chat_template";
/// What a template may name, and where its id stands.
const NAMED: [(&str, &str); 4] = [
    ("bos_token", "tokenizer.ggml.bos_token_id"),
    ("eos_token", "tokenizer.ggml.eos_token_id"),
    ("unk_token", "tokenizer.ggml.unknown_token_id"),
    ("pad_token", "tokenizer.ggml.padding_token_id"),
];

/// Reads the vocabulary in the metadata of a file of `len` bytes.
///
/// # Errors
///
/// [`LoadError::Invalid`] with the key, or the byte offset where there is none;
/// [`LoadError::Unsupported`] for a model or a pre-tokenizer that is not known.
pub fn from_gguf<R: Read + Seek>(file: R, len: u64) -> Result<Spec, LoadError> {
    let metadata = Metadata::read(file, len)?;
    let missing = |field| LoadError::at("$", Problem::Missing { field });
    let kind = metadata.text(MODEL)?.ok_or_else(|| missing(MODEL))?;
    let tokens = Tokens::read(&metadata)?;
    let mut spec = match kind {
        "gpt2" => bpe::read(&metadata, &tokens),
        "llama" => pieces::read(&metadata, &tokens, PieceSearch::Bpe),
        "t5" => pieces::read(&metadata, &tokens, PieceSearch::Unigram),
        "bert" => words::read(&metadata, &tokens),
        "rwkv" => longest_match(&tokens),
        other => Err(LoadError::unsupported(MODEL, format_args!("{other:?}"))),
    }?;
    spec.chat_template = chat_template(&metadata, &tokens)?;
    Ok(spec)
}

/// The template of chats, with the tokens that transformers 5.24.0 gives it. An id that no token has
/// names none.
fn chat_template(
    metadata: &Metadata,
    tokens: &Tokens<'_>,
) -> Result<Option<ChatTemplate>, LoadError> {
    let Some(source) = metadata.text(TEMPLATE)? else { return Ok(None) };
    let named = NAMED.iter().filter_map(|(name, key)| {
        let id = tokens.id(metadata, &[*key]).ok()??;
        Some(((*name).to_owned(), tokens.text(id, key).ok()?.to_owned()))
    });
    Ok(Some(ChatTemplate { source: source.to_owned(), tokens: named.collect() }))
}

/// The tokens of a file; ids are places.
struct Tokens<'m> {
    texts: Cow<'m, [String]>,
    kinds: Vec<PieceType>,
}

impl<'m> Tokens<'m> {
    fn read(metadata: &'m Metadata) -> Result<Self, LoadError> {
        let texts = metadata.texts(TOKENS)?;
        let texts = texts.ok_or_else(|| LoadError::at("$", Problem::Missing { field: TOKENS }))?;
        let mut texts = Cow::Borrowed(texts);
        if texts.iter().any(String::is_empty) {
            // A place without a string gets one that no text has, as in llama.cpp.
            let named = texts.iter().enumerate().map(|(place, text)| match text.as_str() {
                "" => format!("[EMPTY_{place}]"),
                text => text.to_owned(),
            });
            texts = Cow::Owned(named.collect());
        }
        let kinds = match metadata.integers(TYPES)? {
            None => vec![PieceType::Normal; texts.len()],
            Some(types) if types.len() == texts.len() => {
                types.iter().enumerate().map(kind).collect::<Result<_, _>>()?
            }
            Some(types) => {
                let value = format!("{} types for {} tokens", types.len(), texts.len());
                let expected = "a type for each token";
                return Err(LoadError::at(TYPES, Problem::OutOfRange { value, expected }));
            }
        };
        Ok(Self { texts, kinds })
    }

    /// How an error calls a token.
    fn path(&self, place: usize) -> String {
        format!("{TOKENS}[{place}]")
    }

    /// The id that the first of these keys has which is there.
    fn id(&self, metadata: &Metadata, keys: &[&str]) -> Result<Option<u32>, LoadError> {
        for key in keys {
            if let Some(id) = metadata.id(key, self.texts.len())? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// The token of an id that `key` gives, or would give.
    fn text(&self, id: u32, key: &'static str) -> Result<&str, LoadError> {
        let text = self.texts.get(id as usize);
        let missing = || LoadError::at("$", Problem::Missing { field: key });
        text.map(String::as_str).ok_or_else(missing)
    }
}

fn kind((place, &number): (usize, &i64)) -> Result<PieceType, LoadError> {
    Ok(match number {
        // Undefined and normal.
        0 | 1 => PieceType::Normal,
        2 => PieceType::Unknown,
        3 => PieceType::Control,
        4 => PieceType::UserDefined,
        5 => PieceType::Unused,
        6 => PieceType::Byte,
        _ => {
            let problem =
                Problem::OutOfRange { value: number.to_string(), expected: "a type from 0 to 6" };
            return Err(LoadError::at(format!("{TYPES}[{place}]"), problem));
        }
    })
}

/// What stands around a text, as the flags say, or else the kind of model.
fn ends(
    metadata: &Metadata,
    tokens: &Tokens<'_>,
    bos: bool,
    eos: bool,
) -> Result<Option<PostProcessor>, LoadError> {
    let end = |flag: &str, usual: bool, key: &'static str| {
        if !metadata.flag(flag)?.unwrap_or(usual) {
            return Ok(None);
        }
        let missing = || LoadError::at("$", Problem::Missing { field: key });
        let id = tokens.id(metadata, &[key])?.ok_or_else(missing)?;
        tokens.text(id, key).map(|text| Some((text, id)))
    };
    let bos = end("tokenizer.ggml.add_bos_token", bos, "tokenizer.ggml.bos_token_id")?;
    let eos = end("tokenizer.ggml.add_eos_token", eos, "tokenizer.ggml.eos_token_id")?;
    Ok(template(bos, eos, true))
}

/// A template with a token in front of a text and one behind; of two texts, each has one in front if
/// `both` says so.
fn template(
    front: Option<(&str, u32)>,
    behind: Option<(&str, u32)>,
    both: bool,
) -> Option<PostProcessor> {
    if front.is_none() && behind.is_none() {
        return None;
    }
    let special = |token: Option<(&str, u32)>, type_id: u32| {
        token.map(|(text, _)| TemplatePiece::SpecialToken { id: text.to_owned(), type_id })
    };
    let around = |id: u8, front: Option<(&str, u32)>| {
        let type_id = u32::from(id);
        let text = Some(TemplatePiece::Sequence { id, type_id });
        [special(front, type_id), text, special(behind, type_id)].into_iter().flatten()
    };
    let mut named: Vec<(&str, u32)> = [front, behind].into_iter().flatten().collect();
    named.dedup();
    let special_tokens = named.into_iter().map(|(text, id)| TemplateToken {
        id: text.to_owned(),
        ids: vec![id],
        tokens: vec![text.to_owned()],
    });
    Some(PostProcessor::Template {
        single: around(0, front).collect(),
        pair: around(0, front).chain(around(1, front.filter(|_| both))).collect(),
        special_tokens: special_tokens.collect(),
    })
}

/// A vocabulary of RWKV: tokens are bytes, written as Python writes them.
fn longest_match(tokens: &Tokens<'_>) -> Result<Spec, LoadError> {
    let mut read = Vec::with_capacity(tokens.texts.len());
    let mut added = Vec::new();
    for (place, (text, kind)) in tokens.texts.iter().zip(&tokens.kinds).enumerate() {
        let id = place as u32;
        match kind {
            PieceType::Normal => {
                let wrong = || {
                    let (found, expected) = (format!("{text:?}"), "bytes as Python writes them");
                    LoadError::at(tokens.path(place), Problem::WrongType { found, expected })
                };
                read.push((rwkv::unescape(text).ok_or_else(wrong)?, id));
            }
            PieceType::Unused => {}
            _ => added.push(AddedToken::plain(text, id, true)),
        }
    }
    rwkv::spec(read.iter().map(|(token, id)| (token.as_slice(), *id)), added, TOKENS)
}
