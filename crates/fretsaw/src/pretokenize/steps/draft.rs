//! The text that a rewriting step makes, and what its bytes stand for in the original.

use std::ops::Range;

use crate::byte_level;

/// Where the bytes of a text come from.
pub(super) enum Origin {
    /// The bytes before this one stand for text at the original's offset 0.
    Start(usize),
    /// The bytes of the original that each byte stands for; all of a character have the same.
    Spans(Vec<(u32, u32)>),
}

impl Origin {
    /// Whether a byte stands for text at the original's offset 0.
    pub fn is_at_start(&self, byte: usize) -> bool {
        match self {
            Origin::Start(end) => byte < *end,
            Origin::Spans(spans) => spans[byte].0 == 0,
        }
    }
}

/// A new text in the making.
pub(super) struct Draft<'a> {
    source: &'a str,
    from: &'a Origin,
    pub text: String,
    pub origin: Origin,
    pub ranges: Vec<(usize, usize)>,
}

impl<'a> Draft<'a> {
    /// An empty draft of what becomes of `source`.
    pub fn new(source: &'a str, from: &'a Origin, pieces: usize) -> Self {
        let origin = match from {
            Origin::Start(_) => Origin::Start(0),
            Origin::Spans(spans) => Origin::Spans(Vec::with_capacity(spans.len())),
        };
        let text = String::with_capacity(source.len() + source.len() / 8);
        Self { source, from, text, origin, ranges: Vec::with_capacity(pieces) }
    }

    /// Appends a character that stands for what the byte at `at` of the source stands for.
    pub fn push(&mut self, character: char, at: usize) {
        self.text.push(character);
        match (&mut self.origin, self.from) {
            (Origin::Spans(spans), Origin::Spans(from)) => {
                spans.resize(self.text.len(), from[at]);
            }
            (Origin::Start(end), Origin::Start(from)) if at < *from => *end = self.text.len(),
            _ => {}
        }
    }

    /// Appends a part of the source.
    pub fn copy(&mut self, part: Range<usize>) {
        self.text.push_str(&self.source[part.clone()]);
        match (&mut self.origin, self.from) {
            (Origin::Spans(spans), Origin::Spans(from)) => spans.extend_from_slice(&from[part]),
            (Origin::Start(end), Origin::Start(from)) if part.start < *from => {
                *end = self.text.len() - part.end.saturating_sub(*from);
            }
            _ => {}
        }
    }

    /// Appends a part of the source, spelled in the byte alphabet.
    pub fn spell(&mut self, part: Range<usize>) {
        let within_start = matches!(self.from, Origin::Start(end) if part.start >= *end);
        if within_start {
            byte_level::spell(self.source[part].as_bytes(), &mut self.text);
            return;
        }
        for at in part {
            let byte = self.source.as_bytes()[at];
            self.push(byte_level::CHARS[usize::from(byte)], at);
        }
    }
}
