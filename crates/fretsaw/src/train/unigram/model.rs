//! The model while it is trained: pieces that are left and the logarithms of their probabilities.
//!
//! Maximization is the one of a Bayesian prior that likes few pieces: exp(digamma(c)) in place of
//! a count c, which takes about half an occurrence from each piece. A piece that is expected less
//! than half a time vanishes. A character then counts as unknown, like those of symbol 0: ten
//! below the least score.
//!
//! What is decided must not hang on the last bits of a sum: expectations are compared as 32-bit
//! floats, and scores are multiples of 2^-20, so that sums of them are exact and what is equally
//! likely has equal scores.
//!
//! Source: Liang and Klein, "Structured Bayesian Nonparametric Models with Variational Inference"
//! (2007); the threshold and the penalty are those of sentencepiece 0.2.3.

use super::lattice::Lattice;
use super::seeds::{Piece, Seeds};
use super::suffixes::NONE;
use super::words::Words;

const LEAST_EXPECTED: f32 = 0.5;
/// A score is a whole number of these parts of 1.
const PARTS: f64 = (1 << 20) as f64;
const UNKNOWN_PENALTY: f64 = 10.0;
/// Ids are given anew, and what vanished leaves the lattice, when this share of them is left.
const KEPT_SHARE: f64 = 0.9;

/// Characters, the unknown, seeds: in the order of their ids.
pub struct Model {
    /// Logarithms of probabilities, of the unknown too.
    pub scores: Vec<f64>,
    pub probabilities: Vec<f64>,
    /// Whether a character is left.
    pub chars: Vec<bool>,
    /// Where each seed stands; those that vanished have length 0.
    pub pieces: Vec<Piece>,
}

impl Model {
    /// The model of the weights that the seeds have.
    pub fn new(words: &Words, seeds: &Seeds) -> Self {
        let chars = words.alphabet_counts.iter().map(|&count| count as f64);
        let weights: Vec<f64> = chars.chain([0.0]).chain(seeds.weights.iter().copied()).collect();
        let total: f64 = weights.iter().sum();
        let mut model = Self {
            scores: weights.iter().map(|weight| rounded(weight.ln() - total.ln())).collect(),
            probabilities: Vec::new(),
            chars: vec![true; words.alphabet.len()],
            pieces: seeds.pieces.clone(),
        };
        model.settle();
        model
    }

    /// A model as it was: all scores, whether each character is left, and the seeds.
    pub fn restored(scores: Vec<f64>, chars: Vec<bool>, pieces: Vec<Piece>) -> Self {
        let mut model = Self { scores, probabilities: Vec::new(), chars, pieces };
        model.settle();
        model
    }

    /// The id of the first seed.
    pub fn first_seed(&self) -> usize {
        self.chars.len() + 1
    }

    /// How many pieces are left, the unknown apart.
    pub fn len(&self) -> usize {
        self.chars.iter().filter(|&&left| left).count() + self.seeds().count()
    }

    /// The ids and places of the seeds that are left.
    pub fn seeds(&self) -> impl Iterator<Item = (usize, Piece)> + '_ {
        (self.first_seed()..).zip(self.pieces.iter().copied()).filter(|(_, piece)| piece.len > 0)
    }

    /// The score of the unlikeliest piece that is left.
    pub fn least_score(&self) -> f64 {
        let chars = self.scores.iter().zip(&self.chars).filter(|(_, &left)| left);
        let seeds = self.seeds().map(|(id, _)| self.scores[id]);
        chars.map(|(&score, _)| score).chain(seeds).fold(0.0, f64::min)
    }

    /// Takes seeds out.
    pub fn remove(&mut self, goes: impl Fn(usize) -> bool) {
        let first = self.first_seed();
        for (index, piece) in self.pieces.iter_mut().enumerate() {
            if piece.len > 0 && goes(index) {
                piece.len = 0;
                self.scores[first + index] = f64::NEG_INFINITY;
            }
        }
        self.settle();
    }

    /// Lets all characters count again, with the score that they have as unknown.
    pub fn bring_back_chars(&mut self) {
        self.chars.fill(true);
        self.settle();
    }

    /// Scores by what is expected of each piece. With `all`, seeds stay though little is expected.
    pub fn maximize(&mut self, expected: &[f64], all: bool) {
        let first = self.first_seed();
        for (left, &count) in self.chars.iter_mut().zip(expected) {
            *left &= count as f32 >= LEAST_EXPECTED;
        }
        let mut sum = 0.0;
        for (id, &count) in expected.iter().enumerate() {
            if self.counts(id, count, all) {
                sum += count.max(LEAST_EXPECTED.into());
            }
        }
        let of_all = digamma(sum);
        for (id, &count) in expected.iter().enumerate() {
            self.scores[id] = if self.counts(id, count, all) {
                rounded(digamma(count.max(LEAST_EXPECTED.into())) - of_all)
            } else {
                f64::NEG_INFINITY
            };
        }
        for (piece, &count) in self.pieces.iter_mut().zip(&expected[first..]) {
            if (count as f32) < LEAST_EXPECTED && !all {
                piece.len = 0;
            }
        }
        self.settle();
    }

    /// Whether a piece is left, given what is expected of it.
    fn counts(&self, id: usize, count: f64, all: bool) -> bool {
        match id.checked_sub(self.first_seed()) {
            Some(seed) => self.pieces[seed].len > 0 && (all || count as f32 >= LEAST_EXPECTED),
            None => self.chars.get(id).is_some_and(|&left| left),
        }
    }

    /// The scores of what is unknown, and all probabilities.
    fn settle(&mut self) {
        let unknown = self.least_score() - UNKNOWN_PENALTY;
        let chars = self.chars.iter().chain([&false]);
        for (score, _) in self.scores.iter_mut().zip(chars).filter(|(_, &left)| !left) {
            *score = unknown;
        }
        self.probabilities.clear();
        self.probabilities.extend(self.scores.iter().map(|score| score.exp()));
    }

    /// Gives the seeds new ids if enough of them vanished.
    pub fn compact(&mut self, lattice: &mut Lattice) {
        let left = self.seeds().count();
        if left as f64 > self.pieces.len() as f64 * KEPT_SHARE {
            return;
        }
        let first = self.first_seed();
        let mut ids: Vec<u32> = (0..self.scores.len() as u32).collect();
        let mut next = first;
        for (index, piece) in self.pieces.iter().enumerate() {
            ids[first + index] = if piece.len > 0 { next as u32 } else { NONE };
            if piece.len > 0 {
                self.scores[next] = self.scores[first + index];
                self.probabilities[next] = self.probabilities[first + index];
                next += 1;
            }
        }
        self.scores.truncate(next);
        self.probabilities.truncate(next);
        self.pieces.retain(|piece| piece.len > 0);
        lattice.renumber(&ids);
    }
}

fn rounded(score: f64) -> f64 {
    (score * PARTS).round_ties_even() / PARTS
}

/// The logarithmic derivative of the gamma function, for a positive number.
///
/// Source: Bernardo, "Algorithm AS 103" (1976), with the expansion about x - 1/2.
fn digamma(mut x: f64) -> f64 {
    let mut below = 0.0;
    while x < 7.0 {
        below -= 1.0 / x;
        x += 1.0;
    }
    let middle = x - 0.5;
    let square = 1.0 / (middle * middle);
    let terms = [1.0 / 24.0, -7.0 / 960.0, 31.0 / 8064.0, -127.0 / 30720.0];
    let series = terms.iter().rev().fold(0.0, |sum, term| (sum + term) * square);
    below + middle.ln() + series
}

#[cfg(test)]
mod tests {
    use super::digamma;

    #[test]
    fn digamma_has_its_known_values() {
        let euler = 0.577_215_664_901_532_9;
        for (x, value) in [
            (1.0, -euler),
            (0.5, -euler - 2.0 * std::f64::consts::LN_2),
            (2.0, 1.0 - euler),
            (100.0, 4.600_161_852_738_087),
        ] {
            assert!((digamma(x) - value).abs() < 1e-8, "{x}: {}", digamma(x));
        }
    }
}
