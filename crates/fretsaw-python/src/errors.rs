//! The crate's errors as the exceptions of `fretsaw._errors`.

use std::io::ErrorKind;

use fretsaw::{DecodeError, EncodeError, LoadError, TrainError};
use fretsaw_bulk::BulkError;
use pyo3::exceptions::{PyException, PyMemoryError, PyOSError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An exception class of `fretsaw._errors`, imported once.
fn class<'py>(
    py: Python<'py>,
    cell: &PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<Bound<'py, PyType>> {
    cell.import(py, "fretsaw._errors", name).cloned()
}

/// An exception of one of those classes; where even the import fails, that failure.
fn raise(py: Python<'_>, cell: &PyOnceLock<Py<PyType>>, name: &str, message: String) -> PyErr {
    match class(py, cell, name) {
        Ok(class) => PyErr::from_type(class, message),
        Err(error) => error,
    }
}

/// A `SpecError`, `UnsupportedError` or, where the file can't be read, an `OSError`.
pub fn load(py: Python<'_>, error: LoadError) -> PyErr {
    static SPEC: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static UNSUPPORTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let message = error.to_string();
    match error {
        LoadError::Io { source, .. } if source.kind() == ErrorKind::OutOfMemory => {
            PyMemoryError::new_err(message)
        }
        LoadError::Io { source, .. } | LoadError::NotWritten { source, .. } => {
            std::io::Error::new(source.kind(), message).into()
        }
        LoadError::Unsupported { .. } | LoadError::NotInFormat { .. } => {
            raise(py, &UNSUPPORTED, "UnsupportedError", message)
        }
        LoadError::Invalid { .. } => raise(py, &SPEC, "SpecError", message),
    }
}

/// An `EncodeError`.
pub fn encode(py: Python<'_>, error: &EncodeError) -> PyErr {
    encode_message(py, error.to_string())
}

/// An `EncodeError` with a text of its own.
pub fn encode_message(py: Python<'_>, message: String) -> PyErr {
    static ENCODE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    raise(py, &ENCODE, "EncodeError", message)
}

/// A `DecodeError`.
pub fn decode(py: Python<'_>, error: DecodeError) -> PyErr {
    static DECODE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    raise(py, &DECODE, "DecodeError", error.to_string())
}

/// A `TrainError`; what a pipeline or a text is at fault for has its own class.
pub fn train(py: Python<'_>, error: TrainError) -> PyErr {
    match error {
        TrainError::Spec(error) => load(py, error),
        TrainError::Text(error) => encode(py, &error),
        other => train_message(py, other.to_string()),
    }
}

/// A `TrainError` with a text of its own.
pub fn train_message(py: Python<'_>, message: String) -> PyErr {
    static TRAIN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    raise(py, &TRAIN, "TrainError", message)
}

/// What is raised where the system starts no more threads.
pub fn no_thread(error: &std::io::Error) -> PyErr {
    PyOSError::new_err(BulkError::NoThread { kind: error.kind() }.to_string())
}

/// A `BulkError`; what the system says about a file is an `OSError`.
pub fn bulk(py: Python<'_>, error: BulkError) -> PyErr {
    static BULK: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let message = error.to_string();
    match error {
        BulkError::Io { source, .. } if interrupt(py, &source).is_some() => source.into(),
        BulkError::Io { path, source } => match source.raw_os_error() {
            Some(number) => {
                let name = path.display().to_string();
                let kind = std::io::Error::from_raw_os_error(number).to_string();
                let text = kind.split(" (os error").next().unwrap_or_default().to_owned();
                PyOSError::new_err((number, text, name))
            }
            None if source.kind() == ErrorKind::OutOfMemory => PyMemoryError::new_err(message),
            None => std::io::Error::new(source.kind(), message).into(),
        },
        BulkError::NoThread { .. } => PyOSError::new_err(message),
        _ => raise(py, &BULK, "BulkError", message),
    }
}

/// What ends a program and came out of Python's code in the midst of reading, as Ctrl-C does.
fn interrupt<'e>(py: Python<'_>, error: &'e std::io::Error) -> Option<&'e PyErr> {
    let raised = error.get_ref()?.downcast_ref::<PyErr>()?;
    (!raised.is_instance_of::<PyException>(py)).then_some(raised)
}
