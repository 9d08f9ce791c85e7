//! The model of a spec, with the route from pieces to first symbols that its vocabulary allows.

use std::collections::HashSet;

use crate::byte_level;
use crate::error::{LoadError, Problem};
use crate::model::bpe::{CharStart, Start, DROPPED};
use crate::model::{Bpe, Model};
use crate::pipeline::{CachedModel, Parts};
use crate::spec::{Bpe as BpeSpec, MergeList, Merges, Model as ModelSpec, Spec, Vocab};
use crate::tables::MergeTable;
use crate::vocabulary::Vocabulary;

const VOCAB: &str = "model.vocab";

/// The model that a spec describes. With `byte_level` its vocabulary is spelled in the byte alphabet
/// and pieces are bytes; else pieces are text as the vocabulary has it.
pub fn model(spec: &Spec, byte_level: bool) -> Result<CachedModel, LoadError> {
    match &*spec.model {
        ModelSpec::Bpe(bpe) => bpe_model(bpe, byte_level),
        ModelSpec::Unigram(_) => Err(LoadError::unsupported("model.type", "Unigram")),
        ModelSpec::WordPiece(_) => Err(LoadError::unsupported("model.type", "WordPiece")),
        ModelSpec::WordLevel(_) => Err(LoadError::unsupported("model.type", "WordLevel")),
    }
}

/// The same model without its control ids, so that no text yields one.
pub(crate) fn masked_model(parts: &Parts) -> CachedModel {
    let Model::Bpe(whole) = &parts.model.model;
    let ModelSpec::Bpe(spec) = &*parts.spec.model else { unreachable!("compile made a BPE") };
    masked_bpe(parts, spec, whole, whole.byte_level)
}

/// The model that reads pieces as text, with its control ids or without.
pub(crate) fn text_model(parts: &Parts, masked: bool) -> CachedModel {
    let Model::Bpe(whole) = &parts.model.model;
    let ModelSpec::Bpe(spec) = &*parts.spec.model else { unreachable!("compile made a BPE") };
    if masked {
        return masked_bpe(parts, spec, whole, false);
    }
    let vocabulary = kept_vocabulary(&spec.vocab, |_| false);
    CachedModel::new(bpe(spec, vocabulary, &whole.merges.to_list(), false))
}

fn masked_bpe(parts: &Parts, spec: &BpeSpec, whole: &Bpe, byte_level: bool) -> CachedModel {
    let unknown = spec.unk_token.as_deref();
    let unknown = unknown.and_then(|token| whole.vocabulary.id(token.as_bytes()));
    let control = control_ids(parts);
    let left_out = |id: u32| control.contains(&id) && Some(id) != unknown;
    let vocabulary = kept_vocabulary(&spec.vocab, left_out);
    let mut merges = whole.merges.to_list();
    merges.retain(|&[left, right, _, merged]| ![left, right, merged].into_iter().any(left_out));
    CachedModel::new(bpe(spec, vocabulary, &merges, byte_level))
}

/// The ids of special tokens.
fn control_ids(parts: &Parts) -> HashSet<u32> {
    parts.added.tokens().iter().filter(|token| token.special).map(|token| token.id).collect()
}

/// A part of a vocabulary that was built before.
fn kept_vocabulary(vocab: &Vocab, left_out: impl Fn(u32) -> bool) -> Vocabulary {
    let Ok(vocabulary) = Vocabulary::build(vocab, VOCAB, left_out) else {
        unreachable!("a part of a vocabulary that was built can be built")
    };
    vocabulary
}

fn bpe_model(spec: &BpeSpec, byte_level: bool) -> Result<CachedModel, LoadError> {
    if let Some(dropout) = spec.dropout.filter(|&dropout| dropout != 0.0) {
        return Err(LoadError::unsupported("model.dropout", dropout));
    }
    let vocabulary = Vocabulary::build(&spec.vocab, VOCAB, |_| false)?;
    let merges = match &spec.merges {
        Merges::Pairs(pairs) => {
            let prefix = spec.continuing_subword_prefix.as_deref().unwrap_or("");
            listed_merges(pairs, &vocabulary, prefix.len())?
        }
        Merges::ByJoinedBytes => joined_merges(&vocabulary),
    };
    Ok(CachedModel::new(bpe(spec, vocabulary, &merges, byte_level)))
}

/// An option that is there and not empty.
fn set(option: &Option<String>) -> Option<String> {
    option.clone().filter(|text| !text.is_empty())
}

/// `[left, right, rank, merged]` of every pair of a list. What a pair makes is its left token and,
/// behind the prefix of that many bytes, its right one.
fn listed_merges(
    pairs: &MergeList,
    vocabulary: &Vocabulary,
    prefix_len: usize,
) -> Result<Vec<[u32; 4]>, LoadError> {
    let missing = |token: &[u8], rank: usize| {
        let token = String::from_utf8_lossy(token).into_owned();
        LoadError::at(format!("model.merges[{rank}]"), Problem::MergeOutOfVocabulary { token })
    };
    let id = |token: &[u8], rank: usize| vocabulary.id(token).ok_or_else(|| missing(token, rank));
    let mut joined = Vec::new();
    let mut merges = Vec::with_capacity(pairs.len());
    for (rank, (left, right)) in pairs.iter().enumerate() {
        let (left, right) = (left.as_bytes(), right.as_bytes());
        let end = right.get(prefix_len..).ok_or_else(|| missing(right, rank))?;
        joined.clear();
        joined.extend_from_slice(left);
        joined.extend_from_slice(end);
        merges.push([id(left, rank)?, id(right, rank)?, rank as u32, id(&joined, rank)?]);
    }
    Ok(merges)
}

/// Every two tokens whose joined bytes are a token, ranked by that token's id.
///
/// In sorted order the tokens that a token begins with are those on a stack, so that only what
/// follows them is looked up.
fn joined_merges(vocabulary: &Vocabulary) -> Vec<[u32; 4]> {
    let mut sorted: Vec<(&str, u32)> =
        vocabulary.iter().filter(|(token, _)| !token.is_empty()).collect();
    sorted.sort_unstable();
    let mut merges = Vec::new();
    let mut beginnings: Vec<(&str, u32)> = Vec::new();
    for (token, merged) in sorted {
        while beginnings.last().is_some_and(|(beginning, _)| !token.starts_with(beginning)) {
            beginnings.pop();
        }
        for &(beginning, left) in &beginnings {
            if let Some(right) = vocabulary.id(&token.as_bytes()[beginning.len()..]) {
                merges.push([left, right, merged, merged]);
            }
        }
        beginnings.push((token, merged));
    }
    merges
}

fn bpe(spec: &BpeSpec, vocabulary: Vocabulary, merges: &[[u32; 4]], byte_level: bool) -> Model {
    let start = start(spec, &vocabulary, byte_level);
    let mut bpe = Bpe::new(vocabulary, MergeTable::build(merges), start, spec.ignore_merges);
    bpe.byte_level = byte_level;
    bpe.strict_bytes = spec.merges == Merges::ByJoinedBytes;
    Model::Bpe(bpe)
}

/// From bytes, unless one that is no token has something to stand for it, words have endings or
/// their symbols beginnings.
fn start(spec: &BpeSpec, vocabulary: &Vocabulary, byte_level: bool) -> Start {
    let id = |character: char| vocabulary.id(character.encode_utf8(&mut [0; 4]).as_bytes());
    let ids = byte_level::CHARS.map(id);
    let (prefix, suffix) = (set(&spec.continuing_subword_prefix), set(&spec.end_of_word_suffix));
    let plain = prefix.is_none() && suffix.is_none();
    let replaced = spec.unk_token.is_some() || spec.byte_fallback;
    if byte_level && plain && (!replaced || !ids.contains(&None)) {
        return Start::Bytes(Box::new(ids.map(|id| id.unwrap_or(DROPPED))));
    }
    let byte_token = |byte: u8| vocabulary.id(format!("<{byte:#04X}>").as_bytes());
    Start::Chars(CharStart {
        prefix,
        suffix,
        byte_tokens: spec
            .byte_fallback
            .then(|| Box::new(std::array::from_fn(|at| byte_token(at as u8)))),
        unknown: spec.unk_token.clone().map(|token| {
            let id = vocabulary.id(token.as_bytes());
            (token, id)
        }),
        fuse_unknown: spec.fuse_unk,
    })
}
