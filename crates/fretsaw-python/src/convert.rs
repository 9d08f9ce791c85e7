//! The method of `fretsaw.Tokenizer` that writes other formats.

use std::path::{Path, PathBuf};

use fretsaw::{convert, recompile, spec, Format, LoadError};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors;
use crate::tokenizer::{Snapshot, Tokenizer};

/// The file beside others that a template of chats goes to.
const CHAT_TEMPLATE: &str = "chat_template.jinja";

#[pymethods]
impl Tokenizer {
    /// Writes the tokenizer in the format of that name; the paths of all files that were written.
    ///
    /// Parts named in `without` are left out first. Raises `UnsupportedError` naming the field that the
    /// format can't carry, `ValueError` for a name that is none, and `OSError`.
    #[pyo3(signature = (path, format, *, without = None))]
    fn save_as(
        &self,
        py: Python<'_>,
        path: PathBuf,
        format: &str,
        without: Option<Vec<String>>,
    ) -> PyResult<Vec<PathBuf>> {
        let Some((_, format)) = Format::NAMES.iter().find(|(name, _)| *name == format) else {
            let known = Format::NAMES.map(|(name, _)| name).join(", ");
            return Err(PyValueError::new_err(format!(
                "{format:?} is none of the formats {known}"
            )));
        };
        let mut now = self.now().as_ref().clone();
        for part in without.iter().flatten() {
            leave_out(py, &mut now, part)?;
        }
        py.detach(|| write(&now, &path, *format)).map_err(|error| errors::load(py, error))
    }
}

/// Takes a part away.
fn leave_out(py: Python<'_>, now: &mut Snapshot, part: &str) -> PyResult<()> {
    match part {
        "truncation" => now.settings.truncation = None,
        "padding" => now.settings.padding = None,
        "post_processor" => {
            let spec = spec::Spec { post_processor: None, ..now.pipeline.spec().clone() };
            let plain = recompile(spec, &now.pipeline).map_err(|error| errors::load(py, error))?;
            now.pipeline = plain.into();
        }
        other => {
            let known = "truncation, padding, post_processor";
            let message = format!("{other:?} is none of the parts {known}");
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(())
}

/// Writes all files; those that have a name go into the folder `path`.
fn write(now: &Snapshot, path: &Path, format: Format) -> Result<Vec<PathBuf>, LoadError> {
    let files = convert(&now.pipeline, &now.settings, format)?;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| LoadError::NotWritten { path, source }
    };
    let mut written = Vec::new();
    let mut put = |path: PathBuf, bytes: &[u8]| {
        spec::write_whole(&path, bytes).map_err(io(&path))?;
        written.push(path);
        Ok::<(), LoadError>(())
    };
    let mut folder = path.parent().unwrap_or(Path::new("")).to_owned();
    for (name, bytes) in files {
        match name {
            Some(name) => {
                std::fs::create_dir_all(path).map_err(io(path))?;
                folder = path.to_owned();
                put(path.join(name), &bytes)?;
            }
            None => put(path.to_owned(), &bytes)?,
        }
    }
    if let (Some(template), false) = (&now.pipeline.spec().chat_template, format == Format::Fret) {
        put(folder.join(CHAT_TEMPLATE), template.source.as_bytes())?;
    }
    Ok(written)
}
