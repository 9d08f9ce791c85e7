//! Byte-pair encoding of a long piece in linear time, by backtracking over a trie.
//!
//! A row of tokens is the encoding of its bytes exactly if every two neighbours are: if the two
//! of them, merged from their bytes, come out as these two. So the piece is cut greedily into
//! longest tokens from the left; where a token does not go with the one before, the next shorter
//! one is tried, and where none does, the one before is given up and its end is marked as a dead
//! end for good. Each place is tried by a bounded number of tokens, hence the linear time; what
//! neighbours make is found by undoing their last merges, without merging anything.
//!
//! That needs a vocabulary in which each token is made by one merge alone and comes out of its own
//! bytes; [`Backtracker::new`] checks this and gives up where it does not hold.
//!
//! Source: the idea of the `bpe` crate of github/rust-gems, "So many tokens, so little time".

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};

use super::merge::{merge_heap, MergeScratch};
use super::DROPPED;
use crate::tables::{MergeTable, MergeView, NO_MERGE};

/// What the linear route needs beside the merges.
pub struct Backtracker {
    /// Finds the longest token at a place; its patterns are `tokens`.
    longest: AhoCorasick,
    tokens: Vec<Token>,
    /// Token -> its place in `tokens`, by id.
    places: Vec<u32>,
}

struct Token {
    id: u32,
    len: u32,
    /// When the token is made: below all ranks for a byte.
    order: u32,
    /// The places of its two parts; of itself for a byte.
    parts: (u32, u32),
    /// The place of the longest token that it starts with, shorter than itself.
    shorter: Option<u32>,
}

const NOWHERE: u32 = u32::MAX;

impl Backtracker {
    /// Builds the route, or `None` where the vocabulary does not allow it. `byte_ids` are the
    /// first symbols, and every byte is one.
    pub fn new(byte_ids: &[u32; 256], merges: &MergeTable) -> Option<Self> {
        if byte_ids.contains(&DROPPED) {
            return None;
        }
        let mut list = merges.to_list();
        list.sort_unstable_by_key(|merge| merge[2]);
        let id_end = list.iter().map(|merge| merge[3]).chain(*byte_ids).max()? as usize + 1;
        let mut places = vec![NOWHERE; id_end];
        let mut tokens: Vec<Token> = Vec::with_capacity(list.len() + 256);
        let mut texts: Vec<Vec<u8>> = Vec::with_capacity(list.len() + 256);
        for (byte, &id) in (0..=255u8).zip(byte_ids) {
            let place = tokens.len() as u32;
            let known = std::mem::replace(&mut places[id as usize], place);
            tokens.push(Token { id, len: 1, order: place, parts: (place, place), shorter: None });
            texts.push(vec![byte]);
            if known != NOWHERE {
                return None;
            }
        }
        for [left, right, _, id] in list {
            let parts = (*places.get(left as usize)?, *places.get(right as usize)?);
            let place = tokens.len() as u32;
            if places[id as usize] != NOWHERE {
                return None;
            }
            let (left, right) = (texts.get(parts.0 as usize)?, texts.get(parts.1 as usize)?);
            let text = [&left[..], right].concat();
            places[id as usize] = place;
            tokens.push(Token { id, len: text.len() as u32, order: place, parts, shorter: None });
            texts.push(text);
        }
        let longest = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Anchored)
            .build(&texts)
            .ok()?;
        let mut made = Self { longest, tokens, places };
        made.check(byte_ids, merges.view(), &texts)?;
        for (at, text) in texts.iter().enumerate() {
            made.tokens[at].shorter = made.longest_at(&text[..text.len() - 1], 0);
        }
        Some(made)
    }

    /// Whether each token comes out of its own bytes.
    fn check(&self, byte_ids: &[u32; 256], merges: MergeView<'_>, texts: &[Vec<u8>]) -> Option<()> {
        let mut scratch = MergeScratch::default();
        let mut symbols = Vec::new();
        texts
            .iter()
            .zip(&self.tokens)
            .all(|(text, token)| {
                symbols.clear();
                symbols.extend(text.iter().map(|&byte| byte_ids[usize::from(byte)]));
                merge_heap(merges, &mut symbols, &mut scratch);
                symbols == [token.id]
            })
            .then_some(())
    }

    fn longest_at(&self, text: &[u8], at: usize) -> Option<u32> {
        let input = Input::new(text).range(at..).anchored(Anchored::Yes);
        self.longest.find(input).map(|found| found.pattern().as_u32())
    }

    /// Appends the ids of a piece.
    pub fn encode(&self, merges: MergeView<'_>, piece: &[u8], ids: &mut Vec<u32>) {
        let mut alive = vec![u64::MAX; piece.len() / 64 + 1];
        let mut row: Vec<u32> = Vec::with_capacity(piece.len() / 3);
        let mut at = 0;
        let mut next = self.longest_at(piece, 0);
        while let Some(first) = next {
            let before = row.last().copied();
            let mut candidate = Some(first);
            let chosen = loop {
                let Some(token) = candidate else { break None };
                let end = at + self.tokens[token as usize].len as usize;
                let goes = alive[end / 64] >> (end % 64) & 1 == 1
                    && before.is_none_or(|before| self.are_neighbours(merges, before, token));
                if goes {
                    break Some((token, end));
                }
                candidate = self.tokens[token as usize].shorter;
            };
            match chosen {
                Some((token, end)) => {
                    row.push(token);
                    at = end;
                    next = self.longest_at(piece, at);
                }
                None => {
                    alive[at / 64] &= !(1 << (at % 64));
                    row.pop();
                    at -= before.map_or(0, |before| self.tokens[before as usize].len as usize);
                    next = before;
                }
            }
        }
        ids.extend(row.iter().map(|&place| self.tokens[place as usize].id));
    }

    /// Whether the bytes of two tokens, merged together, come out as these two.
    ///
    /// Undoes the later of the two last merges at a time; the two would have been joined if a
    /// merge across the border came before the merges that are being undone.
    fn are_neighbours(&self, merges: MergeView<'_>, mut left: u32, mut right: u32) -> bool {
        let token = |place: u32| &self.tokens[place as usize];
        let mut limit = u32::MAX;
        loop {
            let rank = merges.rank(token(left).id, token(right).id);
            if rank != NO_MERGE && self.place(merges.merged(rank)) < limit {
                return false;
            }
            if token(left).order > token(right).order {
                limit = token(left).order;
                left = token(left).parts.1;
                if token(left).order == limit {
                    limit = token(right).order + 1;
                    right = token(right).parts.0;
                    if token(right).order + 1 == limit {
                        return true;
                    }
                }
            } else {
                limit = token(right).order + 1;
                right = token(right).parts.0;
                if token(right).order + 1 == limit {
                    limit = token(left).order;
                    left = token(left).parts.1;
                    if token(left).order == limit {
                        return true;
                    }
                }
            }
        }
    }

    /// The place of a token, which is its order too.
    fn place(&self, id: u32) -> u32 {
        self.places[id as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges over the bytes a to d: random pairs of earlier tokens, each made once.
    fn random_merges(random: &mut impl FnMut(u32) -> u32) -> Vec<[u32; 4]> {
        let (mut merges, mut made) = (Vec::<[u32; 4]>::new(), std::collections::HashSet::new());
        let mut texts: Vec<String> = (0..=255u8).map(|byte| char::from(byte).to_string()).collect();
        let mut usable: Vec<u32> = (97..101).collect();
        for _ in 0..random(40) {
            let left = usable[random(usable.len() as u32) as usize];
            let right = usable[random(usable.len() as u32) as usize];
            let text = format!("{}{}", texts[left as usize], texts[right as usize]);
            if made.insert(text.clone()) {
                let id = texts.len() as u32;
                merges.push([left, right, merges.len() as u32, id]);
                texts.push(text);
                usable.push(id);
            }
        }
        merges
    }

    #[test]
    fn equals_the_heap_wherever_it_can_be_built() {
        let mut state = 0x9E37_79B9_97F4_A7C1u64;
        let mut random = move |below: u32| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            ((state >> 33) % u64::from(below.max(1))) as u32
        };
        let byte_ids: [u32; 256] = std::array::from_fn(|byte| byte as u32);
        let mut built = 0;
        for round in 0..400 {
            let merges = random_merges(&mut random);
            let table = MergeTable::build(&merges);
            let Some(backtracker) = Backtracker::new(&byte_ids, &table) else { continue };
            built += 1;
            for _ in 0..20 {
                let piece: Vec<u8> = (0..1 + random(60)).map(|_| b'a' + random(4) as u8).collect();
                let mut want: Vec<u32> = piece.iter().map(|&byte| u32::from(byte)).collect();
                merge_heap(table.view(), &mut want, &mut MergeScratch::default());
                let mut ids = Vec::new();
                backtracker.encode(table.view(), &piece, &mut ids);
                assert_eq!(ids, want, "round {round}: {piece:?} {merges:?}");
            }
        }
        assert!(built > 50, "{built} vocabularies allow the route");
    }

    #[test]
    fn a_token_that_two_merges_make_is_refused() {
        let byte_ids: [u32; 256] = std::array::from_fn(|byte| byte as u32);
        let table = MergeTable::build(&[[97, 98, 0, 256], [98, 97, 1, 256]]);
        assert!(Backtracker::new(&byte_ids, &table).is_none());
    }
}
