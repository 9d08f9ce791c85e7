//! What the merge loop has learned so far, as bytes, so that merging can go on in another process.
//!
//! Words are spelled anew from the counts; saved is what has become of them: the merges, the symbols
//! of each word, the counts of pairs, and the queue with the words that have each pair. So going on
//! costs no merging, and ends in the very same merges. Of entries of the queue that are taken out
//! nothing is kept.
//!
//! Bytes from outside are checked: every symbol has to be a token, and nothing may be left over.
//!
//! Cost: linear in the symbols of distinct words, the pairs and their places; so are the bytes, 4 for a
//! symbol or a place, 16 for a pair and 20 for an entry of the queue.

use super::merge::Learning;
use super::pairs::{pair, sides, PairMap, Places};
use super::queue::Queue;
use super::scratch::Side;
use super::words::Words;
use super::{BpeTrainer, Tokens};
use crate::error::TrainError;
use crate::train::saved::{put_narrow, put_wide, Saved};

impl<'w> Learning<'w> {
    /// What was learned, the merges among it.
    pub(super) fn state(&self, merges: &[(u32, u32)]) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_wide(&mut bytes, [merges.len() as u64]);
        put_narrow(&mut bytes, merges.iter().flat_map(|&(left, right)| [left, right]));
        put_narrow(&mut bytes, self.words.words.iter().map(|word| word.len));
        for word in 0..self.words.words.len() {
            put_narrow(&mut bytes, self.words.symbols_of(word).iter().copied());
        }
        if let Some(lens) = &self.words.lens {
            for word in &self.words.words {
                let lens = &lens[word.start..word.start + word.len as usize];
                put_narrow(&mut bytes, lens.iter().copied());
            }
        }
        put_wide(&mut bytes, [self.counts.len() as u64]);
        put_wide(&mut bytes, self.counts.iter().flat_map(|(&pair, &count)| [pair, count as u64]));
        let mut queued = self.queue.entries();
        queued.sort_unstable_by_key(|&(_, _, entry)| entry);
        put_wide(&mut bytes, [self.queue.floor(), queued.len() as u64]);
        let places = |entry: u32| self.entries[entry as usize];
        for &(count, pair, entry) in &queued {
            put_wide(&mut bytes, [count, pair]);
            put_narrow(&mut bytes, [places(entry).len]);
        }
        for &(_, _, entry) in &queued {
            let Places { start, len } = places(entry);
            put_narrow(&mut bytes, self.places[start..start + len as usize].iter().copied());
        }
        bytes
    }

    /// Goes on from a state: words become what they were, and tokens are added. Returns the merges, too.
    pub(super) fn restored(
        state: &[u8],
        options: &BpeTrainer,
        words: &'w mut Words,
        tokens: &mut Tokens,
    ) -> Result<(Self, Vec<(u32, u32)>), TrainError> {
        let damaged = || TrainError::Damaged { what: "merges" };
        let mut saved = Saved::new(state);
        let merges = merges(&mut saved, options, tokens)?.ok_or_else(damaged)?;
        read(saved, words, tokens, options.max_len())
            .map(|learning| (learning, merges))
            .ok_or_else(damaged)
    }
}

/// The merges, whose tokens are added.
fn merges(
    saved: &mut Saved<'_>,
    options: &BpeTrainer,
    tokens: &mut Tokens,
) -> Result<Option<Vec<(u32, u32)>>, TrainError> {
    let Some(len) = saved.size(8) else { return Ok(None) };
    let mut merges = Vec::with_capacity(len);
    for _ in 0..len {
        let known = |id: &u32| (*id as usize) < tokens.strings.len();
        let (Some(left), Some(right)) =
            (saved.narrow().filter(known), saved.narrow().filter(known))
        else {
            return Ok(None);
        };
        tokens.id(&options.joined(tokens, pair(left, right)))?;
        merges.push((left, right));
    }
    Ok(Some(merges))
}

/// Everything behind the merges.
fn read<'w>(
    mut saved: Saved<'_>,
    words: &'w mut Words,
    tokens: &Tokens,
    max_len: u32,
) -> Option<Learning<'w>> {
    let known = |symbol: u32| (symbol as usize) < tokens.strings.len();
    let lens = saved.narrows(words.words.len())?;
    for (word, len) in words.words.iter_mut().zip(lens) {
        word.len = Some(len).filter(|&len| len >= 1 && len <= word.len)?;
    }
    for word in &words.words {
        let symbols = saved.narrows(word.len as usize)?;
        symbols.iter().all(|&symbol| known(symbol)).then_some(())?;
        words.symbols[word.start..word.start + symbols.len()].copy_from_slice(&symbols);
    }
    if let Some(all) = &mut words.lens {
        for word in &words.words {
            let lens = saved.narrows(word.len as usize)?;
            all[word.start..word.start + lens.len()].copy_from_slice(&lens);
        }
    }
    let mut counts = PairMap::default();
    let len = saved.size(16)?;
    counts.reserve(len);
    for _ in 0..len {
        counts.insert(saved.wide()?, saved.wide()? as i64);
    }
    let mut queue = Queue::with_floor(saved.wide()?);
    let len = saved.size(20)?;
    let mut entries = Vec::with_capacity(len);
    let mut start = 0usize;
    for entry in 0..u32::try_from(len).ok()? {
        let (count, pair, len) = (saved.wide()?, saved.wide()?, saved.narrow()?);
        let (left, right) = sides(pair);
        (known(left) && known(right)).then_some(())?;
        queue.push(count, pair, entry);
        entries.push(Places { start, len });
        start = start.checked_add(len as usize)?;
    }
    let places = saved.narrows(start)?;
    saved.end()?;
    let (left, right) = (Side::default(), Side::default());
    Some(Learning { words, counts, entries, places, queue, left, right, max_len })
}

#[cfg(test)]
mod tests {
    use crate::error::TrainError;
    use crate::train::bpe::{BpeTrainer, Known, LearnedBpe};
    use crate::train::watch::every_state;
    use crate::train::{Counts, Keep, Watch};

    fn counts() -> Counts {
        let words = ["aaaaaaaa", "aaaa", "abab", "babab", "lowest", "newest", "wider", "widest"];
        words.iter().copied().zip([3, 5, 2, 2, 4, 9, 1, 1]).collect()
    }

    fn trainers() -> Vec<BpeTrainer> {
        let plain = BpeTrainer { threads: 1, ..BpeTrainer::default() };
        let affixed = BpeTrainer {
            continuing_subword_prefix: Some("##".into()),
            end_of_word_suffix: Some("a".into()),
            max_token_length: Some(4),
            ..plain.clone()
        };
        let known =
            Known { tokens: ["a", "b", "ab"].map(str::to_owned).into(), merges: vec![[0, 1, 2]] };
        let continued = BpeTrainer { known: Some(known), vocab_size: 25, ..plain.clone() };
        vec![plain, affixed, continued]
    }

    fn from(trainer: &BpeTrainer, state: &[u8]) -> Result<LearnedBpe, TrainError> {
        let wanted = false.into();
        let keep = Keep { wanted: &wanted, give: &|_| {}, from: Some(state) };
        trainer.learn(&counts(), Watch::nobody().keeping(&keep))
    }

    #[test]
    fn from_every_state_it_goes_on_to_the_same() {
        for trainer in trainers() {
            let (whole, states) =
                every_state(|watch| trainer.learn(&counts(), watch).expect("nobody stops it"));
            assert!(states.len() > 8 && whole.merges.len() >= 8, "{}", states.len());
            for state in states {
                assert_eq!(from(&trainer, &state).as_ref().ok(), Some(&whole));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_state_are_refused_or_harmless() {
        let trainer = &trainers()[1];
        let (_, states) = every_state(|watch| trainer.learn(&counts(), watch));
        let state = &states[states.len() / 2];
        for len in (0..state.len()).step_by(3) {
            let refused = from(trainer, &state[..len]);
            assert!(matches!(refused, Err(TrainError::Damaged { what: "merges" })));
        }
        for at in (0..state.len()).step_by(7) {
            for change in [0x01, 0x80, 0xFF] {
                let mut changed = state.clone();
                changed[at] ^= change;
                let _ = from(trainer, &changed);
            }
        }
    }
}
