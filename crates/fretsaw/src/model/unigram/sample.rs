//! One of the ways to cut a piece, by chance: subword regularization.
//!
//! `alpha` makes the choice more even the nearer it is to 0. With `nbest_size` the way is one of so
//! many best ones (`nbest.rs`), else any way at all, here:
//!
//! - forward, each place gets the logarithm of a sum over the steps to it, of `alpha` times score and
//!   sum at the step's start together. (So `alpha` counts again with every step on the way. A forward
//!   pass for probabilities to the power of `alpha` would leave the sum at the start alone.)
//! - backward from the end, a step is drawn with the weight
//!   exp(sum at its start + `alpha` * score - sum here).
//!
//! Two more things are as in the oracle: of sums more than 50 apart the smaller is dropped, and a
//! step with the id of the first one to the place (the unknown token, spelled out, and its last
//! character) begins the sum anew. For an `alpha` above 1 the sums grow with every step until the
//! weights are infinite or not numbers, where the oracle panics; here that is an error.
//!
//! Cost: constant time for each token that matches anywhere, 16 bytes of buffer a byte of the piece.
//!
//! Source: Kudo 2018 (<https://aclanthology.org/P18-1007>); behaviour of `Unigram` with `alpha` in
//! Hugging Face tokenizers 0.23.3.

use super::lattice::{Lattice, Place};
use super::nbest::sample_best;
use super::{Step, Unigram};
use crate::error::{EncodeError, LoadError, Problem};
use crate::model::random::Random;
use crate::spec;

/// How a way is chosen.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// How much scores count; more than 0.
    alpha: f64,
    /// How many of the best ways may be chosen, or 0 for any.
    nbest_size: usize,
}

impl Sampling {
    /// What a spec says; `None` where the best way is always taken.
    pub fn of(spec: &spec::Unigram) -> Result<Option<Self>, LoadError> {
        let Some(alpha) = spec.alpha else { return Ok(None) };
        if !(alpha >= 0.0 && alpha.is_finite()) {
            let (value, expected) = (alpha.to_string(), "a finite number from 0 on");
            return Err(LoadError::at("model.alpha", Problem::OutOfRange { value, expected }));
        }
        let nbest_size = spec.nbest_size.unwrap_or(0);
        Ok((alpha > 0.0).then_some(Self { alpha, nbest_size }))
    }
}

/// Buffers reused from piece to piece.
#[derive(Default)]
pub struct SampleScratch {
    pub(super) places: Vec<Place>,
    sums: Vec<f64>,
    weights: Vec<f64>,
}

impl Unigram {
    /// Chooses a way, and writes each step of it to where it ends. `false` where there is none and
    /// the piece leaves no trace.
    pub(super) fn sample(
        &self,
        piece: &[u8],
        sampling: Sampling,
        scratch: &mut SampleScratch,
        random: &mut Random,
        best: &mut [Step],
    ) -> Result<bool, EncodeError> {
        let SampleScratch { places, sums, weights } = scratch;
        let Sampling { alpha, nbest_size } = sampling;
        let lattice = Lattice::new(&self.matcher, piece, self.unknown, self.unknown_score, places);
        if self.unknown.is_none() {
            // The oracle compares each step with the unknown token, and fails over the first. What
            // can't be cut at all has no steps; where any way may be chosen it panics over that.
            let has_way = match nbest_size {
                0 => true,
                1 => lattice.has_no_gap(),
                _ => lattice.can_be_cut(),
            };
            let missing = EncodeError::UnknownTokenMissing { token: "<unk>".to_owned() };
            return if has_way { Err(missing) } else { Ok(false) };
        }
        match nbest_size {
            0 => sample_any(&lattice, alpha, sums, weights, random, best)
                .ok_or(EncodeError::NoDistribution { piece_bytes: piece.len() })?,
            count => sample_best(&lattice, count, alpha, sums, random, best)?,
        }
        Ok(true)
    }
}

/// Chooses any way; `None` where the weights are no distribution.
fn sample_any(
    lattice: &Lattice<'_>,
    alpha: f64,
    sums: &mut Vec<f64>,
    weights: &mut Vec<f64>,
    random: &mut Random,
    best: &mut [Step],
) -> Option<()> {
    sums.clear();
    sums.resize(lattice.len() + 1, 0.0);
    for end in lattice.ends() {
        sums[end] = sum_at(lattice, alpha, sums, end);
    }
    let mut end = lattice.len();
    while end > 0 {
        let weight = |step: Step| {
            let start = end - step.len as usize;
            (sums[start] + alpha * step.score - sums[end]).exp()
        };
        weights.clear();
        weights.extend(lattice.steps(end).map(weight));
        let drawn = random.weighted(weights)?;
        best[end] = lattice.steps(end).nth(drawn)?;
        end -= best[end].len as usize;
    }
    Some(())
}

/// The sum at a place, from those before it.
fn sum_at(lattice: &Lattice<'_>, alpha: f64, sums: &[f64], end: usize) -> f64 {
    let mut first = None;
    let mut sum = 0.0;
    for step in lattice.steps(end) {
        let term = alpha * (step.score + sums[end - step.len as usize]);
        let id = lattice.id(step);
        sum = if *first.get_or_insert(id) == id { term } else { log_of_sum(sum, term) };
    }
    sum
}

/// The logarithm of the sum of two numbers given as logarithms.
fn log_of_sum(one: f64, other: f64) -> f64 {
    let (less, more) = if one > other { (other, one) } else { (one, other) };
    if more > less + NEGLIGIBLE {
        more
    } else {
        more + ((less - more).exp() + 1.0).ln()
    }
}

/// From this difference on the smaller of two numbers is dropped.
const NEGLIGIBLE: f64 = 50.0;

#[cfg(test)]
mod tests;
