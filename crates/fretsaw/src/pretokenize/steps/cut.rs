//! Steps that cut and drop, but leave the text as it is.

use crate::error::EncodeError;
use crate::pattern::Pattern;
use crate::spec::SplitBehavior;
use crate::unicode::{is_bert_punctuation, is_punctuation, is_rust_numeric, is_rust_whitespace};

use super::{classes, Step};

/// Cuts a piece that starts at `base` in the text and appends the ranges of the new pieces.
pub(super) fn piece(
    step: &Step,
    piece: &str,
    base: usize,
    out: &mut Vec<(usize, usize)>,
) -> Result<(), EncodeError> {
    match step {
        Step::CharDelimiterSplit { delimiter } => {
            at_characters(piece, base, SplitBehavior::Removed, out, |c| c == *delimiter);
        }
        Step::Digits { individual } => {
            let behavior =
                if *individual { SplitBehavior::Isolated } else { SplitBehavior::Contiguous };
            at_characters(piece, base, behavior, out, |c| is_rust_numeric(c as u32));
        }
        Step::Punctuation { behavior } => {
            at_characters(piece, base, *behavior, out, |c| is_punctuation(c as u32));
        }
        Step::BertPunctuation => {
            let is_punctuation = |c| is_bert_punctuation(c as u32);
            at_characters(piece, base, SplitBehavior::Isolated, out, is_punctuation);
        }
        Step::WhitespaceSplit => {
            let is_space = |c| is_rust_whitespace(c as u32);
            at_characters(piece, base, SplitBehavior::Removed, out, is_space);
        }
        Step::Whitespace => classes::words(piece, base, out),
        Step::UnicodeScripts => classes::scripts(piece, base, out),
        Step::FixedLength { chars } => classes::fixed_length(piece, base, *chars, out),
        Step::Split { pattern, behavior, invert } => {
            return at_matches(pattern, piece, base, *behavior, *invert, out);
        }
        // Those rewrite the text.
        Step::ByteLevel { .. } | Step::Metaspace { .. } => out.push((base, base + piece.len())),
    }
    Ok(())
}

/// Cuts at every character for which `is_delimiter` holds.
pub(super) fn at_characters(
    piece: &str,
    base: usize,
    behavior: SplitBehavior,
    out: &mut Vec<(usize, usize)>,
    is_delimiter: impl Fn(char) -> bool,
) {
    let mut cutter = Cutter::new(behavior, base, out);
    let mut done = 0;
    for (start, character) in piece.char_indices().filter(|&(_, c)| is_delimiter(c)) {
        let end = start + character.len_utf8();
        cutter.gap((done, start), false);
        cutter.segment((start, end), true);
        done = end;
    }
    cutter.gap((done, piece.len()), false);
    cutter.finish();
}

/// Cuts at every match of a pattern, or at what lies between the matches.
fn at_matches(
    pattern: &Pattern,
    piece: &str,
    base: usize,
    behavior: SplitBehavior,
    invert: bool,
    out: &mut Vec<(usize, usize)>,
) -> Result<(), EncodeError> {
    let failed = |at: usize| EncodeError::StepLimit {
        pattern: pattern.source().to_owned(),
        byte_offset: base + at,
    };
    let first = out.len();
    let mut cutter = Cutter::new(behavior, base, out);
    let mut done = 0;
    for found in pattern.find_iter(piece) {
        let (start, end) = match found {
            Ok(found) => found,
            Err(EncodeError::StepLimit { byte_offset, .. }) => return Err(failed(byte_offset)),
            Err(error) => return Err(error),
        };
        cutter.gap((done, start), invert);
        cutter.segment((start, end), !invert);
        done = end;
    }
    cutter.gap((done, piece.len()), invert);
    cutter.finish();
    // Through `\K` in a look-behind what lies between two matches can end before it starts: the
    // oracle panics.
    let is_piece = |&(start, end): &(usize, usize)| piece.get(start - base..end - base).is_some();
    match out[first..].iter().find(|range| !is_piece(range)) {
        Some(&(_, end)) => Err(failed(end - base)),
        None => Ok(()),
    }
}

/// Turns delimiters and what lies between them into pieces, by what becomes of delimiters.
///
/// Segments come in order and say whether they are a delimiter. The last piece is held back while
/// the next segment may still join it.
struct Cutter<'o> {
    behavior: SplitBehavior,
    base: usize,
    out: &'o mut Vec<(usize, usize)>,
    held: Option<(usize, usize)>,
    /// Whether the segment before was a delimiter.
    behind_delimiter: bool,
}

impl<'o> Cutter<'o> {
    fn new(behavior: SplitBehavior, base: usize, out: &'o mut Vec<(usize, usize)>) -> Self {
        Self { behavior, base, out, held: None, behind_delimiter: false }
    }

    /// What lies between two matches, if there is anything.
    fn gap(&mut self, (start, end): (usize, usize), is_delimiter: bool) {
        if start != end {
            self.segment((start, end), is_delimiter);
        }
    }

    fn segment(&mut self, segment: (usize, usize), is_delimiter: bool) {
        let joins = match self.behavior {
            SplitBehavior::Removed => {
                if !is_delimiter {
                    self.push(segment);
                }
                return;
            }
            SplitBehavior::Isolated => return self.push(segment),
            SplitBehavior::Contiguous => is_delimiter == self.behind_delimiter,
            SplitBehavior::MergedWithPrevious => is_delimiter && !self.behind_delimiter,
            SplitBehavior::MergedWithNext => !is_delimiter && self.behind_delimiter,
        };
        self.behind_delimiter = is_delimiter;
        match &mut self.held {
            Some(held) if joins => held.1 = segment.1,
            held => {
                if let Some(whole) = held.replace(segment) {
                    self.push(whole);
                }
            }
        }
    }

    fn finish(mut self) {
        if let Some(whole) = self.held.take() {
            self.push(whole);
        }
    }

    fn push(&mut self, (start, end): (usize, usize)) {
        if start != end {
            self.out.push((self.base + start, self.base + end));
        }
    }
}
