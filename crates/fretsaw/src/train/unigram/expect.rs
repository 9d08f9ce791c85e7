//! How often each piece is to be expected: the forward and backward sums over all ways to cut.
//!
//! With p the probability of a piece, F(i) sums the ways from the start of a word to its place i
//! and B(i) those from i to the end; a piece from i to j is in F(i) p B(j) / F(n) of all ways.
//! The sums are of probabilities, not of logarithms: two multiplications and two additions a piece.
//! So that long words don't run out of exponents, sums that have become small are scaled up
//! together by 2^64, and each place remembers how often. What counts is the largest sum among the
//! places that one piece can reach: it falls by no more than the least probability at a step.
//!
//! Expectations are added up as whole numbers, in units so small that the text's characters fit
//! into 62 bits: sums of whole numbers are the same in any order, so threads can't change them. Only
//! scores of a damaged state could make them overflow, and then they wrap.
//!
//! Cost: linear in the ways; 8 bytes a piece for each thread.
//! Source: Kudo, "Subword Regularization" (2018), section 3.2.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::lattice::{Lattice, Part};
use super::words::Words;
use super::{TrainError, Watch};
use crate::pool;

const STEP: i32 = 64;
const SMALL: f64 = 1.0 / (1u128 << STEP) as f64;
const UP: f64 = (1u128 << STEP) as f64;

/// The expected number of each piece in the text, given their probabilities.
pub fn expected(
    words: &Words,
    lattice: &Lattice,
    probabilities: &[f64],
    threads: usize,
    watch: Watch<'_>,
) -> Result<Vec<f64>, TrainError> {
    let units = units(words);
    let threads = pool::threads_meant(threads).min(lattice.parts.len()).max(1);
    let next = AtomicUsize::new(0);
    let sums = pool::map(threads, threads, |_| {
        let mut sums = vec![0i64; probabilities.len()];
        let mut scratch = Scratch { reach: lattice.reach, ..Scratch::default() };
        while let Some(part) = lattice.parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            watch.tell("expectation", part.words.end as u64, words.len() as u64)?;
            for word in part.words.clone() {
                let weight = words.counts[word] as f64 * units;
                scratch.add_word(part, words.span(word), probabilities, weight, &mut sums);
            }
        }
        Ok(sums)
    });
    let mut sums = sums.into_iter().collect::<Result<Vec<_>, TrainError>>()?.into_iter();
    let mut total = sums.next().unwrap_or_default();
    for other in sums {
        total.iter_mut().zip(other).for_each(|(total, other)| *total = total.wrapping_add(other));
    }
    Ok(total.into_iter().map(|sum| sum as f64 / units).collect())
}

/// A power of 2: how many units are one occurrence.
fn units(words: &Words) -> f64 {
    let sizes = (0..words.len()).map(|word| words.span(word).len() as f64);
    let chars: f64 = sizes.zip(&words.counts).map(|(size, &count)| size * count as f64).sum();
    (61.0 - chars.max(1.0).log2().ceil()).min(40.0).exp2()
}

/// Sums of one word, kept for the next.
#[derive(Default)]
struct Scratch {
    reach: usize,
    forward: Vec<f64>,
    backward: Vec<f64>,
    /// Of each place, how often its forward sum was scaled up.
    scaled: Vec<i32>,
    /// The probability of each way on.
    ways: Vec<f64>,
}

impl Scratch {
    /// Adds what is expected in one word.
    fn add_word(
        &mut self,
        part: &Part,
        span: Range<usize>,
        probabilities: &[f64],
        weight: f64,
        sums: &mut [i64],
    ) {
        self.sum_forward(part, &span, probabilities);
        let len = span.len();
        self.backward.clear();
        self.backward.resize(len + 1, 0.0);
        self.backward[len] = 1.0;
        let weight = weight / self.forward[len];
        let all_ways = part.pieces(span.start).start;
        let mut scaled = 0;
        for place in (0..len).rev() {
            let ways = part.pieces(span.start + place);
            let excess = self.scaled[len] - self.scaled[place] - scaled;
            let mut before = self.forward[place] * weight;
            if excess != 0 {
                before *= f64::from((STEP * excess).clamp(-960, 960)).exp2();
            }
            let ids = &part.ids[ways.clone()];
            let lens = &part.lens[ways.clone()];
            let probabilities = &self.ways[ways.start - all_ways..ways.end - all_ways];
            let mut sum = 0.0;
            for ((&id, &len), &probability) in ids.iter().zip(lens).zip(probabilities) {
                let after = probability * self.backward[place + len as usize];
                sum += after;
                let total = &mut sums[id as usize];
                *total = total.wrapping_add((before * after) as i64);
            }
            self.backward[place] = sum;
            if sum < SMALL && scale_up(&mut self.backward[place..], self.reach) {
                scaled += 1;
            }
        }
    }

    /// Fills the forward sums, their scales and the probabilities of the ways.
    fn sum_forward(&mut self, part: &Part, span: &Range<usize>, probabilities: &[f64]) {
        let len = span.len();
        self.forward.clear();
        self.forward.resize(len + 1, 0.0);
        self.forward[0] = 1.0;
        self.scaled.clear();
        self.ways.clear();
        let mut scaled = 0;
        for place in 0..len {
            if self.forward[place] < SMALL && scale_up(&mut self.forward[place..], self.reach) {
                scaled += 1;
            }
            self.scaled.push(scaled);
            let here = self.forward[place];
            let ways = part.pieces(span.start + place);
            for (&id, &len) in part.ids[ways.clone()].iter().zip(&part.lens[ways]) {
                let probability = probabilities[id as usize];
                self.ways.push(probability);
                self.forward[place + len as usize] += here * probability;
            }
        }
        self.scaled.push(scaled);
    }
}

/// Scales up what a piece can reach if all of it is small.
fn scale_up(sums: &mut [f64], reach: usize) -> bool {
    let reached = sums.len().min(reach + 1);
    let small = sums[..reached].iter().all(|&sum| sum < SMALL);
    if small {
        sums[..reached].iter_mut().for_each(|sum| *sum *= UP);
    }
    small
}
