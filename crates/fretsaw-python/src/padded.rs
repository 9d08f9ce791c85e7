//! `fretsaw.PaddedBatch`: many texts as NumPy matrices, filled up to one length.

use fretsaw::{Matrix, Settings, SpecialSet};
use numpy::ndarray::{Array2, ShapeError};
use numpy::{Element, IntoPyArray, PyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::text::Texts;
use crate::tokenizer::{Snapshot, Tokenizer};

/// Many texts as matrices of the shape (texts, length).
///
///     >>> tok = fretsaw.get("gpt2")
///     >>> tok.enable_padding(pad_id=50256)
///     >>> tok.encode_batch_flat(["Hello world", "é"], padding=True)
///     PaddedBatch(shape=(2, 2))
#[pyclass(module = "fretsaw", frozen, get_all)]
pub struct PaddedBatch {
    /// The ids, `uint32`.
    ids: Py<PyArray2<u32>>,
    /// 0 where a row is filled up, else 1, `uint8`.
    attention_mask: Py<PyArray2<u8>>,
    /// The type of each id, `uint32`.
    type_ids: Py<PyArray2<u32>>,
    /// 1 for what the post-processor or padding added, else 0, `uint8`.
    special_tokens_mask: Py<PyArray2<u8>>,
}

impl PaddedBatch {
    /// Encodes texts with the interpreter released.
    pub fn encode(
        now: &Snapshot,
        texts: &Bound<'_, PyAny>,
        policy: (&SpecialSet, bool),
        settings: &Settings,
        threads: usize,
    ) -> PyResult<Self> {
        let py = texts.py();
        let Some(padding) = &settings.padding else {
            let message = "padding=True fills rows up as enable_padding says; call that first";
            return Err(PyValueError::new_err(message));
        };
        let matrix = Tokenizer::batch(py, &Texts::new(texts)?, |texts| {
            now.pipeline.encode_batch_matrix(texts, policy, settings, padding, threads)
        })?;
        Self::new(py, matrix)
    }

    fn new(py: Python<'_>, matrix: Matrix) -> PyResult<Self> {
        let shape = (matrix.rows, matrix.row_len);
        Ok(Self {
            ids: array(py, shape, matrix.ids)?,
            attention_mask: array(py, shape, matrix.attention_mask)?,
            type_ids: array(py, shape, matrix.type_ids)?,
            special_tokens_mask: array(py, shape, matrix.special_tokens_mask)?,
        })
    }
}

#[pymethods]
impl PaddedBatch {
    /// How many texts there are.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.ids.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let shape = self.ids.bind(py).getattr("shape")?;
        Ok(format!("PaddedBatch(shape={shape})"))
    }
}

fn array<T: Element>(
    py: Python<'_>,
    shape: (usize, usize),
    values: Vec<T>,
) -> PyResult<Py<PyArray2<T>>> {
    let wrong = |error: ShapeError| PyValueError::new_err(error.to_string());
    let array = Array2::from_shape_vec(shape, values).map_err(wrong)?;
    Ok(array.into_pyarray(py).unbind())
}
