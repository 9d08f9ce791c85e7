//! WordPiece: a word is cut greedily into longest tokens from the left, those behind the first
//! spelled with a prefix; a word that cannot be cut so is unknown as a whole.
//!
//! One pass over the bytes. A trie has two roots: one for tokens as they start a word, one for
//! what follows the prefix in tokens that have it. Where no child fits the next byte, a node says
//! which tokens the bytes so far are cut into, in any word that goes on otherwise (`pops`), and
//! which node the rest of them leads to (`fail`); both are known when the trie is built. At the
//! end of the word the same is done until nothing is left. Tokens at the start of a word are
//! looked up as they are: the word `##ing` is the token `##ing`.
//!
//! Cost: linear in the word, whatever the vocabulary. Building is linear in the vocabulary's
//! bytes: along one token the ends of the cut only move on, so that the lists of pops, which
//! share their beginnings, grow by at most two a byte.
//!
//! Source: Song et al., "Fast WordPiece Tokenization" (2021), `LinMaxMatch`; behaviour of
//! `WordPiece` in Hugging Face tokenizers 0.23.3.

mod build;
mod sink;
#[cfg(test)]
mod tests;

use build::{build, Pop};
use sink::{Sink, Spanned};

use crate::error::{EncodeError, LoadError};
use crate::spec;
use crate::tables::fret::{Reader, Writer};
use crate::tables::trie::{child, Node, Trie, BASE, FAIL, NOWHERE, VALUE};
use crate::tables::Array;
use crate::vocabulary::Vocabulary;

/// The trie's root for the first token of a word, and for those behind it.
const START: u32 = 0;
const CONTINUING: u32 = 1;

/// Where a list of pops ends.
const NO_POP: u32 = 0;

/// The names of the tables in a compiled file.
const NODES: &str = "wordpiece.nodes";
const POPS: &str = "wordpiece.pops";

/// A WordPiece model.
pub struct WordPiece {
    pub vocabulary: Vocabulary,
    trie: Trie,
    /// Lists of tokens, each entry with the one before it. Place 0 is none.
    pops: Array<Pop>,
    unk_token: String,
    unknown: Option<u32>,
    max_chars: usize,
}

/// Buffers reused from piece to piece.
#[derive(Default)]
pub struct WordPieceScratch {
    /// Lengths of the tokens, for spans.
    lens: Vec<u32>,
}

/// Buffers that a long piece made larger than this are given back.
const KEPT_LENS: usize = 1 << 16;

impl WordPieceScratch {
    /// Gives back what only an unusually long piece needed.
    pub fn shrink(&mut self) {
        if self.lens.capacity() > KEPT_LENS {
            *self = Self::default();
        }
    }
}

/// A word that cannot be cut into tokens.
struct Unknown;

impl WordPiece {
    /// The model of a spec. `vocabulary` is built from `spec.vocab`, without control ids (but with
    /// the unknown token) for a model that leaves them out.
    pub fn new(vocabulary: Vocabulary, spec: &spec::WordPiece) -> Result<Self, LoadError> {
        let (trie, pops) = build(&vocabulary, spec.continuing_subword_prefix.as_bytes())?;
        Ok(Self {
            unknown: vocabulary.id(spec.unk_token.as_bytes()),
            vocabulary,
            trie,
            pops: pops.into(),
            unk_token: spec.unk_token.clone(),
            max_chars: spec.max_input_chars_per_word,
        })
    }

    /// Writes the model's own tables.
    pub fn store(&self, writer: &mut Writer) {
        self.trie.store(writer, NODES);
        writer.array(POPS, self.pops.as_slice());
    }

    /// The model whose tables were written, in place: lists of tokens end, and each has as many bytes
    /// as lie between its node and the one that it goes on with.
    pub fn stored(
        reader: &Reader,
        vocabulary: Vocabulary,
        options: &spec::WordPiece,
    ) -> Result<Self, LoadError> {
        let pops: Array<Pop> = reader.array(POPS)?;
        let entries = pops.as_slice();
        let mut lens: Vec<u64> = Vec::with_capacity(entries.len());
        for &[id, len, before] in entries {
            let rest = lens.get(before as usize).copied();
            match rest {
                _ if lens.is_empty() => lens.push(0),
                Some(rest) if id < vocabulary.id_end() => lens.push(rest + u64::from(len)),
                _ => return Err(reader.broken()),
            }
        }
        let trie = Trie::stored(reader, NODES, 2, |pop, depth, fail| match fail {
            None => true,
            Some(fail) => pop != NO_POP && lens.get(pop as usize) == Some(&u64::from(depth - fail)),
        })?;
        Ok(Self {
            unknown: vocabulary.id(options.unk_token.as_bytes()),
            vocabulary,
            trie,
            pops,
            unk_token: options.unk_token.clone(),
            max_chars: options.max_input_chars_per_word,
        })
    }

    /// The id of the unknown token.
    pub fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// Appends the ids of one piece to `ids`. `piece` is UTF-8; other bytes are unknown, and count
    /// as characters where they are no continuation bytes.
    pub fn encode_piece(
        &self,
        piece: &[u8],
        _: &mut WordPieceScratch,
        ids: &mut Vec<u32>,
    ) -> Result<(), EncodeError> {
        self.encode(piece, ids)
    }

    /// Appends the ids of one piece, and where the text of each lies in the piece. The unknown
    /// token has the whole piece.
    pub fn encode_with_spans(
        &self,
        piece: &[u8],
        scratch: &mut WordPieceScratch,
        ids: &mut Vec<u32>,
        spans: &mut Vec<(u32, u32)>,
    ) -> Result<(), EncodeError> {
        scratch.lens.clear();
        self.encode(piece, &mut Spanned { ids, lens: &mut scratch.lens })?;
        let mut start = 0;
        for len in &scratch.lens {
            spans.push((start, start + len));
            start += len;
        }
        Ok(())
    }

    fn encode(&self, piece: &[u8], sink: &mut impl Sink) -> Result<(), EncodeError> {
        let Ok(len) = u32::try_from(piece.len()) else {
            return Err(EncodeError::PieceTooLong { bytes: piece.len() });
        };
        let from = sink.len();
        if !self.is_too_long(piece) && self.cut(piece, sink).is_ok() {
            return Ok(());
        }
        sink.truncate(from);
        let missing = || EncodeError::UnknownTokenMissing { token: self.unk_token.clone() };
        sink.push(self.unknown.ok_or_else(missing)?, len);
        Ok(())
    }

    /// Whether the piece has more characters than a word may have.
    #[inline]
    fn is_too_long(&self, piece: &[u8]) -> bool {
        piece.len() > self.max_chars
            && piece.iter().filter(|&byte| byte & 0xC0 != 0x80).count() > self.max_chars
    }

    /// Cuts the piece into longest tokens.
    fn cut(&self, piece: &[u8], sink: &mut impl Sink) -> Result<(), Unknown> {
        if piece.is_empty() {
            return Ok(());
        }
        let nodes = self.trie.nodes();
        let pops = self.pops.as_slice();
        let mut at = START;
        let mut node = nodes[at as usize];
        for &byte in piece {
            loop {
                if let Some(next) = child(nodes, at, node[BASE], byte) {
                    (at, node) = next;
                    break;
                }
                (at, node) = fall(nodes, pops, node, sink)?;
            }
        }
        while at != CONTINUING {
            (at, node) = fall(nodes, pops, node, sink)?;
        }
        Ok(())
    }
}

/// Gives the tokens that the bytes of a node are cut into, and the node of the rest.
#[inline]
fn fall(
    nodes: &[Node],
    pops: &[Pop],
    node: Node,
    sink: &mut impl Sink,
) -> Result<(u32, Node), Unknown> {
    let next = node[FAIL];
    if next == NOWHERE {
        return Err(Unknown);
    }
    let [id, len, mut before] = pops[node[VALUE] as usize];
    let from = sink.len();
    sink.push(id, len);
    if before != NO_POP {
        while before != NO_POP {
            let [id, len, next] = pops[before as usize];
            sink.push(id, len);
            before = next;
        }
        sink.reverse(from);
    }
    Ok((next, nodes[next as usize]))
}
