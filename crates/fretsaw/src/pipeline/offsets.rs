//! Offsets from ids alone: sums of what each covers, without a column of anything else.
//!
//! The ids of a text are known when its offsets are asked for. Where their strings say how much each
//! covers and nothing was moved in the text, an offset is the sum of the lengths before it: the text
//! isn't cut, and no cache is looked at. Whether the sums end where the text does proves that it was
//! so, since no length depends on the place. What this can't tell, [`Pipeline::columns`] finds; the two are compared in tests.
//!
//! Cost: one look-up an id; the text is read only where white space or an unknown word is passed over.

use std::ops::Range;
use std::sync::Arc;

use super::chars::check_addressable;
use super::parts_of_text::{Part, Spans};
use super::sums::Sums;
use super::{Pipeline, Plan};
use crate::added_tokens::Stage;
use crate::encoding::{AddedSpan, Encoding, Offsets};
use crate::error::EncodeError;
use crate::normalize::Normalizer;
use crate::post_process::{self, trim_offsets, trims, Spaces};
use crate::pretokenize::{Place, Splitter, MARK};
use crate::settings::{MatchPolicy, Settings};

impl Pipeline {
    /// The offsets of an encoding of a single text, where its ids say them; they are those of
    /// [`Pipeline::columns`].
    pub fn offsets(
        &self,
        text: &str,
        encoding: &Encoding,
        policy: MatchPolicy<'_>,
        add_special_tokens: bool,
        settings: &Settings,
    ) -> Option<Vec<Offsets>> {
        let is_plain = settings.truncation.is_none() && !self.parts.model.model.is_random();
        if !is_plain || check_addressable(text.len()).is_err() {
            return None;
        }
        let trims = trims(self.parts.spec.post_processor.as_ref())?;
        let [len, _] = encoding.lens;
        let first = self.first_of_text(encoding, add_special_tokens, settings)?;
        let ids = encoding.ids.get(first..first + len)?;
        let cached = self.model(policy);
        let mut offsets = vec![(0, 0); first];
        offsets.reserve(encoding.ids.len() - first);
        let mut sums = Sums::new(text, ids, cached, self.word_prefix(), offsets);
        self.sum(&mut sums, encoding, policy)?;
        let mut offsets = sums.finish(!trims.is_empty())?;
        if !trims.is_empty() {
            let spaces = self.spaces_of(encoding, text);
            for add_prefix_space in trims {
                let own = spaces[first..].iter().copied();
                trim_offsets(own, &mut offsets[first..], add_prefix_space);
            }
        }
        offsets.resize(encoding.ids.len(), (0, 0));
        Some(offsets)
    }

    /// Sums up over all parts of a text. With its ids the places of added tokens are known, but for those
    /// that are found in normalized text.
    fn sum(&self, sums: &mut Sums<'_>, encoding: &Encoding, policy: MatchPolicy<'_>) -> Option<()> {
        let text = sums.text();
        let has_none = encoding.added.is_empty() && encoding.named.is_empty();
        if !has_none && !self.parts.added.is_idle(Stage::Normalized, policy.special) {
            let splitter = &self.parts.plan.splitter;
            let mut each = |part: Part<'_>| sums.part(part, splitter).ok_or(Untold);
            return self.each_part(text, policy, Spans::Everywhere, &mut each).ok();
        }
        let splitter = &self.parts.plan.splitter;
        let is_plain =
            !encoding.added.is_empty() && self.is_cut_as_it_is(text) && sums.is_plain(splitter);
        let mut done = 0;
        for &AddedSpan { start, end, .. } in &encoding.added {
            match is_plain {
                true => sums.plain_stretch(start, splitter)?,
                false => self.sum_between(sums, done..start, policy)?,
            }
            sums.added((start, end))?;
            done = end;
        }
        self.sum_between(sums, done..text.len(), policy)
    }

    /// The same for text without added tokens.
    fn sum_between(
        &self,
        sums: &mut Sums<'_>,
        range: Range<usize>,
        policy: MatchPolicy<'_>,
    ) -> Option<()> {
        if range.is_empty() {
            return Some(());
        }
        let between = &sums.text()[range.clone()];
        let Plan { splitter, normalizes, needs_spans, .. } = &*self.parts.plan;
        let normalizer = self.parts.normalizer.as_ref();
        let loses = |normalizer: &&Arc<Normalizer>| normalizer.may_lose() && !needs_spans;
        if let Some(normalizer) = normalizer.filter(loses).filter(|_| !normalizes.does(between)) {
            let space = matches!(splitter, Splitter::Marks(_)).then_some(MARK);
            let (text, gone) = normalizer.normalize_losing(between, space).ok()??;
            let place = Place { at_start: range.start == 0, normalized: true };
            let in_all = |(start, end)| (range.start + start, range.start + end);
            sums.go_to(range.start)?;
            sums.lose(gone.into_iter().map(in_all).collect());
            sums.stretch(&text, place, range.end, splitter)?;
            sums.lose(Vec::new());
            return Some(());
        }
        let mut each = |part: Part<'_>| sums.part(part, splitter).ok_or(Untold);
        self.each_normalized(between, range.start, policy, Spans::Everywhere, &mut each).ok()
    }

    /// The white space at both ends of each token of an encoding.
    fn spaces_of(&self, encoding: &Encoding, text: &str) -> Vec<Spaces> {
        let all = self.spaces();
        let of = |&id: &u32| all.get(id as usize).copied().unwrap_or_default();
        let mut spaces: Vec<Spaces> = encoding.ids.iter().map(of).collect();
        for &AddedSpan { index, start, end, .. } in &encoding.added {
            spaces[index] = Spaces::of(&text[start..end]);
        }
        for (index, token) in &encoding.named {
            spaces[*index] = Spaces::of(token);
        }
        spaces
    }

    /// The white space at both ends of each id's token.
    fn spaces(&self) -> &[Spaces] {
        self.spaces.get_or_init(|| {
            let ids = 0..self.vocabulary().id_end();
            Box::new(ids.map(|id| Spaces::of(self.usual_name(id))).collect())
        })
    }

    /// Which of the ids is the first of the text, if it is in one place.
    fn first_of_text(
        &self,
        encoding: &Encoding,
        add_special_tokens: bool,
        settings: &Settings,
    ) -> Option<usize> {
        let parts = self.parts.post_processor.parts(false, add_special_tokens).ok()?;
        let (mut first, mut all, mut texts) = (0, encoding.lens[0], 0);
        for part in parts {
            match part {
                post_process::Part::Text(_) => {
                    first = all - encoding.lens[0];
                    texts += 1;
                }
                post_process::Part::Special { ids, .. } => all += ids.len(),
            }
        }
        let filled = encoding.ids.len().checked_sub(all)?;
        let from_left = settings
            .padding
            .as_ref()
            .is_some_and(|padding| padding.direction == crate::spec::Direction::Left);
        (texts == 1).then_some(first + if from_left { filled } else { 0 })
    }
}

/// Ids alone do not tell.
struct Untold;

impl From<EncodeError> for Untold {
    fn from(_: EncodeError) -> Self {
        Untold
    }
}
