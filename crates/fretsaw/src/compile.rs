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
use std::sync::Arc;

use crate::added_tokens::AddedTokens;
use crate::decode::Decoder;
use crate::error::{LoadError, Problem};
use crate::pipeline::{Parts, Pipeline};
use crate::pretokenize::Step;
use crate::spec::{Decoder as DecoderSpec, Spec};
use crate::tables::TokenTable;

pub(crate) use model::masked_model;

/// Compiles a spec, or names the first field that can't be done exactly.
pub fn compile(spec: Spec) -> Result<Pipeline, LoadError> {
    let normalizer = match &spec.normalizer {
        Some(spec) => Some(normalizer::normalizer(spec, "normalizer")?),
        None => None,
    };
    let normalizer = normalizer.filter(|normalizer| !normalizer.is_identity());
    let splitter = splitter::splitter(spec.pre_tokenizer.as_ref())?;
    if let Some(truncation) = &spec.truncation {
        return Err(LoadError::unsupported("truncation", format_args!("{truncation:?}")));
    }
    if let Some(padding) = &spec.padding {
        return Err(LoadError::unsupported("padding", format_args!("{padding:?}")));
    }
    let model = model::model(&spec)?;
    let vocabulary = &model.bpe.vocabulary;
    let added = AddedTokens::new(added::assign_ids(&spec, normalizer.as_ref(), vocabulary)?)?;
    let id_end =
        added.tokens().iter().map(|token| token.id + 1).max().unwrap_or(0).max(vocabulary.id_end());
    let too_long = || {
        LoadError::at(
            "model.vocab",
            Problem::TooMany { what: "bytes of tokens", limit: u32::MAX as usize },
        )
    };
    let strings = decoded_strings(&added, id_end, vocabulary.iter()).ok_or_else(too_long)?;
    let skipped = added::skipped(&added, &strings, spec.defaults.added_ids_as_given);
    let is_text = |id| spec.defaults.added_ids_as_given && added.get(id).is_some();
    let decoder = decoder(spec.decoder.as_ref(), strings, is_text)?.ok_or_else(too_long)?;
    let post_processor =
        post_processor::post_processor(spec.post_processor.as_ref(), &added, vocabulary)?;
    let control: HashSet<u32> =
        added.tokens().iter().filter(|token| token.special).map(|token| token.id).collect();
    let reaches_control_ids = model.bpe.reaches(|id| control.contains(&id));
    Ok(Pipeline::from_parts(Parts {
        spec: Arc::new(spec),
        added,
        normalizer,
        post_processor,
        splitter,
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

/// The string of every id as decoding sees it: an added token in its normalized spelling.
fn decoded_strings<'a>(
    added: &'a AddedTokens,
    id_end: u32,
    model: impl Iterator<Item = (&'a str, u32)>,
) -> Option<TokenTable> {
    let model = model.map(|(token, id)| (id, token.as_bytes()));
    // Of tokens that share an id the first one stands.
    let added = added.tokens().iter().rev().map(|token| (token.id, token.pattern.as_bytes()));
    TokenTable::build(id_end as usize, model.chain(added))
}

/// The kind of a component: what its debug form starts with.
fn name(component: &impl std::fmt::Debug) -> String {
    let debug = format!("{component:?}");
    debug.chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn decoder(
    decoder: Option<&DecoderSpec>,
    strings: TokenTable,
    is_text: impl Fn(u32) -> bool,
) -> Result<Option<Decoder>, LoadError> {
    match decoder {
        None => Ok(Some(Decoder::Spaced(strings))),
        Some(DecoderSpec::ByteLevel { .. }) => Ok(Decoder::byte_level(&strings, is_text)),
        Some(other) => Err(LoadError::unsupported("decoder.type", name(other))),
    }
}

#[cfg(test)]
mod tests;
