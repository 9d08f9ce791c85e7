//! `fretsaw.GrowingText`: the ids of a text that grows.

use std::sync::{Arc, Mutex};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::released::{locked, released};
use crate::text::utf8;
use crate::tokenizer::Tokenizer;
use crate::{errors, lists, policy};

/// A text that grows, and its ids; made by `Tokenizer.start`.
///
///     >>> tok = fretsaw.get("gpt2")
///     >>> text = tok.start("Hello wor")
///     >>> text.ids, tok.extend(text, "ld!"), text.ids
///     ([15496, 476], (1, [995, 0]), [15496, 995, 0])
#[pyclass(module = "fretsaw", frozen)]
pub struct GrowingText {
    // Taken out while a call works on it, so that no lock is held with the interpreter released.
    text: Mutex<Option<fretsaw::GrowingText>>,
}

impl GrowingText {
    /// Does work on the text, with the interpreter released where it takes long.
    fn with<R: Send>(
        &self,
        py: Python<'_>,
        more_bytes: usize,
        work: impl FnOnce(&mut fretsaw::GrowingText) -> R + Send,
    ) -> PyResult<R> {
        let taken = locked(py, &self.text).take();
        let mut text = taken.ok_or_else(|| {
            PyRuntimeError::new_err("the text is being extended by another thread")
        })?;
        let done = released(py, text.work_bytes(more_bytes), || work(&mut text));
        *locked(py, &self.text) = Some(text);
        Ok(done)
    }
}

#[pymethods]
impl GrowingText {
    /// The ids of the whole text.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.with(py, 0, |text| text.ids().to_vec()).and_then(|ids| lists::ids(py, &ids))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, 0, |text| text.ids().len())
    }

    /// A text that grows on its own from here.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let text = self.with(py, 0, |text| text.clone())?;
        Ok(Self { text: Mutex::new(Some(text)) })
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("GrowingText({} ids)", self.__len__(py)?))
    }
}

#[pymethods]
impl Tokenizer {
    /// A text that grows, with its ids.
    #[pyo3(signature = (text = None, *, add_special_tokens = true, special = None, trusted = None))]
    fn start(
        &self,
        py: Python<'_>,
        text: Option<&Bound<'_, PyAny>>,
        add_special_tokens: bool,
        special: Option<&Bound<'_, PyAny>>,
        trusted: Option<Vec<(usize, usize)>>,
    ) -> PyResult<GrowingText> {
        let now = self.now();
        let special = policy::special(special, &now)?;
        let text = &*text.map(|text| utf8(text)).transpose()?.unwrap_or_default();
        let trusted = policy::spans(py, text, trusted)?;
        let started = py.detach(|| {
            let mut growing =
                fretsaw::GrowingText::new(now.pipeline.clone(), special, add_special_tokens)?;
            growing.extend(text, trusted.as_deref())?;
            Ok(growing)
        });
        let started = started.map_err(|error| errors::encode(py, &error))?;
        Ok(GrowingText { text: Mutex::new(Some(started)) })
    }

    /// Adds to a text that `start` made: how many ids are still its first ones, and those behind them.
    #[pyo3(signature = (state, more, *, trusted = None))]
    fn extend<'py>(
        &self,
        state: &GrowingText,
        more: &Bound<'py, PyAny>,
        trusted: Option<Vec<(usize, usize)>>,
    ) -> PyResult<(usize, Bound<'py, PyList>)> {
        let py = more.py();
        let now = self.now();
        let more = &*utf8(more)?;
        let trusted = policy::spans(py, more, trusted)?;
        let extended = state.with(py, more.len(), |text| {
            if !Arc::ptr_eq(text.pipeline(), &now.pipeline) {
                return None;
            }
            let kept = text.extend(more, trusted.as_deref());
            Some(kept.map(|kept| (kept, text.ids()[kept..].to_vec())))
        })?;
        let extended = extended.ok_or_else(|| {
            PyValueError::new_err(
                "the text was started by another tokenizer, or before this one was changed",
            )
        })?;
        let (kept, ids) = extended.map_err(|error| errors::encode(py, &error))?;
        Ok((kept, lists::ids(py, &ids)?))
    }
}
