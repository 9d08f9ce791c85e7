//! Counting the pieces of texts.
//!
//! Each thread has a table of its own and takes texts as it gets to them; in the end the tables are
//! added up, so that neither the number of threads nor their luck shows. Pieces are counted as they
//! stand in the text and spelled for the model once each.
//!
//! With a limit on distinct pieces, rare ones are dropped at the end of each round of 16 MB of text,
//! where all tables are added up; rounds depend on the sequence of texts alone. A piece is dropped if
//! it has been seen no more often than a cutoff since it was dropped last, the least cutoff that
//! leaves no more than the limit. So a count that is kept is too low by at most the sum of the cutoffs.
//!
//! Cost: O(bytes of text). Memory: 40 bytes a distinct piece and thread, and the longer pieces.
//!
//! Source of the pruning: lossy counting, Manku and Motwani 2002, with cutoffs by rank.

mod state;
mod table;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use table::Table;

use super::{Counts, Watch};
use crate::compile::TextStages;
use crate::error::{EncodeError, LoadError, TrainError};
use crate::pool;
use crate::spec::Spec;

/// What to count, beside all pieces as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most distinct pieces to keep; rare ones are dropped.
    pub max_distinct: Option<usize>,
    /// The most characters of a piece; longer ones are cut.
    pub max_chars: Option<usize>,
}

/// Counts the pieces of texts as a tokenizer cuts them.
pub struct Counter {
    stages: TextStages,
    tables: Vec<Mutex<Table>>,
    threads: usize,
    limits: Limits,
    /// Bytes of text since the last round.
    round_bytes: Mutex<usize>,
}

/// About how many bytes of text a thread takes at once.
const BYTES_A_TURN: usize = 1 << 16;

/// After so many bytes of text a limit on distinct pieces is looked after.
const BYTES_A_ROUND: usize = 1 << 24;

impl Counter {
    /// A counter for the stages before a spec's model, with so many threads (0: as many as CPUs).
    ///
    /// # Errors
    ///
    /// [`LoadError`] where a stage can't be done exactly.
    pub fn new(spec: &Spec, threads: usize, limits: Limits) -> Result<Self, LoadError> {
        let threads = pool::threads_meant(threads);
        let tables = (0..threads).map(|_| Mutex::default()).collect();
        let stages = TextStages::new(spec)?;
        Ok(Self { stages, tables, threads, limits, round_bytes: Mutex::default() })
    }

    /// Counts the pieces of some texts; many at once go to several threads. `watch` is asked often,
    /// by each of them, whether to go on, and told nothing.
    ///
    /// # Errors
    ///
    /// [`TrainError::Text`] where a text can't be normalized or cut: the first such text says why.
    /// [`TrainError::Stopped`] when `watch` says so. After both, some of the texts are counted.
    pub fn count<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        watch: Watch<'_>,
    ) -> Result<(), TrainError> {
        let Some(limit) = self.limits.max_distinct else { return self.count_all(texts, watch) };
        let mut round_bytes = open(&self.round_bytes);
        let mut start = 0;
        for (at, text) in texts.iter().enumerate() {
            *round_bytes += text.as_ref().len();
            if *round_bytes >= BYTES_A_ROUND {
                self.count_all(&texts[start..=at], watch)?;
                self.prune(limit);
                (start, *round_bytes) = (at + 1, 0);
            }
        }
        self.count_all(&texts[start..], watch)
    }

    fn count_all<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        watch: Watch<'_>,
    ) -> Result<(), TrainError> {
        let turns = turns(texts);
        let next = AtomicUsize::new(0);
        let workers = self.threads.min(turns.len());
        let max_chars = self.limits.max_chars.map_or(usize::MAX, |max| max.max(1));
        let stopped = AtomicBool::new(false);
        let goes_on = || {
            if watch.tell("text", 0, 0).is_err() {
                stopped.store(true, Ordering::Relaxed);
            }
            !stopped.load(Ordering::Relaxed)
        };
        let failed = pool::map(self.threads, workers, |worker| {
            let mut table = open(&self.tables[worker]);
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let (start, end) = *turns.get(at)?;
                for (number, text) in texts[start..end].iter().enumerate() {
                    let text = text.as_ref();
                    if let Err(error) = table.add_text(&self.stages, text, max_chars, &goes_on) {
                        return Some((start + number, error));
                    }
                }
            }
        });
        match failed.into_iter().flatten().min_by_key(|(number, _)| *number) {
            _ if stopped.into_inner() => Err(TrainError::Stopped),
            Some((_, EncodeError::Stopped)) => Err(TrainError::Stopped),
            Some((_, error)) => Err(error.into()),
            None => Ok(()),
        }
    }

    /// How many distinct pieces there are, if no two threads met the same.
    pub fn distinct(&self) -> usize {
        self.settled_len()
    }

    /// The counts of all pieces, spelled as the model reads them.
    pub fn finish(self) -> Counts {
        if let Some(limit) = self.limits.max_distinct {
            self.prune(limit);
        }
        let table = self.tables.into_iter().map(|table| {
            let mut table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
            table.settle();
            table
        });
        table.reduce(Table::and).map_or_else(Counts::default, |table| table.spelled(&self.stages))
    }

    /// Drops rare pieces if there are more than `limit`.
    fn prune(&self, limit: usize) {
        if self.settled_len() > limit {
            self.gathered(|table| table.prune(limit));
        }
    }

    /// How many pieces all tables have, when nothing waits in them any more.
    fn settled_len(&self) -> usize {
        let len = |table: &Mutex<Table>| {
            let mut table = open(table);
            table.settle();
            table.len()
        };
        self.tables.iter().map(len).sum()
    }

    /// Brings what is in settled tables together in the first, and uses it.
    fn gathered(&self, with: impl FnOnce(&mut Table)) {
        let Some((first, others)) = self.tables.split_first() else { return };
        let mut first = open(first);
        for other in others {
            let both = std::mem::take(&mut *first).and(std::mem::take(&mut *open(other)));
            *first = both;
        }
        with(&mut first);
    }
}

fn open<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests;
