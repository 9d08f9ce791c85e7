//! A pipeline <-> a compiled file: the head, a spec without its model's lists, and the tables.
//!
//! What is small is compiled from the head as from any spec; vocabulary, merges, tries and the
//! places where texts can be cut lie in the file as they lie in memory.

use std::sync::Arc;

use once_cell::race::OnceBox;
use serde::{Deserialize, Serialize};

use super::model::bpe;
use super::{compile_with, Known};
use crate::error::{LoadError, Problem};
use crate::model::{Model, SentencePiece, Unigram, WordLevel, WordPiece};
use crate::pipeline::{CachedModel, Parts, Pipeline};
use crate::pretokenize::Seams;
use crate::spec::{
    AddedToken, ChatTemplate, Decoder as DecoderSpec, Defaults, LazyModel, MergeList, Merges,
    Model as ModelSpec, Normalizer, Padding, PostProcessor, PreTokenizer, Spec, Truncation, Vocab,
};
use crate::tables::fret::{Reader, Writer};
use crate::tables::{Array, MergeTable, TokenTable};
use crate::vocabulary::Vocabulary;

const HEAD: &str = "head";
const MERGES: [&str; 2] = ["merges.slots", "merges.results"];
const SCORES: &str = "unigram.scores";
const SEAMS: &str = "seams";
const BYTES: [&str; 3] = ["bytes.bytes", "bytes.offsets", "bytes.present"];

/// All but the tables.
#[derive(Serialize, Deserialize)]
struct Head {
    /// Who wrote the file.
    writer: String,
    /// The content that it was made from, for files beside their source.
    origin: Option<[u8; 16]>,
    added_tokens: Vec<AddedToken>,
    added_later: Vec<usize>,
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<PreTokenizer>,
    /// The model without vocabulary, merges and scores.
    options: ModelSpec,
    byte_level: bool,
    post_processor: Option<PostProcessor>,
    decoder: Option<DecoderSpec>,
    truncation: Option<Truncation>,
    padding: Option<Padding>,
    chat_template: Option<ChatTemplate>,
    defaults: Defaults,
}

/// The parts of a compiled file that need no compiling.
pub(super) struct Stored {
    pub model: Arc<CachedModel>,
    pub byte_level: bool,
    pub seams: Option<Seams>,
}

/// This version, as files name their writer.
fn this_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The content of a compiled file.
///
/// # Errors
///
/// Those of writing the head, which has no lists that could be too long.
pub(crate) fn to_fret(
    parts: &Parts,
    truncation: Option<&Truncation>,
    padding: Option<&Padding>,
    origin: Option<[u8; 16]>,
) -> Result<Vec<u8>, LoadError> {
    let spec = &parts.spec;
    let head = Head {
        writer: this_version().to_owned(),
        origin,
        added_tokens: spec.added_tokens.clone(),
        added_later: spec.added_later.clone(),
        normalizer: spec.normalizer.clone(),
        pre_tokenizer: spec.pre_tokenizer.clone(),
        options: without_lists(spec.model.options()),
        byte_level: parts.plan.byte_level,
        post_processor: spec.post_processor.clone(),
        decoder: spec.decoder.clone(),
        truncation: truncation.cloned(),
        padding: padding.cloned(),
        chat_template: spec.chat_template.clone(),
        defaults: spec.defaults,
    };
    let head = rmp_serde::to_vec(&head).map_err(|error| LoadError::unsupported("$", error))?;
    let mut writer = Writer::default();
    writer.array(HEAD, &head);
    let model = &parts.model.model;
    model.vocabulary().store(&mut writer);
    match model {
        Model::Bpe(bpe) => bpe.merges.store(&mut writer, MERGES),
        Model::Unigram(unigram) => {
            unigram.store(&mut writer);
            if let ModelSpec::Unigram(spec) = &**spec.model {
                writer.array(SCORES, &spec.scores);
            }
        }
        Model::WordPiece(words) => words.store(&mut writer),
        // What it needs is all in the head.
        Model::WordLevel(_) | Model::SentencePiece(_) => {}
    }
    if let Some(seams) = parts.plan.splitter.seams() {
        writer.array(SEAMS, seams.rows());
    }
    if parts.decoder.is_bytes() {
        parts.model.bytes().store(&mut writer, BYTES);
    }
    Ok(writer.finish())
}

/// The error of a head that does not agree with its tables.
pub(super) fn broken() -> LoadError {
    LoadError::at("$", Problem::Damaged { what: "has a head that its tables don't go with" })
}

/// The digest of the content that a file was made from, if this very version wrote it.
pub(crate) fn origin(reader: &Reader) -> Option<[u8; 16]> {
    let head = head(reader).ok()?;
    head.origin.filter(|_| head.writer == this_version())
}

fn head(reader: &Reader) -> Result<Head, LoadError> {
    let bytes: Array<u8> = reader.array(HEAD)?;
    rmp_serde::from_slice(bytes.as_slice()).map_err(|_| reader.broken())
}

/// The pipeline of a compiled file, whose tables are used in place.
///
/// # Errors
///
/// `Problem::Damaged` where a table does not agree with itself or with the head, and what
/// compiling says of the head.
pub(crate) fn from_fret(reader: &Reader) -> Result<Pipeline, LoadError> {
    let head = head(reader)?;
    let vocabulary = Vocabulary::stored(reader)?;
    let mut scores = None;
    let model = match &head.options {
        ModelSpec::Bpe(options) => {
            let merges = MergeTable::stored(reader, MERGES, vocabulary.id_end())?;
            bpe(options, vocabulary, merges, head.byte_level)
        }
        ModelSpec::Unigram(options) => {
            let scores: &Array<f64> = scores.insert(reader.array(SCORES)?);
            let scores = scores.as_slice();
            // A list has no gaps, and a score for each entry.
            if vocabulary.strings().iter().count() != scores.len() {
                return Err(reader.broken());
            }
            Model::Unigram(Unigram::stored(reader, vocabulary, scores, options)?)
        }
        ModelSpec::WordPiece(options) => {
            Model::WordPiece(WordPiece::stored(reader, vocabulary, options)?)
        }
        ModelSpec::WordLevel(options) => {
            Model::WordLevel(WordLevel::new(vocabulary, &options.unk_token))
        }
        ModelSpec::SentencePiece(options) => {
            if !options.is_whole() || vocabulary.id_end() as usize != options.vocab.len() {
                return Err(reader.broken());
            }
            Model::SentencePiece(SentencePiece::new(vocabulary, options)?)
        }
    };
    let bytes = match &head.decoder {
        Some(DecoderSpec::ByteLevel { .. }) => Some(TokenTable::stored(reader, BYTES)?),
        _ => None,
    };
    let model = Arc::new(CachedModel::with_bytes(model, bytes));
    let seams = match reader.has(SEAMS) {
        true => Some(Seams::from_rows(reader.array::<[u64; 4]>(SEAMS)?.as_slice())),
        false => None,
    };
    let seams = seams.map(|seams| seams.ok_or_else(|| reader.broken())).transpose()?;
    let stored = Stored { model: model.clone(), byte_level: head.byte_level, seams };
    let options = head.options.clone();
    let make = Box::new(move || whole_model(&model.model, &options, scores.as_ref()));
    let spec = Spec {
        added_tokens: head.added_tokens,
        added_later: head.added_later,
        normalizer: head.normalizer,
        pre_tokenizer: head.pre_tokenizer,
        model: Arc::new(LazyModel::Later { options: head.options, make, whole: OnceBox::new() }),
        post_processor: head.post_processor,
        decoder: head.decoder,
        truncation: head.truncation,
        padding: head.padding,
        chat_template: head.chat_template,
        defaults: head.defaults,
    };
    compile_with(spec, Known::Stored(stored))
}

/// A model's options.
fn without_lists(model: &ModelSpec) -> ModelSpec {
    let mut options = model.clone();
    match &mut options {
        ModelSpec::Bpe(bpe) => {
            bpe.vocab = Vocab::new();
            if let Merges::Pairs(_) = bpe.merges {
                bpe.merges = Merges::Pairs(MergeList::new());
            }
        }
        ModelSpec::Unigram(unigram) => {
            unigram.vocab = Vocab::new();
            unigram.scores = Vec::new();
        }
        ModelSpec::WordPiece(words) => words.vocab = Vocab::new(),
        ModelSpec::WordLevel(words) => words.vocab = Vocab::new(),
        ModelSpec::SentencePiece(_) => {}
    }
    options
}

/// The model as data, from its tables. Ids ascend; what a later entry overrules is not there.
fn whole_model(model: &Model, options: &ModelSpec, scores: Option<&Array<f64>>) -> ModelSpec {
    let mut whole = options.clone();
    match &mut whole {
        ModelSpec::Bpe(bpe) => {
            bpe.vocab = vocab(model.vocabulary());
            if let (Merges::Pairs(merges), Model::Bpe(compiled)) = (&mut bpe.merges, model) {
                let mut ranked = compiled.merges.to_list();
                ranked.sort_unstable_by_key(|merge| merge[2]);
                let token = |id: u32| model.vocabulary().token(id).unwrap_or_default();
                // The texts of the list fitted before.
                let _ = ranked.iter().all(|merge| merges.push(token(merge[0]), token(merge[1])));
            }
        }
        ModelSpec::Unigram(unigram) => {
            unigram.vocab = vocab(model.vocabulary());
            unigram.scores = scores.map(|scores| scores.as_slice().to_vec()).unwrap_or_default();
        }
        ModelSpec::WordPiece(words) => words.vocab = vocab(model.vocabulary()),
        ModelSpec::WordLevel(words) => words.vocab = vocab(model.vocabulary()),
        ModelSpec::SentencePiece(_) => {}
    }
    whole
}

fn vocab(vocabulary: &Vocabulary) -> Vocab {
    let mut vocab = Vocab::new();
    let _ = vocabulary.iter().all(|(token, id)| vocab.push(token, id));
    vocab
}

#[cfg(test)]
mod tests;
