//! Steps of a pre-tokenizer, one after the other, over pieces of a text of their own.
//!
//! This is the general way. A step cuts every piece that the step before left, drops parts of it
//! or rewrites it; pieces that come out empty vanish. A rewriting step makes a new text, which is
//! what all steps behind it see: behind ByteLevel that is the byte alphabet. The others only
//! move the ends of pieces and copy nothing.
//!
//! Where a piece comes from matters twice. Metaspace may put its mark only where the original text
//! starts, so [`Pieces`] always knows which of its text stands for the original's offset 0. And
//! with spans it knows, byte by byte, for which bytes of the original the text stands, from which
//! the offsets of tokens follow.
//!
//! Cost: linear in the text for every step but a regular expression.
//!
//! Source: the pre-tokenizers and `PreTokenizedString` of Hugging Face tokenizers 0.23.3.

mod classes;
mod cut;
mod draft;
mod rewrite;

use std::borrow::Cow;

use crate::byte_level;
use crate::error::EncodeError;
use crate::pattern::Pattern;
use crate::scan::Level;
use crate::spec::{PrependScheme, SplitBehavior};
use crate::unicode::ClassTable;

use super::Seams;
use draft::Origin;

/// One pre-tokenizer.
pub enum Step {
    /// A space in front, GPT-2's split, and the byte alphabet.
    ByteLevel {
        add_prefix_space: bool,
        split: Option<ClassTable>,
        /// Whether the text is spelled in the byte alphabet; see [`leave_bytes`].
        spell: bool,
    },
    /// A mark in place of spaces and perhaps in front, and a cut before each.
    Metaspace { replacement: char, prepend_scheme: PrependScheme, split: bool },
    /// Cuts at a character, which is dropped.
    CharDelimiterSplit { delimiter: char },
    /// Numbers stand alone, one by one or in runs.
    Digits { individual: bool },
    /// Cuts at punctuation.
    Punctuation { behavior: SplitBehavior },
    /// The second half of BertPreTokenizer, whose first is [`Step::WhitespaceSplit`].
    BertPunctuation,
    /// Cuts at white space, which is dropped.
    WhitespaceSplit,
    /// Runs of word characters and runs of others; white space is dropped.
    Whitespace,
    /// Cuts where the script changes.
    UnicodeScripts,
    /// Cuts after every so many characters, at least 1.
    FixedLength { chars: usize },
    /// Cuts at the matches of a pattern, or with `invert` at what lies between them.
    Split { pattern: Pattern, behavior: SplitBehavior, invert: bool },
}

/// Pieces of a text that steps work on.
pub struct Pieces<'t> {
    text: Cow<'t, str>,
    /// The pieces as byte ranges of the text; none is empty.
    ranges: Vec<(usize, usize)>,
    origin: Origin,
}

impl<'t> Pieces<'t> {
    /// The whole text as one piece; `at_start` says whether its first character stands for the
    /// original text's offset 0.
    ///
    /// Exact without spans unless [`needs_spans`], or a normalizer inserted text in front of the
    /// original's first character.
    pub fn new(text: &'t str, at_start: bool) -> Self {
        let first = text.chars().next().filter(|_| at_start);
        let origin = Origin::Start(first.map_or(0, char::len_utf8));
        Self::whole(Cow::Borrowed(text), origin)
    }

    /// The whole text as one piece, with the byte range of the original text that each byte of it
    /// stands for.
    pub fn with_spans(text: impl Into<Cow<'t, str>>, spans: Vec<(u32, u32)>) -> Self {
        let text = text.into();
        debug_assert_eq!(text.len(), spans.len());
        Self::whole(text, Origin::Spans(spans))
    }

    fn whole(text: Cow<'t, str>, origin: Origin) -> Self {
        let ranges = if text.is_empty() { vec![] } else { vec![(0, text.len())] };
        Self { text, ranges, origin }
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The pieces as byte ranges of [`Self::text`], none empty.
    pub fn ranges(&self) -> &[(usize, usize)] {
        &self.ranges
    }

    /// The pieces.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().map(|&(start, end)| &self.text[start..end])
    }

    /// For each byte of [`Self::text`] the bytes of the original text that it stands for, where
    /// they are kept. Those of a piece are from the start of its first to the end of its last.
    pub fn spans(&self) -> Option<&[(u32, u32)]> {
        match &self.origin {
            Origin::Start(_) => None,
            Origin::Spans(spans) => Some(spans),
        }
    }

    /// Applies a step to every piece.
    ///
    /// Fails where a regular expression takes too many steps or the oracle breaks; `byte_offset` is
    /// then that of the original text with spans, else that of the step's own text.
    pub fn apply(&mut self, step: &Step, level: Level) -> Result<(), EncodeError> {
        match step {
            Step::ByteLevel { add_prefix_space, split, spell } => {
                let split = split.as_ref().map(|table| (table, level));
                self.byte_level(*add_prefix_space, split, *spell)
            }
            Step::Metaspace { replacement, prepend_scheme, split } => {
                self.metaspace(*replacement, *prepend_scheme, *split);
                Ok(())
            }
            _ => self.cut(step),
        }
    }

    /// Applies a step that leaves the text as it is.
    fn cut(&mut self, step: &Step) -> Result<(), EncodeError> {
        let mut ranges = Vec::with_capacity(self.ranges.len());
        for &(start, end) in &self.ranges {
            if let Err(error) = cut::piece(step, &self.text[start..end], start, &mut ranges) {
                return Err(self.placed(error));
            }
        }
        self.ranges = ranges;
        Ok(())
    }

    /// Cuts pieces where no merge joins what stands on both sides.
    pub fn cut_at_seams(&mut self, seams: &Seams) {
        let mut ranges = Vec::with_capacity(self.ranges.len() * 2);
        for &(start, end) in &self.ranges {
            let mut done = start;
            for place in seams.places(&self.text[start..end]) {
                ranges.push((done, start + place));
                done = start + place;
            }
            ranges.push((done, end));
        }
        self.ranges = ranges;
    }

    /// The error with an offset into the original text, where that is known.
    fn placed(&self, error: EncodeError) -> EncodeError {
        match (error, &self.origin) {
            (EncodeError::StepLimit { pattern, byte_offset }, Origin::Spans(spans)) => {
                let span = spans.get(byte_offset).map(|span| span.0);
                let end = spans.last().map_or(0, |span| span.1);
                EncodeError::StepLimit { pattern, byte_offset: span.unwrap_or(end) as usize }
            }
            (error, _) => error,
        }
    }

    /// Hands out all pieces as bytes, in one batch if there are any: piece `i` is
    /// `bytes[boundaries[i]..boundaries[i + 1]]`. With `byte_level` they are turned back from the
    /// byte alphabet (see [`stays_in_alphabet`]); else they are text.
    pub fn hand_out<E>(
        &self,
        byte_level: bool,
        mut batch: impl FnMut(&[u8], &[usize]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(&(first, _)) = self.ranges.first() else { return Ok(()) };
        let mut boundaries = Vec::with_capacity(self.ranges.len() + 1);
        let in_a_row = self.ranges.windows(2).all(|pair| pair[0].1 == pair[1].0);
        if in_a_row && !byte_level {
            boundaries.push(first);
            boundaries.extend(self.ranges.iter().map(|&(_, end)| end));
            return batch(self.text.as_bytes(), &boundaries);
        }
        let mut bytes = Vec::with_capacity(self.text.len());
        boundaries.push(0);
        for piece in self.iter() {
            if !(byte_level && byte_level::unspell(piece, &mut bytes)) {
                bytes.extend_from_slice(piece.as_bytes());
            }
            boundaries.push(bytes.len());
        }
        batch(&bytes, &boundaries)
    }
}

/// Whether the steps are exact only over pieces with spans: a Metaspace that looks whether a piece
/// stands at the start of the original text sees pieces that other steps have cut, perhaps within
/// what a normalizer made of one character; and a normalizer may have taken the start away.
pub fn needs_spans(steps: &[Step], normalized: bool) -> bool {
    let first =
        |step: &Step| matches!(step, Step::Metaspace { prepend_scheme: PrependScheme::First, .. });
    steps.iter().skip(usize::from(!normalized)).any(first)
}

/// Whether all text that comes out is in the byte alphabet: ByteLevel is among the steps, and none
/// behind the last puts another character in.
pub fn stays_in_alphabet(steps: &[Step]) -> bool {
    let mut inside = false;
    for step in steps {
        match step {
            Step::ByteLevel { spell, .. } => inside = *spell,
            Step::Metaspace { replacement, .. } => {
                inside &= byte_level::byte_of(*replacement).is_some();
            }
            _ => {}
        }
    }
    inside
}

/// Where ByteLevel is the last step and no other step is, makes it leave the text unspelled and
/// says so: what comes out as text is then the bytes that the spelling would stand for.
///
/// Not for text in which a normalizer inserted something in front of the first character.
pub fn leave_bytes(steps: &mut [Step]) -> bool {
    let is_byte_level = |step: &Step| matches!(step, Step::ByteLevel { .. });
    match steps {
        [before @ .., Step::ByteLevel { spell, .. }] if !before.iter().any(is_byte_level) => {
            *spell = false;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
