//! `special=` and `trusted=` from Python.

use fretsaw::{EncodeError, SpecialSet};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors;
use crate::tokenizer::Snapshot;

/// `"all"`, `"none"`, `"error"`, a collection of token strings, or `None` for the format's default.
pub fn special(object: Option<&Bound<'_, PyAny>>, now: &Snapshot) -> PyResult<SpecialSet> {
    let pipeline = &now.pipeline;
    let Some(object) = object.filter(|object| !object.is_none()) else {
        return Ok(if now.encode_special_tokens {
            SpecialSet::Plain
        } else {
            pipeline.default_special()
        });
    };
    if let Ok(word) = object.cast::<PyString>() {
        return match word.to_str()? {
            "all" => Ok(SpecialSet::All),
            "none" => Ok(SpecialSet::None),
            "error" => Ok(SpecialSet::Error),
            other => Err(PyValueError::new_err(format!(
                "special must be \"all\", \"none\", \"error\" or a set of token strings, got {other:?}"
            ))),
        };
    }
    let mut contents = Vec::new();
    for item in object.try_iter().map_err(|_| wrong_type(object))? {
        let item = item?;
        let content = item.cast::<PyString>().map_err(|_| wrong_type(object))?.to_str()?;
        if pipeline.added_tokens().id_of(content).is_none() {
            return Err(PyValueError::new_err(format!(
                "special names {content:?}, which is no added token of this tokenizer"
            )));
        }
        contents.push(content.to_owned());
    }
    Ok(SpecialSet::only(&contents))
}

fn wrong_type(object: &Bound<'_, PyAny>) -> PyErr {
    let kind = object.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!(
        "special must be \"all\", \"none\", \"error\" or a set of token strings, got {kind}"
    ))
}

/// Spans in characters as spans in bytes; nothing where one is the whole text, which limits nothing.
pub fn trusted(
    py: Python<'_>,
    text: &str,
    given: Option<Vec<(usize, usize)>>,
) -> PyResult<Option<Vec<(usize, usize)>>> {
    Ok(spans(py, text, given)?.filter(|spans| !spans.contains(&(0, text.len()))))
}

/// Spans in characters as spans in bytes.
pub fn spans(
    py: Python<'_>,
    text: &str,
    spans: Option<Vec<(usize, usize)>>,
) -> PyResult<Option<Vec<(usize, usize)>>> {
    let Some(spans) = spans else { return Ok(None) };
    let text_chars = text.chars().count();
    for &(start, end) in &spans {
        if start > end || end > text_chars {
            return Err(errors::encode(py, &EncodeError::TrustedSpan { start, end, text_chars }));
        }
    }
    if text_chars == text.len() {
        return Ok(Some(spans));
    }
    let mut places: Vec<usize> = spans.iter().flat_map(|&(start, end)| [start, end]).collect();
    places.sort_unstable();
    places.dedup();
    let mut bytes = Vec::with_capacity(places.len());
    let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]).enumerate();
    for &place in &places {
        bytes.extend(starts.by_ref().find(|&(chars, _)| chars == place).map(|(_, at)| at));
    }
    let byte = |chars: usize| places.binary_search(&chars).map_or(0, |at| bytes[at]);
    Ok(Some(spans.into_iter().map(|(start, end)| (byte(start), byte(end))).collect()))
}
