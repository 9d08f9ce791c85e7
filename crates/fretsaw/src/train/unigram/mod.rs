//! Training a unigram model: counted words -> pieces with scores.
//!
//! From all strings that occur often ([`seeds`]) those are taken out, round by round, that the text
//! would miss least. A round is some steps of expectation ([`expect`]) and maximization ([`model`])
//! and then a cut to `shrinking_factor` of the pieces by their losses ([`prune`]), until 1.1 times
//! as many are left as are wanted. One more cut leaves as many as are wanted, all characters come
//! back, and the same steps give them their final scores.
//!
//! The oracle's results differ from run to run. Ours are fixed: see `docs/exactness.md`.
//!
//! Cost: O(n log n) for n characters of distinct words to begin with, then linear in the ways to
//! cut them for each step, of which there are about 2 x 16; about 60 bytes a character.
//! Source: Kudo, "Subword Regularization" (2018); options and rules of Hugging Face tokenizers
//! 0.23.3, `UnigramTrainer`, and sentencepiece 0.2.3.

mod expect;
mod lattice;
mod model;
mod prune;
mod seeds;
mod state;
mod suffixes;
mod words;

use hashbrown::HashSet;

use self::lattice::Lattice;
use self::model::Model;
use self::seeds::Seeds;
use self::words::Words;
use super::{Counts, Watch};
use crate::error::TrainError;
use crate::spec::{Unigram, Vocab};

/// How a unigram model is trained; the defaults are those of Hugging Face.
#[derive(Debug, Clone, PartialEq)]
pub struct UnigramTrainer {
    /// How many tokens there are to be, special ones and bytes included.
    pub vocab_size: usize,
    /// The first tokens, in this order.
    pub special_tokens: Vec<String>,
    /// The token for the unknown; it becomes the first one if it is no special token.
    pub unk_token: Option<String>,
    /// The share of the pieces that a round leaves.
    pub shrinking_factor: f64,
    /// The most characters of a piece.
    pub max_piece_length: usize,
    /// Steps of expectation and maximization in a round.
    pub n_sub_iterations: usize,
    /// How many pieces training starts from, characters included.
    pub seed_size: usize,
    /// Characters that are to be tokens whether or not they are in the text.
    pub initial_alphabet: Vec<char>,
    /// Whether there are to be tokens for the 256 bytes, for characters that are no tokens.
    pub byte_fallback: bool,
    /// The share of the text's characters that the alphabet has to reach; rarer ones are unknown.
    pub character_coverage: f64,
    /// How many threads; 0 for as many as CPUs. The result does not depend on it.
    pub threads: usize,
}

impl Default for UnigramTrainer {
    fn default() -> Self {
        Self {
            vocab_size: 8000,
            special_tokens: Vec::new(),
            unk_token: None,
            shrinking_factor: 0.75,
            max_piece_length: 16,
            n_sub_iterations: 2,
            seed_size: 1_000_000,
            initial_alphabet: Vec::new(),
            byte_fallback: false,
            character_coverage: 1.0,
            threads: 0,
        }
    }
}

impl UnigramTrainer {
    /// Trains a model; its ids are places in its vocabulary.
    ///
    /// # Errors
    ///
    /// [`TrainError::Option`] for an option out of its range, and for a `vocab_size` that can't hold
    /// the special tokens and all characters; [`TrainError::Stopped`].
    ///
    /// ```
    /// use fretsaw::train::{Counts, UnigramTrainer, Watch};
    ///
    /// let counts: Counts = [("hug", 10), ("pug", 5), ("hugs", 5)].into_iter().collect();
    /// let trainer = UnigramTrainer { vocab_size: 7, ..UnigramTrainer::default() };
    /// let model = trainer.learn(&counts, Watch::nobody())?;
    /// let tokens: Vec<&str> = model.vocab.iter().map(|(token, _)| token).collect();
    /// assert_eq!(tokens, ["hug", "pug", "s", "g", "u", "h", "p"]);
    /// # Ok::<(), fretsaw::TrainError>(())
    /// ```
    pub fn learn(&self, counts: &Counts, watch: Watch<'_>) -> Result<Unigram, TrainError> {
        check(self)?;
        let words = Words::new(counts, self.character_coverage)?;
        let mut made = Made::before_pieces(self);
        let required = made.required(&words, self);
        let Some(room) = self.vocab_size.checked_sub(made.pieces.len() + required.len()) else {
            return Err(TrainError::Option {
                name: "vocab_size",
                value: self.vocab_size.to_string(),
                expected: "enough for the special tokens, the bytes and all characters",
            });
        };
        let mut learned = learn(&words, self, room, &made.taken, watch)?;
        made.add(&mut learned, required);
        made.finish(self)
    }
}

fn check(options: &UnigramTrainer) -> Result<(), TrainError> {
    let wrong = |name, value: String, expected| Err(TrainError::Option { name, value, expected });
    if !(options.shrinking_factor > 0.0 && options.shrinking_factor < 1.0) {
        let value = options.shrinking_factor.to_string();
        return wrong("shrinking_factor", value, "between 0 and 1, without both");
    }
    if !(options.character_coverage > 0.0 && options.character_coverage <= 1.0) {
        let value = options.character_coverage.to_string();
        return wrong("character_coverage", value, "more than 0 and at most 1");
    }
    if !(1..=MOST_CHARS).contains(&options.max_piece_length) {
        return wrong("max_piece_length", options.max_piece_length.to_string(), "from 1 to 255");
    }
    if options.seed_size > MOST_SEEDS {
        return wrong("seed_size", options.seed_size.to_string(), "at most 2^30");
    }
    Ok(())
}

const MOST_CHARS: usize = 255;
const MOST_SEEDS: usize = 1 << 30;

/// Pieces with scores, and the least of these.
struct Learned {
    pieces: Vec<(String, f64)>,
    least_score: f64,
}

/// At most `room` pieces of two characters and more, and the characters that have a score.
fn learn(
    words: &Words,
    options: &UnigramTrainer,
    room: usize,
    taken: &HashSet<String>,
    watch: Watch<'_>,
) -> Result<Learned, TrainError> {
    let mut training = match watch.from() {
        Some(state) => Training::restored(state, words, options, watch)?,
        None => Training::new(words, options, taken, watch)?,
    };
    training.go(options, room)?;
    let model = training.model;
    let chars = words.alphabet.iter().zip(&model.chars).zip(&model.scores);
    let chars = chars.filter(|((_, &left), _)| left);
    let chars = chars.map(|((char, _), &score)| (char.to_string(), score));
    let seeds = model.seeds().map(|(id, piece)| (words.text(piece), model.scores[id]));
    Ok(Learned { pieces: chars.chain(seeds).collect(), least_score: model.least_score() })
}

/// A model and the text it is trained on.
struct Training<'a> {
    words: &'a Words,
    lattice: Lattice,
    model: Model,
    /// Whether the last cut is done, and how many steps are since a cut.
    is_last: bool,
    steps: usize,
    threads: usize,
    watch: Watch<'a>,
}

impl<'a> Training<'a> {
    /// All seeds but those that are `taken`.
    fn new(
        words: &'a Words,
        options: &UnigramTrainer,
        taken: &HashSet<String>,
        watch: Watch<'a>,
    ) -> Result<Self, TrainError> {
        let threads = options.threads;
        let longest = options.max_piece_length as u32;
        let most = options.seed_size.saturating_sub(words.alphabet.len());
        let seeds = Seeds::new(words, longest, most, threads, watch)?;
        let lattice = Lattice::new(words, &seeds, threads, watch)?;
        let mut model = Model::new(words, &seeds);
        if !taken.is_empty() {
            let texts = model.pieces.iter().map(|&piece| words.text(piece));
            let goes: Vec<bool> = texts.map(|text| taken.contains(&text)).collect();
            model.remove(|index| goes[index]);
        }
        Ok(Self { words, lattice, model, is_last: false, steps: 0, threads, watch })
    }

    /// From where training is to its end, which leaves at most `room` seeds.
    fn go(&mut self, options: &UnigramTrainer, room: usize) -> Result<(), TrainError> {
        let enough = options.vocab_size.saturating_add(options.vocab_size / 10);
        while !self.is_last {
            self.improve(options.n_sub_iterations, false)?;
            let left = self.model.len();
            if left <= enough {
                self.kept(|training| training.cut(room, true))?;
                self.model.bring_back_chars();
                self.is_last = true;
            } else {
                let pieces = ((left as f64 * options.shrinking_factor) as usize).max(enough);
                let chars = left - self.model.seeds().count();
                self.kept(|training| training.cut(pieces.saturating_sub(chars), false))?;
            }
            self.steps = 0;
        }
        self.improve(options.n_sub_iterations, true)
    }

    /// Steps of expectation and maximization, until there were so many; with `all`, no seed vanishes.
    fn improve(&mut self, steps: usize, all: bool) -> Result<(), TrainError> {
        while self.steps < steps {
            self.kept(|training| {
                let Self { words, lattice, model, threads, watch, .. } = training;
                let expected =
                    expect::expected(words, lattice, &model.probabilities, *threads, *watch)?;
                model.maximize(&expected, all);
                model.compact(lattice);
                Ok(())
            })?;
            self.steps += 1;
        }
        Ok(())
    }

    /// Does a step, which fails before it changes anything; gives the state before it if that is wanted.
    fn kept(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        self.watch.keep(|| self.state());
        step(self).inspect_err(|_| self.watch.keep(|| self.state()))
    }

    /// Leaves the seeds that would be missed most, of equal ones the heavier at the start. Those
    /// that are not used stay only where `unused` says so and there is room.
    fn cut(&mut self, seeds_left: usize, unused: bool) -> Result<(), TrainError> {
        let Self { words, lattice, model, threads, watch, .. } = self;
        let frequencies = prune::frequencies(words, lattice, &model.scores, *threads, *watch)?;
        let losses = prune::losses(lattice, model, &frequencies, *threads, *watch)?;
        let mut ranked: Vec<(f32, usize)> = Vec::with_capacity(losses.len());
        for (index, piece) in model.pieces.iter().enumerate() {
            match losses[index] {
                Some(loss) => ranked.push((loss, index)),
                None if unused && piece.len > 0 => ranked.push((f32::NEG_INFINITY, index)),
                None => {}
            }
        }
        ranked.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut stays = vec![false; losses.len()];
        for &(_, index) in ranked.iter().take(seeds_left) {
            stays[index] = true;
        }
        model.remove(|index| !stays[index]);
        model.compact(lattice);
        Ok(())
    }
}

/// The vocabulary while it is put together.
struct Made {
    pieces: Vec<(String, f64)>,
    unk_id: Option<usize>,
    /// What no piece may be, since a token before the pieces is.
    taken: HashSet<String>,
}

impl Made {
    /// The special tokens, the unknown one in front if it is none of them, and the bytes.
    fn before_pieces(options: &UnigramTrainer) -> Self {
        let mut tokens: Vec<String> = options.special_tokens.clone();
        let unk_id = options.unk_token.as_ref().map(|unk| {
            tokens.iter().position(|token| token == unk).unwrap_or_else(|| {
                tokens.insert(0, unk.clone());
                0
            })
        });
        if options.byte_fallback {
            tokens.extend((0..=u8::MAX).map(|byte| format!("<0x{byte:02X}>")));
        }
        Self {
            taken: tokens.iter().cloned().collect(),
            pieces: tokens.into_iter().map(|token| (token, 0.0)).collect(),
            unk_id,
        }
    }

    /// Characters that have to be tokens, the commonest first.
    fn required(&self, words: &Words, options: &UnigramTrainer) -> Vec<String> {
        let mut chars: Vec<(u64, char)> =
            words.alphabet_counts.iter().copied().zip(words.alphabet.iter().copied()).collect();
        let more = options.initial_alphabet.iter();
        chars.extend(
            more.filter(|char| words.alphabet.binary_search(char).is_err()).map(|&char| (0, char)),
        );
        chars.sort_unstable_by_key(|&(count, char)| (std::cmp::Reverse(count), char));
        chars.dedup();
        let strings = chars.into_iter().map(|(_, char)| char.to_string());
        strings.filter(|char| !self.taken.contains(char)).collect()
    }

    /// Adds pieces by falling score, of equal ones the first in byte order. Required characters
    /// without a score follow, each 0.0001 below the one before.
    fn add(&mut self, learned: &mut Learned, required: Vec<String>) {
        let taken = &self.taken;
        learned.pieces.retain(|(piece, _)| !taken.contains(piece));
        learned.pieces.sort_unstable_by(|one, other| {
            other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0))
        });
        let known: HashSet<String> =
            learned.pieces.iter().map(|(piece, _)| piece.clone()).collect();
        self.pieces.append(&mut learned.pieces);
        let missing = required.into_iter().filter(|char| !known.contains(char));
        for (index, char) in missing.enumerate() {
            self.pieces.push((char, learned.least_score - 0.0001 * (index + 1) as f64));
        }
    }

    fn finish(self, options: &UnigramTrainer) -> Result<Unigram, TrainError> {
        let mut vocab = Vocab::new();
        for (id, (token, _)) in (0..).zip(&self.pieces) {
            if !vocab.push(token, id) {
                return Err(TrainError::Option {
                    name: "vocab_size",
                    value: options.vocab_size.to_string(),
                    expected: "one whose tokens have less than 4 GiB together",
                });
            }
        }
        Ok(Unigram {
            vocab,
            scores: self.pieces.into_iter().map(|(_, score)| score).collect(),
            unk_id: self.unk_id,
            byte_fallback: options.byte_fallback,
            alpha: None,
            nbest_size: None,
        })
    }
}

#[cfg(test)]
mod tests;
