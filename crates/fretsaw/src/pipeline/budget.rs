//! Texts and budgets of ids: does it fit, what of it fits, and parts that do.
//!
//! A text is read in windows that end at safe cuts, where there are any, and no further than it takes.
//! What is cut off is what the ids beyond the budget stand for, at the nearest whole character; the part
//! that is left is then counted on its own, and shortened until it fits, since a part need not have the
//! ids that it has inside the whole.
//!
//! Cost: linear in what the budget covers, not in the text; whether a text fits takes the whole text where
//! there are no safe cuts, since of other models more text can have fewer ids.

use std::ops::Range;

use super::trace::Whose;
use super::Pipeline;
use crate::encoding::Columns;
use crate::error::EncodeError;
use crate::model::ModelScratch;
use crate::post_process::Part;
use crate::settings::{MatchPolicy, SpecialSet};
use crate::spec::Direction;

/// Where parts of a text may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// Behind any token.
    Token,
    /// Behind a sentence, if one ends in the part, else behind a token.
    Sentence,
    /// Behind a paragraph, if one ends in the part, else behind a sentence.
    Paragraph,
}

/// The first window has so many bytes for each id.
const BYTES_PER_ID: usize = 6;
/// And so many more ids than the budget.
const MORE_IDS: usize = 16;
const WINDOW_BYTES: usize = 1 << 12;

/// What ids are counted with.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    pub special: &'a SpecialSet,
    pub add_special_tokens: bool,
    pub max_tokens: usize,
}

impl Pipeline {
    /// How often a text comes among special tokens, and how many of those there are.
    pub(super) fn frame(&self, add_special_tokens: bool) -> Result<(usize, usize), EncodeError> {
        let parts = self.parts.post_processor.parts(false, add_special_tokens)?;
        Ok(parts.iter().fold((0, 0), |(texts, added), part| match part {
            Part::Text(_) => (texts + 1, added),
            Part::Special { ids, .. } => (texts, added + ids.len()),
        }))
    }

    /// Whether a text has at most so many ids.
    ///
    /// # Errors
    ///
    /// As encoding what is read of it.
    pub fn fits(&self, text: &str, budget: Budget<'_>) -> Result<bool, EncodeError> {
        let (texts, added) = self.frame(budget.add_special_tokens)?;
        let Some(room) = budget.max_tokens.checked_sub(added) else { return Ok(false) };
        let (mut start, mut count) = (0, 0);
        while start < text.len() && texts * count <= room {
            let end = match self.has_safe_cuts() {
                true => self.safe_cut_from(text, start + WINDOW_BYTES).unwrap_or(text.len()),
                false => text.len(),
            };
            count += self.count_bare(&text[start..end], MatchPolicy::new(budget.special))?;
            start = end;
        }
        Ok(texts * count <= room)
    }

    /// The bytes of a text that are kept where it is cut to a budget on one side, and how many ids they
    /// have on their own.
    ///
    /// # Errors
    ///
    /// As encoding what is read of it; [`EncodeError::TooFewTokens`] where not even an empty text fits.
    pub fn fitting(
        &self,
        text: &str,
        direction: Direction,
        budget: Budget<'_>,
    ) -> Result<(Range<usize>, usize), EncodeError> {
        let (texts, added) = self.frame(budget.add_special_tokens)?;
        let Budget { special, max_tokens, .. } = budget;
        let too_few = || EncodeError::TooFewTokens { max_tokens, byte_offset: 0 };
        let room = max_tokens.checked_sub(added).ok_or_else(too_few)? / texts.max(1);
        let (window, offsets) = self.window(text, direction, special, room)?;
        let mut keep = room.min(offsets.len());
        let mut step = 1;
        loop {
            let part = part_of(&offsets, keep, window.clone(), direction, text);
            let own = self.count_bare(&text[part.clone()], MatchPolicy::new(special))?;
            if own <= room {
                return Ok((part, texts * own + added));
            }
            if keep == 0 {
                return Err(too_few());
            }
            keep = keep.saturating_sub(step.max(own - room));
            step *= 2;
        }
    }

    /// A text in parts of at most so many ids each, every one but the first beginning with about the last
    /// `overlap` ids of the one before.
    ///
    /// # Errors
    ///
    /// As [`Pipeline::fitting`], also where not even one character fits.
    pub fn chunks(
        &self,
        text: &str,
        overlap: usize,
        boundary: Boundary,
        budget: Budget<'_>,
    ) -> Result<Vec<Range<usize>>, EncodeError> {
        let mut chunks: Vec<Range<usize>> = Vec::new();
        let again = Budget { add_special_tokens: false, max_tokens: overlap, ..budget };
        let (mut start, mut done) = (0, 0);
        while done < text.len() {
            let mut end = self.chunk_end(text, start, boundary, budget)?;
            if end <= done && start < done {
                // The overlap leaves no room for more.
                start = done;
                end = self.chunk_end(text, start, boundary, budget)?;
            }
            chunks.push(start..end);
            done = end;
            let repeated = match overlap {
                0 => 0,
                _ => self.fitting(&text[start..end], Direction::Left, again)?.0.len(),
            };
            start = end - repeated.min(end - start - 1);
            while !text.is_char_boundary(start) {
                start += 1;
            }
        }
        Ok(chunks)
    }

    /// Where the part that starts at a byte ends.
    fn chunk_end(
        &self,
        text: &str,
        start: usize,
        boundary: Boundary,
        budget: Budget<'_>,
    ) -> Result<usize, EncodeError> {
        let (part, _) = self.fitting(&text[start..], Direction::Right, budget)?;
        let end = start + part.end;
        if part.is_empty() {
            let max_tokens = budget.max_tokens;
            return Err(EncodeError::TooFewTokens { max_tokens, byte_offset: start });
        }
        if end == text.len() {
            return Ok(end);
        }
        for kind in [Boundary::Paragraph, Boundary::Sentence] {
            if kind == Boundary::Paragraph && boundary != kind || boundary == Boundary::Token {
                continue;
            }
            let place = last_end(&text[start..], part.end, kind);
            if let Some(place) = place {
                // A shorter text may have more ids, if hardly ever.
                if self.fits(&text[start..start + place], budget)? {
                    return Ok(start + place);
                }
            }
        }
        Ok(end)
    }

    /// A part of a text at its start, or with `Left` at its end, that has more ids than `room`, or all
    /// of the text; with where in it each id stands, in bytes of the text.
    fn window(
        &self,
        text: &str,
        direction: Direction,
        special: &SpecialSet,
        room: usize,
    ) -> Result<(Range<usize>, Vec<Range<usize>>), EncodeError> {
        let mut size = (room.saturating_add(MORE_IDS)).saturating_mul(BYTES_PER_ID);
        loop {
            let window = self.part_of_size(text, direction, size);
            let mut columns = Columns::default();
            let part = &text[window.clone()];
            let whose = Whose { type_id: 0, word: None };
            let policy = MatchPolicy::new(special);
            self.trace(part, policy, whose, &mut ModelScratch::default(), &mut columns)?;
            if window.len() == text.len() || columns.ids.len() >= room.saturating_add(MORE_IDS) {
                let mut starts: Vec<usize> = part.char_indices().map(|(at, _)| at).collect();
                starts.push(part.len());
                let byte = |chars: u32| {
                    window.start + starts.get(chars as usize).copied().unwrap_or(part.len())
                };
                let ranges = columns.offsets.iter().map(|&(from, to)| byte(from)..byte(to));
                return Ok((window.clone(), ranges.collect()));
            }
            size = size.saturating_mul(2);
        }
    }

    /// About so many bytes at the start or the end of a text, up to a safe cut if there is one.
    fn part_of_size(&self, text: &str, direction: Direction, size: usize) -> Range<usize> {
        if size >= text.len() {
            return 0..text.len();
        }
        let safe = self.has_safe_cuts();
        match direction {
            Direction::Right => {
                let far = (2 * size..text.len()).find(|&at| text.is_char_boundary(at));
                let searched = &text[..far.unwrap_or(text.len())];
                let cut = safe.then(|| self.safe_cut_from(searched, size)).flatten();
                let near = (size..text.len()).find(|&at| text.is_char_boundary(at));
                0..cut.or(near).unwrap_or(text.len())
            }
            Direction::Left => {
                let from = text.len() - size;
                let far = from.saturating_sub(size);
                let far = (0..=far).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
                let searched = &text[far..];
                let cut = safe.then(|| self.safe_cut_until(searched, from - far)).flatten();
                let near = (0..=from).rev().find(|&at| text.is_char_boundary(at));
                cut.map(|cut| far + cut).or(near).unwrap_or(0)..text.len()
            }
        }
    }
}

/// What the first `keep` ids of a window stand for, or with `Left` the last ones, in whole characters.
fn part_of(
    offsets: &[Range<usize>],
    keep: usize,
    window: Range<usize>,
    direction: Direction,
    text: &str,
) -> Range<usize> {
    let all = keep >= offsets.len();
    match direction {
        _ if all && window.len() == text.len() => window,
        Direction::Right if keep == 0 => 0..0,
        Direction::Left if keep == 0 => text.len()..text.len(),
        Direction::Right => {
            let next = offsets.get(keep).map_or(window.end, |range| range.start);
            0..offsets[keep - 1].end.min(next)
        }
        Direction::Left => {
            let first = offsets.len() - keep.min(offsets.len());
            let before = first.checked_sub(1).map_or(window.start, |at| offsets[at].end);
            offsets.get(first).map_or(window.start, |range| range.start.max(before))..text.len()
        }
    }
}

/// The last place up to byte `end`, but not at the start, where a sentence or a paragraph has ended.
fn last_end(text: &str, end: usize, kind: Boundary) -> Option<usize> {
    let mut chars = text[..end].char_indices().rev().peekable();
    let mut behind = text[end..].chars().next();
    while let Some((at, c)) = chars.next() {
        let place = at + c.len_utf8();
        let before = chars.peek().map(|&(_, before)| before);
        let ends = match kind {
            Boundary::Paragraph => {
                c == '\n' && behind != Some('\n') && matches!(before, Some('\n' | '\r'))
            }
            _ => {
                let full = |c| matches!(c, '.' | '!' | '?' | '…');
                let spaced = c.is_whitespace() && !behind.is_some_and(char::is_whitespace);
                matches!(c, '。' | '！' | '？')
                    || c == '\n' && behind != Some('\n')
                    || spaced && text[..at].trim_end().ends_with(full)
            }
        };
        if ends {
            return Some(place);
        }
        behind = Some(c);
    }
    None
}
