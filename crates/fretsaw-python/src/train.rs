//! Training: the methods of `fretsaw.Tokenizer` that make one of counted pieces.

use fretsaw::spec::{AddedToken, Spec};
use fretsaw::train::{
    train, train_parity, BpeTrainer, Counts, Known, ParityBpeTrainer, Trainer, UnigramTrainer,
    Watch, Window, WordLevelTrainer,
};
use fretsaw::TrainError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::change::added_token;
use crate::count::PieceCounts;
use crate::errors;
use crate::tokenizer::{Snapshot, Tokenizer};
use crate::watched::{self, Watcher};

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
    /// if it is given, and what it raises ends the training. What was learned goes to `kept.keep(state)`
    /// when `kept.is_due()` says so and when training is stopped; it goes on from `kept.learned`.
    #[pyo3(signature = (counts, options, tell = None, kept = None))]
    fn _train(
        &self,
        py: Python<'_>,
        counts: Py<PieceCounts>,
        options: Options<'_>,
        tell: Option<Py<PyAny>>,
        kept: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (special, names) = options.special()?;
        let now = self.now();
        let known = options
            .continues
            .then(|| Known::new(now.pipeline.spec(), now.pipeline.added_tokens().names()));
        let known = known.transpose().map_err(|error| errors::train(py, error))?;
        let mut trainer = options.trainer(names)?;
        if let Trainer::Bpe(trainer) = &mut trainer {
            trainer.known = known;
        }
        let from = match &kept {
            Some(kept) => kept.bind(py).getattr("learned")?.extract()?,
            None => None,
        };
        let watcher = Watcher { tell: tell.as_ref(), kept: kept.as_ref(), from };
        self.become_trained(py, watcher, move |spec, watch| {
            train(spec, &counts.get().counts, &trainer, &special, watch)
        })
    }

    /// The same for byte-pair encoding on counts by language, with counts to compare these by.
    #[pyo3(signature = (languages, dev, options, sharing, tell = None))]
    fn _train_parity(
        &self,
        py: Python<'_>,
        languages: Vec<Py<PieceCounts>>,
        dev: Option<Vec<Py<PieceCounts>>>,
        options: Options<'_>,
        sharing: Sharing,
        tell: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (special, names) = options.special()?;
        let trainer = ParityBpeTrainer {
            bpe: options.bpe(names),
            num_merges: sharing.num_merges,
            total_symbols: sharing.total_symbols,
            global_merges: sharing.global_merges,
            ratio: sharing.ratio,
            window: sharing.window.map(|(size, alpha)| Window { size, alpha }),
        };
        let watcher = Watcher { tell: tell.as_ref(), ..Watcher::default() };
        self.become_trained(py, watcher, move |spec, watch| {
            let counts = |of: &[Py<PieceCounts>]| -> Vec<Counts> {
                of.iter().map(|counts| counts.get().counts.clone()).collect()
            };
            let dev = dev.as_deref().map(counts);
            train_parity(spec, &counts(&languages), dev.as_deref(), &trainer, &special, watch)
        })
    }
}

impl Tokenizer {
    /// Becomes what `work` makes of its spec.
    fn become_trained(
        &self,
        py: Python<'_>,
        watcher: Watcher<'_>,
        work: impl FnOnce(Spec, Watch<'_>) -> Result<Spec, TrainError> + Send + 'static,
    ) -> PyResult<()> {
        let now = self.now();
        let spec = now.pipeline.spec().clone();
        let trained = watched::run(py, watcher, move |watch| {
            Ok::<_, TrainError>(fretsaw::compile(work(spec, watch)?)?)
        })?;
        let pipeline = trained.map_err(|error| errors::train(py, error))?;
        let next = Snapshot { pipeline: pipeline.into(), origin: None, ..now.as_ref().clone() };
        self.become_(next);
        Ok(())
    }
}

/// How merges are shared among languages, by Hugging Face's names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Sharing {
    num_merges: usize,
    total_symbols: bool,
    global_merges: usize,
    ratio: Option<Vec<f64>>,
    window: Option<(usize, f64)>,
}

impl Options<'_> {
    /// The special tokens, and their strings.
    fn special(&self) -> PyResult<(Vec<AddedToken>, Vec<String>)> {
        let tokens = self.special_tokens.iter().map(|token| added_token(&token, true));
        let tokens = tokens.collect::<PyResult<Vec<_>>>()?;
        let names = tokens.iter().map(|token| token.content.clone()).collect();
        Ok((tokens, names))
    }

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
