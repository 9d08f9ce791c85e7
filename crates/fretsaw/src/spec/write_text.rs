//! [`Spec`] -> the text files of other formats: ranks, a list of tokens, a vocabulary with merges.
//!
//! Each writes the part of a tokenizer that its format has; whether what is read back is the whole of
//! it is for the caller to see. Linear in the vocabulary.

use super::tiktoken::character;
use super::tokenizer_json::base64;
use super::write_json::vocab_json;
use super::{Bpe, MergeList, Merges, Model, Spec, Vocab};
use crate::error::LoadError;

const ALPHABET: &str = "with a character outside the byte-level alphabet";

/// The lines of a `.tiktoken` file, ranks in order.
///
/// # Errors
///
/// [`LoadError::Unsupported`] where merges are a list, or a token is not spelled in bytes.
pub fn to_tiktoken(spec: &Spec) -> Result<Vec<u8>, LoadError> {
    let Model::Bpe(Bpe { vocab, merges: Merges::ByJoinedBytes, .. }) = &**spec.model else {
        let value = "not one whose merges follow from its tokens";
        return Err(LoadError::unsupported("model", value));
    };
    let byte_of: std::collections::HashMap<char, u8> =
        (0..=255).map(|byte| (character(byte), byte)).collect();
    let mut lines = String::new();
    for (token, rank) in by_id(vocab) {
        let bytes: Option<Vec<u8>> = token.chars().map(|c| byte_of.get(&c).copied()).collect();
        let bytes = bytes
            .ok_or_else(|| LoadError::unsupported(format!("model.vocab[{token:?}]"), ALPHABET))?;
        lines.push_str(&format!("{} {rank}\n", base64::encode(&bytes)));
    }
    Ok(lines.into_bytes())
}

/// The lines of a `vocab.txt`: ids are their numbers.
///
/// # Errors
///
/// [`LoadError::Unsupported`] for any other model, an id that no token has, or a token that a line
/// can't hold.
pub fn to_word_list(spec: &Spec) -> Result<Vec<u8>, LoadError> {
    let Model::WordPiece(model) = &**spec.model else {
        return Err(LoadError::unsupported("model", "not WordPiece"));
    };
    let mut text = String::new();
    for (line, (token, id)) in (0..).zip(by_id(&model.vocab)) {
        let field = || format!("model.vocab[{token:?}]");
        if id != line {
            let value = format_args!("{id}, with no token that has the id {line}");
            return Err(LoadError::unsupported(field(), value));
        }
        if token.contains('\n') || token.trim_end() != token {
            return Err(LoadError::unsupported(field(), "with white space that a line can't hold"));
        }
        text.push_str(token);
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// The contents of `vocab.json` and `merges.txt`.
///
/// # Errors
///
/// [`LoadError::Unsupported`] for a model without a list of merges, or a merge that a line can't hold.
pub fn to_vocab_and_merges(spec: &Spec) -> Result<(Vec<u8>, Vec<u8>), LoadError> {
    let Model::Bpe(Bpe { vocab, merges: Merges::Pairs(merges), .. }) = &**spec.model else {
        return Err(LoadError::unsupported(
            "model",
            "not byte-pair encoding with a list of merges",
        ));
    };
    Ok((vocab_json(vocab)?, merges_text(merges)?))
}

fn merges_text(merges: &MergeList) -> Result<Vec<u8>, LoadError> {
    let mut text = "#version: 0.2\n".to_owned();
    for (rank, (left, right)) in merges.iter().enumerate() {
        let is_plain = |part: &str| !part.is_empty() && !part.contains([' ', '\n', '\r']);
        if !is_plain(left) || !is_plain(right) || left.starts_with("#version") {
            let field = format!("model.merges[{rank}]");
            let value = format_args!("[{left:?}, {right:?}], which a line can't hold");
            return Err(LoadError::unsupported(field, value));
        }
        text.extend([left, " ", right, "\n"]);
    }
    Ok(text.into_bytes())
}

/// The entries in the order of their ids; of a token that stands twice only the last.
fn by_id(vocab: &Vocab) -> Vec<(&str, u32)> {
    let last: std::collections::HashMap<&str, u32> = vocab.iter().collect();
    let mut entries: Vec<(&str, u32)> = last.into_iter().collect();
    entries.sort_unstable_by_key(|(_, id)| *id);
    entries
}
