//! From a text to the ids of a SentencePiece model: run by run, each normalized and searched only once.
//!
//! A run (see [`Runs`]) is looked up as it stands in the text, before it is normalized. A character that
//! is a run has its id in the tables; other runs come from a cache of their own. What a Unigram model
//! makes of a run may depend on the sum of scores before it: such runs are in the cache without ids, and
//! are searched anew with the sum. It is added up behind 64 runs at once, in the oracle's order; where it
//! may start from 0 again, runs are taken one by one. Unknown neighbours become one also across runs.
//!
//! Cost: a look-up a run; what is not in the cache costs a search.

use std::cell::Cell;
use std::sync::Arc;

use crate::cache::{long_hash, CachePool, PieceCache, Short, LONG_MAX_BYTES};
use crate::error::EncodeError;
use crate::model::sentence_piece::{PieceScratch, RunFound};
use crate::model::SentencePiece;
use crate::normalize::{self, PartOf};
use crate::pretokenize::{Run, Runs, UNKNOWN, UNSURE};
use crate::scan::{short_key, ShortKey, SHORT};

/// Runs that are looked up together.
const GROUP: usize = 64;

/// What the cache has of a run with unknown characters begins with this, which is no id; how many numbers
/// are added to the sum; these; and the ids.
const WITH_UNKNOWN: u32 = 0xFF_FFFF;
/// As many numbers at least, so that they don't fit an entry of a few ids.
const LEAST: usize = 5;

/// The runs of a model's texts, and the caches that belong to them.
pub struct RunModel {
    runs: Runs,
    caches: Arc<CachePool>,
}

/// Buffers of a thread, reused from call to call.
struct Scratch {
    runs: [Run; GROUP],
    keys: [ShortKey; GROUP],
    sets: [usize; GROUP],
    /// Ids found, not yet appended: room for four of each run.
    found: [u32; GROUP * 4],
    pieces: PieceScratch,
    text: String,
    front: String,
    gains: Vec<f32>,
    list: Vec<u32>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            runs: [Run::EMPTY; GROUP],
            keys: [ShortKey::default(); GROUP],
            sets: [0; GROUP],
            found: [0; GROUP * 4],
            pieces: PieceScratch::default(),
            text: String::new(),
            front: String::new(),
            gains: Vec::new(),
            list: Vec::new(),
        }
    }
}

/// What is kept of a text that a long run made larger.
const KEPT_BYTES: usize = 1 << 16;

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl RunModel {
    pub fn new(runs: Runs) -> Self {
        Self { runs, caches: CachePool::new() }
    }

    /// Appends the ids of a text that is not empty.
    pub fn encode(
        &self,
        model: &SentencePiece,
        rules: &normalize::SentencePiece,
        text: &str,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let mut scratch = SCRATCH.take().unwrap_or_default();
        let mut cache = self.caches.take();
        let Scratch { runs, keys, sets, found, pieces, text: normalized, front, gains, list } =
            &mut *scratch;
        let summed = ids.len();
        let mut work = Work {
            runs: &self.runs,
            model,
            rules,
            text,
            cache: &mut cache,
            pieces,
            normalized,
            gains,
            list,
            from: ids.len(),
            ids,
            sum: 0.0,
            summed,
        };
        let result = work.encode(runs, &mut Group { keys, sets, found }, front);
        scratch.pieces.shrink();
        scratch.text.shrink_to(KEPT_BYTES);
        scratch.front.shrink_to(KEPT_BYTES);
        SCRATCH.set(Some(scratch));
        self.caches.give_back(cache);
        result
    }
}

/// What is known of runs that are looked up together.
struct Group<'a> {
    keys: &'a mut [ShortKey; GROUP],
    sets: &'a mut [usize; GROUP],
    found: &'a mut [u32; GROUP * 4],
}

/// A model at work on one text.
struct Work<'a> {
    runs: &'a Runs,
    model: &'a SentencePiece,
    rules: &'a normalize::SentencePiece,
    text: &'a str,
    cache: &'a mut PieceCache,
    pieces: &'a mut PieceScratch,
    normalized: &'a mut String,
    gains: &'a mut Vec<f32>,
    list: &'a mut Vec<u32>,
    ids: &'a mut Vec<u32>,
    /// Where this text's ids start.
    from: usize,
    /// The sum of scores behind the ids before `summed`.
    sum: f32,
    summed: usize,
}

impl Work<'_> {
    fn encode(
        &mut self,
        room: &mut [Run; GROUP],
        group: &mut Group<'_>,
        front: &mut String,
    ) -> Result<(), EncodeError> {
        let (runs, text) = (self.runs, self.text);
        let mut start = 0;
        let (left, ends_well) =
            runs.in_groups(text, room, |found| self.some(found, group, front, &mut start))?;
        // The last run of the text may end in spaces that fall away, or get one.
        let is_open = self.rules.adds_behind() || !ends_well;
        let last = left - usize::from(is_open);
        if start == 0 && last == 0 {
            let whole = self.rules.normalize(text)?;
            return self.search(whole.as_bytes());
        }
        self.some(&room[..last], group, front, &mut start)?;
        if is_open {
            self.exactly(start..text.len(), PartOf::End)?;
        }
        Ok(())
    }

    /// Appends the ids of runs that start at `start`, and moves that behind them.
    fn some(
        &mut self,
        mut runs: &[Run],
        group: &mut Group<'_>,
        front: &mut String,
        start: &mut usize,
    ) -> Result<(), EncodeError> {
        if let (0, Some((first, rest))) = (*start, runs.split_first()) {
            self.front(first.end, front)?;
            (*start, runs) = (first.end, rest);
        }
        *start = self.group(runs, group, *start)?;
        Ok(())
    }

    /// The first run, with what is put in front of it.
    fn front(&mut self, end: usize, front: &mut String) -> Result<(), EncodeError> {
        let part = &self.text[..end];
        let removes = self.rules.removes_spaces();
        let is_usual = self.rules.adds_front() && self.runs.may_start(part);
        if is_usual && removes && self.runs.starts_with_space(part) {
            self.one(part)
        } else if is_usual {
            front.clear();
            front.push(' ');
            front.push_str(part);
            self.one(front)
        } else {
            self.exactly(0..end, PartOf::Start)
        }
    }

    /// Appends the ids of some runs, the first of which starts at `start`; returns where the last one
    /// ends.
    fn group(
        &mut self,
        runs: &[Run],
        group: &mut Group<'_>,
        mut start: usize,
    ) -> Result<usize, EncodeError> {
        let Group { keys, sets, found } = group;
        let Some(end) = runs.last().map(|run| run.end) else { return Ok(start) };
        if !self.stays_below(&self.text[start..end]) {
            for run in runs {
                self.one(&self.text[start..run.end])?;
                self.catch_up();
                start = run.end;
            }
            return Ok(start);
        }
        let bytes = self.text.as_bytes();
        let mut from = start;
        for ((run, key), set) in runs.iter().zip(keys.iter_mut()).zip(sets.iter_mut()) {
            let len = run.end - from;
            *key = if len <= SHORT { short_key(bytes, from, len) } else { ShortKey::default() };
            if run.id == UNSURE {
                *set = self.cache.short_set(key.hash());
                self.cache.prefetch(*set);
            }
            from = run.end;
        }
        let mut written = 0;
        for ((run, &key), &set) in runs.iter().zip(keys.iter()).zip(sets.iter()) {
            let part = start..run.end;
            start = run.end;
            if run.id < UNKNOWN {
                // The array has room for four ids of each run of the group.
                found[written] = run.id;
                written += 1;
                continue;
            }
            if run.id == UNSURE && !key.is_none() {
                if let Short::Inline(four, len @ 1..) = self.cache.short(key, set) {
                    if let Some(place) = found.get_mut(written..written + 4) {
                        place.copy_from_slice(&four);
                    }
                    written += len;
                    continue;
                }
            }
            self.ids.extend_from_slice(&found[..written]);
            written = 0;
            if run.id == UNKNOWN {
                self.unknown(&bytes[part]);
            } else {
                self.run(&self.text[part], key)?;
            }
        }
        self.ids.extend_from_slice(&found[..written]);
        self.catch_up();
        Ok(start)
    }

    /// Whether the sum does not have to start from 0 in this part of the text.
    fn stays_below(&self, part: &str) -> bool {
        let growth = || if part.is_ascii() { 1 } else { self.runs.growth() };
        !self.model.is_summed() || self.model.stays_below(self.sum, (part.len() + 1) * growth())
    }

    /// Adds up to the last id.
    #[inline]
    fn catch_up(&mut self) {
        if self.model.is_summed() {
            self.sum = self.model.add_up(self.sum, &self.ids[self.summed..]);
            self.summed = self.ids.len();
        }
    }

    /// An unknown character.
    fn unknown(&mut self, bytes: &[u8]) {
        self.catch_up();
        self.sum += self.model.unknown_score();
        match self.model.byte_tokens() {
            Some(tokens) => {
                self.ids.extend(bytes.iter().map(|&byte| tokens[usize::from(byte)]));
            }
            None => {
                let unknown = self.model.unknown().unwrap_or_default();
                push_joined(self.model, self.from, self.ids, &[unknown]);
            }
        }
        self.summed = self.ids.len();
    }

    /// Appends the ids of a run.
    fn one(&mut self, part: &str) -> Result<(), EncodeError> {
        let short = part.len() <= SHORT;
        let key =
            if short { short_key(part.as_bytes(), 0, part.len()) } else { ShortKey::default() };
        self.run(part, key)
    }

    /// Appends the ids of a run that has this key if it is short.
    #[inline(never)]
    fn run(&mut self, part: &str, key: ShortKey) -> Result<(), EncodeError> {
        if part.len() > LONG_MAX_BYTES || !self.stays_below(part) {
            self.normalize(part, PartOf::Middle)?;
            return self.search_normalized();
        }
        let hash = if key.is_none() { long_hash(part.as_bytes()) } else { 0 };
        let set = self.cache.short_set(key.hash());
        let inline;
        let known = if key.is_none() {
            self.cache.long(part.as_bytes(), hash)
        } else {
            let mut known = self.cache.short(key, set);
            if let Short::Missing = known {
                known = self.cache.spilled(key);
            }
            match known {
                Short::Inline(four, len) => {
                    inline = four;
                    Some(&inline[..len])
                }
                Short::Many(many) => Some(many),
                Short::Missing => None,
            }
        };
        if let Some(known) = known {
            self.list.clear();
            self.list.extend_from_slice(known);
        } else {
            self.normalize(part, PartOf::Middle)?;
            self.find();
            if key.is_none() {
                self.cache.insert_long(part.as_bytes(), hash, self.list);
            } else {
                self.cache.insert_short(key, self.list);
            }
        }
        self.append(part)
    }

    /// Fills the list with what the cache is to have of the normalized text.
    fn find(&mut self) {
        let Self { model, normalized, pieces, list, gains, .. } = self;
        list.clear();
        gains.clear();
        if model.find_run(normalized.as_bytes(), pieces, list, gains) == RunFound::WithUnknown {
            // Zeros add nothing.
            gains.resize(gains.len().max(LEAST), 0.0);
            let numbers = gains.iter().map(|gain| gain.to_bits());
            list.splice(0..0, [WITH_UNKNOWN, gains.len() as u32].into_iter().chain(numbers));
        }
    }

    /// Appends the ids of a part that the list speaks of.
    fn append(&mut self, part: &str) -> Result<(), EncodeError> {
        match *self.list.as_slice() {
            [] => {
                self.normalize(part, PartOf::Middle)?;
                self.search_normalized()
            }
            [WITH_UNKNOWN, count, ref rest @ ..] => {
                let (gains, ids) = rest.split_at(count as usize);
                if self.model.is_summed() {
                    let sum = self.model.add_up(self.sum, &self.ids[self.summed..]);
                    self.sum = gains.iter().fold(sum, |sum, &gain| sum + f32::from_bits(gain));
                }
                push_joined(self.model, self.from, self.ids, ids);
                self.summed = self.ids.len();
                Ok(())
            }
            ref ids => {
                self.ids.extend_from_slice(ids);
                Ok(())
            }
        }
    }

    /// Writes what becomes of a part.
    fn normalize(&mut self, part: &str, place: PartOf) -> Result<(), EncodeError> {
        self.rules.normalize_part(part, place, self.normalized)
    }

    /// Appends the ids of a part of the text, found with the sum before it.
    fn exactly(&mut self, part: std::ops::Range<usize>, place: PartOf) -> Result<(), EncodeError> {
        self.normalize(&self.text[part], place)?;
        self.search_normalized()
    }

    fn search_normalized(&mut self) -> Result<(), EncodeError> {
        let normalized = std::mem::take(self.normalized);
        let result = self.search(normalized.as_bytes());
        *self.normalized = normalized;
        result
    }

    /// Appends the ids of normalized text.
    fn search(&mut self, normalized: &[u8]) -> Result<(), EncodeError> {
        self.catch_up();
        self.list.clear();
        self.model.encode_piece(normalized, &mut self.sum, self.pieces, self.list)?;
        push_joined(self.model, self.from, self.ids, self.list);
        self.summed = self.ids.len();
        Ok(())
    }
}

/// Appends ids to those of a text, which start at `from`; an unknown piece behind another one is part of
/// that.
fn push_joined(model: &SentencePiece, from: usize, all: &mut Vec<u32>, ids: &[u32]) {
    let joins = model.byte_tokens().is_none()
        && ids.first().is_some_and(|&id| Some(id) == model.unknown())
        && all[from..].last() == ids.first();
    all.extend_from_slice(&ids[usize::from(joins)..]);
}
