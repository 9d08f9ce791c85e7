//! Offsets from ids alone: sums of what each covers, without a column of anything else.
//!
//! The ids of a text are known when its offsets are asked for. Where their strings say how much each
//! covers and nothing was moved in the text, an offset is the sum of the lengths before it: the text
//! isn't cut, and no cache is looked at. Whether the sums end where the text does proves that it was
//! so. What this can't tell, [`Pipeline::columns`] finds; the two are compared in tests.
//!
//! Cost: one look-up an id; the text is read only where white space or an unknown word is passed over.

use std::ops::Range;
use std::sync::Arc;

use super::origin::Origin;
use super::parts_of_text::{Part, Spans, Stretch};
use super::{Pipeline, Plan};
use crate::added_tokens::Stage;
use crate::encoding::{AddedSpan, Encoding, Offsets};
use crate::error::EncodeError;
use crate::model::{Len, Lens};
use crate::normalize::Normalizer;
use crate::post_process::{self, trim_offsets, trims, Spaces};
use crate::pretokenize::{has_mark, Place, Spelling, Splitter, Words, MARK};
use crate::settings::{MatchPolicy, Settings};
use crate::unicode::is_bert_punctuation;

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
        if settings.truncation.is_some() || self.parts.model.model.is_random() {
            return None;
        }
        let trims = trims(self.parts.spec.post_processor.as_ref())?;
        let [len, _] = encoding.lens;
        let first = self.first_of_text(encoding, add_special_tokens, settings)?;
        let ids = encoding.ids.get(first..first + len)?;
        let mut offsets = vec![(0, 0); first];
        offsets.reserve(encoding.ids.len() - first);
        let mut sums = Sums {
            text,
            ids,
            lens: self.model(policy).lens(self.word_prefix()),
            prefix: self.word_prefix(),
            byte: 0,
            char: 0,
            gone: Vec::new().into_iter(),
            next_gone: NEVER,
            lost: 0,
            offsets,
        };
        self.sum(&mut sums, encoding, policy)?;
        if !sums.ids.is_empty() {
            return None;
        }
        let mut offsets = sums.offsets;
        for add_prefix_space in trims {
            let spaces = self.spaces_of(encoding, text).into_iter().skip(first);
            trim_offsets(spaces, &mut offsets[first..], add_prefix_space);
        }
        offsets.resize(encoding.ids.len(), (0, 0));
        Some(offsets)
    }

    /// Sums up over all parts of a text. With its ids the places of added tokens are known, but for those
    /// that are found in normalized text.
    fn sum(&self, sums: &mut Sums<'_>, encoding: &Encoding, policy: MatchPolicy<'_>) -> Option<()> {
        let text = sums.text;
        if !self.parts.added.is_idle(Stage::Normalized, policy.special) {
            let splitter = &self.parts.plan.splitter;
            let mut each = |part: Part<'_>| sums.part(part, splitter).ok_or(Untold);
            return self.each_part(text, policy, Spans::Everywhere, &mut each).ok();
        }
        let mut done = 0;
        for &AddedSpan { start, end, .. } in &encoding.added {
            self.sum_between(sums, done..start, policy)?;
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
        let between = &sums.text[range.clone()];
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

/// The ids that are still to come, and the offsets of those before.
struct Sums<'a> {
    text: &'a str,
    ids: &'a [u32],
    lens: &'a Lens,
    /// What WordPiece spells in front of a token that does not start a word.
    prefix: &'a str,
    /// How far the ids before reach, and how many characters start before that.
    byte: usize,
    char: u32,
    /// Ranges of the text that no token covers, the next one apart from the others.
    gone: std::vec::IntoIter<(usize, usize)>,
    next_gone: (usize, usize),
    /// How far a place in the text lies behind that place in what the model is given.
    lost: usize,
    offsets: Vec<Offsets>,
}

/// A range that no place comes to.
const NEVER: (usize, usize) = (usize::MAX, usize::MAX);

impl Sums<'_> {
    /// Ranges of the text that comes next are covered by no token.
    fn lose(&mut self, gone: Vec<(usize, usize)>) {
        self.gone = gone.into_iter();
        self.next_gone = self.gone.next().unwrap_or(NEVER);
    }

    /// Goes on to a place in the text.
    fn go_to(&mut self, byte: usize) -> Option<()> {
        let passed = self.text.as_bytes().get(self.byte..byte)?;
        self.char += passed.iter().filter(|&byte| byte & 0xC0 != 0x80).count() as u32;
        self.byte = byte;
        Some(())
    }

    /// Goes on behind what is covered by no token, if that starts here.
    #[inline(always)]
    fn pass_gone(&mut self) -> Option<()> {
        if self.byte == self.next_gone.0 {
            self.add_gone()?;
        }
        Some(())
    }

    /// Takes the next range that is covered by no token as passed: it lies before the place.
    #[cold]
    fn add_gone(&mut self) -> Option<()> {
        let (start, end) = self.next_gone;
        let passed = self.text.as_bytes().get(start..end)?;
        self.char += passed.iter().filter(|&byte| byte & 0xC0 != 0x80).count() as u32;
        self.byte += passed.len();
        self.lost += passed.len();
        self.next_gone = self.gone.next().unwrap_or(NEVER);
        Some(())
    }

    fn part(&mut self, part: Part<'_>, splitter: &Splitter) -> Option<()> {
        match part {
            Part::Added { place, .. } => self.added(place?),
            Part::Text(Stretch { by_spans: true, .. }) => None,
            Part::Text(Stretch { text, place, origin, .. }) => match origin? {
                Origin::Itself(start) => {
                    self.go_to(start)?;
                    self.stretch(text, place, start + text.len(), splitter)
                }
                Origin::Spans(_) => None,
            },
        }
    }

    /// An added token at a place in bytes.
    fn added(&mut self, (start, end): (usize, usize)) -> Option<()> {
        let (_, rest) = self.ids.split_first()?;
        self.ids = rest;
        self.go_to(start)?;
        let first = self.char;
        self.go_to(end)?;
        self.offsets.push((first, self.char));
        Some(())
    }

    /// What the model is given of the text from here to `end`: all of it but for what is gone.
    fn stretch(&mut self, text: &str, place: Place, end: usize, splitter: &Splitter) -> Option<()> {
        if !self.lens.covers_all() || self.lens.drops_from(text.as_bytes()) {
            return None;
        }
        self.lost = self.byte;
        match splitter {
            _ if text.is_empty() => Some(()),
            Splitter::Gpt2 { add_prefix_space, .. } => {
                let lead = usize::from(*add_prefix_space && !text.starts_with(' '));
                self.whole(end, lead, Lens::at_start)
            }
            Splitter::Chain(_) | Splitter::Whole | Splitter::Seams(_) => {
                self.whole(end, 0, Lens::at_start)
            }
            Splitter::Marks(marks) if !has_mark(text) => {
                let lead = usize::from(marks.adds_front(text, place));
                self.whole(end, lead, Lens::unmarked)
            }
            Splitter::Words(words) => match words.spelling() {
                Spelling::Word if !has_mark(text) => self.marked_words(text, end, words),
                Spelling::Bare => self.bare_words(text, end, words),
                _ => None,
            },
            Splitter::Marks(_) | Splitter::Steps { .. } => None,
        }?;
        self.pass_gone()?;
        (self.byte == end).then_some(())
    }

    /// Ids that cover the whole of a text, behind `lead` bytes that stand for its first character.
    #[inline]
    fn whole(
        &mut self,
        end: usize,
        mut lead: usize,
        len: impl Fn(&Lens, u32) -> Option<Len>,
    ) -> Option<()> {
        loop {
            self.pass_gone()?;
            if self.byte >= end {
                return Some(());
            }
            let (&id, rest) = self.ids.split_first()?;
            self.ids = rest;
            self.cover(len(self.lens, id)?, std::mem::take(&mut lead))?;
        }
    }

    /// An id that covers `lead` bytes, one character, that stand for the character which comes next,
    /// and the text behind them.
    #[inline(always)]
    fn cover(&mut self, len: Len, lead: usize) -> Option<()> {
        let first = self.char.checked_sub(u32::from(len.starts_within()))?;
        self.byte += len.bytes().checked_sub(lead)?;
        self.char += len.chars().checked_sub(u32::from(lead > 0))?;
        while self.byte > self.next_gone.0 {
            self.add_gone()?;
        }
        self.offsets.push((first, self.char.max(first + 1)));
        Some(())
    }

    /// Words with a mark in front of each, and the white space between them.
    fn marked_words(&mut self, text: &str, end: usize, words: &Words) -> Option<()> {
        loop {
            let skipped = self.skip_space(text, words)?;
            if self.byte >= end {
                return Some(());
            }
            let (&id, rest) = self.ids.split_first()?;
            self.ids = rest;
            let len = self.lens.at_start(id)?;
            if skipped && !len.is_marked() {
                return None;
            }
            self.cover(len, if len.is_marked() { MARK.len_utf8() } else { 0 })?;
        }
    }

    /// Words and punctuation, and the white space between them. What a token that does not start a word
    /// begins with must be punctuation, so that no word does.
    fn bare_words(&mut self, text: &str, end: usize, words: &Words) -> Option<()> {
        if !self.prefix.chars().all(|c| is_bert_punctuation(c as u32)) {
            return None;
        }
        loop {
            let skipped = self.skip_space(text, words)?;
            if self.byte >= end {
                return Some(());
            }
            let (&id, rest) = self.ids.split_first()?;
            self.ids = rest;
            if self.lens.is_unknown_word(id) {
                let first = self.char;
                self.go_to(self.byte + words.word_len(text.get(self.byte - self.lost..)?))?;
                if self.byte > self.next_gone.0 {
                    return None;
                }
                self.offsets.push((first, self.char));
                continue;
            }
            let behind = self.lens.behind(id);
            if behind.is_some() && skipped && !self.prefix.is_empty() {
                return None;
            }
            self.cover(behind.or_else(|| self.lens.at_start(id))?, 0)?;
        }
    }

    /// Goes on behind white space, and whether there was any.
    #[inline(always)]
    fn skip_space(&mut self, text: &str, words: &Words) -> Option<bool> {
        let mut skipped = false;
        loop {
            self.pass_gone()?;
            let len = words.space_len(text.as_bytes().get(self.byte - self.lost..)?);
            if len == 0 {
                return Some(skipped);
            }
            self.byte += len;
            self.char += 1;
            skipped = true;
        }
    }
}
