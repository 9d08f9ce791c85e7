//! The model of a spec, with the route from pieces to first symbols that its vocabulary allows.

use std::collections::HashSet;

use super::joined::joined_merges;
use crate::byte_level;
use crate::error::{LoadError, Problem};
use crate::model::bpe::{CharStart, Start, DROPPED};
use crate::model::{Bpe, Model, SentencePiece, Unigram, WordLevel, WordPiece};
use crate::pipeline::{CachedModel, Parts};
use crate::spec::{Bpe as BpeSpec, MergeList, Merges, Model as ModelSpec, Spec};
use crate::tables::MergeTable;
use crate::vocabulary::Vocabulary;

const VOCAB: &str = "model.vocab";

/// The model that a spec describes. With `byte_level` its vocabulary is spelled in the byte alphabet
/// and pieces are bytes; else pieces are text as the vocabulary has it.
pub fn model(spec: &Spec, byte_level: bool) -> Result<CachedModel, LoadError> {
    if let ModelSpec::Bpe(BpeSpec { dropout: Some(dropout), .. }) = &**spec.model {
        if !(0.0..=1.0).contains(dropout) {
            let (value, expected) = (dropout.to_string(), "a probability from 0 to 1");
            return Err(LoadError::at("model.dropout", Problem::OutOfRange { value, expected }));
        }
    }
    let vocabulary = match &**spec.model {
        ModelSpec::Bpe(bpe) => Vocabulary::build(&bpe.vocab, VOCAB),
        ModelSpec::Unigram(unigram) => Vocabulary::build_list(&unigram.vocab, VOCAB),
        ModelSpec::WordPiece(words) => Vocabulary::build(&words.vocab, VOCAB),
        ModelSpec::WordLevel(words) => Vocabulary::build(&words.vocab, VOCAB),
        ModelSpec::SentencePiece(pieces) => Vocabulary::build_list(&pieces.vocab, "pieces"),
    };
    with_vocabulary(&spec.model, vocabulary?, byte_level).map(CachedModel::new)
}

/// The same model without its control ids, so that no text yields one.
pub(crate) fn masked_model(parts: &Parts) -> CachedModel {
    again(parts, parts.plan.byte_level, true)
}

/// The model that reads pieces as text, with its control ids or without.
pub(crate) fn text_model(parts: &Parts, masked: bool) -> CachedModel {
    again(parts, false, masked)
}

/// Builds a compiled model once more, perhaps without control ids.
fn again(parts: &Parts, byte_level: bool, masked: bool) -> CachedModel {
    let model = &parts.model.model;
    let options = parts.spec.model.options();
    let unknown = unknown_id(options, model.vocabulary());
    let control = control_ids(parts);
    let left_out = |id: u32| masked && control.contains(&id) && Some(id) != unknown;
    let vocabulary = model.vocabulary().without(left_out);
    let made = match (model, options) {
        (Model::Bpe(compiled), ModelSpec::Bpe(options)) => {
            let mut merges = compiled.merges.to_list();
            merges.retain(|&[left, right, _, merged]| {
                ![left, right, merged].map(left_out).contains(&true)
            });
            Ok(bpe(options, vocabulary, MergeTable::build(&merges), byte_level))
        }
        // The scores of the whole list count.
        _ => with_vocabulary(&parts.spec.model, vocabulary, byte_level),
    };
    let Ok(model) = made else { unreachable!("a part of a model that was built can be built") };
    CachedModel::new(model)
}

/// The id that stands for the unknown: no mask takes it away.
fn unknown_id(model: &ModelSpec, vocabulary: &Vocabulary) -> Option<u32> {
    let token = match model {
        ModelSpec::Bpe(bpe) => bpe.unk_token.as_deref(),
        ModelSpec::Unigram(unigram) => return unigram.unk_id.map(|id| id as u32),
        ModelSpec::WordPiece(words) => Some(words.unk_token.as_str()),
        ModelSpec::WordLevel(words) => Some(words.unk_token.as_str()),
        // None of its tokens is ever left out.
        ModelSpec::SentencePiece(_) => None,
    };
    token.and_then(|token| vocabulary.id(token.as_bytes()))
}

/// The model of a spec's options and some of its tokens.
fn with_vocabulary(
    model: &ModelSpec,
    vocabulary: Vocabulary,
    byte_level: bool,
) -> Result<Model, LoadError> {
    Ok(match model {
        ModelSpec::Bpe(spec) => {
            let merges = merges(spec, &vocabulary)?;
            bpe(spec, vocabulary, MergeTable::build(&merges), byte_level)
        }
        ModelSpec::Unigram(spec) => Model::Unigram(Unigram::new(vocabulary, spec)?),
        ModelSpec::WordPiece(spec) => Model::WordPiece(WordPiece::new(vocabulary, spec)?),
        ModelSpec::WordLevel(spec) => Model::WordLevel(WordLevel::new(vocabulary, &spec.unk_token)),
        ModelSpec::SentencePiece(spec) => {
            Model::SentencePiece(SentencePiece::new(vocabulary, spec)?)
        }
    })
}

/// The ids of special tokens.
fn control_ids(parts: &Parts) -> HashSet<u32> {
    parts.added.tokens().iter().filter(|token| token.control).map(|token| token.id).collect()
}

/// The merges of a model, as their table takes them.
fn merges(spec: &BpeSpec, vocabulary: &Vocabulary) -> Result<Vec<[u32; 4]>, LoadError> {
    match &spec.merges {
        Merges::Pairs(pairs) => {
            let prefix = spec.continuing_subword_prefix.as_deref().unwrap_or("");
            listed_merges(pairs, vocabulary, prefix.len())
        }
        Merges::ByJoinedBytes => Ok(joined_merges(vocabulary.iter())),
    }
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

/// The model of a spec's options, its vocabulary and its merges.
pub(super) fn bpe(
    spec: &BpeSpec,
    vocabulary: Vocabulary,
    merges: MergeTable,
    byte_level: bool,
) -> Model {
    let start = start(spec, &vocabulary, byte_level);
    let mut bpe = Bpe::new(vocabulary, merges, start, spec.ignore_merges);
    bpe.byte_level = byte_level;
    bpe.dropout = spec.dropout.filter(|&dropout| dropout != 0.0);
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
        ascii: plain.then(|| Box::new(std::array::from_fn(|at| vocabulary.id(&[at as u8])))),
    })
}
