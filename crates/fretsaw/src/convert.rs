//! From any tokenizer to a file of any format that can carry it, or the field that it can't.
//!
//! What is written is read back and compared part by part with what it was made from: the first that
//! differs is named. Two ways lead to a tokenizer.json whose ids are the same though its parts are
//! others: from ranks, and from a BPE model of SentencePiece (see `ranks.rs` and `pieces.rs`). Those say
//! beforehand what they can't express, and where the order of merges could matter, texts that would show
//! it are encoded by both. Linear in the vocabulary but for sorting merges.

mod pieces;
mod ranks;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use crate::compile::compile;
use crate::error::LoadError;
use crate::pipeline::Pipeline;
use crate::settings::{MatchPolicy, Settings, SpecialSet};
use crate::spec::{
    from_sentencepiece, from_vocab_and_merges, from_word_list, to_sentencepiece, to_tiktoken,
    to_vocab_and_merges, to_word_list, Model, Normalizer, PostProcessor, Spec, TemplatePiece,
    WordRules,
};

/// A format that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `tokenizer.json` of Hugging Face.
    TokenizerJson,
    /// The ranks of tiktoken, without pattern and special tokens, which no such file has.
    Tiktoken,
    /// `vocab.json` and `merges.txt` of GPT-2, in a folder.
    VocabAndMerges,
    /// `vocab.txt` of BERT.
    WordList,
    /// A `.model` of SentencePiece.
    SentencePiece,
    /// A compiled file.
    Fret,
}

impl Format {
    /// Every format with its name.
    pub const NAMES: [(&'static str, Format); 6] = [
        ("tokenizer.json", Format::TokenizerJson),
        ("tiktoken", Format::Tiktoken),
        ("vocab+merges", Format::VocabAndMerges),
        ("vocab.txt", Format::WordList),
        ("sentencepiece", Format::SentencePiece),
        ("fret", Format::Fret),
    ];

    /// The format's name.
    pub fn name(self) -> &'static str {
        let known = Self::NAMES.iter().find(|(_, format)| *format == self);
        known.map_or("", |(name, _)| name)
    }
}

/// A file to be written: its name in a folder, or none if it is the only one, and its content.
pub type Written = (Option<&'static str>, Vec<u8>);

/// The files of a format for a tokenizer with some settings.
///
/// # Errors
///
/// [`LoadError::NotInFormat`] with the field that the format can't carry.
pub fn convert(
    pipeline: &Pipeline,
    settings: &Settings,
    format: Format,
) -> Result<Vec<Written>, LoadError> {
    files(pipeline, settings, format).map_err(|error| match error {
        LoadError::Unsupported { field, value } => {
            LoadError::NotInFormat { field, value, format: format.name() }
        }
        other => other,
    })
}

fn files(
    pipeline: &Pipeline,
    settings: &Settings,
    format: Format,
) -> Result<Vec<Written>, LoadError> {
    let Settings { truncation, padding, .. } = settings.clone();
    let spec = Spec { truncation, padding, ..pipeline.spec().clone() };
    let one = |bytes: Vec<u8>| vec![(None, bytes)];
    match format {
        Format::TokenizerJson => tokenizer_json(pipeline, settings, &spec).map(one),
        Format::Tiktoken => {
            check_settings(&spec)?;
            to_tiktoken(&spec).map(one)
        }
        Format::VocabAndMerges => {
            let (vocab, merges) = to_vocab_and_merges(&spec)?;
            same(&spec, &from_vocab_and_merges(&vocab, &merges)?)?;
            Ok(vec![(Some("vocab.json"), vocab), (Some("merges.txt"), merges)])
        }
        Format::WordList => {
            let bytes = to_word_list(&spec)?;
            same(&spec, &from_word_list(&bytes, WordRules::default())?)?;
            Ok(one(bytes))
        }
        Format::SentencePiece => {
            let bytes = to_sentencepiece(&spec)?;
            same(&spec, &from_sentencepiece(&bytes)?)?;
            Ok(one(bytes))
        }
        Format::Fret => pipeline.to_fret(settings, None).map(one),
    }
}

fn tokenizer_json(
    pipeline: &Pipeline,
    settings: &Settings,
    spec: &Spec,
) -> Result<Vec<u8>, LoadError> {
    let (other, doubtful) = match (spec.ranks(), &**spec.model) {
        (Some(_), _) => ranks::to_pairs(spec)?,
        (None, Model::SentencePiece(model)) => pieces::to_pairs(spec, model)?,
        _ => return pipeline.to_json(settings),
    };
    let other = compile(other)?;
    if let Some(text) = doubtful.iter().find(|text| ids(pipeline, text) != ids(&other, text)) {
        let value = format_args!("in an order that gives the text {text:?} other ids");
        return Err(LoadError::unsupported("model.merges", value));
    }
    other.to_json(settings)
}

/// The ids of a text without anything around it; none where it can't be encoded.
fn ids(pipeline: &Pipeline, text: &str) -> Option<Vec<u32>> {
    let policy = MatchPolicy::new(&SpecialSet::None);
    let encoding = pipeline.encode_with(text, policy, false, &Settings::NONE);
    encoding.ok().map(|encoding| encoding.ids)
}

/// An error where truncation or padding would be lost.
fn check_settings(spec: &Spec) -> Result<(), LoadError> {
    const NO_PLACE: &str = "set";
    match (&spec.truncation, &spec.padding) {
        (Some(_), _) => Err(LoadError::unsupported("truncation", NO_PLACE)),
        (_, Some(_)) => Err(LoadError::unsupported("padding", NO_PLACE)),
        (None, None) => Ok(()),
    }
}

/// An error with the first part in which what is read back differs from what was written.
fn same(spec: &Spec, read: &Spec) -> Result<(), LoadError> {
    check_settings(spec)?;
    let differs = |field: &str, value: String| Err(LoadError::unsupported(field, value));
    let added = |spec: &Spec| {
        let mut tokens = spec.added_tokens.clone();
        tokens.sort_by_key(|token| token.id);
        tokens
    };
    let (added, known) = (added(spec), added(read));
    if let Some(token) = added.iter().find(|token| !known.contains(token)) {
        return differs(&format!("added_tokens[{:?}]", token.content), format!("{token:?}"));
    }
    if let Some(token) = known.iter().find(|token| !added.contains(token)) {
        let value = format_args!("not there, but would be when the file is read");
        return Err(LoadError::unsupported(format!("added_tokens[{:?}]", token.content), value));
    }
    if normalizer(spec) != normalizer(read) {
        return differs("normalizer", shown(&spec.normalizer));
    }
    if spec.pre_tokenizer != read.pre_tokenizer {
        return differs("pre_tokenizer", shown(&spec.pre_tokenizer));
    }
    if post_processor(spec) != post_processor(read) {
        return differs("post_processor", shown(&spec.post_processor));
    }
    if spec.decoder != read.decoder {
        return differs("decoder", shown(&spec.decoder));
    }
    if spec.defaults != read.defaults {
        return differs("defaults", format!("{:?}", spec.defaults));
    }
    // The rest is the model; the order of its entries does not count.
    let alike = Spec { model: read.model.clone(), ..spec.clone() };
    if spec.canonical() != alike.canonical() {
        return differs("model", "one with options".to_owned());
    }
    Ok(())
}

/// A part as an error shows it.
fn shown<T: std::fmt::Debug>(part: &Option<T>) -> String {
    const SHOWN_CHARS: usize = 200;
    match part {
        None => "not there".to_owned(),
        Some(part) => format!("{part:?}").chars().take(SHOWN_CHARS).collect(),
    }
}

/// The normalizer, in lower case without a word on accents, if that says the same.
fn normalizer(spec: &Spec) -> Option<Cow<'_, Normalizer>> {
    spec.normalizer.as_ref().map(|part| match *part {
        Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } => {
            let strip_accents = strip_accents.filter(|&strip| strip != lowercase);
            Cow::Owned(Normalizer::Bert {
                clean_text,
                handle_chinese_chars,
                strip_accents,
                lowercase,
            })
        }
        _ => Cow::Borrowed(part),
    })
}

/// The post-processor; a template that says what BERT's says is that.
fn post_processor(spec: &Spec) -> Option<Cow<'_, PostProcessor>> {
    let part = spec.post_processor.as_ref()?;
    let PostProcessor::Template { single, pair, special_tokens } = part else {
        return Some(Cow::Borrowed(part));
    };
    let special = |piece: &TemplatePiece, wanted: u32| match piece {
        TemplatePiece::SpecialToken { id, type_id } if *type_id == wanted => {
            let token = special_tokens.iter().find(|token| token.id == *id)?;
            (token.ids.len() == 1).then(|| (token.tokens.concat(), token.ids[0]))
        }
        _ => None,
    };
    let text = |place: u8| TemplatePiece::Sequence { id: place, type_id: u32::from(place) };
    let bert = || {
        let [cls, first, sep] = &single[..] else { return None };
        let [_, _, _, second, last] = &pair[..] else { return None };
        let (cls, sep) = (special(cls, 0)?, special(sep, 0)?);
        let fits = pair[..3] == single[..]
            && (first, second) == (&text(0), &text(1))
            && special(last, 1).as_ref() == Some(&sep);
        fits.then_some(PostProcessor::Bert { sep, cls })
    };
    Some(bert().map_or(Cow::Borrowed(part), Cow::Owned))
}
