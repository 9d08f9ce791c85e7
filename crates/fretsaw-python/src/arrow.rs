//! `Tokenizer.encode_arrow`: text of Arrow arrays in place, lists of ids out.
//!
//! pyarrow takes and gives arrays by the PyCapsule interface; here are the texts of one, borrowed from
//! its buffers and encoded as one batch. Nothing happens in Python row by row.

use std::str::from_utf8;

use fretsaw::Settings;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors;
use crate::policy;
use crate::tokenizer::Tokenizer;

type Arrays<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<i64>>);

#[pymethods]
impl Tokenizer {
    /// Encodes an Arrow array of text, or a stream of them, into lists of `uint32`.
    #[pyo3(signature = (array, *, add_special_tokens = true, special = None, threads = 0))]
    fn encode_arrow<'py>(
        slf: &Bound<'py, Self>,
        array: &Bound<'py, PyAny>,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("fretsaw.integrations.arrow")?;
        module.call_method1("encoded", (slf, array, add_special_tokens, special, threads))
    }

    /// The flat batch of texts that lie one behind the other: where each begins, and the last ends.
    fn _encode_rows<'py>(
        &self,
        py: Python<'py>,
        bytes: PyReadonlyArray1<'py, u8>,
        offsets: PyReadonlyArray1<'py, i64>,
        add_special_tokens: bool,
        special: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> PyResult<Arrays<'py>> {
        let now = self.now();
        let special = policy::special(special, &now)?;
        let (bytes, offsets) = (bytes.as_slice()?, offsets.as_slice()?);
        let encode = || {
            let texts = texts(bytes, offsets)?;
            let (pipeline, settings) = (&now.pipeline, &Settings::NONE);
            pipeline
                .encode_batch_flat(&texts, &special, add_special_tokens, settings, threads)
                .map_err(|(index, error)| Fault::Row(index, error.to_string()))
        };
        let (ids, row_offsets) = py.detach(encode).map_err(|fault| match fault {
            Fault::Offsets => PyValueError::new_err("the offsets of rows don't fit the bytes"),
            Fault::Row(index, problem) => {
                errors::encode_message(py, format!("text at index {index}: {problem}"))
            }
        })?;
        Ok((ids.into_pyarray(py), row_offsets.into_pyarray(py)))
    }
}

/// Why rows can't be encoded.
enum Fault {
    Offsets,
    Row(usize, String),
}

fn texts<'b>(bytes: &'b [u8], offsets: &[i64]) -> Result<Vec<&'b str>, Fault> {
    let row = |(index, ends): (usize, &[i64])| {
        let place = ends[0] as usize..ends[1] as usize;
        let row = bytes.get(place).ok_or(Fault::Offsets)?;
        from_utf8(row).map_err(|error| {
            Fault::Row(index, format!("not UTF-8 at byte {}", error.valid_up_to()))
        })
    };
    offsets.windows(2).enumerate().map(row).collect()
}
