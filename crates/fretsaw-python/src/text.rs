//! Text from Python objects, taken in place, or from wide units.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySequence, PyString};

use crate::errors;
use crate::memory::room_for;
use crate::wide::{self, Wide};

/// The UTF-8 of a `str`; anything else is a `TypeError`, and a lone surrogate an `EncodeError`.
pub fn utf8<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, str>> {
    if let Some(wide) = wide_units(object) {
        room_for(object.len()?)?;
        if let Some(text) = wide::utf8(object.py(), &[Some(wide)]).pop().flatten() {
            return Ok(Cow::Owned(text));
        }
    }
    kept_utf8(object, || "text".to_owned()).map(Cow::Borrowed)
}

fn wide_units<'a>(object: &'a Bound<'_, PyAny>) -> Option<Wide<'a>> {
    object.cast::<PyString>().ok().and_then(Wide::new)
}

/// The same by Python's own conversion, which keeps the UTF-8 with the string; `name` is for the message.
pub fn kept_utf8<'a>(object: &'a Bound<'_, PyAny>, name: impl Fn() -> String) -> PyResult<&'a str> {
    let Ok(string) = object.cast::<PyString>() else {
        let kind = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{} must be str, got {kind}", name())));
    };
    let text = string.to_str().map_err(|error| surrogate(object.py(), &error, &name()))?;
    room_for(text.len())?;
    Ok(text)
}

fn surrogate(py: Python<'_>, error: &PyErr, name: &str) -> PyErr {
    let position = error.value(py).getattr("start").and_then(|start| start.extract::<usize>());
    match position {
        Ok(position) => errors::encode_message(
            py,
            format!(
                "{name} has a lone surrogate at character {position}, which UTF-8 can't hold; \
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
    /// The items of a list, another sequence that is not itself a string, or an array.
    pub fn new(texts: &Bound<'py, PyAny>) -> PyResult<Self> {
        if texts.is_instance_of::<PyString>() {
            let message = "a batch must be a sequence of str, got one str; use encode for it";
            return Err(PyTypeError::new_err(message));
        }
        let objects = match texts.cast::<PyList>() {
            Ok(list) => list.iter().collect(),
            Err(_) if is_array(texts) => texts.try_iter()?.collect::<PyResult<_>>()?,
            Err(_) => texts.cast::<PySequence>()?.try_iter()?.collect::<PyResult<_>>()?,
        };
        Ok(Self { objects })
    }

    /// Whether each item is a string.
    pub fn are_all_str(&self) -> bool {
        self.objects.iter().all(|object| object.is_instance_of::<PyString>())
    }

    /// The UTF-8 of every string.
    pub fn utf8(&self) -> PyResult<Vec<Cow<'_, str>>> {
        let Some(first) = self.objects.first() else { return Ok(Vec::new()) };
        room_for(self.objects.iter().map(|object| object.len().unwrap_or(0)).sum())?;
        let wide: Vec<_> = self.objects.iter().map(wide_units).collect();
        let made = wide::utf8(first.py(), &wide);
        let all = self.objects.iter().zip(made).enumerate();
        all.map(|(index, (object, made))| match made {
            Some(text) => Ok(Cow::Owned(text)),
            None => kept_utf8(object, || format!("text at index {index}")).map(Cow::Borrowed),
        })
        .collect()
    }

    /// The strings.
    pub fn objects(&self) -> &[Bound<'py, PyAny>] {
        &self.objects
    }
}

/// Whether an object is an array of NumPy's kind, which is no `Sequence`; one string of it is a `str`.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    let has = |name| object.hasattr(name).unwrap_or(false);
    has("ndim") && has("dtype") && !object.is_instance_of::<PyString>()
}
