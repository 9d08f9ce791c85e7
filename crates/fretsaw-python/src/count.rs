//! Counting pieces of text: `PieceCounter`, which reads texts, and `PieceCounts`, what comes out.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fretsaw::train::{Counter, Counts, Limits};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors;
use crate::memory::room_for;
use crate::released::locked;
use crate::sources::TextBlock;
use crate::text::{kept_utf8, Texts};
use crate::tokenizer::Tokenizer;
use crate::watched::{self, Watcher};

/// Counts the pieces of texts as a tokenizer cuts them; safe to use from any thread.
///
///     >>> import fretsaw
///     >>> from fretsaw._native import PieceCounter
///     >>> counter = PieceCounter(fretsaw.get("gpt2"))
///     >>> counter.count_texts(["a b b"])
///     >>> counter.finish().as_dict()
///     {'a': 1, 'Ġb': 2}
#[pyclass(module = "fretsaw._native", frozen)]
pub struct PieceCounter {
    /// With the number of calls whose texts are all counted; nothing when it is finished or was
    /// stopped among the texts of a call.
    counting: Mutex<Option<(Counter, u64)>>,
}

#[pymethods]
impl PieceCounter {
    #[new]
    #[pyo3(signature = (tokenizer, threads = 0, max_distinct = None, max_chars = None))]
    fn new(
        py: Python<'_>,
        tokenizer: &Tokenizer,
        threads: usize,
        max_distinct: Option<usize>,
        max_chars: Option<usize>,
    ) -> PyResult<Self> {
        let limits = Limits { max_distinct, max_chars };
        let counter = Counter::new(tokenizer.now().pipeline.spec(), threads, limits);
        let counter = counter.map_err(|error| errors::load(py, error))?;
        Ok(Self { counting: Mutex::new(Some((counter, 0))) })
    }

    /// Counts the pieces of a list of `str`.
    fn count_texts(&self, texts: &Bound<'_, PyAny>) -> PyResult<()> {
        let texts_given = Texts::new(texts)?;
        let texts_read = texts_given.utf8()?;
        self.count(texts.py(), &texts_read)
    }

    /// Counts the pieces of a block; `TrainError` where a document can't be taken, and nothing is counted.
    fn count_block(&self, py: Python<'_>, block: &TextBlock) -> PyResult<()> {
        room_for(block.size_bytes())?;
        let documents = block.documents(py)?;
        self.count(py, &documents.texts)
    }

    /// The counts of all pieces; nothing more can be counted.
    fn finish(&self, py: Python<'_>) -> PyResult<PieceCounts> {
        let Some((counter, _)) = locked(py, &self.counting).take() else { return Err(finished()) };
        Ok(PieceCounts { counts: watched::run(py, Watcher::default(), |_| counter.finish())? })
    }

    /// How many distinct pieces there are so far; a little more where threads met the same.
    #[getter]
    fn distinct(&self, py: Python<'_>) -> usize {
        locked(py, &self.counting).as_ref().map_or(0, |(counter, _)| counter.distinct())
    }

    /// How many calls were counted, and all that was, as bytes; `None` if a call was stopped within.
    fn state<'py>(&self, py: Python<'py>) -> Option<(u64, Bound<'py, PyBytes>)> {
        let state =
            py.detach(|| self.open().as_ref().map(|(counter, calls)| (*calls, counter.state())));
        state.map(|(calls, bytes)| (calls, PyBytes::new(py, &bytes)))
    }

    /// Goes on from a state.
    fn restore(&self, py: Python<'_>, calls: u64, state: &[u8]) -> PyResult<()> {
        let mut counting = locked(py, &self.counting);
        let Some((counter, counted)) = &mut *counting else { return Err(finished()) };
        counter.restore(state).map_err(|error| errors::train(py, error))?;
        *counted = calls;
        Ok(())
    }
}

impl PieceCounter {
    /// What is counted, for a thread that has released the interpreter.
    fn open(&self) -> MutexGuard<'_, Option<(Counter, u64)>> {
        self.counting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count<T: AsRef<str> + Sync>(&self, py: Python<'_>, texts: &[T]) -> PyResult<()> {
        let (counted, raised) = watched::run_to_end(py, |watch| {
            let mut counting = self.open();
            let (counter, calls) = counting.as_mut()?;
            let counted = counter.count(texts, watch);
            match &counted {
                Ok(()) => *calls += 1,
                Err(_) => *counting = None,
            }
            Some(counted)
        })?;
        raised?;
        counted.ok_or_else(finished)?.map_err(|error| errors::train(py, error))
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the counting is finished or was stopped; make another PieceCounter")
}

/// Pieces of text with their counts, from `fretsaw.count_pieces` or a dict; can be pickled.
///
///     >>> import fretsaw
///     >>> len(fretsaw.PieceCounts({"a": 2, "b": 1}))
///     2
#[pyclass(module = "fretsaw", frozen)]
pub struct PieceCounts {
    pub(crate) counts: Counts,
}

#[pymethods]
impl PieceCounts {
    /// Counts that are given as a dict of pieces and how often each was seen.
    #[new]
    fn new(counts: &Bound<'_, PyDict>) -> PyResult<Self> {
        let entries: Vec<_> = counts.iter().collect();
        let mut read = Vec::with_capacity(entries.len());
        for (piece, count) in &entries {
            read.push((kept_utf8(piece, || "text".to_owned())?, count.extract::<u64>()?));
        }
        Ok(Self { counts: read.into_iter().collect() })
    }

    /// These and other counts together.
    fn merge(&self, py: Python<'_>, other: &PieceCounts) -> PieceCounts {
        let merged = || self.counts.iter().chain(other.counts.iter()).collect();
        PieceCounts { counts: py.detach(merged) }
    }

    /// Pieces and counts as a dict, in the order of the bytes of the pieces.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (piece, count) in self.counts.iter() {
            dict.set_item(piece, count)?;
        }
        Ok(dict)
    }

    fn __len__(&self) -> usize {
        self.counts.len()
    }

    fn __eq__(&self, other: &PieceCounts) -> bool {
        self.counts == other.counts
    }

    /// Counts that `__reduce__` wrote; `ValueError` for anything else.
    #[staticmethod]
    fn _from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let counts = py.detach(|| Counts::from_bytes(bytes));
        let message = "these bytes are not counted pieces";
        Ok(PieceCounts { counts: counts.ok_or_else(|| PyValueError::new_err(message))? })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = PyBytes::new(slf.py(), &slf.get().counts.to_bytes());
        Ok((slf.get_type().getattr("_from_bytes")?, (bytes,)))
    }
}
