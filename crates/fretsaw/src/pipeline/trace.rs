//! A text's ids once more, with where each comes from.
//!
//! Every step keeps, for each byte of its text, the bytes of the original that it stands for, so that
//! what ids cover of a piece leads back to the original. Ids are those of encoding, from the same
//! caches; what they cover their strings say, and only where they don't is the model asked once more.
//!
//! Source: `tokenizer/pre_tokenizer.rs` of Hugging Face tokenizers 0.23.3 (`into_encoding`): an id
//! stands for all that the first to the last byte of its text stand for; where its bytes count past
//! the end of the piece, they are taken for those of the original as they are.

use std::sync::Arc;

use super::chars::{check_addressable, Chars};
use super::fused::Hands;
use super::origin::Origin;
use super::parts_of_text::{Part, Spans, Stretch};
use super::{CachedModel, Pipeline};
use crate::byte_level;
use crate::encoding::{Columns, Offsets};
use crate::error::EncodeError;
use crate::model::{Lens, Model, ModelScratch, SentencePiece, Traced};
use crate::pretokenize::{Pieces, Spelling, Splitter};
use crate::scan::best_level;
use crate::settings::MatchPolicy;

/// Whose ids are traced, and what they get beside what is found.
#[derive(Clone, Copy)]
pub struct Whose {
    /// The type of each id.
    pub type_id: u32,
    /// The word that all ids are of; else pieces are words.
    pub word: Option<u32>,
}

impl Pipeline {
    /// Appends the ids of a text and what is known of each.
    pub(super) fn trace(
        &self,
        text: &str,
        policy: MatchPolicy<'_>,
        whose: Whose,
        scratch: &mut ModelScratch,
        columns: &mut Columns,
    ) -> Result<(), EncodeError> {
        check_addressable(text.len())?;
        let mut tracing = Tracing { whose, pieces: 0, chars: Chars::new(text), columns };
        self.each_part(text, policy, Spans::Everywhere, &mut |part| match part {
            Part::Added { token, matched, place } => {
                let id = self.parts.added.tokens()[token].id;
                let own = (self.usual_name(id) != matched).then(|| Arc::from(matched));
                let offsets = tracing.chars.offsets(place.unwrap_or_default());
                tracing.push(id, own, offsets);
                tracing.pieces += 1;
                Ok(())
            }
            Part::Text(stretch) => self.trace_stretch(stretch, policy, scratch, &mut tracing),
        })
    }

    fn trace_stretch(
        &self,
        stretch: Stretch<'_>,
        policy: MatchPolicy<'_>,
        scratch: &mut ModelScratch,
        tracing: &mut Tracing<'_>,
    ) -> Result<(), EncodeError> {
        if let Model::SentencePiece(model) = &self.parts.model.model {
            return self.trace_pieces_of(model, stretch, scratch, tracing);
        }
        let cached = self.model(policy);
        let known = self.known_ids(&stretch, cached)?;
        tracing.columns.reserve(known.len());
        let mut ids = Known { ids: &known, lens: cached.lens(self.word_prefix()) };
        let Stretch { text, place, origin, by_spans } = stretch;
        let origin = origin.unwrap_or(Origin::Itself(0));
        let splitter = &self.parts.plan.splitter;
        let in_place = match splitter {
            Splitter::Gpt2 { .. } | Splitter::Chain(_) => !by_spans,
            Splitter::Marks(_) | Splitter::Words(_) | Splitter::Clip(_) => {
                !by_spans && ids.lens.covers_all()
            }
            _ => false,
        };
        if !in_place {
            let mut pieces = Pieces::with_spans(text, origin.into_spans(text));
            self.steps().iter().try_for_each(|step| pieces.apply(step, best_level()))?;
            return self.trace_pieces(&pieces, policy, &mut ids, scratch, tracing);
        }
        let spelling = splitter.spelling();
        let (mut spelled, mut origins) = (Vec::new(), Vec::new());
        let mut is_first = true;
        splitter.pieces(text, place, |bytes, boundaries| {
            // A space in front stands for what the first character does.
            let lead = bytes.len() - text.len();
            for pair in boundaries.windows(2) {
                let raw = &bytes[pair[0]..pair[1]];
                let read = spelling.spell(raw, &mut spelled);
                if read.is_empty() {
                    continue;
                }
                let same_word = match splitter {
                    Splitter::Marks(marks) => {
                        !is_first && !marks.starts_word(&String::from_utf8_lossy(raw))
                    }
                    _ => false,
                };
                is_first = false;
                tracing.pieces -= u32::from(same_word);
                let at = |byte: usize| (pair[0] + byte).saturating_sub(lead);
                let as_it_stands = match spelling {
                    Spelling::Plain => true,
                    Spelling::Marks => read.len() == raw.len(),
                    Spelling::Word | Spelling::Bare => false,
                };
                if as_it_stands {
                    let piece = Piece { bytes: read, spelled: self.parts.plan.byte_level, at };
                    self.trace_piece(&cached.model, piece, &origin, &mut ids, scratch, tracing)?;
                } else {
                    spelling.origins(raw, &mut origins);
                    let at = |byte: usize| at(origins[byte] as usize);
                    let piece = Piece { bytes: read, spelled: self.parts.plan.byte_level, at };
                    self.trace_piece(&cached.model, piece, &origin, &mut ids, scratch, tracing)?;
                }
            }
            Ok(())
        })
    }

    /// The pieces of SentencePiece: they are found in the whole text, and none is a word.
    fn trace_pieces_of(
        &self,
        model: &SentencePiece,
        stretch: Stretch<'_>,
        scratch: &mut ModelScratch,
        tracing: &mut Tracing<'_>,
    ) -> Result<(), EncodeError> {
        let text = stretch.text;
        let spans = stretch.origin.unwrap_or(Origin::Itself(0)).into_spans(text);
        model.each_made(text.as_bytes(), &mut 0.0, scratch.pieces(), |made| {
            let start = spans.get(made.start).map_or(0, |span| span.0 as usize);
            let end = match made.end.checked_sub(1).filter(|_| made.start < made.end) {
                Some(last) => spans[last].1 as usize,
                None => start,
            };
            let own = made.own.then(|| &text[made.start..made.end]);
            let own = own.filter(|text| self.usual_name(made.id) != *text).map(Arc::from);
            tracing.push(made.id, own, tracing.chars.between(start, end));
        })?;
        tracing.pieces += 1;
        Ok(())
    }

    /// The general way: pieces of steps that know what their bytes stand for.
    fn trace_pieces(
        &self,
        pieces: &Pieces<'_>,
        policy: MatchPolicy<'_>,
        ids: &mut Known<'_>,
        scratch: &mut ModelScratch,
        tracing: &mut Tracing<'_>,
    ) -> Result<(), EncodeError> {
        let cached = self.model(policy);
        let origin = Origin::Spans(pieces.spans().unwrap_or_default().to_vec());
        let mut bytes = Vec::new();
        for &(start, end) in pieces.ranges() {
            let text = &pieces.text()[start..end];
            bytes.clear();
            if self.parts.plan.byte_level && byte_level::unspell(text, &mut bytes) {
                // A character for each byte.
                let starts: Vec<usize> = text.char_indices().map(|(at, _)| start + at).collect();
                let piece = Piece { bytes: &bytes, spelled: true, at: |byte: usize| starts[byte] };
                self.trace_piece(&cached.model, piece, &origin, ids, scratch, tracing)?;
                continue;
            }
            let model = match self.parts.plan.byte_level {
                true => &self.general(policy).model,
                false => &cached.model,
            };
            let at = |byte: usize| start + byte;
            let piece = Piece { bytes: text.as_bytes(), spelled: false, at };
            self.trace_piece(model, piece, &origin, ids, scratch, tracing)?;
        }
        Ok(())
    }

    /// The ids of a stretch, from the caches; none where the model has to be asked for each piece.
    fn known_ids(
        &self,
        stretch: &Stretch<'_>,
        cached: &CachedModel,
    ) -> Result<Vec<u32>, EncodeError> {
        let mut ids = Vec::new();
        if !stretch.by_spans && !cached.model.is_random() {
            let splitter = &self.parts.plan.splitter;
            let mut hands = Hands::new(1);
            let work = hands.work(cached, splitter.spelling());
            work.encode_segment(splitter, stretch.text, stretch.place, &mut ids)?;
        }
        Ok(ids)
    }

    fn trace_piece(
        &self,
        model: &Model,
        piece: Piece<'_, impl Fn(usize) -> usize>,
        origin: &Origin,
        ids: &mut Known<'_>,
        scratch: &mut ModelScratch,
        tracing: &mut Tracing<'_>,
    ) -> Result<(), EncodeError> {
        let Piece { bytes, spelled, at } = piece;
        let covered = !ids.lens.drops_from(bytes)
            && ids.cover(bytes.len(), |id, from, to| {
                tracing.push(id, None, tracing.offsets(origin, at(from), at(to - 1)));
            });
        if !covered {
            // The byte that each byte of the spelling is of.
            let units: Option<Vec<usize>> = spelled.then(|| {
                let lens =
                    bytes.iter().map(|&byte| byte_level::CHARS[usize::from(byte)].len_utf8());
                lens.enumerate().flat_map(|(at, len)| std::iter::repeat_n(at, len)).collect()
            });
            let unit = |byte: usize| match &units {
                Some(units) => units.get(byte).copied(),
                None => (byte < bytes.len()).then_some(byte),
            };
            let mut count = 0;
            model.each_token(bytes, scratch, |Traced { id, start, end, own }| {
                let own = own.then(|| String::from_utf8_lossy(&bytes[start..end]));
                let own = own.filter(|text| self.usual_name(id) != *text).map(Arc::from);
                let offsets = match (unit(start), end.checked_sub(1).and_then(unit)) {
                    (Some(from), Some(to)) if start < end => {
                        tracing.offsets(origin, at(from), at(to))
                    }
                    _ => tracing.chars.offsets((start, end)),
                };
                tracing.push(id, own, offsets);
                count += 1;
            })?;
            ids.skip(count);
        }
        tracing.pieces += 1;
        Ok(())
    }
}

/// A piece as the model reads it.
struct Piece<'a, F: Fn(usize) -> usize> {
    bytes: &'a [u8],
    /// Whether the model's tokens spell the bytes in the byte alphabet.
    spelled: bool,
    /// The byte of the text that a byte is of.
    at: F,
}

/// Ids that are known, of the pieces that are still to come.
struct Known<'a> {
    ids: &'a [u32],
    lens: &'a Lens,
}

impl Known<'_> {
    /// Hands out the ids of a piece of `len` bytes with what each covers of it, and whether their
    /// strings say that they cover just all of it; else nothing is handed out.
    #[inline]
    fn cover(&mut self, len: usize, mut each: impl FnMut(u32, usize, usize)) -> bool {
        let mut count = 0;
        let mut covered = 0;
        while covered < len {
            let token = self.ids.get(count).and_then(|&id| self.lens.get(id, covered == 0));
            let Some(token_len) = token else { return false };
            covered += token_len;
            count += 1;
        }
        if covered != len {
            return false;
        }
        let mut from = 0;
        for &id in &self.ids[..count] {
            let to = from + self.lens.get(id, from == 0).unwrap_or_default();
            each(id, from, to);
            from = to;
        }
        self.skip(count);
        true
    }

    fn skip(&mut self, count: usize) {
        self.ids = &self.ids[count.min(self.ids.len())..];
    }
}

/// What is found out about a text.
struct Tracing<'a> {
    whose: Whose,
    /// How many pieces came so far.
    pieces: u32,
    chars: Chars,
    columns: &'a mut Columns,
}

impl Tracing<'_> {
    /// What the bytes of a text from the first to the last stand for.
    #[inline]
    fn offsets(&self, origin: &Origin, first: usize, last: usize) -> Offsets {
        match origin {
            Origin::Itself(start) => self.chars.covering(start + first, start + last),
            Origin::Spans(spans) => {
                self.chars.offsets((spans[first].0 as usize, spans[last].1 as usize))
            }
        }
    }

    #[inline]
    fn push(&mut self, id: u32, own: Option<Arc<str>>, offsets: Offsets) {
        let Whose { type_id, word } = self.whose;
        self.columns.push(id, own, offsets, Some(word.unwrap_or(self.pieces)), type_id);
    }
}
