//! A normalization form for a whole text: what is normalized already is proved so and copied.
//!
//! The text is a sequence of segments, each of which starts with a character that the form leaves
//! alone and that nothing before it can act on. ASCII consists of such characters and is skipped
//! in blocks. A character with the form's flag, or a mark that is out of order, sends its whole
//! segment through the composer.

use std::borrow::Cow;

use crate::unicode::normalization::kind;

use super::compose::{Composer, Form};
use super::rewrite::{ascii_end, Rewrite};
use super::spans::Aligned;
use super::Notes;

impl Form {
    pub(super) fn normalize<'t>(self, text: &'t str, notes: &mut Notes) -> Cow<'t, str> {
        let mut rewrite = Rewrite::new(text);
        self.visit(text, |start, end, made| {
            notes.moved = true;
            rewrite.replace(start, end).push_str(made);
        });
        rewrite.finish()
    }

    /// The same with spans, for a text whose first character stands for something.
    pub(super) fn normalize_spans(self, aligned: &mut Aligned) {
        aligned.change(|text, changed| {
            let mut composer = Composer::new(self);
            self.visit(text, |start, end, _| {
                changed.begin(start, end);
                text[start..end]
                    .chars()
                    .for_each(|c| composer.push(c, |change| changed.push(change)));
                composer.finish(|change| changed.push(change));
            });
        });
    }

    /// Calls `visit` for each segment that changes: start, end, what it becomes.
    fn visit(self, text: &str, mut visit: impl FnMut(usize, usize, &str)) {
        let bytes = text.as_bytes();
        let flag = self.flag();
        let mut composer = Composer::new(self);
        let mut made = String::new();
        let (mut at, mut segment, mut last_order) = (0, 0, 0);
        while at < bytes.len() {
            let ascii = ascii_end(bytes, at);
            if ascii > at {
                (at, segment, last_order) = (ascii, ascii - 1, 0);
            }
            let Some(c) = text[at..].chars().next() else { break };
            let kind = kind(c);
            if !kind.has(flag) && (kind.order() == 0 || last_order <= kind.order()) {
                if kind.order() == 0 {
                    segment = at;
                }
                last_order = kind.order();
                at += c.len_utf8();
                continue;
            }
            let end = self.segment_end(text, at + c.len_utf8());
            made.clear();
            for c in text[segment..end].chars() {
                composer.push(c, |(c, _)| made.push(c));
            }
            composer.finish(|(c, _)| made.push(c));
            if made != text[segment..end] {
                visit(segment, end, &made);
            }
            (at, segment, last_order) = (end, end, 0);
        }
    }

    /// Where the next segment starts, from `at` on.
    fn segment_end(self, text: &str, at: usize) -> usize {
        let starts = |&(_, c): &(usize, char)| {
            let kind = kind(c);
            kind.order() == 0 && !kind.has(self.flag())
        };
        text[at..].char_indices().find(starts).map_or(text.len(), |(offset, _)| at + offset)
    }
}
