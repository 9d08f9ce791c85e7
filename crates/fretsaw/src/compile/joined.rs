//! The merges of a vocabulary of ranks: every two tokens whose joined bytes are a token.
//!
//! In sorted order the tokens that a token begins with are those on a stack: so each token learns
//! the longest one that it begins with, and by going on from there all of them. With the tokens
//! spelled backwards the same gives those that it ends with. A beginning and an ending whose
//! lengths add up to the token's are a pair. So nothing is looked up: two sorts, and steps in
//! proportion to the vocabulary's bytes, since a token has no more beginnings than bytes.

use crate::byte_level;

/// `[left, right, rank, merged]` of every pair, ranked by the merged token's id. Tokens are spelled in
/// the byte alphabet; no pair makes one that is not.
pub fn joined_merges<'a>(vocabulary: impl Iterator<Item = (&'a str, u32)>) -> Vec<[u32; 4]> {
    let tokens = Tokens::new(vocabulary.filter(|(token, _)| !token.is_empty()));
    let beginnings = tokens.longest_beginnings();
    let endings = tokens.reversed().longest_beginnings();
    let mut merges = Vec::with_capacity(2 * tokens.ids.len());
    let mut shorter = Vec::new();
    for (place, &merged) in tokens.ids.iter().enumerate() {
        let len = beginnings[place].len;
        shorter.clear();
        shorter.extend(chain(&endings, place));
        let mut rights = shorter.iter().rev().peekable();
        for left in chain(&beginnings, place) {
            let wanted = len - beginnings[left].len;
            while rights.next_if(|&&right| endings[right].len < wanted).is_some() {}
            if let Some(&right) = rights.next_if(|&&right| endings[right].len == wanted) {
                merges.push([tokens.ids[left], tokens.ids[right], merged, merged]);
            }
        }
    }
    merges
}

/// The tokens that a token begins with, longest first.
fn chain(longest: &[Longest], place: usize) -> impl Iterator<Item = usize> + '_ {
    let next = |&at: &usize| Some(longest[at].place as usize).filter(|&next| next != at);
    std::iter::successors(next(&place), next)
}

/// A token's length, and the place of the longest other one that it begins with: its own where
/// there is none.
#[derive(Clone, Copy, Default)]
struct Longest {
    place: u32,
    len: u32,
}

/// Tokens in one buffer.
struct Tokens {
    bytes: Vec<u8>,
    /// Where each token ends.
    ends: Vec<usize>,
    ids: Vec<u32>,
}

impl Tokens {
    fn new<'a>(tokens: impl Iterator<Item = (&'a str, u32)>) -> Self {
        let mut made = Self { bytes: Vec::new(), ends: Vec::new(), ids: Vec::new() };
        for (token, id) in tokens {
            if byte_level::unspell(token, &mut made.bytes) {
                made.ends.push(made.bytes.len());
                made.ids.push(id);
            }
        }
        made
    }

    /// The token at a place.
    fn get(&self, place: usize) -> &[u8] {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    /// Each token spelled backwards.
    fn reversed(&self) -> Self {
        let mut bytes = self.bytes.clone();
        let mut start = 0;
        for &end in &self.ends {
            bytes[start..end].reverse();
            start = end;
        }
        Self { bytes, ends: self.ends.clone(), ids: self.ids.clone() }
    }

    fn longest_beginnings(&self) -> Vec<Longest> {
        // The first bytes are compared as a number: most comparisons need no more.
        let mut sorted: Vec<(u64, u32)> =
            (0..self.ids.len()).map(|at| (first_bytes(self.get(at)), at as u32)).collect();
        let rest = |place: u32| self.get(place as usize);
        sorted.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| rest(a.1).cmp(rest(b.1))));
        let mut longest = vec![Longest::default(); self.ids.len()];
        // The tokens that the last one begins with, itself on top.
        let mut stack: Vec<u32> = Vec::new();
        for (_, place) in sorted {
            let token = rest(place);
            while stack.last().is_some_and(|&top| !token.starts_with(rest(top))) {
                stack.pop();
            }
            let top = stack.last().copied().unwrap_or(place);
            longest[place as usize] = Longest { place: top, len: token.len() as u32 };
            stack.push(place);
        }
        longest
    }
}

/// The first 8 bytes, in an order that agrees with that of the tokens.
fn first_bytes(token: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = token.len().min(8);
    bytes[..len].copy_from_slice(&token[..len]);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_split_into_two_tokens_is_a_merge() {
        let tokens = ["a", "b", "ab", "aba", "ba", "abab", "é", "aé", "ac", "bab", "Ġ", "aĠ", "€"];
        let mut found = joined_merges(tokens.into_iter().chain(["a€"]).zip(0..));
        let mut expected = Vec::new();
        for (token, merged) in tokens.iter().zip(0..) {
            for at in 1..token.len() {
                let id = |part: &[u8]| tokens.iter().position(|token| token.as_bytes() == part);
                let (left, right) = token.as_bytes().split_at(at);
                if let (Some(left), Some(right)) = (id(left), id(right)) {
                    expected.push([left as u32, right as u32, merged, merged]);
                }
            }
        }
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(found.len(), 11);
    }
}
