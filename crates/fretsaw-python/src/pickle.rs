//! Pickles of `fretsaw.Tokenizer`: a name, a path with a fingerprint, or all of its data.

use std::path::{absolute, PathBuf};

use fretsaw::spec::Defaults;
use fretsaw::Settings;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::tokenizer::{Origin, Snapshot, Tokenizer};
use crate::{chat, errors};

/// A function and its arguments.
type Made<'py> = (Bound<'py, PyAny>, Bound<'py, PyTuple>);

#[pymethods]
impl Tokenizer {
    /// The same tokenizer, whose pickles are a path and a fingerprint, for as long as it is not changed.
    ///
    /// `path` is a file or a folder as `from_file` takes it; processes that read a pickle load it
    /// there, and raise `SpecError` if it has another fingerprint by then. Raises `ValueError` if it has
    /// another one now, and what `from_file` raises.
    fn pickle_by_path(&self, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let path = absolute(path)?;
        let loaded = py.detach(|| fretsaw::load_file(&path));
        let found = Self::from(loaded.map_err(|error| errors::load(py, error))?).now();
        let now = self.now();
        let (there, here) = (found.fingerprint(), now.fingerprint());
        if there != here {
            let message = format!(
                "{} has the fingerprint {there}, this tokenizer {here}; save it there first, or \
                 pickle it whole",
                path.display()
            );
            return Err(PyValueError::new_err(message));
        }
        let has_chat = chat::of_folder(py, &path)? == now.chat;
        Ok(self._found_at(path, has_chat))
    }

    /// The same tokenizer, which was found at a path, perhaps without its chat template.
    fn _found_at(&self, path: PathBuf, has_chat: bool) -> Self {
        let origin = Some(Origin::Path { path, has_chat });
        Snapshot { origin, ..self.now().as_ref().clone() }.into()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Made<'py>> {
        let now = self.now();
        let made = reduced(py, &now)?;
        let has_chat = matches!(now.origin, Some(Origin::Path { has_chat: true, .. }));
        let chat = now.chat.as_deref().filter(|_| !has_chat);
        if chat.is_none() && !now.encode_special_tokens {
            return Ok(made);
        }
        let restore = py.import("fretsaw._pickles")?.getattr("restore")?;
        let (make, args) = made;
        Ok((restore, (make, args, chat, now.encode_special_tokens).into_pyobject(py)?))
    }
}

/// What makes a tokenizer again, but for its chat template and whether special tokens are text.
fn reduced<'py>(py: Python<'py>, now: &Snapshot) -> PyResult<Made<'py>> {
    match &now.origin {
        Some(Origin::Name(name)) => {
            let get = py.import("fretsaw")?.getattr("get")?;
            return Ok((get, PyTuple::new(py, [name])?));
        }
        Some(Origin::Path { path, .. }) => {
            let load = py.import("fretsaw._pickles")?.getattr("load")?;
            return Ok((load, (path.as_os_str(), now.fingerprint()).into_pyobject(py)?));
        }
        None => {}
    }
    let class = py.get_type::<Tokenizer>();
    let spec = now.pipeline.spec();
    let needs_file = spec.has_sampling()
        || spec.chat_template.is_some()
        || spec.defaults == Defaults::RWKV
        || now.pipeline.sentence_piece().is_some();
    let from_str = class.getattr("from_str")?;
    if spec.ranks().is_none() && !needs_file {
        let json = py.detach(|| now.pipeline.to_json(&now.settings));
        let json = String::from_utf8(json.map_err(|error| errors::load(py, error))?)?;
        return Ok((from_str, PyTuple::new(py, [json])?));
    }
    // What ranks or a tokenizer.json can't carry goes as a compiled file.
    let fits_ranks = !needs_file && spec.added_later.is_empty() && now.settings == Settings::NONE;
    if !fits_ranks {
        let file = py.detach(|| now.pipeline.to_fret(&now.settings, None));
        let file = PyBytes::new(py, &file.map_err(|error| errors::load(py, error))?);
        return Ok((from_str, PyTuple::new(py, [file])?));
    }
    let ranks = Tokenizer::from(now.clone())._to_ranks(py)?;
    Ok((class.getattr("_from_ranks")?, ranks.unwrap_or_else(|| PyTuple::empty(py))))
}
