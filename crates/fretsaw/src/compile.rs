//! From a spec to a pipeline: the only place that picks fast paths, or refuses.

mod added;
mod families;
mod model;
mod normalizer;
mod pattern;
mod post_processor;
mod pre_tokenizer;
mod splitter;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use crate::added_tokens::AddedTokens;
use crate::decode::{Chain, Decoder};
use crate::error::LoadError;
use crate::pipeline::{General, Parts, Pipeline};
use crate::pretokenize::Step;
use crate::spec::{Decoder as DecoderSpec, Spec};
use crate::tables::TokenTable;
use crate::vocabulary::too_long;

pub(crate) use model::masked_model;
use splitter::Plan;

/// Compiles a spec, or names the first field that can't be done exactly.
pub fn compile(spec: Spec) -> Result<Pipeline, LoadError> {
    compile_with(spec, None)
}

/// Compiles a spec that differs from that of `like` in some parts, and takes over the model if it is
/// the same.
pub fn recompile(spec: Spec, like: &Pipeline) -> Result<Pipeline, LoadError> {
    compile_with(spec, Some(like.parts()))
}

fn compile_with(mut spec: Spec, like: Option<&Parts>) -> Result<Pipeline, LoadError> {
    let normalizer = match &spec.normalizer {
        Some(spec) => Some(normalizer::normalizer(spec, "normalizer")?),
        None => None,
    };
    let normalizer = normalizer.filter(|normalizer| !normalizer.is_identity());
    let Plan { splitter, byte_level, needs_spans } = splitter::plan(&spec, normalizer.is_some())?;
    let same = |parts: &&Parts| {
        Arc::ptr_eq(&parts.spec.model, &spec.model) && parts.byte_level == byte_level
    };
    let model = match like.filter(same) {
        Some(parts) => parts.model.clone(),
        None => Arc::new(model::model(&spec, byte_level)?),
    };
    let vocabulary = model.model.vocabulary();
    let added = added::added_tokens(&spec, normalizer.as_ref(), vocabulary)?;
    // Tokens that came later have no id of their own yet.
    let later = spec.added_later.first().copied().unwrap_or(spec.added_tokens.len());
    for token in &mut spec.added_tokens[later..] {
        token.id = added.id_of(&token.content).unwrap_or(token.id);
    }
    let id_end =
        added.tokens().iter().map(|token| token.id + 1).max().unwrap_or(0).max(vocabulary.id_end());
    let too_long = || too_long("model.vocab");
    let strings = decoded_strings(&added, id_end, vocabulary.iter()).ok_or_else(too_long)?;
    let skipped = added::skipped(&added, &strings, spec.defaults.added_ids_as_given);
    let is_text = |id| spec.defaults.added_ids_as_given && added.get(id).is_some();
    let decoder = decoder(spec.decoder.as_ref(), strings, is_text)?.ok_or_else(too_long)?;
    let post_processor =
        post_processor::post_processor(spec.post_processor.as_ref(), &added, vocabulary)?;
    let control: HashSet<u32> =
        added.tokens().iter().filter(|token| token.control).map(|token| token.id).collect();
    let reaches_control_ids = model.model.reaches(|id| control.contains(&id));
    Ok(Pipeline::from_parts(Parts {
        spec: Arc::new(spec),
        added,
        normalizer,
        post_processor,
        splitter,
        byte_level,
        needs_spans,
        model,
        reaches_control_ids,
        decoder,
        id_end,
        skipped,
    }))
}

/// The steps of a compiled spec's pre-tokenizer.
pub(crate) fn steps(spec: &Spec) -> Vec<Step> {
    let steps = spec.pre_tokenizer.as_ref().map(|spec| pre_tokenizer::steps(spec, "pre_tokenizer"));
    // What was compiled once compiles again.
    steps.and_then(Result::ok).unwrap_or_default()
}

/// Steps and model for texts whose spans matter, with control ids or without.
pub(crate) fn general(parts: &Parts, masked: bool) -> General {
    General { steps: steps(&parts.spec), model: model::text_model(parts, masked) }
}

/// An error where a tokenizer.json of these parts would give an added token another id than it has:
/// ids of tokens that came later are found anew when a file is read.
pub(crate) fn check_ids_survive(parts: &Parts) -> Result<(), LoadError> {
    let spec = Spec { added_later: Vec::new(), ..(*parts.spec).clone() };
    let vocabulary = parts.model.model.vocabulary();
    let read = added::added_tokens(&spec, parts.normalizer.as_ref(), vocabulary)?;
    let moved = read.names().iter().find(|(name, id)| parts.added.id_of(name) != Some(*id));
    match moved {
        Some((name, id)) if !spec.defaults.added_ids_as_given => Err(LoadError::unsupported(
            format!("added_tokens[{name:?}].id"),
            format_args!("another one now than the {id} that it would be when the file is read"),
        )),
        _ => Ok(()),
    }
}

/// The string of every id as decoding sees it: an added token in its normalized spelling.
fn decoded_strings<'a>(
    added: &'a AddedTokens,
    id_end: u32,
    model: impl Iterator<Item = (&'a str, u32)>,
) -> Option<TokenTable> {
    let model = model.map(|(token, id)| (id, token.as_bytes()));
    // Of tokens that share an id the first one stands.
    let added = added.tokens().iter().rev().map(|token| (token.id, token.spelling.as_bytes()));
    TokenTable::build(id_end as usize, model.chain(added))
}

fn decoder(
    decoder: Option<&DecoderSpec>,
    strings: TokenTable,
    is_text: impl Fn(u32) -> bool,
) -> Result<Option<Decoder>, LoadError> {
    match decoder {
        Some(DecoderSpec::ByteLevel { .. }) => Ok(Decoder::byte_level(&strings, is_text)),
        other => {
            let chain = Chain::compile(other, "decoder")?;
            Ok(Some(Decoder::Chain { strings, chain, inside: OnceLock::new() }))
        }
    }
}

#[cfg(test)]
mod tests;
