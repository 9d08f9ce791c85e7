//! Added tokens: text that is found before the model sees it.
//!
//! Tokens are found leftmost-longest by an Aho-Corasick automaton, then looked at one by one:
//! `single_word` may drop a match, `lstrip` and `rstrip` may widen it over white space. Tokens
//! with `normalized` are searched in the normalized text, in their normalized spelling, after the
//! others are cut out. Which tokens may match at all, and where, is a [`MatchPolicy`]; it acts
//! during the search, so that a match which is not allowed hides none that is. Cost: linear in
//! the text.
//!
//! Source: `AddedVocabulary` of Hugging Face tokenizers 0.23.3.

mod edges;
mod matcher;

pub use edges::Edges;

use std::sync::{Arc, Mutex};

use matcher::Matcher;

use crate::error::{EncodeError, LoadError};
use crate::settings::{MatchPolicy, SpecialSet};
use crate::unicode::{is_strip_space, is_word};

/// An added token as it is matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    pub id: u32,
    pub content: String,
    /// What is looked for: the content in its normalized spelling, if `normalized`. Not empty.
    pub pattern: String,
    /// What the id is spelled as in decoding.
    pub spelling: String,
    pub single_word: bool,
    pub lstrip: bool,
    pub rstrip: bool,
    pub normalized: bool,
    pub special: bool,
    /// Whether the content was ever flagged special: it then is a control token for good.
    pub control: bool,
}

/// A stretch of a text: an added token, or text between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    pub start: usize,
    pub end: usize,
    /// The index of the added token in [`AddedTokens::tokens`].
    pub token: Option<usize>,
}

/// Which text is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The text as it came.
    Raw,
    /// A normalized stretch of it.
    Normalized,
}

/// The added tokens of a tokenizer.
#[derive(Debug)]
pub struct AddedTokens {
    tokens: Vec<Added>,
    raw: Option<Arc<Matcher>>,
    normalized: Option<Arc<Matcher>>,
    /// Token indices by id, sorted.
    by_id: Vec<usize>,
    /// The id of every content, also of those whose id another token has taken over; sorted.
    names: Vec<(String, u32)>,
    /// The matchers of the last few `SpecialSet::Only`, newest last.
    subsets: Mutex<Vec<Subset>>,
}

/// What was asked for, and the automaton over it unless it is empty.
type Subset = (SpecialSet, Stage, Option<Arc<Matcher>>);

/// Subsets whose automata are kept.
const KEPT_SUBSETS: usize = 8;

impl AddedTokens {
    /// Compiles the tokens, whose patterns differ, and the id of every content.
    pub fn new(tokens: Vec<Added>, mut names: Vec<(String, u32)>) -> Result<Self, LoadError> {
        let raw = Matcher::build(&tokens, |token| !token.normalized)?.map(Arc::new);
        let normalized = Matcher::build(&tokens, |token| token.normalized)?.map(Arc::new);
        let mut by_id: Vec<usize> = (0..tokens.len()).collect();
        by_id.sort_by_key(|&at| tokens[at].id);
        names.sort_unstable();
        Ok(Self { tokens, raw, normalized, by_id, names, subsets: Mutex::default() })
    }

    /// The added token with this id, the first of those that share it.
    pub fn get(&self, id: u32) -> Option<&Added> {
        let first = self.by_id.partition_point(|&token| self.tokens[token].id < id);
        self.by_id.get(first).map(|&token| &self.tokens[token]).filter(|token| token.id == id)
    }

    /// The id of an added token's content.
    pub fn id_of(&self, content: &str) -> Option<u32> {
        let at = self.names.binary_search_by_key(&content, |(name, _)| name.as_str()).ok()?;
        Some(self.names[at].1)
    }

    /// The id of every content, also of those whose id another token has taken over.
    pub fn names(&self) -> &[(String, u32)] {
        &self.names
    }

    /// All tokens.
    pub fn tokens(&self) -> &[Added] {
        &self.tokens
    }

    /// Whether a stage has any token that `special` lets match.
    #[inline]
    pub fn is_idle(&self, stage: Stage, special: &SpecialSet) -> bool {
        *special == SpecialSet::None || self.all(stage).is_none()
    }

    fn all(&self, stage: Stage) -> &Option<Arc<Matcher>> {
        match stage {
            Stage::Raw => &self.raw,
            Stage::Normalized => &self.normalized,
        }
    }

    fn matcher(&self, stage: Stage, special: &SpecialSet) -> Option<Arc<Matcher>> {
        match special {
            SpecialSet::All | SpecialSet::Error | SpecialSet::Plain => self.all(stage).clone(),
            SpecialSet::None => None,
            SpecialSet::Only(_) => self.subset(stage, special),
        }
    }

    /// The automaton of a chosen few, kept for the next call. Never waits for another thread.
    fn subset(&self, stage: Stage, special: &SpecialSet) -> Option<Arc<Matcher>> {
        if let Ok(kept) = self.subsets.try_lock() {
            if let Some((_, _, found)) =
                kept.iter().find(|(set, at, _)| *at == stage && set == special)
            {
                return found.clone();
            }
        }
        let normalized = stage == Stage::Normalized;
        let allowed =
            |token: &Added| token.normalized == normalized && special.allows(&token.content);
        // A part of what was built at load builds as well.
        let matcher = Matcher::build(&self.tokens, allowed).ok().flatten().map(Arc::new);
        if let Ok(mut kept) = self.subsets.try_lock() {
            if kept.len() == KEPT_SUBSETS {
                kept.remove(0);
            }
            kept.push((special.clone(), stage, matcher.clone()));
        }
        matcher
    }

    /// Cuts `text` into added tokens and text between, in order; nothing for an empty text.
    ///
    /// `policy.trusted` are spans of this very text.
    pub fn segments(
        &self,
        stage: Stage,
        text: &str,
        policy: MatchPolicy<'_>,
        segments: &mut Vec<Segment>,
    ) -> Result<(), EncodeError> {
        segments.clear();
        let Some(matcher) = self.matcher(stage, policy.special) else {
            if !text.is_empty() {
                segments.push(Segment { start: 0, end: text.len(), token: None });
            }
            return Ok(());
        };
        if *policy.special == SpecialSet::Error {
            self.refuse_special(&matcher, text, policy.trusted)?;
        }
        let plain = *policy.special == SpecialSet::Plain;
        let mut cutter =
            Cutter { text, tokens: &self.tokens, plain, segments, done: 0, strip_end: 0 };
        match policy.trusted {
            None => matcher.each(text, |token, start, end| cutter.take(token, start, end))?,
            Some(spans) => matcher
                .each_trusted(text, spans, |token, start, end| cutter.take(token, start, end))?,
        }
        cutter.finish();
        Ok(())
    }

    /// An error where a special token stands outside every trusted span.
    fn refuse_special(
        &self,
        matcher: &Matcher,
        text: &str,
        trusted: Option<&[(usize, usize)]>,
    ) -> Result<(), EncodeError> {
        matcher.each(text, |token, start, end| {
            let token = &self.tokens[token];
            let inside = |span: &(usize, usize)| span.0 <= start && end <= span.1;
            let trusted = trusted.is_some_and(|spans| spans.iter().any(inside));
            if token.special && !trusted && stands_alone(token, text, start, end) {
                let token = token.content.clone();
                return Err(EncodeError::SpecialTokenInText { token, byte_offset: start });
            }
            Ok(())
        })
    }
}

/// Whether a match is one: a `single_word` token must not have a word character beside it.
fn stands_alone(token: &Added, text: &str, start: usize, end: usize) -> bool {
    let word = |character: Option<char>| character.is_some_and(|c| is_word(c as u32));
    let in_word = || word(text[..start].chars().next_back()) || word(text[end..].chars().next());
    !token.single_word || !in_word()
}

/// Turns matches into segments.
struct Cutter<'a> {
    text: &'a str,
    tokens: &'a [Added],
    /// Whether special tokens are text.
    plain: bool,
    segments: &'a mut Vec<Segment>,
    /// Where the last token ended.
    done: usize,
    /// Where the white space that was last looked over ends: a long run is walked once.
    strip_end: usize,
}

impl Cutter<'_> {
    fn take(&mut self, index: usize, mut start: usize, mut end: usize) -> Result<(), EncodeError> {
        let token = &self.tokens[index];
        if self.plain && token.control || !stands_alone(token, self.text, start, end) {
            return Ok(());
        }
        if token.lstrip {
            let before = self.text.get(self.done..start).unwrap_or("");
            let kept = before.trim_end_matches(|c| is_strip_space(c as u32)).len();
            start = if self.done <= start { self.done + kept } else { self.done };
        }
        if token.rstrip {
            if end >= self.strip_end {
                let rest = &self.text[end..];
                self.strip_end =
                    end + rest.len() - rest.trim_start_matches(|c| is_strip_space(c as u32)).len();
            }
            end = self.strip_end;
        }
        if start > end {
            let token = token.content.clone();
            return Err(EncodeError::OverlappingAddedTokens { token, byte_offset: start });
        }
        if self.done < start {
            self.segments.push(Segment { start: self.done, end: start, token: None });
        }
        // A token whose text another one has taken as white space leaves no trace.
        if start < end {
            self.segments.push(Segment { start, end, token: Some(index) });
        }
        self.done = end;
        Ok(())
    }

    fn finish(&mut self) {
        if self.done != self.text.len() {
            self.segments.push(Segment { start: self.done, end: self.text.len(), token: None });
        }
    }
}
