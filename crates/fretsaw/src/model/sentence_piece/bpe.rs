//! Merges by the score of what they make.
//!
//! The text starts as characters and user-defined symbols, which stay as they are. Of all neighbours
//! that together are a piece, those with the highest score merge first, the leftmost among equals;
//! that the two of them are pieces is not needed. An unused piece that results is taken apart again
//! into what was last seen to make one of its kind.
//!
//! Cost: n log n with a heap, and a look-up in a hash table for each new pair.
//!
//! Source: `bpe_model.cc` of sentencepiece 0.2.3.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use super::{char_len, Found, SentencePiece};
use crate::model::random::Random;

/// An unused piece within so many others is not taken apart.
const MOST_DEPTH: usize = 100;

const NONE: u32 = u32::MAX;

#[derive(Default)]
pub struct BpeScratch {
    symbols: Vec<Symbol>,
    agenda: BinaryHeap<Pair>,
}

/// A part of the text in a list of its neighbours; empty once it is part of another.
#[derive(Clone, Copy)]
struct Symbol {
    start: u32,
    len: u32,
    prev: u32,
    next: u32,
    frozen: bool,
}

/// Two neighbours that may merge.
#[derive(Clone, Copy)]
struct Pair {
    score: f32,
    left: u32,
    right: u32,
    len: u32,
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        // The oracle compares the bits of the numbers, so that -0 is less than 0.
        self.score.total_cmp(&other.score).then(other.left.cmp(&self.left))
    }
}

/// Which two parts made an unused piece.
type Parts<'t> = HashMap<&'t [u8], (&'t [u8], &'t [u8])>;

impl SentencePiece {
    /// Appends the pieces of a text; with a probability and a source of chance merges are left out.
    pub(super) fn merge(
        &self,
        text: &[u8],
        scratch: &mut BpeScratch,
        found: &mut Vec<Found>,
        mut dropout: Option<(f32, &mut Random)>,
    ) {
        let BpeScratch { symbols, agenda } = scratch;
        self.start(text, symbols);
        agenda.clear();
        let mut parts = Parts::new();
        for left in 1..symbols.len() as u32 {
            agenda.extend(self.pair(text, symbols, left - 1, left, &mut parts));
        }
        if dropout.as_ref().is_some_and(|(alpha, _)| *alpha >= 1.0) {
            agenda.clear();
        }
        while let Some(Pair { left, right, len, .. }) = agenda.pop() {
            let (first, second) = (symbols[left as usize], symbols[right as usize]);
            if first.len == 0 || second.len == 0 || first.len + second.len != len {
                continue;
            }
            if let Some((alpha, random)) = dropout.as_mut().filter(|(alpha, _)| *alpha > 0.0) {
                if random.fraction() < *alpha {
                    continue;
                }
            }
            symbols[left as usize].len = len;
            symbols[left as usize].next = second.next;
            symbols[right as usize].len = 0;
            if let Some(next) = symbols.get_mut(second.next as usize) {
                next.prev = left;
            }
            agenda.extend(self.pair(text, symbols, first.prev, left, &mut parts));
            agenda.extend(self.pair(text, symbols, left, second.next, &mut parts));
        }
        let mut end = 0;
        let mut at = 0u32;
        while let Some(symbol) = symbols.get(at as usize) {
            let (start, len) = (symbol.start as usize, symbol.len as usize);
            self.take_apart(&text[start..start + len], &parts, 0, &mut end, found);
            at = symbol.next;
        }
    }

    fn start(&self, text: &[u8], symbols: &mut Vec<Symbol>) {
        symbols.clear();
        let mut at = 0;
        while at < text.len() {
            let symbol = self.symbols.longest(&text[at..]);
            let len = symbol.unwrap_or(char_len(&text[at..]));
            let place = symbols.len() as u32;
            let next = if at + len < text.len() { place + 1 } else { NONE };
            let prev = place.checked_sub(1).unwrap_or(NONE);
            let (start, len_bytes) = (at as u32, len as u32);
            symbols.push(Symbol { start, len: len_bytes, prev, next, frozen: symbol.is_some() });
            at += len;
        }
    }

    /// Two neighbours, if they may merge.
    #[inline]
    fn pair<'t>(
        &self,
        text: &'t [u8],
        symbols: &[Symbol],
        left: u32,
        right: u32,
        parts: &mut Parts<'t>,
    ) -> Option<Pair> {
        let (first, second) = (symbols.get(left as usize)?, symbols.get(right as usize)?);
        if first.frozen || second.frozen {
            return None;
        }
        let (start, middle) = (first.start as usize, second.start as usize);
        let end = middle + second.len as usize;
        let id = self.findable(&text[start..end])?;
        if self.has_unused && self.is_unused(id) {
            parts.insert(&text[start..end], (&text[start..middle], &text[middle..end]));
        }
        let score = self.scores.get(id as usize).copied()?;
        Some(Pair { score, left, right, len: first.len + second.len })
    }

    /// Appends a piece, or what an unused one was made from.
    fn take_apart(
        &self,
        piece: &[u8],
        parts: &Parts<'_>,
        depth: usize,
        end: &mut usize,
        found: &mut Vec<Found>,
    ) {
        let id = self.findable(piece);
        let is_unused = id.is_some_and(|id| self.is_unused(id));
        let made_of = parts.get(piece).filter(|_| is_unused && depth <= MOST_DEPTH);
        if let Some((left, right)) = made_of {
            self.take_apart(left, parts, depth + 1, end, found);
            self.take_apart(right, parts, depth + 1, end, found);
            return;
        }
        *end += piece.len();
        // Deep within others an unused piece is what it is.
        let id = id.filter(|_| !is_unused || depth > MOST_DEPTH);
        found.push(Found { end: *end, id });
    }
}
