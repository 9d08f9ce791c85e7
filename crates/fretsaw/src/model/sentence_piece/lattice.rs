//! All ways to cut a text into pieces of a Unigram model, for the best ones and for choosing by chance.
//!
//! Cost: memory and time in proportion to the pieces that match anywhere in the text.
//!
//! Source: `Lattice` and `PopulateNodes` of `unigram_model.cc` in sentencepiece 0.2.3. Weights are
//! added in 64 bits where it chooses by chance.

use super::{char_len, unigram, Found, SentencePiece};
use crate::model::random::Random;
use crate::spec::PieceType;

/// The start and the end of the text, as nodes.
pub const FIRST: usize = 0;
pub const LAST: usize = 1;

/// A piece that matches.
#[derive(Debug, Clone, Copy)]
pub struct LatticeNode {
    /// Where it starts, in characters.
    pub pos: usize,
    /// Where it ends in the text, in bytes.
    end: usize,
    /// None for an unknown character.
    id: Option<u32>,
    pub score: f32,
    /// The sum of the best way that ends with it.
    pub best: f32,
    prev: usize,
}

/// The pieces of a text by where they start and end.
pub struct Lattice {
    pub nodes: Vec<LatticeNode>,
    /// By place in characters.
    begin: Vec<Vec<usize>>,
    pub end: Vec<Vec<usize>>,
}

impl Lattice {
    /// All pieces that match in a text.
    pub fn new(model: &SentencePiece, text: &[u8]) -> Self {
        let mut starts = Vec::new();
        let mut at = 0;
        while at < text.len() {
            starts.push(at);
            at += char_len(&text[at..]);
        }
        let len = starts.len();
        starts.push(text.len());
        let edge =
            |pos, end| LatticeNode { pos, end, id: None, score: 0.0, best: 0.0, prev: FIRST };
        let mut lattice = Self {
            nodes: vec![edge(0, 0), edge(len, text.len())],
            begin: vec![Vec::new(); len + 1],
            end: vec![Vec::new(); len + 1],
        };
        lattice.end[0].push(FIRST);
        lattice.begin[len].push(LAST);
        for pos in 0..len {
            let mut has_char = false;
            let mut to = pos;
            model.each_piece_at(text, starts[pos], |end, id| {
                while starts[to] < end {
                    to += 1;
                }
                has_char |= to == pos + 1;
                let is_symbol = model.types.get(id as usize) == Some(&PieceType::UserDefined);
                let score = match is_symbol {
                    true => unigram::symbol_score(to - pos),
                    false => model.scores.get(id as usize).copied().unwrap_or_default(),
                };
                lattice.insert(pos, to, LatticeNode { id: Some(id), score, ..edge(pos, end) });
            });
            if !has_char {
                let score = model.unknown_score;
                lattice.insert(pos, pos + 1, LatticeNode { score, ..edge(pos, starts[pos + 1]) });
            }
        }
        lattice
    }

    fn insert(&mut self, from: usize, to: usize, node: LatticeNode) {
        self.begin[from].push(self.nodes.len());
        self.end[to].push(self.nodes.len());
        self.nodes.push(node);
    }

    /// Finds the sum of the best way to each node.
    pub fn find_best(&mut self) {
        for pos in 0..self.begin.len() {
            for &right in &self.begin[pos] {
                let mut best: Option<(f32, usize)> = None;
                for &left in &self.end[pos] {
                    let score = self.nodes[left].best + self.nodes[right].score;
                    if best.is_none_or(|(most, _)| score > most) {
                        best = Some((score, left));
                    }
                }
                let (score, left) = best.unwrap_or((0.0, FIRST));
                (self.nodes[right].best, self.nodes[right].prev) = (score, left);
            }
        }
    }

    /// The best way that was found, and its sum.
    pub fn best_way(&self) -> (Vec<Found>, f32) {
        let mut way = Vec::new();
        let mut at = self.nodes[LAST].prev;
        while at != FIRST {
            way.push(self.found(at));
            at = self.nodes[at].prev;
        }
        way.reverse();
        (way, self.nodes[LAST].best)
    }

    /// A node as a piece that was found.
    pub fn found(&self, node: usize) -> Found {
        Found { end: self.nodes[node].end, id: self.nodes[node].id }
    }

    /// A way by chance: each as often as the exponential of `alpha` times its sum says.
    pub fn sample(&self, alpha: f32, random: &mut Random) -> Option<Vec<Found>> {
        let alpha = f64::from(alpha);
        let weight = |node: usize| alpha * f64::from(self.nodes[node].score);
        // The logarithm of the sum over all ways to a node, without its own weight.
        let mut sums = vec![0.0; self.nodes.len()];
        for (begin, end) in self.begin.iter().zip(&self.end) {
            let ways = end.iter().map(|&left| sums[left] + weight(left));
            let sum = log_sum(&ways.collect::<Vec<f64>>());
            begin.iter().for_each(|&right| sums[right] = sum);
        }
        let mut way = Vec::new();
        let mut at = LAST;
        loop {
            let lefts = &self.end[self.nodes[at].pos];
            let share = |&left: &usize| (sums[left] + weight(left) - sums[at]).exp();
            let shares: Vec<f64> = lefts.iter().map(share).collect();
            at = lefts[random.weighted(&shares)?];
            if at == FIRST {
                break;
            }
            way.push(self.found(at));
        }
        way.reverse();
        Some(way)
    }
}

/// The logarithm of the sum of exponentials.
pub fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln()
}
