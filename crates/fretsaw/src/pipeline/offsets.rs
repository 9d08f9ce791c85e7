//! Offsets from ids alone: sums of what each covers, without a column of anything else.
//!
//! The ids of a text are known when its offsets are asked for. Where their strings say how much each
//! covers and nothing was moved in the text, an offset is the sum of the lengths before it: the text
//! isn't cut, and no cache is looked at. Whether the sums end where the text does proves that it was
//! so. What this can't tell, [`Pipeline::columns`] finds; the two are compared in tests.
//!
//! Cost: one look-up an id, and one step a byte for text that is not ASCII.

use super::chars::Chars;
use super::origin::Origin;
use super::parts_of_text::{Part, Spans, Stretch};
use super::Pipeline;
use crate::encoding::{Encoding, Offsets};
use crate::error::EncodeError;
use crate::model::Lens;
use crate::post_process::{self, trim_offsets, trims};
use crate::pretokenize::{Marks, Place, Spelling, Splitter, Words, MARK};
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
        if settings.truncation.is_some() || self.parts.model.model.is_random() {
            return None;
        }
        let trims = trims(self.parts.spec.post_processor.as_ref())?;
        let [len, _] = encoding.lens;
        let first = self.first_of_text(encoding, add_special_tokens, settings)?;
        let ids = encoding.ids.get(first..first + len)?;
        let mut offsets = vec![(0, 0); first];
        offsets.reserve(encoding.ids.len() - first);
        let lens = self.model(policy.special).lens(self.word_prefix());
        let mut sums = Sums { ids, lens, chars: Chars::new(text), offsets };
        let done = self.each_part(text, policy, Spans::Everywhere, &mut |part| {
            let told = match part {
                Part::Added { place, .. } => place.and_then(|place| sums.added(place)),
                Part::Text(stretch) => sums.stretch(&stretch, &self.parts.plan.splitter),
            };
            told.ok_or(Untold)
        });
        if done.is_err() || !sums.ids.is_empty() {
            return None;
        }
        let mut offsets = sums.offsets;
        let own = &mut offsets[first..];
        for add_prefix_space in trims {
            if encoding.added.is_empty() && encoding.named.is_empty() {
                let tokens = ids.iter().map(|&id| self.usual_name(id));
                trim_offsets(tokens, own, add_prefix_space);
            } else {
                let tokens = self.tokens(encoding, text);
                trim_offsets(tokens[first..].iter().copied(), own, add_prefix_space);
            }
        }
        offsets.resize(encoding.ids.len(), (0, 0));
        Some(offsets)
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
    ids: &'a [u32],
    lens: &'a Lens,
    chars: Chars,
    offsets: Vec<Offsets>,
}

impl Sums<'_> {
    /// An added token at a place in bytes.
    fn added(&mut self, place: (usize, usize)) -> Option<()> {
        let (_, rest) = self.ids.split_first()?;
        self.ids = rest;
        self.offsets.push(self.chars.offsets(place));
        Some(())
    }

    fn stretch(&mut self, stretch: &Stretch<'_>, splitter: &Splitter) -> Option<()> {
        let Stretch { text, place, by_spans, origin: Some(Origin::Itself(start)) } = stretch else {
            return None;
        };
        if *by_spans || !self.lens.covers_all() {
            return None;
        }
        match splitter {
            _ if text.is_empty() => Some(()),
            Splitter::Gpt2 { add_prefix_space, .. } => {
                let lead = usize::from(*add_prefix_space && !text.starts_with(' '));
                self.whole(text.len(), lead, *start, Lens::get)
            }
            Splitter::Chain(_) | Splitter::Whole | Splitter::Seams(_) => {
                self.whole(text.len(), 0, *start, Lens::get)
            }
            Splitter::Marks(marks) => self.marks(text, *place, *start, marks),
            Splitter::Words(words) => self.words(text, *start, words),
            Splitter::Steps { .. } => None,
        }
    }

    /// Text whose spaces are marks to the model.
    fn marks(&mut self, text: &str, place: Place, start: usize, marks: &Marks) -> Option<()> {
        if memchr::memmem::find(text.as_bytes(), MARK.encode_utf8(&mut [0; 4]).as_bytes()).is_some()
        {
            return None;
        }
        let lead = usize::from(marks.adds_front(text, place));
        self.whole(text.len(), lead, start, |lens, id, _| lens.unmarked(id))
    }

    /// Ids that cover the whole of a text, behind `lead` bytes that stand for its first character.
    #[inline]
    fn whole(
        &mut self,
        text_len: usize,
        lead: usize,
        start: usize,
        len: impl Fn(&Lens, u32, bool) -> Option<usize>,
    ) -> Option<()> {
        let (mut from, mut count) = (0, 0);
        while from < text_len + lead {
            let to = from + len(self.lens, *self.ids.get(count)?, from == 0)?;
            let place = |at: usize| start + at.saturating_sub(lead);
            self.offsets.push(self.chars.covering(place(from), place(to - 1)));
            from = to;
            count += 1;
        }
        self.ids = &self.ids[count..];
        (from == text_len + lead).then_some(())
    }

    /// Words that get a mark in front or none.
    fn words(&mut self, text: &str, start: usize, words: &Words) -> Option<()> {
        let spelling = words.spelling();
        let bytes = text.as_bytes();
        let pieces = words.pieces(text, |boundaries| {
            boundaries.windows(2).try_for_each(|pair| {
                self.word(&bytes[pair[0]..pair[1]], start + pair[0], spelling).ok_or(())
            })
        });
        pieces.ok()
    }

    #[inline]
    fn word(&mut self, piece: &[u8], start: usize, spelling: Spelling) -> Option<()> {
        let (word, mark) = spelling.front(piece);
        let (mut from, end) = (0, mark + piece.len() - word);
        while from < end {
            let (&id, rest) = self.ids.split_first()?;
            let to = from + self.lens.get(id, from == 0)?;
            let place = |at: usize| start + word + at.saturating_sub(mark);
            self.offsets.push(self.chars.covering(place(from), place(to - 1)));
            from = to;
            self.ids = rest;
        }
        (from == end).then_some(())
    }
}
