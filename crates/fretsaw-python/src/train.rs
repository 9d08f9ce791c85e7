//! Training: counting pieces of text, and the methods of `fretsaw.Tokenizer` that make one of counts.

use std::str::from_utf8;
use std::sync::{Mutex, PoisonError};

use fretsaw::train::{
    train, BpeTrainer, Counter, Counts, Known, Trainer, UnigramTrainer, Watch, WordLevelTrainer,
};
use fretsaw::TrainError;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::change::added_token;
use crate::errors;
use crate::text::{utf8, Texts};
use crate::tokenizer::{Snapshot, Tokenizer};

/// Counts the pieces of texts as a tokenizer cuts them; safe to use from any thread.
///
///     >>> import fretsaw
///     >>> from fretsaw._native import PieceCounter
///     >>> counter = PieceCounter(fretsaw.get("gpt2"))
///     >>> counter.count_texts(["a b b"])
///     >>> counter.finish().as_dict()
///     {'a': 1, 'Ġb': 2}
#[pyclass(module = "fretsaw._native", frozen)]
pub struct PieceCounter {
    counter: Mutex<Option<Counter>>,
}

#[pymethods]
impl PieceCounter {
    #[new]
    #[pyo3(signature = (tokenizer, threads = 0))]
    fn new(py: Python<'_>, tokenizer: &Tokenizer, threads: usize) -> PyResult<Self> {
        let counter = Counter::new(tokenizer.now().pipeline.spec(), threads);
        let counter = counter.map_err(|error| errors::load(py, error))?;
        Ok(Self { counter: Mutex::new(Some(counter)) })
    }

    /// Counts the pieces of a list of `str`.
    fn count_texts(&self, texts: &Bound<'_, PyAny>) -> PyResult<()> {
        let texts_given = Texts::new(texts)?;
        let texts_read = texts_given.utf8()?;
        self.count(texts.py(), &texts_read)
    }

    /// Counts the pieces of UTF-8, each part between separators for itself; lines keep their ends.
    /// Returns the byte at which it is not UTF-8; nothing is counted then.
    fn count_bytes(
        &self,
        py: Python<'_>,
        bytes: &Bound<'_, PyBytes>,
        separator: &str,
    ) -> PyResult<Option<usize>> {
        let text = match from_utf8(bytes.as_bytes()) {
            Ok(text) => text,
            Err(error) => return Ok(Some(error.valid_up_to())),
        };
        let parts: Vec<&str> = match separator {
            "" => vec![text],
            "\n" => text.split_inclusive('\n').collect(),
            separator => text.split(separator).collect(),
        };
        self.count(py, &parts)?;
        Ok(None)
    }

    /// The counts of all pieces; nothing more can be counted.
    fn finish(&self, py: Python<'_>) -> PyResult<PieceCounts> {
        let counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(counter) = counter else { return Err(finished()) };
        Ok(PieceCounts { counts: py.detach(|| counter.finish()) })
    }

    /// How many distinct pieces there are so far; a little more where threads met the same.
    #[getter]
    fn distinct(&self) -> usize {
        let counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner);
        counter.as_ref().map_or(0, Counter::distinct)
    }
}

impl PieceCounter {
    fn count(&self, py: Python<'_>, texts: &[&str]) -> PyResult<()> {
        let counted = py.detach(|| {
            let counter = self.counter.lock().unwrap_or_else(PoisonError::into_inner);
            counter.as_ref().map(|counter| counter.count(texts))
        });
        counted.ok_or_else(finished)?.map_err(|error| errors::train(py, error))
    }
}

fn finished() -> PyErr {
    PyValueError::new_err("the counting is finished; make another PieceCounter")
}

/// Pieces of text with their counts, from `fretsaw.count_pieces` or a dict; can be pickled.
///
///     >>> import fretsaw
///     >>> len(fretsaw.PieceCounts({"a": 2, "b": 1}))
///     2
#[pyclass(module = "fretsaw", frozen)]
pub struct PieceCounts {
    counts: Counts,
}

#[pymethods]
impl PieceCounts {
    /// Counts that are given as a dict of pieces and how often each was seen.
    #[new]
    fn new(counts: &Bound<'_, PyDict>) -> PyResult<Self> {
        let entries: Vec<_> = counts.iter().collect();
        let mut read = Vec::with_capacity(entries.len());
        for (piece, count) in &entries {
            read.push((utf8(piece, None)?, count.extract::<u64>()?));
        }
        Ok(Self { counts: read.into_iter().collect() })
    }

    /// These and other counts together.
    fn merge(&self, py: Python<'_>, other: &PieceCounts) -> PieceCounts {
        let merged = || self.counts.iter().chain(other.counts.iter()).collect();
        PieceCounts { counts: py.detach(merged) }
    }

    /// Pieces and counts as a dict, in the order of the bytes of the pieces.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (piece, count) in self.counts.iter() {
            dict.set_item(piece, count)?;
        }
        Ok(dict)
    }

    fn __len__(&self) -> usize {
        self.counts.len()
    }

    fn __eq__(&self, other: &PieceCounts) -> bool {
        self.counts == other.counts
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyDict>,))> {
        let dict = slf.get().as_dict(slf.py())?;
        Ok((slf.get_type().into_any(), (dict,)))
    }
}

/// The options of all trainers, by Hugging Face's names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Options<'py> {
    model: String,
    vocab_size: usize,
    min_frequency: u64,
    special_tokens: Bound<'py, PyList>,
    limit_alphabet: Option<usize>,
    initial_alphabet: Vec<char>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    max_token_length: Option<usize>,
    affixed_order: Vec<String>,
    byte_fallback: bool,
    character_coverage: f64,
    unk_token: Option<String>,
    shrinking_factor: f64,
    max_piece_length: usize,
    n_sub_iterations: usize,
    seed_size: usize,
    continues: bool,
    threads: usize,
}

#[pymethods]
impl Tokenizer {
    /// Trains the model on files, line by line, and becomes what comes out.
    ///
    /// `trainer` is one of `fretsaw.trainers`; without it, the one of the model's kind as it is.
    #[pyo3(signature = (files, trainer = None))]
    fn train(
        slf: &Bound<'_, Self>,
        files: &Bound<'_, PyAny>,
        trainer: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let module = slf.py().import("fretsaw._train")?;
        module.call_method1("train_on_files", (slf, files, trainer))?;
        Ok(())
    }

    /// The same on an iterator of `str`, or of lists of them.
    #[pyo3(signature = (iterator, trainer = None, length = None))]
    fn train_from_iterator(
        slf: &Bound<'_, Self>,
        iterator: &Bound<'_, PyAny>,
        trainer: Option<&Bound<'_, PyAny>>,
        length: Option<usize>,
    ) -> PyResult<()> {
        let module = slf.py().import("fretsaw._train")?;
        module.call_method1("train_on_iterator", (slf, iterator, trainer, length))?;
        Ok(())
    }

    /// Becomes what training on counts makes of it. `tell(stage, done, total)` is called now and then
    /// if it is given, and what it raises ends the training.
    #[pyo3(signature = (counts, options, tell = None))]
    fn _train(
        &self,
        py: Python<'_>,
        counts: &PieceCounts,
        options: Options<'_>,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let special = options.special_tokens.iter();
        let special =
            special.map(|token| added_token(&token, true)).collect::<PyResult<Vec<_>>>()?;
        let names = special.iter().map(|token| token.content.clone()).collect();
        let now = self.now();
        let known = options
            .continues
            .then(|| Known::new(now.pipeline.spec(), now.pipeline.added_tokens().names()));
        let known = known.transpose().map_err(|error| errors::train(py, error))?;
        let mut trainer = options.trainer(names)?;
        if let Trainer::Bpe(trainer) = &mut trainer {
            trainer.known = known;
        }
        let raised: Mutex<Option<PyErr>> = Mutex::new(None);
        let ask = |stage: &'static str, done: u64, total: u64| {
            let told = Python::attach(|py| {
                py.check_signals()?;
                tell.as_ref().map(|tell| tell.call1(py, (stage, done, total))).transpose()
            });
            let Err(error) = told else { return true };
            *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            false
        };
        let trained = py.detach(|| {
            let spec = now.pipeline.spec().clone();
            let spec = train(spec, &counts.counts, &trainer, &special, Watch::new(&ask))?;
            Ok(fretsaw::compile(spec)?)
        });
        let raised = raised.into_inner().unwrap_or_else(PoisonError::into_inner);
        let pipeline = match (trained, raised) {
            (Err(TrainError::Stopped), Some(error)) => return Err(error),
            (Err(error), _) => return Err(errors::train(py, error)),
            (Ok(pipeline), _) => pipeline,
        };
        let next = Snapshot { pipeline: pipeline.into(), name: None, ..now.as_ref().clone() };
        self.become_(next);
        Ok(())
    }
}

impl Options<'_> {
    fn trainer(self, special_tokens: Vec<String>) -> PyResult<Trainer> {
        match self.model.as_str() {
            "bpe" => Ok(Trainer::Bpe(self.bpe(special_tokens))),
            "wordpiece" => Ok(Trainer::WordPiece(self.bpe(special_tokens))),
            "wordlevel" => {
                let Options { vocab_size, min_frequency, .. } = self;
                let trainer = WordLevelTrainer { vocab_size, min_frequency, special_tokens };
                Ok(Trainer::WordLevel(trainer))
            }
            "unigram" => Ok(Trainer::Unigram(self.unigram(special_tokens))),
            other => {
                let message = format!("model is {other:?}, which can't be trained");
                Err(PyTypeError::new_err(message))
            }
        }
    }

    fn unigram(self, special_tokens: Vec<String>) -> UnigramTrainer {
        UnigramTrainer {
            vocab_size: self.vocab_size,
            special_tokens,
            unk_token: self.unk_token,
            shrinking_factor: self.shrinking_factor,
            max_piece_length: self.max_piece_length,
            n_sub_iterations: self.n_sub_iterations,
            seed_size: self.seed_size,
            initial_alphabet: self.initial_alphabet,
            byte_fallback: self.byte_fallback,
            character_coverage: self.character_coverage,
            threads: self.threads,
        }
    }

    /// With byte fallback the tokens of the bytes come behind the special ones.
    fn bpe(self, mut special_tokens: Vec<String>) -> BpeTrainer {
        if self.byte_fallback {
            special_tokens.extend((0..=u8::MAX).map(|byte| format!("<0x{byte:02X}>")));
        }
        BpeTrainer {
            vocab_size: self.vocab_size,
            min_frequency: self.min_frequency,
            special_tokens,
            limit_alphabet: self.limit_alphabet,
            initial_alphabet: self.initial_alphabet,
            continuing_subword_prefix: self.continuing_subword_prefix,
            end_of_word_suffix: self.end_of_word_suffix,
            max_token_length: self.max_token_length,
            character_coverage: self.character_coverage,
            affixed_order: self.affixed_order,
            known: None,
            threads: self.threads,
        }
    }
}
