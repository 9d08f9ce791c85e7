//! Where no added token can lie on both sides of a place, nor look at the other side.
//!
//! The two characters next to the place tell: a token that reaches over it has them side by side; one
//! that takes white space on its right ends with the first and takes the second; one that wants to be a
//! word looks at the character next to it. White space that a token takes on its left ends at a letter.

use super::AddedTokens;
use crate::unicode::is_strip_space;

/// What characters next to a place can be part of.
#[derive(Debug, Default)]
pub struct Edges {
    /// Characters side by side in some token; sorted.
    joined: Vec<(char, char)>,
    /// The last characters of tokens that take white space on their right; sorted.
    greedy: Vec<char>,
    /// The first and the last characters of tokens that are words of their own; sorted.
    words: [Vec<char>; 2],
}

impl Edges {
    /// Those of some tokens, whatever a call lets match.
    pub fn new(added: &AddedTokens) -> Self {
        let mut edges = Self::default();
        for token in added.tokens() {
            let pattern = token.pattern.as_str();
            edges.joined.extend(pattern.chars().zip(pattern.chars().skip(1)));
            if token.rstrip {
                edges.greedy.extend(pattern.chars().next_back());
            }
            if token.single_word {
                edges.words[0].extend(pattern.chars().next());
                edges.words[1].extend(pattern.chars().next_back());
            }
        }
        edges.joined.sort_unstable();
        edges.joined.dedup();
        edges.greedy.sort_unstable();
        edges.words.iter_mut().for_each(|chars| chars.sort_unstable());
        edges
    }

    /// Whether the texts before and behind a place have the added tokens that both have together. The
    /// character before is no white space.
    pub fn are_apart(&self, before: char, behind: char) -> bool {
        let has = |chars: &[char], c: char| chars.binary_search(&c).is_ok();
        let over = self.joined.binary_search(&(before, behind)).is_ok();
        let takes = has(&self.greedy, before) && is_strip_space(behind.into());
        let looks = has(&self.words[0], behind) || has(&self.words[1], before);
        !over && !takes && !looks
    }
}
