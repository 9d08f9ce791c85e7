//! `fretsaw.Encoding`: the ids of a text, and what is known about each, worked out on first use.

use std::sync::Arc;

use fretsaw::{MatchPolicy, SpecialSet};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple, PyType};

use crate::tokenizer::Snapshot;
use crate::{errors, lists};

/// The ids of a text, and their token strings.
///
/// `len(encoding)` is the number of ids. Two encodings are equal when ids and tokens are.
///
///     >>> enc = fretsaw.get("gpt2").encode("Hello world")
///     >>> enc.ids, enc.tokens
///     ([15496, 995], ['Hello', 'Ġworld'])
#[pyclass(module = "fretsaw", frozen)]
pub struct Encoding {
    encoding: fretsaw::Encoding,
    source: Source,
}

/// Where token strings come from.
enum Source {
    /// The text, and how it was encoded.
    Live { call: Arc<Call>, text: Py<PyString> },
    /// Strings that came with a pickle.
    Stored(Vec<String>),
}

/// How texts were encoded: what is not kept of them is worked out from it again.
pub struct Call {
    pub now: Arc<Snapshot>,
    pub special: SpecialSet,
    pub trusted: Option<Vec<(usize, usize)>>,
    pub add_special_tokens: bool,
}

impl Encoding {
    pub fn live(encoding: fretsaw::Encoding, call: Arc<Call>, text: Py<PyString>) -> Self {
        Self { encoding, source: Source::Live { call, text } }
    }

    fn live_tokens<'py>(
        &self,
        py: Python<'py>,
        call: &Call,
        text: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let pipeline = &call.now.pipeline;
        if !pipeline.lacks_names(&self.encoding) {
            return PyList::new(py, pipeline.tokens(&self.encoding, text));
        }
        let policy = MatchPolicy { special: &call.special, trusted: call.trusted.as_deref() };
        let len = self.encoding.ids.len();
        let settings = &call.now.seeded(self.encoding.seed);
        let named = pipeline.with_names(text, policy, call.add_special_tokens, settings, len);
        let named = named.map_err(|error| errors::encode(py, &error))?;
        PyList::new(py, pipeline.tokens(&named, text))
    }
}

#[pymethods]
impl Encoding {
    /// The ids, a list of `int`.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        lists::ids(py, &self.encoding.ids)
    }

    /// The token string of each id, as the vocabulary spells it; an added token is the text that
    /// it matched.
    #[getter]
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match &self.source {
            Source::Live { call, text } => self.live_tokens(py, call, text.bind(py).to_str()?),
            Source::Stored(tokens) => PyList::new(py, tokens),
        }
    }

    fn __len__(&self) -> usize {
        self.encoding.ids.len()
    }

    fn __repr__(&self) -> String {
        format!("Encoding(num_tokens={}, attributes=[ids, tokens])", self.encoding.ids.len())
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        Ok(self.encoding.ids == other.encoding.ids && self.tokens(py)?.eq(other.tokens(py)?)?)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, PyTuple::new(py, [self.ids(py)?, self.tokens(py)?])?))
    }

    #[classmethod]
    fn _restore(_class: &Bound<'_, PyType>, ids: Vec<u32>, tokens: Vec<String>) -> Self {
        let encoding = fretsaw::Encoding { ids, ..fretsaw::Encoding::default() };
        Self { encoding, source: Source::Stored(tokens) }
    }
}
