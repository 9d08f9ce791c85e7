//! A literal that gives way to another text, from left to right and never overlapping.
//!
//! Of a token in pieces only the longest end that a match may start with is held back. It equals
//! the start of the literal, so its length is all that is remembered (`Slot::count`); Knuth,
//! Morris and Pratt 1977 has what remains of it when the next character does not fit.

use crate::error::EncodeError;

use super::state::{built, Slot};
use super::Next;

/// A literal, which is not empty, and what comes in its place.
pub struct Literal {
    pattern: String,
    content: String,
    /// The pattern, if it is one character.
    single: Option<char>,
    /// For each prefix of the pattern, by its length in bytes, the length of the longest shorter
    /// prefix that it ends with. Where the one is whole characters, so is the other.
    borders: Vec<usize>,
}

impl Literal {
    /// `None` for an empty pattern.
    pub fn new(pattern: &str, content: &str) -> Option<Self> {
        let mut characters = pattern.chars();
        let single = characters.next().filter(|_| characters.next().is_none());
        (!pattern.is_empty()).then(|| Self {
            pattern: pattern.to_owned(),
            content: content.to_owned(),
            single,
            borders: borders(pattern.as_bytes()),
        })
    }

    pub(super) fn piece(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        let mut rest = text;
        while slot.count > 0 {
            let held = slot.count;
            let Some(character) = rest.chars().next() else {
                if ends {
                    slot.count = 0;
                    next.piece(&self.pattern[..held], true)?;
                }
                return Ok(());
            };
            if !self.pattern[held..].starts_with(character) {
                slot.count = self.borders[held];
                next.piece(&self.pattern[..held - slot.count], false)?;
                continue;
            }
            rest = &rest[character.len_utf8()..];
            slot.count += character.len_utf8();
            if slot.count == self.pattern.len() {
                slot.count = 0;
                next.piece(&self.content, false)?;
            }
        }
        self.start(rest, ends, slot, next)
    }

    /// Takes a piece when nothing is held back.
    fn start(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        let Some(first) = self.find(text) else {
            slot.count = if ends { 0 } else { self.unfinished(text) };
            return next.piece(&text[..text.len() - slot.count], ends);
        };
        let count = &mut slot.count;
        let build = |changed: &mut String| {
            let (mut rest, mut found) = (text, Some(first));
            while let Some(at) = found {
                changed.push_str(&rest[..at]);
                changed.push_str(&self.content);
                rest = &rest[at + self.pattern.len()..];
                found = self.find(rest);
            }
            *count = if ends { 0 } else { self.unfinished(rest) };
            changed.push_str(&rest[..rest.len() - *count]);
        };
        built(&mut slot.held, build, |changed| next.piece(changed, ends))
    }

    #[inline]
    fn find(&self, text: &str) -> Option<usize> {
        match self.single {
            Some(character) => text.find(character),
            None => text.find(&self.pattern),
        }
    }

    /// How many bytes at the end of a text without match may be the start of one.
    fn unfinished(&self, text: &str) -> usize {
        if self.single.is_some() {
            return 0;
        }
        let mut from = text.len().saturating_sub(self.pattern.len() - 1);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let mut held = 0;
        for character in text[from..].chars() {
            while held > 0 && !self.pattern[held..].starts_with(character) {
                held = self.borders[held];
            }
            if self.pattern[held..].starts_with(character) {
                held += character.len_utf8();
            }
        }
        held
    }
}

/// See [`Literal::borders`].
fn borders(pattern: &[u8]) -> Vec<usize> {
    let mut borders = vec![0; pattern.len() + 1];
    let mut border = 0;
    for at in 1..pattern.len() {
        while border > 0 && pattern[border] != pattern[at] {
            border = borders[border];
        }
        if pattern[border] == pattern[at] {
            border += 1;
        }
        borders[at + 1] = border;
    }
    borders
}

/// What an empty literal does: the content comes before each character and at the end.
pub struct Between {
    content: String,
    /// Whether an empty token becomes the content; for a pattern of Oniguruma it stays empty.
    on_empty: bool,
}

impl Between {
    pub fn new(content: &str, on_empty: bool) -> Self {
        Self { content: content.to_owned(), on_empty }
    }

    pub(super) fn piece(
        &self,
        text: &str,
        ends: bool,
        slot: &mut Slot,
        next: &mut Next<'_>,
    ) -> Result<(), EncodeError> {
        let any = slot.inside || !text.is_empty() || self.on_empty;
        slot.inside = !ends;
        let build = |changed: &mut String| {
            for character in text.chars() {
                changed.push_str(&self.content);
                changed.push(character);
            }
            if ends && any {
                changed.push_str(&self.content);
            }
        };
        built(&mut slot.held, build, |changed| next.piece(changed, ends))
    }
}
