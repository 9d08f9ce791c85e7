//! tokenizer.json -> [`Spec`], as Hugging Face tokenizers 0.23.3 reads it.
//!
//! One pass over the text gives a small tree in which vocabulary and merges are flat lists
//! already. Only if that fails is the text parsed again into a plain tree, from which the path of
//! the fault is found (or that there is none: a broken entry may be overruled by a later one), and
//! once more for the path of an error in the JSON itself. Reading is linear in the file.
//!
//! What is taken and what is refused follows the oracle to the letter, including what its derived
//! deserializers take beyond what it writes: see `fields.rs` and `family.rs`. Two things it checks
//! here are the compiler's business: that patterns are sound, and that merges are in the
//! vocabulary. Scores are read by serde_json without `float_roundtrip`, as the oracle does: its
//! decimals are often off by one bit, and so must ours be.

pub(super) mod base64;
mod decoder;
mod family;
mod fields;
mod json;
mod model;
mod normalizer;
mod post_processor;
mod pre_tokenizer;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde::de::DeserializeSeed;

use super::{
    AddedToken, Defaults, Direction, LazyModel, PadStrategy, Padding, Spec, Truncation,
    TruncationStrategy,
};
use crate::error::{LoadError, Problem};
use fields::{boolean, id, list, one_of, size, string, text, variant, Fault, Fields, Repeats};
use json::Shape;

pub(super) use json::{is_version_line, split_merge, Json, Text};

/// Reads a tokenizer.json.
///
/// # Errors
///
/// [`LoadError::Invalid`] with the JSON path of what the oracle would refuse as well,
/// [`LoadError::Unsupported`] for a component that it does not know.
pub fn from_json(text: &[u8]) -> Result<Spec, LoadError> {
    let text = utf8(text)?;
    if text.starts_with('\u{feff}') {
        let message = "the file starts with a byte-order mark; save it without one".to_owned();
        return Err(LoadError::at("$", Problem::Json { line: 1, column: 1, message }));
    }
    if let Ok(spec) = parse(text, Shape::Document { compact: true })
        .map_err(drop)
        .and_then(|mut json| document(&mut json).map_err(drop))
    {
        return Ok(spec);
    }
    match parse(text, Shape::Document { compact: false }) {
        Ok(mut json) => document(&mut json).map_err(Fault::into_error),
        Err(error) => Err(syntax_error(text, &error)),
    }
}

/// Replaces one part of a tokenizer by what a JSON value says: `role` is its key in a
/// tokenizer.json.
///
/// # Errors
///
/// As [`from_json`].
pub fn set_component(spec: &mut Spec, role: &str, json: &str) -> Result<(), LoadError> {
    let document = match role {
        "model" => format!(r#"{{"model": {json}}}"#),
        role => format!(r#"{{"model": {NO_MODEL}, "{role}": {json}}}"#),
    };
    let read = from_json(document.as_bytes())?;
    match role {
        "normalizer" => spec.normalizer = read.normalizer,
        "pre_tokenizer" => spec.pre_tokenizer = read.pre_tokenizer,
        "post_processor" => spec.post_processor = read.post_processor,
        "decoder" => spec.decoder = read.decoder,
        _ => spec.model = read.model,
    }
    Ok(())
}

/// A model for documents of which another part is wanted.
const NO_MODEL: &str = r#"{"type": "WordLevel", "vocab": {}, "unk_token": ""}"#;

/// The text of a file.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str, LoadError> {
    std::str::from_utf8(bytes)
        .map_err(|error| LoadError::at("$", Problem::NotUtf8 { byte_offset: error.valid_up_to() }))
}

/// Parses the whole text as one value.
fn parse(text: &str, shape: Shape) -> Result<Json<'_>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let json = shape.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(json)
}

/// An error in the JSON itself, with its path where there is one.
pub(super) fn syntax_error(text: &str, error: &serde_json::Error) -> LoadError {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let path = match serde_path_to_error::deserialize::<_, Json<'_>>(&mut deserializer) {
        Err(error) if error.path().iter().len() > 0 => error.path().to_string(),
        _ => "$".to_owned(),
    };
    let whole = error.to_string();
    // serde_json ends its text with the place, which is a field of its own here.
    let message = match whole.rfind(" at line ") {
        Some(end) => whole[..end].to_owned(),
        None => whole,
    };
    LoadError::at(path, Problem::Json { line: error.line(), column: error.column(), message })
}

/// Reads the whole document. Each of repeated fields must be sound; the last one counts.
fn document(json: &mut Json<'_>) -> Result<Spec, Fault> {
    let Json::Object(entries) = json else {
        return Err(Fault::wrong_type(json, "an object"));
    };
    let mut model = None;
    let mut added_tokens = Vec::new();
    let (mut normalizer, mut pre_tokenizer) = (None, None);
    let (mut post_processor, mut decoder) = (None, None);
    let (mut truncation, mut padding) = (None, None);
    for (key, value) in entries {
        match key.as_ref() {
            "version" => check_version(value),
            "truncation" => optional(value, read_truncation).map(|part| truncation = part),
            "padding" => optional(value, read_padding).map(|part| padding = part),
            "added_tokens" => list(value, added_token).map(|tokens| added_tokens = tokens),
            "normalizer" => optional(value, |json| normalizer::FAMILY.read_top(json))
                .map(|part| normalizer = part),
            "pre_tokenizer" => optional(value, |json| pre_tokenizer::FAMILY.read_top(json))
                .map(|part| pre_tokenizer = part),
            "post_processor" => optional(value, |json| post_processor::FAMILY.read_top(json))
                .map(|part| post_processor = part),
            "decoder" => {
                optional(value, |json| decoder::FAMILY.read_top(json)).map(|part| decoder = part)
            }
            "model" => model::model(value).map(|part| model = Some(part)),
            // The oracle stumbles over any other field.
            unknown => return Err(Problem::UnknownField { field: unknown.to_owned() }.into()),
        }
        .map_err(|fault| fault.under(key))?;
    }
    let model = model.ok_or(Problem::Missing { field: "model" })?;
    let defaults = Defaults::HUGGING_FACE;
    Ok(Spec {
        added_tokens,
        added_later: Vec::new(),
        normalizer,
        pre_tokenizer,
        model: Arc::new(LazyModel::Now(model)),
        post_processor,
        decoder,
        truncation,
        padding,
        chat_template: None,
        defaults,
    })
}

fn optional<'j, T>(
    json: &'j Json<'j>,
    read: impl FnOnce(&'j Json<'j>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    match json {
        Json::Null => Ok(None),
        value => read(value).map(Some),
    }
}

fn check_version(json: &Json<'_>) -> Result<(), Fault> {
    match text(json)? {
        "1.0" => Ok(()),
        other => Err(Problem::Version { version: other.to_owned() }.into()),
    }
}

fn added_token(json: &Json<'_>) -> Result<AddedToken, Fault> {
    let fields = Fields::of_object(json, Repeats::Refused)?;
    Ok(AddedToken {
        id: fields.need("id", id)?,
        content: fields.need("content", string)?,
        single_word: fields.need("single_word", boolean)?,
        lstrip: fields.need("lstrip", boolean)?,
        rstrip: fields.need("rstrip", boolean)?,
        normalized: fields.need("normalized", boolean)?,
        special: fields.need("special", boolean)?,
    })
}

fn direction(json: &Json<'_>) -> Result<Direction, Fault> {
    let names = [("Left", Direction::Left), ("Right", Direction::Right)];
    one_of(json, Repeats::Refused, &names, "one of Left, Right")
}

fn read_truncation(json: &Json<'_>) -> Result<Truncation, Fault> {
    const NAMES: &[&str] = &["direction", "max_length", "strategy", "stride"];
    let strategies = [
        ("LongestFirst", TruncationStrategy::LongestFirst),
        ("OnlyFirst", TruncationStrategy::OnlyFirst),
        ("OnlySecond", TruncationStrategy::OnlySecond),
    ];
    let fields = Fields::of(json, NAMES, Repeats::Refused)?;
    Ok(Truncation {
        direction: fields.or("direction", Direction::Right, direction)?,
        max_length: fields.need("max_length", size)?,
        strategy: fields.need("strategy", |json| {
            one_of(
                json,
                Repeats::Refused,
                &strategies,
                "one of LongestFirst, OnlyFirst, OnlySecond",
            )
        })?,
        stride: fields.need("stride", size)?,
    })
}

fn read_padding(json: &Json<'_>) -> Result<Padding, Fault> {
    const NAMES: &[&str] =
        &["strategy", "direction", "pad_to_multiple_of", "pad_id", "pad_type_id", "pad_token"];
    let fields = Fields::of(json, NAMES, Repeats::Refused)?;
    Ok(Padding {
        strategy: fields.need("strategy", pad_strategy)?,
        direction: fields.need("direction", direction)?,
        pad_to_multiple_of: fields.option("pad_to_multiple_of", size)?,
        pad_id: fields.need("pad_id", id)?,
        pad_type_id: fields.need("pad_type_id", id)?,
        pad_token: fields.need("pad_token", string)?,
    })
}

fn pad_strategy(json: &Json<'_>) -> Result<PadStrategy, Fault> {
    match variant(json, Repeats::Refused) {
        Some(("BatchLongest", None | Some(Json::Null))) => Ok(PadStrategy::BatchLongest),
        Some(("Fixed", Some(length))) => {
            size(length).map(PadStrategy::Fixed).map_err(|fault| fault.under("Fixed"))
        }
        _ => Err(Fault::wrong_type(json, "\"BatchLongest\" or {\"Fixed\": length}")),
    }
}
