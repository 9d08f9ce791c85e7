//! Which pieces the text would miss most.
//!
//! Every word is cut the best way; how often a piece is used is its frequency. Of a piece that is
//! used, the best way to cut the piece itself without it is its alternative. If the piece went,
//! each of its uses would become one of every piece of the alternative, and the loss is how much
//! less likely the text became, frequencies taken for probabilities. A piece that is not used is no
//! loss. Losses are compared as 32-bit floats. Among equally good ways to a place the one whose last piece starts first counts.
//!
//! Frequencies are whole numbers, so that threads can't change them.
//!
//! Cost: linear in the ways of all words and in those of the pieces that are used.
//! Source: Kudo, "Subword Regularization" (2018), section 3.2; the loss as sentencepiece 0.2.3 and
//! Hugging Face tokenizers 0.23.3 compute it.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::lattice::{Lattice, Part};
use super::model::Model;
use super::suffixes::NONE;
use super::words::Words;
use super::{TrainError, Watch};
use crate::pool;

/// Pieces whose alternatives are one task for a thread.
const TASK: usize = 1 << 13;

/// How often each piece is used where all words are cut the best way, given the logarithms of
/// probabilities.
pub fn frequencies(
    words: &Words,
    lattice: &Lattice,
    scores: &[f64],
    threads: usize,
    watch: Watch<'_>,
) -> Result<Vec<u64>, TrainError> {
    let threads = pool::threads_meant(threads).min(lattice.parts.len()).max(1);
    let next = AtomicUsize::new(0);
    let sums = pool::map(threads, threads, |_| {
        let mut sums = vec![0u64; scores.len()];
        let mut best = Best::default();
        while let Some(part) = lattice.parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            watch.tell("best cuts", part.words.end as u64, words.len() as u64)?;
            for word in part.words.clone() {
                best.find(part, words.span(word), scores, NONE);
                best.walk(|id| {
                    let sum = &mut sums[id as usize];
                    *sum = sum.saturating_add(words.counts[word]);
                });
            }
        }
        Ok(sums)
    });
    let mut sums = sums.into_iter().collect::<Result<Vec<_>, TrainError>>()?.into_iter();
    let mut total = sums.next().unwrap_or_default();
    for other in sums {
        let both = total.iter_mut().zip(other);
        both.for_each(|(total, other)| *total = total.saturating_add(other));
    }
    Ok(total)
}

/// The loss of each seed; `None` where it is not used.
pub fn losses(
    lattice: &Lattice,
    model: &Model,
    frequencies: &[u64],
    threads: usize,
    watch: Watch<'_>,
) -> Result<Vec<Option<f32>>, TrainError> {
    let total: f64 = frequencies.iter().map(|&frequency| frequency as f64).sum();
    let Model { pieces, scores, .. } = model;
    let first_id = model.first_seed();
    let tasks = pieces.len().div_ceil(TASK);
    let losses = pool::map(threads, tasks, |task| {
        watch.tell("losses", task as u64, tasks as u64)?;
        let mut best = Best::default();
        let range = task * TASK..pieces.len().min((task + 1) * TASK);
        let of_piece = |index: usize| {
            let frequency = frequencies[first_id + index] as f64;
            if frequency == 0.0 {
                return None;
            }
            let piece = pieces[index];
            let at = piece.at as usize;
            let span = at..at + piece.len as usize;
            best.find(lattice.part_of(at), span, scores, (first_id + index) as u32);
            let (mut count, mut sum) = (0.0, 0.0);
            best.walk(|id| {
                count += 1.0;
                sum += (frequencies[id as usize] as f64 + frequency).ln();
            });
            let total_without = total + frequency * (count - 1.0);
            let with = frequency.ln() - total.ln();
            Some((frequency * (with - (sum - count * total_without.ln()))) as f32)
        };
        Ok(range.map(of_piece).collect::<Vec<_>>())
    });
    Ok(losses.into_iter().collect::<Result<Vec<_>, TrainError>>()?.concat())
}

/// The best way to cut something.
#[derive(Default)]
struct Best {
    scores: Vec<f64>,
    /// Of each place, the length and the id of the last piece on the best way to it.
    last: Vec<(u16, u32)>,
}

impl Best {
    /// Finds the best way through some places of a part, without the piece `without`.
    fn find(&mut self, part: &Part, span: Range<usize>, scores: &[f64], without: u32) {
        let len = span.len();
        self.scores.clear();
        self.scores.resize(len + 1, f64::NEG_INFINITY);
        self.scores[0] = 0.0;
        self.last.clear();
        self.last.resize(len + 1, (1, 0));
        for place in 0..len {
            let here = self.scores[place];
            let ways = part.pieces(span.start + place);
            for (&id, &piece_len) in part.ids[ways.clone()].iter().zip(&part.lens[ways]) {
                let to = place + piece_len as usize;
                if to > len || id == without {
                    continue;
                }
                let score = here + scores[id as usize];
                if score > self.scores[to] {
                    self.scores[to] = score;
                    self.last[to] = (piece_len, id);
                }
            }
        }
    }

    /// The pieces of the way that was found, from the last to the first.
    fn walk(&self, mut piece: impl FnMut(u32)) {
        let mut at = self.last.len() - 1;
        while at > 0 {
            let (len, id) = self.last[at];
            piece(id);
            at -= len as usize;
        }
    }
}
