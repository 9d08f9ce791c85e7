//! What a text consists of before the model sees it: added tokens, and normalized text between.

use std::borrow::Cow;

use super::{trusted, Pipeline};
use crate::added_tokens::{Segment, Stage};
use crate::error::EncodeError;
use crate::normalize::{identity, Span};
use crate::pretokenize::Place;
use crate::settings::MatchPolicy;

/// Which texts come with the bytes of the original that each of theirs stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spans {
    /// Those for which ids depend on it.
    WhereNeeded,
    /// Each.
    Everywhere,
}

/// A part of a text.
pub enum Part<'a> {
    /// An added token: its place in the list, the text that it matched, and where that stands in
    /// the original in bytes, if nothing was normalized or spans are kept everywhere.
    Added { token: usize, matched: &'a str, place: Option<(usize, usize)> },
    /// Text for the model.
    Text(Stretch<'a>),
}

/// Text without added tokens, normalized or for a splitter that does that.
#[derive(Clone)]
pub struct Stretch<'a> {
    pub text: &'a str,
    pub place: Place,
    /// The bytes of the original that each byte stands for, where they are kept.
    pub spans: Option<Vec<Span>>,
}

impl Pipeline {
    /// Calls `each` with the parts of a text, in order.
    #[inline]
    pub(super) fn each_part(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        kept: Spans,
        each: &mut impl FnMut(Part<'_>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        if self.parts.added.is_idle(Stage::Raw, policy.special) {
            return self.each_normalized(text, 0, policy, kept, each);
        }
        let mut segments = Vec::new();
        self.parts.added.segments(Stage::Raw, text, policy, &mut segments)?;
        for Segment { start, end, token } in segments {
            let part = &text[start..end];
            match token {
                Some(token) => {
                    each(Part::Added { token, matched: part, place: Some((start, end)) })?;
                }
                None => {
                    let spans = policy.trusted.map(|spans| trusted::clip(spans, start, end));
                    let policy = MatchPolicy { special: policy.special, trusted: spans.as_deref() };
                    self.each_normalized(part, start, policy, kept, each)?;
                }
            }
        }
        Ok(())
    }

    /// The same for a stretch without raw added tokens that starts at byte `start` of the text.
    fn each_normalized(
        &self,
        stretch: &str,
        start: usize,
        policy: MatchPolicy<'_>,
        kept: Spans,
        each: &mut impl FnMut(Part<'_>) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let at_start = start == 0;
        let idle = self.parts.added.is_idle(Stage::Normalized, policy.special);
        if idle && self.parts.plan.normalizes && kept == Spans::WhereNeeded {
            let place = Place { at_start, normalized: false };
            return each(Part::Text(Stretch { text: stretch, place, spans: None }));
        }
        let (text, spans) = self.normalized(stretch, start, kept)?;
        if idle {
            let place = Place { at_start, normalized: true };
            return each(Part::Text(Stretch { text: &text, place, spans }));
        }
        let unchanged = text.as_ptr() == stretch.as_ptr() && text.len() == stretch.len();
        let trusted = match (policy.trusted, &self.parts.normalizer) {
            (Some(trusted), Some(normalizer)) if !unchanged => {
                Some(trusted::moved(normalizer, stretch, trusted)?)
            }
            (trusted, _) => trusted.map(<[_]>::to_vec),
        };
        let policy = MatchPolicy { special: policy.special, trusted: trusted.as_deref() };
        let mut segments = Vec::new();
        self.parts.added.segments(Stage::Normalized, &text, policy, &mut segments)?;
        for segment in segments {
            let part = &text[segment.start..segment.end];
            each(match segment.token {
                Some(token) => {
                    let place = match &spans {
                        Some(spans) if kept == Spans::Everywhere => {
                            let (first, last) = (spans[segment.start], spans[segment.end - 1]);
                            Some((first.0 as usize, last.1 as usize))
                        }
                        _ => unchanged.then_some((start + segment.start, start + segment.end)),
                    };
                    Part::Added { token, matched: part, place }
                }
                None => Part::Text(Stretch {
                    text: part,
                    place: Place { at_start: at_start && segment.start == 0, normalized: true },
                    spans: spans.as_ref().map(|spans| spans[segment.start..segment.end].to_vec()),
                }),
            })?;
        }
        Ok(())
    }

    /// A stretch that starts at byte `start` of the text, normalized, with spans if what is done
    /// next depends on them.
    fn normalized<'t>(
        &self,
        stretch: &'t str,
        start: usize,
        kept: Spans,
    ) -> Result<Normalized<'t>, EncodeError> {
        let normalizer = self.parts.normalizer.as_ref();
        if !self.parts.plan.needs_spans && kept == Spans::WhereNeeded {
            let Some(normalizer) = normalizer else { return Ok((Cow::Borrowed(stretch), None)) };
            let (text, in_front) = normalizer.normalize_noting_front(stretch)?;
            if !in_front {
                return Ok((text, None));
            }
        }
        let (text, mut spans) = match normalizer {
            Some(normalizer) => {
                let (text, spans) = normalizer.normalize_spans(stretch, identity(stretch))?;
                (Cow::Owned(text), spans)
            }
            None => (Cow::Borrowed(stretch), identity(stretch)),
        };
        // Texts of 4 GiB and more have no spans; only where they start matters here.
        let shift = u32::try_from(start).unwrap_or(u32::MAX);
        for span in &mut spans {
            *span = (span.0.saturating_add(shift), span.1.saturating_add(shift));
        }
        Ok((text, Some(spans)))
    }
}

/// A text, and the bytes of the original that each byte of it stands for.
type Normalized<'t> = (Cow<'t, str>, Option<Vec<Span>>);
