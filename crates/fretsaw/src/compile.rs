//! From a spec to a pipeline: the only place that picks fast paths, or refuses.

mod added;
mod families;
mod joined;
mod model;
mod normalizer;
mod pattern;
mod patterns;
mod post_processor;
mod pre_tokenizer;
mod runs;
mod sentence_piece;
mod splitter;
mod stored;
mod text;

use std::sync::Arc;

use crate::decode::{AddedStrings, Chain, Decoder, PieceDecoder};
use crate::error::LoadError;
use crate::normalize::Normalizer;
use crate::pipeline::{Parts, Pipeline, Plan};
use crate::pretokenize::Step;
use crate::spec::{Decoder as DecoderSpec, Defaults, Spec};

pub(crate) use families::hugging_face_pattern;
#[cfg(fuzzing)]
pub use families::pattern_cut;
pub(crate) use joined::joined_merges;
pub(crate) use model::{masked_model, text_model};
#[cfg(fuzzing)]
pub use pattern::{parse, Dialect, Node};
pub(crate) use runs::runs;
use stored::Stored;
pub(crate) use stored::{from_fret, origin, to_fret};
pub(crate) use text::{Batch, TextStages};

/// Compiles a spec, or names the first field that can't be done exactly.
pub fn compile(spec: Spec) -> Result<Pipeline, LoadError> {
    compile_with(spec, Known::Nothing)
}

/// Compiles a spec that differs from that of `like` in some parts, and takes over the model if it is
/// the same.
pub fn recompile(spec: Spec, like: &Pipeline) -> Result<Pipeline, LoadError> {
    compile_with(spec, Known::Like(like.parts()))
}

/// What need not be compiled.
enum Known<'a> {
    /// Everything has to be.
    Nothing,
    /// Parts of another pipeline serve where their spec is the same.
    Like(&'a Parts),
    /// The model's tables lie in a file.
    Stored(Stored),
}

fn compile_with(mut spec: Spec, known: Known<'_>) -> Result<Pipeline, LoadError> {
    let (like, stored) = match known {
        Known::Nothing => (None, None),
        Known::Like(parts) => (Some(parts), None),
        Known::Stored(stored) => (None, Some(stored)),
    };
    let normalizer = match like.filter(|parts| parts.spec.normalizer == spec.normalizer) {
        Some(parts) => parts.normalizer.clone(),
        None => new_normalizer(&spec)?,
    };
    let like = like.filter(|parts| Arc::ptr_eq(&parts.spec.model, &spec.model));
    let same_cuts = |parts: &&Parts| {
        parts.spec.pre_tokenizer == spec.pre_tokenizer && parts.spec.normalizer == spec.normalizer
    };
    let (stored_model, stored_seams) = match stored {
        Some(Stored { model, byte_level, seams }) => (Some((model, byte_level)), Some(seams)),
        None => (None, None),
    };
    let plan = match like.filter(same_cuts) {
        Some(parts) => parts.plan.clone(),
        None => Arc::new(splitter::plan(&spec, normalizer.is_some(), stored_seams)?),
    };
    // A piece means the same in the caches only if it is spelled the same.
    let spelling = plan.splitter.spelling();
    let same_model = like.filter(|parts| {
        let Plan { byte_level, splitter, .. } = &*parts.plan;
        *byte_level == plan.byte_level && splitter.spelling() == spelling
    });
    let model = match (stored_model, same_model) {
        (Some((model, byte_level)), _) if byte_level == plan.byte_level => model,
        (Some(_), _) => return Err(stored::broken()),
        (None, Some(parts)) => parts.model.clone(),
        (None, None) => Arc::new(model::model(&spec, plan.byte_level)?),
    };
    let vocabulary = model.model.vocabulary();
    let added = added::added_tokens(&spec, normalizer.as_deref(), vocabulary)?;
    // Tokens that came later have no id of their own yet.
    let later = spec.added_later.first().copied().unwrap_or(spec.added_tokens.len());
    for token in &mut spec.added_tokens[later..] {
        token.id = added.id_of(&token.content).unwrap_or(token.id);
    }
    let given = spec.defaults.added_ids_as_given;
    let skipped = added::skipped(&added, vocabulary, given);
    let decoder = match spec.decoder.as_ref() {
        Some(DecoderSpec::ByteLevel { .. }) => Decoder::ByteLevel,
        Some(spec_decoder @ DecoderSpec::SentencePiece { .. }) => {
            Decoder::Pieces(sentence_piece::decoder(spec_decoder, &spec.model)?)
        }
        other => Decoder::Chain(Chain::compile(other, "decoder")?),
    };
    let mut strings = added::strings(&added, decoder.is_bytes() && !given);
    if let Decoder::Pieces(_) = decoder {
        strings.iter_mut().for_each(|(_, string)| *string = PieceDecoder::text(string));
    }
    let strings = AddedStrings::new(strings);
    let post_processor =
        post_processor::post_processor(spec.post_processor.as_ref(), &added, vocabulary)?;
    Ok(Pipeline::from_parts(Parts {
        spec: Arc::new(spec),
        added,
        normalizer,
        post_processor,
        plan,
        model,
        decoder,
        strings,
        skipped,
    }))
}

/// The normalizer of a spec; none where it never acts.
fn new_normalizer(spec: &Spec) -> Result<Option<Arc<Normalizer>>, LoadError> {
    let Some(spec) = &spec.normalizer else { return Ok(None) };
    let normalizer = normalizer::normalizer(spec, "normalizer")?;
    Ok((!normalizer.is_identity()).then(|| Arc::new(normalizer)))
}

/// The steps of a compiled spec's pre-tokenizer.
pub(crate) fn steps(spec: &Spec) -> Vec<Step> {
    let steps = spec.pre_tokenizer.as_ref().map(|spec| pre_tokenizer::steps(spec, "pre_tokenizer"));
    // What was compiled once compiles again.
    steps.and_then(Result::ok).unwrap_or_default()
}

/// An error where a tokenizer.json of these parts would give an added token another id than it has:
/// ids of tokens that came later are found anew when a file is read.
pub(crate) fn check_ids_survive(parts: &Parts) -> Result<(), LoadError> {
    // Ranks have no such file.
    if parts.spec.ranks().is_some() {
        return Ok(());
    }
    let (added_later, defaults) = (Vec::new(), Defaults::HUGGING_FACE);
    let spec = Spec { added_later, defaults, ..(*parts.spec).clone() };
    let vocabulary = parts.model.model.vocabulary();
    let read = added::added_tokens(&spec, parts.normalizer.as_deref(), vocabulary)?;
    let moved = read.names().iter().find(|(name, id)| parts.added.id_of(name) != Some(*id));
    match moved {
        Some((name, id)) => Err(LoadError::unsupported(
            format!("added_tokens[{name:?}].id"),
            format_args!("another one now than the {id} that it would be when the file is read"),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
