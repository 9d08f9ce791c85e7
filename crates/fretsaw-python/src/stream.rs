//! `fretsaw.Stream`: text from ids that come one at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fretsaw::{DecodeState, Pipeline};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// Decodes ids one at a time; made by `Tokenizer.stream`.
///
/// Text is given out as soon as it is settled and never taken back: the chunks and what `finish`
/// returns, joined, equal `decode` of all ids. At most three bytes of an unfinished character are
/// held back.
///
///     >>> stream = fretsaw.get("gpt2").stream()
///     >>> stream.push(47249), stream.push(222), stream.finish()
///     ('', '😀', '')
#[pyclass(module = "fretsaw", frozen)]
pub struct Stream {
    pipeline: Arc<Pipeline>,
    skip_special_tokens: bool,
    state: Mutex<DecodeState>,
}

impl Stream {
    pub fn new(pipeline: Arc<Pipeline>, skip_special_tokens: bool) -> Self {
        Self { pipeline, skip_special_tokens, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, DecodeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Stream {
    /// Takes one id and returns the text that it settles, which may be empty.
    fn push(&self, py: Python<'_>, id: u32) -> PyResult<String> {
        let mut text = String::new();
        let mut state = self.state();
        match self.pipeline.decode_ids_step(&mut state, id, self.skip_special_tokens, &mut text) {
            Ok(()) => Ok(text),
            Err(error) => Err(errors::decode(py, error)),
        }
    }

    /// Ends the stream and returns the rest: U+FFFD where a character stayed unfinished.
    ///
    /// The stream then starts from nothing again.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = String::new();
        let finished = self.pipeline.decode_ids_finish(&mut self.state(), &mut text);
        finished.map(|()| text).map_err(|error| errors::decode(py, error))
    }

    /// The bytes that are held back, three at the most.
    #[getter]
    fn pending<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.state().pending())
    }

    fn __repr__(&self) -> String {
        format!("Stream(pending={:?})", self.state().pending())
    }
}
