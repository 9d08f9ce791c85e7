//! Trusted spans of a text as spans of a part of it, or of what a normalizer made of it.

use crate::error::EncodeError;
use crate::normalize::{identity, Normalizer};

/// The parts of `spans` inside `start..end`, counted from `start`.
pub fn clip(spans: &[(usize, usize)], start: usize, end: usize) -> Vec<(usize, usize)> {
    let inside = spans.iter().map(|&(from, to)| (from.max(start), to.min(end)));
    inside.filter(|(from, to)| from < to).map(|(from, to)| (from - start, to - start)).collect()
}

/// Where the normalized text stands wholly for text inside a span.
pub fn moved(
    normalizer: &Normalizer,
    text: &str,
    spans: &[(usize, usize)],
) -> Result<Vec<(usize, usize)>, EncodeError> {
    let (_, origins) = normalizer.normalize_spans(text, identity(text))?;
    let moved = spans.iter().filter_map(|&(start, end)| {
        let inside =
            |&(from, to): &(u32, u32)| start <= from as usize && to as usize <= end && from < to;
        let first = origins.iter().position(inside)?;
        let len = origins[first..].iter().take_while(|origin| inside(origin)).count();
        Some((first, first + len))
    });
    Ok(moved.collect())
}
