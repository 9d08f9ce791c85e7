//! The methods of `fretsaw.Tokenizer` that change it, and what they change.
//!
//! A change makes another snapshot and swaps it in whole; of two at the same time one may be lost.

use std::collections::HashMap;
use std::path::PathBuf;

use fretsaw::added_tokens::Added;
use fretsaw::spec::{
    self, AddedToken, Direction, Model, PadStrategy, Padding, Spec, Truncation, TruncationStrategy,
};
use fretsaw::{LoadError, Settings};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::errors;
use crate::tokenizer::{Snapshot, Tokenizer};

#[pymethods]
impl Tokenizer {
    /// Adds tokens that match in the text before the model sees it; returns how many are new.
    ///
    /// Strings, or objects with the fields of `fretsaw.spec.AddedToken`. One that is there with the
    /// same fields is passed over.
    fn add_tokens(&self, py: Python<'_>, tokens: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.add(py, tokens, false)
    }

    /// The same for special tokens: decoding leaves them out, and a string among `tokens` is not
    /// matched in normalized text.
    fn add_special_tokens(&self, py: Python<'_>, tokens: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.add(py, tokens, true)
    }

    /// Whether special tokens in the text are encoded as text.
    #[getter]
    fn encode_special_tokens(&self) -> bool {
        self.now().encode_special_tokens
    }

    #[setter]
    fn set_encode_special_tokens(&self, value: bool) {
        let next = Snapshot { encode_special_tokens: value, ..self.snapshot() };
        self.become_(next);
    }

    /// The added tokens by id, as `fretsaw.spec.AddedToken`.
    fn get_added_tokens_decoder<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let class = py.import("fretsaw.spec")?.getattr("AddedToken")?;
        let tokens = PyDict::new(py);
        for token in self.now().pipeline.added_tokens().tokens() {
            let fields = PyDict::new(py);
            fields.set_item("single_word", token.single_word)?;
            fields.set_item("lstrip", token.lstrip)?;
            fields.set_item("rstrip", token.rstrip)?;
            fields.set_item("normalized", token.normalized)?;
            fields.set_item("special", token.special)?;
            tokens.set_item(token.id, class.call((&token.content,), Some(&fields))?)?;
        }
        Ok(tokens)
    }

    /// Cuts every encoding to `max_length` ids, special tokens among them.
    #[pyo3(signature = (max_length, stride = 0, strategy = "longest_first", direction = "right"))]
    fn enable_truncation(
        &self,
        max_length: usize,
        stride: usize,
        strategy: &str,
        direction: &str,
    ) -> PyResult<()> {
        let strategy = match strategy {
            "longest_first" => TruncationStrategy::LongestFirst,
            "only_first" => TruncationStrategy::OnlyFirst,
            "only_second" => TruncationStrategy::OnlySecond,
            other => {
                return Err(one_of("strategy", "longest_first, only_first, only_second", other))
            }
        };
        let direction = direction_of(direction)?;
        let room = max_length.wrapping_sub(self.now().pipeline.num_special_tokens_to_add(false));
        if room < stride {
            let message = format!(
                "stride is {stride}, more than the {room} ids beside special tokens that \
                 max_length={max_length} leaves; make it smaller"
            );
            return Err(PyValueError::new_err(message));
        }
        let truncation = Truncation { direction, max_length, strategy, stride };
        self.set(|settings| settings.truncation = Some(truncation));
        Ok(())
    }

    /// Encodings are no longer cut.
    fn no_truncation(&self) {
        self.set(|settings| settings.truncation = None);
    }

    /// The truncation that is set, as a dict of the arguments of `enable_truncation`, or `None`.
    #[getter]
    fn truncation<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let now = self.now();
        let Some(truncation) = &now.settings.truncation else { return Ok(None) };
        let dict = PyDict::new(py);
        dict.set_item("max_length", truncation.max_length)?;
        dict.set_item("stride", truncation.stride)?;
        dict.set_item(
            "strategy",
            match truncation.strategy {
                TruncationStrategy::LongestFirst => "longest_first",
                TruncationStrategy::OnlyFirst => "only_first",
                TruncationStrategy::OnlySecond => "only_second",
            },
        )?;
        dict.set_item("direction", direction_name(truncation.direction))?;
        Ok(Some(dict))
    }

    /// Fills every encoding up with `pad_id`: to `length`, or to the longest of a batch.
    #[pyo3(signature = (direction = "right", pad_id = 0, pad_type_id = 0, pad_token = "[PAD]", length = None, pad_to_multiple_of = None))]
    fn enable_padding(
        &self,
        direction: &str,
        pad_id: u32,
        pad_type_id: u32,
        pad_token: &str,
        length: Option<usize>,
        pad_to_multiple_of: Option<usize>,
    ) -> PyResult<()> {
        let padding = Padding {
            strategy: length.map_or(PadStrategy::BatchLongest, PadStrategy::Fixed),
            direction: direction_of(direction)?,
            pad_to_multiple_of,
            pad_id,
            pad_type_id,
            pad_token: pad_token.to_owned(),
        };
        self.set(|settings| settings.padding = Some(padding));
        Ok(())
    }

    /// Encodings are no longer filled up.
    fn no_padding(&self) {
        self.set(|settings| settings.padding = None);
    }

    /// The padding that is set, as a dict of the arguments of `enable_padding`, or `None`.
    #[getter]
    fn padding<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let now = self.now();
        let Some(padding) = &now.settings.padding else { return Ok(None) };
        let dict = PyDict::new(py);
        let length = match padding.strategy {
            PadStrategy::BatchLongest => None,
            PadStrategy::Fixed(length) => Some(length),
        };
        dict.set_item("length", length)?;
        dict.set_item("pad_to_multiple_of", padding.pad_to_multiple_of)?;
        dict.set_item("pad_id", padding.pad_id)?;
        dict.set_item("pad_token", &padding.pad_token)?;
        dict.set_item("pad_type_id", padding.pad_type_id)?;
        dict.set_item("direction", direction_name(padding.direction))?;
        Ok(Some(dict))
    }

    /// The normalizer, as an object of `fretsaw.spec`, or `None`. Can be set.
    #[getter]
    fn normalizer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.component(py, "normalizer")
    }

    #[setter]
    fn set_normalizer(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_component("normalizer", value)
    }

    /// The pre-tokenizer, as an object of `fretsaw.spec`, or `None`. Can be set.
    #[getter]
    fn pre_tokenizer<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.component(py, "pre_tokenizer")
    }

    #[setter]
    fn set_pre_tokenizer(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_component("pre_tokenizer", value)
    }

    /// The post-processor, as an object of `fretsaw.spec`, or `None`. Can be set.
    #[getter]
    fn post_processor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.component(py, "post_processor")
    }

    #[setter]
    fn set_post_processor(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_component("post_processor", value)
    }

    /// The decoder, as an object of `fretsaw.spec`, or `None`. Can be set.
    #[getter]
    fn decoder<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.component(py, "decoder")
    }

    #[setter]
    fn set_decoder(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_component("decoder", value)
    }

    /// The model, as an object of `fretsaw.spec`. Can be set.
    #[getter]
    fn model<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.component(py, "model")
    }

    #[setter]
    fn set_model(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_component("model", value)
    }

    /// Writes a tokenizer.json that Hugging Face loads and that gives the same outputs.
    ///
    /// The file is replaced at once, or left as it was. Raises `UnsupportedError` where the format
    /// can't carry the tokenizer, and `OSError`. `alpha` and `nbest_size` of a Unigram model are left
    /// out, as there.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let now = self.snapshot();
        let saved = py.detach(|| {
            let json = now.pipeline.to_json(&now.settings)?;
            let written = spec::write_whole(&path, &json);
            written.map_err(|source| LoadError::NotWritten { path: path.clone(), source })
        });
        saved.map_err(|error| errors::load(py, error))
    }

    fn __copy__(&self) -> Self {
        self.snapshot().into()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.snapshot().into()
    }
}

impl Tokenizer {
    fn snapshot(&self) -> Snapshot {
        self.now().as_ref().clone()
    }

    fn set(&self, change: impl FnOnce(&mut Settings)) {
        let mut next = Snapshot { origin: None, ..self.snapshot() };
        change(&mut next.settings);
        self.become_(next);
    }

    /// Compiles a changed spec and becomes what it describes.
    fn respec(&self, py: Python<'_>, spec: Spec) -> PyResult<()> {
        let now = self.snapshot();
        let pipeline = py.detach(|| fretsaw::recompile(spec, &now.pipeline));
        let pipeline = pipeline.map_err(|error| errors::load(py, error))?.into();
        self.become_(Snapshot { pipeline, origin: None, ..now });
        Ok(())
    }

    fn add(&self, py: Python<'_>, tokens: &Bound<'_, PyAny>, special: bool) -> PyResult<usize> {
        if tokens.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("tokens must be a list of tokens, got one str"));
        }
        let now = self.snapshot();
        let mut spec = now.pipeline.spec().clone();
        let first = spec.added_tokens.len();
        let mut count = 0;
        // What stands for each id, or for each content that has none yet.
        let owner = |content: &str| now.pipeline.token_to_id(content).ok_or(content.to_owned());
        let standing = now.pipeline.added_tokens().tokens().iter();
        let mut standing: HashMap<Result<u32, String>, AddedToken> =
            standing.map(|token| (owner(&token.content), as_given(token))).collect();
        for token in tokens.try_iter()? {
            let token = added_token(&token?, special)?;
            let owner = owner(&token.content);
            // One that is there with the same fields is passed over, in the core as well.
            let same = standing
                .get(&owner)
                .is_some_and(|known| AddedToken { id: known.id, ..token.clone() } == *known);
            if !token.content.is_empty() && !same {
                standing.insert(owner, token.clone());
                spec.added_tokens.push(token);
                count += 1;
            }
        }
        if count > 0 {
            spec.added_later.push(first);
            self.respec(py, spec)?;
        }
        Ok(count)
    }

    fn component<'py>(&self, py: Python<'py>, role: &str) -> PyResult<Bound<'py, PyAny>> {
        let now = self.now();
        let json = spec::component_to_json(now.pipeline.spec(), role);
        let json = String::from_utf8(json.map_err(|error| errors::load(py, error))?)?;
        let component = document(py)?.call_method1("component_from_json", (json, role))?;
        match now.pipeline.spec().model.options() {
            Model::Unigram(model) if role == "model" && now.pipeline.spec().has_sampling() => {
                let fields = PyDict::new(py);
                fields.set_item("alpha", model.alpha)?;
                fields.set_item("nbest_size", model.nbest_size)?;
                py.import("dataclasses")?.call_method("replace", (component,), Some(&fields))
            }
            _ => Ok(component),
        }
    }

    fn set_component(&self, role: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = value.py();
        let json = document(py)?.call_method1("component_to_json", (value, role))?;
        let json: String = json.extract()?;
        let mut spec = self.now().pipeline.spec().clone();
        spec::set_component(&mut spec, role, &json).map_err(|error| errors::load(py, error))?;
        if let (Model::Unigram(_), "model") = (spec.model.options(), role) {
            // JSON has no place for these two.
            let (alpha, nbest_size) = (value.getattr("alpha")?, value.getattr("nbest_size")?);
            spec.set_sampling(alpha.extract()?, nbest_size.extract()?);
        }
        self.respec(py, spec)
    }
}

fn document(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("fretsaw.spec.document")
}

/// An added token as a spec has it.
fn as_given(token: &Added) -> AddedToken {
    AddedToken {
        id: token.id,
        content: token.content.clone(),
        single_word: token.single_word,
        lstrip: token.lstrip,
        rstrip: token.rstrip,
        normalized: token.normalized,
        special: token.special,
    }
}

/// A string, or an object with the fields of an added token.
pub fn added_token(object: &Bound<'_, PyAny>, special: bool) -> PyResult<AddedToken> {
    if let Ok(content) = object.extract::<String>() {
        return Ok(AddedToken::plain(&content, 0, special));
    }
    let flag = |name: &str| object.getattr(name)?.extract::<bool>();
    Ok(AddedToken {
        id: 0,
        content: object.getattr("content")?.extract()?,
        single_word: flag("single_word")?,
        lstrip: flag("lstrip")?,
        rstrip: flag("rstrip")?,
        normalized: flag("normalized")?,
        special: special || flag("special")?,
    })
}

pub fn direction_of(name: &str) -> PyResult<Direction> {
    match name {
        "left" => Ok(Direction::Left),
        "right" => Ok(Direction::Right),
        other => Err(one_of("direction", "left, right", other)),
    }
}

fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Left => "left",
        Direction::Right => "right",
    }
}

fn one_of(argument: &str, known: &str, given: &str) -> PyErr {
    PyValueError::new_err(format!("{argument} must be one of {known}, got {given:?}"))
}
