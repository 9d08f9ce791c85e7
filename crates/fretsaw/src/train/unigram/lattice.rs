//! All ways to cut the words into pieces, laid out once.
//!
//! Pieces only ever vanish, so the words need not be searched again: of each place the pieces that
//! start there are kept as flat lists, and what has vanished is taken out of them now and then.
//! The words lie in *parts*, which are what threads share out; no result depends on how.
//!
//! The ids of pieces: first the characters in the order of their symbols, then the unknown, which
//! stands for symbol 0, then the seeds. Characters and the unknown are at every place for good, so
//! that every word can be cut.
//!
//! Cost: linear in the ways, of which a place has at most as many as the longest piece has
//! characters; 6 bytes for each and 4 for a place.

use std::sync::{Mutex, PoisonError};

use super::seeds::Seeds;
use super::suffixes::NONE;
use super::words::Words;
use super::{TrainError, Watch};
use crate::pool;

/// Places in a part, about.
const PART: usize = 1 << 17;

/// The pieces at the places of some words.
pub struct Part {
    /// The first word, and the one behind the last.
    pub words: std::ops::Range<usize>,
    /// The place where the first word starts.
    start: usize,
    /// Where the pieces of each place begin in `ids`, and the end.
    first: Vec<u32>,
    pub ids: Vec<u32>,
    pub lens: Vec<u16>,
}

impl Part {
    /// Where the pieces of a place lie.
    #[inline]
    pub fn pieces(&self, at: usize) -> std::ops::Range<usize> {
        let place = at - self.start;
        self.first[place] as usize..self.first[place + 1] as usize
    }

    fn new(
        words: &Words,
        seeds: &Seeds,
        range: std::ops::Range<usize>,
    ) -> Result<Self, TrainError> {
        let start = words.starts[range.start] as usize;
        let end = words.starts[range.end] as usize;
        let unknown = words.alphabet.len() as u32;
        let mut part = Part {
            words: range,
            start,
            first: Vec::with_capacity(end - start + 1),
            ids: Vec::new(),
            lens: Vec::new(),
        };
        for at in start..end {
            let begin = u32::try_from(part.ids.len()).map_err(|_| TrainError::Option {
                name: "pre_tokenizer",
                value: "one that gives pieces too long to lay out".to_owned(),
                expected: "one that cuts the text further",
            })?;
            part.first.push(begin);
            // The 0 behind a word is a place that nothing leads on from, so this one is not used.
            part.ids.push(words.symbols[at].checked_sub(1).unwrap_or(unknown));
            part.lens.push(1);
            let mut seed = seeds.at[at];
            while seed != NONE {
                part.ids.push(unknown + 1 + seed);
                part.lens.push(seeds.pieces[seed as usize].len as u16);
                seed = seeds.shorter[seed as usize];
            }
        }
        part.first.push(part.ids.len() as u32);
        part.ids.shrink_to_fit();
        part.lens.shrink_to_fit();
        Ok(part)
    }

    /// Gives pieces other ids; those that become [`NONE`] vanish.
    fn renumber(&mut self, ids: &[u32]) {
        let mut kept = 0;
        let mut from = 0;
        for place in 1..self.first.len() {
            let to = self.first[place] as usize;
            for index in from..to {
                let id = ids[self.ids[index] as usize];
                if id != NONE {
                    self.ids[kept] = id;
                    self.lens[kept] = self.lens[index];
                    kept += 1;
                }
            }
            from = to;
            self.first[place] = kept as u32;
        }
        self.ids.truncate(kept);
        self.lens.truncate(kept);
    }
}

/// All parts.
pub struct Lattice {
    pub parts: Vec<Part>,
    /// The most characters of a piece.
    pub reach: usize,
    threads: usize,
}

impl Lattice {
    /// Lays out the pieces of all words.
    pub fn new(
        words: &Words,
        seeds: &Seeds,
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Self, TrainError> {
        let mut ranges = Vec::new();
        let mut from = 0;
        while from < words.len() {
            let end = words.starts[from] as usize + PART;
            let behind = words.starts.partition_point(|&start| (start as usize) < end);
            let to = behind.clamp(from + 1, words.len());
            ranges.push(from..to);
            from = to;
        }
        let parts = pool::map(threads, ranges.len(), |index| {
            watch.tell("lattice", index as u64, ranges.len() as u64)?;
            Part::new(words, seeds, ranges[index].clone())
        });
        let reach = seeds.pieces.iter().map(|piece| piece.len).max().unwrap_or(1) as usize;
        Ok(Self { parts: parts.into_iter().collect::<Result<_, _>>()?, reach, threads })
    }

    /// The part of a place.
    pub fn part_of(&self, at: usize) -> &Part {
        &self.parts[self.parts.partition_point(|part| part.start <= at) - 1]
    }

    /// Gives pieces other ids; those that become [`NONE`] vanish.
    pub fn renumber(&mut self, ids: &[u32]) {
        let slots: Vec<Mutex<&mut Part>> = self.parts.iter_mut().map(Mutex::new).collect();
        pool::map(self.threads, slots.len(), |index| {
            slots[index].lock().unwrap_or_else(PoisonError::into_inner).renumber(ids);
        });
    }
}
