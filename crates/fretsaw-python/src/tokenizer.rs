//! `fretsaw.Tokenizer`.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use fretsaw::{Pipeline, Settings, Watched};
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors;
use crate::lists::Ids;
use crate::released::released;
use crate::stream::Stream;
use crate::text::utf8;

/// A tokenizer: text to ids and back, exactly as the library of its file format does it.
///
/// Safe to use from any thread, also while another one changes it: a call in flight keeps what it
/// began with. Text from outside belongs through `special="none"`
/// or `trusted=`, so that it can't forge control tokens.
///
///     >>> tok = fretsaw.get("gpt2")
///     >>> tok.encode("Hello world").ids
///     [15496, 995]
///     >>> tok.decode([15496, 995])
///     'Hello world'
#[pyclass(module = "fretsaw", frozen)]
pub struct Tokenizer {
    snapshot: ArcSwap<Snapshot>,
    /// What the last stream looked for: the next one mostly looks for the same.
    watched: ArcSwapOption<Watched>,
}

/// What a tokenizer is at one moment: swapped whole, so that a call in flight keeps its own.
#[derive(Clone)]
pub struct Snapshot {
    pub pipeline: Arc<Pipeline>,
    pub settings: Settings,
    /// Whether special tokens in the text are text, where a call does not say.
    pub encode_special_tokens: bool,
    /// How a pickle finds it again; nothing for its own data.
    pub origin: Option<Origin>,
    /// The chat template of its folder, as `fretsaw._chat.read` gives it.
    pub chat: Option<Arc<str>>,
}

/// Where else than in its data a tokenizer is found.
#[derive(Clone)]
pub enum Origin {
    /// Among those that come with the package.
    Name(String),
    /// In a file or a folder, whose chat template is the same if `has_chat`.
    Path { path: PathBuf, has_chat: bool },
}

impl Snapshot {
    /// The fingerprint in hexadecimal.
    pub fn fingerprint(&self) -> String {
        let digest = self.pipeline.fingerprint_with(&self.settings);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether special tokens are left out of decoded text: as the caller says, or the format.
    fn skips(&self, skip_special_tokens: Option<bool>) -> bool {
        skip_special_tokens.unwrap_or(self.pipeline.spec().defaults.skip_special_tokens)
    }

    /// The settings, with what the random choices of a call follow from.
    pub fn seeded(&self, seed: Option<u64>) -> Cow<'_, Settings> {
        match seed {
            None => Cow::Borrowed(&self.settings),
            seed => Cow::Owned(Settings { seed, ..self.settings.clone() }),
        }
    }
}

impl From<Pipeline> for Tokenizer {
    fn from(pipeline: Pipeline) -> Self {
        let settings = pipeline.file_settings();
        let pipeline = Arc::new(pipeline);
        Snapshot { pipeline, settings, encode_special_tokens: false, origin: None, chat: None }
            .into()
    }
}

impl From<Snapshot> for Tokenizer {
    fn from(snapshot: Snapshot) -> Self {
        Self { snapshot: ArcSwap::from_pointee(snapshot), watched: ArcSwapOption::empty() }
    }
}

impl Tokenizer {
    /// What the tokenizer is now.
    pub fn now(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Makes another of it.
    pub fn become_(&self, next: Snapshot) {
        self.snapshot.store(Arc::new(next));
    }

    /// What a stream looks for, shared with the last one if that is the same.
    fn watched(
        &self,
        stop: &[String],
        markers: &[String],
        stop_ids: &[u32],
        include_stop: bool,
    ) -> PyResult<Arc<Watched>> {
        let same = |last: &Arc<Watched>| last.is(stop, markers, stop_ids, include_stop);
        if let Some(last) = self.watched.load_full().filter(same) {
            return Ok(last);
        }
        let watched = Watched::new(stop, markers, stop_ids, include_stop).ok_or_else(|| {
            PyValueError::new_err(
                "stop strings and markers must have a character each, and 16 MiB at most together",
            )
        })?;
        let watched = Arc::new(watched);
        self.watched.store(Some(watched.clone()));
        Ok(watched)
    }

    fn check_id(id: i64) -> PyResult<u32> {
        u32::try_from(id).map_err(|_| {
            PyOverflowError::new_err(format!(
                "an id is an integer from 0 to {}, got {id}",
                u32::MAX
            ))
        })
    }
}

#[pymethods]
impl Tokenizer {
    /// The text of ids. Ids that no token has are passed over, or a `DecodeError` where the
    /// format's own library refuses them.
    #[pyo3(signature = (ids, *, skip_special_tokens = None))]
    fn decode(
        &self,
        py: Python<'_>,
        ids: Ids,
        skip_special_tokens: Option<bool>,
    ) -> PyResult<String> {
        let now = self.now();
        let skip = now.skips(skip_special_tokens);
        let decoded = py.detach(|| now.pipeline.decode_ids(&ids.0, skip));
        decoded.map_err(|error| errors::decode(py, error))
    }

    /// The texts of many lists of ids.
    #[pyo3(signature = (batch, *, skip_special_tokens = None, threads = 0))]
    fn decode_batch(
        &self,
        py: Python<'_>,
        batch: Vec<Ids>,
        skip_special_tokens: Option<bool>,
        threads: usize,
    ) -> PyResult<Vec<String>> {
        let now = self.now();
        let skip = now.skips(skip_special_tokens);
        let batch: Vec<Vec<u32>> = batch.into_iter().map(|Ids(ids)| ids).collect();
        let decoded = py.detach(|| now.pipeline.decode_batch(&batch, skip, threads));
        decoded.map_err(|error| errors::decode(py, error))
    }

    /// The bytes that ids stand for, which need not be UTF-8.
    #[pyo3(signature = (ids, *, skip_special_tokens = None))]
    fn decode_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: Ids,
        skip_special_tokens: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let now = self.now();
        let skip = now.skips(skip_special_tokens);
        let decoded = py.detach(|| now.pipeline.decode_ids_to_bytes(&ids.0, skip));
        Ok(PyBytes::new(py, &decoded.map_err(|error| errors::decode(py, error))?))
    }

    /// The bytes that one id stands for. Raises `DecodeError` where no token has the id.
    fn token_bytes<'py>(&self, py: Python<'py>, id: i64) -> PyResult<Bound<'py, PyBytes>> {
        let now = self.now();
        use fretsaw::Tokenizer as _;
        let id = Self::check_id(id)?;
        let vocab_size = now.pipeline.vocab_size();
        let unknown = || errors::decode(py, fretsaw::DecodeError::UnknownId { id, vocab_size });
        Ok(PyBytes::new(py, now.pipeline.token_bytes(id).ok_or_else(unknown)?))
    }

    /// The bytes of every id in one array, and where those of each start in it.
    fn token_table<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<u8>>, Bound<'py, PyArray1<i64>>) {
        let now = self.now();
        let (bytes, offsets) = py.detach(|| now.pipeline.token_table());
        (bytes.into_pyarray(py), offsets.into_pyarray(py))
    }

    /// The id of a token string, or `None`.
    fn token_to_id(&self, token: &str) -> Option<u32> {
        let now = self.now();
        now.pipeline.token_to_id(token)
    }

    /// The token string of an id, or `None`.
    fn id_to_token(&self, id: i64) -> PyResult<Option<String>> {
        Ok(self.now().pipeline.id_to_token(Self::check_id(id)?).map(str::to_owned))
    }

    /// Token strings and their ids, with or without added tokens.
    #[pyo3(signature = (with_added_tokens = true))]
    fn get_vocab<'py>(
        &self,
        py: Python<'py>,
        with_added_tokens: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        let now = self.now();
        let vocab = PyDict::new(py);
        for (token, id) in now.pipeline.vocab(with_added_tokens) {
            vocab.set_item(token, id)?;
        }
        Ok(vocab)
    }

    /// How many tokens there are, with or without added tokens.
    #[pyo3(signature = (with_added_tokens = true))]
    fn get_vocab_size(&self, with_added_tokens: bool) -> usize {
        let now = self.now();
        now.pipeline.vocab(with_added_tokens).count()
    }

    /// The content of a tokenizer.json that Hugging Face loads and that gives the same outputs.
    ///
    /// Raises `UnsupportedError` where that format can't carry the tokenizer, as with the ranks
    /// of a `.tiktoken` file. `alpha` and `nbest_size` of a Unigram model are left out, as there.
    fn to_str(&self, py: Python<'_>) -> PyResult<String> {
        let now = self.now();
        let json = py.detach(|| now.pipeline.to_json(&now.settings));
        Ok(String::from_utf8(json.map_err(|error| errors::load(py, error))?)?)
    }

    /// The normalized text.
    fn normalize(&self, text: &Bound<'_, PyAny>) -> PyResult<String> {
        let (py, now) = (text.py(), self.now());
        let utf8 = &*utf8(text)?;
        let normalize = || now.pipeline.normalize(utf8).map(Cow::into_owned);
        released(py, utf8.len(), normalize).map_err(|error| errors::encode(py, &error))
    }

    /// The pieces that the pre-tokenizer cuts a text into, spelled as the model sees them, each
    /// with its half-open span in characters of the text.
    fn pre_tokenize(&self, text: &Bound<'_, PyAny>) -> PyResult<Vec<(String, (usize, usize))>> {
        let (py, now) = (text.py(), self.now());
        let utf8 = &*utf8(text)?;
        let pieces = released(py, utf8.len(), || {
            let pieces = now.pipeline.pre_tokenize(utf8)?;
            let starts: Vec<usize> = utf8.char_indices().map(|(at, _)| at).collect();
            let chars = |byte: usize| starts.partition_point(|&start| start < byte);
            let placed = pieces.into_iter();
            Ok(placed.map(|(piece, (from, to))| (piece, (chars(from), chars(to)))).collect())
        });
        pieces.map_err(|error| errors::encode(py, &error))
    }

    /// A stream that decodes ids one at a time.
    #[pyo3(signature = (*, skip_special_tokens = None, stop = None, stop_ids = None, include_stop = false, prefill = None, markers = None))]
    #[allow(clippy::too_many_arguments)]
    fn stream(
        &self,
        py: Python<'_>,
        skip_special_tokens: Option<bool>,
        stop: Option<Vec<String>>,
        stop_ids: Option<Ids>,
        include_stop: bool,
        prefill: Option<Ids>,
        markers: Option<Vec<String>>,
    ) -> PyResult<Stream> {
        let now = self.now();
        let (stop, markers) = (stop.unwrap_or_default(), markers.unwrap_or_default());
        let stop_ids = stop_ids.map(|ids| ids.0).unwrap_or_default();
        let watched = self.watched(&stop, &markers, &stop_ids, include_stop)?;
        let (pipeline, skips) = (now.pipeline.clone(), now.skips(skip_special_tokens));
        Stream::new(py, pipeline, skips, watched, &prefill.map(|ids| ids.0).unwrap_or_default())
    }

    /// SHA-256 of what the tokenizer was made from, in hexadecimal: equal for tokenizers whose
    /// every output is equal by construction.
    #[getter]
    fn fingerprint(&self) -> String {
        self.now().fingerprint()
    }

    /// The template of chats that the file has along; `None` where it has none.
    #[getter]
    fn chat_template(&self) -> Option<String> {
        self.now().pipeline.spec().chat_template.as_ref().map(|chat| chat.source.clone())
    }

    fn __repr__(&self) -> String {
        let now = self.now();
        let name = match &now.origin {
            Some(Origin::Name(name)) => format!("{name:?}, "),
            _ => String::new(),
        };
        format!("Tokenizer({name}vocab_size={})", self.get_vocab_size(true))
    }
}
