//! Byte strings in a flat trie with failure links: the automaton of the Unigram and WordPiece models.
//!
//! A double array: the child of a node by a byte is the slot `base ^ byte`, if that slot's `check`
//! is the node. Beside these two a slot has two numbers that belong to the model: where to go on
//! when no child fits (`fail`), and what is known at the node (`value`). A slot is 16 bytes, so
//! that one cache line answers everything about a node. Several roots share the array.
//!
//! The trie is built level by level from sorted keys. Each node's children go to the first free
//! place that takes them all; only the last [`OPEN_BLOCKS`] blocks of 256 slots are tried, which
//! bounds the search. A callback sees each new node when all shallower ones have their children:
//! what failure links need. Building is linear in the bytes of the keys but for that search.
//!
//! Source: Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array Structure" (1989);
//! the open blocks are an idea of darts-clone.

use super::fret::{Reader, Writer};
use super::Array;
use crate::error::LoadError;

/// Where a node's fields lie in its slot.
pub const BASE: usize = 0;
pub const CHECK: usize = 1;
pub const FAIL: usize = 2;
pub const VALUE: usize = 3;

/// No node: what `fail` and `check` are where there is nothing. The `base` of a node without
/// children is this as well, so that looking for one ends without a look at the array.
pub const NOWHERE: u32 = u32::MAX;

/// A node as it lies in the array.
pub type Node = [u32; 4];

const BLOCK: usize = 256;
const OPEN_BLOCKS: usize = 16;
/// Free slots that are tried before a node's children open a new block.
const MOST_TRIES: usize = 128;

/// A trie; its roots are the nodes 0, 1, and so on.
#[derive(Debug)]
pub struct Trie {
    nodes: Array<Node>,
}

/// Sorted keys in one buffer, each with the value that the callback gets for it.
#[derive(Debug, Default)]
pub struct Keys {
    bytes: Vec<u8>,
    /// Where each key ends.
    ends: Vec<usize>,
    values: Vec<u32>,
}

impl Keys {
    /// Keys with their values, of equal ones the least. Empty ones are left out: they lead to no
    /// node.
    pub fn new<'k>(keys: impl Iterator<Item = (&'k [u8], u32)>) -> Self {
        // First bytes are compared as a number: most comparisons need no more.
        let mut sorted: Vec<(u64, &[u8], u32)> = keys
            .filter(|(key, _)| !key.is_empty())
            .map(|(key, value)| (first_bytes(key), key, value))
            .collect();
        sorted.sort_unstable();
        sorted.dedup_by_key(|&mut (_, key, _)| key);
        let mut made = Self::default();
        for (_, key, value) in sorted {
            made.bytes.extend_from_slice(key);
            made.ends.push(made.bytes.len());
            made.values.push(value);
        }
        made
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The key at a place.
    #[inline]
    pub fn key(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }
}

/// The first 8 bytes, in an order that agrees with that of the keys.
fn first_bytes(key: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = key.len().min(8);
    bytes[..len].copy_from_slice(&key[..len]);
    u64::from_be_bytes(bytes)
}

/// A node that just got its place.
pub struct NewNode {
    pub parent: u32,
    /// The byte that leads to it.
    pub byte: u8,
    pub at: u32,
    /// How many bytes lead to it from its root.
    pub depth: usize,
    /// The value of the key that ends here.
    pub value: Option<u32>,
}

/// Sees each new node and sets its `fail` and `value`.
pub trait Link {
    fn link(&mut self, nodes: &mut [Node], new: NewNode);
}

impl Trie {
    /// Builds the trie. `roots[i]` are the keys under node `i`.
    /// Returns `None` where the nodes would pass 2^31.
    pub fn build(roots: &[Keys], link: &mut impl Link) -> Option<Self> {
        let mut builder = Builder::new(roots.len());
        let mut level: Vec<Range> = roots
            .iter()
            .zip(0..)
            .map(|(keys, root)| Range { node: root, root: root as usize, lo: 0, hi: keys.len() })
            .collect();
        let mut depth = 0;
        while !level.is_empty() {
            let mut deeper = Vec::with_capacity(level.len());
            for range in level {
                builder.children(&roots[range.root], range, depth, link, &mut deeper)?;
            }
            level = deeper;
            depth += 1;
        }
        Some(Self { nodes: builder.finish().into() })
    }

    /// Writes the trie under a name.
    pub fn store(&self, writer: &mut Writer, name: &'static str) {
        writer.array(name, self.nodes.as_slice());
    }

    /// The trie of so many roots that was written so, in place. Its links lead to less deep nodes,
    /// so that following them ends; `value_is_sound` looks at the value of each node below a root,
    /// its depth, and the depth that its link leads to.
    pub fn stored(
        reader: &Reader,
        name: &'static str,
        roots: usize,
        value_is_sound: impl Fn(u32, u32, Option<u32>) -> bool,
    ) -> Result<Self, LoadError> {
        let trie = Self { nodes: reader.array(name)? };
        let nodes = trie.nodes.as_slice();
        let sound = depths(nodes, roots).is_some_and(|depths| {
            nodes.iter().zip(&depths).all(|(node, &depth)| {
                let fail = depths.get(node[FAIL] as usize).copied();
                let ends = node[FAIL] == NOWHERE || fail.is_some_and(|fail| fail < depth);
                match depth {
                    FREE => true,
                    0 => ends && node[VALUE] == 0,
                    depth => ends && value_is_sound(node[VALUE], depth, fail),
                }
            })
        });
        sound.then_some(trie).ok_or_else(|| reader.broken())
    }

    /// The nodes, for [`child`] and the loops of the models.
    #[inline]
    pub fn nodes(&self) -> &[Node] {
        self.nodes.as_slice()
    }
}

/// The child of a node by a byte, and its slot.
#[inline]
pub fn child(nodes: &[Node], node: u32, base: u32, byte: u8) -> Option<(u32, Node)> {
    let at = base ^ u32::from(byte);
    match nodes.get(at as usize) {
        Some(slot) if slot[CHECK] == node => Some((at, *slot)),
        _ => None,
    }
}

/// The depth of a slot that is no node.
const FREE: u32 = u32::MAX;

/// How many bytes lead to each node, by its `check`; [`FREE`] for slots that are none. `None` where a
/// root is missing or a node hangs below itself.
fn depths(nodes: &[Node], roots: usize) -> Option<Vec<u32>> {
    const UNKNOWN: u32 = FREE - 1;
    let mut depths = vec![UNKNOWN; nodes.len()];
    depths.get_mut(..roots)?.fill(0);
    let mut path = Vec::new();
    for start in roots..nodes.len() {
        let mut at = start;
        let depth = loop {
            match depths.get(at).copied() {
                Some(UNKNOWN) if path.len() <= nodes.len() => path.push(at),
                Some(UNKNOWN) => return None,
                known => break known.unwrap_or(FREE),
            }
            at = nodes[at][CHECK] as usize;
        };
        for (steps, at) in (1..).zip(path.drain(..).rev()) {
            depths[at] = if depth == FREE { FREE } else { depth + steps };
        }
    }
    Some(depths)
}

/// The keys that start with a node's bytes: `keys[lo..hi]` of its root.
struct Range {
    node: u32,
    root: usize,
    lo: usize,
    hi: usize,
}

/// The array while it grows. Free slots of open blocks form a ring through [`HEAD`]: a free slot's
/// `base` and `fail` are the next and the previous one.
struct Builder {
    nodes: Vec<Node>,
    /// A slot that is never a node stands for the ring's head.
    next_of_head: u32,
    last_of_head: u32,
    /// Of each byte that leads on from the node at hand: where its keys start.
    branches: Vec<(u8, usize)>,
}

/// Stands for the head of the ring of free slots.
const HEAD: u32 = u32::MAX - 1;

impl Builder {
    fn new(roots: usize) -> Self {
        let mut made = Self {
            nodes: Vec::new(),
            next_of_head: HEAD,
            last_of_head: HEAD,
            branches: Vec::new(),
        };
        while made.nodes.len() < roots {
            made.open_block();
        }
        for root in 0..roots {
            made.take(root as u32);
            made.nodes[root] = [NOWHERE, NOWHERE, NOWHERE, 0];
        }
        made
    }

    /// Places the children of one node, calls back for each, and lists them for the next level.
    fn children(
        &mut self,
        keys: &Keys,
        range: Range,
        depth: usize,
        link: &mut impl Link,
        deeper: &mut Vec<Range>,
    ) -> Option<()> {
        let Range { node, root, mut lo, hi } = range;
        // A key that ends here is the first of its range: sorted keys are distinct.
        lo += usize::from(lo < hi && keys.key(lo).len() == depth);
        self.branches.clear();
        for at in lo..hi {
            let byte = keys.key(at)[depth];
            if self.branches.last().is_none_or(|&(last, _)| last != byte) {
                self.branches.push((byte, at));
            }
        }
        let Some(&(first, _)) = self.branches.first() else { return Some(()) };
        let base = self.place(first)?;
        self.nodes[node as usize][BASE] = base;
        let branches = std::mem::take(&mut self.branches);
        for &(byte, _) in &branches {
            let child = base ^ u32::from(byte);
            self.take(child);
            self.nodes[child as usize] = [NOWHERE, node, NOWHERE, 0];
        }
        for (at, &(byte, lo)) in branches.iter().enumerate() {
            let child = base ^ u32::from(byte);
            let hi = branches.get(at + 1).map_or(hi, |&(_, next)| next);
            let value = (keys.key(lo).len() == depth + 1).then_some(keys.values[lo]);
            let new = NewNode { parent: node, byte, at: child, depth: depth + 1, value };
            link.link(&mut self.nodes, new);
            deeper.push(Range { node: child, root, lo, hi });
        }
        self.branches = branches;
        Some(())
    }

    /// A base under which the slots of all branches are free.
    fn place(&mut self, first: u8) -> Option<u32> {
        let mut at = self.next_of_head;
        for _ in 0..MOST_TRIES {
            if at == HEAD {
                break;
            }
            let base = at ^ u32::from(first);
            let free = |&(byte, _): &(u8, usize)| self.is_free(base ^ u32::from(byte));
            if self.branches[1..].iter().all(free) {
                return Some(base);
            }
            at = self.nodes[at as usize][BASE];
        }
        let base = u32::try_from(self.nodes.len()).ok().filter(|&base| base < 1 << 31)?;
        self.open_block();
        Some(base)
    }

    /// Free slots have no `check`, and what roots have as well: their `value` tells them apart.
    fn is_free(&self, at: u32) -> bool {
        let slot = &self.nodes[at as usize];
        slot[CHECK] == NOWHERE && slot[VALUE] == NOWHERE
    }

    /// Adds 256 free slots; the oldest open block is closed once there are enough.
    fn open_block(&mut self) {
        let start = self.nodes.len();
        if let Some(closed) = start.checked_sub(OPEN_BLOCKS * BLOCK) {
            for at in closed..closed + BLOCK {
                if self.is_free(at as u32) {
                    self.take(at as u32);
                    self.nodes[at] = [0, NOWHERE, NOWHERE, 0];
                }
            }
        }
        for at in start as u32..(start + BLOCK) as u32 {
            let last = self.last_of_head;
            self.nodes.push([HEAD, NOWHERE, last, NOWHERE]);
            self.set_next(last, at);
            self.last_of_head = at;
        }
    }

    /// Takes a free slot out of the ring.
    fn take(&mut self, at: u32) {
        let [next, _, last, _] = self.nodes[at as usize];
        self.set_next(last, next);
        if next == HEAD {
            self.last_of_head = last;
        } else {
            self.nodes[next as usize][FAIL] = last;
        }
    }

    fn set_next(&mut self, of: u32, next: u32) {
        if of == HEAD {
            self.next_of_head = next;
        } else {
            self.nodes[of as usize][BASE] = next;
        }
    }

    fn finish(mut self) -> Vec<Node> {
        for at in 0..self.nodes.len() as u32 {
            if self.is_free(at) {
                self.nodes[at as usize] = [0, NOWHERE, NOWHERE, 0];
            }
        }
        self.nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Values;

    impl Link for Values {
        fn link(&mut self, nodes: &mut [Node], new: NewNode) {
            nodes[new.at as usize][VALUE] = new.value.map_or(0, |value| value + 1);
        }
    }

    fn find(trie: &Trie, root: u32, key: &[u8]) -> Option<u32> {
        let nodes = trie.nodes();
        let mut at = (root, nodes[root as usize]);
        for &byte in key {
            at = child(nodes, at.0, at.1[BASE], byte)?;
        }
        at.1[VALUE].checked_sub(1)
    }

    #[test]
    fn finds_every_key_under_its_own_root() {
        let words: std::collections::HashSet<String> = (0..20_000u64)
            .map(|i| format!("{:x}", i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (i % 60)))
            .collect();
        let keys: Vec<(&[u8], u32)> = words.iter().map(|word| word.as_bytes()).zip(0..).collect();
        let half = |which| Keys::new(keys.iter().copied().filter(move |key| key.1 % 2 == which));
        let trie = Trie::build(&[half(0), half(1)], &mut Values).unwrap();
        for (word, value) in keys {
            let (own, other) = (value % 2, 1 - value % 2);
            assert_eq!(find(&trie, own, word), Some(value));
            assert_eq!(find(&trie, other, word), None);
        }
        assert_eq!(find(&trie, 0, b""), None);
        assert_eq!(find(&trie, 0, b"xyz"), None);
    }

    #[test]
    fn keys_are_sorted_and_not_empty() {
        let words = [&b"b"[..], b"", b"a\0", b"a", b"abcdefghz", b"abcdefgha"];
        let keys = Keys::new(words.into_iter().zip(10..));
        let sorted: Vec<&[u8]> = (0..keys.len()).map(|at| keys.key(at)).collect();
        assert_eq!(sorted, [&b"a"[..], b"a\0", b"abcdefgha", b"abcdefghz", b"b"]);
        assert_eq!(keys.values, [13, 12, 15, 14, 10]);
    }

    #[test]
    fn no_keys_at_all() {
        let trie = Trie::build(&[Keys::default()], &mut Values).unwrap();
        assert_eq!(find(&trie, 0, b"\0"), None);
        assert_eq!(find(&trie, 0, b"a"), None);
    }
}
