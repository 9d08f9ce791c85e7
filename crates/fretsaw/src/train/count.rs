//! Counting the pieces of texts.
//!
//! Each thread has a table of its own and takes texts as it gets to them; in the end the tables are
//! added up, so that neither the number of threads nor their luck shows. Pieces of up to 15 bytes are
//! keys themselves; longer ones are kept apart. Pieces are counted as they stand in the text and
//! spelled for the model once each.
//!
//! Cost: O(bytes of text). Memory: 40 bytes a distinct piece and thread, and the longer pieces.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashMap;

use super::seeded::Seeded;
use super::Counts;
use crate::compile::{Batch, TextStages};
use crate::error::{LoadError, TrainError};
use crate::pool;
use crate::spec::Spec;

/// Counts the pieces of texts as a tokenizer cuts them.
pub struct Counter {
    stages: TextStages,
    tables: Vec<Mutex<Table>>,
    threads: usize,
}

/// About how many bytes of text a thread takes at once.
const BYTES_A_TURN: usize = 1 << 16;

impl Counter {
    /// A counter for the stages before a spec's model, with so many threads (0: as many as CPUs).
    ///
    /// # Errors
    ///
    /// [`LoadError`] where a stage can't be done exactly.
    pub fn new(spec: &Spec, threads: usize) -> Result<Self, LoadError> {
        let threads = pool::threads_meant(threads);
        let tables = (0..threads).map(|_| Mutex::default()).collect();
        Ok(Self { stages: TextStages::new(spec)?, tables, threads })
    }

    /// Counts the pieces of some texts; many at once go to several threads.
    ///
    /// # Errors
    ///
    /// [`TrainError::Text`] where a text can't be normalized or cut: the first such text says why.
    pub fn count<T: AsRef<str> + Sync>(&self, texts: &[T]) -> Result<(), TrainError> {
        let turns = turns(texts);
        let next = AtomicUsize::new(0);
        let workers = self.threads.min(turns.len());
        let failed = pool::map(self.threads, workers, |worker| {
            let mut table = self.tables[worker].lock().unwrap_or_else(PoisonError::into_inner);
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let (start, end) = *turns.get(at)?;
                for (number, text) in texts[start..end].iter().enumerate() {
                    if let Err(error) = table.add_text(&self.stages, text.as_ref()) {
                        return Some((start + number, error));
                    }
                }
            }
        });
        match failed.into_iter().flatten().min_by_key(|(number, _)| *number) {
            Some((_, error)) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// How many distinct pieces there are, if no two threads met the same.
    pub fn distinct(&self) -> usize {
        let of = |table: &Mutex<Table>| table.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.tables.iter().map(of).sum()
    }

    /// The counts of all pieces, spelled as the model reads them.
    pub fn finish(self) -> Counts {
        let tables = self.tables.into_iter().map(Table::of);
        let Some(table) = tables.reduce(Table::and) else { return Counts::default() };
        table.spelled(&self.stages)
    }
}

/// Ranges of texts that a thread takes at once.
fn turns<T: AsRef<str>>(texts: &[T]) -> Vec<(usize, usize)> {
    let mut turns = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        bytes += text.as_ref().len();
        if bytes >= BYTES_A_TURN || at + 1 == texts.len() {
            turns.push((start, at + 1));
            (start, bytes) = (at + 1, 0);
        }
    }
    turns
}

/// The bytes of a short piece from the highest down, and its length in the lowest.
type Key = u128;

const LONGEST_KEY: usize = 15;

/// A few pieces make up most of a text: their counts are kept in a small table that stays in the
/// processor's cache, where a piece takes the place of another one with the same low bits.
const RECENT: usize = 1 << 13;

/// Those that lost their place go to the large table so many at a time, so that the processor can
/// wait for many places in memory at once.
const WAITING: usize = 256;

/// Pieces that one thread has met.
struct Table {
    recent: Box<[(Key, u64)]>,
    waiting: Vec<(Key, u64)>,
    short: HashMap<Key, u64, Seeded>,
    long: HashMap<Vec<u8>, u64>,
    /// Pieces that need no spelling where others do.
    spelled: HashMap<String, u64>,
}

impl Default for Table {
    fn default() -> Self {
        Table {
            recent: vec![(0, 0); RECENT].into(),
            waiting: Vec::with_capacity(WAITING),
            short: HashMap::default(),
            long: HashMap::default(),
            spelled: HashMap::default(),
        }
    }
}

impl Table {
    fn len(&self) -> usize {
        self.short.len() + self.long.len() + self.spelled.len()
    }

    fn add_text(
        &mut self,
        stages: &TextStages,
        text: &str,
    ) -> Result<(), crate::error::EncodeError> {
        let seed = *self.short.hasher();
        stages.pieces(text, &mut |batch| {
            match batch {
                Batch::Pieces { bytes, boundaries } => {
                    for pair in boundaries.windows(2) {
                        self.add(seed, bytes, pair[0], pair[1]);
                    }
                }
                Batch::Spelled(piece) => *self.spelled.entry_ref(piece).or_default() += 1,
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
                    self.settle();
                }
            }
        } else {
            *self.long.entry_ref(&bytes[start..end]).or_default() += 1;
        }
    }

    /// A thread's table, with nothing recent left.
    fn of(table: Mutex<Table>) -> Table {
        let mut table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
        table.waiting.extend(std::mem::take(&mut table.recent));
        table.settle();
        table
    }

    /// Adds what waits.
    fn settle(&mut self) {
        for (piece, count) in self.waiting.drain(..) {
            *self.short.entry(piece).or_default() += count;
        }
    }

    /// Both together.
    fn and(mut self, mut other: Table) -> Table {
        if self.short.len() < other.short.len() {
            std::mem::swap(&mut self, &mut other);
        }
        for (piece, count) in other.short {
            *self.short.entry(piece).or_default() += count;
        }
        for (piece, count) in other.long {
            *self.long.entry(piece).or_default() += count;
        }
        for (piece, count) in other.spelled {
            *self.spelled.entry(piece).or_default() += count;
        }
        self
    }

    fn spelled(self, stages: &TextStages) -> Counts {
        let mut buffer = Vec::new();
        let mut pieces: Vec<(Cow<'_, str>, u64)> = Vec::with_capacity(self.len());
        let mut push = |piece: Cow<'_, str>, count: u64| {
            if !piece.is_empty() {
                pieces.push((Cow::Owned(piece.into_owned()), count));
            }
        };
        for (key, count) in self.short {
            let bytes = key.to_be_bytes();
            let len = usize::from(bytes[LONGEST_KEY]);
            push(stages.spell(&bytes[..len], &mut buffer), count);
        }
        for (piece, count) in self.long {
            push(stages.spell(&piece, &mut buffer), count);
        }
        for (piece, count) in self.spelled {
            push(Cow::Owned(piece), count);
        }
        pieces.iter().map(|(piece, count)| (piece.as_ref(), *count)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::from_json;

    fn counted(json: &str, texts: &[&str], threads: usize) -> Counts {
        let spec = from_json(json.as_bytes()).expect("a sound file");
        let counter = Counter::new(&spec, threads).expect("known stages");
        counter.count(texts).expect("texts that can be cut");
        counter.finish()
    }

    fn file(rest: &str) -> String {
        format!(r#"{{"model": {{"type": "BPE", "vocab": {{}}, "merges": []}}{rest}}}"#)
    }

    const BYTE_LEVEL: &str = r#", "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false,
        "trim_offsets": true, "use_regex": true}"#;

    #[test]
    fn pieces_are_spelled_as_the_model_reads_them() {
        let counts = counted(&file(BYTE_LEVEL), &["a b", "é b ", ""], 1);
        let expected = [("a", 1), ("\u{c3}\u{a9}", 1), ("\u{120}", 1), ("\u{120}b", 2)];
        assert_eq!(counts.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn added_tokens_count_as_they_stand() {
        let added = r#", "added_tokens": [{"id": 0, "content": "é b", "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false, "special": true}]"#;
        let counts = counted(&file(&format!("{BYTE_LEVEL}{added}")), &["a é b", "b"], 1);
        let expected = [("a", 1), ("b", 1), ("é b", 1), ("\u{120}", 1)];
        assert_eq!(counts.iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn pieces_of_every_length() {
        for len in [1, 2, 14, 15, 16, 17, 40] {
            let piece = "x".repeat(len);
            let counts = counted(&file(""), &[&piece, &format!("{piece}\0"), &piece], 1);
            let expected = [(piece.as_str(), 2), (&format!("{piece}\0"), 1)];
            assert_eq!(counts.iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn threads_and_order_show_nowhere() {
        let texts: Vec<String> =
            (0..40_000).map(|number| format!("word{} and {}\n", number % 977, number)).collect();
        let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let one = counted(&file(BYTE_LEVEL), &texts, 1);
        for threads in [2, 3, 8] {
            assert_eq!(counted(&file(BYTE_LEVEL), &texts, threads), one);
        }
        texts.reverse();
        assert_eq!(counted(&file(BYTE_LEVEL), &texts, 2), one);
    }
}
