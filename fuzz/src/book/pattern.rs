//! A pattern's meaning as a backtracking search over the tree that the parser makes.

use fretsaw::fuzzed::{Dialect, Node};

/// What a search may cost before it is given up.
const MOST_STEPS: usize = 200_000;

/// A search in a text.
pub struct Search<'t> {
    chars: Vec<char>,
    text: &'t str,
    dialect: Dialect,
    steps: usize,
}

/// The search took too long.
#[derive(Debug)]
pub struct GivenUp;

type Then<'a> = &'a mut dyn FnMut(&mut Search<'_>, usize) -> Result<bool, GivenUp>;

impl<'t> Search<'t> {
    pub fn new(text: &'t str, dialect: Dialect) -> Self {
        Self { chars: text.chars().collect(), text, dialect, steps: 0 }
    }

    /// Where the text is cut: at the ends of matches, found from left to right.
    pub fn ends(&mut self, node: &Node) -> Result<Vec<usize>, GivenUp> {
        let (mut ends, mut at, mut last_end) = (Vec::new(), 0, None);
        while at <= self.chars.len() && !self.chars.is_empty() {
            let Some((start, end)) = self.find(node, at)? else { break };
            if start == end && last_end == Some(end) {
                at += 1;
                continue;
            }
            ends.extend([start, end]);
            (at, last_end) = (end, Some(end));
        }
        ends.push(self.chars.len());
        ends.dedup();
        let mut places: Vec<usize> = self.text.char_indices().map(|(at, _)| at).collect();
        places.push(self.text.len());
        Ok(ends.into_iter().filter(|&end| end > 0).map(|end| places[end]).collect())
    }

    fn find(&mut self, node: &Node, from: usize) -> Result<Option<(usize, usize)>, GivenUp> {
        for start in from..=self.chars.len() {
            let mut end = None;
            self.at(node, start, &mut |_, found| {
                end = Some(found);
                Ok(true)
            })?;
            if let Some(end) = end {
                return Ok(Some((start, end)));
            }
        }
        Ok(None)
    }

    /// Whether the node matches at a place so that `then` is content with where it ends.
    fn at(&mut self, node: &Node, at: usize, then: Then<'_>) -> Result<bool, GivenUp> {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(GivenUp);
        }
        match node {
            Node::Set(ranges) => match self.chars.get(at) {
                Some(&c)
                    if ranges.iter().any(|&(first, last)| (first..=last).contains(&(c as u32))) =>
                {
                    then(self, at + 1)
                }
                _ => Ok(false),
            },
            Node::Words(words) => {
                for word in words {
                    let here = self.chars.iter().skip(at).map(|&c| c as u32);
                    if here.take(word.len()).eq(word.iter().copied())
                        && then(self, at + word.len())?
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Sequence(nodes) => self.all(nodes, at, then),
            Node::Choice(nodes) => {
                for node in nodes {
                    if self.at(node, at, then)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Repeat { node, min, max, possessive: false } => {
                self.repeat(node, (*min, *max), at, then)
            }
            Node::Repeat { node, min, max, possessive: true } => {
                let mut end = None;
                self.repeat(node, (*min, *max), at, &mut |_, found| {
                    end = Some(found);
                    Ok(true)
                })?;
                end.map_or(Ok(false), |end| then(self, end))
            }
            Node::NotAhead(node) => match self.at(node, at, &mut |_, _| Ok(true))? {
                true => Ok(false),
                false => then(self, at),
            },
            Node::End => {
                let is_line = self.dialect == Dialect::Onig && self.chars.get(at) == Some(&'\n');
                if at == self.chars.len() || is_line {
                    then(self, at)
                } else {
                    Ok(false)
                }
            }
        }
    }

    fn all(&mut self, nodes: &[Node], at: usize, then: Then<'_>) -> Result<bool, GivenUp> {
        match nodes.split_first() {
            None => then(self, at),
            Some((first, rest)) => self.at(first, at, &mut |search, at| search.all(rest, at, then)),
        }
    }

    fn repeat(
        &mut self,
        node: &Node,
        (min, max): (u32, u32),
        at: usize,
        then: Then<'_>,
    ) -> Result<bool, GivenUp> {
        if max > 0 {
            let fewer = (min.saturating_sub(1), if max == u32::MAX { max } else { max - 1 });
            let more = self.at(node, at, &mut |search, next| match next == at {
                // What takes nothing takes nothing again.
                true => Ok(false),
                false => search.repeat(node, fewer, next, then),
            })?;
            if more {
                return Ok(true);
            }
        }
        if min == 0 {
            then(self, at)
        } else {
            Ok(false)
        }
    }
}
