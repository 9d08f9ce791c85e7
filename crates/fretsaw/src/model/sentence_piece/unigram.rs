//! The cut of a text with the highest sum of scores, in 32-bit numbers as sentencepiece adds them.
//!
//! The sum goes on through the whole text, so what is rounded off depends on all that came before; where
//! it passes 100,000 it starts from 0 again. A part of a text that no piece reaches out of is
//! therefore given the sum so far, and gives back its own. Still most parts are cut in the same way
//! whatever the sum is: [`SentencePiece::find_sure`] adds in 64 bits and follows how far each sum
//! may be off. Such a part need be cut once only.
//!
//! Cost: a step in the trie for each byte that a piece may go on with, 12 bytes of buffer a byte.
//!
//! Source: `Model::EncodeOptimized` of `unigram_model.cc` in sentencepiece 0.2.3.

use super::{char_len, Found, SentencePiece};
use crate::spec::{self, PieceType};
use crate::tables::trie::{child, Keys, Link, NewNode, Node as TrieNode, Trie, BASE, FAIL, VALUE};

/// Sums beyond this start from 0 again.
const RESET_AT: f32 = 100_000.0;

/// How far one addition of sums up to [`RESET_AT`] may be off: half a step of the numbers there, which
/// are 2^-7 apart, and a little for the additions here.
const ROUNDED_OFF: f64 = 0.003_906_25 + 1e-6;

/// No place, and no piece.
const NONE: u32 = u32::MAX;

#[derive(Default)]
pub struct UnigramScratch {
    nodes: Vec<Node>,
    sure: Vec<Sure>,
}

impl UnigramScratch {
    pub fn capacity(&self) -> usize {
        self.nodes.capacity().max(self.sure.capacity())
    }
}

/// The best way to a place: its sum, and its last piece.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    score: f32,
    start: u32,
    id: u32,
}

const UNREACHED: Node = Node { score: 0.0, start: NONE, id: NONE };

/// The same in 64 bits, with what else might be the best.
#[derive(Clone, Copy)]
struct Sure {
    score: f64,
    /// How far the sum may be off.
    off: f64,
    /// The highest sum that another way may come out with.
    other: f64,
    start: u32,
    id: u32,
}

/// The score of a user-defined symbol of so many bytes (or characters, in a lattice).
pub fn symbol_score(len: usize) -> f32 {
    (0.1 * (len as f64 - 1.0)) as f32
}

/// The pieces that are looked for; the value of a node is an id.
pub fn trie(spec: &spec::SentencePiece) -> Option<Trie> {
    let found = spec.vocab.iter().zip(&spec.types);
    let found =
        found.filter(|(_, kind)| matches!(kind, PieceType::Normal | PieceType::UserDefined));
    let keys = Keys::new(found.map(|((piece, id), _)| (piece.as_bytes(), id)));
    Trie::build(&[keys], &mut Ids)
}

struct Ids;

impl Link for Ids {
    fn link(&mut self, nodes: &mut [TrieNode], new: NewNode) {
        let node = &mut nodes[new.at as usize];
        node[FAIL] = 0;
        node[VALUE] = new.value.unwrap_or(NONE);
    }
}

impl SentencePiece {
    /// Calls `each` with the end and the id of every piece that starts at a place, shortest first.
    #[inline]
    pub(super) fn each_piece_at(
        &self,
        text: &[u8],
        start: usize,
        mut each: impl FnMut(usize, u32),
    ) {
        let Some(trie) = &self.trie else { return };
        let nodes = trie.nodes();
        let Some(root) = nodes.first() else { return };
        let (mut at, mut base) = (0, root[BASE]);
        for (offset, &byte) in text[start..].iter().enumerate() {
            let Some((next, node)) = child(nodes, at, base, byte) else { return };
            (at, base) = (next, node[BASE]);
            if node[VALUE] != NONE {
                each(start + offset + 1, node[VALUE]);
            }
        }
    }

    /// Appends the pieces of the best cut; the sum goes on from `sum`.
    pub(super) fn find_best(
        &self,
        text: &[u8],
        sum: &mut f32,
        scratch: &mut UnigramScratch,
        found: &mut Vec<Found>,
    ) {
        let nodes = &mut scratch.nodes;
        nodes.clear();
        nodes.resize(text.len() + 1, UNREACHED);
        nodes[0].score = *sum;
        let mut at = 0;
        let mut frontier = 0;
        while at < text.len() {
            let so_far = nodes[at].score;
            if !(-RESET_AT..=RESET_AT).contains(&so_far) {
                nodes[at].score -= so_far;
                for node in nodes[at + 1..].iter_mut().take(frontier.max(at) - at) {
                    if node.start != NONE {
                        node.score -= so_far;
                    }
                }
            }
            let so_far = nodes[at].score;
            let char_end = at + char_len(&text[at..]);
            let mut has_char = false;
            let mut offer = |end: usize, score: f32, id: u32| {
                let score = score + so_far;
                frontier = frontier.max(end);
                let node = &mut nodes[end];
                if node.start == NONE || score > node.score {
                    *node = Node { score, start: at as u32, id };
                }
            };
            self.each_piece_at(text, at, |end, id| {
                has_char |= end == char_end;
                offer(end, self.gains[id as usize], id);
            });
            if !has_char {
                offer(char_end, self.unknown_score, NONE);
            }
            at = char_end;
        }
        *sum = nodes[text.len()].score;
        walk_back(text.len(), |end| (nodes[end].start, nodes[end].id), found);
    }

    /// Appends the ids of the best cut, if that is the same for every sum that the text before may have
    /// and all of them are known; else nothing.
    pub fn find_sure(&self, text: &[u8], scratch: &mut super::PieceScratch, ids: &mut Vec<u32>) {
        let super::PieceScratch { unigram, found, .. } = scratch;
        found.clear();
        if self.find_sure_pieces(text, unigram, found) && found.iter().all(|f| f.id.is_some()) {
            ids.extend(found.iter().filter_map(|piece| piece.id));
        }
    }

    /// Appends the pieces of the best cut, if that is the same for every sum that the text before may
    /// have; says whether it is.
    pub(super) fn find_sure_pieces(
        &self,
        text: &[u8],
        scratch: &mut UnigramScratch,
        found: &mut Vec<Found>,
    ) -> bool {
        const START: Sure = Sure {
            score: f64::NEG_INFINITY,
            off: 0.0,
            other: f64::NEG_INFINITY,
            start: NONE,
            id: NONE,
        };
        let nodes = &mut scratch.sure;
        nodes.clear();
        nodes.resize(text.len() + 1, START);
        nodes[0].score = 0.0;
        let mut at = 0;
        while at < text.len() {
            let Sure { score: so_far, off, .. } = nodes[at];
            // Sums of other ways count as far as they may come out.
            let off = off.max(nodes[at].other - so_far);
            let char_end = at + char_len(&text[at..]);
            let mut has_char = false;
            let mut offer = |end: usize, score: f32, id: u32| {
                let score = f64::from(score) + so_far;
                let off = off + ROUNDED_OFF;
                let node = &mut nodes[end];
                if score > node.score {
                    let other = node.other.max(node.score + node.off);
                    *node = Sure { score, off, other, start: at as u32, id };
                } else {
                    node.other = node.other.max(score + off);
                }
            };
            self.each_piece_at(text, at, |end, id| {
                has_char |= end == char_end;
                offer(end, self.gains[id as usize], id);
            });
            if !has_char {
                offer(char_end, self.unknown_score, NONE);
            }
            at = char_end;
        }
        let mut end = text.len();
        while end > 0 {
            let Sure { score, off, other, start, .. } = nodes[end];
            if score - off <= other {
                return false;
            }
            end = start as usize;
        }
        walk_back(text.len(), |end| (nodes[end].start, nodes[end].id), found);
        true
    }

    /// The sum behind these pieces, which were found without it, or `None` where the sum may have to
    /// start from 0 among them: they cover so many bytes.
    #[inline]
    pub fn sum_behind(&self, sum: f32, ids: &[u32], bytes: usize) -> Option<f32> {
        if !self.stays_below(sum, bytes) {
            return None;
        }
        Some(self.add_up(sum, ids))
    }

    /// Whether a sum does not have to start from 0 in the next so many characters.
    #[inline]
    pub fn stays_below(&self, sum: f32, chars: usize) -> bool {
        sum.abs() + self.largest_gain * (chars as f32 + 1.0) <= RESET_AT
    }

    /// The sum behind these pieces.
    #[inline]
    pub fn add_up(&self, sum: f32, ids: &[u32]) -> f32 {
        ids.iter().fold(sum, |sum, &id| sum + self.gains[id as usize])
    }

    /// What an unknown character adds to the sum.
    #[inline]
    pub fn unknown_score(&self) -> f32 {
        self.unknown_score
    }
}

/// Appends the pieces that lead to the end of a text.
fn walk_back(len: usize, node: impl Fn(usize) -> (u32, u32), found: &mut Vec<Found>) {
    let from = found.len();
    let mut end = len;
    while end > 0 {
        let (start, id) = node(end);
        found.push(Found { end, id: (id != NONE).then_some(id) });
        end = start as usize;
    }
    found[from..].reverse();
}
