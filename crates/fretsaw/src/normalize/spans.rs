//! A text that remembers which bytes of the original each of its bytes stands for.
//!
//! The oracle describes a change of a text by its new characters and, for each, how it came to be
//! (see [`Change`]). Where these counts don't add up, as when a character map takes away the first
//! characters, spans slip; it is done here exactly as there.
//!
//! Source: `NormalizedString::transform_range`, `prepend` and `replace` of tokenizers 0.23.3.

use crate::error::EncodeError;

use super::Span;

/// A character and how it came to be: 0, it takes the place of one; 1, it is added behind what came
/// last; -n, it takes the place of one and n more are taken away.
pub(super) type Change = (char, i64);

/// The spans of a text that is its own original.
pub fn identity(text: &str) -> Vec<Span> {
    if text.is_ascii() {
        return (0..text.len()).map(|at| (at as u32, (at + 1) as u32)).collect();
    }
    let mut spans = Vec::with_capacity(text.len());
    for (start, c) in text.char_indices() {
        let span = (start as u32, (start + c.len_utf8()) as u32);
        spans.extend(std::iter::repeat_n(span, c.len_utf8()));
    }
    spans
}

/// A text and the spans of its bytes.
pub(super) struct Aligned {
    text: String,
    spans: Vec<Span>,
}

impl Aligned {
    pub fn new(text: &str, spans: Vec<Span>) -> Self {
        debug_assert_eq!(text.len(), spans.len());
        Self { text: text.to_owned(), spans }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn into_parts(self) -> (String, Vec<Span>) {
        (self.text, self.spans)
    }

    /// Whether the first character stands for something.
    pub fn front_stands_for_something(&self) -> bool {
        self.spans.first().is_none_or(|(start, end)| start < end)
    }

    /// Puts another text in place, each byte of which stands for what the one there did.
    pub fn put(&mut self, text: String) {
        debug_assert_eq!(text.len(), self.spans.len());
        self.text = text;
    }

    /// Changes the parts that `each` begins, by what it pushes.
    pub fn change(&mut self, each: impl FnOnce(&str, &mut Changed)) {
        let mut changed = Changed::new(self);
        each(&self.text, &mut changed);
        (self.text, self.spans) = changed.finish();
    }

    /// Replaces the text from the first byte that stands for something: `changes` are in its place,
    /// after `removed_in_front` characters that fall away.
    ///
    /// Fails where the changes take the place of more characters than there are.
    pub fn transform(
        &mut self,
        changes: Vec<Change>,
        removed_in_front: usize,
        normalizer: &'static str,
    ) -> Result<(), EncodeError> {
        if self.spans.is_empty() {
            return Ok(());
        }
        let first = self.spans.iter().take_while(|(start, end)| start == end).count();
        let mut changed = Changed::new(self);
        changed.begin(first, self.text.len());
        changed.take(removed_in_front);
        for change in changes {
            if change.1 <= 0 && changed.at == self.spans.len() {
                return Err(EncodeError::NormalizerFails { normalizer });
            }
            changed.push(change);
        }
        (self.text, self.spans) = changed.finish();
        Ok(())
    }

    /// Puts a text in front that stands for the same as the first character.
    ///
    /// An empty one takes away what the first character stood for.
    pub fn prepend(&mut self, front: &str) {
        let Some(&first) = self.spans.first() else { return };
        if front.is_empty() {
            let size = self.text.chars().next().map_or(0, char::len_utf8);
            self.spans[..size].fill((0, 0));
            return;
        }
        self.text.insert_str(0, front);
        self.spans.splice(0..0, std::iter::repeat_n(first, front.len()));
    }

    /// Replaces these parts, which must be in order and not overlap; what comes in their place
    /// stands for what the byte before their end stands for.
    pub fn replace(&mut self, parts: &[(usize, usize)], content: &str) {
        let mut text = String::with_capacity(self.text.len());
        let mut spans = Vec::with_capacity(self.spans.len());
        let mut done = 0;
        for &(start, end) in parts {
            text.push_str(&self.text[done..start]);
            spans.extend_from_slice(&self.spans[done..start]);
            let span = end.checked_sub(1).map_or((0, 0), |last| self.spans[last]);
            text.push_str(content);
            spans.extend(std::iter::repeat_n(span, content.len()));
            done = end;
        }
        text.push_str(&self.text[done..]);
        spans.extend_from_slice(&self.spans[done..]);
        (self.text, self.spans) = (text, spans);
    }
}

/// A text with spans in the course of being changed from left to right.
pub(super) struct Changed<'a> {
    from: &'a Aligned,
    /// What comes next in the part that is being replaced, and the end of the part.
    at: usize,
    end: usize,
    text: String,
    spans: Vec<Span>,
}

impl<'a> Changed<'a> {
    fn new(from: &'a Aligned) -> Self {
        let (text, spans) =
            (String::with_capacity(from.text.len()), Vec::with_capacity(from.spans.len()));
        Self { from, at: 0, end: 0, text, spans }
    }

    /// Begins to replace the bytes from `start` to `end`; what lies before is copied.
    pub fn begin(&mut self, start: usize, end: usize) {
        self.text.push_str(&self.from.text[self.end..start]);
        self.spans.extend_from_slice(&self.from.spans[self.end..start]);
        (self.at, self.end) = (start, end);
    }

    /// Adds a character to what replaces the part.
    ///
    /// If it takes the place of one there must be one left.
    pub fn push(&mut self, (c, change): Change) {
        let stands_for = if change > 0 { self.at.checked_sub(1) } else { Some(self.at) };
        let span = stands_for.and_then(|at| self.from.spans.get(at)).copied().unwrap_or_default();
        if change <= 0 {
            self.take(1 + change.unsigned_abs() as usize);
        }
        self.text.push(c);
        self.spans.extend(std::iter::repeat_n(span, c.len_utf8()));
    }

    /// Passes over characters of the part, as many as there are.
    fn take(&mut self, count: usize) {
        let part = &self.from.text[self.at..self.end];
        self.at += part.chars().take(count).map(char::len_utf8).sum::<usize>();
    }

    fn finish(mut self) -> (String, Vec<Span>) {
        self.begin(self.from.text.len(), self.from.text.len());
        (self.text, self.spans)
    }
}
