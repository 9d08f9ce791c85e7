//! Every token that ends at a place of a text, longest first: Aho-Corasick over a flat trie.
//!
//! A node's `fail` is the longest other token beginning that its bytes end with; its `value` is
//! the longest token that they end with. From a token a link leads to the next shorter one, so
//! that a step through the text costs constant time on average, and a match costs one link.
//!
//! Source: Aho and Corasick, "Efficient string matching: an aid to bibliographic search" (1975).

use crate::error::LoadError;
use crate::tables::fret::{Reader, Writer};
use crate::tables::trie::{child, Keys, Link, NewNode, Node, Trie, BASE, FAIL, VALUE};
use crate::tables::Array;

/// A token as the search finds it: score (the two halves of its bits), length in bytes, and the
/// place of the longest token that it ends with.
pub type Match = [u32; 4];

/// No token: where the list of matches ends.
pub const NO_MATCH: u32 = 0;

/// The names of the tables in a compiled file.
const NODES: &str = "unigram.nodes";
const MATCHES: &str = "unigram.matches";
const IDS: &str = "unigram.ids";

/// The automaton of a vocabulary.
#[derive(Debug)]
pub struct Matcher {
    trie: Trie,
    /// The match at place `p` is `matches[p - 1]`: place 0 is no token. Short tokens, which match
    /// most, come first and so lie together.
    matches: Array<Match>,
    /// The id of each place, likewise.
    ids: Array<u32>,
}

/// A borrowed [`Matcher`].
#[derive(Clone, Copy)]
pub struct MatchView<'a> {
    nodes: &'a [Node],
    matches: &'a [Match],
    ids: &'a [u32],
}

/// Where the search is.
#[derive(Clone, Copy)]
pub struct State {
    at: u32,
    node: Node,
}

impl Matcher {
    /// Builds the automaton. `tokens` are distinct strings with their ids; each has a score.
    /// Empty ones are never found. Returns `None` where the tables would pass their limits.
    pub fn build<'k>(
        tokens: impl Iterator<Item = (&'k [u8], u32)>,
        score: impl Fn(u32) -> f64,
    ) -> Option<Self> {
        let keys = Keys::new(tokens);
        let (matches, ids) = (Vec::with_capacity(keys.len()), Vec::with_capacity(keys.len()));
        let mut linker = Linker { score, matches, ids };
        let trie = Trie::build(&[keys], &mut linker)?;
        Some(Self { trie, matches: linker.matches.into(), ids: linker.ids.into() })
    }

    /// Writes the automaton.
    pub fn store(&self, writer: &mut Writer) {
        self.trie.store(writer, NODES);
        writer.array(MATCHES, self.matches.as_slice());
        writer.array(IDS, self.ids.as_slice());
    }

    /// The automaton that was written, in place; its ids are below `id_end`, its matches within the
    /// bytes that were read, the shorter ones before the longer.
    pub fn stored(reader: &Reader, id_end: u32) -> Result<Self, LoadError> {
        let matches: Array<Match> = reader.array(MATCHES)?;
        let ids: Array<u32> = reader.array(IDS)?;
        let entries = matches.as_slice();
        let len_of = |place: u32| match place {
            NO_MATCH => Some(0),
            place => entries.get(place as usize - 1).map(|entry| entry[2]),
        };
        let shorter_before = (0u32..).zip(entries).all(|(before, &[_, _, len, next])| {
            next <= before && len_of(next).is_some_and(|shorter| shorter < len)
        });
        let sound = shorter_before
            && ids.as_slice().len() == entries.len()
            && ids.as_slice().iter().all(|&id| id < id_end);
        if !sound {
            return Err(reader.broken());
        }
        let trie = Trie::stored(reader, NODES, 1, |place, depth, fail| {
            fail.is_some() && len_of(place).is_some_and(|len| len <= depth)
        })?;
        Ok(Self { trie, matches, ids })
    }

    /// The automaton as slices.
    #[inline]
    pub fn view(&self) -> MatchView<'_> {
        MatchView {
            nodes: self.trie.nodes(),
            matches: self.matches.as_slice(),
            ids: self.ids.as_slice(),
        }
    }
}

impl MatchView<'_> {
    /// The state before any text.
    #[inline]
    pub fn start(&self) -> State {
        State { at: 0, node: self.nodes[0] }
    }

    /// The state one byte on.
    #[inline]
    pub fn step(&self, mut state: State, byte: u8) -> State {
        loop {
            if let Some((at, node)) = child(self.nodes, state.at, state.node[BASE], byte) {
                return State { at, node };
            }
            if state.at == 0 {
                return state;
            }
            let at = state.node[FAIL];
            state = State { at, node: self.nodes[at as usize] };
        }
    }

    /// The longest token that ends here, or [`NO_MATCH`].
    #[inline]
    pub fn longest(&self, state: State) -> u32 {
        state.node[VALUE]
    }

    /// Score, length and the next shorter token of a match.
    #[inline]
    pub fn get(&self, place: u32) -> (f64, u32, u32) {
        let [low, high, len, next] = self.matches[place as usize - 1];
        (f64::from_bits(u64::from(high) << 32 | u64::from(low)), len, next)
    }

    /// The id of a match.
    #[inline]
    pub fn id(&self, place: u32) -> u32 {
        self.ids[place as usize - 1]
    }
}

/// Sets the links of each new node and lists its token.
struct Linker<F> {
    score: F,
    matches: Vec<Match>,
    ids: Vec<u32>,
}

impl<F: Fn(u32) -> f64> Link for Linker<F> {
    fn link(&mut self, nodes: &mut [Node], new: NewNode) {
        let mut fail = 0;
        let mut shorter = new.parent;
        while shorter != 0 {
            shorter = nodes[shorter as usize][FAIL];
            if let Some((at, _)) = child(nodes, shorter, nodes[shorter as usize][BASE], new.byte) {
                fail = at;
                break;
            }
        }
        let found = nodes[fail as usize][VALUE];
        let slot = &mut nodes[new.at as usize];
        slot[FAIL] = fail;
        slot[VALUE] = match new.value {
            Some(id) => {
                let bits = (self.score)(id).to_bits();
                self.matches.push([bits as u32, (bits >> 32) as u32, new.depth as u32, found]);
                self.ids.push(id);
                self.ids.len() as u32
            }
            None => found,
        };
    }
}
