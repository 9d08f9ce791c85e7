//! `Replace`: every match of a pattern gives way to a text.

use std::borrow::Cow;

use crate::error::EncodeError;
use crate::pattern::Pattern;

use super::rewrite::Rewrite;
use super::spans::Aligned;

/// A pattern and what comes in its place.
pub struct Replace {
    pattern: Pattern,
    content: String,
}

impl Replace {
    pub fn new(pattern: Pattern, content: String) -> Self {
        Self { pattern, content }
    }

    /// The text with all matches replaced; `in_front` is set if an empty match at its start is.
    pub(super) fn normalize<'t>(
        &self,
        text: &'t str,
        in_front: &mut bool,
    ) -> Result<Cow<'t, str>, EncodeError> {
        if let Some(byte) = self.pattern.as_byte() {
            return Ok(self.replace_byte(text, byte));
        }
        let mut rewrite = Rewrite::new(text);
        let mut done = 0;
        for found in self.pattern.find_iter(text) {
            let (start, end) = found?;
            self.check(start, end, &mut done)?;
            *in_front |= end == 0 && !self.content.is_empty();
            if text[start..end] != self.content {
                rewrite.replace(start, end).push_str(&self.content);
            }
        }
        Ok(rewrite.finish())
    }

    /// The text with a character of ASCII replaced.
    fn replace_byte<'t>(&self, text: &'t str, byte: u8) -> Cow<'t, str> {
        let mut found = memchr::memchr_iter(byte, text.as_bytes());
        let Some(first) = found.next() else { return Cow::Borrowed(text) };
        let mut made = String::with_capacity(text.len() + text.len() / 2);
        made.push_str(&text[..first]);
        let mut done = first;
        for at in found {
            made.push_str(&self.content);
            made.push_str(&text[done + 1..at]);
            done = at;
        }
        made.push_str(&self.content);
        made.push_str(&text[done + 1..]);
        Cow::Owned(made)
    }

    pub(super) fn normalize_spans(&self, aligned: &mut Aligned) -> Result<(), EncodeError> {
        let mut done = 0;
        let mut parts = Vec::new();
        for found in self.pattern.find_iter(aligned.text()) {
            let (start, end) = found?;
            self.check(start, end, &mut done)?;
            parts.push((start, end));
        }
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
