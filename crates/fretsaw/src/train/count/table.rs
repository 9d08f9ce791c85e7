//! The table of one thread: the pieces that it has met and how often.
//!
//! Pieces of up to 15 bytes are keys themselves; longer ones are kept apart, and so are pieces that
//! need no spelling where others do. Cost: one look-up a piece, mostly in the processor's cache.

use hashbrown::HashMap;

use crate::compile::{Batch, TextStages};
use crate::error::EncodeError;
use crate::train::seeded::Seeded;
use crate::train::Counts;

/// The bytes of a short piece from the highest down, and its length in the lowest.
type Key = u128;

const LONGEST_KEY: usize = 15;

/// A few pieces make up most of a text: their counts are kept in a small table that stays in the
/// processor's cache, where a piece takes the place of another one with the same low bits.
const RECENT: usize = 1 << 13;

/// Those that lost their place go to the large table so many at a time, so that the processor can
/// wait for many places in memory at once.
const WAITING: usize = 256;

/// How a piece is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As it stands in the text, to be spelled.
    Raw,
    /// As the model reads it.
    Spelled,
}

/// Pieces that one thread has met.
pub struct Table {
    recent: Box<[(Key, u64)]>,
    waiting: Vec<(Key, u64)>,
    short: HashMap<Key, u64, Seeded>,
    long: HashMap<Vec<u8>, u64>,
    spelled: HashMap<String, u64>,
    batches: usize,
}

/// Between so many batches of pieces it is asked whether to go on.
const BATCHES_A_LOOK: usize = 64;

impl Default for Table {
    fn default() -> Self {
        Table {
            recent: vec![(0, 0); RECENT].into(),
            waiting: Vec::with_capacity(WAITING),
            short: HashMap::default(),
            long: HashMap::default(),
            spelled: HashMap::default(),
            batches: 0,
        }
    }
}

impl Table {
    /// How many distinct pieces there are, without those that wait.
    pub fn len(&self) -> usize {
        self.short.len() + self.long.len() + self.spelled.len()
    }

    /// Counts the pieces of a text, cut where they have more than `max_chars` characters; stops with
    /// [`EncodeError::Stopped`] when `goes_on` says no.
    pub fn add_text(
        &mut self,
        stages: &TextStages,
        text: &str,
        max_chars: usize,
        goes_on: &impl Fn() -> bool,
    ) -> Result<(), EncodeError> {
        let seed = *self.short.hasher();
        stages.pieces(text, &mut |batch| {
            match batch {
                Batch::Pieces { bytes, boundaries } => {
                    for pair in boundaries.windows(2) {
                        if pair[1] - pair[0] <= max_chars {
                            self.add(seed, bytes, pair[0], pair[1]);
                        } else {
                            self.add_parts(&bytes[pair[0]..pair[1]], max_chars);
                        }
                    }
                }
                Batch::Spelled(piece) => *self.spelled.entry_ref(piece).or_default() += 1,
            }
            self.batches = (self.batches + 1) % BATCHES_A_LOOK;
            if self.batches == 0 && !goes_on() {
                return Err(EncodeError::Stopped);
            }
            Ok(())
        })
    }

    #[inline]
    fn add(&mut self, seed: Seeded, bytes: &[u8], start: usize, end: usize) {
        if end - start <= LONGEST_KEY {
            let key = key(bytes, start, end);
            let place = &mut self.recent[seed.hash(key) as usize % RECENT];
            if place.0 == key {
                place.1 += 1;
            } else {
                self.waiting.push(std::mem::replace(place, (key, 1)));
                if self.waiting.len() == WAITING {
                    self.settle_waiting();
                }
            }
        } else {
            *self.long.entry_ref(&bytes[start..end]).or_default() += 1;
        }
    }

    #[cold]
    fn add_parts(&mut self, bytes: &[u8], max_chars: usize) {
        parts(bytes, max_chars).for_each(|part| self.add_counted(Kind::Raw, part, 1));
    }

    /// Adds so many of a piece.
    pub fn add_counted(&mut self, kind: Kind, piece: &[u8], count: u64) {
        let sum = match kind {
            Kind::Raw if piece.len() <= LONGEST_KEY => {
                self.short.entry(key(piece, 0, piece.len())).or_default()
            }
            Kind::Raw => self.long.entry_ref(piece).or_default(),
            Kind::Spelled => self.spelled.entry_ref(&*String::from_utf8_lossy(piece)).or_default(),
        };
        *sum = sum.saturating_add(count);
    }

    /// Calls `each` with every piece and its count; none may wait.
    pub fn each(&self, mut each: impl FnMut(Kind, &[u8], u64)) {
        for (key, &count) in &self.short {
            let bytes = key.to_be_bytes();
            each(Kind::Raw, &bytes[..usize::from(bytes[LONGEST_KEY])], count);
        }
        self.long.iter().for_each(|(piece, &count)| each(Kind::Raw, piece, count));
        let spelled = self.spelled.iter();
        spelled.for_each(|(piece, &count)| each(Kind::Spelled, piece.as_bytes(), count));
    }

    /// Leaves nothing recent or waiting.
    pub fn settle(&mut self) {
        self.waiting.extend_from_slice(&self.recent);
        self.recent.fill((0, 0));
        self.settle_waiting();
        // A place without a piece is an empty one that was never seen.
        if self.short.get(&0) == Some(&0) {
            self.short.remove(&0);
        }
    }

    fn settle_waiting(&mut self) {
        for (piece, count) in self.waiting.drain(..) {
            let sum = self.short.entry(piece).or_default();
            *sum = sum.saturating_add(count);
        }
    }

    /// Both together, if both are settled.
    pub fn and(mut self, mut other: Table) -> Table {
        if self.short.len() < other.short.len() {
            std::mem::swap(&mut self, &mut other);
        }
        for (piece, count) in other.short {
            let sum = self.short.entry(piece).or_default();
            *sum = sum.saturating_add(count);
        }
        for (piece, count) in other.long {
            let sum = self.long.entry(piece).or_default();
            *sum = sum.saturating_add(count);
        }
        for (piece, count) in other.spelled {
            let sum = self.spelled.entry(piece).or_default();
            *sum = sum.saturating_add(count);
        }
        self
    }

    /// Drops pieces until there are at most `limit`: those that were seen no more often than the most
    /// frequent one that has to go, so that equals fare alike.
    pub fn prune(&mut self, limit: usize) {
        let Some(last) = self.len().checked_sub(limit + 1) else { return };
        let mut counts = Vec::with_capacity(self.len());
        self.each(|_, _, count| counts.push(count));
        let (_, &mut cutoff, _) = counts.select_nth_unstable(last);
        self.short.retain(|_, count| *count > cutoff);
        self.long.retain(|_, count| *count > cutoff);
        self.spelled.retain(|_, count| *count > cutoff);
    }

    /// The counts of pieces as the model reads them.
    pub fn spelled(&self, stages: &TextStages) -> Counts {
        let (mut buffer, mut text) = (Vec::new(), String::new());
        let mut spans = Vec::with_capacity(self.len());
        self.each(|kind, piece, count| {
            let start = text.len();
            text.push_str(&match kind {
                Kind::Raw => stages.spell(piece, &mut buffer),
                Kind::Spelled => String::from_utf8_lossy(piece),
            });
            if text.len() > start {
                spans.push((start..text.len(), count));
            }
        });
        spans.into_iter().map(|(span, count)| (&text[span], count)).collect()
    }
}

/// The key of a piece of up to 15 bytes.
#[inline]
fn key(bytes: &[u8], start: usize, end: usize) -> Key {
    let len = end - start;
    let all = match bytes[start..].first_chunk::<16>() {
        Some(chunk) => u128::from_be_bytes(*chunk),
        None => {
            let mut chunk = [0; 16];
            chunk[..len].copy_from_slice(&bytes[start..end]);
            u128::from_be_bytes(chunk)
        }
    };
    // At least the lowest byte goes.
    let left_out = 8 * (16 - len as u32);
    all.checked_shr(left_out).and_then(|kept| kept.checked_shl(left_out)).unwrap_or(0) | len as u128
}

/// UTF-8 in parts of so many characters.
fn parts(bytes: &[u8], max_chars: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let starts = rest.iter().enumerate().filter(|(_, byte)| (**byte as i8) >= -0x40);
        let end = starts.map(|(at, _)| at).nth(max_chars).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        rest = behind;
        (!part.is_empty()).then_some(part)
    })
}
