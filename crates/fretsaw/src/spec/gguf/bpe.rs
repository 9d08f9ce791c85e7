//! Byte-level vocabularies (`gpt2`): what the published tokenizer.json of the same model is.
//!
//! Control tokens are special, user-defined ones are not; all match in text. Those behind the last
//! other token stay out of the model, as they do in such a file; any other has to be in it to have
//! its id.

use std::collections::HashSet;
use std::sync::Arc;

use super::pre::{name_for, pre};
use super::{ends, Metadata, Tokens};
use crate::error::{LoadError, Problem};
use crate::spec::tokenizer_json::split_merge;
use crate::spec::{
    AddedToken, Bpe, Decoder, Defaults, LazyModel, MergeList, Merges, Model, PieceType, Spec, Vocab,
};

const MERGES: &str = "tokenizer.ggml.merges";
const PRE: &str = "tokenizer.ggml.pre";

/// Reads such a vocabulary.
pub fn read(metadata: &Metadata, tokens: &Tokens<'_>) -> Result<Spec, LoadError> {
    let name = match metadata.text(PRE)? {
        Some(name) => name,
        None => name_for(metadata.architecture()?),
    };
    let pre = pre(name).ok_or_else(|| LoadError::unsupported(PRE, format_args!("{name:?}")))?;
    let missing = || LoadError::at("$", Problem::Missing { field: MERGES });
    let merges = merges(metadata.texts(MERGES)?.ok_or_else(missing)?)?;
    let (vocab, added_tokens) = vocab(tokens)?;
    let post_processor = ends(metadata, tokens, pre.add_bos, false)?;
    Ok(Spec {
        added_tokens,
        added_later: Vec::new(),
        normalizer: pre.normalizer,
        pre_tokenizer: Some(pre.pre_tokenizer),
        model: Arc::new(LazyModel::Now(Model::Bpe(Bpe {
            vocab,
            merges: Merges::Pairs(merges),
            dropout: None,
            unk_token: None,
            continuing_subword_prefix: None,
            end_of_word_suffix: None,
            fuse_unk: false,
            byte_fallback: false,
            ignore_merges: pre.ignore_merges,
        }))),
        post_processor,
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

fn merges(lines: &[String]) -> Result<MergeList, LoadError> {
    let mut merges = MergeList::new();
    for (place, text) in lines.iter().enumerate() {
        let at = |problem| LoadError::at(format!("{MERGES}[{place}]"), problem);
        let not_a_pair = || at(Problem::MergeNotAPair { text: text.clone() });
        let (left, right) = split_merge(text).ok_or_else(not_a_pair)?;
        if !merges.push(left, right) {
            let limit = u32::MAX as usize;
            return Err(at(Problem::TooMany { what: "bytes of merges", limit }));
        }
    }
    Ok(merges)
}

/// The model's tokens, and those that match in text.
fn vocab(tokens: &Tokens<'_>) -> Result<(Vocab, Vec<AddedToken>), LoadError> {
    let is_added = |kind: PieceType| matches!(kind, PieceType::Control | PieceType::UserDefined);
    let end = tokens.kinds.iter().rposition(|&kind| !is_added(kind)).map_or(0, |last| last + 1);
    let mut seen = HashSet::with_capacity(tokens.texts.len());
    let (mut vocab, mut added) = (Vocab::new(), Vec::new());
    for (place, (text, &kind)) in tokens.texts.iter().zip(&tokens.kinds).enumerate() {
        if !seen.insert(text.as_str()) {
            let problem = Problem::DuplicateToken { token: text.clone() };
            return Err(LoadError::at(tokens.path(place), problem));
        }
        let id = place as u32;
        if is_added(kind) && !text.is_empty() {
            let special = kind == PieceType::Control;
            added.push(AddedToken::plain(text, id, special));
        }
        if place < end && !vocab.push(text, id) {
            let limit = u32::MAX as usize;
            let problem = Problem::TooMany { what: "bytes of tokens", limit };
            return Err(LoadError::at(tokens.path(place), problem));
        }
    }
    Ok((vocab, added))
}
