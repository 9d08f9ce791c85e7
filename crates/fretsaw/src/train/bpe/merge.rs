//! The merge loop: takes the best pair, makes it a token, and merges it in the words that have it.

use super::pairs::{self, pair, sides, Pair, PairMap, Pairs, Places};
use super::queue::Queue;
use super::scratch::Side;
use super::words::Words;
use super::{BpeTrainer, Tokens};
use crate::error::TrainError;
use crate::train::Watch;

/// Ids stay below this.
pub const MAX_TOKENS: u32 = 1 << 31;

/// How many merges there are between two looks at the watch; a merge of many words looks too.
const MERGES_A_LOOK: usize = 256;
const WORDS_A_LOOK: usize = 1 << 16;

/// The state of merging.
pub(super) struct Learning<'w> {
    pub(super) words: &'w mut Words,
    pub(super) counts: PairMap<i64>,
    /// Words that have a pair, for each entry of the queue.
    pub(super) entries: Vec<Places>,
    pub(super) places: Vec<u32>,
    pub(super) queue: Queue,
    /// What stands left and right of the merged symbol.
    pub(super) left: Side,
    pub(super) right: Side,
    pub(super) max_len: u32,
}

/// Learns merges until the vocabulary is full; returns them as pairs of ids in the order in which
/// they were found.
pub fn learn(
    options: &BpeTrainer,
    words: &mut Words,
    tokens: &mut Tokens,
    watch: Watch<'_>,
) -> Result<Vec<(u32, u32)>, TrainError> {
    let (mut learning, mut merges) = match watch.from() {
        Some(state) => Learning::restored(state, options, words, tokens)?,
        None => {
            watch.tell("pairs", 0, words.words.len() as u64)?;
            let found = pairs::count(words, options.threads);
            (Learning::new(words, found, options.max_len()), Vec::new())
        }
    };
    let mut before_look = 0;
    while tokens.strings.len() < options.vocab_size {
        watch.keep(|| learning.state(&merges));
        if before_look == 0 {
            watch
                .tell("merges", tokens.strings.len() as u64, options.vocab_size as u64)
                .inspect_err(|_| watch.keep(|| learning.state(&merges)))?;
            before_look = MERGES_A_LOOK;
        }
        before_look -= 1;
        let Some((count, best, places)) = learning.best() else { break };
        if count < options.min_frequency.max(1) {
            break;
        }
        let merged = tokens.id(&options.joined(tokens, best))?;
        merges.push(sides(best));
        learning.merge(best, merged, places, tokens.strings.len(), &mut || {
            let goes_on =
                watch.tell("merges", tokens.strings.len() as u64, options.vocab_size as u64);
            // What is half merged can't be kept: whoever wants it waits for the end of the merge.
            goes_on.or_else(|stopped| if watch.keeps() { Ok(()) } else { Err(stopped) })
        })?;
    }
    watch.tell("merges", tokens.strings.len() as u64, tokens.strings.len() as u64)?;
    Ok(merges)
}

impl BpeTrainer {
    /// Pairs of this many characters or more are not counted when they appear.
    pub(super) fn max_len(&self) -> u32 {
        self.max_token_length.map_or(u32::MAX, |len| len.min(u32::MAX as usize) as u32)
    }

    /// The token that a pair makes.
    pub(super) fn joined(&self, tokens: &Tokens, pair: Pair) -> String {
        let (left, right) = sides(pair);
        let (left, right) = (&tokens.strings[left as usize], &tokens.strings[right as usize]);
        let prefix = self.continuing_subword_prefix.as_deref().unwrap_or_default();
        let right = right.strip_prefix(prefix).unwrap_or(right);
        [left, right].concat()
    }
}

impl<'w> Learning<'w> {
    fn new(words: &'w mut Words, found: Pairs, max_len: u32) -> Self {
        let Pairs { counts, found, places } = found;
        let mut entries = Vec::with_capacity(found.len());
        let mut queue = Queue::new();
        for (pair, places) in found {
            let count = counts.get(&pair).copied().unwrap_or_default();
            if count > 0 {
                queue.push(count as u64, pair, entries.len() as u32);
                entries.push(places);
            }
        }
        Learning {
            words,
            counts,
            entries,
            places,
            queue,
            left: Side::default(),
            right: Side::default(),
            max_len,
        }
    }

    /// Takes the best pair from the queue.
    fn best(&mut self) -> Option<(u64, Pair, Places)> {
        let counts = &self.counts;
        let now = |pair: Pair| counts.get(&pair).copied().unwrap_or_default() as u64;
        let (count, pair, entry) = self.queue.pop(now)?;
        Some((count, pair, self.entries[entry as usize]))
    }

    /// Merges a pair in the words at `places`, and counts what vanishes and what appears.
    fn merge(
        &mut self,
        pair: Pair,
        merged: u32,
        places: Places,
        symbols: usize,
        look: &mut impl FnMut() -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        self.left.grow(symbols);
        self.right.grow(symbols);
        let end = places.start + places.len as usize;
        for (done, at) in (places.start..end).enumerate() {
            if done % WORDS_A_LOOK == WORDS_A_LOOK - 1 {
                look()?;
            }
            let word = self.places[at];
            self.merge_in_word(word, sides(pair), merged);
        }
        self.settle(pair, merged);
        Ok(())
    }

    /// Merges from left to right, and shortens the word.
    fn merge_in_word(&mut self, number: u32, (first, second): (u32, u32), merged: u32) {
        let Some(word) = self.words.words.get_mut(number as usize) else { return };
        let (start, end, count) = (word.start, word.start + word.len as usize, word.count);
        let symbols = &mut self.words.symbols[start..end];
        let mut lens = self.words.lens.as_mut().map(|lens| &mut lens[start..end]);
        let matches = |two: &[u32]| two[0] == first && two[1] == second;
        let Some(mut read) = symbols.windows(2).position(matches) else { return };
        let mut written = read;
        while read < symbols.len() {
            let is_pair = read + 1 < symbols.len() && matches(&symbols[read..read + 2]);
            if !is_pair {
                symbols[written] = symbols[read];
                if let Some(lens) = &mut lens {
                    lens[written] = lens[read];
                }
                (read, written) = (read + 1, written + 1);
                continue;
            }
            let merged_len =
                lens.as_ref().map_or(0, |lens| lens[read].saturating_add(lens[read + 1]));
            let max_len = self.max_len;
            let fits = |beside: usize, lens: &Option<&mut [u32]>| {
                lens.as_ref().is_none_or(|lens| lens[beside].saturating_add(merged_len) < max_len)
            };
            if let Some(before) = written.checked_sub(1) {
                self.left.gone(symbols[before], count);
                if fits(before, &lens) {
                    self.left.come(symbols[before], count, number);
                }
            }
            if let Some(&behind) = symbols.get(read + 2) {
                self.right.gone(behind, count);
                if fits(read + 2, &lens) {
                    // The pair of the merged symbol with itself is counted on one side.
                    let side = if behind == merged { &mut self.left } else { &mut self.right };
                    side.come(behind, count, number);
                }
            }
            symbols[written] = merged;
            if let Some(lens) = &mut lens {
                lens[written] = merged_len;
            }
            (read, written) = (read + 2, written + 1);
        }
        word.len = written as u32;
    }

    /// Brings counts, queue and places up to date after a merge.
    fn settle(&mut self, merged_pair: Pair, merged: u32) {
        let (first, second) = sides(merged_pair);
        for &symbol in self.left.touched() {
            lower(&mut self.counts, pair(symbol, first), self.left.of(symbol).gone);
        }
        for &symbol in self.right.touched() {
            lower(&mut self.counts, pair(second, symbol), self.right.of(symbol).gone);
        }
        let Learning { counts, entries, places, queue, left, right, .. } = self;
        let mut appear = |side: &mut Side, pair_with: &dyn Fn(u32) -> Pair| {
            for at in 0..side.touched().len() {
                let symbol = side.touched()[at];
                let beside = side.of(symbol);
                if beside.words == 0 {
                    continue;
                }
                let pair = pair_with(symbol);
                let count = counts.entry(pair).or_default();
                *count = count.saturating_add(beside.come);
                if *count > 0 {
                    let start = places.len();
                    queue.push(*count as u64, pair, entries.len() as u32);
                    entries.push(Places { start, len: beside.words });
                    side.note_at(symbol, start);
                    places.resize(start + beside.words as usize, 0);
                }
            }
            side.hand_out(places);
        };
        appear(left, &|symbol| pair(symbol, merged));
        appear(right, &|symbol| pair(merged, symbol));
    }
}

/// Takes something off a count; one of nothing is not kept.
fn lower(counts: &mut PairMap<i64>, pair: Pair, by: i64) {
    if by == 0 {
        return;
    }
    let count = counts.entry(pair).or_default();
    *count = count.saturating_sub(by);
    if *count == 0 {
        counts.remove(&pair);
    }
}
