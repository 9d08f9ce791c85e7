//! From a spec to a pipeline: the only place that picks fast paths, or refuses.

mod added;
mod model;

use std::collections::HashSet;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::added_tokens::AddedTokens;
use crate::decode::Decoder;
use crate::error::{LoadError, Problem};
use crate::pipeline::{Parts, Pipeline};
use crate::pretokenize::{Splitter, Step};
use crate::scan::{Digits, Gpt2, LETTER, NUMBER, NUMERIC, SPACE};
use crate::spec::{Decoder as DecoderSpec, PostProcessor, PreTokenizer, Spec};
use crate::tables::TokenTable;
use crate::unicode::{Category, ClassTable, Engine};

pub(crate) use model::masked_model;

/// Compiles a spec, or names the first field that can't be done exactly.
pub fn compile(spec: Spec) -> Result<Pipeline, LoadError> {
    if spec.normalizer.is_some() {
        return Err(LoadError::unsupported("normalizer", "set"));
    }
    let splitter = splitter(spec.pre_tokenizer.as_ref())?;
    post_processor(spec.post_processor.as_ref(), "post_processor")?;
    for (field, set) in
        [("truncation", spec.truncation.is_some()), ("padding", spec.padding.is_some())]
    {
        if set {
            return Err(LoadError::unsupported(field, "set"));
        }
    }
    let model = model::model(&spec)?;
    let vocabulary = &model.bpe.vocabulary;
    let added = AddedTokens::new(added::assign_ids(&spec.added_tokens, vocabulary)?)?;
    let id_end =
        added.tokens().iter().map(|token| token.id + 1).max().unwrap_or(0).max(vocabulary.id_end());
    let too_long = || {
        LoadError::at(
            "model.vocab",
            Problem::TooMany { what: "bytes of tokens", limit: u32::MAX as usize },
        )
    };
    let strings = decoded_strings(&added, id_end, vocabulary.iter()).ok_or_else(too_long)?;
    let skipped = added::skipped(&added, &strings);
    let decoder =
        decoder(spec.decoder.as_ref(), strings).and_then(|made| made.ok_or_else(too_long))?;
    let control: HashSet<u32> =
        added.tokens().iter().filter(|token| token.special).map(|token| token.id).collect();
    let reaches_control_ids = model.bpe.reaches(|id| control.contains(&id));
    let fingerprint = Sha256::digest(spec.canonical()).into();
    Ok(Pipeline::from_parts(Parts {
        spec: Arc::new(spec),
        added,
        splitter,
        model,
        reaches_control_ids,
        decoder,
        id_end,
        skipped,
        fingerprint,
    }))
}

/// The string of every id as decoding sees it: an added token in its normalized spelling.
fn decoded_strings<'a>(
    added: &'a AddedTokens,
    id_end: u32,
    model: impl Iterator<Item = (&'a str, u32)>,
) -> Option<TokenTable> {
    let model = model.map(|(token, id)| (id, token.as_bytes()));
    let added = added.tokens().iter().map(|token| (token.id, token.pattern.as_bytes()));
    TokenTable::build(id_end as usize, model.chain(added))
}

/// How the text is cut: a family that the scanner knows, or step by step.
fn splitter(pre_tokenizer: Option<&PreTokenizer>) -> Result<Splitter, LoadError> {
    let mut flat = Vec::new();
    match pre_tokenizer {
        Some(pre_tokenizer) => flatten(pre_tokenizer, "pre_tokenizer".into(), &mut flat)?,
        None => return Err(LoadError::unsupported("pre_tokenizer", "null")),
    }
    match flat.iter().filter(|step| matches!(step, PreTokenizer::ByteLevel { .. })).count() {
        1 => {}
        0 => return Err(LoadError::unsupported("pre_tokenizer", "without ByteLevel")),
        _ => return Err(LoadError::unsupported("pre_tokenizer", "with two ByteLevel")),
    }
    let gpt2 = |digits, add_prefix_space| Splitter::Gpt2 {
        family: Gpt2 { digits },
        table: gpt2_classes(),
        add_prefix_space,
    };
    Ok(match flat[..] {
        [PreTokenizer::ByteLevel { use_regex: true, add_prefix_space, .. }] => {
            gpt2(Digits::None, *add_prefix_space)
        }
        [PreTokenizer::Digits { individual_digits }, PreTokenizer::ByteLevel { use_regex: true, add_prefix_space: false, .. }] => {
            gpt2(if *individual_digits { Digits::Individual } else { Digits::Runs }, false)
        }
        _ => Splitter::Steps(flat.into_iter().filter_map(step).collect()),
    })
}

/// The parts of a pre-tokenizer in order, refusing those that are not done here.
fn flatten<'a>(
    pre_tokenizer: &'a PreTokenizer,
    path: String,
    flat: &mut Vec<&'a PreTokenizer>,
) -> Result<(), LoadError> {
    match pre_tokenizer {
        PreTokenizer::Sequence(parts) => {
            for (at, part) in parts.iter().enumerate() {
                flatten(part, format!("{path}.pretokenizers[{at}]"), flat)?;
            }
        }
        PreTokenizer::ByteLevel { .. } | PreTokenizer::Digits { .. } => flat.push(pre_tokenizer),
        other => return Err(LoadError::unsupported(format!("{path}.type"), name(other))),
    }
    Ok(())
}

/// The kind of a component: what its debug form starts with.
fn name(component: &impl std::fmt::Debug) -> String {
    let debug = format!("{component:?}");
    debug.chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn step(pre_tokenizer: &PreTokenizer) -> Option<Step> {
    match pre_tokenizer {
        PreTokenizer::Digits { individual_digits } => {
            Some(Step::Digits { individual: *individual_digits })
        }
        PreTokenizer::ByteLevel { add_prefix_space, use_regex, .. } => Some(Step::ByteLevel {
            add_prefix_space: *add_prefix_space,
            split: use_regex.then(gpt2_classes),
        }),
        _ => None,
    }
}

/// The classes of GPT-2's split, and Digits' own.
fn gpt2_classes() -> ClassTable {
    let mut bits = [0; Category::COUNT];
    for category in [Category::Lu, Category::Ll, Category::Lt, Category::Lm, Category::Lo] {
        bits[category as usize] = LETTER;
    }
    for category in [Category::Nd, Category::Nl, Category::No] {
        bits[category as usize] = NUMBER;
    }
    ClassTable::new(Engine::Onig, bits, SPACE, NUMERIC)
}

/// Accepts what leaves ids alone.
fn post_processor(post_processor: Option<&PostProcessor>, path: &str) -> Result<(), LoadError> {
    match post_processor {
        None | Some(PostProcessor::ByteLevel { .. }) => Ok(()),
        Some(PostProcessor::Sequence(parts)) => {
            parts.iter().enumerate().try_for_each(|(at, part)| {
                self::post_processor(Some(part), &format!("{path}.processors[{at}]"))
            })
        }
        Some(other) => Err(LoadError::unsupported(format!("{path}.type"), name(other))),
    }
}

fn decoder(
    decoder: Option<&DecoderSpec>,
    strings: TokenTable,
) -> Result<Option<Decoder>, LoadError> {
    match decoder {
        None => Ok(Some(Decoder::Spaced(strings))),
        Some(DecoderSpec::ByteLevel { .. }) => Ok(Decoder::byte_level(&strings)),
        Some(other) => Err(LoadError::unsupported("decoder.type", name(other))),
    }
}

#[cfg(test)]
mod tests;
