//! Mistral's `tekken.json` -> [`Spec`], as mistral-common 1.13.1 reads it.
//!
//! Special tokens come first: a vocabulary entry has the id of its rank plus their number. Files up
//! to version 7 may leave them out; then twenty fixed ones stand there. What is missing to
//! `default_num_special_tokens` is filled with `<SPECIAL_20>` and so on. The vocabulary is cut so
//! that all ids stay below `default_vocab_size`. Splitting and merging are tiktoken's; no special
//! token ever matches in text, and decoding leaves them out. Reading is linear in the file.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashSet;

use serde::de::IgnoredAny;
use serde::Deserialize;

use super::tiktoken::{character, decode_base64, spec};
use super::tokenizer_json::utf8;
use super::{Defaults, Spec, Vocab};
use crate::error::{LoadError, Problem};

/// The versions that exist, and whether the special tokens may be left out.
const VERSIONS: [(&str, bool); 7] = [
    ("v1", true),
    ("v2", true),
    ("v3", true),
    ("v7", true),
    ("v11", false),
    ("v13", false),
    ("v15", false),
];

/// The special tokens of files that have no list of them.
const SPECIAL_TOKENS: [&str; 20] = [
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
];

/// No file may ask for more: they are made up from a number in it.
const SPECIAL_TOKENS_LIMIT: usize = 1 << 20;

#[derive(Deserialize)]
struct File<'a> {
    #[serde(borrow)]
    config: Config<'a>,
    #[serde(borrow)]
    vocab: Vec<Token<'a>>,
    #[serde(borrow)]
    special_tokens: Option<Vec<SpecialToken<'a>>>,
}

#[derive(Deserialize)]
struct Config<'a> {
    pattern: String,
    default_vocab_size: usize,
    default_num_special_tokens: usize,
    #[serde(borrow)]
    version: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Token<'a> {
    rank: u64,
    #[serde(borrow)]
    token_bytes: Cow<'a, str>,
    #[allow(dead_code)] // must be there, and does nothing
    token_str: IgnoredAny,
}

#[derive(Deserialize)]
struct SpecialToken<'a> {
    rank: u64,
    #[serde(borrow)]
    token_str: Cow<'a, str>,
}

/// Reads a tekken.json.
///
/// # Errors
///
/// [`LoadError::Invalid`] with the JSON path of what mistral-common would refuse as well;
/// [`LoadError::Unsupported`] where a special token's rank is not its place in the list.
pub fn from_tekken(json: &[u8]) -> Result<Spec, LoadError> {
    let text = utf8(json)?;
    let file: File<'_> = serde_json::from_str(text).map_err(|error| located(text, &error))?;
    let special_tokens = special_tokens(&file)?;
    let vocab = vocab(&file, special_tokens.len())?;
    Ok(spec(vocab, &file.config.pattern, &special_tokens, Defaults::TEKKEN))
}

/// An error of the parser with its path, for which the text is parsed once more.
fn located(text: &str, error: &serde_json::Error) -> LoadError {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let path = match serde_path_to_error::deserialize::<_, File<'_>>(&mut deserializer) {
        Err(error) if error.path().iter().len() > 0 => error.path().to_string(),
        _ => "$".to_owned(),
    };
    let mut message = error.to_string();
    // serde_json ends its text with the place, which is a field of its own here.
    message.truncate(message.rfind(" at line ").unwrap_or(message.len()));
    LoadError::at(path, Problem::Json { line: error.line(), column: error.column(), message })
}

/// All special tokens; ids are places.
fn special_tokens(file: &File<'_>) -> Result<Vec<(String, u32)>, LoadError> {
    let config = &file.config;
    let total = config.default_num_special_tokens;
    if total > SPECIAL_TOKENS_LIMIT {
        let problem = Problem::TooMany { what: "special tokens", limit: SPECIAL_TOKENS_LIMIT };
        return Err(LoadError::at("config.default_num_special_tokens", problem));
    }
    let version = VERSIONS.iter().find(|(name, _)| *name == config.version);
    let mut contents: Vec<String> = match (&file.special_tokens, version) {
        (_, None) => {
            let value = format!("{:?}", config.version);
            let expected = "one of v1, v2, v3, v7, v11, v13, v15";
            return Err(LoadError::at("config.version", Problem::OutOfRange { value, expected }));
        }
        (Some(tokens), _) => given(tokens)?,
        (None, Some((_, true))) => SPECIAL_TOKENS.map(str::to_owned).into(),
        (None, Some(_)) => {
            return Err(LoadError::at("$", Problem::Missing { field: "special_tokens" }));
        }
    };
    if contents.len() > total {
        let problem = Problem::TooMany { what: "special tokens", limit: total };
        return Err(LoadError::at("special_tokens", problem));
    }
    contents.extend((contents.len()..total).map(|id| format!("<SPECIAL_{id}>")));
    let mut seen = HashSet::with_capacity(total);
    if let Some(content) = contents.iter().find(|content| !seen.insert(content.as_str())) {
        let problem = Problem::DuplicateAddedToken { content: content.clone() };
        return Err(LoadError::at("special_tokens", problem));
    }
    Ok(contents.into_iter().zip(0..).collect())
}

/// The special tokens that the file lists.
fn given(tokens: &[SpecialToken<'_>]) -> Result<Vec<String>, LoadError> {
    let content = |(place, token): (usize, &SpecialToken<'_>)| {
        if token.rank != place as u64 {
            let field = format!("special_tokens[{place}].rank");
            return Err(LoadError::unsupported(field, token.rank));
        }
        if token.token_str.is_empty() {
            let path = format!("special_tokens[{place}].token_str");
            return Err(LoadError::at(path, Problem::EmptyAddedToken));
        }
        Ok(token.token_str.clone().into_owned())
    };
    tokens.iter().enumerate().map(content).collect()
}

/// The vocabulary, cut to its size, with ids behind the special tokens.
fn vocab(file: &File<'_>, special_tokens: usize) -> Result<Vocab, LoadError> {
    let size = file.config.default_vocab_size;
    let len = size.checked_sub(special_tokens).filter(|len| (1..=file.vocab.len()).contains(len));
    let Some(len) = len else {
        let problem = Problem::OutOfRange {
            value: size.to_string(),
            expected: "more than there are special tokens, and at most as many as there are tokens",
        };
        return Err(LoadError::at("config.default_vocab_size", problem));
    };
    let mut vocab = Vocab::new();
    let mut seen = HashSet::with_capacity(len);
    for (place, token) in file.vocab[..len].iter().enumerate() {
        let fails = |field, problem| LoadError::at(format!("vocab[{place}].{field}"), problem);
        if token.rank != place as u64 {
            let value = token.rank.to_string();
            let expected = "the place in the list";
            return Err(fails("rank", Problem::OutOfRange { value, expected }));
        }
        let text = token.token_bytes.as_ref();
        let bytes =
            Some(text).filter(|text| text.is_ascii()).and_then(|t| decode_base64(t.as_bytes()));
        let Some(bytes) = bytes.filter(|bytes| place > 0xFF || **bytes == [place as u8]) else {
            let expected = if place > 0xFF { "base64" } else { "the byte of the rank in base64" };
            let found = format!("{text:?}");
            return Err(fails("token_bytes", Problem::WrongType { found, expected }));
        };
        let spelled: String = bytes.iter().map(|&byte| character(byte)).collect();
        let id = u32::try_from(place + special_tokens).ok();
        if !id.is_some_and(|id| vocab.push(&spelled, id)) {
            let limit = u32::MAX as usize;
            return Err(fails("token_bytes", Problem::TooMany { what: "bytes of tokens", limit }));
        }
        if !seen.insert(bytes) {
            return Err(fails("token_bytes", Problem::DuplicateToken { token: spelled }));
        }
    }
    Ok(vocab)
}
