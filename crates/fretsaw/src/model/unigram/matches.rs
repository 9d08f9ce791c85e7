//! Every token that ends at a place of a text, longest first: Aho-Corasick over a flat trie.
//!
//! A node's `fail` is the longest other token beginning that its bytes end with; its `value` is
//! the longest token that they end with. From a token a link leads to the next shorter one, so
//! that a step through the text costs constant time on average, and a match costs one link.
//!
//! Source: Aho and Corasick, "Efficient string matching: an aid to bibliographic search" (1975).

use crate::tables::trie::{child, Keys, Link, NewNode, Node, Trie, BASE, FAIL, VALUE};
use crate::tables::Array;

/// A token as the search finds it: score (the two halves of its bits), length in bytes, and the
/// place of the longest token that it ends with.
pub type Match = [u32; 4];

/// No token: where the list of matches ends.
pub const NO_MATCH: u32 = 0;

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
