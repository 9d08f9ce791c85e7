//! What a caller gives to be encoded, kept alive so that its text can be read in place.

use std::borrow::Cow;

use fretsaw::{Input, Request};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::text::{is_array, kept_utf8, utf8};

/// A sequence, or a pair of them.
pub struct Given {
    first: Sequence,
    second: Option<Sequence>,
}

enum Sequence {
    Text(Py<PyString>),
    Words(Vec<Py<PyString>>),
}

impl Given {
    /// A single text.
    pub fn text(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = text.cast::<PyString>()?.clone().unbind();
        Ok(Self { first: Sequence::Text(text), second: None })
    }

    /// Two sequences, or one; texts, or lists of words.
    pub fn new(
        sequence: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        is_pretokenized: bool,
        index: Option<usize>,
    ) -> PyResult<Self> {
        Ok(Self {
            first: Sequence::new(sequence, is_pretokenized, index)?,
            second: pair.map(|pair| Sequence::new(pair, is_pretokenized, index)).transpose()?,
        })
    }

    /// One item of a batch: a sequence, or a tuple or list of two.
    pub fn item(item: &Bound<'_, PyAny>, is_pretokenized: bool, index: usize) -> PyResult<Self> {
        let pair = match items(item).transpose()?.as_deref() {
            // Two words are one sequence, and so is the empty list.
            Some([first, second]) if !is_pretokenized || is_list(first) || is_list(second) => {
                Some((first.clone(), second.clone()))
            }
            _ => None,
        };
        match pair {
            Some((first, second)) => Self::new(&first, Some(&second), is_pretokenized, Some(index)),
            None => Self::new(item, None, is_pretokenized, Some(index)),
        }
    }

    /// Whether there are two sequences.
    pub fn is_pair(&self) -> bool {
        self.second.is_some()
    }

    /// As the core takes it.
    pub fn request<'a>(&'a self, py: Python<'a>) -> PyResult<Request<'a>> {
        Ok(Request {
            first: self.first.input(py)?,
            second: self.second.as_ref().map(|second| second.input(py)).transpose()?,
        })
    }

    /// The text, if there is just one.
    pub fn single<'a>(&'a self, py: Python<'a>) -> PyResult<Option<Cow<'a, str>>> {
        match self {
            Self { first: Sequence::Text(text), second: None } => utf8(text.bind(py)).map(Some),
            _ => Ok(None),
        }
    }
}

impl Sequence {
    fn new(
        sequence: &Bound<'_, PyAny>,
        is_pretokenized: bool,
        index: Option<usize>,
    ) -> PyResult<Self> {
        let place = || index.map_or(String::new(), |index| format!(" at index {index}"));
        if !is_pretokenized {
            kept_utf8(sequence, || format!("text{}", place()))?;
            return Ok(Sequence::Text(sequence.cast::<PyString>()?.clone().unbind()));
        }
        let Some(words) = items(sequence) else {
            let kind = sequence.get_type().name()?;
            let message = format!(
                "pre-tokenized input{} must be a list of str, got {kind}; \
                 leave is_pretokenized out for a text",
                place()
            );
            return Err(PyTypeError::new_err(message));
        };
        let checked = |(at, word): (usize, &Bound<'_, PyAny>)| {
            kept_utf8(word, || format!("word {at} of the text{}", place()))?;
            Ok::<_, PyErr>(word.cast::<PyString>()?.clone().unbind())
        };
        words?.iter().enumerate().map(checked).collect::<PyResult<_>>().map(Sequence::Words)
    }

    fn input<'a>(&'a self, py: Python<'a>) -> PyResult<Input<'a>> {
        Ok(match self {
            Sequence::Text(text) => Input::Text(text.to_str(py)?),
            Sequence::Words(words) => {
                Input::Words(words.iter().map(|word| word.to_str(py)).collect::<PyResult<_>>()?)
            }
        })
    }
}

/// The items of a list, a tuple or an array.
fn items<'py>(object: &Bound<'py, PyAny>) -> Option<PyResult<Vec<Bound<'py, PyAny>>>> {
    is_list(object).then(|| object.try_iter()?.collect())
}

fn is_list(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() || is_array(object)
}
