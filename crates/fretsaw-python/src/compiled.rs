//! The methods of `fretsaw.Tokenizer` for compiled files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use fretsaw::{load_fresh, spec, LoadError, Sidecar};
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::errors;
use crate::tokenizer::Tokenizer;

#[pymethods]
impl Tokenizer {
    /// Writes the whole tokenizer, with the settings that it has now, into one file that
    /// `Tokenizer.from_file` maps and uses in place.
    ///
    /// The file is replaced at once, or left as it was. Raises `OSError`.
    fn compile(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.write_fret(py, &path, None)
    }

    /// The tokenizer in a compiled file, if this version made it of `source`; else `None`.
    #[classmethod]
    fn _from_cache(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        source: &[u8],
    ) -> PyResult<Option<Self>> {
        let digest = spec::digest(&[], &[source]).map_err(|error| errors::load(py, error))?;
        Ok(py.detach(|| load_fresh(&path, digest, true)).map(Self::from))
    }

    /// Writes the file that `_from_cache` reads.
    fn _to_cache(&self, py: Python<'_>, path: PathBuf, source: &[u8]) -> PyResult<()> {
        let digest = spec::digest(&[], &[source]).map_err(|error| errors::load(py, error))?;
        self.write_fret(py, &path, Some(digest))
    }
}

impl Tokenizer {
    fn write_fret(&self, py: Python<'_>, path: &Path, origin: Option<[u8; 16]>) -> PyResult<()> {
        let now = self.now();
        let written = py.detach(|| {
            let file = now.pipeline.to_fret(&now.settings, origin)?;
            let written = spec::write_whole(path, &file);
            written.map_err(|source| LoadError::NotWritten { path: path.to_owned(), source })
        });
        written.map_err(|error| errors::load(py, error))
    }
}

/// Warns, once a process, that a compiled file could not be written.
pub fn warn(py: Python<'_>, sidecar: &Sidecar) -> PyResult<()> {
    static WARNED: AtomicBool = AtomicBool::new(false);
    let Sidecar::NotWritten { path, source } = sidecar else { return Ok(()) };
    if WARNED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    let message = format!(
        "cannot write the compiled file {}: {source}; loading goes on without it",
        path.display()
    );
    let message = std::ffi::CString::new(message.replace('\0', "?")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &message, 1)
}
