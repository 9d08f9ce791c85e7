//! What a text consists of before the model sees it: added tokens, and normalized text between.

use std::borrow::Cow;

use super::chars::check_addressable;
use super::origin::{shifted, Origin};
use super::{trusted, Pipeline, Plan};
use crate::added_tokens::{Segment, Stage};
use crate::error::EncodeError;
use crate::normalize::{identity, Notes};
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
    /// What its bytes stand for, where that is kept.
    pub origin: Option<Origin>,
    /// Whether ids depend on it.
    pub by_spans: bool,
}

impl Pipeline {
    /// Whether all that is done to a text before it is cut is what the splitter does, so that the text
    /// between two added tokens is cut as it stands.
    pub(super) fn is_cut_as_it_is(&self, text: &str) -> bool {
        let Plan { normalizes, needs_spans, .. } = &*self.parts.plan;
        !needs_spans && (self.parts.normalizer.is_none() || normalizes.does(text))
    }

    /// Calls `each` with the parts of a text, in order.
    #[inline]
    pub(super) fn each_part<E: From<EncodeError>>(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        kept: Spans,
        each: &mut impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
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
    pub(super) fn each_normalized<E: From<EncodeError>>(
        &self,
        stretch: &str,
        start: usize,
        policy: MatchPolicy<'_>,
        kept: Spans,
        each: &mut impl FnMut(Part<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let at_start = start == 0;
        let idle = self.parts.added.is_idle(Stage::Normalized, policy.special);
        if idle && self.parts.plan.normalizes.does(stretch) {
            let place = Place { at_start, normalized: false };
            let raw =
                |origin| Part::Text(Stretch { text: stretch, place, origin, by_spans: false });
            match kept {
                Spans::WhereNeeded => return each(raw(None)),
                Spans::Everywhere if self.tells_lens(policy) => {
                    return each(raw(Some(Origin::Itself(start))));
                }
                Spans::Everywhere => {}
            }
        }
        let Normalized { text, origin, by_spans } = self.normalized(stretch, start, kept)?;
        if idle {
            let place = Place { at_start, normalized: true };
            return each(Part::Text(Stretch { text: &text, place, origin, by_spans }));
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
                    let place = match &origin {
                        Some(origin) if kept == Spans::Everywhere => {
                            Some(origin.place(segment.start..segment.end))
                        }
                        _ => unchanged.then_some((start + segment.start, start + segment.end)),
                    };
                    Part::Added { token, matched: part, place }
                }
                None => Part::Text(Stretch {
                    text: part,
                    place: Place { at_start: at_start && segment.start == 0, normalized: true },
                    origin: origin.as_ref().map(|origin| origin.part(segment.start..segment.end)),
                    by_spans,
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
        let mut by_spans = self.parts.plan.needs_spans;
        if !by_spans {
            if let Some(normalizer) = normalizer {
                let (text, Notes { in_front, moved }) = normalizer.normalize_noting(stretch)?;
                by_spans = in_front;
                if !by_spans && kept == Spans::WhereNeeded {
                    return Ok(Normalized { text, origin: None, by_spans });
                }
                if !by_spans && !moved {
                    let origin = Some(Origin::Itself(start));
                    return Ok(Normalized { text, origin, by_spans });
                }
            } else if kept == Spans::WhereNeeded {
                return Ok(Normalized { text: Cow::Borrowed(stretch), origin: None, by_spans });
            }
        }
        Ok(match normalizer {
            Some(normalizer) => {
                check_addressable(start + stretch.len())?;
                let (text, spans) = normalizer.normalize_spans(stretch, identity(stretch))?;
                let origin = Origin::Spans(shifted(spans, start));
                Normalized { text: Cow::Owned(text), origin: Some(origin), by_spans }
            }
            None => {
                let origin = Some(Origin::Itself(start));
                Normalized { text: Cow::Borrowed(stretch), origin, by_spans }
            }
        })
    }
}

/// A normalized text.
struct Normalized<'t> {
    text: Cow<'t, str>,
    /// What its bytes stand for, where that is kept.
    origin: Option<Origin>,
    /// Whether ids depend on it.
    by_spans: bool,
}
