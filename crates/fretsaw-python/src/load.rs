//! The methods of `fretsaw.Tokenizer` that make one: from files, their content, and ranks.

use std::path::PathBuf;

use fretsaw::spec;
use fretsaw::tables::fret::is_fret_file;
use fretsaw::{LoadError, Pipeline, Sidecar};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};

use crate::memory::room_for;
use crate::text::utf8;
use crate::tokenizer::{Origin, Snapshot, Tokenizer};
use crate::{chat, compiled, errors};

#[pymethods]
impl Tokenizer {
    /// Loads a tokenizer.json, a tekken.json, a SentencePiece model, the vocabulary in a GGUF file, a
    /// vocab.txt of BERT, the vocabularies of RWKV and CLIP, the pair vocab.json and merges.txt, a
    /// folder that holds one of them, or a compiled file; with `pattern`, the ranks of a `.tiktoken` file.
    ///
    /// `pattern` splits the text, `special_tokens` are strings and their ids: neither stands in a
    /// `.tiktoken` file. `cache` keeps a compiled file beside the source and uses it as long as the
    /// source has the same content; `mmap` says whether a compiled file is mapped or read. Raises
    /// `UnsupportedError` naming JSON path and value where the file can't be done exactly,
    /// `SpecError` where it is broken, and `OSError` where it can't be read.
    #[classmethod]
    #[pyo3(signature = (path, *, pattern = None, special_tokens = None, cache = false, mmap = true))]
    fn from_file(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        pattern: Option<&str>,
        special_tokens: Option<&Bound<'_, PyDict>>,
        cache: bool,
        mmap: bool,
    ) -> PyResult<Self> {
        if pattern.is_none() && special_tokens.is_some() {
            let message = "special_tokens belongs to a .tiktoken file and needs pattern as well";
            return Err(PyTypeError::new_err(message));
        }
        let special_tokens = pairs(special_tokens)?;
        let read_ranks = |pattern: &str| {
            let ranks = spec::regular(&path)
                .and_then(|()| std::fs::read(&path))
                .map_err(|source| LoadError::Io { path: path.clone(), source })?;
            spec::from_tiktoken(&ranks, pattern, &special_tokens)
        };
        let load = || match (pattern, cache) {
            (None, _) if is_fret_file(&path) => {
                fretsaw::load_fret(&path, mmap).map(|pipeline| (pipeline, Sidecar::Used))
            }
            (None, false) => Ok((fretsaw::load_file(&path)?, Sidecar::Used)),
            (None, true) => {
                let sources = spec::source_files(&path)?;
                fretsaw::load_cached(&sources, &[], mmap, || spec::from_path(&path))
            }
            (Some(pattern), false) => Ok((fretsaw::compile(read_ranks(pattern)?)?, Sidecar::Used)),
            (Some(pattern), true) => {
                let special = format!("{special_tokens:?}");
                let more = [pattern.as_bytes(), special.as_bytes()];
                let sources = [path.clone()];
                fretsaw::load_cached(&sources, &more, mmap, || read_ranks(pattern))
            }
        };
        let (pipeline, sidecar) = py.detach(load).map_err(|error| errors::load(py, error))?;
        compiled::warn(py, &sidecar)?;
        let tokenizer = Self::from(pipeline);
        match chat::of_folder(py, &path)? {
            None => Ok(tokenizer),
            chat => Ok(Snapshot { chat, ..tokenizer.now().as_ref().clone() }.into()),
        }
    }

    /// Loads the content of a `.tiktoken` file.
    #[classmethod]
    fn _from_tiktoken(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        ranks: &[u8],
        pattern: &str,
        special_tokens: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let special_tokens = pairs(Some(special_tokens))?;
        Self::loaded(py, || fretsaw::compile(spec::from_tiktoken(ranks, pattern, &special_tokens)?))
    }

    /// Makes a tokenizer from the ranks of tokens, as tiktoken does; with the defaults of
    /// tekken.json where `tekken` says so.
    #[classmethod]
    #[pyo3(signature = (ranks, pattern, special_tokens, tekken = false))]
    fn _from_ranks(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        ranks: &Bound<'_, PyDict>,
        pattern: &str,
        special_tokens: &Bound<'_, PyDict>,
        tekken: bool,
    ) -> PyResult<Self> {
        let special_tokens = pairs(Some(special_tokens))?;
        let mut tokens = Vec::with_capacity(ranks.len());
        for (token, rank) in ranks {
            tokens.push((token.cast_into::<PyBytes>()?, rank.extract::<u32>()?));
        }
        let ranks = tokens.iter().map(|(token, rank)| (token.as_bytes(), *rank));
        let spec = spec::from_ranks(ranks, pattern, &special_tokens);
        Self::loaded(py, || {
            let mut spec = spec?;
            if tekken {
                spec.defaults = spec::Defaults::TEKKEN;
            }
            fretsaw::compile(spec)
        })
    }

    /// Makes a tokenizer from ranks as pairs, the form in which vocabularies come with the package,
    /// and from `more` tokens with ranks of their own.
    #[classmethod]
    fn _from_pairs(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        data: &[u8],
        more: Vec<(Vec<u8>, u32)>,
        pattern: &str,
        special_tokens: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let special_tokens = pairs(Some(special_tokens))?;
        Self::loaded(py, || {
            fretsaw::compile(spec::from_pairs(data, &more, pattern, &special_tokens)?)
        })
    }

    /// Loads the content of a file, as `str` or `bytes`, in any format that one file holds whole.
    #[classmethod]
    fn from_str(_class: &Bound<'_, PyType>, json: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = json.py();
        let loaded = if let Ok(bytes) = json.cast::<PyBytes>() {
            room_for(bytes.as_bytes().len())?;
            fretsaw::load_bytes(bytes.as_bytes())
        } else {
            let text = &*utf8(json)?;
            py.detach(|| fretsaw::load_bytes(text.as_bytes()))
        };
        Ok(loaded.map_err(|error| errors::load(py, error))?.into())
    }

    /// The same tokenizer under the name by which `fretsaw.get` finds it.
    fn _named(&self, name: String) -> Self {
        Snapshot { origin: Some(Origin::Name(name)), ..self.now().as_ref().clone() }.into()
    }

    /// The arguments with which `_from_ranks` makes this tokenizer; `None` where none do.
    pub fn _to_ranks<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let now = self.now();
        use fretsaw::Tokenizer as _;
        let Some((pattern, special_tokens)) = now.pipeline.spec().ranks() else { return Ok(None) };
        let ranks = PyDict::new(py);
        for (_, id) in now.pipeline.vocab(false) {
            let token = now.pipeline.token_bytes(id).unwrap_or_default();
            ranks.set_item(PyBytes::new(py, token), id)?;
        }
        let special = PyDict::new(py);
        for (token, id) in special_tokens {
            special.set_item(token, id)?;
        }
        let tekken = now.pipeline.spec().defaults == spec::Defaults::TEKKEN;
        (ranks, pattern, special, tekken).into_pyobject(py).map(Some)
    }
}

impl Tokenizer {
    /// A tokenizer without a name, loaded with the interpreter released.
    fn loaded(
        py: Python<'_>,
        load: impl FnOnce() -> Result<Pipeline, LoadError> + Send,
    ) -> PyResult<Self> {
        let pipeline = py.detach(load).map_err(|error| errors::load(py, error))?;
        Ok(pipeline.into())
    }
}

/// The entries of a dict of strings and ids, in its order.
fn pairs(dict: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<(String, u32)>> {
    let Some(dict) = dict else { return Ok(Vec::new()) };
    dict.iter().map(|(content, id)| Ok((content.extract()?, id.extract()?))).collect()
}
