//! The search for added tokens: leftmost-longest, by an Aho-Corasick automaton.
//!
//! Where the patterns are short and start with few bytes, as they do in most files, it is asked only
//! where one of these bytes stands and some pattern goes on with the next. Cost: linear in the text.

use std::cmp::Reverse;

use aho_corasick::{AhoCorasick, Anchored, Input, Match, MatchKind, StartKind};

use super::Added;
use crate::error::{EncodeError, LoadError, Problem};

/// An automaton and what its patterns stand for.
#[derive(Debug)]
pub(super) struct Matcher {
    automaton: AhoCorasick,
    /// Pattern -> index of the token.
    tokens: Vec<usize>,
    /// The first bytes of all patterns, where they are few and all patterns short.
    starts: Option<Starts>,
}

/// A few bytes that patterns start with.
#[derive(Debug)]
struct Starts {
    /// The bytes, the last one again in what is left.
    bytes: [u8; MOST_STARTS],
    /// What is known of the patterns that start with a byte, if any do.
    known: Box<[Option<Start>; 256]>,
}

/// The patterns that start with one byte.
#[derive(Debug, Clone, Copy, Default)]
struct Start {
    /// The one that is this byte alone.
    alone: Option<usize>,
    /// The second bytes of the others, a bit each.
    seconds: [u64; 4],
}

/// With so many first bytes at most, matches are looked for only where one of them stands.
const MOST_STARTS: usize = 8;

/// Longer patterns are looked for in one pass: from each place where one may start would take time
/// in proportion to their length as well.
const SHORT_PATTERN: usize = 128;

impl Matcher {
    /// An automaton over the given tokens, or `None` for none.
    pub(super) fn build(
        tokens: &[Added],
        chosen: impl Fn(&Added) -> bool,
    ) -> Result<Option<Self>, LoadError> {
        let chosen: Vec<usize> = (0..tokens.len()).filter(|&at| chosen(&tokens[at])).collect();
        if chosen.is_empty() {
            return Ok(None);
        }
        let patterns = || chosen.iter().map(|&at| tokens[at].pattern.as_bytes());
        let starts = first_bytes(patterns());
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Both)
            .build(patterns())
            .map_err(|_| {
                let problem = Problem::TooMany { what: "bytes of added tokens", limit: 1 << 30 };
                LoadError::at("added_tokens", problem)
            })?;
        Ok(Some(Self { automaton, tokens: chosen, starts }))
    }

    /// Calls `take` with the leftmost-longest matches in order: token, start and end.
    pub(super) fn each(
        &self,
        text: &str,
        mut take: impl FnMut(usize, usize, usize) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let Some(starts) = &self.starts else {
            let mut all = self.automaton.find_iter(text);
            return all.try_for_each(|found| {
                take(self.tokens[found.pattern()], found.start(), found.end())
            });
        };
        let places = Places { starts, text: text.as_bytes(), block: 0, left: 0, read: 0 };
        let mut done = 0;
        for at in places {
            if at < done {
                continue;
            }
            let start = starts.known[usize::from(text.as_bytes()[at])].unwrap_or_default();
            let found = if start.goes_on(text.as_bytes().get(at + 1)) {
                let input = Input::new(text).range(at..).anchored(Anchored::Yes);
                self.automaton.find(input).map(|found| (found.pattern().as_usize(), found.end()))
            } else {
                start.alone.map(|pattern| (pattern, at + 1))
            };
            if let Some((pattern, end)) = found {
                take(self.tokens[pattern], at, end)?;
                done = end;
            }
        }
        Ok(())
    }

    /// Leftmost-longest matches among those that lie wholly inside one of `spans`.
    pub(super) fn each_trusted(
        &self,
        text: &str,
        spans: &[(usize, usize)],
        mut take: impl FnMut(usize, usize, usize) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        // A span inside another one allows nothing more; of the others both ends go up.
        let mut sorted: Vec<(usize, usize)> = spans.to_vec();
        sorted.sort_unstable_by_key(|&(start, end)| (start, Reverse(end)));
        let mut furthest = 0;
        sorted.retain(|&(_, end)| {
            let further = end > furthest;
            furthest = furthest.max(end);
            further
        });
        let (mut first, mut at) = (0, 0);
        loop {
            let mut best: Option<Match> = None;
            for &(start, end) in &sorted[first..] {
                if best.is_some_and(|best| best.start() < start) {
                    break;
                }
                let range = start.max(at).min(end)..end;
                if let Some(found) = self.automaton.find(Input::new(text).range(range)) {
                    let order = |found: &Match| (found.start(), Reverse(found.end()));
                    best = best.into_iter().chain([found]).min_by_key(order);
                }
            }
            let Some(found) = best else { return Ok(()) };
            take(self.tokens[found.pattern()], found.start(), found.end())?;
            at = found.end();
            first += sorted[first..].iter().take_while(|&&(_, end)| end <= at).count();
        }
    }
}

/// What patterns start with; `None` where that are too many bytes or a pattern is long. A single one is
/// left to the automaton, which looks for it as well.
fn first_bytes<'p>(patterns: impl Iterator<Item = &'p [u8]>) -> Option<Starts> {
    let mut starts: Vec<u8> = Vec::new();
    let mut known = Box::new([None::<Start>; 256]);
    for (pattern, text) in patterns.enumerate() {
        let &first = text.first()?;
        if text.len() > SHORT_PATTERN {
            return None;
        }
        let start = known[usize::from(first)].get_or_insert_with(|| {
            starts.push(first);
            Start::default()
        });
        match text.get(1) {
            Some(&second) => start.seconds[usize::from(second / 64)] |= 1 << (second % 64),
            None => start.alone = Some(pattern),
        }
        if starts.len() > MOST_STARTS {
            return None;
        }
    }
    let last = *starts.last().filter(|_| starts.len() > 1)?;
    starts.resize(MOST_STARTS, last);
    Some(Starts { bytes: starts.try_into().ok()?, known })
}

impl Start {
    /// Whether a pattern goes on with the byte behind.
    #[inline]
    fn goes_on(&self, second: Option<&u8>) -> bool {
        second.is_some_and(|&byte| self.seconds[usize::from(byte / 64)] >> (byte % 64) & 1 == 1)
    }
}

/// Where bytes of [`Starts`] stand in a text, in order.
struct Places<'a> {
    starts: &'a Starts,
    text: &'a [u8],
    /// Where the block starts whose places are handed out, and which of them are left.
    block: usize,
    left: u64,
    /// How much of the text was read.
    read: usize,
}

impl Iterator for Places<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            let rest = self.text.get(self.read..).filter(|rest| !rest.is_empty())?;
            self.block = self.read;
            self.left = match rest.first_chunk() {
                Some(block) => self.starts.places(block),
                None => {
                    let mut block = [0; 64];
                    block[..rest.len()].copy_from_slice(rest);
                    self.starts.places(&block) & ((1 << rest.len()) - 1)
                }
            };
            self.read += 64;
        }
        let place = self.block + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(place)
    }
}

impl Starts {
    /// Which bytes of a block are one of them, a bit each: compared all at once, then eight bytes of 0 or
    /// 1 at a time made one by a multiplication that moves each to a place of its own in the top byte.
    #[inline]
    fn places(&self, block: &[u8; 64]) -> u64 {
        let mut hits = [0u8; 64];
        for &start in &self.bytes {
            hits.iter_mut().zip(block).for_each(|(hit, &byte)| *hit |= u8::from(byte == start));
        }
        let eights = hits.chunks_exact(8).enumerate();
        eights.fold(0, |places, (at, eight)| {
            let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
            places | (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * at)
        })
    }
}
