//! Text from Python objects, taken in place.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySequence, PyString};

use crate::errors;

/// The UTF-8 of a `str`; anything else is a `TypeError`, and a lone surrogate an `EncodeError`.
/// `index` is the place in a batch, for the message.
pub fn utf8<'a>(object: &'a Bound<'_, PyAny>, index: Option<usize>) -> PyResult<&'a str> {
    let place = || index.map_or(String::new(), |index| format!(" at index {index}"));
    let Ok(string) = object.cast::<PyString>() else {
        let kind = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("text{} must be str, got {kind}", place())));
    };
    string.to_str().map_err(|error| surrogate(object.py(), &error, &place()))
}

fn surrogate(py: Python<'_>, error: &PyErr, place: &str) -> PyErr {
    let position = error.value(py).getattr("start").and_then(|start| start.extract::<usize>());
    match position {
        Ok(position) => errors::encode_message(
            py,
            format!(
                "text{place} has a lone surrogate at character {position}, which UTF-8 can't hold; \
                 replace it, for example with text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
            ),
        ),
        Err(_) => error.clone_ref(py),
    }
}

/// The strings of a batch, kept alive, so that their UTF-8 can be read without the interpreter.
pub struct Texts<'py> {
    objects: Vec<Bound<'py, PyAny>>,
}

impl<'py> Texts<'py> {
    /// The items of a list or another sequence that is not itself a string.
    pub fn new(texts: &Bound<'py, PyAny>) -> PyResult<Self> {
        if texts.is_instance_of::<PyString>() {
            let message = "a batch must be a sequence of str, got one str; use encode for it";
            return Err(PyTypeError::new_err(message));
        }
        let objects = match texts.cast::<PyList>() {
            Ok(list) => list.iter().collect(),
            Err(_) => texts.cast::<PySequence>()?.try_iter()?.collect::<PyResult<_>>()?,
        };
        Ok(Self { objects })
    }

    /// Whether each item is a string.
    pub fn are_all_str(&self) -> bool {
        self.objects.iter().all(|object| object.is_instance_of::<PyString>())
    }

    /// The UTF-8 of every string.
    pub fn utf8(&self) -> PyResult<Vec<&str>> {
        self.objects.iter().enumerate().map(|(index, object)| utf8(object, Some(index))).collect()
    }

    /// The strings.
    pub fn objects(&self) -> &[Bound<'py, PyAny>] {
        &self.objects
    }
}
