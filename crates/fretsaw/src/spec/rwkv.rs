//! RWKV's vocabulary (`rwkv_vocab_v20230424.txt`) -> [`Spec`].
//!
//! Each line is an id, a literal of Python (a string, or bytes where the token is no text) and the
//! token's length in bytes. A text is cut greedily into longest tokens from its start: that is
//! WordPiece over bytes, with no prefix and the whole text as one word. Hugging Face can say it as well,
//! so such a tokenizer can be saved as a tokenizer.json. Every byte has to be a token. Reading is
//! linear in the file.
//!
//! Source: behaviour of `rwkv_tokenizer.py` in BlinkDL/RWKV-LM, which reads lines with `eval`.

mod literal;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use super::tiktoken::character;
use super::{
    AddedToken, Decoder, DefaultSpecial, Defaults, LazyModel, Model, PreTokenizer, Spec, Vocab,
    WordPiece,
};
use crate::error::{LoadError, Place, Problem};
pub(super) use literal::unescape;
use literal::unquote;

/// Any longer word is unknown: none is.
const NO_LIMIT: usize = u32::MAX as usize;

impl Defaults {
    /// The defaults of RWKV.
    pub const RWKV: Defaults = Defaults {
        special: DefaultSpecial::All,
        skip_special_tokens: false,
        strict_ids: true,
        added_ids_as_given: true,
        skipped_tokens_separate: false,
    };
}

/// Whether the first line that is not empty is an id, a literal and a length.
pub(super) fn looks_like_rwkv(bytes: &[u8]) -> bool {
    const SHOWN_BYTES: usize = 1 << 16;
    let mut lines = bytes[..bytes.len().min(SHOWN_BYTES)].split(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| std::str::from_utf8(line).is_ok_and(|line| read_line(line).is_ok()))
}

/// Reads the vocabulary.
///
/// # Errors
///
/// [`LoadError::Invalid`] with the line that is not of this form, whose length is wrong, or whose
/// token or id an earlier line has; or where a byte is no token.
pub fn from_rwkv(bytes: &[u8]) -> Result<Spec, LoadError> {
    let at = |line: usize, problem| LoadError::Invalid { place: Place::Line(line), problem };
    let mut tokens = Vec::new();
    let (mut seen, mut ids) = (HashSet::new(), HashSet::new());
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let fails = |problem| at(index + 1, problem);
        let line = std::str::from_utf8(line)
            .map_err(|error| fails(Problem::NotUtf8 { byte_offset: error.valid_up_to() }))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (id, token) = read_line(line).map_err(fails)?;
        if !ids.insert(id) || !seen.insert(token.clone()) {
            let token = String::from_utf8_lossy(&token).into_owned();
            return Err(fails(Problem::DuplicateToken { token }));
        }
        tokens.push((token, id));
    }
    spec(tokens.iter().map(|(token, id)| (token.as_slice(), *id)), Vec::new(), "$")
}

/// The tokenizer of such tokens.
pub(super) fn spec<'a>(
    tokens: impl Iterator<Item = (&'a [u8], u32)>,
    added_tokens: Vec<AddedToken>,
    path: &str,
) -> Result<Spec, LoadError> {
    let mut vocab = Vocab::new();
    let mut spelled = String::new();
    let mut single = [false; 256];
    for (token, id) in tokens {
        if let &[byte] = token {
            single[usize::from(byte)] = true;
        }
        spelled.clear();
        spelled.extend(token.iter().map(|&byte| character(byte)));
        if !vocab.push(&spelled, id) {
            let limit = u32::MAX as usize;
            return Err(LoadError::at(path, Problem::TooMany { what: "bytes of tokens", limit }));
        }
    }
    if single.contains(&false) {
        return Err(LoadError::at(path, Problem::Missing { field: "a token for each byte" }));
    }
    let unk_token = character(0).to_string();
    let model = Model::WordPiece(WordPiece {
        vocab,
        unk_token,
        continuing_subword_prefix: String::new(),
        max_input_chars_per_word: NO_LIMIT,
    });
    let (add_prefix_space, trim_offsets, use_regex) = (false, false, false);
    Ok(Spec {
        added_tokens,
        added_later: Vec::new(),
        normalizer: None,
        pre_tokenizer: Some(PreTokenizer::ByteLevel { add_prefix_space, trim_offsets, use_regex }),
        model: Arc::new(LazyModel::Now(model)),
        post_processor: None,
        decoder: Some(Decoder::ByteLevel { add_prefix_space, trim_offsets, use_regex }),
        truncation: None,
        padding: None,
        chat_template: None,
        defaults: Defaults::RWKV,
    })
}

/// A line's id and token.
fn read_line(line: &str) -> Result<(u32, Vec<u8>), Problem> {
    let wrong = || {
        const SHOWN_CHARS: usize = 80;
        let shown: String = line.chars().take(SHOWN_CHARS).collect();
        let expected = "an id, a literal in quotes and its length in bytes";
        Problem::WrongType { found: format!("{shown:?}"), expected }
    };
    let line = line.trim_ascii();
    let (id, rest) = line.split_once(' ').ok_or_else(wrong)?;
    let (literal, len) = rest.rsplit_once(' ').ok_or_else(wrong)?;
    let id: u32 = id.parse().map_err(|_| wrong())?;
    let len: usize = len.parse().map_err(|_| wrong())?;
    let token = unquote(literal.trim_ascii()).ok_or_else(wrong)?;
    if token.len() != len || token.is_empty() {
        let value = format!("{len}");
        return Err(Problem::OutOfRange { value, expected: "the token's length in bytes" });
    }
    Ok((id, token))
}
