//! The trie of a WordPiece vocabulary, with what each node pops and where it goes on.

use super::{CONTINUING, NO_POP};
use crate::error::{LoadError, Problem};
use crate::tables::trie::{child, Keys, Link, NewNode, Node, Trie, BASE, FAIL, NOWHERE, VALUE};
use crate::vocabulary::Vocabulary;

/// An entry of a list of tokens: id, length in bytes, and the entry before it.
pub type Pop = [u32; 3];

/// Builds trie and lists. A node without a way on has `fail` = [`NOWHERE`].
pub fn build(vocabulary: &Vocabulary, prefix: &[u8]) -> Result<(Trie, Vec<Pop>), LoadError> {
    let too_many = || {
        let limit = u32::MAX as usize >> 1;
        LoadError::at("model.vocab", Problem::TooMany { what: "bytes of tokens", limit })
    };
    let tokens = || vocabulary.iter().map(|(token, id)| (token.as_bytes(), id));
    let starting = Keys::new(tokens());
    let continuing =
        Keys::new(tokens().filter_map(|(token, id)| Some((token.strip_prefix(prefix)?, id))));
    let mut linker = Linker { pops: vec![[0; 3]], found: Vec::new() };
    let trie = Trie::build(&[starting, continuing], &mut linker).ok_or_else(too_many)?;
    if linker.pops.len() > NOWHERE as usize {
        return Err(too_many());
    }
    Ok((trie, linker.pops))
}

/// Sets `fail` and `value` (the last entry of a list of pops) of each new node.
struct Linker {
    pops: Vec<Pop>,
    found: Vec<u32>,
}

impl Link for Linker {
    fn link(&mut self, nodes: &mut [Node], new: NewNode) {
        let (fail, pops) = match new.value {
            Some(id) => (CONTINUING, self.append(id, new.depth as u32, NO_POP)),
            None => self.cut(nodes, new.parent, new.byte),
        };
        nodes[new.at as usize][FAIL] = fail;
        nodes[new.at as usize][VALUE] = pops;
    }
}

impl Linker {
    /// The node that the rest of the parent's bytes and this one lead to, and the tokens before
    /// that rest.
    fn cut(&mut self, nodes: &[Node], parent: u32, byte: u8) -> (u32, u32) {
        let kept = self.pops.len();
        let parent = nodes[parent as usize];
        let (mut at, mut pops) = (parent[FAIL], parent[VALUE]);
        while at != NOWHERE {
            let node = nodes[at as usize];
            if let Some((next, _)) = child(nodes, at, node[BASE], byte) {
                return (next, pops);
            }
            if node[FAIL] != NOWHERE {
                pops = self.append_list(node[VALUE], pops);
            }
            at = node[FAIL];
        }
        self.pops.truncate(kept);
        (NOWHERE, NO_POP)
    }

    /// Appends the tokens of the list that ends at `list` to the one that ends at `to`.
    fn append_list(&mut self, mut list: u32, mut to: u32) -> u32 {
        self.found.clear();
        while list != NO_POP {
            self.found.push(list);
            list = self.pops[list as usize][2];
        }
        while let Some(entry) = self.found.pop() {
            let [id, len, _] = self.pops[entry as usize];
            to = self.append(id, len, to);
        }
        to
    }

    fn append(&mut self, id: u32, len: u32, to: u32) -> u32 {
        let place = u32::try_from(self.pops.len()).unwrap_or(NO_POP);
        self.pops.push([id, len, to]);
        place
    }
}
