//! The methods of `fretsaw.Tokenizer` about counts and budgets, and `fretsaw.TextIndex`.

use fretsaw::spec::Direction;
use fretsaw::{Boundary, Budget, EncodeError, SpecialSet};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::released::released;
use crate::text::utf8;
use crate::tokenizer::{Snapshot, Tokenizer};
use crate::{errors, policy};

/// A text whose parts can be counted; made by `Tokenizer.index`.
///
///     >>> index = fretsaw.get("gpt2").index("Hello world")
///     >>> index.count(0, 5), index.count(0, 11)
///     (1, 2)
#[pyclass(module = "fretsaw", frozen)]
pub struct TextIndex {
    index: fretsaw::TextIndex,
}

#[pymethods]
impl TextIndex {
    /// How many ids the characters from `start` to `end` have, encoded on their own.
    fn count(&self, py: Python<'_>, start: usize, end: usize) -> PyResult<usize> {
        let count = self.index.count(start, end).map_err(|error| errors::encode(py, &error))?;
        count.ok_or_else(|| {
            let len = self.index.len_chars();
            PyIndexError::new_err(format!("({start}, {end}) is no part of {len} characters"))
        })
    }

    fn __len__(&self) -> usize {
        self.index.len_chars()
    }

    fn __repr__(&self) -> String {
        format!("TextIndex({} characters)", self.index.len_chars())
    }
}

/// Does work on a text with the interpreter released, unless it is short.
fn work<R: Send>(
    text: &Bound<'_, PyAny>,
    special: Option<&Bound<'_, PyAny>>,
    now: &Snapshot,
    work: impl FnOnce(&str, &SpecialSet) -> Result<R, EncodeError> + Send,
) -> PyResult<R> {
    let py = text.py();
    let text = utf8(text)?;
    let special = policy::special(special, now)?;
    released(py, text.len(), || work(&text, &special)).map_err(|error| errors::encode(py, &error))
}

#[pymethods]
impl Tokenizer {
    /// Whether a text has at most `max_tokens` ids.
    #[pyo3(signature = (text, max_tokens, *, add_special_tokens = true, special = None))]
    fn fits(
        &self,
        text: &Bound<'_, PyAny>,
        max_tokens: usize,
        add_special_tokens: bool,
        special: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let now = self.now();
        work(text, special, &now, |text, special| {
            now.pipeline.fits(text, Budget { special, add_special_tokens, max_tokens })
        })
    }

    /// What is left of a text that is cut to at most `max_tokens` ids, and how many it has.
    #[pyo3(signature = (text, max_tokens, direction = "right", *, add_special_tokens = true, special = None))]
    fn truncate<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        max_tokens: usize,
        direction: &str,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyString>, usize)> {
        let direction = match direction {
            "right" => Direction::Right,
            "left" => Direction::Left,
            other => {
                let message = format!("direction must be \"right\" or \"left\", got {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        let now = self.now();
        let (part, count) = work(text, special, &now, |text, special| {
            let budget = Budget { special, add_special_tokens, max_tokens };
            now.pipeline.fitting(text, direction, budget)
        })?;
        Ok((PyString::new(text.py(), &utf8(text)?[part]), count))
    }

    /// A text in parts of at most `max_tokens` ids.
    #[pyo3(signature = (text, max_tokens, overlap = 0, boundary = "token", *, add_special_tokens = true, special = None))]
    fn chunk<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        max_tokens: usize,
        overlap: usize,
        boundary: &str,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyString>>> {
        let boundary = match boundary {
            "token" => Boundary::Token,
            "sentence" => Boundary::Sentence,
            "paragraph" => Boundary::Paragraph,
            other => {
                return Err(PyValueError::new_err(format!(
                    "boundary must be \"token\", \"sentence\" or \"paragraph\", got {other:?}"
                )));
            }
        };
        if overlap > 0 && overlap >= max_tokens {
            return Err(PyValueError::new_err(format!(
                "overlap must be less than max_tokens, got {overlap} and {max_tokens}"
            )));
        }
        let now = self.now();
        let parts = work(text, special, &now, |text, special| {
            let budget = Budget { special, add_special_tokens, max_tokens };
            now.pipeline.chunks(text, overlap, boundary, budget)
        })?;
        let (py, text) = (text.py(), utf8(text)?);
        Ok(parts.into_iter().map(|part| PyString::new(py, &text[part])).collect())
    }

    /// An index of a text that counts the ids of any part of it.
    #[pyo3(signature = (text, *, add_special_tokens = true, special = None))]
    fn index(
        &self,
        text: &Bound<'_, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<TextIndex> {
        let now = self.now();
        let index = work(text, special, &now, |text, special| {
            let pipeline = now.pipeline.clone();
            fretsaw::TextIndex::new(pipeline, text.to_owned(), special.clone(), add_special_tokens)
        })?;
        Ok(TextIndex { index })
    }
}
