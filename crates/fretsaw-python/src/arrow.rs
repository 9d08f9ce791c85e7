//! `Tokenizer.encode_arrow`: Arrow text in place, lists of ids out, both by the PyCapsule interface.
//!
//! The texts of an array are borrowed from its buffers and encoded as one batch; the flat ids and where
//! each row ends become the buffers of an array of lists. Nothing happens in Python row by row, and no
//! package for Arrow is needed there. A stream is read to its end before anything comes back.
//!
//! Cost: linear, without a copy of the text. Source: "The Arrow PyCapsule Interface",
//! arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html.

use std::str::from_utf8;
use std::sync::Arc;

use arrow_array::{Array, ListArray, UInt32Array};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field};
use fretsaw::{Pipeline, Settings, SpecialSet};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::capsules;
use crate::errors;
use crate::policy;
use crate::rows::{is_text, rows, Damaged};
use crate::tokenizer::Tokenizer;

/// The type of what is given: a list of ids for each text.
fn kind() -> Field {
    Field::new_list("", Field::new("item", DataType::UInt32, true), true)
}

/// Lists of ids, for whoever takes an Arrow array by the PyCapsule interface.
///
///     >>> import fretsaw, polars
///     >>> text = polars.Series(["Hello world", None])
///     >>> len(fretsaw.get("gpt2").encode_arrow(text))
///     2
#[pyclass(module = "fretsaw._native", frozen)]
pub struct ArrowLists {
    lists: ListArray,
}

#[pymethods]
impl ArrowLists {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema_capsule(py, &kind())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // Whoever asks for another type casts it: the interface leaves that open.
        drop(requested_schema);
        let schema = capsules::schema_capsule(py, &kind())?;
        Ok((schema, capsules::array_capsule(py, &self.lists)?))
    }

    fn __len__(&self) -> usize {
        self.lists.len()
    }
}

/// Lists of ids in several arrays, for whoever takes an Arrow stream by the PyCapsule interface.
///
///     >>> import fretsaw, polars
///     >>> text = polars.Series(["Hello world", None])
///     >>> polars.Series(fretsaw.get("gpt2").encode_arrow(text)).to_list()
///     [[15496, 995], None]
#[pyclass(module = "fretsaw._native", frozen)]
pub struct ArrowListStream {
    chunks: Vec<ListArray>,
}

#[pymethods]
impl ArrowListStream {
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema_capsule(py, &kind())
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        capsules::stream_capsule(py, kind(), self.chunks.clone())
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(Array::len).sum()
    }
}

#[pymethods]
impl Tokenizer {
    /// Encodes an Arrow array of text, or a stream of them, into lists of `uint32`.
    #[pyo3(signature = (array, *, add_special_tokens = true, special = None, threads = 0))]
    fn encode_arrow<'py>(
        &self,
        py: Python<'py>,
        array: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let now = self.now();
        let special = policy::special(special, &now)?;
        let batch = Batch { pipeline: &now.pipeline, special, add_special_tokens, threads };
        if array.hasattr("__arrow_c_array__")? {
            let array = capsules::array(array)?;
            let lists = py.detach(|| batch.array(&array)).map_err(|fault| fault.raised(py))?;
            return Ok(Bound::new(py, ArrowLists { lists })?.into_any());
        }
        if !array.hasattr("__arrow_c_stream__")? {
            let kind = array.get_type().name()?;
            let message = format!("an Arrow array has the PyCapsule interface, which {kind} lacks");
            return Err(PyTypeError::new_err(message));
        }
        let stream = capsules::stream(array)?;
        let chunks = py.detach(|| batch.stream(stream)).map_err(|fault| fault.raised(py))?;
        Ok(Bound::new(py, ArrowListStream { chunks })?.into_any())
    }
}

/// Why rows can't be encoded.
enum Fault {
    Kind(DataType),
    Stream(ArrowError),
    Damaged,
    Row(usize, String),
    TooMany(usize),
}

impl Fault {
    fn raised(self, py: Python<'_>) -> PyErr {
        match self {
            Fault::Kind(kind) => PyTypeError::new_err(format!(
                "an Arrow array of text is string or binary, not {kind}; cast it"
            )),
            Fault::Stream(error) => PyValueError::new_err(error.to_string()),
            Fault::Damaged => PyValueError::new_err(Damaged.to_string()),
            Fault::Row(index, problem) => {
                errors::encode_message(py, format!("text at index {index}: {problem}"))
            }
            Fault::TooMany(count) => errors::encode_message(
                py,
                format!("an Arrow list array can't have {count} ids; give it in chunks"),
            ),
        }
    }
}

fn must_be_text(kind: &DataType) -> Result<(), Fault> {
    match is_text(kind) {
        true => Ok(()),
        false => Err(Fault::Kind(kind.clone())),
    }
}

/// How texts are encoded.
struct Batch<'t> {
    pipeline: &'t Pipeline,
    special: SpecialSet,
    add_special_tokens: bool,
    threads: usize,
}

impl Batch<'_> {
    fn array(&self, array: &dyn Array) -> Result<ListArray, Fault> {
        must_be_text(array.data_type())?;
        self.lists(array, 0)
    }

    /// The lists of every array of a stream.
    fn stream(&self, stream: capsules::Stream) -> Result<Vec<ListArray>, Fault> {
        must_be_text(stream.kind())?;
        let mut before = 0;
        let mut chunks = Vec::new();
        for array in stream {
            let array = array.map_err(Fault::Stream)?;
            chunks.push(self.lists(&array, before)?);
            before += array.len();
        }
        Ok(chunks)
    }

    /// The lists of an array; `before` rows stand before it.
    fn lists(&self, array: &dyn Array, before: usize) -> Result<ListArray, Fault> {
        let rows = rows(array).map_err(|Damaged| Fault::Damaged)?;
        let mut texts = Vec::with_capacity(rows.len());
        for (row, bytes) in rows.iter().enumerate() {
            let Some(bytes) = bytes else { continue };
            texts.push(from_utf8(bytes).map_err(|error| {
                let problem = format!("not UTF-8 at byte {}", error.valid_up_to());
                Fault::Row(before + row, problem)
            })?);
        }
        let (special, settings) = (&self.special, &Settings::NONE);
        let encoded = self.pipeline.encode_batch_flat(
            &texts,
            special,
            self.add_special_tokens,
            settings,
            self.threads,
        );
        let (ids, row_offsets) = encoded.map_err(|(index, error)| {
            let mut filled = rows.iter().enumerate().filter(|(_, bytes)| bytes.is_some());
            let row = filled.nth(index).map_or(index, |(row, _)| row);
            Fault::Row(before + row, error.to_string())
        })?;
        if i32::try_from(ids.len()).is_err() {
            return Err(Fault::TooMany(ids.len()));
        }
        // A null ends where it begins.
        let mut texts_done = 0;
        let ends = rows.iter().map(|bytes| {
            texts_done += usize::from(bytes.is_some());
            row_offsets[texts_done] as i32
        });
        let places: ScalarBuffer<i32> = std::iter::once(0).chain(ends).collect();
        let there: BooleanBuffer = rows.iter().map(Option::is_some).collect();
        let nulls = Some(NullBuffer::new(there)).filter(|nulls| nulls.null_count() > 0);
        let item = Arc::new(Field::new("item", DataType::UInt32, true));
        let ids = Arc::new(UInt32Array::from(ids));
        ListArray::try_new(item, OffsetBuffer::new(places), ids, nulls).map_err(Fault::Stream)
    }
}
