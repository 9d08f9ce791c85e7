//! How far a training is, as bytes, so that it can go on in another process.
//!
//! Words are numbered anew from the counts; saved are the steps done, the scores and the pieces that
//! are left, as places in the words. What has vanished is not laid out again, which changes nothing:
//! it had no part in any sum. The pieces at each place are found by a trie.
//!
//! Bytes from outside are checked: a score is a number, and a piece lies within a word.
//!
//! Cost: linear in the bytes of the words and the ways to cut them; 16 bytes for each piece.

use hashbrown::HashMap;

use super::lattice::Lattice;
use super::model::Model;
use super::seeds::{Piece, Seeds};
use super::suffixes::NONE;
use super::words::Words;
use super::{Training, UnigramTrainer, Watch};
use crate::error::TrainError;
use crate::train::saved::{put_narrow, put_wide, Saved};
use crate::train::seeded::Seeded;

/// Between so many places it is asked whether to go on.
const PLACES_A_LOOK: usize = 1 << 16;

impl<'a> Training<'a> {
    /// All that a training with the same words and options needs to go on.
    pub(super) fn state(&self) -> Vec<u8> {
        let model = &self.model;
        let mut bytes = Vec::new();
        put_narrow(&mut bytes, [u32::from(self.is_last)]);
        put_wide(&mut bytes, [self.steps as u64]);
        put_narrow(&mut bytes, model.chars.iter().map(|&left| u32::from(left)));
        put_wide(&mut bytes, [model.pieces.len() as u64]);
        put_narrow(&mut bytes, model.pieces.iter().flat_map(|piece| [piece.at, piece.len]));
        put_wide(&mut bytes, model.scores.iter().map(|score| score.to_bits()));
        bytes
    }

    /// Goes on from a state.
    pub(super) fn restored(
        state: &[u8],
        words: &'a Words,
        options: &UnigramTrainer,
        watch: Watch<'a>,
    ) -> Result<Self, TrainError> {
        let damaged = || TrainError::Damaged { what: "pieces" };
        let longest = options.max_piece_length as u32;
        let read = read(state, words, longest).ok_or_else(damaged)?;
        let seeds = seeds(words, &read.pieces, watch)?;
        let lattice = Lattice::new(words, &seeds, options.threads, watch)?;
        let model = Model::restored(read.scores, read.chars, read.pieces);
        let Read { is_last, steps, .. } = read;
        Ok(Self { words, lattice, model, is_last, steps, threads: options.threads, watch })
    }
}

/// A state as it was written.
struct Read {
    is_last: bool,
    steps: usize,
    chars: Vec<bool>,
    pieces: Vec<Piece>,
    scores: Vec<f64>,
}

fn read(state: &[u8], words: &Words, longest: u32) -> Option<Read> {
    let mut saved = Saved::new(state);
    let is_last = saved.narrow()? == 1;
    let steps = usize::try_from(saved.wide()?).ok()?;
    let chars: Vec<bool> =
        saved.narrows(words.alphabet.len())?.into_iter().map(|left| left == 1).collect();
    let len = saved.size(16)?;
    let places = saved.narrows(2 * len)?;
    let pieces: Vec<Piece> =
        places.chunks_exact(2).map(|two| Piece { at: two[0], len: two[1] }).collect();
    let lies_well = |piece: &Piece| {
        let (at, len) = (piece.at as usize, piece.len as usize);
        let symbols = words.symbols.get(at..at.saturating_add(len));
        len == 0
            || (2..=longest).contains(&piece.len)
                && symbols.is_some_and(|symbols| !symbols.contains(&0))
    };
    pieces.iter().all(lies_well).then_some(())?;
    let mut scores = Vec::with_capacity(chars.len() + 1 + len);
    for _ in 0..scores.capacity() {
        scores.push(Some(f64::from_bits(saved.wide()?)).filter(|&score| score <= 0.0)?);
    }
    saved.end()?;
    Some(Read { is_last, steps, chars, pieces, scores })
}

/// Which pieces start at each place, and which is a prefix of which.
fn seeds(words: &Words, pieces: &[Piece], watch: Watch<'_>) -> Result<Seeds, TrainError> {
    let mut trie = Trie { children: HashMap::default(), pieces: vec![NONE] };
    let symbols = |piece: &Piece| &words.symbols[piece.at as usize..][..piece.len as usize];
    for (number, piece) in (0..).zip(pieces).filter(|(_, piece)| piece.len > 0) {
        trie.add(symbols(piece), number);
    }
    let shorter = pieces.iter().map(|piece| match symbols(piece) {
        [] => NONE,
        [before @ .., _] => trie.longest(before),
    });
    let shorter = shorter.collect();
    let mut at = Vec::with_capacity(words.symbols.len());
    for place in 0..words.symbols.len() {
        if place % PLACES_A_LOOK == 0 {
            watch.tell("lattice", 0, 0)?;
        }
        at.push(trie.longest(&words.symbols[place..]));
    }
    Ok(Seeds { pieces: pieces.to_vec(), weights: Vec::new(), shorter, at })
}

/// Pieces by their symbols.
struct Trie {
    /// The node behind a node and a symbol.
    children: HashMap<u64, u32, Seeded>,
    /// The piece that ends at each node, or [`NONE`].
    pieces: Vec<u32>,
}

impl Trie {
    fn add(&mut self, symbols: &[u32], piece: u32) {
        let mut node = 0;
        for &symbol in symbols {
            let next = self.pieces.len() as u32;
            node = *self.children.entry(key(node, symbol)).or_insert(next);
            if node == next {
                self.pieces.push(NONE);
            }
        }
        self.pieces[node as usize] = piece;
    }

    /// The longest piece that the symbols begin with, or [`NONE`].
    fn longest(&self, symbols: &[u32]) -> u32 {
        let (mut node, mut found) = (0, NONE);
        for &symbol in symbols {
            let Some(&next) = self.children.get(&key(node, symbol)) else { break };
            node = next;
            if self.pieces[node as usize] != NONE {
                found = self.pieces[node as usize];
            }
        }
        found
    }
}

fn key(node: u32, symbol: u32) -> u64 {
    u64::from(node) << 32 | u64::from(symbol)
}

#[cfg(test)]
mod tests {
    use crate::error::TrainError;
    use crate::spec::Unigram;
    use crate::train::watch::every_state;
    use crate::train::{Counts, Keep, UnigramTrainer, Watch};

    fn counts() -> Counts {
        let words =
            ["low", "lower", "lowest", "new", "newer", "newest", "größer", "größte", "漢字漢字"];
        let suffixes = ["", "s", "ly", "er", "est", "low", "new"];
        let all: Vec<String> = words
            .iter()
            .flat_map(|word| suffixes.iter().map(move |suffix| format!("{word}{suffix}")))
            .collect();
        all.iter().map(String::as_str).zip((1..).map(|n| n * 7 % 23 + 1)).collect()
    }

    fn trainer() -> UnigramTrainer {
        UnigramTrainer {
            vocab_size: 40,
            shrinking_factor: 0.8,
            special_tokens: vec!["est".into()],
            threads: 1,
            ..UnigramTrainer::default()
        }
    }

    fn from(state: &[u8]) -> Result<Vec<(String, u64)>, TrainError> {
        let wanted = false.into();
        let keep = Keep { wanted: &wanted, give: &|_| {}, from: Some(state) };
        trainer().learn(&counts(), Watch::nobody().keeping(&keep)).map(|model| plain(&model))
    }

    fn plain(model: &Unigram) -> Vec<(String, u64)> {
        let tokens = model.vocab.iter().map(|(token, _)| token.to_owned());
        tokens.zip(model.scores.iter().map(|score| score.to_bits())).collect()
    }

    #[test]
    fn from_every_state_it_goes_on_to_the_same() {
        let (whole, states) = every_state(|watch| trainer().learn(&counts(), watch));
        let whole = plain(&whole.expect("nobody stops it"));
        assert!(states.len() > 8, "{}", states.len());
        for state in states {
            assert_eq!(from(&state).as_ref().ok(), Some(&whole));
        }
    }

    #[test]
    fn bytes_that_are_no_state_are_refused_or_harmless() {
        let (_, states) = every_state(|watch| trainer().learn(&counts(), watch));
        let state = &states[states.len() / 2];
        for len in (0..state.len()).step_by(7) {
            let refused = from(&state[..len]);
            assert!(matches!(refused, Err(TrainError::Damaged { what: "pieces" })));
        }
        for at in (0..state.len()).step_by(11) {
            for change in [0x01, 0x80, 0xFF] {
                let mut changed = state.clone();
                changed[at] ^= change;
                let _ = from(&changed);
            }
        }
    }
}
