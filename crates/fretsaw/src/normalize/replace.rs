//! `Replace`: every match of a pattern gives way to a text.

use std::borrow::Cow;

use crate::error::EncodeError;
use crate::pattern::Pattern;

use super::rewrite::Rewrite;
use super::spans::Aligned;
use super::Notes;

/// What comes in place of a byte is written as so many at once.
const WIDE: usize = 4;

/// A pattern and what comes in its place.
pub struct Replace {
    pattern: Pattern,
    content: String,
}

impl Replace {
    pub fn new(pattern: Pattern, content: String) -> Self {
        Self { pattern, content }
    }

    /// What comes in place of a match.
    pub(super) fn content(&self) -> &str {
        &self.content
    }

    /// The matches in a text, in order and apart; not all of those that would be replaced by themselves.
    pub(super) fn matches<'a>(
        &'a self,
        text: &'a str,
    ) -> impl Iterator<Item = Result<(usize, usize), EncodeError>> + 'a {
        let mut done = 0;
        self.pattern.find_other(text, &self.content).map(move |found| {
            let (start, end) = found?;
            self.check(start, end, &mut done)?;
            Ok((start, end))
        })
    }

    /// The text with all matches replaced.
    pub(super) fn normalize<'t>(
        &self,
        text: &'t str,
        notes: &mut Notes,
    ) -> Result<Cow<'t, str>, EncodeError> {
        if let Some(byte) = self.pattern.as_byte() {
            let replaced = self.replace_byte(text, byte);
            notes.moved |= self.content.len() != 1 && matches!(replaced, Cow::Owned(_));
            return Ok(replaced);
        }
        let mut rewrite = Rewrite::new(text);
        for found in self.matches(text) {
            let (start, end) = found?;
            notes.in_front |= end == 0 && !self.content.is_empty();
            notes.note(&text[start..end], &self.content);
            if text[start..end] != self.content {
                rewrite.replace(start, end).push_str(&self.content);
            }
        }
        Ok(rewrite.finish())
    }

    /// The text with a character of ASCII replaced.
    fn replace_byte<'t>(&self, text: &'t str, byte: u8) -> Cow<'t, str> {
        let bytes = text.as_bytes();
        let Some(first) = memchr::memchr(byte, bytes) else { return Cow::Borrowed(text) };
        let found = memchr::memchr_iter(byte, &bytes[first..]);
        let content = self.content.as_bytes();
        if content.len() > WIDE || content.is_empty() {
            let mut rewrite = Rewrite::new(text);
            found.for_each(|at| {
                rewrite.replace(first + at, first + at + 1).push_str(&self.content);
            });
            return rewrite.finish();
        }
        // Each byte, or what comes in its place, is written with what follows it over: words are
        // short, and so nothing is decided that could not be foretold.
        let mut wide = [0; WIDE];
        wide[..content.len()].copy_from_slice(content);
        let more = found.count() * (content.len() - 1);
        let mut made = vec![0; text.len() + more + WIDE];
        made[..first].copy_from_slice(&bytes[..first]);
        let mut end = first;
        for &other in &bytes[first..] {
            let replaced = other == byte;
            let written = if replaced { wide } else { [other, 0, 0, 0] };
            made[end..end + WIDE].copy_from_slice(&written);
            end += if replaced { content.len() } else { 1 };
        }
        made.truncate(end);
        // Text in place of one character of a text is text.
        Cow::Owned(String::from_utf8(made).unwrap_or_default())
    }

    pub(super) fn normalize_spans(&self, aligned: &mut Aligned) -> Result<(), EncodeError> {
        let parts: Vec<_> = self.matches(aligned.text()).collect::<Result<_, _>>()?;
        if !parts.is_empty() {
            aligned.replace(&parts, &self.content);
        }
        Ok(())
    }

    /// With `\K` a match can start past its end or before the end of the one before.
    fn check(&self, start: usize, end: usize, done: &mut usize) -> Result<(), EncodeError> {
        if start > end || start < *done {
            return Err(EncodeError::NormalizerFails { normalizer: "Replace" });
        }
        *done = end;
        Ok(())
    }
}
