//! `fretsaw.Stream`: text from ids that come one at a time.

use std::sync::{Arc, Mutex, MutexGuard};

use fretsaw::{DecodeError, Ending, Pipeline, TextStream, Watched};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString};

use crate::errors;
use crate::lists::Ids;
use crate::released::{locked, released};

/// Decodes ids one at a time; made by `Tokenizer.stream`.
///
/// Text is given out as soon as it is settled and never taken back: the chunks and what `finish`
/// returns, joined, equal `decode` of all ids, up to a stop and without markers.
///
///     >>> stream = fretsaw.get("gpt2").stream()
///     >>> stream.push(47249), stream.push(222), stream.finish()
///     ('', '😀', '')
#[pyclass(module = "fretsaw", frozen)]
pub struct Stream {
    // Held for a moment only, with the interpreter attached: no fork can find it locked.
    state: Mutex<State>,
}

#[derive(Clone)]
struct State {
    stream: TextStream,
    /// The text of a call; empty between calls.
    text: String,
}

/// Room for the text of a call that is kept for the next one.
const KEPT_BYTES: usize = 256;

impl Stream {
    pub fn new(
        py: Python<'_>,
        pipeline: Arc<Pipeline>,
        skip_special_tokens: bool,
        watched: Arc<Watched>,
        prompt: &[u32],
    ) -> PyResult<Self> {
        let make = || TextStream::new(pipeline, skip_special_tokens, watched, prompt);
        let stream =
            released(py, size_of_val(prompt), make).map_err(|error| errors::decode(py, error))?;
        Ok(Self { state: Mutex::new(State { stream, text: String::new() }) })
    }

    #[inline]
    fn state(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        locked(py, &self.state)
    }

    /// The text of some work on the stream.
    #[inline]
    fn text<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut TextStream, &mut String) -> Result<(), DecodeError>,
    ) -> PyResult<Bound<'py, PyString>> {
        let mut state = self.state(py);
        let State { stream, text } = &mut *state;
        let done = work(stream, text);
        let given = done.map(|()| PyString::new(py, text));
        if text.capacity() > KEPT_BYTES {
            *text = String::new();
        }
        text.clear();
        given.map_err(|error| errors::decode(py, error))
    }
}

#[pymethods]
impl Stream {
    /// Takes one id and returns the text that it settles, which may be empty.
    fn push<'py>(&self, py: Python<'py>, id: u32) -> PyResult<Bound<'py, PyString>> {
        self.text(py, |stream, text| stream.push(id, text))
    }

    /// Takes ids and returns the text that they settle.
    fn push_many<'py>(&self, py: Python<'py>, ids: Ids) -> PyResult<Bound<'py, PyString>> {
        self.text(py, |stream, text| ids.0.iter().try_for_each(|&id| stream.push(id, text)))
    }

    /// Ends the text and returns the rest: U+FFFD where a character stayed unfinished.
    ///
    /// A stream that did not stop then starts from nothing again.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        self.text(py, TextStream::finish)
    }

    /// The stop string or the id that ended the stream, or `None`.
    #[getter]
    fn stopped<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let state = self.state(py);
        Ok(match state.stream.ending() {
            None => None,
            Some((Ending::String(at), _)) => {
                Some(PyString::new(py, state.stream.stop(at)).into_any())
            }
            Some((Ending::Id(id), _)) => Some(PyInt::new(py, id).into_any()),
        })
    }

    /// How many characters of text came before what ended the stream, or `None`.
    #[getter]
    fn stopped_at(&self, py: Python<'_>) -> Option<usize> {
        self.state(py).stream.ending().map(|(_, place)| place)
    }

    /// The markers so far, each with how many characters of text came before it.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.state(py).stream.events())
    }

    /// What is held back, as UTF-8.
    #[getter]
    fn pending<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.state(py).stream.pending())
    }

    /// A stream that goes on from here on its own.
    fn copy(&self, py: Python<'_>) -> Self {
        Self { state: Mutex::new(self.state(py).clone()) }
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.copy(py)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let pending = self.state(py).stream.pending();
        format!("Stream(pending=b\"{}\")", pending.escape_ascii())
    }
}
