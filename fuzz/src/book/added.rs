//! Added tokens: one stage for those that match in the raw text, one for the others in what is left.
//! Each stage takes the leftmost, and of those the longest, one after the other. What `\w` is, the library's
//! table says, which is what a sweep of the oracle found.

use fretsaw::spec::AddedToken;
use fretsaw::unicode::is_word;
use fretsaw::SpecialSet;

/// A stretch of text, and the token that it is.
pub type Stretch = (usize, usize, Option<usize>);

/// Tokens that no normalizer touches, and which of them may match.
pub struct Added<'a> {
    pub tokens: &'a [AddedToken],
    pub special: &'a SpecialSet,
}

impl Added<'_> {
    /// The stretches of a text; `None` where a token lies inside white space that another took, so that
    /// it would end before it starts.
    pub fn cut(&self, text: &str) -> Option<Vec<Stretch>> {
        let mut stretches = Vec::new();
        for stretch in self.stage(text, (0, text.len()), false)? {
            match stretch {
                (start, end, None) => stretches.extend(self.stage(text, (start, end), true)?),
                token => stretches.push(token),
            }
        }
        Some(stretches)
    }

    fn stage(
        &self,
        text: &str,
        (from, to): (usize, usize),
        normalized: bool,
    ) -> Option<Vec<Stretch>> {
        let part = &text[from..to];
        let is_word = |c: Option<char>| c.is_some_and(|c| is_word(c as u32));
        let mut stretches = Vec::new();
        let (mut at, mut done) = (0, 0);
        while at < part.len() {
            let Some(index) = self.longest(&part.as_bytes()[at..], normalized) else {
                at += 1;
                continue;
            };
            let token = &self.tokens[index];
            let (mut start, mut end) = (at, at + token.content.len());
            at = end;
            let within =
                is_word(part[..start].chars().next_back()) || is_word(part[end..].chars().next());
            if token.single_word && within {
                continue;
            }
            if token.lstrip {
                start = part[..start].trim_end().len().max(done);
            }
            if token.rstrip {
                end = part.len() - part[end..].trim_start().len();
            }
            if start > end {
                return None;
            }
            stretches.push((from + done, from + start, None));
            stretches.push((from + start, from + end, Some(index)));
            done = end;
        }
        stretches.push((from + done, to, None));
        stretches.retain(|&(start, end, _)| start < end);
        Some(stretches)
    }

    fn longest(&self, rest: &[u8], normalized: bool) -> Option<usize> {
        let may = |&index: &usize| {
            let token = &self.tokens[index];
            token.normalized == normalized
                && rest.starts_with(token.content.as_bytes())
                && self.special.allows(&token.content)
        };
        (0..self.tokens.len()).filter(may).max_by_key(|&index| self.tokens[index].content.len())
    }
}
