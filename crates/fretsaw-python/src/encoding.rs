//! `fretsaw.Encoding`: the ids of a text, and what is known about each, worked out on first use.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use fretsaw::encoding::{Columns, Filling, Offsets};
use fretsaw::{MatchPolicy, SpecialSet};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

use crate::change::direction_of;
use crate::given::Given;
use crate::memory::room_for;
use crate::released::{locked, released};
use crate::tokenizer::Snapshot;
use crate::{errors, lists};

/// The ids of a text or a pair, and what is known about each.
///
/// `len(encoding)` is the number of ids. Two encodings are equal when everything known of them is.
/// Whatever is not asked for is not worked out.
///
///     >>> enc = fretsaw.get("gpt2").encode("Hello world")
///     >>> enc.ids, enc.tokens, enc.offsets
///     ([15496, 995], ['Hello', 'Ġworld'], [(0, 5), (5, 11)])
#[pyclass(module = "fretsaw", frozen)]
pub struct Encoding {
    /// What encoding gave; nothing where columns came from elsewhere.
    encoding: fretsaw::Encoding,
    /// Where the rest comes from.
    source: Option<Source>,
    /// Whose strings ids have that have none of their own.
    names: Option<Arc<Snapshot>>,
    columns: Mutex<Option<Arc<Columns>>>,
    /// Types, masks and sequences alone, where nothing else was asked for yet.
    outline: OnceLock<Arc<Columns>>,
    /// Offsets alone, where ids tell them and nothing else was asked for yet.
    summed: OnceLock<Option<Vec<Offsets>>>,
    /// Whether the columns are other ones than those of the source.
    changed: AtomicBool,
}

/// What was encoded, and how.
struct Source {
    call: Arc<Call>,
    given: Given,
}

/// How texts were encoded: what is not kept of them is worked out from it again.
pub struct Call {
    pub now: Arc<Snapshot>,
    pub special: SpecialSet,
    pub trusted: Option<Vec<(usize, usize)>>,
    pub add_special_tokens: bool,
}

impl Encoding {
    /// What a call made of what it was given.
    pub fn live(encoding: fretsaw::Encoding, call: Arc<Call>, given: Given) -> Self {
        let names = Some(call.now.clone());
        Self {
            encoding,
            source: Some(Source { call, given }),
            names,
            columns: Mutex::new(None),
            outline: OnceLock::new(),
            summed: OnceLock::new(),
            changed: AtomicBool::new(false),
        }
    }

    /// Columns that are known.
    pub fn of(columns: Columns, names: Option<Arc<Snapshot>>) -> Self {
        Self {
            encoding: fretsaw::Encoding::default(),
            source: None,
            names,
            columns: Mutex::new(Some(Arc::new(columns))),
            outline: OnceLock::new(),
            summed: OnceLock::new(),
            changed: AtomicBool::new(true),
        }
    }

    /// All columns, worked out on first use.
    fn columns(&self, py: Python<'_>) -> PyResult<Arc<Columns>> {
        if let Some(columns) = &*locked(py, &self.columns) {
            return Ok(columns.clone());
        }
        let Some(Source { call, given }) = &self.source else { return Ok(Arc::default()) };
        let settings = call.now.seeded(self.encoding.seed);
        let policy = MatchPolicy { special: &call.special, trusted: call.trusted.as_deref() };
        let longest = Some(self.encoding.ids.len());
        let request = given.request(py)?;
        room_for(size_of_val(&self.encoding.ids[..]))?;
        let pipeline = &call.now.pipeline;
        // No lock is held meanwhile: two threads may both do this work.
        let columns = released(py, size_of_val(&self.encoding.ids[..]), || {
            pipeline.columns(&request, policy, call.add_special_tokens, &settings, longest)
        });
        let columns = Arc::new(columns.map_err(|error| errors::encode(py, &error))?);
        let mut known = locked(py, &self.columns);
        Ok(known.get_or_insert(columns).clone())
    }

    /// Columns of which types, masks and sequences are right: the text is not looked at.
    fn outline(&self, py: Python<'_>) -> PyResult<Arc<Columns>> {
        if let Some(columns) = &*locked(py, &self.columns) {
            return Ok(columns.clone());
        }
        let Some(Source { call, given }) = &self.source else { return Ok(Arc::default()) };
        if let Some(outline) = self.outline.get() {
            return Ok(outline.clone());
        }
        let (pipeline, settings) = (&call.now.pipeline, &call.now.settings);
        let is_pair = given.is_pair();
        let outline = released(py, size_of_val(&self.encoding.ids[..]), || {
            pipeline.outline(&self.encoding, is_pair, call.add_special_tokens, settings)
        });
        let outline = outline.map_err(|error| errors::encode(py, &error))?;
        Ok(self.outline.get_or_init(|| Arc::new(outline)).clone())
    }

    /// Offsets, where nothing else was asked for yet and ids alone tell them.
    fn summed_offsets(&self, py: Python<'_>) -> PyResult<Option<&[Offsets]>> {
        if locked(py, &self.columns).is_some() {
            return Ok(None);
        }
        let Some(Source { call, given }) = &self.source else { return Ok(None) };
        if let Some(summed) = self.summed.get() {
            return Ok(summed.as_deref());
        }
        let Some(text) = &given.single(py)? else { return Ok(None) };
        let policy = MatchPolicy { special: &call.special, trusted: call.trusted.as_deref() };
        let Snapshot { pipeline, settings, .. } = &*call.now;
        let summed = released(py, text.len(), || {
            pipeline.offsets(text, &self.encoding, policy, call.add_special_tokens, settings)
        });
        Ok(self.summed.get_or_init(|| summed).as_deref())
    }

    /// Changes the columns.
    fn change<R>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Columns) -> Result<R, fretsaw::EncodeError>,
    ) -> PyResult<R> {
        let mut columns = self.columns(py)?.as_ref().clone();
        let result = change(&mut columns).map_err(|error| errors::encode(py, &error))?;
        *locked(py, &self.columns) = Some(Arc::new(columns));
        self.changed.store(true, Ordering::Release);
        Ok(result)
    }

    fn is_changed(&self) -> bool {
        self.changed.load(Ordering::Acquire)
    }

    /// The token strings of columns.
    fn strings<'a>(&'a self, columns: &'a Columns) -> Vec<&'a str> {
        match &self.names {
            Some(now) => now.pipeline.names(columns).collect(),
            None => columns.names.iter().map(|name| name.as_deref().unwrap_or_default()).collect(),
        }
    }

    /// The columns with every token string, so that they go without a tokenizer.
    pub fn whole(&self, py: Python<'_>) -> PyResult<Columns> {
        let mut columns = self.columns(py)?.as_ref().clone();
        self.name_all(&mut columns);
        Ok(columns)
    }

    fn name_all(&self, columns: &mut Columns) {
        let Some(now) = &self.names else { return };
        let names: Vec<_> = now.pipeline.names(columns).map(|name| Some(Arc::from(name))).collect();
        columns.names = names;
        columns.overflowing.iter_mut().for_each(|part| self.name_all(part));
    }
}

#[pymethods]
impl Encoding {
    #[new]
    fn new() -> Self {
        Self::of(Columns::default(), None)
    }

    /// Joins encodings; with `growing_offsets` those of each go on where the one before it ends.
    #[staticmethod]
    #[pyo3(signature = (encodings, growing_offsets = true))]
    fn merge(
        py: Python<'_>,
        encodings: Vec<PyRef<'_, Self>>,
        growing_offsets: bool,
    ) -> PyResult<Self> {
        let parts = encodings.iter().map(|encoding| encoding.whole(py));
        let parts = parts.collect::<PyResult<Vec<_>>>()?;
        Ok(Self::of(Columns::join(parts, growing_offsets), None))
    }

    /// The ids, a list of `int`.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if self.is_changed() {
            return lists::ids(py, &self.columns(py)?.ids);
        }
        lists::ids(py, &self.encoding.ids)
    }

    /// The token string of each id, as the vocabulary spells it; an added token is the text that
    /// it matched.
    #[getter]
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        if let (Some(Source { call, given }), false) = (&self.source, self.is_changed()) {
            let pipeline = &call.now.pipeline;
            if let Some(text) = given.single(py)?.filter(|_| !pipeline.lacks_names(&self.encoding))
            {
                return PyList::new(py, pipeline.tokens(&self.encoding, &text));
            }
        }
        let columns = self.columns(py)?;
        PyList::new(py, self.strings(&columns))
    }

    /// Where each token stands in its text: half-open, in characters; (0, 0) for special tokens.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match self.summed_offsets(py)? {
            Some(offsets) => lists::pairs(py, offsets),
            None => lists::pairs(py, &self.columns(py)?.offsets),
        }
    }

    /// Which word each token is of, or `None`: pieces of the pre-tokenizer, or words as given.
    #[getter]
    fn word_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        lists::optional(py, &self.columns(py)?.words)
    }

    /// The same as `word_ids`.
    #[getter]
    fn words<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        self.word_ids(py)
    }

    /// Which sequence each token is of, 0 or 1, or `None`.
    #[getter]
    fn sequence_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let sequence_ids = self.outline(py)?.sequence_ids();
        let sequence_ids: Vec<_> =
            sequence_ids.into_iter().map(|id| id.map(|id| id as u32)).collect();
        lists::optional(py, &sequence_ids)
    }

    /// The type of each token, as the post-processor says.
    #[getter]
    fn type_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        lists::ids(py, &self.outline(py)?.type_ids)
    }

    /// 1 for each token that the post-processor or padding added.
    #[getter]
    fn special_tokens_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let columns = self.outline(py)?;
        lists::ids(py, &columns.special_tokens_mask.iter().map(|&on| on.into()).collect::<Vec<_>>())
    }

    /// 0 for each token that padding added.
    #[getter]
    fn attention_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let columns = self.outline(py)?;
        lists::ids(py, &columns.attention_mask.iter().map(|&on| on.into()).collect::<Vec<_>>())
    }

    /// What truncation cut off, in encodings of its length.
    #[getter]
    fn overflowing(&self, py: Python<'_>) -> PyResult<Vec<Self>> {
        let columns = self.columns(py)?;
        let part = |part: &Columns| Self::of(part.clone(), self.names.clone());
        Ok(columns.overflowing.iter().map(part).collect())
    }

    /// How many sequences there are.
    #[getter]
    fn n_sequences(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.outline(py)?.n_sequences())
    }

    /// The token that a character is in, or `None`.
    #[pyo3(signature = (char_pos, sequence_index = 0))]
    fn char_to_token(
        &self,
        py: Python<'_>,
        char_pos: u32,
        sequence_index: usize,
    ) -> PyResult<Option<usize>> {
        Ok(self.columns(py)?.char_to_token(char_pos, sequence_index))
    }

    /// The word that a character is in, or `None`.
    #[pyo3(signature = (char_pos, sequence_index = 0))]
    fn char_to_word(
        &self,
        py: Python<'_>,
        char_pos: u32,
        sequence_index: usize,
    ) -> PyResult<Option<u32>> {
        Ok(self.columns(py)?.char_to_word(char_pos, sequence_index))
    }

    /// The characters of a token, or `None` if it is of no sequence.
    fn token_to_chars(&self, py: Python<'_>, token_index: usize) -> PyResult<Option<(u32, u32)>> {
        Ok(self.columns(py)?.token_to_chars(token_index).map(|(_, offsets)| offsets))
    }

    /// The word of a token, or `None`.
    fn token_to_word(&self, py: Python<'_>, token_index: usize) -> PyResult<Option<u32>> {
        Ok(self.columns(py)?.token_to_word(token_index).map(|(_, word)| word))
    }

    /// The sequence of a token, or `None`.
    fn token_to_sequence(&self, py: Python<'_>, token_index: usize) -> PyResult<Option<usize>> {
        Ok(self.outline(py)?.token_to_sequence(token_index))
    }

    /// The tokens of a word, from the first to behind the last, or `None`.
    #[pyo3(signature = (word_index, sequence_index = 0))]
    fn word_to_tokens(
        &self,
        py: Python<'_>,
        word_index: u32,
        sequence_index: usize,
    ) -> PyResult<Option<(usize, usize)>> {
        Ok(self.columns(py)?.word_to_tokens(word_index, sequence_index))
    }

    /// The characters of a word, or `None`.
    #[pyo3(signature = (word_index, sequence_index = 0))]
    fn word_to_chars(
        &self,
        py: Python<'_>,
        word_index: u32,
        sequence_index: usize,
    ) -> PyResult<Option<(u32, u32)>> {
        Ok(self.columns(py)?.word_to_chars(word_index, sequence_index))
    }

    /// Says that all tokens are of a sequence.
    fn set_sequence_id(&self, py: Python<'_>, sequence_id: usize) -> PyResult<()> {
        self.change(py, |columns| {
            columns.set_sequence_id(sequence_id);
            Ok(())
        })
    }

    /// Fills up to `length` tokens, what overflows too.
    #[pyo3(signature = (length, direction = "right", pad_id = 0, pad_type_id = 0, pad_token = "[PAD]"))]
    fn pad(
        &self,
        py: Python<'_>,
        length: usize,
        direction: &str,
        pad_id: u32,
        pad_type_id: u32,
        pad_token: &str,
    ) -> PyResult<()> {
        let name = Some(Arc::from(pad_token));
        let direction = direction_of(direction)?;
        let filling = Filling { id: pad_id, type_id: pad_type_id, name, direction };
        self.change(py, |columns| {
            columns.pad(length, &filling);
            Ok(())
        })
    }

    /// Cuts to `max_length` tokens; the rest is what overflows, each part with `stride` tokens of the
    /// one before.
    #[pyo3(signature = (max_length, stride = 0, direction = "right"))]
    fn truncate(
        &self,
        py: Python<'_>,
        max_length: usize,
        stride: usize,
        direction: &str,
    ) -> PyResult<()> {
        let direction = direction_of(direction)?;
        if 0 < max_length && max_length <= stride && max_length < self.__len__(py)? {
            let message = format!("stride is {stride}, which must be less than {max_length}");
            return Err(PyValueError::new_err(message));
        }
        self.change(py, |columns| columns.truncate(max_length, stride, direction))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        match self.is_changed() {
            true => Ok(self.columns(py)?.len()),
            false => Ok(self.encoding.ids.len()),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Encoding(num_tokens={}, attributes=[ids, type_ids, tokens, offsets, attention_mask, \
             special_tokens_mask, overflowing])",
            self.__len__(py)?
        ))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        Ok(self.whole(py)? == other.get().whole(py)?)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, PyTuple::new(py, [state(py, &self.whole(py)?)?])?))
    }

    #[classmethod]
    fn _restore(_class: &Bound<'_, PyType>, state: &Bound<'_, PyTuple>) -> PyResult<Self> {
        Ok(Self::of(columns_of(state)?, None))
    }
}

/// The columns of a pickle.
type State<'a> = (
    Vec<u32>,
    Vec<u32>,
    Vec<String>,
    Vec<Option<u32>>,
    Vec<(u32, u32)>,
    Vec<u8>,
    Vec<u8>,
    Vec<(usize, usize, usize)>,
    Vec<Bound<'a, PyTuple>>,
);

fn state<'py>(py: Python<'py>, columns: &Columns) -> PyResult<Bound<'py, PyTuple>> {
    let tokens = columns.names.iter().map(|name| name.as_deref().unwrap_or_default().to_owned());
    let ranges = columns.sequence_ranges.iter();
    let overflowing = columns.overflowing.iter().map(|part| state(py, part));
    let state: State<'_> = (
        columns.ids.clone(),
        columns.type_ids.clone(),
        tokens.collect(),
        columns.words.clone(),
        columns.offsets.clone(),
        columns.special_tokens_mask.clone(),
        columns.attention_mask.clone(),
        ranges.map(|(&sequence, range)| (sequence, range.start, range.end)).collect(),
        overflowing.collect::<PyResult<_>>()?,
    );
    state.into_pyobject(py)
}

fn columns_of(state: &Bound<'_, PyTuple>) -> PyResult<Columns> {
    let (ids, type_ids, tokens, words, offsets, special, attention, ranges, overflowing) =
        state.extract::<State<'_>>()?;
    let len = ids.len();
    let lens = [type_ids.len(), tokens.len(), words.len(), offsets.len(), special.len()];
    let fits = |&(_, start, end): &(usize, usize, usize)| start <= end && end <= len;
    if lens.iter().any(|&other| other != len) || attention.len() != len || !ranges.iter().all(fits)
    {
        return Err(PyValueError::new_err("the pickle's columns differ in length"));
    }
    let overflowing = overflowing.iter().map(columns_of).collect::<PyResult<_>>()?;
    Ok(Columns {
        ids,
        type_ids,
        names: tokens.into_iter().map(|token| Some(Arc::from(token))).collect(),
        words,
        offsets,
        special_tokens_mask: special,
        attention_mask: attention,
        overflowing,
        sequence_ranges: ranges.into_iter().map(|(id, start, end)| (id, start..end)).collect(),
    })
}
