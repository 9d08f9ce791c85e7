//! Inputs of bulk work: local files, and those that Python opens.
//!
//! Reading happens without the interpreter. A local file asks now and then whether Ctrl-C was pressed, so
//! that a file of any size can be hashed or passed over, and whenever a signal comes while it waits.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use fretsaw_bulk::{BulkError, Input};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A file that Python opened.
struct PythonFile(Py<PyAny>);

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let read = self.0.bind(py).call_method1("read", (buffer.len(),))?;
            let bytes = read.cast::<PyBytes>().map_err(PyErr::from)?.as_bytes();
            let Some(place) = buffer.get_mut(..bytes.len()) else {
                return Err(io::Error::other("a file gave more than it was asked for"));
            };
            place.copy_from_slice(bytes);
            Ok(bytes.len())
        })
    }
}

/// How much is read of a file before Ctrl-C is looked for.
const UNINTERRUPTED_BYTES: usize = 64 << 20;

/// A local file that Ctrl-C ends reading of, however much of it is read at once.
struct LocalFile {
    file: File,
    /// How much was read since Ctrl-C was looked for.
    read_bytes: usize,
}

impl Read for LocalFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read_bytes >= UNINTERRUPTED_BYTES {
            self.read_bytes = 0;
            Python::attach(|py| py.check_signals())?;
        }
        loop {
            match self.file.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    Python::attach(|py| py.check_signals())?;
                }
                read => {
                    self.read_bytes += read.as_ref().map_or(0, |&size| size);
                    return read;
                }
            }
        }
    }
}

/// The input at a path, or what a Python file reads under that name.
pub fn input(path: &Path, file: Option<Py<PyAny>>) -> Result<Input, BulkError> {
    match file {
        None => {
            let file = File::open(path).map_err(BulkError::io(path))?;
            Input::new(Box::new(LocalFile { file, read_bytes: 0 }), path)
        }
        Some(file) => Input::new(Box::new(PythonFile(file)), path),
    }
}
