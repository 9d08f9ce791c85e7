//! The model of a spec, with the route from pieces to first symbols that its vocabulary allows.

use std::collections::HashSet;

use crate::byte_level;
use crate::error::{LoadError, Problem};
use crate::model::bpe::{CharStart, Start, DROPPED};
use crate::model::Bpe;
use crate::pipeline::{CachedModel, Parts};
use crate::spec::{Bpe as BpeSpec, Merges, Model, Spec};
use crate::tables::MergeTable;
use crate::vocabulary::Vocabulary;

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
        (
            "model.continuing_subword_prefix",
            bpe_spec.continuing_subword_prefix.clone().filter(|prefix| !prefix.is_empty()),
        ),
        (
            "model.end_of_word_suffix",
            bpe_spec.end_of_word_suffix.clone().filter(|suffix| !suffix.is_empty()),
        ),
        ("model.byte_fallback", bpe_spec.byte_fallback.then(|| "true".into())),
    ];
    for (field, value) in refused {
        if let Some(value) = value {
            return Err(LoadError::unsupported(field, value));
        }
    }
    bpe(bpe_spec, |_| false).map(CachedModel::new)
}

/// The same model without its control ids, so that no text yields one.
pub(crate) fn masked_model(parts: &Parts) -> CachedModel {
    let control: HashSet<u32> =
        parts.added.tokens().iter().filter(|token| token.special).map(|token| token.id).collect();
    let Model::Bpe(bpe_spec) = &parts.spec.model else { unreachable!("compile made a BPE") };
    let unknown = bpe_spec
        .unk_token
        .as_deref()
        .and_then(|token| parts.model.bpe.vocabulary.id(token.as_bytes()));
    match bpe(bpe_spec, |id| control.contains(&id) && Some(id) != unknown) {
        Ok(masked) => CachedModel::new(masked),
        Err(error) => unreachable!("a part of a model that was built can be built: {error}"),
    }
}

/// A byte-level BPE without the tokens that `left_out` names and without merges that need them.
fn bpe(spec: &BpeSpec, left_out: impl Fn(u32) -> bool) -> Result<Bpe, LoadError> {
    let vocabulary = Vocabulary::build(&spec.vocab, "model.vocab", &left_out)?;
    let Merges::Pairs(pairs) = &spec.merges else {
        return Err(LoadError::unsupported("model.merges", "ranks of joined bytes"));
    };
    let whole = if vocabulary.len() == spec.vocab.len() {
        None
    } else {
        Some(Vocabulary::build(&spec.vocab, "model.vocab", |_| false)?)
    };
    let id = |token: &str, rank: usize| {
        let found = whole.as_ref().unwrap_or(&vocabulary).id(token.as_bytes());
        found.ok_or_else(|| {
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
        let merge = (id(left, rank)?, id(right, rank)?, id(&joined, rank)?);
        if !(left_out(merge.0) || left_out(merge.1) || left_out(merge.2)) {
            merges.push(merge);
        }
    }
    Ok(Bpe {
        start: start(spec, &vocabulary),
        merges: MergeTable::build(&merges),
        byte_level: true,
        ignore_merges: spec.ignore_merges,
        vocabulary,
    })
}

/// From bytes, unless one that is no token has an unknown token to stand for it.
fn start(spec: &BpeSpec, vocabulary: &Vocabulary) -> Start {
    let id = |character: char| vocabulary.id(character.encode_utf8(&mut [0; 4]).as_bytes());
    let ids = byte_level::CHARS.map(id);
    match &spec.unk_token {
        Some(token) if ids.contains(&None) => Start::Chars(CharStart {
            unknown: Some((token.clone(), vocabulary.id(token.as_bytes()))),
            fuse_unknown: spec.fuse_unk,
            ..CharStart::default()
        }),
        _ => Start::Bytes(Box::new(ids.map(|id| id.unwrap_or(DROPPED)))),
    }
}
