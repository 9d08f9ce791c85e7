//! The merges of a vocabulary of ranks: every two tokens whose joined bytes are a token.
//!
//! In sorted order the tokens that a token begins with are those on a stack. With the tokens spelled
//! backwards the same gives those that it ends with: each token learns the longest one, and by going
//! on from there all of them. A beginning and an ending whose lengths add up to the token's are a
//! pair. So nothing is looked up: two sorts, side by side, and steps in proportion to the
//! vocabulary's bytes, since a token has no more beginnings than bytes.

use crate::byte_level;

/// `[left, right, rank, merged]` of every pair, ranked by the merged token's id. Tokens are spelled in
/// the byte alphabet; no pair makes one that is not.
pub fn joined_merges<'a>(vocabulary: impl Iterator<Item = (&'a str, u32)>) -> Vec<[u32; 4]> {
    let tokens = Tokens::new(vocabulary.filter(|(token, _)| !token.is_empty()));
    let ends = || {
        let tokens = tokens.reversed();
        let mut longest = vec![Longest::default(); tokens.ids.len()];
        tokens.each_with_beginnings(&tokens.sorted(), |token, beginnings| {
            let place = beginnings.last().map_or(token.place, |ending| ending.place);
            longest[token.place as usize] = Longest { place, len: token.len };
        });
        longest
    };
    let (sorted, endings) = std::thread::scope(|scope| {
        let helper = std::thread::Builder::new().spawn_scoped(scope, ends);
        let sorted = tokens.sorted();
        // Where no thread can be had, this one does it all.
        (sorted, helper.map_or_else(|_| Ok(ends()), |helper| helper.join()))
    });
    let Ok(endings) = endings else { unreachable!("sorting does not fail") };
    let mut merges = Vec::with_capacity(2 * tokens.ids.len());
    tokens.each_with_beginnings(&sorted, |token, beginnings| {
        let merged = tokens.ids[token.place as usize];
        let mut lefts = beginnings.iter().peekable();
        for right in chain(&endings, token.place) {
            let wanted = token.len - endings[right as usize].len;
            while lefts.next_if(|left| left.len < wanted).is_some() {}
            if let Some(left) = lefts.next_if(|left| left.len == wanted) {
                let (left, right) = (tokens.ids[left.place as usize], tokens.ids[right as usize]);
                merges.push([left, right, merged, merged]);
            }
        }
    });
    merges
}

/// The tokens that a token ends with, longest first.
fn chain(longest: &[Longest], place: u32) -> impl Iterator<Item = u32> + '_ {
    let next = |&at: &u32| Some(longest[at as usize].place).filter(|&next| next != at);
    std::iter::successors(next(&place), next)
}

/// A token's length, and the place of the longest other one that it ends with: its own where there
/// is none.
#[derive(Clone, Copy, Default)]
struct Longest {
    place: u32,
    len: u32,
}

/// A token as the sorts see it.
#[derive(Clone, Copy)]
struct Token {
    /// The first bytes as a number: most comparisons need no more.
    first: u64,
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

    fn sorted(&self) -> Vec<Token> {
        let token = |place: usize| {
            let bytes = self.get(place);
            Token { first: first_bytes(bytes), place: place as u32, len: bytes.len() as u32 }
        };
        let mut sorted: Vec<Token> = (0..self.ids.len()).map(token).collect();
        let rest = |token: &Token| self.get(token.place as usize);
        sorted.sort_unstable_by(|a, b| a.first.cmp(&b.first).then_with(|| rest(a).cmp(rest(b))));
        sorted
    }

    /// Hands out each of the sorted tokens with those that it begins with, shortest first.
    fn each_with_beginnings(&self, sorted: &[Token], mut each: impl FnMut(&Token, &[Token])) {
        let rest = |token: &Token| self.get(token.place as usize);
        // The tokens that the last one begins with, itself on top.
        let mut stack: Vec<Token> = Vec::new();
        for token in sorted {
            let begins_with = |top: &Token| {
                let same = (top.first ^ token.first).leading_zeros() / 8;
                same >= top.len.min(FIRST as u32)
                    && top.len <= token.len
                    && (top.len <= FIRST as u32 || rest(token).starts_with(rest(top)))
            };
            while stack.last().is_some_and(|top| !begins_with(top)) {
                stack.pop();
            }
            each(token, &stack);
            stack.push(*token);
        }
    }
}

/// How many bytes [`first_bytes`] sees.
const FIRST: usize = 8;

/// The first bytes, in an order that agrees with that of the tokens.
fn first_bytes(token: &[u8]) -> u64 {
    let mut bytes = [0; FIRST];
    let len = token.len().min(FIRST);
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
