//! Byte-pair encoding: a piece becomes symbols, and symbols merge by rank.
//!
//! A byte-level vocabulary whose 256 bytes are all tokens starts from bytes ([`Start::Bytes`]);
//! any other starts from characters with the model's options ([`Start::Chars`]).

mod backtrack;
mod chars;
mod dropout;
pub mod merge;

use std::collections::HashSet;

use backtrack::Backtracker;
pub use chars::CharStart;
use dropout::{merge_each, merge_with_dropout, GONE};
use merge::{merge_heap, merge_small, MergeScratch, SMALL};

use crate::byte_level;
use crate::error::EncodeError;
use crate::model::random::Random;
use crate::tables::MergeTable;
use crate::vocabulary::Vocabulary;
use once_cell::race::OnceBox;

/// A byte-pair encoding model.
pub struct Bpe {
    pub vocabulary: Vocabulary,
    pub merges: MergeTable,
    pub start: Start,
    /// The vocabulary is spelled in the byte alphabet and pieces are raw bytes; else pieces are
    /// text as the vocabulary has it.
    pub byte_level: bool,
    /// A piece that is a token is that token, whatever the merges say.
    pub ignore_merges: bool,
    /// A byte without a token is an error, as in tiktoken; else it leaves no trace.
    pub strict_bytes: bool,
    /// The probability with which a merge is put off; then a piece is never encoded like another.
    pub dropout: Option<f32>,
    /// The linear route for long pieces, made when the first one comes; `None` in it where the
    /// vocabulary does not allow it.
    backtracker: OnceBox<Option<Backtracker>>,
}

/// Pieces from this many bytes on take the linear route.
const LONG: usize = 2048;

/// How a piece becomes symbols.
pub enum Start {
    /// The id of each byte; [`DROPPED`] where no token has it and none stands for the unknown, so
    /// that it leaves no trace, as in the oracle.
    Bytes(Box<[u32; 256]>),
    /// Each character is looked up, with prefix, suffix, fallback and unknown token.
    Chars(CharStart),
}

/// Stands for a byte that leaves no trace.
pub const DROPPED: u32 = u32::MAX;

/// Buffers reused from piece to piece.
#[derive(Default)]
pub struct BpeScratch {
    symbols: Vec<u32>,
    spelled: String,
    merge: MergeScratch,
}

/// Buffers that a long piece made larger than this are given back.
const KEPT_SYMBOLS: usize = 1 << 16;

impl BpeScratch {
    /// Gives back what only an unusually long piece needed.
    pub fn shrink(&mut self) {
        if self.symbols.capacity().max(self.spelled.capacity()) > KEPT_SYMBOLS {
            *self = Self::default();
        }
    }
}

impl Bpe {
    /// A byte-level model: its vocabulary is spelled in the byte alphabet.
    pub fn new(
        vocabulary: Vocabulary,
        merges: MergeTable,
        start: Start,
        ignore_merges: bool,
    ) -> Self {
        Self {
            vocabulary,
            merges,
            start,
            byte_level: true,
            ignore_merges,
            strict_bytes: false,
            dropout: None,
            backtracker: OnceBox::new(),
        }
    }

    /// Appends the ids of one piece to `ids`.
    pub fn encode_piece(
        &self,
        piece: &[u8],
        scratch: &mut BpeScratch,
        random: &mut Random,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        let BpeScratch { symbols, spelled, merge } = scratch;
        let spelling =
            if self.byte_level && (self.ignore_merges || matches!(self.start, Start::Chars(_))) {
                spelled.clear();
                byte_level::spell(piece, spelled);
                spelled.as_bytes()
            } else {
                piece
            };
        if self.ignore_merges && self.dropout.is_none() {
            if let Some(id) = self.vocabulary.id(spelling) {
                ids.push(id);
                return Ok(());
            }
        }
        if let (Start::Bytes(byte_ids), true) = (&self.start, self.strict_bytes) {
            let missing = |&&byte: &&u8| byte_ids[usize::from(byte)] == DROPPED;
            if let Some(&byte) = piece.iter().find(missing) {
                return Err(EncodeError::ByteWithoutToken { byte });
            }
        }
        let merges = self.merges.view();
        symbols.clear();
        match &self.start {
            Start::Bytes(byte_ids) if piece.len() <= SMALL && self.dropout.is_none() => {
                let mut few = [0; SMALL];
                let mut len = 0;
                for &byte in piece {
                    few[len] = byte_ids[usize::from(byte)];
                    len += usize::from(few[len] != DROPPED);
                }
                let len = merge_small(merges, &mut few, len);
                ids.extend_from_slice(&few[..len]);
                return Ok(());
            }
            Start::Bytes(byte_ids) => {
                if piece.len() >= LONG && self.dropout.is_none() {
                    if let Some(backtracker) = self.backtracker(byte_ids) {
                        backtracker.encode(merges, piece, ids);
                        return Ok(());
                    }
                }
                let known = piece.iter().map(|&byte| byte_ids[usize::from(byte)]);
                symbols.extend(known.filter(|&id| id != DROPPED));
            }
            Start::Chars(start) => {
                start.symbols(spelling, &self.vocabulary, |id, _| symbols.push(id))?;
                // With a prefix a merge may make its left token again, which only the queue's own
                // order tells apart.
                let plain = start.prefix.is_none() && self.dropout.is_none();
                if symbols.len() <= SMALL && plain {
                    let mut few = [0; SMALL];
                    few[..symbols.len()].copy_from_slice(symbols);
                    let len = merge_small(merges, &mut few, symbols.len());
                    ids.extend_from_slice(&few[..len]);
                    return Ok(());
                }
            }
        }
        if symbols.len() >= u32::MAX as usize {
            return Err(EncodeError::PieceTooLong { bytes: piece.len() });
        }
        match self.dropout {
            Some(dropout) => merge_with_dropout(merges, symbols, dropout, random),
            None => merge_heap(merges, symbols, merge),
        }
        ids.extend_from_slice(symbols);
        Ok(())
    }

    /// The ids of one piece, and where the text of each starts and ends in what the vocabulary's
    /// tokens spell: in bytes of the piece, or of its spelling in the byte alphabet. Both are sums of
    /// what each symbol counts for, as in the oracle; where bytes left no trace, or were spelled out,
    /// that is another place than their own.
    ///
    /// Not for speed: O(n log n), and new buffers each time.
    pub fn encode_with_spans(
        &self,
        piece: &[u8],
        random: &mut Random,
        ids: &mut Vec<u32>,
        spans: &mut Vec<(u32, u32)>,
    ) -> Result<(), EncodeError> {
        let mut spelled = String::new();
        let spelling = if self.byte_level {
            byte_level::spell(piece, &mut spelled);
            spelled.as_bytes()
        } else {
            piece
        };
        if spelling.len() >= u32::MAX as usize {
            return Err(EncodeError::PieceTooLong { bytes: piece.len() });
        }
        if self.ignore_merges && self.dropout.is_none() {
            if let Some(id) = self.vocabulary.id(spelling) {
                ids.push(id);
                spans.push((0, spelling.len() as u32));
                return Ok(());
            }
        }
        let (mut symbols, mut lens) = (Vec::new(), Vec::new());
        let mut push = |id: u32, len: usize| {
            symbols.push(id);
            lens.push(len as u32);
        };
        match &self.start {
            Start::Bytes(byte_ids) => {
                for &byte in piece {
                    match byte_ids[usize::from(byte)] {
                        DROPPED if self.strict_bytes => {
                            return Err(EncodeError::ByteWithoutToken { byte });
                        }
                        DROPPED => {}
                        id => push(id, byte_level::CHARS[usize::from(byte)].len_utf8()),
                    }
                }
            }
            Start::Chars(start) => start.symbols(spelling, &self.vocabulary, push)?,
        }
        let dropout = self.dropout.map(|dropout| (dropout, random));
        merge_each(self.merges.view(), &mut symbols, dropout, |left, right| {
            lens[left] += std::mem::take(&mut lens[right]);
        });
        let mut start = 0;
        for (&id, &len) in symbols.iter().zip(&lens).filter(|(&id, _)| id != GONE) {
            ids.push(id);
            spans.push((start, start + len));
            start += len;
        }
        Ok(())
    }

    fn backtracker(&self, byte_ids: &[u32; 256]) -> Option<&Backtracker> {
        self.backtracker.get_or_init(|| Box::new(Backtracker::new(byte_ids, &self.merges))).as_ref()
    }

    /// Whether some text could make the model give one of these ids (the unknown token aside).
    pub fn reaches(&self, ids: &HashSet<u32>) -> bool {
        // A token that is no merge's result comes out as a first symbol, or whole where merges are
        // ignored; both need it to be spelled as a piece can be.
        // Symbols that a prefix, a suffix or a byte spells are as long as they like.
        let spelled = match &self.start {
            Start::Bytes(_) => false,
            Start::Chars(start) => {
                start.prefix.is_some() || start.suffix.is_some() || start.byte_tokens.is_some()
            }
        };
        let mut bytes = Vec::new();
        let mut is_whole = |token: &str| {
            let as_piece = !self.byte_level || spelled || byte_level::unspell(token, &mut bytes);
            as_piece && (self.ignore_merges || spelled || token.chars().count() == 1)
        };
        let mut tokens = ids.iter().filter_map(|&id| self.vocabulary.token(id));
        let most = ids.iter().max().copied().unwrap_or(0);
        let mut is_among = vec![false; most as usize + 1];
        ids.iter().for_each(|id| is_among[*id as usize] = true);
        let made = |id: &u32| is_among.get(*id as usize) == Some(&true);
        tokens.any(&mut is_whole) || self.merges.results().iter().any(made)
    }
}
