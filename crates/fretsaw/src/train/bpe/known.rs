//! Going on from a vocabulary: its tokens keep their ids, its merges their ranks, and words are cut
//! by them before new ones are learned.
//!
//! Words are merged as in encoding: the lowest rank first, leftmost among equals, from a heap for
//! each word. Cost: O(n log n) for a word of n symbols.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::pairs::{pair, PairMap};
use super::words::Words;
use crate::error::TrainError;
use crate::spec::{Merges, Model, Spec};

/// The tokens and merges that are there already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// Tokens in the order of their ids, added ones among them.
    pub tokens: Vec<String>,
    /// Pairs of ids with the id that they merge into, in rank order.
    pub merges: Vec<[u32; 3]>,
}

impl Known {
    /// What a spec knows; `added` are the contents of its added tokens with their ids.
    ///
    /// # Errors
    ///
    /// [`TrainError::Option`] where the model has no list of merges, or its ids have gaps.
    pub fn new(spec: &Spec, added: &[(String, u32)]) -> Result<Self, TrainError> {
        let Model::Bpe(model) = &**spec.model else {
            return Err(refused("a model of another kind"));
        };
        let Merges::Pairs(merges) = &model.merges else {
            return Err(refused("a vocabulary of ranks without merges"));
        };
        let mut ids: HashMap<&str, u32> = model.vocab.iter().collect();
        for (content, id) in added {
            ids.entry(content).or_insert(*id);
        }
        let mut tokens = vec![None; ids.len()];
        for (&token, &id) in &ids {
            match tokens.get_mut(id as usize) {
                Some(place @ None) => *place = Some(token.to_owned()),
                _ => return Err(refused("a vocabulary whose ids have gaps")),
            }
        }
        let tokens: Vec<String> = tokens.into_iter().flatten().collect();
        let prefix = model.continuing_subword_prefix.as_deref().unwrap_or_default();
        let mut last: HashMap<(u32, u32), usize> = HashMap::new();
        let mut found = Vec::with_capacity(merges.len());
        for (left, right) in merges.iter() {
            let merged = [left, right.strip_prefix(prefix).unwrap_or(right)].concat();
            let sides = (ids.get(left), ids.get(right), ids.get(merged.as_str()));
            let (Some(&left), Some(&right), Some(&merged)) = sides else {
                return Err(refused("a vocabulary that lacks a token of its merges"));
            };
            last.insert((left, right), found.len());
            found.push([left, right, merged]);
        }
        let mut place = 0..;
        found.retain(|&[left, right, _]| last.get(&(left, right)).copied() == place.next());
        Ok(Known { tokens, merges: found })
    }

    /// Merges in all words what encoding would merge.
    pub fn apply(&self, words: &mut Words) {
        let ranks: PairMap<(u32, u32)> = self
            .merges
            .iter()
            .zip(0..)
            .map(|(&[left, right, merged], rank)| (pair(left, right), (rank, merged)))
            .collect();
        for word in &mut words.words {
            let range = word.start..word.start + word.len as usize;
            let lens = words.lens.as_mut().map(|lens| &mut lens[range.clone()]);
            word.len = merge_word(&mut words.symbols[range], lens, &ranks) as u32;
        }
        words.words.retain(|word| word.len > 1);
    }
}

fn refused(value: &str) -> TrainError {
    TrainError::Option {
        name: "continue_from",
        value: value.to_owned(),
        expected: "byte-pair encoding with merges and ids without gaps",
    }
}

/// Merges a word in place; returns how many symbols it has then, which stand at the front.
fn merge_word(
    symbols: &mut [u32],
    mut lens: Option<&mut [u32]>,
    ranks: &PairMap<(u32, u32)>,
) -> usize {
    let len = symbols.len();
    let mut next: Vec<usize> = (1..=len).collect();
    let mut before: Vec<usize> = (0..len).map(|at| at.wrapping_sub(1)).collect();
    let mut queue = BinaryHeap::new();
    let rank = |left: u32, right: u32| ranks.get(&pair(left, right)).copied();
    for at in 1..len {
        if let Some((rank, merged)) = rank(symbols[at - 1], symbols[at]) {
            queue.push(Reverse((rank, at - 1, merged)));
        }
    }
    // A symbol that was merged into the one before it points nowhere.
    const GONE: usize = usize::MAX;
    while let Some(Reverse((wanted, at, merged))) = queue.pop() {
        let right = next[at];
        if right == GONE
            || right >= len
            || rank(symbols[at], symbols[right]) != Some((wanted, merged))
        {
            continue;
        }
        symbols[at] = merged;
        if let Some(lens) = &mut lens {
            lens[at] = lens[at].saturating_add(lens[right]);
        }
        next[at] = next[right];
        next[right] = GONE;
        if let Some(back) = before.get_mut(next[at]) {
            *back = at;
        }
        for left in [before[at], at] {
            let right = next.get(left).copied().filter(|&right| right < len);
            if let Some(right) = right {
                if let Some((rank, merged)) = rank(symbols[left], symbols[right]) {
                    queue.push(Reverse((rank, left, merged)));
                }
            }
        }
    }
    let (mut at, mut written) = (0, 0);
    while at < len {
        symbols[written] = symbols[at];
        if let Some(lens) = &mut lens {
            lens[written] = lens[at];
        }
        written += 1;
        at = next[at];
    }
    written
}
