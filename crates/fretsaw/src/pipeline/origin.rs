//! Which bytes of the original the bytes of a text stand for.

use std::ops::Range;

use crate::normalize::{identity, Span};

/// Where a text comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// It is a part of the original that starts at this byte.
    Itself(usize),
    /// For each byte, what it stands for.
    Spans(Vec<Span>),
}

impl Origin {
    /// Where a part of the text comes from.
    pub fn part(&self, range: Range<usize>) -> Self {
        match self {
            Origin::Itself(start) => Origin::Itself(start + range.start),
            Origin::Spans(spans) => Origin::Spans(spans[range].to_vec()),
        }
    }

    /// What a part that is not empty stands for; it starts and ends where characters do.
    pub fn place(&self, range: Range<usize>) -> (usize, usize) {
        match self {
            Origin::Itself(start) => (start + range.start, start + range.end),
            Origin::Spans(spans) => {
                (spans[range.start].0 as usize, spans[range.end - 1].1 as usize)
            }
        }
    }

    /// What each byte of the text stands for. Texts of 4 GiB and more have no spans; only where they
    /// start matters.
    pub fn into_spans(self, text: &str) -> Vec<Span> {
        match self {
            Origin::Itself(start) => shifted(identity(text), start),
            Origin::Spans(spans) => spans,
        }
    }
}

/// Spans of a text that starts at a byte of the original.
pub fn shifted(mut spans: Vec<Span>, start: usize) -> Vec<Span> {
    let shift = u32::try_from(start).unwrap_or(u32::MAX);
    if shift > 0 {
        for span in &mut spans {
            *span = (span.0.saturating_add(shift), span.1.saturating_add(shift));
        }
    }
    spans
}
