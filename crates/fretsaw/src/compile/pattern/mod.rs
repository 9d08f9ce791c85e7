//! What a regular expression means, as far as splits of tokenizers go.
//!
//! A pattern is parsed with its dialect into a small tree whose character classes are sets of
//! code points, and the tree is brought into one form: groups without effect go, alternatives of
//! a few fixed words become a set of words. Two patterns with the same tree mean the same, so that
//! a rewritten pattern is known again and one that differs in any way is not. Whatever the parser
//! does not know for certain makes it give up.

mod parse;
mod sets;

pub use parse::{parse, Dialect};
pub use sets::{intersects, space_ranges, Ranges};

/// A pattern's meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// One character of a set.
    Set(Ranges),
    /// One of several words, none of which starts another, in code point order.
    Words(Vec<Vec<u32>>),
    /// One after the other.
    Sequence(Vec<Node>),
    /// The first that matches.
    Choice(Vec<Node>),
    /// Between `min` and `max` times, as often as possible.
    Repeat { node: Box<Node>, min: u32, max: u32, possessive: bool },
    /// What does not follow here.
    NotAhead(Box<Node>),
    /// `$`.
    End,
}

/// The most words that alternatives are spelled out to, and the most characters of one.
const MOST_WORDS: usize = 64;
const LONGEST_WORD: usize = 4;
/// The most members of a class that is spelled out.
const MOST_MEMBERS: u32 = 8;

impl Node {
    /// The same meaning in its one form.
    pub fn simplified(self) -> Node {
        let node = match self {
            Node::Sequence(nodes) => {
                let mut flat = Vec::new();
                for node in nodes.into_iter().map(Node::simplified) {
                    match node {
                        Node::Sequence(inner) => flat.extend(inner),
                        node => flat.push(node),
                    }
                }
                only_one(flat, Node::Sequence)
            }
            Node::Choice(nodes) => {
                let mut flat = Vec::new();
                for node in nodes.into_iter().map(Node::simplified) {
                    match node {
                        Node::Choice(inner) => {
                            inner.into_iter().for_each(|node| push_choice(&mut flat, node))
                        }
                        node => push_choice(&mut flat, node),
                    }
                }
                only_one(flat, Node::Choice)
            }
            Node::Repeat { node, min, max, possessive } => {
                Node::Repeat { node: Box::new(node.simplified()), min, max, possessive }
            }
            Node::NotAhead(node) => Node::NotAhead(Box::new(node.simplified())),
            node => node,
        };
        match node.words() {
            Some(words) if words.iter().any(|word| word.len() > 1) && prefix_free(&words) => {
                Node::Words(words)
            }
            _ => node,
        }
    }

    /// All the texts that match, if they are few and short.
    fn words(&self) -> Option<Vec<Vec<u32>>> {
        let mut words = match self {
            Node::Words(words) => words.clone(),
            Node::Set(ranges) => {
                let members: u32 = ranges.iter().map(|&(first, last)| last - first + 1).sum();
                if members > MOST_MEMBERS {
                    return None;
                }
                ranges
                    .iter()
                    .flat_map(|&(first, last)| first..=last)
                    .map(|member| vec![member])
                    .collect()
            }
            Node::Sequence(nodes) => {
                let mut words = vec![vec![]];
                for node in nodes {
                    let endings = node.words()?;
                    if words.len() * endings.len() > MOST_WORDS {
                        return None;
                    }
                    let join = |word: &Vec<u32>| {
                        let word = word.clone();
                        endings
                            .iter()
                            .map(move |ending| [&word[..], ending].concat())
                            .collect::<Vec<_>>()
                    };
                    words = words.iter().flat_map(join).collect();
                }
                words
            }
            Node::Choice(nodes) => {
                nodes.iter().map(Node::words).collect::<Option<Vec<_>>>()?.concat()
            }
            _ => return None,
        };
        words.sort_unstable();
        words.dedup();
        let few = words.len() <= MOST_WORDS && words.iter().all(|word| word.len() <= LONGEST_WORD);
        few.then_some(words)
    }
}

/// Adds an alternative; words behind words join them where their order can't matter.
fn push_choice(flat: &mut Vec<Node>, node: Node) {
    if let (Some(Node::Words(before)), Node::Words(more)) = (flat.last_mut(), &node) {
        let mut joined = [&before[..], more].concat();
        joined.sort_unstable();
        joined.dedup();
        if prefix_free(&joined) {
            *before = joined;
            return;
        }
    }
    flat.push(node);
}

/// Whether no word starts another; `words` are sorted and distinct.
fn prefix_free(words: &[Vec<u32>]) -> bool {
    words.windows(2).all(|pair| !pair[1].starts_with(&pair[0]))
}

fn only_one(mut nodes: Vec<Node>, many: impl Fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(node) if nodes.is_empty() => node,
        Some(node) => {
            nodes.push(node);
            many(nodes)
        }
        None => many(nodes),
    }
}

#[cfg(test)]
mod tests;
