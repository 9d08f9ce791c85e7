//! How much of a piece each token covers, where its string alone says so.
//!
//! With this the ids of a piece lead back to the piece without the model being asked again. A token
//! that covers now this, now that has no length here: the unknown token, and all tokens of a model that
//! may leave characters out, chooses by chance, or spells tokens with a suffix.

use std::collections::HashSet;

use super::bpe::{Bpe, CharStart, Start, DROPPED};
use super::Model;

/// SentencePiece's mark for a space.
const MARK: char = '\u{2581}';

/// The lengths of all tokens, by id, in bytes of what the model reads.
pub struct Lens {
    /// At the start of a piece, behind, and with one byte for each mark; 0 where nothing is known.
    lens: Vec<[u16; 3]>,
    covers_all: bool,
}

impl Lens {
    /// The lengths of a model's tokens; `prefix` is what WordPiece spells in front of a token that does
    /// not start a piece.
    pub fn new(model: &Model, prefix: &str) -> Self {
        let vocabulary = model.vocabulary();
        let mut lens = vec![[0; 3]; vocabulary.id_end() as usize];
        let covers_all = !model.is_random() && covers_all(model);
        if !covers_all {
            return Self { lens, covers_all };
        }
        let by_chars = matches!(model, Model::Bpe(bpe) if bpe.byte_level);
        let prefix = matches!(model, Model::WordPiece(_)).then_some(prefix).unwrap_or("");
        let len = |token: &str| {
            let len = if by_chars { token.chars().count() } else { token.len() };
            u16::try_from(len).unwrap_or(0)
        };
        for (token, id) in vocabulary.iter() {
            let behind = token.strip_prefix(prefix).map_or(0, len);
            let marks = token.matches(MARK).count() * (MARK.len_utf8() - 1);
            let unmarked = u16::try_from(token.len() - marks).unwrap_or(0);
            lens[id as usize] = [len(token), behind, unmarked];
        }
        let mut set = |id: u32, len: u16| {
            lens.get_mut(id as usize).into_iter().for_each(|lens| *lens = [len; 3]);
        };
        match model {
            Model::Bpe(bpe) => {
                if let Start::Chars(start) = &bpe.start {
                    // Where no merge makes one, a token of a byte stands for that byte.
                    let byte_len = u16::from(!bpe.ignore_merges);
                    let bytes: HashSet<u32> = others(start).collect();
                    bytes.iter().for_each(|&id| set(id, byte_len));
                    let results = bpe.merges.results().iter();
                    results.filter(|id| bytes.contains(id)).for_each(|&id| set(id, 0));
                    start.unknown.iter().filter_map(|(_, id)| *id).for_each(|id| set(id, 0));
                }
            }
            Model::Unigram(unigram) => unigram.uncertain().for_each(|id| set(id, 0)),
            Model::WordPiece(words) => words.unknown().into_iter().for_each(|id| set(id, 0)),
            Model::WordLevel(_) | Model::SentencePiece(_) => {}
        }
        Self { lens, covers_all }
    }

    /// Whether the tokens of every piece cover all of it, so that what those with a length cover says
    /// where the others are.
    pub fn covers_all(&self) -> bool {
        self.covers_all
    }

    /// How much a token covers; nothing where its string does not say.
    #[inline]
    pub fn get(&self, id: u32, starts_piece: bool) -> Option<usize> {
        let lens = self.lens.get(id as usize)?;
        let len = usize::from(lens[usize::from(!starts_piece)]);
        (len > 0).then_some(len)
    }

    /// How much a token covers of a text that has a space for each of SentencePiece's marks and no mark
    /// of its own.
    #[inline]
    pub fn unmarked(&self, id: u32) -> Option<usize> {
        let len = usize::from(self.lens.get(id as usize)?[2]);
        (len > 0).then_some(len)
    }
}

/// Whether a merge takes a token that may stand for other text than its own.
fn merges_others(bpe: &Bpe, start: &CharStart) -> bool {
    let others: HashSet<u32> = others(start).collect();
    !others.is_empty()
        && bpe
            .merges
            .to_list()
            .iter()
            .any(|[left, right, ..]| others.contains(left) || others.contains(right))
}

/// The tokens that stand for other text than their own: the unknown one, and those of bytes.
fn others(start: &CharStart) -> impl Iterator<Item = u32> + '_ {
    let bytes = start.byte_tokens.iter().flat_map(|tokens| tokens.iter().flatten());
    let unknown = start.unknown.iter().filter_map(|(_, id)| *id);
    bytes.copied().chain(unknown)
}

/// Whether the tokens of a piece cover all of it, each what its string says but for some tokens.
fn covers_all(model: &Model) -> bool {
    match model {
        Model::Bpe(bpe) => match &bpe.start {
            Start::Bytes(bytes) => bpe.strict_bytes || !bytes.contains(&DROPPED),
            Start::Chars(start) => {
                let plain = start.prefix.is_none() && start.suffix.is_none();
                // A byte that falls back in its spelling has one or two tokens.
                let spelled = bpe.byte_level && start.byte_tokens.is_some();
                let covers = start.unknown.is_some() || start.has_all_bytes();
                plain && !spelled && covers && !merges_others(bpe, start)
            }
        },
        Model::Unigram(_) | Model::WordPiece(_) => true,
        // A word is one token, whatever it is.
        Model::WordLevel(_) => false,
        // The model is asked for the whole text.
        Model::SentencePiece(_) => false,
    }
}
