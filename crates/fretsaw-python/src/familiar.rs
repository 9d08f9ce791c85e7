//! More names that users of Hugging Face tokenizers know.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};

use crate::encoding::Encoding;
use crate::errors;
use crate::tokenizer::Tokenizer;

#[pymethods]
impl Tokenizer {
    /// Loads the content of a tokenizer.json, as `from_str` does.
    #[classmethod]
    fn from_buffer<'py>(
        class: &Bound<'py, PyType>,
        buffer: &Bound<'py, PyBytes>,
    ) -> PyResult<Bound<'py, PyAny>> {
        class.call_method1("from_str", (buffer,))
    }

    /// How many special tokens are added to a text, or to a pair.
    fn num_special_tokens_to_add(&self, is_pair: bool) -> usize {
        self.now().pipeline.num_special_tokens_to_add(is_pair)
    }

    /// Cuts one encoding or two, puts special tokens around them and fills them up.
    #[pyo3(signature = (encoding, pair = None, add_special_tokens = true))]
    fn post_process(
        &self,
        py: Python<'_>,
        encoding: PyRef<'_, Encoding>,
        pair: Option<PyRef<'_, Encoding>>,
        add_special_tokens: bool,
    ) -> PyResult<Encoding> {
        let now = self.now();
        let mut sequences = vec![encoding.whole(py)?];
        if let Some(pair) = pair {
            sequences.push(pair.whole(py)?);
        }
        let columns = now.pipeline.post_process(sequences, add_special_tokens, &now.settings, None);
        let columns = columns.map_err(|error| errors::encode(py, &error))?;
        Ok(Encoding::of(columns, Some(Arc::clone(&now))))
    }

    /// The same as `encode_batch`: what is not asked for is not worked out there either.
    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, input, is_pretokenized=False, add_special_tokens=True, *, special=None, threads=0, seed=None)"
    )]
    fn encode_batch_fast<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.call_method("encode_batch", args, kwargs)
    }

    /// `encode` on another thread, to be awaited.
    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, sequence, pair=None, is_pretokenized=False, add_special_tokens=True, *, special=None, trusted=None, seed=None)"
    )]
    fn async_encode<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        on_thread(slf, "encode", args, kwargs)
    }

    /// `encode_batch` on another thread, to be awaited.
    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, input, is_pretokenized=False, add_special_tokens=True, *, special=None, threads=0, seed=None)"
    )]
    fn async_encode_batch<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        on_thread(slf, "encode_batch", args, kwargs)
    }

    /// `encode_batch_fast` on another thread, to be awaited.
    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, input, is_pretokenized=False, add_special_tokens=True, *, special=None, threads=0, seed=None)"
    )]
    fn async_encode_batch_fast<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        on_thread(slf, "encode_batch_fast", args, kwargs)
    }

    /// `decode_batch` on another thread, to be awaited.
    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, batch, *, skip_special_tokens=None, threads=0)"
    )]
    fn async_decode_batch<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        on_thread(slf, "decode_batch", args, kwargs)
    }
}

/// The coroutine of a method's call on another thread.
fn on_thread<'py>(
    tokenizer: &Bound<'py, Tokenizer>,
    method: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tokenizer.py();
    let mut all = vec![tokenizer.getattr(method)?];
    all.extend(args.iter());
    py.import("asyncio")?.call_method("to_thread", PyTuple::new(py, all)?, kwargs)
}
