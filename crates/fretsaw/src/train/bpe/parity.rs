//! Training byte-pair encoding for several languages at once, so that none is cut much finer.
//!
//! Each language has words and counts of pairs of its own. At each merge one language is chosen, the one
//! whose text is the longest in tokens, and its most frequent pair (of equals the one whose strings are
//! the greatest, the left one first) becomes a rule and is merged in all languages. Lengths are those of
//! texts that are given for that, best the same sentences in every language, or those of the training
//! text; or a ratio for each language says how much its training text is to shrink beside the others'.
//! With a window, a language that has had more than its share of the last choices is passed over. The
//! first merges may be chosen by counts of all languages together.
//!
//! Cost: as in plain training for each language; a merge takes time in proportion to the words that have
//! the pair, and a heap step O(log n) for each pair that it changes. Memory: plain training's, with 48
//! bytes for each change of a pair's count that is still in the heap.
//!
//! Source: Foroutan, Meister, Paul, Niklaus, Ahmadi, Bosselut, Sennrich 2025 (arXiv:2508.04796); the
//! results are those of `ParityBpeTrainer` of Hugging Face tokenizers 0.23.3, whose habits are kept: a
//! language without pairs is out for good, but is chosen where no other may be.

mod choice;
mod language;

use std::collections::HashSet;
use std::sync::Arc;

use choice::{Choice, Scores};
use language::{Language, Queue};

use super::pairs::{sides, Pair, PairMap};
use super::{last_of_each, BpeTrainer, LearnedBpe, Tokens};
use crate::error::TrainError;
use crate::train::{Counts, Watch};

/// How to train; the names and defaults are Hugging Face's.
#[derive(Debug, Clone, PartialEq)]
pub struct ParityBpeTrainer {
    /// What is as in plain training; `vocab_size`, `known` and `character_coverage` have no part.
    pub bpe: BpeTrainer,
    /// How many merges to learn.
    pub num_merges: usize,
    /// Whether `num_merges` counts the first tokens, too.
    pub total_symbols: bool,
    /// How many merges are chosen by the counts of all languages together, at first.
    pub global_merges: usize,
    /// How much each language is to shrink beside the others.
    pub ratio: Option<Vec<f64>>,
    /// A language may have at most its share of the last choices.
    pub window: Option<Window>,
}

/// At most `alpha` / (number of languages) of the last `size` choices are for one language.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// How many choices are looked at.
    pub size: usize,
    /// 1 gives each language its equal share and no more.
    pub alpha: f64,
}

/// How many merges there are between two looks at the watch.
const MERGES_A_LOOK: usize = 256;

impl ParityBpeTrainer {
    /// Learns merges from the counted words of each language; with `dev`, languages are compared by
    /// these words, which are not learned from.
    ///
    /// ```
    /// use fretsaw::train::{BpeTrainer, Counts, ParityBpeTrainer, Watch};
    ///
    /// let languages: Vec<Counts> =
    ///     [("ab", 9), ("cd", 2)].into_iter().map(|word| [word].into_iter().collect()).collect();
    /// let trainer = ParityBpeTrainer {
    ///     bpe: BpeTrainer::default(),
    ///     num_merges: 1,
    ///     total_symbols: false,
    ///     global_merges: 0,
    ///     ratio: Some(vec![1.0, 2.0]),
    ///     window: None,
    /// };
    /// let learned = trainer.learn(&languages, None, Watch::nobody())?;
    /// assert_eq!(learned.tokens, ["a", "b", "c", "d", "cd"]);
    /// # Ok::<(), fretsaw::TrainError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TrainError::Option`] where there is not one ratio or dev text a language, where ratios, window
    /// or alpha are not positive numbers, and what plain training says.
    pub fn learn(
        &self,
        languages: &[Counts],
        dev: Option<&[Counts]>,
        watch: Watch<'_>,
    ) -> Result<LearnedBpe, TrainError> {
        self.check(languages, dev)?;
        let mut tokens = Tokens::default();
        let training: Vec<&Counts> = languages.iter().collect();
        let all: Vec<&Counts> = languages.iter().chain(dev.into_iter().flatten()).collect();
        self.bpe.first_tokens(&all, &mut tokens)?;
        watch.tell("words", 0, all.iter().map(|counts| counts.len() as u64).sum())?;
        let ids = self.bpe.symbol_ids(&training, &mut tokens)?;
        let threads = self.bpe.threads;
        let language = |counts: &&Counts| Language::new(self.bpe.spell(counts, &ids), threads);
        let languages: Vec<Language> = training.iter().map(language).collect();
        let known =
            |counts: &Counts| Language::new(self.bpe.spell_known(counts, &ids, &tokens), threads);
        let dev = dev.map(|dev| dev.iter().map(known).collect());
        watch.tell("pairs", 0, 0)?;
        let merges = Learning::new(self, languages, dev, &tokens).merges(&mut tokens, watch)?;
        Ok(LearnedBpe { tokens: tokens.strings, merges: last_of_each(merges) })
    }

    fn check(&self, languages: &[Counts], dev: Option<&[Counts]>) -> Result<(), TrainError> {
        let refused = |name: &'static str, value: String, expected: &'static str| {
            Err(TrainError::Option { name, value, expected })
        };
        if languages.is_empty() {
            return refused("languages", "empty".to_owned(), "at least one language");
        }
        let expected = "one for each language";
        for (name, len) in
            [("ratio", self.ratio.as_ref().map(Vec::len)), ("dev", dev.map(<[_]>::len))]
        {
            if len.is_some_and(|len| len != languages.len()) {
                return refused(name, format!("of {}", len.unwrap_or_default()), expected);
            }
        }
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        if let Some(&ratio) = self.ratio.iter().flatten().find(|&&ratio| !is_positive(ratio)) {
            return refused("ratio", ratio.to_string(), "a positive number");
        }
        match self.window {
            Some(Window { size: 0, .. }) => refused("window_size", "0".to_owned(), "more than 0"),
            Some(Window { alpha, .. }) if !is_positive(alpha) => {
                refused("alpha", alpha.to_string(), "a positive number")
            }
            _ => Ok(()),
        }
    }
}

struct Learning<'t> {
    trainer: &'t ParityBpeTrainer,
    languages: Vec<Language>,
    dev: Option<Vec<Language>>,
    /// The lengths of the training texts at the start.
    lengths: Vec<i64>,
    queues: Vec<Queue>,
    global: Option<(PairMap<i64>, Queue)>,
    /// The strings of tokens by id, shared by the queues.
    names: Vec<Arc<str>>,
}

impl<'t> Learning<'t> {
    fn new(
        trainer: &'t ParityBpeTrainer,
        languages: Vec<Language>,
        dev: Option<Vec<Language>>,
        tokens: &Tokens,
    ) -> Self {
        let names: Vec<Arc<str>> =
            tokens.strings.iter().map(|token| token.as_str().into()).collect();
        let mut together: PairMap<i64> = PairMap::default();
        if trainer.global_merges > 0 {
            for (&pair, &count) in languages.iter().flat_map(|language| &language.counts) {
                let sum = together.entry(pair).or_default();
                *sum = sum.saturating_add(count.max(0));
            }
        }
        let queue = |counts: &PairMap<i64>| {
            let mut queue = Queue::default();
            counts.iter().for_each(|(&pair, &count)| queue.push(count, pair, &names));
            queue
        };
        let queues = languages.iter().map(|language| queue(&language.counts)).collect();
        let global = (trainer.global_merges > 0).then(|| (together.clone(), queue(&together)));
        let lengths = languages.iter().map(Language::length).collect();
        Learning { trainer, languages, dev, lengths, queues, global, names }
    }

    /// Merges until there are enough, as pairs of ids in the order in which they were found.
    fn merges(
        mut self,
        tokens: &mut Tokens,
        watch: Watch<'_>,
    ) -> Result<Vec<(u32, u32)>, TrainError> {
        let ParityBpeTrainer { num_merges, global_merges, .. } = *self.trainer;
        let wanted = match self.trainer.total_symbols {
            true => num_merges.saturating_sub(tokens.strings.len()),
            false => num_merges,
        };
        let mut choice = Choice::new(self.trainer.window, self.languages.len());
        let mut merges = Vec::new();
        while merges.len() < wanted && !choice.is_over() {
            if merges.len() % MERGES_A_LOOK == 0 {
                watch.tell("merges", merges.len() as u64, wanted as u64)?;
            }
            let chosen = (merges.len() >= global_merges).then(|| choice.next(&self.scores()));
            let Some(pair) = self.best(chosen) else {
                let Some(language) = chosen else { break };
                choice.failed(language);
                continue;
            };
            choice.succeeded();
            let merged = tokens.id(&self.trainer.bpe.joined(tokens, pair))?;
            if merged as usize == self.names.len() {
                self.names.push(tokens.strings[merged as usize].as_str().into());
            }
            merges.push(sides(pair));
            self.merge(pair, merged);
        }
        watch.tell("merges", wanted as u64, wanted as u64)?;
        Ok(merges)
    }

    /// How much each language needs the next merge.
    fn scores(&self) -> Scores {
        if let Some(dev) = &self.dev {
            return Scores::Lengths(dev.iter().map(Language::length).collect());
        }
        let Some(ratio) = &self.trainer.ratio else {
            return Scores::Lengths(self.languages.iter().map(Language::length).collect());
        };
        let now = self.languages.iter().map(|language| language.length() as f64);
        let rates = self.lengths.iter().zip(now).zip(ratio);
        Scores::Rates(rates.map(|((&start, now), ratio)| -(start as f64 / now / ratio)).collect())
    }

    /// The best pair of a language, or of all.
    fn best(&mut self, chosen: Option<usize>) -> Option<Pair> {
        let (counts, queue) = match (chosen, &mut self.global) {
            (Some(at), _) => (&self.languages[at].counts, &mut self.queues[at]),
            (None, Some((counts, queue))) => (&*counts, queue),
            (None, None) => return None,
        };
        let (count, pair) = queue.pop(counts)?;
        (count >= self.trainer.bpe.min_frequency).then_some(pair)
    }

    /// Merges a pair everywhere, and queues what has changed.
    fn merge(&mut self, pair: Pair, merged: u32) {
        let max_len = self.trainer.bpe.max_token_length.unwrap_or(usize::MAX) as u64;
        let mut changed: HashSet<Pair> = [pair].into_iter().collect();
        for (language, queue) in self.languages.iter_mut().zip(&mut self.queues) {
            for other in language.merge(pair, merged, max_len) {
                let count = language.counts.get(&other).copied().unwrap_or_default();
                queue.push(count, other, &self.names);
                if self.global.is_some() {
                    changed.insert(other);
                }
            }
        }
        if let Some((counts, queue)) = &mut self.global {
            for pair in changed {
                let of = |language: &Language| language.counts.get(&pair).copied();
                let sum = self.languages.iter().filter_map(of).fold(0, i64::saturating_add);
                counts.insert(pair, sum.max(0));
                queue.push(sum, pair, &self.names);
            }
        }
        for language in self.dev.iter_mut().flatten() {
            language.merge(pair, merged, u64::MAX);
        }
    }
}

#[cfg(test)]
mod tests;
