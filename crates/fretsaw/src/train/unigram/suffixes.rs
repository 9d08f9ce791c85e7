//! The suffixes of all words that begin with one symbol, sorted, and the tree over them.
//!
//! What counts as a piece is at most `longest` symbols, so suffixes are told apart no deeper than
//! one more: a *key* holds as many symbols as fit in 64 bits, suffixes are sorted by their key,
//! and those with equal keys again by the next one. The lengths of common prefixes fall out of the
//! keys. One pass with a stack makes the tree: an inner node is a string that goes on in two ways
//! or more, the end of a word being one. With each go the text's occurrences of it and whether all
//! of them have the same symbol to their left.
//!
//! A word that is no inner node but was seen twice is a node as well: in the text it is a string
//! that occurs twice, though among distinct words it is one.
//!
//! Cost: O(n log n) for n suffixes of a symbol, times `longest` / (symbols in a key); 16 bytes for
//! each suffix while its symbol is at work. Source: the sort is a multi-symbol variant of Bentley
//! and Sedgewick, "Fast Algorithms for Sorting and Searching Strings" (1997); the pass is that of
//! Kasai et al., "Linear-Time Longest-Common-Prefix Computation in Suffix Arrays" (2001).

use super::words::Words;

/// No node, and no parent.
pub const NONE: u32 = u32::MAX;
/// The left neighbours differ, or one occurrence has none.
pub const MIXED: u32 = 0;

/// A suffix while it is sorted.
#[derive(Clone, Copy)]
pub struct Suffix {
    key: u64,
    at: u32,
    pub word: u32,
}

/// A string that occurs more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Its occurrences in the text.
    pub occurrences: u64,
    /// One place where it stands.
    pub at: u32,
    /// How many suffixes of its tree come before those that begin with it.
    pub first: u32,
    /// The node of its longest prefix that is one, or [`NONE`].
    pub parent: u32,
    /// The symbol to the left of all occurrences, or [`MIXED`].
    pub left: u32,
    /// Its length in symbols.
    pub depth: u32,
}

/// How symbols are packed into keys.
#[derive(Clone, Copy)]
pub struct Keys {
    /// Bits of a symbol.
    bits: u32,
    /// Symbols in a key.
    symbols: u32,
}

impl Keys {
    /// The packing for symbols up to `largest`.
    pub fn new(largest: u32) -> Self {
        let bits = (u32::BITS - largest.leading_zeros()).max(1);
        Self { bits, symbols: u64::BITS / bits }
    }

    /// The suffixes of a word; `push` gets them from the last one to the first.
    pub fn of_word(self, words: &Words, word: usize, mut push: impl FnMut(u32, Suffix)) {
        let mut key = 0u64;
        let unused = u64::BITS - self.symbols * self.bits;
        for at in words.span(word).rev() {
            let symbol = words.symbols[at];
            if symbol == 0 {
                key = 0;
                continue;
            }
            key = (key >> self.bits) >> unused << unused;
            key |= u64::from(symbol) << (u64::BITS - self.bits);
            push(symbol, Suffix { key, at: at as u32, word: word as u32 });
        }
    }

    fn key(self, symbols: &[u32]) -> u64 {
        let mut key = 0;
        let mut shift = u64::BITS;
        for &symbol in symbols.iter().take(self.symbols as usize).take_while(|&&symbol| symbol > 0)
        {
            shift -= self.bits;
            key |= u64::from(symbol) << shift;
        }
        key
    }

    /// How many symbols a key has.
    fn len(self, key: u64) -> u32 {
        (u64::BITS - key.trailing_zeros().min(u64::BITS)).div_ceil(self.bits)
    }

    /// How many symbols two keys have in common.
    fn in_common(self, one: u64, other: u64) -> u32 {
        ((one ^ other).leading_zeros() / self.bits).min(self.len(one))
    }
}

/// Sorts suffixes; `shared[i]` becomes the length of what suffix `i` shares with the one before it,
/// at most `limit`.
fn sort(
    keys: Keys,
    symbols: &[u32],
    suffixes: &mut [Suffix],
    shared: &mut [u32],
    depth: u32,
    limit: u32,
) {
    suffixes.sort_unstable_by_key(|suffix| (suffix.key, suffix.at));
    let mut from = 0;
    let mut key_before = 0;
    while from < suffixes.len() {
        let key = suffixes[from].key;
        let mut to = from + 1;
        while to < suffixes.len() && suffixes[to].key == key {
            to += 1;
        }
        if from > 0 {
            let common = keys.in_common(key_before, key);
            shared[from] = (depth + common).min(limit);
        }
        let deeper = depth + keys.len(key);
        shared[from + 1..to].fill(deeper.min(limit));
        if to - from > 1 && keys.len(key) == keys.symbols && deeper < limit {
            for suffix in &mut suffixes[from..to] {
                suffix.key = keys.key(&symbols[(suffix.at + deeper) as usize..]);
            }
            sort(keys, symbols, &mut suffixes[from..to], &mut shared[from..to], deeper, limit);
        }
        from = to;
        key_before = key;
    }
}

/// The tree over the suffixes that begin with one symbol. `place` gets each suffix that hangs from
/// a node, and that node: the longest one that is a prefix of it.
pub fn tree(
    keys: Keys,
    words: &Words,
    suffixes: &mut [Suffix],
    longest: u32,
    mut place: impl FnMut(u32, u32),
) -> Vec<Node> {
    let mut shared = vec![0; suffixes.len()];
    sort(keys, &words.symbols, suffixes, &mut shared, 0, longest + 1);
    let mut grown = Tree { nodes: Vec::new(), open: Vec::new() };
    for (index, suffix) in suffixes.iter().enumerate() {
        let next = shared.get(index + 1).copied().unwrap_or(0);
        let at = suffix.at as usize;
        let leaf = Node {
            occurrences: words.counts[suffix.word as usize],
            at: suffix.at,
            first: index as u32,
            parent: NONE,
            left: if at == 0 { MIXED } else { words.symbols[at - 1] },
            depth: 0,
        };
        if next > 1 && grown.top().is_none_or(|top| grown.nodes[top as usize].depth < next) {
            grown.open(Node { depth: next, ..leaf });
        } else if let Some(top) = grown.top() {
            grown.add(top, leaf);
        }
        let span = words.span(suffix.word as usize);
        let whole = at == span.start && span.len() as u32 <= longest && leaf.occurrences > 1;
        let mut node = grown.top().unwrap_or(NONE);
        let depth = grown.top().map_or(1, |top| grown.nodes[top as usize].depth);
        if whole && span.len() as u32 > depth && !words.symbols[span.clone()].contains(&0) {
            let depth = span.len() as u32;
            grown.nodes.push(Node { parent: node, left: MIXED, depth, ..leaf });
            node = grown.nodes.len() as u32 - 1;
        }
        if node != NONE {
            place(suffix.at, node);
        }
        grown.close(next);
    }
    grown.nodes
}

/// The tree while it grows: the nodes on the way to the suffix at hand are open.
struct Tree {
    nodes: Vec<Node>,
    open: Vec<u32>,
}

impl Tree {
    fn top(&self) -> Option<u32> {
        self.open.last().copied()
    }

    fn open(&mut self, node: Node) {
        self.open.push(self.nodes.len() as u32);
        self.nodes.push(node);
    }

    /// Adds the occurrences of what lies below a node.
    fn add(&mut self, node: u32, below: Node) {
        let node = &mut self.nodes[node as usize];
        node.occurrences = node.occurrences.saturating_add(below.occurrences);
        if node.left != below.left {
            node.left = MIXED;
        }
    }

    /// Closes the nodes that are deeper than what the next suffix shares.
    fn close(&mut self, shared: u32) {
        while let Some(top) = self.top() {
            let closed = self.nodes[top as usize];
            if closed.depth <= shared {
                return;
            }
            self.open.pop();
            match self.top() {
                Some(parent) if self.nodes[parent as usize].depth >= shared => {
                    self.nodes[top as usize].parent = parent;
                    self.add(parent, closed);
                }
                _ if shared > 1 => {
                    let parent = self.nodes.len() as u32;
                    self.nodes[top as usize].parent = parent;
                    self.open(Node { depth: shared, parent: NONE, ..closed });
                }
                _ => {}
            }
        }
    }
}
