//! Texts with added tokens in them, encoded in one go.
//!
//! Where a text is cut at seams alone, whether a place is one depends on the two characters beside it and
//! nothing else. So the whole text is cut at once, with the added tokens as pieces of their own, and goes
//! through the one loop of [`super::fused`]: a stretch between two added tokens costs nothing by itself.
//! In a file where newlines are added tokens, as Gemma's, these are many.
//!
//! Cost: that of a text without added tokens, and some nanoseconds for each.

use super::fused::{Apart, Hands};
use super::Pipeline;
use crate::added_tokens::{Added, Segment, Stage};
use crate::encoding::{AddedSpan, Encoding};
use crate::error::EncodeError;
use crate::model::Model;
use crate::pretokenize::has_mark;
use crate::settings::MatchPolicy;

/// Room for the segments of a short text.
const SEGMENTS: usize = 16;

/// The added tokens that are still to come.
struct AddedTokens<'a> {
    left: &'a [Segment],
    tokens: &'a [Added],
    spans: &'a mut Vec<AddedSpan>,
}

impl Apart for AddedTokens<'_> {
    #[inline]
    fn is_next(&self, start: usize) -> bool {
        self.left.first().is_some_and(|segment| segment.start == start)
    }

    #[inline]
    fn take(&mut self, ids: &mut Vec<u32>) {
        if let Some((&Segment { start, end, token: Some(token) }, left)) = self.left.split_first() {
            self.spans.push(AddedSpan { index: ids.len(), start, end });
            ids.push(self.tokens[token].id);
            self.left = left;
        }
    }
}

impl Pipeline {
    /// Appends the ids of `text` and the spans of its added tokens, where it can be cut in one go.
    pub(super) fn encode_around<'m>(
        &'m self,
        text: &str,
        policy: MatchPolicy<'_>,
        encoding: &mut Encoding,
        hands: &mut Hands<'m>,
    ) -> Option<Result<(), EncodeError>> {
        let splitter = &self.parts.plan.splitter;
        let seams = splitter.only_seams()?;
        let added = &self.parts.added;
        let is_searched = !added.is_idle(Stage::Raw, policy.special)
            && added.is_idle(Stage::Normalized, policy.special);
        let model = self.model(policy);
        let is_plain = !model.model.is_random() && !matches!(model.model, Model::SentencePiece(_));
        let is_cut_at_once = is_searched && is_plain && self.is_cut_as_it_is(text);
        if !is_cut_at_once || has_mark(text) || text.is_empty() {
            return None;
        }
        let mut segments = Vec::with_capacity(SEGMENTS);
        if let Err(error) = added.segments(Stage::Raw, text, policy, &mut segments) {
            return Some(Err(error));
        }
        // A token may stand in the white space that the one before took: then both are one's own text.
        if segments.windows(2).any(|pair| pair[1].start < pair[0].end) {
            return None;
        }
        segments.retain(|segment| segment.token.is_some());
        let places: Vec<_> = segments.iter().map(|token| (token.start, token.end)).collect();
        let mut apart =
            AddedTokens { left: &segments, tokens: added.tokens(), spans: &mut encoding.added };
        let work = hands.work(model, splitter.spelling());
        Some(work.encode_around(seams, text, &places, &mut apart, &mut encoding.ids))
    }
}
