//! The models of SentencePiece, as sentencepiece 0.2.3 runs them over a normalized text.
//!
//! A search (`bpe.rs`, `unigram.rs`, or words and characters here) cuts the text into pieces, each
//! known or not. Then an unknown piece becomes the pieces of its bytes (`byte_fallback`), or unknown
//! neighbours become one. No control piece, and no byte piece that is written out, is ever found.
//!
//! Cost: that of the search. Source: `*_model.cc` and `PopulateSentencePieceText` there.

mod bpe;
mod lattice;
mod nbest;
#[cfg(test)]
mod tests;
mod unigram;

use bpe::BpeScratch;
pub use lattice::Lattice;
use unigram::UnigramScratch;

use super::random::Random;
use crate::error::{EncodeError, LoadError};
use crate::prefixes::Prefixes;
use crate::spec::{self, PieceSearch, PieceType, MARK_TEXT};
use crate::tables::trie::Trie;
use crate::vocabulary::{too_long, Vocabulary};

/// How much worse than the worst piece an unknown character is.
const UNKNOWN_PENALTY: f32 = 10.0;

/// A model.
pub struct SentencePiece {
    pub vocabulary: Vocabulary,
    search: PieceSearch,
    scores: Vec<f32>,
    types: Vec<PieceType>,
    unknown: Option<u32>,
    /// `<0x00>` to `<0xFF>`, where the model falls back to bytes.
    byte_tokens: Option<Box<[u32; 256]>>,
    /// What merges and single characters go by beside scores.
    symbols: Prefixes,
    /// Whether a piece that may be found is unused.
    has_unused: bool,
    /// The pieces that a Unigram model looks for.
    trie: Option<Trie>,
    /// What a piece adds to the sum in a Unigram model, by id.
    gains: Vec<f32>,
    unknown_score: f32,
    /// No piece changes the sum by more for each of its characters.
    largest_gain: f32,
}

/// Buffers reused from piece to piece.
#[derive(Default)]
pub struct PieceScratch {
    bpe: BpeScratch,
    unigram: UnigramScratch,
    found: Vec<Found>,
}

impl PieceScratch {
    /// Gives back what only an unusually long text needed.
    pub fn shrink(&mut self) {
        const KEPT: usize = 1 << 14;
        if self.found.capacity() > KEPT || self.unigram.capacity() > KEPT {
            *self = Self::default();
        }
    }
}

/// A piece that was found: where it ends, and what it is if it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub end: usize,
    pub id: Option<u32>,
}

/// A piece as it comes out: a byte piece that is not the last of its character is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    pub id: u32,
    pub start: usize,
    pub end: usize,
    /// Whether it is unknown, and its string that of the text.
    pub own: bool,
}

/// What was found out about a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunFound {
    /// Its pieces depend on the sum before it.
    Unsure,
    /// All of it is known.
    Known,
    /// It has unknown characters.
    WithUnknown,
}

impl SentencePiece {
    /// The model of a spec whose pieces make up `vocabulary`.
    pub fn new(vocabulary: Vocabulary, spec: &spec::SentencePiece) -> Result<Self, LoadError> {
        let unknown = spec.pieces_of(PieceType::Unknown).next().map(|(_, id)| id);
        let mut byte_tokens = spec.byte_fallback.then(|| Box::new([0; 256]));
        if let Some(tokens) = &mut byte_tokens {
            for (byte, token) in tokens.iter_mut().enumerate() {
                *token = vocabulary.id(format!("<0x{byte:02X}>").as_bytes()).unwrap_or(0);
            }
        }
        let normal = spec.scores.iter().zip(&spec.types);
        let normal = normal.filter(|(_, kind)| **kind == PieceType::Normal);
        let least = normal.fold(f32::MAX, |least, (score, _)| least.min(*score));
        let gain = |((piece, _), (score, kind)): ((&str, u32), (&f32, &PieceType))| match kind {
            PieceType::UserDefined => unigram::symbol_score(piece.len()),
            _ => *score,
        };
        let gains: Vec<f32> =
            spec.vocab.iter().zip(spec.scores.iter().zip(&spec.types)).map(gain).collect();
        let unknown_score = least - UNKNOWN_PENALTY;
        let largest = gains.iter().fold(unknown_score.abs(), |most, gain| most.max(gain.abs()));
        let trie = match spec.search {
            PieceSearch::Unigram => Some(unigram::trie(spec).ok_or_else(|| too_long("pieces"))?),
            _ => None,
        };
        let symbols = Prefixes::new(spec.pieces_of(PieceType::UserDefined).map(|(piece, _)| piece));
        Ok(Self {
            vocabulary,
            search: spec.search,
            scores: spec.scores.clone(),
            types: spec.types.clone(),
            unknown,
            byte_tokens,
            symbols,
            has_unused: spec.types.contains(&PieceType::Unused),
            trie,
            gains,
            unknown_score,
            largest_gain: largest,
        })
    }

    /// Whether pieces are found by sums that go on from one part of the text to the next.
    #[inline]
    pub fn is_summed(&self) -> bool {
        self.search == PieceSearch::Unigram
    }

    /// The unknown piece.
    pub fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// The piece of these bytes that may be found.
    #[inline]
    fn findable(&self, piece: &[u8]) -> Option<u32> {
        let id = self.vocabulary.id(piece)?;
        matches!(
            self.types.get(id as usize),
            Some(PieceType::Normal | PieceType::UserDefined | PieceType::Unused)
        )
        .then_some(id)
    }

    fn is_unused(&self, id: u32) -> bool {
        self.types.get(id as usize) == Some(&PieceType::Unused)
    }

    /// The same, if it is not an unused one.
    fn used(&self, piece: &[u8]) -> Option<u32> {
        self.findable(piece).filter(|&id| !self.is_unused(id))
    }

    /// Appends the ids of a part of a text that no piece reaches out of.
    pub fn encode_piece(
        &self,
        piece: &[u8],
        sum: &mut f32,
        scratch: &mut PieceScratch,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        self.each_made(piece, sum, scratch, |made| ids.push(made.id))
    }

    /// Calls `each` with what comes out of a part of a text.
    pub fn each_made(
        &self,
        piece: &[u8],
        sum: &mut f32,
        scratch: &mut PieceScratch,
        each: impl FnMut(Made),
    ) -> Result<(), EncodeError> {
        if u32::try_from(piece.len()).is_err() {
            return Err(EncodeError::PieceTooLong { bytes: piece.len() });
        }
        let PieceScratch { bpe, unigram, found } = scratch;
        found.clear();
        match self.search {
            PieceSearch::Unigram => self.find_best(piece, sum, unigram, found),
            PieceSearch::Bpe => self.merge(piece, bpe, found, None),
            PieceSearch::Char => self.find_chars(piece, found),
            PieceSearch::Word => self.find_words(piece, found),
        }
        self.make(piece, found, each);
        Ok(())
    }

    /// Appends the ids of a part of a text that no piece reaches out of if they are the same whatever
    /// came before, and if there are unknown characters what each piece that was found adds to the sum.
    pub fn find_run(
        &self,
        text: &[u8],
        scratch: &mut PieceScratch,
        ids: &mut Vec<u32>,
        gains: &mut Vec<f32>,
    ) -> RunFound {
        let PieceScratch { bpe, unigram, found } = scratch;
        found.clear();
        match self.search {
            PieceSearch::Unigram if !self.find_sure_pieces(text, unigram, found) => {
                return RunFound::Unsure;
            }
            PieceSearch::Unigram => {}
            PieceSearch::Bpe => self.merge(text, bpe, found, None),
            PieceSearch::Char => self.find_chars(text, found),
            PieceSearch::Word => self.find_words(text, found),
        }
        self.make(text, found, |made| ids.push(made.id));
        if found.iter().all(|piece| piece.id.is_some()) {
            return RunFound::Known;
        }
        let gain =
            |piece: &Found| piece.id.map_or(self.unknown_score, |id| self.gains[id as usize]);
        gains.extend(found.iter().map(gain));
        RunFound::WithUnknown
    }

    /// The pieces of the bytes of an unknown character, where there are such pieces.
    #[inline]
    pub fn byte_tokens(&self) -> Option<&[u32; 256]> {
        self.byte_tokens.as_deref()
    }

    /// A piece for each character or user-defined symbol.
    fn find_chars(&self, text: &[u8], found: &mut Vec<Found>) {
        let mut at = 0;
        while at < text.len() {
            let end = at + self.symbols.longest(&text[at..]).unwrap_or(char_len(&text[at..]));
            found.push(Found { end, id: self.used(&text[at..end]) });
            at = end;
        }
    }

    /// A piece for each word; one starts with each mark.
    fn find_words(&self, text: &[u8], found: &mut Vec<Found>) {
        let mut at = 0;
        while at < text.len() {
            let from = at + char_len(&text[at..]);
            let next = memchr::memmem::find(&text[from..], MARK_TEXT.as_bytes());
            let end = next.map_or(text.len(), |next| from + next);
            found.push(Found { end, id: self.used(&text[at..end]) });
            at = end;
        }
    }

    /// From pieces that were found to what comes out.
    pub(super) fn make(&self, text: &[u8], found: &[Found], mut each: impl FnMut(Made)) {
        let mut unknown: Option<Made> = None;
        let mut start = 0;
        for &Found { end, id } in found {
            match id.filter(|_| id != self.unknown) {
                Some(id) => {
                    unknown.take().into_iter().for_each(&mut each);
                    each(Made { id, start, end, own: false });
                }
                None => match &self.byte_tokens {
                    Some(tokens) => {
                        for (at, &byte) in text[start..end].iter().enumerate() {
                            let last = start + at + 1 == end;
                            let end = if last { end } else { start };
                            each(Made { id: tokens[usize::from(byte)], start, end, own: false });
                        }
                    }
                    None => {
                        let id = self.unknown.unwrap_or_default();
                        let start = unknown.map_or(start, |unknown| unknown.start);
                        unknown = Some(Made { id, start, end, own: true });
                    }
                },
            }
            start = end;
        }
        unknown.into_iter().for_each(each);
    }
}

/// How many bytes the first character has.
#[inline]
fn char_len(text: &[u8]) -> usize {
    let len = match text.first() {
        None => 0,
        Some(0..=0xBF) => 1,
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..) => 4,
    };
    len.min(text.len())
}

/// What a text may be cut into by chance.
impl SentencePiece {
    /// One of the ways to cut a text: with merges left out with a probability (BPE), or by weights of
    /// `alpha` times the sum of scores (Unigram). `None` where the search knows but one way, or the
    /// ways have no distribution.
    pub fn sample(&self, text: &[u8], alpha: f32, random: &mut Random) -> Option<Vec<Made>> {
        let mut found = Vec::new();
        match self.search {
            PieceSearch::Unigram => {
                let lattice = Lattice::new(self, text);
                found = lattice.sample(alpha, random)?;
            }
            PieceSearch::Bpe => {
                self.merge(text, &mut BpeScratch::default(), &mut found, Some((alpha, random)));
            }
            PieceSearch::Char | PieceSearch::Word => return None,
        }
        Some(self.made(text, &found))
    }

    /// The ways to cut a text with the highest sums, and these; `None` where the search knows but one
    /// way.
    pub fn nbest(&self, text: &[u8], size: usize) -> Option<Vec<(Vec<Made>, f32)>> {
        if !self.is_summed() {
            return None;
        }
        if text.is_empty() {
            return Some(vec![(Vec::new(), 0.0)]);
        }
        if size <= 1 {
            let mut found = Vec::new();
            self.find_best(text, &mut 0.0, &mut UnigramScratch::default(), &mut found);
            return Some(vec![(self.made(text, &found), 0.0)]);
        }
        let ways = nbest::nbest(&mut Lattice::new(self, text), size.min(1024));
        Some(ways.into_iter().map(|(found, score)| (self.made(text, &found), score)).collect())
    }

    fn made(&self, text: &[u8], found: &[Found]) -> Vec<Made> {
        let mut made = Vec::new();
        self.make(text, found, |piece| made.push(piece));
        made
    }
}
