//! The methods of `fretsaw.Tokenizer` that encode and count.

use std::sync::Arc;

use fretsaw::{EncodeError, MatchPolicy, Settings};
use numpy::IntoPyArray;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::IntoPyObjectExt;

use crate::encoding::{Call, Encoding};
use crate::given::Given;
use crate::padded::PaddedBatch;
use crate::released::released;
use crate::text::{utf8, Texts};
use crate::tokenizer::{Snapshot, Tokenizer};
use crate::{errors, lists, policy};

/// The error of one text of a batch.
fn at_index(py: Python<'_>, index: usize, error: &EncodeError) -> PyErr {
    errors::encode_message(py, format!("text at index {index}: {error}"))
}

impl Tokenizer {
    fn encode_one(
        text: &Bound<'_, PyAny>,
        special: Option<&Bound<'_, PyAny>>,
        trusted: Option<Vec<(usize, usize)>>,
        add_special_tokens: bool,
        now: Arc<Snapshot>,
        settings: &Settings,
    ) -> PyResult<(fretsaw::Encoding, Call)> {
        let py = text.py();
        let text = &*utf8(text)?;
        let special = policy::special(special, &now)?;
        let trusted = policy::trusted(py, text, trusted)?;
        let policy = MatchPolicy { special: &special, trusted: trusted.as_deref() };
        let encode = || now.pipeline.encode_with(text, policy, add_special_tokens, settings);
        let encoding =
            released(py, text.len(), encode).map_err(|error| errors::encode(py, &error))?;
        Ok((encoding, Call { now, special, trusted, add_special_tokens }))
    }

    /// Encodes a batch with the interpreter released.
    pub(crate) fn batch<R: Send>(
        py: Python<'_>,
        texts: &Texts<'_>,
        encode: impl FnOnce(&[&str]) -> Result<R, (usize, EncodeError)> + Send,
    ) -> PyResult<R> {
        let utf8 = texts.utf8()?;
        let utf8: Vec<&str> = utf8.iter().map(|text| &**text).collect();
        py.detach(|| encode(&utf8)).map_err(|(index, error)| at_index(py, index, &error))
    }

    /// The ids of a batch in one array, and where each text starts in it.
    fn flat_batch(
        now: &Snapshot,
        texts: &Bound<'_, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'_, PyAny>>,
        settings: &Settings,
        threads: usize,
    ) -> PyResult<(Vec<u32>, Vec<i64>)> {
        let py = texts.py();
        let texts = Texts::new(texts)?;
        let special = policy::special(special, now)?;
        Self::batch(py, &texts, |texts| {
            let pipeline = &now.pipeline;
            pipeline.encode_batch_flat(texts, &special, add_special_tokens, settings, threads)
        })
    }
}

#[pymethods]
impl Tokenizer {
    /// Encodes a text.
    ///
    /// `special` says which added tokens match in the text: `"all"`, `"none"`, `"error"`, a set of
    /// their strings, or `None` for what the file's own library does. `trusted` are half-open spans
    /// in characters inside which alone they may match. Random choices of the model follow from
    /// `seed`. Raises `EncodeError`.
    #[pyo3(signature = (sequence, pair = None, is_pretokenized = false, add_special_tokens = true, *, special = None, trusted = None, seed = None))]
    #[allow(clippy::too_many_arguments)]
    fn encode(
        &self,
        sequence: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        special: Option<&Bound<'_, PyAny>>,
        trusted: Option<Vec<(usize, usize)>>,
        seed: Option<u64>,
    ) -> PyResult<Encoding> {
        let now = self.now();
        let settings = &now.seeded(seed);
        if pair.is_none() && !is_pretokenized {
            let one = Self::encode_one(
                sequence,
                special,
                trusted,
                add_special_tokens,
                now.clone(),
                settings,
            );
            let (encoding, call) = one?;
            return Ok(Encoding::live(encoding, Arc::new(call), Given::text(sequence)?));
        }
        if trusted.is_some() {
            let message = "trusted goes with a single text; leave out pair and is_pretokenized";
            return Err(PyTypeError::new_err(message));
        }
        let py = sequence.py();
        let special = policy::special(special, &now)?;
        let given = Given::new(sequence, pair, is_pretokenized, None)?;
        let request = given.request(py)?;
        let pipeline = &now.pipeline;
        let policy = MatchPolicy::new(&special);
        let encoded = py.detach(|| {
            let mut encoding =
                pipeline.encode_request(&request, policy, add_special_tokens, settings)?;
            pipeline.pad_alone(&mut encoding, settings);
            Ok(encoding)
        });
        let encoding = encoded.map_err(|error| errors::encode(py, &error))?;
        let call = Call { now: now.clone(), special, trusted: None, add_special_tokens };
        Ok(Encoding::live(encoding, Arc::new(call), given))
    }

    /// The ids of a text as a list, without an `Encoding`.
    #[pyo3(signature = (text, *, add_special_tokens = true, special = None, trusted = None, seed = None))]
    fn encode_ids<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
        trusted: Option<Vec<(usize, usize)>>,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let now = self.now();
        let settings = &now.seeded(seed);
        let (encoding, _) =
            Self::encode_one(text, special, trusted, add_special_tokens, now.clone(), settings)?;
        lists::ids(text.py(), &encoding.ids)
    }

    /// How many ids a text has.
    #[pyo3(signature = (text, *, add_special_tokens = true, special = None, trusted = None, seed = None))]
    fn count(
        &self,
        text: &Bound<'_, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'_, PyAny>>,
        trusted: Option<Vec<(usize, usize)>>,
        seed: Option<u64>,
    ) -> PyResult<usize> {
        let (py, now) = (text.py(), self.now());
        let text = &*utf8(text)?;
        let special = policy::special(special, &now)?;
        let trusted = policy::trusted(py, text, trusted)?;
        let policy = MatchPolicy { special: &special, trusted: trusted.as_deref() };
        let count = || now.pipeline.count(text, policy, add_special_tokens, seed);
        released(py, text.len(), count).map_err(|error| errors::encode(py, &error))
    }

    /// Encodes many texts on `threads` threads (0: the CPUs that this process may use), in order.
    #[pyo3(signature = (input, is_pretokenized = false, add_special_tokens = true, *, special = None, threads = 0, seed = None))]
    #[allow(clippy::too_many_arguments)]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        is_pretokenized: bool,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
        threads: usize,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let texts = Texts::new(input)?;
        let now = self.now();
        let special = policy::special(special, &now)?;
        let settings = now.seeded(seed).into_owned();
        let (encodings, given) = if !is_pretokenized && texts.are_all_str() {
            let encodings = Self::batch(py, &texts, |texts| {
                now.pipeline.encode_batch(texts, &special, add_special_tokens, &settings, threads)
            });
            let given = texts.objects().iter().map(Given::text);
            (encodings?, given.collect::<PyResult<Vec<_>>>()?)
        } else {
            let items = texts.objects().iter().enumerate();
            let given = items.map(|(at, item)| Given::item(item, is_pretokenized, at));
            let given = given.collect::<PyResult<Vec<_>>>()?;
            let requests = given.iter().map(|given| given.request(py));
            let requests = requests.collect::<PyResult<Vec<_>>>()?;
            let pipeline = &now.pipeline;
            let encoded = py.detach(|| {
                pipeline.encode_requests(
                    &requests,
                    &special,
                    add_special_tokens,
                    &settings,
                    threads,
                )
            });
            (encoded.map_err(|(index, error)| at_index(py, index, &error))?, given)
        };
        let call = Arc::new(Call { now, special, trusted: None, add_special_tokens });
        let list = PyList::empty(py);
        for (encoding, given) in encodings.into_iter().zip(given) {
            list.append(Encoding::live(encoding, call.clone(), given))?;
        }
        Ok(list)
    }

    /// Encodes many texts into two arrays: all ids as `uint32`, and where each text starts among
    /// them as `int64`, one more than there are texts; with `padding` into a `PaddedBatch`.
    #[pyo3(signature = (texts, *, add_special_tokens = true, special = None, threads = 0, seed = None, padding = false))]
    #[allow(clippy::too_many_arguments)]
    fn encode_batch_flat<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
        threads: usize,
        seed: Option<u64>,
        padding: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let now = self.now();
        let settings = &now.seeded(seed);
        if padding {
            let special = policy::special(special, &now)?;
            let policy = (&special, add_special_tokens);
            return PaddedBatch::encode(&now, texts, policy, settings, threads)?
                .into_bound_py_any(py);
        }
        let (ids, row_offsets) =
            Self::flat_batch(&now, texts, add_special_tokens, special, settings, threads)?;
        (ids.into_pyarray(py), row_offsets.into_pyarray(py)).into_bound_py_any(py)
    }

    /// The ids of many texts as lists, without `Encoding`s.
    #[pyo3(signature = (texts, *, add_special_tokens = true, special = None, threads = 0, seed = None))]
    fn encode_batch_ids<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
        threads: usize,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyList>> {
        let now = self.now();
        let settings = &now.seeded(seed);
        let (ids, row_offsets) =
            Self::flat_batch(&now, texts, add_special_tokens, special, settings, threads)?;
        let rows = row_offsets.windows(2);
        let rows = rows.map(|row| lists::ids(py, &ids[row[0] as usize..row[1] as usize]));
        PyList::new(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// How many ids each of many texts has.
    #[pyo3(signature = (texts, *, add_special_tokens = true, special = None, threads = 0, seed = None))]
    fn count_batch(
        &self,
        texts: &Bound<'_, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'_, PyAny>>,
        threads: usize,
        seed: Option<u64>,
    ) -> PyResult<Vec<usize>> {
        let (py, now) = (texts.py(), self.now());
        let texts = Texts::new(texts)?;
        let special = policy::special(special, &now)?;
        Self::batch(py, &texts, |texts| {
            now.pipeline.count_batch(texts, &special, add_special_tokens, seed, threads)
        })
    }
}
