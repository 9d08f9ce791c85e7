//! `Tokenizer.from_pretrained`: a folder, or what huggingface_hub fetches.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::tokenizer::Tokenizer;

#[pymethods]
impl Tokenizer {
    /// Loads a local folder or file, or a repository of the Hugging Face hub at `revision`.
    ///
    /// Needs the package huggingface_hub for the latter, and raises what that raises.
    #[classmethod]
    #[pyo3(signature = (name_or_path, revision = "main", token = None))]
    fn from_pretrained<'py>(
        class: &Bound<'py, PyType>,
        name_or_path: PathBuf,
        revision: &str,
        token: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let hub = class.py().import("fretsaw.integrations.hub")?;
        let folder = hub.call_method1("fetch", (name_or_path, revision, token))?;
        class.call_method1("from_file", (folder,))
    }
}
