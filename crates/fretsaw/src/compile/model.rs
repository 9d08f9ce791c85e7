//! The model of a spec, with the route from pieces to first symbols that its vocabulary allows.

use std::collections::HashSet;

use crate::byte_level;
use crate::error::{LoadError, Problem};
use crate::model::bpe::{CharStart, Start, DROPPED};
use crate::model::Bpe;
use crate::pipeline::{CachedModel, Parts};
use crate::spec::{Bpe as BpeSpec, MergeList, Merges, Model, Spec};
use crate::tables::MergeTable;
use crate::vocabulary::Vocabulary;

const VOCAB: &str = "model.vocab";

/// The model that a spec describes.
pub fn model(spec: &Spec) -> Result<CachedModel, LoadError> {
    let bpe_spec = match &spec.model {
        Model::Bpe(bpe) => bpe,
        Model::Unigram(_) => return Err(LoadError::unsupported("model.type", "Unigram")),
        Model::WordPiece(_) => return Err(LoadError::unsupported("model.type", "WordPiece")),
        Model::WordLevel(_) => return Err(LoadError::unsupported("model.type", "WordLevel")),
    };
    let refused = [
        (
            "model.dropout",
            bpe_spec.dropout.filter(|&dropout| dropout != 0.0).map(|dropout| dropout.to_string()),
        ),
        ("model.continuing_subword_prefix", set(&bpe_spec.continuing_subword_prefix)),
        ("model.byte_fallback", bpe_spec.byte_fallback.then(|| "true".into())),
    ];
    for (field, value) in refused {
        if let Some(value) = value {
            return Err(LoadError::unsupported(field, value));
        }
    }
    let vocabulary = Vocabulary::build(&bpe_spec.vocab, VOCAB, |_| false)?;
    let merges = match &bpe_spec.merges {
        Merges::Pairs(pairs) => listed_merges(pairs, &vocabulary)?,
        Merges::ByJoinedBytes => joined_merges(&vocabulary),
    };
    Ok(CachedModel::new(bpe(bpe_spec, vocabulary, &merges)))
}

/// An option that is there and not empty.
fn set(option: &Option<String>) -> Option<String> {
    option.clone().filter(|text| !text.is_empty())
}

/// The same model without its control ids, so that no text yields one.
pub(crate) fn masked_model(parts: &Parts) -> CachedModel {
    let control: HashSet<u32> =
        parts.added.tokens().iter().filter(|token| token.special).map(|token| token.id).collect();
    let Model::Bpe(bpe_spec) = &parts.spec.model else { unreachable!("compile made a BPE") };
    let whole = &parts.model.bpe;
    let unknown =
        bpe_spec.unk_token.as_deref().and_then(|token| whole.vocabulary.id(token.as_bytes()));
    let left_out = |id: u32| control.contains(&id) && Some(id) != unknown;
    let Ok(vocabulary) = Vocabulary::build(&bpe_spec.vocab, VOCAB, left_out) else {
        unreachable!("a part of a vocabulary that was built can be built")
    };
    let mut merges = whole.merges.to_list();
    merges.retain(|&[left, right, _, merged]| ![left, right, merged].into_iter().any(left_out));
    CachedModel::new(bpe(bpe_spec, vocabulary, &merges))
}

/// `[left, right, rank, merged]` of every pair of a list.
fn listed_merges(pairs: &MergeList, vocabulary: &Vocabulary) -> Result<Vec<[u32; 4]>, LoadError> {
    let id = |token: &str, rank: usize| {
        vocabulary.id(token.as_bytes()).ok_or_else(|| {
            let problem = Problem::MergeOutOfVocabulary { token: token.to_owned() };
            LoadError::at(format!("model.merges[{rank}]"), problem)
        })
    };
    let mut joined = String::new();
    let mut merges = Vec::with_capacity(pairs.len());
    for (rank, (left, right)) in pairs.iter().enumerate() {
        joined.clear();
        joined.push_str(left);
        joined.push_str(right);
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

fn bpe(spec: &BpeSpec, vocabulary: Vocabulary, merges: &[[u32; 4]]) -> Bpe {
    let start = start(spec, &vocabulary);
    let mut bpe = Bpe::new(vocabulary, MergeTable::build(merges), start, spec.ignore_merges);
    bpe.strict_bytes = spec.merges == Merges::ByJoinedBytes;
    bpe
}

/// From bytes, unless one that is no token has an unknown token to stand for it, or words have
/// endings.
fn start(spec: &BpeSpec, vocabulary: &Vocabulary) -> Start {
    let id = |character: char| vocabulary.id(character.encode_utf8(&mut [0; 4]).as_bytes());
    let ids = byte_level::CHARS.map(id);
    let suffix = set(&spec.end_of_word_suffix);
    if suffix.is_none() && (spec.unk_token.is_none() || !ids.contains(&None)) {
        return Start::Bytes(Box::new(ids.map(|id| id.unwrap_or(DROPPED))));
    }
    Start::Chars(CharStart {
        suffix,
        unknown: spec.unk_token.clone().map(|token| {
            let id = vocabulary.id(token.as_bytes());
            (token, id)
        }),
        fuse_unknown: spec.fuse_unk,
        ..CharStart::default()
    })
}
