//! A text with a few places changed: what lies between is copied when the first change comes.

use std::borrow::Cow;

/// A text in the course of being rewritten from left to right.
pub(super) struct Rewrite<'t> {
    text: &'t str,
    /// Up to where `text` has been copied or replaced.
    done: usize,
    made: String,
    changed: bool,
}

impl<'t> Rewrite<'t> {
    pub fn new(text: &'t str) -> Self {
        Self { text, done: 0, made: String::new(), changed: false }
    }

    /// Copies up to `start` and goes on behind `end`; what comes in between is pushed to the result.
    #[inline]
    pub fn replace(&mut self, start: usize, end: usize) -> &mut String {
        if !self.changed {
            self.changed = true;
            self.made.reserve(self.text.len() + self.text.len() / 8);
        }
        self.made.push_str(&self.text[self.done..start]);
        self.done = end;
        &mut self.made
    }

    /// The rewritten text; borrowed if `replace` was never called.
    pub fn finish(mut self) -> Cow<'t, str> {
        if !self.changed {
            return Cow::Borrowed(self.text);
        }
        self.made.push_str(&self.text[self.done..]);
        Cow::Owned(self.made)
    }
}

const LANES: usize = 32;

/// Where the run of bytes that goes on at `at` ends, all of which are below 0x80.
#[inline]
pub(super) fn ascii_end(bytes: &[u8], at: usize) -> usize {
    run_end(bytes, at, |byte| byte < 0x80)
}

/// Where the run of bytes that goes on at `at` ends, all of which are `inside`.
///
/// Blocks of 32 bytes are looked at without a branch for each byte.
#[inline(always)]
pub(super) fn run_end(bytes: &[u8], at: usize, inside: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let whole = rest
        .chunks_exact(LANES)
        .take_while(|block| block.iter().fold(true, |all, &byte| all & inside(byte)))
        .count()
        * LANES;
    let tail = &rest[whole..];
    let more = tail.iter().position(|&byte| !inside(byte)).unwrap_or(tail.len());
    at + whole + more
}
